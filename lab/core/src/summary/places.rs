//! Lines of a cell, looked up and not searched for: a results file may have a hundred thousand of them in one.

use super::{Cell, Line};
use crate::protocol::Shape;
use crate::rows;
use std::collections::BTreeMap;

/// Where they stand among a cell's lines.
#[derive(Default)]
pub struct Places {
    by_line: BTreeMap<rows::Line, usize>,
    blocks: usize,
    shapes: usize,
    yardstick: Option<usize>,
    reference: Option<usize>,
    /// Of lines that did not wait.
    yardsticks: BTreeMap<Shape, usize>,
    references: BTreeMap<Shape, usize>,
    /// By JDK.
    plain: BTreeMap<Option<String>, usize>,
}

impl Places {
    pub fn of(cell: &Cell) -> Self {
        let all = || cell.lines.iter().enumerate();
        let yardsticks = || all().filter(|(_, line)| line.is_yardstick() && !line.line.again);
        let fair = |(_, line): &(usize, &Line)| !line.line.again && !line.is_waiting();
        let by_line: BTreeMap<_, _> = all().rev().map(|(at, line)| (line.line.clone(), at)).collect();
        let yardstick = yardsticks().next().map(|(at, _)| at);
        let reference = cell.reference.as_ref();
        let is_twin = |line: &Line| {
            reference
                .is_some_and(|it| (&it.engine, it.algorithm()) == (&line.line.engine, line.line.algorithm()))
        };
        Self {
            blocks: cell.lines.iter().map(|line| line.wall.len()).max().unwrap_or(0),
            shapes: cell.shapes_of(cell.contestants()).len(),
            yardstick,
            reference: reference.and_then(|line| by_line.get(line).copied()).or(yardstick),
            yardsticks: first(yardsticks().filter(fair), |line| line.line.shape()),
            references: first(all().filter(fair).filter(|(_, line)| is_twin(line)), |line| line.line.shape()),
            plain: first(yardsticks(), |line| line.jdk.clone()),
            by_line,
        }
    }
}

/// The first of each kind.
fn first<'a, Kind: Ord>(
    lines: impl Iterator<Item = (usize, &'a Line)>,
    kind: impl Fn(&Line) -> Kind,
) -> BTreeMap<Kind, usize> {
    let mut first = BTreeMap::new();
    for (at, line) in lines {
        first.entry(kind(line)).or_insert(at);
    }
    first
}

impl Cell {
    fn at(&self, place: Option<usize>) -> Option<&Line> {
        self.lines.get(place?)
    }

    /// That of these names.
    pub fn line(&self, line: &rows::Line) -> Option<&Line> {
        self.at(self.places.by_line.get(line).copied())
    }

    /// The blocks its fullest line has.
    pub fn blocks(&self) -> usize {
        self.places.blocks
    }

    /// Whether its contestants are of several shapes.
    pub fn is_of_shapes(&self) -> bool {
        self.places.shapes > 1
    }

    pub fn yardstick(&self) -> Option<&Line> {
        self.at(self.places.yardstick)
    }

    /// What the others are held against: the row says it; the yardstick where it could not be measured.
    pub fn reference(&self) -> Option<&Line> {
        self.at(self.places.reference)
    }

    pub(super) fn yardstick_in(&self, shape: Shape) -> Option<&Line> {
        self.at(self.places.yardsticks.get(&shape).copied())
    }

    /// The reference among the lines of a shape: what a socket costs is no merit of a library. It is the same engine's line,
    /// or else the yardstick's; none among lines that waited.
    pub fn reference_in(&self, shape: Shape) -> Option<&Line> {
        self.at(self.places.references.get(&shape).copied()).or_else(|| self.yardstick_in(shape))
    }

    /// The server on the same JDK whose log hides nothing.
    pub fn plain_of(&self, line: &Line) -> Option<&Line> {
        self.at(self.places.plain.get(&line.jdk).copied())
    }
}

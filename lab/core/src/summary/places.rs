//! Lines of a cell, looked up and not searched for: a results file may have a hundred thousand of them in one.

use super::{Cell, Line};
use crate::jobs::Beside;
use crate::rows;
use indexmap::IndexSet;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that are compared with the same one: in TLS the lines over a transport, because what a socket costs is no merit of a
/// library; of servers the lines on a JDK; elsewhere all. It has a name for people, which is empty where it has all lines.
pub type Group = String;

/// Where they stand among a cell's lines.
#[derive(Default)]
pub struct Places {
    by_line: BTreeMap<rows::Line, usize>,
    blocks: usize,
    tells_how: bool,
    /// Engines and algorithms with lines that only their hows tell apart.
    namesakes: BTreeSet<(String, String)>,
    yardsticks: BTreeMap<Group, usize>,
    references: BTreeMap<Group, usize>,
}

impl Places {
    pub fn of(cell: &Cell) -> Self {
        let all = || cell.lines.iter().enumerate();
        // The first of each group, and none that waited.
        let first = |is_meant: &dyn Fn(&Line) -> bool| {
            let meant = all().filter(|(_, line)| !line.line.again && !line.is_waiting() && is_meant(line));
            meant.rev().map(|(at, line)| (cell.group(line), at)).collect::<BTreeMap<_, _>>()
        };
        // Where no line is the reference, or it could not be measured, lines are compared with the yardstick.
        let (yardsticks, reference) = (first(&Line::is_yardstick), cell.reference.as_ref());
        let mut references = yardsticks.clone();
        references.extend(first(&|line| {
            let twin = reference.filter(|it| cell.is_by_transport() && it.engine == line.line.engine);
            reference == Some(&line.line) || twin.is_some_and(|it| it.algorithm() == line.algorithm())
        }));
        let mut namesakes: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
        for line in cell.lines.iter().chain(&cell.cold) {
            namesakes.entry(names(line)).or_default().insert(line.line.how());
        }
        namesakes.retain(|_, hows| hows.len() > 1);
        let hows: BTreeSet<&str> = cell.contestants().map(|line| line.line.how()).collect();
        Self {
            by_line: all().rev().map(|(at, line)| (line.line.clone(), at)).collect(),
            blocks: cell.lines.iter().map(|line| line.wall.len()).max().unwrap_or(0),
            tells_how: cell.kind.tells_how || hows.len() > 1,
            namesakes: namesakes.into_keys().collect(),
            yardsticks,
            references,
        }
    }
}

fn names(line: &Line) -> (String, String) {
    (line.engine().to_owned(), line.algorithm().to_owned())
}

impl Cell {
    /// True where only its how tells a line from another: yardsticks may have several where contestants have one.
    pub fn has_namesake(&self, line: &Line) -> bool {
        self.places.namesakes.contains(&names(line))
    }

    pub fn group(&self, line: &Line) -> Group {
        match self.kind.beside {
            Beside::Reference => Group::new(),
            Beside::SameTransport => line.line.how().to_string(),
            Beside::SameJdk => format!("JDK {}", line.jdk.as_deref().unwrap_or("unknown")),
        }
    }

    /// Each once, the groups of contestants first.
    pub fn groups(&self) -> IndexSet<Group> {
        let lines = self.contestants().chain(&self.lines).chain(&self.cold);
        lines.map(|line| self.group(line)).collect()
    }

    /// That of these names.
    pub fn line(&self, line: &rows::Line) -> Option<&Line> {
        self.lines.get(*self.places.by_line.get(line)?)
    }

    /// The blocks its fullest line has.
    pub fn blocks(&self) -> usize {
        self.places.blocks
    }

    /// True if the use of a library has to be told: its contestants use libraries in several ways, or its job is about them.
    pub fn tells_how(&self) -> bool {
        self.places.tells_how
    }

    /// The line with which the lines of a group are compared.
    pub fn reference_in(&self, group: &str) -> Option<&Line> {
        self.lines.get(*self.places.references.get(group)?)
    }

    /// The line with which a line is compared; none where one of them waited.
    pub fn reference_of(&self, line: &Line) -> Option<&Line> {
        self.reference_in(&self.group(line)).filter(|_| !line.is_waiting())
    }

    /// The yardstick beside a line.
    pub fn yardstick_of(&self, line: &Line) -> Option<&Line> {
        let yardstick = self.lines.get(*self.places.yardsticks.get(&self.group(line))?)?;
        Some(yardstick).filter(|_| !line.is_waiting())
    }
}

//! Lines of a cell, looked up and not searched for: a results file may have a hundred thousand of them in one.

use super::{Cell, Line};
use crate::jobs::Beside;
use crate::rows;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The lines that are held against the same one: in TLS those over a transport, because what a socket costs is no merit of a library;
/// of servers those on a JDK; elsewhere all.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    All,
    Transport(String),
    Jdk(Option<String>),
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Transport(transport) => f.write_str(transport),
            Self::Jdk(jdk) => write!(f, "JDK {}", jdk.as_deref().unwrap_or("unknown")),
        }
    }
}

/// Where they stand among a cell's lines.
#[derive(Default)]
pub struct Places {
    by_line: BTreeMap<rows::Line, usize>,
    blocks: usize,
    hows: usize,
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
        // Where no line is the reference, or it could not be measured, lines are held against the yardstick.
        let (yardsticks, reference) = (first(&Line::is_yardstick), cell.reference.as_ref());
        let mut references = yardsticks.clone();
        references.extend(first(&|line| {
            let twin = reference.filter(|it| cell.is_by_transport() && it.engine == line.line.engine);
            reference == Some(&line.line) || twin.is_some_and(|it| it.algorithm() == line.algorithm())
        }));
        let hows: BTreeSet<&str> = cell.contestants().map(|line| line.line.how()).collect();
        Self {
            by_line: all().rev().map(|(at, line)| (line.line.clone(), at)).collect(),
            blocks: cell.lines.iter().map(|line| line.wall.len()).max().unwrap_or(0),
            hows: hows.len(),
            yardsticks,
            references,
        }
    }
}

impl Cell {
    pub fn group(&self, line: &Line) -> Group {
        match self.kind.beside {
            Beside::Reference => Group::All,
            Beside::SameTransport => Group::Transport(line.line.how().to_owned()),
            Beside::SameJdk => Group::Jdk(line.jdk.clone()),
        }
    }

    /// Each once.
    pub fn groups(&self) -> Vec<Group> {
        let groups: BTreeSet<Group> = self.lines.iter().map(|line| self.group(line)).collect();
        let mut groups: Vec<Group> = groups.into_iter().collect();
        groups.sort_by_key(|group| self.kind.rank(&group.to_string()));
        groups
    }

    /// That of these names.
    pub fn line(&self, line: &rows::Line) -> Option<&Line> {
        self.lines.get(*self.places.by_line.get(line)?)
    }

    /// The blocks its fullest line has.
    pub fn blocks(&self) -> usize {
        self.places.blocks
    }

    /// Whether its contestants use libraries in several ways.
    pub fn differs_in_how(&self) -> bool {
        self.places.hows > 1
    }

    /// The line with which the lines of a group are compared.
    pub fn reference_in(&self, group: &Group) -> Option<&Line> {
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

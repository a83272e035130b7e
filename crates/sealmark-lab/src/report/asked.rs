//! A cell while questions are asked of it. What an answer says of a line, alone or beside another, is kept, so that
//! where the answer's evidence stands its figures can be read.

use super::words;
use crate::rows;
use crate::summary::{Cell, Line, Ratio};
use std::cell::RefCell;
use std::ops::Deref;

/// A cell that remembers what was told of it.
pub struct Asked<'a> {
    cell: &'a Cell,
    figures: RefCell<Vec<Figure>>,
}

/// What an answer says of a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Figure {
    pub line: rows::Line,
    pub against: Option<rows::Line>,
    /// Of what it is: "time", "CPU time", "rate".
    pub of: &'static str,
    pub told: String,
}

pub const TIME: &str = "time";
pub const CPU: &str = "CPU time";

impl<'a> Asked<'a> {
    pub fn of(cell: &'a Cell) -> Self {
        Self { cell, figures: RefCell::default() }
    }

    /// That of [`Cell::compare`], to be told.
    pub fn compare(&self, line: &Line, other: &Line) -> Option<Ratio> {
        let ratio = self.cell.compare(line, other)?;
        self.tell(line, Some(other), TIME, words::judged(&ratio));
        Some(ratio)
    }

    /// That of [`Cell::compare_cpu`], to be told.
    pub fn compare_cpu(&self, line: &Line, other: &Line) -> Option<Ratio> {
        let ratio = self.cell.compare_cpu(line, other)?;
        self.tell(line, Some(other), CPU, words::judged(&ratio));
        Some(ratio)
    }

    /// Keeps what is told, and gives it back for the sentence.
    pub fn tell(&self, line: &Line, against: Option<&Line>, of: &'static str, told: String) -> String {
        let against = against.map(|other| other.line.clone());
        let figure = Figure { line: line.line.clone(), against, of, told: told.clone() };
        self.figures.borrow_mut().push(figure);
        told
    }

    pub fn cell(&self) -> &'a Cell {
        self.cell
    }

    pub fn figures(self) -> Vec<Figure> {
        self.figures.into_inner()
    }
}

impl Deref for Asked<'_> {
    type Target = Cell;

    fn deref(&self) -> &Cell {
        self.cell
    }
}

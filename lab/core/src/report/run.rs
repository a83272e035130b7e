//! What every report of a run begins with.

use super::by_job::ByJob;
use super::warmth::{self, Warmth};
use crate::rows::Row;
use crate::summary::growths::{self, Grown};
use crate::summary::{self, Cell};

/// The rows, and what follows from them: computed once, whatever is told of it.
pub struct Run<'a> {
    pub rows: &'a [Row],
    pub cells: Vec<Cell>,
    pub warmth: Vec<Warmth>,
    /// Every line at all its sizes.
    pub grown: Vec<Grown>,
    pub by_job: ByJob<'a>,
}

impl<'a> Run<'a> {
    pub fn of(rows: &'a [Row]) -> Self {
        let cells = summary::cells(rows);
        let warmth = warmth::all(rows, &cells);
        let grown = growths::growths(rows, &cells);
        Self { rows, cells, warmth, grown, by_job: ByJob::of(rows) }
    }
}

//! Which questions of a run are open yet, and how many blocks might tell them: what a run measures next.

use super::answers;
use crate::claims::{self, Claim, Evidence, Fate};
use crate::plan::MOST_BLOCKS;
use crate::rows::{self, Row};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::summary::growths;
use crate::summary::{self, Cell};
use std::collections::{BTreeMap, BTreeSet};

/// The sizes of jobs that questions are about; for each the blocks that it might take to tell them, nothing where all of
/// them are told.
pub type Doubts = BTreeMap<(String, u64), Option<f64>>;

/// Judged by intervals that hold however often one looks.
pub fn doubts(rows: &[Row]) -> Doubts {
    let mut cells = summary::cells(rows);
    cells.iter_mut().for_each(|cell| cell.look_of(MOST_BLOCKS));
    let mut doubts = Doubts::new();
    for answer in answers::all(&cells) {
        let about = doubts.entry((answer.evidence.job, answer.size)).or_default();
        *about = [*about, answer.blocks_needed].into_iter().flatten().max_by(f64::total_cmp);
    }
    for cell in undecided(rows, &cells) {
        let about = doubts.entry((cell.job.clone(), cell.size)).or_default();
        *about = Some(about.unwrap_or(FEWEST_BLOCKS as f64).max(more_than(cell)));
    }
    doubts
}

/// The cells that undecided conclusions of a publication are about.
fn undecided<'a>(rows: &[Row], cells: &'a [Cell]) -> Vec<&'a Cell> {
    let Some(history) = rows::header(rows).and_then(|header| header.history) else { return Vec::new() };
    let grown = growths::growths(rows, cells);
    let lines = cells.iter().flat_map(|cell| &cell.lines);
    let jdks: BTreeSet<&str> = lines.filter_map(|line| line.jdk.as_deref()).collect();
    let is_open = |claim: &Claim| {
        let judged = |jdk| claim.judge(&Evidence { cells, grown: &grown, jdk }).fate == Fate::Undecided;
        let about = jdks.iter().filter(|jdk| claim.is_about(crate::history::major(jdk)));
        if jdks.is_empty() { judged(None) } else { about.copied().any(|jdk| judged(Some(jdk))) }
    };
    let open: Vec<Claim> = claims::concluded(history).into_iter().filter(is_open).collect();
    let concerns = |cell: &&Cell| open.iter().any(|claim| claim.concerns(&cell.job, cell.size));
    cells.iter().filter(concerns).collect()
}

/// A conclusion does not say how far it is from its end: as many blocks again.
fn more_than(cell: &Cell) -> f64 {
    (2 * cell.blocks()) as f64
}

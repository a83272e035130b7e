//! How the time of each line grows with the size of its job, and what that lets one expect of sizes not run.

use super::Cell;
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::stats::growth::{self, AtSize, Growth, NoGrowth};
use crate::stats::{self, bootstrap, slopes};
use crate::workload::SplitMix64;
use std::collections::BTreeMap;

/// One line at all its sizes.
pub struct Grown {
    pub job: String,
    pub operation: Operation,
    pub line: rows::Line,
    /// Ascending, with the steady times of the blocks.
    pub sizes: Vec<AtSize>,
    pub fit: Result<Growth, NoGrowth>,
}

/// A time that nobody waited for, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ahead {
    pub ns: f64,
    /// Where the exponent has an interval.
    pub range: Option<(f64, f64)>,
}

type Key<'a> = (usize, Operation, &'a rows::Line);

/// Every line, by job and operation.
pub fn growths(rows: &[Row], cells: &[Cell]) -> Vec<Grown> {
    let mut jobs: Vec<&str> = cells.iter().map(|cell| cell.job.as_str()).collect();
    jobs.dedup();
    let mut sizes: BTreeMap<Key, Vec<AtSize>> = BTreeMap::new();
    for cell in cells {
        let Some(job) = jobs.iter().position(|job| *job == cell.job) else { continue };
        for line in cell.contestants_and_yardstick() {
            let times: Vec<f64> = line.wall.values().copied().filter(|ns| *ns > 0.0).collect();
            sizes.entry((job, cell.operation, &line.line)).or_default().push((cell.size, times));
        }
    }
    let header = rows.iter().find_map(|row| if let Row::Header(header) = row { Some(header) } else { None });
    let seed = header.map_or(0, |header| header.seed);
    let grown = |((job, operation, line), sizes): (Key, Vec<AtSize>)| Grown {
        job: jobs[job].to_owned(),
        operation,
        line: line.clone(),
        // The same seed every time: the same text from the same rows.
        fit: growth::growth(&sizes, &mut SplitMix64::new(seed)),
        sizes,
    };
    sizes.into_iter().map(grown).collect()
}

/// That of a line.
pub fn find<'a>(all: &'a [Grown], job: &str, operation: Operation, line: &rows::Line) -> Option<&'a Grown> {
    all.iter().find(|grown| (grown.job.as_str(), grown.operation, &grown.line) == (job, operation, line))
}

impl Grown {
    pub fn medians(&self) -> Vec<(u64, f64)> {
        self.sizes.iter().filter_map(|(size, times)| Some((*size, stats::median(times)?))).collect()
    }

    /// Whether as many sizes have the blocks that an interval needs as the curve has unknowns; the others only add to it.
    pub fn is_judged(&self) -> bool {
        let full = self.sizes.iter().filter(|(_, times)| times.len() >= bootstrap::FEWEST_BLOCKS);
        growth::count_apart(full) >= growth::UNKNOWNS
    }

    /// What a size above all of its own would take. The last steps count as much as the curve through all sizes: in a
    /// quadratic that is linear while it is small they are what goes on.
    pub fn ahead(&self, size: u64) -> Option<Ahead> {
        let medians = self.medians();
        let largest = medians.last()?.0;
        if size <= largest {
            return None;
        }
        let last = slopes::slopes(&medians).last().map(|slope| slope.exponent);
        let Ok(fit) = &self.fit else {
            let (from, ns) = *medians.last()?;
            let ns = ns * (size as f64 / from as f64).powf(last?.max(1.0));
            return Some(Ahead { ns, range: None });
        };
        let latest = last.unwrap_or(fit.exponent);
        let at = |exponent| fit.ahead(size, exponent);
        let (low, high) = (fit.low.min(latest), fit.high.max(latest));
        Some(Ahead { ns: at(fit.exponent.max(latest)), range: Some((at(low), at(high))) })
    }
}

#[cfg(test)]
mod tests;

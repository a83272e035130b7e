//! How the time of each line grows with the size of its job, and what that lets one expect of sizes not run.

use super::Cell;
use crate::jobs;
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::stats::growth::{self, AtSize, Growth, NoGrowth};
use crate::stats::{self, bootstrap, slopes};
use crate::workload::SplitMix64;
use indexmap::IndexMap;

/// One line at all its sizes.
pub struct Grown {
    pub job: String,
    pub operation: Operation,
    pub line: rows::Line,
    /// Ascending, with the steady times of the blocks.
    pub sizes: Vec<AtSize>,
    /// Bytes that an operation allocates, by size, where that is known.
    pub allocated: Vec<(u64, f64)>,
    pub fit: Result<Growth, NoGrowth>,
    seed: u64,
}

/// A time that nobody waited for, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ahead {
    pub ns: f64,
    /// Where 95 % of what resampled blocks predict lies; none where there is no curve.
    pub range: Option<(f64, f64)>,
    /// True if enough sizes have the blocks that an interval needs.
    pub is_judged: bool,
}

/// So many times the largest size measured, where no curve goes through the sizes.
const FARTHEST: u64 = 32;

/// Job, operation and line.
type Key<'a> = (&'a str, Operation, &'a rows::Line);
/// Times and bytes allocated, by size.
type Known = (Vec<AtSize>, Vec<(u64, f64)>);

/// Every line, job by job.
pub fn growths(rows: &[Row], cells: &[Cell]) -> Vec<Grown> {
    let mut sizes: IndexMap<Key, Known> = IndexMap::new();
    for cell in cells {
        // Times of code that is still being compiled are those of no curve.
        for line in cell.contestants_and_yardstick().filter(|line| line.is_steady) {
            let times: Vec<f64> = line.wall.values().copied().collect();
            let (sizes, allocated) = sizes.entry((&cell.job, cell.operation, &line.line)).or_default();
            sizes.push((cell.size, times));
            let bytes = line.allocated_bytes.filter(|bytes| *bytes > 0.0);
            allocated.extend(bytes.map(|bytes| (cell.size, bytes)));
        }
    }
    let seed = rows::header(rows).map_or(0, |header| header.seed);
    let grown = |((job, operation, line), (sizes, allocated)): (Key, Known)| {
        // One seed for all runs of the lab, so that the same rows give the same text.
        let fit = growth::growth(&sizes, &mut SplitMix64::new(seed));
        Grown { job: job.to_owned(), operation, line: line.clone(), sizes, allocated, fit, seed }
    };
    sizes.into_iter().map(grown).collect()
}

/// That of a line.
pub fn find<'a>(all: &'a [Grown], job: &str, operation: Operation, line: &rows::Line) -> Option<&'a Grown> {
    all.iter().find(|grown| (grown.job.as_str(), grown.operation, &grown.line) == (job, operation, line))
}

impl Grown {
    /// The exponent of what is allocated, between the largest size and the next of at most half of it. Allocation has
    /// hardly any noise, and what allocates with the square of the size will take with it, sooner or later.
    pub fn allocation_exponent(&self) -> Option<f64> {
        let last = *self.allocated.last()?;
        let smaller = *self.allocated.iter().rev().find(|(size, _)| 2 * size <= last.0)?;
        Some(slopes::exponent(smaller, last))
    }

    /// The time that a size would take by the sizes below it: by the curve through them, or else by the steeper of the last
    /// two steps; and by what is allocated, where that is steeper still.
    pub fn ahead(&self, size: u64) -> Option<Ahead> {
        let smaller = &self.sizes[..self.sizes.partition_point(|(known, _)| *known < size)];
        let medians = medians(smaller);
        let (from, last_ns) = *medians.last()?;
        let steps = slopes::slopes(&medians);
        let last = steps.iter().rev().take(2).map(|slope| slope.exponent).max_by(f64::total_cmp);
        let allocation = self.allocation_exponent().unwrap_or(0.0);
        let (ns, range) = match self.fit_of(smaller) {
            Ok(fit) => {
                let ns = fit.ahead(size, fit.exponent.max(allocation));
                let resampled = fit.resampled_ahead(smaller, size, &mut SplitMix64::new(self.seed));
                let end = |end: usize, share| stats::quantile(resampled.iter().map(|ends| ends[end]), share);
                (ns, end(0, 0.025).zip(end(1, 0.975)).map(|(low, high)| (low.min(ns), high.max(ns))))
            }
            // So far away two steps tell nothing: the smaller size may not have been compiled yet.
            Err(_) if size > FARTHEST * from => return None,
            Err(_) => (last_ns * (size as f64 / from as f64).powf(last?.max(allocation).max(1.0)), None),
        };
        Some(Ahead { ns, range, is_judged: self.tells(smaller) })
    }

    /// True where its blocks suffice for an interval.
    pub fn is_judged(&self) -> bool {
        self.tells(&self.sizes)
    }

    /// True if as many sizes have the blocks that an interval needs as the curve has unknowns, or if five of them have those
    /// that tell large effects.
    fn tells(&self, sizes: &[AtSize]) -> bool {
        let with =
            |blocks: usize| growth::count_apart(sizes.iter().filter(move |(_, times)| times.len() >= blocks));
        with(bootstrap::FEWEST_BLOCKS) >= growth::UNKNOWNS
            || with(jobs::of(&self.job).telling_blocks()) >= growth::FEWEST_SIZES
    }

    fn fit_of(&self, smaller: &[AtSize]) -> Result<Growth, NoGrowth> {
        if smaller.len() == self.sizes.len() {
            return self.fit.clone();
        }
        growth::growth(smaller, &mut SplitMix64::new(self.seed))
    }
}

/// The median at each size.
pub fn medians(sizes: &[AtSize]) -> Vec<(u64, f64)> {
    sizes.iter().filter_map(|(size, times)| Some((*size, stats::median(times)?))).collect()
}

#[cfg(test)]
mod tests;

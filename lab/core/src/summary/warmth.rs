//! Cold, ramp and steady: how a line came to be as fast as it is.

use super::{Cell, Line};
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::stats::change::{self, Point, Ramp, Segment};
use std::collections::BTreeMap;

/// The beginning of a line's processes, where it was watched.
pub struct Warmth {
    /// So many parts, each as long as the times did not change.
    pub levels: usize,
    pub is_steady: bool,
    /// Its largest step down.
    pub cliff: Option<Cliff>,
}

/// A step down between two levels: what the operations before it took, beside the steady time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cliff {
    pub after: u64,
    /// How long the operations before it took together.
    pub spent_ns: f64,
    pub steady_ns: f64,
}

impl Cliff {
    /// How many times the steady time one operation before it took, on average.
    pub fn factor(&self) -> f64 {
        self.spent_ns / self.after as f64 / self.steady_ns
    }

    /// The largest step down of a ramp with a steady state behind it, if the operations before were slower than that.
    fn largest(points: &[Point], ramp: &Ramp, steady_ns: f64) -> Option<Self> {
        let step = |pair: &[Segment]| pair[0].median_ns / pair[1].median_ns;
        let cliff = |level: &Segment| Self {
            after: level.operations_before,
            spent_ns: points[..level.start].iter().map(Point::ns).sum(),
            steady_ns,
        };
        let steps = ramp.segments.windows(2).filter(|pair| ramp.steady_from.is_ok() && step(pair) > 1.0);
        let cliffs = steps.map(|pair| (step(pair), cliff(&pair[1]))).filter(|(_, it)| it.factor() > 1.0);
        cliffs.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, cliff)| cliff)
    }
}

type Key<'a> = (&'a str, u64, Operation, &'a rows::Line);

/// Tells each line of cells whose beginning was watched how it came to be as fast as it is.
pub fn watch(rows: &[Row], cells: &mut [Cell]) {
    let mut ramps: BTreeMap<Key, Vec<Point>> = BTreeMap::new();
    for row in rows {
        let Row::Ramp(ramp) = row else { continue };
        let points = ramps.entry((&ramp.job, ramp.size, ramp.operation, &ramp.line)).or_default();
        // A run taken up again watches once more.
        if ramp.done == 0 {
            points.clear();
        }
        let ns_per_operation = ramp.wall_ns.max(1) as f64 / ramp.count.max(1) as f64;
        points.push(Point { operations: ramp.count, ns_per_operation });
    }
    for Cell { job, size, operation, lines, .. } in cells {
        for line in lines {
            let points = ramps.get(&(job.as_str(), *size, *operation, &line.line));
            line.warmth = points.map(|points| Warmth::of(points, line.time()));
        }
    }
}

impl Warmth {
    fn of(points: &[Point], steady_ns: f64) -> Self {
        let ramp = change::ramp(points);
        Self {
            cliff: Cliff::largest(points, &ramp, steady_ns),
            is_steady: ramp.steady_from.is_ok(),
            levels: ramp.segments.len(),
        }
    }
}

impl Line {
    /// A cliff that a short-lived process never gets past, where the steady time was measured often enough to warn by it.
    pub fn late_cliff(&self) -> Option<Cliff> {
        let cliff = self.warmth.as_ref()?.cliff.filter(|_| self.wall.len() >= FEWEST_BLOCKS)?;
        Some(cliff).filter(|cliff| cliff.after > LATE && cliff.spent_ns > LONG_NS && cliff.factor() > HIGH)
    }
}

/// Cliffs after so many operations are no matter of the first few.
const LATE: u64 = 10;
/// Nor are those reached before even a small process has started.
const LONG_NS: f64 = 10e6;
/// From this factor on a cliff is worth a warning.
const HIGH: f64 = 3.0;

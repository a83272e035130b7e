//! Cold, ramp and steady: how a line came to be as fast as it is.

use super::Line;
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::stats::change::{self, Point, Ramp, Segment};

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
        let steps = ramp.segments.windows(2).filter(|pair| ramp.steady_from.is_some() && step(pair) > 1.0);
        let cliffs = steps.map(|pair| (step(pair), cliff(&pair[1]))).filter(|(_, it)| it.factor() > 1.0);
        cliffs.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, cliff)| cliff)
    }
}

impl Line {
    /// The beginning of its processes and the largest step down of it; None where nobody watched.
    pub fn warmth(&self) -> Option<(Ramp, Option<Cliff>)> {
        let ramp = Some(change::ramp(&self.ramp)).filter(|ramp| !ramp.segments.is_empty())?;
        let cliff = Cliff::largest(&self.ramp, &ramp, self.time());
        Some((ramp, cliff))
    }

    /// A cliff that a short-lived process never gets past, where the steady time was measured often enough to warn by it.
    pub fn late_cliff(&self) -> Option<Cliff> {
        let warmth = if self.wall.len() >= FEWEST_BLOCKS { self.warmth() } else { None };
        let is_late = |it: &Cliff| it.after > LATE && it.spent_ns > LONG_NS && it.factor() > HIGH;
        warmth?.1.filter(is_late)
    }
}

/// Cliffs after so many operations are no matter of the first few.
const LATE: u64 = 10;
/// Nor are those reached before even a small process has started.
const LONG_NS: f64 = 10e6;
/// From this factor on a cliff is worth a warning.
const HIGH: f64 = 3.0;

//! Cold, ramp and steady: how a line came to be as fast as it is.

use super::Line;
use crate::stats::change::{self, Point, Ramp, Segment};

/// A step down between two levels: what the operations before it took, beside the steady time. The first of them, which loads
/// code, does not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cliff {
    pub after: u64,
    /// How long the other operations before it took together.
    spent_ns: f64,
    steady_ns: f64,
}

impl Cliff {
    /// How many times the steady time one operation before it took, on average.
    pub fn factor(&self) -> f64 {
        self.spent_ns / self.after.saturating_sub(1) as f64 / self.steady_ns
    }

    fn of(points: &[Point], steady_ns: f64) -> Self {
        let after = points.iter().fold(0u64, |sum, point| sum.saturating_add(point.operations));
        Self { after, spent_ns: points.iter().skip(1).map(Point::ns).sum(), steady_ns }
    }

    /// The largest step down of a ramp with a steady state behind it, if the operations before were slower than that.
    fn largest(points: &[Point], ramp: &Ramp, steady_ns: f64) -> Option<Self> {
        let step = |pair: &[Segment]| pair[0].median_ns / pair[1].median_ns;
        let steps = ramp.segments.windows(2).filter(|pair| ramp.steady_from.is_some() && step(pair) > 1.0);
        let cliffs = steps.map(|pair| (step(pair), Self::of(&points[..pair[1].start], steady_ns)));
        let cliffs = cliffs.filter(|(_, it)| it.factor() > 1.0);
        cliffs.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, cliff)| cliff)
    }

    /// True for what a short-lived process never gets past.
    fn is_late(&self) -> bool {
        self.after > LATE && self.spent_ns > LONG_NS && self.factor() > HIGH
    }
}

impl Line {
    /// The beginning of its first process and the largest step down of it; None where nobody watched.
    pub fn warmth(&self) -> Option<(Ramp, Option<Cliff>)> {
        let points = self.ramps.first()?;
        let ramp = Some(change::ramp(points)).filter(|ramp| !ramp.segments.is_empty())?;
        let cliff = Cliff::largest(points, &ramp, self.time());
        Some((ramp, cliff))
    }

    /// A cliff that a short-lived process never gets past, if a second process was as slow for as many operations; the milder
    /// one of both.
    pub fn late_cliff(&self) -> Option<Cliff> {
        let cliff = self.warmth()?.1.filter(Cliff::is_late).filter(|_| self.is_steady)?;
        let points = self.ramps.get(1)?;
        let again = |end: usize| Cliff::of(&points[..end], cliff.steady_ns);
        let ends: Vec<usize> = (1..=points.len()).collect();
        let again = again(ends.partition_point(|end| again(*end).after <= cliff.after));
        let again = Some(again).filter(|it| it.is_late() && it.after > cliff.after / 2)?;
        let factor = cliff.factor().min(again.factor());
        Some(Cliff { spent_ns: factor * cliff.steady_ns * (cliff.after - 1) as f64, ..cliff })
    }
}

/// Cliffs after so many operations are no matter of the first few.
const LATE: u64 = 10;
/// Nor are those reached before even a small process has started.
const LONG_NS: f64 = 10e6;
/// From this factor on a cliff is worth a warning.
const HIGH: f64 = 3.0;

//! Cold, warm-up and steady: how a line came to be as fast as it is.

use super::Line;

/// Operations timed together, in the order in which a process did them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    pub operations: u64,
    pub ns_per_operation: f64,
}

/// The operations of a process until it was as fast as it became.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarmUp {
    /// False where the process was watched for too short a time to become steady.
    pub has_ended: bool,
    pub operations: u64,
    /// How long the operations after the first stretch, which loads code, took together.
    spent_ns: f64,
    /// How many times the steady time one of those took, in the mean.
    pub factor: f64,
}

impl WarmUp {
    fn of(stretches: &[Stretch], steady_ns: f64) -> Self {
        let is_near = |it: &Stretch| it.ns_per_operation <= NEAR * steady_ns;
        // One alone may be fast by chance.
        let is_warm = |some: &[Stretch]| is_near(&some[0]) && some[1..].iter().any(is_near);
        let end = stretches.windows(3).position(is_warm);
        let slow = &stretches[..end.unwrap_or(stretches.len())];
        let sum = |some: &[Stretch]| some.iter().fold(0u64, |sum, it| sum.saturating_add(it.operations));
        let (operations, counted) = (sum(slow), sum(slow.get(1..).unwrap_or_default()));
        let spent_ns: f64 = slow.iter().skip(1).map(|it| it.operations as f64 * it.ns_per_operation).sum();
        let factor = spent_ns / counted as f64 / steady_ns;
        Self { has_ended: end.is_some(), operations, spent_ns, factor }
    }

    /// True for one that a process which ends soon never gets past.
    fn is_late(&self) -> bool {
        self.operations > LATE && self.spent_ns > LONG_NS && self.factor > HIGH
    }
}

impl Line {
    /// The warm-up of a process, by the time that steady ones take; None where nobody watched, or none became steady.
    pub fn warm_up(&self, process: usize) -> Option<WarmUp> {
        self.ramps.get(process).filter(|_| self.is_steady).map(|stretches| WarmUp::of(stretches, self.time()))
    }

    /// A warm-up that a process which ends soon never gets past, if two processes agree; by the milder factor of both.
    pub fn late_warm_up(&self) -> Option<WarmUp> {
        let (first, second) = (self.warm_up(0)?, self.warm_up(1)?);
        let (told, other) = if first.has_ended { (first, second) } else { (second, first) };
        let is_late =
            told.has_ended && told.is_late() && other.is_late() && other.operations > told.operations / 2;
        is_late.then_some(WarmUp { factor: told.factor.min(other.factor), ..told })
    }
}

/// A process is warm when an operation takes at most so many times the steady time.
const NEAR: f64 = 1.5;
/// Warm-ups of at most so many operations are not reported: they are the first few of a process.
const LATE: u64 = 10;
/// Shorter warm-ups are not reported: even a small process takes longer to start.
const LONG_NS: f64 = 10e6;
/// From this factor on, a warm-up is worth a warning.
const HIGH: f64 = 3.0;

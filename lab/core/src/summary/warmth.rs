//! Cold, warm-up and steady: how a line came to be as fast as it is.

use super::Line;

/// Operations timed together, in the order in which a process did them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    pub operations: u64,
    pub ns_per_operation: f64,
}

/// The operations of a process until it was as fast as it became. The first of them, which loads code, does not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarmUp {
    pub operations: u64,
    /// How long the operations after the first took together.
    spent_ns: f64,
    steady_ns: f64,
}

impl WarmUp {
    /// How many times the steady time one of these operations took, in the mean.
    pub fn factor(&self) -> f64 {
        self.spent_ns / self.operations.saturating_sub(1) as f64 / self.steady_ns
    }

    fn of(slow: &[Stretch], steady_ns: f64) -> Self {
        let operations = slow.iter().fold(0u64, |sum, it| sum.saturating_add(it.operations));
        let spent_ns = slow.iter().skip(1).map(|it| it.operations as f64 * it.ns_per_operation).sum();
        Self { operations, spent_ns, steady_ns }
    }

    /// None where the process was watched for too short a time to become steady.
    fn of_process(stretches: &[Stretch], steady_ns: f64) -> Option<Self> {
        let is_near = |it: &Stretch| it.ns_per_operation <= NEAR * steady_ns;
        // One alone may be fast by chance.
        let is_warm = |some: &[Stretch]| is_near(&some[0]) && some[1..].iter().any(is_near);
        stretches.windows(3).position(is_warm).map(|end| Self::of(&stretches[..end], steady_ns))
    }

    /// True for one that a process which ends soon never gets past.
    fn is_late(&self) -> bool {
        self.operations > LATE && self.spent_ns > LONG_NS && self.factor() > HIGH
    }
}

impl Line {
    /// The warm-up of its first process, by the time that its steady processes take; None where nobody watched.
    pub fn warm_up(&self) -> Option<Option<WarmUp>> {
        let steady_ns = Some(self.time()).filter(|_| self.is_steady);
        self.ramps.first().map(|stretches| WarmUp::of_process(stretches, steady_ns?))
    }

    /// A warm-up that a process which ends soon never gets past, if a second process was as slow for as many operations; by
    /// the milder factor of both.
    pub fn late_warm_up(&self) -> Option<WarmUp> {
        let first = self.warm_up()??;
        let second = self.ramps.get(1)?;
        let ends: Vec<usize> = (0..=second.len()).collect();
        let of = |end: usize| WarmUp::of(&second[..end], first.steady_ns);
        let second = of(ends.partition_point(|end| of(*end).operations <= first.operations) - 1);
        let is_late = first.is_late() && second.is_late() && second.operations > first.operations / 2;
        let milder = (second.factor() / first.factor()).min(1.0);
        is_late.then_some(WarmUp { spent_ns: first.spent_ns * milder, ..first })
    }
}

/// A process is warm that takes so many times the steady time.
const NEAR: f64 = 1.5;
/// A warm-up of so few operations is no matter of the first few.
const LATE: u64 = 10;
/// Nor is one that ends before even a small process has started.
const LONG_NS: f64 = 10e6;
/// From this factor on a warm-up is worth a warning.
const HIGH: f64 = 3.0;

//! What an operation will take, judged by what it took at smaller sizes: what would outrun its time is not begun.

use crate::child::Fault;
use crate::jobs::runner::{Cell, Place};
use crate::plan::FEWEST_BLOCKS;
use crate::protocol::Operation;
use crate::rows::{FaultKind, Line};
use crate::stats::slopes;
use crate::units;
use std::collections::BTreeMap;
use std::time::Duration;

/// Nanoseconds of one operation by size, line by line.
#[derive(Default)]
pub struct Seen(BTreeMap<(&'static str, Line, Operation), BTreeMap<u64, f64>>);

impl Seen {
    /// The shortest time of an operation at a size is good enough to predict the next size's.
    pub fn remember(&mut self, (job, amount): Place, line: &Line, operation: Operation, ns: f64) {
        let times = self.0.entry((job, line.clone(), operation)).or_default();
        let least = times.entry(amount).or_insert(ns);
        *least = least.min(ns);
    }
}

/// What of a line is not to be begun: all of it, or single operations where each has processes of its own.
pub fn too_long(seen: &Seen, cell: &Cell, line: &Line, budget: Duration) -> Vec<Fault> {
    let predict = |operation: &Operation| {
        let times = seen.0.get(&(cell.job.name, line.clone(), *operation))?;
        let smaller: Vec<(u64, f64)> =
            times.range(..cell.size.amount).map(|(size, ns)| (*size, *ns)).collect();
        slopes::predict(&smaller, cell.size.amount)
    };
    // Where each process is watched from its first operation, a block has it once more.
    let times_a_block = if cell.job.is_alone { 2 } else { cell.job.passes() };
    let times = (cell.size.blocks.min(FEWEST_BLOCKS) * times_a_block) as f64;
    // One operation would outrun its timeout, or all of them together the size's budget.
    let over = |operations: &[Operation]| {
        let each: Vec<f64> = operations.iter().filter_map(predict).collect();
        let spans = each.iter().map(|ns| ns.max((cell.size.sample_ms * 1_000_000) as f64));
        let all = of_nanoseconds(spans.sum::<f64>() * times);
        let longest = of_nanoseconds(each.iter().copied().fold(0.0, f64::max));
        let is_over = all.as_secs() > budget.as_secs() || longest.as_secs() > cell.size.timeout_seconds;
        let fault = Fault::new(FaultKind::NotRun, format!("predicted {}", units::duration(all)));
        is_over.then(|| if cell.job.is_alone { fault.during(operations[0]) } else { fault })
    };
    cell.job.by_process().filter_map(over).collect()
}

/// A prediction may be beyond what a duration holds.
fn of_nanoseconds(nanoseconds: f64) -> Duration {
    Duration::try_from_secs_f64(nanoseconds / 1e9).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobfile::Plan;

    fn line() -> Line {
        Line::new("e", "none", "tuned")
    }

    /// Of sealing alone, in the order given: bytes and seconds.
    fn seen(times: &[(u64, f64)]) -> Seen {
        let mut seen = Seen::default();
        for (bytes, seconds) in times {
            seen.remember(("file", *bytes), &line(), Operation::Seal, seconds * 1e9);
        }
        seen
    }

    /// What is said of a file of 1,000 bytes, for which an operation may take 5 s, in two blocks.
    fn said(seen: &Seen, budget_seconds: u64) -> Option<String> {
        let plan = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"file\"\n[[job.size]]\nbytes = 1_000\n\
                    blocks = 2\nbudget_seconds = 100\ntimeout_seconds = 5\n";
        let plan = Plan::parse(plan, "x").unwrap();
        let cell = Cell::for_tests(&plan.jobs[0]);
        too_long(seen, &cell, &line(), Duration::from_secs(budget_seconds)).pop().map(|fault| fault.why)
    }

    #[test]
    fn what_would_outrun_the_timeout_is_not_begun() {
        assert_eq!(said(&seen(&[(250, 1.0), (500, 2.0)]), 100), None);
        assert_eq!(said(&seen(&[(250, 2.0), (500, 4.0)]), 100).unwrap(), "predicted 16 s");
    }

    #[test]
    fn what_would_outrun_the_budget_of_this_run_is_not_begun() {
        let seen = seen(&[(250, 1.0), (500, 2.0)]);
        assert_eq!(said(&seen, 8), None);
        assert_eq!(said(&seen, 7).unwrap(), "predicted 8 s");
    }

    #[test]
    fn sizes_in_any_order_predict_only_larger_ones() {
        let mixed = seen(&[(500, 4.0), (500, 9.0), (100_000, 1.0), (250, 2.0), (1_000, 9.0)]);
        let known = BTreeMap::from([(250, 2e9), (500, 4e9), (1_000, 9e9), (100_000, 1e9)]);
        assert_eq!(mixed.0.values().next().unwrap(), &known);
        assert_eq!(said(&mixed, 100).unwrap(), "predicted 16 s");
    }

    #[test]
    fn a_prediction_beyond_all_bounds_is_too_long_and_no_panic() {
        let steep = seen(&[(1, 1e-9), (2, 1e18)]);
        assert!(said(&steep, 100).unwrap().starts_with("predicted "));
    }
    #[test]
    fn where_each_operation_has_its_own_process_one_may_be_left_out_alone() {
        let plan = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"payload\"\n[[job.size]]\nbytes = 1_000\n\
                    blocks = 2\nbudget_seconds = 100\ntimeout_seconds = 5\n";
        let plan = Plan::parse(plan, "x").unwrap();
        let cell = Cell::for_tests(&plan.jobs[0]);
        let mut seen = Seen::default();
        for (bytes, seconds) in [(250, 1.0), (500, 4.0)] {
            seen.remember(("payload", bytes), &line(), Operation::Open, seconds * 1e9);
            seen.remember(("payload", bytes), &line(), Operation::Seal, 1e6);
        }
        let left_out = too_long(&seen, &cell, &line(), Duration::from_secs(100));
        let operations: Vec<_> = left_out.iter().map(|fault| fault.operation).collect();
        assert_eq!(operations, [Some(Operation::Open)]);
    }
}

//! The time of an operation, predicted from its times at smaller sizes: an operation that would outrun its time is not begun.

use crate::child::Fault;
use crate::jobs::runner::Cell;
use crate::plan::FEWEST_BLOCKS;
use crate::protocol::Operation;
use crate::rows::{FaultKind, Line, Phase, Row};
use crate::stats::slopes;
use crate::units;
use std::collections::BTreeMap;
use std::time::Duration;

/// The least nanoseconds of an operation of a line at each smaller size: good enough to predict the next size's.
fn seen(rows: &[Row], cell: &Cell, line: &Line, operation: Operation) -> Vec<(u64, f64)> {
    let mut least: BTreeMap<u64, f64> = BTreeMap::new();
    for row in rows {
        let Row::Sample(it) = row else { continue };
        let is_it = (&*it.job, it.operation, &it.line) == (cell.job.name, operation, line);
        if is_it && it.phase != Phase::Cold && it.size < cell.size.amount {
            let each = it.wall_ns as f64 / it.count as f64;
            least.entry(it.size).and_modify(|least| *least = each.min(*least)).or_insert(each);
        }
    }
    least.into_iter().collect()
}

/// The parts of a line that are not to be begun: all of it, or single operations where each has processes of its own.
pub fn too_long(rows: &[Row], cell: &Cell, line: &Line, budget: Duration) -> Vec<Fault> {
    let predict =
        |operation: &Operation| slopes::predict(&seen(rows, cell, line, *operation), cell.size.amount);
    // Where each process is watched from its first operation, a block has it once more.
    let times_a_block = if cell.job.own_process { 2 } else { cell.job.passes() };
    let times = (cell.size.blocks.min(FEWEST_BLOCKS) * times_a_block) as f64;
    // One operation would outrun its timeout, or all of them together the size's budget.
    let over = |operations: &[Operation]| {
        let each: Vec<f64> = operations.iter().filter_map(predict).collect();
        let spans = each.iter().map(|ns| ns.max((cell.size.sample_ms * 1_000_000) as f64));
        let all = of_nanoseconds(spans.sum::<f64>() * times);
        let longest = of_nanoseconds(each.iter().copied().fold(0.0, f64::max));
        let is_over = all.as_secs() > budget.as_secs() || longest.as_secs() > cell.size.timeout_seconds;
        let fault = Fault::new(FaultKind::NotRun, format!("predicted {}", units::duration(all)));
        is_over.then(|| if cell.job.own_process { fault.during(operations[0]) } else { fault })
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
    use crate::summary::fixtures;

    fn line() -> Line {
        Line::new("e", "none", "tuned")
    }

    fn timed(job: &str, bytes: u64, operation: Operation, seconds: f64) -> Row {
        Row::Sample(fixtures::steady(job, bytes, &line(), operation, 0, (seconds * 1e9) as u64))
    }

    /// Rows of sealing alone, in the order given: bytes and seconds.
    fn seen(times: &[(u64, f64)]) -> Vec<Row> {
        times.iter().map(|(bytes, seconds)| timed("file", *bytes, Operation::Seal, *seconds)).collect()
    }

    /// The reason to leave out a file of 1,000 bytes, for which an operation may take 5 s, in two blocks.
    fn said(seen: &[Row], budget_seconds: u64) -> Option<String> {
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
        let seen = [(250, 1.0), (500, 4.0)].map(|(bytes, seconds)| {
            [(Operation::Open, seconds), (Operation::Seal, 0.001)]
                .map(|(operation, seconds)| timed("payload", bytes, operation, seconds))
        });
        let seen = seen.concat();
        let left_out = too_long(&seen, &cell, &line(), Duration::from_secs(100));
        let operations: Vec<_> = left_out.iter().map(|fault| fault.operation).collect();
        assert_eq!(operations, [Some(Operation::Open)]);
    }
}

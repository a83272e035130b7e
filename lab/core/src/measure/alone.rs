//! Jobs whose processes do one operation only: each is timed apart from the other.

use super::Session;
use super::ramp;
use crate::jobs::runner::{Outcome, Runner};
use crate::plan::FEWEST_BLOCKS;
use crate::protocol::Operation;
use crate::rows::Row;
use crate::stats::median;
use crate::trouble::Result;

/// One turn of a line: for each of the operations a fresh process, from its first operation to the timed ones. Nobody else's
/// process is alive meanwhile: some hold gigabytes.
pub fn turn(session: &mut Session, operations: &[Operation], runner: &mut Runner) -> Result<()> {
    for &operation in operations {
        if !runner.does(operation) {
            continue;
        }
        session.now(operation, &runner.line);
        let launch = &mut *session.launch;
        let each = runner.attempt(session.results, |runner| {
            runner.start(launch)?;
            one(runner, operation)
        })?;
        runner.stop();
        let place = runner.cell.place();
        each.into_iter().for_each(|each| session.seen.remember(place, &runner.line, operation, each));
    }
    Ok(())
}

/// Passes of a block that a doubt asks for: most of the noise is within processes, and starting one takes as long as a pass.
const PASSES: u64 = 4;

/// Nanoseconds of one operation, when it is warm.
fn one(runner: &mut Runner, operation: Operation) -> Outcome<f64> {
    runner.turn.pass = 0;
    let phase = ramp::warm(runner, &[operation])?;
    let count = runner.warmth.count(operation, runner.cell.size);
    let is_short = count > 1 && runner.turn.block >= FEWEST_BLOCKS as u64;
    let mut passes = Vec::new();
    for pass in 0..if is_short { PASSES } else { 1 } {
        let timed = runner.time(operation, count)?;
        passes.push(timed.wall_ns as f64 / timed.count as f64);
        runner.turn.pass = pass;
        runner.rows.push(Row::Sample(runner.sample(phase, timed)));
    }
    let each = median(&passes).unwrap_or(f64::INFINITY);
    if runner.compiles_as_it_runs {
        runner.warmth.reached(operation, each);
    }
    Ok(each)
}

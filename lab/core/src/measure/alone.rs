//! Jobs whose processes do one operation only: each is checked, left out and timed apart from the other.

use super::Session;
use super::ramp;
use crate::jobs::runner::{Cell, Outcome, Runner, Turn};
use crate::jobs::{Proved, check};
use crate::plan::FEWEST_BLOCKS;
use crate::protocol::Operation;
use crate::rows::Row;
use crate::stats::median;
use crate::trouble::Result;

/// Checks both operations, each in a fresh process: who cannot do the one may still do the other.
pub fn check(session: &mut Session, cell: &Cell, runner: &mut Runner) -> Result<()> {
    let launch = &mut *session.launch;
    let mut all: Option<Proved> = None;
    for &operation in cell.job.operations {
        let proved = runner.attempt_at(operation, cell, session.results, |runner| {
            runner.start(cell, launch)?;
            (cell.job.check)(runner, cell, operation)
        })?;
        if let Some(proved) = proved {
            let known = all.get_or_insert_default();
            known.output = known.output.take().or(proved.output);
            known.released = known.released.or(proved.released);
        }
    }
    runner.stop();
    all.map_or(Ok(()), |proved| session.results.append(&check::row(runner, cell, proved)))
}

/// One turn of a line: for each operation a fresh process, from its first operation to the timed ones. Nobody else's
/// process is alive meanwhile: some hold gigabytes.
pub fn turn(session: &mut Session, cell: &Cell, turn: Turn, runner: &mut Runner) -> Result<()> {
    for &operation in runner.operations {
        session.now(operation, &runner.line);
        let (launch, mut rows) = (&mut *session.launch, Vec::new());
        let each = runner.attempt_at(operation, cell, session.results, |runner| {
            runner.start(cell, launch)?;
            one(runner, cell, turn, operation, &mut rows)
        })?;
        runner.stop();
        each.into_iter().for_each(|each| session.seen.remember(cell.place(), &runner.line, operation, each));
        // Whatever came after it: the first operation is a result of its own.
        rows.iter().try_for_each(|row| session.results.append(row))?;
    }
    Ok(())
}

/// Passes of a block that a doubt asks for: most of the noise is within processes, and starting one takes as long as a pass.
const PASSES: u64 = 4;

/// Nanoseconds of one operation, when it is warm.
fn one(
    runner: &mut Runner,
    cell: &Cell,
    turn: Turn,
    operation: Operation,
    rows: &mut Vec<Row>,
) -> Outcome<f64> {
    let phase = ramp::warm(runner, cell, turn, &[operation], rows)?;
    let count = runner.warmth.count(operation, cell);
    let is_short = count > 1 && turn.block >= FEWEST_BLOCKS as u64;
    let mut passes = Vec::new();
    for pass in 0..if is_short { PASSES } else { 1 } {
        let timed = runner.time(cell, operation, count)?;
        passes.push(timed.wall_ns as f64 / timed.count as f64);
        rows.push(runner.sample_row(cell, Turn { pass, ..turn }, phase, timed));
    }
    let each = median(&passes).unwrap_or(f64::INFINITY);
    if runner.compiles_as_it_runs {
        runner.warmth.reached(operation, each);
    }
    Ok(each)
}

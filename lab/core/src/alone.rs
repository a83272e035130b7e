//! Jobs whose processes do one operation only: each is checked, left out and timed apart from the other.

use crate::check;
use crate::foresight::remember;
use crate::measure::Session;
use crate::payload;
use crate::protocol::Operation;
use crate::ramp::{self, Warmth};
use crate::rows::Row;
use crate::runner::{Cell, Outcome, Runner, Turn};
use crate::trouble::Result;

/// Checks both operations, each in a fresh process: who cannot do the one may still do the other.
pub fn check(session: &mut Session, cell: &Cell, runner: &mut Runner) -> Result<()> {
    if cell.job.job.is_tls() { connections(session, cell, runner) } else { payloads(session, cell, runner) }
}

fn connections(session: &mut Session, cell: &Cell, runner: &mut Runner) -> Result<()> {
    let launch = &mut *session.launch;
    let mut made = None;
    for &operation in cell.job.job.operations() {
        let timed = runner.attempt_at(operation, cell, session.results, |runner| {
            runner.start(cell, launch)?;
            runner.time(cell, operation, 2)
        })?;
        made = made.or(timed);
    }
    runner.stop();
    let Some(made) = made else { return Ok(()) };
    session.results.append(&check::row(runner, cell, made.output_bytes.unwrap_or(0), String::new(), None))
}

fn payloads(session: &mut Session, cell: &Cell, runner: &mut Runner) -> Result<()> {
    let launch = &mut *session.launch;
    let made = runner.attempt_at(Operation::Seal, cell, session.results, |runner| {
        runner.start(cell, launch)?;
        payload::check_sealing(runner, cell)
    })?;
    let released = runner.attempt_at(Operation::Open, cell, session.results, |runner| {
        runner.start(cell, launch)?;
        payload::check_opening(runner, cell)
    })?;
    runner.stop();
    if made.is_none() && released.is_none() {
        return Ok(());
    }
    let (bytes, sha256) = made.map(|made| (made.bytes, made.sha256)).unwrap_or_default();
    session.results.append(&check::row(runner, cell, bytes, sha256, released.flatten()))
}

/// One turn of a line: for each operation a fresh process, from its first operation to the timed ones. Nobody else's
/// process is alive meanwhile: some hold gigabytes.
pub fn turn(
    session: &mut Session,
    cell: &Cell,
    turn: Turn,
    runner: &mut Runner,
    warmth: &mut Option<Warmth>,
) -> Result<()> {
    for &operation in cell.job.job.operations() {
        let line = &runner.line;
        session.progress.now(&format!("{operation}: {} {} {}", line.engine, line.algorithm, line.shape));
        let (launch, mut rows) = (&mut *session.launch, Vec::new());
        let each = runner.attempt_at(operation, cell, session.results, |runner| {
            runner.start(cell, launch)?;
            one(runner, cell, turn, operation, warmth.get_or_insert_default(), &mut rows)
        })?;
        runner.stop();
        if let Some(each) = each {
            let (job, bytes) = (cell.job.job, cell.size.bytes);
            remember(&mut session.seen, job, bytes, &runner.line, operation, each);
        }
        // Whatever came after it: the first operation is a result of its own.
        rows.iter().try_for_each(|row| session.results.append(row))?;
    }
    Ok(())
}

/// Nanoseconds of one operation, when it is warm.
fn one(
    runner: &mut Runner,
    cell: &Cell,
    turn: Turn,
    operation: Operation,
    warmth: &mut Warmth,
    rows: &mut Vec<Row>,
) -> Outcome<f64> {
    let phase = ramp::warm(runner, cell, warmth, turn, &[operation], rows)?;
    let timed = runner.time(cell, operation, warmth.count(operation, cell))?;
    let each = timed.wall_ns as f64 / timed.count as f64;
    if runner.compiles_as_it_runs() {
        warmth.reached(operation, each);
    }
    rows.push(runner.sample_row(cell, turn, phase, timed));
    Ok(each)
}

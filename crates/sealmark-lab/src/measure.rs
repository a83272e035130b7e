//! One size of a job: start every line, check it, watch it warm up, then time all of them block by block.

use crate::check;
use crate::child::{Fault, Launch};
use crate::gcm;
use crate::jobfile::{Job, Size};
use crate::machine::Ticks;
use crate::plan;
use crate::progress::Progress;
use crate::protocol::Operation;
use crate::ramp::{self, Warmth};
use crate::rows::{self, FaultKind, Line, Phase, Results, Row};
use crate::runner::{Candidate, Cell, Outcome, Runner, Turn};
use crate::stats::slopes;
use crate::trouble::{Result, because};
use crate::units;
use crate::usage;
use crate::workload::{self, Kind, SplitMix64};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a run has and knows, whatever is measured next.
pub struct Session<'a> {
    pub launch: &'a mut dyn Launch,
    pub results: &'a mut Results,
    pub progress: &'a mut Progress,
    pub scratch: &'a Path,
    pub seed: u64,
    /// Everything is run, however long it is predicted to take.
    pub full: bool,
    /// Times seen so far, for predicting those of larger sizes.
    pub seen: Seen,
}

/// Nanoseconds of one operation by size, ascending, line by line.
pub type Seen = BTreeMap<(&'static str, Line, Operation), Vec<(u64, f64)>>;

/// What an interrupted run had seen.
pub fn seen_in(before: &[Row]) -> Seen {
    let mut seen = Seen::new();
    for row in before {
        if let Row::Sample(sample) = row
            && let Some(kind) = Kind::named(&sample.job)
        {
            let each = sample.wall_ns as f64 / sample.count as f64;
            remember(&mut seen, kind, sample.size, &sample.line, sample.operation, each);
        }
    }
    seen
}

/// One line to measure, and who runs it.
pub struct Entry<'a> {
    pub candidate: &'a Candidate<'a>,
    pub line: Line,
}

/// What is to be done at one size.
pub struct Errand<'a> {
    pub job: &'a Job,
    pub size: &'a Size,
    pub entries: Vec<Entry<'a>>,
    pub reference: Option<Line>,
    /// Blocks that an interrupted run has done already.
    pub first_block: u64,
    pub budget: Duration,
}

/// Checks every line of one size and times nothing.
pub fn check_only(session: &mut Session, errand: &Errand) -> Result<()> {
    let cell = prepare(session, errand)?;
    let runners = check_all(session, &cell, errand, check::spans)?;
    remove_all(&runners, &cell, errand)
}

fn prepare<'a>(session: &mut Session, errand: &Errand<'a>) -> Result<Cell<'a>> {
    let (job, size) = (errand.job, errand.size);
    let name = format!("{} {}", job.job.name(), units::size(size.bytes));
    session.progress.say(&format!("{name}: preparing and checking {} lines", errand.entries.len()));
    let input = session.scratch.join("input");
    let original = workload::write_input(&input, session.seed, size.bytes)?;
    let cell = Cell { job, size, seed: session.seed, input, original, full: session.full };
    for (path, algorithm) in sealed_by_model(&cell, errand) {
        gcm::seal(&cell.input, &path, algorithm, cell.seed)?;
    }
    Ok(cell)
}

/// The sealed files that the lines of a size open.
fn sealed_by_model<'a>(cell: &Cell, errand: &'a Errand) -> BTreeMap<PathBuf, &'a str> {
    let lines = errand.entries.iter().map(|entry| &entry.line);
    lines.filter_map(|line| Some((cell.sealed_by_model(line)?, line.algorithm.as_str()))).collect()
}

/// Measures one size. Only trouble of the lab's own is an error; an engine's is a row.
pub fn size(session: &mut Session, errand: &Errand) -> Result<()> {
    let start = Instant::now();
    let cell = prepare(session, errand)?;
    let reference = errand.reference.clone();
    let (name, bytes) = (cell.job_name(), cell.size.bytes);
    session.results.append(&Row::Size(rows::Size { job: name, size: bytes, reference }))?;
    note_cold_cache(&cell, session.results)?;
    // Blocks hold every span to its count and digest themselves.
    let mut runners = check_all(session, &cell, errand, |_, _| Ok(()))?;
    blocks(session, &cell, errand, &mut runners, start)?;
    remove_all(&runners, &cell, errand)
}

/// Three copies of the data are alive at once; where they cannot all stay in memory the disk is measured too.
fn note_cold_cache(cell: &Cell, results: &mut Results) -> Result<()> {
    let needed = cell.size.bytes.saturating_mul(3);
    match crate::machine::memory_available() {
        Some(available) if cell.job.job.on_files() && available < needed => note(
            cell,
            results,
            "input, sealed and opened file do not fit into memory: the disk is measured too".into(),
        ),
        _ => Ok(()),
    }
}

fn note(cell: &Cell, results: &mut Results, note: String) -> Result<()> {
    results.append(&Row::Note(rows::Note { job: cell.job_name(), size: cell.size.bytes, note }))
}

/// What else a line must do to be right.
type More = fn(&mut Runner, &Cell) -> Outcome<()>;

/// Every line once, from a fresh process. Those that fail, or would take too long, take no further part.
fn check_all<'a>(
    session: &mut Session,
    cell: &Cell,
    errand: &Errand<'a>,
    more: More,
) -> Result<Vec<Runner<'a>>> {
    let mut runners = Vec::new();
    for entry in &errand.entries {
        let line = &entry.line;
        session.progress.now(&format!("checking {} {} {}", line.engine, line.algorithm, line.shape));
        let place = session.scratch.join(runners.len().to_string());
        std::fs::create_dir_all(&place)
            .map_err(|error| because("cannot use the scratch directory", error))?;
        let mut runner = Runner::new(entry.candidate, line.clone(), place);
        match too_long(&session.seen, cell, line, errand.budget) {
            Some(fault) if !session.full => runner.give_up(cell, session.results, fault)?,
            _ => check_one(session, cell, &mut runner, more)?,
        }
        runners.push(runner);
    }
    Ok(runners)
}

fn check_one(session: &mut Session, cell: &Cell, runner: &mut Runner, more: More) -> Result<()> {
    let launch = &mut *session.launch;
    let checked = runner.attempt(cell, session.results, |runner| {
        runner.start(cell, launch)?;
        let row = check::check(runner, cell)?;
        more(runner, cell).map(|()| row)
    })?;
    // Jobs on files go on with the process that was checked, unless each process is watched from its first operation.
    if !cell.job.job.on_files() || cell.job.job.one_operation_a_process() {
        runner.stop();
    }
    checked.map_or(Ok(()), |row| session.results.append(&row))
}

/// Whether one operation would outrun its timeout, or all of a line's the size's budget.
fn too_long(seen: &Seen, cell: &Cell, line: &Line, budget: Duration) -> Option<Fault> {
    let predict = |operation: &Operation| {
        let seen = seen.get(&(cell.job.job.name(), line.clone(), *operation))?;
        let smaller = seen.partition_point(|(size, _)| *size < cell.size.bytes);
        slopes::predict(&seen[..smaller], cell.size.bytes)
    };
    let operations: Vec<f64> = cell.job.job.operations().iter().filter_map(predict).collect();
    let spans = operations.iter().map(|ns| ns.max((cell.size.sample_ms * 1_000_000) as f64));
    let times = (cell.size.blocks * times_a_block(cell)) as f64;
    let all = of_nanoseconds(spans.sum::<f64>() * times);
    let longest = of_nanoseconds(operations.iter().copied().fold(0.0, f64::max));
    let over = all.as_secs() > budget.as_secs() || longest.as_secs() > cell.size.timeout_seconds;
    over.then(|| Fault::new(FaultKind::NotRun, format!("predicted {}", units::duration(all))))
}

/// A prediction may be beyond what a duration holds.
fn of_nanoseconds(nanoseconds: f64) -> Duration {
    Duration::try_from_secs_f64(nanoseconds / 1e9).unwrap_or(Duration::MAX)
}

/// Operations in memory are cheap beside the warming up of a process: twice there and back within a block.
fn passes(cell: &Cell) -> usize {
    if cell.job.job.on_files() { 1 } else { 4 }
}

/// How often an operation is done in a block at the least: where each process is watched from its first, once more.
fn times_a_block(cell: &Cell) -> usize {
    if cell.job.job.one_operation_a_process() { 2 } else { passes(cell) }
}

/// All blocks that the budget pays for.
fn blocks(
    session: &mut Session,
    cell: &Cell,
    errand: &Errand,
    runners: &mut [Runner],
    start: Instant,
) -> Result<()> {
    let mut random = SplitMix64::new(session.seed ^ cell.size.bytes);
    let mut warmth = vec![None; runners.len()];
    let orders = plan::block_orders(runners.len(), cell.size.blocks * passes(cell), &mut random);
    let name = format!("{} {}", cell.job.job.name(), units::size(cell.size.bytes));
    let first = errand.first_block as usize;
    let (begun, mut done, mut latest) = (Instant::now(), first, Duration::ZERO);
    for (block, orders) in orders.chunks(passes(cell)).enumerate().skip(first) {
        let spent = start.elapsed();
        let is_paid = plan::is_affordable(block - first, spent, latest, errand.budget);
        if !is_paid || !runners.iter().any(Runner::is_in) {
            break;
        }
        let left = (cell.size.blocks - block) as u32;
        let left = match done - first {
            0 => String::new(),
            blocks => format!(", {} left", units::duration(begun.elapsed() / blocks as u32 * left)),
        };
        session.progress.now(&format!("{name}: block {} of {}{left}", block + 1, cell.size.blocks));
        one_block(session, cell, block as u64, orders, runners, &mut warmth)?;
        (done, latest) = (block + 1, start.elapsed() - spent);
    }
    for runner in runners.iter_mut() {
        runner.attempt(cell, session.results, |runner| check::recheck(runner, cell))?;
        runner.stop();
    }
    if done < cell.size.blocks && runners.iter().any(Runner::is_in) {
        let (budget, wanted) = (errand.budget.as_secs(), cell.size.blocks);
        let why = format!("{done} of {wanted} blocks: the budget of {budget} s was spent");
        note(cell, session.results, why)?;
    }
    let blocks = done as u64;
    let finished = rows::Finished { job: cell.job_name(), size: cell.size.bytes, blocks };
    session.results.append(&Row::Finished(finished))?;
    session.progress.say(&format!("{name}: {done} blocks in {:.0} s", start.elapsed().as_secs_f64()));
    Ok(())
}

fn one_block(
    session: &mut Session,
    cell: &Cell,
    block: u64,
    orders: &[Vec<usize>],
    runners: &mut [Runner],
    warmth: &mut [Option<Warmth>],
) -> Result<()> {
    let (start, ticks, used) = (Instant::now(), Ticks::now(), usage::family_cpu_ns());
    if cell.job.job.one_operation_a_process() {
        for (place, &at) in orders[0].iter().enumerate() {
            let turn = Turn { block, pass: 0, place: place as u64 };
            alone(session, cell, turn, &mut runners[at], &mut warmth[at])?;
        }
    } else if cell.job.job.on_files() {
        for (place, &at) in orders[0].iter().enumerate() {
            let turn = Turn { block, pass: 0, place: place as u64 };
            on_files(session, cell, turn, &mut runners[at])?;
        }
    } else {
        in_memory(session, cell, block, orders, runners, warmth)?;
    }
    let spent = Ticks::now().zip(ticks).map(|(now, then)| now.since(then));
    let own = usage::family_cpu_ns().zip(used).map(|(now, then)| now.saturating_sub(then));
    session.results.append(&Row::Block(rows::Block {
        job: cell.job_name(),
        size: cell.size.bytes,
        block,
        milliseconds: start.elapsed().as_millis() as u64,
        stolen_permille: spent.and_then(Ticks::stolen_permille),
        others_permille: spent.zip(own).and_then(|(spent, own)| spent.others_permille(own)),
    }))
}

/// One turn of a job on files: both operations, and their rows only once the output was right.
fn on_files(session: &mut Session, cell: &Cell, turn: Turn, runner: &mut Runner) -> Result<()> {
    let timed = runner.attempt(cell, session.results, |runner| match cell.job.job {
        // Into the null device, or the figure would be that of writing a file; `recheck` compares afterwards.
        Kind::Pipe => {
            let sealed = runner.run(cell, Operation::Seal, &cell.input, Path::new(NULL))?;
            let opened = runner.run(cell, Operation::Open, &check::sealed(runner), Path::new(NULL))?;
            Ok([sealed, opened])
        }
        _ => {
            let sealed = runner.run(cell, Operation::Seal, &cell.input, &check::sealed(runner))?;
            let opened = check::open_and_compare(runner, cell)?;
            check::remove(&check::sealed(runner))?;
            Ok([sealed, opened])
        }
    })?;
    for timed in timed.into_iter().flatten() {
        let (job, bytes) = (cell.job.job, cell.size.bytes);
        remember(&mut session.seen, job, bytes, &runner.line, timed.operation, timed.wall_ns as f64);
        session.results.append(&runner.sample_row(cell, turn, Phase::Steady, timed))?;
    }
    Ok(())
}

/// One turn of a job whose processes do one operation only: for each a fresh one, from its first operation to the timed
/// ones. Nobody else's process is alive meanwhile: some hold gigabytes.
fn alone(
    session: &mut Session,
    cell: &Cell,
    turn: Turn,
    runner: &mut Runner,
    warmth: &mut Option<Warmth>,
) -> Result<()> {
    for &operation in cell.job.job.operations() {
        let line = &runner.line;
        session.progress.now(&format!("{operation}: {} {} {}", line.engine, line.algorithm, line.shape));
        let launch = &mut *session.launch;
        let rows = runner.attempt(cell, session.results, |runner| {
            runner.start(cell, launch)?;
            let warmth = warmth.get_or_insert_default();
            let mut rows = ramp::warm(runner, cell, warmth, turn, &[operation])?;
            let timed = runner.time(cell, operation, warmth.count(operation, cell))?;
            let each = timed.wall_ns as f64 / timed.count as f64;
            rows.push(runner.sample_row(cell, turn, Phase::Steady, timed));
            Ok((rows, each))
        })?;
        runner.stop();
        let Some((rows, each)) = rows else { continue };
        let (job, bytes) = (cell.job.job, cell.size.bytes);
        remember(&mut session.seen, job, bytes, &runner.line, operation, each);
        rows.iter().try_for_each(|row| session.results.append(row))?;
    }
    Ok(())
}

/// Fresh processes for all lines, warmed up; then all of them there and back, twice.
fn in_memory(
    session: &mut Session,
    cell: &Cell,
    block: u64,
    orders: &[Vec<usize>],
    runners: &mut [Runner],
    warmth: &mut [Option<Warmth>],
) -> Result<()> {
    for (place, &at) in orders[0].iter().enumerate() {
        let turn = Turn { block, pass: 0, place: place as u64 };
        let line = &runners[at].line;
        session.progress.now(&format!("warming up {} {} {}", line.engine, line.algorithm, line.shape));
        warm(session, cell, turn, &mut runners[at], &mut warmth[at])?;
    }
    for (pass, order) in orders.iter().enumerate() {
        for (place, &at) in order.iter().enumerate() {
            let turn = Turn { block, pass: pass as u64, place: place as u64 };
            let Some(warmth) = &warmth[at] else { continue };
            for &operation in cell.job.job.operations() {
                one_span(session, cell, turn, &mut runners[at], operation, warmth.count(operation, cell))?;
            }
        }
    }
    runners.iter_mut().for_each(Runner::stop);
    Ok(())
}

/// A fresh process, warmed up.
fn warm(
    session: &mut Session,
    cell: &Cell,
    turn: Turn,
    runner: &mut Runner,
    warmth: &mut Option<Warmth>,
) -> Result<()> {
    let launch = &mut *session.launch;
    let rows = runner.attempt(cell, session.results, |runner| {
        runner.start(cell, launch)?;
        ramp::warm(runner, cell, warmth.get_or_insert_default(), turn, cell.job.job.operations())
    })?;
    rows.into_iter().flatten().try_for_each(|row| session.results.append(&row))
}

fn one_span(
    session: &mut Session,
    cell: &Cell,
    turn: Turn,
    runner: &mut Runner,
    operation: Operation,
    count: u64,
) -> Result<()> {
    let timed = runner.attempt(cell, session.results, |runner| runner.time(cell, operation, count))?;
    let Some(timed) = timed else { return Ok(()) };
    let each = timed.wall_ns as f64 / count as f64;
    let (job, bytes) = (cell.job.job, cell.size.bytes);
    remember(&mut session.seen, job, bytes, &runner.line, operation, each);
    session.results.append(&runner.sample_row(cell, turn, Phase::Steady, timed))
}

/// The shortest time of an operation at a size is good enough to predict the next size's.
fn remember(seen: &mut Seen, job: Kind, bytes: u64, line: &Line, operation: Operation, nanoseconds: f64) {
    let times = seen.entry((job.name(), line.clone(), operation)).or_default();
    match times.binary_search_by_key(&bytes, |(size, _)| *size) {
        Ok(at) => times[at].1 = times[at].1.min(nanoseconds),
        Err(at) => times.insert(at, (bytes, nanoseconds)),
    }
}

fn remove_all(runners: &[Runner], cell: &Cell, errand: &Errand) -> Result<()> {
    let failed = |error| because("cannot clean the scratch directory", error);
    for runner in runners {
        std::fs::remove_dir_all(&runner.place).map_err(failed)?;
    }
    let sealed = sealed_by_model(cell, errand).into_keys();
    sealed.chain([cell.input.clone()]).try_for_each(|path| std::fs::remove_file(path).map_err(failed))
}

#[cfg(unix)]
const NULL: &str = "/dev/null";
#[cfg(not(unix))]
const NULL: &str = "NUL";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobfile::Plan;
    use crate::protocol::Shape;
    use crate::workload::Fingerprint;

    fn line() -> Line {
        Line { engine: "e".into(), algorithm: "none".into(), shape: Shape::Tuned, again: false }
    }

    /// Of sealing alone, in the order given: bytes and seconds.
    fn seen(times: &[(u64, f64)]) -> Seen {
        let mut seen = Seen::new();
        for (bytes, seconds) in times {
            remember(&mut seen, Kind::File, *bytes, &line(), Operation::Seal, seconds * 1e9);
        }
        seen
    }

    /// What is said of a file of 1,000 bytes, for which an operation may take 5 s, in two blocks.
    fn said(seen: &Seen, budget_seconds: u64) -> Option<String> {
        let plan = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"file\"\n[[job.size]]\nbytes = 1_000\n\
                    blocks = 2\nbudget_seconds = 100\ntimeout_seconds = 5\n";
        let plan = Plan::parse(plan, "x").unwrap();
        let original = Fingerprint { bytes: 1_000, sha256: String::new() };
        let (job, input) = (&plan.jobs[0], "input".into());
        let cell = Cell { job, size: &job.sizes[0], seed: 1, input, original, full: false };
        too_long(seen, &cell, &line(), Duration::from_secs(budget_seconds)).map(|fault| fault.why)
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
        assert_eq!(mixed.values().next().unwrap(), &[(250, 2e9), (500, 4e9), (1_000, 9e9), (100_000, 1e9)]);
        assert_eq!(said(&mixed, 100).unwrap(), "predicted 16 s");
    }

    #[test]
    fn a_prediction_beyond_all_bounds_is_too_long_and_no_panic() {
        let steep = seen(&[(1, 1e-9), (2, 1e18)]);
        assert!(said(&steep, 100).unwrap().starts_with("predicted "));
    }
}

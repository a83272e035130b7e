//! One size of a job: start every line, check it, watch it warm up, then time all of them block by block.

use crate::alone;
use crate::check;
use crate::child::Launch;
use crate::foresight::{Seen, remember, too_long};
use crate::gcm;
use crate::jobfile::{Job, Size};
use crate::log_app::Reader;
use crate::log_lines;
use crate::log_pipe;
use crate::machine::Ticks;
use crate::plan;
use crate::progress::Progress;
use crate::protocol::Operation;
use crate::ramp::{self, Warmth};
use crate::rows::{self, Line, Phase, Results, Row};
use crate::runner::{Candidate, Cell, Outcome, Runner, Turn};
use crate::tls::Credentials;
use crate::trouble::{Result, because};
use crate::units;
use crate::usage;
use crate::workload::{self, Kind, SplitMix64};
use std::collections::{BTreeMap, BTreeSet};
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
    pub budget: Duration,
}

impl Errand<'_> {
    /// How many ciphers its lines have between them.
    pub fn algorithms(&self) -> usize {
        self.entries.iter().map(|entry| &entry.line.algorithm).collect::<BTreeSet<_>>().len()
    }
}

/// Checks every line of one size and times nothing.
pub fn check_only(session: &mut Session, errand: &Errand) -> Result<()> {
    let credentials = credentials(session, errand)?;
    let cell = prepare(session, errand, credentials.as_ref())?;
    let runners = check_all(session, &cell, errand, check::spans)?;
    remove_all(&runners, &cell, errand)
}

/// What servers show, in the jobs that have servers.
fn credentials(session: &Session, errand: &Errand) -> Result<Option<Credentials>> {
    let algorithms = errand.entries.iter().map(|entry| entry.line.algorithm.as_str());
    let directory = session.scratch.join("credentials");
    errand.job.job.is_tls().then(|| Credentials::make(directory, algorithms)).transpose()
}

fn prepare<'a>(
    session: &mut Session,
    errand: &Errand<'a>,
    credentials: Option<&'a Credentials>,
) -> Result<Cell<'a>> {
    let (job, size) = (errand.job, errand.size);
    let name = format!("{} {}", job.job.name(), units::amount(job.job.name(), size.bytes));
    session.progress.say(&format!("{name}: preparing and checking {} lines", errand.entries.len()));
    let input = session.scratch.join("input");
    let original = match job.job.log_format() {
        Some(format) => log_lines::write(&input, format, session.seed, size.bytes)?,
        None if job.job == Kind::Record => {
            workload::write_values(&input, session.seed, size.bytes * job.job.inputs())?
        }
        None => workload::write_input(&input, session.seed, size.bytes * job.job.inputs())?,
    };
    let reader = (job.job == Kind::LogApp).then(Reader::new).transpose()?;
    let (seed, full) = (session.seed, session.full);
    let cell = Cell { job, size, seed, input, original, credentials, reader, full };
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
    let credentials = credentials(session, errand)?;
    let cell = prepare(session, errand, credentials.as_ref())?;
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
        if !session.full && !cell.job.job.is_of_connections() {
            // Sizes of connections are no lengths.
            let left_out = too_long(&session.seen, cell, line, errand.budget);
            left_out.into_iter().try_for_each(|fault| runner.give_up(cell, session.results, fault))?;
        }
        if cell.job.job.one_operation_a_process() {
            alone::check(session, cell, &mut runner)?;
        } else {
            check_one(session, cell, &mut runner, more)?;
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
    // Jobs on files go on with the process that was checked.
    if !cell.job.job.on_files() {
        runner.stop();
    }
    checked.map_or(Ok(()), |row| session.results.append(&row))
}

/// Operations in memory are cheap beside the warming up of a process: twice there and back within a block.
pub fn passes(cell: &Cell) -> usize {
    if cell.job.job.on_files() { 1 } else { 4 }
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
    let name = format!("{} {}", cell.job.job.name(), units::amount(cell.job.job.name(), cell.size.bytes));
    let (begun, mut done, mut latest) = (Instant::now(), 0, Duration::ZERO);
    for (block, orders) in orders.chunks(passes(cell)).enumerate() {
        let spent = start.elapsed();
        let is_paid = plan::is_affordable(block, spent, latest, errand.budget);
        if !is_paid || !runners.iter().any(|runner| runner.is_in(cell)) {
            break;
        }
        let left = (cell.size.blocks - block) as u32;
        let left = match block {
            0 => String::new(),
            blocks => format!(", {} left", units::duration(begun.elapsed() / blocks as u32 * left)),
        };
        session.progress.now(&format!("{name}: block {} of {}{left}", block + 1, cell.size.blocks));
        one_block(session, cell, block as u64, orders, runners, &mut warmth)?;
        (done, latest) = (block + 1, start.elapsed() - spent);
        if block == 0 && done < cell.size.blocks && start.elapsed() + latest > errand.budget {
            let least = units::duration(start.elapsed() + latest);
            session
                .progress
                .say(&format!("{name}: over its budget: two blocks are the least, up to {least} in all"));
        }
    }
    for runner in runners.iter_mut() {
        runner.attempt(cell, session.results, |runner| check::recheck(runner, cell))?;
        runner.stop();
    }
    if done < cell.size.blocks && runners.iter().any(|runner| runner.is_in(cell)) {
        let why =
            format!("{done} of {} blocks: {}", cell.size.blocks, overspent(errand, done, start.elapsed()));
        note(cell, session.results, why)?;
    }
    let blocks = done as u64;
    let finished = rows::Finished { job: cell.job_name(), size: cell.size.bytes, blocks };
    session.results.append(&Row::Finished(finished))?;
    let took = start.elapsed();
    let why = match is_over_with_the_least(errand, done, took) {
        true => format!(" (the budget was {} s, but two blocks are the least)", errand.budget.as_secs()),
        false => String::new(),
    };
    session.progress.say(&format!("{name}: {done} blocks in {:.0} s{why}", took.as_secs_f64()));
    Ok(())
}

/// Why there are fewer blocks than the plan has.
fn overspent(errand: &Errand, done: usize, took: Duration) -> String {
    let spent = format!("the budget of {} s was spent", errand.budget.as_secs());
    match is_over_with_the_least(errand, done, took) {
        true => format!("{spent}; it took {:.0} s, because two blocks are the least", took.as_secs_f64()),
        false => spent,
    }
}

/// Whoever gave a small budget is told why it did not hold.
fn is_over_with_the_least(errand: &Errand, done: usize, took: Duration) -> bool {
    done == plan::FEWEST_BLOCKS && took > errand.budget
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
            alone::turn(session, cell, turn, &mut runners[at], &mut warmth[at])?;
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
        job if job.is_filter() => {
            let sealed = runner.run(cell, Operation::Seal, &cell.input, Path::new(NULL))?;
            if !log_pipe::opens(&runner.line) {
                return Ok(vec![sealed]);
            }
            let opened = runner.run(cell, Operation::Open, &check::sealed(runner), Path::new(NULL))?;
            Ok(vec![sealed, opened])
        }
        _ => {
            let sealed = runner.run(cell, Operation::Seal, &cell.input, &check::sealed(runner))?;
            let opened = check::open_and_compare(runner, cell)?;
            check::remove(&check::sealed(runner))?;
            Ok(vec![sealed, opened])
        }
    })?;
    for timed in timed.into_iter().flatten() {
        let (job, bytes) = (cell.job.job, cell.size.bytes);
        remember(&mut session.seen, job, bytes, &runner.line, timed.operation, timed.wall_ns as f64);
        session.results.append(&runner.sample_row(cell, turn, Phase::Steady, timed))?;
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
        let mut rows = Vec::new();
        runner.start(cell, launch)?;
        let warmth = warmth.get_or_insert_default();
        ramp::warm(runner, cell, warmth, turn, cell.job.job.operations(), &mut rows).map(|()| rows)
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

//! One size of a job: start every line, check it, watch it warm up, then time all of them block by block.

pub mod ramp;

use crate::child::{Fault, Launch};
use crate::core_latency;
use crate::document::Doubt;
use crate::engine::Engine;
use crate::format;
use crate::jobfile::Planned;
use crate::jobs::runner::{Cell, Outcome, Runner, Turn};
use crate::jobs::{Proved, check};
use crate::machine::{self, Ticks};
use crate::plan::{self, FEWEST_BLOCKS, Size};
use crate::prediction::too_long;
use crate::progress::Progress;
use crate::protocol::Operation;
use crate::rows::{self, FaultKind, Line, Phase, Results, Role, Row, Sample};
use crate::stats::median;
use crate::trouble::{Result, because};
use crate::workload;
use ramp::Span;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// An engine that answered, and how to start it again.
pub struct Candidate<'a> {
    pub engine: &'a Engine,
    pub command: Vec<String>,
}

/// The state of a run that all of its measurements share.
pub struct Session<'a> {
    pub launch: &'a mut dyn Launch,
    pub results: &'a mut Results,
    pub progress: &'a mut Progress,
    pub scratch: &'a Path,
    pub seed: u64,
    /// Everything is run, however long it is predicted to take.
    pub full: bool,
    /// When all of the budget is gone: a block that lasts until then is left unfinished.
    pub deadline: Option<Instant>,
    /// The latencies between the cores so far.
    pub core_ns: Vec<u64>,
    /// The time that was spent waiting for the cores.
    pub waited: Duration,
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

impl Session<'_> {
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Waits a while until the cores are near each other; returns the latency between them.
    fn settle(&mut self, runner: &Runner) -> Option<u64> {
        let (launch, progress, deadline) = (&*self.launch, &mut *self.progress, self.deadline);
        let pause = || {
            progress.now("waiting up to 4 s, because the CPUs exchange data more slowly than usual");
            std::thread::sleep(BETWEEN_LOOKS);
            self.waited += BETWEEN_LOOKS;
            deadline.is_none_or(|deadline| Instant::now() < deadline)
        };
        core_latency::settle(&mut self.core_ns, || core_ns(launch, runner), pause)
    }

    /// The timed spans of a turn, as rows, with the longest latency between the cores before it and after it.
    fn append(&mut self, runner: &Runner, before: Option<u64>, timed: Option<Vec<Sample>>) -> Result<()> {
        let core_ns = before.max(core_ns(self.launch, runner));
        let mut samples = timed.into_iter().flatten();
        samples.try_for_each(|timed| self.results.append(&Row::Sample(Sample { core_ns, ..timed })))
    }

    fn now(&mut self, doing: impl Display, line: &Line) {
        self.progress.now(&format!("{doing}: {}", format::full_name(line, true)));
    }
}

/// The latency between the cores, for a line that has threads.
fn core_ns(launch: &dyn Launch, runner: &Runner) -> Option<u64> {
    (runner.cell.job.has_threads)(&runner.line).then(|| launch.core_ns()).flatten()
}

/// One line to measure, and who runs it.
#[derive(Clone)]
pub struct Entry<'a> {
    pub candidate: &'a Candidate<'a>,
    pub line: Line,
    /// Operations that are left out, where each has processes of its own.
    pub without: BTreeSet<Operation>,
}

impl Entry<'_> {
    /// True for what moves the same bytes and does nothing else.
    pub fn is_yardstick(&self) -> bool {
        self.candidate.engine.role == Role::Yardstick
    }

    pub fn jdk(&self) -> Option<&str> {
        self.candidate.engine.java()
    }
}

/// A job at one size, with the lines that are timed there.
pub struct Trial<'a> {
    pub job: &'a Planned,
    pub size: &'a Size,
    pub entries: Vec<Entry<'a>>,
    pub reference: Option<Line>,
}

impl Trial<'_> {
    /// "cipher 49 bytes".
    pub fn name(&self) -> String {
        format!("{} {}", self.job.job.name, self.job.job.amount(self.size.amount))
    }

    /// A note that belongs beside the figures of the size.
    pub fn note(&self, note: String) -> rows::Note {
        rows::Note::new(self.job.job.name, self.size.amount, note)
    }
}

/// Checks every line of one size and times nothing.
pub fn check_only(session: &mut Session, trial: Trial) -> Result<()> {
    let checked = Begun::of(session, trial, Duration::MAX, true)?;
    remove(&checked.cell)
}

fn remove(cell: &Cell) -> Result<()> {
    std::fs::remove_dir_all(&cell.place).map_err(|error| because("cannot clean the scratch directory", error))
}

/// Makes the input of a size, in a directory of its own.
fn prepare<'a>(session: &mut Session, trial: &Trial<'a>) -> Result<Rc<Cell<'a>>> {
    let (job, size, seed) = (trial.job.job, trial.size, session.seed);
    let (name, count) = (trial.name(), trial.entries.len());
    session.progress.say(&format!("{name}: preparing and checking {count} lines"));
    let place = session.scratch.join(format!("{}-{}", job.name, size.amount));
    workload::empty_directory(&place)?;
    let input = place.join("input");
    let original = (job.write_input)(&input, seed, size.amount)?;
    let lines: Vec<&Line> = trial.entries.iter().map(|entry| &entry.line).collect();
    (job.equip)(&input, seed, &lines)?;
    let limit = size.full_timeout_seconds.filter(|_| session.full).unwrap_or(size.timeout_seconds);
    let limit = Duration::from_secs(limit);
    Ok(Rc::new(Cell { job, size, seed, place, input, original, limit }))
}

/// A line that runs twice does so in so many blocks, and then in one of so many.
const TWINS: usize = 8;
const TWINS_EVERY: usize = 3;

/// A size whose lines were checked: blocks of them are timed whenever there is time for it.
pub struct Begun<'a> {
    pub trial: Trial<'a>,
    cell: Rc<Cell<'a>>,
    runners: Vec<Runner<'a>>,
    pub blocks: usize,
    /// By preparing, checking and all blocks.
    pub spent: Duration,
}

impl<'a> Begun<'a> {
    /// Prepares and checks. Only trouble of the lab's own is an error; an engine's is a row.
    pub fn of(session: &mut Session, trial: Trial<'a>, budget: Duration, with_spans: bool) -> Result<Self> {
        let start = Instant::now();
        let cell = prepare(session, &trial)?;
        let (job, size, reference) = (cell.job_name(), cell.size.amount, trial.reference.clone());
        session.results.append(&Row::Size(rows::Size { job, size, reference }))?;
        // Three copies of the data are alive at once; where they cannot all stay in memory the disk is measured too.
        let is_too_large = |available| cell.job.on_files && available < cell.size.amount.saturating_mul(3);
        if machine::memory().and_then(|memory| memory.mem_available).is_some_and(is_too_large) {
            let why = "input, sealed and opened file do not fit into memory: the disk is measured too";
            session.results.append(&Row::Note(trial.note(why.into())))?;
        }
        let (runners, spent) = (Vec::new(), Duration::ZERO);
        let mut begun = Self { trial, cell, runners, blocks: 0, spent };
        begun.check_all(session, budget, with_spans)?;
        begun.spent = start.elapsed();
        Ok(begun)
    }

    /// How many more blocks it may have. Conclusions that stay open leave as many for the questions that come after them.
    pub fn left(&self, doubt: Option<&Doubt>) -> usize {
        let planned = self.trial.size.blocks;
        let rounds = if planned <= FEWEST_BLOCKS || doubt.is_none_or(|doubt| doubt.is_open) { 1 } else { 2 };
        (rounds * plan::most_blocks(planned)).saturating_sub(self.blocks)
    }

    /// True while a line is left that can be measured.
    pub fn is_alive(&self) -> bool {
        self.runners.iter().any(Runner::is_in)
    }

    /// Times one more block: of all lines, or of those that a doubt is about, beside the reference and what runs twice.
    pub fn block(&mut self, session: &mut Session, doubt: Option<&Doubt>) -> Result<()> {
        let (start, ticks, used) = (Instant::now(), Ticks::now(), session.launch.used_ns());
        let (job, block) = (self.cell.job, self.blocks as u64);
        session.progress.now(&format!("{}: block {}", self.trial.name(), self.blocks + 1));
        let (wanted, seed) = (self.wanted(doubt), self.cell.seed ^ self.cell.size.amount);
        let order = |pass| {
            let all = plan::order(self.runners.len(), seed, self.blocks * job.passes() + pass);
            all.into_iter().filter(|at| wanted.contains(at)).collect()
        };
        let orders: Vec<Vec<usize>> = (0..job.passes()).map(order).collect();
        if !job.is_side_by_side() {
            self.turns(session, &orders[0], &self.operations(doubt))?;
        } else if !self.side_by_side(session, &orders)? {
            self.runners.iter_mut().for_each(|runner| runner.out_of.extend(job.operations));
            let why = format!("block {} was broken off: the budget was spent", self.blocks + 1);
            return session.results.append(&Row::Note(self.trial.note(why)));
        }
        let own = session.launch.used_ns().zip(used).map(|(now, then)| now.saturating_sub(then));
        let [stolen_permille, others_permille] = Ticks::permille_since(ticks, own);
        session.results.append(&Row::Block(rows::Block {
            job: self.cell.job_name(),
            size: self.cell.size.amount,
            block,
            milliseconds: start.elapsed().as_millis() as u64,
            stolen_permille,
            others_permille,
        }))?;
        self.blocks += 1;
        self.spent += start.elapsed();
        Ok(())
    }

    /// Every line once, from a fresh process. Lines that fail, or would take too long, take no further part. Blocks hold every
    /// span to its count and digest themselves: spans are for those who only check, for whom nothing runs twice.
    fn check_all(&mut self, session: &mut Session, budget: Duration, with_spans: bool) -> Result<()> {
        let cell = &self.cell;
        for entry in self.trial.entries.iter().filter(|entry| !(with_spans && entry.line.again)) {
            let line = &entry.line;
            session.now("checking", line);
            let place = cell.place.join(self.runners.len().to_string());
            workload::empty_directory(&place)?;
            let Candidate { engine, command } = entry.candidate;
            let mut runner = Runner::new(cell, command, line.clone(), place);
            runner.compiles_as_it_runs = engine.jdk.is_some();
            runner.out_of.extend(&entry.without);
            if session.is_over() {
                let fault = Fault::new(FaultKind::NotRun, "the budget was spent before");
                runner.give_up(session.results, fault)?;
            } else if !session.full && cell.job.is_in_bytes() {
                // Sizes of connections are no lengths.
                let left_out = too_long(&session.results.rows, cell, line, budget);
                left_out.into_iter().try_for_each(|fault| runner.give_up(session.results, fault))?;
            }
            check_line(session, &mut runner, with_spans)?;
            self.runners.push(runner);
        }
        Ok(())
    }

    /// The turns of lines one after the other; false if the budget was spent before the last one.
    fn turns(&mut self, session: &mut Session, order: &[usize], operations: &[Operation]) -> Result<bool> {
        let turn = match self.cell.job {
            job if job.own_process => in_fresh_process,
            job if job.on_files => on_files,
            _ => warm_up,
        };
        for (place, &at) in order.iter().enumerate() {
            if session.is_over() {
                return Ok(false);
            }
            let (runner, begun, waited) = (&mut self.runners[at], Instant::now(), session.waited);
            runner.turn = Turn { block: self.blocks as u64, pass: 0, place: place as u64 };
            turn(session, operations, runner)?;
            // The next block may find the cores together.
            runner.latest = begun.elapsed().saturating_sub(session.waited - waited);
        }
        Ok(true)
    }

    /// Fresh processes for all lines, warmed up; then all of them there and back, twice. False if the budget was spent before: a
    /// block without times of all its lines is none.
    fn side_by_side(&mut self, session: &mut Session, orders: &[Vec<usize>]) -> Result<bool> {
        let is_whole = self.turns(session, &orders[0], self.cell.job.operations)?;
        let (block, runners) = (self.blocks as u64, &mut self.runners[..]);
        if !is_whole {
            runners.iter_mut().for_each(Runner::stop);
            return Ok(false);
        }
        let mut spans = Vec::new();
        for (pass, order) in orders.iter().enumerate() {
            for (place, &at) in order.iter().enumerate() {
                runners[at].turn = Turn { block, pass: pass as u64, place: place as u64 };
                one_pass(session, (at, &mut runners[at]), &mut spans)?;
            }
        }
        for at in 0..runners.len() {
            // Code that was compiled anew after its process had settled: the passes are repeated.
            for pass in orders.len()..3 * orders.len() {
                if !runners[at].compiles_as_it_runs
                    || ramp::steady_passes(&spans, runners, at) >= orders.len()
                {
                    break;
                }
                runners[at].turn = Turn { block, pass: pass as u64, place: 0 };
                one_pass(session, (at, &mut runners[at]), &mut spans)?;
            }
        }
        runners.iter_mut().for_each(Runner::stop);
        keep(session, runners, spans).map(|()| true)
    }

    /// The operations that a doubt is about. In memory all of them: a process that did fewer would be another one.
    fn operations(&self, doubt: Option<&Doubt>) -> Vec<Operation> {
        let job = self.cell.job;
        let doubt = doubt.filter(|doubt| !job.is_side_by_side() && !doubt.operations.is_empty());
        let is_meant =
            |operation: &&Operation| doubt.is_none_or(|doubt| doubt.operations.contains(operation));
        job.operations.iter().filter(is_meant).copied().collect()
    }

    /// False where too few lines of a doubt still take part: no further block would tell it.
    pub fn can_tell(&self, doubt: &Doubt) -> bool {
        let operations = self.operations(Some(doubt));
        let is_left = |runner: &&Runner| {
            !runner.line.again
                && doubt.lines.contains(&runner.line)
                && operations.iter().any(|operation| runner.does(*operation))
        };
        let is_enough = || self.runners.iter().filter(is_left).count() >= doubt.lines.len().min(2);
        doubt.blocks.is_finite() && (doubt.lines.is_empty() || is_enough())
    }

    /// The runners that a doubt is about.
    fn wanted(&self, doubt: Option<&Doubt>) -> BTreeSet<usize> {
        let all = 0..self.runners.len();
        let Some(doubt) = doubt.filter(|doubt| !doubt.lines.is_empty()) else { return all.collect() };
        // Enough blocks have shown what the noise is: now and then, in either order, tells whether it is still so.
        let is_known = self.blocks >= TWINS && !self.blocks.is_multiple_of(TWINS_EVERY);
        let is_cheap = |twin: &&Runner| !twin.compiles_as_it_runs || doubt.lines.contains(&twin.line.first());
        let twins = self.runners.iter().filter(|runner| runner.line.again && !is_known).filter(is_cheap);
        let mut wanted: BTreeSet<Line> = twins.map(|twin| twin.line.first()).collect();
        wanted.extend(doubt.lines.iter().chain(&self.trial.reference).cloned());
        let is_needed = |line: &Line| wanted.contains(&line.first()) && !(is_known && line.again);
        all.filter(|at| is_needed(&self.runners[*at].line)).collect()
    }

    /// A guess of the time of a block, of all lines or for a doubt, by the latest block of each line.
    pub fn time_of(&self, doubt: Option<&Doubt>) -> Duration {
        self.wanted(doubt).into_iter().map(|at| self.runners[at].latest).sum()
    }

    /// No more blocks: a last check, and nothing is left on the disk.
    pub fn end(mut self, session: &mut Session) -> Result<()> {
        let (cell, name) = (&self.cell, self.trial.name());
        for runner in &mut self.runners {
            runner.attempt(session.results, cell.job.recheck)?;
            runner.stop();
        }
        let blocks = format::count(self.blocks, "block");
        session.progress.say(&format!("{name}: {blocks} in {:.0} s", self.spent.as_secs_f64()));
        remove(cell)
    }
}

/// Checks the operations of each process in a fresh one: who cannot do the one may still do the other.
fn check_line(session: &mut Session, runner: &mut Runner, with_spans: bool) -> Result<()> {
    let (job, launch) = (runner.cell.job, &mut *session.launch);
    let mut all: Option<Proved> = None;
    for operations in job.by_process() {
        if !runner.does(operations[0]) {
            continue;
        }
        let proved = runner.attempt(session.results, |runner| {
            runner.start(launch)?;
            let proved = (job.check)(runner, operations[0])?;
            if with_spans { check::spans(runner).map(|()| proved) } else { Ok(proved) }
        })?;
        if let Some(proved) = proved {
            let known = all.get_or_insert_default();
            known.output = known.output.take().or(proved.output);
            known.released = known.released.or(proved.released);
        }
    }
    // Others go on with the process that was checked.
    if job.own_process || !job.on_files {
        runner.stop();
    }
    all.map_or(Ok(()), |proved| session.results.append(&check::row(runner, proved)))
}

/// One turn of a job whose processes do one operation only: for each of the operations a fresh process, from its first
/// operation to the timed ones. Nobody else's process is alive meanwhile: some hold gigabytes.
fn in_fresh_process(session: &mut Session, operations: &[Operation], runner: &mut Runner) -> Result<()> {
    for &operation in operations {
        if !runner.does(operation) {
            continue;
        }
        session.now(operation, &runner.line);
        runner.turn.pass = 0;
        let launch = &mut *session.launch;
        let warm = |runner: &mut Runner| runner.start(launch).and_then(|()| ramp::warm(runner, &[operation]));
        if let Some(phase) = runner.attempt(session.results, warm)? {
            let before = session.settle(runner);
            let timed = runner.attempt(session.results, |runner| one(runner, operation, phase))?;
            session.append(runner, before, timed)?;
        }
        runner.stop();
    }
    Ok(())
}

/// Passes of a block that a doubt asks for: most of the noise is within processes, and starting one takes as long as a pass.
const PASSES: u64 = 4;

/// Times one operation of a process that has warmed up.
fn one(runner: &mut Runner, operation: Operation, phase: Phase) -> Outcome<Vec<Sample>> {
    let count = runner.warmth.count(operation, runner.cell.size);
    let is_short = count > 1 && runner.turn.block >= FEWEST_BLOCKS as u64;
    let mut passes = Vec::new();
    for pass in 0..if is_short { PASSES } else { 1 } {
        runner.turn.pass = pass;
        passes.push(Sample { phase, ..runner.time(operation, count)? });
    }
    if let Some(each) = median(passes.iter().map(|timed| timed.wall_ns as f64 / timed.count as f64))
        && runner.compiles_as_it_runs
    {
        runner.warmth.reached(operation, each);
    }
    Ok(passes)
}

/// One turn of a job on files: its operations, and their rows only once the output was right.
fn on_files(session: &mut Session, operations: &[Operation], runner: &mut Runner) -> Result<()> {
    let (job, before) = (runner.cell.job, session.settle(runner));
    let timed = runner.attempt(session.results, |runner| (job.turn)(runner, operations))?;
    session.append(runner, before, timed)
}

/// A fresh process of a line that is timed beside the others.
fn warm_up(session: &mut Session, operations: &[Operation], runner: &mut Runner) -> Result<()> {
    session.now("warming up", &runner.line);
    let launch = &mut *session.launch;
    // The passes themselves tell whether it was steady.
    let warm = |runner: &mut Runner| runner.start(launch).and_then(|()| ramp::warm(runner, operations));
    runner.attempt(session.results, warm).map(drop)
}

/// The spans of a block, as rows.
fn keep(session: &mut Session, runners: &mut [Runner], spans: Vec<Span>) -> Result<()> {
    let unsteady = ramp::unsteady(&spans, runners);
    for (number, (at, mut sample)) in spans.into_iter().enumerate() {
        let (runner, each) = (&mut runners[at], sample.wall_ns as f64 / sample.count as f64);
        if runner.compiles_as_it_runs {
            runner.warmth.reached(sample.operation, each);
            sample.phase = if unsteady.contains(&number) { Phase::Unsteady } else { Phase::Steady };
        }
        session.results.append(&Row::Sample(sample))?;
    }
    Ok(())
}

/// A span of each operation.
fn one_pass(session: &mut Session, (at, runner): (usize, &mut Runner), spans: &mut Vec<Span>) -> Result<()> {
    let begun = Instant::now();
    for &operation in runner.cell.job.operations {
        let count = runner.warmth.count(operation, runner.cell.size);
        let timed = runner.attempt(session.results, |runner| runner.time(operation, count))?;
        spans.extend(timed.map(|timed| (at, timed)));
    }
    runner.latest += begun.elapsed();
    Ok(())
}

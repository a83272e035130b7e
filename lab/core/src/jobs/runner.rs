//! One line of a cell: its process, what it is asked, and what its answers must be.

use super::{Equipment, Job};
use crate::child::{Fault, Launch, Talk};
use crate::plan::Size;
use crate::protocol::{Answer, Ask, Operation, PROTOCOL, Task};
use crate::rows::{self, FaultKind, Line, Phase, Results, Row};
use crate::trouble::{Result, because};
use crate::usage::Used;
use crate::workload::{self, Fingerprint};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longer than any engine needs to say its name.
pub const GREETING: Duration = Duration::from_secs(30);

pub type Outcome<T> = std::result::Result<T, Fault>;

/// What all lines of one size share.
pub struct Cell<'a> {
    pub job: &'static Job,
    pub size: &'a Size,
    pub seed: u64,
    pub input: PathBuf,
    pub original: Fingerprint,
    pub equipment: Equipment,
    /// Every line is run, however long it takes.
    pub full: bool,
}

impl Cell<'_> {
    fn limit(&self) -> Duration {
        let full = self.size.full_timeout_seconds.filter(|_| self.full);
        Duration::from_secs(full.unwrap_or(self.size.timeout_seconds))
    }

    pub fn job_name(&self) -> String {
        self.job.name.into()
    }

    pub fn place(&self) -> (&'static str, u64) {
        (self.job.name, self.size.amount)
    }

    /// What an operation must make of its input, if the lab knows.
    pub fn expected(&self, line: &Line, operation: Operation, number: u64) -> Option<Vec<u8>> {
        (self.job.expected)(line.algorithm(), self.seed, self.size.amount, operation, number)
    }
}

/// One line: a process of its own, so that its memory and its compiler's doings are its own.
pub struct Runner<'a> {
    pub line: Line,
    command: &'a [String],
    /// A virtual machine compiles the code while it runs.
    pub compiles_as_it_runs: bool,
    pub place: PathBuf,
    talk: Option<Box<dyn Talk>>,
    /// Operations in which it takes no further part at this size.
    out_of: BTreeSet<Operation>,
    pub authenticated: bool,
    pub code: String,
    start_ns: u64,
    next_number: u64,
    /// Operations of each kind done by the present process.
    done: BTreeMap<Operation, u64>,
    pub warmth: Warmth,
    /// Those of the present block, where each has a turn of its own.
    pub operations: &'static [Operation],
    /// How long its part of the latest block took.
    pub latest: Duration,
}

/// The operations that a line needs before it is steady, and how long one takes then.
#[derive(Debug, Default)]
pub struct Warmth {
    pub operations: BTreeMap<Operation, u64>,
    pub nanoseconds: BTreeMap<Operation, f64>,
}

/// What the answers said about a span of operations.
#[derive(Clone)]
pub struct Timed {
    pub operation: Operation,
    pub count: u64,
    pub wall_ns: u64,
    pub used: Used,
    pub output_bytes: Option<u64>,
    pub tls: Option<rows::Tls>,
    pub requests: Option<rows::Requests>,
}

impl Timed {
    /// Of which nothing else is known.
    pub fn of(operation: Operation, count: u64, wall_ns: u64, used: Used, output_bytes: Option<u64>) -> Self {
        Self { operation, count, wall_ns, used, output_bytes, tls: None, requests: None }
    }

    /// Both spans as one; what is not known of either is not known of both.
    pub fn and(self, other: &Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| Some(one? + two?);
        let (one, two) = (&self.used, &other.used);
        Self {
            operation: self.operation,
            count: self.count + other.count,
            wall_ns: self.wall_ns + other.wall_ns,
            used: Used {
                cpu_ns: sum(one.cpu_ns, two.cpu_ns),
                allocated_bytes: sum(one.allocated_bytes, two.allocated_bytes),
                gc_ns: sum(one.gc_ns, two.gc_ns),
                peak_bytes: one.peak_bytes.max(two.peak_bytes),
            },
            output_bytes: other.output_bytes,
            tls: other.tls,
            requests: other.requests,
        }
    }
}

/// Where in a run a span was taken.
#[derive(Clone, Copy)]
pub struct Turn {
    pub block: u64,
    pub pass: u64,
    pub place: u64,
}

impl<'a> Runner<'a> {
    pub fn new(command: &'a [String], compiles_as_it_runs: bool, line: Line, place: PathBuf) -> Self {
        Self {
            line,
            command,
            compiles_as_it_runs,
            place,
            talk: None,
            out_of: BTreeSet::new(),
            authenticated: false,
            code: String::new(),
            start_ns: 0,
            next_number: 0,
            done: BTreeMap::new(),
            warmth: Warmth::default(),
            operations: &[],
            latest: Duration::ZERO,
        }
    }

    /// Whether it still takes part in this size.
    pub fn is_in(&self, cell: &Cell) -> bool {
        cell.job.operations.iter().any(|operation| self.does(*operation))
    }

    /// Whether it still takes part with this operation.
    pub fn does(&self, operation: Operation) -> bool {
        !self.out_of.contains(&operation)
    }

    /// Does something that may fail; a fault is recorded and ends this line's part at this size.
    pub fn attempt<T>(
        &mut self,
        cell: &Cell,
        results: &mut Results,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Result<Option<T>> {
        if !self.is_in(cell) {
            return Ok(None);
        }
        match work(self) {
            Ok(done) => Ok(Some(done)),
            Err(fault) => self.give_up(cell, results, fault).map(|()| None),
        }
    }

    /// The same of one operation.
    pub fn attempt_at<T>(
        &mut self,
        operation: Operation,
        cell: &Cell,
        results: &mut Results,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Result<Option<T>> {
        if self.does(operation) { self.attempt(cell, results, work) } else { Ok(None) }
    }

    /// Takes no further part, for a reason that becomes a row: with one operation, where each has processes of its own,
    /// or with any.
    pub fn give_up(&mut self, cell: &Cell, results: &mut Results, fault: Fault) -> Result<()> {
        self.talk = None;
        match fault.operation.filter(|_| cell.job.is_alone) {
            Some(operation) => drop(self.out_of.insert(operation)),
            None => self.out_of.extend(cell.job.operations),
        }
        if !self.is_in(cell) {
            self.tidy_up()?;
        }
        results.append(&Row::Fault(rows::Fault {
            job: cell.job_name(),
            size: Some(cell.size.amount),
            engine: self.line.engine.clone(),
            parameters: self.line.parameters.clone(),
            operation: fault.operation,
            kind: fault.kind,
            why: fault.why,
        }))
    }

    /// What it wrote may be gigabytes that others need.
    fn tidy_up(&self) -> Result<()> {
        let failed = |error| because("cannot clean the scratch directory", error);
        if !self.place.exists() {
            return Ok(());
        }
        std::fs::remove_dir_all(&self.place).map_err(failed)?;
        std::fs::create_dir_all(&self.place).map_err(failed)
    }

    /// A fresh process with this line's task, ready for its first operation.
    pub fn start(&mut self, cell: &Cell, launch: &mut dyn Launch) -> Outcome<()> {
        self.stop();
        let place = self.prepare_directory(cell);
        place.map_err(|error| Fault::new(FaultKind::Failed, error.to_string()))?;
        let start = Instant::now();
        let (mut talk, _version) = greet(launch, self.command, &self.place.join("stderr"))?;
        let task = Task {
            job: cell.job_name(),
            parameters: self.line.parameters.clone(),
            bytes: cell.job.is_in_bytes().then_some(cell.size.amount),
            concurrency: (!cell.job.is_in_bytes()).then_some(cell.size.amount),
            seed: cell.seed,
            directory: self.place.join("engine").display().to_string(),
            peer: None,
        };
        match talk.ask(&Ask::Prepare(task), cell.limit())? {
            Answer::Ready { authenticated, code } => {
                self.authenticated = authenticated;
                self.code = code;
            }
            other => return Err(bad_news(other)),
        }
        self.start_ns = start.elapsed().as_nanos() as u64;
        self.talk = Some(talk);
        Ok(())
    }

    /// The engine's own directory is promised to be empty, but for what a server proves itself with or seals for.
    fn prepare_directory(&self, cell: &Cell) -> Result<()> {
        let own = self.place.join("engine");
        let failed = |error| because("cannot use the scratch directory", error);
        if own.exists() {
            std::fs::remove_dir_all(&own).map_err(failed)?;
        }
        std::fs::create_dir_all(&own).map_err(failed)?;
        cell.equipment.place(self.line.algorithm(), &own)
    }

    pub fn stop(&mut self) {
        self.talk = None;
        self.next_number = 0;
        self.done.clear();
    }

    pub fn ask(&mut self, cell: &Cell, operation: Operation, ask: &Ask) -> Outcome<Answer> {
        let talk = self.talk.as_mut().ok_or_else(|| Fault::new(FaultKind::Died, "not running"))?;
        talk.ask(ask, cell.limit()).map_err(|fault| fault.during(operation))
    }

    /// An operation from file to file.
    pub fn run(&mut self, cell: &Cell, operation: Operation, input: &Path, output: &Path) -> Outcome<Timed> {
        let ask =
            Ask::Run { operation, input: input.display().to_string(), output: output.display().to_string() };
        match self.ask(cell, operation, &ask)? {
            Answer::Done { wall_ns, used } => {
                let written = std::fs::metadata(output).ok().filter(|data| data.is_file());
                Ok(Timed::of(operation, 1, wall_ns, used, written.map(|data| data.len())))
            }
            other => Err(bad_news(other).during(operation)),
        }
    }

    /// A span of operations; count and last output must be what was asked for.
    pub fn time(&mut self, cell: &Cell, operation: Operation, count: u64) -> Outcome<Timed> {
        let timed = (cell.job.time)(self, cell, operation, count)?;
        *self.done.entry(operation).or_default() += count;
        Ok(timed)
    }

    /// The number of the first of so many operations that nobody has done yet.
    pub fn number(&mut self, count: u64) -> u64 {
        let first = self.next_number;
        self.next_number += count;
        first
    }

    pub(super) fn time_in_memory(&mut self, cell: &Cell, operation: Operation, count: u64) -> Outcome<Timed> {
        let first = self.number(count);
        match self.ask(cell, operation, &Ask::Time { operation, first, count })? {
            Answer::Timed { count: told, wall_ns, sha256, used } => {
                if told != count {
                    let why = format!("was asked for {count} operations, but reported {told}");
                    return Err(Fault::new(FaultKind::WrongCount, why).during(operation));
                }
                let output_bytes = self.must_be(cell, operation, first + count - 1, &sha256)?;
                Ok(Timed::of(operation, count, wall_ns, used, Some(output_bytes)))
            }
            other => Err(bad_news(other).during(operation)),
        }
    }

    /// The digest of an operation's output; says how long that output is.
    pub fn must_be(&self, cell: &Cell, operation: Operation, number: u64, sha256: &str) -> Outcome<u64> {
        let expected = cell.expected(&self.line, operation, number).ok_or_else(|| {
            Fault::new(FaultKind::Unsupported, format!("the lab has no model of {}", self.line.algorithm()))
        })?;
        let expected = workload::fingerprint_of(&expected);
        if expected.sha256 == sha256 {
            return Ok(expected.bytes);
        }
        let why = format!(
            "operation {number} gave an output with SHA-256 {sha256:.16}…, not {:.16}…",
            expected.sha256
        );
        Err(Fault::new(FaultKind::WrongOutput, why).during(operation))
    }

    /// Operations of a kind that the present process has done.
    pub fn done(&self, operation: Operation) -> u64 {
        self.done.get(&operation).copied().unwrap_or(0)
    }

    pub fn sample_row(&self, cell: &Cell, turn: Turn, phase: Phase, timed: Timed) -> Row {
        Row::Sample(rows::Sample {
            job: cell.job_name(),
            size: cell.size.amount,
            block: turn.block,
            pass: turn.pass,
            place: turn.place,
            line: self.line.clone(),
            operation: timed.operation,
            phase,
            count: timed.count,
            wall_ns: timed.wall_ns,
            used: timed.used,
            output_bytes: timed.output_bytes,
            start_ns: (phase == Phase::Cold).then_some(self.start_ns),
            tls: timed.tls,
            requests: timed.requests,
        })
    }
}

/// Starts an engine and learns which version it is.
pub fn greet(launch: &mut dyn Launch, command: &[String], stderr: &Path) -> Outcome<(Box<dyn Talk>, String)> {
    let mut talk = launch.launch(command, stderr)?;
    match talk.ask(&Ask::Hello { protocol: PROTOCOL }, GREETING)? {
        Answer::Hello { protocol: PROTOCOL, version, .. } if !version.trim().is_empty() => {
            Ok((talk, version))
        }
        Answer::Hello { protocol: PROTOCOL, version, .. } => {
            Err(Fault::new(FaultKind::Garbage, format!("hello with version {version:?}")))
        }
        Answer::Hello { protocol, .. } => {
            let why = format!("speaks protocol {protocol}, and this lab {PROTOCOL} (lab/spec/engine.md)");
            Err(Fault::new(FaultKind::Garbage, why))
        }
        other => Err(bad_news(other)),
    }
}

pub fn bad_news(answer: Answer) -> Fault {
    match answer {
        Answer::Unsupported { why } => Fault::new(FaultKind::Unsupported, why),
        Answer::Refused { why } => Fault::new(FaultKind::Refused, why),
        Answer::Exhausted { why } => Fault::new(FaultKind::OutOfMemory, why),
        Answer::Limited { why } => Fault::new(FaultKind::Limited, why),
        Answer::Failed { why } => Fault::new(FaultKind::Failed, why),
        other => Fault::new(FaultKind::Garbage, format!("an answer to another request: {other:?}")),
    }
}

//! One line of a cell: its process, what it is asked, and what its answers must be.

use super::Job;
use crate::child::{Fault, Launch, Talk};
use crate::plan::Size;
use crate::protocol::{Answer, Ask, Operation, PROTOCOL, Ready, Span, Task};
use crate::rows::{FaultKind, Line, Phase, Results, Row, Sample};
use crate::trouble::Result;
use crate::workload::{self, Fingerprint};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Longer than any engine needs to say its name.
pub const GREETING: Duration = Duration::from_secs(30);

pub type Outcome<T> = std::result::Result<T, Fault>;

/// The part of a size that all of its lines share.
pub struct Cell<'a> {
    pub job: &'static Job,
    pub size: &'a Size,
    pub seed: u64,
    /// A directory of its own.
    pub place: PathBuf,
    pub input: PathBuf,
    pub original: Fingerprint,
    /// How long an answer is waited for.
    pub limit: Duration,
}

impl Cell<'_> {
    pub fn job_name(&self) -> String {
        self.job.name.into()
    }
}

/// One line: a process of its own, so that its memory and its compiler's doings are its own.
pub struct Runner<'a> {
    pub cell: Rc<Cell<'a>>,
    pub line: Line,
    command: &'a [String],
    /// A virtual machine compiles the code while it runs.
    pub compiles_as_it_runs: bool,
    pub place: PathBuf,
    talk: Option<Talk>,
    /// Operations in which it takes no further part at this size.
    pub out_of: BTreeSet<Operation>,
    pub ready: Ready,
    /// From the start of the present process until it was ready.
    pub start_ns: u64,
    next_number: u64,
    /// Operations of each kind done by the present process.
    done: BTreeMap<Operation, u64>,
    pub warmth: Warmth,
    /// How long its part of the latest block took.
    pub latest: Duration,
    /// Where in the run its spans are taken now.
    pub turn: Turn,
    /// Rows of the present attempt.
    pub rows: Vec<Row>,
}

/// The operations that a line needs before it is steady, and how long one takes then.
#[derive(Debug, Default)]
pub struct Warmth {
    pub operations: BTreeMap<Operation, u64>,
    pub nanoseconds: BTreeMap<Operation, f64>,
    /// Operations of which one process was watched until it was steady.
    pub settled: BTreeSet<Operation>,
}

/// Where in a run a span was taken.
#[derive(Clone, Copy, Default)]
pub struct Turn {
    pub block: u64,
    pub pass: u64,
    pub place: u64,
}

impl<'a> Runner<'a> {
    /// A line that takes part with all operations, in native code.
    pub fn new(cell: &Rc<Cell<'a>>, command: &'a [String], line: Line, place: PathBuf) -> Self {
        Self {
            cell: Rc::clone(cell),
            line,
            command,
            compiles_as_it_runs: false,
            place,
            talk: None,
            out_of: BTreeSet::new(),
            ready: Ready::default(),
            start_ns: 0,
            next_number: 0,
            done: BTreeMap::new(),
            warmth: Warmth::default(),
            latest: Duration::ZERO,
            turn: Turn::default(),
            rows: Vec::new(),
        }
    }

    /// True if it still takes part in this size.
    pub fn is_in(&self) -> bool {
        self.cell.job.operations.iter().any(|operation| self.does(*operation))
    }

    /// True if it still takes part with this operation.
    pub fn does(&self, operation: Operation) -> bool {
        !self.out_of.contains(&operation)
    }

    /// Does something that may fail; a fault is recorded and ends this line's part at this size.
    pub fn attempt<T>(
        &mut self,
        results: &mut Results,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Result<Option<T>> {
        if !self.is_in() {
            return Ok(None);
        }
        let outcome = work(self);
        let rows = std::mem::take(&mut self.rows);
        // The first operation of a process is a result of its own, whatever came after it.
        if outcome.is_ok() || self.cell.job.own_process {
            rows.iter().try_for_each(|row| results.append(row))?;
        }
        match outcome {
            Ok(done) => Ok(Some(done)),
            Err(fault) => self.give_up(results, fault).map(|()| None),
        }
    }

    /// Takes no further part, for a reason that becomes a row: with one operation, where each has processes of its own,
    /// or with any.
    pub fn give_up(&mut self, results: &mut Results, fault: Fault) -> Result<()> {
        self.talk = None;
        match fault.operation.filter(|_| self.cell.job.own_process) {
            Some(operation) => drop(self.out_of.insert(operation)),
            None => self.out_of.extend(self.cell.job.operations),
        }
        if !self.is_in() {
            workload::empty_directory(&self.place)?;
        }
        results.append(&fault.row(self.cell.job.name, Some(self.cell.size.amount), &self.line))
    }

    /// A fresh process with this line's task, ready for its first operation.
    pub fn start(&mut self, launch: &mut dyn Launch) -> Outcome<()> {
        self.stop();
        let (cell, own) = (Rc::clone(&self.cell), self.place.join("engine"));
        // It is promised to be empty, but for what a server proves itself with or seals for.
        workload::empty_directory(&own)?;
        (cell.job.place)(&cell.input, &self.line, &own)?;
        let start = Instant::now();
        let (mut talk, _version) = greet(launch, self.command, &self.place.join("stderr"))?;
        let task = Task {
            job: cell.job_name(),
            parameters: self.line.parameters.clone(),
            bytes: cell.job.is_in_bytes().then_some(cell.size.amount),
            concurrency: (!cell.job.is_in_bytes()).then_some(cell.size.amount),
            seed: cell.seed,
            directory: own.display().to_string(),
            peer: None,
        };
        match talk(&Ask::Prepare(task), cell.limit)? {
            Answer::Ready(ready) => self.ready = ready,
            other => return Err(bad_news(other)),
        }
        self.start_ns = start.elapsed().as_nanos() as u64;
        self.talk = Some(talk);
        Ok(())
    }

    pub fn stop(&mut self) {
        self.talk = None;
        self.next_number = 0;
        self.done.clear();
    }

    pub fn ask(&mut self, operation: Operation, ask: &Ask) -> Outcome<Answer> {
        let talk = self.talk.as_mut().ok_or_else(|| Fault::new(FaultKind::Died, "not running"))?;
        talk(ask, self.cell.limit).map_err(|fault| fault.during(operation))
    }

    /// An operation from file to file.
    pub fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Outcome<Sample> {
        let ask =
            Ask::Run { operation, input: input.display().to_string(), output: output.display().to_string() };
        match self.ask(operation, &ask)? {
            Answer::Done(span) => {
                let written = std::fs::metadata(output).ok().filter(|data| data.is_file());
                Ok(self.sample(operation, 1, span, written.map(|data| data.len())))
            }
            other => Err(bad_news(other).during(operation)),
        }
    }

    /// Seals the input.
    pub fn seal(&mut self, output: &Path) -> Outcome<Sample> {
        let cell = Rc::clone(&self.cell);
        self.run(Operation::Seal, &cell.input, output)
    }

    /// A span of operations; count and last output must be what was asked for.
    pub fn time(&mut self, operation: Operation, count: u64) -> Outcome<Sample> {
        let timed = (self.cell.job.time)(self, operation, count).map_err(|fault| fault.during(operation))?;
        *self.done.entry(operation).or_default() += count;
        Ok(timed)
    }

    /// Asks for a span of operations that nobody has done yet; the number of the first, and the answer.
    pub fn ask_for_span(&mut self, operation: Operation, count: u64) -> Outcome<(u64, Answer)> {
        let first = self.next_number;
        self.next_number += count;
        Ok((first, self.ask(operation, &Ask::Time { operation, first, count })?))
    }

    pub(super) fn time_in_memory(&mut self, operation: Operation, count: u64) -> Outcome<Sample> {
        match self.ask_for_span(operation, count)? {
            (first, Answer::Timed(timed)) => {
                same_count(timed.count, count)?;
                let output_bytes = self.must_be(operation, first + count - 1, &timed.sha256)?;
                Ok(self.sample(operation, count, timed.span, Some(output_bytes)))
            }
            (_, other) => Err(bad_news(other)),
        }
    }

    /// The output that an operation must have, if the lab knows.
    pub fn expected(&self, operation: Operation, number: u64) -> Option<Vec<u8>> {
        let Cell { job, seed, size, .. } = &*self.cell;
        (job.expected)(self.line.algorithm(), *seed, size.amount, operation, number)
    }

    /// The digest of an operation's output; says how long that output is.
    pub fn must_be(&self, operation: Operation, number: u64, sha256: &str) -> Outcome<u64> {
        let why = || format!("the lab has no model of {}", self.line.algorithm());
        let expected = self.expected(operation, number);
        let expected = expected.ok_or_else(|| Fault::new(FaultKind::Unsupported, why()))?;
        let Fingerprint { bytes, sha256: expected } = workload::fingerprint_of(&expected);
        if expected == sha256 {
            return Ok(bytes);
        }
        let why =
            format!("operation {number} gave an output with SHA-256 {sha256:.16}…, not {expected:.16}…");
        Err(Fault::new(FaultKind::WrongOutput, why).during(operation))
    }

    /// Operations of a kind that the present process has done.
    pub fn done(&self, operation: Operation) -> u64 {
        self.done.get(&operation).copied().unwrap_or(0)
    }

    /// A span of operations in a process that is steady, unless somebody knows better.
    pub fn sample(&self, operation: Operation, count: u64, span: Span, output_bytes: Option<u64>) -> Sample {
        Sample {
            job: self.cell.job_name(),
            size: self.cell.size.amount,
            block: self.turn.block,
            pass: self.turn.pass,
            place: self.turn.place,
            line: self.line.clone(),
            operation,
            phase: Phase::Steady,
            count,
            wall_ns: span.wall_ns,
            used: span.used,
            output_bytes,
            start_ns: None,
            core_ns: None,
            tls: None,
            requests: None,
        }
    }
}

/// An engine that did fewer operations than it was asked for has not been timed.
pub fn same_count(told: u64, asked: u64) -> Outcome<()> {
    if told == asked {
        return Ok(());
    }
    let why = format!("was asked for {asked} operations, but reported {told}");
    Err(Fault::new(FaultKind::WrongCount, why))
}

/// Starts an engine and learns which version it is.
pub fn greet(launch: &mut dyn Launch, command: &[String], stderr: &Path) -> Outcome<(Talk, String)> {
    let mut talk = launch.launch(command, stderr)?;
    let garbage = |why| Err(Fault::new(FaultKind::Garbage, why));
    match talk(&Ask::Hello { protocol: PROTOCOL }, GREETING)? {
        Answer::Hello { protocol, .. } if protocol != PROTOCOL => {
            garbage(format!("speaks protocol {protocol}, and this lab {PROTOCOL} (lab/spec/engine.md)"))
        }
        Answer::Hello { version, .. } if version.trim().is_empty() => {
            garbage(format!("hello with version {version:?}"))
        }
        Answer::Hello { version, .. } => Ok((talk, version)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobfile::Planned;

    impl<'a> Cell<'a> {
        /// The first size of a job, of which nothing is on the disk.
        pub fn for_tests(planned: &'a Planned) -> Self {
            let (size, [place, input]) = (&planned.sizes[0], ["", "input"].map(Into::into));
            let original = Fingerprint { bytes: size.amount, sha256: String::new() };
            Self { job: planned.job, size, seed: 1, place, input, original, limit: Duration::ZERO }
        }
    }

    impl<'a> Runner<'a> {
        /// A line of that size, which is not running.
        pub fn for_tests(planned: &'a Planned, line: Line) -> Self {
            let cell = Rc::new(Cell::for_tests(planned));
            Self::new(&cell, &[], line, PathBuf::new())
        }
    }
}

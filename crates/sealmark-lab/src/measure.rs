//! One size of a job: start every engine, check it, then time all of them block by block.

use crate::child::{Child, Fault};
use crate::engine::Engine;
use crate::plan;
use crate::progress::Progress;
use crate::protocol::{Answer, Ask, Operation, PROTOCOL, Shape, Task};
use crate::rows::{self, FaultKind, Results, Row};
use crate::trouble::{Result, because};
use crate::units;
use crate::workload::{self, Fingerprint, Job, Kind, Size, SplitMix64};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longer than any engine needs to say its name.
pub const GREETING: Duration = Duration::from_secs(20);

/// An engine that answered, and how to start it again.
pub struct Candidate<'a> {
    pub engine: &'a Engine,
    pub command: Vec<String>,
}

/// What all engines of one size share.
struct Cell<'a> {
    job: &'a Job,
    size: &'a Size,
    input: PathBuf,
    original: Fingerprint,
}

impl Cell<'_> {
    fn limit(&self) -> Duration {
        Duration::from_secs(self.size.timeout_seconds)
    }
}

/// Measures one size. Only trouble of the lab's own is an error; an engine's is a row.
pub fn size(
    job: &Job,
    size: &Size,
    candidates: &[Candidate],
    scratch: &Path,
    results: &mut Results,
    progress: &mut Progress,
) -> Result<()> {
    let name = units::size(size.bytes);
    progress.say(&format!("{} {name}: preparing and checking {} engines", job.name, candidates.len()));
    let input = scratch.join("input");
    let cell = Cell { job, size, original: workload::write_input(&input, job.seed, size.bytes)?, input };
    note_cold_cache(&cell, results)?;
    let mut runners = Vec::new();
    for (candidate, key) in
        candidates.iter().flat_map(|c| c.engine.keys(job.job).into_iter().map(move |k| (c, k)))
    {
        progress.now(&format!("{name}: checking {} {key}", candidate.engine.name));
        let place = scratch.join(runners.len().to_string());
        let mut runner = Runner::new(candidate, key, &place)?;
        runner
            .attempt(&cell, results, |runner, cell| runner.start(cell).and_then(|()| runner.check(cell)))?;
        runners.push(runner);
    }
    runners.retain(Runner::is_alive);
    blocks(&cell, &mut runners, results, progress)?;
    remove_all(runners.iter().map(|runner| &runner.place), &cell.input)
}

/// Three copies of the data are alive at once; where they cannot all stay in memory the disk is measured too.
fn note_cold_cache(cell: &Cell, results: &mut Results) -> Result<()> {
    let needed = cell.size.bytes.saturating_mul(3);
    match crate::machine::memory_available() {
        Some(available) if available < needed => note(
            cell,
            results,
            "input, sealed and opened file do not fit into memory: the disk is measured too".into(),
        ),
        _ => Ok(()),
    }
}

fn note(cell: &Cell, results: &mut Results, note: String) -> Result<()> {
    results.append(&Row::Note(rows::Note { job: cell.job.job.name().into(), size: cell.size.bytes, note }))
}

/// All blocks; the first one also tells how many the budget pays for.
fn blocks(cell: &Cell, runners: &mut [Runner], results: &mut Results, progress: &mut Progress) -> Result<()> {
    let mut random = SplitMix64::new(cell.job.seed ^ cell.size.bytes);
    let orders = plan::block_orders(runners.len(), cell.size.blocks, &mut random);
    let mut planned = orders.len();
    let name = units::size(cell.size.bytes);
    let start = Instant::now();
    for (block, order) in orders.iter().enumerate() {
        if block >= planned {
            break;
        }
        progress.now(&format!("{name}: block {} of {planned}", block + 1));
        for (place, &at) in order.iter().enumerate() {
            runners[at].sample(cell, block, place, results)?;
        }
        if block == 0 {
            planned =
                plan::affordable(planned, start.elapsed(), Duration::from_secs(cell.size.budget_seconds));
        }
    }
    runners.iter_mut().try_for_each(|runner| runner.attempt(cell, results, Runner::recheck))?;
    if planned < orders.len() {
        let budget = cell.size.budget_seconds;
        note(
            cell,
            results,
            format!("{planned} of {} blocks: the budget of {budget} s was spent", orders.len()),
        )?;
    }
    progress.say(&format!(
        "{} {name}: {planned} blocks in {:.0} s",
        cell.job.name,
        start.elapsed().as_secs_f64()
    ));
    Ok(())
}

fn remove_all<'a>(places: impl Iterator<Item = &'a PathBuf>, input: &Path) -> Result<()> {
    let failed = |error| because("cannot clean the scratch directory", error);
    for place in places {
        std::fs::remove_dir_all(place).map_err(failed)?;
    }
    std::fs::remove_file(input).map_err(failed)
}

/// One engine with one key at one size: a process of its own, so that its memory is its own.
struct Runner<'a> {
    candidate: &'a Candidate<'a>,
    key: String,
    place: PathBuf,
    child: Option<Child>,
    authenticated: bool,
}

/// What one engine answered about one operation.
struct Timed {
    operation: Operation,
    wall_ns: u64,
    cpu_ns: Option<u64>,
    peak_bytes: Option<u64>,
    output_bytes: Option<u64>,
}

type Outcome<T> = std::result::Result<T, Fault>;

impl<'a> Runner<'a> {
    fn new(candidate: &'a Candidate<'a>, key: &str, place: &Path) -> Result<Self> {
        std::fs::create_dir_all(place.join("engine"))
            .map_err(|error| because("cannot use the scratch directory", error))?;
        let (key, place) = (key.to_owned(), place.to_owned());
        Ok(Self { candidate, key, place, child: None, authenticated: false })
    }

    fn is_alive(&self) -> bool {
        self.child.is_some()
    }

    /// Does something that may fail; a fault is recorded and ends this engine's part at this size.
    fn attempt(
        &mut self,
        cell: &Cell,
        results: &mut Results,
        work: impl FnOnce(&mut Self, &Cell) -> Outcome<()>,
    ) -> Result<()> {
        let Err(fault) = work(self, cell) else { return Ok(()) };
        self.child = None;
        results.append(&Row::Fault(rows::Fault {
            job: cell.job.job.name().into(),
            size: Some(cell.size.bytes),
            engine: self.candidate.engine.name.clone(),
            key: Some(self.key.clone()),
            operation: fault.operation,
            kind: fault.kind,
            why: fault.why,
        }))
    }

    fn start(&mut self, cell: &Cell) -> Outcome<()> {
        let (mut child, _version) = greet(&self.candidate.command, &self.place.join("stderr"))?;
        let directory = self.place.join("engine").display().to_string();
        let ask = Ask::Prepare(Task {
            job: cell.job.job.name().into(),
            algorithm: self.key.clone(),
            shape: Shape::Tuned,
            bytes: cell.size.bytes,
            seed: cell.job.seed,
            directory,
        });
        match child.ask(&ask, cell.limit())? {
            Answer::Ready { authenticated, .. } => self.authenticated = authenticated,
            other => return Err(bad_news(other)),
        }
        self.child = Some(child);
        Ok(())
    }

    /// No check, no timing: what was sealed must open to the input, and damaged data must not open at all.
    fn check(&mut self, cell: &Cell) -> Outcome<()> {
        self.run(cell, Operation::Seal, &cell.input, &self.sealed())?;
        self.open_and_compare(cell, &self.sealed(), &self.opened())?;
        if self.authenticated {
            flip_a_bit(&self.sealed()).map_err(failed_at(Operation::Open))?;
            self.must_refuse(cell)?;
            flip_a_bit(&self.sealed()).map_err(failed_at(Operation::Open))?;
        }
        match cell.job.job {
            Kind::File => remove(&self.sealed()),
            _ => Ok(()),
        }
    }

    fn must_refuse(&mut self, cell: &Cell) -> Outcome<()> {
        let verdict = self.run(cell, Operation::Open, &self.sealed(), &self.opened());
        let _ = std::fs::remove_file(self.opened());
        match verdict {
            Err(fault) if fault.kind == FaultKind::Refused => Ok(()),
            Err(fault) => Err(fault),
            Ok(_) => {
                Err(Fault::new(FaultKind::NotRefused, "one flipped bit went unnoticed")
                    .during(Operation::Open))
            }
        }
    }

    /// One turn in a block: both operations, and their rows only once the output was right.
    fn sample(&mut self, cell: &Cell, block: usize, place: usize, results: &mut Results) -> Result<()> {
        if !self.is_alive() {
            return Ok(());
        }
        let mut timed = Vec::new();
        self.attempt(cell, results, |runner, cell| {
            timed = runner.turn(cell)?;
            Ok(())
        })?;
        timed
            .into_iter()
            .try_for_each(|timed| results.append(&Row::Sample(self.row(cell, block, place, timed))))
    }

    fn turn(&mut self, cell: &Cell) -> Outcome<Vec<Timed>> {
        match cell.job.job {
            Kind::File => {
                let sealed = self.run(cell, Operation::Seal, &cell.input, &self.sealed())?;
                let opened = self.open_and_compare(cell, &self.sealed(), &self.opened())?;
                remove(&self.sealed())?;
                Ok(vec![sealed, opened])
            }
            // Into the null device, or the figure would be that of writing a file; `recheck` compares afterwards.
            _ => {
                let sealed = self.run(cell, Operation::Seal, &cell.input, Path::new(NULL))?;
                let opened = self.run(cell, Operation::Open, &self.sealed(), Path::new(NULL))?;
                Ok(vec![sealed, opened])
            }
        }
    }

    /// A pipe's output cannot be compared while it is timed: both directions once more, into files.
    fn recheck(&mut self, cell: &Cell) -> Outcome<()> {
        if !self.is_alive() || cell.job.job == Kind::File {
            return Ok(());
        }
        remove(&self.sealed())?;
        self.run(cell, Operation::Seal, &cell.input, &self.sealed())?;
        self.open_and_compare(cell, &self.sealed(), &self.opened()).map(drop)
    }

    fn open_and_compare(&mut self, cell: &Cell, sealed: &Path, opened: &Path) -> Outcome<Timed> {
        let timed = self.run(cell, Operation::Open, sealed, opened)?;
        if !opened.is_file() {
            return Err(Fault::new(FaultKind::WrongOutput, NO_OUTPUT).during(Operation::Open));
        }
        let seen = workload::fingerprint(opened).map_err(failed_at(Operation::Open))?;
        if seen != cell.original {
            let why = format!("opened {} bytes that are not the {} sealed", seen.bytes, cell.original.bytes);
            return Err(Fault::new(FaultKind::WrongOutput, why).during(Operation::Open));
        }
        remove(opened)?;
        Ok(timed)
    }

    fn run(&mut self, cell: &Cell, operation: Operation, input: &Path, output: &Path) -> Outcome<Timed> {
        let child = self.child.as_mut().ok_or_else(|| Fault::new(FaultKind::Died, "not running"))?;
        let ask =
            Ask::Run { operation, input: input.display().to_string(), output: output.display().to_string() };
        match child.ask(&ask, cell.limit()).map_err(|fault| fault.during(operation))? {
            Answer::Done { wall_ns, cpu_ns, peak_bytes } => {
                let output_bytes =
                    std::fs::metadata(output).ok().filter(|data| data.is_file()).map(|data| data.len());
                Ok(Timed { operation, wall_ns, cpu_ns, peak_bytes, output_bytes })
            }
            other => Err(bad_news(other).during(operation)),
        }
    }

    fn row(&self, cell: &Cell, block: usize, place: usize, timed: Timed) -> rows::Sample {
        rows::Sample {
            job: cell.job.job.name().into(),
            size: cell.size.bytes,
            block: block as u64,
            place: place as u64,
            engine: self.candidate.engine.name.clone(),
            key: self.key.clone(),
            operation: timed.operation,
            wall_ns: timed.wall_ns,
            cpu_ns: timed.cpu_ns,
            peak_bytes: timed.peak_bytes,
            output_bytes: timed.output_bytes,
        }
    }

    fn sealed(&self) -> PathBuf {
        self.place.join("sealed")
    }

    fn opened(&self) -> PathBuf {
        self.place.join("opened")
    }
}

/// Starts an engine and learns which version it is.
pub fn greet(command: &[String], stderr: &Path) -> Outcome<(Child, String)> {
    let mut child = Child::start(command, stderr)?;
    match child.ask(&Ask::Hello { protocol: PROTOCOL }, GREETING)? {
        Answer::Hello { protocol: PROTOCOL, version, .. } if !version.trim().is_empty() => {
            Ok((child, version))
        }
        Answer::Hello { protocol, version, .. } => Err(Fault::new(
            FaultKind::Garbage,
            format!("hello with protocol {protocol} and version {version:?}"),
        )),
        other => Err(bad_news(other)),
    }
}

fn bad_news(answer: Answer) -> Fault {
    match answer {
        Answer::Unsupported { why } => Fault::new(FaultKind::Unsupported, why),
        Answer::Refused { why } => Fault::new(FaultKind::Refused, why),
        Answer::Failed { why } => Fault::new(FaultKind::Failed, why),
        other => Fault::new(FaultKind::Garbage, format!("an answer to another ask: {other:?}")),
    }
}

fn failed_at<E: std::fmt::Display>(operation: Operation) -> impl Fn(E) -> Fault {
    move |error| Fault::new(FaultKind::Failed, error.to_string()).during(operation)
}

const NO_OUTPUT: &str = "said it was done and left no output";

/// A missing file is an engine that said it was done and was not.
fn remove(path: &Path) -> Outcome<()> {
    std::fs::remove_file(path).map_err(|_| Fault::new(FaultKind::WrongOutput, NO_OUTPUT))
}

/// In the middle of a large file, near the end of a small one: in the payload either way.
fn flip_a_bit(path: &Path) -> std::io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    let at = if length > 1 << 16 { length / 2 } else { length.saturating_sub(20) };
    let mut byte = [0];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut byte)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&[byte[0] ^ 1])
}

#[cfg(unix)]
const NULL: &str = "/dev/null";
#[cfg(not(unix))]
const NULL: &str = "NUL";

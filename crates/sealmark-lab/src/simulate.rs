//! The whole pipeline on a machine that exists only here: engines with scripted times, on a clock that drifts, in bursts
//! of other people's work. Plans, processes, checks, ramps, blocks, rows, statistics and verdicts are the real ones.

use crate::child::{Fault, Launch, Talk};
use crate::engine::{self, Role};
use crate::measure::{self, Entry, Errand, Seen, Session};
use crate::model;
use crate::progress::Progress;
use crate::protocol::{Answer, Ask, Operation, PROTOCOL, Task};
use crate::rows::{self, Line, Results, Row};
use crate::runner::Candidate;
use crate::stats::simulated::{normal, uniform};
use crate::workload::{self, Job, Kind, Plan, SplitMix64};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// What disturbs every engine alike.
#[derive(Clone, Copy)]
pub struct Weather {
    /// How much slower the machine has become after a second of its own time.
    pub drift: f64,
    /// The share of spans that a burst of other work falls into, and how much longer those take.
    pub bursts: f64,
    pub burst: f64,
    /// Standard deviation of a span, and of a whole process.
    pub span_noise: f64,
    pub process_noise: f64,
}

/// An engine's times.
#[derive(Clone, Copy)]
pub struct Actor {
    /// Nanoseconds of one operation by size in bytes and operations done before in this process.
    pub nanoseconds: fn(u64, u64) -> f64,
    /// How much slower every other process is, by chance.
    pub second_mode: f64,
}

/// A machine with its engines.
pub struct World {
    pub weather: Weather,
    pub actors: BTreeMap<String, Actor>,
    clock_ns: f64,
    random: SplitMix64,
}

impl World {
    pub fn new(weather: Weather, actors: &[(&str, Actor)], seed: u64) -> Rc<RefCell<Self>> {
        let actors = actors.iter().map(|(name, actor)| ((*name).to_owned(), *actor)).collect();
        Rc::new(RefCell::new(Self { weather, actors, clock_ns: 0.0, random: SplitMix64::new(seed) }))
    }

    /// How long a span of ideally so many nanoseconds takes now.
    fn spend(&mut self, ideal: f64, process: f64) -> u64 {
        let weather = self.weather;
        let drift = 1.0 + weather.drift * self.clock_ns / 1e9;
        let burst = if uniform(&mut self.random) < weather.bursts { weather.burst } else { 1.0 };
        let noise = (weather.span_noise * normal(&mut self.random)).exp();
        let spent = ideal * process * drift * burst * noise;
        self.clock_ns += spent;
        spent as u64
    }
}

struct Processes(Rc<RefCell<World>>);

impl Launch for Processes {
    fn launch(&mut self, command: &[String], _stderr: &Path) -> Result<Box<dyn Talk>, Fault> {
        let mut world = self.0.borrow_mut();
        let actor = world.actors[&command[0]];
        let noise = world.weather.process_noise * normal(&mut world.random);
        let mode = if uniform(&mut world.random) < 0.5 { 1.0 + actor.second_mode } else { 1.0 };
        let world = Rc::clone(&self.0);
        Ok(Box::new(Process { world, actor, factor: mode * noise.exp(), task: None, done: BTreeMap::new() }))
    }
}

struct Process {
    world: Rc<RefCell<World>>,
    actor: Actor,
    factor: f64,
    task: Option<Task>,
    done: BTreeMap<Operation, u64>,
}

impl Talk for Process {
    fn ask(&mut self, ask: &Ask, _limit: Duration) -> Result<Answer, Fault> {
        Ok(match ask {
            Ask::Hello { .. } => {
                Answer::Hello { protocol: PROTOCOL, engine: "simulated".into(), version: "1".into() }
            }
            Ask::Prepare(task) => {
                self.task = Some(task.clone());
                Answer::Ready { authenticated: false, code: "simulated".into() }
            }
            Ask::Check { operation, number, .. } => {
                let output = self.output(*operation, *number);
                Answer::Checked { bytes: output.bytes, sha256: output.sha256 }
            }
            Ask::Time { operation, first, count } => self.time(*operation, *first, *count),
            Ask::Run { .. } => Answer::Unsupported { why: "simulated in memory only".into() },
        })
    }
}

impl Process {
    fn output(&self, operation: Operation, number: u64) -> workload::Fingerprint {
        let task = self.task.as_ref().expect("prepared");
        let job = Kind::named(&task.job).expect("a job");
        let output = model::expected(job, &task.algorithm, task.seed, task.bytes, operation, number);
        workload::fingerprint_of(&output.expect("a model"))
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        let bytes = self.task.as_ref().expect("prepared").bytes;
        let done = self.done.entry(operation).or_default();
        // Times change with the number of operations in steps at most: the span's own start tells all but one span.
        let ideal = (self.actor.nanoseconds)(bytes, *done) * count as f64;
        *done += count;
        let wall_ns = self.world.borrow_mut().spend(ideal, self.factor);
        let output = self.output(operation, first + count - 1);
        Answer::Timed {
            count,
            wall_ns,
            sha256: output.sha256,
            cpu_ns: None,
            allocated_bytes: None,
            gc_ns: None,
            peak_bytes: None,
        }
    }
}

/// Runs a job of algorithm "none" on such a machine; the first engine is the reference and runs twice.
pub fn run(world: &Rc<RefCell<World>>, engines: &[&str], job: &Job, scratch: &Path) -> Vec<Row> {
    let stanzas: Vec<engine::Engine> = engines.iter().map(|name| stanza(name)).collect();
    let candidates: Vec<Candidate> =
        stanzas.iter().map(|engine| Candidate { engine, command: vec![engine.name.clone()] }).collect();
    let mut results = Results::Memory(stanzas.iter().map(engine_row).collect());
    let mut launch = Processes(Rc::clone(world));
    let seen = Seen::new();
    let mut session = Session {
        launch: &mut launch,
        results: &mut results,
        progress: &mut Progress::silent(),
        scratch,
        seed: 7,
        full: false,
        seen,
    };
    let line = |candidate: &Candidate, again| {
        let mut line = candidate.engine.lines(job.job).remove(0);
        line.again = again;
        line
    };
    let reference = line(&candidates[0], false);
    for size in &job.sizes {
        let mut entries: Vec<Entry> =
            candidates.iter().map(|candidate| Entry { candidate, line: line(candidate, false) }).collect();
        entries.push(Entry { candidate: &candidates[0], line: line(&candidates[0], true) });
        let (reference, budget) = (Some(reference.clone()), Duration::from_secs(3600));
        let errand = Errand { job, size, entries, reference, first_block: 0, budget };
        measure::size(&mut session, &errand).expect("no trouble of the lab's own");
    }
    let Results::Memory(rows) = results else { panic!("in memory") };
    rows
}

fn stanza(name: &str) -> engine::Engine {
    engine::in_memory_for_tests(name)
}

fn engine_row(engine: &engine::Engine) -> Row {
    Row::Engine(rows::Engine {
        engine: engine.name.clone(),
        family: engine.family.clone(),
        about: String::new(),
        role: Role::Peer,
        version: "1".into(),
        jdk: None,
        in_process: true,
    })
}

/// A job in memory at these sizes.
pub fn job(sizes: &[u64], blocks: usize, ramp_ms: u64) -> Job {
    let mut text = "name = \"s\"\nabout = \"s\"\nseed = 7\n[[job]]\njob = \"cipher\"\n".to_owned();
    for bytes in sizes {
        text += &format!(
            "[[job.size]]\nbytes = {bytes}\nblocks = {blocks}\nbudget_seconds = 60\ntimeout_seconds = 60\nramp_ms = {ramp_ms}\n"
        );
    }
    Plan::parse(&text, "simulated").expect("a plan").jobs.remove(0)
}

/// The line of an engine.
pub fn line(engine: &str, again: bool) -> Line {
    Line { engine: engine.into(), algorithm: "none".into(), shape: crate::protocol::Shape::Tuned, again }
}

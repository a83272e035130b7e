//! The whole pipeline on a machine that exists only here: engines with scripted times, on a clock that drifts, in bursts
//! of other people's work. Plans, processes, checks, ramps, blocks, rows, statistics and verdicts are the real ones.

use crate::child::{Fault, Launch, Talk};
use crate::engine::Engine;
use crate::jdks::Jdk;
use crate::jobfile::{Plan, Planned};
use crate::jobs::{self, CODEC, TOY};
use crate::measure::{Begun, Candidate, Entry, Session, Trial};
use crate::progress::Progress;
use crate::protocol::{Answer, Ask, Operation, PROTOCOL, Ready, Span, Task, Timed};
use crate::rounds;
use crate::rows::Role;
use crate::rows::{self, Line, Results, Row};
use crate::stats::simulated::{normal, uniform};
use crate::usage::Used;
use crate::workload::{self, SplitMix64};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// Disturbances of a machine, which all of its engines share.
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
    fn launch(&mut self, command: &[String], _stderr: &Path) -> Result<Talk, Fault> {
        let mut world = self.0.borrow_mut();
        let actor = world.actors[&command[0]];
        let noise = world.weather.process_noise * normal(&mut world.random);
        let mode = if uniform(&mut world.random) < 0.5 { 1.0 + actor.second_mode } else { 1.0 };
        let (world, factor) = (Rc::clone(&self.0), mode * noise.exp());
        let mut process = Process { world, actor, factor, task: None, done: BTreeMap::new() };
        Ok(Box::new(move |ask: &Ask, _| Ok(process.answer(ask))))
    }

    /// Looking at all processes of the real machine would take longer than a simulated block.
    fn used_ns(&self) -> Option<u64> {
        None
    }

    fn core_ns(&self) -> Option<u64> {
        None
    }
}

struct Process {
    world: Rc<RefCell<World>>,
    actor: Actor,
    factor: f64,
    task: Option<Task>,
    done: BTreeMap<Operation, u64>,
}

impl Process {
    fn answer(&mut self, ask: &Ask) -> Answer {
        match ask {
            Ask::Hello { .. } => {
                Answer::Hello { protocol: PROTOCOL, engine: "simulated".into(), version: "1".into() }
            }
            Ask::Prepare(task) => {
                self.task = Some(task.clone());
                Answer::Ready(Ready { authenticated: false, code: "simulated".into() })
            }
            Ask::Check { operation, number, .. } => Answer::Checked(self.output(*operation, *number)),
            Ask::Time { operation, first, count } => self.time(*operation, *first, *count),
            Ask::Run { .. } => Answer::Unsupported { why: "simulated in memory only".into() },
        }
    }

    fn output(&self, operation: Operation, number: u64) -> workload::Fingerprint {
        let task = self.task.as_ref().expect("prepared");
        let job = jobs::named(&task.job).expect("a job");
        let output = (job.expected)(task.algorithm(), task.seed, task.bytes(), operation, number);
        workload::fingerprint_of(&output.expect("a model"))
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        let bytes = self.task.as_ref().expect("prepared").bytes();
        let done = self.done.entry(operation).or_default();
        // Times change with the number of operations in steps at most: the span's own start tells all but one span.
        let ideal = (self.actor.nanoseconds)(bytes, *done) * count as f64;
        *done += count;
        let wall_ns = self.world.borrow_mut().spend(ideal, self.factor);
        let output = self.output(operation, first + count - 1);
        Answer::Timed(Timed { count, sha256: output.sha256, span: Span { wall_ns, used: Used::default() } })
    }
}

/// Runs all blocks of a job of ciphers on such a machine; the first engine is the reference and runs twice.
pub fn run(world: &Rc<RefCell<World>>, engines: &[&str], job: &Planned, scratch: &Path) -> Vec<Row> {
    session(world, engines, job, scratch, |session, trials| {
        for trial in trials {
            let blocks = trial.size.blocks;
            let mut begun = Begun::of(session, trial, Duration::MAX, false).expect(NO_TROUBLE);
            (0..blocks).for_each(|_| begun.block(session, None).expect(NO_TROUBLE));
            begun.end(session).expect(NO_TROUBLE);
        }
    })
}

/// Runs what its questions need.
pub fn run_by_rounds(
    world: &Rc<RefCell<World>>,
    engines: &[&str],
    job: &Planned,
    scratch: &Path,
) -> Vec<Row> {
    by_rounds(world, engines, job, scratch, false)
}

/// Runs all blocks of each line, and then what its questions need.
pub fn run_in_full(world: &Rc<RefCell<World>>, engines: &[&str], job: &Planned, scratch: &Path) -> Vec<Row> {
    by_rounds(world, engines, job, scratch, true)
}

fn by_rounds(
    world: &Rc<RefCell<World>>,
    engines: &[&str],
    job: &Planned,
    scratch: &Path,
    full: bool,
) -> Vec<Row> {
    // In full all blocks are taken, however little time is granted.
    let budget = Some(if full { Duration::from_millis(1) } else { Duration::from_secs(3600) });
    session(world, engines, job, scratch, |session, trials| {
        session.full = full;
        rounds::all(session, trials, budget).expect(NO_TROUBLE);
    })
}

fn session(
    world: &Rc<RefCell<World>>,
    engines: &[&str],
    job: &Planned,
    scratch: &Path,
    measure: impl FnOnce(&mut Session, Vec<Trial>),
) -> Vec<Row> {
    let algorithm = match job.job {
        it if it == &CODEC => "base64",
        it if it == &TOY => "backwards",
        _ => "none",
    };
    let stanza = |name: &&str| {
        let mut engine = Engine::in_memory_for_tests(name, job.job.name, algorithm);
        engine.jdk = crate::format::family_and_version(name)
            .1
            .map(|version| Jdk { version: version.into(), home: "nowhere".into() });
        engine
    };
    let stanzas: Vec<Engine> = engines.iter().map(stanza).collect();
    let candidates: Vec<Candidate> =
        stanzas.iter().map(|engine| Candidate { engine, command: vec![engine.name.clone()] }).collect();
    let mut results = Results::default();
    results.rows.extend(stanzas.iter().map(engine_row));
    let mut launch = Processes(Rc::clone(world));
    let mut session = Session {
        launch: &mut launch,
        results: &mut results,
        progress: &mut Progress::silent(),
        scratch,
        seed: 7,
        full: false,
        deadline: None,
        core_ns: Vec::new(),
        waited: Duration::ZERO,
    };
    let line = |candidate: &Candidate, again| {
        let mut line = candidate.engine.lines(job).remove(0);
        line.again = again;
        line
    };
    let entry =
        |candidate, again| Entry { candidate, line: line(candidate, again), without: Default::default() };
    let trial = |size| {
        let mut entries: Vec<Entry> = candidates.iter().map(|candidate| entry(candidate, false)).collect();
        entries.push(entry(&candidates[0], true));
        Trial { job, size, entries, reference: Some(line(&candidates[0], false)) }
    };
    measure(&mut session, job.sizes.iter().map(trial).collect());
    results.rows
}

const NO_TROUBLE: &str = "no trouble of the lab's own";

fn engine_row(engine: &Engine) -> Row {
    Row::Engine(rows::Engine {
        engine: engine.name.clone(),
        family: engine.family.clone(),
        about: String::new(),
        role: Role::Peer,
        version: "1".into(),
        jdk: engine.jdk.as_ref().map(|jdk| jdk.version.clone()),
        in_process: true,
    })
}

/// A job of ciphers at these sizes.
pub fn job(sizes: &[u64], blocks: usize, ramp_ms: u64) -> Planned {
    job_of("cipher", sizes, blocks, ramp_ms)
}

pub fn job_of(job: &str, sizes: &[u64], blocks: usize, ramp_ms: u64) -> Planned {
    let mut text = format!("name = \"s\"\nabout = \"s\"\nseed = 7\n[[job]]\njob = \"{job}\"\n");
    for bytes in sizes {
        text += &format!(
            "[[job.size]]\nbytes = {bytes}\nblocks = {blocks}\nbudget_seconds = 60\ntimeout_seconds = 60\nramp_ms = {ramp_ms}\n"
        );
    }
    Plan::parse(&text, "simulated").expect("a plan").jobs.remove(0)
}

/// The line of an engine.
pub fn line(engine: &str, again: bool) -> Line {
    Line { again, ..Line::new(engine, "none", "tuned") }
}

mod publication;

mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::compare;
    use crate::document;
    use crate::document::Document;
    use crate::rows::Phase;
    use crate::stats::verdict::{Terms, Verdict, verdict};
    use crate::summary;

    const RUNS: u64 = 2_000;

    /// Runs with a quadratic, and with a slow start.
    const SEEDS: u64 = 100;

    const FAIR: Weather =
        Weather { drift: 0.0, bursts: 0.0, burst: 1.0, span_noise: 0.02, process_noise: 0.005 };

    fn actor(nanoseconds: fn(u64, u64) -> f64) -> Actor {
        Actor { nanoseconds, second_mode: 0.0 }
    }

    /// How "different" came out against the reference, over both operations of each run: of the reference itself, and
    /// of an engine that takes a twentieth longer. In hundredths of all verdicts.
    fn shares(weather: Weather, second_mode: f64, runs: u64, seed: u64) -> (f64, f64) {
        let scratch = tempfile::tempdir().unwrap();
        let job = job(&[49], 10, 0);
        let (mut again, mut slower, mut all) = (0, 0, 0);
        for run in 0..runs {
            let actors = [
                ("reference", Actor { nanoseconds: |_, _| 1_000.0, second_mode }),
                ("twentieth", Actor { nanoseconds: |_, _| 1_050.0, second_mode }),
            ];
            let world = World::new(weather, &actors, seed + run);
            let rows = super::run(&world, &["reference", "twentieth"], &job, scratch.path());
            for cell in summary::cells(&rows) {
                let of = |wanted: &Line| cell.lines.iter().find(|line| line.line == *wanted).unwrap();
                let (reference, twin) = (of(&line("reference", false)), of(&line("reference", true)));
                let slow = cell.compare(of(&line("twentieth", false)), reference).unwrap();
                slower += u64::from(slow.verdict == Verdict::Slower);
                // Without the noise floor, which comes from this very comparison.
                let interval = cell.compare(twin, reference).unwrap().interval;
                let blind = verdict(interval.as_ref(), twin.least / reference.least, Terms::default());
                again += u64::from(matches!(blind, Verdict::Faster | Verdict::Slower));
                all += 1;
            }
        }
        assert_eq!(all, 2 * runs);
        (100.0 * again as f64 / all as f64, 100.0 * slower as f64 / all as f64)
    }

    #[test]
    fn two_thousand_runs_call_no_more_different_than_is_and_find_what_is() {
        let drifting = Weather { drift: 0.5, ..FAIR };
        let bursty = Weather { drift: 0.5, bursts: 0.05, burst: 1.3, ..FAIR };
        let mut worst = Vec::new();
        for (name, weather, second_mode, least) in [
            ("quiet", FAIR, 0.0, 90.0),
            ("drift", drifting, 0.0, 90.0),
            ("drift and bursts", bursty, 0.0, 90.0),
            // Two modes a tenth apart hide a twentieth, and should.
            ("drift and two modes", drifting, 0.1, 0.0),
        ] {
            let (again, slower) = shares(weather, second_mode, RUNS / 4, 1_000 * worst.len() as u64);
            worst
                .push(format!("{name}: itself called different in {again:.1} %, 5 % found in {slower:.1} %"));
            assert!(again <= 7.0 && slower >= least, "{worst:?}");
        }
        println!("{}", worst.join("\n"));
    }

    /// "Use alike or reference: they take the same time.", or one of them, while all that is told of others is so.
    fn is_right(headline: &str) -> bool {
        let (chosen, more) = headline.split_once(". ").unwrap_or((headline, ""));
        let (names, is_same) = match chosen.trim_end_matches('.').split_once(": ") {
            Some((names, same)) => (names, same == "they take the same time"),
            None => (chosen.trim_end_matches('.'), true),
        };
        let Some(names) = names.strip_prefix("Use ") else { return false };
        let is_fast = names.split(" or ").all(|name| ["reference", "alike"].contains(&name));
        let most = |told: &str| told.split_whitespace().rev().nth(2)?.parse().ok();
        let is_so = more.is_empty()
            || most(more).is_some_and(|most: u32| most >= if more.contains("hirtieth") { 4 } else { 0 });
        is_fast && is_same && is_so && !more.contains("wice")
    }

    /// Counts, for each weather, the runs by rounds that told the question, and those of them that told it wrong.
    /// Two engines are alike, one takes a thirtieth longer, which is more than the band, and one twice the time.
    fn told_and_wrong(runs: u64) -> Vec<(&'static str, u64, u64)> {
        let drifting = Weather { drift: 0.5, ..FAIR };
        let weathers = [
            ("quiet", FAIR, 0.0),
            ("drift", drifting, 0.0),
            ("bursts", Weather { bursts: 0.05, burst: 1.3, ..drifting }, 0.0),
            ("two modes", drifting, 0.1),
            ("pages given back", Weather { bursts: 0.125, burst: 7.0, ..FAIR }, 0.0),
            ("half of the machine taken", Weather { bursts: 0.5, burst: 2.0, span_noise: 0.1, ..FAIR }, 0.0),
        ];
        let scratch = tempfile::tempdir().unwrap();
        let job = job_of("codec", &[49], 6, 0);
        let of = |(name, weather, second_mode): (&'static str, Weather, f64)| {
            let (mut told, mut wrong) = (0, 0);
            for seed in 0..runs {
                let actor = |nanoseconds| Actor { nanoseconds, second_mode };
                let actors = [
                    ("reference", actor(|_, _| 1_000.0)),
                    ("alike", actor(|_, _| 1_000.0)),
                    ("thirtieth", actor(|_, _| 1_033.0)),
                    ("twice", actor(|_, _| 2_000.0)),
                ];
                let world = World::new(weather, &actors, seed);
                let rows = run_by_rounds(&world, &actors.map(|(name, _)| name), &job, scratch.path());
                let document = Document::of_rows(&rows);
                let answer = &document.answers[0];
                told += u64::from(answer.is_told);
                // Nothing is to be avoided among engines that are level from their first operation on.
                let is_warned = document.short.iter().any(|section| section.id == "avoid");
                wrong += u64::from(is_warned || answer.is_told && !is_right(&answer.headline));
            }
            (name, told, wrong)
        };
        weathers.into_iter().map(of).collect()
    }

    #[test]
    fn few_rounds_tell_what_is_not_so() {
        let seen = told_and_wrong(50);
        println!("{seen:?}");
        assert!(seen.iter().map(|(.., wrong)| wrong).sum::<u64>() <= 3, "{seen:?}");
        // A lab that told nothing would tell nothing wrong. Two modes hide a thirtieth; half of the machine hides it all.
        for ((name, told, _), least) in seen.iter().zip([45, 45, 45, 3, 45, 0]) {
            assert!(*told >= least, "{name}: {told} of 50 told");
        }
    }

    #[test]
    #[ignore = "a thousand runs in each weather: make soak"]
    fn of_a_thousand_runs_in_each_weather_ten_may_be_wrong() {
        let seen = told_and_wrong(1_000);
        println!("{seen:?}");
        assert!(seen.iter().all(|(.., wrong)| *wrong <= 10), "{seen:?}");
    }

    /// A runtime that compiles for a while; then a collector's pause falls into one span of eight.
    fn of_a_jvm(done: u64) -> f64 {
        match done {
            ..20_000 => 9_000.0,
            20_000..60_000 => 2_500.0,
            _ if (done / 4_096).is_multiple_of(8) => 1_400.0,
            _ => 1_200.0,
        }
    }

    #[test]
    fn a_runtime_that_compiles_and_collects_is_told_by_its_steady_time_and_warned_of() {
        let scratch = tempfile::tempdir().unwrap();
        let job = job_of("codec", &[49], 6, 600);
        let weathers = [FAIR, Weather { drift: 0.01, bursts: 0.05, burst: 1.3, ..FAIR }];
        for (seed, weather) in (0..6).zip(weathers.into_iter().cycle()) {
            let actors = [
                ("reference", actor(|_, _| 1_000.0)),
                ("virtual 25", actor(|_, done| of_a_jvm(done))),
                ("twice", actor(|_, _| 2_000.0)),
            ];
            let world = World::new(weather, &actors, seed);
            let rows = run_by_rounds(&world, &actors.map(|(name, _)| name), &job, scratch.path());
            let document = Document::of_rows(&rows);
            let answer = &document.answers[0];
            let is_right = answer.headline.starts_with("Use reference. In a JVM use virtual.");
            assert!(answer.is_told && is_right, "{seed}: {answer:#?}");
            let cells = summary::cells(&rows);
            let jvm = cells[0].lines.iter().find(|line| line.jdk.is_some()).unwrap();
            assert!(jvm.is_steady && (1_100.0..1_500.0).contains(&jvm.time()), "{seed}: {} ns", jvm.time());
            let avoid = document.short.iter().find(|section| section.id == "avoid").unwrap();
            let told: String = avoid.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
            assert!(told.contains("virtual on JDK 25"), "{seed}: {told}");
            assert!(!told.contains("reference") && !told.contains("twice"), "{seed}: {told}");
        }
    }

    /// The budget ends while the processes of a block warm up.
    #[test]
    fn a_block_that_is_broken_off_is_none() {
        let (scratch, job) = (tempfile::tempdir().unwrap(), job_of("codec", &[49], 6, 0));
        let actors = [("one", actor(|_, _| 1_000.0)), ("other", actor(|_, _| 9_000.0))];
        let world = World::new(FAIR, &actors, 1);
        let rows = session(&world, &["one", "other"], &job, scratch.path(), |session, mut trials| {
            let mut begun = Begun::of(session, trials.remove(0), Duration::MAX, false).unwrap();
            begun.block(session, None).unwrap();
            session.deadline = Some(std::time::Instant::now());
            begun.block(session, None).unwrap();
            assert_eq!((begun.blocks, begun.is_alive()), (1, false));
            begun.end(session).unwrap();
        });
        let notes =
            rows.iter().filter_map(|row| if let Row::Note(it) = row { Some(it.words()) } else { None });
        assert_eq!(notes.collect::<Vec<_>>(), ["block 2 was broken off: the budget was spent"]);
        assert_eq!(rows::blocks(&rows).count(), 1);
    }

    /// Two runs of a job, of which the later has this line.
    fn two_runs(weather: Weather, later: fn(u64, u64) -> f64, seed: u64) -> [Vec<Row>; 2] {
        let scratch = tempfile::tempdir().unwrap();
        let job = job(&[49], 12, 0);
        let measured = |line: fn(u64, u64) -> f64, seed| {
            let actors = [
                ("reference", actor(|_, _| 1_000.0)),
                ("other", actor(|_, _| 3_000.0)),
                ("ours", actor(line)),
            ];
            let world = World::new(weather, &actors, seed);
            super::run(&world, &actors.map(|(name, _)| name), &job, scratch.path())
        };
        [measured(|_, _| 1_200.0, 2 * seed), measured(later, 2 * seed + 1)]
    }

    /// The lines that the gate calls slower, and whether it lets them pass.
    fn gated([before, after]: &[Vec<Row>; 2], max_slower: f64) -> (Vec<String>, bool) {
        let (told, is_passed) = compare::gate(before, after, max_slower).unwrap();
        (told.lines().filter(|line| line.starts_with("slower: ")).map(str::to_owned).collect(), is_passed)
    }

    const DRIFTING: Weather = Weather { drift: 0.5, ..FAIR };

    /// Processes of a runtime that compiles differ more.
    const OF_A_JVM: Weather = Weather { drift: 0.5, span_noise: 0.03, process_noise: 0.015, ..FAIR };

    #[test]
    fn a_gate_lets_every_unchanged_build_pass() {
        let weathers = [FAIR, DRIFTING, Weather { bursts: 0.05, burst: 1.3, ..DRIFTING }, OF_A_JVM];
        for seed in 0..200 {
            let runs = two_runs(weathers[seed as usize % weathers.len()], |_, _| 1_200.0, seed);
            assert_eq!(gated(&runs, 0.02).0, Vec::<String>::new(), "{seed}");
            assert_eq!(gated(&runs, 0.05), (Vec::new(), true), "{seed}");
        }
    }

    #[test]
    fn a_gate_finds_a_twentieth_and_in_a_jvm_a_tenth() {
        let is_found = |(slower, is_passed): (Vec<String>, bool)| {
            !is_passed && !slower.is_empty() && slower.iter().all(|line| line.contains("ours"))
        };
        let found = |weather, later, max_slower, from| {
            (from..from + 20)
                .filter(|seed| is_found(gated(&two_runs(weather, later, *seed), max_slower)))
                .count()
        };
        let native = found(DRIFTING, |_, _| 1_260.0, 0.02, 1_000);
        let jvm = found(OF_A_JVM, |_, _| 1_320.0, 0.04, 2_000);
        assert!(native >= 19 && jvm >= 19, "{native} and {jvm} of 20 found");
    }

    /// A report without its line breaks.
    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The recipe of lab/README.md: a room, and its place among all. Plan, engines' stanzas, check, rounds, answers, tables,
    /// page, CSV and JSON know it by these.
    #[test]
    fn a_job_that_a_test_adds_is_measured_and_told() {
        let scratch = tempfile::tempdir().unwrap();
        let actors = [("slow", actor(|_, _| 3_000.0)), ("quick", actor(|_, _| 1_000.0))];
        let job = job_of(TOY.name, &[49], 6, 0);
        let rows = run_by_rounds(&World::new(FAIR, &actors, 3), &["slow", "quick"], &job, scratch.path());
        let document = Document::of_rows(&rows);
        let [answer] = &document.answers[..] else { panic!("{:#?}", document.answers) };
        assert_eq!((answer.about.as_str(), answer.is_told), ("text backwards, 49 bytes", true));
        assert!(answer.headline.starts_with("Use quick."), "{}", answer.headline);
        let line = rows.iter().find_map(|row| if let Row::Checked(it) = row { Some(&it.line) } else { None });
        assert_eq!(line.unwrap().parameters.iter().collect::<Vec<_>>(), [("algorithm", "backwards")]);
        assert!(document::json(&rows).contains("\"algorithm\": \"backwards\""));
        assert!(document::long(&Document::of_rows(&rows)).contains("toy, 49 bytes, encode: "));
        assert!(document::json(&rows).contains("\"job\": \"toy\""));
        assert!(crate::page::html("toy.jsonl", &rows).contains("Job toy</h2>"));
        let csv = crate::export::csv(&rows).unwrap();
        assert!(["backwards,", ",quick,", ",toy,", ",bytes,"].iter().all(|part| csv.contains(part)), "{csv}");
    }

    #[test]
    fn a_quadratic_is_always_named_and_a_line_never() {
        let scratch = tempfile::tempdir().unwrap();
        let sizes: Vec<u64> = (0..7).map(|step| 1_024 << step).collect();
        let job = job(&sizes, 8, 0);
        // Sizes are measured one after the other: a machine that became a fifth slower meanwhile would bend a line.
        let weather = Weather { drift: 0.005, bursts: 0.05, burst: 1.3, ..FAIR };
        for seed in 0..SEEDS {
            let actors = [
                ("line", actor(|bytes, _| 500.0 + bytes as f64)),
                ("quadratic", actor(|bytes, _| 500.0 + bytes as f64 + (bytes as f64).powi(2) / 512.0)),
            ];
            let world = World::new(weather, &actors, seed);
            let rows = super::run(&world, &["line", "quadratic"], &job, scratch.path());
            let text = words(&document::long(&Document::of_rows(&rows)));
            let (_, after) = text.split_once("Cipher that grows faster than its input: ").unwrap();
            let named = after.split('.').next().unwrap();
            assert!(named.contains("quadratic") && !named.contains("line"), "{seed}: {named}");
        }
    }

    /// The compiler of SunJCE on JDK 27 replaces fast code by slow code, and that by fast code again, here before the ramp has
    /// ended and there behind it.
    #[test]
    fn slow_code_for_a_while_is_not_steady_and_changes_no_choice() {
        fn plateau(done: u64, end: u64) -> f64 {
            match done {
                ..36_000 => 9_000.0,
                36_000..90_000 => 1_500.0,
                _ if done < end => 5_300.0,
                _ => 1_500.0,
            }
        }
        let scratch = tempfile::tempdir().unwrap();
        let job = job_of("codec", &[49], 6, 1_200);
        for early in [|_, done| plateau(done, 110_000), |_, done| plateau(done, 180_000)] {
            let actors = [
                ("reference", actor(|_, _| 1_000.0)),
                ("plateau 27", actor(early)),
                ("level 27", actor(|_, _| 2_300.0)),
            ];
            let world = World::new(FAIR, &actors, 1);
            let rows = run_by_rounds(&world, &actors.map(|(name, _)| name), &job, scratch.path());
            let headline = Document::of_rows(&rows).answers.remove(0).headline;
            assert!(headline.contains("In a JVM use plateau."), "{headline}");
            let steady = rows.iter().filter_map(|row| match row {
                Row::Sample(it) if it.phase == Phase::Steady && it.line.engine == "plateau 27" => Some(it),
                _ => None,
            });
            let times: Vec<f64> = steady.map(|it| it.wall_ns as f64 / it.count as f64).collect();
            assert!(!times.is_empty() && times.iter().all(|ns| *ns < 2_000.0), "{times:?}");
        }
    }

    /// Two seconds tell that no compilation follows; the next process of the line need only become as fast.
    #[test]
    fn one_process_of_a_runtime_is_watched_for_long_and_the_next_until_it_is_as_fast() {
        let slow = actor(|_, done| if done < 20 { 9e6 } else { 1e6 });
        let world = World::new(FAIR, &[("virtual 27", slow)], 1);
        let scratch = tempfile::tempdir().unwrap();
        let rows = super::run(&world, &["virtual 27"], &job(&[49], 2, 100), scratch.path());
        let warm = |block| {
            let ends =
                rows.iter().position(|row| matches!(row, Row::Block(it) if it.block == block)).unwrap();
            rows[..ends].iter().filter_map(|row| match row {
                Row::Ramp(span) if !span.line.again => Some(span.wall_ns),
                _ => None,
            })
        };
        let [first, second] = [0, 1].map(|block| warm(block).sum::<u64>() / 1_000_000);
        // Each of the two operations warms up for two seconds.
        assert!((4_000..5_000).contains(&first) && second - first < 1_000, "{first}, {second} ms");
        assert!(warm(0).count() < 400, "{} spans", warm(0).count());
    }

    #[test]
    fn a_slow_start_is_always_named_with_its_length() {
        let scratch = tempfile::tempdir().unwrap();
        // Code compiled before it runs is watched for a fifth of the time: this machine's engines are such.
        let job = job(&[1 << 10], 6, 10_000);
        let weather = Weather { bursts: 0.05, burst: 1.3, ..FAIR };
        for seed in 0..SEEDS {
            let actors = [
                ("level", actor(|_, _| 200_000.0)),
                ("slow", actor(|_, done| if done < 100 { 9_000_000.0 } else { 200_000.0 })),
            ];
            let world = World::new(weather, &actors, seed);
            let rows = super::run(&world, &["level", "slow"], &job, scratch.path());
            let text = words(&document::long(&Document::of_rows(&rows)));
            let (_, after) = text.split_once("In processes that end soon: ").unwrap();
            let named = after.split('.').next().unwrap();
            let (_, count) = after.split_once(" × slower for ").unwrap();
            assert!(named.starts_with("slow") && !named.contains("level"), "{seed}: {after}");
            assert!(count.starts_with("100 operations."), "{seed}: {after}");
        }
    }
}

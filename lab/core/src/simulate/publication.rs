//! A publication that exists only here (tests/data/simulated.json): two engines on six JDKs, of which one is quadratic before
//! 21. It was measured on another machine, which took thrice the time.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::afford;
use crate::claims::{Finding, Measured};
use crate::engine::Engine;
use crate::history::Published;
use crate::jdks::{self, Jdk};
use crate::select;
use crate::stats::growth;
use crate::summary::{self, fixtures, growths};
use proptest::prelude::*;
use std::collections::BTreeSet;

const JDKS: [&str; 6] = ["1.8.0_1", "11.0.1", "17.0.1", "21.0.1", "25.0.1", "27"];
const SIZES: [u64; 6] = [1_024, 2_048, 4_096, 8_192, 16_384, 65_536];

/// Nanoseconds for so many bytes.
fn new(bytes: u64, _: u64) -> f64 {
    20_000.0 * bytes as f64 / 1_024.0
}

fn linear(bytes: u64, _: u64) -> f64 {
    new(bytes, 0) / 4.0
}

fn quadratic(bytes: u64, _: u64) -> f64 {
    linear(bytes, 0) + 1.2 * (bytes as f64).powi(2)
}

fn nanoseconds(family: &str, jdk: &str) -> fn(u64, u64) -> f64 {
    match family {
        "New" => new,
        _ if jdks::major(jdk) < 21 => quadratic,
        _ => linear,
    }
}

fn all() -> Vec<(&'static str, &'static str)> {
    ["Old", "New"].into_iter().flat_map(|family| JDKS.map(|jdk| (family, jdk))).collect()
}

fn engines() -> Vec<Engine> {
    let engine = |(family, jdk): (&str, &str)| {
        let mut engine = Engine::in_memory_for_tests(family, "cipher", "none");
        engine.name = format!("{family} {jdk}");
        engine.jdk = Some(Jdk { version: jdk.into(), home: "nowhere".into() });
        engine
    };
    all().into_iter().map(engine).collect()
}

fn planned() -> Planned {
    let mut job = job(&SIZES, 6, 100);
    job.reference = Some("New".to_owned().try_into().unwrap());
    job.sizes.iter_mut().for_each(|size| size.timeout_seconds = 2);
    job
}

fn trials<'a>(job: &'a Planned, candidates: &'a [Candidate<'a>]) -> Vec<Trial<'a>> {
    let of_size = |size| select::trial(job, size, &[], candidates, &[]);
    job.sizes.iter().map(of_size).collect()
}

/// Runs it within a budget, and judges each conclusion on each JDK.
fn findings(budget: u64) -> Vec<(String, &'static str, Finding)> {
    let (scratch, job, engines) = (tempfile::tempdir().unwrap(), planned(), engines());
    let actors: Vec<(String, Actor)> = engines
        .iter()
        .zip(all())
        .map(|(engine, (family, jdk))| {
            (engine.name.clone(), Actor { nanoseconds: nanoseconds(family, jdk), second_mode: 0.0 })
        })
        .collect();
    let actors: Vec<(&str, Actor)> = actors.iter().map(|(name, actor)| (name.as_str(), *actor)).collect();
    let weather = Weather { drift: 0.0, bursts: 0.0, burst: 1.0, span_noise: 0.02, process_noise: 0.005 };
    let world = World::new(weather, &actors, 5);
    let mut results = Results::default();
    let header = rows::Header { history: Some("simulated".into()), ..fixtures::header(Default::default()) };
    results.rows.push(Row::Header(header));
    results.rows.extend(engines.iter().map(engine_row));
    let candidates: Vec<Candidate> =
        engines.iter().map(|engine| Candidate { engine, command: vec![engine.name.clone()] }).collect();
    let session = &mut Session {
        launch: &mut Processes(Rc::clone(&world)),
        results: &mut results,
        progress: &mut Progress::silent(),
        scratch: scratch.path(),
        seed: 7,
        full: false,
        deadline: None,
        core_ns: Vec::new(),
        waited: Duration::ZERO,
    };
    rounds::all(session, trials(&job, &candidates), Some(Duration::from_secs(budget))).unwrap();
    let cells = summary::cells(&results.rows);
    let grown = growths::growths(&results.rows, &cells);
    let mut findings = Vec::new();
    for claim in Published::of("simulated").unwrap().claims {
        for jdk in JDKS.iter().filter(|jdk| claim.is_about(jdks::major(jdk))) {
            let judged = claim.judge(&Measured { cells: &cells, grown: &grown, jdk: Some(jdk) });
            let parts =
                judged.parts.iter().map(|part| format!("{} {:?} {:?}", part.what, part.finding, part.seen));
            findings.push((
                format!("{}: {}", claim.says, parts.collect::<Vec<_>>().join("; ")),
                *jdk,
                judged.finding,
            ));
        }
    }
    findings
}

/// All would take more than ten minutes; by its sizes each of them would be measured on few JDKs.
#[test]
fn conclusions_on_six_jdks_end_within_a_budget() {
    let findings = findings(260);
    assert_eq!(findings.len(), 12);
    assert!(findings.iter().all(|(.., finding)| *finding != Finding::Undecided), "{findings:#?}");
}

/// The lines that are kept: size, engine, and whether it runs twice.
fn kept(budget: f64) -> (BTreeSet<(u64, String, bool)>, f64) {
    let (job, engines) = (planned(), engines());
    let candidates: Vec<Candidate> =
        engines.iter().map(|engine| Candidate { engine, command: Vec::new() }).collect();
    let mut trials = trials(&job, &candidates);
    let figures = Published::of("simulated").unwrap().figures;
    let claims = Published::of("simulated").unwrap().claims;
    afford::leave_out(&mut trials, Duration::from_secs_f64(budget), &claims, &figures);
    let seconds = afford::needed(&trials, &figures).iter().sum::<Duration>().as_secs_f64();
    let of_trial = |trial: &Trial| -> Vec<(u64, String, bool)> {
        let told = |it: &Entry| (trial.size.amount, it.line.engine.clone(), it.line.again);
        trial.entries.iter().map(told).collect()
    };
    (trials.iter().flat_map(of_trial).collect(), seconds)
}

proptest! {
    #[test]
    fn first_blocks_never_take_more_than_the_budget(budget in 0.0..1_000.0_f64) {
        let (_, seconds) = kept(budget);
        prop_assert!(seconds <= budget, "{seconds} of {budget}");
    }
}

#[test]
fn both_sides_of_a_conclusion_and_the_cheapest_sizes_of_a_growth_come_first() {
    // Enough for one of them on one JDK, the newest.
    let (first, _) = kept(9.0);
    let line = |size, engine: &str, again| (size, engine.to_owned(), again);
    let sides = [line(1_024, "New 27", false), line(1_024, "New 27", true), line(1_024, "Old 27", false)];
    assert_eq!(first, sides.into());
    // One more: five sizes tell a growth, the cheapest of them.
    let (more, _) = kept(25.0);
    let of_old: BTreeSet<u64> = more.iter().filter(|it| it.1 == "Old 27").map(|it| it.0).collect();
    assert_eq!(of_old, SIZES[..growth::FEWEST_SIZES].iter().copied().collect());
    assert_eq!(more.iter().filter(|it| it.2).count(), 1, "{more:#?}");
}

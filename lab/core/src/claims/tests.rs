//! Data that confirm each claim and data that refute it. `published` puts the published figures through the claims about them,
//! `open` has results on which a claim must stay open.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::history::Published;
use crate::rows::Role;
use crate::rows::{self, Phase, Row};
use crate::summary::fixtures::steady;
use crate::summary::growths;
use std::collections::BTreeMap;

mod bounds;
mod open;
mod published;

const ALL: [&str; 4] = ["log-tuning", "nkcryptotool", "peppol-gcm", "tls-2009"];

/// The conclusions of a publication.
fn concluded(name: &str) -> Vec<Claim> {
    Published::of(name).unwrap().claims
}

/// Job, size, operation, family, algorithm and way of use of a line.
type Key = (String, u64, Operation, String, String, String);

/// The figures of a line, the same in every block.
#[derive(Clone)]
struct Shown {
    ns: f64,
    cpu: f64,
    cold: Option<f64>,
    peak: Option<f64>,
    allocated: Option<f64>,
    released: Option<u64>,
    blocks: u64,
}

const USUAL: Shown =
    Shown { ns: 1e9, cpu: 1e9, cold: None, peak: None, allocated: None, released: None, blocks: 8 };

/// A run on a machine without any noise, on one JDK or without one.
#[derive(Default, Clone)]
struct World {
    jdk: Option<String>,
    lines: BTreeMap<Key, Shown>,
    /// Each line is measured against itself, too, and the second is slower by this factor.
    noise: f64,
}

impl World {
    fn on(jdk: &str) -> Self {
        Self { jdk: Some(jdk.into()), noise: 1.0, ..Self::default() }
    }

    fn line(&mut self, key: &Key) -> &mut Shown {
        self.lines.entry(key.clone()).or_insert(USUAL)
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for ((job, size, operation, family, algorithm, how), shown) in &self.lines {
            let engine = self.jdk.as_ref().map_or(family.clone(), |jdk| format!("{family} {jdk}"));
            let is_floor = ["copy", "bare", "cat", "tomcat-plain"].contains(&family.as_str());
            rows.push(Row::Engine(rows::Engine {
                engine: engine.clone(),
                family: family.clone(),
                about: String::new(),
                role: if is_floor { Role::Yardstick } else { Role::Peer },
                version: "1".into(),
                jdk: self.jdk.clone(),
                in_process: true,
            }));
            for (again, noise) in [(false, 1.0), (true, self.noise)] {
                let line = rows::Line { again, ..rows::Line::new(&engine, algorithm, how) };
                rows.push(Row::Checked(rows::Checked {
                    job: job.clone(),
                    size: *size,
                    line: line.clone(),
                    authenticated: true,
                    code: String::new(),
                    output_bytes: *size,
                    sha256: String::new(),
                    released_bytes: shown.released,
                }));
                for block in 0..shown.blocks {
                    let mut sample =
                        steady(job, *size, &line, *operation, block, (shown.ns * 1e3 * noise) as u64);
                    // Nanoseconds have no fractions: as many operations as keep four digits.
                    sample.count = 1_000;
                    sample.used.cpu_ns = Some((shown.cpu * 1e3) as u64);
                    sample.used.peak_bytes = shown.peak.map(|bytes| bytes as u64);
                    sample.used.allocated_bytes = shown.allocated.map(|bytes| (bytes * 1e3) as u64);
                    if let Some(cold) = shown.cold {
                        let phase = Phase::Cold;
                        rows.push(Row::Sample(rows::Sample {
                            phase,
                            count: 1,
                            wall_ns: cold as u64,
                            ..sample.clone()
                        }));
                    }
                    rows.push(Row::Sample(sample));
                }
            }
        }
        rows
    }

    fn judge(&self, claim: &Claim) -> Judged {
        judged(&self.rows(), claim, self.jdk.as_deref())
    }

    fn finding(&self, claim: &Claim) -> Finding {
        self.judge(claim).finding
    }
}

fn judged(rows: &[Row], claim: &Claim, jdk: Option<&str>) -> Judged {
    let cells = crate::summary::cells(rows);
    let grown = growths::growths(rows, &cells);
    claim.judge(&Measured { cells: &cells, grown: &grown, jdk })
}

const SIZES: [u64; 8] =
    [112_640, 532_480, 1_054_720, 5_242_880, 10_485_760, 20_971_520, 52_428_800, 104_857_600];

/// A line that a pattern names.
fn concrete(pattern: &Pattern, job: &str, engine: &str, how: &str) -> (String, String, String) {
    let text = pattern.to_string();
    let mut parts = text.split('/');
    let mut part = |usual: &str| parts.next().filter(|part| *part != "*").unwrap_or(usual).to_owned();
    let is_tls = job.starts_with("tls-");
    let way = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";
    let engine = part(engine);
    let algorithm = part(if is_tls { way } else { "X25519" }).replace(" *", " none RSA-1024");
    let how = part(if is_tls { "nodelay" } else { how });
    (engine, algorithm, how)
}

impl Test {
    fn some_sizes(&self) -> Vec<u64> {
        match () {
            () if !self.sizes.is_empty() => self.sizes.clone(),
            () if self.metric == Metric::Exponent => SIZES.to_vec(),
            () if self.from_size > 0 => vec![self.from_size],
            () => vec![self.to_size.unwrap_or(49).min(49)],
        }
    }

    /// Where its figures stand: the left line's, and the right one's.
    fn pairs(&self) -> Vec<(Key, Option<Key>)> {
        let job = self.job.clone().unwrap_or("file".into());
        let usual = if job == "log-app" { Operation::Serve } else { Operation::Seal };
        let operations = if self.operations.is_empty() { vec![usual] } else { self.operations.clone() };
        let mut pairs = Vec::new();
        for (size, operation) in
            self.some_sizes().into_iter().flat_map(|size| operations.iter().map(move |it| (size, *it)))
        {
            for left in &self.left {
                let (engine, algorithm, how) = concrete(left, &job, "ours", "tuned");
                let key = (job.clone(), size, operation, engine, algorithm, how);
                if self.right.is_empty() {
                    pairs.push((key.clone(), None));
                }
                for right in &self.right {
                    let (engine, algorithm, how) = concrete(right, &job, "theirs", "tuned");
                    let algorithm =
                        if self.same.contains(&Same::Algorithm) { key.4.clone() } else { algorithm };
                    let operation = self.right_operation.unwrap_or(operation);
                    pairs.push((key.clone(), Some((job.clone(), size, operation, engine, algorithm, how))));
                }
            }
        }
        pairs
    }

    /// A figure well within its bounds, or well beyond one.
    fn target(&self, holds: bool) -> f64 {
        match (self.at_least, self.most()) {
            (Some(least), Some(most)) if holds => (least * most).sqrt(),
            (Some(least), None) if holds => least * 1.5,
            // Nothing takes less time than a floor.
            (_, Some(most)) if holds && self.floor => most.sqrt(),
            (_, Some(most)) if holds => most / 1.5,
            (Some(least), _) => least / 1.5,
            (_, most) => most.unwrap() * 1.5,
        }
    }

    fn is_as_wanted(&self, seen: f64, holds: bool) -> bool {
        let (least, most) = (self.at_least.unwrap_or(0.0), self.most().unwrap_or(f64::MAX));
        if holds { least * 1.1 < seen && seen < most / 1.1 } else { seen < least / 1.1 || seen > most * 1.1 }
    }

    /// Moves what is not as wanted; whether anything was. Where a curve was laid through the left line the right one moves.
    fn lay(&self, world: &mut World, holds: bool, moves_right: bool) -> bool {
        let mut moved = false;
        let target = self.target(holds);
        for (left, right) in self.pairs() {
            if self.releases_early {
                world.line(&right.clone().unwrap()).released = Some(1);
            }
            let size = left.1 as f64;
            let Some(right) = right else {
                let line = world.line(&left);
                match self.metric {
                    Metric::Exponent => line.ns = 1e6 * (size / SIZES[0] as f64).powf(target),
                    Metric::Cold => line.cold = Some(target),
                    Metric::Busy => line.cpu = line.ns * target,
                    Metric::Rate => line.ns = size * 1e9 / target,
                    Metric::CoreRate => line.cpu = size * 1e9 / target,
                    Metric::Peak => line.peak = Some(target),
                    Metric::Allocated => line.allocated = Some(target),
                    Metric::Time | Metric::TimeOfAll | Metric::Cpu => panic!("{:?} of one line", self.metric),
                }
                continue;
            };
            let (ours, theirs) = (world.line(&left).clone(), world.line(&right).clone());
            if self.metric == Metric::Cpu {
                world.line(&left).cpu = theirs.cpu * target;
            } else if self.metric == Metric::Cold {
                world.line(&right).cold = Some(theirs.ns);
                world.line(&left).cold = Some(theirs.ns * target);
            } else if !self.is_as_wanted(ours.ns / theirs.ns, holds) {
                moved = true;
                if moves_right {
                    world.line(&right).ns = ours.ns / target;
                } else {
                    world.line(&left).ns = theirs.ns * target;
                }
            }
        }
        moved
    }
}

fn world(claim: &Claim, tests: &[&Test], holds: bool, jdk: Option<&str>) -> World {
    let mut world = World { jdk: jdk.map(str::to_owned), noise: 1.0, ..World::default() };
    let moves_right = claim.tests.iter().any(|test| test.metric == Metric::Exponent);
    for _ in 0..100 {
        let moved: Vec<bool> = tests.iter().map(|test| test.lay(&mut world, holds, moves_right)).collect();
        if !moved.contains(&true) {
            break;
        }
    }
    world
}

fn told(judged: &Judged) -> Vec<String> {
    let part = |part: &Part| format!("{:?} {} {:?} {:?}", part.finding, part.what, part.seen, part.spoilt);
    judged.parts.iter().map(part).collect()
}

/// Every claim, with the JDK that it is judged on.
fn every_claim() -> Vec<(Claim, Option<&'static str>)> {
    let mut all: Vec<_> = goals().into_iter().map(|claim| (claim, None)).collect();
    for from in ALL {
        for claim in concluded(from) {
            let jdk = if claim.below_jdk.is_none_or(|below| below > 21) { "25" } else { "17" };
            all.push((claim, (from != "nkcryptotool").then_some(jdk)));
        }
    }
    all
}

#[test]
fn the_files_are_whole() {
    assert_eq!(ALL.map(|from| concluded(from).len()), [5, 4, 6, 4]);
    assert!(goals().len() > 25);
    for (claim, _) in every_claim() {
        assert!(!claim.tests.is_empty(), "{}", claim.says);
        for test in &claim.tests {
            assert!(test.at_least.is_some() || test.most().is_some(), "{}", claim.says);
            assert!(!test.left.is_empty(), "{}", claim.says);
            assert!(!(test.at_most.is_some() && test.times_as_fast.is_some()), "{}", claim.says);
        }
    }
}

#[test]
fn each_claim_is_confirmed_by_some_data_and_refuted_by_others() {
    for (claim, jdk) in every_claim() {
        let tests: Vec<&Test> = claim.tests.iter().collect();
        let confirmed = world(&claim, &tests, true, jdk).judge(&claim);
        assert_eq!(confirmed.finding, Finding::Confirmed, "{}\n{:#?}", claim.says, told(&confirmed));
        let is_mixed = tests.iter().any(|test| test.of_machine) && !tests.iter().all(|test| test.of_machine);
        let refuting =
            if is_mixed { vec![tests.clone()] } else { tests.iter().map(|test| vec![*test]).collect() };
        for tests in refuting {
            let refuted = world(&claim, &tests, false, jdk).judge(&claim);
            assert_eq!(refuted.finding, Finding::Refuted, "{}\n{:#?}", claim.says, told(&refuted));
        }
        assert_eq!(World::default().finding(&claim), Finding::Undecided, "{} without data", claim.says);
    }
}

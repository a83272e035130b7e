//! A run as JMH would have written it: a block is a fork, a pass an iteration, steady lines are average time and first
//! operations of fresh processes single shots.
//!
//! Scores are what JMH means by them, means with Student's interval at 99.9 %, and not what the lab judges by: JMH's
//! files have no place for pairs. Lines that run a second time are noise and stay out. An engine that was replaced while
//! the run was interrupted is another one from there on, and its version a parameter.

use super::{Entry, Figure, Metric};
use crate::protocol::{Operation, Shape};
use crate::rows::{Engine, Header, Line, Phase, Row, Sample};
use crate::stats::{self, student};
use std::collections::{BTreeMap, BTreeSet};

pub fn write(rows: &[Row]) -> String {
    let lab = rows.iter().find_map(|row| if let Row::Header(header) = row { Some(header) } else { None });
    let replaced = replaced(rows);
    let entries: Vec<Entry> = series(rows).iter().map(|series| entry(series, lab, &replaced)).collect();
    format!("{:#}\n", serde_json::json!(entries))
}

/// Engines that the run has in several versions.
fn replaced(rows: &[Row]) -> BTreeSet<&str> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        if let Row::Engine(engine) = row {
            versions.entry(&engine.engine).or_default().insert(&engine.version);
        }
    }
    versions.into_iter().filter(|(_, versions)| versions.len() > 1).map(|(name, _)| name).collect()
}

/// The samples of a line in a cell, cold or steady, in one version of its engine.
struct Series<'a> {
    place: Place<'a>,
    blocks: BTreeMap<u64, Vec<&'a Sample>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'a> {
    job: &'a str,
    size: u64,
    operation: Operation,
    line: &'a Line,
    phase: Phase,
    version: Option<&'a str>,
    jdk: Option<&'a str>,
}

impl<'a> Place<'a> {
    fn of(sample: &'a Sample, engine: Option<&'a Engine>) -> Self {
        let Sample { job, size, operation, line, phase, .. } = sample;
        let version = engine.map(|engine| engine.version.as_str());
        let jdk = engine.and_then(|engine| engine.jdk.as_deref());
        Self { job, size: *size, operation: *operation, line, phase: *phase, version, jdk }
    }
}

/// In the order in which they were first measured.
fn series(rows: &[Row]) -> Vec<Series<'_>> {
    let mut all: Vec<Series> = Vec::new();
    let (mut at, mut engines) = (BTreeMap::new(), BTreeMap::new());
    for row in rows {
        if let Row::Engine(engine) = row {
            engines.insert(engine.engine.as_str(), engine);
        }
        let Row::Sample(sample) = row else { continue };
        if sample.line.again || sample.job == "empty" {
            continue;
        }
        let place = Place::of(sample, engines.get(sample.line.engine.as_str()).copied());
        let index = *at.entry(place).or_insert_with(|| {
            all.push(Series { place, blocks: BTreeMap::new() });
            all.len() - 1
        });
        all[index].blocks.entry(sample.block).or_default().push(sample);
    }
    all
}

fn entry(series: &Series, lab: Option<&Header>, replaced: &BTreeSet<&str>) -> Entry {
    let Place { job, operation, line, phase, version, jdk, .. } = series.place;
    let name = [job, &operation.to_string(), &line.engine].map(identifier).join(".");
    Entry {
        jmh_version: format!("sealmark-lab {}", lab.map_or("unknown", |header| &header.lab)),
        benchmark: format!("sealmark.{name}"),
        mode: if phase == Phase::Cold { "ss" } else { "avgt" }.into(),
        threads: line.shape.threads().unwrap_or(if line.shape == Shape::VirtualThreads { 4096 } else { 1 })
            as u64,
        forks: series.blocks.len() as u64,
        jvm: if jdk.is_some() { "java" } else { "none" }.into(),
        jdk_version: jdk.unwrap_or("none").into(),
        vm_name: line.engine.clone(),
        vm_version: version.unwrap_or("unknown").into(),
        warmup_time: "unknown".into(),
        warmup_batch_size: 1,
        measurement_iterations: series.blocks.values().map(Vec::len).max().unwrap_or(0) as u64,
        measurement_time: usual_span(series),
        measurement_batch_size: 1,
        params: Some(params(&series.place, replaced)),
        primary_metric: metric(series, "ns/op", |sample| Some(sample.wall_ns)).unwrap_or_default(),
        secondary_metrics: secondary_metrics(series),
        ..Entry::default()
    }
}

/// As a part of a Java name: what draws such files splits names at their dots.
fn identifier(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

/// "20 ms": how long the middle span took.
fn usual_span(series: &Series) -> String {
    let spans: Vec<f64> =
        series.blocks.values().flatten().map(|sample| sample.wall_ns as f64 / 1e6).collect();
    format!("{:.0} ms", stats::median(&spans).unwrap_or(0.0).ceil())
}

fn params(place: &Place, replaced: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let Place { job, size, line, version, .. } = *place;
    let size = size.to_string();
    let shape = line.shape.to_string();
    [
        ("job", job),
        ("size", &size),
        ("engine", &line.engine),
        ("algorithm", &line.algorithm),
        ("shape", &shape),
    ]
    .into_iter()
    .chain(version.filter(|_| replaced.contains(line.engine.as_str())).map(|version| ("version", version)))
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect()
}

/// By the names that JMH's profiler of the collector has for them.
fn secondary_metrics(series: &Series) -> BTreeMap<String, Metric> {
    let allocated = metric(series, "B/op", |sample| sample.allocated_bytes);
    let collected = metric(series, "ns/op", |sample| sample.gc_ns);
    let processor = metric(series, "ns/op", |sample| sample.cpu_ns);
    [("gc.alloc.rate.norm", allocated), ("gc.time.norm", collected), ("cpu.time.norm", processor)]
        .into_iter()
        .filter_map(|(name, metric)| Some((name.to_owned(), metric?)))
        .collect()
}

/// Of one operation; none where not every sample has it.
fn metric(series: &Series, unit: &str, figure: fn(&Sample) -> Option<u64>) -> Option<Metric> {
    let each = |sample: &&Sample| Some(figure(sample)? as f64 / sample.count.max(1) as f64);
    let forks: Option<Vec<Vec<f64>>> =
        series.blocks.values().map(|passes| passes.iter().map(each).collect()).collect();
    Some(Metric::of(forks?, unit))
}

impl Metric {
    /// Forks and their iterations, with the figures that JMH makes of them.
    fn of(forks: Vec<Vec<f64>>, unit: &str) -> Self {
        let all: Vec<f64> = forks.iter().flatten().copied().collect();
        let error = |error: Option<f64>| error.filter(|_| all.len() >= FEWEST_VALUES).unwrap_or(f64::NAN);
        let (score, error) =
            student::mean(&all).map_or((f64::NAN, f64::NAN), |mean| (mean.mean, error(mean.error)));
        Self {
            score: Figure(score),
            score_error: Figure(error),
            score_confidence: [score - error, score + error].map(Figure),
            score_percentiles: percentiles(&all),
            score_unit: unit.into(),
            raw_data: Some(forks.into_iter().map(|fork| fork.into_iter().map(Figure).collect()).collect()),
            raw_data_histogram: None,
        }
    }
}

/// JMH tells no interval of fewer.
const FEWEST_VALUES: usize = 3;

const PERCENTILES: [&str; 10] =
    ["0.0", "50.0", "90.0", "95.0", "99.0", "99.9", "99.99", "99.999", "99.9999", "100.0"];

/// Between neighbours where n + 1 shares of the values end (Hyndman and Fan, 1996, type 6), as JMH has them.
fn percentiles(values: &[f64]) -> BTreeMap<String, f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let of = |share: f64| {
        let position =
            (share * (sorted.len() + 1) as f64 - 1.0).clamp(0.0, sorted.len().saturating_sub(1) as f64);
        let (below, above) =
            (*sorted.get(position.floor() as usize)?, *sorted.get(position.ceil() as usize)?);
        Some(below + (above - below) * position.fract())
    };
    let named = |name: &str| Some((name.to_owned(), of(name.parse::<f64>().ok()? / 100.0)?));
    PERCENTILES.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::interchange::jmh;
    use serde_json::Value;

    const REAL: &str = include_str!("../../../tests/data/elsewhere/jmh-1.37.json");

    fn real() -> Vec<Value> {
        serde_json::from_str(REAL).unwrap()
    }

    fn close(ours: &Value, theirs: &Value) -> bool {
        match (ours.as_f64(), theirs.as_f64()) {
            (Some(ours), Some(theirs)) => (ours / theirs - 1.0).abs() < 1e-6,
            _ => ours == theirs,
        }
    }

    /// What JMH computed from its own samples, we compute from them too.
    #[test]
    fn figures_are_those_that_jmh_makes_of_the_same_samples() {
        let mut held = 0;
        for entry in real() {
            let theirs = &entry["primaryMetric"];
            let Ok(forks) = serde_json::from_value(theirs["rawData"].clone()) else { continue };
            let ours = serde_json::to_value(Metric::of(forks, "ns/op")).unwrap();
            for name in ["score", "scoreError"] {
                assert!(close(&ours[name], &theirs[name]), "{name}: {} and {}", ours[name], theirs[name]);
            }
            for end in 0..2 {
                let ends = [&ours, theirs].map(|metric| &metric["scoreConfidence"][end]);
                assert!(close(ends[0], ends[1]), "{ends:?}");
            }
            let (ours, theirs) = (&ours["scorePercentiles"], theirs["scorePercentiles"].as_object().unwrap());
            assert_eq!(theirs.len(), PERCENTILES.len());
            theirs.iter().for_each(|(name, theirs)| assert!(close(&ours[name], theirs), "{name}: {ours}"));
            held += 1;
        }
        assert!(held >= 5, "{held}");
    }

    /// What draws such files tells benchmarks apart by their names and parameters.
    #[test]
    fn samples_of_two_versions_are_two_benchmarks() {
        let mut made = crate::summary::made::Made::default();
        for (version, ns) in [("1", 1_000), ("2", 3_000)] {
            made.role("openssl", crate::engine::Role::Peer);
            made.engines().last().unwrap().version = version.into();
            made.role("copy", crate::engine::Role::Peer);
            for engine in ["openssl", "copy"] {
                made.timed("codec", 49, (engine, "base64", Shape::Tuned), Operation::Encode, ns);
            }
        }
        let entries: Vec<Value> = serde_json::from_str(&jmh::write(&made.rows)).unwrap();
        let told: Vec<[&Value; 3]> = entries
            .iter()
            .map(|entry| [&entry["vmVersion"], &entry["params"]["version"], &entry["primaryMetric"]["score"]])
            .collect();
        assert_eq!(
            serde_json::json!(told),
            serde_json::json!([["1", "1", 1e3], ["1", null, 2e3], ["2", "2", 3e3]])
        );
    }

    #[test]
    fn two_samples_have_no_interval_as_with_jmh() {
        let of = |values: &[f64]| serde_json::to_value(Metric::of(vec![values.to_vec()], "ns/op")).unwrap();
        for few in [&[5.0][..], &[5.0, 6.0]] {
            let metric = of(few);
            assert_eq!(metric["scoreError"], "NaN");
            assert_eq!(metric["scoreConfidence"], serde_json::json!(["NaN", "NaN"]));
        }
        assert!(of(&[5.0, 6.0, 7.0])["scoreError"].is_number());
    }

    /// Whoever reads a member of JMH's finds it here, with a value of the same kind.
    #[test]
    fn members_are_those_that_jmh_writes() {
        let made = crate::interchange::tests::run();
        let ours: Vec<Value> = serde_json::from_str(&jmh::write(&made)).unwrap();
        for theirs in real().iter().filter(|entry| entry["mode"] != "sample") {
            for ours in &ours {
                same_kind(ours, theirs, "an entry");
            }
        }
    }

    fn same_kind(ours: &Value, theirs: &Value, name: &str) {
        match (ours, theirs) {
            // Names of parameters, and of other metrics, are the benchmark's own.
            _ if ["params", "secondaryMetrics"].contains(&name) => assert!(ours.is_object(), "{name}"),
            (Value::Object(ours), Value::Object(theirs)) => {
                assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{name}");
                theirs.iter().for_each(|(name, theirs)| same_kind(&ours[name], theirs, name));
            }
            (Value::Array(ours), Value::Array(theirs)) => {
                let pair = ours.first().zip(theirs.first());
                pair.into_iter().for_each(|(ours, theirs)| same_kind(ours, theirs, name));
            }
            (Value::Number(_), Value::String(word)) | (Value::String(word), Value::Number(_)) => {
                assert_eq!(word, "NaN", "{name}");
            }
            _ => assert_eq!(std::mem::discriminant(ours), std::mem::discriminant(theirs), "{name}"),
        }
    }
}

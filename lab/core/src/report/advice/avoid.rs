//! Lines to keep away from, and why.

use super::{Choice, Evidence, JOB, is_hopeless, name, of};
use crate::protocol::{Operation, Shape};
use crate::report::words;
use crate::rows::{self, Fault, FaultKind, Row};
use crate::summary::{Cell, Line};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The size for which slowness is told: the largest one that was published.
const LARGE: u64 = 100 << 20;
/// What takes no longer than so many times the time of the chosen line is not slow, however it grows.
const SLOW: f64 = 2.0;

/// A line, and what is wrong with it.
pub struct Avoid {
    line: rows::Line,
    why: Why,
}

enum Why {
    /// Exponent with the ends of its interval, where there is one, and nanoseconds at the large size.
    Slow {
        exponent: Option<[f64; 3]>,
        large: Option<Large>,
    },
    ReleasesEarly,
    /// Out of memory, or limited by the library: the smallest size at which it failed, the largest below that was opened.
    Fails {
        kind: FaultKind,
        at: u64,
        not_at: Option<u64>,
    },
}

struct Large {
    ns: f64,
    is_predicted: bool,
}

impl Large {
    fn in_words(&self) -> String {
        let (about, predicted) = if self.is_predicted { ("≈ ", " predicted") } else { ("", "") };
        format!("{about}{}{predicted} at {}", words::long_time(self.ns), words::size(LARGE))
    }
}

/// Everything to avoid on a JDK when the chosen lines are at hand.
pub fn all(jdk: &str, cell: &Cell, evidence: Evidence, chosen: &[&Choice]) -> Vec<Avoid> {
    let mut avoid = slow(jdk, cell, evidence, chosen);
    let early = of(cell, Some(jdk)).filter(|line| line.released_bytes.is_some_and(|bytes| bytes > 0));
    avoid.extend(early.map(|line| Avoid { line: line.line.clone(), why: Why::ReleasesEarly }));
    avoid.extend(failing(jdk, evidence));
    avoid
}

fn slow(jdk: &str, cell: &Cell, evidence: Evidence, chosen: &[&Choice]) -> Vec<Avoid> {
    let quickest = chosen.iter().map(|choice| choice.ns).min_by(f64::total_cmp);
    let mut lines: Vec<&rows::Line> =
        evidence.openings().flat_map(|cell| of(cell, Some(jdk))).map(|line| &line.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let too_long = too_long(evidence);
    let slow = lines.into_iter().filter(|line| !chosen.iter().any(|choice| choice.line.line == **line));
    slow.filter_map(|line| {
        let fit = evidence.grown(line).and_then(|grown| grown.fit.as_ref().ok());
        let exponent = fit.filter(|fit| fit.faster_than_input()).map(|fit| [fit.exponent, fit.low, fit.high]);
        let large = large(line, evidence);
        let here = cell.lines.iter().find(|known| known.line == *line).map(Line::time);
        let is_slow = quickest.zip(here).is_none_or(|(quickest, ns)| ns > SLOW * quickest);
        let is_lost = evidence.grown(line).is_some_and(is_hopeless) || is_meant(line, &too_long);
        let is_meant = is_lost || (exponent.is_some() && is_slow);
        is_meant.then(|| Avoid { line: line.clone(), why: Why::Slow { exponent, large } })
    })
    .collect()
}

/// What it takes to open the large size, measured or predicted.
fn large(line: &rows::Line, evidence: Evidence) -> Option<Large> {
    let grown = evidence.grown(line)?;
    let measured = grown.medians().into_iter().find(|(size, _)| *size == LARGE);
    match measured {
        Some((_, ns)) => Some(Large { ns, is_predicted: false }),
        None => Some(Large { ns: grown.ahead(LARGE)?.ns, is_predicted: true }),
    }
}

fn faults(evidence: Evidence<'_>) -> impl Iterator<Item = &Fault> {
    let faults =
        evidence.rows.iter().filter_map(|row| if let Row::Fault(fault) = row { Some(fault) } else { None });
    // Who cannot seal a size may well open it.
    let opens = |fault: &&Fault| fault.operation.is_none_or(|operation| operation == Operation::Open);
    faults.filter(|fault| fault.job == JOB).filter(opens)
}

/// An engine; and its algorithm and shape, where only these are meant.
type Meant<'a> = (&'a str, Option<&'a str>, Option<Shape>);

/// What took too long at a size up to the large one.
fn too_long(evidence: Evidence<'_>) -> BTreeSet<Meant<'_>> {
    let is_it = |fault: &&Fault| {
        matches!(fault.kind, FaultKind::NotRun | FaultKind::TimedOut)
            && fault.size.is_some_and(|size| size <= LARGE)
    };
    let all = faults(evidence).filter(is_it);
    all.map(|fault| (fault.engine.as_str(), fault.algorithm.as_deref(), fault.shape)).collect()
}

fn is_meant(line: &rows::Line, by: &BTreeSet<Meant>) -> bool {
    let algorithms = [None, Some(line.algorithm.as_str())].into_iter();
    let mut meant = algorithms.flat_map(|algorithm| [None, Some(line.shape)].map(|shape| (algorithm, shape)));
    meant.any(|(algorithm, shape)| by.contains(&(line.engine.as_str(), algorithm, shape)))
}

/// The smallest size at which each line failed for its size.
fn failing(jdk: &str, evidence: Evidence) -> Vec<Avoid> {
    let engines: BTreeSet<&str> = evidence
        .rows
        .iter()
        .filter_map(|row| match row {
            Row::Engine(engine) if engine.jdk.as_deref() == Some(jdk) => Some(engine.engine.as_str()),
            _ => None,
        })
        .collect();
    let mut avoid: Vec<Avoid> = Vec::new();
    let mut known: BTreeMap<rows::Line, usize> = BTreeMap::new();
    for fault in faults(evidence).filter(|fault| engines.contains(fault.engine.as_str())) {
        let (FaultKind::OutOfMemory | FaultKind::Limited, Some(size)) = (fault.kind, fault.size) else {
            continue;
        };
        let (Some(algorithm), Some(shape)) = (fault.algorithm.clone(), fault.shape) else { continue };
        let line = rows::Line { engine: fault.engine.clone(), algorithm, shape, again: false };
        let number = *known.entry(line.clone()).or_insert(avoid.len());
        match avoid.get_mut(number).map(|avoid| &mut avoid.why) {
            Some(Why::Fails { at, .. }) => *at = size.min(*at),
            _ => avoid.push(Avoid { line, why: Why::Fails { kind: fault.kind, at: size, not_at: None } }),
        }
    }
    for Avoid { line, why } in &mut avoid {
        if let Why::Fails { at, not_at, .. } = why {
            *not_at = largest_opened(line, *at, evidence);
        }
    }
    avoid
}

fn largest_opened(line: &rows::Line, below: u64, evidence: Evidence) -> Option<u64> {
    let opened =
        |cell: &&Cell| cell.size < below && cell.contestants_or_cold().any(|known| known.line == *line);
    evidence.openings().filter(opened).map(|cell| cell.size).max()
}

/// By reason, so that a provider with five slow shapes is one part of the sentence.
pub fn in_words(all: &[Avoid], jdk: &str) -> String {
    let slow: Vec<String> = all.iter().filter_map(|avoid| avoid.slow_in_words(jdk)).collect();
    let early: Vec<String> = all.iter().filter_map(|avoid| avoid.early_in_words(jdk)).collect();
    let failing: Vec<String> = all.iter().filter_map(|avoid| avoid.failing_in_words(jdk)).collect();
    let parts = [
        ("for growth or time", slow, "; "),
        ("for releasing plain bytes before the tag is checked", early, ", "),
        ("for what it cannot open", failing, ", "),
    ];
    let parts = parts.into_iter().filter(|(_, names, _)| !names.is_empty());
    let told = parts.map(|(why, names, separator)| format!("{why}: {}", words::few_by(&names, 6, separator)));
    told.collect::<Vec<_>>().join("; ")
}

impl Avoid {
    fn slow_in_words(&self, jdk: &str) -> Option<String> {
        let told = [Some(name(&self.line, jdk)), self.slowness()?].into_iter().flatten();
        Some(told.collect::<Vec<_>>().join(", "))
    }

    /// How it grows and what a large size takes, where either is known.
    fn slowness(&self) -> Option<Option<String>> {
        let Why::Slow { exponent, large } = &self.why else { return None };
        let power = exponent.map(|[k, low, high]| format!("to the power {k:.2} ({low:.2}..{high:.2})"));
        let told: Vec<String> = power.into_iter().chain(large.as_ref().map(Large::in_words)).collect();
        Some((!told.is_empty()).then(|| told.join(", ")))
    }

    fn early_in_words(&self, jdk: &str) -> Option<String> {
        matches!(self.why, Why::ReleasesEarly).then(|| name(&self.line, jdk))
    }

    fn failing_in_words(&self, jdk: &str) -> Option<String> {
        Some(format!("{} ({})", name(&self.line, jdk), self.failure()?))
    }

    fn failure(&self) -> Option<String> {
        let Why::Fails { kind, at, not_at } = self.why else { return None };
        let (why, heap) = match kind {
            FaultKind::Limited => ("refused by its library", ""),
            _ => (kind.words(), ", with the default heap of this machine"),
        };
        let not_at = not_at.map(|size| format!(", not at {}", words::size(size))).unwrap_or_default();
        Some(format!("{why} at {}{not_at}{heap}", words::size(at)))
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let why = match &self.why {
            Why::Slow { exponent, large } => json!({
                "slow": true,
                "exponent": exponent.map(|[median, low, high]| json!({ "median": median, "low": low, "high": high })),
                "bytes": LARGE,
                "ns": large.as_ref().map(|large| large.ns),
                "is_predicted": large.as_ref().map(|large| large.is_predicted),
            }),
            Why::ReleasesEarly => json!({ "releases_early": true }),
            Why::Fails { kind, at, not_at } => {
                json!({ "fails": kind, "at_bytes": at, "not_at_bytes": not_at })
            }
        };
        json!({ "line": self.line, "why": why })
    }
}

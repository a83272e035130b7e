//! What a receiver of large payloads is advised to use, JDK by JDK, and what to avoid.

mod avoid;

use super::words;
use crate::history::numbers;
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::stats::ByBlock;
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::stats::verdict::Verdict;
use crate::summary::growths::{self, Grown};
use crate::summary::{Cell, Line, Ratio};
use avoid::Avoid;
use serde_json::{Value, json};

const JOB: &str = "payload";
/// Nobody is advised to use what grows like this, however fast it is while it is small.
const HOPELESS: f64 = 1.5;

/// What a run shows.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    pub rows: &'a [Row],
    pub cells: &'a [Cell],
    pub grown: &'a [Grown],
}

/// One sentence for each JDK that opened payloads; none for any other job.
pub fn sentences(evidence: Evidence) -> Vec<String> {
    all(evidence).iter().map(Advice::in_words).collect()
}

/// The judgement for machines.
pub fn json(evidence: Evidence) -> Value {
    all(evidence).iter().map(Advice::json).collect()
}

/// One size alone says nothing of how a line grows: what is advised at 2 MiB may take minutes at 100.
fn all(evidence: Evidence<'_>) -> Vec<Advice<'_>> {
    let sizes = || evidence.openings().map(|cell| cell.size);
    if sizes().min() == sizes().max() {
        return Vec::new();
    }
    let mut jdks: Vec<&str> = Vec::new();
    for jdk in evidence.openings().flat_map(Cell::contestants).filter_map(|line| line.jdk.as_deref()) {
        if !jdks.contains(&jdk) {
            jdks.push(jdk);
        }
    }
    jdks.sort_by_key(|jdk| numbers(jdk));
    jdks.into_iter().filter_map(|jdk| Advice::on(jdk, evidence)).collect()
}

impl<'a> Evidence<'a> {
    fn openings(self) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(|cell| (cell.job.as_str(), cell.operation) == (JOB, Operation::Open))
    }

    fn grown(self, line: &rows::Line) -> Option<&'a Grown> {
        growths::find(self.grown, JOB, Operation::Open, line)
    }

    /// The largest size that at least half of a JDK's lines opened, with enough blocks if any has them: the slow ones are predicted there and not run, and
    /// far beyond it only few go.
    fn largest(self, jdk: &str) -> Option<&'a Cell> {
        let mut known: Vec<&rows::Line> =
            self.openings().flat_map(|cell| of(cell, Some(jdk))).map(|line| &line.line).collect();
        known.sort_unstable();
        known.dedup();
        let by_most = self.openings().filter(|cell| 2 * of(cell, Some(jdk)).count() >= known.len());
        let by_most = by_most.filter(|cell| of(cell, Some(jdk)).count() > 0);
        by_most.max_by_key(|cell| (cell.blocks() >= FEWEST_BLOCKS, cell.size))
    }
}

/// The lines of a cell on a JDK, or outside of all.
fn of<'a>(cell: &'a Cell, jdk: Option<&str>) -> impl Iterator<Item = &'a Line> {
    cell.contestants().filter(move |line| line.jdk.as_deref() == jdk)
}

/// The same, also those that have first operations only.
fn of_or_cold<'a>(cell: &'a Cell, jdk: Option<&str>) -> impl Iterator<Item = &'a Line> {
    cell.contestants_or_cold().filter(move |line| line.jdk.as_deref() == jdk)
}

/// What the evidence says of one JDK.
struct Advice<'a> {
    jdk: &'a str,
    cell: &'a Cell,
    cold: Option<Choice<'a>>,
    steady: Option<Choice<'a>>,
    /// Why no line is chosen, where none is.
    nothing: String,
    /// What to take instead, where nothing on the JDK can be advised.
    outside: Option<Choice<'a>>,
    avoid: Vec<Avoid>,
}

/// The fastest of some lines, and those that cannot be told from it.
struct Choice<'a> {
    line: &'a Line,
    ns: f64,
    ties: Vec<&'a Line>,
    peak_bytes: Option<u64>,
}

/// Cold or steady: its blocks, its peak, and how two lines compare.
type When = (fn(&Line) -> &ByBlock, fn(&Line) -> Option<u64>, fn(&Cell, &Line, &Line) -> Option<Ratio>);
const COLD: When = (|line| &line.cold, |line| line.cold_peak_bytes, Cell::compare_cold);
const STEADY: When = (|line| &line.wall, |line| line.peak_bytes, Cell::compare);

impl<'a> Choice<'a> {
    fn of(cell: &'a Cell, lines: &[&'a Line], (blocks, peak, compare): When) -> Option<Self> {
        let median = |line: &Line| crate::stats::median(&blocks(line).values().copied().collect::<Vec<_>>());
        let judged = lines.iter().filter(|line| blocks(line).len() >= FEWEST_BLOCKS);
        let timed = judged.filter_map(|line| Some((*line, median(line)?)));
        let (line, ns) = timed.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let is_slower =
            |other: &&Line| compare(cell, other, line).is_some_and(|ratio| ratio.verdict == Verdict::Slower);
        let others =
            lines.iter().copied().filter(|other| other.line != line.line && !blocks(other).is_empty());
        let ties = others.filter(|other| !is_slower(other)).collect();
        Some(Self { line, ns, ties, peak_bytes: peak(line) })
    }

    fn ties(&self, jdk: &str) -> String {
        let names: Vec<String> = self.ties.iter().map(|line| name(&line.line, jdk)).collect();
        if names.is_empty() {
            String::new()
        } else {
            format!(" (not told from it: {})", words::few(&names, 2))
        }
    }

    fn in_words(&self, jdk: &str) -> String {
        let (name, time) = (name(&self.line.line, jdk), words::time(self.ns));
        format!("{name}, {time}{}, {}", self.ties(jdk), held(self.peak_bytes))
    }

    fn json(&self) -> Value {
        json!({
            "line": self.line.line,
            "ns": self.ns,
            "peak_bytes": self.peak_bytes,
            "not_told_from_it": self.ties.iter().map(|line| &line.line).collect::<Vec<_>>(),
        })
    }
}

/// Without the JDK, which the sentence has said.
fn name(line: &rows::Line, jdk: &str) -> String {
    let engine = line.engine.strip_suffix(jdk).map_or(line.engine.as_str(), str::trim_end);
    words::full_name(&rows::Line { engine: engine.to_owned(), ..line.clone() }, true)
}

fn held(peak_bytes: Option<u64>) -> String {
    match peak_bytes {
        Some(bytes) => format!("holding {} at its peak", words::bytes(bytes as f64)),
        None => "its memory unknown".into(),
    }
}

/// Of one line in a fresh process and in a warm one.
fn both_held(cold: Option<u64>, steady: Option<u64>) -> String {
    match cold.zip(steady).map(|(cold, steady)| [cold, steady].map(|bytes| words::bytes(bytes as f64))) {
        Some([cold, steady]) if cold != steady => {
            format!("holding {cold} cold and {steady} steady at its peak")
        }
        _ => held(steady.or(cold)),
    }
}

/// Lines that leave nothing behind of what they refuse.
fn safe<'a>(cell: &'a Cell, jdk: Option<&str>) -> impl Iterator<Item = &'a Line> {
    of_or_cold(cell, jdk).filter(|line| line.authenticated && line.released_bytes == Some(0))
}

/// Those of them that do not grow without hope.
fn advisable<'a>(cell: &'a Cell, jdk: Option<&str>, evidence: Evidence) -> Vec<&'a Line> {
    safe(cell, jdk)
        .filter(|line| evidence.grown(&line.line).is_none_or(|grown| !is_hopeless(grown)))
        .collect()
}

/// By the least that the interval of its exponent allows for; or by what it allocates, of which the time may not have
/// become aware yet.
fn is_hopeless(grown: &Grown) -> bool {
    let time = grown.fit.as_ref().is_ok_and(|fit| fit.low > HOPELESS);
    time || grown.allocation_exponent().is_some_and(|exponent| exponent > HOPELESS)
}

/// Why no line is named: those that could be have too few blocks; or all that are safe grow too fast; or none is safe.
fn nothing(jdk: &str, cell: &Cell, evidence: Evidence) -> String {
    if !advisable(cell, Some(jdk), evidence).is_empty() {
        return format!("too few blocks to choose by, fewer than {FEWEST_BLOCKS}");
    }
    let steep: Vec<String> = safe(cell, Some(jdk)).map(|line| name(&line.line, jdk)).collect();
    if !steep.is_empty() {
        return format!("all that release nothing early grow too fast: {}", words::few(&steep, 6));
    }
    let releases = |line: &Line| line.released_bytes.is_some_and(|bytes| bytes > 0);
    if of_or_cold(cell, Some(jdk)).all(releases) {
        "every line of this run releases early, or does not get that far in time".into()
    } else {
        "no line that gets that far in time was seen to release nothing early".into()
    }
}

impl<'a> Advice<'a> {
    fn on(jdk: &'a str, evidence: Evidence<'a>) -> Option<Self> {
        let cell = evidence.largest(jdk)?;
        let here = advisable(cell, Some(jdk), evidence);
        let [cold, steady] = [COLD, STEADY].map(|when| Choice::of(cell, &here, when));
        let outside =
            if here.is_empty() { Choice::of(cell, &advisable(cell, None, evidence), STEADY) } else { None };
        let chosen: Vec<&Choice> = cold.iter().chain(&steady).collect();
        let avoid = avoid::all(jdk, cell, evidence, &chosen);
        let nothing = nothing(jdk, cell, evidence);
        Some(Self { jdk, cell, cold, steady, nothing, outside, avoid })
    }

    fn in_words(&self) -> String {
        let avoided = avoid::in_words(&self.avoid, self.jdk);
        let avoided = if avoided.is_empty() { avoided } else { format!("; avoid {avoided}") };
        format!("JDK {}, to open {}: {}{avoided}", self.jdk, words::size(self.cell.size), self.chosen())
    }

    fn chosen(&self) -> String {
        match (&self.cold, &self.steady) {
            (None, None) => self.nothing(),
            (Some(cold), Some(steady)) if cold.line.line == steady.line.line => format!(
                "choose {}, {} cold{}, {} steady{}, {}",
                name(&cold.line.line, self.jdk),
                words::time(cold.ns),
                cold.ties(self.jdk),
                words::time(steady.ns),
                steady.ties(self.jdk),
                both_held(cold.peak_bytes, steady.peak_bytes)
            ),
            (cold, steady) => {
                let cold =
                    cold.as_ref().map(|choice| format!("in a fresh process {}", choice.in_words(self.jdk)));
                let steady =
                    steady.as_ref().map(|choice| format!("in a warm one {}", choice.in_words(self.jdk)));
                format!("choose {}", cold.into_iter().chain(steady).collect::<Vec<_>>().join("; "))
            }
        }
    }

    fn nothing(&self) -> String {
        let outside =
            self.outside.as_ref().map(|choice| format!("; outside the JVM, {}", choice.in_words(self.jdk)));
        format!("{}{}", self.nothing, outside.unwrap_or_default())
    }

    fn json(&self) -> Value {
        let choice = |choice: &Option<Choice>| choice.as_ref().map(Choice::json);
        json!({
            "jdk": self.jdk,
            "bytes": self.cell.size,
            "cold": choice(&self.cold),
            "steady": choice(&self.steady),
            "outside_the_jvm": choice(&self.outside),
            "avoid": self.avoid.iter().map(Avoid::json).collect::<Vec<_>>(),
            "sentence": self.in_words(),
        })
    }
}

#[cfg(test)]
mod tests;

//! Cold, ramp and steady: three results of one line.

use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::stats::Spread;
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::stats::change::{self, Point, Ramp, Segment};
use crate::stats::verdict::Verdict;
use crate::summary::Cell;
use crate::table::Mark;
use crate::words;
use std::collections::BTreeMap;

/// How a line of a cell came to be as fast as it is.
pub struct Warmth {
    pub job: String,
    pub size: u64,
    pub operation: Operation,
    pub line: rows::Line,
    /// The name that it has in the tables of its cell.
    pub name: String,
    /// Until a fresh process was ready, in nanoseconds.
    pub start: Option<f64>,
    /// The first operation of a fresh process.
    pub cold: Option<Spread>,
    pub steady: f64,
    /// What its beginning was made of, each as long as the times did not change.
    pub levels: Vec<Segment>,
    /// False where its beginning was watched and no steady state seen.
    pub is_steady: bool,
    /// Its largest step down.
    pub cliff: Option<Cliff>,
    blocks: usize,
}

/// A step down between two levels: what the operations before it took, beside the steady time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cliff {
    pub after: u64,
    /// How long the operations before it took together.
    pub spent_ns: f64,
    pub steady_ns: f64,
}

impl Cliff {
    /// One operation before it, on average.
    pub fn mean_ns(&self) -> f64 {
        self.spent_ns / self.after as f64
    }

    /// How many times the steady time that is.
    pub fn factor(&self) -> f64 {
        self.mean_ns() / self.steady_ns
    }

    /// The largest step down of a ramp with a steady state behind it, if the operations before were slower than that.
    fn largest(points: &[Point], ramp: &Ramp, steady_ns: f64) -> Option<Self> {
        let step = |pair: &[Segment]| pair[0].median_ns / pair[1].median_ns;
        let cliff = |level: &Segment| Self {
            after: level.operations_before,
            spent_ns: points[..level.start].iter().map(Point::ns).sum(),
            steady_ns,
        };
        let steps = ramp.segments.windows(2).filter(|pair| ramp.steady_from.is_ok() && step(pair) > 1.0);
        let cliffs = steps.map(|pair| (step(pair), cliff(&pair[1]))).filter(|(_, it)| it.factor() > 1.0);
        cliffs.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, cliff)| cliff)
    }
}

type Key<'a> = (&'a str, u64, Operation, &'a rows::Line);

/// Every line of every cell whose beginning was watched.
pub fn all(rows: &[Row], cells: &[Cell]) -> Vec<Warmth> {
    let mut ramps: BTreeMap<Key, Vec<Point>> = BTreeMap::new();
    for row in rows {
        let Row::Ramp(ramp) = row else { continue };
        let points = ramps.entry((&ramp.job, ramp.size, ramp.operation, &ramp.line)).or_default();
        let ns_per_operation = ramp.wall_ns.max(1) as f64 / ramp.count.max(1) as f64;
        points.push(Point { operations: ramp.count, ns_per_operation });
    }
    let watched = |cell: &Cell| {
        let lines = cell.contestants().map(|line| {
            let points = ramps.get(&(cell.job.as_str(), cell.size, cell.operation, &line.line));
            Warmth::of(cell, line, points.map_or(&[], Vec::as_slice))
        });
        // The cold time of a payload stands beside its steady one; here are those that were watched on their way.
        let is_told =
            |warmth: &Warmth| warmth.cold.is_some() && (!cell.kind.tells_cold || !warmth.levels.is_empty());
        lines.filter(is_told).collect::<Vec<_>>()
    };
    cells.iter().filter(|cell| !cell.kind.is_own_cost).flat_map(watched).collect()
}

impl Warmth {
    fn of(cell: &Cell, line: &crate::summary::Line, points: &[Point]) -> Self {
        let first = points.first().filter(|point| point.operations == 1).map(|point| point.ns_per_operation);
        let alone = first.map(|ns| Spread { median: ns, low: ns, high: ns });
        let ramp = change::ramp(points);
        let starts: Vec<f64> = line.start.values().copied().collect();
        Self {
            job: cell.job.clone(),
            size: cell.size,
            operation: cell.operation,
            line: line.line.clone(),
            name: words::name(cell, line),
            start: crate::stats::median(&starts),
            cold: line.cold().or(alone),
            steady: line.time(),
            cliff: Cliff::largest(points, &ramp, line.time()),
            blocks: line.wall.len(),
            is_steady: points.is_empty() || ramp.steady_from.is_ok(),
            levels: ramp.segments,
        }
    }

    pub fn cold_factor(&self) -> Option<f64> {
        self.cold.map(|cold| cold.median / self.steady)
    }

    /// The first operation beside the steady ones.
    pub fn mark(&self) -> Option<Mark> {
        let Spread { median, low, high } = self.cold?;
        let [at, low, high] = [median, low, high].map(|ns| ns / self.steady);
        let verdict = if at > 1.0 { Verdict::Slower } else { Verdict::Same };
        Some(Mark { at, ends: [low, high], is_interval: false, verdict: Some(verdict) })
    }

    /// A cliff that a short-lived process never gets past.
    pub fn late_cliff(&self) -> Option<Cliff> {
        self.cliff.filter(|cliff| cliff.after > LATE && cliff.spent_ns > LONG_NS && cliff.factor() > HIGH)
    }

    pub fn place(&self) -> String {
        words::place(&self.job, self.size, self.operation)
    }

    /// The late cliff, where the steady time was measured often enough to warn by it.
    pub fn told_cliff(&self) -> Option<Cliff> {
        self.late_cliff().filter(|_| self.blocks >= FEWEST_BLOCKS)
    }
}

/// Cliffs after so many operations are no matter of the first few.
const LATE: u64 = 10;
/// Nor are those reached before even a small process has started.
const LONG_NS: f64 = 10e6;
/// From this factor on a cliff is worth a warning.
const HIGH: f64 = 3.0;

fn stepped(cliff: &Cliff) -> String {
    format!(
        "the first {} operations take {}, {} each, steady ones {}: {} × faster",
        cliff.after,
        words::time(cliff.spent_ns),
        words::time(cliff.mean_ns()),
        words::time(cliff.steady_ns),
        words::factor(cliff.factor())
    )
}

impl Warmth {
    /// "from the 312th 47.1 × faster".
    pub fn in_short(&self) -> String {
        if !self.is_steady {
            return "no steady state".into();
        }
        match (self.cliff, self.levels.len()) {
            (Some(cliff), _) => {
                format!("{} × faster after {}", words::factor(cliff.factor()), words::ordinal(cliff.after))
            }
            (None, 0) => String::new(),
            (None, 1) => "level".into(),
            (None, _) => "slower later".into(),
        }
    }
}

/// The late cliffs of a cell.
pub fn late(place: &[&Warmth]) -> Option<String> {
    let told = |warmth: &&Warmth| {
        let cliff = warmth.late_cliff()?;
        Some((cliff.spent_ns, format!("{}, {}", warmth.name, stepped(&cliff))))
    };
    let mut told: Vec<(f64, String)> = place.iter().filter_map(told).collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    let told: Vec<String> = told.into_iter().map(|(_, told)| told).collect();
    let worst = words::few_by(&told, 4, "; ");
    (!told.is_empty()).then(|| format!("a short-lived process never gets there: {worst}"))
}

#[cfg(test)]
mod tests;

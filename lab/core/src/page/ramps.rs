//! Cold, ramp and steady: how many times its usual time an operation takes from a process's first on, and where that
//! changes.

use super::Run;
use super::plot::{self, Kind, Mark, Scale, percent, segment};
use super::tables::Place;
use crate::report::said::Proof;
use crate::report::warmth::Warmth;
use crate::rows::{self, Line};
use crate::stats::change::Segment;
use crate::table::Table;
use crate::words;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The axis of a table of ramps, and a drawing of each.
pub fn drawn(run: &Run, place: &Place, table: &Table) -> (Markup, Vec<Markup>) {
    let nothing = || (html! {}, table.rows.iter().map(|_| html! {}).collect());
    let Proof::Warmth(size, operation) = place.section.at else { return nothing() };
    let is_here = |warmth: &&Warmth| {
        (warmth.job.as_str(), warmth.size, warmth.operation) == (place.job, size, operation)
    };
    let warmth: BTreeMap<&Line, &Warmth> =
        run.warmth.iter().filter(is_here).map(|it| (&it.line, it)).collect();
    let ramps = run.by_job.get(place.job).ramps.iter().copied();
    let seen = seen(ramps.filter(|ramp| (ramp.size, ramp.operation) == (size, operation)));
    let lines = table.rows.iter().map(|row| {
        let warmth = warmth.get(row.line.as_ref()?)?;
        let points = seen.get(&warmth.line).into_iter().flatten();
        Some(Ramp { warmth, points: points.map(|(number, ns)| (*number, ns / warmth.steady)).collect() })
    });
    let lines: Vec<Option<Ramp>> = lines.collect();
    let known: Vec<&Ramp> = lines.iter().flatten().collect();
    let Some(scales) = Scales::over(&known) else { return nothing() };
    let drawing = |ramp: &Option<Ramp>| {
        html! {
            @if let Some(ramp) = ramp { svg .plot .ramp role="img" aria-label=(ramp.told()) { (of_ramp(ramp, &scales)) } }
        }
    };
    (axis(&scales), lines.iter().map(drawing).collect())
}

/// Number of an operation in its process, and nanoseconds.
type Seen<'a> = BTreeMap<&'a Line, Vec<(f64, f64)>>;

fn seen<'a>(ramps: impl Iterator<Item = &'a rows::Ramp>) -> Seen<'a> {
    let mut all = Seen::new();
    for ramp in ramps {
        let points = all.entry(&ramp.line).or_default();
        // A run taken up again watches once more.
        if ramp.done == 0 {
            points.clear();
        }
        let count = ramp.count.max(1) as f64;
        points.push((ramp.done as f64 + (count + 1.0) / 2.0, ramp.wall_ns.max(1) as f64 / count));
    }
    all
}

/// How a line became warm.
struct Ramp<'a> {
    warmth: &'a Warmth,
    /// Number of an operation, and its time by the steady one.
    points: Vec<(f64, f64)>,
}

/// Operations across, times their steady one upwards; all lines of a cell share them.
struct Scales {
    /// Where nobody watched, only first and steady times are known.
    is_watched: bool,
    x: Scale,
    y: Scale,
}

impl Ramp<'_> {
    /// The first operation of fresh processes by the steady time: its middle, its least and its most.
    fn cold(&self) -> Option<[f64; 3]> {
        Some(
            self.warmth
                .cold
                .map(|cold| [cold.median, cold.low, cold.high])?
                .map(|ns| ns / self.warmth.steady),
        )
    }

    /// What a screen reader says of the picture.
    fn told(&self) -> String {
        let first = self.warmth.cold.map(|cold| format!("first {}", words::ranged(&cold)));
        let steady = format!("steady {}", words::time(self.warmth.steady));
        let step = Some(self.warmth.in_short()).filter(|words| !words.is_empty());
        let parts: Vec<String> = [first, Some(steady), step].into_iter().flatten().collect();
        format!("{}: {}", self.warmth.name, parts.join(", "))
    }
}

/// To the left of this is the place of the first operation, in per cent of the box.
const APART: f64 = 15.0;

impl Scales {
    fn over(ramps: &[&Ramp]) -> Option<Self> {
        let points = || ramps.iter().flat_map(|ramp| &ramp.points);
        let levels = ramps.iter().flat_map(|ramp| &ramp.warmth.levels);
        let ends = levels.map(|level| level.operations_before.saturating_add(level.operations) as f64);
        let cold = ramps.iter().filter_map(|ramp| ramp.cold()).flatten();
        if ramps.is_empty() {
            return None;
        }
        Some(Self {
            is_watched: points().next().is_some(),
            x: Scale::over(Kind::Log, points().map(|(number, _)| *number).chain(ends).chain([1.0, 10.0]))?,
            y: Scale::over(Kind::Log, points().map(|(_, factor)| *factor).chain(cold).chain([1.0]))?,
        })
    }

    fn across(&self, number: f64) -> f64 {
        APART + self.x.at(number) * (1.0 - APART / 100.0)
    }

    fn down(&self, factor: f64) -> f64 {
        100.0 - self.y.at(factor)
    }

    /// The steady time, and what else has room for a label above or below the one before.
    fn heights(&self) -> Vec<f64> {
        const ROOM: f64 = 24.0;
        let mut heights = vec![1.0];
        for tick in self.y.ticks() {
            if heights.iter().all(|other| (self.y.at(tick) - self.y.at(*other)).abs() >= ROOM) {
                heights.push(tick);
            }
        }
        heights
    }
}

fn axis(scales: &Scales) -> Markup {
    let ticks = scales.x.ticks().into_iter().map(|tick| (scales.across(tick), plot::plain(tick)));
    let cold = std::iter::once((0.0, "cold".to_owned()));
    let labels: Vec<_> = match scales.is_watched {
        true => cold.chain(ticks).collect(),
        false => cold.chain([(100.0, "steady".to_owned())]).collect(),
    };
    html! {
        span .axis-title { "× steady, by number of operation" }
        svg .plot .axis .ramp aria-hidden="true" {
            (plot::labels(labels, "0"))
        }
    }
}

fn of_ramp(ramp: &Ramp, scales: &Scales) -> Markup {
    let level_of = |level: &Segment| scales.down(level.median_ns / ramp.warmth.steady);
    html! {
        @for tick in scales.heights() {
            @let y = percent(scales.down(tick));
            line .grid x1="0" x2="100%" y1=(y) y2=(y) {}
            text .tick x="0" y=(y) dx="-6" dy="4" text-anchor="end" { (plot::plain(tick)) }
        }
        @for (x, y) in off_their_level(ramp, scales) { circle .point cx=(percent(x)) cy=(percent(y)) {} }
        @for level in &ramp.warmth.levels {
            @let ends = [1, level.operations].map(|more| level.operations_before.saturating_add(more));
            @let [from, to] = ends.map(|number| scales.across(number as f64));
            (segment("interval same", (from, level_of(level)), (to, level_of(level))))
        }
        @if let Some(cliff) = ramp.warmth.cliff {
            @let at = scales.across(cliff.after as f64);
            (segment("change", (at, 0.0), (at, 100.0)))
        }
        @if let Some([median, low, high]) = ramp.cold().map(|cold| cold.map(|factor| scales.down(factor))) {
            (segment("interval slower", (COLD, low), (COLD, high)))
            (Mark::Diamond.at("slower", COLD, median))
        }
        (Mark::Dot.at("faster", 100.0, scales.down(1.0)))
    }
}

/// The middle of the place of the first operation.
const COLD: f64 = 5.0;

/// Of the points that the bar of their level does not hide one for each hundredth of the width: more would lie on each
/// other, and cost a page of many ramps its size.
fn off_their_level(ramp: &Ramp, scales: &Scales) -> Vec<(f64, f64)> {
    const HIDDEN: f64 = 3.0;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (at, (number, factor)) in ramp.points.iter().enumerate() {
        let level = ramp.warmth.levels.iter().find(|level| (level.start..level.end).contains(&at));
        let bar = level.map(|level| scales.down(level.median_ns / ramp.warmth.steady));
        let (x, y) = (scales.across(*number), scales.down(*factor));
        let is_hidden = bar.is_some_and(|bar| (bar - y).abs() < HIDDEN);
        if !is_hidden && kept.last().is_none_or(|(last, _)| x - last >= 1.0) {
            kept.push((x, y));
        }
    }
    kept
}

#[cfg(test)]
mod tests;

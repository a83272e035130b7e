//! Cold, ramp and steady: how many times its usual time an operation takes from a process's first on, and where that
//! changes.

use super::plot::{self, Kind, Mark, Scale, percent, segment};
use super::{Job, Run, markup};
use crate::protocol::Operation;
use crate::report::warmth::Warmth;
use crate::report::{cells, words};
use crate::rows::{self, Line};
use crate::stats::change::Segment;
use crate::summary::Cell;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// For each cell of which first operations are known: what its lines have to warn of, and a click away the others.
pub fn section(run: &Run, job: &Job) -> Markup {
    let seen = seen(&run.by_job.get(job.name).ramps);
    let warmths = run.warmth.iter().filter(|warmth| warmth.job == job.name);
    let mut warmth: BTreeMap<(u64, Operation), Vec<&Warmth>> = BTreeMap::new();
    warmths.for_each(|it| warmth.entry((it.size, it.operation)).or_default().push(it));
    let told: Vec<Markup> = job
        .cells
        .iter()
        .filter_map(|cell| of_cell(run, cell, warmth.get(&(cell.size, cell.operation))?, &seen))
        .collect();
    html! {
        @if !told.is_empty() {
            section .ramps {
                h3 { "Cold, ramp and steady" }
                p .remarks {
                    "How many times its steady time an operation takes, by how many its process has done; both scales are \
                     logarithmic. The diamond, apart on the left, is the first operation of fresh processes, the bars are levels \
                     with the points off them, the dashed line is where the largest step down lies, the dot is the steady time."
                }
                @for cell in told { (cell) }
            }
        }
    }
}

/// Number of an operation in its process, and nanoseconds.
type Seen<'a> = BTreeMap<(u64, Operation, &'a Line), Vec<(f64, f64)>>;

fn seen<'a>(ramps: &[&'a rows::Ramp]) -> Seen<'a> {
    let mut all = Seen::new();
    for ramp in ramps {
        let points = all.entry((ramp.size, ramp.operation, &ramp.line)).or_default();
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

fn of_cell(run: &Run, cell: &Cell, warmth: &[&Warmth], seen: &Seen) -> Option<Markup> {
    let ramps = ramps(cell, warmth, seen);
    let scales = Scales::over(&ramps)?;
    let (warned, others): (Vec<Ramp>, Vec<Ramp>) = ramps.into_iter().partition(Ramp::is_warned_of);
    let place = cells::name(cell);
    let late: Vec<String> = warned.iter().filter_map(|ramp| ramp.warmth.late_in_words()).collect();
    let lines = if others.len() == 1 { "line" } else { "lines" };
    let summary = match (others.len(), warned.is_empty()) {
        (count, true) if !scales.is_watched => {
            format!("{count} {lines}: the first operation, and the usual one")
        }
        (count, true) => format!("{count} {lines} without a late step"),
        (count, false) => format!("{count} more without a late step"),
    };
    Some(html! {
        h4 id=(run.id_in("ramp", cell)) { (place) }
        @if !warned.is_empty() { (table(run, cell, &format!("{place}: late steps"), &warned, &scales)) }
        (markup::list("remarks", &words::at_most(late, MOST_STEPS)))
        @if !others.is_empty() { (markup::folded(&summary, &table(run, cell, &place, &others, &scales))) }
    })
}

/// Steps that are told in full.
const MOST_STEPS: usize = 20;

/// What takes longest to become warm first.
fn ramps<'a>(cell: &Cell, warmth: &[&'a Warmth], seen: &Seen) -> Vec<Ramp<'a>> {
    let ramp = |warmth: &'a Warmth| {
        let points = seen.get(&(cell.size, cell.operation, &warmth.line)).into_iter().flatten();
        Ramp { warmth, points: points.map(|(number, ns)| (*number, ns / warmth.steady)).collect() }
    };
    let mut ramps: Vec<Ramp> = warmth.iter().copied().map(ramp).collect();
    let factor = |ramp: &Ramp| ramp.warmth.cold_factor().unwrap_or(0.0);
    ramps.sort_by(|a, b| (b.spent().total_cmp(&a.spent())).then(factor(b).total_cmp(&factor(a))));
    ramps
}

impl Ramp<'_> {
    fn is_warned_of(&self) -> bool {
        self.warmth.late_cliff().is_some() || !self.warmth.is_steady
    }

    /// Before a step that comes late, in nanoseconds.
    fn spent(&self) -> f64 {
        self.warmth.late_cliff().map_or(0.0, |cliff| cliff.spent_ns)
    }

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
        format!("{}: {}", self.warmth.name(), parts.join(", "))
    }
}

/// To the left of this is the place of the first operation, in per cent of the box.
const APART: f64 = 15.0;

impl Scales {
    fn over(ramps: &[Ramp]) -> Option<Self> {
        let points = || ramps.iter().flat_map(|ramp| &ramp.points);
        let levels = ramps.iter().flat_map(|ramp| &ramp.warmth.levels);
        let ends = levels.map(|level| level.operations_before.saturating_add(level.operations) as f64);
        let cold = ramps.iter().filter_map(Ramp::cold).flatten();
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

fn table(run: &Run, cell: &Cell, caption: &str, ramps: &[Ramp], scales: &Scales) -> Markup {
    html! {
        table .plots .ramp-table data-sort="" {
            caption .hidden { (caption) }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" .plotted { (axis(scales)) }
                    @for title in ["start", "first", "×\u{a0}steady", "steady", "ramp"] { th scope="col" { (title) } }
                }
            }
            tbody { @for ramp in ramps { (row(run, cell, ramp, scales)) } }
        }
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

fn row(run: &Run, cell: &Cell, ramp: &Ramp, scales: &Scales) -> Markup {
    let warmth = ramp.warmth;
    let (first, factor) = (warmth.cold.map(|cold| cold.median), warmth.cold_factor());
    html! {
        tr data-samples=[run.samples(cell, &warmth.line)] {
            th scope="row" { (warmth.name()) }
            td .plotted { svg .plot .ramp role="img" aria-label=(ramp.told()) { (drawn(ramp, scales)) } }
            td data-label="start" data-value=[warmth.start] { (warmth.start.map(words::time).unwrap_or_default()) }
            td data-label="first" data-value=[first] { (first.map(words::time).unwrap_or_default()) }
            td data-label="× steady" data-value=[factor] { (factor.map(words::factor).unwrap_or_default()) }
            td data-label="steady" data-value=(warmth.steady) { (words::time(warmth.steady)) }
            td data-label="ramp" { (warmth.in_short()) }
        }
    }
}

fn drawn(ramp: &Ramp, scales: &Scales) -> Markup {
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

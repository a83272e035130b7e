//! Cold, ramp and steady: how long one operation took from a process's first to its usual one, and where that changed.

use super::plot::{Kind, Mark, Scale, percent, segment};
use super::{Job, Run};
use crate::protocol::Operation;
use crate::report::cells;
use crate::report::warmth::Warmth;
use crate::report::words;
use crate::rows::{Line, Row};
use crate::summary::Cell;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A table for each cell of which first operations are known.
pub fn section(run: &Run, job: &Job) -> Markup {
    let points = points(run.rows, job.name);
    let told = job.cells.iter().filter_map(|cell| of_cell(run, cell, &points));
    let told: Vec<Markup> = told.collect();
    html! {
        @if !told.is_empty() {
            section .ramps {
                h3 { "Cold, ramp and steady" }
                p .remarks {
                    "The time of one operation by how many the process had done before; both scales are logarithmic, and all \
                     lines of a table share them. The diamond is the first operation, bars are levels, the vertical line is \
                     where the largest step down lies, the dot is the steady time."
                }
                @for table in told { (table) }
            }
        }
    }
}

/// Operations done, and nanoseconds of the next ones.
type Points<'a> = BTreeMap<(u64, Operation, &'a Line), Vec<(f64, f64)>>;

fn points<'a>(rows: &'a [Row], job: &str) -> Points<'a> {
    let mut all = Points::new();
    for row in rows {
        let Row::Ramp(ramp) = row else { continue };
        if ramp.job == job {
            let points = all.entry((ramp.size, ramp.operation, &ramp.line)).or_default();
            // A run taken up again watches once more.
            if ramp.done == 0 {
                points.clear();
            }
            let count = ramp.count.max(1) as f64;
            points.push((ramp.done as f64 + (count + 1.0) / 2.0, ramp.wall_ns.max(1) as f64 / count));
        }
    }
    all
}

fn of_cell<'a>(run: &'a Run, cell: &Cell, points: &Points<'a>) -> Option<Markup> {
    let is_mine = |warmth: &&'a Warmth| {
        (&warmth.job, warmth.size, warmth.operation) == (&cell.job, cell.size, cell.operation)
    };
    let mut lines: Vec<&'a Warmth> = run.warmth.iter().filter(is_mine).collect();
    lines.sort_by(|a, b| first(a).total_cmp(&first(b)));
    let of = |warmth: &'a Warmth| points.get(&(cell.size, cell.operation, &warmth.line));
    let seen = || lines.iter().filter_map(|warmth| of(warmth)).flatten().copied();
    let x = Scale::over(Kind::Log, seen().map(|(done, _)| done).chain([1.0, 10.0]))?;
    let times = lines.iter().flat_map(|warmth| [first(warmth), warmth.steady]);
    let y = Scale::over(Kind::Log, times.chain(seen().map(|(_, ns)| ns)))?;
    Some(html! {
        table .plots data-sort="" {
            caption id=(run.id_in("ramp", cell)) { (cells::name(cell)) }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" .plotted { "from the first operation on" }
                    @for title in ["start", "first", "steady", "ramp"] { th scope="col" { (title) } }
                }
            }
            tbody { @for warmth in &lines { (row(run, cell, warmth, of(warmth), (&x, &y))) } }
        }
    })
}

fn first(warmth: &Warmth) -> f64 {
    warmth.cold.map_or(f64::NAN, |cold| cold.median)
}

fn row(
    run: &Run,
    cell: &Cell,
    warmth: &Warmth,
    points: Option<&Vec<(f64, f64)>>,
    scales: (&Scale, &Scale),
) -> Markup {
    let told = format!("{}: {}", warmth.name(), told(warmth));
    html! {
        tr data-samples=[run.samples(cell, &warmth.line)] {
            th scope="row" { (warmth.name()) }
            td .plotted { svg .plot .ramp role="img" aria-label=(told) { (drawn(warmth, points, scales)) } }
            td data-label="start" data-value=[warmth.start] { (warmth.start.map(words::time).unwrap_or_default()) }
            td data-label="first" data-value=(first(warmth)) { (words::time(first(warmth))) }
            td data-label="steady" data-value=(warmth.steady) { (words::time(warmth.steady)) }
            td data-label="ramp" { (warmth.in_short()) }
        }
    }
}

fn told(warmth: &Warmth) -> String {
    let ends = format!("first {}, steady {}", words::time(first(warmth)), words::time(warmth.steady));
    [ends, warmth.in_short()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// More points than these would be drawn over each other, and weigh more than they say.
const MOST_POINTS: usize = 16;

fn drawn(warmth: &Warmth, points: Option<&Vec<(f64, f64)>>, (x, y): (&Scale, &Scale)) -> Markup {
    let height = |ns: f64| 100.0 - y.at(ns);
    let points = points.map(Vec::as_slice).unwrap_or_default();
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    html! {
        @for (done, ns) in points.iter().step_by(every) {
            circle .point cx=(percent(x.at(*done))) cy=(percent(height(*ns))) r="1.5" {}
        }
        @for level in &warmth.levels {
            @let (from, to) = (level.operations_before as f64 + 1.0, (level.operations_before + level.operations) as f64);
            @let at = height(level.median_ns);
            (segment("interval same", (x.at(from), at), (x.at(to), at)))
        }
        @if let Some(cliff) = warmth.cliff() {
            @let at = x.at(cliff.after as f64);
            (segment("change", (at, 0.0), (at, 100.0)))
        }
        (Mark::Diamond.at("slower", x.at(1.0), height(first(warmth))))
        (Mark::Dot.at("faster", 100.0, height(warmth.steady)))
    }
}

//! How time grows with size: each line at all its sizes, both axes logarithmic, and time divided by size, so that what
//! grows in proportion to its input is level, and lines that differ by a tenth are not all one diagonal.

use super::hover::{Samples, each};
use super::plot::{self, Kind, Mark, Scale, segment};
use super::{Job, Run, markup};
use crate::engine::Role;
use crate::protocol::{Operation, Shape};
use crate::report::growth::{self, Growing};
use crate::report::{size_key, words};
use crate::rows::{Fault, FaultKind, Line, Phase, Sample};
use crate::stats::growth::Growth;
use crate::summary::growths::Grown;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// As many as have a colour and a shape of their own; the others stand in the table.
const SHAPES: [Mark; 8] =
    [Mark::Dot, Mark::Square, Mark::Diamond, Mark::Up, Mark::Down, Mark::Left, Mark::Right, Mark::Cross];

/// More lines, or sizes, than any plan has.
const MOST_LINES: usize = 200;
const MOST_SIZES: usize = 40;
const MOST_STEPS: usize = 50;

/// Between two sizes a straight line would say what nobody knows: a fixed cost makes it an elbow, wherever that is.
const FEWEST_SIZES: usize = 3;

/// A plot for each operation of a job that has some sizes in bytes: more connections at once are no more bytes.
pub fn section(run: &Run, job: &Job) -> Markup {
    let mut operations = job.operations();
    if size_key(job.name) != "bytes" {
        operations.clear();
    }
    let samples = Samples::of(&run.by_job.get(job.name).samples);
    let plots = operations.into_iter().filter_map(|operation| of_operation(run, job, operation, &samples));
    let plots: Vec<Markup> = plots.collect();
    html! {
        @if !plots.is_empty() {
            section .sizes {
                h3 id=(run.id(&format!("sizes {}", job.name))) { "Time per byte, by size" }
                p .remarks {
                    "Both scales are logarithmic. A line that rises grows faster than its input; one that falls shares a fixed \
                     cost among more bytes; one that is level is in proportion. The pale band behind a line of five sizes or \
                     more is the curve fitted to it, a fixed cost and a power of the size, whose exponent the table has. \
                     Dashed, with a hollow mark: predicted from smaller sizes, and not run."
                }
                @for plot in plots { (plot) }
                (markup::list("remarks", &steps(run, job)))
            }
        }
    }
}

/// Where a line takes longer at a size than its time at the one before lets one expect.
fn steps(run: &Run, job: &Job) -> Vec<String> {
    let growing = run.growing.iter().filter(|growing| growing.job == job.name);
    words::at_most(growing.flat_map(growth::steps).collect(), MOST_STEPS)
}

/// A line at its sizes: how long one operation took, or would take.
struct Series<'a> {
    grown: &'a Grown,
    growing: Option<&'a Growing>,
    name: String,
    measured: Vec<(u64, f64)>,
    predicted: Vec<(u64, f64)>,
}

fn of_operation(run: &Run, job: &Job, operation: Operation, samples: &Samples) -> Option<Markup> {
    let mut all = series(run, job, operation);
    let left_out = all.len().saturating_sub(MOST_LINES);
    all.truncate(MOST_LINES);
    let points = || all.iter().flat_map(|series| series.measured.iter().chain(&series.predicted)).copied();
    let mut sizes: Vec<u64> = points().map(|(size, _)| size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() < FEWEST_SIZES {
        return None;
    }
    let in_bytes: Vec<f64> = sizes.iter().map(|size| *size as f64).collect();
    let x = Scale::over(Kind::Log, in_bytes.iter().copied())?;
    let y = Scale::over(Kind::Log, points().map(per_byte))?;
    let id = format!("{}-{operation}", run.id(&format!("sizes {}", job.name)));
    let title = format!("{}, {operation}: time per byte by size", job.name);
    let drawing = html! {
        (plot::x_axis_at(&x, &in_bytes, |size| short(size as u64)))
        (plot::y_axis(&y, plot::plain))
        @for (at, series) in all.iter().enumerate().take(SHAPES.len()) { (drawn(series, at, (&x, &y), samples)) }
    };
    Some(html! {
        h4 { (job.name) ", " (operation) }
        p .axis-title { "ns a byte" }
        (plot::plot(&id, "axes", &title, &told(&all), &drawing))
        (legend(&run.label(&format!("{}, {operation}: time of one operation", job.name)), &all, &sizes))
        @if left_out > 0 { p .remarks { "and " (left_out) " more lines: the rows have them all" } }
    })
}

fn per_byte((size, ns): (u64, f64)) -> f64 {
    ns / size.max(1) as f64
}

fn short(size: u64) -> String {
    words::size(size).replace(" bytes", " B")
}

/// What a screen reader says of the picture.
fn told(all: &[Series]) -> String {
    let steep: Vec<String> =
        all.iter().filter(|series| is_steep(series.grown)).map(|series| series.name.clone()).collect();
    let grows = match steep.len() {
        0 => String::new(),
        _ => format!("Faster than its input grows {}. ", words::few(&steep, 3)),
    };
    let drawn = match (all.len(), all.len().min(SHAPES.len())) {
        (1, _) => "One line is drawn.".to_owned(),
        (count, drawn) => format!("{drawn} of {count} lines are drawn."),
    };
    format!("{drawn} {grows}All figures are in the table below.")
}

fn series<'a>(run: &'a Run, job: &Job, operation: Operation) -> Vec<Series<'a>> {
    let is_mine = |grown: &&Grown| {
        (grown.job.as_str(), grown.operation) == (job.name, operation) && grown.sizes.len() > 1
    };
    let shaped = job.cells.iter().any(|cell| words::is_shaped(cell));
    let growing = run.growing.iter().filter(|it| (it.job.as_str(), it.operation) == (job.name, operation));
    let growing: BTreeMap<&Line, &Growing> = growing.map(|growing| (&growing.line, growing)).collect();
    let rows = run.by_job.get(job.name);
    let not_run = not_run(rows.faults.iter().chain(&rows.overcome), operation);
    let series = |grown: &'a Grown| Series {
        growing: growing.get(&grown.line).copied(),
        name: words::full_name(&grown.line, shaped),
        measured: grown.medians(),
        predicted: predicted(&not_run, grown),
        grown,
    };
    chosen(job, run.grown.iter().filter(is_mine).collect()).into_iter().map(series).collect()
}

/// Some of those that grow too fast, then some of ours and the yardstick, then the fastest: of the few lines that are
/// drawn none of these kinds should crowd out the others.
fn chosen<'a>(job: &Job, mut all: Vec<&'a Grown>) -> Vec<&'a Grown> {
    const SOME: usize = 3;
    let at_its_largest = |grown: &Grown| grown.medians().last().map_or(f64::NAN, |last| per_byte(*last));
    all.sort_by(|a, b| at_its_largest(a).total_cmp(&at_its_largest(b)));
    let of_interest = job.cells.iter().flat_map(|cell| &cell.lines).filter(|line| line.role != Role::Peer);
    let of_interest: BTreeSet<&Line> = of_interest.map(|line| &line.line).collect();
    let is_of_interest = |grown: &&Grown| of_interest.contains(&grown.line);
    let (mut steep, others): (Vec<&Grown>, Vec<&Grown>) = all.into_iter().partition(|grown| is_steep(grown));
    steep.sort_by(|a, b| exponent(b).total_cmp(&exponent(a)));
    let (mut ours, peers): (Vec<&Grown>, Vec<&Grown>) = others.into_iter().partition(is_of_interest);
    let more_steep = steep.split_off(steep.len().min(SOME));
    let more_ours = ours.split_off(ours.len().min(SOME));
    [steep, ours, peers, more_steep, more_ours].concat()
}

fn exponent(grown: &Grown) -> f64 {
    grown.fit.as_ref().map_or(f64::NAN, |fit| fit.exponent)
}

fn is_steep(grown: &Grown) -> bool {
    grown.fit.as_ref().is_ok_and(Growth::faster_than_input)
}

/// Sizes that were predicted to outrun their budget, by engine, and by algorithm and shape where only these were meant.
type NotRun<'a> = BTreeMap<(&'a str, Option<&'a str>, Option<Shape>), BTreeSet<u64>>;

fn not_run<'a>(faults: impl Iterator<Item = &'a &'a Fault>, operation: Operation) -> NotRun<'a> {
    let mut all = NotRun::new();
    for fault in faults.filter(|fault| fault.kind == FaultKind::NotRun) {
        if fault.operation.is_none_or(|known| known == operation) {
            let of = (fault.engine.as_str(), fault.algorithm.as_deref(), fault.shape);
            all.entry(of).or_default().extend(fault.size);
        }
    }
    all
}

fn predicted(not_run: &NotRun, grown: &Grown) -> Vec<(u64, f64)> {
    let Line { engine, algorithm, shape, .. } = &grown.line;
    let largest = grown.sizes.last().map_or(0, |(size, _)| *size);
    let algorithms = [None, Some(algorithm.as_str())].into_iter();
    let names = algorithms.flat_map(|algorithm| [None, Some(*shape)].map(|shape| (algorithm, shape)));
    let sizes = names.filter_map(|(algorithm, shape)| not_run.get(&(engine.as_str(), algorithm, shape)));
    let sizes: BTreeSet<u64> = sizes.flatten().copied().collect();
    // A run taken up again may have run it after all.
    let beyond = sizes.into_iter().filter(|size| *size > largest).take(MOST_PREDICTED);
    beyond.filter_map(|size| Some((size, grown.ahead(size)?.ns))).collect()
}

/// A plan has a handful of sizes, and each has a column of its own.
const MOST_PREDICTED: usize = 24;

fn drawn(series: &Series, at: usize, (x, y): (&Scale, &Scale), samples: &Samples) -> Markup {
    let place = |point: (u64, f64)| (x.at(point.0 as f64), 100.0 - y.at(per_byte(point)));
    let beyond: Vec<(u64, f64)> =
        series.measured.last().into_iter().chain(&series.predicted).copied().collect();
    html! {
        g .{ "c" (at) } {
            @for pair in fitted(series.grown).windows(2) { (segment("fitted", place(pair[0]), place(pair[1]))) }
            @for pair in series.measured.windows(2) { (segment("series", place(pair[0]), place(pair[1]))) }
            @for pair in beyond.windows(2) { (segment("series predicted", place(pair[0]), place(pair[1]))) }
            @for point in &series.measured {
                @let (x, y) = place(*point);
                g { title { (pointed_at(series, *point, samples)) } (SHAPES[at].at("", x, y)) }
            }
            @for point in &series.predicted { @let (x, y) = place(*point); (SHAPES[at].at("hollow", x, y)) }
        }
    }
}

/// Points of the curve, from the smallest to the largest of the sizes that it was fitted to, each as many times the one before.
fn fitted(grown: &Grown) -> Vec<(u64, f64)> {
    const PIECES: u32 = 12;
    let Ok(fit) = &grown.fit else { return Vec::new() };
    let (Some(&first), Some(&last)) = (fit.used.first(), fit.used.last()) else { return Vec::new() };
    let size =
        |at| (first as f64 * (last as f64 / first as f64).powf(f64::from(at) / f64::from(PIECES))) as u64;
    (0..=PIECES).map(size).map(|size| (size, fit.at(size as f64))).collect()
}

/// "ring AES-256-GCM, 64 KiB: 1.02 ms; 8 samples: 1.01 ms, …"
fn pointed_at(series: &Series, (size, ns): (u64, f64), samples: &Samples) -> String {
    let steady = |sample: &Sample| (sample.phase == Phase::Steady).then(|| words::time(each(sample)));
    let raw = samples.told((size, series.grown.operation, &series.grown.line), steady);
    let raw = raw.map(|raw| format!("; {raw}")).unwrap_or_default();
    format!("{}, {}: {}{raw}", series.name, words::size(size), words::time(ns))
}

/// What each mark stands for, with the figures in words.
fn legend(label: &str, all: &[Series], sizes: &[u64]) -> Markup {
    let (sizes, beyond) = sizes.split_at(sizes.len().min(MOST_SIZES));
    let table = html! {
        table {
            caption {
                (label) ". ≈ is predicted, and was not run."
                @if !beyond.is_empty() { " And " (beyond.len()) " more sizes: the rows have them all." }
            }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" { "exponent (95 %)" }
                    th scope="col" { "it grows" }
                    @for size in sizes { th scope="col" { (words::size(*size)) } }
                }
            }
            tbody {
                @for (at, series) in all.iter().enumerate() {
                    tr {
                        th scope="row" { (key(at)) (series.name) }
                        td { (series.growing.and_then(Growing::exponent).unwrap_or_default()) }
                        td { (series.growing.map(Growing::verdict).unwrap_or_default()) }
                        @for size in sizes { td { (figure(series, *size)) } }
                    }
                }
            }
        }
    };
    markup::scrolled(label, &table)
}

fn key(at: usize) -> Markup {
    html! {
        @if let Some(mark) = SHAPES.get(at) {
            svg .key .{ "c" (at) } aria-hidden="true" width="14" height="14" { (mark.at("", 50.0, 50.0)) }
            " "
        }
    }
}

fn figure(series: &Series, size: u64) -> String {
    let of = |points: &[(u64, f64)]| points.iter().find(|(known, _)| *known == size).map(|(_, ns)| *ns);
    match (of(&series.measured), of(&series.predicted)) {
        (Some(ns), _) => words::time(ns),
        (None, Some(ns)) => format!("≈ {}", words::long_time(ns)),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests;

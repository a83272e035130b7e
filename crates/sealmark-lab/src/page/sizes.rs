//! How time grows with size: each line at all its sizes, both axes logarithmic, so that a power is a straight line and its
//! exponent a slope.

use super::plot::{self, Kind, Mark, Scale, segment};
use super::{Job, Run, markup};
use crate::protocol::Operation;
use crate::report::growth::Growing;
use crate::report::{size_key, words};
use crate::rows::{Fault, FaultKind, Row};
use crate::stats::growth::Growth;
use crate::summary::growths::Grown;
use maud::{Markup, html};

/// As many as can be told apart.
const MOST_LINES: usize = 8;

/// A plot for each operation of a job that has several sizes in bytes: more connections at once are no more bytes.
pub fn section(run: &Run, job: &Job) -> Markup {
    let several = job.cells.iter().any(|cell| cell.size != job.cells[0].size);
    if !several || size_key(job.name) != "bytes" {
        return html! {};
    }
    let mut operations: Vec<Operation> = job.cells.iter().map(|cell| cell.operation).collect();
    operations.sort_unstable();
    operations.dedup();
    html! {
        section .sizes {
            h3 id=(run.id(&format!("sizes {}", job.name))) { "Time by size" }
            @for operation in operations { (of_operation(run, job, operation)) }
        }
    }
}

/// A line with its place in the legend.
struct Series<'a> {
    grown: &'a Grown,
    growing: Option<&'a Growing>,
    name: String,
    class: String,
    mark: Mark,
    ahead: Vec<(u64, f64)>,
}

fn of_operation(run: &Run, job: &Job, operation: Operation) -> Markup {
    let all = series(run, job, operation);
    let times = all.iter().flat_map(|series| series.points().into_iter().chain(series.ahead.iter().copied()));
    let (sizes, times): (Vec<f64>, Vec<f64>) = times.map(|(size, ns)| (size as f64, ns)).unzip();
    let (Some(x), Some(y)) = (Scale::over(Kind::Log, sizes), Scale::over(Kind::Log, times)) else {
        return html! {};
    };
    let id = run.id(&format!("sizes {} {operation}", job.name));
    let title = format!("{}, {operation}: time of one operation by size", job.name);
    let drawing = html! {
        (plot::x_axis(&x, |size| words::size(size as u64)))
        (plot::y_axis(&y, words::time))
        @for series in all.iter().take(MOST_LINES) { (drawn(series, &x, &y)) }
    };
    html! {
        h4 { (job.name) ", " (operation) }
        (plot::plot(&id, "axes", &title, "the figures are in the table below", &drawing))
        (legend(&title, &all))
    }
}

/// Those that grow fastest first, as they are what a reader must know of; then the slowest at the largest size.
fn series<'a>(run: &'a Run, job: &Job, operation: Operation) -> Vec<Series<'a>> {
    let is_mine = |grown: &&Grown| {
        (grown.job.as_str(), grown.operation) == (job.name, operation) && grown.sizes.len() > 1
    };
    let mut all: Vec<&Grown> = run.grown.iter().filter(is_mine).collect();
    let largest = |grown: &Grown| grown.medians().last().map_or(0.0, |(_, ns)| *ns);
    all.sort_by(|a, b| steepness(b).total_cmp(&steepness(a)).then_with(|| largest(b).total_cmp(&largest(a))));
    let shaped = job.cells.iter().any(|cell| words::is_shaped(cell));
    let series = |(at, grown): (usize, &'a Grown)| Series {
        growing: run.growing.iter().find(|growing| {
            (&growing.job, growing.operation, &growing.line) == (&grown.job, operation, &grown.line)
        }),
        name: words::full_name(&grown.line, shaped),
        class: format!("c{}", at % MOST_LINES),
        mark: Mark::ALL[at % Mark::ALL.len()],
        ahead: ahead(run.rows, grown),
        grown,
    };
    all.into_iter().enumerate().map(series).collect()
}

/// Only what surely grows faster than its input is steeper than the rest.
fn steepness(grown: &Grown) -> f64 {
    grown.fit.as_ref().ok().filter(|fit| fit.faster_than_input()).map_or(0.0, |fit| fit.exponent)
}

/// Sizes that were predicted and not run.
fn ahead(rows: &[Row], grown: &Grown) -> Vec<(u64, f64)> {
    let is_of = |fault: &&Fault| {
        let line = &grown.line;
        (fault.kind, &fault.job, &fault.engine) == (FaultKind::NotRun, &grown.job, &line.engine)
            && fault.algorithm.as_ref().is_none_or(|algorithm| *algorithm == line.algorithm)
            && fault.shape.is_none_or(|shape| shape == line.shape)
            && fault.operation.is_none_or(|operation| operation == grown.operation)
    };
    let faults = rows.iter().filter_map(|row| if let Row::Fault(fault) = row { Some(fault) } else { None });
    let mut sizes: Vec<u64> = faults.filter(is_of).filter_map(|fault| fault.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().filter_map(|size| Some((size, grown.ahead(size)?.ns))).collect()
}

impl Series<'_> {
    fn points(&self) -> Vec<(u64, f64)> {
        self.grown.medians()
    }
}

fn drawn(series: &Series, x: &Scale, y: &Scale) -> Markup {
    let place = |(size, ns): (u64, f64)| (x.at(size as f64), 100.0 - y.at(ns));
    let points = series.points();
    let line = series.grown.fit.as_ref().map_or_else(|_| points.clone(), |fit| curve(fit, &points));
    let last = points.last().copied();
    let beyond: Vec<(u64, f64)> = last.into_iter().chain(series.ahead.iter().copied()).collect();
    html! {
        g .(series.class) {
            title { (series.name) }
            @for pair in line.windows(2) { (segment("series", place(pair[0]), place(pair[1]))) }
            @for pair in beyond.windows(2) { (segment("series predicted", place(pair[0]), place(pair[1]))) }
            @for point in points { @let (x, y) = place(point); (series.mark.at("", x, y)) }
            @for point in &series.ahead { @let (x, y) = place(*point); (Mark::Ring.at("", x, y)) }
        }
    }
}

/// The fitted curve in steps short enough to look round, over the sizes that were measured.
fn curve(fit: &Growth, points: &[(u64, f64)]) -> Vec<(u64, f64)> {
    const STEPS: i32 = 16;
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else { return Vec::new() };
    let factor = (*last as f64 / *first as f64).powf(1.0 / f64::from(STEPS));
    let sizes = (0..=STEPS).map(|step| (*first as f64 * factor.powi(step)).round() as u64);
    sizes.map(|size| (size, fit.ahead(size, fit.exponent))).collect()
}

/// What each mark stands for, with the figures in words.
fn legend(label: &str, all: &[Series]) -> Markup {
    let mut sizes: Vec<u64> = all
        .iter()
        .flat_map(|it| it.points().into_iter().chain(it.ahead.clone()))
        .map(|(size, _)| size)
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let table = html! {
        table {
            caption { (label) ". ≈: predicted from smaller sizes and not run." }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" { "exponent (95 %)" }
                    th scope="col" { "it grows" }
                    @for size in &sizes { th scope="col" { (words::size(*size)) } }
                }
            }
            tbody {
                @for (at, series) in all.iter().enumerate() {
                    tr {
                        th scope="row" { @if at < MOST_LINES { (key(series)) " " } (series.name) }
                        td { (series.growing.and_then(Growing::exponent).unwrap_or_default()) }
                        td { (series.growing.map(Growing::verdict).unwrap_or_default()) }
                        @for size in &sizes { td { (figure(series, *size)) } }
                    }
                }
            }
        }
    };
    markup::scrolled(label, &table)
}

fn key(series: &Series) -> Markup {
    html! { svg .key .(series.class) aria-hidden="true" width="14" height="14" { (series.mark.at("", 50.0, 50.0)) } }
}

fn figure(series: &Series, size: u64) -> String {
    let of = |points: &[(u64, f64)]| points.iter().find(|(known, _)| *known == size).map(|(_, ns)| *ns);
    match (of(&series.points()), of(&series.ahead)) {
        (Some(ns), _) => words::time(ns),
        (None, Some(ns)) => format!("≈ {}", words::long_time(ns)),
        (None, None) => String::new(),
    }
}

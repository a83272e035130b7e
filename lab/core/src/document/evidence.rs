//! The tables that prove the answers, job by job.

use super::{Answer, Comparison};
use super::{outcomes, sizes};
use crate::metrics::METRICS;
use crate::protocol::{Operation, Shape};
use crate::report::Run;
use crate::report::said::Proof;
use crate::report::stalls;
use crate::report::warmth::{self, Warmth};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::summary::tls::across;
use crate::summary::{Cell, Line, Ratio};
use crate::table::{Beside, Drawn, Figure, Mark, Table, TableRow};
use crate::units::significant;
use crate::words;
use serde::Serialize;
use std::collections::BTreeSet;

/// All that is shown of a job.
#[derive(Debug, Serialize)]
pub struct Chapter {
    pub job: String,
    pub sections: Vec<Section>,
}

#[derive(Debug, Serialize)]
pub struct Section {
    /// The evidence that it is, for links.
    pub at: Proof,
    pub title: String,
    /// Its meaning, for readers who see it for the first time.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reading: &'static str,
    pub tables: Vec<Table>,
    pub remarks: Vec<String>,
}

impl Section {
    /// Sentences under a title.
    pub fn list(name: &'static str, title: impl Into<String>, remarks: Vec<String>) -> Self {
        let at = Proof::About(name);
        Self { at, title: title.into(), reading: "", tables: Vec::new(), remarks }
    }
}

/// More jobs without a figure than any plan has are a stranger's.
const MOST_WITHOUT_FIGURES: usize = 50;

/// A chapter for each job, in the order of the run; then those without a figure, of which only
/// faults and notes tell, and how many more of these there are.
pub fn chapters(run: &Run, answers: &[Answer]) -> (Vec<Chapter>, usize) {
    let jobs = run.cells.chunk_by(|a, b| a.job == b.job);
    let mut chapters: Vec<Chapter> = jobs.map(|cells| chapter(run, &cells[0].job, cells, answers)).collect();
    let measured: BTreeSet<&str> = run.cells.iter().map(|cell| cell.job.as_str()).collect();
    let told = run.by_job.told.iter().filter(|name| !measured.contains(*name));
    let left_out = told.clone().count().saturating_sub(MOST_WITHOUT_FIGURES);
    chapters.extend(told.take(MOST_WITHOUT_FIGURES).map(|job| chapter(run, job, &[], answers)));
    (chapters, left_out)
}

fn chapter(run: &Run, job: &str, cells: &[Cell], answers: &[Answer]) -> Chapter {
    let mut sections: Vec<Section> = cells.iter().map(|cell| of_cell(cell, answers)).collect();
    sections.extend(resuming(cells));
    sections.extend(sizes::section(run, cells));
    let warmth = run.warmth.iter().filter(|warmth| warmth.job == job).collect::<Vec<_>>();
    let beginnings = warmth.chunk_by(|a, b| (a.size, a.operation) == (b.size, b.operation));
    sections.extend(beginnings.map(beginning));
    sections.extend(outcomes::section(run, job));
    Chapter { job: job.to_owned(), sections }
}

/// The meanings of all columns that the run has.
pub fn meanings(cells: &[Cell]) -> Vec<String> {
    let is_known = |metric: &&crate::metrics::Metric| {
        cells.iter().any(|cell| cell.lines.iter().any(|line| metric.of(cell, line).is_some()))
    };
    let known =
        METRICS.iter().filter(is_known).map(|metric| format!("{}: {}.", metric.title, metric.meaning));
    let ratio = "× ref: the time as a multiple of the reference's in the same block, the median of the blocks with its \
                 95 % interval; below 1 is faster.";
    std::iter::once(ratio.to_owned()).chain(known).collect()
}

/// The ratios of a cell with all that is known of its lines; in TLS a table for each shape, which has a reference of its own.
fn of_cell(cell: &Cell, answers: &[Answer]) -> Section {
    let shapes = if cell.is_by_shape() { cell.shapes().into_iter().map(Some).collect() } else { vec![None] };
    let mut tables: Vec<Table> = shapes.into_iter().map(|shape| ratios(cell, shape)).collect();
    tables.extend(told_by_answers(cell, answers));
    let remarks = noises(cell)
        .into_iter()
        .chain(short_lines(cell))
        .chain(cold_only(cell))
        .chain(stalls::sentences(cell));
    Section {
        at: Proof::Cell(cell.size, cell.operation),
        title: title(cell),
        reading: "",
        tables,
        remarks: remarks.collect(),
    }
}

fn title(cell: &Cell) -> String {
    let blocks = cell.blocks();
    let plural = if blocks == 1 { "" } else { "s" };
    let disturbed = match cell.company {
        0 => String::new(),
        some => format!(" ({some} disturbed)"),
    };
    let reference = cell.reference().filter(|_| !cell.is_by_shape() && !cell.is_by_jdk());
    let against = reference.map(|line| format!(", ref is {}", words::name(cell, line))).unwrap_or_default();
    format!(
        "{}{}: {blocks} block{plural}{disturbed}{against}",
        words::place(&cell.job, cell.size, cell.operation),
        words::common_way(cell)
    )
}

/// The title of the column of ratios.
fn range(cell: &Cell) -> &'static str {
    if cell.has_intervals(cell.blocks()) { "× ref (95 %)" } else { "× ref (range)" }
}

/// Columns beside the drawing of ratios: the ratio, its verdict, the time.
const BESIDE_RATIOS: usize = 3;

/// The fastest first.
fn ratios(cell: &Cell, shape: Option<Shape>) -> Table {
    let columns = [("line", "line"), ("times_reference", range(cell)), ("verdict", "verdict")];
    let metrics = METRICS.iter().map(|metric| (metric.key, metric.title));
    let mut table = Table::new(titled(cell, shape), 1, columns.into_iter().chain(metrics));
    table.drawn = Drawn::Marks("as a multiple of that of ref, log scale", BESIDE_RATIOS);
    let lines = cell.lines.iter().filter(|line| shape.is_none_or(|shape| line.line.shape() == shape));
    let mut timed: Vec<(f64, &Line)> = lines.map(|line| (line.time(), line)).collect();
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    timed.into_iter().for_each(|(_, line)| table.push_row(row(cell, line)));
    table.without_silent_columns()
}

fn titled(cell: &Cell, shape: Option<Shape>) -> String {
    let reference = || match shape {
        Some(shape) => cell.reference_in(shape).map(|line| words::name(cell, line)),
        None if cell.is_by_jdk() => Some("the plain log on the same JDK".into()),
        None => None,
    };
    let against = reference().map(|name| format!("ref is {name}"));
    [shape.map(|shape| shape.to_string()), against].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn row(cell: &Cell, line: &Line) -> TableRow {
    let reference = cell.reference_of(line);
    let ratio = reference.and_then(|reference| cell.compare(line, reference));
    let is_reference = reference.is_some_and(|reference| reference.line == line.line);
    let verdict = match &ratio {
        Some(ratio) => Some(Figure::verdict(ratio)),
        None if is_reference => Some(Figure::word("reference")),
        None if line.is_waiting() => Some(Figure::word("waited")),
        None => None,
    };
    let name = Figure::word(words::again(words::name(cell, line), &line.line));
    let mut figures = vec![
        Some(name),
        ratio.as_ref().map(|ratio| Figure::ratio(words::in_column(cell, ratio), ratio)),
        verdict,
    ];
    figures.extend(METRICS.iter().map(|metric| {
        let value = metric.of(cell, line)?;
        Some(Figure::number(metric.told(value), value))
    }));
    let noise = cell.noise_in(line.line.shape()).map(|(floor, _)| floor);
    let mark = ratio.as_ref().map(Mark::of).or(is_reference.then_some(Mark::REFERENCE));
    TableRow {
        line: Some(line.line.clone()),
        parameters: line.line.parameters.clone(),
        figures,
        beside: Beside { mark, noise, ..Beside::default() },
    }
}

/// All figures of the answers that a cell proves, by the names that lines have in the tables.
fn told_by_answers(cell: &Cell, answers: &[Answer]) -> Option<Table> {
    let at = Proof::Cell(cell.size, cell.operation);
    let proved = answers.iter().filter(|answer| answer.evidence.job == cell.job && answer.evidence.at == at);
    let all: BTreeSet<&Comparison> = proved.flat_map(|answer| &answer.comparisons).collect();
    let columns = [("line", "line"), ("of", "quantity"), ("figure", "figure"), ("against", "compared with")];
    let mut table = Table::new("Figures of the answers", columns.len(), columns);
    for it in &all {
        table.push([it.line.clone(), it.of.to_owned(), it.told.clone(), it.against.clone()]);
    }
    (!all.is_empty()).then_some(table)
}

const NO_NOISE_KNOWN: &str =
    "no line was measured twice in each block; no line is reported as faster or slower";

/// In TLS each shape has noise of its own, where anything is held against anything.
fn noises(cell: &Cell) -> Vec<String> {
    let shapes = cell.shapes().into_iter();
    if !cell.is_by_shape() {
        let noise = |shape| noise(cell, shape, cell.reference());
        return shapes.take(1).filter_map(noise).map(|noise| format!("noise: {noise}")).collect();
    }
    let place = |shape| if words::is_shaped(cell) { format!("noise ({shape})") } else { "noise".to_owned() };
    let of = |shape| Some(format!("{}: {}", place(shape), noise(cell, shape, cell.reference_in(shape))?));
    shapes.filter_map(of).collect()
}

fn noise(cell: &Cell, shape: Shape, reference: Option<&Line>) -> Option<String> {
    let Some((again, _)) = cell.again_in(shape).next() else {
        let unjudged = reference.is_some() && cell.has_intervals(cell.blocks());
        return unjudged.then(|| NO_NOISE_KNOWN.to_owned());
    };
    let others = cell.again_in(shape).count() - 1;
    let more = if others == 0 { String::new() } else { format!(" (and {others} more)") };
    let name = words::name(cell, again);
    Some(match cell.noise_in(shape) {
        Some((floor, interval)) => format!(
            "{name}{more} differs from itself by {percent:.1} % ({} to {}); no difference of up to {percent:.1} % is reported",
            words::factor(interval.low),
            words::factor(interval.high),
            percent = (floor - 1.0) * 100.0
        ),
        None => format!("too few blocks to know how far {name}{more} differs from itself"),
    })
}

/// The lines that have fewer blocks than the others.
fn short_lines(cell: &Cell) -> Option<String> {
    let all = cell.blocks();
    let short = cell.lines.iter().filter(|line| line.wall.len() < all);
    let short: Vec<String> =
        short.map(|line| format!("{} {}", words::name(cell, line), line.wall.len())).collect();
    (!short.is_empty()).then(|| format!("fewer than {all} blocks: {}", words::few(&short, 6)))
}

/// The lines that never became warm here.
fn cold_only(cell: &Cell) -> Option<String> {
    let told =
        |line: &Line| Some(format!("{} {}", words::name(cell, line), words::time(line.cold()?.median)));
    let told: Vec<String> = cell.cold_only.iter().filter_map(told).collect();
    (!told.is_empty()).then(|| format!("only cold, no steady time: {}", words::few(&told, 6)))
}

const RESUMING: &str =
    "Full connections compared with resumed ones of the same blocks, without lines that stalled.";

/// The savings of resumed TLS sessions, for each number of connections at once of which both are known.
fn resuming(cells: &[Cell]) -> Option<Section> {
    let is_beside = |full: &Cell, cell: &Cell| (cell.size, cell.operation) == (full.size, Operation::Resumed);
    let of_both = cells.iter().filter(|full| full.operation == Operation::Full).filter_map(|full| {
        let resumed = cells.iter().find(|cell| is_beside(full, cell))?;
        let columns = ["line", "full/s", "resumed/s", range_of_pairs(full), "verdict"];
        let title = format!("{}{}", full.kind.amount(full.size), words::common_way(full));
        let mut table = Table::titled(title, 1, columns);
        table.drawn = Drawn::Marks("full ÷ resumed, log scale", 4);
        pairs(full, resumed).into_iter().for_each(|pair| table.push_row(resumed_row(full, pair)));
        (!table.rows.is_empty()).then_some(table)
    });
    let tables: Vec<Table> = of_both.collect();
    (!tables.is_empty()).then(|| Section {
        at: Proof::Resumption,
        title: "What resuming saves".into(),
        reading: RESUMING,
        tables,
        remarks: Vec::new(),
    })
}

fn range_of_pairs(full: &Cell) -> &'static str {
    if full.blocks() < FEWEST_BLOCKS { "full ÷ resumed (range)" } else { "full ÷ resumed (95 %)" }
}

/// A line in both cells, with the ratio of its times.
fn pairs<'a>(full: &'a Cell, resumed: &'a Cell) -> Vec<(&'a Line, &'a Line, Ratio)> {
    let pair = |line: &'a Line| {
        let again = resumed.contestants().find(|other| other.line == line.line && !other.is_waiting())?;
        Some((line, again, across((full, line), (resumed, again))?))
    };
    full.contestants().filter(|line| !line.is_waiting()).filter_map(pair).collect()
}

fn resumed_row(full: &Cell, (line, again, ratio): (&Line, &Line, Ratio)) -> TableRow {
    let rate = |line: &Line| Some(Figure::number(significant(1e9 / line.time()), 1e9 / line.time()));
    let name = Figure::word(words::name(full, line));
    let told = Figure::ratio(words::narrow(&ratio), &ratio);
    TableRow {
        line: Some(line.line.clone()),
        figures: vec![Some(name), rate(line), rate(again), Some(told), Some(Figure::verdict(&ratio))],
        beside: Beside { mark: Some(Mark::of(&ratio)), ..Beside::default() },
        ..TableRow::default()
    }
}

const BEGINNING: &str =
    "Times of a fresh process: until it is ready, of its first operation, and of operations in steady state.";

/// Lines by the time that they take to become warm, the longest first.
fn beginning(cell: &[&Warmth]) -> Section {
    let columns = ["line", "ramp", "start", "first (range)", "× steady", "steady"];
    let mut table = Table::titled("", 2, columns);
    table.drawn = Drawn::Marks("first operation × steady, log scale", columns.len());
    table.is_folded = cell.iter().all(|warmth| warmth.late_cliff().is_none() && warmth.is_steady);
    let mut lines: Vec<&Warmth> = cell.to_vec();
    let spent = |warmth: &Warmth| warmth.late_cliff().map_or(0.0, |cliff| cliff.spent_ns);
    let factor = |warmth: &Warmth| warmth.cold_factor().unwrap_or(0.0);
    lines.sort_by(|a, b| (spent(b).total_cmp(&spent(a))).then(factor(b).total_cmp(&factor(a))));
    for warmth in lines {
        let time = |ns: f64| Figure::number(words::time(ns), ns);
        let cold = warmth
            .cold
            .map(|cold| Figure::with_ends(words::ranged(&cold), cold.median, [cold.low, cold.high]));
        let factor = warmth.cold_factor().map(|factor| Figure::number(words::factor(factor), factor));
        let ramp = Some(Figure::word(warmth.in_short())).filter(|ramp| !ramp.told.is_empty());
        let name = Some(Figure::word(warmth.name.clone()));
        let figures = vec![name, ramp, warmth.start.map(time), cold, factor, Some(time(warmth.steady))];
        let beside = Beside { mark: warmth.mark(), ..Beside::default() };
        table.push_row(TableRow { line: Some(warmth.line.clone()), figures, beside, ..TableRow::default() });
    }
    let first = cell[0];
    Section {
        at: Proof::Warmth(first.size, first.operation),
        title: format!("{}: from cold to steady", first.place()),
        reading: BEGINNING,
        tables: vec![table.without_silent_columns()],
        remarks: warmth::late(cell).into_iter().collect(),
    }
}

//! The tables that prove the answers, job by job.

use super::{Answer, Chapter, Run, Section, id, id_of_cell, outcomes, sizes};
use crate::metrics::{METRICS, Metric};
use crate::rows;
use crate::summary::warmth::Warmth;
use crate::summary::{Cell, Line};
use crate::table::{Drawn, Figure, Mark, Table, TableRow};
use crate::words;
use std::collections::BTreeSet;

/// A chapter for each job, in the order of the run; then those without a figure.
pub fn chapters(run: &Run, answers: &[Answer]) -> Vec<Chapter> {
    let mut unmeasured = outcomes::sections(run.rows);
    let measured = run.cells.chunk_by(|a, b| a.job == b.job).map(|cells| {
        let mut sections: Vec<Section> = cells.iter().map(|cell| of_cell(cell, answers)).collect();
        sections.extend(sizes::section(run, cells));
        sections.extend(unmeasured.shift_remove(cells[0].job.as_str()));
        chapter(&cells[0].job, sections)
    });
    let mut chapters: Vec<Chapter> = measured.collect();
    chapters.extend(unmeasured.into_iter().map(|(job, section)| chapter(job, vec![section])));
    chapters
}

fn chapter(job: &str, sections: Vec<Section>) -> Chapter {
    let title = format!("Job {}", if job.is_empty() { "without a name" } else { job });
    Chapter { id: id("job", job), title, sections }
}

/// The meanings of all columns that the run has.
pub fn meanings(cells: &[Cell]) -> Vec<String> {
    let lines =
        || cells.iter().flat_map(|cell| cell.lines.iter().chain(&cell.cold_only).map(move |it| (cell, it)));
    let is_known = |metric: &&Metric| lines().any(|(cell, line)| metric.of(cell, line).is_some());
    let known = METRICS.iter().filter(is_known);
    let known = known.map(|metric| format!("{}: {}.", metric.title, metric.meaning));
    let columns = [
        "× ref: the time as a multiple of the reference's in the same block, the median of the blocks with its 95 % \
         interval; below 1 is faster.",
        "noise: how far a line that ran twice in each block differs from itself; no smaller difference is called.",
        "ramp: how many times faster the operations of a fresh process become, and after how many.",
    ];
    columns.map(str::to_owned).into_iter().chain(known).collect()
}

/// The ratios of a cell with all that is known of its lines; in TLS a table for each transport, which has a reference of its own.
fn of_cell(cell: &Cell, answers: &[Answer]) -> Section {
    let mut tables: Vec<Table> = cell.groups().iter().map(|group| ratios(cell, group)).collect();
    tables.extend(told_by_answers(cell, answers));
    Section::of_tables(id_of_cell(cell.place()), title(cell), tables)
}

fn title(cell: &Cell) -> String {
    let blocks = words::count(cell.blocks(), "block");
    format!("{}{}: {blocks}", words::place(cell.place()), words::common_way(cell))
}

/// Columns beside the drawing of ratios: the ratio, its verdict, the time.
const BESIDE_RATIOS: usize = 3;

/// The fastest first.
fn ratios(cell: &Cell, group: &str) -> Table {
    let columns = [("line", "line"), ("times_reference", "× ref (95 %)"), ("verdict", "verdict")];
    let metrics = METRICS.iter().map(|metric| (metric.key, metric.title));
    let mut table =
        Table::new(titled(cell, group), 1, columns.into_iter().chain(metrics).chain([("ramp", "ramp")]));
    table.drawn = Drawn::Marks("as a multiple of that of ref, log scale", BESIDE_RATIOS);
    let lines = cell.lines.iter().chain(&cell.cold_only).filter(|line| cell.group(line) == group);
    let mut timed: Vec<(f64, &Line)> = lines.map(|line| (line.time(), line)).collect();
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    timed.into_iter().for_each(|(_, line)| table.push_row(row(cell, line)));
    table.without_silent_columns()
}

/// "memory, ref is openssl (memory), noise 1.7 %".
fn titled(cell: &Cell, group: &str) -> String {
    let reference = cell.reference_in(group).map(|line| format!("ref is {}", words::name(cell, line)));
    let noise = cell.noise_in(group).map(|(floor, _)| format!("noise {:.1} %", (floor - 1.0) * 100.0));
    let parts = [Some(group.to_owned()).filter(|name| !name.is_empty()), reference, noise];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
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
    let name = Figure::word(words::name(cell, line));
    let mut figures = vec![Some(name), ratio.as_ref().map(Figure::ratio), verdict];
    figures.extend(METRICS.iter().map(|metric| {
        let value = metric.of(cell, line)?;
        Some(Figure::number(metric.told(value), value))
    }));
    figures.push(line.warmth.as_ref().map(|warmth| Figure::word(ramp(warmth))));
    let noise = cell.noise_in(&cell.group(line)).map(|(floor, _)| floor);
    let mark = ratio.as_ref().map(Mark::of).or(is_reference.then_some(Mark::REFERENCE));
    TableRow {
        line: Some(line.line.clone()),
        samples: Some(samples(cell, line)),
        figures,
        mark,
        noise,
        ..TableRow::default()
    }
}

/// The text by which the page's script finds the samples of a line: it makes the same from members of their rows.
fn samples(cell: &Cell, line: &Line) -> String {
    let rows::Line { engine, parameters, again } = &line.line;
    let parameters = serde_json::to_string(parameters).expect("a map of names is JSON");
    format!("{}\t{}\t{}\t{engine}\t{parameters}\t{again}", cell.job, cell.size, cell.operation)
}

/// All figures of the answers that a cell proves, by the names that lines have in the tables.
fn told_by_answers(cell: &Cell, answers: &[Answer]) -> Option<Table> {
    let id = id_of_cell(cell.place());
    let proved = answers.iter().filter(|answer| answer.evidence == id);
    let all: BTreeSet<&[String; 4]> = proved.flat_map(|answer| &answer.comparisons).collect();
    let mut table =
        Table::titled("Figures of the answers", 4, ["line", "quantity", "figure", "compared with"]);
    all.iter().for_each(|figure| table.push((*figure).clone()));
    (!all.is_empty()).then_some(table)
}

/// "47.1 × faster after 312".
fn ramp(warmth: &Warmth) -> String {
    match (warmth.is_steady, warmth.cliff) {
        (false, _) => "no steady state".into(),
        (_, Some(cliff)) => format!("{} × faster after {}", words::factor(cliff.factor()), cliff.after),
        (_, None) if warmth.levels > 1 => "slower later".into(),
        _ => "level".into(),
    }
}

#[cfg(test)]
mod tests;

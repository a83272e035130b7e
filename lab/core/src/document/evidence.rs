//! The tables that prove the answers, job by job; and lists of what a job did not measure, or not as planned, and why.

use super::{Answer, Chapter, Run, Section, id, id_of_cell, sizes};
use crate::format;
use crate::jobs;
use crate::metrics::{METRICS, Metric};
use crate::rows::{self, Fault, Row};
use crate::summary::warmth::WarmUp;
use crate::summary::{Cell, Line};
use crate::table::{Column, Drawn, Figure, Table, TableRow};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;

/// A chapter for each job, in the order of the run; then those without a figure.
pub fn chapters(run: &Run, answers: &[Answer]) -> Vec<Chapter> {
    let mut unmeasured = self::unmeasured(run.rows);
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
        || cells.iter().flat_map(|cell| cell.lines.iter().chain(&cell.cold).map(move |it| (cell, it)));
    let is_known = |metric: &&Metric| lines().any(|(cell, line)| metric.of(cell, line).is_some());
    let known = METRICS.iter().filter(is_known);
    let known = known.map(|metric| format!("{}: {}.", metric.title, metric.meaning));
    let columns = [
        "× ref: the time as a multiple of the reference's in the same block, the median of the blocks with its 95 % \
         interval, which one mark in 20 misses by chance; below 1 is faster.",
        "noise: how far a line that ran twice differs from itself; no smaller difference is called.",
        "ramp: how many times faster the operations of a fresh process become, and after how many.",
    ];
    columns.map(str::to_owned).into_iter().chain(known).collect()
}

/// The ratios of a cell with all that is known of its lines, in TLS a table for each transport, which has a reference of its own;
/// and the figures of the answers that it proves, by the names that lines have in the tables.
fn of_cell(cell: &Cell, answers: &[Answer]) -> Section {
    let id = id_of_cell(cell.place());
    let proved = answers.iter().filter(|answer| answer.evidence == id);
    let told: BTreeSet<&String> = proved.flat_map(|answer| &answer.comparisons).collect();
    let tables = cell.groups().iter().map(|group| ratios(cell, group)).collect();
    // The names of lines leave out what all lines of a cell of TLS have in common.
    let common = format::ways(cell).map(|ways| ways.common).filter(|common| !common.is_empty());
    let place: Vec<String> = [format::place(cell.place())].into_iter().chain(common).collect();
    let title = format!("{}: {}", place.join(", "), format::count(cell.blocks(), "block"));
    Section { tables, ..Section::list(&id, &title, told.into_iter().cloned()) }
}

/// Columns beside the drawing of ratios: the ratio, its verdict, the time.
const BESIDE_RATIOS: usize = 3;

/// The fastest first.
fn ratios(cell: &Cell, group: &str) -> Table {
    let columns = [("line", "line"), ("times_reference", "× ref (95 %)"), ("verdict", "verdict")];
    let metrics = METRICS.iter().map(|metric| (metric.key, metric.title));
    let columns = columns.into_iter().chain(metrics).chain([("ramp", "ramp")]);
    let columns = columns.map(|(key, title)| Column { key: key.into(), title: title.into() }).collect();
    let drawn = Drawn::Marks("as a multiple of that of ref, log scale", BESIDE_RATIOS);
    let mut table = Table { title: titled(cell, group), words: 1, columns, drawn, ..Table::default() };
    let lines = cell.lines.iter().chain(&cell.cold).filter(|line| cell.group(line) == group);
    let mut timed: Vec<(f64, &Line)> = lines.map(|line| (line.time(), line)).collect();
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    timed.into_iter().for_each(|(_, line)| table.push_row(row(cell, line)));
    table
}

/// "memory, ref is openssl (memory), noise 1.7 %".
fn titled(cell: &Cell, group: &str) -> String {
    let line = cell.reference_in(group);
    let reference = line.map(|line| format!("ref is {}", format::name(cell, line)));
    let noise = line
        .and_then(|line| cell.floor_of(line))
        .map(|floor| format!("noise {:.1} %", (floor - 1.0) * 100.0));
    let parts = [Some(group.to_owned()).filter(|name| !name.is_empty()), reference, noise];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn row(cell: &Cell, line: &Line) -> TableRow {
    let reference = cell.reference_of(line);
    let ratio = reference.and_then(|reference| cell.compare(line, reference));
    let is_reference = reference.is_some_and(|reference| reference.line == line.line);
    let is_warming = !line.wall.is_empty() && !line.is_steady;
    let verdict = match &ratio {
        Some(ratio) => Some(Figure::verdict(ratio)),
        None if is_reference && is_warming => Some(Figure::word(format!("reference, {}", format::WARMING))),
        None if is_reference => Some(Figure::word("reference")),
        None if is_warming => Some(Figure::word(format::WARMING)),
        None if line.is_waiting() => Some(Figure::word("waited")),
        None => None,
    };
    let name = Figure::word(format::name(cell, line));
    let ratio = ratio.filter(|ratio| !ratio.is_unsteady());
    let mut figures = vec![Some(name), ratio.as_ref().map(Figure::ratio), verdict];
    figures.extend(METRICS.iter().map(|metric| {
        let value = metric.of(cell, line)?;
        Some(Figure::number(metric.unit.told(value), value))
    }));
    figures.push(line.ramps.first().map(|_| Figure::word(told(line.warm_up(0)))));
    let (samples, noise) = (Some(samples(cell, line)), cell.floor_of(line));
    let line = Some(line.line.clone());
    TableRow { line, samples, figures, is_reference, noise, series: None }
}

/// The text by which the page's script finds the samples of a line: it makes the same from members of their rows.
fn samples(cell: &Cell, line: &Line) -> String {
    let rows::Line { engine, parameters, again } = &line.line;
    let parameters = serde_json::to_string(parameters).expect("a map of names is JSON");
    format!("{}\t{}\t{}\t{engine}\t{parameters}\t{again}", cell.job, cell.size, cell.operation)
}

/// "47.1 × faster after 312".
fn told(warm_up: Option<WarmUp>) -> String {
    match warm_up {
        Some(it) if it.has_ended && it.operations <= 1 => "level".into(),
        Some(it) if it.has_ended => {
            format!("{} × faster after {}", format::factor(it.factor), it.operations)
        }
        _ => "no steady state".into(),
    }
}

/// Lists what a job did not measure, by jobs. Faults of one kind and reason are one sentence.
fn unmeasured(rows: &[Row]) -> IndexMap<&str, Section> {
    let mut faults: IndexMap<(&str, String, &str), IndexSet<String>> = IndexMap::new();
    for fault in rows::faults(rows) {
        let lines = faults.entry((&fault.job, fault.kind.words(), &fault.why)).or_default();
        lines.insert(without_figure(fault));
    }
    let faults = faults.into_iter().map(|((job, kind, why), lines)| {
        let lines = format::few(lines, MOST_NAMED, "; ").unwrap_or_default();
        (job, format!("{lines}: {kind}: {why}"))
    });
    let notes = rows.iter().filter_map(|row| if let Row::Note(note) = row { Some(note) } else { None });
    let notes = notes.map(|note| {
        let amount = jobs::of(&note.job).amount(note.size);
        (note.job.as_str(), format!("{}, {amount}: {}", note.job, note.words()))
    });
    let mut jobs: IndexMap<&str, IndexSet<String>> = IndexMap::new();
    for (job, told) in faults.chain(notes) {
        jobs.entry(job).or_default().insert(told);
    }
    let sections = jobs.into_iter().map(|(job, told)| {
        let title = format!("{}: what was not measured", if job.is_empty() { "without a name" } else { job });
        (job, Section::list(&id("outcomes", job), &title, told))
    });
    sections.collect()
}

/// "SunJCE 17.0.15 DES (tuned), 49 bytes, open".
fn without_figure(fault: &Fault) -> String {
    let line = format::full_name(&rows::Line::of(&fault.engine, fault.parameters.clone()), true);
    let size = fault.size.map(|size| jobs::of(&fault.job).amount(size));
    let operation = fault.operation.map(|operation| operation.to_string());
    [Some(line), size, operation].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A sentence is for people, and the rows have all.
const MOST_NAMED: usize = 6;

#[cfg(test)]
mod tests;

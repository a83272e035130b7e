//! The tables that prove the answers, job by job; and lists of what a job did not measure, or not as planned, and why.

use super::{Answer, Chapter, Run, Section, id, id_of_cell, sizes};
use crate::jobs;
use crate::metrics::{METRICS, Metric};
use crate::rows::{self, Fault, FaultKind, Row};
use crate::summary::warmth::Warmth;
use crate::summary::{Cell, Line};
use crate::table::{Column, Drawn, Figure, Table, TableRow};
use crate::words;
use indexmap::{IndexMap, IndexSet};
use std::collections::{BTreeMap, BTreeSet};

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

/// The ratios of a cell with all that is known of its lines, in TLS a table for each transport, which has a reference of its own;
/// and the figures of the answers that it proves, by the names that lines have in the tables.
fn of_cell(cell: &Cell, answers: &[Answer]) -> Section {
    let id = id_of_cell(cell.place());
    let proved = answers.iter().filter(|answer| answer.evidence == id);
    let told: BTreeSet<&String> = proved.flat_map(|answer| &answer.comparisons).collect();
    let tables = cell.groups().iter().map(|group| ratios(cell, group)).collect();
    let (place, blocks) = (words::place(cell.place()), words::count(cell.blocks(), "block"));
    let title = format!("{place}{}: {blocks}", words::common_way(cell));
    Section { tables, ..Section::list(id, title, told.into_iter().cloned()) }
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
    let lines = cell.lines.iter().chain(&cell.cold_only).filter(|line| cell.group(line) == group);
    let mut timed: Vec<(f64, &Line)> = lines.map(|line| (line.time(), line)).collect();
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    timed.into_iter().for_each(|(_, line)| table.push_row(row(cell, line)));
    table
}

/// "memory, ref is openssl (memory), noise 1.7 %".
fn titled(cell: &Cell, group: &str) -> String {
    let reference = cell.reference_in(group).map(|line| format!("ref is {}", words::name(cell, line)));
    let noise = cell.noise_in(group).map(|floor| format!("noise {:.1} %", (floor - 1.0) * 100.0));
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
        Some(Figure::number(metric.unit.told(value), value))
    }));
    figures.push(line.warmth().map(|warmth| Figure::word(ramp(&warmth))));
    TableRow {
        line: Some(line.line.clone()),
        samples: Some(samples(cell, line)),
        figures,
        is_reference,
        noise: cell.noise_in(&cell.group(line)),
        ..TableRow::default()
    }
}

/// The text by which the page's script finds the samples of a line: it makes the same from members of their rows.
fn samples(cell: &Cell, line: &Line) -> String {
    let rows::Line { engine, parameters, again } = &line.line;
    let parameters = serde_json::to_string(parameters).expect("a map of names is JSON");
    format!("{}\t{}\t{}\t{engine}\t{parameters}\t{again}", cell.job, cell.size, cell.operation)
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

/// Lists what a job did not measure, by jobs. One library without six ciphers is one fact: faults of one cause are one sentence.
fn unmeasured(rows: &[Row]) -> IndexMap<&str, Section> {
    let families = rows::engines(rows).map(|engine| (&*engine.engine, &*engine.family));
    let families: BTreeMap<&str, &str> = families.collect();
    let mut causes: IndexMap<(&str, Cause), Vec<&Fault>> = IndexMap::new();
    for fault in rows::faults(rows) {
        causes.entry((&fault.job, Cause::of(fault, &families))).or_default().push(fault);
    }
    let faults = causes.iter().map(|((job, cause), faults)| (*job, cause.in_words(faults)));
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
        (job, Section::list(id("outcomes", job), title, told))
    });
    sections.collect()
}

/// Faults with the same one are one sentence.
#[derive(PartialEq, Eq, Hash)]
struct Cause {
    family: String,
    kind: &'static str,
    why: String,
}

impl Cause {
    fn of(fault: &Fault, families: &BTreeMap<&str, &str>) -> Self {
        // An engine that never answered has no family but in its name.
        let family = families.get(&*fault.engine).copied();
        let family = family.unwrap_or(words::family_and_version(&fault.engine).0);
        // "no cipher X" and "no cipher Y" are one cause: X and Y are named beside it.
        let named = fault.parameters.algorithm().filter(|name| *name != "none").unwrap_or_default();
        let mut why = fault.why.clone();
        if fault.kind == FaultKind::Unsupported && !named.is_empty() {
            why = why.replace(&format!("\"{named}\""), "these").replace(named, "these");
        }
        Self { family: family.to_owned(), kind: fault.kind.words(), why }
    }

    /// "SunJCE 17.0.15 and 25.0.3, DES, RC2, 49 bytes: unsupported: no cipher "DES" (the others likewise)".
    fn in_words(&self, faults: &[&Fault]) -> String {
        let job = jobs::of(&faults[0].job);
        let each = |of: &dyn Fn(&Fault) -> Option<String>| -> IndexSet<String> {
            let all = faults.iter().filter_map(|fault| of(fault));
            all.filter(|name| !name.is_empty() && name != "none").collect()
        };
        let few = |names| words::few(names, MOST_NAMED, ", ");
        let version =
            |it: &Fault| Some(it.engine.strip_prefix(&self.family).unwrap_or(&it.engine).trim().to_owned());
        let versions = words::few(each(&version), MOST_NAMED, " and ");
        let versions = versions.map(|versions| format!(" {versions}")).unwrap_or_default();
        let algorithms = each(&|it| it.parameters.algorithm().map(str::to_owned));
        let hows = each(&|it| it.parameters.how().map(str::to_owned));
        // The parts of a TLS connection have long names, and many of them.
        let most = if algorithms.first().is_some_and(|name| name.contains(' ')) { 2 } else { MOST_NAMED };
        let are_told = job.tells_how || hows.len() == 1;
        let parts = [
            Some(format!("{}{versions}", self.family)),
            words::few(algorithms, most, ", "),
            few(hows).filter(|_| are_told),
            few(each(&|it| it.size.map(|size| job.amount(size)))),
            few(each(&|it| it.operation.map(|operation| operation.to_string()))),
        ];
        let (parts, why) = (parts.into_iter().flatten().collect::<Vec<_>>().join(", "), &faults[0].why);
        // A reason without its name would be no sentence.
        let others = if faults.iter().any(|it| it.why != *why) { " (the others likewise)" } else { "" };
        format!("{parts}: {}: {why}{others}", self.kind)
    }
}

/// The number of names of each kind that a sentence tells; a sentence is for people, and the rows have all.
const MOST_NAMED: usize = 24;

#[cfg(test)]
mod tests;

//! Who can do what: every line at every size and operation of a job, and the outcome; looked up and not searched for: a
//! run in which everything fails has as many faults as rows.

use super::evidence::Section;
use crate::faults::About;
use crate::jobs;
use crate::protocol::Operation;
use crate::report::Run;
use crate::report::said::Proof;
use crate::report::troubles::{self, Trouble};
use crate::rows::{self, Fault};
use crate::summary::Cell;
use crate::table::Table;
use crate::words;
use std::collections::{BTreeMap, BTreeSet};

/// More lines, sizes or reasons than any plan has are those of a run in which everything failed: the rows have them all.
const MOST_LINES: usize = 200;
const MOST_PLACES: usize = 40;
const MOST_REASONS: usize = 100;
const MOST_NOTES: usize = 50;

/// Nothing where all went well.
pub fn section(run: &Run, job: &str, cells: &[Cell]) -> Option<Section> {
    let rows = run.by_job.get(job);
    let troubles = troubles::all(&rows.faults, &run.by_job.families);
    let outcomes = Outcomes::of(job, cells, &troubles);
    let tables = if outcomes.is_all_ok() || outcomes.places.is_empty() {
        Vec::new()
    } else {
        vec![outcomes.table(job)]
    };
    let reasons =
        troubles.iter().zip(1..).map(|(trouble, number)| format!("[{number}] {}", trouble.sentence));
    let mut remarks = words::at_most(reasons.collect(), MOST_REASONS);
    remarks.extend(words::at_most(troubles::notes(rows.notes.iter().copied()), MOST_NOTES));
    (!tables.is_empty() || !remarks.is_empty()).then(|| Section {
        at: Proof::Outcomes,
        title: format!("{}: who can do what", if job.is_empty() { "without a name" } else { job }),
        reading: "",
        tables,
        remarks,
    })
}

/// A size and an operation.
type Place = (u64, Operation);

struct Outcomes<'a> {
    /// Ascending; sizes that nobody could do are places, too.
    places: Vec<Place>,
    /// Lines in the order of the job, then those that are told of others.
    subjects: Vec<About<'a>>,
    /// "ok", or "cold only".
    measured: BTreeMap<Place, BTreeMap<About<'a>, &'static str>>,
    failed: First<'a>,
}

/// The first fault about whatever it names, and the number of its reason.
type First<'a> = BTreeMap<About<'a>, (usize, &'a Fault)>;

fn name(subject: &About) -> String {
    let algorithm = subject.algorithm.filter(|algorithm| *algorithm != "none").map(str::to_owned);
    let shape = subject.shape.map(|shape| format!("({shape})"));
    let parts = [Some(subject.engine.to_owned()), algorithm, shape];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

impl<'a> Outcomes<'a> {
    fn of(job: &str, cells: &'a [Cell], troubles: &[Trouble<'a>]) -> Self {
        let mut failed = First::new();
        for (trouble, number) in troubles.iter().zip(1..) {
            for fault in trouble.faults.iter().copied() {
                failed.entry(About::fault(fault)).or_insert((number, fault));
            }
        }
        let faults: Vec<&Fault> = troubles.iter().flat_map(|trouble| &trouble.faults).copied().collect();
        let (measured, places, subjects) =
            (measured(cells), places(job, cells, &faults), subjects(cells, &faults));
        Self { places, subjects, measured, failed }
    }

    fn is_all_ok(&self) -> bool {
        let is_ok = |of: &BTreeMap<About, &str>| {
            of.len() == self.subjects.len() && of.values().all(|outcome| *outcome == OK)
        };
        self.failed.is_empty() && self.measured.values().all(is_ok)
    }

    /// Of as many lines as there is room for, those first that failed; and of the places where anything was measured.
    fn table(mut self, job: &str) -> Table {
        let lines = self.subjects.len().saturating_sub(MOST_LINES);
        if lines > 0 {
            let failed: BTreeSet<About> = self.failed.keys().map(|about| about.anywhere()).collect();
            self.subjects.sort_by_key(|subject| !subject.broader().any(|known| failed.contains(&known)));
            self.subjects.truncate(MOST_LINES);
        }
        let places = self.places.len().saturating_sub(MOST_PLACES);
        if places > 0 {
            self.places.sort_by_key(|place| !self.measured.contains_key(place));
            self.places.truncate(MOST_PLACES);
            self.places.sort_unstable();
        }
        let title =
            if places > 0 { format!("without {places} more sizes and operations") } else { String::new() };
        let amount = |size| jobs::of(job).amount(size);
        let of_places = self.places.iter().map(|(size, operation)| format!("{}, {operation}", amount(*size)));
        let titles: Vec<String> = std::iter::once("line".to_owned()).chain(of_places).collect();
        let mut table = Table::titled(title, titles.len(), titles);
        for subject in &self.subjects {
            let found = self.places.iter().map(|place| self.found(*subject, *place));
            table.push(std::iter::once(name(subject)).chain(found));
        }
        table.left_out = lines;
        table
    }

    /// What failed before what was measured.
    fn found(&self, subject: About<'a>, place: Place) -> String {
        let measured = || Some((*self.measured.get(&place)?.get(&subject)?).to_owned());
        first(&self.failed, subject, place).or_else(measured).unwrap_or_else(|| "not asked".into())
    }
}

const OK: &str = "ok";

/// "out of memory [3]".
fn first<'a>(all: &First<'a>, subject: About<'a>, (size, operation): Place) -> Option<String> {
    let about = About { size: Some(size), operation: Some(operation), ..subject };
    let (number, fault) =
        about.broader().filter_map(|about| all.get(&about)).min_by_key(|(number, _)| *number)?;
    let link = if *number <= MOST_REASONS { format!(" [{number}]") } else { String::new() };
    Some(format!("{}{link}", fault.kind.words()))
}

fn measured<'a>(cells: &'a [Cell]) -> BTreeMap<Place, BTreeMap<About<'a>, &'static str>> {
    let of_cell = |cell: &'a Cell| {
        let cold = cell.cold_only.iter().map(|line| (&line.line, "cold only"));
        let all = cold.chain(cell.lines.iter().map(|line| (&line.line, OK)));
        let all = all.filter(|(line, _)| !line.again).map(|(line, outcome)| (of_line(cell, line), outcome));
        ((cell.size, cell.operation), all.collect())
    };
    cells.iter().map(of_cell).collect()
}

fn places(job: &str, cells: &[Cell], faults: &[&Fault]) -> Vec<Place> {
    let done = cells.iter().map(|cell| (cell.size, cell.operation));
    let mut operations: BTreeSet<Operation> = done.clone().map(|(_, operation)| operation).collect();
    if operations.is_empty() {
        operations.extend(faults.iter().filter_map(|fault| fault.operation));
        operations.extend(jobs::of(job).operations);
    }
    let of_faults = faults.iter().filter_map(|fault| fault.size);
    let of_faults = of_faults.flat_map(|size| operations.iter().map(move |operation| (size, *operation)));
    let all: BTreeSet<Place> = done.chain(of_faults).collect();
    all.into_iter().collect()
}

/// A line, wherever it was measured.
fn of_line<'a>(cell: &'a Cell, line: &'a rows::Line) -> About<'a> {
    About::line(&cell.job, cell.size, cell.operation, line).anywhere()
}

fn subjects<'a>(cells: &'a [Cell], faults: &[&'a Fault]) -> Vec<About<'a>> {
    let of_cell = |cell: &'a Cell| {
        let lines = cell.contestants_and_yardstick().chain(&cell.cold_only);
        lines.filter(|line| !line.line.again).map(|line| of_line(cell, &line.line))
    };
    let lines: Vec<About> = cells.iter().flat_map(of_cell).collect();
    // What is said of several lines at once stands in each of their rows.
    let covered: BTreeSet<About> = lines.iter().flat_map(|line| line.broader()).collect();
    let alone = faults.iter().map(|fault| About::fault(fault).anywhere());
    let mut seen = BTreeSet::new();
    let all = lines.iter().copied().chain(alone.filter(|subject| !covered.contains(subject)));
    all.filter(|subject| seen.insert(*subject)).collect()
}

#[cfg(test)]
mod tests;

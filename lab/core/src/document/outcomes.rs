//! Who can do what: every line at every size and operation of a job, and the outcome; looked up and not searched for: a
//! run in which everything fails has as many faults as rows.

use super::evidence::Section;
use crate::jobs;
use crate::protocol::{Operation, Shape};
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

/// A line; or, of a fault, all lines of which nothing else is said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject<'a> {
    engine: &'a str,
    algorithm: Option<&'a str>,
    shape: Option<Shape>,
}

struct Outcomes<'a> {
    /// Ascending; sizes that nobody could do are places, too.
    places: Vec<Place>,
    /// Lines in the order of the job, then those that are told of others.
    subjects: Vec<Subject<'a>>,
    /// "ok", or "cold only".
    measured: BTreeMap<Place, BTreeMap<Subject<'a>, &'static str>>,
    failed: First<'a>,
}

/// Of each subject and, where a fault has them, size and operation: the first fault, and the number of its reason.
type First<'a> = BTreeMap<(Subject<'a>, Option<u64>, Option<Operation>), (usize, &'a Fault)>;

impl<'a> Subject<'a> {
    fn of(line: &'a rows::Line) -> Self {
        Self { engine: &line.engine, algorithm: Some(&line.algorithm), shape: Some(line.shape) }
    }

    fn of_fault(fault: &'a Fault) -> Self {
        Self { engine: &fault.engine, algorithm: fault.algorithm.as_deref(), shape: fault.shape }
    }

    /// All that can be said of it: of the line, of its algorithm or shape, of its engine.
    fn broader(self) -> impl Iterator<Item = Self> {
        let algorithms = [None, self.algorithm].into_iter();
        let all = algorithms.flat_map(move |algorithm| {
            [None, self.shape].map(|shape| Self { engine: self.engine, algorithm, shape })
        });
        all.collect::<BTreeSet<_>>().into_iter()
    }

    fn name(&self) -> String {
        let algorithm = self.algorithm.filter(|algorithm| *algorithm != "none").map(str::to_owned);
        let shape = self.shape.map(|shape| format!("({shape})"));
        let parts = [Some(self.engine.to_owned()), algorithm, shape];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

impl<'a> Outcomes<'a> {
    fn of(job: &str, cells: &'a [Cell], troubles: &[Trouble<'a>]) -> Self {
        let mut failed = First::new();
        for (trouble, number) in troubles.iter().zip(1..) {
            for fault in trouble.faults.iter().copied() {
                let about = (Subject::of_fault(fault), fault.size, fault.operation);
                failed.entry(about).or_insert((number, fault));
            }
        }
        let faults: Vec<&Fault> = troubles.iter().flat_map(|trouble| &trouble.faults).copied().collect();
        let (measured, places, subjects) =
            (measured(cells), places(job, cells, &faults), subjects(cells, &faults));
        Self { places, subjects, measured, failed }
    }

    fn is_all_ok(&self) -> bool {
        let is_ok = |of: &BTreeMap<Subject, &str>| {
            of.len() == self.subjects.len() && of.values().all(|outcome| *outcome == OK)
        };
        self.failed.is_empty() && self.measured.values().all(is_ok)
    }

    /// Of as many lines as there is room for, those first that failed; and of the places where anything was measured.
    fn table(mut self, job: &str) -> Table {
        let lines = self.subjects.len().saturating_sub(MOST_LINES);
        if lines > 0 {
            let failed: BTreeSet<Subject> = self.failed.keys().map(|(subject, _, _)| *subject).collect();
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
            table.push(std::iter::once(subject.name()).chain(found));
        }
        table.left_out = lines;
        table
    }

    /// What failed before what was measured.
    fn found(&self, subject: Subject<'a>, place: Place) -> String {
        let measured = || Some((*self.measured.get(&place)?.get(&subject)?).to_owned());
        first(&self.failed, subject, place).or_else(measured).unwrap_or_else(|| "not asked".into())
    }
}

const OK: &str = "ok";

/// "out of memory [3]".
fn first<'a>(all: &First<'a>, subject: Subject<'a>, (size, operation): Place) -> Option<String> {
    let sizes = [None, Some(size)];
    let keys = subject.broader().flat_map(|subject| {
        sizes.into_iter().flat_map(move |size| [None, Some(operation)].map(|it| (subject, size, it)))
    });
    let (number, fault) = keys.filter_map(|key| all.get(&key)).min_by_key(|(number, _)| *number)?;
    let link = if *number <= MOST_REASONS { format!(" [{number}]") } else { String::new() };
    Some(format!("{}{link}", fault.kind.words()))
}

fn measured<'a>(cells: &'a [Cell]) -> BTreeMap<Place, BTreeMap<Subject<'a>, &'static str>> {
    let of_cell = |cell: &'a Cell| {
        let cold = cell.cold_only.iter().map(|line| (&line.line, "cold only"));
        let all = cold.chain(cell.lines.iter().map(|line| (&line.line, OK)));
        let all = all.filter(|(line, _)| !line.again).map(|(line, outcome)| (Subject::of(line), outcome));
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

fn subjects<'a>(cells: &'a [Cell], faults: &[&'a Fault]) -> Vec<Subject<'a>> {
    let lines = cells.iter().flat_map(|cell| cell.contestants_and_yardstick().chain(&cell.cold_only));
    let lines: Vec<Subject> =
        lines.filter(|line| !line.line.again).map(|line| Subject::of(&line.line)).collect();
    // What is said of several lines at once stands in each of their rows.
    let covered: BTreeSet<Subject> = lines.iter().flat_map(|line| line.broader()).collect();
    let alone = faults.iter().map(|fault| Subject::of_fault(fault));
    let mut seen = BTreeSet::new();
    let all = lines.iter().copied().chain(alone.filter(|subject| !covered.contains(subject)));
    all.filter(|subject| seen.insert(*subject)).collect()
}

#[cfg(test)]
mod tests;

//! What came of each line at each place, looked up and not searched for: a run in which everything fails has as many
//! faults as rows.

use super::super::Job;
use super::{Outcome, Reason};
use crate::jobs;
use crate::protocol::{Operation, Shape};
use crate::rows::{self, Fault};
use std::collections::{BTreeMap, BTreeSet};

/// A size and an operation.
pub type Place = (u64, Operation);

/// A line; or, of a fault, all lines of which nothing else is said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject<'a> {
    engine: &'a str,
    algorithm: Option<&'a str>,
    shape: Option<Shape>,
}

/// What came of it, and the number of the reason.
#[derive(Clone, Copy)]
pub struct Found {
    pub outcome: Outcome,
    pub reason: Option<usize>,
}

impl Found {
    const UNKNOWN: Self = Self { outcome: Outcome::Unknown, reason: None };
}

pub struct Outcomes<'a> {
    /// Ascending; sizes that nobody could do are places, too.
    pub places: Vec<Place>,
    /// Lines in the order of the job, then what is said of others.
    pub subjects: Vec<Subject<'a>>,
    measured: BTreeMap<Place, BTreeMap<Subject<'a>, Outcome>>,
    failed: First<'a>,
    overcome: First<'a>,
    faults: &'a [Reason<'a>],
    lines_left_out: usize,
    places_left_out: usize,
}

/// Of each subject and, where a fault has them, size and operation: the first fault, by its place among all.
type First<'a> = BTreeMap<(Subject<'a>, Option<u64>, Option<Operation>), usize>;

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

    pub fn name(&self) -> String {
        let algorithm = self.algorithm.filter(|algorithm| *algorithm != "none").map(str::to_owned);
        let shape = self.shape.map(|shape| format!("({shape})"));
        let parts = [Some(self.engine.to_owned()), algorithm, shape];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

impl<'a> Outcomes<'a> {
    /// Faults come with the numbers of their reasons.
    pub fn of(job: &'a Job, faults: &'a [Reason<'a>]) -> Self {
        let (mut failed, mut overcome) = (First::new(), First::new());
        for (at, Reason { fault, is_overcome, .. }) in faults.iter().enumerate() {
            let first = if *is_overcome { &mut overcome } else { &mut failed };
            first.entry((Subject::of_fault(fault), fault.size, fault.operation)).or_insert(at);
        }
        let measured = measured(job);
        let places = places(job, faults);
        let subjects = subjects(job, faults);
        Self { places, subjects, measured, failed, overcome, faults, lines_left_out: 0, places_left_out: 0 }
    }

    pub fn is_all_ok(&self) -> bool {
        let is_ok = |of: &BTreeMap<Subject, Outcome>| {
            of.len() == self.subjects.len() && of.values().all(|outcome| matches!(outcome, Outcome::Ok))
        };
        self.faults.is_empty() && self.measured.values().all(is_ok)
    }

    /// So many of them: those lines first of which there is something to say, and the places where anything was measured.
    pub fn shown(mut self, lines: usize, places: usize) -> Self {
        self.lines_left_out = self.subjects.len().saturating_sub(lines);
        if self.lines_left_out > 0 {
            let failed: BTreeSet<Subject> = self.failed.keys().map(|(subject, _, _)| *subject).collect();
            self.subjects.sort_by_key(|subject| !subject.broader().any(|known| failed.contains(&known)));
            self.subjects.truncate(lines);
        }
        self.places_left_out = self.places.len().saturating_sub(places);
        if self.places_left_out > 0 {
            self.places.sort_by_key(|place| !self.measured.contains_key(place));
            self.places.truncate(places);
            self.places.sort_unstable();
        }
        self
    }

    pub fn left_out(&self) -> String {
        let told = [(self.lines_left_out, "lines"), (self.places_left_out, "sizes and operations")];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, what)| format!("and {count} more {what}")).collect();
        if told.is_empty() {
            String::new()
        } else {
            format!(" ({}: the rows have them all)", told.join(", "))
        }
    }

    /// A row for each subject, with something for each place.
    pub fn rows(&self) -> Vec<Vec<Found>> {
        let row =
            |subject: &Subject<'a>| self.places.iter().map(|place| self.found(*subject, *place)).collect();
        self.subjects.iter().map(row).collect()
    }

    /// What failed for good before what was measured, and that before what had failed until then.
    fn found(&self, subject: Subject<'a>, place: Place) -> Found {
        let measured = self.measured.get(&place).and_then(|of| of.get(&subject));
        let measured = measured.map(|outcome| Found { outcome: *outcome, reason: None });
        let failed = self.first(&self.failed, subject, place).or(measured);
        failed.or_else(|| self.first(&self.overcome, subject, place)).unwrap_or(Found::UNKNOWN)
    }

    fn first(&self, all: &First<'a>, subject: Subject<'a>, (size, operation): Place) -> Option<Found> {
        let sizes = [None, Some(size)];
        let keys = subject.broader().flat_map(|subject| {
            sizes.into_iter().flat_map(move |size| [None, Some(operation)].map(|it| (subject, size, it)))
        });
        let Reason { fault, number, .. } = self.faults[*keys.filter_map(|key| all.get(&key)).min()?];
        Some(Found { outcome: Outcome::Fault(fault.kind), reason: Some(number) })
    }
}

fn measured<'a>(job: &Job<'a>) -> BTreeMap<Place, BTreeMap<Subject<'a>, Outcome>> {
    let of_cell = |cell: &&'a crate::summary::Cell| {
        let cold = cell.cold_only.iter().map(|line| (&line.line, Outcome::ColdOnly));
        let all = cold.chain(cell.lines.iter().map(|line| (&line.line, Outcome::Ok)));
        let all = all.filter(|(line, _)| !line.again).map(|(line, outcome)| (Subject::of(line), outcome));
        ((cell.size, cell.operation), all.collect())
    };
    job.cells.iter().map(of_cell).collect()
}

fn places(job: &Job, faults: &[Reason]) -> Vec<Place> {
    let operations = operations(job, faults);
    let of_faults = faults
        .iter()
        .filter_map(|reason| reason.fault.size)
        .flat_map(|size| operations.iter().map(move |operation| (size, *operation)));
    let all: BTreeSet<Place> =
        job.cells.iter().map(|cell| (cell.size, cell.operation)).chain(of_faults).collect();
    all.into_iter().collect()
}

/// What was done; where nothing was, what was to be done.
fn operations(job: &Job, faults: &[Reason]) -> BTreeSet<Operation> {
    let done = job.operations();
    if !done.is_empty() {
        return done;
    }
    let failed = faults.iter().filter_map(|reason| reason.fault.operation);
    let planned = jobs::of(job.name).operations;
    failed.chain(planned.iter().copied()).collect()
}

fn subjects<'a>(job: &Job<'a>, faults: &[Reason<'a>]) -> Vec<Subject<'a>> {
    let lines = job.cells.iter().flat_map(|cell| cell.contestants_and_yardstick().chain(&cell.cold_only));
    let lines: Vec<Subject> =
        lines.filter(|line| !line.line.again).map(|line| Subject::of(&line.line)).collect();
    // What is said of several lines at once stands in each of their rows.
    let covered: BTreeSet<Subject> = lines.iter().flat_map(|line| line.broader()).collect();
    let alone = faults.iter().map(|reason| Subject::of_fault(reason.fault));
    let mut seen = BTreeSet::new();
    let all = lines.iter().copied().chain(alone.filter(|subject| !covered.contains(subject)));
    all.filter(|subject| seen.insert(*subject)).collect()
}

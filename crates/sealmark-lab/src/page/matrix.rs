//! Who can do what: every line at every size and operation of a job, and what came of it.

use super::{Job, Run, markup};
use crate::protocol::{Operation, Shape};
use crate::report::{troubles, words};
use crate::rows::{self, Fault, FaultKind, Row};
use crate::summary::Cell;
use maud::{Markup, html};

/// Nothing but a sentence where all went well.
pub fn section(run: &Run, job: &Job) -> Markup {
    let faults: Vec<&Fault> = run.rows.iter().filter_map(|row| fault_of(row, job.name)).collect();
    let places = places(job, &faults);
    let subjects = subjects(job, &faults);
    html! {
        section .matrix {
            h3 { "Who can do what" }
            @if faults.is_empty() && subjects.iter().all(|subject| places.iter().all(|place| outcome(job, &faults, subject, place) == Outcome::Ok)) {
                p { "All " (subjects.len()) " lines did everything that was asked of them." }
            } @else {
                (table(job, &faults, &subjects, &places))
            }
            @let reasons = reasons(run, job.name);
            @if !reasons.is_empty() { (markup::folded("Reasons", &markup::list("reasons", &reasons))) }
        }
    }
}

fn fault_of<'a>(row: &'a Row, job: &str) -> Option<&'a Fault> {
    if let Row::Fault(fault) = row { Some(fault).filter(|fault| fault.job == job) } else { None }
}

fn reasons(run: &Run, job: &str) -> Vec<String> {
    let is_of = |row: &&Row| match row {
        Row::Fault(fault) => fault.job == job,
        Row::Note(note) => note.job == job,
        _ => false,
    };
    troubles::sentences(&run.rows.iter().filter(is_of).cloned().collect::<Vec<_>>())
}

type Place = (u64, Operation);

/// Ascending; sizes that nobody could do are places, too.
fn places(job: &Job, faults: &[&Fault]) -> Vec<Place> {
    let mut operations: Vec<Operation> = job.cells.iter().map(|cell| cell.operation).collect();
    operations.sort_unstable();
    operations.dedup();
    let of_faults = faults
        .iter()
        .filter_map(|fault| fault.size)
        .flat_map(|size| operations.iter().map(move |operation| (size, *operation)));
    let mut places: Vec<Place> =
        job.cells.iter().map(|cell| (cell.size, cell.operation)).chain(of_faults).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// A line; or, of a fault, all lines of which nothing else is said.
#[derive(PartialEq)]
struct Subject {
    engine: String,
    algorithm: Option<String>,
    shape: Option<Shape>,
}

impl Subject {
    fn of(line: &rows::Line) -> Self {
        Self { engine: line.engine.clone(), algorithm: Some(line.algorithm.clone()), shape: Some(line.shape) }
    }

    fn of_fault(fault: &Fault) -> Self {
        Self { engine: fault.engine.clone(), algorithm: fault.algorithm.clone(), shape: fault.shape }
    }

    fn covers(&self, line: &rows::Line) -> bool {
        self.engine == line.engine
            && self.algorithm.as_ref().is_none_or(|algorithm| *algorithm == line.algorithm)
            && self.shape.is_none_or(|shape| shape == line.shape)
    }

    fn name(&self) -> String {
        let algorithm = self.algorithm.clone().filter(|algorithm| algorithm != "none");
        let shape = self.shape.map(|shape| format!("({shape})"));
        let parts = [Some(self.engine.clone()), algorithm, shape];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

fn subjects(job: &Job, faults: &[&Fault]) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = Vec::new();
    let mut add = |subject: Subject| {
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    };
    let lines = job.cells.iter().flat_map(|cell| cell.contestants_and_yardstick().chain(&cell.cold_only));
    let lines: Vec<&rows::Line> = lines.map(|line| &line.line).filter(|line| !line.again).collect();
    lines.iter().for_each(|line| add(Subject::of(line)));
    // What is said of several lines at once stands in each of their rows.
    let alone = faults.iter().map(|fault| Subject::of_fault(fault));
    alone.filter(|subject| !lines.iter().any(|line| subject.covers(line))).for_each(add);
    subjects
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Ok,
    ColdOnly,
    Fault(FaultKind),
    Unknown,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ColdOnly => "cold only",
            Self::Fault(kind) => kind.words(),
            Self::Unknown => "not asked",
        }
    }

    /// What is no failing of the line, what it cannot do, and what went wrong.
    fn class(self) -> &'static str {
        match self {
            Self::Ok | Self::ColdOnly => "ok",
            Self::Unknown | Self::Fault(FaultKind::NotRun | FaultKind::Absent | FaultKind::Unsupported) => {
                "quiet"
            }
            Self::Fault(_) => "bad",
        }
    }

    fn sign(self) -> &'static str {
        match self.class() {
            "ok" => "✓ ",
            "bad" => "✕ ",
            _ => "– ",
        }
    }
}

fn outcome(job: &Job, faults: &[&Fault], subject: &Subject, (size, operation): &Place) -> Outcome {
    let is_here = |fault: &&&Fault| {
        let of_subject = fault.engine == subject.engine
            && (fault.algorithm.is_none() || fault.algorithm == subject.algorithm)
            && (fault.shape.is_none() || fault.shape == subject.shape);
        let of_place = fault.size.is_none_or(|known| known == *size)
            && fault.operation.is_none_or(|known| known == *operation);
        of_subject && of_place
    };
    if let Some(fault) = faults.iter().find(is_here) {
        return Outcome::Fault(fault.kind);
    }
    let cell = job.cells.iter().find(|cell| (cell.size, cell.operation) == (*size, *operation));
    cell.map_or(Outcome::Unknown, |cell| measured(cell, subject))
}

fn measured(cell: &Cell, subject: &Subject) -> Outcome {
    if cell.lines.iter().any(|line| subject.covers(&line.line)) {
        Outcome::Ok
    } else if cell.cold_only.iter().any(|line| subject.covers(&line.line)) {
        Outcome::ColdOnly
    } else {
        Outcome::Unknown
    }
}

fn table(job: &Job, faults: &[&Fault], subjects: &[Subject], places: &[Place]) -> Markup {
    let label = format!("{}: who can do what", job.name);
    let table = html! {
        table {
            caption { (label) }
            thead {
                tr {
                    th scope="col" { "line" }
                    @for (size, operation) in places { th scope="col" { (words::amount(job.name, *size)) ", " (operation) } }
                }
            }
            tbody {
                @for subject in subjects {
                    tr {
                        th scope="row" { (subject.name()) }
                        @for place in places {
                            @let outcome = outcome(job, faults, subject, place);
                            td .(outcome.class()) { (outcome.sign()) (outcome.word()) }
                        }
                    }
                }
            }
        }
    };
    markup::scrolled(&label, &table)
}

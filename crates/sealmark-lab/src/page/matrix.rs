//! Who can do what: every line at every size and operation of a job, and what came of it.

use super::{Job, Run, markup};
use crate::protocol::{Operation, Shape};
use crate::report::troubles::{self, Trouble};
use crate::report::words;
use crate::rows::{self, Fault, FaultKind, Row};
use crate::summary::Cell;
use maud::{Markup, html};

/// Nothing but a sentence where all went well.
pub fn section(run: &Run, job: &Job) -> Markup {
    let rows: Vec<Row> = run.rows.iter().filter(|row| is_of(row, job.name)).cloned().collect();
    let reasons = Reasons { troubles: troubles::all(&rows), id: run.id(&format!("why {}", job.name)) };
    let faults: Vec<&Fault> =
        reasons.troubles.iter().flat_map(|trouble| trouble.faults.iter().copied()).collect();
    let matrix = Matrix { job, places: places(job, &faults), subjects: subjects(job, &faults), faults };
    html! {
        section .matrix {
            h3 id=(run.id(&format!("matrix {}", job.name))) { "Who can do what" }
            @if matrix.is_all_ok() {
                p {
                    @match matrix.subjects.len() {
                        1 => "Its one line did everything that was asked of it.",
                        count => { "All " (count) " lines did everything that was asked of them." }
                    }
                }
            } @else {
                (table(run, &matrix, &reasons))
                (legend(&matrix))
                (reasons.list())
            }
            (markup::list("remarks", &troubles::notes(&rows)))
        }
    }
}

/// What troubles are told from.
fn is_of(row: &Row, job: &str) -> bool {
    match row {
        Row::Fault(fault) => fault.job == job,
        Row::Note(note) => note.job == job,
        Row::Engine(_) => true,
        _ => false,
    }
}

/// Why, in full; each with a number that its places in the table link to.
struct Reasons<'a> {
    troubles: Vec<Trouble<'a>>,
    id: String,
}

impl Reasons<'_> {
    fn list(&self) -> Markup {
        html! {
            @if !self.troubles.is_empty() {
                ol .reasons {
                    @for (trouble, number) in self.troubles.iter().zip(1..) {
                        li id={ (self.id) "-" (number) } { (trouble.sentence) }
                    }
                }
            }
        }
    }

    fn link(&self, fault: &Fault) -> Markup {
        let is_it = |trouble: &Trouble| trouble.faults.iter().any(|known| std::ptr::eq(*known, fault));
        let number = self.troubles.iter().position(is_it).map_or(0, |at| at + 1);
        html! { " " a href={ "#" (self.id) "-" (number) } aria-label={ "reason " (number) } { "[" (number) "]" } }
    }
}

struct Matrix<'a> {
    job: &'a Job<'a>,
    places: Vec<Place>,
    subjects: Vec<Subject>,
    faults: Vec<&'a Fault>,
}

impl Matrix<'_> {
    fn outcomes(&self) -> impl Iterator<Item = Outcome<'_>> {
        self.subjects.iter().flat_map(|subject| self.places.iter().map(|place| self.outcome(subject, place)))
    }

    fn is_all_ok(&self) -> bool {
        self.faults.is_empty() && self.outcomes().all(|outcome| matches!(outcome, Outcome::Ok))
    }
}

type Place = (u64, Operation);

/// Ascending; sizes that nobody could do are places, too.
fn places(job: &Job, faults: &[&Fault]) -> Vec<Place> {
    let operations = job.operations();
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

#[derive(Clone, Copy)]
enum Outcome<'a> {
    Ok,
    ColdOnly,
    Fault(&'a Fault),
    Unknown,
}

impl Outcome<'_> {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ColdOnly => "cold only",
            Self::Fault(fault) => fault.kind.words(),
            Self::Unknown => "not asked",
        }
    }

    /// What went well, what is no failing of the line, and what is one.
    fn class(self) -> &'static str {
        match self {
            Self::Ok | Self::ColdOnly => "ok",
            Self::Fault(fault) if is_bad(fault.kind) => "bad",
            Self::Unknown | Self::Fault(_) => "quiet",
        }
    }

    /// Told apart without colour, and in fonts that know few signs.
    fn sign(self) -> &'static str {
        use FaultKind::{Absent, Limited, NotRun, OutOfMemory, TimedOut, Unsupported};
        match self {
            Self::Ok => "✓",
            Self::ColdOnly => "●",
            Self::Unknown => "·",
            Self::Fault(fault) => match fault.kind {
                Unsupported => "○",
                NotRun | Absent => "–",
                Limited => "■",
                OutOfMemory => "▲",
                TimedOut => "◆",
                _ => "✕",
            },
        }
    }

    fn meaning(self) -> &'static str {
        use FaultKind::{Absent, Limited, NotRun, OutOfMemory, TimedOut, Unsupported};
        match self {
            Self::Ok => "its output was right, and it was timed",
            Self::ColdOnly => "right, and only the first operations of fresh processes were timed",
            Self::Unknown => "not in the plan, or the run ended before it",
            Self::Fault(fault) => match fault.kind {
                Unsupported => "its library has nothing for it",
                NotRun => "left out, because it would have taken too long",
                Absent => "not installed where the run was made",
                Limited => "its library takes no input of this size",
                OutOfMemory => "it needs more memory than it was given",
                TimedOut => "no answer within the time it was given",
                _ => "it went wrong",
            },
        }
    }
}

fn is_bad(kind: FaultKind) -> bool {
    !matches!(kind, FaultKind::NotRun | FaultKind::Absent | FaultKind::Unsupported)
}

impl<'a> Matrix<'a> {
    fn outcome(&self, subject: &Subject, (size, operation): &Place) -> Outcome<'a> {
        let is_here = |fault: &&&Fault| {
            let of_subject = fault.engine == subject.engine
                && (fault.algorithm.is_none() || fault.algorithm == subject.algorithm)
                && (fault.shape.is_none() || fault.shape == subject.shape);
            let of_place = fault.size.is_none_or(|known| known == *size)
                && fault.operation.is_none_or(|known| known == *operation);
            of_subject && of_place
        };
        if let Some(fault) = self.faults.iter().find(is_here) {
            return Outcome::Fault(fault);
        }
        let cell = self.job.cells.iter().find(|cell| (cell.size, cell.operation) == (*size, *operation));
        cell.map_or(Outcome::Unknown, |cell| measured(cell, subject))
    }
}

fn measured(cell: &Cell, subject: &Subject) -> Outcome<'static> {
    if cell.lines.iter().any(|line| subject.covers(&line.line)) {
        Outcome::Ok
    } else if cell.cold_only.iter().any(|line| subject.covers(&line.line)) {
        Outcome::ColdOnly
    } else {
        Outcome::Unknown
    }
}

fn table(run: &Run, matrix: &Matrix, reasons: &Reasons) -> Markup {
    let job = matrix.job.name;
    let label = format!("{job}: who can do what");
    let table = html! {
        table {
            caption { (label) }
            thead {
                tr {
                    th scope="col" { "line" }
                    @for (size, operation) in &matrix.places { th scope="col" { (words::amount(job, *size)) ", " (operation) } }
                }
            }
            tbody {
                @for subject in &matrix.subjects {
                    tr {
                        th scope="row" { (subject.name()) }
                        @for place in &matrix.places { (told(matrix.outcome(subject, place), reasons)) }
                    }
                }
            }
        }
    };
    markup::scrolled(&run.label(&label), &table)
}

fn told(outcome: Outcome, reasons: &Reasons) -> Markup {
    html! {
        td .(outcome.class()) {
            (outcome.sign()) " " (outcome.word())
            @if let Outcome::Fault(fault) = outcome { (reasons.link(fault)) }
        }
    }
}

/// Of the signs that the table has.
fn legend(matrix: &Matrix) -> Markup {
    let mut seen: Vec<Outcome> = Vec::new();
    for outcome in matrix.outcomes() {
        if !seen.iter().any(|known| known.word() == outcome.word()) {
            seen.push(outcome);
        }
    }
    html! {
        ul .legend {
            @for outcome in seen {
                li { strong .(outcome.class()) { (outcome.sign()) " " (outcome.word()) } ": " (outcome.meaning()) }
            }
        }
    }
}

#[cfg(test)]
mod tests;

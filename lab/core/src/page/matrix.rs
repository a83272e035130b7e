//! Who can do what: every line at every size and operation of a job, and what came of it.

mod outcomes;

use super::{Job, Run, markup};
use crate::jobs;
use crate::report::by_job::OfJob;
use crate::report::troubles;
use crate::rows::{Fault, FaultKind};
use crate::words;
use maud::{Markup, html};
use outcomes::{Found, Outcomes};

/// More lines, sizes or reasons than any plan has are those of a run in which everything failed: the rows have them all.
const MOST_LINES: usize = 200;
const MOST_PLACES: usize = 40;
const MOST_REASONS: usize = 100;
const MOST_NOTES: usize = 50;

/// Nothing but a sentence where all went well.
pub fn section(run: &Run, job: &Job) -> Markup {
    let rows = run.by_job.get(job.name);
    let reasons = Reasons::of(rows, run, job.name);
    let outcomes = Outcomes::of(job, &reasons.faults);
    let notes = words::at_most(troubles::notes(rows.notes.iter().copied()), MOST_NOTES);
    html! {
        section .matrix {
            h3 id=(run.id(&format!("matrix {}", job.name))) { "Who can do what" }
            @if job.cells.is_empty() { p { "There is no figure of this job." } }
            @if outcomes.is_all_ok() && !job.cells.is_empty() {
                p {
                    @match outcomes.subjects.len() {
                        1 => "Its one line did everything that was asked of it.",
                        2 => "Both lines did everything that was asked of them.",
                        count => { "All " (count) " lines did everything that was asked of them." }
                    }
                }
            } @else {
                @if !outcomes.places.is_empty() {
                    (table(run, job.name, &outcomes.shown(MOST_LINES, MOST_PLACES), &reasons))
                }
                (reasons.list())
            }
            (markup::list("remarks", &notes))
        }
    }
}

/// A fault, and the number of its sentence.
#[derive(Clone, Copy)]
struct Reason<'a> {
    fault: &'a Fault,
    number: usize,
    /// Where there is a figure, it counts no longer.
    is_overcome: bool,
}

/// Why, in full; each with a number that its places in the table link to.
struct Reasons<'a> {
    sentences: Vec<String>,
    faults: Vec<Reason<'a>>,
    id: String,
    /// The job, as links name it.
    of: String,
}

impl<'a> Reasons<'a> {
    fn of(rows: &OfJob<'a>, run: &Run, job: &str) -> Self {
        let (mut sentences, mut faults) = (Vec::new(), Vec::new());
        let all = troubles::both(&rows.faults, &rows.overcome, &run.by_job.families);
        for (trouble, number) in all.into_iter().zip(1..) {
            let is_overcome = trouble.is_overcome;
            sentences.push(trouble.sentence);
            faults.extend(trouble.faults.into_iter().map(|fault| Reason { fault, number, is_overcome }));
        }
        Self { sentences, faults, id: run.id(&format!("why {job}")), of: run.label(job) }
    }

    fn list(&self) -> Markup {
        let more = self.sentences.len().saturating_sub(MOST_REASONS);
        html! {
            @if !self.sentences.is_empty() {
                ol .reasons {
                    @for (sentence, number) in self.sentences.iter().zip(1..=MOST_REASONS) {
                        li id={ (self.id) "-" (number) } { (sentence) }
                    }
                }
            }
            @if more > 0 { p .remarks { "and " (more) " more: the rows have them all" } }
        }
    }

    fn link(&self, number: usize) -> Markup {
        html! {
            @if number <= MOST_REASONS {
                " " a href={ "#" (self.id) "-" (number) } aria-label={ "reason " (number) " of " (self.of) } { "[" (number) "]" }
            }
        }
    }
}

/// What came of a line at a place.
#[derive(Clone, Copy)]
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

    /// What went well, what is no failing of the line, and what is one.
    fn class(self) -> &'static str {
        match self {
            Self::Ok | Self::ColdOnly => "ok",
            Self::Fault(kind) if is_bad(kind) => "bad",
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
            Self::Fault(kind) => match kind {
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
            Self::Fault(kind) => match kind {
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

fn table(run: &Run, job: &str, outcomes: &Outcomes, reasons: &Reasons) -> Markup {
    let label = format!("{job}: who can do what");
    let rows: Vec<Vec<Found>> = outcomes.rows();
    let table = html! {
        table {
            caption { (label) (outcomes.left_out()) }
            thead {
                tr {
                    th scope="col" { "line" }
                    @for (size, operation) in &outcomes.places { th scope="col" { (jobs::of(job).amount(*size)) ", " (operation) } }
                }
            }
            tbody {
                @for (subject, row) in outcomes.subjects.iter().zip(&rows) {
                    tr {
                        th scope="row" { (subject.name()) }
                        @for found in row { (told(*found, reasons)) }
                    }
                }
            }
        }
    };
    html! { (markup::scrolled(&run.label(&label), &table)) (legend(rows.iter().flatten())) }
}

fn told(Found { outcome, reason }: Found, reasons: &Reasons) -> Markup {
    html! {
        td .(outcome.class()) {
            (outcome.sign()) " " (outcome.word())
            @if let Some(number) = reason { (reasons.link(number)) }
        }
    }
}

/// Of the signs that the table has.
fn legend<'a>(all: impl Iterator<Item = &'a Found>) -> Markup {
    let mut seen: Vec<Outcome> = Vec::new();
    for Found { outcome, .. } in all {
        if !seen.iter().any(|known| known.word() == outcome.word()) {
            seen.push(*outcome);
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

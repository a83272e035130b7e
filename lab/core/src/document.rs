//! All that is said of a run, once: text, page and JSON show a [`Document`] and add no words of their own.

mod answers;
mod contest;
mod doubts;
mod evidence;
mod handshakes;
mod json;
mod libraries;
mod machine;
mod outcomes;
mod sizes;
mod text;
mod trust;
mod warnings;

pub use doubts::{Doubt, Doubts, doubts};
pub use evidence::{Chapter, Section};
pub use json::{json, of_ratio};
pub use machine::Sitting;
pub use sizes::per_byte;
pub use text::{list, long, text};

use crate::report::Run;
use crate::report::publication;
use crate::report::publication::Publication;
use crate::report::said::Proof;
use crate::rows::Row;
use crate::table::Table;
use serde::Serialize;

/// One recommendation for each question, what to avoid, and how far to trust both.
#[derive(Debug, Serialize)]
pub struct Document {
    pub title: String,
    /// Machine, JDKs, beginning and duration.
    pub run: String,
    pub answers: Vec<Answer>,
    pub avoid: Vec<Warning>,
    pub trust: Vec<String>,
    /// The evidence, job by job.
    pub jobs: Vec<Chapter>,
    /// Jobs without a figure of which there is no chapter.
    pub jobs_left_out: usize,
    /// Published figures that the run repeats, beside today's.
    pub publication: Option<Publication>,
    /// The meaning of the columns.
    pub columns: Vec<String>,
    /// Machines and commands: more than one where the run was interrupted.
    pub sittings: Vec<Sitting>,
    /// The changes between them.
    pub changed: Vec<String>,
    pub engines: Table,
    pub ending: String,
    pub bias: [&'static str; 8],
}

/// A question about one size of a job, and its answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// "base64, 49 bytes".
    pub about: String,
    /// The thing to do, as a person would say it.
    pub headline: String,
    /// Lines with their times as multiples of what its title says; the chosen line is what they are held against.
    pub picture: Table,
    /// The few ratios that the headline rests on, in one line.
    pub figures: String,
    /// False where the run does not tell which line to choose.
    pub is_told: bool,
    pub evidence: Anchor,
    #[serde(skip)]
    pub size: u64,
    /// The blocks that might tell it, where it is not told.
    #[serde(skip)]
    pub doubt: Option<Doubt>,
    /// Every comparison that headline, picture and figures rest on, by the names of lines in the tables.
    pub comparisons: Vec<Comparison>,
}

/// One line, alone or beside another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Comparison {
    pub line: String,
    /// The quantity that is told: "time", "CPU time".
    pub of: &'static str,
    pub told: String,
    pub against: String,
}

/// A line, or a use of it, to keep away from.
#[derive(Debug, Serialize)]
pub struct Warning {
    pub text: String,
    pub evidence: Anchor,
}

/// Where the tables stand that prove a sentence.
#[derive(Debug, Clone, Serialize)]
pub struct Anchor {
    pub job: String,
    pub at: Proof,
}

impl Document {
    pub fn of(run: &Run) -> Self {
        let answers = answers::all(&run.cells);
        let (title, about) = trust::title(run.rows);
        let sittings = machine::sittings(run.rows);
        let trust = trust::sentences(run.rows, &run.cells, &answers);
        let (jobs, jobs_left_out) = evidence::chapters(run, &answers);
        Self {
            title,
            run: about,
            trust,
            avoid: warnings::all(run),
            jobs,
            jobs_left_out,
            publication: publication::publication(run.rows, &run.cells, &run.grown),
            columns: evidence::meanings(&run.cells),
            changed: machine::changes(run.rows, &sittings),
            sittings,
            engines: machine::engines(run.rows),
            ending: machine::ending(run.rows),
            bias: machine::BIAS,
            answers,
        }
    }

    pub fn of_rows(rows: &[Row]) -> Self {
        Self::of(&Run::of(rows))
    }
}

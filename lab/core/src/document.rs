//! All that is said of a run, once: text, page and JSON show a [`Document`] and add no words of their own.

mod answers;
pub mod conditions;
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
pub use json::json;
pub use sizes::per_byte;
pub use text::{chapters, list, long, section, text};

use crate::report::Run;
use crate::report::publication;
use crate::report::publication::Publication;
use crate::report::said::Proof;
use crate::rows::Row;
use crate::table::Table;
use serde::Serialize;

/// One recommendation for each question, what to avoid, and how far to trust both; or what changed between two runs.
#[derive(Debug, Serialize)]
pub struct Document {
    pub title: String,
    /// Machine, JDKs, beginning and duration of each run.
    pub runs: Vec<String>,
    /// To be known before any figure.
    pub warnings: Vec<String>,
    pub answers: Vec<Answer>,
    /// Other facts about the runs, in short.
    pub short: Vec<Short>,
    /// The evidence, job by job.
    pub jobs: Vec<Chapter>,
    /// Jobs without a figure of which there is no chapter.
    pub jobs_left_out: usize,
    /// Published figures that the run repeats, beside today's.
    pub publication: Option<Publication>,
    /// Machines and commands, engines, known bias, the meaning of the columns.
    pub about: Vec<Section>,
}

/// Sentences of a kind: "Avoid".
#[derive(Debug, Serialize)]
pub struct Short {
    pub heading: &'static str,
    pub sentences: Vec<Sentence>,
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

#[derive(Debug, Serialize)]
pub struct Sentence {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Anchor>,
}

impl Sentence {
    pub fn proved(text: String, job: &str, at: Proof) -> Self {
        Self { text, evidence: Some(Anchor { job: job.to_owned(), at }) }
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self { text, evidence: None }
    }
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
        let trust = trust::sentences(run.rows, &run.cells, &answers).into_iter().map(Sentence::from);
        let avoid = Short { heading: "Avoid", sentences: warnings::all(run) };
        let trust = Short { heading: "Trust", sentences: trust.collect() };
        let (jobs, jobs_left_out) = evidence::chapters(run, &answers);
        let short = [avoid, trust].into_iter().filter(|it| !it.sentences.is_empty()).collect();
        Self {
            title,
            runs: vec![about],
            warnings: Vec::new(),
            short,
            jobs,
            jobs_left_out,
            publication: publication::publication(run.rows, &run.cells, &run.grown),
            about: machine::sections(run),
            answers,
        }
    }

    pub fn of_rows(rows: &[Row]) -> Self {
        Self::of(&Run::of(rows))
    }
}

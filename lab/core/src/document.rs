//! All that is said of a run, once: text, page and JSON show a [`Document`] and add no words of their own.

mod answers;
pub mod conditions;
mod contest;
mod doubts;
mod evidence;
mod publication;
mod sizes;
mod text;
mod tls;
mod trust;

pub use doubts::{Doubt, Doubts, doubts};
pub use publication::goals;
pub use sizes::per_byte;
pub use text::{long, text};
pub use trust::title;

use crate::format;
use crate::rows::Row;
use crate::summary::growths::{self, Grown};
use crate::summary::{self, Cell, Place};
use crate::table::Table;
use serde::Serialize;
use serde_json::json;

/// One recommendation for each question, what to avoid, and how far to trust both; or what changed between two runs.
#[derive(Debug, Serialize)]
pub struct Document {
    pub title: String,
    /// Machine, JDKs, beginning and duration of each run.
    pub runs: Vec<String>,
    /// To be known before any figure.
    pub warnings: Vec<String>,
    pub answers: Vec<Answer>,
    /// Advice on what to avoid and how far to trust the run, or the changes between two runs.
    pub short: Vec<Section>,
    /// The evidence: job by job, then published figures, then machines and conditions.
    pub chapters: Vec<Chapter>,
}

/// All that is shown of a job, or of another subject.
#[derive(Debug, Serialize)]
pub struct Chapter {
    pub id: String,
    pub title: String,
    pub sections: Vec<Section>,
}

/// Tables and sentences under a title.
#[derive(Debug, Default, Serialize)]
pub struct Section {
    /// For links: no two are alike.
    pub id: String,
    pub title: String,
    /// Its meaning, for readers who see it for the first time.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reading: String,
    pub tables: Vec<Table>,
    pub sentences: Vec<Sentence>,
}

/// More sentences are the list of a stranger.
const MOST_SENTENCES: usize = 100;

impl Section {
    /// Sentences under a title.
    pub fn list<S: Into<Sentence>>(id: &str, title: &str, sentences: impl IntoIterator<Item = S>) -> Self {
        let mut sentences: Vec<Sentence> = sentences.into_iter().map(S::into).collect();
        let more = sentences.len().saturating_sub(MOST_SENTENCES);
        sentences.truncate(MOST_SENTENCES);
        sentences.extend(format::rest(more, "more").map(Sentence::from));
        Self { id: id.into(), title: title.into(), sentences, ..Self::default() }
    }

    pub fn of_tables(id: &str, title: &str, tables: Vec<Table>) -> Self {
        Self { id: id.into(), title: title.into(), tables, ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.sentences.is_empty()
    }
}

/// The id of a part that each job has: "sizes-tls_connect". Jobs have a stranger's names, and other names are other ids.
pub fn id(part: &str, job: &str) -> String {
    // Without a dash, which ends a name within an id, and without letters that an id must not have.
    let letter = |letter: char| match letter {
        'a'..='z' | '0'..='9' => letter.to_string(),
        '-' => "_".into(),
        _ => format!(".{:x}.", u32::from(letter)),
    };
    format!("{part}-{}", job.chars().map(letter).collect::<String>())
}

/// The id of the ratios of a cell: "ratios-cipher-8404-seal".
pub fn id_of_cell((job, size, operation): Place) -> String {
    format!("{}-{size}-{operation}", id("ratios", job))
}

/// A question about one size of a job, and its answer.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// "base64, 49 bytes".
    pub about: String,
    /// The thing to do, as a person would say it.
    pub headline: String,
    /// Lines with their times as multiples of what its title says; the chosen line has 1.
    pub picture: Table,
    /// The few ratios that the headline rests on, in one line.
    pub figures: String,
    /// False where the run does not tell which line to choose.
    pub is_told: bool,
    /// The id of the section with the tables that prove it.
    pub evidence: String,
    pub job: String,
    #[serde(skip)]
    pub size: u64,
    /// The blocks that might tell it, where it is not told.
    #[serde(skip)]
    pub doubt: Option<Doubt>,
    /// All that headline, picture and figures rest on, by the names of lines in the tables.
    #[serde(skip)]
    pub comparisons: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Sentence {
    pub text: String,
    /// The id of the section that proves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl Sentence {
    pub fn proved(text: String, evidence: String) -> Self {
        Self { text, evidence: Some(evidence) }
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self { text, evidence: None }
    }
}

/// The rows, and what follows from them: computed once, whatever is told of it.
struct Run<'a> {
    rows: &'a [Row],
    cells: Vec<Cell>,
    /// Every line at all its sizes.
    grown: Vec<Grown>,
}

impl<'a> Run<'a> {
    fn of(rows: &'a [Row]) -> Self {
        let cells = summary::cells(rows);
        let grown = growths::growths(rows, &cells);
        Self { rows, cells, grown }
    }
}

impl Document {
    pub fn of_rows(rows: &[Row]) -> Self {
        let run = &Run::of(rows);
        let mut answers = answers::all(&run.cells);
        answers.iter_mut().for_each(|answer| answer.headline.extend(trust::more(rows, answer)));
        let (title, about) = trust::title(rows);
        let avoid = Section::list("avoid", "Avoid", trust::warnings(run));
        let trust = Section::list("trust", "Trust", trust::disturbed(rows, &run.cells));
        let missing = Section::list("missing", "Missing", trust::missing(rows, &answers));
        let mut chapters = evidence::chapters(run, &answers);
        chapters.extend(publication::chapter(run));
        chapters.push(conditions::chapter(run));
        let short = [avoid, trust, missing].into_iter().filter(|it| !it.is_empty()).collect();
        let (runs, warnings) = (vec![about], conditions::unfit(("this run", rows)));
        Self { title, runs, warnings, answers, short, chapters }
    }
}

/// The version of the document for machines.
const SUMMARY: u64 = 5;

/// A run as one JSON document: its document, and the rows that are no figures. With a line feed at its end.
pub fn json(rows: &[Row]) -> String {
    let document = json!({
        "summary": SUMMARY,
        "header": rows.iter().find(|row| matches!(row, Row::Header(_))),
        "finished": rows.iter().any(|row| matches!(row, Row::End(_))),
        "document": Document::of_rows(rows),
    });
    format!("{document:#}\n")
}

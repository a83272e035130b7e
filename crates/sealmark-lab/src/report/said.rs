//! A sentence of the report with the question it answers, and where its evidence stands.

use crate::protocol::Operation;
use crate::summary::Cell;

/// What readers come with, in the order in which a page answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    Cipher,
    Provider,
    Shape,
    KeyMode,
    Program,
    Payload,
    Codec,
    LogSealer,
    TlsLibrary,
    Resumption,
    PostQuantum,
    Other,
    /// No question, but what to stay away from.
    Avoid,
    /// Why there is no answer.
    Unanswered,
    /// What this project promises.
    Goal,
}

impl Question {
    /// What any reader may ask.
    pub const OF_READERS: [Self; 11] = [
        Self::Cipher,
        Self::Provider,
        Self::Shape,
        Self::KeyMode,
        Self::Program,
        Self::Payload,
        Self::Codec,
        Self::LogSealer,
        Self::TlsLibrary,
        Self::Resumption,
        Self::PostQuantum,
    ];

    pub fn words(self) -> &'static str {
        match self {
            Self::Cipher => "Which cipher?",
            Self::Provider => "Which provider on which JDK?",
            Self::Shape => "Which way to call it?",
            Self::KeyMode => "Which key mode?",
            Self::Program => "Which program for files?",
            Self::Payload => "Which library for large payloads?",
            Self::Codec => "Which base64?",
            Self::LogSealer => "Which sealer for logs?",
            Self::TlsLibrary => "Which TLS library, which suite?",
            Self::Resumption => "What does resuming save?",
            Self::PostQuantum => "What does post-quantum cost?",
            Self::Other => "Which is the fastest?",
            Self::Avoid => "What to avoid",
            Self::Unanswered => "Not answered by this run",
            Self::Goal => "Goals of this project",
        }
    }
}

/// What proves a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The ratios of a cell: its size and operation.
    Cell(u64, Operation),
    /// How lines of the job came to be as fast as they are, at a size.
    Warmth(u64, Operation),
    /// What lines of a cell hold, allocate and release.
    Memory(u64, Operation),
    /// How lines of the job grow with size.
    Growth,
    /// All of the job.
    Job,
}

/// How much a reader needs a sentence, among those that answer the same question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// What to choose, and what not: never a click away.
    Choice,
    Usual,
    /// Nothing to choose: it shows what leaving out a safeguard would gain.
    Unsafe,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub question: Question,
    pub job: String,
    pub evidence: Evidence,
    pub weight: Weight,
    pub text: String,
}

impl Said {
    pub fn of_cell(question: Question, cell: &Cell, text: String) -> Self {
        let evidence = Evidence::Cell(cell.size, cell.operation);
        Self { evidence, ..Self::of_job(question, &cell.job, text) }
    }

    pub fn of_job(question: Question, job: &str, text: String) -> Self {
        Self { question, job: job.to_owned(), evidence: Evidence::Job, weight: Weight::Usual, text }
    }

    pub fn weighing(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }
}

/// All sentences about one cell.
pub fn all(question: Question, cell: &Cell, texts: impl IntoIterator<Item = String>) -> Vec<Said> {
    texts.into_iter().map(|text| Said::of_cell(question, cell, text)).collect()
}

//! The results file: JSON lines, one row each, appended as they come, raw samples kept.

use crate::engine::Role;
use crate::protocol::Operation;
use crate::trouble::{Result, because};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The version of this file's rows.
pub const SCHEMA: u64 = 1;

/// One line of a results file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "lowercase")]
pub enum Row {
    Header(Header),
    Engine(Engine),
    Sample(Sample),
    Fault(Fault),
    Note(Note),
    End(End),
}

/// What was run, on what, from what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub schema: u64,
    pub lab: String,
    pub build: String,
    pub commit: String,
    pub command: String,
    pub job: String,
    pub seed: u64,
    pub started: String,
    pub machine: crate::machine::Machine,
}

/// An engine that answered, by the version that really ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    pub engine: String,
    pub about: String,
    pub role: Role,
    pub version: String,
}

/// One timed operation whose output was right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub job: String,
    pub size: u64,
    pub block: u64,
    pub place: u64,
    pub engine: String,
    pub key: String,
    pub operation: Operation,
    pub wall_ns: u64,
    pub cpu_ns: Option<u64>,
    pub peak_bytes: Option<u64>,
    pub output_bytes: Option<u64>,
}

/// An engine without a figure, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    pub job: String,
    pub size: Option<u64>,
    pub engine: String,
    pub key: Option<String>,
    pub operation: Option<Operation>,
    pub kind: FaultKind,
    pub why: String,
}

/// What can go wrong with an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    Absent,
    Unsupported,
    Failed,
    Refused,
    TimedOut,
    Died,
    Garbage,
    WrongOutput,
    NotRefused,
}

impl FaultKind {
    /// In words, for the table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Unsupported => "unsupported",
            Self::Failed => "failed",
            Self::Refused => "refused its own output",
            Self::TimedOut => "timed out",
            Self::Died => "died",
            Self::Garbage => "broke the protocol",
            Self::WrongOutput => "wrong output",
            Self::NotRefused => "accepted damaged data",
        }
    }
}

/// Something the reader of a size's figures must know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub job: String,
    pub size: u64,
    pub note: String,
}

/// The run came to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    pub seconds: u64,
    pub stolen_permille: Option<u64>,
    pub others_permille: Option<u64>,
}

/// A results file being written.
pub struct Results(File);

impl Results {
    /// Never overwrites: samples are worth more than a name.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::options().write(true).create_new(true).open(path);
        file.map(Self).map_err(|error| {
            because(format!("cannot create results \"{}\"", path.display()), error)
                .hint("choose another --out FILE")
        })
    }

    /// Appends one row at once, so that an interrupted run keeps what it has.
    pub fn append(&mut self, row: &Row) -> Result<()> {
        let line = crate::protocol::line(row);
        self.0.write_all(line.as_bytes()).map_err(|error| because("cannot append to the results", error))
    }
}

/// Reads a results file. A last line cut short by an interruption is no row and no error.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let name = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| because(format!("cannot read \"{name}\""), error))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let rows: Vec<Row> = whole
        .lines()
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|e| because(format!("\"{name}\" line {}", at + 1), e))
        })
        .collect::<Result<_>>()?;
    match rows.first() {
        Some(Row::Header(header)) if header.schema == SCHEMA => Ok(rows),
        Some(Row::Header(header)) => Err(because(
            format!("\"{name}\" has rows of version {}", header.schema),
            format!("this lab reads {SCHEMA}"),
        )),
        _ => Err(because(format!("\"{name}\" is not a results file"), "it does not begin with a header row")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    fn note(text: &str) -> Row {
        Row::Note(Note { job: "file".into(), size: 1, note: text.into() })
    }

    fn header(schema: u64) -> Row {
        Row::Header(Header {
            schema,
            lab: "0".into(),
            build: "release".into(),
            commit: "unknown".into(),
            command: "run".into(),
            job: "files".into(),
            seed: 1,
            started: "2026-11-21T00:00:00Z".into(),
            machine: crate::machine::Machine::default(),
        })
    }

    #[test]
    fn rows_come_back_as_written_and_a_cut_last_line_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        let mut results = Results::create(&path).unwrap();
        results.append(&header(SCHEMA)).unwrap();
        results.append(&note("a \"b\"\nc")).unwrap();
        assert_eq!(read(&path).unwrap(), [header(SCHEMA), note("a \"b\"\nc")]);
        results.0.write_all(b"{\"row\":\"note\",\"jo").unwrap();
        assert_eq!(read(&path).unwrap().len(), 2);
    }

    #[test]
    fn results_are_never_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        Results::create(&path).unwrap();
        let Err(again) = Results::create(&path) else { panic!("overwritten") };
        assert!(again.to_string().contains("hint: choose another --out FILE"), "{again}");
    }

    #[test]
    fn other_files_and_other_versions_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        for (text, part) in [
            (crate::protocol::line(&note("n")), "not a results file"),
            (String::new(), "not a results file"),
            (crate::protocol::line(&header(2)), "rows of version 2"),
            (crate::protocol::line(&header(1)) + "nonsense\n", "line 2"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

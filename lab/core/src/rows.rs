//! The rows of a results file, raw samples kept.

use crate::parameters::{NONE, Parameters};
use crate::protocol::Operation;
pub use crate::protocol::{Requests, Stalls, Tls};
use crate::trouble::{Result, because};
use crate::usage::Used;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The version of this file's rows.
pub const SCHEMA: u64 = 3;

/// One line of a results file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "lowercase")]
pub enum Row {
    Header(Header),
    Engine(Engine),
    Size(Size),
    Checked(Checked),
    Ramp(Ramp),
    Sample(Sample),
    Block(Block),
    Fault(Fault),
    Note(Note),
    /// Files of earlier labs have it behind a size; its blocks have rows of their own.
    Finished(serde_json::Map<String, serde_json::Value>),
    End(End),
}

/// The beginning of a run: its plan, its program, its machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub schema: u64,
    pub lab: String,
    pub build: String,
    pub commit: String,
    pub command: String,
    pub plan: String,
    /// The digest of the job file's text.
    #[serde(default)]
    pub plan_sha256: String,
    /// The publication that it repeats.
    pub history: Option<String>,
    pub seed: u64,
    pub started: String,
    pub machine: crate::machine::Machine,
    /// MiB that were torn against free page reporting, on a machine that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_mib: Option<u64>,
}

/// An engine that answered, by the version that really ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    pub engine: String,
    /// The stanza's name: the same for every JDK.
    pub family: String,
    pub about: String,
    pub role: Role,
    pub version: String,
    pub jdk: Option<String>,
    /// True if its operations run in its own process, which the lab's own loop is part of.
    pub in_process: bool,
}

/// The part that an engine has in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Ours,
    Yardstick,
    Peer,
}

/// One way to do a job: what a line of a table is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Line {
    pub engine: String,
    pub parameters: Parameters,
    /// The second of two equal lines: between them there is nothing to see but noise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

impl Line {
    pub fn of(engine: &str, parameters: Parameters) -> Self {
        Self { engine: engine.into(), parameters, again: false }
    }

    /// The algorithm, or the parts of a TLS connection.
    pub fn algorithm(&self) -> &str {
        self.parameters.algorithm().unwrap_or(NONE)
    }

    /// How the library is used for it; nothing where there is no choice.
    pub fn how(&self) -> &str {
        self.parameters.how().unwrap_or_default()
    }

    /// True if an operation wakes more than one thread, of whatever kind.
    pub fn is_crowd(&self) -> bool {
        self.parameters.get("threads").is_some_and(|threads| threads != "1-thread")
    }

    /// The line itself, where this is its second time.
    pub fn first(&self) -> Self {
        Self { again: false, ..self.clone() }
    }
}

/// A size of a job is begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Size {
    pub job: String,
    pub size: u64,
    /// The line that the others are compared with.
    pub reference: Option<Line>,
}

/// A line whose output was right before anything was timed, and the code that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    pub job: String,
    pub size: u64,
    #[serde(flatten)]
    pub line: Line,
    pub authenticated: bool,
    pub code: String,
    /// Bytes that seal or encode made of the input.
    pub output_bytes: u64,
    pub sha256: String,
    /// Plain bytes that were in the output when a payload altered at its very end was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_bytes: Option<u64>,
}

/// A stretch of operations in a fresh process, in the order in which they came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ramp {
    pub job: String,
    pub size: u64,
    #[serde(flatten)]
    pub line: Line,
    pub operation: Operation,
    /// Operations of this kind that this process had done before.
    pub done: u64,
    pub count: u64,
    pub wall_ns: u64,
}

/// How warm the process was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The first operation of its kind in a fresh process.
    Cold,
    /// Before its process had become steady, however long that was waited for.
    Unsteady,
    Steady,
}

/// Operations timed in one span, the last of whose outputs was right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub job: String,
    pub size: u64,
    pub block: u64,
    pub pass: u64,
    pub place: u64,
    #[serde(flatten)]
    pub line: Line,
    pub operation: Operation,
    pub phase: Phase,
    /// How many operations the span held; the times are of all of them together.
    pub count: u64,
    pub wall_ns: u64,
    #[serde(flatten)]
    pub used: Used,
    pub output_bytes: Option<u64>,
    /// From the start of the process until it was ready; only where it was started for this block.
    pub start_ns: Option<u64>,
    /// The latency between the cores, before or after, whichever is longer; only where lines run one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_ns: Option<u64>,
    /// Further figures of the jobs of TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// Further figures of job `log-app`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Requests>,
}

/// Other work of the machine during a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub job: String,
    pub size: u64,
    pub block: u64,
    pub milliseconds: u64,
    pub stolen_permille: Option<u64>,
    pub others_permille: Option<u64>,
}

/// A line without a figure, and why. Without a size, an operation or parameters it holds for all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    pub job: String,
    pub size: Option<u64>,
    pub engine: String,
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    pub operation: Option<Operation>,
    pub kind: FaultKind,
    pub why: String,
}

impl Fault {
    /// True if it holds for that line at a size of its job.
    pub fn is_about(&self, line: &Line, size: u64) -> bool {
        self.engine == line.engine
            && self.size.is_none_or(|only| only == size)
            && self.parameters.iter().all(|(name, value)| line.parameters.get(name) == Some(value))
    }
}

/// The kinds of faults of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    Absent,
    Unsupported,
    Failed,
    Refused,
    OutOfMemory,
    Limited,
    TimedOut,
    Died,
    Garbage,
    WrongOutput,
    WrongCount,
    WrongTime,
    NotRefused,
    WrongConnection,
    NotRun,
}

impl FaultKind {
    /// True where the work was not the work that was asked for, so that its time tells nothing.
    pub fn is_wrong(self) -> bool {
        use FaultKind::{Garbage, NotRefused, Refused, WrongConnection, WrongCount, WrongOutput, WrongTime};
        matches!(
            self,
            Refused | Garbage | WrongOutput | WrongCount | WrongTime | NotRefused | WrongConnection
        )
    }

    /// In words, for the table: its name, where that says it.
    pub fn words(self) -> String {
        let words = match self {
            Self::Refused => "refused its own output",
            Self::Limited => "refuses this size",
            Self::Garbage => "broke the protocol",
            Self::WrongTime => "reported an impossible time",
            Self::NotRefused => "accepted damaged data",
            Self::WrongConnection => "not the connection asked for",
            other => return serde_json::json!(other).as_str().unwrap_or_default().replace('-', " "),
        };
        words.into()
    }
}

/// Something the reader of a size's figures must know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub job: String,
    pub size: u64,
    pub note: String,
    /// The thing that was not measured, in a note that tells of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmeasured: Option<Unmeasured>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unmeasured {
    /// A size, as a whole.
    Size,
    /// Lines of a size, for which the budget does not pay.
    Lines,
}

impl Note {
    pub fn new(job: &str, size: u64, note: String) -> Self {
        Self { job: job.into(), size, note, unmeasured: None }
    }

    pub fn words(&self) -> String {
        let head = match self.unmeasured {
            Some(Unmeasured::Size) => "not run: ",
            Some(Unmeasured::Lines) => "beyond the budget: ",
            None => "",
        };
        format!("{head}{}", self.note)
    }
}

/// The run came to its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    pub seconds: u64,
    pub stolen_permille: Option<u64>,
    pub others_permille: Option<u64>,
    /// MiB of free memory that the machine gave back to its host.
    pub reported_mib: Option<u64>,
    /// The clock before and after.
    pub megahertz: Option<(u64, u64)>,
}

/// The head of a run.
pub fn header(rows: &[Row]) -> Option<&Header> {
    rows.iter().find_map(|row| if let Row::Header(header) = row { Some(header) } else { None })
}

/// The engines that answered.
pub fn engines(rows: &[Row]) -> impl Iterator<Item = &Engine> {
    rows.iter().filter_map(|row| if let Row::Engine(engine) = row { Some(engine) } else { None })
}

pub fn blocks(rows: &[Row]) -> impl Iterator<Item = &Block> {
    rows.iter().filter_map(|row| if let Row::Block(block) = row { Some(block) } else { None })
}

pub fn faults(rows: &[Row]) -> impl DoubleEndedIterator<Item = &Fault> {
    rows.iter().filter_map(|row| if let Row::Fault(fault) = row { Some(fault) } else { None })
}

/// Rows as they come: kept, because what is measured next depends on them, and in a file, if one was named.
#[derive(Default)]
pub struct Results {
    pub rows: Vec<Row>,
    file: Option<File>,
}

impl Results {
    /// Never overwrites: samples are worth more than a name.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::options().write(true).create_new(true).open(path).map_err(|error| {
            because(format!("cannot create results \"{}\"", path.display()), error)
                .hint("choose another --out FILE")
        })?;
        Ok(Self { rows: Vec::new(), file: Some(file) })
    }

    /// Appends one row at once, so that an interrupted run keeps what it has.
    pub fn append(&mut self, row: &Row) -> Result<()> {
        self.rows.push(row.clone());
        let Some(file) = &mut self.file else { return Ok(()) };
        let line = crate::protocol::line(row);
        file.write_all(line.as_bytes()).map_err(|error| because("cannot append to the results", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Line {
        pub fn new(engine: &str, algorithm: &str, how: &str) -> Self {
            Self::of(engine, Parameters::for_tests(Some(algorithm), Some(how)))
        }
    }
}

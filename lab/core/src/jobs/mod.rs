//! The jobs: a room for each, with all that the lab knows of it. Nothing else names a job.
//!
//! To add one: a file here with its [`Job`], a place in [`ALL`], a plan, and the engines that do it (spec/engine.md).

pub mod check;
mod cipher;
mod codec;
mod empty;
mod file;
mod gcm;
mod log_app;
mod log_lines;
mod log_pipe;
mod payload;
mod pipe;
mod record;
pub mod runner;
mod tls;
#[cfg(test)]
mod toy;

pub use cipher::CIPHER;
pub use codec::CODEC;
pub use empty::EMPTY;
pub use file::FILE;
pub use log_app::LOG_APP;
pub use log_pipe::{LOG_COMBINED, LOG_JSON, LOG_SHORT};
pub use payload::PAYLOAD;
pub use pipe::PIPE;
pub use record::RECORD;
pub use tls::{TLS_CONNECT, TLS_TRANSFER};
#[cfg(test)]
pub use toy::TOY;

use crate::child::Fault;
use crate::parameters::{self, NONE, Parameters, like};
use crate::protocol::Operation;
use crate::rows::{FaultKind, Line, Sample};
use crate::trouble::Result;
use crate::workload::{self, Fingerprint};
use runner::{Outcome, Runner};
use serde::de::{Deserialize, Deserializer, Error};
use std::path::Path;

/// In the order of spec/engine.md.
pub static ALL: &[&Job] = &[
    &FILE,
    &PIPE,
    &PAYLOAD,
    &TLS_TRANSFER,
    &TLS_CONNECT,
    &CODEC,
    &CIPHER,
    &RECORD,
    &LOG_JSON,
    &LOG_COMBINED,
    &LOG_SHORT,
    &LOG_APP,
    &EMPTY,
    #[cfg(test)]
    &TOY,
];

/// The job of that name.
pub fn named(name: &str) -> Option<&'static Job> {
    ALL.iter().copied().find(|job| job.name == name)
}

/// The same for readers of results: a file may have jobs of another lab, of which nothing is known.
pub fn of(name: &str) -> &'static Job {
    static UNKNOWN: Job = Job::IN_MEMORY;
    named(name).unwrap_or(&UNKNOWN)
}

/// A kind of work: its operations, the check of their output, and the questions that its figures answer.
pub struct Job {
    /// Its name on the wire and in results.
    pub name: &'static str,
    /// The operations that are timed, in order; one that undoes another comes after it.
    pub operations: &'static [Operation],
    /// The parameters that tell its lines apart, in order.
    pub parameters: &'static [Parameter],
    /// Where each job file says what is done: whether nobody should do so any more.
    pub by_plan: Option<fn(&Parameters) -> bool>,
    /// The unit of its sizes.
    pub unit: Unit,
    /// False for a line of which one thread does all the work: it has no connection beside another, and does not wait for one core
    /// to see what another wrote.
    pub has_threads: fn(&Line) -> bool,
    /// Each process does one operation only, watched from its first.
    pub own_process: bool,
    /// Its inputs are files, and not bytes in the engine's memory.
    pub on_files: bool,
    /// The files that are kept while lines are timed, by the numbers of lines and of algorithms.
    pub kept: fn(usize, usize) -> usize,
    /// An ask wakes many threads, which takes longer than most operations.
    pub wakes_a_crowd: bool,
    /// By so much, as a logarithm, its blocks are taken to stray where there are few of them and nobody knows how far the cores were
    /// apart.
    pub unrest: f64,
    /// The loop with nothing in it: no engine's work, but what the lab itself costs.
    pub is_own_cost: bool,
    /// Writes the input of a seed and size.
    pub write_input: fn(&Path, u64, u64) -> Result<Fingerprint>,
    /// Makes what lines need besides their input, beside the path of which it comes to lie.
    pub equip: fn(&Path, u64, &[&Line]) -> Result<()>,
    /// Places what an engine may see of that into its directory.
    pub place: fn(&Path, &Line, &Path) -> Result<()>,
    /// The output of an operation, if the lab has a model: algorithm, seed, bytes, operation, number.
    pub expected: fn(&str, u64, u64, Operation, u64) -> Option<Vec<u8>>,
    /// Returns whether a change of a single bit must be noticed.
    pub authenticates: fn(&str) -> bool,
    /// Checks a line that has just been started; where each operation has a process of its own, that operation.
    pub check: fn(&mut Runner, Operation) -> Outcome<Proved>,
    /// Has operations timed; count and last output must be what was asked for.
    pub time: fn(&mut Runner, Operation, u64) -> Outcome<Sample>,
    /// Does these operations from file to file, once, and those that check them.
    pub turn: fn(&mut Runner, &[Operation]) -> Outcome<Vec<Sample>>,
    /// A last look at what could not be compared while it was timed.
    pub recheck: fn(&mut Runner) -> Outcome<()>,
    /// Looks for plaintext in what was sealed.
    pub must_hide: fn(&Runner, &Path) -> Outcome<()>,
    /// Where a flipped bit of a sealed file must be noticed.
    pub place_of_damage: fn(&Path) -> Outcome<u64>,
    /// How a program is run that does not speak spec/engine.md.
    pub program: Option<Ran>,
    /// The line that another one is compared with.
    pub beside: Beside,
    /// How a library is used is what it is about, and always told.
    pub tells_how: bool,
    /// Nobody is advised to use an algorithm with one of these words, however fast it is.
    pub broken: &'static [&'static str],
    /// The name of what it is about, for people.
    pub about: &'static str,
    pub choice: Choice,
    pub costs: &'static [Cost],
}

/// One of the named values that tell a job's lines apart.
#[derive(Clone, Copy)]
pub struct Parameter {
    pub name: &'static str,
    /// Its possible values, besides "none"; `*` stands for anything.
    pub values: &'static [&'static str],
    /// It may be what a line seals to, too: a name that no job has among its values.
    pub or_recipient: bool,
}

impl Parameter {
    const fn of(name: &'static str, values: &'static [&'static str]) -> Self {
        Self { name, values, or_recipient: false }
    }

    fn may_be(&self, value: &str) -> bool {
        self.values.iter().any(|known| like(known, value)) || self.or_recipient && is_recipient(value)
    }
}

/// The algorithm that puts stars in the place of a value, with no way back.
const MASK: &str = "mask";

/// Values of the parameter that says what each operation makes anew.
const REUSE: Parameter = Parameter::of("reuse", &["as-written", "tuned"]);

/// The unit of a size, which is also what one operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of input.
    Bytes,
    /// So many at once.
    Connections,
    /// On so many connections at once.
    Requests,
}

/// Which line another is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    Reference,
    /// The reference's engine over the same transport: what a socket costs is no merit of a library.
    SameTransport,
    /// The yardstick on the same JDK.
    SameJdk,
}

/// How a program works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    /// `PROGRAM … INPUT … OUTPUT`.
    Whole,
    /// `cat INPUT | PROGRAM | cat > OUTPUT`.
    Pipeline,
    /// `PROGRAM < INPUT > OUTPUT`.
    Filter,
}

/// The cost of one way of connecting beside another, in every library.
pub struct Cost {
    pub about: &'static str,
    /// The answer, with `{}` for the factors.
    pub headline: &'static str,
    pub untold: &'static str,
    /// The time that the factors multiply.
    pub unit: &'static str,
    /// The hybrid and the classic group whose CPU times are compared; otherwise full connections are, with resumed ones.
    pub groups: Option<[&'static str; 2]>,
}

/// Which line to choose.
pub struct Choice {
    /// The operations that one chooses for and their verbs, the first with most weight; all of a job of which nothing is known.
    pub operations: &'static [(Operation, &'static str)],
    pub among: Among,
    /// One chooses an algorithm, too.
    pub by_algorithm: bool,
    /// The cost beside the yardstick is half of the answer.
    pub beside_yardstick: bool,
}

/// The lines among which one can choose.
#[derive(Clone, Copy)]
pub enum Among {
    All,
    /// With this algorithm, where any has it.
    Algorithm(&'static str),
    Authenticated,
    /// With this value of a parameter, authenticated, where there are any; algorithms of an ending are another question.
    With(&'static str, &'static str, &'static str),
    /// Lines that release nothing before it is authenticated.
    ReleasingNothing,
    /// Each program once, ours with a hybrid key.
    Programs,
    /// Lines of libraries that do what the reference does.
    Libraries,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Proved {
    /// The digest of the output of seal or encode.
    pub output: Option<Fingerprint>,
    /// Plain bytes that were out when altered data was refused.
    pub released: Option<u64>,
}

impl From<Fingerprint> for Proved {
    fn from(output: Fingerprint) -> Self {
        Self { output: Some(output), released: None }
    }
}

impl Job {
    /// Bytes in the engine's memory there and back, against the lab's model.
    const IN_MEMORY: Self = Self {
        name: "",
        operations: &[],
        parameters: &[],
        by_plan: None,
        unit: Unit::Bytes,
        has_threads: |_| true,
        own_process: false,
        on_files: false,
        kept: |_, _| 0,
        wakes_a_crowd: false,
        unrest: 0.0,
        is_own_cost: false,
        write_input: workload::write_input,
        equip: |_, _, _| Ok(()),
        place: |_, _, _| Ok(()),
        expected: |_, _, _, _, _| None,
        authenticates: |_| false,
        check: check::in_memory,
        time: |runner, operation, count| runner.time_in_memory(operation, count),
        turn: |_, _| Err(Fault::new(FaultKind::Unsupported, "this job does nothing from file to file")),
        recheck: |_| Ok(()),
        must_hide: |_, _| Ok(()),
        place_of_damage: check::in_the_payload,
        program: None,
        beside: Beside::Reference,
        tells_how: false,
        broken: &[],
        about: "",
        choice: Choice::OF_ANY,
        costs: &[],
    };

    /// Files sealed to a recipient and opened again.
    const FROM_FILE_TO_FILE: Self = Self {
        operations: &[Operation::Seal, Operation::Open],
        parameters: &[Parameter { or_recipient: true, ..Parameter::of("algorithm", &[]) }],
        on_files: true,
        choice: Choice { among: Among::Programs, ..Choice::OF_SEALING },
        ..Self::IN_MEMORY
    };

    /// The processes of all lines are alive at once, and do all their operations.
    pub fn is_side_by_side(&self) -> bool {
        !self.own_process && !self.on_files
    }

    /// The operations that a process does: all of them, or a single one.
    pub fn by_process(&self) -> std::slice::Chunks<'static, Operation> {
        self.operations.chunks(if self.own_process { 1 } else { self.operations.len() })
    }

    /// Operations in memory are cheap beside the warming up of a process: twice there and back within a block.
    pub fn passes(&self) -> usize {
        if self.is_side_by_side() { 4 } else { 1 }
    }

    /// The fewest blocks whose ratios tell anything. A block of one operation from file to file is as slow as that one: two may
    /// be slow alike by chance, four hardly.
    pub fn telling_blocks(&self) -> usize {
        if self.on_files && !self.own_process { 4 } else { 2 }
    }

    /// False for a line of which there is no such size.
    pub fn is_possible(&self, line: &Line, size: u64) -> bool {
        self.unit != Unit::Connections || size == 1 || (self.has_threads)(line)
    }

    pub fn is_in_bytes(&self) -> bool {
        self.unit == Unit::Bytes
    }

    /// A size in words: most have bytes, connections are so many "at once", or "1 at a time".
    pub fn amount(&self, of: u64) -> String {
        match (self.unit, of) {
            (Unit::Bytes, _) => crate::units::size(of),
            (_, 1) => "1 at a time".into(),
            (_, many) => format!("{many} at once"),
        }
    }

    /// The name that machines have for what a size counts.
    pub fn size_key(&self) -> &'static str {
        if self.is_in_bytes() { "bytes" } else { "concurrency" }
    }

    /// The parameters that say what is done.
    fn what(&self) -> Vec<&'static Parameter> {
        self.parameters.iter().filter(|parameter| parameters::is_what(parameter.name)).collect()
    }

    /// The algorithms of spec/engine.md; none where a line seals to a recipient, or where each job file has its own.
    pub fn algorithms(&self) -> &'static [&'static str] {
        match self.what()[..] {
            [only] if !only.or_recipient => only.values,
            _ => &[],
        }
    }

    /// The parameter that says how a library is used, where that makes a difference.
    pub fn how(&self) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| !parameters::is_what(parameter.name))
    }

    /// The place of a way of use in tables.
    pub fn rank(&self, how: &str) -> usize {
        let values = self.how().map_or(&[][..], |parameter| parameter.values);
        values.iter().position(|value| *value == how).unwrap_or(values.len())
    }

    /// Why an algorithm is none of this job.
    pub fn mistake(&self, algorithm: &str) -> Option<String> {
        let (what, words): (_, Vec<&str>) = (self.what(), algorithm.split(' ').collect());
        if what.len() != words.len() {
            let names: Vec<String> = what.iter().map(|parameter| parameter.name.to_uppercase()).collect();
            return Some(format!("\"{algorithm}\" does not have the form \"{}\"", names.join(" ")));
        }
        let (Parameter { name, values, .. }, word) =
            what.into_iter().zip(words).find(|(parameter, word)| !parameter.may_be(word))?;
        Some(format!("\"{algorithm}\": {name} \"{word}\" is not one of {}", values.join(", ")))
    }

    /// The parameters of a line: each word of the algorithm, and how a library is used if lines of the job differ in it.
    pub fn named(&self, algorithm: &str, how: &str) -> Parameters {
        let what = self.what();
        let words = algorithm.splitn(what.len().max(1), ' ').chain(std::iter::repeat(NONE));
        let how = self.how().filter(|parameter| parameter.may_be(how)).map(|parameter| (parameter, how));
        let named = what.into_iter().zip(words).chain(how);
        Parameters::new(named.map(|(parameter, value)| (parameter.name.to_owned(), value.to_owned())))
    }
}

impl Choice {
    const OF_ANY: Self =
        Self { operations: &[], among: Among::All, by_algorithm: false, beside_yardstick: false };

    /// The cost of sealing beside the yardstick.
    const OF_SEALING: Self =
        Self { operations: &[(Operation::Seal, "seal")], beside_yardstick: true, ..Self::OF_ANY };
}

/// The kinds of keys that a file may be sealed for, each with its family, in the order of tables.
pub const KEYS: [(&str, &str); 7] = [
    ("X25519", "ecc"),
    ("P-256", "ecc"),
    ("ML-KEM-768", "pqc"),
    ("ML-KEM-1024", "pqc"),
    ("MLKEM768-X25519", HYBRID),
    ("MLKEM768-P256", HYBRID),
    ("MLKEM1024-P384", HYBRID),
];

/// The family of keys of which both halves must be broken.
pub const HYBRID: &str = "hybrid";

/// A name that no job has in its list: what is sealed to.
fn is_recipient(algorithm: &str) -> bool {
    !algorithm.contains(' ') && !ALL.iter().any(|job| job.algorithms().contains(&algorithm))
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl<'de> Deserialize<'de> for &'static Job {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let all: Vec<&str> = ALL.iter().map(|job| job.name).collect();
        let unknown = || Error::custom(format!("no job \"{name}\"; there are {}", all.join(", ")));
        named(&name).ok_or_else(unknown)
    }
}

//! Claims: goals, published conclusions and the lab's own frame tests, as data. What is compared with what stands in
//! TOML; `figures` finds it in a run, `judge` says whether it holds.

mod figures;
mod judge;
#[cfg(test)]
mod tests;

pub use figures::{Measured, Part};
pub use judge::Judged;

use crate::jobfile::Pattern;
use crate::protocol::Operation;
use crate::rows::{History, Line};
use serde::{Deserialize, Serialize};

/// A sentence, and what has to be seen for it to be confirmed: all of its tests.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Claim {
    pub says: String,
    /// The tests in words, where the sentence alone does not say them.
    pub confirmed_if: String,
    /// Only of JDKs from this major version on.
    pub from_jdk: u64,
    /// Only of JDKs below this major version.
    pub below_jdk: Option<u64>,
    #[serde(rename = "test")]
    pub tests: Vec<Test>,
}

/// One figure for each size, operation and pair of lines that is named, and the bounds it must lie within.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Test {
    /// All jobs where none is named.
    pub job: Option<String>,
    /// Where sizes are named all of them have to be measured; else those count that are there.
    pub sizes: Vec<u64>,
    pub from_size: u64,
    pub to_size: Option<u64>,
    pub operations: Vec<Operation>,
    pub left: Vec<Pattern>,
    /// None where the figure is no ratio of two lines.
    pub right: Vec<Pattern>,
    /// Where the right line was measured, if elsewhere.
    pub right_job: Option<String>,
    pub right_size: Option<u64>,
    pub right_operation: Option<Operation>,
    /// Attributes that both lines share; they always share their JDK.
    pub same: Vec<Same>,
    pub metric: Metric,
    /// A time is counted for so many bytes of the size.
    pub per_bytes: Option<u64>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    /// The bound as a speed: 2 is at most half of the time.
    pub times_as_fast: Option<f64>,
    /// One of its figures has to lie within the bounds, not all.
    pub any: bool,
    /// Sizes without an interval are left out, where others have one.
    pub if_measured: bool,
    /// Where it was not measured in enough blocks, smaller sizes predict it.
    pub or_predicted: bool,
    /// The right line does the least that the job can be: what is faster than it shows that it was disturbed.
    pub floor: bool,
    /// Only right lines that hand out plain bytes before the tag is checked.
    pub releases_early: bool,
    /// Another machine may say otherwise.
    pub of_machine: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Same {
    Algorithm,
    Transport,
    /// A line with the same key, else the same key mode, else whatever there is.
    Key,
}

/// The figure that is held to the bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Time of the left line over that of the right one.
    #[default]
    Time,
    /// This metric of all operations together.
    TimeOfAll,
    /// CPU time over CPU time.
    Cpu,
    /// CPU time of a line over its time.
    Busy,
    /// Nanoseconds of the first operation of a fresh process.
    Cold,
    /// The power of the size by which time grows.
    Exponent,
    /// Bytes in a second, by the clock.
    Rate,
    /// Bytes in a second of CPU time.
    CoreRate,
    /// The most memory of a process, in bytes.
    Peak,
    /// Bytes allocated by one operation.
    Allocated,
}

/// The end of a claim, or of a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    Confirmed,
    Refuted,
    Undecided,
}

impl Fate {
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        }
    }

    /// The end of several: all of them have to hold, or one suffices.
    fn joined(fates: &[Self], one_suffices: bool) -> Self {
        let mut ends = [Self::Refuted, Self::Confirmed];
        if one_suffices {
            ends.reverse();
        }
        let [by_one, by_all] = ends;
        if fates.contains(&by_one) {
            by_one
        } else if !fates.is_empty() && fates.iter().all(|fate| *fate == by_all) {
            by_all
        } else {
            Self::Undecided
        }
    }
}

/// A file of claims.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "claim")]
    claims: Vec<Claim>,
}

/// From a file that comes with the program. Should it be broken there is nothing in it; a test says so.
fn read(file: &str) -> Vec<Claim> {
    toml::from_str(file).map(|file: File| file.claims).unwrap_or_default()
}

/// The promises of this project, and those about the lab itself.
pub fn goals() -> Vec<Claim> {
    read(include_str!("../../../goals.toml"))
}

/// The conclusions from published figures.
pub fn concluded(from: History) -> Vec<Claim> {
    read(match from {
        History::LogTuning => include_str!("../../../history/log-tuning.toml"),
        History::Nkcryptotool => include_str!("../../../history/nkcryptotool.toml"),
        History::PeppolGcm => include_str!("../../../history/peppol-gcm.toml"),
        History::Tls2009 => include_str!("../../../history/tls-2009.toml"),
        #[cfg(test)]
        History::Simulated => include_str!("../../tests/data/simulated.toml"),
    })
}

impl Test {
    /// True where figures of this size of a job are put to it.
    pub fn concerns(&self, job: &str, size: u64) -> bool {
        let is_left = self.job.as_deref().is_none_or(|known| known == job)
            && (self.sizes.is_empty() || self.sizes.contains(&size))
            && self.is_within(size);
        let right = (self.right_job.as_deref().or(self.job.as_deref()), self.right_size);
        is_left || right.1 == Some(size) && right.0.is_none_or(|known| known == job)
    }

    fn is_within(&self, size: u64) -> bool {
        size >= self.from_size && self.to_size.is_none_or(|most| size <= most)
    }

    /// True where figures of an operation are put to it.
    pub fn times(&self, operation: Operation) -> bool {
        self.operations.is_empty()
            || self.operations.contains(&operation)
            || self.right_operation == Some(operation)
    }

    /// True where smaller sizes tell it, too.
    pub fn is_by_growth(&self) -> bool {
        self.metric == Metric::Exponent || self.or_predicted
    }

    /// True where the line is one of those that are compared.
    pub fn names(&self, line: &Line, family: &str) -> bool {
        self.left.iter().chain(&self.right).any(|pattern| pattern.matches(line, family))
    }

    /// The upper bound.
    fn most(&self) -> Option<f64> {
        self.at_most.or(self.times_as_fast.map(|times| 1.0 / times))
    }
}

impl Claim {
    /// True for JDKs of this major version.
    pub fn is_about(&self, jdk: u64) -> bool {
        jdk >= self.from_jdk && self.below_jdk.is_none_or(|below| jdk < below)
    }

    /// True where figures of this line are put to a test at this size.
    pub fn names(&self, job: &str, size: u64, line: &Line, family: &str) -> bool {
        self.tests.iter().any(|test| test.concerns(job, size) && test.names(line, family))
    }
}

//! The verdict of `sealmark log verify`, for people and for programs.

use super::order::{Fault, Kind};
use crate::say::many;
use serde::Serialize;
use std::ops::Range;

/// The keys are a promise; `sealmark log verify --help` lists them.
#[derive(Debug, Default, Serialize)]
pub struct Verdict {
    pub ok: bool,
    pub values: u64,
    /// True where the values stand in order; none where that was not asked for or not promised.
    pub in_order: Option<bool>,
    pub missing: u64,
    pub repeated: u64,
    pub out_of_order: u64,
    pub not_counted: u64,
    pub mislabelled: u64,
    pub cut_off: u64,
    pub tampered: u64,
    pub not_text: u64,
    pub lost: u64,
    pub orphans: u64,
    pub no_key: u64,
    pub not_checked: u64,
    pub missing_sessions: u64,
    pub sessions: Vec<Session>,
    pub faults: Vec<Finding>,
    pub faults_left_out: u64,
}

#[derive(Debug, Serialize)]
pub struct Session {
    pub session: String,
    pub values: u64,
    pub ordered: bool,
    pub closed: bool,
    /// How many values it has by its closing token or by the next header.
    pub counted: Option<u64>,
    /// The lowest counter, where the values before may stand in an older log.
    pub begins: u64,
    /// The session before, where the header names it.
    pub previous: Option<String>,
    /// Runs of counters, each its first and its last.
    pub missing: Vec<[u64; 2]>,
    pub repeated: u64,
    pub not_counted: u64,
    /// How many values are missing, those that `missing` has no room for, too.
    #[serde(skip)]
    pub number_missing: u64,
    #[serde(skip)]
    pub text: String,
}

/// One fault and where it is.
#[derive(Debug, Serialize)]
pub struct Finding {
    pub file: String,
    pub line: u64,
    pub kind: &'static str,
    pub session: Option<String>,
    pub counter: Option<u64>,
    pub expected: Option<u64>,
    pub text: String,
}

impl Finding {
    pub fn of(fault: Fault, file: &str) -> Self {
        let (kind, counter, expected, text) = match fault.kind {
            Kind::Repeated { counter } => (
                "repeated",
                Some(counter),
                None,
                format!("value {counter} is a repeat: it occurs earlier in the log"),
            ),
            Kind::Missing { expected, found } => (
                "missing",
                Some(found),
                Some(expected),
                format!("{} missing before value {found}", values(&(expected..found))),
            ),
            Kind::OutOfOrder { expected, found } => (
                "out of order",
                Some(found),
                Some(expected),
                format!("value {found} is where value {expected} belongs"),
            ),
            Kind::Late { counter } => (
                "out of order",
                Some(counter),
                None,
                format!("value {counter} comes after values of the next session"),
            ),
            Kind::MissingSession { previous, count } => {
                let count = count.map_or(String::new(), |count| format!(" with {}", many(count, "value")));
                ("missing session", None, None, format!("the previous session {previous}{count} is missing"))
            }
            Kind::SessionOutOfOrder { previous } => (
                "out of order",
                None,
                None,
                format!("session {previous} should come before this session, but comes after it"),
            ),
        };
        let text = format!("{text} (session {})", fault.session);
        Self {
            file: file.to_owned(),
            line: fault.at.line,
            kind,
            session: Some(fault.session),
            counter,
            expected,
            text,
        }
    }
}

fn values(run: &Range<u64>) -> String {
    match run.end - run.start {
        1 => format!("value {}", run.start),
        _ => format!("values {}-{}", run.start, run.end - 1),
    }
}

impl Verdict {
    /// The last line: what was proved, and what nobody can prove.
    pub fn text(&self, asked: bool) -> String {
        let mut words = format!("{} verified", many(self.values, "sealed value"));
        words += match (asked, self.in_order) {
            (true, Some(true)) if self.missing > 0 => " and in order",
            (true, Some(true)) => ", in order",
            (true, None) => ", order not promised",
            _ => "",
        };
        for (number, what) in [
            (self.missing, "missing"),
            (self.repeated, "repeated"),
            (self.out_of_order, "out of order"),
            (
                self.missing_sessions,
                if self.missing_sessions == 1 { "session missing" } else { "sessions missing" },
            ),
            (self.cut_off, "cut off"),
            (self.tampered, "altered"),
        ] {
            if number > 0 {
                words += &format!(", {number} {what}");
            }
        }
        format!("{words}; text outside tokens is not protected\n")
    }
}

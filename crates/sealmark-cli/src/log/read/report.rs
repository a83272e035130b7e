//! The tokens and lines that stayed closed or were not looked at, and why; the worst of it is how the program ends.

use super::batches::LONGEST;
use crate::fault::{Exit, Fault};
use crate::say::{self, many};
use sealmark::record::{Report, SessionId};
use std::collections::BTreeSet;

/// Numbers of tokens by what became of them.
#[derive(Debug, Clone, Default)]
pub struct Closed {
    pub not_text: u64,
    pub orphans: u64,
    /// The sessions of those, within the bound of [`Report::orphaned`].
    orphaned: BTreeSet<SessionId>,
    pub no_key: u64,
    pub tampered: u64,
    pub cut_off: u64,
}

impl Closed {
    pub fn add(&mut self, report: &Report) {
        self.not_text += report.not_text;
        self.orphans += report.orphans;
        if self.orphaned.len() < NAMED {
            self.orphaned.extend(&report.orphaned);
        }
        self.no_key += report.no_key;
        self.tampered += report.tampered;
        self.cut_off += report.cut_off;
    }

    pub fn is_none(&self) -> bool {
        self.not_text + self.orphans + self.no_key + self.tampered == 0
    }

    /// How to end for the sake of what stayed closed.
    pub fn exit(&self) -> Exit {
        match (self.not_text + self.tampered, self.orphans + self.no_key) {
            (0, 0) => Exit::Done,
            (0, _) => Exit::NoKey,
            _ => Exit::Damaged,
        }
    }

    pub fn report(&self) -> Exit {
        if self.cut_off > 0 {
            say::warning(
                &format!(
                    "{} cut off and left as {}",
                    many(self.cut_off, "token"),
                    if self.cut_off == 1 { "it is" } else { "they are" }
                ),
                "check whether a disk was full or a relay cuts long lines",
            );
        }
        let missing = self.missing_headers();
        let reasons = [
            (
                self.not_text,
                Exit::Damaged,
                "the value is not text, but this place in the line can contain only text",
                "check whether the line was altered around the token",
            ),
            (self.orphans, Exit::NoKey, &missing[..], "pass a file that has it with --side-file"),
            (
                self.no_key,
                Exit::NoKey,
                "none of the keys opens the session",
                "pass another key with -i or --psk",
            ),
            (
                self.tampered,
                Exit::Damaged,
                "authentication failed",
                "get the log again from where it was sealed",
            ),
        ];
        let exits = reasons.into_iter().filter(|(count, ..)| *count > 0).map(|(count, exit, why, hint)| {
            say::warning(&format!("{} not opened: {why}", many(count, "token")), hint);
            exit
        });
        exits.max().unwrap_or(Exit::Done)
    }
}

/// Sessions that a message names.
const NAMED: usize = 3;

impl Closed {
    fn missing_headers(&self) -> String {
        let named: Vec<String> = self.orphaned.iter().take(NAMED).map(SessionId::to_string).collect();
        match &named[..] {
            [one] => format!("the header of session {one} is not in the log"),
            some => {
                let others = if self.orphaned.len() > NAMED { ", …" } else { "" };
                format!("the headers of their sessions are not in the log ({}{others})", some.join(", "))
            }
        }
    }
}

/// Lines of which only pieces were seen, and how to end for their sake.
pub fn too_long(lines: u64, what: &str) -> Exit {
    match lines {
        0 => Exit::Done,
        _ => say::fault(&Fault::io(format!(
            "{} longer than {} MiB {what}",
            many(lines, "line"),
            LONGEST >> 20
        ))),
    }
}

/// The exit code of a verb: the worse of how its work ended and what it has reported.
pub fn end(ended: Result<Exit, Fault>, reported: Exit) -> Result<Exit, Fault> {
    match ended {
        Ok(exit) => Ok(exit.max(reported)),
        Err(fault) => Ok(say::fault(&fault).max(reported)),
    }
}

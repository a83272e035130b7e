//! `sealmark log`: values inside the lines of a log (spec/record.md).
//!
//! `lines` cuts a stream into lines in bounded memory, `fields` says where in a line the values stand, `json` and
//! `pattern` how they are found; `seal` and `open` are the verbs.

pub mod args;
mod fields;
mod json;
mod lines;
mod open;
mod pattern;
mod seal;

use crate::fault::{Exit, Fault};
use args::{Log, LogVerb};

pub fn run(args: &Log) -> Result<Exit, Fault> {
    match &args.verb {
        LogVerb::Seal(args) => seal::run(args),
        LogVerb::Open(args) => open::run(args),
    }
}

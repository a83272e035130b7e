//! `sealmark log`: values inside the lines of a log (spec/record.md).
//!
//! `lines` cuts a stream into lines in bounded memory; where in a line the values stand, the crate `sealmark-fields`
//! says; `seal` and `open` are the verbs.

pub mod args;
mod lines;
mod open;
mod seal;
mod selection;

use crate::fault::{Exit, Fault};
use args::{Log, LogVerb};

pub fn run(args: &Log) -> Result<Exit, Fault> {
    match &args.verb {
        LogVerb::Seal(args) => seal::run(args),
        LogVerb::Open(args) => open::run(args),
    }
}

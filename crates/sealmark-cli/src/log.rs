//! `sealmark log`: values inside the lines of a log (spec/record.md).
//!
//! `lines` cuts a stream into lines in bounded memory; where in a line the values stand, the crate `sealmark-fields`
//! says; `seal` is the verb that writes, and leans on Linux's signals, sockets and users. The verbs that read share
//! `read`.

#[cfg(target_os = "linux")]
mod addresses;
pub mod args;
mod args_read;
#[cfg(target_os = "linux")]
mod args_seal;
#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod config;
mod grep;
mod inspect;
mod lines;
mod open;
#[cfg(target_os = "linux")]
mod pad;
#[cfg(target_os = "linux")]
mod private;
mod read;
mod readers;
mod rekey;
mod rewrite;
#[cfg(target_os = "linux")]
mod seal;
#[cfg(target_os = "linux")]
mod selection;
#[cfg(target_os = "linux")]
mod settings;
#[cfg(target_os = "linux")]
mod suggest;
mod verify;

use crate::fault::{Exit, Fault};
use args::{Log, LogVerb};

pub fn run(args: &Log) -> Result<Exit, Fault> {
    match &args.verb {
        #[cfg(target_os = "linux")]
        LogVerb::Seal(args) => match (&args.suggest, &args.check) {
            (Some(sample), _) => suggest::run(sample),
            (None, Some(sample)) => check::run(sample, args),
            (None, None) => seal::run(args),
        },
        LogVerb::Open(args) => open::run(args),
        LogVerb::Grep(args) => grep::run(args),
        LogVerb::Verify(args) => verify::run(args),
        LogVerb::Rekey(args) => rekey::run(args),
        LogVerb::Inspect(args) => inspect::run(args),
    }
}

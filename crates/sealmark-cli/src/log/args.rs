//! The verbs behind `sealmark log`.

use super::args_read::{LogGrep, LogInspect, LogOpen, LogRekey, LogVerify};
#[cfg(target_os = "linux")]
use super::args_seal::LogSeal;
use clap::{Args, Subcommand};

/// Encrypt values inside the lines of a log, and decrypt them again
#[derive(Args)]
pub struct Log {
    #[command(subcommand)]
    pub verb: LogVerb,
}

#[derive(Subcommand)]
pub enum LogVerb {
    #[cfg(target_os = "linux")]
    Seal(Box<LogSeal>),
    Open(LogOpen),
    Grep(LogGrep),
    Verify(LogVerify),
    Rekey(LogRekey),
    Inspect(LogInspect),
}

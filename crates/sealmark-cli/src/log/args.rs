//! What can be typed behind `sealmark log`.

use super::args_read::{LogGrep, LogInspect, LogOpen, LogRekey, LogVerify};
#[cfg(target_os = "linux")]
use super::args_seal::LogSeal;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Seal values inside the lines of a log, and open them again
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

/// Who shall read the log.
#[derive(Args)]
pub struct LogTo {
    /// Seal to this public key (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT", conflicts_with = "psk")]
    pub recipients: Vec<String>,
    /// Seal to the public keys in this file, one a line, "#" for comments ("-": standard input; repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "FILE", conflicts_with = "psk")]
    pub recipients_files: Vec<PathBuf>,
    /// Seal with the pre-shared key in this file, made by `sealmark keygen --mode psk`
    #[arg(long, value_name = "FILE", conflicts_with = "allow_mixed")]
    pub psk: Option<PathBuf>,
    /// Accept classic beside post-quantum recipients: the log is then only as safe as the classic ones
    #[arg(long)]
    pub allow_mixed: bool,
}

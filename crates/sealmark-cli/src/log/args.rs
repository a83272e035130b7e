//! The verbs behind `sealmark log`.

use super::args_read::{LogGrep, LogInspect, LogOpen, LogRekey, LogVerify};
#[cfg(target_os = "linux")]
use super::args_seal::LogSeal;
use clap::{Args, Subcommand};

#[derive(Args)]
pub struct Log {
    #[command(subcommand)]
    pub verb: LogVerb,
}

// Only the flags of the typed verb are built, like those of `Verb`.
#[derive(Subcommand)]
#[command(defer = true)]
pub enum LogVerb {
    /// Replace values in the lines of a log with tokens that only the holders of a key can open
    ///
    /// Reads standard input or IN and writes standard output or OUT, in the same order. Sealmark adds lines: at the
    /// start and again later, headers that readers need to open the log; at the end, a line with the number of values.
    /// `sealmark log open` removes them. If the last line has no line feed, one is added.
    #[cfg(target_os = "linux")]
    Seal(Box<LogSeal>),
    /// Replace tokens in a log with their original values, and leave every other byte unchanged
    ///
    /// An opened value never adds a line to the log or a member to the JSON around it: inside JSON strings it is
    /// escaped; elsewhere its line breaks are written as \n and \r. A token that cannot be opened stays in the
    /// line; a message at the end and the exit code say how many there are and why. Logs compressed with gzip or
    /// zstd are decompressed as they are read. Several logs are read as one: name the oldest first.
    Open(LogOpen),
    /// Print the lines of a log whose opened text matches a pattern
    ///
    /// The original values are searched, without the escapes of the JSON around them; tokens that cannot be opened are
    /// not searched. Compressed logs and several logs are read as `sealmark log open` reads them. Flags have the meaning
    /// that they have in grep, except -i, which names a key file: to ignore case, add --ignore-case.
    Grep(LogGrep),
    /// Check that the values of a log are authentic, in the right place and complete, without printing them
    ///
    /// Prints one line per session, which says whether all values are present that the closing token or the next header
    /// counts. A session without a count may be unfinished, its writer may have crashed, or the log may have been cut off:
    /// `verify` cannot tell which. Labels are compared with the field names around the tokens: JSON members, name=value,
    /// name:value (LTSV) and query parameters.
    Verify(LogVerify),
    /// Change who can open a log, without opening its values
    ///
    /// Every header that a key opens, and that is on lines of its own, is replaced with a new one for the same session; all
    /// other lines stay unchanged. Logs given by name are rewritten in place unless -o is given. Re-key only rotated logs: a
    /// program that still writes to the log would keep writing to the old file. This does not revoke
    /// access from anyone who has opened the log or kept a copy of it.
    Rekey(LogRekey),
    /// Show what a log reveals without a key
    ///
    /// This information is not authenticated; `sealmark log verify` authenticates it.
    Inspect(LogInspect),
}

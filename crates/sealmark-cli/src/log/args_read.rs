//! The flags of the verbs of `sealmark log` that read.

use super::read::times::{self, Seconds};
use crate::args::{Help, Out, PassphraseSource, TEMPLATE, To};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Replace tokens in a log by what they stand for, and leave everything else as it is, byte for byte
///
/// No value adds a line, or a member to the JSON around it: inside JSON strings it comes escaped, and elsewhere line
/// breaks come as \n and \r. A token that does not open stays; a message at the end and the exit code tell how many and why. Logs that
/// gzip or zstd compressed are read as they are. Several logs are read as one: name the oldest first.
#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = format!("\
Examples:
  sealmark log open -i key.txt app.log | less
  sealmark log open -i key.txt app.log.2.gz app.log.1 app.log
  sealmark log open -i key.txt --since 2h app.log.1 app.log
  sealmark log open -i key.txt --since 2026-11-24 --until 2026-11-24 app.log.2.gz app.log.1
  sealmark log open -i key.txt --label ip --label user app.log
  sealmark log open -i key.txt --follow app.log
  tail -n 100 app.log | sealmark log open -i key.txt --side-file headers.txt

{TIMES}"), after_long_help = PERIODS)]
pub struct LogOpen {
    #[command(flatten, next_help_heading = "Keys")]
    pub with: LogWith,
    /// Open only tokens with this label, and leave the others as they are (repeatable)
    #[arg(long = "label", value_name = "LABEL", help_heading = "What to open")]
    pub labels: Vec<String>,
    #[command(flatten, next_help_heading = "What to open")]
    pub period: LogPeriod,
    /// Wait for more at the end of the last log, and go on when it is truncated, renamed, removed or made anew
    #[arg(long, requires = "inputs", conflicts_with_all = ["output", "until"], help_heading = "What to open")]
    pub follow: bool,
    /// Leave line breaks in values as they are, outside of JSON strings: a value may then add lines to the log
    #[arg(long, help_heading = "Output")]
    pub raw: bool,
    #[command(flatten, next_help_heading = "Output")]
    pub out: Out,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Logs to open ("-" or none: standard input)
    #[arg(value_name = "IN", help_heading = None)]
    pub inputs: Vec<PathBuf>,
}

/// Print the lines of a log that match a pattern once they are opened
///
/// Values are searched as they were before they were sealed, without the escapes of the JSON around them; tokens that stay
/// closed are not searched. Compressed logs and several logs are read as by `sealmark log open`. Flags mean what they mean to
/// grep, but for -i, which names a key.
#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = format!("\
Examples:
  sealmark log grep -i key.txt 'status=5\\d\\d .*client=10\\.' app.log
  sealmark log grep -i key.txt -F --label email a@b.example app.log.*
  sealmark log grep -i key.txt -n -C 3 -e panic -e 'user=ann' app.log
  sealmark log grep -i key.txt --json --since 2h ann app.log | jq -r .text
  sealmark log grep -i key.txt --follow -v healthz app.log

JSON: one object a line that matches, with these keys:
  file      name as given, \"-\" for standard input
  line      its number in the file
  text      the line as `sealmark log open` writes it; base64 in its place where it is no UTF-8
  searched  the text that was searched, where that is another, as an object with text or base64
  matches   for each: text or base64, and its bytes in the text searched, start and end; with
            --label, also its label, and the bytes are those of the value
  labels    of the values that were opened

{TIMES}

Exit codes of this verb, like those of grep:
  0 found, 1 not found, 2 usage, input or output, 3 some tokens have no key that fits,
  4 some tokens were tampered with"),
after_long_help = format!("\
The log's own lines (who can open it, how many values it has) are never printed, not even with -v, nor between two \
lines for -A, -B and -C. They do count for -n, so that an editor finds the line in the file. With --follow, the count \
goes on when the file is replaced.

{PERIODS}"))]
pub struct LogGrep {
    #[command(flatten, next_help_heading = "Keys")]
    pub with: LogWith,
    /// Search for this pattern, and for the others that are named so; PATTERN is left out then (repeatable)
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", help_heading = "What to search")]
    pub patterns: Vec<String>,
    /// Ignore the case of letters
    #[arg(long, help_heading = "What to search")]
    pub ignore_case: bool,
    /// Take each pattern for a plain text
    #[arg(short = 'F', long, help_heading = "What to search")]
    pub fixed_strings: bool,
    /// Print the lines that do not match
    #[arg(short = 'v', long, help_heading = "What to search")]
    pub invert_match: bool,
    /// Search only values with this label, or with one that encloses it (user for user.email), each by itself (repeatable)
    #[arg(long = "label", value_name = "LABEL", help_heading = "What to search")]
    pub labels: Vec<String>,
    #[command(flatten, next_help_heading = "What to search")]
    pub period: LogPeriod,
    /// Stop reading a file after so many lines that are printed
    #[arg(short = 'm', long, value_name = "N", help_heading = "What to search")]
    pub max_count: Option<u64>,
    /// Wait for more at the end of the last log, as `sealmark log open --follow` does
    #[arg(long, conflicts_with = "until", help_heading = "What to search")]
    pub follow: bool,
    /// Print the number of each line in its file
    #[arg(short = 'n', long, help_heading = "Output")]
    pub line_number: bool,
    /// Print the name of its file in front of each line, as is done for several files
    #[arg(short = 'H', long, overrides_with = "no_filename", help_heading = "Output")]
    pub with_filename: bool,
    /// Print no names of files
    #[arg(long, overrides_with = "with_filename", help_heading = "Output")]
    pub no_filename: bool,
    /// Print only what matches, each match on a line of its own; line breaks in values come as \n and \r
    #[arg(short = 'o', long, help_heading = "Output")]
    pub only_matching: bool,
    /// Print so many lines behind each that matches
    #[arg(short = 'A', long, value_name = "N", help_heading = "Output")]
    pub after_context: Option<usize>,
    /// Print so many lines before each that matches
    #[arg(short = 'B', long, value_name = "N", help_heading = "Output")]
    pub before_context: Option<usize>,
    /// Print so many lines before and behind each that matches
    #[arg(short = 'C', long, value_name = "N", help_heading = "Output")]
    pub context: Option<usize>,
    /// Print lines as they are in the log, still sealed
    #[arg(long, conflicts_with = "only_matching", help_heading = "Output")]
    pub sealed: bool,
    /// Print JSON (keys above)
    #[arg(long, conflicts_with_all = ["sealed", "only_matching", "after_context", "before_context", "context"], help_heading = "Output")]
    pub json: bool,
    /// Print only how many lines match, for each file
    #[arg(short = 'c', long, conflicts_with_all = ["sealed", "json"], help_heading = "Output")]
    pub count: bool,
    /// Print only the names of files with lines that match
    #[arg(short = 'l', long, conflicts_with_all = ["sealed", "json"], help_heading = "Output")]
    pub files_with_matches: bool,
    /// Print nothing, and end with 0 at the first line that matches, whatever was wrong before it
    #[arg(short = 'q', long, help_heading = "Output")]
    pub quiet: bool,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Regular expression, in the syntax of docs.rs/regex
    #[arg(required_unless_present = "patterns", value_hint = ValueHint::FilePath, help_heading = None)]
    pub pattern: Option<OsString>,
    /// Logs to search ("-" or none: standard input)
    #[arg(value_name = "IN", help_heading = None)]
    pub inputs: Vec<PathBuf>,
}

const TIMES: &str = "\
A time for --since and --until is one of these:
  2026-11-24T08:00:00Z  as in RFC 3339
  2026-11-24T08:00      by the clock of this machine
  2026-11-24            from its first second on for --since, to its last one for --until
  90m, 2h, 7d           so long ago";

const PERIODS: &str = "\
The log does not tell when a value was sealed, but when its session began: every hour, unless the writer was told otherwise. So \
up to an hour more is printed, and a line is left out only where it cannot belong to the period: its session began \
after --until, or ended before --since, which is when the next one began. A session counts as going on where its closing token \
or the next header is missing (a crash, the end of the log); sessions without a time, and those during which a clock was set \
back, stay. A line without a value goes with the lines before it. The number of lines left out is reported.";

/// Which lines of a log are read.
#[derive(Args)]
pub struct LogPeriod {
    /// Leave out lines of sessions that ended before this time (2026-11-24, 2h, …; see above)
    #[arg(long, value_name = "TIME", value_parser = times::since)]
    pub since: Option<Seconds>,
    /// Leave out lines of sessions that began after this time
    #[arg(long, value_name = "TIME", value_parser = times::until)]
    pub until: Option<Seconds>,
}

/// Check that the values of a log are authentic, in their place and all there, writing none of them
///
/// One line a session tells whether all values are there that its closing token counts, or the next header. A session
/// without a count goes on, crashed, or was cut off: nobody can tell which. Labels are held against the names that stand around
/// tokens: members of JSON lines, name=value, name:value (LTSV) and query parameters.
#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(
    after_help = "\
Example:
  sealmark log verify -i key.txt --in-order app.log.2.gz app.log.1 app.log

JSON: one object with these keys:
  ok               whether the exit code is 0
  values           sealed values that are present, each counted once
  in_order         whether those are in order; null where that was not asked for or promised
  missing, repeated, out_of_order, not_counted (beyond the closing token), mislabelled, cut_off,
  tampered, not_text, orphans, no_key, not_checked, missing_sessions: how many
  sessions         for each: session, values, ordered, closed, counted (values it has by its
                   closing token or the next header), begins (values before may stand in an older
                   log), previous (the session before; null: unknown), missing (first and last
                   counters; at most 100), repeated, not_counted
  faults           for each: file (as given, \"-\" for standard input), line, kind, session,
                   counter, expected, text; at most 1000
  faults_left_out  how many more there are",
    after_long_help = "\
Nobody can see text that was altered outside of tokens, a head or a tail that was cut off, nor a first or last session that \
is gone. Without --in-order, or where the writer does not promise order, a token may have been moved to a line with the same \
label."
)]
pub struct LogVerify {
    #[command(flatten, next_help_heading = "Keys")]
    pub with: LogWith,
    /// Fail where a session has no closing token
    #[arg(long, help_heading = "What to check")]
    pub closed: bool,
    /// Fail where values or sessions are not in the order that their writer promises: give all logs, the oldest first
    #[arg(long, help_heading = "What to check")]
    pub in_order: bool,
    /// Print JSON (keys above)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Do not hold labels against the names around tokens: for logs that were sealed by patterns
    #[arg(long, help_heading = "What to check")]
    pub any_label: bool,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Logs to check ("-" or none: standard input)
    #[arg(value_name = "IN", help_heading = None)]
    pub inputs: Vec<PathBuf>,
}

/// Change who can open a log, without opening its values
///
/// Every header that opens and stands on lines of its own is replaced by a new one for the same session; all other lines
/// stay as they are. Named logs are rewritten in place unless -o is given: rolled-over logs only, for whoever still writes
/// one would go on with the old file. This revokes nobody who has opened the log or kept a copy of it.
#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark log rekey -i key.txt -R team.txt app.log.1 app.log.2
  sealmark log rekey -i key.txt --psk-to shared.txt < app.log > again.log")]
pub struct LogRekey {
    #[command(flatten, next_help_heading = "Keys that open it")]
    pub with: LogWith,
    #[command(flatten, next_help_heading = "New keys")]
    pub to: To,
    /// Seal with the pre-shared key in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recipients", "recipients_files", "allow_mixed"], help_heading = "New keys")]
    pub psk_to: Option<PathBuf>,
    /// Write here ("-": standard output) and leave IN as it is
    #[arg(short, long, value_name = "OUT", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(short, long, requires = "output", help_heading = "Output")]
    pub force: bool,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Logs to re-key ("-" or none: standard input to standard output)
    #[arg(value_name = "IN", help_heading = None)]
    pub inputs: Vec<PathBuf>,
}

/// Tell what a log says about itself, without a key
///
/// Nothing of this is authenticated: `sealmark log verify` checks it.
#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
JSON: one flat object per session and line, then one for all of them, with these keys:
  session          its id; none in the object for all
  parts            parts of its header that are there
  parts_of         parts that its header has
  post_quantum     whether every key resists quantum computers; none where a header is not whole
  recipients       number of keys that open it
  kems             their key encapsulations, separated by spaces (\"psk\": pre-shared key,
                   \"?\": unknown)
  header_bytes     length of the header
  began            when the session began by its writer's clock (UTC), where the header tells it
  ordered          whether the header promises that values stand in order
  previous         the session before, where the header names it; none where it does not
  previous_values  how many values that has, where the header counts them
  tokens           number of tokens
  closed           whether a closing token is there
  counters         how many counters the closing token says were used, or skipped
and for all:
  sessions, tokens, headers, lines, and labels: LABEL=TOKENS, separated by spaces")]
pub struct LogInspect {
    /// Print JSON (keys above)
    #[arg(long)]
    pub json: bool,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Logs to look at ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// The keys that logs are opened with.
#[derive(Args)]
pub struct LogWith {
    /// Open with the secret keys in this file ("-": standard input; repeatable)
    #[arg(short, long = "identity", value_name = "FILE")]
    pub identities: Vec<PathBuf>,
    /// Open with the pre-shared keys in this file (repeatable)
    #[arg(long, value_name = "FILE")]
    pub psk: Vec<PathBuf>,
    #[command(flatten)]
    pub source: PassphraseSource,
    /// Learn from this file, too, who can open the log (repeatable)
    #[arg(long = "side-file", value_name = "FILE")]
    pub side_files: Vec<PathBuf>,
}

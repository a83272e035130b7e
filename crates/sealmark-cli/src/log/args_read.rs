//! The flags of the verbs of `sealmark log` that read.

use super::read::times::{self, Seconds};
use crate::args::{Help, Out, PassphraseSource, TEMPLATE, To};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

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
    /// Open only tokens with this label, and leave the others unchanged (repeatable)
    #[arg(long = "label", value_name = "LABEL", help_heading = "What to open")]
    pub labels: Vec<String>,
    #[command(flatten, next_help_heading = "What to open")]
    pub period: LogPeriod,
    /// Keep reading at the end of the last log, also after it is truncated, renamed, removed or recreated
    #[arg(long, requires = "inputs", conflicts_with_all = ["output", "until"], help_heading = "What to open")]
    pub follow: bool,
    /// Print line breaks in values unescaped, outside of JSON strings: a value can then add lines to the log
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

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = format!("\
Examples:
  sealmark log grep -i key.txt 'status=5\\d\\d .*client=10\\.' app.log
  sealmark log grep -i key.txt -F --label email a@b.example app.log.*
  sealmark log grep -i key.txt -n -C 3 -e panic -e 'user=ann' app.log
  sealmark log grep -i key.txt --json --since 2h ann app.log | jq -r .text
  sealmark log grep -i key.txt --follow -v healthz app.log

JSON: one object per matching line, with these keys:
  file      name as given, \"-\" for standard input
  line      its number in the file
  text      the line as `sealmark log open` writes it; if it is not UTF-8, the key is base64 instead
  searched  the text that was searched, if it differs from the line: an object with text or base64
  matches   for each match: text or base64, and start and end as byte offsets in the searched
            text; with --label, also label, and offsets in the value
  labels    the labels of the values that were opened

{TIMES}

Exit codes of this verb, like those of grep:
  0 found, 1 not found, 2 usage, input or output, 3 some tokens have no key that fits,
  4 some tokens were tampered with"),
after_long_help = format!("\
Header and closing lines, which Sealmark added, are never printed, not with -v and not as context of -A, -B and -C. \
They do count for -n, so that an editor finds the line in the file. With --follow, the count continues when the file is \
replaced.

{PERIODS}"))]
pub struct LogGrep {
    #[command(flatten, next_help_heading = "Keys")]
    pub with: LogWith,
    /// Search for this pattern; lines that match any -e are printed. With -e, give no PATTERN argument (repeatable)
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", help_heading = "What to search")]
    pub patterns: Vec<String>,
    /// Ignore the case of letters
    #[arg(long, help_heading = "What to search")]
    pub ignore_case: bool,
    /// Treat each pattern as plain text
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
    /// Stop reading a file after N printed lines
    #[arg(short = 'm', long, value_name = "N", help_heading = "What to search")]
    pub max_count: Option<u64>,
    /// Keep reading at the end of the last log, as `sealmark log open --follow` does
    #[arg(long, conflicts_with = "until", help_heading = "What to search")]
    pub follow: bool,
    /// Print the number of each line in its file
    #[arg(short = 'n', long, help_heading = "Output")]
    pub line_number: bool,
    /// Print the file name before each line (the default for several files)
    #[arg(short = 'H', long, overrides_with = "no_filename", help_heading = "Output")]
    pub with_filename: bool,
    /// Print no file names
    #[arg(long, overrides_with = "with_filename", help_heading = "Output")]
    pub no_filename: bool,
    /// Print only the matches, each on a line of its own; line breaks in values are written as \n and \r
    #[arg(short = 'o', long, help_heading = "Output")]
    pub only_matching: bool,
    /// Print N lines after each matching line
    #[arg(short = 'A', long, value_name = "N", help_heading = "Output")]
    pub after_context: Option<usize>,
    /// Print N lines before each matching line
    #[arg(short = 'B', long, value_name = "N", help_heading = "Output")]
    pub before_context: Option<usize>,
    /// Print N lines before and after each matching line
    #[arg(short = 'C', long, value_name = "N", help_heading = "Output")]
    pub context: Option<usize>,
    /// Print the lines as they are in the log, with their tokens
    #[arg(long, conflicts_with = "only_matching", help_heading = "Output")]
    pub sealed: bool,
    /// Print JSON (keys above)
    #[arg(long, conflicts_with_all = ["sealed", "only_matching", "after_context", "before_context", "context"], help_heading = "Output")]
    pub json: bool,
    /// Print only the number of matching lines of each file
    #[arg(short = 'c', long, conflicts_with_all = ["sealed", "json"], help_heading = "Output")]
    pub count: bool,
    /// Print only the names of files with matching lines
    #[arg(short = 'l', long, conflicts_with_all = ["sealed", "json"], help_heading = "Output")]
    pub files_with_matches: bool,
    /// Print nothing; exit with 0 at the first matching line, even if an error occurred before
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
  2026-11-24            a day: --since begins with its first second, --until ends with its last
  90m, 2h, 7d           this long ago";

const PERIODS: &str = "\
A log does not record when a value was sealed, only when its session began. A new session begins every hour, unless the \
writer was configured otherwise. So up to an hour of extra lines is printed. A line is left out only if it cannot belong to \
the period: its session began after --until, or the next session began before --since. A session without a closing token, or \
without a header after it, counts as still running (a crash, the end of the log). Lines of sessions without a time, or during \
which the clock was set back, are always printed. A line without a value belongs to the lines before it. The number of lines \
left out is reported.";

// Which lines of a log are read.
#[derive(Args)]
pub struct LogPeriod {
    /// Leave out lines of sessions that ended before this time (2026-11-24, 2h, …; see above)
    #[arg(long, value_name = "TIME", value_parser = times::since)]
    pub since: Option<Seconds>,
    /// Leave out lines of sessions that began after this time
    #[arg(long, value_name = "TIME", value_parser = times::until)]
    pub until: Option<Seconds>,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(
    after_help = "\
Example:
  sealmark log verify -i key.txt --in-order app.log.2.gz app.log.1 app.log

JSON: one object with these keys:
  ok               true if the exit code is 0
  values           authentic sealed values, each counted once
  in_order         true if they are in order; null without --in-order, or if the writer does not
                   promise order
  (numbers)        missing, repeated, out_of_order, not_counted (beyond the closing token),
                   mislabelled, cut_off, tampered, not_text, lost (~s1x~ stands in their place),
                   orphans (tokens without a session header), no_key, not_checked,
                   missing_sessions
  sessions         for each: session, values, ordered, closed, counted (number of values according
                   to its closing token or the next header), begins (lowest number of a value;
                   earlier values may be in an older log), previous (null: unknown), missing (first
                   and last numbers; at most 100), repeated, not_counted
  faults           for each: file (as given, \"-\" for standard input), line, kind, session,
                   counter, expected, text; at most 1000
  faults_left_out  number of further faults",
    after_long_help = "\
`verify` cannot detect text that was altered outside of tokens, the beginning or the end of a log that was cut off, or a \
first or last session that was deleted. Without --in-order, or if the writer does not promise order, it cannot detect a \
token that was moved to another line with the same label."
)]
pub struct LogVerify {
    #[command(flatten, next_help_heading = "Keys")]
    pub with: LogWith,
    /// Fail if a session has no closing token
    #[arg(long, help_heading = "What to check")]
    pub closed: bool,
    /// Fail if values or sessions are not in the order that their writer promises: name all logs, the oldest first
    #[arg(long, help_heading = "What to check")]
    pub in_order: bool,
    /// Print JSON (keys above)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Do not compare labels with the field names around tokens; needed for logs sealed with patterns
    #[arg(long, help_heading = "What to check")]
    pub any_label: bool,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Logs to check ("-" or none: standard input)
    #[arg(value_name = "IN", help_heading = None)]
    pub inputs: Vec<PathBuf>,
}

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
    /// Write to OUT ("-": standard output) and leave IN unchanged
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

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
JSON: one flat object per session, each on its own line, then one for all, with these keys:
  session          its id; missing in the object for all sessions
  parts            number of header parts found in the log
  parts_of         number of parts in the complete header
  post_quantum     true if every key resists quantum computers; null if the header is incomplete
  recipients       number of keys that open it
  kems             their key encapsulations, separated by spaces (\"psk\": pre-shared key,
                   \"?\": unknown)
  header_bytes     length of the header
  began            start of the session (UTC, by the clock of the writer), if the header has it
  ordered          true if the header promises that values are in order
  previous         the previous session, if the header names it; else null
  previous_values  one more than its highest counter, if the header has it
  tokens           number of tokens
  closed           true if there is a closing token
  counters         number of counters used or skipped, according to the closing token
and for all:
  sessions, tokens, headers, lines, and labels: LABEL=TOKENS, separated by spaces")]
pub struct LogInspect {
    /// Print JSON (keys above)
    #[arg(long)]
    pub json: bool,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Logs to inspect ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

// The keys that logs are opened with.
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
    /// Read session headers from this file, too: one that `log seal --side-file` wrote, or another log (repeatable)
    #[arg(long = "side-file", value_name = "FILE")]
    pub side_files: Vec<PathBuf>,
}

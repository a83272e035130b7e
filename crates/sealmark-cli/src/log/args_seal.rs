//! The flags of `sealmark log seal`.

use super::addresses::{Address, CountsTo};
use super::pad::Pad;
use crate::args::{Help, Out, TEMPLATE, To};
use clap::{Args, ValueEnum};
use serde::Deserialize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

#[derive(Args, Clone)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(
    after_help = "\
Examples:
  app | sealmark log seal -R ops.pub --json user.email --json ip >> app.log
  sealmark log seal --psk shared.txt --regex 'client=(\\S+)' < in.log > out.log
  sealmark log seal -R ops.pub --regex 'from (?<address>\\S+) port' in.log -o out.log
  sealmark log seal -R ops.pub --header client --query all < access.log > sealed.log
  sealmark log seal --suggest app.log > log.toml
  sealmark log seal --config log.toml --check app.log
  app | sealmark log seal --config log.toml -a /var/log/sealed/app.log
  sealmark log seal -R ops.pub --json ip --syslog unix:/run/sealmark/log -a /var/log/app.log

In the configuration of Apache httpd:
  CustomLog \"|/usr/bin/sealmark log seal -R /etc/ops.pub --header client \\
    -a /var/log/sealed/access.log --user www-data\" combined

See the manual page sealmark-log-seal(1) for details, and docs/logs.md for the keys of --config.",
    after_long_help = "\
JSON paths are names joined by dots, written as they are after unescaping; upper and lower case matter. A name also \
matches in every element of an array on the way, so a.b is found in {\"a\":{\"b\":1}}, {\"a\":[{\"b\":1}]} and \
{\"a.b\":1}, and the path a matches in all three. A value that is not a string is sealed as it is written; its token is a \
string, so that the line stays JSON, and `sealmark log open` writes the original value. A string that is not valid \
JSON, such as one with \\x22, is sealed with its quotes. Text inside strings is not searched, even if it is JSON. If a name \
looks like the syntax of another tool, such as a[b] or 0, write its whole path between double quotes: --json '\"list.a[b]\"'.

At the end, and at each new session that had lines, the program reports on standard error how many values each name \
and pattern found (with -a, --syslog or a named pipe also the bytes and headers written). Names and patterns that \
find nothing in lines of their format cause one warning. The exit code is still 0, because the program cannot tell a mistyped \
name from a field that did not occur. --check tries the rules on a sample beforehand, seals nothing, and ends with 5 \
if a rule finds nothing.

--config reads all settings from a TOML file, and has further ones: log_format strings of nginx and Apache httpd, \
text within fields, lines of docker and Kubernetes, and names that stay in the clear while all others are sealed \
(docs/logs.md has every key). On SIGHUP, the recipients and the configuration are read again; if that fails, the old \
ones stay in force. On SIGUSR1, all counts are reported.

In names of JSON, logfmt and LTSV, * matches any characters; in paths, ** matches any number of names.

A line has at most 64 tokens, or one for each 64 bytes if that is more, so that many short values do \
not fill the disk. If a line has more values than that, the query parameters of a field are sealed as one value, and \
everything from the last allowed token to the last value is sealed as one. A JSON line is sealed as a whole, under \
the label \"line\". An empty value gets no token, and a pattern that matches an empty text is refused.

Text in a line that looks like a token is sealed under the label \"lookalike\", so that an attacker who can write to \
the log cannot make readers open, miss or remove anything.

Lines of logfmt consist of pairs, key=value or key=\"quoted \\\" value\", at least one of them. A line is not logfmt if a \
word in it has no \"=\", if text follows a closing quote directly, or if a value begins with '. Prose is not logfmt \
either. A named value that begins with <, [, { or ( extends to the matching bracket, over blanks; if there is none, \
the line is not logfmt. Lines of LTSV are label:value, separated by tabs; a line without a tab is LTSV only \
if its label is named. Values are sealed as they are written, without the quotes.

Access logs have the common or combined format of Apache httpd and nginx, optionally with name:port in front, and \
with any further fields at the end. --header takes client (the address or addresses), user, request, Referer, \
User-Agent and X-Forwarded-For (the third quoted field after the size, as nginx is usually set up to write it), or \
NAME=N for the N-th quoted field. A field that is \"-\" is not sealed. Client and user cannot be told \
apart if a word is in place of the second \"-\", if an address or \", \" is in another place, or if there is no word at \
all. Then everything from the first word to the time is sealed as one value. Referer, User-Agent and X-Forwarded-For are \
found by position. The rest of the line is sealed as one value, under the label \"line\", if one of these fields is not what \
its position says: the first quoted field after the size is not a URL; the second contains an address; the third contains no \
address, or another, unnamed field follows it; a field begins or ends with a blank. If no status and size follow a request, \
the line is sealed in the same way from the request on.

--query looks at the request and at every field after the size. Parameters begin after \"?\", \"#\", \"&\" and \";\" \
and end at \"&\"; a quoted field that is not a URL is read as a form, whose first parameter begins at the start of \
the field (with --query all, only if it has a \"=\"). Names are compared after decoding, without blanks around them, both as a \
whole and up to the first \"[\" or NUL. Case is ignored, and \"_\", \".\", blank and \"[\" count as the same character, as in \
PHP. A URL that is itself encoded inside a value is not searched. If the query of a request cannot be located, the request is \
sealed as a whole.

Every field flag except --json can be combined with --regex; values that overlap are sealed together under the label \
of the first. If there are patterns, a line that is not UTF-8 is unparsed; so is a line whose matches would need \
more than 64 MiB of searching in total: the first match searches the whole line, each later one the text after the \
previous match.

The label of a value is the name by which it was found, with \"_\" in place of characters other than letters, \
digits, \".\", \"_\" and \"-\"; it is \"query\" for values that only --query all found, \"match\" for a pattern \
without names, and \"line\" for unparsed lines. If client and user cannot be told apart, the label is \"client\" if that \
field is named.

--drop leaves an empty field: null in JSON, \"-\" in LTSV and for a field of an access log, nothing in logfmt and \
for a parameter. It is applied first: text around a dropped value is sealed without it. In an access log, a name \
that fits a field and a parameter drops both; any other name is a parameter. If client and user cannot be told apart \
and only the user is dropped, the first word stays, and the second stays if it is an address. If the query of a \
request cannot be located, the whole request is dropped, unless only headers are named. If the fields in the rest of \
a line cannot be told apart, the parameters are deleted from it, each up to a \"&\" or a quote, and what remains is \
sealed as one value, under the label \"line\". This prevents an attacker from having other fields deleted. The \
number of lines sealed in this way is reported.

In lines of another format, fields to drop cannot be found: with --unparsed seal or pass, their values are kept. A \
line longer than 1 MiB is sealed even with --unparsed pass. A line from which --drop has deleted its fields is \
sealed if patterns cannot be searched for in it.

As a service, the program writes its output whenever no more lines are waiting. SIGHUP begins a new session. SIGTERM and \
SIGINT close the log properly: when the input has ended, when nothing has arrived for six seconds, or after nine \
seconds at the latest. If no program reads the output, the sealer still ends after ten seconds or at a second \
such signal, and reports how much is not written. If IN has not been read to its end when a signal ends the program, the exit \
code is 2. Session headers are repeated after 16 MiB, and after ten minutes if lines arrive, so that rotatelogs may cut the \
log. A session that is too old ends when the next line arrives. A clock that jumps begins a new session: the machine may be a \
copy of another.

With -a, the program notices within a second that the file was renamed, removed or truncated. With --user, root \
opens the file first and, if it is new, gives it to that user, who needs write permission for the directory. \
Symbolic links in the paths of the log, the side file and the socket are not followed then, and a file that has \
several hard links or belongs to another user than root and USER is refused.

Any user who can enter the directory of a syslog socket can write to it. An existing socket is replaced if no program \
listens on it. The header that syslog senders put in front of a message is removed. It is either that of RFC 5424, or the \
priority and the time (RFC 3164 or RFC 3339), followed by \"host tag: \", \"tag: \", the same with \"tag[1]: \", or nothing. If a \
message of a sender without a tag begins like that, its beginning is lost; so configure a tag in each sender. \
Datagrams are accepted from this machine only. Messages that the kernel had to drop are counted and reported.

Over TCP (RFC 6587), a sender either counts the octets of its messages or ends each with a line feed; it counts if \
its first message begins with a number, a space and \"<\". 64 senders can be connected at once. The lines of each \
keep their order, and all senders wait while the disk is full. A sender that breaks the framing, or takes more than a \
minute for a message, is disconnected with a warning; other senders are not affected. A message longer than 128 KiB \
is truncated; its last line, and a message without its end, is treated as an unparsed line. tcp:PORT listens on \
127.0.0.1; another address has to be named and causes a warning, because a log in transit is in the clear.

With --on-full wait, the program also waits if the disk is full when it starts or ends. SIGTERM and SIGINT end it \
nevertheless. Key files that only root can read are read before --user takes effect, and SIGHUP does not read them \
again."
)]
pub struct LogSeal {
    #[command(flatten, next_help_heading = "Keys")]
    pub to: To,
    /// Seal with the pre-shared key in this file, made by `sealmark keygen --mode psk`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recipients", "recipients_files", "allow_mixed"], help_heading = "Keys")]
    pub psk: Option<PathBuf>,
    /// Seal the values at this path in JSON lines (repeatable)
    #[arg(long, value_name = "PATH", help_heading = "Fields")]
    pub json: Vec<String>,
    /// Seal the values of this key in lines of logfmt (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Fields")]
    pub logfmt: Vec<String>,
    /// Seal the values of this label in lines of LTSV (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Fields")]
    pub ltsv: Vec<String>,
    /// Seal the values of this query parameter, or of all, in the URLs of access logs (repeatable)
    #[arg(long, value_name = "NAME|all", help_heading = "Fields")]
    pub query: Vec<String>,
    /// Seal this field of access logs: client, user, request, Referer, User-Agent, X-Forwarded-For or NAME=N (repeatable)
    #[arg(long = "header", value_name = "NAME", help_heading = "Fields")]
    pub headers: Vec<String>,
    /// Seal the text of this pattern's named groups; without named groups, that of its first group; without groups, the whole
    /// match (repeatable)
    #[arg(long = "regex", value_name = "PATTERN", help_heading = "Fields")]
    pub patterns: Vec<String>,
    /// Delete the values of this field: the log does not keep them, not even sealed. Write the name as for --json,
    /// --logfmt, --ltsv, --query or --header (repeatable)
    #[arg(long = "drop", value_name = "FIELD", help_heading = "Fields")]
    pub dropped: Vec<String>,
    /// For a line that does not have the format of the fields, that no pattern matches, or that is longer than 1 MiB: seal it
    /// as a whole, pass it on in the clear (never if longer than 1 MiB), or drop it [default: seal; with --drop: drop]
    #[arg(long, value_name = "WHAT", help_heading = "Fields")]
    pub unparsed: Option<Unparsed>,
    /// Read fields and all other settings from this TOML file (docs/logs.md); flags override it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "logfmt", "ltsv", "query", "headers", "patterns", "dropped"], help_heading = "Fields")]
    pub config: Option<PathBuf>,
    /// Seal nothing: report how many values each rule finds in this log ("-": standard input), how many lines do not
    /// match, and text that looks private but stays in the clear
    #[arg(long, value_name = "SAMPLE", conflicts_with_all = ["input", "syslog", "append", "output", "suggest"], help_heading = "Before sealing")]
    pub check: Option<PathBuf>,
    /// Seal nothing: print a configuration to start from, for a log like this one ("-": standard input)
    #[arg(long, value_name = "SAMPLE", conflicts_with_all = ["input", "syslog", "append", "output", "config"], help_heading = "Before sealing")]
    pub suggest: Option<PathBuf>,
    /// Pad values to a multiple of BYTES, for all labels or for LABEL, so that a token does not show the exact length of
    /// its value (repeatable: --pad 16 --pad consent=64 --pad email=0)
    #[arg(long, value_name = "[LABEL=]BYTES", value_parser = str::parse::<Pad>, help_heading = "Fields")]
    pub pad: Vec<Pad>,
    /// Write counts as Prometheus text to this file, or serve them at 127.0.0.1:PORT
    #[arg(long, value_name = "FILE|ADDRESS", value_parser = str::parse::<CountsTo>, help_heading = "Service")]
    pub metrics: Option<CountsTo>,
    /// Begin a new session, with its own key, after this time (90s, 15m, 24h) [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Output")]
    pub rotate_after: Option<Duration>,
    /// Also append each session header, which readers need to open the log, to this file, before it is written to the log
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub side_file: Option<PathBuf>,
    /// Write each line immediately, instead of when no more input is waiting
    #[arg(long, help_heading = "Output")]
    pub line_buffered: bool,
    /// Append to this file. If it is renamed or removed, create it again; if it is truncated, continue in it with a new
    /// session
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["output", "force"], help_heading = "Output")]
    pub append: Option<PathBuf>,
    /// If the disk is full: wait (read nothing until there is room) or exit [default: wait with -a and no IN, otherwise
    /// exit]
    #[arg(long, value_name = "WHAT", help_heading = "Output")]
    pub on_full: Option<OnFull>,
    /// Read lines from a syslog socket: unix:PATH, udp:127.0.0.1:PORT, tcp:PORT, or systemd (the socket that systemd
    /// passes). Syslog headers are removed
    #[arg(long, value_name = "SOCKET", conflicts_with = "input", value_parser = Address::from_str, help_heading = "Service")]
    pub syslog: Option<Address>,
    /// Switch to this user (NAME or UID, optionally with :GROUP) after keys, files and socket are open
    #[arg(long, value_name = "USER", conflicts_with = "output", help_heading = "Service")]
    pub user: Option<String>,
    #[command(flatten, next_help_heading = "Output")]
    pub out: Out,
    #[command(flatten, next_help_heading = None)]
    pub help: Help,
    /// Log to seal ("-" or none: standard input)
    #[arg(value_name = "IN", help_heading = None)]
    pub input: Option<PathBuf>,
}

impl LogSeal {
    /// The choice for lines that are not of the fields' kind, where it was typed or not.
    pub fn unparsed(&self, drops: bool) -> Unparsed {
        self.unparsed.unwrap_or(if drops { Unparsed::Drop } else { Unparsed::Seal })
    }

    /// The keys that a configuration changed since the start and that only a restart applies.
    pub fn changed_for_restart(&self, now: &Self) -> Vec<&'static str> {
        // Each field is named, so that a new one cannot be forgotten here.
        let Self {
            // SIGHUP applies these.
            to: To { recipients: _, recipients_files: _, allow_mixed: _ },
            psk: _,
            pad: _,
            unparsed: _,
            line_buffered: _,
            // No configuration has these.
            json: _,
            logfmt: _,
            ltsv: _,
            query: _,
            headers: _,
            patterns: _,
            dropped: _,
            config: _,
            check: _,
            suggest: _,
            out: Out { output: _, force: _ },
            input: _,
            help: _,
            metrics,
            rotate_after,
            side_file,
            append,
            on_full,
            syslog,
            user,
        } = now;
        let changed = [
            ("metrics", *metrics != self.metrics),
            ("rotate_after", *rotate_after != self.rotate_after),
            ("side_file", *side_file != self.side_file),
            ("append", *append != self.append),
            ("on_full", *on_full != self.on_full),
            ("syslog", *syslog != self.syslog),
            ("user", *user != self.user),
        ];
        changed.into_iter().filter(|(_, is_changed)| *is_changed).map(|(key, _)| key).collect()
    }

    /// The choice for a full disk: a service that writes into a pipe or a socket is to go on when there is room again.
    pub fn on_full(&self) -> OnFull {
        let is_service = self.append.is_some() && self.input.is_none();
        self.on_full.unwrap_or(if is_service { OnFull::Wait } else { OnFull::Exit })
    }
}

/// The choices for a full disk.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFull {
    Wait,
    Exit,
}

/// The choices for lines that are not of the fields' kind.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unparsed {
    Seal,
    Pass,
    Drop,
}

/// `90s`, `15m`, `24h` or `7d`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let found = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    found
        .and_then(|(number, seconds)| number.parse::<u64>().ok()?.checked_mul(*seconds))
        .filter(|seconds| *seconds > 0)
        .map(Duration::from_secs)
        .ok_or_else(|| "write a time such as 90s, 15m, 24h or 7d".to_owned())
}

//! The flags of `sealmark log seal`.

use super::addresses::{Address, CountsTo};
use super::pad::Pad;
use crate::args::{Help, Out, TEMPLATE, To};
use clap::{Args, ValueEnum};
use serde::Deserialize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Replace values in the lines of a log by tokens that only the holders of a key can open
///
/// Reads standard input or IN and writes standard output or OUT, every line in its order. Lines of our own come first
/// (who can open the log) and last (how many values it has); `sealmark log open` takes them away again. A last line
/// without a line feed gets one.
#[derive(Args, Clone)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(
    after_help = "\
Examples:
  app | sealmark log seal -R ops.txt --json user.email --json ip >> app.log
  sealmark log seal --psk shared.txt --regex 'client=(\\S+)' < in.log > out.log
  sealmark log seal -R ops.txt --regex 'from (?<address>\\S+) port' in.log -o out.log
  sealmark log seal -R ops.txt --header client --query all < access.log > sealed.log
  sealmark log seal --suggest app.log > log.toml
  sealmark log seal --config log.toml --check app.log
  app | sealmark log seal --config log.toml -a /var/log/sealed/app.log
  sealmark log seal -R ops.txt --json ip --syslog unix:/run/sealmark/log -a /var/log/app.log

In the configuration of Apache httpd:
  CustomLog \"|/usr/bin/sealmark log seal -R /etc/ops.txt --header client \\
    -a /var/log/sealed/access.log --user www-data\" combined

The manual page sealmark-log-seal(1) has more, and docs/logs.md the keys of --config.",
    after_long_help = "\
JSON paths are names joined by dots, as they are after unescaping; upper and lower case matter. Arrays on the \
way are looked through, so a.b is found in {\"a\":{\"b\":1}}, {\"a\":[{\"b\":1}]} and {\"a.b\":1}, and a takes \
all of them along. A value that is no string is sealed as it is written; its token is a string, so that the line stays \
JSON; `sealmark log open` writes it as it was. A string that is no JSON, such as one with \\x22, is sealed with its \
quotes. Text inside strings is not searched, be it JSON or not. A name that looks like another tool's, such as a[b] or 0, \
goes between double quotes, with all of its path: --json '\"list.a[b]\"'.

How many values each name and pattern found is told on standard error at the end, and whenever a new session begins \
after lines came (with -a, --syslog or a named pipe also what was written); one that found nothing in lines of its kind is a warning, once. The exit code is 0 all the same: \
nobody can tell a slip from a field that no line had. --check tries the rules out on a sample beforehand, seals nothing, \
and ends with 5 where a rule finds nothing.

--config reads all of it from a TOML file, and more: log_format strings of nginx and Apache httpd, text within fields, \
lines of docker and Kubernetes, and names that stay in clear while all others are sealed (docs/logs.md has every key). \
SIGHUP reads recipients and configuration again; where that fails, the old ones stay in force. SIGUSR1 tells all counts.

In names of JSON, logfmt and LTSV, * stands for any characters; in paths, ** stands for any number of names.

A line of any length can have 64 tokens, and a longer one a token for each 64 bytes, so that many short values do not \
fill the disk. Where there are more values, the parameters of one field of an access log are sealed as one, and all \
from the last of those tokens to the last value; a line of JSON is sealed as a whole, under the label \"line\". An empty value gets no token, and a pattern that matches \
an empty text is refused.

Text in a line that looks like a token is sealed under the label \"lookalike\", so that nobody who writes to the log \
can make readers open, miss or take away anything.

Lines of logfmt are key=value and key=\"quoted \\\" value\", with at least one of them. A line with a word that \
has no \"=\", with text right behind a closing quote, or with a value that begins with ' is none, and so is \
prose. A named value that begins with <, [, { or ( ends where that is closed, blanks or not; where it is not closed, \
the line is none. Lines of LTSV are label:value, separated by tabs; a line without a tab is one only if its label is named. \
Values are sealed as they are written, without the quotes.

Access logs are those of the common and combined formats of Apache httpd and nginx, with name:port in front or \
not, and any fields behind. --header takes client (the address or addresses), user, request, Referer, User-Agent \
and X-Forwarded-For (the third field in quotes behind the size, as nginx is set up to have it), or NAME=N for \
the N-th. A field that is \"-\" has nothing to hide. Where nobody can tell which word is the client (a word in place \
of the second \"-\", an address or \", \" in another place, no word at all), all from the first word to the time is sealed as one. \
Referer, User-Agent and X-Forwarded-For are found by their place: where a first field in quotes is no URL, a second has \
an address, a third has none or another behind it that is not named, or fields begin or end with a blank, the rest of the line is sealed as one, under the \
label \"line\". If no status and size follow a request, the line is sealed the same way from the request on.

--query looks at the request and at every field behind the size. Parameters begin behind \"?\", \"#\", \"&\" and \
\";\" and end at \"&\"; a field in quotes that is no URL can be a form, which begins at its start (for --query \
all, if it has a \"=\"). Names are compared decoded, without blanks around them and up to a \"[\" or NUL, upper \
and lower case alike, and \"_\", \".\", blank and \"[\" alike, as in PHP. A URL that is itself encoded inside a value \
is not looked into. If nobody can tell \
where the query of a request is, the request is sealed as a whole.

Every field flag but --json can be combined with --regex; what overlaps is sealed together under the label of the first. Where there are \
patterns, a line that is not UTF-8 is unparsed, and so is one of which more than 64 MiB would have to be \
searched: the first match searches all of it, each further one what is behind the last.

The label of a value is the name it was found by, with \"_\" for what is no letter, digit, \".\", \"_\" or \
\"-\"; it is \"query\" for what only --query all found, \"match\" for a pattern without names, \"line\" for \
unparsed lines. Where client and user cannot be told apart, it is \"client\" if that is asked for.

--drop leaves what the line would have if there were nothing: null in JSON, \"-\" in LTSV and for a field of an \
access log, nothing in logfmt and for a parameter. It comes first: what is sealed around it is sealed without \
it. In an access log, a name that is a parameter's and a field's takes both, and any other name is a \
parameter's; where client and user cannot be told apart, the first word stays if only the user is dropped, and the \
second if it is an address; a request in which nobody can tell where the query is goes as a whole, unless only headers are \
named. Where nobody can tell the fields in the rest of a line apart, parameters are taken out of that rest, up to \
a \"&\" or a quote, and it is sealed as one, under the label \"line\": nobody who writes to the log can delete \
the other fields. The number of lines sealed this way is reported.

Nobody can tell what stands in lines that are not of the fields' kind; --unparsed seal or pass keeps it. A line longer \
than 1 MiB is sealed even with --unparsed pass. A line out of which --drop has taken its fields is sealed where \
patterns cannot be searched for in it.

Behind a server: what was gathered is written whenever no more lines are waiting. SIGHUP begins a new session. \
SIGTERM and SIGINT end the log in order, once the input has ended or nothing has come for six seconds, after \
nine at most. If nobody reads the output, it ends all the same after ten seconds or at a second such signal, and \
says how much is not written. If a file has not been read to its end by then, the exit code is 2. Who can open the \
log is written again after 16 MiB, and after ten minutes with lines, so that rotatelogs may cut it. A session that is \
of age ends when the next line comes. A clock that jumps begins a new session: the machine may be a copy of another.

With -a, a file that was renamed, removed or cut is noticed within a second. The user then needs the right to \
write to its directory: --user opens it as root at first, and makes it theirs if it is new. It follows no \
symbolic link in any part of the names of the log, the side file and the socket, and takes no file that has hard \
links or belongs to a third user.

A syslog socket can be written to by all who can enter its directory; it replaces one that nobody listens at. \
The header that syslog senders put in front of a message is taken away: that of RFC 5424; or the priority and \
the time, as in RFC 3164 or RFC 3339, with \"host tag: \" or \"tag: \", each also as \"tag[1]: \", where one of \
them stands behind it. If a sender without a tag begins a message like that, that beginning is lost; so have it send a tag. \
Datagrams are listened for on this machine only. Messages that the kernel had to drop are counted and told.

Over TCP (RFC 6587), a sender either counts the octets of its messages or ends each with a line feed; it counts \
where its first message has a count and \"<\" in front. 64 senders are connected at once. Each keeps its order, and all of them wait while \
the disk does. A sender that breaks the framing, or takes more than a minute for a message, is cut off alone, and that is told. \
A message longer than 128 KiB is cut; what is left of it, and a message without its end, is sealed as a whole. tcp:PORT listens at 127.0.0.1; another address has to be named, and is warned of: \
on its way over a network, a log is in the clear.

Where the disk is full, a log that waits is waiting at its start and its end, too; a program that is told to end ends all the same. \
Key files that only root may read are read before --user takes effect, and SIGHUP leaves in force what they said."
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
    /// Seal the values of this parameter, or of all, in the URLs of access logs (repeatable)
    #[arg(long, value_name = "NAME|all", help_heading = "Fields")]
    pub query: Vec<String>,
    /// Seal this field of access logs: client, user, request, Referer, User-Agent, X-Forwarded-For or NAME=N (repeatable)
    #[arg(long = "header", value_name = "NAME", help_heading = "Fields")]
    pub headers: Vec<String>,
    /// Seal what the named groups of this pattern match, or else the first group, or else the pattern (repeatable)
    #[arg(long = "regex", value_name = "PATTERN", help_heading = "Fields")]
    pub patterns: Vec<String>,
    /// Take this field's values out, so that they are not kept even sealed; named as for the flag that seals (repeatable)
    #[arg(long = "drop", value_name = "FIELD", help_heading = "Fields")]
    pub dropped: Vec<String>,
    /// Do this with lines that are not of the fields' kind, that no pattern matches, or that are longer than 1 MiB;
    /// with --drop, "drop" unless something else is said
    /// [default: seal]
    #[arg(long, value_name = "WHAT", help_heading = "Fields")]
    pub unparsed: Option<Unparsed>,
    /// Read fields and all other settings from this TOML file (docs/logs.md); flags that are typed override it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "logfmt", "ltsv", "query", "headers", "patterns", "dropped"], help_heading = "Fields")]
    pub config: Option<PathBuf>,
    /// Seal nothing: say what each rule finds in this log, what is unparsed, and what looks private and stays in clear
    #[arg(long, value_name = "SAMPLE", conflicts_with_all = ["input", "syslog", "append", "output", "suggest"], help_heading = "Before sealing")]
    pub check: Option<PathBuf>,
    /// Seal nothing: write a configuration to start from, for a log like this one
    #[arg(long, value_name = "SAMPLE", conflicts_with_all = ["input", "syslog", "append", "output", "config"], help_heading = "Before sealing")]
    pub suggest: Option<PathBuf>,
    /// Pad each value, or those of a label, to a multiple of so many bytes, so that tokens tell less of their length
    /// (repeatable: --pad 16 --pad consent=64 --pad email=0)
    #[arg(long, value_name = "[LABEL=]BYTES", value_parser = str::parse::<Pad>, help_heading = "Fields")]
    pub pad: Vec<Pad>,
    /// Write counts as Prometheus text to this file, or serve them at 127.0.0.1:PORT
    #[arg(long, value_name = "FILE|ADDRESS", value_parser = str::parse::<CountsTo>, help_heading = "Service")]
    pub metrics: Option<CountsTo>,
    /// Begin a new session, with a key of its own, after so long (90s, 15m, 24h) [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Output")]
    pub rotate_after: Option<Duration>,
    /// Append headers, which tell who can open the log, to this file as well, before the log has them
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub side_file: Option<PathBuf>,
    /// Write every line at once, not only before waiting for input
    #[arg(long, help_heading = "Output")]
    pub line_buffered: bool,
    /// Append to this file; where it was renamed, removed or cut, go on in a new one
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["output", "force"], help_heading = "Output")]
    pub append: Option<PathBuf>,
    /// Where the disk is full: wait, and read no more until there is room, or exit [default: wait with -a and no IN, else exit]
    #[arg(long, value_name = "WHAT", help_heading = "Output")]
    pub on_full: Option<OnFull>,
    /// Listen at a syslog socket: unix:PATH, udp:127.0.0.1:PORT, tcp:PORT or that of systemd; only the messages are the log's lines
    #[arg(long, value_name = "SOCKET", conflicts_with = "input", value_parser = Address::from_str, help_heading = "Service")]
    pub syslog: Option<Address>,
    /// Become this user (NAME or UID, either with :GROUP) once keys, files and socket are open
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
        .ok_or_else(|| "not a time such as 90s, 15m, 24h or 7d".to_owned())
}

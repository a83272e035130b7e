//! Where in a log line the values stand that are to be sealed.
//!
//! [`Fields`] is asked for each line; everything beside the [`Span`]s it finds stays as it is. No line is kept, and what
//! a line costs is bounded by its length.

mod access;
mod dropping;
mod grammar;
mod header;
mod json;
mod logfmt;
mod ltsv;
mod names;
mod paths;
mod pattern;
mod query;
mod quotes;
mod reader;
mod rules;
#[cfg(test)]
mod shown;
mod template;
mod text;
mod wrapper;

use sealmark::record::{LOOK_ALIKE, Label, Shape};
use std::borrow::Cow;
use std::ops::Range;

use dropping::Dropping;
use grammar::Grammar;
use header::Header;
use names::Labels;
use reader::LookAlikes;
use rules::{Rules, Search};

pub use dropping::Kept;
pub use grammar::Kind;
pub use json::PATH;
pub use names::Rule;
pub use pattern::cause;
pub use query::{folded, parameter_names};
pub use rules::Unknown;
pub use wrapper::Wrapper;

/// A value in a line, and what its token takes the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// What goes away; the token comes in its place.
    pub range: Range<usize>,
    /// Which of the labels.
    label: usize,
    /// How the value is written there.
    pub form: Form,
}

/// How a value is written in its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Byte for byte; a string with its quotes where nothing else opens to it.
    Verbatim,
    /// The inside of a JSON string, with escapes, in the one way in which a reader of the log writes them; so many times, where
    /// a string is inside of strings.
    Escaped(u8),
    /// JSON text of another kind, in a JSON text at this level: the token needs quotes of its own ([`Form::quote`]).
    JsonText(u8),
}

impl Form {
    /// The quote before and behind the token.
    pub fn quote(self) -> &'static [u8] {
        match self {
            Self::Verbatim | Self::Escaped(_) | Self::JsonText(0) => b"",
            Self::JsonText(1) => b"\"",
            Self::JsonText(2) => b"\\\"",
            Self::JsonText(3) => b"\\\\\\\"",
            Self::JsonText(_) => b"\\\\\\\\\\\\\\\"",
        }
    }
}

/// The choices for a field's text that is not of the kind that its rules are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unparsed {
    /// It is sealed as a whole.
    #[default]
    Seal,
    /// It stays in clear.
    Pass,
    /// The line that it stands in is of another kind, too.
    Line,
}

/// The names of fields as they were typed. Those of one kind of lines only, and patterns where lines are no JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The kind of lines, where the names do not tell.
    pub kind: Option<Kind>,
    /// The text that a container's runtime puts around each line.
    pub wrapper: Option<Wrapper>,
    /// nginx's `log_format` or Apache httpd's `LogFormat`; its variables are named in `headers`.
    pub log_format: Option<String>,
    /// Names that stay in clear, where wildcards seal all others.
    pub kept: Vec<String>,
    /// Upper and lower case are the same in names of JSON, logfmt and LTSV.
    pub any_case: bool,
    /// Rules for the text of a field of JSON, logfmt or LTSV, by its name.
    pub within: Vec<(String, Selection)>,
    /// The choice for the field's text, where it is not of its kind.
    pub unparsed: Unparsed,
    /// True where names were read from a file: errors and reports name its keys instead of flags.
    pub from_file: bool,
    /// Paths in JSON lines.
    pub json: Vec<String>,
    /// Keys in lines of logfmt.
    pub logfmt: Vec<String>,
    /// Labels in lines of LTSV.
    pub ltsv: Vec<String>,
    /// Parameters in the URLs of an access log, or `all`. Upper and lower case are the same.
    pub query: Vec<String>,
    /// Fields of an access log: `client`, `user`, `request`, `Referer`, `User-Agent`, `X-Forwarded-For`, or `NAME=N` for
    /// the N-th field in quotes behind the size.
    pub headers: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
    /// The preset that the first of them is of, where nobody typed it: reports name that instead.
    pub preset: Option<&'static str>,
    /// Fields of the same kind of lines whose values may not be kept, sealed or not.
    pub dropped: Vec<String>,
}

impl Selection {
    /// Names that were typed to drop fields of an access log, and are none, so that they stand for parameters only; where
    /// no parameters are sealed, that may not be what was meant.
    pub fn dropped_as_parameters(&self) -> impl Iterator<Item = &str> {
        let may_be_meant_otherwise = self.query.is_empty() && !self.headers.is_empty();
        let is_parameter = move |name: &&str| {
            may_be_meant_otherwise && !query::is_all(name) && Header::typed(name).is_none()
        };
        self.dropped.iter().map(String::as_str).filter(is_parameter)
    }
}

/// Why a selection cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It names no field.
    #[error("no field is named that is to be sealed")]
    Empty,
    /// It names fields of different kinds of lines, by these flags.
    #[error("{0} and {1} are for different kinds of lines")]
    Mixed(&'static str, &'static str),
    /// It drops fields, and none is named that tells the kind of lines.
    #[error("fields to drop are named, and no format that has fields")]
    DropAlone,
    /// A name that is no label.
    #[error(transparent)]
    Label(#[from] sealmark::Error),
    /// A name that is not what this kind of lines has.
    #[error("{name:?} is not {what}")]
    Name {
        /// The flag it was typed behind.
        flag: &'static str,
        /// The name.
        name: String,
        /// The names that this kind of lines has.
        what: &'static str,
        /// The names that may have been meant.
        meant: Vec<String>,
    },
    /// No field of an access log, and the names that may have been meant.
    #[error("{0:?} is no field of an access log")]
    Header(String, Vec<String>),
    /// No regular expression, and why.
    #[error("not a regular expression: {1}")]
    Pattern(String, String),
    /// A regular expression that matches an empty text.
    #[error("the pattern {0:?} matches an empty text")]
    Empties(String),
    /// A format of lines that nobody can read, and why.
    #[error("{0}")]
    Format(String),
    /// More names than can be followed.
    #[error("the names have more than 65,534 parts")]
    TooMany,
    /// Two names that mean the same field, of which one would be left aside.
    #[error("{}", twice(.0, .1))]
    Twice(String, String),
    /// Rules for the text of fields in lines that have no fields with names of their own.
    #[error("only lines of JSON, logfmt and LTSV have fields with text of a kind of its own")]
    NoWithin,
}

fn twice(name: &str, other: &str) -> String {
    match name == other {
        true => format!("{name:?} has two rules, of which only one could be followed"),
        false => format!("{name:?} and {other:?} mean the same field, and only one rule could be followed"),
    }
}

/// The fields of one kind of log.
pub struct Fields {
    rules: Rules,
    dropping: Option<Dropping>,
    look_alikes: LookAlikes,
    /// The label of a JSON line with too many values.
    whole: usize,
    /// The last label is that of what looks like a token.
    labels: Labels,
}

impl Fields {
    /// # Errors
    /// [`Refused`].
    pub fn new(selection: &Selection) -> Result<Self, Refused> {
        let kind = Kind::of(selection)?;
        let has_names = kind.is_some() || selection.wrapper.is_some();
        match (kind, selection.patterns.is_empty()) {
            (None | Some(Kind::Text), true) => return Err(Refused::Empty),
            (Some(Kind::Json), false) => return Err(Refused::Mixed("--json", "--regex")),
            _ => {}
        }
        let mut labels = Labels::default();
        let rules = Rules::new(selection, false, &mut labels)?;
        let dropping = match selection.drops() {
            false => None,
            true if has_names => Some(Dropping::new(selection)?),
            true => return Err(Refused::DropAlone),
        };
        labels.end();
        let whole = labels.add(access::REST)?;
        let look_alikes = LookAlikes::new(labels.add(LOOK_ALIKE)?);
        Ok(Self { rules, dropping, look_alikes, whole, labels })
    }

    /// True where some values may not be kept.
    pub fn drops(&self) -> bool {
        self.dropping.is_some()
    }

    /// The shape of the log's lines.
    pub fn shape(&self) -> Shape {
        match &self.rules.grammar {
            Some(Grammar::Json(_)) => Shape::Json,
            Some(Grammar::Template(template)) if template.is_json() => Shape::Json,
            _ => Shape::Plain,
        }
    }

    /// What the value is called.
    pub fn label(&self, span: &Span) -> &Label {
        self.labels.label(span.label)
    }

    /// What values can be called; one label may be there more than once.
    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        self.labels.all()
    }

    /// The line without the values that may not be kept; nothing where it is of another kind, so that nobody can tell what
    /// is in it. `kept` is where it is built; nothing in `spans` or `kept` matters before, or afterwards.
    pub fn without_dropped<'a>(
        &self,
        line: &'a [u8],
        spans: &mut Vec<Span>,
        kept: &'a mut Vec<u8>,
    ) -> Option<Kept<'a>> {
        match &self.dropping {
            None => Some(Kept { line, rest: None }),
            Some(dropping) => dropping.keep(line, spans, kept),
        }
    }

    /// The rules that were typed, in their order, each with the number of values that it found.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, u64)> {
        let dropped = self.dropping.iter().flat_map(|dropping| dropping.rules.rules());
        // A field with rules for its text is looked for in both passes.
        self.labels.rules().chain(dropped.filter(|(rule, _)| rule.flag != grammar::WITHIN))
    }

    /// How often something was found that looked like a token.
    pub fn look_alikes(&self) -> u64 {
        self.labels.values(self.look_alikes.label())
    }

    /// A path in the line that is the typed one but for upper and lower case, or for the signs between its words.
    pub fn near_miss(&self, line: &[u8], rule: &Rule) -> Option<String> {
        match &self.rules.grammar {
            Some(Grammar::Json(_)) if rule.field.is_none() => json::near_miss(line, &rule.name),
            _ => None,
        }
    }

    /// Why nobody can tell what is in a line: for people, and for lines in which nothing can be found.
    pub fn why_not(&self, line: &[u8]) -> String {
        self.rules.why_not(line)
    }

    /// The rule that found a value; none for what looks like a token, and for the rest of a line.
    pub fn rule_of(&self, span: &Span) -> Option<&Rule> {
        self.labels.rule_of(span.label)
    }

    /// Replaces `spans` by the values of a line, and by what looks like a token in it, from left to right, apart from each
    /// other; `false` where the line is not of this kind.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> bool {
        self.find_in(Kept { line, rest: None }, spans).is_ok()
    }

    /// [`Fields::find`] in what [`Fields::without_dropped`] left.
    ///
    /// # Errors
    /// [`Unknown`]: nobody can tell what is in the line.
    pub fn find_in(&self, kept: Kept<'_>, spans: &mut Vec<Span>) -> Result<(), Unknown> {
        let line = kept.line;
        spans.clear();
        let mut search = Search::new(&self.labels, false);
        search.rest = kept.rest;
        let found = self.rules.find(line, &mut search, spans).map(|alike| match self.rules.is_json() {
            true => self.finish_json(line, alike, spans),
            false => self.look_alikes.add(line, spans, &self.labels),
        });
        match found {
            Ok(()) => self.labels.count(spans),
            Err(_) => spans.clear(),
        }
        found
    }

    #[inline]
    fn finish_json(&self, line: &[u8], tilde: bool, spans: &mut Vec<Span>) {
        if tilde {
            self.look_alikes.add_in_json(line, spans, &self.labels);
        }
        if spans.len() > reader::most_tokens(line) {
            self.labels.count(spans);
            spans.clear();
            let range = 0..line.trim_ascii_end().len();
            spans.push(Span { range, label: self.whole, form: Form::Verbatim });
        }
    }

    /// The lines that a container's runtime had begun to write where these rules take over from others, which sealed their first
    /// pieces, stay sealed to their end.
    pub fn go_on_from(&self, before: &Self) {
        self.rules.go_on_from(&before.rules);
        if let (Some(dropping), Some(before)) = (&self.dropping, &before.dropping) {
            dropping.go_on_from(before);
        }
    }

    /// The lines of an access log, alone or within others, of which the rest was sealed as one, those of JSON that had too many
    /// values, and those within the text of a runtime that were sealed as a whole.
    pub fn rests(&self) -> u64 {
        self.labels.values(self.whole) + self.rules.rests(&self.labels)
    }

    /// Replaces `spans` by what looks like a token in a line of any kind, or in a piece of one.
    pub fn find_look_alikes(&self, line: &[u8], spans: &mut Vec<Span>) {
        spans.clear();
        self.look_alikes.add(line, spans, &self.labels);
        self.labels.count(spans);
    }
}

impl Span {
    /// What is sealed: the text of an escaped string, in other forms what is written.
    pub fn value<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let written = &line[self.range.clone()];
        match self.form {
            Form::Verbatim | Form::JsonText(0 | 1) | Form::Escaped(0) => written.into(),
            Form::Escaped(1) => text::text_of(written).unwrap_or_default().into_bytes().into(),
            Form::Escaped(level) => text::text_at(written, level.into()).unwrap_or_default().into(),
            Form::JsonText(level) => {
                text::text_at(written, usize::from(level) - 1).unwrap_or_default().into()
            }
        }
    }
}

/// Values that overlap become one.
fn join(spans: &mut Vec<Span>, labels: &Labels) {
    spans.sort_by_key(|span| span.range.start);
    join_where(spans, labels, |last, next| next.range.start < last.range.end);
}

/// Neighbours become one, under the label of the first; the others are counted, too.
fn join_where(spans: &mut Vec<Span>, labels: &Labels, joins: impl Fn(&Span, &Span) -> bool) {
    spans.dedup_by(|next, last| {
        let are_one = joins(last, next);
        if are_one {
            labels.count(std::slice::from_ref(next));
            last.range.end = last.range.end.max(next.range.end);
        }
        are_one
    });
}

/// The first quote from `start` on. A backslash takes the next byte with it.
#[inline]
pub fn closing_quote(line: &[u8], mut start: usize) -> Option<usize> {
    loop {
        let found = start + memchr::memchr2(b'"', b'\\', line.get(start..)?)?;
        if line[found] == b'"' {
            return Some(found);
        }
        start = found + 2;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use crate::shown::{self, owned, patterns as found};

    #[test]
    fn patterns_seal_their_groups_or_all_they_match() {
        let line = "a=1 b=22 a=3";
        assert_eq!(found(&["a=(.)"], line).unwrap(), ["match 1", "match 3"]);
        assert_eq!(found(&["b=(?<bee>\\d+)"], line).unwrap(), ["bee 22"]);
        assert_eq!(found(&["\\d\\d"], line).unwrap(), ["match 22"]);
        assert_eq!(found(&["c=(.)"], line), None);
    }

    #[test]
    fn what_is_empty_gets_no_token() {
        for pattern in ["", "x*", "(?<a>.*)", "$"] {
            let selection = Selection { patterns: owned(&[pattern]), ..Selection::default() };
            assert!(matches!(Fields::new(&selection), Err(Refused::Empties(_))), "{pattern}");
        }
        assert_eq!(found(&["a=(\\d*)"], "a= a=1 a=").unwrap(), ["match 1"]);
        assert_eq!(found(&["a=(\\d*)"], "a=").unwrap(), [""; 0]);
        assert_eq!(found(&["\\b"], "a b").unwrap(), [""; 0]);
    }

    /// Each would otherwise be a token, which is seventy bytes and more.
    #[test]
    fn a_line_has_no_more_tokens_than_its_length_allows() {
        let json = Selection { json: owned(&["a"]), ..Selection::default() };
        let logfmt = Selection { logfmt: owned(&["a"]), ..Selection::default() };
        let ltsv = Selection { ltsv: owned(&["a"]), ..Selection::default() };
        let regex = Selection { patterns: owned(&["a"]), ..Selection::default() };
        let query = Selection { query: owned(&["all"]), headers: owned(&["client"]), ..Selection::default() };
        let field = format!(" \"{}\"", vec!["a"; 33].join("&")).replacen('a', "/?a", 1);
        let access = |fields: usize| format!("::1 - - [t] \"-\" 200 1{}", field.repeat(fields));
        let line = |value: &str, values: usize| value.repeat(values).trim_end().to_owned();
        let object = |member: &str, values: usize| format!("{{{}\"z\":0}}", member.repeat(values));
        for (selection, fits, more, most) in [
            (&json, object("\"a\":1,", 64), object("\"a\":1,", 65), 1),
            (&json, object("\"b\":\"~s1\",", 64), object("\"b\":\"~s1\",", 65), 1),
            (&logfmt, line("a=1 ", 64), line("a=1 ", 65), 64),
            (&ltsv, line("a:1\t", 64), line("a:1\t", 65), 64),
            (&regex, line("a ", 64), line("a ", 65), 64),
            // Its fields have one token each.
            (&query, access(1), access(2), 3),
        ] {
            let (fields, mut spans) = (Fields::new(selection).unwrap(), Vec::new());
            assert!(fields.find(fits.as_bytes(), &mut spans), "{fits}");
            assert_eq!(spans.len(), if selection.query.len() == 1 { 34 } else { 64 });
            assert!(fields.find(more.as_bytes(), &mut spans), "{more}");
            assert_eq!(spans.len(), most, "{more}");
        }
        let (fields, mut spans) = (Fields::new(&query).unwrap(), Vec::new());
        assert!(fields.find(access(2).as_bytes(), &mut spans));
        let values: Vec<_> = fields.rules().map(|(rule, values)| (rule.name.as_str(), values)).collect();
        assert_eq!(values, [("all", 66), ("client", 1)]);
        let long = line(&format!("a={} ", "x".repeat(62)), 1000);
        assert_eq!(shown::logfmt(&["a"], &long).unwrap().len(), 1000);
    }

    /// A stranger who writes a quote behind what a pattern looks for hides no other member.
    #[test]
    fn a_match_in_a_json_string_takes_no_more_than_it_must() {
        let found = |pattern, line: &str| {
            let patterns = owned(&[pattern]);
            let fields = Fields::new(&Selection { patterns, ..Selection::default() }).unwrap();
            let mut spans = Vec::new();
            assert!(fields.find(line.as_bytes(), &mut spans));
            let shown = |span: &Span| String::from_utf8(span.value(line.as_bytes()).into_owned()).unwrap();
            spans.iter().map(shown).collect::<Vec<_>>()
        };
        let ip = |line| found("ip=(\\S+)", line);
        assert_eq!(ip(r#"{"msg":"ip=1 ok","a":1}"#), ["1"]);
        assert_eq!(ip(r#"{"msg":"ip=\"1\" ok","a":1}"#), [r#""1""#]);
        // A reader would write this escape otherwise, that one would be cut, and the third stands in a string of a string.
        assert_eq!(ip(r#"{"msg":"ip=\u00221 ok","a":1}"#), [r#"{"msg":"ip=\u00221 ok","a":1}"#]);
        assert_eq!(found("(n\\d)", r#"{"msg":"a\n1","a":1}"#), ["a\n1"]);
        let log = r#"{"log":"{\"msg\":\"ip=\\\"1 ok\"}","a":1}"#;
        assert_eq!(ip(log), [r#"{"msg":"ip=\"1 ok"}"#]);
        // The match goes beyond its string.
        assert_eq!(ip(r#"x {"msg":"ip=\"1","a":"b c"}"#), [r#"{"msg":"ip=\"1","a":"b c"}"#]);
    }

    /// A pattern that is about text stops at such a byte, and would leave the rest of a value in clear.
    #[test]
    fn where_there_are_patterns_a_line_that_is_no_text_is_of_no_kind() {
        let regex = owned(&["ip=([^;]*)"]);
        let alone = Selection { patterns: regex.clone(), ..Selection::default() };
        let with_ltsv = Selection { patterns: regex, ltsv: owned(&["a"]), ..Selection::default() };
        let ltsv = Selection { ltsv: owned(&["a"]), ..Selection::default() };
        for (selection, known) in [(alone, false), (with_ltsv, false), (ltsv, true)] {
            let (fields, mut spans) = (Fields::new(&selection).unwrap(), Vec::new());
            assert_eq!(fields.find(b"a:1\tb:ip=SEC\xffRETREST; b", &mut spans), known, "{selection:?}");
            assert_eq!(spans.len(), usize::from(known));
            assert!(fields.find("a:1\tb:ip=SEC\u{ff}RETREST; b".as_bytes(), &mut spans));
        }
    }

    /// Each match of this pattern looks to the end of the line.
    #[test]
    fn a_line_that_takes_too_much_work_is_of_no_kind() {
        let pattern = r"user=(?<u>\S+)(?: .*pw=(?<p>\S+))?";
        assert_eq!(found(&[pattern], &"user=a ".repeat(1000)).unwrap().len(), 7000 / 64);
        assert!(found(&[pattern], &"user=a ".repeat(10_000)).is_none());
        assert!(found(&["user"], &"user=a ".repeat(10_000)).is_none());
        assert_eq!(found(&[pattern], &format!("user=a {} pw=b", "x".repeat(1 << 20))).unwrap().len(), 2);
    }

    #[test]
    fn values_that_overlap_become_one() {
        assert_eq!(found(&["(?<left>bcd)", "(?<right>def)"], "abcdefg").unwrap(), ["left bcdef"]);
        assert_eq!(found(&["(?<all>.+)", "(?<right>d)"], "abcdefg").unwrap(), ["all abcdefg"]);
        assert_eq!(found(&["(?<l>ab)", "(?<r>cd)"], "abcd").unwrap(), ["l ab", "r cd"]);
    }

    #[test]
    fn patterns_add_to_what_has_names() {
        let selection = Selection {
            ltsv: owned(&["a"]),
            patterns: owned(&["(?<id>id-\\d+)", "(?<tab>y\tc)"]),
            ..Selection::default()
        };
        let found = |line| shown::found(&selection, line);
        assert_eq!(found("b:id-1\ta:x id-2 y\tc:id-3").unwrap(), ["id id-1", "a x id-2 y\tc", "id id-3"]);
        assert!(found("b:1\tc:1").unwrap().is_empty());
        assert!(found("id-1 of no kind").is_none());
    }

    #[test]
    fn paths_that_are_no_labels_get_some() {
        let selection = Selection {
            json: owned(&["user id", "user@id"]),
            dropped: owned(&["@c"]),
            ..Selection::default()
        };
        let line = r#"{"user@id":"1","user id":"2","@c":"3"}"#;
        assert_eq!(shown::found(&selection, line).unwrap(), ["user_id 1", "user_id 2"]);
        let (fields, mut spans, mut kept) = (Fields::new(&selection).unwrap(), Vec::new(), Vec::new());
        let kept = fields.without_dropped(line.as_bytes(), &mut spans, &mut kept).unwrap();
        assert_eq!(str::from_utf8(kept.line).unwrap(), line.replace("\"3\"", "null"));
    }

    #[test]
    fn names_that_only_parameters_have_are_told() {
        let dropped = owned(&["Cookie", "user", "Cookie=3", "all"]);
        let header =
            Selection { headers: owned(&["client"]), dropped: dropped.clone(), ..Selection::default() };
        assert_eq!(header.dropped_as_parameters().collect::<Vec<_>>(), ["Cookie"]);
        for other in [
            Selection { query: owned(&["a"]), ..header.clone() },
            Selection { headers: Vec::new(), json: owned(&["a"]), ..header },
        ] {
            assert_eq!(other.dropped_as_parameters().next(), None);
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let none = Selection::default;
        let refused = |selection: &Selection| Fields::new(selection).err().unwrap().to_string();
        let a = || owned(&["a"]);
        let mixed = Selection { json: a(), headers: a(), ..none() };
        assert_eq!(refused(&mixed), "--json and --query or --header are for different kinds of lines");
        let mixed = Selection { json: a(), patterns: a(), ..none() };
        assert_eq!(refused(&mixed), "--json and --regex are for different kinds of lines");
        assert!(matches!(Fields::new(&none()), Err(Refused::Empty)));
        assert!(matches!(Fields::new(&Selection { dropped: a(), ..none() }), Err(Refused::Empty)));
        let alone = Selection { dropped: a(), patterns: a(), ..none() };
        assert!(matches!(Fields::new(&alone), Err(Refused::DropAlone)));
        let text = || Selection { kind: Some(Kind::Text), ..alone.clone() };
        assert!(matches!(Fields::new(&text()), Err(Refused::DropAlone)));
        let docker = Selection { wrapper: Some(Wrapper::Docker), ..text() };
        assert!(matches!(Fields::new(&docker), Err(Refused::DropAlone)));
        let within =
            Selection { json: vec!["e".into()], within: vec![("m".into(), text())], ..Selection::default() };
        assert!(matches!(Fields::new(&within), Err(Refused::DropAlone)));
        for bad in [
            Selection { logfmt: owned(&["a b"]), ..none() },
            Selection { ltsv: owned(&["a:b"]), ..none() },
            Selection { ltsv: a(), dropped: owned(&[""]), ..none() },
            Selection { query: owned(&[""]), ..none() },
            Selection { json: owned(&["email."]), ..none() },
            Selection { json: owned(&[".email"]), ..none() },
            Selection { json: owned(&[""]), ..none() },
            Selection { json: a(), dropped: owned(&["a..b"]), ..none() },
        ] {
            assert!(matches!(Fields::new(&bad), Err(Refused::Name { .. })), "{bad:?}");
        }
        assert!(matches!(Fields::new(&Selection { headers: a(), ..none() }), Err(Refused::Header(..))));
    }
}

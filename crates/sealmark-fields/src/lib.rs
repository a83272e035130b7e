//! Finds the values to seal in a log line.
//!
//! [`Fields::find`] is called for each line and finds the [`Span`]s of its values. No line is kept, and the cost of a line is
//! bounded by its length.
//!
//! ```
//! use sealmark_fields::{Fields, Selection};
//!
//! # fn main() -> Result<(), sealmark_fields::SelectionError> {
//! let selection = Selection { json: vec!["user.email".into()], ..Selection::default() };
//! let (fields, mut spans) = (Fields::new(&selection)?, Vec::new());
//!
//! let line = br#"{"user":{"email":"a@b.example"},"n":1}"#;
//! assert!(fields.find(line, &mut spans));
//! assert_eq!(fields.label(&spans[0]).as_str(), "user.email");
//! assert_eq!(spans[0].value(line).as_ref(), b"a@b.example");
//! # Ok(())
//! # }
//! ```

mod access;
mod dropping;
mod error;
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
mod selection;
#[cfg(test)]
mod shown;
mod span;
mod template;
mod text;
mod wrapper;

use dropping::Dropping;
pub use dropping::Kept;
pub use error::SelectionError;
use grammar::Grammar;
use names::Labels;
pub use names::Rule;
use reader::LookAlikes;
pub use rules::Unknown;
use rules::{Rules, Search};
use sealmark::record::{LOOK_ALIKE, Label, Shape};
pub use selection::{Kind, List, Selection, Unparsed};
pub use span::{Form, Span};
use std::fmt;
pub use wrapper::Wrapper;

/// The grammars' view of names, for the program, which has to share it. It may change in any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::pattern::cause;
    pub use crate::query::{folded, parameter_names};
    pub use crate::quotes::closing_quote;
}

/// The fields of a log with lines of one format. One thread at a time looks for them: otherwise the numbers of values are too low,
/// and a line that a container's runtime has written in parts may be taken for several.
pub struct Fields {
    rules: Rules,
    dropping: Option<Dropping>,
    look_alikes: LookAlikes,
    /// The label of a JSON line with too many values.
    whole: usize,
    /// The last label is that of what looks like a token.
    labels: Labels,
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.labels()).finish()
    }
}

impl Fields {
    /// Makes the finder of these fields.
    ///
    /// # Errors
    /// [`SelectionError`] if they name no field, or a field that no line can have.
    pub fn new(selection: &Selection) -> Result<Self, SelectionError> {
        let kind = Kind::of(selection)?;
        let has_names = kind.is_some() || selection.wrapper.is_some();
        match (kind, selection.patterns.is_empty()) {
            (None | Some(Kind::Text), true) => return Err(SelectionError::Empty),
            (Some(Kind::Json), false) => {
                return Err(SelectionError::Mixed { kinds: [Kind::Json, Kind::Text] });
            }
            _ => {}
        }
        let mut labels = Labels::default();
        let rules = Rules::new(selection, false, &mut labels)?;
        let dropping = match selection.drops() {
            false => None,
            true if has_names => Some(Dropping::new(selection)?),
            true => return Err(SelectionError::DropAlone),
        };
        labels.end();
        let whole = labels.add(access::REST)?;
        let look_alikes = LookAlikes::new(labels.add(LOOK_ALIKE)?);
        Ok(Self { rules, dropping, look_alikes, whole, labels })
    }

    /// True if the values of some fields are deleted.
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

    /// The label of the value.
    pub fn label(&self, span: &Span) -> &Label {
        self.labels.label(span.label)
    }

    /// The labels of values; one may be there more than once.
    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        self.labels.all()
    }

    /// The line without the values that are to be dropped; `None` if it is not of the format, so that its fields cannot be
    /// found. `spans` and `kept` are buffers: their content before the call is ignored.
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
        self.labels.rules().chain(dropped.filter(|(rule, _)| rule.list != List::Within))
    }

    /// The names in [`Selection::kept`] that no rule seals, of fields of JSON, logfmt and LTSV: they need not be kept, and
    /// whoever wrote them may expect that all other fields are sealed.
    pub fn idle_keeps(&self) -> &[String] {
        self.labels.idle()
    }

    /// The number of texts found so far that looked like a token.
    pub fn look_alikes(&self) -> u64 {
        self.labels.values(self.look_alikes.label())
    }

    /// A path in the line that differs from the rule's only in case, or in the characters between its words.
    pub fn near_miss(&self, line: &[u8], rule: &Rule) -> Option<String> {
        match &self.rules.grammar {
            Some(Grammar::Json(_)) if rule.field.is_none() => json::near_miss(line, &rule.name),
            _ => None,
        }
    }

    /// The reason why a line is not of the format, as text for people. Only for lines for which [`Fields::find`] returned
    /// `false`.
    pub fn why_not(&self, line: &[u8]) -> String {
        self.rules.why_not(line)
    }

    /// The rule that found a value; none for what looks like a token, and for the rest of a line.
    pub fn rule_of(&self, span: &Span) -> Option<&Rule> {
        self.labels.rule_of(span.label)
    }

    /// Fills `spans` with the values of a line and with text in it that looks like a token, from left to right and without
    /// overlap. Returns `false` if the line is not of the format.
    #[must_use = "nothing was found in a line of another format, whatever it contains"]
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> bool {
        self.find_in(Kept { line, rest: None }, spans).is_ok()
    }

    /// [`Fields::find`] in what [`Fields::without_dropped`] left.
    ///
    /// # Errors
    /// [`Unknown`]: the content of the line cannot be determined.
    pub fn find_in(&self, kept: Kept<'_>, spans: &mut Vec<Span>) -> Result<(), Unknown> {
        let line = kept.line;
        spans.clear();
        let mut search = Search::new(&self.labels, false);
        search.rest = kept.rest;
        let found = self.rules.find(line, &mut search, spans).map(|alike| {
            if self.rules.is_json() {
                self.finish_json(line, alike, spans)
            } else {
                self.look_alikes.add(line, spans, &self.labels)
            }
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

    /// Takes over from other rules, for example after a reload. A line that a container runtime has written in part stays
    /// sealed to its end.
    pub fn go_on_from(&self, before: &Self) {
        self.rules.go_on_from(&before.rules);
        if let (Some(dropping), Some(before)) = (&self.dropping, &before.dropping) {
            dropping.go_on_from(before);
        }
    }

    /// The number of lines recognised only in part: access-log lines, alone or within other lines, whose remainder was sealed
    /// as one value; JSON lines with too many values; and lines of a container runtime that were sealed as a whole.
    pub fn rests(&self) -> u64 {
        self.labels.values(self.whole) + self.rules.rests(&self.labels)
    }

    /// Fills `spans` with the text that looks like a token, in a line of any format or a piece of one.
    pub fn find_look_alikes(&self, line: &[u8], spans: &mut Vec<Span>) {
        spans.clear();
        self.look_alikes.add(line, spans, &self.labels);
        self.labels.count(spans);
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
            assert!(matches!(Fields::new(&selection), Err(SelectionError::EmptyMatch { .. })), "{pattern}");
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

    /// A pattern that is about text stops at such a byte, and would leave the rest of a value in the clear.
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
    fn names_that_are_kept_in_vain_are_told() {
        let idle = |sealed: &[&str], kept: &[&str]| {
            let json = Selection { json: owned(sealed), kept: owned(kept), ..Selection::default() };
            let logfmt = Selection { logfmt: owned(sealed), kept: owned(kept), ..Selection::default() };
            let [json, logfmt] = [json, logfmt].map(|all| Fields::new(&all).unwrap().idle_keeps().to_vec());
            assert_eq!(json, logfmt);
            json
        };
        assert_eq!(idle(&["email"], &["id", "n*"]), ["id", "n*"]);
        assert_eq!(idle(&["e*"], &["id", "email"]), ["id"]);
        assert!(idle(&["*"], &["id"]).is_empty() && idle(&["email"], &[]).is_empty());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let none = Selection::default;
        let refused = |selection: &Selection| Fields::new(selection).err().unwrap().to_string();
        let a = || owned(&["a"]);
        let mixed = Selection { json: a(), headers: a(), ..none() };
        assert_eq!(
            refused(&mixed),
            "paths in JSON and fields of an access log are for different formats of lines"
        );
        let mixed = Selection { json: a(), patterns: a(), ..none() };
        assert_eq!(refused(&mixed), "paths in JSON and patterns are for different formats of lines");
        assert!(matches!(Fields::new(&none()), Err(SelectionError::Empty)));
        assert!(matches!(Fields::new(&Selection { dropped: a(), ..none() }), Err(SelectionError::Empty)));
        let alone = Selection { dropped: a(), patterns: a(), ..none() };
        assert!(matches!(Fields::new(&alone), Err(SelectionError::DropAlone)));
        let text = || Selection { kind: Some(Kind::Text), ..alone.clone() };
        assert!(matches!(Fields::new(&text()), Err(SelectionError::DropAlone)));
        let docker = Selection { wrapper: Some(Wrapper::Docker), ..text() };
        assert!(matches!(Fields::new(&docker), Err(SelectionError::DropAlone)));
        let within =
            Selection { json: vec!["e".into()], within: vec![("m".into(), text())], ..Selection::default() };
        assert!(matches!(Fields::new(&within), Err(SelectionError::DropAlone)));
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
            assert!(matches!(Fields::new(&bad), Err(SelectionError::Name { .. })), "{bad:?}");
        }
        assert!(matches!(
            Fields::new(&Selection { headers: a(), ..none() }),
            Err(SelectionError::Header { .. })
        ));
    }
}

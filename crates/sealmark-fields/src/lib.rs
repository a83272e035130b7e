//! Where in a log line the values stand that are to be sealed.
//!
//! [`Fields`] is asked for each line; everything beside the [`Span`]s it finds stays as it is. No line is kept, and what
//! a line costs is bounded by its length.

mod json;
mod pattern;
mod quotes;

use sealmark::record::{Label, Shape};
use std::borrow::Cow;
use std::{fmt, ops::Range};

use pattern::Pattern;

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
    /// Byte for byte.
    Verbatim,
    /// As the inside of a JSON string, with escapes, in the one way in which a reader of the log writes them.
    Escaped,
    /// As JSON text of another kind: the token needs quotes of its own.
    JsonText,
}

/// The names of fields as they were typed, and the grammar they belong to.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Paths in JSON lines.
    pub json: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
}

/// Why a selection cannot be used.
#[derive(Debug)]
pub enum Refused {
    /// It names no field.
    Empty,
    /// A name that is no label.
    Label(sealmark::Error),
    /// No regular expression, and why.
    Pattern(String),
}

/// The fields of one kind of log.
pub struct Fields {
    grammar: Grammar,
    labels: Vec<Label>,
}

enum Grammar {
    Json,
    Patterns(Vec<Pattern>),
}

impl Fields {
    /// # Errors
    /// [`Refused`].
    pub fn new(selection: &Selection) -> Result<Self, Refused> {
        if !selection.json.is_empty() {
            let labels = selection.json.iter().map(|path| Label::new(path));
            return Ok(Self { grammar: Grammar::Json, labels: labels.collect::<Result<_, _>>()? });
        }
        let (mut patterns, mut labels) = (Vec::new(), Vec::new());
        for text in &selection.patterns {
            patterns.push(Pattern::new(text, &mut labels)?);
        }
        match patterns.is_empty() {
            true => Err(Refused::Empty),
            false => Ok(Self { grammar: Grammar::Patterns(patterns), labels }),
        }
    }

    /// The shape of the log's lines.
    pub fn shape(&self) -> Shape {
        match self.grammar {
            Grammar::Json => Shape::Json,
            Grammar::Patterns(_) => Shape::Plain,
        }
    }

    /// What the value is called.
    pub fn label(&self, span: &Span) -> &Label {
        &self.labels[span.label]
    }

    /// Replaces `spans` by the values of a line, from left to right, apart from each other; `false` where the line is
    /// not of this kind.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> bool {
        spans.clear();
        match &self.grammar {
            Grammar::Json => json::find(line, &self.labels, spans),
            Grammar::Patterns(patterns) => {
                patterns.iter().for_each(|pattern| pattern.find(line, spans));
                join(spans);
                !spans.is_empty() && opens_to_itself(line, spans)
            }
        }
    }
}

impl Span {
    /// What is sealed: the text of an escaped string, in other forms what is written.
    pub fn value<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let written = &line[self.range.clone()];
        match self.form {
            Form::Verbatim | Form::JsonText => written.into(),
            Form::Escaped => json::unescaped(written).into(),
        }
    }
}

/// Values that overlap become one, under the label of the first.
fn join(spans: &mut Vec<Span>) {
    spans.sort_by_key(|span| span.range.start);
    spans.dedup_by(|next, last| {
        let overlap = next.range.start < last.range.end;
        if overlap {
            last.range.end = last.range.end.max(next.range.end);
        }
        overlap
    });
}

/// In what looks like a JSON object, a reader escapes values; what escaping would alter is not sealed as a value.
fn opens_to_itself(line: &[u8], spans: &[Span]) -> bool {
    let line_is_object = {
        let line = line.trim_ascii();
        line.starts_with(b"{") && line.ends_with(b"}")
    };
    let plain = |value: &[u8]| {
        let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
        !value.iter().any(special) && std::str::from_utf8(value).is_ok()
    };
    !line_is_object || spans.iter().all(|span| plain(&line[span.range.clone()]))
}

impl From<sealmark::Error> for Refused {
    fn from(error: sealmark::Error) -> Self {
        Self::Label(error)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no field is named that is to be sealed"),
            Self::Label(error) => error.fmt(f),
            Self::Pattern(cause) => write!(f, "not a regular expression: {cause}"),
        }
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn found(patterns: &[&str], line: &str) -> Option<Vec<String>> {
        let patterns = patterns.iter().map(|text| (*text).to_owned()).collect();
        let fields = Fields::new(&Selection { patterns, ..Selection::default() }).unwrap();
        let mut spans = Vec::new();
        let shown = |span: &Span| {
            assert_eq!(&line.as_bytes()[span.range.clone()], &*span.value(line.as_bytes()));
            format!("{} {}", fields.label(span), String::from_utf8_lossy(&span.value(line.as_bytes())))
        };
        fields.find(line.as_bytes(), &mut spans).then(|| spans.iter().map(shown).collect())
    }

    #[test]
    fn patterns_seal_their_groups_or_all_they_match() {
        let line = "a=1 b=22 a=3";
        assert_eq!(found(&["a=(.)"], line).unwrap(), ["match 1", "match 3"]);
        assert_eq!(found(&["b=(?<bee>\\d+)"], line).unwrap(), ["bee 22"]);
        assert_eq!(found(&["\\d\\d"], line).unwrap(), ["match 22"]);
        assert_eq!(found(&["c=(.)"], line), None);
    }

    #[test]
    fn values_that_overlap_become_one() {
        assert_eq!(found(&["(?<left>bcd)", "(?<right>def)"], "abcdefg").unwrap(), ["left bcdef"]);
        assert_eq!(found(&["(?<all>.*)", "(?<right>d)"], "abcdefg").unwrap(), ["all abcdefg"]);
        assert_eq!(found(&["(?<l>ab)", "(?<r>cd)"], "abcd").unwrap(), ["l ab", "r cd"]);
    }

    #[test]
    fn what_a_reader_would_escape_is_no_value() {
        assert!(found(&["b: (.*)}"], r#"{b: a\n}"#).is_none());
        assert!(found(&["b: (.*)}"], r#"{b: an}"#).is_some());
        assert!(found(&["b: (.*)}"], r#"x{b: a\n}"#).is_some());
    }
}

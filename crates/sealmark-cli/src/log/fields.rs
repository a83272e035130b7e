//! Where in a line the values stand that are to be sealed.

use super::{args::LogSeal, json, pattern::Pattern};
use crate::fault::Fault;
use sealmark::record::{Label, Shape};
use std::borrow::Cow;
use std::ops::Range;

/// A value in a line, and what its token takes the place of.
#[derive(Debug, PartialEq, Eq)]
pub struct Span<'a> {
    pub range: Range<usize>,
    /// Which of the labels.
    pub label: usize,
    pub value: Cow<'a, [u8]>,
    /// Whether the token needs quotes of its own.
    pub bare: bool,
}

/// The fields of one kind of log.
pub enum Fields {
    Json(Vec<Label>),
    Patterns { patterns: Vec<Pattern>, labels: Vec<Label> },
}

impl Fields {
    pub fn of(args: &LogSeal) -> Result<Self, Fault> {
        if !args.json.is_empty() {
            return Ok(Self::Json(args.json.iter().map(|path| Label::new(path)).collect::<Result<_, _>>()?));
        }
        let (mut patterns, mut labels) = (Vec::new(), Vec::new());
        for text in &args.patterns {
            patterns.push(Pattern::new(text, &mut labels)?);
        }
        match patterns.is_empty() {
            true => Err(Fault::usage("no field is named that is to be sealed")
                .hint("name one with --json PATH or --regex PATTERN")),
            false => Ok(Self::Patterns { patterns, labels }),
        }
    }

    /// The shape of the log's lines.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Json(_) => Shape::Json,
            Self::Patterns { .. } => Shape::Plain,
        }
    }

    pub fn label(&self, span: &Span<'_>) -> &Label {
        match self {
            Self::Json(labels) | Self::Patterns { labels, .. } => &labels[span.label],
        }
    }

    /// The values of a line from left to right, apart from each other; `None` where the line is not of this kind.
    pub fn find<'a>(&self, line: &'a [u8]) -> Option<Vec<Span<'a>>> {
        match self {
            Self::Json(labels) => json::find(line, labels),
            Self::Patterns { patterns, .. } => {
                let all = patterns.iter().flat_map(|pattern| pattern.find(line)).collect();
                let spans = joined(line, all);
                (!spans.is_empty() && opens_to_itself(line, &spans)).then_some(spans)
            }
        }
    }
}

/// Values that overlap become one, under the label of the first.
fn joined<'a>(line: &'a [u8], mut all: Vec<Span<'a>>) -> Vec<Span<'a>> {
    all.sort_by_key(|span| span.range.start);
    let mut joined: Vec<Span<'a>> = Vec::new();
    for span in all {
        match joined.last_mut().filter(|last| span.range.start < last.range.end) {
            Some(last) => {
                last.range.end = last.range.end.max(span.range.end);
                last.value = line[last.range.clone()].into();
            }
            None => joined.push(span),
        }
    }
    joined
}

/// In what looks like a JSON object, a reader escapes values; what escaping would alter is not sealed as a value.
fn opens_to_itself(line: &[u8], spans: &[Span<'_>]) -> bool {
    let line = line.trim_ascii();
    let object = line.starts_with(b"{") && line.ends_with(b"}");
    let plain = |value: &[u8]| {
        let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
        !value.iter().any(special) && std::str::from_utf8(value).is_ok()
    };
    !object || spans.iter().all(|span| plain(&span.value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn found(patterns: &[&str], line: &str) -> Option<Vec<String>> {
        let mut labels = Vec::new();
        let patterns = patterns.iter().map(|text| Pattern::new(text, &mut labels).unwrap()).collect();
        let fields = Fields::Patterns { patterns, labels };
        let spans = fields.find(line.as_bytes())?;
        let shown = |span: &Span<'_>| {
            assert_eq!(&line.as_bytes()[span.range.clone()], &*span.value);
            format!("{} {}", fields.label(span), String::from_utf8_lossy(&span.value))
        };
        Some(spans.iter().map(shown).collect())
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

//! The values in a line as tests see them.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use crate::names::Labels;
use crate::{Fields, Selection, Span};

pub fn logfmt(names: &[&str], line: &str) -> Option<Vec<String>> {
    found(&Selection { logfmt: owned(names), ..Selection::default() }, line)
}

pub fn ltsv(names: &[&str], line: &str) -> Option<Vec<String>> {
    found(&Selection { ltsv: owned(names), ..Selection::default() }, line)
}

pub fn patterns(patterns: &[&str], line: &str) -> Option<Vec<String>> {
    found(&Selection { patterns: owned(patterns), ..Selection::default() }, line)
}

/// Names are separated by blanks.
pub fn access(query: &str, headers: &str, line: &str) -> Option<Vec<String>> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    found(&Selection { query: words(query), headers: words(headers), ..Selection::default() }, line)
}

/// Label and value of each; nothing where the line is of another kind.
pub fn found(selection: &Selection, line: &str) -> Option<Vec<String>> {
    let (fields, mut spans) = (Fields::new(selection).unwrap(), Vec::new());
    fields.find(line.as_bytes(), &mut spans).then(|| all(line, &spans, &fields.labels))
}

pub fn all(line: &str, spans: &[Span], labels: &Labels) -> Vec<String> {
    let shown = |span: &Span| {
        assert_eq!(line.as_bytes()[span.range.clone()], *span.value(line.as_bytes()));
        format!("{} {}", labels.label(span.label), &line[span.range.clone()])
    };
    spans.iter().map(shown).collect()
}

pub fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

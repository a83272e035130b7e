//! `--regex`: values that a pattern finds.

use super::fields::Span;
use crate::fault::Fault;
use regex::bytes::{Captures, Regex};
use sealmark::record::Label;

/// A pattern, and which of its groups are values: those with a name, or else the first, or else the whole match.
pub struct Pattern {
    regex: Regex,
    /// Group and label.
    values: Vec<(usize, usize)>,
}

const UNNAMED: &str = "match";

impl Pattern {
    /// Adds its labels to those of the others.
    pub fn new(text: &str, labels: &mut Vec<Label>) -> Result<Self, Fault> {
        let regex = Regex::new(text).map_err(|error| refused(&error))?;
        let names = regex.capture_names().enumerate();
        let mut groups: Vec<_> = names.filter_map(|(group, name)| Some((group, name?))).collect();
        if groups.is_empty() {
            groups.push((1.min(regex.captures_len() - 1), UNNAMED));
        }
        let mut values = Vec::new();
        for (group, name) in groups {
            values.push((group, labels.len()));
            labels.push(Label::new(name)?);
        }
        Ok(Self { regex, values })
    }

    pub fn find<'a>(&self, line: &'a [u8]) -> Vec<Span<'a>> {
        self.regex.captures_iter(line).flat_map(|captures| self.spans(&captures)).collect()
    }

    fn spans<'a>(&self, captures: &Captures<'a>) -> Vec<Span<'a>> {
        let span = |(group, label): &(usize, usize)| {
            let found = captures.get(*group)?;
            Some(Span { range: found.range(), label: *label, value: found.as_bytes().into(), bare: false })
        };
        self.values.iter().filter_map(span).collect()
    }
}

/// The last line of the explanation, which names the cause; the lines before it draw the pattern.
fn refused(error: &regex::Error) -> Fault {
    let text = error.to_string();
    let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    Fault::usage(format!("not a regular expression: {cause}"))
        .hint("the syntax is that of https://docs.rs/regex; it has no look-around and no back-references")
}

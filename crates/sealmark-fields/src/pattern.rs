//! Values that a pattern finds.

use crate::error::SelectionError;
use crate::names::{Labels, UNNAMED};
use crate::selection::List;
use crate::span::{Form, Span};
use regex::bytes::{Captures, Regex, RegexBuilder};
use regex_syntax::hir::HirKind;
use std::ops::Range;

/// A pattern, and which of its groups are values: those with a name, or else the first, or else the whole match.
pub struct Pattern {
    regex: Regex,
    /// Group and label.
    values: Vec<(usize, usize)>,
}

/// The most bytes of a line that may be searched, all matches and fields taken together: each may look to the end of the line before
/// it is known how short it is, so that a line of many would take a time that grows with the square of its length.
pub const MOST_WORK: usize = 64 << 20;

impl Pattern {
    /// Adds its labels to those of the others, under a rule of its own.
    pub fn new(text: &str, labels: &mut Labels) -> Result<Self, SelectionError> {
        // A line has no line feed; text within a field can have one, and whoever sends it would end what `.*` finds.
        let regex = RegexBuilder::new(text).dot_matches_new_line(true).build();
        let regex = regex
            .map_err(|error| SelectionError::Pattern { pattern: text.to_owned(), why: cause(&error) })?;
        if regex.is_match(b"") {
            return Err(SelectionError::EmptyMatch { pattern: text.to_owned() });
        }
        let names = regex.capture_names().enumerate();
        let mut groups: Vec<_> = names.filter_map(|(group, name)| Some((group, name?))).collect();
        if groups.is_empty() {
            groups.push((1.min(regex.captures_len() - 1), UNNAMED));
        }
        labels.begin(List::Patterns, text, true);
        let mut values = Vec::new();
        for (group, name) in groups {
            // A group that all of the pattern stands in is found as the whole match is.
            let group = if group == 1 && is_all_in_one(text) { 0 } else { group };
            values.push((group, labels.add_exact(name)?));
        }
        Ok(Self { regex, values })
    }

    /// Adds the values that are not empty, and tells whether there was a match; nothing where more would have to be searched
    /// than `work` is left for.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>, work: &mut usize) -> Option<bool> {
        let mut any = false;
        let mut spend = |end: usize| {
            any = true;
            *work = work.checked_sub(line.len() - end)?;
            Some(())
        };
        match self.values[..] {
            // To tell where groups are takes longer, and memory.
            [(0, label)] => self.regex.find_iter(line).try_for_each(|found| {
                spans.extend((!found.is_empty()).then(|| span(found.range(), label)));
                spend(found.end())
            }),
            _ => self.regex.captures_iter(line).try_for_each(|captures| {
                self.push(&captures, spans);
                spend(captures.get_match().end())
            }),
        }?;
        Some(any)
    }

    fn push(&self, captures: &Captures<'_>, spans: &mut Vec<Span>) {
        let value = |(group, label): &(usize, usize)| {
            let found = captures.get(*group).filter(|found| !found.is_empty())?;
            Some(span(found.range(), *label))
        };
        spans.extend(self.values.iter().filter_map(value));
    }
}

/// True where the first group begins and ends with the pattern.
fn is_all_in_one(pattern: &str) -> bool {
    regex_syntax::parse(pattern)
        .is_ok_and(|hir| matches!(hir.kind(), HirKind::Capture(group) if group.index == 1))
}

fn span(range: Range<usize>, label: usize) -> Span {
    Span { range, label, form: Form::Verbatim }
}

/// Why a pattern is none: the last line of the explanation, which names the cause; the lines before it draw the pattern.
pub fn cause(error: &regex::Error) -> String {
    error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

//! The reader's view of a sealed line (spec/record.md, "Text that looks like a token" and "Opening"): whatever strangers
//! wrote that looks like a token is sealed, and what is sealed opens to the line that it came from.

use crate::names::{Labels, join};
use crate::quotes::closing_quote;
use crate::span::{Form, Span};
use crate::text::{form_of, is_plain, span_of, text_at};
use sealmark::record::internal::{Levels, object_in};
use sealmark::record::look_alikes;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// A line that has more gets its rest sealed as one: a token is longer than what it hides here.
const MOST: usize = 64;
/// A token is longer than many a value: a line of any length can have [`MOST`] of them, and a longer line one for so many bytes.
const SHARE: usize = 64;

/// Looks for text that a reader would take for a token.
pub struct LookAlikes {
    label: usize,
}

impl LookAlikes {
    /// Its values get this label.
    pub fn new(label: usize) -> Self {
        Self { label }
    }

    pub fn label(&self) -> usize {
        self.label
    }

    /// Adds what looks like a token in a JSON object between the values that were found.
    #[inline]
    pub fn add_in_json(&self, line: &[u8], spans: &mut Vec<Span>, labels: &Labels) {
        if look_alikes(line, None).next().is_some() {
            self.add_in_strings(line, spans, labels);
        }
    }

    #[cold]
    fn add_in_strings(&self, line: &[u8], spans: &mut Vec<Span>, labels: &Labels) {
        let (mut at, mut values, mut sealed) = (0, std::mem::take(spans).into_iter().peekable(), Vec::new());
        let mut levels = Levels::new(line, object_in(line));
        while let Some(quote) = closing_quote(line, at) {
            let end = closing_quote(line, quote + 1).expect("a string of a JSON object ends");
            // Strings and values both come from left to right, so that no value is passed twice.
            while let Some(value) = values.next_if(|value| value.range.end < quote) {
                sealed.push(value);
            }
            let inside = |value: &Span| quote < value.range.start && value.range.end <= end;
            let is_covered =
                values.peek().is_some_and(|value| value.range.start <= quote + 1 && end <= value.range.end);
            if is_covered || !values.peek().is_some_and(inside) {
                let is_clear = values.peek().is_none_or(|value| end < value.range.start);
                if let Some(found) = all_in(line, quote + 1..end).filter(|_| is_clear) {
                    sealed.push(self.in_string(line, quote..end + 1, found, &mut levels));
                }
            } else {
                let parts: Vec<_> = std::iter::from_fn(|| values.next_if(inside)).collect();
                if !self.is_between(line, quote + 1..end, &parts) {
                    sealed.extend(parts)
                } else {
                    labels.count(&parts[1..]);
                    sealed.push(span_of(&line[quote..end + 1], quote, parts[0].label));
                }
            }
            at = end + 1;
        }
        sealed.extend(values);
        sealed.sort_by_key(|span| span.range.start);
        *spans = sealed;
    }

    /// True where something in a string looks like a token, beside the values in it or together with a token there.
    fn is_between(&self, line: &[u8], string: Range<usize>, values: &[Span]) -> bool {
        let ends = values.iter().map(|value| value.range.start).chain([string.end]);
        let starts = [string.start].into_iter().chain(values.iter().map(|value| value.range.end));
        starts.zip(ends).any(|(start, end)| {
            let gap = &line[start..end];
            look_alikes(gap, None).next().is_some() || start > string.start && gap.starts_with(b"s1")
        })
    }

    /// The part of a string that is sealed: what looks like a token, from the first to the last of them, or all of it where that
    /// would not open to itself.
    fn in_string(
        &self,
        line: &[u8],
        string: Range<usize>,
        found: Range<usize>,
        levels: &mut Levels<'_>,
    ) -> Span {
        if is_plain(&line[found.clone()]) && levels.level(found.start) <= Levels::DEEPEST {
            Span { range: found, label: self.label, form: Form::Verbatim }
        } else {
            span_of(&line[string.clone()], string.start, self.label)
        }
    }

    /// Adds what looks like a token in a line of another kind, and makes the values such that the line opens to itself.
    #[inline]
    pub fn add(&self, line: &[u8], spans: &mut Vec<Span>, labels: &Labels) {
        let touches = |span: &Span| line[span.range.end..].starts_with(b"s1");
        if look_alikes(line, None).next().is_some() || spans.iter().any(touches) {
            self.add_between(line, spans, labels);
        }
        let most = most_tokens(line);
        if let Some(end) = spans.get(most..).and_then(<[Span]>::last).map(|last| last.range.end) {
            labels.count(&spans[most..]);
            spans.truncate(most);
            spans[most - 1].range.end = end;
        }
        if object_in(line).is_some() {
            self.settle(line, spans, labels);
        }
    }

    #[cold]
    fn add_between(&self, line: &[u8], spans: &mut Vec<Span>, labels: &Labels) {
        let (mut more, mut at): (Vec<Span>, usize) = (Vec::new(), 0);
        let ends = spans.iter().map(|span| span.range.start).chain([line.len()]);
        let behind = spans.iter().map(|span| span.range.end);
        let gaps = ends.zip([0].into_iter().chain(behind)).map(|(end, start)| start..end);
        for gap in gaps {
            // The last character of a token can begin another.
            let touches = gap.start > 0 && line[gap.clone()].starts_with(b"s1");
            let text = &line[gap.clone()];
            let begun: Cow<'_, [u8]> = if touches { [b"~", text].concat().into() } else { text.into() };
            for found in look_alikes(&begun, None) {
                let place = |at: usize| (gap.start + at).saturating_sub(touches.into()).max(gap.start);
                let (start, end) = (place(found.start), place(found.end));
                match more.last_mut() {
                    Some(last) if more_of_field(line, at, start) && last.range.end >= gap.start => {
                        last.range.end = end
                    }
                    _ => more.push(Span { range: start..end, label: self.label, form: Form::Verbatim }),
                }
                at = end;
            }
        }
        if let Some(rest) = more.get(MOST..).and_then(<[Span]>::last) {
            let end = rest.range.end;
            more.truncate(MOST);
            more[MOST - 1].range.end = end;
        }
        spans.append(&mut more);
        join(spans, labels);
    }

    /// Where a reader sees a JSON object in the sealed line, and would write a value in it otherwise or leave it closed, the
    /// value is sealed as the text that its escapes stand for, or else with all of its string, or else with all of the object.
    #[cold]
    fn settle(&self, line: &[u8], spans: &mut Vec<Span>, labels: &Labels) {
        let levels = levels_of(line, spans);
        if all_open(line, spans, &levels) {
            return;
        }
        let mut settled = spans.clone();
        let closed = settled.iter_mut().zip(&levels).filter(|(span, level)| !opens(line, span, **level));
        let mut strings = Strings { line, at: memchr::memchr(b'{', line).unwrap_or(line.len()) };
        for (span, level) in closed {
            *span = match form_of(&line[span.range.clone()]) {
                Some(form @ Form::Escaped(1)) if opens(line, &Span { form, ..span.clone() }, *level) => {
                    Span { form, ..span.clone() }
                }
                _ => strings.around(span).unwrap_or_else(|| span.clone()),
            };
        }
        settled.sort_by_key(|span| (span.range.start, Reverse(span.range.end)));
        let is_settled = all_open(line, &settled, &levels_of(line, &settled));
        if is_settled {
            *spans = settled;
        } else {
            let Some(object) = memchr::memchr(b'{', line) else { return };
            let label =
                spans.iter().find(|span| span.range.end > object).map_or(self.label, |span| span.label);
            spans.push(Span { range: object..line.trim_ascii_end().len(), label, form: Form::Verbatim });
        }
        join(spans, labels);
    }
}

/// The level at which a reader finds the token of each value.
fn levels_of(line: &[u8], spans: &[Span]) -> Vec<usize> {
    // Any token does: the place is what matters.
    let (mut sealed, mut copied, mut places) = (Vec::with_capacity(line.len()), 0, Vec::new());
    for span in spans {
        // Values of one string stand in its token.
        sealed.extend_from_slice(line.get(copied..span.range.start).unwrap_or_default());
        sealed.extend_from_slice(span.form.quote());
        places.push(sealed.len());
        sealed.push(b'~');
        sealed.extend_from_slice(span.form.quote());
        copied = copied.max(span.range.end);
    }
    sealed.extend_from_slice(&line[copied..]);
    let mut levels = Levels::new(&sealed, object_in(&sealed));
    places.into_iter().map(|place| levels.level(place)).collect()
}

fn all_open(line: &[u8], spans: &[Span], levels: &[usize]) -> bool {
    spans.iter().zip(levels).all(|(span, level)| opens(line, span, *level))
}

/// True where a reader writes the value at this level as it stands in the line.
fn opens(line: &[u8], span: &Span, level: usize) -> bool {
    let before = &line[..span.range.start];
    // The last backslash would take the tilde of the token with it.
    let is_cut = before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    match (level, span.form) {
        (0, form) => form == Form::Verbatim,
        (1..=Levels::DEEPEST, Form::Verbatim) => !is_cut && is_plain(&line[span.range.clone()]),
        (level @ 1..=Levels::DEEPEST, Form::JsonText(deep)) => level == usize::from(deep),
        (level, Form::Escaped(times)) => {
            let written = &line[span.range.clone()];
            level == usize::from(times) && !is_cut && (times == 1 || text_at(written, level).is_some())
        }
        _ => false,
    }
}

/// The strings of an object, from left to right.
struct Strings<'a> {
    line: &'a [u8],
    at: usize,
}

impl Strings<'_> {
    /// All of the string that a value stands in, where its text opens to it. Values are asked about from left to right.
    fn around(&mut self, span: &Span) -> Option<Span> {
        loop {
            let quote = closing_quote(self.line, self.at)?;
            let end = closing_quote(self.line, quote + 1)?;
            if span.range.start <= end {
                let all = span_of(&self.line[quote..end + 1], quote, span.label);
                return Some(all).filter(|all| {
                    quote < span.range.start && span.range.end <= end && quote < all.range.start
                });
            }
            self.at = end + 1;
        }
    }
}

/// How many tokens a line can have, so that who sends many short values does not fill the disk.
pub fn most_tokens(line: &[u8]) -> usize {
    MOST.max(line.len() / SHARE)
}

/// True where no field ends between two places.
fn more_of_field(line: &[u8], from: usize, to: usize) -> bool {
    let between = &line[from..to];
    memchr::memchr(b'\t', between).is_none() && closing_quote(between, 0).is_none()
}

/// Text that looks like a token in a part of a line, from the first to the last of them.
fn all_in(line: &[u8], text: Range<usize>) -> Option<Range<usize>> {
    let mut found = look_alikes(&line[text.clone()], None);
    let first = found.next()?;
    Some(text.start + first.start..text.start + found.last().unwrap_or(first).end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use crate::shown::owned;
    use crate::{Fields, Selection};
    use std::time::{Duration, Instant};

    /// To compare each string with each value would take many seconds.
    #[test]
    fn time_grows_with_the_line_and_not_with_its_square() {
        let fields = Fields::new(&Selection { json: owned(&["a"]), ..Selection::default() }).unwrap();
        let line = format!("{{{}\"z\":1}}", r#""a":1,"b":"~s1","#.repeat(40_000));
        let (begun, mut spans) = (Instant::now(), Vec::new());
        assert!(fields.find(line.as_bytes(), &mut spans));
        assert!(!spans.is_empty() && begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    }
}

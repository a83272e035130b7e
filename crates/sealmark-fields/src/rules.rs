//! The rules for lines of one kind, and for text within their fields.

use crate::error::SelectionError;
use crate::grammar::{Grammar, Pass};
use crate::names::{Labels, join, join_where};
use crate::pattern::{MOST_WORK, Pattern};
use crate::quotes::closing_quote;
use crate::selection::{Kind, Selection, Unparsed};
use crate::span::{Form, Span};
use crate::text::{Text, inside, span_of};
use crate::wrapper::{DOCKER, Wrapper};
use crate::{json, reader};
use sealmark::record::internal::object_in;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

/// The rules that find the values of a line.
pub struct Rules {
    pub grammar: Option<Grammar>,
    patterns: Vec<Pattern>,
    within: Vec<Within>,
    labels: Range<usize>,
}

/// The rules for the text of one field.
struct Within {
    /// The label of the field, and of text of another kind in it.
    label: usize,
    /// Another label of the field's name, for a field whose values cannot be sealed alone: they are counted by their own rules.
    whole: usize,
    rules: Rules,
    unparsed: Unparsed,
    /// The text around each line.
    wrapper: Option<Wrapper>,
    /// A bit for each stream whose last line goes on in the next.
    goes_on: AtomicU8,
}

/// A line, and what is asked of all of it once, since it may have as many fields as it has bytes.
struct Outer<'a> {
    line: &'a [u8],
    around: Around,
    /// True where it is no JSON, and a reader sees no JSON object in it.
    is_plain: bool,
    /// Which of a runtime's streams it is of, and whether its tag says that it goes on.
    stream: Option<(usize, bool)>,
}

/// How text is written where its values are replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// In a member of a JSON object.
    Json,
    /// Between quotes in logfmt, with escapes like those of JSON.
    Quotes,
    /// Text without quotes or escapes.
    Plain,
}

/// One line that is searched, and the text of its fields with it.
pub struct Search<'a> {
    labels: &'a Labels,
    /// A value that is taken out is not written again, so that it may be cut anywhere.
    cut: bool,
    /// How many bytes more patterns may look at.
    work: usize,
    /// From this place on, lines of an access log are sealed as one ([`crate::Kept::rest`]): found where values are taken out,
    /// and told where the others are sealed.
    pub rest: Option<usize>,
}

impl<'a> Search<'a> {
    pub fn new(labels: &'a Labels, cut: bool) -> Self {
        Self { labels, cut, work: MOST_WORK, rest: None }
    }
}

/// Why nobody can tell what is in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unknown {
    /// It is not of the format, or no pattern matches.
    Kind,
    /// It could not be searched to its end.
    NotSearched,
}

impl Rules {
    /// The rules of a selection: those that seal, or those that drop.
    pub fn new(selection: &Selection, drops: bool, labels: &mut Labels) -> Result<Self, SelectionError> {
        match selection.wrapper {
            Some(wrapper) => Self::wrapped(wrapper, selection, drops, labels),
            None => Self::lines(selection, drops, labels),
        }
    }

    fn lines(selection: &Selection, drops: bool, labels: &mut Labels) -> Result<Self, SelectionError> {
        let (first, kind) = (labels.len(), Kind::of(selection)?);
        // Text has no fields by name: what was to be dropped would stay, without a word.
        if matches!(kind, None | Some(Kind::Text)) && !selection.dropped.is_empty() {
            return Err(SelectionError::DropAlone);
        }
        let within: Vec<_> = selection.within.iter().filter(|within| !drops || within.1.drops()).collect();
        let fields: Vec<_> = within.iter().map(|within| within.0.clone()).collect();
        let dropped = kind.map(|kind| kind.selection(&selection.dropped, selection)).unwrap_or_default();
        let names = if drops { &dropped } else { selection };
        let pass = Pass { names, within: &fields, typed: selection, drops };
        let found = kind.map(|kind| kind.grammar(&pass, labels)).transpose()?.flatten();
        let (grammar, within_labels) =
            found.map_or((None, Vec::new()), |(grammar, labels)| (Some(grammar), labels));
        if within.len() != within_labels.len() {
            return Err(SelectionError::NoWithin);
        }
        let mut patterns = Vec::new();
        for text in selection.patterns.iter().filter(|_| !drops) {
            patterns.push(Pattern::new(text, labels)?);
        }
        labels.end();
        let mut all = Vec::new();
        for ((field, inner), label) in within.into_iter().zip(within_labels) {
            let outer = labels.enter(field, label);
            let rules = Self::new(inner, drops, labels)?;
            labels.leave(outer);
            let unparsed = if drops { Unparsed::Seal } else { inner.unparsed };
            let whole = labels.add_again(label);
            all.push(Within { label, whole, rules, unparsed, wrapper: None, goes_on: AtomicU8::new(0) });
        }
        Ok(Self { grammar, patterns, within: all, labels: first..labels.len() })
    }

    fn wrapped(
        wrapper: Wrapper,
        selection: &Selection,
        drops: bool,
        labels: &mut Labels,
    ) -> Result<Self, SelectionError> {
        let first = labels.len();
        labels.end();
        let label = labels.add(crate::access::REST)?;
        let whole = labels.add_again(label);
        let grammar = match wrapper {
            Wrapper::Docker => {
                let paths = json::Ways::Exact(vec![DOCKER.as_bytes().into()]);
                Grammar::Json(json::Sought { paths, first: label, within: label })
            }
            Wrapper::Cri | Wrapper::Cee => Grammar::Wrapped(wrapper, label),
        };
        let rules = Self::lines(selection, drops, labels)?;
        let unparsed = if drops { Unparsed::Line } else { selection.unparsed };
        let (wrapper, goes_on) = (Some(wrapper), AtomicU8::new(0));
        let within = vec![Within { label, whole, rules, unparsed, wrapper, goes_on }];
        Ok(Self { grammar: Some(grammar), patterns: Vec::new(), within, labels: first..labels.len() })
    }

    /// Adds the values of a line, from left to right, apart from each other; says whether it may hold what looks like a token.
    pub fn find(&self, line: &[u8], search: &mut Search<'_>, spans: &mut Vec<Span>) -> Result<bool, Unknown> {
        let alike = match &self.grammar {
            Some(grammar) => grammar.find(line, spans).ok_or(Unknown::Kind)?,
            None => true,
        };
        if matches!(self.grammar, Some(Grammar::Template(_))) {
            join(spans, search.labels);
        }
        if !search.cut && spans.len() > reader::most_tokens(line) {
            self.join_parameters(line, search.labels, spans);
        }
        if !self.within.is_empty() {
            self.look_within(line, search, spans)?;
        }
        if !self.patterns.is_empty() {
            self.matches(line, search, spans)?;
        }
        if search.cut || search.rest.is_some() {
            self.settle_rest(line, search, spans);
        }
        Ok(alike)
    }

    /// In the rest of a line of an access log, only parameters are taken out; what is left of it is sealed as one.
    #[cold]
    fn settle_rest(&self, line: &[u8], search: &mut Search<'_>, spans: &mut Vec<Span>) {
        let Some(Grammar::Access(access)) = &self.grammar else { return };
        match search.rest {
            _ if search.cut => search.rest = access.parameters_of_rest(line, spans),
            Some(start) => seal_from(start, line, access.rest(), search.labels, spans),
            None => {}
        }
    }

    /// A sender of many parameters hides no other field: those of one field become one.
    #[cold]
    fn join_parameters(&self, line: &[u8], labels: &Labels, spans: &mut Vec<Span>) {
        let is_parameter = |span: &Span| match &self.grammar {
            Some(Grammar::Access(access)) => access.is_parameter(span.label),
            Some(Grammar::Template(template)) => template.is_parameter(span.label),
            Some(Grammar::Url(_)) => true,
            _ => false,
        };
        join_where(spans, labels, |last, next| {
            is_parameter(last)
                && is_parameter(next)
                && closing_quote(&line[..next.range.start], last.range.end).is_none()
        });
    }

    /// Adds what the patterns find. A line that is no text, at which patterns stop in the middle of a value, cannot be searched,
    /// and neither can one that takes too long.
    fn matches(&self, line: &[u8], search: &mut Search<'_>, spans: &mut Vec<Span>) -> Result<(), Unknown> {
        let mut any = self.grammar.is_some();
        // The end of the line is no part of a value: a reader would write it otherwise.
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        str::from_utf8(line).map_err(|_| Unknown::NotSearched)?;
        for pattern in &self.patterns {
            any |= pattern.find(line, spans, &mut search.work).ok_or(Unknown::NotSearched)?;
        }
        join(spans, search.labels);
        if any { Ok(()) } else { Err(Unknown::Kind) }
    }

    /// Puts what is found in the text of fields in place of the fields.
    fn look_within(
        &self,
        line: &[u8],
        search: &mut Search<'_>,
        spans: &mut Vec<Span>,
    ) -> Result<(), Unknown> {
        let rules_of = |span: &Span| self.within.iter().find(|within| within.label == span.label);
        if !spans.iter().any(|span| rules_of(span).is_some()) {
            // The text that a runtime writes has the line of the program.
            let is_wrapped = self.within.iter().any(|within| within.wrapper.is_some());
            return if is_wrapped { Err(Unknown::Kind) } else { Ok(()) };
        }
        let around = match self.grammar {
            Some(Grammar::Json(_)) => Around::Json,
            Some(Grammar::Logfmt(_)) => Around::Quotes,
            _ => Around::Plain,
        };
        // Rules with a wrapper have no others beside them.
        let stream = self.within[0].wrapper.and_then(|wrapper| stream_of(wrapper, line));
        let outer = Outer { line, around, is_plain: around != Around::Json && !has_object(line), stream };
        let fields = std::mem::replace(spans, Vec::with_capacity(spans.len() + 8));
        for field in &fields {
            match rules_of(field) {
                Some(within) => within.find(&outer, field, search, spans)?,
                None => spans.push(field.clone()),
            }
        }
        if around == Around::Json && !search.cut && spans.len() > reader::most_tokens(line) {
            let label = |field: &Span| rules_of(field).map_or(field.label, |within| within.whole);
            join_in_fields(line, &fields, label, search.labels, spans);
        }
        Ok(())
    }

    /// Takes over which lines were cut, from whatever rules the same text stood around.
    pub fn go_on_from(&self, before: &Self) {
        for within in &self.within {
            if let Some(wrapper) = within.wrapper {
                within.goes_on.fetch_or(before.goes_on(wrapper), Ordering::Relaxed);
            }
            within.rules.go_on_from(before);
        }
    }

    /// A bit for each stream of such a runtime whose last line goes on.
    fn goes_on(&self, runtime: Wrapper) -> u8 {
        self.within.iter().fold(0, |bits, within| {
            let own = within.wrapper.filter(|wrapper| *wrapper == runtime);
            let own = own.map_or(0, |_| within.goes_on.load(Ordering::Relaxed));
            bits | own | within.rules.goes_on(runtime)
        })
    }

    /// The place that is cleared with a value that is taken out, and the text that this kind of line has for nothing.
    pub fn nothing(&self, line: &[u8], span: &Span) -> (Range<usize>, &'static [u8]) {
        let inner = self.within.iter().find(|within| within.rules.labels.contains(&span.label));
        let Range { start, end } = span.range;
        match (inner, &self.grammar) {
            (Some(within), _) => within.rules.nothing(line, span),
            // A string goes with its quotes, as they are written.
            (None, Some(Grammar::Json(_))) => match closing_quote_length(&line[end..]) {
                Some(length) if line[..start].ends_with(&line[end..end + length]) => {
                    (start - length..end + length, b"null")
                }
                _ => (start..end, b"null"),
            },
            (None, Some(Grammar::Ltsv(..) | Grammar::Template(_))) => (start..end, b"-"),
            (None, Some(Grammar::Access(access))) if access.is_all_of_who(span.label) => {
                // The line stays one of an access log.
                match access.user_of_who(&line[start..end]) {
                    Some(user) => (start + user..end, b" - -"),
                    None => (start..end, b"- - -"),
                }
            }
            (None, Some(Grammar::Access(access))) if !access.is_parameter(span.label) => (start..end, b"-"),
            (None, _) => (start..end, b""),
        }
    }

    /// Why nobody can tell what is in a line.
    pub fn why_not(&self, line: &[u8]) -> String {
        if let Some((within, text)) = self.wrapped_text(line) {
            return within.rules.why_not(&text);
        }
        let of_grammar = match &self.grammar {
            Some(Grammar::Json(_)) => match serde_json::from_slice::<serde_json::Value>(line) {
                Err(error) => format!("it is not JSON: {}", error.to_string().replace(" line 1", "")),
                Ok(_) => "it is not a JSON object".to_owned(),
            },
            Some(Grammar::Logfmt(_)) => "it has other text than key=value pairs".to_owned(),
            Some(Grammar::Ltsv(..)) => {
                "it has other text than label:value pairs with tabs between them".to_owned()
            }
            Some(Grammar::Access(_)) => {
                "it does not have client, ident, user, [time] and \"request\" in this order".to_owned()
            }
            Some(Grammar::Template(template)) => template.why_not(line),
            Some(Grammar::Wrapped(..)) => {
                "it does not begin with the time, stream and tag that a container runtime writes".to_owned()
            }
            Some(Grammar::Url(_)) | None => String::new(),
        };
        match of_grammar.is_empty()
            || self.grammar.as_ref().is_some_and(|grammar| grammar.find(line, &mut Vec::new()).is_some())
        {
            false => of_grammar,
            true if str::from_utf8(line).is_err() => "it is not UTF-8, so patterns cannot match".to_owned(),
            true => "no pattern matches it".to_owned(),
        }
    }

    /// The line within the text of a runtime, where there is one.
    fn wrapped_text(&self, line: &[u8]) -> Option<(&Within, Vec<u8>)> {
        let within = self.within.iter().find(|within| within.wrapper.is_some())?;
        let mut spans = Vec::new();
        self.grammar.as_ref()?.find(line, &mut spans)?;
        let raw = &line[spans.iter().find(|span| span.label == within.label)?.range.clone()];
        let inside = inside(raw);
        let text = inside.filter(|_| self.is_json()).map_or_else(|| Some(Text::plain(raw)), Text::new)?;
        Some((within, line_of(&text).to_vec()))
    }

    /// The lines of an access log, here or in the text of fields, of which the rest was sealed as one, and those within the text
    /// of a runtime that were sealed as a whole.
    pub fn rests(&self, labels: &Labels) -> u64 {
        let whole = |within: &Within| within.wrapper.map_or(0, |_| labels.values(within.whole));
        let inner = self.within.iter().map(|within| whole(within) + within.rules.rests(labels));
        let own: u64 = self.rest().into_iter().chain(self.wholes()).map(|label| labels.values(label)).sum();
        own + inner.sum::<u64>()
    }

    /// The labels of what was sealed as a whole in a line whose other fields are known.
    fn wholes(&self) -> Vec<usize> {
        match &self.grammar {
            Some(Grammar::Access(access)) => access.odd_request().into_iter().collect(),
            Some(Grammar::Template(template)) => template.wholes().collect(),
            _ => Vec::new(),
        }
    }

    /// The label of the rest of a line of an access log.
    fn rest(&self) -> Option<usize> {
        match &self.grammar {
            Some(Grammar::Access(access)) => Some(access.rest()),
            _ => None,
        }
    }

    /// True where lines are JSON, inside of what is around them or not.
    pub fn is_json(&self) -> bool {
        matches!(self.grammar, Some(Grammar::Json(_)))
    }
}

/// True where a reader sees a JSON object in the line, all of which may have to be looked at.
fn has_object(line: &[u8]) -> bool {
    #[cfg(test)]
    tests::LOOKED_AT.set(tests::LOOKED_AT.get() + line.len());
    object_in(line).is_some()
}

/// Which of a runtime's streams a line is of, and whether its tag says that it goes on; all of it may have to be looked at.
fn stream_of(wrapper: Wrapper, line: &[u8]) -> Option<(usize, bool)> {
    #[cfg(test)]
    tests::LOOKED_AT.set(tests::LOOKED_AT.get() + line.len());
    wrapper.stream(line)
}

/// Seals the rest of a line of an access log as one.
fn seal_from(start: usize, line: &[u8], rest: usize, labels: &Labels, spans: &mut Vec<Span>) {
    let start = spans.pop_if(|span| span.label == rest).map_or(start, |span| span.range.start.min(start));
    let end = line.strip_suffix(b"\r").unwrap_or(line).len();
    let (before, within) = spans.split_at(spans.partition_point(|span| span.range.start < start));
    labels.count(within);
    spans.truncate(before.len());
    spans.push(Span { range: start..end, label: rest, form: Form::Verbatim });
    join(spans, labels);
}

/// The line in a field's text: runtimes keep its line feed.
fn line_of<'a>(text: &'a Text<'_>) -> &'a [u8] {
    text.bytes().strip_suffix(b"\n").unwrap_or(text.bytes())
}

/// A place in a line as one in the text of a field of it, which begins there; nothing where it is behind the field.
#[cold]
fn rest_in(text: &Text<'_>, rest: usize, begins: usize) -> Option<usize> {
    let at = text.read_at(rest.saturating_sub(begins));
    (at < text.bytes().len()).then_some(at)
}

/// A quote at the start, with the backslashes before it.
fn closing_quote_length(text: &[u8]) -> Option<usize> {
    let backslashes = text.iter().take_while(|byte| **byte == b'\\').count();
    (text.get(backslashes) == Some(&b'"')).then_some(backslashes + 1)
}

/// A sender of many values in one field of a JSON object hides no other: the field becomes one value.
#[cold]
fn join_in_fields(
    line: &[u8],
    fields: &[Span],
    label: impl Fn(&Span) -> usize,
    labels: &Labels,
    spans: &mut Vec<Span>,
) {
    let mut found = std::mem::take(spans).into_iter().peekable();
    for field in fields {
        let is_in = |span: &Span| span.range.start <= field.range.end;
        let mut values: Vec<_> = std::iter::from_fn(|| found.next_if(is_in)).collect();
        if values.len() < 2 {
            spans.append(&mut values);
            continue;
        }
        labels.count(&values);
        spans.push(Around::Json.whole(line, field, label(field)));
    }
}

impl Around {
    /// All of a field.
    fn whole(self, line: &[u8], field: &Span, label: usize) -> Span {
        match self {
            Self::Json => span_of(&line[field.range.clone()], field.range.start, label),
            Self::Quotes | Self::Plain => Span { label, ..field.clone() },
        }
    }
}

impl Within {
    /// Adds what is sealed of a field.
    fn find(
        &self,
        outer: &Outer<'_>,
        field: &Span,
        search: &mut Search<'_>,
        found: &mut Vec<Span>,
    ) -> Result<(), Unknown> {
        let Outer { line, around, is_plain, stream } = *outer;
        let raw = &line[field.range.clone()];
        let inside = inside(raw);
        let (raw_at, raw, is_string) = match (around, inside) {
            (Around::Json, Some(inside)) => (field.range.start + 1, inside, true),
            _ => (
                field.range.start,
                raw,
                around == Around::Quotes && line[..field.range.start].ends_with(b"\""),
            ),
        };
        let is_nested = around == Around::Json && !is_string && matches!(raw.first(), Some(b'{' | b'['));
        let text = match (is_string, is_nested && !(self.rules.is_json() && raw.starts_with(b"{"))) {
            (true, _) => Text::new(raw),
            // In an object, text is written otherwise than in a string.
            (false, true) => None,
            (false, false) => Some(Text::plain(raw)),
        };
        let is_piece = (is_string || around == Around::Plain)
            // Nobody can tell whether a runtime cut a line that is no text: the next piece is sealed as well.
            && self.is_piece(stream, text.as_ref().map_or(b"", Text::bytes));
        let mut spans = Vec::with_capacity(8);
        let rest = search.rest;
        let known = match text.as_ref().filter(|_| !is_piece) {
            Some(text) => {
                search.rest = rest.and_then(|rest| rest_in(text, rest, raw_at).filter(|_| !search.cut));
                self.rules.find(line_of(text), search, &mut spans)
            }
            None => Err(Unknown::NotSearched),
        };
        let inner_rest = std::mem::replace(&mut search.rest, rest);
        // An empty line says nothing that could be sealed, nor does the place of one that was taken out.
        let is_empty = text.as_ref().is_some_and(|text| matches!(text.bytes(), b"" | b"\n"));
        let is_nothing = self.wrapper.is_some() && (is_empty || !is_string && raw == b"null");
        // The label of one value is none for a line, whose place has a name of its own.
        let whole_line = self.wrapper.filter(|_| !search.cut).map(|_| self.whole);
        let text = match (known, self.unparsed, text) {
            (Err(_), ..) if is_nothing => return Ok(()),
            (Err(Unknown::Kind), Unparsed::Line, _) => return Err(Unknown::Kind),
            // A line that passes is counted as one of another kind, like those without a wrapper.
            (Err(Unknown::Kind), Unparsed::Pass, _) if self.wrapper.is_some() => return Err(Unknown::Kind),
            (Err(Unknown::Kind), Unparsed::Pass, _) => {
                search.labels.count(std::slice::from_ref(field));
                return Ok(());
            }
            (Ok(_), _, Some(text)) => text,
            _ => {
                found.push(around.whole(line, field, whole_line.unwrap_or(field.label)));
                return Ok(());
            }
        };
        search.labels.count(std::slice::from_ref(field));
        if let (true, None, Some(inner)) = (search.cut, rest, inner_rest) {
            search.rest = Some(raw_at + text.written_at(inner));
        }
        if spans.is_empty() {
            return Ok(());
        }
        // Values of an object keep their level; a number has no parts that could be sealed alone.
        let settled = match (around, is_string) {
            (Around::Json, false) => is_nested.then_some(()),
            (Around::Json, true) if !search.cut => text.set_forms(&mut spans, self.level(&text)),
            // Without its closing bracket it would end elsewhere.
            (Around::Quotes, false) if search.cut && matches!(raw[0], b'<' | b'[' | b'{' | b'(') => None,
            _ => text.place(&mut spans),
        };
        match settled {
            Some(()) => {
                for span in &mut spans {
                    span.range = span.range.start + raw_at..span.range.end + raw_at;
                    span.form = if is_plain { Form::Verbatim } else { span.form };
                }
                found.append(&mut spans);
            }
            None => {
                search.rest = rest;
                if whole_line.is_some() {
                    // The line is counted by its own label.
                    spans.retain(|span| Some(span.label) != self.rules.rest());
                }
                search.labels.count(&spans);
                // A value that is taken out as a whole leaves what the field has for nothing.
                found.push(around.whole(line, field, if search.cut { field.label } else { self.whole }));
            }
        }
        Ok(())
    }

    /// The level at which a reader finds what stands in the text, where that is the same everywhere.
    fn level(&self, text: &Text<'_>) -> Option<usize> {
        if self.rules.is_json() && self.rules.within.is_empty() {
            // A value begins its string, so that no brace of that string is before it.
            return Some(2);
        }
        (!text.has_brace()).then_some(1)
    }

    /// True where a runtime cut a line, here or before.
    fn is_piece(&self, stream: Option<(usize, bool)>, content: &[u8]) -> bool {
        let Some((wrapper, (stream, goes_on))) = self.wrapper.zip(stream) else { return false };
        let goes_on = goes_on || wrapper == Wrapper::Docker && !content.ends_with(b"\n");
        let (before, bit) = (self.goes_on.load(Ordering::Relaxed), 1 << stream);
        self.goes_on.store(if goes_on { before | bit } else { before & !bit }, Ordering::Relaxed);
        goes_on || before & bit != 0
    }
}

impl Selection {
    /// True where some values may not be kept, here or in the text of fields.
    pub fn drops(&self) -> bool {
        !self.dropped.is_empty() || self.within.iter().any(|within| within.1.drops())
    }
}

#[cfg(test)]
mod tests;

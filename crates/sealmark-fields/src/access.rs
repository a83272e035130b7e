//! Values in the common and combined access-log formats of Apache httpd and nginx,
//!
//! ```text
//! client ident user [time] "request" status bytes "Referer" "User-Agent" …
//! ```
//!
//! with `name:port` in front of it or not (Debian's `vhost_combined`), and with any fields behind it.

mod request;
mod words;

use crate::error::SelectionError;
use crate::header::{Header, Place};
use crate::names::Labels;
use crate::query::{Query, Text, is_url};
use crate::quotes::closing_quote;
use crate::selection::List;
use crate::span::{Form, Span};
use request::is_nothing;
pub use request::target;
use std::ops::Range;
use words::{client_end, has_address, has_port_in_front, is_unclear, number, request_quote, word_end};

/// The parts of such a line that are wanted.
pub struct Access {
    query: Query,
    /// The labels of parameters.
    parameters: Range<usize>,
    client: Option<usize>,
    user: Option<usize>,
    /// The label of all before the time, where nobody can tell which of the words is the client or the user.
    who: Option<usize>,
    request: Option<usize>,
    /// The label of a request in which nobody can tell where a query is.
    odd_request: Option<usize>,
    /// By their number, from 0.
    quoted: Vec<Option<usize>>,
    /// How many of the first fields in quotes must be what the combined format has there: up to the last that was named
    /// without a number.
    combined: usize,
    /// The label of the rest of a line in which nobody can tell where a field is.
    rest: usize,
}

impl Access {
    /// `query_anywhere` tells whether the parameters can be in a request that is none. Headers come with what was typed; `lists`
    /// are those of parameters and headers.
    pub fn new(
        query: &[String],
        query_anywhere: bool,
        headers: &[(String, Header<'_>)],
        lists: (List, List),
        labels: &mut Labels,
    ) -> Result<Self, SelectionError> {
        let first = labels.len();
        let query = Query::new(lists.0, query, labels)?;
        let parameters = first..labels.len();
        labels.end();
        let mut access = Self {
            query,
            parameters,
            client: None,
            user: None,
            who: None,
            request: None,
            odd_request: None,
            quoted: Vec::new(),
            combined: 0,
            rest: labels.add(REST)?,
        };
        // No rule counts it, so that a request that nobody can read does not hide that a rule finds nothing.
        if query_anywhere {
            access.odd_request = Some(labels.add("request")?);
        }
        for (typed, header) in headers {
            labels.begin(lists.1, typed, matches!(header.place, Place::Quoted(_)));
            *access.slot(header.place) = Some(labels.add(header.name)?);
            if let (Place::Quoted(number), false) = (header.place, typed.contains('=')) {
                access.combined = access.combined.max(number + 1);
            }
        }
        labels.end();
        access.who = access.client.or(access.user).map(|label| labels.add_for_rule_of(label));
        Ok(access)
    }

    fn slot(&mut self, place: Place) -> &mut Option<usize> {
        match place {
            Place::Client => &mut self.client,
            Place::User => &mut self.user,
            Place::Request => &mut self.request,
            Place::Quoted(number) => {
                self.quoted.resize(self.quoted.len().max(number + 1), None);
                &mut self.quoted[number]
            }
        }
    }

    /// The label of requests that were sealed as a whole, because nobody can tell where parameters are in them.
    pub fn odd_request(&self) -> Option<usize> {
        self.odd_request
    }

    /// True where the label is of a parameter, and not of a field.
    pub fn is_parameter(&self, label: usize) -> bool {
        self.parameters.contains(&label)
    }

    /// True where the label is of client, ident and user together.
    pub fn is_all_of_who(&self, label: usize) -> bool {
        self.who == Some(label)
    }

    /// Where what may be the user begins in client, ident and user together, with the blank before it: the first word is
    /// the client or a name in front of it, and an address behind a name is the client. Nothing where the client is wanted, too.
    pub fn user_of_who(&self, who: &[u8]) -> Option<usize> {
        let first = client_end(who, 0).filter(|end| self.client.is_none() && *end > 0)?;
        let second = client_end(who, first + 1)
            .filter(|second| !who[..first].contains(&b',') && has_address(&who[first + 1..*second], b" ,"));
        second.or(Some(first))
    }

    /// The label of the rest of a line in which nobody can tell where a field is.
    pub fn rest(&self) -> usize {
        self.rest
    }

    /// Puts the parameters in the rest of a line, where nobody can tell its fields apart, in place of that rest; returns where
    /// it begins. A quote ends a parameter there.
    pub fn parameters_of_rest(&self, line: &[u8], spans: &mut Vec<Span>) -> Option<usize> {
        let Range { start, end } = spans.pop_if(|span| span.label == self.rest)?.range;
        let (line, mut at) = (&line[..end], start);
        while at < end {
            let quote = closing_quote(line, at).unwrap_or(end);
            match target(&line[at..quote]) {
                Some(url) => self.query.find(line, at + url.start..at + url.end, Text::Url, spans),
                None => self.query.find(line, at..quote, Text::Field, spans),
            }
            at = quote + 1;
        }
        Some(start)
    }

    /// Adds the values; `false` where the line is of another format.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> bool {
        self.line(line.strip_suffix(b"\r").unwrap_or(line), spans).is_some()
    }

    fn line(&self, line: &[u8], spans: &mut Vec<Span>) -> Option<()> {
        let quote = request_quote(line)?;
        self.head(&line[..quote], spans)?;
        let sizes = closing_quote(line, quote + 1).and_then(|end| {
            let status = number(line, end + 1)?;
            Some((end, number(line, status)?))
        });
        let unclear = match sizes {
            None => Some(quote),
            Some((end, sizes)) => {
                self.request(line, quote + 1..end, spans);
                self.tail(line, sizes, spans).err()
            }
        };
        if let Some(start) = unclear {
            push(line, start..line.len(), Some(self.rest), spans);
        }
        Some(())
    }

    /// The text before the request. A user's name can have blanks in it, and brackets.
    fn head(&self, head: &[u8], spans: &mut Vec<Span>) -> Option<()> {
        let who = head.strip_suffix(b"] ")?;
        let who = &who[..memchr::memrchr(b'[', who)?];
        let end = who.strip_suffix(b" ")?.len();
        let blanks = memchr::memchr_iter(b' ', &who[..end]).take(2).count();
        (blanks == 2).then_some(())?;
        // A server's text from a header can have no words, or empty ones.
        if self.words(who, end, spans).is_none() {
            push(who, 0..end, self.who, spans);
        }
        Some(())
    }

    /// Nothing where there is no client, ident or user.
    fn words(&self, who: &[u8], end: usize, spans: &mut Vec<Span>) -> Option<()> {
        let has_port = has_port_in_front(&who[..end]);
        let start = if has_port { word_end(who, 0)? + 1 } else { 0 };
        let client = client_end(who, start)?;
        let ident = word_end(who, client + 1)?;
        (start < client && client + 1 < ident && ident + 1 < end).then_some(())?;
        if is_unclear(&who[..end], start..client, &who[client + 1..ident], &who[ident + 1..end]) {
            push(who, 0..end, self.who, spans);
        } else {
            push(who, start..client, self.client, spans);
            push(who, ident + 1..end, self.user, spans);
        }
        Some(())
    }

    fn request(&self, line: &[u8], request: Range<usize>, spans: &mut Vec<Span>) {
        if self.request.is_some() || self.query.is_empty() {
            return push(line, request, self.request, spans);
        }
        match target(&line[request.clone()]) {
            Some(target) => {
                let target = request.start + target.start..request.start + target.end;
                self.query.find(line, target, Text::Url, spans);
            }
            None => push(line, request, self.odd_request, spans),
        }
    }

    /// The fields behind the size, each with a blank before it. Any of them can have a URL in it. Fails where nobody can tell
    /// what the rest of the line is: with the place where that begins.
    fn tail(&self, line: &[u8], mut at: usize, spans: &mut Vec<Span>) -> Result<(), usize> {
        let (mut quoted, mut third) = (0, None);
        while at < line.len() {
            let start = at + 1;
            if line.get(start) == Some(&b'"') {
                // A quote that a server did not escape may have made two fields of one before it.
                if let (Some((start, spans_before)), 3) = (third, quoted)
                    && self.combined == 3
                    && self.quoted.len() == 3
                {
                    spans.truncate(spans_before);
                    return Err(start);
                }
                if quoted == 2 {
                    third = Some((start, spans.len()));
                }
                let end = closing_quote(line, start + 1).ok_or(start)?;
                let field = start + 1..end;
                if line.get(end + 1).is_some_and(|byte| *byte != b' ')
                    || self.is_odd(quoted, &line[field.clone()])
                {
                    return Err(start);
                }
                match self.quoted.get(quoted).copied().flatten() {
                    None => self.query.find(line, field, Text::Field, spans),
                    label => push(line, field, label, spans),
                }
                quoted += 1;
                at = end + 1;
            } else if quoted < self.combined {
                return Err(start);
            } else {
                let before = spans.len();
                at = self.unquoted(line, start, spans).ok_or_else(|| {
                    spans.truncate(before);
                    start
                })?;
            }
        }
        Ok(())
    }

    /// True where a field in quotes is not what is named: where there are quotes in fields that a server did not escape, or where
    /// another field stands in its place. Servers take away the blanks around a header.
    fn is_odd(&self, number: usize, field: &[u8]) -> bool {
        let is_named = !self.quoted.is_empty();
        let is_torn = field.starts_with(b" ") || field.ends_with(b" ");
        is_named && is_torn
            || number < self.combined
                && !is_nothing(field)
                && match number {
                    // A parameter of a URL can be an address.
                    0 => !is_url(field) || has_address(field, b" ,"),
                    1 => has_address(field, b" ,=;"),
                    _ => !has_address(field, b" ,=;"),
                }
    }

    /// A field that begins without a quote, such as `rt=0.1` and `up="1.2.3.4:80, 1.2.3.5:80"`; returns its end.
    fn unquoted(&self, line: &[u8], mut at: usize, spans: &mut Vec<Span>) -> Option<usize> {
        loop {
            let end = memchr::memchr2(b' ', b'"', &line[at..]).map_or(line.len(), |length| at + length);
            self.query.find(line, at..end, Text::Word, spans);
            if line.get(end) != Some(&b'"') {
                return Some(end);
            }
            let close = closing_quote(line, end + 1)?;
            self.query.find(line, end + 1..close, Text::Field, spans);
            at = close + 1;
        }
    }
}

/// The label of what is left of a line where nobody can tell its fields apart.
pub const REST: &str = "line";

fn push(line: &[u8], range: Range<usize>, label: Option<usize>, spans: &mut Vec<Span>) {
    if let Some(label) = label.filter(|_| !is_nothing(&line[range.clone()])) {
        spans.push(Span { range, label, form: Form::Verbatim });
    }
}

#[cfg(test)]
mod tests;

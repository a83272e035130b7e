//! Lines that are written as nginx's `log_format` or Apache httpd's `LogFormat` says.
//!
//! A format is literal text with variables between it. Visitors choose what stands in most variables, so that the literal text
//! behind one may stand in it, too. A line is therefore matched from its start, which gives the first place where each literal
//! may be, and from its end, which gives the last one. A value that is sealed goes from the first place where it may begin to
//! the last one where it may end: however the line is read, all of the value is in it.

mod parse;

use crate::access;
use crate::error::{SelectionError, twin};
use crate::names::Labels;
use crate::paths::Glob;
use crate::query::{Query, Text, is_url};
use crate::selection::{Kind, List};
use crate::span::{Form, Span};
use memchr::memmem::{Finder, FinderRev};
use parse::{Content, Limit, MOST, Variable, parse};
use std::ops::Range;

/// A format, and what is looked for in its lines.
pub struct Template {
    /// One more than variables: the text before the first, between them, and behind the last.
    literals: Vec<Literal>,
    variables: Vec<Variable>,
    query: Query,
    parameters: Range<usize>,
}

/// Text of the format. To make a searcher takes longer than to search.
struct Literal {
    text: Vec<u8>,
    first: Finder<'static>,
    last: FinderRev<'static>,
}

impl From<Vec<u8>> for Literal {
    fn from(text: Vec<u8>) -> Self {
        let (first, last) = (Finder::new(&text).into_owned(), FinderRev::new(&text).into_owned());
        Self { text, first, last }
    }
}

impl Template {
    /// Reads a format. `names` are those of the variables that are sealed, and `kept` those that are not, where all others are.
    pub fn new(
        format: &str,
        names: (List, &[String]),
        kept: &[String],
        any_query: (List, &[String]),
        labels: &mut Labels,
    ) -> Result<Self, SelectionError> {
        let (literals, mut variables) =
            parse(format).map_err(|fault| SelectionError::Format { why: fault.0 })?;
        for name in names.1.iter().chain(kept) {
            if !variables.iter().any(|variable| variable.is_named(name)) {
                let meant = variables.iter().map(|variable| variable.names[0].clone()).collect();
                return Err(SelectionError::Name {
                    list: names.0,
                    kind: Kind::Template,
                    name: name.clone(),
                    what: VARIABLE,
                    meant,
                });
            }
        }
        if let Some((name, _)) = twin(names.1, |one, other| is_same(one, other)) {
            return Err(SelectionError::Twice { name: name.clone(), other: name.clone() });
        }
        let first = labels.len();
        let query = Query::new(any_query.0, any_query.1, labels)?;
        let parameters = first..labels.len();
        for variable in &mut variables {
            let is_kept = kept.iter().any(|name| variable.is_named(name));
            let all = || names.1.iter().filter(|name| variable.is_named(name));
            let exact = all().find(|name| !name.contains('*'));
            if let Some(name) = exact.filter(|_| is_kept) {
                return Err(SelectionError::Twice { name: name.clone(), other: name.clone() });
            }
            let named = exact.or_else(|| all().next());
            if let Some(name) = named.filter(|_| !is_kept) {
                labels.begin(names.0, name, true);
                variable.label = Some(labels.add(&variable.names[0])?);
                labels.end();
            }
            // No rule counts it, so that text that nobody can read does not hide that a rule finds nothing.
            if !query.is_empty() && variable.content != Content::NoUrl {
                variable.whole = Some(labels.add(&variable.names[0])?);
            }
        }
        let literals = literals.into_iter().map(Literal::from).collect();
        Ok(Self { literals, variables, query, parameters })
    }

    /// True where a format has a variable of this name.
    pub fn has_variable(format: &str, name: &str) -> bool {
        parse(format).is_ok_and(|(_, variables)| variables.iter().any(|variable| variable.is_named(name)))
    }

    /// True where lines look like objects of JSON.
    pub fn is_json(&self) -> bool {
        let ends = (self.literals.first(), self.literals.last());
        matches!(ends, (Some(first), Some(last)) if first.text.starts_with(b"{") && last.text.ends_with(b"}"))
    }

    /// The labels of variables that were sealed as a whole, because nobody can tell where parameters are in them.
    pub fn wholes(&self) -> impl Iterator<Item = usize> {
        self.variables.iter().filter_map(|variable| variable.whole)
    }

    /// True where the label is that of a parameter, and not of a variable.
    pub fn is_parameter(&self, label: usize) -> bool {
        self.parameters.contains(&label)
    }

    /// Adds the values; `false` where the line is not written so.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> bool {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut places = [(0, 0); MOST + 1];
        if self.places(line, &mut places).is_none() {
            return false;
        }
        for (index, variable) in self.variables.iter().enumerate() {
            let (begin, end) = (places[index], places[index + 1]);
            let start = begin.0 + self.literals[index].text.len();
            let range = start..end.1.max(start);
            let is_clear = begin.0 == begin.1 && end.0 == end.1;
            if range.is_empty() || is_clear && matches!(&line[range.clone()], b"-" | b"\"\"") {
                continue;
            }
            match variable.label {
                Some(label) => spans.push(Span { range, label, form: Form::Verbatim }),
                None if variable.whole.is_none() => {}
                None if is_clear => self.query_of(variable, line, range, spans),
                None => variable.push_whole(range, spans),
            }
        }
        true
    }

    /// The first part of the format that the line does not have.
    pub fn why_not(&self, line: &[u8]) -> String {
        let mut at = 0;
        for (index, literal) in self.literals.iter().enumerate() {
            let after = match index.checked_sub(1).map(|before| &self.variables[before].written) {
                Some(before) => format!("after {before}"),
                None => "at the start".to_owned(),
            };
            match literal.first.find(&line[at..]).filter(|found| index > 0 || *found == 0) {
                Some(found) => at += found + literal.text.len(),
                None => return format!("it has no {:?} {after}", String::from_utf8_lossy(&literal.text)),
            }
        }
        "the text of one of its fields does not match the format".to_owned()
    }

    fn query_of(&self, variable: &Variable, line: &[u8], range: Range<usize>, spans: &mut Vec<Span>) {
        let text = match variable.content {
            Content::Request => match access::target(&line[range.clone()]) {
                Some(target) => {
                    let target = range.start + target.start..range.start + target.end;
                    return self.query.find(line, target, Text::Url, spans);
                }
                None => return variable.push_whole(range, spans),
            },
            Content::Field => Text::Field,
            Content::Word | Content::NoUrl if is_url(&line[range.clone()]) => Text::Url,
            Content::Word | Content::NoUrl => Text::Word,
        };
        self.query.find(line, range, text, spans);
    }

    /// For each literal, the first and the last place where it may stand; nothing where there is none.
    fn places(&self, line: &[u8], places: &mut [(usize, usize); MOST + 1]) -> Option<()> {
        let last = self.variables.len();
        line.starts_with(&self.literals[0].text).then_some(())?;
        let end = line.strip_suffix(&self.literals[last].text[..])?.len();
        // From the start: as long as each value before it had one end only, a literal has one place.
        let (mut at, mut exact) = (self.literals[0].text.len(), true);
        let mut all_exact = true;
        for (index, variable) in self.variables.iter().enumerate() {
            let literal = &self.literals[index + 1];
            let found = match variable.limit.end(line, at).filter(|_| exact) {
                _ if index + 1 == last => {
                    exact &= variable.limit != Limit::None;
                    if exact && variable.limit.end(line, at).is_some_and(|stop| stop < end) {
                        return None;
                    }
                    end
                }
                Some(stop) if variable.limit.stops(&literal.text) => {
                    line[stop..].starts_with(&literal.text).then_some(stop)?
                }
                _ => {
                    exact = false;
                    at + literal.first.find(line.get(at..)?)?
                }
            };
            all_exact &= exact || index + 1 == last;
            places[index + 1] = (found, found);
            at = found + literal.text.len();
        }
        if at > line.len() || places[last].0 < places[last - 1].0 + self.literals[last - 1].text.len() {
            return None;
        }
        if all_exact {
            return Some(());
        }
        self.last_places(line, end, places)?;
        // Behind a literal with one place, values end where they do for sure.
        for (index, variable) in self.variables.iter().enumerate() {
            let start = places[index].0 + self.literals[index].text.len();
            let literal = &self.literals[index + 1].text;
            if places[index].0 != places[index].1 {
                continue;
            }
            if index + 1 == last {
                variable.limit.end(line, start).is_none_or(|stop| stop >= end).then_some(())?;
            } else if variable.limit.stops(literal) {
                let stop = variable.limit.end(line, start)?;
                line[stop..].starts_with(literal).then_some(())?;
                places[index + 1] = (stop, stop);
            }
        }
        Some(())
    }

    /// From the end: the last place of each literal.
    fn last_places(&self, line: &[u8], end: usize, places: &mut [(usize, usize); MOST + 1]) -> Option<()> {
        let (mut end, mut exact) = (end, true);
        for index in (1..self.variables.len()).rev() {
            let (literal, limit) = (&self.literals[index], self.variables[index].limit);
            let start = limit.start(line, end).filter(|_| exact && limit.begins(&literal.text));
            let found = match start {
                Some(start) => line[..start].strip_suffix(&literal.text[..])?.len(),
                None => {
                    exact = false;
                    literal.last.rfind(&line[..end])?
                }
            };
            if found < places[index].0 {
                return None;
            }
            places[index].1 = found;
            end = found;
        }
        (end >= self.literals[0].text.len()).then_some(())
    }
}

/// The description of a name, for errors about others.
pub const VARIABLE: &str = "a variable of log_format";

impl Limit {
    /// Where a value that begins at `start` ends for sure.
    fn end(self, line: &[u8], start: usize) -> Option<usize> {
        let rest = line.get(start..)?;
        let end = match self {
            Self::Blank => memchr::memchr(b' ', rest),
            Self::Quote => return Some(crate::quotes::closing_quote(line, start).unwrap_or(line.len())),
            Self::Bracket => memchr::memchr2(b'[', b']', rest),
            Self::Host if rest.starts_with(b"[") => memchr::memchr(b']', rest).map(|end| end + 1),
            Self::Host => memchr::memchr2(b' ', b':', rest),
            Self::None => return None,
        };
        Some(end.map_or(line.len(), |length| start + length))
    }

    /// Where a value that ends at `end` begins for sure.
    fn start(self, line: &[u8], end: usize) -> Option<usize> {
        let text = &line[..end];
        let found = match self {
            Self::Blank => memchr::memrchr(b' ', text),
            Self::Quote => last_quote(text),
            Self::Bracket => memchr::memrchr2(b'[', b']', text),
            Self::Host | Self::None => return None,
        };
        Some(found.map_or(0, |found| found + 1))
    }

    fn is_stop(self, byte: u8) -> bool {
        match self {
            Self::Blank => byte == b' ',
            Self::Quote => byte == b'"',
            Self::Bracket => matches!(byte, b'[' | b']'),
            Self::Host => matches!(byte, b' ' | b':'),
            Self::None => false,
        }
    }

    /// True where no value can hold the beginning of the text behind it.
    fn stops(self, literal: &[u8]) -> bool {
        literal.first().is_some_and(|byte| self.is_stop(*byte))
    }

    /// True where no value can hold the end of the text before it.
    fn begins(self, literal: &[u8]) -> bool {
        literal.last().is_some_and(|byte| self.is_stop(*byte))
    }
}

/// The last quote that no backslash takes.
fn last_quote(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    loop {
        let found = memchr::memrchr(b'"', &text[..end])?;
        let backslashes = text[..found].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(found);
        }
        end = found;
    }
}

impl Variable {
    fn push_whole(&self, range: Range<usize>, spans: &mut Vec<Span>) {
        spans.extend(self.whole.map(|label| Span { range, label, form: Form::Verbatim }));
    }

    fn is_named(&self, typed: &str) -> bool {
        let is_one = |name: &String| {
            if typed.contains('*') {
                Glob::new(typed, true).is_match(name.as_bytes())
            } else {
                is_same(typed, name)
            }
        };
        self.written == typed || self.names.iter().any(is_one)
    }
}

/// True where two names are one: Apache has %u for the user and %U for the path, and other names have no case.
fn is_same(typed: &str, name: &str) -> bool {
    if typed.starts_with('%') { name == typed } else { name.eq_ignore_ascii_case(typed) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use crate::shown::{found as of_selection, owned};
    use crate::{Kind, Selection};

    const NGINX: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status "$http_referer" "$http_user_agent" rt=$request_time"#;

    fn selection(format: &str, seal: &[&str], query: &[&str]) -> Selection {
        let log_format = Some(format.to_owned());
        Selection {
            kind: Some(Kind::Template),
            log_format,
            headers: owned(seal),
            query: owned(query),
            ..Selection::default()
        }
    }

    /// Names are separated by blanks.
    fn found(format: &str, seal: &str, query: &str, line: &str) -> Option<Vec<String>> {
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let (seal, query) =
            (words(Box::leak(seal.to_owned().into())), words(Box::leak(query.to_owned().into())));
        of_selection(&selection(format, &seal, &query), line)
    }

    fn refused(format: &str) -> String {
        crate::Fields::new(&selection(format, &["x"], &[])).err().unwrap().to_string()
    }

    #[test]
    fn variables_are_found_by_any_of_their_names() {
        let line = r#"::1 - bob [23/Nov/2026:12:00:00 +0000] "GET /?t=1 HTTP/1.1" 200 "http://x/?t=2" "curl/8" rt=0.1"#;
        for names in [
            "client user User-Agent",
            "remote_addr remote_user http_user_agent",
            "$remote_addr $remote_user USER-AGENT",
        ] {
            assert_eq!(
                found(NGINX, names, "", line).unwrap(),
                ["client ::1", "user bob", "User-Agent curl/8"]
            );
        }
        assert_eq!(found(NGINX, "request rt", "", line).unwrap(), ["request GET /?t=1 HTTP/1.1", "rt 0.1"]);
        assert_eq!(found(NGINX, "", "t", line).unwrap(), ["t 1", "t 2"]);
        assert_eq!(found(NGINX, "*_user*", "", line).unwrap(), ["user bob", "User-Agent curl/8"]);
        assert_eq!(
            found(NGINX, "user Referer", "t", &line.replace("bob", "-").replace("http://x/?t=2", "-"))
                .unwrap(),
            ["t 1"]
        );
        assert_eq!(
            found(NGINX, "client", "", "::1 - - [t] \"-\" 400 \"-\" \"-\" rt=1").unwrap(),
            ["client ::1"]
        );
    }

    #[test]
    fn apache_writes_times_and_quotes_of_its_own() {
        let format = r#"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %D"#;
        let line = r#"x.example:443 ::1 - a \"b [23/Nov/2026:12:00:00 +0000] "GET /?t=\"1 HTTP/1.1" 200 5 "-" "Moz \"x\" y" 7"#;
        assert_eq!(
            found(format, "client %u User-Agent", "t", line).unwrap(),
            ["client ::1", r#"user a \"b"#, r#"t \"1"#, r#"User-Agent Moz \"x\" y"#]
        );
        assert_eq!(
            found(r#"%{%Y-%m-%d}t\t%h %!200{Cookie}i"#, "Cookie", "", "2026-11-23\t::1 a b").unwrap(),
            ["Cookie a b"]
        );
        assert_eq!(found("%%|%h", "client", "", "%|::1").unwrap(), ["client ::1"]);
        assert_eq!(found("%v:%p %h", "client", "", "[::7]:443 ::1").unwrap(), ["client ::1"]);
    }

    #[test]
    fn upper_and_lower_case_are_two_directives_of_apache() {
        let format = r#"%h user=%u "%m %U%q""#;
        let line = r#"::1 user=bob "GET /a?t=1""#;
        assert_eq!(found(format, "%u", "", line).unwrap(), ["user bob"]);
        assert_eq!(found(format, "%U", "", line).unwrap().len(), 1);
        // Both parts of what cannot be told apart may be named.
        assert_eq!(found(format, "%u uri query_string", "", line).unwrap().len(), 2);
    }

    #[test]
    fn what_stands_before_a_variable_names_it() {
        let json = r#"{"ip":"$remote_addr","status":$status,"ua":"$http_user_agent"}"#;
        let line = r#"{"ip":"::1","status":200,"ua":"curl"}"#;
        assert_eq!(found(json, "ip ua", "", line).unwrap(), ["ip ::1", "ua curl"]);
        assert_eq!(found(json, "client", "", line).unwrap(), ["ip ::1"]);
        assert_eq!(
            found("host:$remote_addr\tua:$http_user_agent", "ua", "", "host:::1\tua:a b").unwrap(),
            ["ua a b"]
        );
    }

    #[test]
    fn variables_with_nothing_between_are_one() {
        let line = r#""GET /a?t=1 HTTP/1.1" 200"#;
        let format = r#""%m %U%q %H" %>s"#;
        assert_eq!(found(format, "", "t", line).unwrap(), ["t 1"]);
        for name in ["%q", "uri", "%U"] {
            assert_eq!(found(format, name, "", line).unwrap(), ["uri /a?t=1"]);
        }
        assert_eq!(found("$status$remote_addr x", "client", "", "200::1 x").unwrap(), ["status 200::1"]);
    }

    /// A visitor writes what stands behind his value in the format: the value is sealed, wherever it ends.
    #[test]
    fn a_value_is_sealed_however_the_line_is_read() {
        let line = |user: &str| format!(r#"::1 - {user} [t] "GET / HTTP/1.1" 200 "-" "curl" rt=0.1"#);
        for user in [
            "a [t] \"GET / HTTP/1.1\" 200 \"-\" \"x\" rt=1",
            "a [b",
            "a] \"b",
            "[t] \"",
            " - x [t] \"-\" 1 \"-\" \"-\" rt=",
        ] {
            let found = found(NGINX, "client user", "", &line(user)).unwrap();
            assert_eq!(found[0], "client ::1");
            assert!(found[1].strip_prefix("user ").unwrap().contains(user), "{user}: {found:?}");
        }
        // Nobody escapes: the agent is sealed with all that may be of it.
        let raw = r#"escape=none "$http_user_agent" "$http_x_forwarded_for" $status"#;
        assert_eq!(found(raw, "User-Agent", "", r#""Moz" "::1" 200"#).unwrap(), ["User-Agent Moz"]);
        let found = found(raw, "X-Forwarded-For", "", r#""Moz" "fake" "::1" 200"#).unwrap();
        assert_eq!(found, [r#"X-Forwarded-For fake" "::1"#]);
        // A request in which nobody can tell where it ends is sealed as one.
        let text = found_of_text(r#"$request from $remote_addr"#, r#"GET /?t=1 from x HTTP/1.1 from ::1"#);
        assert_eq!(text, ["request GET /?t=1 from x HTTP/1.1"]);
    }

    fn found_of_text(format: &str, line: &str) -> Vec<String> {
        found(format, "", "t", line).unwrap()
    }

    #[test]
    fn other_lines_are_of_no_kind() {
        for line in [
            "",
            "x",
            "::1 - - [t] \"-\" 400",
            "::1 - - [t] \"-\" 400 \"-\" \"-\" rt=1 more",
            "::1 - - [t] \"-\" 4 0 \"-\" \"-\" rt=1",
        ] {
            assert_eq!(found(NGINX, "client", "", line), None, "{line}");
        }
        let why = |line: &str| {
            crate::Fields::new(&selection(NGINX, &["client"], &[])).unwrap().why_not(line.as_bytes())
        };
        assert_eq!(why("::1 x"), "it has no \" - \" after $remote_addr");
        assert_eq!(why("::1 - - [t] \"-\" 400 \"-\" \"-\""), "it has no \"\\\" rt=\" after $http_user_agent");
    }

    #[test]
    fn what_is_no_format_is_refused() {
        assert!(refused("no variable").starts_with("log_format has no variable"));
        assert!(refused("%h %{x").contains("no closing brace"));
        assert!(refused("%h %").contains("not a directive"));
        assert!(refused("$a\n$b").contains("line feed"));
        assert!(refused(&"$a ".repeat(65)).contains("more than 64"));
        assert_eq!(refused("$remote_addr"), "\"x\" is not a variable of log_format");
    }
}

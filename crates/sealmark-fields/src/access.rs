//! Values in the common and combined access-log formats of Apache httpd and nginx,
//!
//! ```text
//! client ident user [time] "request" status bytes "Referer" "User-Agent" …
//! ```
//!
//! with `name:port` in front of it or not (Debian's `vhost_combined`), and with any fields behind it.

use crate::error::SelectionError;
use crate::header::{Header, Place};
use crate::names::Labels;
use crate::query::{Query, Text, is_url};
use crate::quotes::closing_quote;
use crate::selection::List;
use crate::span::{Form, Span};
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

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

/// The first quote but for those of an empty user's name, which Apache httpd writes as `""`.
fn request_quote(line: &[u8]) -> Option<usize> {
    let quote = closing_quote(line, 0)?;
    if line[quote..].starts_with(b"\"\" [") { closing_quote(line, quote + 2) } else { Some(quote) }
}

/// True where there is one word more than client, ident and user, and it is a name and a port: no IPv6 address. A client is
/// always there, so what has `-` in its place is not in front of it.
fn has_port_in_front(who: &[u8]) -> bool {
    let mut words = who.splitn(4, |byte| *byte == b' ');
    let (Some(first), Some(second), Some(_), Some(_)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return false;
    };
    let Some(colon) = memchr::memrchr(b':', first) else { return false };
    let (name, port) = (&first[..colon], &first[colon + 1..]);
    let one_colon = !name.contains(&b':') || name.starts_with(b"[") && name.ends_with(b"]");
    one_colon && !port.is_empty() && port.iter().all(u8::is_ascii_digit) && second != b"-"
}

/// True where another of the words may be the client or the user: hardly any server asks who its user is, so that a word in
/// place of `-` is in front of that place; no other word is an address; and lists of addresses are the client's.
fn is_unclear(who: &[u8], client: Range<usize>, ident: &[u8], user: &[u8]) -> bool {
    let others = [&who[..client.start], &who[client.end..]];
    ident != b"-"
        || memchr::memmem::find(user, b", ").is_some()
        || others.into_iter().any(|words| has_address(words, b" ,=;"))
}

/// True where a field has an address between such signs.
fn has_address(field: &[u8], signs: &[u8]) -> bool {
    field.split(|byte| signs.contains(byte)).any(is_address)
}

/// An IP address, maybe with a port or in brackets or quotes.
fn is_address(word: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_hexdigit() || b".:[]%".contains(byte);
    let start = word.iter().position(plain).unwrap_or(word.len());
    let end = word.iter().rposition(plain).map_or(start, |last| last + 1);
    // The longest is an IPv6 address with a port.
    let Ok(word) = str::from_utf8(&word[start..end.max(start)]) else { return false };
    let bare = word.trim_matches(['[', ']', '.', ':']);
    word.len() <= 64
        && (word.parse::<IpAddr>().is_ok()
            || word.parse::<SocketAddr>().is_ok()
            || bare.parse::<IpAddr>().is_ok())
}

/// The end of a client: the addresses of proxies on the way stand in one place.
fn client_end(who: &[u8], start: usize) -> Option<usize> {
    let mut end = word_end(who, start)?;
    while who[..end].ends_with(b",") {
        end = word_end(who, end + 1)?;
    }
    Some(end)
}

fn word_end(text: &[u8], start: usize) -> Option<usize> {
    Some(start + memchr::memchr(b' ', text.get(start..)?)?)
}

/// A blank and then digits or `-`, up to another blank or the end; returns that.
fn number(line: &[u8], start: usize) -> Option<usize> {
    (line.get(start) == Some(&b' ')).then_some(())?;
    let end = memchr::memchr(b' ', &line[start + 1..]).map_or(line.len(), |length| start + 1 + length);
    let word = &line[start + 1..end];
    (word == b"-" || !word.is_empty() && word.iter().all(u8::is_ascii_digit)).then_some(end)
}

/// Where in a request line the target is, which may have blanks in it; nothing where it is no request.
///
/// A request that nobody sent, and a server writes as `-`, has no target, and nothing to hide.
pub fn target(request: &[u8]) -> Option<Range<usize>> {
    if is_nothing(request) {
        return Some(0..0);
    }
    let (method, end) = (memchr::memchr(b' ', request)?, version_start(request));
    // HTTP/0.9 had no version, and no other method.
    let is_method = match &request[..method] {
        b"GET" => true,
        name => !name.is_empty() && end.is_some() && name.iter().all(is_part_of_method),
    };
    let target = method + 1..end.unwrap_or(request.len()).max(method + 1);
    (is_method && is_target(&request[target.clone()])).then_some(target)
}

fn is_part_of_method(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_'
}

/// Where ` HTTP/1.1` begins.
fn version_start(request: &[u8]) -> Option<usize> {
    let blank = memchr::memrchr(b' ', request)?;
    let version = request[blank + 1..].strip_prefix(b"HTTP/")?;
    version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.').then_some(blank)
}

/// RFC 9112, section 3.2: a path, `*`, a whole URL, or for CONNECT a name and a port.
fn is_target(target: &[u8]) -> bool {
    target == b"*" || is_url(target)
}

fn push(line: &[u8], range: Range<usize>, label: Option<usize>, spans: &mut Vec<Span>) {
    if let Some(label) = label.filter(|_| !is_nothing(&line[range.clone()])) {
        spans.push(Span { range, label, form: Form::Verbatim });
    }
}

/// The sign that a server writes where there is nothing.
fn is_nothing(field: &[u8]) -> bool {
    matches!(field, b"" | b"-" | b"\"\"")
}

#[cfg(test)]
mod tests {
    use crate::shown::access as found;
    use crate::{Fields, Selection};

    const HEAD: &str = r#"1.2.3.4 - bob [10/Oct/2000:13:55:36 -0700]"#;

    /// The line with `request` in it, in the combined format.
    fn of(request: &str) -> String {
        format!(r#"{HEAD} "{request}" 200 2326 "-" "curl/8""#)
    }

    #[test]
    fn both_formats_and_what_is_added_to_them_are_known() {
        let common = format!(r#"{HEAD} "GET /a?b=1 HTTP/1.0" 200 2326"#);
        assert_eq!(found("b", "client user", &common).unwrap(), ["client 1.2.3.4", "user bob", "b 1"]);
        let combined = format!(r#"{common} "http://x/?b=2&c=3" "curl/8 (?b=4)""#);
        assert_eq!(found("b", "", &combined).unwrap(), ["b 1", "b 2", "b 4)"]);
        assert_eq!(
            found("", "Referer User-Agent X-Forwarded-For", &combined).unwrap(),
            ["Referer http://x/?b=2&c=3", "User-Agent curl/8 (?b=4)"]
        );
        let more = format!(r#"{combined} "1.1.1.1" rt=0.1 /?b=5 up="/?b=6&d=7" - "k=v""#);
        assert_eq!(
            found("b", "Referer", &more).unwrap(),
            ["b 1", "Referer http://x/?b=2&c=3", "b 4)", "b 5", "b 6"]
        );
        assert_eq!(
            found("", "X-Forwarded-For Cookie=4", &more).unwrap(),
            ["X-Forwarded-For 1.1.1.1", "Cookie k=v"]
        );
        let forms = format!(r#"{common} "user=1&b=2" args="b=3&c=4" "-""#);
        assert_eq!(found("b", "", &forms).unwrap(), ["b 1", "b 2", "b 3"]);
        let with_host = format!("a.example:443 {combined}\r");
        assert_eq!(found("c", "client", &with_host).unwrap(), ["client 1.2.3.4", "c 3"]);
    }

    #[test]
    fn clients_and_users_are_whatever_servers_write() {
        let who = |who: &str| found("", "client user", &format!(r#"{who} [t] "-" 400 -"#)).unwrap();
        assert_eq!(who("::1 - -"), ["client ::1"]);
        assert_eq!(who("::1 - a b"), ["client ::1", "user a b"]);
        assert_eq!(who(r#"h - """#), ["client h"]);
        assert_eq!(who(r#"h - a\"b"#), ["client h", r#"user a\"b"#]);
        assert_eq!(who("h - a [b] c"), ["client h", "user a [b] c"]);
        assert_eq!(who("unix: - -"), ["client unix:"]);
        assert_eq!(who("1.1.1.1, 2.2.2.2, ::3 - a"), ["client 1.1.1.1, 2.2.2.2, ::3", "user a"]);
        assert_eq!(who("x.example:80 1.1.1.1, 2.2.2.2 - a b"), ["client 1.1.1.1, 2.2.2.2", "user a b"]);
        assert_eq!(who("1.1.1.1:5555 - -"), ["client 1.1.1.1:5555"]);
        assert_eq!(who("1.1.1.1:5555 - a b"), ["client 1.1.1.1:5555", "user a b"]);
    }

    #[test]
    fn where_a_name_may_be_in_front_all_words_are_one() {
        for who in [
            "::1 ident a",
            "[::1]:80 1.1.1.1, 2.2.2.2 - a b",
            "shop.example 203.0.113.9 -",
            "shop.example 203.0.113.9 bob",
            "203.0.113.9:5555 shop.example - -",
            "evil - x, 203.0.113.9 - -",
            "evil - x 203.0.113.9 - -",
            "evil x, y - -",
            "evil - (203.0.113.9:80)",
            "evil - e,203.0.113.9",
            "evil - for=203.0.113.9",
            "evil - a;203.0.113.9",
            "a  b, 203.0.113.9 - -",
            "evil, - -",
            " - -",
            "h  -",
            "evil - [2001:db8::1]:80",
            "shop.example 1.2.3.4 - bob",
            "::1 ident a b",
            "h 1.1.1.1, 2.2.2.2 - -",
            "h ::1 - -",
            "1.1.1.1:55 ident a b",
        ] {
            let line = format!(r#"{who} [t] "-" 400 -"#);
            for headers in ["client", "client user", "user client"] {
                assert_eq!(found("", headers, &line).unwrap(), [format!("client {who}")]);
            }
            assert_eq!(found("", "user", &line).unwrap(), [format!("user {who}")]);
            assert!(found("b", "Referer", &line).unwrap().is_empty());
        }
    }

    #[test]
    fn a_request_is_taken_apart_if_that_can_be_done() {
        for target in ["/?b=1", "http://x?b=1", "x.example:443?b=1", "/?a&b=1", "/a;b=1", "/a&b=1"] {
            assert_eq!(found("b", "", &of(&format!("GET {target} HTTP/1.1"))).unwrap(), ["b 1"]);
        }
        assert_eq!(found("b", "", &of("GET /?b=1")).unwrap(), ["b 1"]);
        assert_eq!(found("b", "", &of("GET /a b?b=1 c HTTP/1.1")).unwrap(), ["b 1 c"]);
        assert_eq!(found("b", "", &of("GET /?b=1 HTTP/1.1 x")).unwrap(), ["b 1 HTTP/1.1 x"]);
        assert_eq!(found("b", "", &of(r#"GET /?b=\"\\&c HTTP/1.1"#)).unwrap(), [r#"b \"\\"#]);
        for nothing in
            ["-", "", "OPTIONS * HTTP/1.1", "GET / HTTP/1.1", "GET /b=1 HTTP/1.1", "GET /b HTTP/1.1"]
        {
            assert!(found("b all", "", &of(nothing)).unwrap().is_empty(), "{nothing}");
        }
    }

    #[test]
    fn where_there_are_many_parameters_those_of_a_field_are_one() {
        let url = |values: usize| format!("/?{}", vec!["a"; values].join("&"));
        let line = |values: usize| of(&format!("GET {} HTTP/1.1", url(values))).replace("\"-\"", "\"/?b=1\"");
        assert_eq!(found("all", "", &line(63)).unwrap().len(), 64);
        let all = format!("query {}", &url(64)[2..]);
        assert_eq!(found("all", "client", &line(64)).unwrap(), ["client 1.2.3.4", &all, "query 1"]);
    }

    #[test]
    fn an_odd_request_is_sealed_as_a_whole() {
        for odd in [
            r"\x16\x03\x01",
            "b=1",
            "GET b?b=1 HTTP/1.1",
            "POST /?b=1",
            "GET HTTP/1.1",
            r"\x16 /?b=1 HTTP/1.1",
            " /?b=1",
        ] {
            assert_eq!(found("b", "", &of(odd)).unwrap(), [format!("request {odd}")]);
            assert!(found("", "Referer", &of(odd)).unwrap().is_empty());
        }
        // A request that cannot be read hides no rule that finds nothing, and is counted apart.
        let fields = |query: &str| Selection { query: vec![query.to_owned()], ..Selection::default() };
        let fields = ["b", "all"].map(|query| Fields::new(&fields(query)).unwrap());
        for fields in fields {
            assert!(fields.find(of("b=1").as_bytes(), &mut Vec::new()));
            assert_eq!((fields.rules().map(|(_, values)| values).sum::<u64>(), fields.rests()), (0, 1));
        }
        assert_eq!(found("b", "request", &of("GET / HTTP/1.1")).unwrap(), ["request GET / HTTP/1.1"]);
    }

    #[test]
    fn other_lines_are_not_looked_into() {
        for line in [
            "",
            "a b c",
            r#"h - [t] "GET / HTTP/1.1" 200 1"#,
            r#"h - - t "GET / HTTP/1.1" 200 1"#,
            r#"h - - [t]"GET / HTTP/1.1" 200 1"#,
            r#"h - - [t] GET / HTTP/1.1 200 1"#,
        ] {
            assert_eq!(found("b", "client", line), None, "{line}");
        }
        let good = of("GET / HTTP/1.1");
        let request = good.find('"').unwrap();
        assert!((0..=request).all(|end| found("b", "", &good[..end]).is_none()));
    }

    #[test]
    fn where_nobody_can_tell_the_fields_apart_the_rest_is_one() {
        let head = "h - - [t] ";
        for rest in [
            r#""GET / HTTP/1.1" 2x0 1"#,
            r#""GET / HTTP/1.1" 200 "#,
            r#""GET / HTTP/1.1" 200"#,
            r#""GET / HTTP/1.1\" 200 1"#,
            r#""GET /" x HTTP/1.1" 200 1"#,
        ] {
            let line = format!("{head}{rest}");
            assert_eq!(found("b", "client", &line).unwrap(), ["client h".to_owned(), format!("line {rest}")]);
        }
        let head = r#"h - - [t] "GET /?b=1 HTTP/1.1" 200 1 "#;
        for rest in [r#""a"b""#, r#"a="b"#, r#""a"b c "d""#] {
            assert_eq!(
                found("b", "", &format!("{head}{rest}")).unwrap(),
                ["b 1".to_owned(), format!("line {rest}")]
            );
        }
        // Lines that are cut off in the middle of a field.
        let good = of("GET /?b=1 HTTP/1.1");
        let size = good.rfind(" \"-\"").unwrap();
        for end in size + 2..good.len() {
            let found = found("b", "", &good[..end]).unwrap();
            assert!(found.len() == 1 || found[1].starts_with("line \""), "{found:?}");
        }
    }

    #[test]
    fn headers_in_another_place_are_sealed_with_all_behind() {
        let rest = |headers: &str, rest: &str| {
            found("", headers, &format!(r#"h - - [t] "-" 200 5 {rest}"#)).unwrap()
        };
        let ordinary = r#""http://x/" "curl""#;
        for odd in [
            r#""Mozilla SECRETUA" "203.0.113.1""#,
            r#""Mozilla SECRETUA""#,
            r#""-" "203.0.113.1, 10.0.0.1""#,
            r#"xff="198.51.100.7" "-" "curl""#,
            r#""203.0.113.1" "-" "curl""#,
            r#""2001:db8::1" "curl""#,
        ] {
            for header in ["User-Agent", "X-Forwarded-For", "Referer User-Agent"] {
                let found = rest(header, odd);
                let covered =
                    found.last().is_some_and(|last| last.starts_with("line ") && odd.ends_with(&last[5..]));
                let before = odd.strip_suffix(found.last().map_or("", |last| &last[5..]));
                assert!(covered && !before.unwrap().contains(['S', '1']), "{header} {odd} {found:?}");
            }
        }
        assert_eq!(
            rest("X-Forwarded-For", r#""-" "curl" xff="198.51.100.7""#),
            [r#"line xff="198.51.100.7""#]
        );
        assert_eq!(rest("X-Forwarded-For", r#""-" "curl" "a b" "::1""#), [r#"line "a b" "::1""#]);
        assert_eq!(
            rest("X-Forwarded-For", &format!("{ordinary} \"1.1.1.1:80, ::2\"")),
            ["X-Forwarded-For 1.1.1.1:80, ::2"]
        );
        assert_eq!(rest("X-Forwarded-For", &format!("{ordinary} \"-\" rt=1")), [""; 0]);
        assert_eq!(rest("X-Forwarded-For", ordinary), [""; 0]);
        assert_eq!(rest("Referer", r#""-""#), [""; 0]);
        // A number is taken at its word.
        assert_eq!(rest("Agent=1", r#""Mozilla" "203.0.113.1""#), ["Agent Mozilla"]);
    }

    #[test]
    fn quotes_that_a_server_did_not_escape_shift_no_field() {
        let rest = |rest: &str| {
            found("", "User-Agent X-Forwarded-For", &format!(r#"h - - [t] "-" 200 5 {rest}"#)).unwrap()
        };
        assert_eq!(rest(r#""-" "Moz "x" SECRET" "::1""#), [r#"line "Moz "x" SECRET" "::1""#]);
        assert_eq!(rest(r#""-" "x" "1.1.1.1" "::1""#), ["User-Agent x", r#"line "1.1.1.1" "::1""#]);
        assert_eq!(rest(r#""-" "x" "1.1.1.1" rt=1 "::1""#).len(), 2);
        assert_eq!(rest(r#""-" "Moz"x" "::1""#), [r#"line "Moz"x" "::1""#]);
        assert_eq!(rest(r#""-" "Moz" " SECRET" "::1""#), ["User-Agent Moz", r#"line " SECRET" "::1""#]);
    }
}

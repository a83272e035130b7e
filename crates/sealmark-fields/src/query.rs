//! Values of parameters in the query of a URL.

use crate::error::SelectionError;
use crate::names::{Labels, Names, PARAMETER};
use crate::selection::List;
use crate::span::{Form, Span};
use std::ops::Range;

/// Which parameters.
pub struct Query {
    named: Names,
    /// The label of all others, where they are to be sealed, too.
    all: Option<usize>,
}

/// The name that is typed for every parameter.
pub const ALL: &str = "all";

/// The text that parameters are looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The target of a request.
    Url,
    /// A field in quotes: a URL, a form as browsers send it, or anything else.
    Field,
    /// A field without quotes, such as `rt=0.1`.
    Word,
}

impl Query {
    pub fn new(list: List, typed: &[String], labels: &mut Labels) -> Result<Self, SelectionError> {
        let (all, named): (Vec<_>, Vec<_>) = typed.iter().cloned().partition(|name| is_all(name));
        let named: Vec<_> = named.iter().map(|name| name.trim().to_owned()).collect();
        let named = Names::new(list, &named, &[], false, labels)?;
        let add_all = || {
            labels.begin(list, ALL, false);
            labels.add(PARAMETER)
        };
        let all = (!all.is_empty()).then(add_all).transpose()?;
        Ok(Self { named, all })
    }

    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.all.is_none()
    }

    /// Adds the values in a text that is, or has somewhere, a URL as a client sent it and a server wrote it.
    pub fn find(&self, line: &[u8], text: Range<usize>, kind: Text, spans: &mut Vec<Span>) {
        let Some(start) = self.start(&line[text.clone()], kind) else { return };
        let mut at = text.start + start;
        while at < text.end {
            let end = memchr::memchr(b'&', &line[at..text.end]).map_or(text.end, |length| at + length);
            let value = match self.all {
                Some(all) => Some(self.any(line, at..end, all)),
                None => self.named(line, at..end, kind),
            };
            let value = value.filter(|(range, _)| !range.is_empty());
            spans.extend(value.map(|(range, label)| Span { range, label, form: Form::Verbatim }));
            at = end + 1;
        }
    }

    /// Where parameters begin: at the first `?`, at a `;` or `&` before it, which some servers take for the same, or at a
    /// `#`, which a browser does not send and others do. A form begins at its start. A parameter with a name can be looked for
    /// everywhere.
    fn start(&self, text: &[u8], kind: Text) -> Option<usize> {
        let behind = |is_mark: fn(&u8) -> bool| Some(text.iter().position(is_mark)? + 1);
        let has_value = || memchr::memchr(b'=', text);
        match (self.all, kind) {
            _ if self.is_empty() => None,
            (None, _) => has_value().map(|_| 0),
            (Some(_), Text::Field) if !is_url(text) && has_value().is_none() => {
                behind(|byte| matches!(byte, b'?' | b'#'))
            }
            (Some(_), kind) if is_form(text, kind) => Some(0),
            (Some(_), Text::Word) if !is_url(text) && memchr::memchr_iter(b'=', text).nth(1).is_some() => {
                behind(|byte| *byte == b'=')
            }
            (Some(_), _) => behind(|byte| *byte == b'&' || is_separator(*byte)),
        }
    }

    /// The text behind the first `=` of a parameter, or all of one that has none, or has before it what some servers take
    /// for the end of another parameter.
    fn any(&self, line: &[u8], parameter: Range<usize>, all: usize) -> (Range<usize>, usize) {
        match line[parameter.clone()].iter().position(|byte| *byte == b'=' || is_separator(*byte)) {
            Some(length) if line[parameter.start + length] == b'=' => {
                let equals = parameter.start + length;
                let label = self.label_of(&line[parameter.start..equals]).unwrap_or(all);
                (equals + 1..parameter.end, label)
            }
            _ => (parameter, all),
        }
    }

    /// The value behind a name, wherever a server may take one to begin; it ends where every server takes it to end.
    /// In a word such as `args=a=1`, the name of the field is in front of the first parameter.
    fn named(&self, line: &[u8], parameter: Range<usize>, kind: Text) -> Option<(Range<usize>, usize)> {
        let (mut start, mut named, mut in_front) = (parameter.start, true, kind == Text::Word);
        for at in parameter.clone() {
            if is_separator(line[at]) {
                (start, named) = (at + 1, true);
            } else if line[at] == b'=' && std::mem::take(&mut named) {
                if let Some(label) = self.label_of(&line[start..at]) {
                    return Some((at + 1..parameter.end, label));
                }
                if std::mem::take(&mut in_front) {
                    (start, named) = (at + 1, true);
                }
            }
        }
        None
    }

    /// Looks up a name as it is written, or without what some servers take away: blanks around it, and what is behind the first
    /// `[` or NUL.
    fn label_of(&self, written: &[u8]) -> Option<usize> {
        let plain = |byte: &u8| *byte > b' ' && !matches!(byte, b'%' | b'+' | b'\\' | b'[');
        if written.iter().all(plain) {
            return self.named.find_by(|name| is_same(name, written));
        }
        let names = parameter_names(written);
        self.named.find_by(|name| names.iter().any(|sent| is_same(name, sent)))
    }
}

/// True where every parameter was meant.
pub fn is_all(typed: &str) -> bool {
    typed.trim().eq_ignore_ascii_case(ALL)
}

/// The names that a written one may stand for: decoded, and without what some servers take away.
pub fn parameter_names(written: &[u8]) -> [Vec<u8>; 2] {
    let decoded = replaced(&replaced(written, logged), encoded);
    let stem = decoded.split(|byte| matches!(byte, b'[' | 0)).next().unwrap_or_default();
    [decoded.trim_ascii().to_vec(), stem.trim_ascii().to_vec()]
}

fn is_same(name: &[u8], sent: &[u8]) -> bool {
    name.len() == sent.len() && name.iter().zip(sent).all(|(name, sent)| folded(*name) == folded(*sent))
}

/// Bytes in the name of a parameter are the same if this is: upper and lower case, and what PHP makes `_` of.
pub fn folded(byte: u8) -> u8 {
    if matches!(byte, b' ' | b'.' | b'[') { b'_' } else { byte.to_ascii_lowercase() }
}

/// True where a text can be what browsers send in place of a query. A field without quotes is that only if it has two
/// parameters.
fn is_form(text: &[u8], kind: Text) -> bool {
    let has = |byte| memchr::memchr(byte, text).is_some();
    kind != Text::Url && !is_url(text) && has(b'=') && (kind == Text::Field || has(b'&'))
}

/// True where a text is a path, or begins with a scheme (RFC 3986, section 3).
pub fn is_url(text: &[u8]) -> bool {
    let scheme = || text.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte));
    text.starts_with(b"/") || scheme().is_some_and(|end| end > 0 && text[end] == b':')
}

/// Beside `&`: old forms use `;`, pages link with `&amp;`, and a second `?` or a `#` is no part of a name.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b';' | b'?' | b'#')
}

/// The bytes that a text stands for, by what its beginning stands for and how long that is. Text that is no escape stands for itself.
fn replaced(mut text: &[u8], by: fn(&[u8]) -> Option<(u8, usize)>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    while let Some(first) = text.first() {
        let (byte, length) = by(text).unwrap_or((*first, 1));
        bytes.push(byte);
        text = &text[length..];
    }
    bytes
}

/// An escape of the log: Apache `\"`, `\\`, `\xhh`, nginx `\xHH`.
fn logged(text: &[u8]) -> Option<(u8, usize)> {
    match *text {
        [b'\\', b'x', high, low, ..] => Some((hex(high, low)?, 4)),
        [b'\\', byte @ (b'"' | b'\\'), ..] => Some((byte, 2)),
        _ => None,
    }
}

/// An escape of the query.
fn encoded(text: &[u8]) -> Option<(u8, usize)> {
    match *text {
        [b'+', ..] => Some((b' ', 1)),
        [b'%', high, low, ..] => Some((hex(high, low)?, 3)),
        _ => None,
    }
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use crate::shown;

    fn found(names: &[&str], url: &str) -> Vec<String> {
        found_in(Text::Url, names, url)
    }

    fn found_in(text: Text, names: &[&str], url: &str) -> Vec<String> {
        let (mut labels, mut spans) = (Labels::default(), Vec::new());
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let query = Query::new(List::Query, &names, &mut labels).unwrap();
        query.find(url.as_bytes(), 0..url.len(), text, &mut spans);
        shown::all(url, &spans, &labels)
    }

    #[test]
    fn parameters_are_found_by_their_names() {
        let url = "/a?user=u&password=p=w&user=&x";
        assert_eq!(found(&["password", "user"], url), ["user u", "password p=w"]);
        assert_eq!(found(&["x", "pass", "a"], url), [""; 0]);
        assert_eq!(found(&["user"], "/user=1&user=2"), ["user 2"]);
        assert_eq!(found(&["s"], "/a;s=1?x=1"), ["s 1?x=1"]);
        assert_eq!(found(&["s"], "/a&s=1"), ["s 1"]);
        assert_eq!(found(&["token"], "/cb#access=1&token=2"), ["token 2"]);
    }

    #[test]
    fn names_are_the_same_however_they_are_written() {
        let written = ["%70assword", "Pass%77ord", r"pass\x77ord", "%5c", r"pass\x2577ord", "PASSWORD"];
        for (name, times) in [("password", 5), ("\\", 1)] {
            let same = written.iter().filter(|written| !found(&[name], &format!("?{written}=x")).is_empty());
            assert_eq!(same.count(), times, "{name}");
        }
        assert_eq!(found(&["my key"], "?my+key=1&my%20key=2&my%2bkey=3"), ["my_key 1", "my_key 2"]);
        assert_eq!(found(&["user[id]"], "?user%5Bid%5D=1&user[id]=2"), ["user_id_ 1", "user_id_ 2"]);
        assert_eq!(found(&["%7", "%zz", "\"\\"], r#"?%7=1&%zz=2&\"\\=3"#), ["_7 1", "_zz 2", "__ 3"]);
        assert_eq!(found(&["é"], r"?%C3%A9=1&\xc3\xA9=2&é=3"), ["_ 1", "_ 2", "_ 3"]);
    }

    #[test]
    fn names_are_the_same_whatever_a_server_takes_away_from_them() {
        for written in [
            "password[]",
            "password%5b0%5d",
            "+password",
            "%20password",
            "password ",
            "password%00",
            "password%00[x",
            "password+[]",
            "%20password%20[0]",
        ] {
            assert_eq!(found(&["password"], &format!("/?{written}=x")), ["password x"], "{written}");
        }
        for other in ["passwords[]", "[password]", "%00password", "pass+word"] {
            assert!(found(&["password"], &format!("/?{other}=x")).is_empty(), "{other}");
        }
        assert_eq!(found(&[" password "], "/?password=x"), ["password x"]);
    }

    #[test]
    fn a_form_begins_at_its_start() {
        let form = "user=1&password=p";
        for text in [Text::Field, Text::Url, Text::Word] {
            assert_eq!(found_in(text, &["user", "password"], form), ["user 1", "password p"]);
        }
        assert_eq!(found_in(Text::Field, &["all"], form), ["query 1", "query p"]);
        assert_eq!(found_in(Text::Field, &["all"], "a; b=1"), ["query a; b=1"]);
        assert_eq!(found_in(Text::Field, &["all"], "http://x/a=b?c=d"), ["query d"]);
        assert_eq!(found_in(Text::Field, &["b"], "a=1; b=2; c=3"), ["b 2; c=3"]);
        for plain in ["curl/8", "Mozilla/5.0 (X11; Linux x86_64)", "1.1.1.1:80, 2.2.2.2"] {
            assert!(found_in(Text::Field, &["all"], plain).is_empty(), "{plain}");
        }
        assert!(found_in(Text::Word, &["all"], "rt=0.1").is_empty());
        assert_eq!(found_in(Text::Word, &["all"], form), ["query 1", "query p"]);
        for name in ["b", "all", "ALL"] {
            assert_eq!(
                found_in(Text::Word, &[name], "args=b=1")[0].split(' ').next_back(),
                Some("1"),
                "{name}"
            );
        }
        assert_eq!(found_in(Text::Word, &["b"], "args=b=1&c=2"), ["b 1"]);
        assert_eq!(found_in(Text::Word, &["b"], "rt=a=b=1"), [""; 0]);
    }

    #[test]
    fn a_value_ends_where_every_server_takes_it_to_end() {
        let pages = "/?a=1;password=p;b=2&amp;password=q?r#s&c=3";
        assert_eq!(found(&["password"], pages), ["password p;b=2", "password q?r#s"]);
        assert_eq!(found(&["b"], "?a=b=1"), [""; 0]);
        assert_eq!(found(&["b"], "?x?b=1"), ["b 1"]);
    }

    #[test]
    fn names_are_the_same_as_php_makes_them() {
        for written in
            ["user.email", "user%20email", "user[email", "user+email", "USER_email", "user_email[x]"]
        {
            assert_eq!(found(&["user_email"], &format!("/?{written}=x")), ["user_email x"], "{written}");
        }
        assert_eq!(found(&["user.email"], "/?user_email=x"), ["user.email x"]);
        for other in ["useremail", "user[email]", "user-email"] {
            assert!(found(&["user_email"], &format!("/?{other}=x")).is_empty(), "{other}");
        }
    }

    #[test]
    fn all_are_all() {
        let url = "/?a=1&b=&c&password=p;q=2&;d=4&&amp;e=5&=6";
        let all = ["query 1", "query c", "password p;q=2", "query ;d=4", "query amp;e=5", "query 6"];
        assert_eq!(found(&["password", "all"], url), all);
        assert_eq!(found(&["all"], "/?secret+words"), ["query secret+words"]);
        assert_eq!(found(&["all"], "/all/of/it?"), [""; 0]);
    }
}

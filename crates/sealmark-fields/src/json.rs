//! `--json`: values at a path in a line that is a JSON object (RFC 8259). A scanner over bytes, so that everything
//! beside the values stays as it is.

use crate::quotes::Specials;
use crate::{Form, Span};
use sealmark::record::{escape, is_json_text};
use std::borrow::Cow;
use std::ops::Range;

/// An object that is nested deeper is no log line.
const DEEPEST: usize = 128;

/// The names on the way to a value, joined by dots. Its label has the same place among the labels.
pub type Path = Box<[u8]>;

/// Whether there can be such a path. One with an empty name is more likely a slip, and would seal nothing.
pub fn is_path(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'.').all(|name| !name.is_empty())
}

/// Adds the values at the paths; `false` where the line is no JSON object, or a value in it is no text.
///
/// A path is the names on the way, joined by dots; arrays on the way are looked through. So `a.b` is found in
/// `{"a":{"b":1}}`, `{"a":[{"b":1}]}` and `{"a.b":1}`, each time it is there.
pub fn find(line: &[u8], paths: &[Path], spans: &mut Vec<Span>) -> bool {
    let specials = Specials::new(line);
    Scanner { line, specials, at: 0, depth: 0, path: b"", paths, spans }.line().is_some()
}

struct Scanner<'a> {
    line: &'a [u8],
    specials: Specials<'a>,
    at: usize,
    depth: usize,
    /// The names on the way, each with a dot behind it: the beginning of a path that is looked for.
    path: &'a [u8],
    paths: &'a [Path],
    spans: &'a mut Vec<Span>,
}

/// What a member's name leads to.
enum Way<'a> {
    /// A value that is one of the fields.
    Field(usize),
    /// To a field, maybe, by this path.
    Deeper(&'a [u8]),
    /// To none.
    Nowhere,
}

impl<'a> Scanner<'a> {
    fn line(&mut self) -> Option<()> {
        self.space();
        if self.peek()? != b'{' {
            return None;
        }
        self.object(true)?;
        self.space();
        (self.at == self.line.len()).then_some(())
    }

    /// Skips a value, or finds what is inside; `hope` tells whether that is worth a look.
    #[inline(always)]
    fn value(&mut self, hope: bool) -> Option<()> {
        // Most values are strings.
        if self.peek()? == b'"' { self.string().map(drop) } else { self.other(hope) }
    }

    fn other(&mut self, hope: bool) -> Option<()> {
        match self.peek()? {
            b'{' => self.object(hope),
            b'[' => self.nested(b']', |scanner| scanner.value(hope)),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn object(&mut self, hope: bool) -> Option<()> {
        self.nested(b'}', |scanner| {
            let name = scanner.string()?;
            scanner.space();
            scanner.take(b':')?;
            scanner.space();
            if hope { scanner.member(name) } else { scanner.value(false) }
        })
    }

    /// A member's value: sealed if its path is one of those, else looked into if one begins with its path.
    fn member(&mut self, name: Range<usize>) -> Option<()> {
        let name = name_of(&self.line[name])?;
        match self.way(&name) {
            Way::Nowhere => self.value(false),
            Way::Deeper(path) => {
                let outer = std::mem::replace(&mut self.path, path);
                self.value(true)?;
                self.path = outer;
                Some(())
            }
            // The whole takes its parts along.
            Way::Field(label) => {
                let start = self.at;
                self.value(false)?;
                let form = form_of(&self.line[start..self.at])?;
                let range = if form == Form::JsonText { start..self.at } else { start + 1..self.at - 1 };
                self.spans.push(Span { range, label, form });
                Some(())
            }
        }
    }

    fn way(&self, name: &[u8]) -> Way<'a> {
        let (mut way, outer, inner) = (Way::Nowhere, self.path.len(), self.path.len() + name.len());
        for (index, path) in self.paths.iter().enumerate() {
            // The byte behind the name tells most paths apart, and costs less than to compare.
            let found = match path.get(inner) {
                None if path.len() == inner => Way::Field(index),
                Some(b'.') => Way::Deeper(&path[..=inner]),
                _ => continue,
            };
            // Names are shorter than what a call of memcmp costs.
            if path[outer..inner].iter().eq(name) && path[..outer].iter().eq(self.path) {
                way = found;
                if let Way::Field(_) = way {
                    break;
                }
            }
        }
        way
    }

    /// Items between commas, behind an opening bracket that has been seen.
    #[inline]
    fn nested(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.depth += 1;
        self.space();
        if self.depth > DEEPEST {
            return None;
        }
        if self.peek()? != end {
            loop {
                item(self)?;
                self.space();
                if self.peek()? != b',' {
                    break;
                }
                self.at += 1;
                self.space();
            }
        }
        self.depth -= 1;
        self.take(end)
    }

    /// What stands between its quotes.
    #[inline]
    fn string(&mut self) -> Option<Range<usize>> {
        self.take(b'"')?;
        let start = self.at;
        loop {
            let found = self.specials.next(self.at)?;
            if self.line[found] == b'"' {
                self.at = found + 1;
                return Some(start..found);
            }
            // A backslash takes the next byte with it.
            self.at = found + 2;
        }
    }

    /// RFC 8259, section 6.
    fn number(&mut self) -> Option<()> {
        if self.peek()? == b'-' {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1
        } else {
            self.digits()?
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// At least one.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word<const LENGTH: usize>(&mut self, word: &[u8; LENGTH]) -> Option<()> {
        (self.line[self.at..].first_chunk()? == word).then(|| self.at += LENGTH)
    }

    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte <= b' ' && b" \t\r\n".contains(&byte)) {
            self.at += 1;
        }
    }
}

/// How the token of a value, with its quotes if it is a string, opens to what is written here; nothing where it is no text.
fn form_of(raw: &[u8]) -> Option<Form> {
    let Some(inside) = raw.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return is_json_text(str::from_utf8(raw).ok()?).then_some(Form::JsonText);
    };
    if is_plain(inside) {
        return Some(Form::Verbatim);
    }
    let text = text_of(inside)?;
    let mut written = Vec::with_capacity(inside.len());
    escape(&text, &mut written);
    Some(match (text.as_bytes() == inside, written == inside) {
        (true, _) => Form::Verbatim,
        (false, true) => Form::Escaped,
        (false, false) => Form::JsonText,
    })
}

/// Printable ASCII without escapes. Asked of all bytes, so that it runs many at a time.
fn is_plain(inside: &[u8]) -> bool {
    let special = |byte: u8| u8::from(byte.wrapping_sub(0x20) > 0x5e) | u8::from(byte == b'\\');
    inside.iter().fold(0, |any, byte| any | special(*byte)) == 0
}

/// What the inside of a string says; nothing where that is no text.
fn text_of(inside: &[u8]) -> Option<String> {
    serde_json::from_slice(&[b"\"", inside, b"\""].concat()).ok()
}

/// A name, to be compared with paths. One that is no text equals none of them.
#[inline]
fn name_of(inside: &[u8]) -> Option<Cow<'_, [u8]>> {
    match inside.contains(&b'\\') {
        true => Some(text_of(inside)?.into_bytes().into()),
        false => Some(inside.into()),
    }
}

/// The text of a string that was found to be one.
pub fn unescaped(inside: &[u8]) -> Vec<u8> {
    text_of(inside).unwrap_or_default().into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn spans(line: &str, paths: &[&str]) -> Option<Vec<Span>> {
        let paths: Vec<Path> = paths.iter().map(|path| path.as_bytes().into()).collect();
        let mut spans = Vec::new();
        find(line.as_bytes(), &paths, &mut spans).then_some(spans)
    }

    fn found(line: &str) -> Option<Vec<String>> {
        let shown = |span: Span| {
            let value = String::from_utf8(span.value(line.as_bytes()).into_owned()).unwrap();
            format!("{} {:?} {value} for {}", span.label, span.form, &line[span.range])
        };
        Some(spans(line, &["a.b", "c"])?.into_iter().map(shown).collect())
    }

    #[test]
    fn values_are_found_wherever_their_path_leads() {
        assert_eq!(found(r#"{"a":{"b":"x"}}"#).unwrap(), ["0 Verbatim x for x"]);
        let twice = ["0 Verbatim x for x", "0 Verbatim y for y"];
        assert_eq!(found(r#" {"a" : [ {"b":"x"}, {"b" : "y"} ] } "#).unwrap(), twice);
        let all = ["0 Verbatim x for x", "1 Verbatim z for z", "1 Verbatim  for "];
        assert_eq!(found(r#"{"a.b":"x","c":"z","c":""}"#).unwrap(), all);
        assert_eq!(found(r#"{"\u0063":"z"}"#).unwrap(), ["1 Verbatim z for z"]);
        assert!(found(r#"{"b":"x","d":{"c":1},"a":{"bb":2}}"#).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_string_is_sealed_as_it_is_written() {
        assert_eq!(found(r#"{"c":-1.5e3,"d":1}"#).unwrap(), ["1 JsonText -1.5e3 for -1.5e3"]);
        let whole = [r#"1 JsonText {"x":[1, "y"]} for {"x":[1, "y"]}"#];
        assert_eq!(found(r#"{"c": {"x":[1, "y"]} }"#).unwrap(), whole);
        assert_eq!(found(r#"{"c":null}"#).unwrap(), ["1 JsonText null for null"]);
    }

    #[test]
    fn strings_are_sealed_as_text_where_a_reader_escapes_them_in_the_same_way() {
        assert_eq!(found("{\"c\":\"é/\u{7f}\"}").unwrap(), ["1 Verbatim é/\u{7f} for é/\u{7f}"]);
        assert_eq!(found(r#"{"c":"a\"\n\u001f"}"#).unwrap(), ["1 Escaped a\"\n\u{1f} for a\\\"\\n\\u001f"]);
        for oddly in
            [r#""\u00e9""#, r#""\/""#, r#""\u000a""#, r#""\u001F""#, r#""\ud83d\ude00""#, r#""a\u0020""#]
        {
            assert_eq!(
                found(&format!("{{\"c\":{oddly}}}")).unwrap(),
                [format!("1 JsonText {oddly} for {oddly}")]
            );
        }
    }

    #[test]
    fn names_may_be_any_text() {
        let line = r#"{"@m":"x","user id":{"é/\n":"y"},"User id":"z"}"#;
        let spans = spans(line, &["@m", "user id.é/\n", "user"]).unwrap();
        let found: Vec<_> = spans.iter().map(|span| (span.label, &line[span.range.clone()])).collect();
        assert_eq!(found, [(0, "x"), (1, "y")]);
    }

    #[test]
    fn a_whole_takes_its_parts_along() {
        let spans = spans(r#"{"a":[{"b":"x"}],"a.b":"y"}"#, &["a", "a.b"]).unwrap();
        let ranges: Vec<_> = spans.iter().map(|span| (span.label, span.range.clone())).collect();
        assert_eq!(ranges, [(0, 5..16), (1, 24..25)]);
    }

    #[test]
    fn what_is_no_object_is_not_looked_into() {
        let deep = format!("{{\"d\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        for line in [
            "",
            "x",
            "[]",
            "\"c\"",
            r#"{"c":"x""#,
            r#"{"c":"x"}}"#,
            r#"{"c":"x"} x"#,
            r#"{"c":"x",}"#,
            r#"{"c"}"#,
            r#"{"d":01}"#,
            r#"{"d":-}"#,
            r#"{"d":1.}"#,
            r#"{"d":.1}"#,
            r#"{"d":+1}"#,
            r#"{"d":1e}"#,
            r#"{"d":1e+}"#,
            r#"{"d":tru}"#,
            r#"{"d":"\"#,
            r#"{"d":1 2}"#,
            r#"{"c":"\ud800"}"#,
            r#"{"c":"\x"}"#,
            r#"{"c":["\x"]}"#,
            "{\"c\":[1,\r2]}",
            "{\"c\":\"\u{1}\"}",
            r#"{,"c":1}"#,
            r#"{"d":}"#,
            &deep,
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}

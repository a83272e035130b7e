//! `--json`: values at a path in a line that is a JSON object (RFC 8259). A scanner over bytes, so that everything
//! beside the values stays as it is.

use super::fields::Span;
use sealmark::record::Label;
use std::borrow::Cow;

/// An object that is nested deeper is no log line.
const DEEPEST: usize = 128;

/// The values at the paths; `None` where the line is no JSON object, or a value in it is no text.
///
/// A path is the names on the way, joined by dots; arrays on the way are looked through. So `a.b` is found in
/// `{"a":{"b":1}}`, `{"a":[{"b":1}]}` and `{"a.b":1}`, each time it is there.
pub fn find<'a>(line: &'a [u8], paths: &[Label]) -> Option<Vec<Span<'a>>> {
    let mut scanner = Scanner { line, at: 0, depth: 0, path: Vec::new(), paths, spans: Vec::new() };
    scanner.space();
    if scanner.peek()? != b'{' {
        return None;
    }
    scanner.object()?;
    scanner.space();
    (scanner.at == line.len()).then_some(scanner.spans)
}

struct Scanner<'a, 'p> {
    line: &'a [u8],
    at: usize,
    depth: usize,
    path: Vec<u8>,
    paths: &'p [Label],
    spans: Vec<Span<'a>>,
}

impl<'a> Scanner<'a, '_> {
    fn object(&mut self) -> Option<()> {
        self.nested(b'}', |scanner| {
            let name = scanner.string()?;
            let name = text_of(&scanner.line[name])?;
            scanner.space();
            scanner.take(b':')?;
            let outer = scanner.path.len();
            if outer > 0 {
                scanner.path.push(b'.');
            }
            scanner.path.extend_from_slice(&name);
            scanner.member()?;
            scanner.path.truncate(outer);
            Some(())
        })
    }

    /// A member's value: sealed if its path is one of those, else looked into.
    fn member(&mut self) -> Option<()> {
        self.space();
        let start = self.at;
        let path = &self.path[..];
        let Some(label) = self.paths.iter().position(|label| label.as_str().as_bytes() == path) else {
            return self.value();
        };
        let inside = self.spans.len();
        self.value()?;
        // The whole takes its parts along.
        self.spans.truncate(inside);
        let raw = &self.line[start..self.at];
        let bare = raw[0] != b'"';
        let value = if bare { raw_text(raw)? } else { text_of(raw)? };
        let range = if bare { start..self.at } else { start + 1..self.at - 1 };
        self.spans.push(Span { range, label, value, bare });
        Some(())
    }

    fn value(&mut self) -> Option<()> {
        self.space();
        match self.peek()? {
            b'{' => self.object(),
            b'[' => self.nested(b']', Self::value),
            b'"' => self.string().map(drop),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    /// Items between commas, behind an opening bracket that has been seen.
    fn nested(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.depth += 1;
        self.space();
        if self.depth > DEEPEST {
            return None;
        }
        if self.peek()? != end {
            loop {
                self.space();
                item(self)?;
                self.space();
                if self.peek()? != b',' {
                    break;
                }
                self.at += 1;
            }
        }
        self.depth -= 1;
        self.take(end)
    }

    /// Where it stands, with its quotes.
    fn string(&mut self) -> Option<std::ops::Range<usize>> {
        let start = self.at;
        self.take(b'"')?;
        loop {
            let found = self.at + memchr::memchr2(b'"', b'\\', &self.line[self.at..])?;
            self.at = found + 1;
            if self.line[found] == b'"' {
                break;
            }
            self.peek()?;
            self.at += 1;
        }
        Some(start..self.at)
    }

    fn number(&mut self) -> Option<()> {
        let part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = self.line[self.at..].iter().take_while(|byte| part(byte)).count();
        let text = &self.line[self.at..][..length];
        serde_json::from_slice::<serde::de::IgnoredAny>(text).ok()?;
        self.at += length;
        Some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.line[self.at..].starts_with(word).then_some(())?;
        self.at += word.len();
        Some(())
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| b" \t\r\n".contains(&byte)) {
            self.at += 1;
        }
    }
}

/// What a string with its quotes says; nothing where that is no text.
fn text_of(quoted: &[u8]) -> Option<Cow<'_, [u8]>> {
    if quoted.iter().all(|byte| *byte >= 0x20 && *byte < 0x7f && *byte != b'\\') {
        return Some(quoted[1..quoted.len() - 1].into());
    }
    Some(serde_json::from_slice::<String>(quoted).ok()?.into_bytes().into())
}

/// A reader puts it into a string, which is text.
fn raw_text(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    std::str::from_utf8(raw).is_ok().then_some(raw.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn found(line: &str) -> Option<Vec<String>> {
        let paths = ["a.b", "c"].map(|path| Label::new(path).unwrap());
        let spans = find(line.as_bytes(), &paths)?;
        let shown = |span: &Span<'_>| {
            let value = String::from_utf8_lossy(&span.value);
            format!(
                "{}{} {value} for {}",
                span.label,
                if span.bare { "!" } else { "" },
                &line[span.range.clone()]
            )
        };
        Some(spans.iter().map(shown).collect())
    }

    #[test]
    fn values_are_found_wherever_their_path_leads() {
        assert_eq!(found(r#"{"a":{"b":"x"}}"#).unwrap(), ["0 x for x"]);
        assert_eq!(found(r#" {"a" : [ {"b":"x"}, {"b" : "y"} ] } "#).unwrap(), ["0 x for x", "0 y for y"]);
        assert_eq!(found(r#"{"a.b":"x","c":"z","c":""}"#).unwrap(), ["0 x for x", "1 z for z", "1  for "]);
        assert_eq!(found(r#"{"\u0063":"a\"\u00e9\n"}"#).unwrap(), ["1 a\"é\n for a\\\"\\u00e9\\n"]);
        assert!(found(r#"{"b":"x","d":{"c":1},"a":{"bb":2}}"#).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_string_is_sealed_as_it_is_written() {
        assert_eq!(found(r#"{"c":-1.5e3,"d":1}"#).unwrap(), ["1! -1.5e3 for -1.5e3"]);
        assert_eq!(found(r#"{"c": {"x":[1, "y"]} }"#).unwrap(), [r#"1! {"x":[1, "y"]} for {"x":[1, "y"]}"#]);
        assert_eq!(found(r#"{"c":null}"#).unwrap(), ["1! null for null"]);
    }

    #[test]
    fn a_whole_takes_its_parts_along() {
        let paths = ["a", "a.b"].map(|path| Label::new(path).unwrap());
        let spans = find(br#"{"a":[{"b":"x"}],"a.b":"y"}"#, &paths).unwrap();
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
            r#"{"d":tru}"#,
            r#"{"d":"\"#,
            r#"{"d":1 2}"#,
            r#"{"c":"\ud800"}"#,
            r#"{"c":"\x"}"#,
            "{\"c\":\"\u{1}\"}",
            r#"{,"c":1}"#,
            r#"{"d":}"#,
            &deep,
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}

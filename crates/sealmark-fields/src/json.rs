//! Values at a path in a line that is a JSON object (RFC 8259). A scanner over bytes, so that everything
//! beside the values stays as it is.

mod typed;

use crate::paths::{Found, Paths, State};
use crate::quotes::Specials;
use crate::span::{Form, Span};
use crate::text::{DEEPEST, span_of, text_of};
use std::borrow::Cow;
use std::ops::Range;
pub use typed::{PATH, Typed, near_miss, path_of};

/// The names on the way to a value, joined by dots.
pub type Path = Box<[u8]>;

/// The values that are looked for.
pub struct Sought {
    pub paths: Ways,
    /// The label of the first path; those of the others follow it.
    pub first: usize,
    /// From this label on, values have text of a kind of their own, and are told as they are written, with their quotes.
    pub within: usize,
}

/// Where values are. Paths that are compared as they are cost less than those with wildcards.
pub enum Ways {
    Exact(Vec<Path>),
    /// Paths with wildcards, in any case, or of values that stay in the clear.
    Wild(Paths),
}

impl Sought {
    /// Values that are sealed, by paths without wildcards.
    #[cfg(test)]
    pub fn exact(paths: Vec<Path>) -> Self {
        Self { paths: Ways::Exact(paths), first: 0, within: usize::MAX }
    }
}

/// Adds the values at the paths, and tells whether the line has a tilde; nothing where it is no JSON object.
///
/// A path is the names on the way, joined by dots; arrays on the way are looked through. So `a.b` is found in
/// `{"a":{"b":1}}`, `{"a":[{"b":1}]}` and `{"a.b":1}`, each time it is there, and `a` takes all of them along.
pub fn find(line: &[u8], sought: &Sought, spans: &mut Vec<Span>) -> Option<bool> {
    let (specials, mut states) = (Specials::new(line), Vec::new());
    let state = match &sought.paths {
        Ways::Exact(_) => 0..0,
        Ways::Wild(paths) => paths.begin(&mut states),
    };
    let mut scanner = Scanner {
        line,
        specials,
        tilde: false,
        at: 0,
        depth: 0,
        open: Vec::new(),
        path: &[],
        states,
        state,
        around: Found::Nothing,
        sought,
        spans,
    };
    scanner.line()?;
    Some(scanner.tilde)
}

struct Scanner<'a> {
    line: &'a [u8],
    specials: Specials<'a>,
    /// True where a string has one.
    tilde: bool,
    at: usize,
    depth: usize,
    /// Brackets that end the values which a skipped value nests.
    open: Vec<u8>,
    /// The names on the way, each with a dot behind it: the beginning of a path that is looked for.
    path: &'a [u8],
    /// Where the paths with wildcards stand, here and in the objects around.
    states: Vec<u16>,
    state: State,
    /// The rule of an object that is sealed but for members with rules of their own.
    around: Found,
    sought: &'a Sought,
    spans: &'a mut Vec<Span>,
}

/// The rule that a member's name leads to.
enum Way<'a> {
    /// A value that is one of the fields.
    Field(usize),
    /// To a field, maybe, by this path.
    Deeper(&'a [u8]),
    /// To a member with a rule of its own, maybe; all others have this one.
    Wild(State, Found),
    /// To none.
    Nowhere,
}

impl<'a> Scanner<'a> {
    fn line(&mut self) -> Option<()> {
        self.space();
        if self.peek()? != b'{' {
            return None;
        }
        self.object()?;
        self.space();
        (self.at == self.line.len()).then_some(())
    }

    /// Finds what is inside a value on the way to a field.
    fn value(&mut self) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' if self.depth == DEEPEST => {
                let label = self.deep_label();
                self.field(label)
            }
            b'{' => self.object(),
            b'[' => self.nested(b']', Self::value),
            _ => match self.around {
                Found::Field { label, .. } => self.field(label),
                _ => self.skip(),
            },
        }
    }

    /// The label of what nests too deep on the way to a value.
    fn deep_label(&self) -> usize {
        match &self.sought.paths {
            Ways::Exact(paths) => {
                let path = paths.iter().position(|path| path.starts_with(self.path));
                self.sought.first + path.expect("a path leads here")
            }
            Ways::Wild(_) => match self.around {
                Found::Field { label, .. } => label,
                _ => self.sought.first,
            },
        }
    }

    fn object(&mut self) -> Option<()> {
        self.nested(b'}', |scanner| {
            let name = scanner.name()?;
            scanner.member(name)
        })
    }

    /// The name of a member, and what is between it and the value.
    #[inline(always)]
    fn name(&mut self) -> Option<Range<usize>> {
        let name = self.string()?;
        self.space();
        self.take(b':')?;
        self.space();
        Some(name)
    }

    /// Skips a value.
    #[inline(always)]
    fn skip(&mut self) -> Option<()> {
        // Most values are strings.
        if self.peek()? == b'"' { self.string().map(drop) } else { self.skip_other() }
    }

    fn skip_other(&mut self) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' => self.skip_nested(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            // Python and others write numbers that JSON does not have.
            b'N' => self.word(b"NaN"),
            b'I' => self.word(b"Infinity"),
            b'-' if self.line.get(self.at + 1) == Some(&b'I') => self.word(b"-Infinity"),
            _ => self.number(),
        }
    }

    /// Skips an object or an array, without a call for each that it nests: strangers may nest what they send as they like.
    fn skip_nested(&mut self) -> Option<()> {
        self.open.clear();
        loop {
            // At a value.
            match self.peek()? {
                bracket @ (b'{' | b'[') => {
                    self.at += 1;
                    self.space();
                    self.open.push(bracket + 2);
                    if self.peek()? != bracket + 2 {
                        if bracket == b'{' {
                            self.name()?;
                        }
                        continue;
                    }
                }
                _ => self.skip()?,
            }
            // Behind one.
            loop {
                self.space();
                let Some(end) = self.open.last() else { return Some(()) };
                match self.peek()? {
                    b',' => break,
                    byte if byte == *end => {
                        self.at += 1;
                        self.open.pop();
                        if self.open.is_empty() {
                            return Some(());
                        }
                    }
                    _ => return None,
                }
            }
            self.at += 1;
            self.space();
            if self.open.last() == Some(&b'}') {
                self.name()?;
            }
        }
    }

    /// A member's value: sealed if its path is one of those, else looked into if one begins with its path.
    fn member(&mut self, name: Range<usize>) -> Option<()> {
        let written = &self.line[name];
        let way = match &self.sought.paths {
            // A name that is no text is that of no path.
            Ways::Exact(paths) => {
                name_of(written).map_or(Way::Nowhere, |name| self.way(&name, paths, self.sought.first))
            }
            Ways::Wild(paths) => {
                let name = name_of(written).unwrap_or(written.into());
                self.wild_way(&name, paths)
            }
        };
        match way {
            Way::Nowhere => self.skip(),
            Way::Wild(state, around) => {
                let outer = (std::mem::replace(&mut self.state, state), self.around);
                self.around = around;
                self.value()?;
                (self.state, self.around) = outer;
                self.states.truncate(self.state.end);
                Some(())
            }
            Way::Deeper(path) => {
                let outer = std::mem::replace(&mut self.path, path);
                self.value()?;
                self.path = outer;
                Some(())
            }
            Way::Field(label) => self.field(label),
        }
    }

    /// The whole takes its parts along.
    #[inline]
    fn field(&mut self, label: usize) -> Option<()> {
        let has_text = label >= self.sought.within;
        if has_text && self.peek()? == b'[' && self.depth < DEEPEST {
            // Each string in a list is a text of its own.
            return self.nested(b']', |scanner| scanner.field(label));
        }
        let start = self.at;
        self.skip()?;
        let raw = &self.line[start..self.at];
        self.spans.push(if has_text {
            Span { range: start..self.at, label, form: Form::Verbatim }
        } else {
            span_of(raw, start, label)
        });
        Some(())
    }

    fn wild_way(&mut self, name: &[u8], paths: &Paths) -> Way<'a> {
        let (found, next) = paths.step(self.state.clone(), name, &mut self.states);
        // A member has the rule of what is around it, unless it has a narrower one.
        let found = found.min(self.around);
        let way = match found {
            Found::Within(label) => Way::Field(label),
            Found::Field { label, .. } if !paths.may_spare(next.clone(), &self.states, found) => {
                Way::Field(label)
            }
            Found::Kept => Way::Nowhere,
            Found::Nothing if next.is_empty() => Way::Nowhere,
            around => return Way::Wild(next, around),
        };
        self.states.truncate(self.state.end);
        way
    }

    fn way(&self, name: &[u8], paths: &'a [Path], first: usize) -> Way<'a> {
        let (mut way, outer, inner) = (Way::Nowhere, self.path.len(), self.path.len() + name.len());
        for (index, path) in paths.iter().enumerate() {
            // The byte behind the name tells most paths apart, and costs less than to compare.
            let (found, end) = match path.get(inner) {
                None if path.len() == inner => (Way::Field(first + index), inner),
                Some(b'.') => (Way::Deeper(&path[..=inner]), inner),
                // A flat name of a part: "a.b" belongs to a.
                None if outer < path.len() && name[path.len() - outer] == b'.' => {
                    (Way::Field(first + index), path.len())
                }
                _ => continue,
            };
            // Names are shorter than what a call of memcmp costs.
            if path[outer..end].iter().eq(&name[..end - outer]) && path[..outer].iter().eq(self.path) {
                let is_exact = matches!(found, Way::Field(_)) && end == inner;
                if is_exact || !matches!(way, Way::Field(_)) {
                    way = found;
                }
                if is_exact {
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

    /// The text between its quotes.
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
            let is_tilde = self.line[found] == b'~';
            self.tilde |= is_tilde;
            self.at = found + 2 - usize::from(is_tilde);
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

/// A name, to be compared with paths. One that is no text equals none of them.
#[inline]
fn name_of(inside: &[u8]) -> Option<Cow<'_, [u8]>> {
    if inside.contains(&b'\\') { Some(text_of(inside)?.into_bytes().into()) } else { Some(inside.into()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn spans(line: &str, paths: &[&str]) -> Option<Vec<Span>> {
        let paths = paths.iter().map(|path| path.as_bytes().into()).collect();
        let mut spans = Vec::new();
        find(line.as_bytes(), &Sought::exact(paths), &mut spans).map(|_| spans)
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
        assert_eq!(found(r#"{"c":-1.5e3,"d":1}"#).unwrap(), ["1 JsonText(1) -1.5e3 for -1.5e3"]);
        let whole = [r#"1 JsonText(1) {"x":[1, "y"]} for {"x":[1, "y"]}"#];
        assert_eq!(found(r#"{"c": {"x":[1, "y"]} }"#).unwrap(), whole);
        assert_eq!(found(r#"{"c":null}"#).unwrap(), ["1 JsonText(1) null for null"]);
        for number in ["NaN", "Infinity", "-Infinity", "[NaN,1]"] {
            let line = format!(r#"{{"d":{number},"c":{number}}}"#);
            assert_eq!(found(&line).unwrap(), [format!("1 Verbatim {number} for {number}")]);
        }
    }

    #[test]
    fn strings_are_sealed_as_text_where_a_reader_escapes_them_in_the_same_way() {
        assert_eq!(found("{\"c\":\"é/\u{7f}\"}").unwrap(), ["1 Verbatim é/\u{7f} for é/\u{7f}"]);
        assert_eq!(
            found(r#"{"c":"a\"\n\u001f"}"#).unwrap(),
            ["1 Escaped(1) a\"\n\u{1f} for a\\\"\\n\\u001f"]
        );
        for oddly in
            [r#""\u00e9""#, r#""\/""#, r#""\u000a""#, r#""\u001F""#, r#""\ud83d\ude00""#, r#""a\u0020""#]
        {
            assert_eq!(
                found(&format!("{{\"c\":{oddly}}}")).unwrap(),
                [format!("1 JsonText(1) {oddly} for {oddly}")]
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
    fn a_flat_name_belongs_to_its_whole() {
        let spans =
            spans(r#"{"a.b":"x","ab.c":"y","a":{"c.d":"z"},"b":{"c.d.e":"v","c":"w"}}"#, &["a", "b.c"])
                .unwrap();
        let ranges: Vec<_> = spans.iter().map(|span| (span.label, span.range.clone())).collect();
        assert_eq!(ranges, [(0, 8..9), (0, 26..37), (1, 52..53), (1, 60..61)]);
    }

    #[test]
    fn what_is_no_text_of_a_string_is_sealed_alone() {
        for odd in [r#""\ud800""#, r#""a\ud800b""#] {
            assert_eq!(
                found(&format!("{{\"c\":{odd}}}")).unwrap(),
                [format!("1 JsonText(1) {odd} for {odd}")]
            );
        }
        for odd in [r#""\x22""#, r#""\x""#, "\"\u{1}\"", r#"["\x"]"#, "[1,\r2]"] {
            assert_eq!(
                found(&format!("{{\"c\":{odd},\"d\":{odd}}}")).unwrap(),
                [format!("1 Verbatim {odd} for {odd}")]
            );
        }
        let (line, mut spans) = (b"{\"d\":\"\xff\",\"\xff\":1,\"c\":\"a\xff\"}", Vec::new());
        let sought = Sought::exact(vec![b"c"[..].into()]);
        assert_eq!(find(line, &sought, &mut spans), Some(false));
        assert_eq!(spans, [Span { range: 19..23, label: 0, form: Form::Verbatim }]);
        let other_names = r#"{"\ud800":1,"\x":2,"c":3}"#;
        assert_eq!(found(other_names).unwrap(), ["1 JsonText(1) 3 for 3"]);
    }

    /// A number, nested so deep.
    fn deep(depth: usize) -> String {
        format!("{}1{}", "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn what_nests_deep_is_skipped_or_sealed_as_a_whole() {
        let objects = format!("{}1{}", r#"{"x":"#.repeat(5000), "}".repeat(5000));
        for deep in [deep(130), deep(100_000), objects] {
            assert_eq!(found(&format!(r#"{{"d":{deep},"c":"x"}}"#)).unwrap(), ["1 Verbatim x for x"]);
            assert_eq!(
                found(&format!(r#"{{"c":{deep},"d":"x"}}"#)).unwrap(),
                [format!("1 Verbatim {deep} for {deep}")]
            );
            // On the way to a value, the deep end of it.
            let on_the_way = found(&format!(r#"{{"a":{deep}}}"#)).unwrap();
            assert!(
                on_the_way.len() == usize::from(deep.starts_with('['))
                    && on_the_way.iter().all(|found| found.len() > 3)
            );
        }
        let most = deep(127);
        assert_eq!(
            found(&format!(r#"{{"c":{most}}}"#)).unwrap(),
            [format!("1 JsonText(1) {most} for {most}")]
        );
    }

    #[test]
    fn what_is_no_object_is_not_looked_into() {
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
            r#"{"d":[1 2]}"#,
            r#"{"d":[1,]}"#,
            r#"{"d":[1}}"#,
            r#"{"d":{"x":1]}"#,
            r#"{"d":{"x"}}"#,
            r#"{"d":{"x":1,}}"#,
            r#"{"d":{1:1}}"#,
            r#"{"d":[[]}"#,
            r#"{,"c":1}"#,
            r#"{"d":}"#,
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}

//! The name that a line gives to the place of a token: a member of a JSON object, `name=` as in logfmt and queries, or
//! `name:` as in LTSV. Where a line gives none, none is made up.

use sealmark::record::internal::object_in;
use sealmark_fields::internal::{closing_quote, folded, parameter_names};
use std::borrow::Cow;
use std::ops::Range;

/// Matches of an unnamed pattern, parameters of a query, look-alikes and the rest of a line are called so, wherever they stand.
const UNNAMED: [&str; 4] = ["match", "query", "lookalike", "line"];

/// The label of an exception's message.
const EXCEPTION: &str = "exception";

/// Libraries choose where they write an exception: a word of its name, or of the name above it, begins with one of these.
const OF_EXCEPTIONS: [&str; 7] =
    ["cause", "error", "exception", "stack", "suppressed", "throwable", "thrown"];

/// Short forms, which are whole words.
const SHORT: [&str; 3] = ["err", "ex", "exc"];

/// A longer name or path is none: it would be put together for each of the tokens in it.
const LONGEST: usize = 256;

const LONGEST_LABEL: usize = 64;

/// The tokens of one line, asked for from left to right.
pub struct Places<'a> {
    line: &'a [u8],
    members: Option<Members<'a>>,
    /// Where the last token ended, and its name: a long value is several tokens in a row.
    last: (usize, Option<Cow<'a, str>>),
}

impl<'a> Places<'a> {
    /// A line without its end.
    pub fn of(line: &'a [u8]) -> Self {
        let members = object_in(line).map(|start| Members::new(line, start));
        Self { line, members, last: (0, None) }
    }

    /// The name of the place, where it is another than the label of the token that stands there.
    pub fn contradict(&mut self, token: &Range<usize>, label: &str) -> Option<&str> {
        if self.last.0 != token.start || token.start == 0 {
            self.last.1 = self.name(token.start, token.end);
        }
        self.last.0 = token.end;
        let name = self.last.1.as_deref()?;
        let free = UNNAMED.contains(&label) || (label == EXCEPTION && is_of_exception(name));
        (!free && !fits(name, label)).then_some(name)
    }

    /// The name of the value that a place is in: of a member of JSON, or of what stands before it. Places are asked about from
    /// left to right.
    pub fn around(&mut self, place: usize) -> Option<String> {
        let before = self.line[..place].iter().rposition(|byte| b" \t?&;\"'{([|<=:".contains(byte));
        let member = self.members.as_mut().and_then(|members| members.name_around(place));
        member.or_else(|| self.name(before.map_or(0, |before| before + 1), place)).map(Cow::into_owned)
    }

    fn name(&mut self, start: usize, end: usize) -> Option<Cow<'a, str>> {
        let before = &self.line[..start];
        let member = self.members.as_mut().and_then(|members| members.name_at(start));
        // A token at the start of a text is not what the text is called.
        let member = member.filter(|_| matches!(self.line.get(end), Some(b'"' | b'~')));
        member.or_else(|| assigned(before)).or_else(|| ltsv(before))
    }
}

fn is_of_exception(name: &str) -> bool {
    name.rsplit('.').take(2).any(|part| {
        let lower = part.to_ascii_lowercase();
        let has = |word: &str, whole: bool| {
            let ends = |at| !whole || is_edge(part, at + word.len());
            lower.match_indices(word).any(|(at, _)| is_edge(part, at) && ends(at))
        };
        OF_EXCEPTIONS.iter().any(|word| has(word, false)) || SHORT.iter().any(|word| has(word, true))
    })
}

/// True between two words of a name, such as those of `rootCause`, `SQLException` or `stack_trace`, and at its ends.
fn is_edge(name: &str, at: usize) -> bool {
    let letter = |at: usize| name.as_bytes().get(at).filter(|byte| byte.is_ascii_alphabetic());
    match (at.checked_sub(1).and_then(letter), letter(at)) {
        (Some(before), Some(next)) if next.is_ascii_uppercase() => {
            before.is_ascii_lowercase() || letter(at + 1).is_some_and(u8::is_ascii_lowercase)
        }
        (Some(_), Some(_)) => false,
        _ => true,
    }
}

/// A label is the whole path or its last names, and holds `_` where the name has what a label cannot. GELF writes `_` before a
/// name.
fn fits(name: &str, label: &str) -> bool {
    let name = name.strip_prefix('_').filter(|_| !label.starts_with('_')).unwrap_or(name);
    let last = |path: &'_ str| path.rfind('.').map_or(0, |dot| dot + 1);
    let same = |name: &str, label: &str| is_label_of(name, label, |byte| byte.to_ascii_lowercase());
    // A flat name takes the names below it along: "a.b" belongs to a. A value within the text of a field is called after both.
    let above = name.get(..label.len()).filter(|_| name[label.len()..].starts_with('.'));
    let within = label.get(..name.len()).filter(|_| label[name.len()..].starts_with('.'));
    within.is_some_and(|within| same(name, within))
        || same(name, label)
        || name.match_indices('.').any(|(dot, _)| same(&name[dot + 1..], label))
        || same(name, &label[last(label)..])
        || above.is_some_and(|above| same(above, label))
        || parameter_names(name.as_bytes())
            .iter()
            .any(|name| is_label_of(&String::from_utf8_lossy(name), label, folded))
}

/// True where the label is what the name becomes as one (spec/record.md, "Values").
fn is_label_of(name: &str, label: &str, folded: impl Fn(u8) -> u8) -> bool {
    let plain = |letter: char| match u8::try_from(letter) {
        Ok(byte) if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) => folded(byte),
        _ => folded(b'_'),
    };
    name.chars().take(LONGEST_LABEL).map(plain).eq(label.bytes().map(&folded))
}

/// `name=`, and maybe a quote, right before a token.
fn assigned(before: &[u8]) -> Option<Cow<'_, str>> {
    let before =
        before.strip_suffix(b"\"").map_or(before, |before| before.strip_suffix(b"\\").unwrap_or(before));
    let (before, name) = last_name(before.strip_suffix(b"=")?);
    let apart = before.last().is_none_or(|byte| b" \t?&;,\"'{([|<".contains(byte));
    // Text before the first key of a line, or of a list, is no part of it.
    let key = |name: Cow<'_, str>| name.trim_start_matches(['\u{feff}', '[']).to_owned().into();
    apart.then_some(name).flatten().map(key)
}

/// `name:` at the start of the line or behind a tab.
fn ltsv(before: &[u8]) -> Option<Cow<'_, str>> {
    let (before, name) = last_name(before.strip_suffix(b":")?);
    before.last().is_none_or(|byte| *byte == b'\t').then_some(name).flatten()
}

fn last_name(text: &[u8]) -> (&[u8], Option<Cow<'_, str>>) {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-%[]@/".contains(byte) || *byte >= 0x80;
    let length = text.iter().rev().take(LONGEST).take_while(|byte| part(byte)).count();
    let (before, name) = text.split_at(text.len() - length);
    (before, str::from_utf8(name).ok().filter(|name| !name.is_empty()).map(Cow::from))
}

/// Walks through an object once, as far as it was asked; where it is none after all, names may be missing.
struct Members<'a> {
    line: &'a [u8],
    at: usize,
    /// For each object and array around: the name that was met last in it.
    around: Vec<Around<'a>>,
    /// The value that was met last, without its quotes.
    value: Range<usize>,
}

struct Around<'a> {
    object: bool,
    /// None where it is no text, or too long.
    name: Option<Cow<'a, str>>,
    /// True where the next string is a name.
    naming: bool,
}

/// A value that is nested deeper has no name here.
const DEEPEST: usize = 128;

impl<'a> Members<'a> {
    fn new(line: &'a [u8], start: usize) -> Self {
        Self { line, at: start, around: Vec::new(), value: 0..0 }
    }

    /// The path of the member whose value is a string that begins at `start`.
    fn name_at(&mut self, start: usize) -> Option<Cow<'a, str>> {
        while self.value.start < start && self.at < start {
            if self.step().is_none() {
                // Lost: to look again for each token would take ages.
                self.at = self.line.len();
            }
        }
        (self.value.start == start).then(|| self.path()).flatten()
    }

    /// The path of the member whose value is a string around a place.
    fn name_around(&mut self, place: usize) -> Option<Cow<'a, str>> {
        while self.value.end <= place && self.at <= place {
            if self.step().is_none() {
                self.at = self.line.len();
            }
        }
        self.value.contains(&place).then(|| self.path()).flatten()
    }

    /// Behind the next bracket, comma or string.
    fn step(&mut self) -> Option<()> {
        let special = |byte: &u8| b"\"{}[],".contains(byte);
        self.at += self.line[self.at..].iter().position(special)?;
        match self.line[self.at] {
            b'"' => return self.string(),
            byte @ (b'{' | b'[') => {
                let object = byte == b'{';
                self.around.push(Around { object, name: None, naming: object });
                (self.around.len() <= DEEPEST).then_some(())?;
            }
            b',' => self.around.last_mut().into_iter().for_each(|around| around.naming = around.object),
            _ => drop(self.around.pop()),
        }
        self.at += 1;
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let start = self.at + 1;
        let end = closing_quote(self.line, start)?;
        self.at = end + 1;
        match self.around.last_mut() {
            Some(around) if around.naming => {
                self.line[self.at..].trim_ascii_start().starts_with(b":").then_some(())?;
                around.naming = false;
                let quoted = &self.line[start - 1..=end];
                around.name = match quoted.contains(&b'\\') {
                    _ if quoted.len() > LONGEST => None,
                    true => serde_json::from_slice::<String>(quoted).ok().map(Cow::from),
                    false => str::from_utf8(&self.line[start..end]).ok().map(Cow::from),
                };
            }
            _ => {
                // Quotes of a line that is no JSON, in which somebody wrote a bracket, are no members.
                let before = self.line[..start - 1].trim_ascii_end().last();
                before.filter(|byte| b":,[".contains(byte))?;
                self.value = start..end;
            }
        }
        Some(())
    }

    fn path(&self) -> Option<Cow<'a, str>> {
        let names = self.around.iter().filter(|around| around.object);
        let names: Vec<&str> = names.map(|around| around.name.as_deref()).collect::<Option<_>>()?;
        let length: usize = names.iter().map(|name| name.len() + 1).sum();
        (1..=LONGEST).contains(&length).then(|| names.join(".").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens are written as `~label~`.
    fn contradicted(line: &str) -> Vec<String> {
        let mut places = Places::of(line.as_bytes());
        let (mut seen, mut at) = (Vec::new(), 0);
        while let Some(start) = line[at..].find('~').map(|step| at + step) {
            let end = start + 2 + line[start + 1..].find('~').unwrap_or_default();
            let name = places.contradict(&(start..end), &line[start + 1..end - 1]);
            seen.extend(name.map(|name| format!("{} in {name}", &line[start + 1..end - 1])));
            at = end;
        }
        seen
    }

    #[test]
    fn members_of_json_lines() {
        let line =
            r#"{"a":"~a~","b":{"c":"~b.c~","d":["~b.d~","~c~",{"e":"~e~"}]},"x,\"y":"~x__y~","f":"~a~"}"#;
        assert_eq!(contradicted(line), ["c in b.d", "a in f"]);
        assert_eq!(contradicted(r#"{"a":{"b":{"c":"~b.c~","d":"~a.c~"}}}"#), ["a.c in a.b.d"]);
        assert_eq!(contradicted(r#" {"a":{},"b":[[]],"c":1,"d":"~d~~d~~c~"} "#), ["c in d"]);
        assert_eq!(
            contradicted(r#"{"url":"/x?mail=~mail~&name=~mail~","said":"by ~name~"}"#),
            ["mail in name"]
        );
        assert_eq!(
            contradicted(
                r#"{"_a":"~a~","_b.c":"~b.c~","_d":"~_d~","_e":"~f~","__g":"~g~","error":{"h":"~exception~"}}"#
            ),
            ["f in _e", "g in __g"]
        );
        for field in [
            r#""err":{"message""#,
            r#""exception_message""#,
            r#""thrown":{"localizedMessage""#,
            r#""stackTrace""#,
            r#""stacktrace""#,
            r#""SQLException""#,
            r#""a":{"rootCause":{"text""#,
            r#""throwable":{"suppressed":[{"message""#,
            r#""ex""#,
            r#""exc":{"msg""#,
            r#""errText""#,
        ] {
            assert!(contradicted(&format!("{{{field}:\"~exception~\"")).is_empty(), "{field}");
        }
        assert_eq!(
            contradicted(r#"{"user":"~exception~","message":"~exception~","errand":"~x.exception~"}"#),
            ["exception in user", "exception in message", "x.exception in errand"]
        );
        for field in
            ["because", "haystack", "HAYSTACK", "error.a.user", "exit", "EXIT", "vex", "terror", "mirror"]
        {
            let line = format!("{field}=~exception~");
            assert_eq!(contradicted(&line), [format!("exception in {field}")]);
        }
        assert!(contradicted("ex=~exception~ err=~exception~").is_empty());
        assert_eq!(
            contradicted(r#"host app[1]: "~x~ {"a":"~b~","c":{}} {"d":{"e":"~e~"},"f":"~d~"}"#),
            ["b in a", "d in f"]
        );
        assert!(contradicted(r#"{"a":"~b~"#).is_empty(), "no object");
        assert!(contradicted(r#"{} "~b~" {}"#).is_empty(), "no member");
        assert!(contradicted(r#"{"~b~":"~c~]}"#).is_empty(), "no JSON");
    }

    #[test]
    fn names_before_signs() {
        assert_eq!(contradicted("~a~ ip=~ip~ Ref=\"~ref~\" x=~match~ b=~a~"), ["a in b"]);
        assert_eq!(contradicted("GET /a?b=~b~&c%20d=~c_20d~&e=~b~ HTTP"), ["b in e"]);
        let parameters =
            "/?%70w=~pw~&pw[]=~pw~&%20pw%5B0%5d=~pw~&pw%00x=~pw~&%zpw=~pw~&b=~query~&u%5Bi%5D=~u_i_~";
        assert_eq!(contradicted(parameters), ["pw in %zpw"]);
        assert_eq!(contradicted("ip:~ip~\tref:~ip~\tat 12:~ip~ q=~query.q~"), ["ip in ref"]);
        for line in [
            "GET /?user.email=~user_email~ HTTP",
            "GET /?a=1&user[email=~user_email~ HTTP",
            r#"{"email.x":"~email~","é":"~_~"}"#,
            "[email=~email~ b=1",
            "\u{feff}email=~email~",
            r#"::1 - - [t] "GET /?x={"&a=~a~ HTTP/1.1" 200 1 "-" "~User-Agent~" }"#,
            r#"::1 - - [t] "GET /?x={"a":" HTTP/1.1" 200 1 "-" "~User-Agent~" }"#,
        ] {
            assert!(contradicted(line).is_empty(), "{line}");
        }
        assert!(contradicted("a==~b~ from: ~c~ =~d~ x\\=~e~").is_empty());
    }

    #[test]
    fn nesting_without_end_has_no_names() {
        let deep = format!("{{\"a\":{}\"~b~\"}}", "[".repeat(DEEPEST + 1));
        assert!(contradicted(&deep).is_empty());
        let (long, fits) = ("n".repeat(LONGEST), "n".repeat(LONGEST / 2 - 3));
        assert!(contradicted(&format!("{{\"{long}\":\"~b~\",\"c\":1}}")).is_empty());
        assert!(contradicted(&format!("{{\"{long}\":{{\"c\":\"~b~\"}}}}")).is_empty());
        assert_eq!(contradicted(&format!("{{\"{fits}\":{{\"{fits}\":\"~b~\"}},\"c\":\"~c~\"}}")).len(), 1);
    }
}

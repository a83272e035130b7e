//! The text of a field that is written with escapes, and where in the line each part of it stands.

use crate::span::{Form, Span};
use sealmark::record::internal::{self, Levels};
use std::borrow::Cow;
use std::ops::Range;

/// A value that nests deeper is sealed as a whole, and JSON that nests deeper in a value does not become JSON text:
/// readers may leave that closed (spec/record.md, "Opening").
pub const DEEPEST: usize = 127;

/// The text of a field.
pub struct Text<'a> {
    raw: &'a [u8],
    bytes: Cow<'a, [u8]>,
    /// Where an escape ends: in the text, and in what is written.
    ends: Vec<(usize, usize)>,
}

impl<'a> Text<'a> {
    /// Text without escapes.
    pub fn plain(raw: &'a [u8]) -> Self {
        Self { raw, bytes: raw.into(), ends: Vec::new() }
    }

    /// The inside of a string; nothing where it has an escape that JSON does not have, so that nobody can tell its text.
    pub fn new(raw: &'a [u8]) -> Option<Self> {
        match memchr::memchr(b'\\', raw) {
            None => Some(Self::plain(raw)),
            Some(_) => Self::unescaped(raw),
        }
    }

    /// Reads the escapes of JSON.
    fn unescaped(raw: &'a [u8]) -> Option<Self> {
        // JSON in JSON has an escape for about eight bytes.
        let (mut bytes, mut ends) = (Vec::with_capacity(raw.len()), Vec::with_capacity(raw.len() / 8));
        let mut at = 0;
        while let Some(length) = memchr::memchr(b'\\', &raw[at..]) {
            bytes.extend_from_slice(&raw[at..at + length]);
            let start = at + length;
            let (character, end) = internal::read_escape(raw, start)?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            ends.push((bytes.len(), end));
            at = end;
        }
        bytes.extend_from_slice(&raw[at..]);
        Some(Self { raw, bytes: bytes.into(), ends })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a part of the text is written.
    fn written(&self, part: &Range<usize>) -> Range<usize> {
        self.written_at(part.start)..self.written_at(part.end)
    }

    pub fn written_at(&self, at: usize) -> usize {
        let before = self.ends.partition_point(|(end, _)| *end <= at);
        match before.checked_sub(1).map(|last| self.ends[last]) {
            Some((text, written)) => written + (at - text),
            None => at,
        }
    }

    /// The place in the text of what is written there, at the beginning of a character.
    pub fn read_at(&self, written: usize) -> usize {
        let before = self.ends.partition_point(|(_, end)| *end <= written);
        match before.checked_sub(1).map(|last| self.ends[last]) {
            Some((text, end)) => text + (written - end),
            None => written,
        }
    }

    /// True where a reader may find JSON in it.
    pub fn has_brace(&self) -> bool {
        !self.ends.is_empty() && memchr::memchr(b'{', &self.bytes).is_some()
    }

    /// Moves values from the text to what is written. Nothing where one begins or ends in the middle of a character.
    pub fn place(&self, spans: &mut [Span]) -> Option<()> {
        for span in spans {
            // A pattern about bytes may end in the middle of a character that one escape stands for.
            let is_inside = |at: usize| self.bytes.get(at).is_some_and(|byte| *byte & 0xc0 == 0x80);
            if !self.ends.is_empty() && (is_inside(span.range.start) || is_inside(span.range.end)) {
                return None;
            }
            span.range = self.written(&span.range);
        }
        Some(())
    }

    /// Places values in the text of a JSON string, all at this `level` where it is known, each in the form in which a reader
    /// writes it as it was. Nothing where that would be otherwise.
    pub fn set_forms(&self, spans: &mut [Span], level: Option<usize>) -> Option<()> {
        self.place(spans)?;
        let level = level.or(self.ends.is_empty().then_some(1));
        let levels = if level.is_none() { self.levels(spans) } else { Vec::new() };
        for (index, span) in spans.iter_mut().enumerate() {
            let level = level.unwrap_or_else(|| levels[index]);
            let written = &self.raw[span.range.clone()];
            if level > Levels::DEEPEST {
                return None;
            }
            span.form = match span.form {
                Form::JsonText(_) if level == 0 => return None,
                Form::JsonText(_) => {
                    let is_same = level == 1 || is_plain(written) || text_at(written, level - 1).is_some();
                    is_same.then_some(Form::JsonText(u8::try_from(level).ok()?))?
                }
                _ if is_plain(written) => Form::Verbatim,
                _ => {
                    text_at(written, level)?;
                    Form::Escaped(u8::try_from(level).ok()?)
                }
            };
        }
        Some(())
    }

    /// The level at which a reader of the sealed line finds each token, where this text is a string at level 1.
    fn levels(&self, spans: &[Span]) -> Vec<usize> {
        let (mut sealed, mut copied, mut places) = (b"{\"".to_vec(), 0, Vec::new());
        for span in spans {
            sealed.extend_from_slice(&self.raw[copied..span.range.start]);
            if let Form::JsonText(level) = span.form {
                // In the text, its quotes stand one level less deep.
                sealed.extend_from_slice(Form::JsonText(level + 1).quote());
            }
            places.push(sealed.len());
            sealed.push(b'~');
            if let Form::JsonText(level) = span.form {
                sealed.extend_from_slice(Form::JsonText(level + 1).quote());
            }
            copied = span.range.end;
        }
        sealed.extend_from_slice(&self.raw[copied..]);
        sealed.extend_from_slice(b"\"}");
        let mut levels = Levels::new(&sealed, Some(0));
        places.into_iter().map(|place| levels.level(place)).collect()
    }
}

/// The text that the token of a value takes the place of, so that it opens to what is written here. A value that is neither the text of a
/// string nor JSON text, such as a string with `\x22` or a stray byte, gives its quotes to the token: the line is no JSON
/// then, and was none before.
pub fn span_of(raw: &[u8], start: usize, label: usize) -> Span {
    let whole = start..start + raw.len();
    let form = inside(raw).and_then(form_of).or_else(|| is_json_text(raw).then_some(Form::JsonText(1)));
    match form {
        Some(Form::JsonText(_)) | None => Span { range: whole, label, form: form.unwrap_or(Form::Verbatim) },
        Some(form) => Span { range: whole.start + 1..whole.end - 1, label, form },
    }
}

/// The inside of a string; nothing where no quotes are around it.
#[inline]
pub fn inside(raw: &[u8]) -> Option<&[u8]> {
    raw.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""))
}

/// True where every reader takes it for JSON text.
fn is_json_text(raw: &[u8]) -> bool {
    let open = |depth: usize, byte: &u8| match byte {
        b'{' | b'[' => Some(depth + 1).filter(|depth| *depth <= DEEPEST),
        b'}' | b']' => Some(depth.saturating_sub(1)),
        _ => Some(depth),
    };
    // A string nests nothing, whatever its text is.
    let is_flat = || raw.starts_with(b"\"") || raw.iter().try_fold(0, open).is_some();
    is_flat() && str::from_utf8(raw).is_ok_and(internal::is_json_text)
}

/// How the inside of a string is sealed as text; nothing where it is no text, or a reader would write it otherwise.
#[inline]
pub fn form_of(inside: &[u8]) -> Option<Form> {
    if is_plain(inside) {
        return Some(Form::Verbatim);
    }
    let text = text_of(inside)?;
    let mut written = Vec::with_capacity(inside.len());
    internal::escape(&text, &mut written);
    match (text.as_bytes() == inside, written == inside) {
        (true, _) => Some(Form::Verbatim),
        (false, true) => Some(Form::Escaped(1)),
        (false, false) => None,
    }
}

/// True where it stands in JSON strings of every level as it is. Asked of all bytes, so that it runs many at a time.
#[inline]
pub fn is_plain(value: &[u8]) -> bool {
    let special = |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    let is_free = value.iter().fold(0, |any, byte| any | special(*byte)) == 0;
    // Most values are ASCII, and their check for UTF-8 took a thirtieth of the program's time.
    is_free && (value.is_ascii() || str::from_utf8(value).is_ok())
}

/// The text that the inside of a string stands for; none where that is no text.
pub fn text_of(inside: &[u8]) -> Option<String> {
    let is_written = !inside.iter().any(|byte| *byte < 0x20);
    String::from_utf8(Text::new(inside).filter(|_| is_written)?.bytes.into_owned()).ok()
}

/// Reads text with escapes in escapes, where a reader writes it in the same way.
pub fn text_at(written: &[u8], level: usize) -> Option<Vec<u8>> {
    let mut text = written.to_vec();
    for _ in 0..level {
        text = Text::unescaped(&text)?.bytes.into_owned();
    }
    let mut again = text.clone();
    for _ in 0..level {
        let mut escaped = Vec::with_capacity(again.len());
        internal::escape(str::from_utf8(&again).ok()?, &mut escaped);
        again = escaped;
    }
    (again == written).then_some(text)
}

impl Span {
    /// The text that is sealed: that of an escaped string, in other forms what is written.
    pub fn value<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let written = &line[self.range.clone()];
        match self.form {
            Form::Verbatim | Form::JsonText(0 | 1) | Form::Escaped(0) => written.into(),
            Form::Escaped(1) => text_of(written).unwrap_or_default().into_bytes().into(),
            Form::Escaped(level) => text_at(written, level.into()).unwrap_or_default().into(),
            Form::JsonText(level) => text_at(written, usize::from(level) - 1).unwrap_or_default().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn each_part_of_a_text_is_found_where_it_is_written() {
        let raw = br#"a\"b\u00e9c\ud83d\ude00d\\"#;
        let text = Text::new(raw).unwrap();
        assert_eq!(text.bytes(), "a\"b\u{e9}c\u{1f600}d\\".as_bytes());
        for (part, written) in [
            ("a", "a"),
            ("\"b", "\\\"b"),
            ("\u{e9}", "\\u00e9"),
            ("d\\", "d\\\\"),
            ("c\u{1f600}", "c\\ud83d\\ude00"),
        ] {
            let at = memchr::memmem::find(text.bytes(), part.as_bytes()).unwrap();
            assert_eq!(&raw[text.written(&(at..at + part.len()))], written.as_bytes());
        }
        for odd in [&br"\x22"[..], br"\ud800", br"\ud800\u0041", br"\", br"\u00e", br"\u+0e1"] {
            assert!(Text::new(odd).is_none(), "{odd:?}");
        }
    }

    #[test]
    fn what_a_reader_would_write_otherwise_is_none() {
        assert_eq!(text_at(br#"a\"b"#, 1).unwrap(), b"a\"b");
        assert_eq!(text_at(br#"a\\\"b"#, 2).unwrap(), b"a\"b");
        assert_eq!(text_at(br"a\u0026b", 1), None);
        assert_eq!(text_at(b"a", 4).unwrap(), b"a");
    }
}

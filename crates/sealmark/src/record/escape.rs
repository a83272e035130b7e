//! JSON strings: whether a place in a line is inside one, and how a value is written there (RFC 8259, section 7).

use serde::de::IgnoredAny;

/// Follows the quotes of a line from left to right.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    inside: bool,
    at: usize,
}

impl Quotes {
    /// Counts those from `start` on; before it there is no string.
    pub fn from(start: usize) -> Self {
        Self { inside: false, at: start }
    }

    /// Whether the byte at `place`, not before the last one asked for, is inside a string.
    pub fn enclose(&mut self, line: &[u8], place: usize) -> bool {
        while let Some(step) = memchr::memchr2(b'"', b'\\', line.get(self.at..place).unwrap_or_default()) {
            let found = self.at + step;
            // A backslash takes the next byte with it.
            let escape = line[found] == b'\\';
            self.inside ^= !escape;
            self.at = found + 1 + usize::from(escape);
        }
        self.at = self.at.max(place);
        self.inside
    }
}

/// Where in a line, without its end, a reader sees a JSON object begin that goes on to the end: behind what collectors put in
/// front of it (spec/record.md, "Opening"). In its strings, values are escaped.
pub fn object_in(line: &[u8]) -> Option<usize> {
    line.trim_ascii_end().ends_with(b"}").then(|| memchr::memchr(b'{', line))?
}

/// Whether `text` is one JSON text that can stand in a line: what [`super::LogSession::seal_json_into`] takes.
pub fn is_json_text(text: &str) -> bool {
    memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none()
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Appends `text` as the inside of a JSON string, in the one way in which a reader writes it (spec/record.md, "Opening").
pub fn escape(text: &str, out: &mut Vec<u8>) {
    for piece in text.as_bytes().chunks(64) {
        // Most pieces have nothing to escape; they are asked as a whole.
        match piece.iter().fold(false, |any, byte| any | needs_escape(*byte)) {
            true => piece.iter().for_each(|byte| escape_byte(*byte, out)),
            false => out.extend_from_slice(piece),
        }
    }
}

fn needs_escape(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn escape_byte(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0c => out.extend_from_slice(b"\\f"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        plain => out.push(plain),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_is_read_back_by_a_json_parser() {
        let text: String =
            (0..0x180).filter_map(char::from_u32).chain("\u{2028}\u{10ffff}".chars()).collect();
        let mut out = b"\"".to_vec();
        escape(&text, &mut out);
        out.push(b'"');
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        assert!(out.is_ascii() || !out.iter().any(|byte| *byte < 0x20));
    }

    #[test]
    fn quotes_open_and_close_unless_escaped() {
        let line = br#"{"a":"b\"c\\","d":1}"#;
        let fresh = |place| Quotes::default().enclose(line, place);
        assert!(!fresh(0) && fresh(2) && !fresh(4) && fresh(6) && fresh(9));
        assert!(!fresh(13) && fresh(15) && !fresh(17) && !fresh(19));
        let mut quotes = Quotes::default();
        assert!((0..line.len()).all(|place| quotes.enclose(line, place) == fresh(place)));
    }
}

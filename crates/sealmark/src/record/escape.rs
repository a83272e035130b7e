//! How a value is written where its token stood, inside JSON strings (RFC 8259, section 7) and elsewhere.

use serde::de::IgnoredAny;
use zeroize::Zeroizing;

/// Finds the place where a reader sees a JSON object begin that extends to the end of a line. Collectors' prefixes may stand
/// before it, commas and brackets of an array behind it (spec/record.md, "Opening"). Values in its strings are escaped.
pub fn object_in(line: &[u8]) -> Option<usize> {
    let last = line.iter().rfind(|byte| !byte.is_ascii_whitespace() && !b",]".contains(byte));
    (last == Some(&b'}')).then(|| memchr::memchr(b'{', line))?
}

/// True if `text` is one JSON text on one line: see [`super::Value::Json`].
pub fn is_json_text(text: &str) -> bool {
    memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none()
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The text that a JSON string stands for. A parser of JSON would leave parts of it behind in memory.
pub fn string_in(json: &str) -> Option<Zeroizing<Vec<u8>>> {
    let inside = json.trim_ascii().strip_prefix('"')?.strip_suffix('"').filter(|_| is_json_text(json))?;
    let (inside, mut done) = (inside.as_bytes(), 0);
    // No escape is shorter than its character, so this does not grow.
    let mut text = Zeroizing::new(Vec::with_capacity(inside.len()));
    while let Some(length) = memchr::memchr(b'\\', &inside[done..]) {
        text.extend_from_slice(&inside[done..done + length]);
        let (character, end) = read_escape(inside, done + length)?;
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        done = end;
    }
    text.extend_from_slice(&inside[done..]);
    Some(text)
}

/// The character of the JSON escape that begins at `start`, and where it ends; nothing where JSON has no such escape.
pub fn read_escape(raw: &[u8], start: usize) -> Option<(char, usize)> {
    let letter = *raw.get(start + 1)?;
    if letter != b'u' {
        return unescaped(letter).map(|byte| (char::from(byte), start + 2));
    }
    let unit = |at: usize| {
        let digits = str::from_utf8(raw.get(at + 2..at + 6)?).ok()?;
        let is_escape = raw[at..].starts_with(b"\\u") && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_escape.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(start)?;
    let pair = [first, unit(start + 6).unwrap_or_default()];
    match char::from_u32(first.into()) {
        Some(character) => Some((character, start + 6)),
        None => Some((char::decode_utf16(pair).next()?.ok()?, start + 12)),
    }
}

pub(super) fn unescaped(letter: u8) -> Option<u8> {
    Some(match letter {
        b'"' | b'\\' | b'/' => letter,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}

/// Appends `text` as the inside of a JSON string, in the only form that readers write (spec/record.md, "Opening").
pub fn escape(text: &str, out: &mut Vec<u8>) {
    escape_times(text, 1, out);
}

/// Escapes a string in a string: as often as the level says.
pub(super) fn escape_times(text: &str, level: usize, out: &mut Vec<u8>) {
    for piece in text.as_bytes().chunks(64) {
        // Most pieces have nothing to escape; they are asked as a whole.
        if level > 0 && piece.iter().fold(false, |any, byte| any | needs_escape(*byte)) {
            piece.iter().for_each(|byte| escape_byte(*byte, level, out))
        } else {
            out.extend_from_slice(piece)
        }
    }
}

/// Appends a value where there is no JSON string: a line break comes as two characters, so that no value adds a line.
pub fn escape_breaks(value: &[u8], out: &mut Vec<u8>) {
    let mut done = 0;
    for place in memchr::memchr2_iter(b'\n', b'\r', value) {
        out.extend_from_slice(&value[done..place]);
        out.extend_from_slice(if value[place] == b'\n' { b"\\n" } else { b"\\r" });
        done = place + 1;
    }
    out.extend_from_slice(&value[done..]);
}

fn needs_escape(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn escape_byte(byte: u8, level: usize, out: &mut Vec<u8>) {
    let letter = match byte {
        _ if level == 0 || !needs_escape(byte) => return out.push(byte),
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        control => {
            escape_byte(b'\\', level - 1, out);
            return out.extend_from_slice(format!("u{control:04x}").as_bytes());
        }
    };
    [b'\\', letter].into_iter().for_each(|byte| escape_byte(byte, level - 1, out));
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
    fn a_string_is_read_as_a_json_parser_reads_it() {
        let pieces = [
            "a",
            "\u{e9}",
            "\\",
            "\"",
            "u",
            "00e9",
            "d83d",
            "\\ude00",
            "\\ud83d",
            "\\n",
            "\\/",
            "\\x",
            "\n",
            " ",
            "\u{1f600}",
        ];
        for number in 0..pieces.len().pow(4) {
            let inside: String =
                (0..4).map(|place| pieces[number / pieces.len().pow(place) % pieces.len()]).collect();
            for json in [format!("\"{inside}\""), format!(" \"{inside}\"\t"), inside] {
                let parsed = serde_json::from_str::<String>(&json).ok();
                let read = string_in(&json).map(|text| String::from_utf8(text.to_vec()).unwrap());
                assert_eq!(read, parsed.filter(|_| is_json_text(&json)), "{json}");
            }
        }
    }

    #[test]
    fn a_string_in_a_string_is_escaped_twice() {
        let text: String = (0..0x80).filter_map(char::from_u32).collect();
        for level in 0..=4 {
            let mut out = Vec::new();
            escape_times(&text, level, &mut out);
            let mut read = String::from_utf8(out).unwrap();
            for _ in 0..level {
                read = serde_json::from_str(&format!("\"{read}\"")).unwrap();
            }
            assert_eq!(read, text);
        }
    }

    #[test]
    fn line_breaks_are_two_characters() {
        let mut out = Vec::new();
        escape_breaks(b"\na\r\n\\n\xff\n", &mut out);
        assert_eq!(out, b"\\na\\r\\n\\n\xff\\n");
    }
}

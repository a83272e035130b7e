//! Tokens that were cut within the id of their session, which the library takes for text.

use memchr::memmem;
use sealmark::record::Label;

/// The beginning of a session's id, where a line ends in the middle of it. A token that was cut before that names no session.
pub fn id_at_end(line: &[u8]) -> Option<&[u8]> {
    const ID: usize = 16;
    let rest = &line[memmem::rfind(line, b"~s1")? + 3..];
    let (suite, rest) = rest.split_first()?;
    let rest = rest.strip_prefix(b"~")?;
    let start = match suite {
        b'h' | b'z' => rest,
        b'a' | b'p' | b'j' | b'q' => {
            let label = memchr::memchr(b'~', rest)?;
            Label::new(str::from_utf8(&rest[..label]).ok()?).ok()?;
            &rest[label + 1..]
        }
        _ => return None,
    };
    let is_id = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    ((1..=ID).contains(&start.len()) && start.iter().all(is_id)).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_end_within_an_id() {
        let id =
            |line: &'static str| id_at_end(line.as_bytes()).map(|id| str::from_utf8(id).unwrap_or_default());
        for (line, start) in [
            ("ip=~s1a~ip~AB-_", "AB-_"),
            ("~s1q~a.b~A", "A"),
            ("~s1h~AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAA"),
            ("~s1a~ip~AB ~s1z~C", "C"),
        ] {
            assert_eq!(id(line), Some(start), "{line}");
        }
        // Nothing of an id, too much for one, no suite, no label, and text behind it.
        for none in [
            "",
            "~s1",
            "~s1a~ip~",
            "~s1h~AAAAAAAAAAAAAAAAA",
            "~s1x~ip~A",
            "~s1a~i p~A",
            "~s1a~ip~A b",
            "~s1a~ip~A~",
        ] {
            assert_eq!(id(none), None, "{none}");
        }
    }
}

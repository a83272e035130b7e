//! What a reader makes of a sealed line (spec/record.md, "Opening").

use crate::Span;
use sealmark::record::object_in;

/// Whether a reader opens the sealed line to this one. What it would open to something else is not sealed by fields.
pub fn opens_to_itself(line: &[u8], spans: &[Span]) -> bool {
    let object = object_in(line).unwrap_or(line.len());
    let plain = |span: &Span| span.range.end <= object || is_plain_in_json(&line[span.range.clone()]);
    spans.iter().all(plain) && !is_swallowed(line, spans)
}

fn is_plain_in_json(value: &[u8]) -> bool {
    let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    !value.iter().any(special) && std::str::from_utf8(value).is_ok()
}

/// Whether a token could be read as the end of another one that somebody began before it.
fn is_swallowed(line: &[u8], spans: &[Span]) -> bool {
    let in_a_body = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
    let before = |span: &Span| &line[..span.range.start];
    let last = spans.iter().map(before).rfind(|before| before.last().is_some_and(in_a_body));
    last.is_some_and(|before| memchr::memmem::find(before, b"~s1").is_some())
}

/// Whether a reader may take the line for one that a sealer wrote about the log, and so take it away. Such a line must not
/// be passed on as it is.
pub fn may_be_taken_away(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"{\"sealmark\":\"").unwrap_or(line);
    line.starts_with(b"~s1h~") || line.starts_with(b"~s1z~")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use crate::Selection;
    use crate::shown::{self, owned, patterns as found};

    #[test]
    fn what_a_reader_would_escape_is_no_value() {
        assert!(found(&["b: (.*)}"], r#"{b: a\n}"#).is_none());
        assert!(found(&["b: (.*)}"], r#"{b: an}"#).is_some());
        assert!(found(&["b: (.*)}"], r#"x{b: a\n}"#).is_none());
        assert!(found(&["(?<a>.*)\\{"], r#"a"{b: a\n}"#).is_some());
    }

    #[test]
    fn a_token_that_another_would_swallow_is_not_written() {
        let begun = format!("~s1a~x~{}~{}", "A".repeat(16), "A".repeat(27));
        assert!(found(&["42"], &format!("{begun}42")).is_none());
        assert!(found(&["42"], &format!("{begun} 42")).is_some());
        assert!(found(&["42"], "A42").is_some());
    }

    #[test]
    fn what_a_reader_takes_away_is_no_line_of_the_log() {
        let selection = Selection { json: owned(&["a"]), ..Selection::default() };
        for kind in ["h", "z"] {
            assert!(shown::found(&selection, &format!("{{\"sealmark\":\"~s1{kind}~…\"}}")).is_none());
            assert!(found(&["s"], &format!("~s1{kind}~…")).is_none());
        }
        assert!(shown::found(&selection, "{\"sealmark\":\"~s1a~…\"}").is_some());
        assert!(found(&["s"], "~s1a~…").is_some());
    }
}

//! Values in lines of `label:value`, separated by tabs (ltsv.org).

use crate::names::Names;
use crate::span::{Form, Span};

/// Adds the values of the names; `false` where the line is no LTSV. An empty line is a record without fields.
///
/// A line without a tab, which a sentence with a colon is, counts only if its label is one of those that were `typed`.
pub fn find(line: &[u8], names: &Names, typed: &Names, spans: &mut Vec<Span>) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if memchr::memchr2(0, b'\r', line).is_some() {
        return false;
    }
    let mut start = 0;
    while start < line.len() {
        let end = memchr::memchr(b'\t', &line[start..]).map_or(line.len(), |length| start + length);
        let Some(label) = line[start..end].iter().position(|byte| !is_part_of_label(*byte)) else {
            return false;
        };
        if label == 0 || line[start + label] != b':' || end + 1 == line.len() {
            return false;
        }
        if start == 0 && end == line.len() && typed.find(&line[..label]).is_none() {
            return false;
        }
        let value = start + label + 1..end;
        if let Some(label) = names.find(&line[start..][..label]).filter(|_| !value.is_empty()) {
            spans.push(Span { range: value, label, form: Form::Verbatim });
        }
        start = end + 1;
    }
    true
}

/// True where there can be such a label.
pub fn is_label(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| is_part_of_label(*byte))
}

#[inline]
fn is_part_of_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || byte == b'-'
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use crate::shown::{ltsv as found, owned};
    use crate::{Fields, Selection};

    #[test]
    fn values_reach_to_the_next_tab() {
        assert_eq!(found(&["a", "b-1"], "a:x y\tc:1\tb-1:[2: 3]").unwrap(), ["a x y", "b-1 [2: 3]"]);
        assert_eq!(found(&["a"], "a:1\tb:2\ta:\"3\\t\"\r").unwrap(), ["a 1", "a \"3\\t\""]);
        assert_eq!(found(&["a"], "a:-").unwrap(), ["a -"]);
        assert!(found(&["a"], "a:\tA:1\taa:1").unwrap().is_empty());
        assert!(found(&["a"], "").unwrap().is_empty());
    }

    #[test]
    fn a_line_of_one_field_is_of_one_that_was_named() {
        assert_eq!(found(&["a", "b"], "b:1").unwrap(), ["b 1"]);
        assert!(found(&["a"], "panic: a is 1").is_none());
        let dropped = Selection { ltsv: owned(&["a"]), dropped: owned(&["d"]), ..Selection::default() };
        let (fields, mut spans, mut kept) = (Fields::new(&dropped).unwrap(), Vec::new(), Vec::new());
        for (line, without) in [("a:1", Some("a:1")), ("d:1", Some("d:-")), ("b:1", None)] {
            let kept = fields.without_dropped(line.as_bytes(), &mut spans, &mut kept).map(|kept| kept.line);
            assert_eq!(kept, without.map(str::as_bytes));
            assert!(kept.is_none_or(|kept| fields.find(kept, &mut spans)));
        }
    }

    #[test]
    fn other_lines_are_not_looked_into() {
        for line in ["a", "a:1\t", "\ta:1", "a:1\t\tb:2", ":1", "a b:1", "a:1\tb", "a:1\rb:2", "a:1\0"] {
            assert!(found(&["a"], line).is_none(), "{line}");
        }
    }
}

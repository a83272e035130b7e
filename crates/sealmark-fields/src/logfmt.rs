//! `--logfmt`: values in lines of `key=value`, `key="quoted \" value"` and bare keys, in the grammar of
//! github.com/go-logfmt/logfmt. Whatever is no text in quotes is separated by blanks and control characters.

use crate::names::Names;
use crate::{Form, Span, closing_quote};
use std::ops::Range;

/// Adds the values of the names, as they are written, without their quotes; `false` where the line is no logfmt.
///
/// A line of bare keys only, which any prose is, is none.
pub fn find(line: &[u8], names: &Names, spans: &mut Vec<Span>) -> bool {
    pairs(line, names, spans) == Some(true)
}

/// Whether there is a pair in what is logfmt.
fn pairs(line: &[u8], names: &Names, spans: &mut Vec<Span>) -> Option<bool> {
    let (mut at, mut any) = (0, false);
    loop {
        at = end_of(line, at, |byte| byte <= b' ');
        let key = at..end_of(line, at, is_plain);
        at = key.end;
        match line.get(at) {
            None => return Some(any),
            Some(b'=') if !key.is_empty() => {}
            Some(b'=' | b'"') => return None,
            Some(_) => continue,
        }
        let (value, next) = value(line, at + 1)?;
        (at, any) = (next, true);
        let label = names.find(str::from_utf8(&line[key]).ok()?.as_bytes());
        if let Some(label) = label.filter(|_| !value.is_empty()) {
            spans.push(Span { range: value, label, form: Form::Verbatim });
        }
    }
}

/// A value, and where the search goes on.
fn value(line: &[u8], start: usize) -> Option<(Range<usize>, usize)> {
    if line.get(start) == Some(&b'"') {
        let end = closing_quote(line, start + 1)?;
        return Some((start + 1..end, end + 1));
    }
    // A quote or another `=` behind it is the beginning of no key.
    let end = end_of(line, start, is_plain);
    Some((start..end, end))
}

/// Whether there can be such a key.
pub fn is_key(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| is_plain(*byte))
}

/// What keys, and values without quotes, are made of.
fn is_plain(byte: u8) -> bool {
    byte > b' ' && byte != b'=' && byte != b'"'
}

#[inline]
fn end_of(line: &[u8], start: usize, is_part: impl Fn(u8) -> bool) -> usize {
    line[start..].iter().position(|byte| !is_part(*byte)).map_or(line.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use crate::shown::logfmt as found;

    #[test]
    fn values_are_found_with_and_without_quotes() {
        assert_eq!(found(&["a", "b"], "a=1 c=2 b=\"x y\"").unwrap(), ["a 1", "b x y"]);
        assert_eq!(found(&["a"], "\t a=1\ta=2\r").unwrap(), ["a 1", "a 2"]);
        assert_eq!(found(&["é", "a"], "bare é=ü a=[1,2]").unwrap(), ["_ ü", "a [1,2]"]);
        assert_eq!(found(&["a", "b"], "a=\"x\"b=1").unwrap(), ["a x", "b 1"]);
    }

    #[test]
    fn escapes_stay_as_they_are_written() {
        assert_eq!(found(&["a"], r#"a="x\" a=\"y\\" c=1"#).unwrap(), [r#"a x\" a=\"y\\"#]);
    }

    #[test]
    fn what_is_empty_or_bare_has_nothing_to_hide() {
        assert!(found(&["a", "b"], r#"a b= c=1 a="""#).unwrap().is_empty());
        assert!(found(&["a"], "aa=1 A=1 ba=1").unwrap().is_empty());
    }

    #[test]
    fn other_lines_are_not_looked_into() {
        for line in ["", " ", "a", "user a of b", "=1", "a=1 =2", "a=b=c", "a\"b\"", "a=b\"c", "\"a\"=1"] {
            assert!(found(&["a"], line).is_none(), "{line}");
        }
        for unended in [r#"a="1"#, r#"a="1\""#, r#"a="1\"#] {
            assert!(found(&["a"], unended).is_none(), "{unended}");
        }
    }
}

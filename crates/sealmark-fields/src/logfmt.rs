//! Values in lines of `key=value` and `key="quoted \" value"`, separated by blanks and control characters. That
//! is less than what github.com/go-logfmt/logfmt reads: with a bare word between, prose would be logfmt, too, and a
//! value that was not put between quotes would stay in the clear but for its first word.

use crate::names::Names;
use crate::quotes::closing_quote;
use crate::span::{Form, Span};
use std::ops::Range;

/// Adds the values of the names, as they are written, without their quotes; `false` where the line is no logfmt, or has
/// no pair.
pub fn find(line: &[u8], names: &Names, spans: &mut Vec<Span>) -> bool {
    pairs(line, names, spans) == Some(true)
}

/// True where there is a pair in what is logfmt.
fn pairs(line: &[u8], names: &Names, spans: &mut Vec<Span>) -> Option<bool> {
    // Some programs write this at the start of a file.
    let (mut at, mut any) = (if line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }, false);
    loop {
        at = end_of(line, at, |byte| byte <= b' ');
        let key = at..end_of(line, at, is_plain);
        at = key.end;
        match line.get(at) {
            None if key.is_empty() => return Some(any),
            Some(b'=') if !key.is_empty() => {}
            _ => return None,
        }
        let key = str::from_utf8(&line[key]).ok()?;
        // A program that writes pairs between brackets means the name behind them.
        let label =
            names.find(key.as_bytes()).or_else(|| names.find(key.trim_start_matches(BRACKETS).as_bytes()));
        let (value, next) = value(line, at + 1, label.is_some())?;
        (at, any) = (next, true);
        if let Some(label) = label.filter(|_| !value.is_empty()) {
            spans.push(Span { range: value, label, form: Form::Verbatim });
        }
    }
}

const BRACKETS: [char; 6] = ['{', '[', '(', '<', ',', ';'];

/// A value, and where the search goes on.
fn value(line: &[u8], start: usize, is_named: bool) -> Option<(Range<usize>, usize)> {
    let end = match line.get(start) {
        Some(b'"') => {
            let end = closing_quote(line, start + 1)?;
            let apart = line.get(end + 1).is_none_or(|byte| *byte <= b' ');
            return apart.then_some((start + 1..end, end + 1));
        }
        // Somebody else's quotes may have blanks between them.
        Some(b'\'') => return None,
        // Brackets as well. Another value keeps its first word: what it has behind a blank could hide a named one.
        Some(open @ (b'<' | b'[' | b'{' | b'(')) if is_named => closing_bracket(line, start, *open)?,
        _ => start,
    };
    // A quote or another `=` behind it is the beginning of no key.
    let end = end_of(line, end, is_plain);
    Some((start..end, end))
}

/// The bracket that closes the one at the start.
fn closing_bracket(line: &[u8], start: usize, open: u8) -> Option<usize> {
    let (close, mut depth) = (if open == b'(' { b')' } else { open + 2 }, 0);
    let found = line[start..].iter().position(|byte| {
        depth += usize::from(*byte == open);
        depth -= usize::from(*byte == close);
        depth == 0
    });
    found.map(|length| start + length)
}

/// True where there can be such a key.
pub fn is_key(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| is_plain(*byte))
}

/// The characters of keys, and of values without quotes.
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
        assert_eq!(found(&["é", "a"], "é=ü a=[1,2]").unwrap(), ["_ ü", "a [1,2]"]);
    }

    #[test]
    fn what_stands_before_a_key_does_not_hide_it() {
        assert_eq!(found(&["a", "b"], "\u{feff}a=1 b=2").unwrap(), ["a 1", "b 2"]);
        assert_eq!(found(&["a", "b"], "{a=1, b=2 ,b=3}").unwrap(), ["a 1,", "b 2", "b 3}"]);
        assert_eq!(found(&["{a"], "{a=1").unwrap(), ["_a 1"]);
    }

    #[test]
    fn escapes_stay_as_they_are_written() {
        assert_eq!(found(&["a"], r#"a="x\" a=\"y\\" c=1"#).unwrap(), [r#"a x\" a=\"y\\"#]);
    }

    #[test]
    fn a_named_value_in_brackets_ends_with_them() {
        assert_eq!(found(&["a"], "a=<b c=d> e=1").unwrap(), ["a <b c=d>"]);
        assert_eq!(found(&["a"], "a=[[1 2] 3], e=1 a={x \"y\"}z a=(b c) a=[] a=<>").unwrap().len(), 5);
        // A stranger's value takes no other along.
        assert_eq!(found(&["a"], "e=<b a=d> f=1").unwrap(), ["a d>"]);
        for unended in ["a=<b c=d", "a=[[1 2]", "a=<b c>d"] {
            assert_eq!(found(&["a"], unended).is_some(), unended.ends_with('d') && unended.contains('>'));
        }
    }

    #[test]
    fn what_is_empty_has_nothing_to_hide() {
        assert!(found(&["a", "b"], r#"b= c=1 a="""#).unwrap().is_empty());
        assert!(found(&["a"], "aa=1 A=1 ba=1").unwrap().is_empty());
    }

    #[test]
    fn other_lines_are_not_looked_into() {
        for line in ["", " ", "a", "user a of b", "=1", "a=1 =2", "a=b=c", "a\"b\"", "a=b\"c", "\"a\"=1"] {
            assert!(found(&["a"], line).is_none(), "{line}");
        }
        for bare in ["a=1 bare", "bare a=1", "user bob has a=1 today", "a=x y", "a=1 b"] {
            assert!(found(&["a"], bare).is_none(), "{bare}");
        }
        for glued in
            [r#"a="x"b=1"#, r#"a="x"y"#, r#"a="x"""#, r#"b="x"y a=1"#, "a='x y=1'", "a='x'", "b=' a=1"]
        {
            assert!(found(&["a"], glued).is_none(), "{glued}");
        }
        for unended in [r#"a="1"#, r#"a="1\""#, r#"a="1\"#] {
            assert!(found(&["a"], unended).is_none(), "{unended}");
        }
    }
}

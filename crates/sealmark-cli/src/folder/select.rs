//! Patterns for the paths of an archive.

use crate::fault::Fault;
use regex::bytes::Regex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The entries that some patterns name; all of them without a pattern.
pub struct Selection {
    patterns: Vec<Pattern>,
}

struct Pattern {
    text: String,
    regex: Regex,
    found: AtomicBool,
}

impl Selection {
    /// `*` and `?` stand for any text or one character within a name, `**` for any names, `[a-z]` for one of several
    /// characters. A pattern that matches a directory names all that is in it.
    pub fn new(patterns: &[String]) -> Result<Self, Fault> {
        let pattern = |text: &String| {
            let regex = Regex::new(&regex(text)).map_err(|_| {
                Fault::usage(format!("{text:?} is not a pattern for paths"))
                    .hint("put a backslash before a bracket that is part of a name")
            })?;
            Ok(Pattern { text: text.clone(), regex, found: AtomicBool::new(false) })
        };
        Ok(Self { patterns: patterns.iter().map(pattern).collect::<Result<_, Fault>>()? })
    }

    pub fn has(&self, path: &[u8]) -> bool {
        // Each pattern is tried, because one that finds nothing is an error.
        let has = self.patterns.iter().fold(false, |has, pattern| {
            let found = pattern.regex.is_match(path);
            pattern.found.fetch_or(found, Ordering::Relaxed);
            has || found
        });
        has || self.patterns.is_empty()
    }

    /// With what every selected path starts.
    pub fn prefix(&self) -> Vec<u8> {
        let mut prefixes = self.patterns.iter().map(|pattern| literal(&pattern.text));
        let first = prefixes.next().unwrap_or_default();
        prefixes.fold(first, |shared, other| {
            let length = shared.iter().zip(&other).take_while(|(one, other)| one == other).count();
            shared[..length].to_vec()
        })
    }

    /// The first pattern that matched nothing.
    pub fn check_all_found(&self) -> Result<(), Fault> {
        match self.patterns.iter().find(|pattern| !pattern.found.load(Ordering::Relaxed)) {
            Some(pattern) => Err(Fault::usage(format!("no path in the archive matches {:?}", pattern.text))
                .hint("see the paths with `sealmark list`")),
            None => Ok(()),
        }
    }
}

fn trimmed(pattern: &str) -> &str {
    pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/')
}

/// The text before the first character with a meaning.
fn literal(pattern: &str) -> Vec<u8> {
    trimmed(pattern).split(['*', '?', '[', '\\']).next().unwrap_or_default().into()
}

fn regex(pattern: &str) -> String {
    let (mut out, mut rest) = (r"(?s-u)\A".to_owned(), trimmed(pattern));
    while let Some(letter) = rest.chars().next() {
        let (text, length) = if rest.starts_with("**/") {
            ("(?:.*/)?".to_owned(), 3)
        } else if rest.starts_with("**") {
            (".*".to_owned(), 2)
        } else if let Some(class) = class(rest) {
            class
        } else {
            match letter {
                '*' => ("[^/]*".to_owned(), 1),
                // A character of UTF-8, or a byte that belongs to none.
                '?' => (r"(?:[\x00-\x2e\x30-\x7f]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf])".to_owned(), 1),
                '\\' => {
                    let escaped: String = rest.chars().skip(1).take(1).collect();
                    (regex::escape(&escaped), 1 + escaped.len())
                }
                _ => (regex::escape(&rest[..letter.len_utf8()]), letter.len_utf8()),
            }
        };
        out += &text;
        rest = &rest[length..];
    }
    out + r"(?:/.*)?\z"
}

/// The class `[…]` at the start of `rest` as a regular expression, and its length. Like `*` it has no slash.
fn class(rest: &str) -> Option<(String, usize)> {
    let inner = rest.strip_prefix('[')?;
    let (not, inner) = inner.strip_prefix(['!', '^']).map_or((false, inner), |inner| (true, inner));
    let (mut letters, mut items) = (inner.chars(), String::new());
    loop {
        let letter = match letters.next()? {
            ']' if !items.is_empty() => break,
            '\\' => letters.next()?,
            letter => letter,
        };
        // By their numbers, because many signs have a meaning in the class of a regular expression.
        items += &format!(r"\x{{{:x}}}", u32::from(letter));
        if let Some(end) = letters.as_str().strip_prefix('-').filter(|end| !end.starts_with(']')) {
            letters = end.chars();
            let last = letters.next().filter(|last| *last != '\\').or_else(|| letters.next())?;
            items += &format!(r"-\x{{{:x}}}", u32::from(last));
        }
    }
    let class = if not { format!("(?u:[^/{items}])") } else { format!("(?u:[[{items}]--/])") };
    Some((class, rest.len() - letters.as_str().len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn patterns_name_paths_and_all_below() {
        for (pattern, yes, no) in [
            (
                "photos/2024",
                &["photos/2024", "photos/2024/a/b"][..],
                &["photos/20245", "photos", "a/photos/2024"][..],
            ),
            ("photos/2024/", &["photos/2024"], &["photos"]),
            ("./photos/*", &["photos/a", "photos/a/b"], &["photos"]),
            (
                "photos/*.jpg",
                &["photos/a.jpg", "photos/.jpg", "photos/a.jpg/b"],
                &["photos/a/b.jpg", "photos/a.jpgs"],
            ),
            ("**/*.jpg", &["a.jpg", "a/b/c.jpg"], &["a.png"]),
            ("a/**/z", &["a/z", "a/b/c/z"], &["a/bz"]),
            ("a?c", &["abc", "aüc"], &["a/c", "ac", "abbc"]),
            ("[!a-c]x", &["dx"], &["ax", "/x", "x"]),
            ("[a-c]x", &["bx"], &["dx"]),
            ("a[+-/]b", &["a.b", "a+b"], &["a/b", "a0b"]),
            ("[]a]", &["]", "a"], &["b", "[]a]"]),
            ("[!]a]", &["b", "["], &["]", "a"]),
            ("[ü-þ]", &["ü", "ý"], &["u", "ÿ"]),
            ("[!ü]", &["ä"], &["ü"]),
            ("[+--]", &["+", ",", "-"], &[".", "a"]),
            ("[a~~b&&-]", &["~", "&", "-", "b"], &["c"]),
            ("[--/]", &["-", "."], &["/", "a"]),
            (r"[\]\-x]", &["]", "-", "x"], &["\\", "a"]),
            ("[a-", &["[a-"], &["a"]),
            (r"a\*b", &["a*b"], &["axb"]),
            ("a[b", &["a[b"], &["ab"]),
            ("ü*", &["über"], &["uber"]),
        ] {
            let selection = Selection::new(&[pattern.to_owned()]).unwrap();
            for path in yes {
                assert!(selection.has(path.as_bytes()), "{pattern} {path}");
                assert!(path.as_bytes().starts_with(&selection.prefix()), "{pattern} {path}");
            }
            no.iter().for_each(|path| assert!(!selection.has(path.as_bytes()), "{pattern} {path}"));
        }
    }

    #[test]
    fn a_pattern_that_finds_nothing_is_told() {
        let selection = Selection::new(&["a".into(), "b".into()]).unwrap();
        assert!(selection.has(b"a") && selection.prefix().is_empty());
        assert!(selection.check_all_found().unwrap_err().message.contains("\"b\""));
        assert!(selection.has(b"b") && selection.check_all_found().is_ok());
    }
}

//! The patterns of a search: each is a regular expression by itself, whatever flags and names of groups it has.

use crate::fault::Fault;
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::ops::Range;

#[derive(Clone)]
pub struct Patterns {
    /// All of them in one pass, which tells that there is a match, but not where.
    any: RegexSet,
    each: Vec<Regex>,
}

impl Patterns {
    /// A line feed stands, as in grep, between two patterns.
    pub fn new(typed: &[String], fixed: bool, ignore_case: bool) -> Result<Self, Fault> {
        let patterns = typed.iter().flat_map(|pattern| pattern.split('\n'));
        let patterns: Vec<String> =
            if fixed { patterns.map(regex::escape).collect() } else { patterns.map(str::to_owned).collect() };
        let build = |pattern: &String| {
            let built = RegexBuilder::new(pattern).case_insensitive(ignore_case).build();
            built.map_err(|error| refused(&error).within(&format!("{pattern:?}")))
        };
        let each = patterns.iter().map(build).collect::<Result<_, _>>()?;
        let any = RegexSetBuilder::new(&patterns).case_insensitive(ignore_case).build();
        Ok(Self { any: any.map_err(|error| refused(&error))?, each })
    }

    pub fn is_match(&self, text: &[u8]) -> bool {
        self.any.is_match(text)
    }

    /// Hands over what matches and is not empty, from the first to the last: where several patterns match at a place, the
    /// longest.
    pub fn each_match(&self, text: &[u8], mut hand: impl FnMut(Range<usize>)) {
        let (mut at, mut next) = (0, vec![Some(0..0); self.each.len()]);
        loop {
            for (regex, found) in self.each.iter().zip(&mut next) {
                if found.as_ref().is_some_and(|found| found.is_empty() || found.start < at) {
                    *found = match_behind(regex, text, at);
                }
            }
            let first = next.iter().flatten().min_by_key(|found| (found.start, usize::MAX - found.end));
            let Some(first) = first.cloned() else { return };
            at = first.end;
            hand(first);
        }
    }
}

/// The next match that is not empty.
fn match_behind(regex: &Regex, text: &[u8], mut at: usize) -> Option<Range<usize>> {
    while at <= text.len() {
        let found = regex.find_at(text, at)?;
        if !found.is_empty() {
            return Some(found.range());
        }
        at = found.end() + 1;
    }
    None
}

fn refused(error: &regex::Error) -> Fault {
    Fault::usage(format!("not a regular expression: {}", sealmark_fields::internal::cause(error)))
        .hint("to search for plain text, add --fixed-strings; https://docs.rs/regex has the syntax")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn matches(patterns: &[&str], text: &str) -> Vec<String> {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let (patterns, mut found) = (Patterns::new(&patterns, false, false).unwrap(), Vec::new());
        patterns.each_match(text.as_bytes(), |range| found.push(text[range].to_owned()));
        assert_eq!(found.is_empty(), !patterns.is_match(text.as_bytes()), "{text}");
        found
    }

    #[test]
    fn the_longest_of_those_that_begin_first_counts() {
        assert_eq!(matches(&["b", "bc", "abc?"], "xabcd bcb"), ["abc", "bc", "b"]);
        assert_eq!(matches(&["a", "ab", "b.*"], "ab b"), ["ab", "b"]);
        assert_eq!(matches(&["bc", "ab"], "abcbc"), ["ab", "bc"]);
        assert_eq!(matches(&["a*b?", "é"], "é-aab"), ["é", "aab"]);
    }

    #[test]
    fn flags_and_groups_of_a_pattern_are_its_own() {
        assert_eq!(matches(&["(?i)a", "b"], "ABab"), ["A", "a", "b"]);
        assert_eq!(matches(&["(?x) a # c", "b"], "ab"), ["a", "b"]);
        assert_eq!(matches(&["(?<n>a)", "(?<n>b)"], "ab"), ["a", "b"]);
        assert_eq!(matches(&["a\nb"], "ab"), ["a", "b"]);
    }

    #[test]
    fn one_pattern_matches_as_by_itself() {
        for (pattern, text) in
            [("a*", "baac"), ("a|", "bab"), ("x*", "é😀x"), ("(?-u:.)", "ab"), ("^a", "aa"), ("\\b", "a b")]
        {
            let alone = Regex::new(pattern).unwrap();
            let alone: Vec<_> = alone
                .find_iter(text.as_bytes())
                .map(|found| found.range())
                .filter(|found| !found.is_empty())
                .collect();
            let (patterns, mut found) =
                (Patterns::new(&[pattern.to_owned()], false, false).unwrap(), Vec::new());
            patterns.each_match(text.as_bytes(), |range| found.push(range));
            assert_eq!(found, alone, "{pattern}");
        }
    }
}

//! Messages: lines on standard error that start with `error:`, `hint:`, `warning:` or `note:`. Standard output carries results
//! alone.

use crate::fault::{Exit, Fault};
use std::borrow::Cow;
use std::io::{self, Write};

/// Says what went wrong and what to type; returns how the program should end.
pub fn fault(fault: &Fault) -> Exit {
    line(&format!("error: {}", fault.message));
    for hint in &fault.hints {
        line(&format!("hint: {hint}"));
    }
    fault.exit
}

pub fn warning(text: &str, hint: &str) {
    line(&format!("warning: {text}"));
    line(&format!("hint: {hint}"));
}

pub fn note(text: &str) {
    line(&format!("note: {text}"));
}

/// A number and its noun.
pub fn many(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// One line on standard error. That it may be closed is no reason to stop the work; what was typed or read and
/// is quoted here shall not drive the terminal.
pub fn line(text: &str) {
    let text = without_secrets(text);
    let text: String = text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// Removes secret keys from text that a message quotes, because messages are logged. Long words are keys, and short ones
/// may be names of files.
fn without_secrets(text: &str) -> Cow<'_, str> {
    // The program of a plugin has its name in small letters.
    const PLUGIN: &str = "AGE-PLUGIN-";
    const MARK: &str = "SECRET-KEY-";
    const LONGEST_WORD: usize = 12;
    let found = text.to_ascii_uppercase().find(MARK).map(|at| at + MARK.len());
    let plugin = text.find(PLUGIN).map(|at| at + PLUGIN.len());
    let Some(end) = found.into_iter().chain(plugin).min() else { return text.into() };
    let (start, rest) = text.split_at(end);
    let mut shown = start.to_owned();
    for word in rest.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let end = word.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
        let long = word.len() - end.len() > LONGEST_WORD;
        shown += if long { "…" } else { &word[..word.len() - end.len()] };
        shown += end;
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_keys_are_left_out() {
        let key = "AGE-SECRET-KEY-PQ-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
        for key in [key.to_owned(), key.to_lowercase(), key.replace("PQ-", "")] {
            let shown = without_secrets(&format!("--a='{key}' and \"{key}\"")).into_owned();
            assert!(!shown.to_lowercase().contains("qpzry9x8") && shown.contains("and"), "{shown}");
        }
        let plugin =
            without_secrets("\"AGE-PLUGIN-TPM-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L\" is missing").into_owned();
        assert_eq!(plugin, "\"AGE-PLUGIN-TPM-…\" is missing");
        let innocent = "\"my-secret-key-of-2025.txt\": no such file or directory";
        assert_eq!(without_secrets(innocent), innocent);
    }
}

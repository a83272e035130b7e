//! Output: standard output carries only results, standard error carries messages about them, in lines that start with
//! `error:`, `hint:`, `warning:` or `note:`.

use crate::fault::{Exit, Fault};
use crate::stdio;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

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
    const MARK: &str = "SECRET-KEY-";
    const LONGEST_WORD: usize = 12;
    let Some(found) = text.to_ascii_uppercase().find(MARK) else { return text.into() };
    let (start, rest) = text.split_at(found + MARK.len());
    let mut shown = start.to_owned();
    for word in rest.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let end = word.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
        let long = word.len() - end.len() > LONGEST_WORD;
        shown += if long { "…" } else { &word[..word.len() - end.len()] };
        shown += end;
    }
    shown.into()
}

/// A textual result on standard output. A reader that has seen enough (`| head -1`) is not an error.
pub fn result(text: &str) -> Result<(), Fault> {
    let mut out = stdio::output_file().map(stdio::Stdout).map_err(|error| redirected(error.into()))?;
    match out.write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(redirected(Fault::from(error).within("standard output")))
        }
        _ => Ok(()),
    }
}

/// For programs, in one line.
pub fn json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map(|line| line + "\n").map_err(|error| Fault::io(error.to_string()))
}

/// Not every verb that prints a result has `-o`.
fn redirected(mut fault: Fault) -> Fault {
    fault.hints = vec!["redirect standard output to another file or pipe".to_owned()];
    fault
}

pub fn result_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The parser's refusals in our style and with our exit code; its help and version as they are.
pub fn refusal(refusal: &clap::Error) -> Exit {
    if !refusal.use_stderr() {
        return match refusal.print() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fault(&error.into()),
            _ => Exit::Done,
        };
    }
    if refusal.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = refusal.print();
        return Exit::Usage;
    }
    // The first paragraph is the message; usage follows, and lines with tips, which are hints.
    let rendered = refusal.render().to_string();
    let message = rendered.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let message: Vec<&str> = message.lines().map(str::trim).collect();
    let tips = rendered.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    let refused = tips.fold(Fault::usage(message.join(" ")), Fault::hint);
    fault(&refused.hint(format!("see `{} --help`", verb_in_words())))
}

/// `sealmark seal` when that verb was typed, else `sealmark`.
fn verb_in_words() -> String {
    use clap::CommandFactory;
    let typed = std::env::args_os().nth(1).unwrap_or_default();
    let program = crate::args::Cli::command();
    match program.find_subcommand(&typed) {
        Some(verb) => format!("sealmark {}", verb.get_name()),
        None => "sealmark".to_owned(),
    }
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
        let innocent = "\"my-secret-key-of-2025.txt\": no such file or directory";
        assert_eq!(without_secrets(innocent), innocent);
    }
}

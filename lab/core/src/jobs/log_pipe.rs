//! Jobs of logs: one field of each line is sealed by a program between two files, and opened again.

use super::log_lines::{self, Lines, TELLTALES};
use super::pipe::INTO_NOTHING;
use super::runner::{Outcome, Runner};
use super::{Job, MASK, Parameter, Ran, check};
use crate::parameters::NONE;
use crate::protocol::Operation;
use memchr::memmem::Finder;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

pub static LOG_JSON: Job = Job {
    name: "log-json",
    write_input: |path, seed, bytes| log_lines::write(path, Lines::json, seed, bytes),
    about: "JSON log",
    ..OF_LOGS
};

pub static LOG_COMBINED: Job = Job {
    name: "log-combined",
    write_input: |path, seed, bytes| log_lines::write(path, Lines::combined, seed, bytes),
    about: "access log",
    ..OF_LOGS
};

pub static LOG_SHORT: Job = Job {
    name: "log-short",
    write_input: |path, seed, bytes| log_lines::write(path, Lines::short, seed, bytes),
    about: "short log",
    ..OF_LOGS
};

const OF_LOGS: Job = Job {
    parameters: &[Parameter { or_recipient: true, ..Parameter::of("algorithm", &[MASK]) }],
    program: Some(Ran::Filter),
    must_hide,
    place_of_damage,
    ..INTO_NOTHING
};

/// No value may stay where whoever reads the sealed log can see it; what copies hides nothing.
fn must_hide(runner: &Runner, sealed: &Path) -> Outcome<()> {
    let copies = runner.line.algorithm() == NONE;
    let found = if copies { None } else { find(sealed, 0, &TELLTALES)? };
    let Some(at) = found else { return Ok(()) };
    check::wrong(Operation::Seal, format!("its output has a value in the clear, at byte {at}"))
}

/// Within a sealed value in the middle of the log, far enough behind the name of its field for the name of a key: what
/// is not even a character of base64 would be no sealed value any more, and nobody's to refuse.
fn place_of_damage(sealed: &Path) -> Outcome<u64> {
    const BEHIND: u64 = 60;
    let middle = std::fs::metadata(sealed)?.len() / 2;
    let from = find(sealed, middle, &["email"])?.map_or(middle, |at| at + BEHIND);
    let mut near = [0; 16];
    let read = File::open(sealed)?.read_at(&mut near, from)?;
    let at = near[..read].iter().position(|byte| stays_base64(*byte)).unwrap_or(0);
    Ok(from + at as u64)
}

/// True if a character is still one of base64 when its lowest bit is another.
fn stays_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() && (byte ^ 1).is_ascii_alphanumeric()
}

/// Where the first of some words stands in a file; none of them has a line feed.
fn find(path: &Path, from: u64, words: &[&str]) -> Outcome<Option<u64>> {
    let mut file = BufReader::new(File::open(path)?);
    file.seek(SeekFrom::Start(from))?;
    let finders: Vec<_> = words.iter().map(|word| Finder::new(*word)).collect();
    let (mut line, mut before) = (Vec::new(), from);
    while file.read_until(b'\n', &mut line)? > 0 {
        if let Some(at) = finders.iter().filter_map(|finder| finder.find(&line)).min() {
            return Ok(Some(before + at as u64));
        }
        before += line.len() as u64;
        line.clear();
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    const PIECE: usize = 1 << 20;

    #[test]
    fn damage_falls_into_a_sealed_value_and_leaves_it_looking_like_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let (text, id) = ("zA_".repeat(10) + "bQ" + &"z-".repeat(30), "I".repeat(16));
        let line = format!("{{\"email\":\"~s1a~user.email~{id}~{text}~\"}}\n");
        std::fs::write(&path, line.repeat(9)).unwrap();
        let at = place_of_damage(&path).unwrap() as usize % line.len();
        assert_eq!(line.as_bytes()[at], b'b');
        std::fs::write(&path, "x").unwrap();
        assert_eq!(place_of_damage(&path).unwrap(), 0);
    }

    #[test]
    fn words_are_found_wherever_they_stand_also_between_two_pieces() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        for at in [0, 1, PIECE - 8, PIECE - 5, PIECE - 1, PIECE, 2 * PIECE + 3] {
            let mut text = vec![b'.'; 2 * PIECE + 100];
            text[at..at + 8].copy_from_slice(b"telltale");
            std::fs::write(&path, &text).unwrap();
            assert_eq!(find(&path, 0, &["other", "telltale"]).unwrap(), Some(at as u64));
            assert_eq!(find(&path, at as u64 + 1, &["telltale"]).unwrap(), None);
            assert_eq!(find(&path, 0, &["telltales"]).unwrap(), None);
        }
    }
}

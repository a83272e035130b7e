//! Jobs of logs: one field of each line is sealed by a program between two files, and opened again.

use super::log_lines::{self, Format, TELLTALES};
use super::runner::{Cell, Outcome, Runner};
use super::{Job, Parameter, Proved, Ran, check, pipe};
use crate::protocol::Operation;
use crate::rows::Line;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

pub static LOG_JSON: Job = Job {
    name: "log-json",
    write_input: |path, seed, bytes| log_lines::write(path, Format::Json, seed, bytes),
    about: "JSON log",
    ..OF_LOGS
};

pub static LOG_COMBINED: Job = Job {
    name: "log-combined",
    write_input: |path, seed, bytes| log_lines::write(path, Format::Combined, seed, bytes),
    about: "access log",
    ..OF_LOGS
};

pub static LOG_SHORT: Job = Job {
    name: "log-short",
    write_input: |path, seed, bytes| log_lines::write(path, Format::Short, seed, bytes),
    about: "short log",
    ..OF_LOGS
};

const OF_LOGS: Job = Job {
    parameters: &[Parameter { or_recipient: true, ..Parameter::of("algorithm", &[MASK]) }],
    program: Some(Ran::Filter),
    kept: |lines, _| lines,
    check: |runner, cell, _| check(runner, cell),
    turn: |runner, cell| {
        let operations = if opens(&runner.line) { runner.operations } else { &[Operation::Seal] };
        pipe::into_nothing(runner, cell, operations)
    },
    recheck: |runner, cell| {
        let sealed = check::sealed(runner);
        check::remove(&sealed)?;
        runner.run(cell, Operation::Seal, &cell.input, &sealed)?;
        must_hide(runner, &sealed)?;
        if opens(&runner.line) { check::open_and_compare(runner, cell).map(drop) } else { Ok(()) }
    },
    ..Job::FROM_FILE_TO_FILE
};

/// What puts stars in the place of a value.
const MASK: &str = "mask";

/// Whether what a line seals can be opened again.
fn opens(line: &Line) -> bool {
    line.algorithm() != MASK
}

/// The sealed log stays for the timed opens.
fn check(runner: &mut Runner, cell: &Cell) -> Outcome<Proved> {
    if opens(&runner.line) {
        return check::there_and_back(runner, cell, must_hide, place_of_damage);
    }
    let sealed = check::sealed(runner);
    runner.run(cell, Operation::Seal, &cell.input, &sealed)?;
    must_hide(runner, &sealed)?;
    Ok(check::output(&sealed, Operation::Seal)?.into())
}

/// No value may stay where whoever reads the sealed log can see it; what copies hides nothing.
fn must_hide(runner: &Runner, sealed: &Path) -> Outcome<()> {
    if runner.line.algorithm() == "none" {
        return Ok(());
    }
    match find(sealed, 0, &TELLTALES)? {
        Some(at) => {
            check::wrong(Operation::Seal, format!("its output has a value in the clear, at byte {at}"))
        }
        None => Ok(()),
    }
}

/// Within a sealed value in the middle of the log, far enough behind the name of its field for the name of a key: what
/// is not even a character of base64 would be no sealed value any more, and nobody's to refuse.
fn place_of_damage(sealed: &Path) -> Outcome<u64> {
    const BEHIND: u64 = 60;
    let failed = check::failed_at::<std::io::Error>(Operation::Seal);
    let middle = std::fs::metadata(sealed).map_err(&failed)?.len() / 2;
    let from = find(sealed, middle, &["email"])?.map_or(middle, |at| at + BEHIND);
    let mut near = Vec::new();
    let mut file = std::fs::File::open(sealed).map_err(&failed)?;
    file.seek(SeekFrom::Start(from)).map_err(&failed)?;
    file.take(16).read_to_end(&mut near).map_err(&failed)?;
    let at = near.iter().position(|byte| stays_base64(*byte)).unwrap_or(0);
    Ok(from + at as u64)
}

/// Whether a character is still one of base64 when its lowest bit is another.
fn stays_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() && (byte ^ 1).is_ascii_alphanumeric()
}

const PIECE: usize = 1 << 20;

/// Where the first of some words stands in a file.
fn find(path: &Path, from: u64, words: &[&str]) -> Outcome<Option<u64>> {
    let failed = check::failed_at::<std::io::Error>(Operation::Seal);
    let mut file = std::fs::File::open(path).map_err(&failed)?;
    file.seek(SeekFrom::Start(from)).map_err(&failed)?;
    let finders: Vec<_> = words.iter().map(|word| memchr::memmem::Finder::new(*word)).collect();
    let kept = words.iter().map(|word| word.len()).max().unwrap_or(1) - 1;
    let (mut piece, mut before) = (Vec::with_capacity(PIECE + kept), from);
    loop {
        let read = file.by_ref().take(PIECE as u64).read_to_end(&mut piece).map_err(&failed)?;
        if let Some(at) = finders.iter().filter_map(|finder| finder.find(&piece)).min() {
            return Ok(Some(before + at as u64));
        }
        if read == 0 {
            return Ok(None);
        }
        // A word may begin in this piece and end in the next.
        let done = piece.len().saturating_sub(kept);
        piece.drain(..done);
        before += done as u64;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

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

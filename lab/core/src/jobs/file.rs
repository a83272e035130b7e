//! Job `file`: a file sealed to a recipient and opened again, by a library or a whole program.

use super::check::{open_and_compare, remove, sealed};
use super::runner::{Cell, Outcome, Runner};
use super::{Job, Proved, Ran, check};
use crate::protocol::Operation;
use std::path::Path;

pub static FILE: Job = Job {
    name: "file",
    check: |runner, cell, _| {
        let proved = there_and_back(runner, cell)?;
        remove(&sealed(runner))?;
        Ok(proved)
    },
    // What was sealed has to open.
    turn: |runner, cell| {
        let made = runner.run(cell, Operation::Seal, &cell.input, &sealed(runner))?;
        let opened = open_and_compare(runner, cell)?;
        remove(&sealed(runner))?;
        Ok(vec![made, opened])
    },
    program: Some(Ran::Whole),
    about: "file",
    ..Job::FROM_FILE_TO_FILE
};

/// The content of the sealed file is not looked at.
pub fn there_and_back(runner: &mut Runner, cell: &Cell) -> Outcome<Proved> {
    check::there_and_back(runner, cell, |_, _| Ok(()), in_the_payload)
}

/// In the middle of a large file, near the end of a small one: in the payload either way.
fn in_the_payload(sealed: &Path) -> Outcome<u64> {
    let length = std::fs::metadata(sealed).map_err(check::failed_at(Operation::Seal))?.len();
    Ok(if length > 1 << 16 { length / 2 } else { length.saturating_sub(20) })
}

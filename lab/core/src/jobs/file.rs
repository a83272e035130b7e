//! Job `file`: a file sealed to a recipient and opened again, by a library or a whole program.

use super::check::{open_and_compare, output, remove, sealed};
use super::runner::{Cell, Outcome, Runner};
use super::{Job, Proved, Ran, check};
use crate::protocol::Operation;

pub static FILE: Job = Job {
    name: "file",
    check: |runner, cell, _| {
        let proved = there_and_back(runner, cell)?;
        remove(&sealed(runner))?;
        Ok(proved)
    },
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

/// Seal and open again; then one flipped bit.
pub fn there_and_back(runner: &mut Runner, cell: &Cell) -> Outcome<Proved> {
    runner.run(cell, Operation::Seal, &cell.input, &sealed(runner))?;
    let made = output(&sealed(runner), Operation::Seal)?;
    open_and_compare(runner, cell)?;
    if runner.authenticated {
        check::damaged(runner, cell, in_the_payload(made.bytes))?;
    }
    Ok(made.into())
}

/// In the middle of a large file, near the end of a small one: in the payload either way.
fn in_the_payload(length: u64) -> u64 {
    if length > 1 << 16 { length / 2 } else { length.saturating_sub(20) }
}

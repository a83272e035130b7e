//! Job `pipe`: a program between two others, into the null device while it is timed.

use super::check::{open_and_compare, remove, sealed};
use super::runner::{Cell, Outcome, Runner, Timed};
use super::{Job, Ran, file};
use crate::protocol::Operation;
use std::path::Path;

pub static PIPE: Job = Job {
    name: "pipe",
    kept: |lines, _| lines,
    // The sealed file is what timed opens read.
    check: |runner, cell, _| file::there_and_back(runner, cell),
    turn: |runner, cell| into_nothing(runner, cell, runner.operations),
    recheck: |runner, cell| {
        remove(&sealed(runner))?;
        runner.run(cell, Operation::Seal, &cell.input, &sealed(runner))?;
        open_and_compare(runner, cell).map(drop)
    },
    program: Some(Ran::Pipeline),
    about: "pipe",
    ..Job::FROM_FILE_TO_FILE
};

/// Into the null device, or the figure would be that of writing a file; `recheck` compares afterwards.
pub fn into_nothing(runner: &mut Runner, cell: &Cell, operations: &[Operation]) -> Outcome<Vec<Timed>> {
    let null = Path::new("/dev/null");
    let of = |operation: &Operation| {
        let input = if *operation == Operation::Seal { cell.input.clone() } else { sealed(runner) };
        runner.run(cell, *operation, &input, null)
    };
    operations.iter().map(of).collect()
}

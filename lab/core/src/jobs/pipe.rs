//! Job `pipe`: a program between two others, into the null device while it is timed.

use super::check::{open_and_compare, opens, remove, seal, sealed, there_and_back};
use super::{Job, Ran};
use crate::protocol::Operation;
use std::path::Path;

pub static PIPE: Job = Job {
    name: "pipe",
    // Both ends are pipes, as in a shell's pipeline.
    program: Some(Ran::Pipeline),
    about: "pipe",
    ..INTO_NOTHING
};

/// Timed into the null device, or the figure would be that of writing a file.
pub const INTO_NOTHING: Job = Job {
    kept: |lines, _| lines,
    // The sealed file is what timed opens read.
    check: |runner, cell, _| there_and_back(runner, cell),
    turn: |runner, cell, operations| {
        let operations = if opens(runner) { operations } else { &[Operation::Seal] };
        let of = |operation: &Operation| {
            let input = if *operation == Operation::Seal { cell.input.clone() } else { sealed(runner) };
            runner.run(cell, *operation, &input, Path::new("/dev/null"))
        };
        operations.iter().map(of).collect()
    },
    recheck: |runner, cell| {
        remove(&sealed(runner))?;
        seal(runner, cell)?;
        if opens(runner) { open_and_compare(runner, cell).map(drop) } else { Ok(()) }
    },
    ..Job::FROM_FILE_TO_FILE
};

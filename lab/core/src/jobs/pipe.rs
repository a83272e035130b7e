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
    check: |runner, _| there_and_back(runner),
    turn: |runner, operations| {
        let operations = if opens(runner) { operations } else { &[Operation::Seal] };
        let (sealed, nothing) = (sealed(runner), Path::new("/dev/null"));
        let of = |operation: &Operation| match operation {
            Operation::Seal => runner.seal(nothing),
            _ => runner.run(*operation, &sealed, nothing),
        };
        operations.iter().map(of).collect()
    },
    recheck: |runner| {
        remove(&sealed(runner))?;
        seal(runner)?;
        if opens(runner) { open_and_compare(runner).map(drop) } else { Ok(()) }
    },
    ..Job::FROM_FILE_TO_FILE
};

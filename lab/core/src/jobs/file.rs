//! Job `file`: a file sealed to a recipient and opened again, by a library or a whole program.

use super::check::{open_and_compare, remove, sealed, there_and_back};
use super::{Job, Ran};

pub static FILE: Job = Job {
    name: "file",
    check: |runner, _| {
        let proved = there_and_back(runner)?;
        remove(&sealed(runner))?;
        Ok(proved)
    },
    // All that was sealed has to open.
    turn: |runner, _| {
        let made = runner.seal(&sealed(runner))?;
        let opened = open_and_compare(runner)?;
        remove(&sealed(runner))?;
        Ok(vec![made, opened])
    },
    program: Some(Ran::Whole),
    about: "file",
    ..Job::FROM_FILE_TO_FILE
};

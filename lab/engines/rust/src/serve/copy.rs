//! The yardstick: the same bytes moved, without a cipher or code.

use crate::jobs;
use crate::protocol::{Answer, Operation, Task};
use crate::serve::memory::Memory;
use crate::serve::timed::timed;
use crate::serve::{Engine, Ready};
use std::path::Path;

mod file;

/// Files by threads that read and write at offsets, bytes in memory like any library.
pub struct Copy {
    memory: Memory,
}

impl Copy {
    pub fn new() -> Self {
        Self { memory: Memory::copying() }
    }
}

impl Engine for Copy {
    fn hello(&self) -> Result<(String, String), Answer> {
        self.memory.hello()
    }

    fn prepare(&mut self, job: &'static jobs::Job, task: &Task) -> Result<Ready, Answer> {
        match (job.name, task.algorithm()) {
            ("file" | "payload", "none") => {
                Ok(Ready { authenticated: false, code: "reads and writes at offsets".into() })
            }
            _ => self.memory.prepare(job, task),
        }
    }

    fn run(&mut self, _operation: Operation, input: &Path, output: &Path) -> Answer {
        timed(|| file::copy(input, output).map_err(sealmark::Error::from))
    }

    fn check(&mut self, operation: Operation, number: u64, input: &Path) -> Answer {
        self.memory.check(operation, number, input)
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        self.memory.time(operation, first, count)
    }
}

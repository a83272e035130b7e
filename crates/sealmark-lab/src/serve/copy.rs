//! The yardstick: the same bytes moved, without a cipher or code.

use crate::protocol::{Answer, Operation, Task};
use crate::serve::memory::Memory;
use crate::serve::timed::timed;
use crate::serve::{Engine, Ready};
use crate::workload::Kind;
use std::path::Path;

/// Files by the library's own way to read and write them, bytes in memory like any library.
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

    fn prepare(&mut self, job: Kind, task: &Task) -> Result<Ready, Answer> {
        match (job, task.algorithm.as_str()) {
            (Kind::File | Kind::Payload, "none") => {
                Ok(Ready { authenticated: false, code: format!("sealmark {}", env!("CARGO_PKG_VERSION")) })
            }
            _ => self.memory.prepare(job, task),
        }
    }

    fn run(&mut self, _operation: Operation, input: &Path, output: &Path) -> Answer {
        timed(|| sealmark::copy_file(input, output, &sealmark::Job::default()))
    }

    fn check(&mut self, operation: Operation, number: u64, input: &Path) -> Answer {
        self.memory.check(operation, number, input)
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        self.memory.time(operation, first, count)
    }
}

//! Libraries in Rust as engines.

mod copy;
pub mod credentials;
mod memory;
mod payload;
mod peak;
mod record;
mod sealmark;
mod timed;
mod tls;

use crate::jobs;
use crate::protocol::{Answer, Operation, Task};
use crate::trouble::Result;
pub use memory::InMemory;
use record::Scheme;
pub use record::Way;
pub use sealmark_lab::protocol::Ready;
use sealmark_lab::serve::converse;
pub use sealmark_lab::serve::{Engine, failed, unsupported};
use std::fmt::Display;
use std::path::Path;
pub use tls::Alone;

/// Which engine to be.
pub enum Which {
    Sealmark,
    Copy,
    InMemory(InMemory),
    Tls(Alone),
    Record(Way),
}

/// Serves until standard input ends.
pub fn serve(which: Which) -> Result<()> {
    match which {
        Which::Sealmark => converse(&mut Both::records(sealmark::Sealmark::default(), Scheme::Token)),
        Which::Copy => converse(&mut Both::tls(copy::Copy::new(), tls::Tls::copying())),
        #[cfg(feature = "openssl")]
        Which::InMemory(library @ InMemory::Openssl) => {
            converse(&mut Both::tls(library.engine(), tls::Tls::openssl()))
        }
        Which::InMemory(library @ InMemory::AwsLcRs) => {
            converse(&mut Both::records(library.engine(), Scheme::AwsLcRs))
        }
        Which::InMemory(library @ InMemory::Rustcrypto) => {
            converse(&mut Both::records(library.engine(), Scheme::RustCrypto))
        }
        Which::InMemory(library) => converse(&mut library.engine()),
        Which::Tls(library) => converse(&mut library.engine()),
        Which::Record(way) => converse(&mut way.engine()),
    }
}

/// The version of a library, and by what this program was compiled with it.
fn compiled(version: impl Display) -> String {
    format!("{version}, {}", sealmark_lab::COMPILED)
}

/// An engine that has a part of its own for some jobs.
struct Both<E, P> {
    other: E,
    part: P,
    is_for_part: fn(&'static jobs::Job) -> bool,
    /// Which of them was prepared last.
    is_part: bool,
}

impl<E> Both<E, tls::Tls> {
    fn tls(other: E, part: tls::Tls) -> Self {
        Self { other, part, is_for_part: |job| job.by_plan.is_some(), is_part: false }
    }
}

impl<E> Both<E, record::Records> {
    fn records(other: E, scheme: Scheme) -> Self {
        let part = record::Records::new(scheme);
        Self { other, part, is_for_part: |job| job == &jobs::RECORD, is_part: false }
    }
}

impl<E: Engine, P: Engine> Engine for Both<E, P> {
    fn hello(&self) -> std::result::Result<(String, String), Answer> {
        self.other.hello()
    }

    fn prepare(&mut self, job: &'static jobs::Job, task: &Task) -> std::result::Result<Ready, Answer> {
        self.is_part = (self.is_for_part)(job);
        if self.is_part { self.part.prepare(job, task) } else { self.other.prepare(job, task) }
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        if self.is_part {
            self.part.run(operation, input, output)
        } else {
            self.other.run(operation, input, output)
        }
    }

    fn check(&mut self, operation: Operation, number: u64, input: &Path) -> Answer {
        if self.is_part {
            self.part.check(operation, number, input)
        } else {
            self.other.check(operation, number, input)
        }
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        if self.is_part {
            self.part.time(operation, first, count)
        } else {
            self.other.time(operation, first, count)
        }
    }
}

//! Libraries in this process as engines: the jobs in memory, one file a library, one loop for all of them; job `payload`
//! is next door, in serve/payload.

mod aws_lc_rs;
mod base64;
mod copy;
#[cfg(feature = "openssl")]
mod openssl;
mod ring;
mod rustcrypto;
mod simdutf;
#[cfg(test)]
mod tests;
pub mod versions;
pub mod work;

use crate::jobs;
use crate::model::{Secrets, input};
use crate::protocol::{Answer, Operation, Task, Timed};
use crate::serve::payload::{self, Payload};
use crate::serve::timed::span;
use crate::serve::{Engine, Ready, compiled, failed, unsupported};
use crate::workload::fingerprint_of;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use work::{Failure, Work, work};

/// The libraries by the names they are served under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Subcommand)]
pub enum InMemory {
    /// AWS-LC by the crate aws-lc-rs.
    AwsLcRs,
    /// The crate ring.
    Ring,
    /// The crates of the RustCrypto project.
    Rustcrypto,
    /// OpenSSL, compiled from its source, by the crate openssl.
    #[cfg(feature = "openssl")]
    Openssl,
    /// simdutf's base64, by the crate simdutf.
    Simdutf,
    /// The crate base64.
    Base64,
}

impl InMemory {
    /// The engine for it.
    pub fn engine(self) -> Memory {
        Memory::new(match self {
            Self::AwsLcRs => Box::new(aws_lc_rs::AwsLcRs),
            Self::Ring => Box::new(ring::Ring),
            Self::Rustcrypto => Box::new(rustcrypto::RustCrypto),
            #[cfg(feature = "openssl")]
            Self::Openssl => Box::new(openssl::OpenSsl::default()),
            Self::Simdutf => Box::new(simdutf::Simdutf),
            Self::Base64 => Box::new(base64::Base64),
        })
    }
}

/// How a library is used in the jobs in memory: parameter `reuse`.
#[derive(Clone, Copy)]
enum Use {
    AsWritten,
    Tuned,
}

impl TryFrom<&str> for Use {
    type Error = Answer;

    fn try_from(reuse: &str) -> Result<Self, Answer> {
        match reuse {
            "as-written" => Ok(Self::AsWritten),
            "tuned" => Ok(Self::Tuned),
            other => Err(unsupported(format!("reuse {other} in memory"))),
        }
    }
}

/// One library: its operations, and the code that does them.
trait Library {
    fn name(&self) -> &'static str;
    /// The version of the code that does the work.
    fn version(&self) -> String;
    /// The two directions of an algorithm; `None` for an algorithm the library does not have.
    fn work(
        &mut self,
        algorithm: &str,
        reuse: Use,
        secrets: &Secrets,
    ) -> Result<Option<Box<dyn Work>>, Answer>;
    /// The two directions of job `payload`; `None` for an algorithm or a mode the library does not have.
    fn payload(
        &mut self,
        _algorithm: &str,
        _mode: &str,
        _secrets: &Secrets,
    ) -> Result<Option<Box<dyn Payload>>, Answer> {
        Ok(None)
    }
    /// Which code does it, as far as can be learnt.
    fn code(&self, algorithm: &str) -> String;
}

/// A library behind the wire.
pub struct Memory {
    library: Box<dyn Library>,
    prepared: Option<Prepared>,
    payload: Option<Box<dyn Payload>>,
}

struct Prepared {
    job: &'static jobs::Job,
    work: Box<dyn Work>,
    input: Vec<u8>,
    /// Kept from span to span: a tuned caller has made room already.
    output: Vec<u8>,
}

impl Memory {
    fn new(library: Box<dyn Library>) -> Self {
        Self { library, prepared: None, payload: None }
    }

    /// The yardstick.
    pub fn copying() -> Self {
        Self::new(Box::new(copy::Copy))
    }

    fn find_work(&mut self, job: &'static jobs::Job, task: &Task) -> Result<Box<dyn Work>, Answer> {
        let (algorithm, reuse) = (task.algorithm(), task.parameter("reuse"));
        let specified = (job.expected)(algorithm, 0, 0, job.operations[0], 0).is_some();
        match job.name {
            // The loop reuses nothing, so that each cell can have its loop beside it.
            "empty" if specified => Ok(work(|_, _, _| Ok(()), |_, _, _| Ok(()))),
            "codec" | "cipher" if specified => {
                let found = self.library.work(algorithm, reuse.try_into()?, &Secrets::derive(task.seed))?;
                found.ok_or_else(|| unsupported(format!("{} has no {algorithm}", self.library.name())))
            }
            _ => Err(unsupported(format!("job {} with {algorithm}", job.name))),
        }
    }

    fn prepare_payload(&mut self, task: &Task) -> Result<Ready, Answer> {
        let (algorithm, mode) = (task.algorithm(), task.parameter("mode"));
        let found = self.library.payload(algorithm, mode, &Secrets::derive(task.seed))?;
        let missing = || unsupported(format!("{} has no {algorithm} in mode {mode}", self.library.name()));
        self.payload = Some(found.ok_or_else(missing)?);
        Ok(Ready { authenticated: true, code: self.library.code(algorithm) })
    }

    fn prepared(&mut self, operation: Operation) -> Result<&mut Prepared, Answer> {
        let prepared = self.prepared.as_mut().ok_or_else(|| failed("not prepared"))?;
        if !prepared.job.operations.contains(&operation) {
            return Err(unsupported(format!("{operation} in job {}", prepared.job.name)));
        }
        Ok(prepared)
    }
}

impl Engine for Memory {
    fn hello(&self) -> Result<(String, String), Answer> {
        Ok((self.library.name().into(), compiled(self.library.version())))
    }

    fn prepare(&mut self, job: &'static jobs::Job, task: &Task) -> Result<Ready, Answer> {
        if job == &jobs::PAYLOAD {
            return self.prepare_payload(task);
        }
        let work = self.find_work(job, task)?;
        self.prepared =
            Some(Prepared { job, work, input: input(task.seed, task.bytes()), output: Vec::new() });
        let authenticated = (job.authenticates)(task.algorithm());
        let code = match job.name {
            "empty" => "the loop alone".into(),
            _ => self.library.code(task.algorithm()),
        };
        Ok(Ready { authenticated, code })
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        match &self.payload {
            Some(payload) => payload::run(&**payload, operation, input, output),
            None => unsupported(format!("{operation} from file to file")),
        }
    }

    fn check(&mut self, operation: Operation, number: u64, input: &Path) -> Answer {
        self.prepared(operation)
            .and_then(|prepared| prepared.check(operation, number, input))
            .unwrap_or_else(|bad| bad)
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        self.prepared(operation)
            .and_then(|prepared| prepared.time(operation, first, count))
            .unwrap_or_else(|bad| bad)
    }
}

impl Prepared {
    fn check(&mut self, operation: Operation, number: u64, path: &Path) -> Result<Answer, Answer> {
        let data = read_bounded(path, self.input.len())?;
        self.repeat(operation, number, 1, &data)?;
        Ok(Answer::Checked(fingerprint_of(&self.output)))
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Result<Answer, Answer> {
        let mut data = self.input.clone();
        if undoes(operation) {
            self.work.forward(first, 1, &self.input, &mut data).map_err(answer)?;
        }
        // Nothing done is nothing put out, and not the last span's output.
        self.output.clear();
        let (outcome, span) = span(|| self.repeat(operation, first, count, &data));
        outcome?;
        Ok(Answer::Timed(Timed { count, sha256: fingerprint_of(&self.output).sha256, span }))
    }

    fn repeat(&mut self, operation: Operation, first: u64, count: u64, data: &[u8]) -> Result<(), Answer> {
        let outcome = if undoes(operation) {
            self.work.back(first, count, data, &mut self.output)
        } else {
            self.work.forward(first, count, data, &mut self.output)
        };
        outcome.map_err(answer)
    }
}

fn undoes(operation: Operation) -> bool {
    matches!(operation, Operation::Open | Operation::Decode)
}

/// No operation here makes more than twice the input and a few blocks, so no honest file is longer.
fn read_bounded(path: &Path, plain: usize) -> Result<Vec<u8>, Answer> {
    let most = 2 * plain as u64 + 1024;
    let mut data = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut data));
    match read.map_err(failed)? as u64 {
        length if length > most => Err(failed(format!("the file is longer than {most} bytes"))),
        _ => Ok(data),
    }
}

pub fn answer(failure: Failure) -> Answer {
    match failure {
        Failure::Refused => Answer::Refused { why: "the data is malformed or its tag does not match".into() },
        Failure::Limited => Answer::Limited { why: "the library refuses data of this size".into() },
        Failure::Failed => failed("the library reported an error"),
    }
}

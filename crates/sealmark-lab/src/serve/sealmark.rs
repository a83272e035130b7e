//! This project's library, in process.

use crate::protocol::{Answer, Operation, Task};
use crate::serve::timed::timed;
use crate::serve::{Engine, Ready, failed, unsupported};
use crate::workload::Kind;
use sealmark::{Format, Identity, Job, Kem, Mixing, OpenWith, SealTo};
use std::path::Path;

/// Without keys until prepared.
#[derive(Default)]
pub struct Sealmark {
    keys: Option<Keys>,
}

struct Keys {
    to: SealTo,
    with: OpenWith<'static>,
}

impl Keys {
    fn generate(kem: Kem) -> Result<Self, sealmark::Error> {
        let identity = Identity::generate(kem)?;
        let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()], Mixing::Refuse)?;
        Ok(Self { to, with: OpenWith::identities(vec![identity]) })
    }
}

impl Engine for Sealmark {
    fn hello(&self) -> Result<(String, String), Answer> {
        Ok(("sealmark".into(), env!("CARGO_PKG_VERSION").into()))
    }

    fn prepare(&mut self, job: Kind, task: &Task) -> Result<Ready, Answer> {
        let kem: Kem =
            task.algorithm.parse().map_err(|error: sealmark::Error| unsupported(error.to_string()))?;
        if job != Kind::File {
            return Err(unsupported(format!("job {}", job.name())));
        }
        self.keys = Some(Keys::generate(kem).map_err(failed)?);
        Ok(Ready { authenticated: true, code: format!("sealmark {}, {kem}", env!("CARGO_PKG_VERSION")) })
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        let Some(keys) = &self.keys else { return failed("not prepared") };
        match operation {
            Operation::Seal => timed(|| sealmark::seal_file(input, output, &keys.to, &Job::default())),
            Operation::Open => timed(|| sealmark::open_file(input, output, &keys.with, &Job::default())),
            _ => unsupported(operation.to_string()),
        }
    }
}

//! This project's library, in process.

use crate::jobs;
use crate::model::Secrets;
use crate::protocol::{Answer, Operation, Task};
use crate::serve::timed::timed;
use crate::serve::{Engine, Ready, failed, unsupported};
use sealmark::{Format, Identity, Job, Kem, OpenWith, SealTo, gcm};
use std::path::Path;

/// Without keys until prepared.
#[derive(Default)]
pub struct Sealmark {
    keys: Option<Keys>,
}

enum Keys {
    /// The file format, to recipients.
    File { to: Box<SealTo>, with: OpenWith<'static> },
    /// AES-GCM with one tag.
    Payload(gcm::Key),
}

impl Keys {
    fn of(identity: Identity) -> Result<Self, sealmark::Error> {
        let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()])?;
        Ok(Self::File { to: Box::new(to), with: OpenWith::identities(vec![identity]) })
    }

    /// Keys of job `payload`: from the recipe, as another process has to open what this one sealed.
    fn of_payload(key_bytes: usize, task: &Task) -> Result<Self, Answer> {
        let secrets = Secrets::derive(task.seed);
        match (task.parameter("mode"), key_bytes) {
            ("verify-then-release", _) => {
                gcm::Key::new(secrets.key(key_bytes)).map(Self::Payload).map_err(failed)
            }
            ("chunked", 32) => {
                Identity::from_secret_bytes(Kem::X25519, secrets.key(32)).and_then(Self::of).map_err(failed)
            }
            ("chunked", _) => Err(unsupported("chunks are sealed with AES-256-GCM only")),
            (mode, _) => Err(unsupported(format!("mode {mode}"))),
        }
    }
}

impl Engine for Sealmark {
    fn hello(&self) -> Result<(String, String), Answer> {
        Ok(("sealmark".into(), sealmark_lab::version()))
    }

    fn prepare(&mut self, job: &'static jobs::Job, task: &Task) -> Result<Ready, Answer> {
        self.keys = Some(match (job.name, task.algorithm()) {
            ("file", name) => {
                let kem = name.parse::<Kem>().map_err(|error| unsupported(error.to_string()))?;
                Identity::generate(kem).and_then(Keys::of).map_err(failed)?
            }
            ("payload", "AES-128-GCM") => Keys::of_payload(16, task)?,
            ("payload", "AES-256-GCM") => Keys::of_payload(32, task)?,
            ("payload", other) => return Err(unsupported(format!("algorithm {other}"))),
            _ => return Err(unsupported(format!("job {}", job.name))),
        });
        let code = format!("sealmark {}, {}", env!("CARGO_PKG_VERSION"), task.algorithm());
        Ok(Ready { authenticated: true, code })
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        let job = Job::default();
        match (&self.keys, operation) {
            (None, _) => failed("not prepared"),
            (Some(Keys::File { to, .. }), Operation::Seal) => {
                timed(|| sealmark::seal_file(input, output, to, &job))
            }
            (Some(Keys::File { with, .. }), Operation::Open) => {
                timed(|| sealmark::open_file(input, output, with, &job))
            }
            (Some(Keys::Payload(key)), Operation::Seal) => timed(|| gcm::seal_file(input, output, key, &job)),
            (Some(Keys::Payload(key)), Operation::Open) => timed(|| gcm::open_file(input, output, key, &job)),
            _ => unsupported(operation.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use std::fs::File;

    #[test]
    fn more_than_gcm_can_seal_is_a_limit_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let (input, output) = (directory.path().join("input"), directory.path().join("output"));
        // Without a block on the disk.
        File::create(&input).unwrap().set_len(gcm::MAX_PLAINTEXT + 1).unwrap();
        let mut engine = Sealmark { keys: Some(Keys::Payload(gcm::Key::new(&[7; 16]).unwrap())) };
        let answer = engine.run(Operation::Seal, &input, &output);
        assert!(matches!(answer, Answer::Limited { .. }), "{answer:?}");
        assert!(!output.exists());
    }
}

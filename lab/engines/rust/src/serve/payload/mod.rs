//! Job `payload`: AES-GCM from file to file, by libraries in this process; one file a library.

mod aws_lc_rs;
#[cfg(feature = "openssl")]
mod openssl;
#[cfg(test)]
mod tests;

pub use aws_lc_rs::AwsLcRs;
#[cfg(feature = "openssl")]
pub use openssl::OpenSsl;

use crate::model::Secrets;
use crate::protocol::{Answer, Operation};
use crate::serve::timed::span;
use crate::serve::{failed, unsupported};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// A sealed file is the vector, the ciphertext, the tag (XML Encryption 1.1, section 5.2.4).
const VECTOR: usize = 12;
const TAG: usize = 16;

/// One way to use a library. Errors are the answers with bad news.
pub trait Payload {
    fn seal(&self, input: &Path, output: &Path) -> Result<(), Answer>;
    /// A refusal leaves the output as it is then: the lab measures how much was written.
    fn open(&self, input: &Path, output: &Path) -> Result<(), Answer>;
}

/// Does one operation, timed from before the files are opened until they are closed.
pub fn run(payload: &dyn Payload, operation: Operation, input: &Path, output: &Path) -> Answer {
    let (outcome, span) = match operation {
        Operation::Seal => span(|| payload.seal(input, output)),
        Operation::Open => span(|| payload.open(input, output)),
        other => return unsupported(format!("{other} in job payload")),
    };
    match outcome {
        Ok(()) => Answer::Done(span),
        Err(bad_news) => bad_news,
    }
}

/// The key of an algorithm of this job, 16 or 32 bytes; `None` for any other algorithm.
pub fn key(algorithm: &str, secrets: &Secrets) -> Option<Vec<u8>> {
    match algorithm {
        "AES-128-GCM" => Some(secrets.key(16).to_vec()),
        "AES-256-GCM" => Some(secrets.key(32).to_vec()),
        _ => None,
    }
}

/// The whole file, with room for so many bytes more. Room is made for what the file really has, not for what was
/// promised, and where there is none that is an answer and not the end of this process.
fn read_whole(path: &Path, more: usize) -> Result<Vec<u8>, Answer> {
    let mut file = File::open(path).map_err(failed)?;
    let length = usize::try_from(file.metadata().map_err(failed)?.len()).map_err(failed)?;
    let mut data = Vec::new();
    data.try_reserve_exact(length.saturating_add(more)).map_err(|_| no_room(length))?;
    file.read_to_end(&mut data).map_err(|error| match error.kind() {
        io::ErrorKind::OutOfMemory => no_room(length),
        _ => failed(error),
    })?;
    Ok(data)
}

/// A new file of these parts, one after the other.
fn write_whole(path: &Path, parts: &[&[u8]]) -> Result<(), Answer> {
    let mut file = File::create_new(path).map_err(failed)?;
    parts.iter().try_for_each(|part| file.write_all(part)).map_err(failed)
}

fn no_room(length: usize) -> Answer {
    Answer::Exhausted { why: format!("no memory for a file of {length} bytes") }
}

fn too_short() -> Answer {
    Answer::Refused { why: format!("shorter than a vector and a tag, {} bytes", VECTOR + TAG) }
}

fn tampered() -> Answer {
    Answer::Refused { why: "the tag does not match".into() }
}

//! The certificates of servers: made for each run, in its scratch directory, and gone with it.

use crate::parameters::NONE;
use crate::programs::{self, RUST};
use crate::rows::Line;
use crate::trouble::{Result, because};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of spec/engine.md, "TLS".
const FILES: [&str; 3] = ["ca.pem", "certificate.pem", "key.pem"];

/// Makes what the servers of those lines need, by the engine that can make all of it.
pub fn make(input: &Path, lines: &[&Line]) -> Result<()> {
    let needed = lines.iter().filter_map(|line| Some((certificate(line)?, line.algorithm())));
    let needed: BTreeMap<&str, &str> = needed.collect();
    needed.into_iter().try_for_each(|(certificate, algorithm)| write(input, certificate, algorithm))
}

/// Copies what the server of a line shows, if it shows anything, into the directory of its engine.
pub fn place(input: &Path, line: &Line, engine: &Path) -> Result<()> {
    let Some(certificate) = certificate(line) else { return Ok(()) };
    let from = directory(input, certificate);
    let copy = |name: &&str| std::fs::copy(from.join(name), engine.join(name)).map(drop);
    FILES.iter().try_for_each(copy).map_err(|error| because("cannot place a certificate", error))
}

fn write(input: &Path, certificate: &str, algorithm: &str) -> Result<()> {
    let directory = directory(input, certificate);
    std::fs::create_dir_all(&directory).map_err(|error| because("cannot write a certificate", error))?;
    programs::run(RUST, &["certificate", algorithm], &[&directory]).map(drop)
}

/// The place of the certificates of a kind.
fn directory(input: &Path, certificate: &str) -> PathBuf {
    input.with_file_name("credentials").join(certificate)
}

fn certificate(line: &Line) -> Option<&str> {
    line.parameters.get("certificate").filter(|certificate| *certificate != NONE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobs::TLS_CONNECT;

    #[test]
    fn the_yardstick_needs_none() {
        let (directory, engine) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let line = Line::of("copy", TLS_CONNECT.named("none", "memory"));
        make(&directory.path().join("input"), &[&line]).unwrap();
        place(&directory.path().join("input"), &line, engine.path()).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        assert_eq!(std::fs::read_dir(engine.path()).unwrap().count(), 0);
    }
}

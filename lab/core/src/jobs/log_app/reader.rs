//! The reader of the sealed log: the program `sealmark`, with a key that is made for each size, in the run's scratch directory.

use crate::programs;
use crate::trouble::{Result, because};
use std::path::{Path, PathBuf};

/// The name of the file with the public key, in an engine's directory.
const FILE: &str = "recipient";
const PROGRAM: &str = "sealmark";

/// Makes a key of the kind that every JDK has by itself.
pub fn make(input: &Path) -> Result<()> {
    programs::run(PROGRAM, &["keygen", "--mode", "ecc", "-o"], &[&key(input)]).map(drop)
}

/// Leaves the public key with an engine, which gets no other.
pub fn place(input: &Path, directory: &Path) -> Result<()> {
    let public = programs::run(PROGRAM, &["keygen", "-y"], &[&key(input)])?;
    std::fs::write(directory.join(FILE), public).map_err(|error| because("cannot place a public key", error))
}

/// A whole log, opened; every token in it must open.
pub fn open(input: &Path, log: &Path) -> Result<Vec<u8>> {
    programs::run(PROGRAM, &["log", "open", "-i"], &[&key(input), log])
}

fn key(input: &Path) -> PathBuf {
    input.with_file_name("reader.key")
}

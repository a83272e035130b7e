//! Helpers that several test files need.
#![allow(dead_code, reason = "no test file needs all of it")]

pub mod faults;
pub mod graveyard;
pub mod log;
pub mod payload;
pub mod vector;
pub mod verdict;

use sealmark::{OpenWith, Opener, SealTo, Sealer};
use std::io::{Read, Write};
use std::path::PathBuf;

/// Bytes without a period that a chunk could hide.
pub fn bytes(length: usize) -> Vec<u8> {
    (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

pub fn seal_all(plaintext: &[u8], to: &SealTo) -> Vec<u8> {
    let mut sealer = Sealer::new(Vec::new(), to).unwrap();
    sealer.write_all(plaintext).unwrap();
    sealer.finish().unwrap()
}

pub fn open_all(sealed: &[u8], with: &OpenWith<'_>) -> sealmark::Result<Vec<u8>> {
    let mut plaintext = Vec::new();
    Opener::new(sealed, with)?.read_to_end(&mut plaintext)?;
    Ok(plaintext)
}

/// A directory that is removed after the test.
pub struct Workspace(tempfile::TempDir);

pub fn workspace() -> Workspace {
    Workspace(tempfile::tempdir().unwrap())
}

impl Workspace {
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of all files in the directory.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

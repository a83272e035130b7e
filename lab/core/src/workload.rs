//! Inputs made from a seed, and the digests they are known by.

use crate::trouble::{Result, because};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// The generator of spec/engine.md, "Inputs"; it also shuffles the blocks.
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[allow(clippy::should_implement_trait, reason = "numbers without an end make no useful iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; the bias of the remainder is below 2^-50 for the handful of engines shuffled.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// The recipe for bytes: each output little-endian, the last one cut.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for word in buffer.chunks_mut(8) {
            word.copy_from_slice(&self.next().to_le_bytes()[..word.len()]);
        }
    }
}

/// Without an end; whoever reads by whole words gets what `fill` gives.
impl Read for SplitMix64 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fill(buffer);
        Ok(buffer.len())
    }
}

/// A file's length and SHA-256: what an opened output must have again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub bytes: u64,
    pub sha256: String,
}

const BUFFER: usize = 1 << 20;

/// Makes a directory, or empties it: what was written there may be gigabytes that others need.
pub fn empty_directory(path: &Path) -> Result<()> {
    let removed = if path.exists() { std::fs::remove_dir_all(path) } else { Ok(()) };
    let made = removed.and_then(|()| std::fs::create_dir_all(path));
    made.map_err(|error| because("cannot use the scratch directory", error))
}

/// Creates a file, which leaves it in the page cache.
pub fn create(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Fingerprint> {
    let written = File::create(path).and_then(|file| {
        let mut file = BufWriter::with_capacity(BUFFER, file);
        write(&mut file).and_then(|()| file.flush())
    });
    written.map_err(|error| because(format!("cannot write \"{}\"", path.display()), error))?;
    fingerprint(path)
}

/// Writes the input of a seed and length.
pub fn write_input(path: &Path, seed: u64, bytes: u64) -> Result<Fingerprint> {
    let mut random = BufReader::with_capacity(BUFFER, SplitMix64::new(seed)).take(bytes);
    create(path, |file| io::copy(&mut random, file).map(drop))
}

/// Reads a whole file; also how an input is brought back into the page cache.
pub fn fingerprint(path: &Path) -> Result<Fingerprint> {
    let read = || {
        let mut file = BufReader::with_capacity(BUFFER, File::open(path)?);
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        loop {
            let part = file.fill_buf()?.len();
            hash.update(file.buffer());
            file.consume(part);
            bytes += part as u64;
            if part == 0 {
                return Ok(Fingerprint { bytes, sha256: hex(hash.finalize().as_ref()) });
            }
        }
    };
    read().map_err(|error: io::Error| because(format!("cannot read \"{}\"", path.display()), error))
}

/// The same of bytes in memory.
pub fn fingerprint_of(bytes: &[u8]) -> Fingerprint {
    Fingerprint { bytes: bytes.len() as u64, sha256: hex(Sha256::digest(bytes).as_ref()) }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn splitmix64_gives_the_published_numbers() {
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn inputs_follow_the_recipe_across_buffers_and_odd_lengths() {
        let directory = tempfile::tempdir().unwrap();
        for bytes in [1, 7, 8, 9, BUFFER as u64 - 1, BUFFER as u64 + 13] {
            let path = directory.path().join("input");
            let written = write_input(&path, 1_234_567, bytes).unwrap();
            let content = std::fs::read(&path).unwrap();
            let mut random = SplitMix64::new(1_234_567);
            let expected: Vec<u8> =
                std::iter::from_fn(|| Some(random.next().to_le_bytes())).take(BUFFER).flatten().collect();
            assert_eq!(content, expected[..bytes as usize], "{bytes} bytes");
            assert_eq!(fingerprint(&path).unwrap(), written, "{bytes} bytes");
        }
    }

    #[test]
    fn a_fingerprint_is_sha_256() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let seen = fingerprint(&path).unwrap();
        assert_eq!(seen.bytes, 3);
        assert_eq!(seen.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}

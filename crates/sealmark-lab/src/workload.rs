//! What is run: job files, and the inputs made from their seeds.

use crate::protocol::Operation;
use crate::trouble::{Result, Trouble, because};
use aws_lc_rs::digest::{Context, SHA256};
use serde::Deserialize;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// A job file: one kind of work at several sizes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub name: String,
    pub job: Kind,
    pub seed: u64,
    #[serde(rename = "size")]
    pub sizes: Vec<Size>,
}

/// The kinds of work of spec/engine.md, "Jobs".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    File,
    Pipe,
    Codec,
    Cipher,
    Empty,
}

impl Kind {
    const ALL: [Self; 5] = [Self::File, Self::Pipe, Self::Codec, Self::Cipher, Self::Empty];

    /// Its name on the wire and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Pipe => "pipe",
            Self::Codec => "codec",
            Self::Cipher => "cipher",
            Self::Empty => "empty",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What is timed, in order; what undoes comes after what does.
    pub fn operations(self) -> &'static [Operation] {
        match self {
            Self::File | Self::Pipe | Self::Cipher => &[Operation::Seal, Operation::Open],
            Self::Codec => &[Operation::Encode, Operation::Decode],
            Self::Empty => &[Operation::Loop],
        }
    }

    /// Whether its inputs are files, or bytes in the engine's memory.
    pub fn on_files(self) -> bool {
        matches!(self, Self::File | Self::Pipe)
    }
}

/// One size of a job: how often, and for how long at most.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    pub bytes: u64,
    pub blocks: usize,
    pub budget_seconds: u64,
    pub timeout_seconds: u64,
    #[serde(default)]
    pub full: bool,
}

const BUILT_IN: [(&str, &str); 2] = [
    ("files", include_str!("../../../lab/jobs/files.toml")),
    ("pipes", include_str!("../../../lab/jobs/pipes.toml")),
];

/// Names of the jobs that come with the program.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

impl Job {
    /// A built-in job by its name, or else the job file at that path.
    pub fn load(name_or_path: &str) -> Result<Self> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
            return Self::parse(text, name_or_path);
        }
        let text = std::fs::read_to_string(name_or_path)
            .map_err(|error| because(format!("cannot read job \"{name_or_path}\""), error))
            .map_err(|trouble| trouble.hint("name a job file, or one that `sealmark-lab list` shows"))?;
        Self::parse(&text, name_or_path)
    }

    fn parse(text: &str, source: &str) -> Result<Self> {
        let job: Self = toml::from_str(text).map_err(|error| {
            because(format!("job \"{source}\" is not well formed"), error.to_string().trim_end())
        })?;
        if job.sizes.iter().any(|size| size.blocks == 0 || size.bytes == 0) {
            return Err(Trouble::new(format!("job \"{source}\" has a size without bytes or blocks")));
        }
        Ok(job)
    }
}

/// The generator of spec/engine.md, "Inputs"; it also shuffles the blocks.
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

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

    fn fill(&mut self, buffer: &mut [u8]) {
        for word in buffer.chunks_mut(8) {
            word.copy_from_slice(&self.next().to_le_bytes()[..word.len()]);
        }
    }
}

/// A file's length and SHA-256: what an opened output must have again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    pub bytes: u64,
    pub sha256: String,
}

const BUFFER: usize = 1 << 20;

/// Writes the input of a seed and length, which leaves it in the page cache.
pub fn write_input(path: &Path, seed: u64, bytes: u64) -> Result<Fingerprint> {
    let failed = |error| because(format!("cannot write input \"{}\"", path.display()), error);
    let mut file = File::create(path).map_err(failed)?;
    let mut random = SplitMix64::new(seed);
    let mut hash = Context::new(&SHA256);
    let mut buffer = vec![0; BUFFER];
    let mut left = bytes;
    while left > 0 {
        let part = &mut buffer[..left.min(BUFFER as u64) as usize];
        random.fill(part);
        hash.update(part);
        file.write_all(part).map_err(failed)?;
        left -= part.len() as u64;
    }
    Ok(Fingerprint { bytes, sha256: hex(hash.finish().as_ref()) })
}

/// Reads a whole file; also how an input is brought back into the page cache.
pub fn fingerprint(path: &Path) -> Result<Fingerprint> {
    let failed = |error| because(format!("cannot read \"{}\"", path.display()), error);
    let mut file = File::open(path).map_err(failed)?;
    let mut hash = Context::new(&SHA256);
    let mut buffer = vec![0; BUFFER];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(Fingerprint { bytes, sha256: hex(hash.finish().as_ref()) }),
            count => {
                hash.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
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

    #[test]
    fn every_built_in_job_parses_under_its_own_name() {
        for name in built_in_names() {
            assert_eq!(Job::load(name).unwrap().name, name);
        }
    }

    #[test]
    fn job_files_with_an_unknown_key_or_nothing_to_do_are_refused() {
        let size = "bytes = 1\nblocks = 1\nbudget_seconds = 1\ntimeout_seconds = 1\n";
        let head = "name = \"x\"\njob = \"file\"\nseed = 1\n";
        Job::parse(&format!("{head}[[size]]\n{size}"), "x").unwrap();
        let unknown = Job::parse(&format!("{head}speed = 3\n[[size]]\n{size}"), "x").unwrap_err();
        assert!(unknown.to_string().contains("speed"), "{unknown}");
        let none = size.replace("blocks = 1", "blocks = 0");
        assert!(Job::parse(&format!("{head}[[size]]\n{none}"), "x").is_err());
    }
}

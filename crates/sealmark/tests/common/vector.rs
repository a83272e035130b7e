//! Vectors as files, in the form of C2SP's CCTV: lines of `key: value`, an empty line, and a sealed file.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A directory of vectors. All languages share it in the repository, and in a package it is beside the manifest.
pub fn folder(name: &str) -> PathBuf {
    let crate_itself = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packed = crate_itself.join("vectors");
    let vectors = if packed.is_dir() { packed } else { crate_itself.join("../../spec/vectors") };
    vectors.join(name)
}

/// A file in a directory of vectors.
pub struct Vector {
    pub name: String,
    pub expect: String,
    /// SHA-256, in hexadecimal, of all plaintext that may be released.
    pub payload: Option<String>,
    pub file_key: Option<String>,
    pub identities: Vec<String>,
    pub passphrases: Vec<String>,
    /// Public keys of known senders.
    pub senders: Vec<String>,
    pub armored: bool,
    pub file: Vec<u8>,
}

impl Vector {
    /// Every vector of `vectors/DIRECTORY`, sorted by name.
    pub fn all(directory: &str) -> Vec<Self> {
        let directory = folder(directory);
        let mut vectors: Vec<Self> = fs::read_dir(&directory)
            .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_none())
            .map(|path| Self::read(&path))
            .collect();
        vectors.sort_by(|a, b| a.name.cmp(&b.name));
        vectors
    }

    fn read(path: &Path) -> Self {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(path).unwrap();
        let end =
            bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or_else(|| panic!("{name}: no header"));
        let header = str::from_utf8(&bytes[..end]).unwrap();
        let values = |key: &str| -> Vec<String> {
            let lines = header
                .lines()
                .map(|line| line.split_once(": ").unwrap_or_else(|| panic!("{name}: {line:?}")));
            lines.filter(|(found, _)| *found == key).map(|(_, value)| value.to_owned()).collect()
        };
        let body = &bytes[end + 2..];
        let file = match values("compressed").first().map(String::as_str) {
            None => body.to_vec(),
            Some("zlib") => inflate(body),
            Some(other) => panic!("{name}: compressed with {other}"),
        };
        Self {
            expect: values("expect").remove(0),
            payload: values("payload").pop(),
            file_key: values("file key").pop(),
            identities: values("identity"),
            passphrases: values("passphrase"),
            senders: values("sender"),
            armored: values("armored") == ["yes"],
            file,
            name,
        }
    }
}

pub fn inflate(bytes: &[u8]) -> Vec<u8> {
    let mut inflated = Vec::new();
    flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut inflated).unwrap();
    inflated
}

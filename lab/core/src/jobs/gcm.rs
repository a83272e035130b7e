//! AES-GCM over files of any size by RustCrypto's AES, CTR and GHASH: what the lab holds job `payload` against.
//!
//! It is a model: it compares tags in variable time and releases what it likes. Nobody seals with it but the lab.

use crate::model::Secrets;
use crate::trouble::{Result, because};
use crate::workload::Fingerprint;
use aes::{Aes128, Aes256};
use cipher::consts::U16;
use cipher::{BlockCipherEncrypt, BlockSizeUser, KeyInit, KeyIvInit, StreamCipher};
use ctr::Ctr32BE;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// XML Encryption 1.1, section 5.2.4: vector, ciphertext, tag.
pub const IV: usize = 12;
pub const TAG: usize = 16;
const BLOCK: usize = 16;
const BUFFER: usize = 1 << 20;

/// The key of an algorithm of this job.
pub fn key_bytes(algorithm: &str) -> Option<usize> {
    match algorithm {
        "AES-128-GCM" => Some(16),
        "AES-256-GCM" => Some(32),
        _ => None,
    }
}

/// Seals a file as any engine might; the vector is the recipe's, since nothing here has to be secret.
pub fn seal(input: &Path, output: &Path, algorithm: &str, seed: u64) -> Result<()> {
    let failed = |error| because(format!("cannot write \"{}\"", output.display()), error);
    let secrets = Secrets::derive(seed);
    let iv = secrets.nonce(0);
    let mut gcm = Gcm::new(algorithm, &secrets, &iv);
    let length = std::fs::metadata(input).map_err(failed)?.len();
    let (mut from, mut to) = (File::open(input).map_err(failed)?, File::create(output).map_err(failed)?);
    to.write_all(&iv).map_err(failed)?;
    each_part(&mut from, length, |part| {
        gcm.apply(part);
        gcm.hash(part);
        to.write_all(part)
    })
    .map_err(failed)?;
    to.write_all(&gcm.tag()).map_err(failed)
}

/// What a sealed file holds; none if it is too short or its tag is another.
pub fn open(path: &Path, algorithm: &str, seed: u64) -> Result<Option<Fingerprint>> {
    let failed = |error| because(format!("cannot read \"{}\"", path.display()), error);
    let mut file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let Some(bytes) = length.checked_sub((IV + TAG) as u64) else { return Ok(None) };
    let mut iv = [0; IV];
    file.read_exact(&mut iv).map_err(failed)?;
    let mut gcm = Gcm::new(algorithm, &Secrets::derive(seed), &iv);
    let mut digest = Sha256::new();
    each_part(&mut file, bytes, |part| {
        gcm.hash(part);
        gcm.apply(part);
        digest.update(part);
        Ok(())
    })
    .map_err(failed)?;
    let mut tag = [0; TAG];
    file.read_exact(&mut tag).map_err(failed)?;
    let sha256 = crate::workload::hex(digest.finalize().as_ref());
    Ok((tag == gcm.tag()).then_some(Fingerprint { bytes, sha256 }))
}

/// Whole blocks but for the last part.
fn each_part(
    file: &mut File,
    bytes: u64,
    mut work: impl FnMut(&mut [u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; BUFFER.min(bytes as usize)];
    let mut left = bytes;
    while left > 0 {
        let part = &mut buffer[..left.min(BUFFER as u64) as usize];
        file.read_exact(part)?;
        left -= part.len() as u64;
        work(part)?;
    }
    Ok(())
}

/// One message under one key and vector (NIST SP 800-38D, section 7), without associated data.
struct Gcm {
    /// The key stream, from the second counter on.
    stream: Box<dyn StreamCipher>,
    hash: GHash,
    /// What hides the hash: the encrypted first counter.
    mask: [u8; TAG],
    bytes: u64,
}

impl Gcm {
    /// # Panics
    /// With an algorithm of which `key_bytes` knows nothing.
    fn new(algorithm: &str, secrets: &Secrets, iv: &[u8; IV]) -> Self {
        let key = secrets.key(key_bytes(algorithm).expect("an algorithm of this job"));
        let mut counter = [0; BLOCK];
        counter[..IV].copy_from_slice(iv);
        counter[BLOCK - 1] = 1;
        let (mut stream, subkey) =
            if key.len() == 16 { keyed::<Aes128>(key, &counter) } else { keyed::<Aes256>(key, &counter) };
        let mut mask = [0; TAG];
        stream.apply_keystream(&mut mask);
        Self { stream, hash: GHash::new(&subkey.into()), mask, bytes: 0 }
    }

    fn apply(&mut self, bytes: &mut [u8]) {
        self.stream.apply_keystream(bytes);
    }

    /// Of ciphertext; only the last part may end within a block.
    fn hash(&mut self, ciphertext: &[u8]) {
        self.hash.update_padded(ciphertext);
        self.bytes += ciphertext.len() as u64;
    }

    fn tag(mut self) -> [u8; TAG] {
        let mut lengths = [0; BLOCK];
        lengths[BLOCK / 2..].copy_from_slice(&(self.bytes * 8).to_be_bytes());
        self.hash.update_padded(&lengths);
        let hash = self.hash.finalize();
        std::array::from_fn(|at| hash[at] ^ self.mask[at])
    }
}

/// The key stream from that counter on, and GHASH's key: a block of zeros, encrypted.
fn keyed<C>(key: &[u8], counter: &[u8; BLOCK]) -> (Box<dyn StreamCipher>, [u8; BLOCK])
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static,
{
    let stream = Ctr32BE::<C>::new_from_slices(key, counter).expect("the lengths of AES");
    let mut block = cipher::Block::<C>::default();
    C::new_from_slice(key).expect("a key of the cipher's length").encrypt_block(&mut block);
    (Box::new(stream), std::array::from_fn(|at| block[at]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobs::{CIPHER, PAYLOAD};
    use crate::protocol::Operation;
    use crate::workload::{fingerprint, fingerprint_of, write_input};

    const SEED: u64 = 7;

    /// The model of job `cipher` is held to the published vectors.
    #[test]
    fn a_file_is_vector_ciphertext_and_tag_as_job_cipher_has_them() {
        let directory = tempfile::tempdir().unwrap();
        let (plain, sealed) = (directory.path().join("plain"), directory.path().join("sealed"));
        for algorithm in PAYLOAD.algorithms() {
            for bytes in [0, 1, 15, 16, 17, 4_096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20] {
                let original = write_input(&plain, SEED, bytes).unwrap();
                seal(&plain, &sealed, algorithm, SEED).unwrap();
                let text = (CIPHER.expected)(algorithm, SEED, bytes, Operation::Seal, 0).unwrap();
                let whole = [&Secrets::derive(SEED).nonce(0)[..], &text].concat();
                assert_eq!(fingerprint(&sealed).unwrap(), fingerprint_of(&whole), "{algorithm} {bytes}");
                assert_eq!(open(&sealed, algorithm, SEED).unwrap(), Some(original), "{algorithm} {bytes}");
            }
        }
    }

    #[test]
    fn what_is_altered_or_too_short_does_not_open() {
        let directory = tempfile::tempdir().unwrap();
        let (plain, sealed) = (directory.path().join("plain"), directory.path().join("sealed"));
        write_input(&plain, SEED, 100).unwrap();
        seal(&plain, &sealed, "AES-128-GCM", SEED).unwrap();
        let good = std::fs::read(&sealed).unwrap();
        for at in [0, IV, good.len() / 2, good.len() - TAG, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&sealed, bad).unwrap();
            assert_eq!(open(&sealed, "AES-128-GCM", SEED).unwrap(), None, "{at}");
        }
        std::fs::write(&sealed, &good[..IV + TAG - 1]).unwrap();
        assert_eq!(open(&sealed, "AES-128-GCM", SEED).unwrap(), None);
        std::fs::write(&sealed, &good).unwrap();
        assert!(open(&sealed, "AES-128-GCM", SEED + 1).unwrap().is_none());
    }
}

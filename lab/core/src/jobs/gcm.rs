//! AES-GCM over files of any size by RustCrypto's AES, CTR and GHASH: the lab compares the output of job `payload` with it.
//!
//! It is a model: it compares tags in variable time and releases what it likes. Nobody seals with it but the lab.

use crate::model::Secrets;
use aes::{Aes128, Aes256};
use cipher::consts::U16;
use cipher::{BlockCipherEncrypt, BlockSizeUser, KeyInit, KeyIvInit, StreamCipher};
use ctr::Ctr32BE;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// XML Encryption 1.1, section 5.2.4: vector, ciphertext, tag.
pub const IV: usize = 12;
const TAG: usize = 16;
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

/// Seals a file as any engine does that has this vector, without associated data (NIST SP 800-38D, section 7): there is but
/// one such text.
///
/// # Panics
/// With an algorithm of which `key_bytes` knows nothing.
pub fn seal(
    input: &Path,
    algorithm: &str,
    secrets: &Secrets,
    iv: &[u8; IV],
    to: &mut dyn Write,
) -> io::Result<()> {
    let key = secrets.key(key_bytes(algorithm).expect("an algorithm of this job"));
    let mut counter = [0; BLOCK];
    counter[..IV].copy_from_slice(iv);
    counter[BLOCK - 1] = 1;
    let (mut stream, subkey) =
        if key.len() == 16 { keyed::<Aes128>(key, &counter) } else { keyed::<Aes256>(key, &counter) };
    // The first counter, encrypted, hides the hash; the others are the key stream.
    let mut mask = [0; TAG];
    stream.apply_keystream(&mut mask);
    let (mut hash, mut lengths, mut bytes) = (GHash::new(&subkey.into()), [0; BLOCK], 0);
    let (mut from, mut part) = (File::open(input)?, Vec::with_capacity(BUFFER));
    to.write_all(iv)?;
    // Whole blocks but for the last part.
    while Read::by_ref(&mut from).take(BUFFER as u64).read_to_end(&mut part)? > 0 {
        stream.apply_keystream(&mut part);
        hash.update_padded(&part);
        bytes += part.len() as u64;
        to.write_all(&part)?;
        part.clear();
    }
    lengths[BLOCK / 2..].copy_from_slice(&(bytes * 8).to_be_bytes());
    hash.update_padded(&lengths);
    let hash = hash.finalize();
    to.write_all(&std::array::from_fn::<u8, TAG, _>(|at| hash[at] ^ mask[at]))
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
    use crate::workload::write_input;

    /// The model of job `cipher` is held to the published vectors.
    #[test]
    fn a_file_is_vector_ciphertext_and_tag_as_job_cipher_has_them() {
        let directory = tempfile::tempdir().unwrap();
        let (plain, secrets) = (directory.path().join("plain"), Secrets::derive(7));
        for algorithm in PAYLOAD.algorithms() {
            for bytes in [0, 1, 15, 16, 17, 4_096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20] {
                write_input(&plain, 7, bytes).unwrap();
                for number in [0, 3] {
                    let (iv, mut sealed) = (secrets.nonce(number), Vec::new());
                    seal(&plain, algorithm, &secrets, &iv, &mut sealed).unwrap();
                    let text = (CIPHER.expected)(algorithm, 7, bytes, Operation::Seal, number).unwrap();
                    assert!(sealed == [&iv[..], &text].concat(), "{algorithm} {bytes}");
                }
            }
        }
    }
}

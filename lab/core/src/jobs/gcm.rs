//! AES-GCM over files of any size by RustCrypto: the lab compares the output of job `payload` with it.
//!
//! The output is sealed in place, in a file that is mapped into memory, because it may be larger than memory.

use crate::model::Secrets;
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use memmap2::MmapMut;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// XML Encryption 1.1, section 5.2.4: vector, ciphertext, tag.
pub const IV: usize = 12;

/// Encrypts bytes in their place, and returns the tag.
type InPlace = fn(&Secrets, &[u8; IV], &mut [u8]) -> Option<Vec<u8>>;

/// None of an algorithm that is none of this job.
pub fn algorithm(name: &str) -> Option<InPlace> {
    match name {
        "AES-128-GCM" => Some(in_place::<Aes128Gcm>),
        "AES-256-GCM" => Some(in_place::<Aes256Gcm>),
        _ => None,
    }
}

/// Seals a file as any engine does that has this vector, without associated data (NIST SP 800-38D, section 7): there is but
/// one such text.
pub fn seal(input: &Path, name: &str, secrets: &Secrets, iv: &[u8; IV], to: &Path) -> io::Result<()> {
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(to)?;
    file.write_all(iv)?;
    io::copy(&mut File::open(input)?, &mut file)?;
    #[allow(unsafe_code, reason = "a file in memory changes when somebody else writes to it")]
    // SAFETY: the file is in a directory of this run alone, and nobody else has been told its name.
    let mut text = unsafe { MmapMut::map_mut(&file)? };
    let tag = algorithm(name).and_then(|in_place| in_place(secrets, iv, &mut text[IV..]));
    file.write_all(&tag.ok_or(io::ErrorKind::InvalidInput)?)
}

fn in_place<C: AeadInOut + KeyInit>(secrets: &Secrets, iv: &[u8; IV], text: &mut [u8]) -> Option<Vec<u8>> {
    let cipher = C::new_from_slice(secrets.key(C::key_size())).ok()?;
    let tag = cipher.encrypt_inout_detached(iv.as_slice().try_into().ok()?, b"", text.into()).ok()?;
    Some(tag.to_vec())
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
                    let (iv, path) = (secrets.nonce(number), directory.path().join("sealed"));
                    seal(&plain, algorithm, &secrets, &iv, &path).unwrap();
                    let sealed = std::fs::read(&path).unwrap();
                    let text = (CIPHER.expected)(algorithm, 7, bytes, Operation::Seal, number).unwrap();
                    assert!(sealed == [&iv[..], &text].concat(), "{algorithm} {bytes}");
                }
            }
        }
    }
}

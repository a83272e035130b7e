//! The key that both sides share.

use crate::error::{KeyMisuse, Result};
use aws_lc_rs::{aead, cipher};
use std::fmt;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// An AES key for GCM, of 16 or 32 bytes. Its bytes are wiped when it is dropped and never printed by `Debug`.
///
/// One key may seal 2^32 payloads at most, as each draws a random IV (NIST SP 800-38D, section 8.3).
///
/// The [module](crate::gcm) has an example.
#[derive(Clone)]
pub struct Key {
    /// The algorithm for whole messages, and the one for the key stream alone.
    pub(super) algorithms: (&'static aead::Algorithm, &'static cipher::Algorithm),
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

impl Key {
    /// A copy of `bytes`: 16 for AES-128-GCM, 32 for AES-256-GCM. There is no AES-192-GCM.
    ///
    /// # Errors
    /// [`KeyMisuse::KeyString`] for any other length.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let algorithms = match bytes.len() {
            16 => (&aead::AES_128_GCM, &cipher::AES_128),
            32 => (&aead::AES_256_GCM, &cipher::AES_256),
            24 => {
                return Err(KeyMisuse::KeyString(
                    "the AES-GCM key has 24 bytes, and AES-192 is not supported",
                )
                .into());
            }
            _ => return Err(KeyMisuse::KeyString("the AES-GCM key has neither 16 nor 32 bytes").into()),
        };
        Ok(Self { algorithms, bytes: Zeroizing::new(bytes.to_vec()) })
    }
}

impl ZeroizeOnDrop for Key {}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(Aes{})", 8 * self.bytes.len())
    }
}

//! The key that both sides have.

use std::fmt;

use zeroize::Zeroizing;

use crate::error::{Misuse, Result};

/// An AES key for GCM, of 16 or 32 bytes. Its bytes are wiped when it is dropped and never printed by `Debug`.
///
/// One key may seal 2^32 payloads at most, as each draws a random IV (NIST SP 800-38D, section 8.3).
#[derive(Clone)]
pub struct Key {
    pub(super) size: Size,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Aes128,
    Aes256,
}

impl Key {
    /// A copy of `bytes`: 16 for AES-128-GCM, 32 for AES-256-GCM.
    ///
    /// # Errors
    /// [`Misuse::KeyString`] for any other length.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let size = match bytes.len() {
            16 => Size::Aes128,
            32 => Size::Aes256,
            _ => return Err(Misuse::KeyString("AES-GCM takes 16 or 32 bytes").into()),
        };
        Ok(Self { size, bytes: Zeroizing::new(bytes.to_vec()) })
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:?})", self.size)
    }
}

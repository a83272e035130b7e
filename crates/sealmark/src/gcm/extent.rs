//! How long a payload is, and the segments it is worked on in. Segments are ours alone; the format knows none.

use crate::error::{FileMisuse, Malformed, Result};

/// Bytes before and behind the ciphertext.
pub(super) const IV: usize = 12;
pub(super) const TAG: usize = 16;

/// Bytes of an AES block.
pub(super) const BLOCK: usize = 16;

/// The bytes that are read, hashed and decrypted at a time: a multiple of the largest folio that a page cache makes of a
/// write. The opener keeps 16 bytes of each segment between the passes: 1 MiB for the longest payload.
pub(super) const SEGMENT: usize = 1024 * 1024;

/// The longest plaintext of AES-GCM in bytes, 2^36 − 32: after it the counter of 32 bits would start again (NIST SP
/// 800-38D, section 5.2.1.1).
pub const MAX_PLAINTEXT: u64 = (1 << 36) - 32;

/// The length of a plaintext that AES-GCM can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    plaintext: u64,
}

impl Extent {
    pub const EMPTY: Self = Self { plaintext: 0 };

    pub fn of_plaintext(bytes: u64) -> Result<Self> {
        if bytes <= MAX_PLAINTEXT {
            Ok(Self { plaintext: bytes })
        } else {
            Err(FileMisuse::TooLong(MAX_PLAINTEXT).into())
        }
    }

    pub fn of_sealed(bytes: u64) -> Result<Self> {
        match bytes.checked_sub((IV + TAG) as u64) {
            None => Err(Malformed::Payload("shorter than an initialization vector and a tag").into()),
            Some(plaintext) if plaintext > MAX_PLAINTEXT => {
                Err(Malformed::Payload("longer than AES-GCM allows").into())
            }
            Some(plaintext) => Ok(Self { plaintext }),
        }
    }

    pub fn plaintext(self) -> u64 {
        self.plaintext
    }

    pub fn sealed(self) -> u64 {
        self.plaintext + (IV + TAG) as u64
    }

    pub fn segments(self) -> u64 {
        self.plaintext.div_ceil(SEGMENT as u64)
    }

    /// Where a segment starts in the plaintext, and in what is between IV and tag.
    pub fn start(self, segment: u64) -> u64 {
        segment * SEGMENT as u64
    }

    /// Bytes of a segment: all have [`SEGMENT`], but the last may have fewer.
    pub fn bytes(self, segment: u64) -> usize {
        (self.plaintext - self.start(segment)).min(SEGMENT as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::error::Error;

    #[test]
    fn the_longest_payload_is_sixty_four_gibibytes_less_two_blocks() {
        assert_eq!(Extent::of_sealed(28 + MAX_PLAINTEXT).unwrap().plaintext(), 68_719_476_704);
        assert_eq!(Extent::of_plaintext(MAX_PLAINTEXT).unwrap().segments(), 65_536);
        let longer = Extent::of_sealed(28 + MAX_PLAINTEXT + 1);
        assert!(matches!(longer, Err(Error::Malformed(Malformed::Payload(_)))), "{longer:?}");
        let longer = Extent::of_plaintext(MAX_PLAINTEXT + 1);
        assert!(matches!(longer, Err(Error::File(FileMisuse::TooLong(MAX_PLAINTEXT)))), "{longer:?}");
    }

    #[test]
    fn fewer_bytes_than_iv_and_tag_are_no_payload() {
        assert_eq!(Extent::of_sealed(28).unwrap().plaintext(), 0);
        for bytes in [0, 1, 12, 27] {
            let short = Extent::of_sealed(bytes);
            assert!(matches!(short, Err(Error::Malformed(Malformed::Payload(_)))), "{short:?}");
        }
    }
}

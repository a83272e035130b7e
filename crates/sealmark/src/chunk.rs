//! The geometry of payloads: pure arithmetic, no keys, no I/O.

use crate::aead::{COMMITMENT, SALT, TAG};
use crate::error::{Malformed, Result};

/// How a payload is cut. All lengths are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// C2SP chunked-encryption: 16 KiB chunks, the last always shorter, possibly empty.
    Cobblestone,
    /// age v1: 64 KiB chunks, the last may be full and is empty only in an empty file.
    Age,
}

/// The content of a sealed payload of some length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub plaintext: u64,
    pub chunks: u64,
}

impl Layout {
    /// Plaintext bytes of a full chunk.
    pub const fn chunk(self) -> usize {
        match self {
            Self::Cobblestone => 16 * 1024,
            Self::Age => 64 * 1024,
        }
    }

    /// Sealed bytes of a full chunk.
    pub const fn sealed_chunk(self) -> usize {
        self.chunk() + TAG
    }

    /// Bytes between header and first chunk: salt and commitment, or age's nonce.
    pub const fn prefix(self) -> usize {
        match self {
            Self::Cobblestone => SALT + COMMITMENT,
            Self::Age => 16,
        }
    }

    /// Chunks of a plaintext; never zero.
    pub const fn chunks(self, plaintext: u64) -> u64 {
        let chunk = self.chunk() as u64;
        match self {
            Self::Cobblestone => plaintext / chunk + 1,
            Self::Age if plaintext == 0 => 1,
            Self::Age => plaintext.div_ceil(chunk),
        }
    }

    /// The most chunks one payload may have (C2SP: 2^38). age's counter is wider than any file.
    pub const fn max_chunks(self) -> u64 {
        match self {
            Self::Cobblestone => 1 << 38,
            Self::Age => 1 << 47,
        }
    }

    /// Sealed bytes of the chunk at `index` in a payload of this extent.
    pub fn sealed_chunk_at(self, extent: Extent, index: u64) -> usize {
        let before = index * self.chunk() as u64;
        (extent.plaintext - before).min(self.chunk() as u64) as usize + TAG
    }

    /// Payload bytes, prefix included, of a plaintext.
    pub const fn sealed(self, plaintext: u64) -> u64 {
        self.prefix() as u64 + plaintext + self.chunks(plaintext) * TAG as u64
    }

    /// The content of a payload of `sealed` bytes, prefix included. Most lengths are invalid.
    pub fn extent(self, sealed: u64) -> Result<Extent> {
        let body = sealed.checked_sub(self.prefix() as u64).ok_or(TRUNCATED)?;
        // Each plaintext has one valid number of chunks: the smallest that holds it.
        let chunks = body.div_ceil(self.sealed_chunk() as u64).max(1);
        let plaintext = body.checked_sub(chunks * TAG as u64).ok_or(TRUNCATED)?;
        if self == Self::Age && chunks > 1 && plaintext == (chunks - 1) * self.chunk() as u64 {
            return Err(EMPTY_LAST.into());
        }
        match self.chunks(plaintext) == chunks {
            true if chunks > self.max_chunks() => Err(TOO_MANY.into()),
            true => Ok(Extent { plaintext, chunks }),
            false => Err(TRUNCATED.into()),
        }
    }
}

pub(crate) const TRUNCATED: Malformed = Malformed::Payload("it is truncated");
pub(crate) const EMPTY_LAST: Malformed = Malformed::Payload("an empty last chunk after a full one");
pub(crate) const TOO_MANY: Malformed = Malformed::Payload("more chunks than the format allows");

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [u64; 12] =
        [0, 1, 16_383, 16_384, 16_385, 32_768, 65_535, 65_536, 65_537, 131_072, 1 << 30, 6_719_094_784];

    #[test]
    fn a_sealed_length_gives_back_its_plaintext() {
        for layout in [Layout::Cobblestone, Layout::Age] {
            for plaintext in LENGTHS {
                let extent = layout.extent(layout.sealed(plaintext)).unwrap();
                assert_eq!(extent, Extent { plaintext, chunks: layout.chunks(plaintext) }, "{layout:?}");
            }
        }
    }

    #[test]
    fn each_valid_length_has_one_plaintext_and_the_others_none() {
        for layout in [Layout::Cobblestone, Layout::Age] {
            let reachable: std::collections::HashSet<u64> =
                (0..200_000).map(|plaintext| layout.sealed(plaintext)).collect();
            assert_eq!(reachable.len(), 200_000);
            for sealed in 0..200_000 {
                assert_eq!(layout.extent(sealed).is_ok(), reachable.contains(&sealed), "{layout:?} {sealed}");
            }
        }
    }

    #[test]
    fn too_many_chunks_are_refused() {
        let over = Layout::Cobblestone.sealed((1 << 38) * 16_384);
        assert!(Layout::Cobblestone.extent(over).is_err());
        assert!(Layout::Cobblestone.extent(over - 16_400).is_ok());
    }
}

//! The tree over what is signed: a BLAKE3 hash of each MiB, and one of their list (spec/file.md, "Signatures").

use crate::error::{Error, Part, Result};
use std::io::IoSlice;
use zeroize::Zeroizing;

/// Bytes that one hash covers; a reader hashes this much to check a part. It is the plaintext of a full run of chunks.
pub(crate) const LEAF: u64 = 1 << 20;

pub(crate) type Hash = [u8; 32];

/// Wiped when dropped, because it keeps up to 64 of the bytes that were hashed; on the heap, so that moving it copies none.
type Hasher = Box<Zeroizing<blake3::Hasher>>;

const ROOT: &str = "sealmark/1 signature tree";

/// The hash of one leaf.
pub(crate) fn hash_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Hash {
    let mut hasher = Hasher::default();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The hashes of all leaves, in order, and the bytes that they cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leaves {
    pub hashes: Vec<Hash>,
    pub length: u64,
}

impl Leaves {
    /// The number of leaves of so many bytes.
    pub const fn count(length: u64) -> u64 {
        length.div_ceil(LEAF)
    }

    pub fn root(&self) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key(ROOT);
        for hash in &self.hashes {
            hasher.update(hash);
        }
        hasher.finalize().into()
    }

    /// Bytes of the leaf that starts at `start`.
    pub fn len_at(&self, start: u64) -> usize {
        self.length.saturating_sub(start).min(LEAF) as usize
    }

    /// Refuses a leaf other than the one that was signed.
    pub fn check<'a>(&self, start: u64, parts: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        match self.hashes.get((start / LEAF) as usize) {
            Some(hash) if *hash == hash_of(parts) => Ok(()),
            _ => Err(Error::Tampered(Part::Signature)),
        }
    }
}

/// Hashes bytes in order.
#[derive(Default)]
pub(crate) struct Tree {
    leaves: Leaves,
    hasher: Hasher,
}

impl Tree {
    pub fn of(parts: &[IoSlice<'_>]) -> Self {
        let mut tree = Self::default();
        tree.update_parts(parts);
        tree
    }

    pub fn length(&self) -> u64 {
        self.leaves.length
    }

    pub fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = (LEAF - self.leaves.length % LEAF) as usize;
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.hasher.update(now);
            self.leaves.length += now.len() as u64;
            if now.len() == room {
                self.end_leaf();
            }
            bytes = rest;
        }
    }

    pub fn update_parts(&mut self, parts: &[IoSlice<'_>]) {
        parts.iter().for_each(|part| self.update(part));
    }

    /// Appends what another thread hashed, after whole leaves.
    pub fn append(&mut self, next: Self) {
        assert!(self.leaves.length.is_multiple_of(LEAF), "what is appended starts with a leaf");
        self.leaves.hashes.extend(next.leaves.hashes);
        self.leaves.length += next.leaves.length;
        self.hasher = next.hasher;
    }

    pub fn finish(mut self) -> Leaves {
        if !self.leaves.length.is_multiple_of(LEAF) {
            self.end_leaf();
        }
        self.leaves
    }

    fn end_leaf(&mut self) {
        self.leaves.hashes.push(self.hasher.finalize().into());
        self.hasher.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(pieces: &[&[u8]]) -> Leaves {
        let mut tree = Tree::default();
        pieces.iter().for_each(|piece| tree.update(piece));
        tree.finish()
    }

    #[test]
    fn leaves_do_not_depend_on_the_pieces_that_were_read() {
        let bytes: Vec<u8> = (0..2 * LEAF as usize + 7).map(|at| ((at * 31) >> 3) as u8).collect();
        for length in [0, 1, LEAF as usize - 1, LEAF as usize, LEAF as usize + 1, bytes.len()] {
            let bytes = &bytes[..length];
            let whole = leaves(&[bytes]);
            assert_eq!(
                (whole.length, whole.hashes.len() as u64),
                (length as u64, Leaves::count(length as u64))
            );
            let pieces: Vec<&[u8]> = bytes.chunks(4099).collect();
            assert_eq!(leaves(&pieces), whole, "{length}");
            for (index, leaf) in bytes.chunks(LEAF as usize).enumerate() {
                let start = index as u64 * LEAF;
                assert_eq!(whole.len_at(start), leaf.len());
                assert!(whole.check(start, leaf.chunks(1000)).is_ok());
                assert!(whole.check(start, [&leaf[1..]]).is_err());
            }
        }
    }

    #[test]
    fn a_root_is_of_its_leaves_in_their_order() {
        let two = leaves(&[&[1; LEAF as usize], b"2"]);
        let mut turned = two.clone();
        turned.hashes.reverse();
        assert_ne!(two.root(), turned.root());
        // One leaf is not the root of the content that it is the hash of.
        let one = leaves(&[b"1"]);
        assert_ne!(one.root(), one.hashes[0]);
    }
}

//! Joins the hashes of segments to the tag of all of them. Products are the `ghash` crate's.
//!
//! GHASH is a polynomial in its key H whose coefficients are the blocks (NIST SP 800-38D, section 6.4). So what a
//! segment adds to the hash of all is its own hash, times H once for each block that follows it: Horner's rule, by
//! segments.
//!
//! Blocks are changed in place and never returned, but for the tag: a value that is moved leaves its bytes on the stack, where
//! nobody wipes them.

use super::extent::BLOCK;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use std::slice;
use zeroize::{Zeroize, Zeroizing};

pub(super) type Block = Zeroizing<[u8; BLOCK]>;

/// The tag of a ciphertext without associated data, from those of its segments, which have each the segment as associated
/// data and no ciphertext. It grows with each segment, in order, so that none of those has to be kept.
pub(super) struct Tag {
    /// On the heap, because owners of a tag move it.
    secrets: Box<Secrets>,
    bytes: u64,
}

#[derive(Default)]
struct Secrets {
    key: Block,
    /// The block that masks a hash in a tag.
    mask: Block,
    hash: Block,
}

impl Tag {
    /// `fill` writes the key and the mask where they stay; both are zero before.
    pub fn new(fill: impl FnOnce(&mut Block, &mut Block)) -> Self {
        let mut secrets = Box::<Secrets>::default();
        fill(&mut secrets.key, &mut secrets.mask);
        Self { secrets, bytes: 0 }
    }

    /// Adds the next segment, of so many bytes. Only the last may end within a block.
    pub fn add(&mut self, tag: &Block, bytes: usize) {
        let Secrets { key, mask, hash } = &mut *self.secrets;
        // Each segment's hash ends with a block of its length, which the hash of all has once only.
        let (mut length, mut factor) = (lengths(bytes as u64, 0), Block::default());
        multiply(&mut length, key);
        power(&mut factor, key, bytes.div_ceil(BLOCK));
        multiply(hash, &factor);
        [tag, &*mask, &length].into_iter().for_each(|block| add(hash, block));
        self.bytes += bytes as u64;
    }

    /// A secret as well, until the payload turns out to have it: of a forged one it would be the tag that fits.
    pub fn finish(&self) -> Block {
        let Secrets { key, mask, hash } = &*self.secrets;
        let mut tag = lengths(0, self.bytes);
        multiply(&mut tag, key);
        [hash, mask].into_iter().for_each(|block| add(&mut tag, block));
        tag
    }
}

/// GHASH's last block: the bits of the associated data, then those of the ciphertext.
fn lengths(data: u64, text: u64) -> Block {
    Block::new((u128::from(data * 8) << 64 | u128::from(text * 8)).to_be_bytes())
}

/// Makes `result` the key, `exponent` times itself; by squaring. `exponent` is at least 1.
fn power(result: &mut Block, key: &Block, exponent: usize) {
    result.copy_from_slice(&key[..]);
    let mut factor = Block::default();
    for bit in (0..exponent.ilog2()).rev() {
        factor.copy_from_slice(&result[..]);
        multiply(result, &factor);
        if exponent >> bit & 1 == 1 {
            multiply(result, key);
        }
    }
}

/// The hash of one block is its product with the key.
fn multiply(block: &mut Block, key: &Block) {
    let mut hash = GHash::new((&**key).into());
    hash.update(slice::from_ref((&**block).into()));
    let mut product = hash.finalize();
    block.copy_from_slice(&product);
    product.as_mut_slice().zeroize();
}

/// Adds a block, which takes it away, too.
fn add(block: &mut Block, other: &Block) {
    block.iter_mut().zip(other.iter()).for_each(|(block, other)| *block ^= other);
}

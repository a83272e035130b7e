//! Joins the hashes of segments to the tag of all of them. Products are the `ghash` crate's.
//!
//! GHASH is a polynomial in its key H whose coefficients are the blocks (NIST SP 800-38D, section 6.4). So what a
//! segment adds to the hash of all is its own hash, times H once for each block that follows it: Horner's rule, by
//! segments.

use std::slice;

use ghash::{GHash, universal_hash::UniversalHash};
use zeroize::Zeroizing;

use super::extent::BLOCK;

pub(super) type Block = Zeroizing<[u8; BLOCK]>;

/// The tag of a ciphertext without associated data, from those of its segments, which have each the segment as associated
/// data and no ciphertext. It grows with each segment, in order, so that none of those has to be kept.
pub(super) struct Tag {
    key: Block,
    /// The block that masks a hash in a tag.
    mask: Block,
    hash: Block,
    bytes: u64,
}

impl Tag {
    pub fn new(key: Block, mask: Block) -> Self {
        Self { key, mask, hash: Block::default(), bytes: 0 }
    }

    /// Adds the next segment, of so many bytes. Only the last may end within a block.
    pub fn add(&mut self, tag: &Block, bytes: usize) {
        // Each segment's hash ends with a block of its length, which the hash of all has once only.
        let hash = sum(&sum(tag, &self.mask), &product(&lengths(bytes as u64, 0), &self.key));
        self.hash = sum(&product(&self.hash, &power(&self.key, bytes.div_ceil(BLOCK))), &hash);
        self.bytes += bytes as u64;
    }

    /// A secret as well, until the payload turns out to have it: of a forged one it would be the tag that fits.
    pub fn finish(&self) -> Block {
        sum(&sum(&self.hash, &product(&lengths(0, self.bytes), &self.key)), &self.mask)
    }
}

/// GHASH's last block: the bits of the associated data, then those of the ciphertext.
fn lengths(data: u64, text: u64) -> Block {
    Block::new((u128::from(data * 8) << 64 | u128::from(text * 8)).to_be_bytes())
}

/// The key, `exponent` times itself; by squaring. `exponent` is at least 1.
fn power(key: &Block, exponent: usize) -> Block {
    let mut result = key.clone();
    for bit in (0..exponent.ilog2()).rev() {
        result = product(&result, &result);
        if exponent >> bit & 1 == 1 {
            result = product(&result, key);
        }
    }
    result
}

/// The hash of one block is its product with the key.
fn product(block: &Block, key: &Block) -> Block {
    // By reference: a copy on the stack would stay there.
    let mut hash = GHash::new((&**key).into());
    hash.update(slice::from_ref((&**block).into()));
    Block::new(hash.finalize().into())
}

/// The sum of two blocks, and their difference.
fn sum(a: &Block, b: &Block) -> Block {
    let mut sum = a.clone();
    sum.iter_mut().zip(b.iter()).for_each(|(sum, b)| *sum ^= b);
    sum
}

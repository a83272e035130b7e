//! Joins the hashes of segments to the hash of all of them. Products are the `ghash` crate's.
//!
//! GHASH is a polynomial in its key H whose coefficients are the blocks (NIST SP 800-38D, section 6.4). So what a
//! segment adds to the hash of all is its own hash, times H once for each block that follows it: Horner's rule, by
//! segments.

use std::slice;

use ghash::{GHash, universal_hash::UniversalHash};
use zeroize::Zeroizing;

use super::extent::{BLOCK, SEGMENT};

pub(super) type Block = Zeroizing<[u8; BLOCK]>;

/// GHASH of a ciphertext and no associated data, from GHASH of each segment as associated data and no ciphertext.
pub(super) struct Joined {
    key: Block,
    full: Full,
    hash: Block,
    bytes: u64,
}

impl Joined {
    pub fn new(key: Block) -> Self {
        let full =
            Full { shift: power(&key, SEGMENT / BLOCK), length: product(&bits_of_data(SEGMENT), &key) };
        Self { key, full, hash: Block::default(), bytes: 0 }
    }

    /// Adds the next segment, of so many bytes. Only the last may end within a block.
    pub fn add(&mut self, hash: &Block, bytes: usize) {
        let (shift, length) = match bytes {
            SEGMENT => (self.full.shift.clone(), self.full.length.clone()),
            _ => (power(&self.key, bytes.div_ceil(BLOCK)), product(&bits_of_data(bytes), &self.key)),
        };
        // Each segment's hash ends with a block of its length, which the hash of all has once only.
        self.hash = sum(&product(&self.hash, &shift), &sum(hash, &length));
        self.bytes += bytes as u64;
    }

    pub fn hash(&self) -> Block {
        sum(&self.hash, &product(&bits_of_text(self.bytes), &self.key))
    }
}

/// What is the same for every full segment.
struct Full {
    shift: Block,
    length: Block,
}

/// GHASH's last block: the bits of the associated data, then those of the ciphertext.
fn bits_of_data(bytes: usize) -> Block {
    let mut block = Block::default();
    block[..8].copy_from_slice(&(bytes as u64 * 8).to_be_bytes());
    block
}

fn bits_of_text(bytes: u64) -> Block {
    let mut block = Block::default();
    block[8..].copy_from_slice(&(bytes * 8).to_be_bytes());
    block
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
pub(super) fn sum(a: &Block, b: &Block) -> Block {
    let mut sum = a.clone();
    sum.iter_mut().zip(b.iter()).for_each(|(sum, b)| *sum ^= b);
    sum
}

//! Signatures (spec/file.md, "Signatures"): keys, the tree over what is signed, and the block that follows the content of a signed
//! file, or stands in a file of its own.

mod block;
mod detached;
mod key;
pub(crate) mod signed;
mod tree;

pub(crate) use block::{Block, Demand, Expected, FileSigner, MOST_BEFORE_LEAVES, NO_SIGNATURE, Place};
pub use detached::{sign_detached, verify_detached};
pub(crate) use key::Id;
pub use key::{SigningKey, VerifyingKey};
pub use signed::Signed;
pub(crate) use tree::{Hash, LEAF, Leaves, Tree, hash_of};

#[cfg(test)]
mod tests;

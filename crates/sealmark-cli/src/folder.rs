//! Folders: what is read from one, what of an archive is wanted, and where it is put.

pub mod extract;
mod load;
mod loaded;
mod note;
mod pieces;
mod place;
pub mod seal;
pub mod select;
pub mod show;
mod walk;

use rustix::fs::Stat;

/// Memory for the paths of files with several names, when a folder is sealed and when it is extracted.
const LINK_BYTES: usize = 16 << 20;

/// The part of [`LINK_BYTES`] that one path takes, with its entry in a table.
fn link_bytes(path: &[u8]) -> usize {
    path.len() + 128
}

/// The identity of a file, whatever it is called.
#[allow(clippy::unnecessary_cast, reason = "these numbers have other sizes on some systems")]
fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

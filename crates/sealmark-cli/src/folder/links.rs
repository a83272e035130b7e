//! Files that have several names.

use rustix::fs::Stat;

/// Memory for the paths of files with several names, when a folder is sealed and when it is extracted.
pub const LINK_BYTES: usize = 16 << 20;

/// The part of [`LINK_BYTES`] that one path takes, with its entry in a table.
pub fn link_bytes(path: &[u8]) -> usize {
    path.len() + 128
}

/// The identity of a file, whatever it is called.
#[allow(clippy::unnecessary_cast, reason = "these numbers have other sizes on some systems")]
pub fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

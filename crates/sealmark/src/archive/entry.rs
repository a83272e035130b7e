//! One entry of an archive, and the bounds of its names.

use crate::error::{Malformed, Result};
use std::cmp::Ordering;
use std::ops::Range;

/// The longest path of an entry, and the longest target of a link, in bytes.
pub const MAX_PATH: usize = 4096;
/// The longest name within a path, in bytes.
pub const MAX_NAME: usize = 255;
/// The most pieces of data between the holes of one sparse file.
pub const MAX_PIECES: usize = 10_000;
/// The largest content of a file, holes included, in bytes: no payload holds more.
pub const MAX_SIZE: u64 = 1 << 52;
/// The most extended attributes of one entry.
const MAX_ATTRIBUTES: usize = 1024;
/// The longest value of an extended attribute, in bytes: no file system of Linux has longer ones.
pub(crate) const MAX_VALUE: usize = 64 << 10;
/// The most bytes of all extended attributes of one entry, so that a block of the index has a bound.
const MAX_VALUES: usize = 128 << 10;
/// The bound of an entry's time: it is less than this many seconds after 1970, and at most this many before. An index stores
/// twice that number, which must be below 2^63.
pub const MAX_SECONDS: i64 = 1 << 62;

/// A file, directory or link in an archive.
///
/// The [module](crate::archive) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Names that are separated by `/`, without `.` and `..`, relative to the root of the archive.
    pub path: Vec<u8>,
    /// The kind of the entry, with the fields of that kind.
    pub kind: Kind,
    /// The permissions, the set-user-ID, set-group-ID and sticky bits included.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The time of the last modification.
    pub modified: Time,
    /// Extended attributes of a file or a directory, in the order of their names: at most 1,024, with names of 1 to 255 bytes
    /// without NUL and `=`, values of at most 65,536 bytes, and 131,072 bytes of both in all.
    pub attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Seconds since 1970 and nanoseconds after them.
///
/// The [module](crate::archive) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Time {
    /// Negative before 1970; bounded by [`MAX_SECONDS`].
    pub seconds: i64,
    /// Fewer than 1,000,000,000.
    pub nanoseconds: u32,
}

/// The kinds of entries. Archives contain no devices, pipes or sockets.
///
/// The [module](crate::archive) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A regular file.
    File {
        /// Bytes of content.
        size: u64,
    },
    /// A regular file with holes, of which only the data is stored.
    Sparse {
        /// Bytes of content, holes included.
        size: u64,
        /// The pieces that hold data: not empty, apart from each other, in ascending order.
        data: Vec<Range<u64>>,
    },
    /// A symbolic link.
    SymbolicLink {
        /// The target as the link has it.
        target: Vec<u8>,
    },
    /// Another name of a file.
    HardLink {
        /// A path that comes before this entry's own; in an archive that was verified, that of a file, sparse or not.
        target: Vec<u8>,
    },
}

impl Entry {
    /// An entry of user and group 0, without extended attributes.
    pub fn new(path: impl Into<Vec<u8>>, kind: Kind, mode: u32, modified: Time) -> Self {
        Self { path: path.into(), kind, mode, uid: 0, gid: 0, modified, attributes: Vec::new() }
    }

    /// Bytes of content that the archive stores.
    pub fn stored(&self) -> u64 {
        match &self.kind {
            Kind::File { size } => *size,
            // The pieces may be invalid: nothing has checked them yet.
            Kind::Sparse { data, .. } => data
                .iter()
                .fold(0, |bytes: u64, piece| bytes.saturating_add(piece.end.saturating_sub(piece.start))),
            _ => 0,
        }
    }

    /// Bytes of content, holes included.
    pub fn size(&self) -> u64 {
        match &self.kind {
            Kind::File { size } | Kind::Sparse { size, .. } => *size,
            _ => 0,
        }
    }

    /// Refuses an entry that no archive may have.
    ///
    /// # Errors
    /// [`Malformed::Archive`].
    pub fn check(&self) -> Result<()> {
        let sound = is_path(&self.path)
            && self.mode <= 0o7777
            && (-MAX_SECONDS..MAX_SECONDS).contains(&self.modified.seconds)
            && self.modified.nanoseconds < 1_000_000_000
            && match &self.kind {
                Kind::Directory => true,
                Kind::File { size } => *size <= MAX_SIZE,
                Kind::Sparse { size, data } => *size <= MAX_SIZE && are_pieces(data, *size),
                Kind::SymbolicLink { target } => is_target(target),
                Kind::HardLink { target } => is_path(target) && path_order(target, &self.path).is_lt(),
            }
            && (self.attributes.is_empty() || self.has_sound_attributes());
        if sound {
            Ok(())
        } else {
            Err(Malformed::Archive("it has an entry that the format does not allow").into())
        }
    }

    fn has_sound_attributes(&self) -> bool {
        let is_name = |name: &[u8]| {
            !name.is_empty() && name.len() <= MAX_NAME && !name.iter().any(|byte| matches!(byte, 0 | b'='))
        };
        let bytes: usize = self.attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
        !matches!(self.kind, Kind::SymbolicLink { .. } | Kind::HardLink { .. })
            && self.attributes.iter().all(|(name, value)| is_name(name) && value.len() <= MAX_VALUE)
            && self.attributes.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && self.attributes.len() <= MAX_ATTRIBUTES
            && bytes <= MAX_VALUES
    }
}

/// Names that stay below the directory they are used in, whatever is there.
fn is_path(path: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        !name.is_empty() && name.len() <= MAX_NAME && name != b"." && name != b".." && !name.contains(&0)
    };
    path.len() <= MAX_PATH && path.split(|byte| *byte == b'/').all(is_name)
}

fn is_target(target: &[u8]) -> bool {
    !target.is_empty() && target.len() <= MAX_PATH && !target.contains(&0)
}

fn are_pieces(data: &[Range<u64>], size: u64) -> bool {
    let ascending = data.windows(2).all(|pair| pair[0].end < pair[1].start);
    let sound = data.iter().all(|piece| piece.start < piece.end && piece.end <= size);
    data.len() <= MAX_PIECES && ascending && sound
}

/// The order of entries: by the bytes of their paths, with `/` before all other bytes, so that a directory's entries follow it.
pub fn path_order(one: &[u8], other: &[u8]) -> Ordering {
    let key = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    one.iter().map(key).cmp(other.iter().map(key))
}

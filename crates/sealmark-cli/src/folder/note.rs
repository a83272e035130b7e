//! Notes about entries of a folder, for the user.

use std::io;

/// Something that the user learns about an entry.
#[derive(Debug)]
pub enum Note {
    /// It could not be read.
    Unread(io::Error),
    /// It is a directory whose names could not be read.
    Closed(io::Error),
    Changed,
    TooLong,
    /// Its size or the target of the link is beyond what an archive can have.
    Beyond,
    /// Its extended attributes, or the one of this name, could not be read or are more than an archive can have.
    Attributes(Option<Vec<u8>>, io::Error),
    /// It is a pipe, a socket or a device.
    Special,
    /// Its time is further from 1970 than an archive can have.
    Distant,
    /// It is the archive itself.
    Own,
}

//! Extended attributes: all that can be read are sealed, and those of the name space `user` are extracted. Others, such as
//! capabilities and access control lists, give rights, which an archive from anybody must not.

#[cfg(any(target_os = "linux", target_os = "macos"))]
use rustix::buffer::spare_capacity;
#[cfg(any(target_os = "linux", target_os = "macos"))]
use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
#[cfg(any(target_os = "linux", target_os = "macos"))]
use rustix::io::Errno;
use std::io;
use std::os::fd::AsFd;

/// The attributes of a file in the order of their names, each with its value or why that could not be read.
pub type Read = Vec<(Vec<u8>, io::Result<Vec<u8>>)>;

/// True if an attribute is extracted.
pub fn is_of_user(name: &[u8]) -> bool {
    name.starts_with(b"user.")
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
pub fn read(file: impl AsFd) -> io::Result<Read> {
    let names = match sized(|names| flistxattr(&file, spare_capacity(names))) {
        Ok(names) => names,
        // This file system has none.
        Err(Errno::NOTSUP) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut found = Read::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        match sized(|value| fgetxattr(&file, name, spare_capacity(value))) {
            // It was removed meanwhile.
            Err(Errno::NODATA) => {}
            value => found.push((name.to_vec(), value.map_err(io::Error::from))),
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
pub fn set(file: impl AsFd, name: &[u8], value: &[u8]) -> io::Result<()> {
    Ok(fsetxattr(file, name, value, XattrFlags::empty())?)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn sized(read: impl Fn(&mut Vec<u8>) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    /// Most files have fewer bytes of names, and of a value.
    const MOSTLY: usize = 1 << 10;
    /// The longest that Linux allows.
    const MOST: usize = 64 << 10;
    let mut bytes = Vec::with_capacity(MOSTLY);
    match read(&mut bytes) {
        Err(Errno::RANGE) => {
            bytes.reserve(MOST);
            read(&mut bytes)?;
        }
        read => _ = read?,
    }
    Ok(bytes)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn read(_: impl AsFd) -> io::Result<Read> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn set(_: impl AsFd, _: &[u8], _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

//! Positioned, scattered reads and writes: what lets several threads work on one file without a lock.

use std::{
    fs::File,
    io::{self, IoSlice, IoSliceMut},
};

use crate::run::retry;

/// Fills all of `parts` from `offset` on; `UnexpectedEof` where the file is shorter.
pub(crate) fn read_exact_at(
    file: &File,
    mut parts: &mut [IoSliceMut<'_>],
    mut offset: u64,
) -> io::Result<()> {
    while !parts.is_empty() {
        match retry(|| system::read_at(file, parts, offset))? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                IoSliceMut::advance_slices(&mut parts, read);
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// Writes all of `parts` from `offset` on.
pub(crate) fn write_all_at(file: &File, mut parts: &mut [IoSlice<'_>], mut offset: u64) -> io::Result<()> {
    while !parts.is_empty() {
        match retry(|| system::write_at(file, parts, offset))? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => {
                IoSlice::advance_slices(&mut parts, written);
                offset += written as u64;
            }
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
mod system {
    use super::*;

    pub fn read_at(file: &File, parts: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
        Ok(rustix::io::preadv(file, parts, offset)?)
    }

    pub fn write_at(file: &File, parts: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pwritev(file, parts, offset)?)
    }
}

/// Part by part where there is no vectored call.
#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    #[cfg(unix)]
    use std::os::unix::fs::FileExt;
    #[cfg(windows)]
    use std::os::windows::fs::FileExt;

    pub fn read_at(file: &File, parts: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
        let Some(part) = parts.iter_mut().find(|part| !part.is_empty()) else { return Ok(0) };
        #[cfg(unix)]
        return file.read_at(part, offset);
        #[cfg(windows)]
        return file.seek_read(part, offset);
    }

    pub fn write_at(file: &File, parts: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        let Some(part) = parts.iter().find(|part| !part.is_empty()) else { return Ok(0) };
        #[cfg(unix)]
        return file.write_at(part, offset);
        #[cfg(windows)]
        return file.seek_write(part, offset);
    }
}

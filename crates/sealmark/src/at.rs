//! Positioned, scattered reads and writes: what lets several threads work on one file without a lock.

use crate::error::{Error, Result};
use crate::run::retry;
use rustix::io::{preadv, pwritev};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};

/// Fills all of `parts` from `offset` on; `UnexpectedEof` where the file is shorter.
pub(crate) fn read_exact_at(
    file: &File,
    mut parts: &mut [IoSliceMut<'_>],
    mut offset: u64,
) -> io::Result<()> {
    while !parts.is_empty() {
        match retry(|| Ok(preadv(file, parts, offset)?))? {
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
pub(crate) fn write_all_at(file: &File, mut parts: &mut [IoSlice<'_>], mut offset: u64) -> Result<()> {
    while !parts.is_empty() {
        match retry(|| Ok(pwritev(file, parts, offset)?)).map_err(Error::output)? {
            0 => return Err(Error::output(io::Error::from(io::ErrorKind::WriteZero))),
            written => {
                IoSlice::advance_slices(&mut parts, written);
                offset += written as u64;
            }
        }
    }
    Ok(())
}

//! A file copied in the way in which the library seals one, without a cipher: what its reads and writes cost alone.

use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes of one read and one write; the writes are aligned to it.
#[cfg(target_os = "linux")]
const PIECE: u64 = 1 << 20;

/// Several threads read and write pieces at their offsets in an unnamed file whose space is reserved; its name comes last.
#[cfg(target_os = "linux")]
pub fn copy(input: &Path, output: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, FallocateFlags, Mode, OFlags};
    use std::os::fd::AsRawFd;

    let source = File::open(input)?;
    let length = source.metadata()?.len();
    let directory = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let target = File::from(rustix::fs::open(directory, flags, Mode::from_raw_mode(0o666))?);
    // The library does so, too: for less than that, the call costs more than the write.
    if length >= 64 << 10 {
        rustix::fs::fallocate(&target, FallocateFlags::empty(), 0, length)?;
    }
    copy_pieces(&source, &target, length)?;
    let unnamed = format!("/proc/self/fd/{}", target.as_raw_fd());
    Ok(rustix::fs::linkat(CWD, unnamed, CWD, output, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(target_os = "linux")]
fn copy_pieces(source: &File, target: &File, length: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    use std::sync::atomic::{AtomicU64, Ordering};

    let next = AtomicU64::new(0);
    let work = || {
        let mut buffer = buffer(length)?;
        loop {
            let start = next.fetch_add(PIECE, Ordering::Relaxed);
            if start >= length {
                return Ok(());
            }
            let piece = &mut buffer[..PIECE.min(length - start) as usize];
            source.read_exact_at(piece, start)?;
            target.write_all_at(piece, start)?;
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads(length)).map(|_| scope.spawn(work)).collect();
        let own = work();
        others.into_iter().fold(own, |first, other| {
            first.and(other.join().unwrap_or_else(|_| Err(io::Error::other("a thread that copies panicked"))))
        })
    })
}

/// One a core, at most sixteen, as the library has it. One piece asks nobody how many cores there are.
#[cfg(target_os = "linux")]
fn threads(length: u64) -> u64 {
    match length.div_ceil(PIECE) {
        0 | 1 => 1,
        pieces => {
            std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64).min(16).min(pieces)
        }
    }
}

/// In a huge page for long files, as in the library: spread over small ones, it falls onto the same cache lines again and
/// again in some processes and not in others.
#[cfg(target_os = "linux")]
fn buffer(length: u64) -> io::Result<memmap2::MmapMut> {
    let map = memmap2::MmapMut::map_anon(2 << 20)?;
    if length >= 64 << 20 {
        map.advise(memmap2::Advice::HugePage)?;
    }
    Ok(map)
}

/// Elsewhere by whatever the system copies files with.
#[cfg(not(target_os = "linux"))]
pub fn copy(input: &Path, output: &Path) -> io::Result<()> {
    let target = File::options().write(true).create_new(true).open(output)?;
    io::copy(&mut File::open(input)?, &mut { target }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_copy_has_the_same_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let (input, output) = (directory.path().join("input"), directory.path().join("output"));
        for length in [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5_000_000] {
            let bytes: Vec<u8> = (0..length).map(|at: u32| at.wrapping_mul(at).to_le_bytes()[1]).collect();
            fs::write(&input, &bytes).unwrap();
            copy(&input, &output).unwrap();
            assert!(fs::read(&output).unwrap() == bytes, "{length}");
            fs::remove_file(&output).unwrap();
        }
    }

    #[test]
    fn a_failure_leaves_nothing_and_takes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let (input, output) = (directory.path().join("input"), directory.path().join("output"));
        assert_eq!(copy(&input, &output).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(!output.exists());
        fs::write(&input, "new").unwrap();
        fs::write(&output, "old").unwrap();
        assert_eq!(copy(&input, &output).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&output).unwrap(), b"old");
    }
}

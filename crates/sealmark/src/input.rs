//! Inputs: files that must not change while they are read, streams whose sender may keep silent for ever, and files elsewhere
//! of which the caller reads ranges.

use crate::at::read_exact_at;
use crate::error::{Error, FileMisuse, Result};
use crate::run::retry;
use rustix::event::{PollFd, PollFlags, poll};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IoSliceMut, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The input of a job: a file, a pipe, a device, or a file elsewhere that is read in ranges.
///
/// Several threads read a regular file, and authenticate its end before its beginning. A stream is read in order; a job
/// that has failed stops reading it at once, even if the sender keeps it open.
///
/// ```
/// use sealmark::{Existing, Format, Identity, Input, Job, Kem, Output, SealTo, seal_input};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let [plain, sealed] = ["plain", "sealed"].map(|name| directory.path().join(name));
/// # std::fs::write(&plain, "private")?;
/// # let to = SealTo::recipients(Format::Sealmark, &[Identity::generate(Kem::X25519)?.recipient()])?;
/// let input = Input::open(&plain)?;
/// let output = Output::create(&sealed, Existing::Refuse)?;
/// let summary = seal_input(&input, output, &to, &Job::default())?;
/// assert_eq!(summary.input, 7);
/// # Ok(())
/// # }
/// ```
pub struct Input {
    source: Source,
    path: Option<PathBuf>,
    length: u64,
    has_length: bool,
    stop: Option<Stop>,
}

enum Source {
    File {
        file: File,
        /// Where it stood when it was handed to us.
        start: u64,
        stamp: Stamp,
    },
    Ranges {
        read: Box<ReadRange>,
        /// Where reading in order goes on.
        next: AtomicU64,
    },
}

type ReadRange = dyn Fn(&mut [u8], u64) -> io::Result<()> + Send + Sync;

impl Input {
    /// Opens a file. Opening a named pipe waits for its writer.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path)?;
            if file.metadata()?.is_dir() {
                return Err(FileMisuse::NotAFile(path.into()).into());
            }
            Ok(Self { path: Some(path.into()), ..Self::from_file(file)? })
        };
        open().map_err(|error: Error| error.between(Some(path), None))
    }

    /// An open file, such as standard input, from its current position to its end.
    pub fn from_file(mut file: File) -> Result<Self> {
        let metadata = file.metadata()?;
        let start = if metadata.is_file() { file.stream_position()? } else { 0 };
        let length = metadata.len().saturating_sub(start);
        Ok(Self {
            // Files of the kernel's own have content and no length.
            has_length: metadata.is_file() && metadata.len() > 0,
            stop: if metadata.is_file() { None } else { Some(Stop::new()?) },
            source: Source::File { file, start, stamp: Stamp::of(&metadata) },
            path: None,
            length,
        })
    }

    /// A sealed file of `length` bytes that is elsewhere, such as in an object store. `read` fills a buffer with the bytes from
    /// an offset on; several threads call it, also more than once for the same bytes, so it may keep some of them.
    ///
    /// A wrong length, and bytes of another file, end like a damaged file: nothing is used that was not authenticated.
    pub fn from_ranges(
        length: u64,
        read: impl Fn(&mut [u8], u64) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let source = Source::Ranges { read: Box::new(read), next: AtomicU64::new(0) };
        Self { source, path: None, length, has_length: true, stop: None }
    }

    /// Opens an input that is read twice: a regular file. It is looked at before, as opening a named pipe waits
    /// for whoever writes to it; and after, as its name may mean something else by then.
    pub(crate) fn open_regular(path: &Path) -> Result<Self> {
        let open = || {
            check_regular(path, &fs::metadata(path)?)?;
            let input = Self::open(path)?;
            if let Some(file) = input.file() {
                check_regular(path, &file.metadata()?)?;
            }
            Ok(input)
        };
        open().map_err(|error: Error| error.between(Some(path), None))
    }

    /// Its name, where it was opened by one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Refuses an output that is this very file, or this very disk.
    pub(crate) fn is_not(&self, output: &Path) -> Result<()> {
        let Source::File { stamp, .. } = &self.source else { return Ok(()) };
        if fs::metadata(output).is_ok_and(|output| stamp.is_file_of(&Stamp::of(&output))) {
            Err(FileMisuse::SameFile(output.into()).into())
        } else {
            Ok(())
        }
    }

    /// Nothing for a file that is read in ranges.
    pub(crate) fn file(&self) -> Option<&File> {
        match &self.source {
            Source::File { file, .. } => Some(file),
            Source::Ranges { .. } => None,
        }
    }

    /// Bytes to be read, where [`Input::has_length`].
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// True where this is a regular file with content, or one that is read in ranges.
    pub(crate) fn has_length(&self) -> bool {
        self.has_length
    }

    /// Fills `parts` from an offset on, counted from where the input starts.
    pub(crate) fn read_at(&self, parts: &mut [IoSliceMut<'_>], offset: u64) -> Result<()> {
        match &self.source {
            Source::File { file, start, .. } => {
                read_exact_at(file, parts, start + offset).map_err(|error| match error.kind() {
                    io::ErrorKind::UnexpectedEof => CHANGED,
                    _ => error.into(),
                })
            }
            Source::Ranges { read, .. } => {
                let mut at = offset;
                for part in parts {
                    read(part, at)?;
                    at += part.len() as u64;
                }
                Ok(())
            }
        }
    }

    /// Gives up reading, from any thread: a read that waits ends, and so does each that follows.
    pub(crate) fn stop(&self) {
        if let Some(stop) = &self.stop {
            stop.now();
        }
    }

    /// The result of reading this file as a stream. A file that was cut short meanwhile looks like one that ends there, or that
    /// was damaged.
    pub(crate) fn unless_changed<T>(&self, result: Result<T>) -> Result<T> {
        if self.has_length { self.check_unchanged().and(result) } else { result }
    }

    /// A file that somebody was still writing would be sealed in part, or old and new mixed, and nobody would notice. A sealed
    /// file that is read in ranges has no state to compare; its chunks are authentic, or they are refused.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        let Source::File { file, stamp, .. } = &self.source else { return Ok(()) };
        if Stamp::of(&file.metadata()?) == *stamp { Ok(()) } else { Err(CHANGED) }
    }

    /// Reads the next bytes of a file that is read in ranges.
    fn read_next(
        &self,
        read: &ReadRange,
        next: &AtomicU64,
        parts: &mut [IoSliceMut<'_>],
    ) -> io::Result<usize> {
        let at = next.load(Ordering::Relaxed);
        let Some(part) = parts.iter_mut().find(|part| !part.is_empty()) else { return Ok(0) };
        let bytes = (part.len() as u64).min(self.length.saturating_sub(at)) as usize;
        if bytes > 0 {
            read(&mut part[..bytes], at)?;
            next.store(at + bytes as u64, Ordering::Relaxed);
        }
        Ok(bytes)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        (&*self).read(out)
    }

    fn read_vectored(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&*self).read_vectored(parts)
    }
}

impl Read for &Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(out)])
    }

    fn read_vectored(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let mut file = match &self.source {
            Source::File { file, .. } => file,
            Source::Ranges { read, next } => return self.read_next(read, next, parts),
        };
        let Some(stop) = &self.stop else { return file.read_vectored(parts) };
        loop {
            stop.wait_for(file)?;
            match file.read_vectored(parts) {
                // A stream that does not block was read by somebody else meanwhile.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}

/// A pipe and most devices refuse it.
impl Seek for &Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &self.source {
            Source::File { file, .. } => (&mut &*file).seek(to),
            Source::Ranges { next, .. } => {
                let place = match to {
                    SeekFrom::Start(place) => Some(place),
                    SeekFrom::End(by) => self.length.checked_add_signed(by),
                    SeekFrom::Current(by) => next.load(Ordering::Relaxed).checked_add_signed(by),
                };
                let place = place.ok_or(io::ErrorKind::InvalidInput)?;
                next.store(place, Ordering::Relaxed);
                Ok(place)
            }
        }
    }
}

/// A pipe of our own: what is written to it ends the wait for another's bytes.
struct Stop {
    reader: io::PipeReader,
    writer: io::PipeWriter,
}

impl Stop {
    fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self { reader, writer })
    }

    fn now(&self) {
        let _full_is_as_good = (&self.writer).write(&[0]);
    }

    /// Returns when `file` has something, or its end, or an error that reading it will tell.
    fn wait_for(&self, file: &File) -> io::Result<()> {
        let mut ends = [PollFd::new(file, PollFlags::IN), PollFd::new(&self.reader, PollFlags::IN)];
        retry(|| Ok(poll(&mut ends, None)?))?;
        if ends[1].revents().is_empty() {
            Ok(())
        } else {
            Err(io::Error::other("reading stopped, because encrypting or decrypting failed"))
        }
    }
}

/// The identity and state of a file at one moment. A writer may set the time of modification back; only the system sets
/// the time of change.
#[derive(PartialEq)]
struct Stamp {
    length: u64,
    modified: Option<std::time::SystemTime>,
    changed: (i64, i64),
    file: (u64, u64),
    /// The disk, where it is one.
    disk: Option<u64>,
    is_file: bool,
}

impl Stamp {
    fn of(metadata: &fs::Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            file: (metadata.dev(), metadata.ino()),
            disk: metadata.file_type().is_block_device().then(|| metadata.rdev()),
            is_file: metadata.is_file(),
        }
    }

    fn is_file_of(&self, other: &Self) -> bool {
        self.is_file && self.file == other.file || self.disk.is_some() && self.disk == other.disk
    }
}

/// Directories are for [`Input::open`] to refuse.
fn check_regular(path: &Path, metadata: &fs::Metadata) -> Result<()> {
    if metadata.is_file() || metadata.is_dir() {
        Ok(())
    } else {
        Err(FileMisuse::ReadsOnce(path.into()).into())
    }
}

pub(crate) const CHANGED: Error = Error::InputChanged { path: None };

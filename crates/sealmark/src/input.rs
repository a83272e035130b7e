//! Inputs: files that must not change while they are read, and streams whose sender may keep silent for ever.

use std::{
    fmt,
    fs::{self, File},
    io::{self, IoSliceMut, Read, Seek, Write},
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
};

use rustix::event::{PollFd, PollFlags, poll};

use crate::{
    at::read_exact_at,
    error::{Error, FileMisuse, Result},
    run::retry,
};

/// The input of a job: a file, a pipe or a device.
///
/// Several threads read a regular file, and authenticate its end before its beginning. A stream is read in order; a job
/// that has failed stops reading it at once, even if the sender keeps it open.
pub struct Input {
    file: File,
    path: Option<PathBuf>,
    /// Where it stood when it was handed to us.
    start: u64,
    length: u64,
    stamp: Stamp,
    has_length: bool,
    stop: Option<Stop>,
}

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
            stamp: Stamp::of(&metadata),
            stop: if metadata.is_file() { None } else { Some(Stop::new()?) },
            file,
            path: None,
            start,
            length,
        })
    }

    /// Opens an input that is read twice: a regular file. It is looked at before, as opening a named pipe waits
    /// for whoever writes to it; and after, as its name may mean something else by then.
    pub(crate) fn open_regular(path: &Path) -> Result<Self> {
        let open = || {
            check_regular(path, &fs::metadata(path)?)?;
            let input = Self::open(path)?;
            check_regular(path, &input.file.metadata()?)?;
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
        if fs::metadata(output).is_ok_and(|output| self.stamp.is_file_of(&Stamp::of(&output))) {
            Err(FileMisuse::SameFile(output.into()).into())
        } else {
            Ok(())
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Bytes to be read, where [`Input::has_length`].
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// True where this is a regular file with content.
    pub(crate) fn has_length(&self) -> bool {
        self.has_length
    }

    /// Fills `parts` from an offset on, counted from where the input starts.
    pub(crate) fn read_at(&self, parts: &mut [IoSliceMut<'_>], offset: u64) -> Result<()> {
        read_exact_at(&self.file, parts, self.start + offset).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => CHANGED,
            _ => error.into(),
        })
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

    /// A file that somebody was still writing would be sealed in part, or old and new mixed, and nobody would notice.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        if Stamp::of(&self.file.metadata()?) == self.stamp { Ok(()) } else { Err(CHANGED) }
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
        let Some(stop) = &self.stop else { return (&self.file).read_vectored(parts) };
        loop {
            stop.wait_for(&self.file)?;
            match (&self.file).read_vectored(parts) {
                // A stream that does not block was read by somebody else meanwhile.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
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

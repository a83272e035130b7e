//! Where lines go: a stream, or a file that others rename, remove or cut while we append to it.

use super::directory::{Follow, open_or_make};
use crate::fault::Fault;
use crate::target::identity;
use rustix::fs::OFlags;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file that only grows, as far as we have a say.
pub struct Growing {
    file: File,
    /// It had so many bytes at least.
    known: u64,
    /// The flags of a file that others opened, as they were before we changed them.
    flags: Option<OFlags>,
}

impl Growing {
    pub fn new(file: File) -> io::Result<Self> {
        let known = file.metadata()?.len();
        Ok(Self { file, known, flags: None })
    }

    /// A file that others opened, if it is written at its end. Until we are done it is appended to: where it is cut, a
    /// hole would come first.
    pub fn shared(mut file: File) -> io::Result<Option<Self>> {
        let meta = file.metadata()?;
        let flags = rustix::fs::fcntl_getfl(&file)?;
        if !meta.is_file() || !flags.contains(OFlags::APPEND) && file.stream_position()? != meta.len() {
            return Ok(None);
        }
        let mut growing = Self::new(file)?;
        if !flags.contains(OFlags::APPEND) {
            rustix::fs::fcntl_setfl(&growing.file, flags | OFlags::APPEND)?;
            growing.flags = Some(flags);
        }
        Ok(Some(growing))
    }

    /// So many bytes from its end, or all of it.
    pub fn tail(&self, most: u64) -> io::Result<Vec<u8>> {
        let is_readable = rustix::fs::fcntl_getfl(&self.file)? & OFlags::ACCMODE == OFlags::RDWR;
        // A shell opens for writing only.
        let file = if is_readable {
            self.file.try_clone()?
        } else {
            File::open(format!("/proc/self/fd/{}", self.file.as_raw_fd()))?
        };
        let start = self.known.saturating_sub(most);
        let mut tail = vec![0; usize::try_from(self.known - start).map_err(io::Error::other)?];
        file.read_exact_at(&mut tail, start)?;
        Ok(tail)
    }

    /// True where it lost what was there.
    pub fn was_cut(&mut self) -> io::Result<bool> {
        let length = self.file.metadata()?.len();
        let cut = length < self.known;
        self.known = length;
        Ok(cut)
    }

    pub fn grew(&mut self, bytes: usize) {
        self.known += bytes as u64;
    }
}

impl Drop for Growing {
    /// The process that opened it may go on to write elsewhere in it.
    fn drop(&mut self) {
        if let Some(flags) = self.flags {
            let _ = rustix::fs::fcntl_setfl(&self.file, flags);
        }
    }
}

/// A file that is appended to by its name.
pub struct Appended {
    path: PathBuf,
    growing: Growing,
    identity: (u64, u64),
    follow: Follow,
    /// There was none before.
    made: bool,
    is_file: bool,
}

/// The change of a file since we last looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    None,
    Cut,
    /// The name is another file's, or nobody's.
    Renamed,
    /// As before, and no name is left: what is written now is lost.
    Removed,
}

impl Appended {
    /// Opens it, or makes it. A last line without a line feed, as a crash leaves it, gets one.
    pub fn open(path: &Path, follow: Follow) -> Result<Self, Fault> {
        let open = || {
            // To read as well, for its last byte. A pipe of that name is not waited for.
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let (file, made) = open_or_make(path, follow, flags)?;
            let (file, meta) = trusted(path, file.into(), follow)?;
            let (path, growing, identity) = (path.to_owned(), Growing::new(file)?, identity(&meta));
            let mut appended = Self { path, growing, identity, follow, made, is_file: meta.is_file() };
            appended.end_last_line(meta.len())?;
            Ok(appended)
        };
        open().map_err(|error: io::Error| Fault::from(error).about(path))
    }

    /// Refuses what others cannot rename or cut, such as a pipe.
    pub fn regular(self) -> Result<Self, Fault> {
        if self.is_file {
            Ok(self)
        } else {
            Err(Fault::usage(format!("{:?} is not a regular file", self.path))
                .named()
                .hint("write to it with -o, or redirect to it"))
        }
    }

    /// The file that has the name now.
    pub fn again(&self) -> Result<Self, Fault> {
        let again = Self::open(&self.path, self.follow)?;
        if self.is_file { again.regular() } else { Ok(again) }
    }

    pub fn growing(&self) -> &Growing {
        &self.growing
    }

    /// The file, if we made it: it is ours to give away.
    pub fn made(&self) -> Option<&File> {
        self.made.then_some(&self.growing.file)
    }

    /// Waits until a disk has it.
    pub fn sync(&self) -> io::Result<()> {
        self.growing.file.sync_data()
    }

    pub fn change(&mut self) -> io::Result<Change> {
        match std::fs::metadata(&self.path) {
            Ok(named) if identity(&named) == self.identity => {
                Ok(if self.growing.was_cut()? { Change::Cut } else { Change::None })
            }
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => match self.growing.file.metadata()?.nlink() {
                0 => Ok(Change::Removed),
                _ => Ok(Change::Renamed),
            },
        }
    }

    fn end_last_line(&mut self, length: u64) -> io::Result<()> {
        let Some(last) = length.checked_sub(1) else { return Ok(()) };
        let mut byte = [0];
        self.growing.file.seek(SeekFrom::Start(last))?;
        // Somebody may have cut it just now.
        match self.growing.file.read(&mut byte)? {
            1 if byte[0] != b'\n' => self.write_all(b"\n"),
            _ => Ok(()),
        }
    }
}

impl Write for Appended {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let named = |error: io::Error| io::Error::new(error.kind(), Fault::from(error).about(&self.path));
        match self.growing.file.write(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            written => {
                let written = written.map_err(named)?;
                self.growing.grew(written);
                Ok(written)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Another user's file, or one that stands elsewhere as well, is not written to for a user who may have put it there.
fn trusted(path: &Path, file: File, follow: Follow) -> io::Result<(File, Metadata)> {
    let meta = file.metadata()?;
    let Follow::Nothing { user } = follow else { return Ok((file, meta)) };
    let reason = match (meta.nlink(), meta.uid()) {
        (2.., _) => format!("{path:?} has more than one hard link"),
        (_, owner) if owner != 0 && owner != user => {
            format!(
                "{path:?} is owned by the user with the ID {owner}, and not by root or the user of --user"
            )
        }
        _ => return Ok((file, meta)),
    };
    let hint = "with --user, the file must belong to that user or to root and have one hard link: move it away, or \
                name another file";
    Err(io::Error::other(Fault::io(reason).hint(hint).named()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use std::fs;

    #[test]
    fn what_others_do_to_the_file_is_seen() {
        let room = tempfile::tempdir().unwrap();
        let (path, moved) = (room.path().join("log"), room.path().join("log.1"));
        let mut log = Appended::open(&path, Follow::Links).unwrap();
        log.write_all(b"first\n").unwrap();
        assert_eq!(log.change().unwrap(), Change::None);
        fs::write(&path, b"").unwrap();
        log.write_all(b"next\n").unwrap();
        assert_eq!(log.change().unwrap(), Change::Cut);
        assert_eq!(log.change().unwrap(), Change::None);
        fs::rename(&path, &moved).unwrap();
        assert_eq!(log.change().unwrap(), Change::Renamed);
        fs::write(&path, b"another's").unwrap();
        assert_eq!(log.change().unwrap(), Change::Renamed);
        fs::remove_file(&moved).unwrap();
        assert_eq!(log.change().unwrap(), Change::Removed);
        let mut again = log.again().unwrap();
        again.write_all(b"ours\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"another's\nours\n");
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let room = tempfile::tempdir().unwrap();
        let link = room.path().join("link");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        let null = Appended::open(&link, Follow::Links).unwrap();
        assert!(null.regular().is_err_and(|fault| fault.message.contains("not a regular file")));
        assert!(Appended::open(&link, Follow::Nothing { user: 0 }).is_err());
    }
}

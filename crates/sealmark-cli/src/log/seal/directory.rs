//! The directory of a file that is opened or made. Root's work in a directory of another user's, it does there and
//! nowhere that a link leads to.

use crate::fault::Fault;
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, open, openat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};
use std::time::{Duration, Instant};
use std::{io, thread};

/// Tells whether a name may lead over links, and to whose files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    Links,
    /// No link in any part of the name; and a file that is there has no other name, and is root's or this user's.
    Nothing {
        user: u32,
    },
}

pub struct Directory {
    pub fd: OwnedFd,
    /// The file's name in it.
    pub name: OsString,
}

/// To go on from, which takes no right to read.
const WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Directory {
    pub fn of(path: &Path, follow: Follow) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let fd = match follow {
            Follow::Links => open(parent, WAY, Mode::empty())?,
            Follow::Nothing { .. } => walk(parent)?,
        };
        Ok(Self { fd, name })
    }

    /// A caller that finds something here, and puts something else in its place, does so alone; until what is returned is dropped.
    /// Without the right to read the directory, others are not kept away.
    pub fn alone(&self) -> io::Result<Option<OwnedFd>> {
        const PATIENCE: Duration = Duration::from_secs(5);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(lock) = openat(&self.fd, ".", flags, Mode::empty()) else { return Ok(None) };
        let start = Instant::now();
        while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            if start.elapsed() >= PATIENCE {
                let locked = Fault::io("another program holds a lock on the directory of the socket");
                return Err(io::Error::other(locked.hint("choose a directory that only this socket uses")));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(Some(lock))
    }
}

/// Name by name, so that no kernel is too old for it.
fn walk(path: &Path) -> io::Result<OwnedFd> {
    let mut at = open(if path.is_absolute() { "/" } else { "." }, WAY, Mode::empty())?;
    for component in path.components() {
        let name = match component {
            Component::Normal(name) => name,
            Component::ParentDir => OsStr::new(".."),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => continue,
        };
        at =
            openat(&at, name, WAY | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| refused(error, name))?;
    }
    Ok(at)
}

fn refused(error: Errno, name: &OsStr) -> io::Error {
    match error {
        Errno::NOTDIR | Errno::LOOP => io::Error::other(
            Fault::io(format!("the path component {name:?} is a symbolic link, or not a directory"))
                .hint("with --user, symbolic links are not followed: pass the path that `realpath` prints"),
        ),
        error => error.into(),
    }
}

/// Opens a file, or makes it; and whether it was made.
pub fn open_or_make(path: &Path, follow: Follow, flags: OFlags) -> io::Result<(OwnedFd, bool)> {
    let (directory, flags) = match follow {
        Follow::Links => (None, flags),
        Follow::Nothing { .. } => (Some(Directory::of(path, follow)?), flags | OFlags::NOFOLLOW),
    };
    let open = |flags| match &directory {
        None => openat(CWD, path, flags, Mode::from_raw_mode(0o666)),
        Some(directory) => openat(&directory.fd, &directory.name, flags, Mode::from_raw_mode(0o666)),
    };
    match open(flags | OFlags::CREATE | OFlags::EXCL) {
        Ok(file) => Ok((file, true)),
        // A link that leads nowhere exists, too.
        Err(Errno::EXIST) => Ok((open(flags).or_else(|_| open(flags | OFlags::CREATE))?, false)),
        Err(error) => Err(error.into()),
    }
}

//! Where extracted entries go. Every name is looked up in a directory that is held open, and no link is followed, so nothing is
//! written outside of the folder that the user named, whatever an archive or another process puts into it.

use super::links::identity;
use super::show;
use crate::fault::Fault;
use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};
use rustix::io::Errno;
use sealmark::archive::{Entry, Time};
use sealmark::{Existing, Output};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// The folder that takes the entries.
pub struct Root {
    folder: Arc<OwnedFd>,
    existing: Existing,
}

#[cfg(target_os = "linux")]
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

thread_local! {
    /// The directory of the latest entry: the next one is mostly beside it.
    static LATEST: RefCell<Option<(Vec<u8>, Arc<OwnedFd>)>> = const { RefCell::new(None) };
}

impl Root {
    /// Makes the folder unless it is there. The umask decides who may enter it.
    pub fn new(folder: &Path, existing: Existing) -> Result<Self, Fault> {
        let make = || match rustix::fs::mkdir(folder, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
            Ok(()) | Err(Errno::EXIST) => rustix::fs::open(folder, DIRECTORY, Mode::empty()),
            Err(error) => Err(error),
        };
        let folder = make().map_err(|error| Fault::from(io::Error::from(error)).about(folder))?;
        LATEST.with_borrow_mut(|latest| *latest = None);
        Ok(Self { folder: Arc::new(folder), existing })
    }

    /// The directory of a path and the last name of it. Directories that are missing are made.
    fn parent<'a>(&self, path: &'a [u8]) -> io::Result<(Arc<OwnedFd>, &'a OsStr)> {
        let (parent, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..slash], &path[slash + 1..]),
            None => (&b""[..], path),
        };
        let known = LATEST.with_borrow(|latest| {
            latest.as_ref().filter(|(path, _)| path == parent).map(|(_, directory)| directory.clone())
        });
        let directory = match known {
            Some(directory) => directory,
            None => {
                let mut directory = self.folder.clone();
                for name in parent.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
                    directory = Arc::new(enter(&directory, OsStr::from_bytes(name))?);
                }
                LATEST.with_borrow_mut(|latest| *latest = Some((parent.to_vec(), directory.clone())));
                directory
            }
        };
        Ok((directory, OsStr::from_bytes(name)))
    }

    /// True if the directory was not there. It is its owner's alone until [`Root::finish_directory`].
    pub fn make_directory(&self, path: &[u8]) -> io::Result<bool> {
        let (parent, name) = self.parent(path)?;
        match rustix::fs::mkdirat(&parent, name, Mode::RWXU) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => {
                enter(&parent, name)?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Permissions and time, once nothing more is put into the directory.
    pub fn finish_directory(&self, entry: &Entry) -> io::Result<()> {
        let (parent, name) = self.parent(&entry.path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(&parent, name, flags, Mode::empty())?;
        rustix::fs::futimens(&directory, &times(entry.modified))?;
        Ok(rustix::fs::fchmod(&directory, Mode::from_raw_mode((entry.mode & 0o777) as _))?)
    }

    /// A new file; `fill` writes its content.
    pub fn make_file(
        &self,
        entry: &Entry,
        fill: impl FnOnce(&mut Output<'static>) -> sealmark::Result<()>,
    ) -> sealmark::Result<()> {
        let (parent, name) = self.parent(&entry.path)?;
        let mut output = Output::create_in(&parent, name, entry.mode, self.existing)?;
        fill(&mut output)?;
        if let Some(file) = output.file() {
            rustix::fs::futimens(file, &times(entry.modified)).map_err(io::Error::from)?;
        }
        output.commit()
    }

    pub fn make_symbolic_link(&self, entry: &Entry, target: &[u8]) -> io::Result<()> {
        let (parent, name) = self.parent(&entry.path)?;
        self.make_room(&parent, name, || {
            rustix::fs::symlinkat(OsStr::from_bytes(target), &parent, name)?;
            rustix::fs::utimensat(&parent, name, &times(entry.modified), AtFlags::SYMLINK_NOFOLLOW)
        })
    }

    /// Another name of the file `made` at `target`. False if something else has that name now.
    pub fn make_hard_link(&self, entry: &Entry, target: &[u8], made: (u64, u64)) -> io::Result<bool> {
        let is_made = |directory: &OwnedFd, name: &OsStr| match rustix::fs::statat(
            directory,
            name,
            AtFlags::SYMLINK_NOFOLLOW,
        ) {
            Ok(stat) => Ok(identity(&stat) == made),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error),
        };
        let (from, first) = self.parent(target)?;
        if !is_made(&from, first)? {
            return Ok(false);
        }
        let (parent, name) = self.parent(&entry.path)?;
        // Where `a` and `A` are one name, replacing that would remove the file.
        if !is_made(&parent, name)? {
            self.make_room(&parent, name, || {
                rustix::fs::linkat(&from, first, &parent, name, AtFlags::empty())
            })?;
        }
        Ok(true)
    }

    /// A link cannot replace anything, so that is removed before, where the user allows it.
    fn make_room(
        &self,
        parent: &OwnedFd,
        name: &OsStr,
        make: impl Fn() -> rustix::io::Result<()>,
    ) -> io::Result<()> {
        match make() {
            Err(Errno::EXIST) if self.existing == Existing::Replace => {
                rustix::fs::unlinkat(parent, name, AtFlags::empty())?;
                Ok(make()?)
            }
            made => Ok(made?),
        }
    }
}

/// A directory in another one. If it is missing, it is made, and is its owner's alone: no entry says who else may enter it.
fn enter(parent: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    let open = || rustix::fs::openat(parent, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
    let opened = match open() {
        Err(Errno::NOENT) => {
            match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            open()
        }
        opened => opened,
    };
    opened.map_err(|error| match error {
        Errno::NOTDIR | Errno::LOOP => {
            let name = show::quoted(name.as_bytes());
            io::Error::other(Fault::io(format!("{name} is there and is not a directory")))
        }
        error => error.into(),
    })
}

fn times(modified: Time) -> Timestamps {
    let last_modification = Timespec { tv_sec: modified.seconds, tv_nsec: modified.nanoseconds.into() };
    Timestamps { last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT }, last_modification }
}

/// True if a symbolic link at `path` leads to something in the folder. Only `..` at the start of a target are counted: one that
/// follows a name could lead out through another link.
pub fn stays_inside(path: &[u8], target: &[u8]) -> bool {
    let depth = path.iter().filter(|byte| **byte == b'/').count();
    let mut names = target.split(|byte| *byte == b'/');
    let ups = names.by_ref().take_while(|name| *name == b"..").count();
    let rest = target.split(|byte| *byte == b'/').skip(ups);
    !target.starts_with(b"/") && ups <= depth && rest.into_iter().all(|name| name != b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_outside_are_known() {
        for (path, target) in
            [("a", "b"), ("a/b", "../c"), ("a/b/c", "../../d/e"), ("a", "./b"), ("a/b", ".."), ("a/b", "../")]
        {
            assert!(stays_inside(path.as_bytes(), target.as_bytes()), "{path} {target}");
        }
        for (path, target) in [
            ("a", "/etc"),
            ("a", ".."),
            ("a/b", "../../c"),
            ("a", "b/../../c"),
            ("a/b", "c/.."),
            ("a", "./../b"),
            ("a", "/"),
        ] {
            assert!(!stays_inside(path.as_bytes(), target.as_bytes()), "{path} {target}");
        }
    }
}

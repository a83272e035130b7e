//! Where extracted entries go. Every name is looked up in a directory that is held open, and no link is followed, so nothing is
//! written outside of the folder that the user named, whatever an archive or another process puts into it.

use super::links::identity;
use super::{attributes, show};
use crate::fault::Fault;
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, Uid};
use rustix::io::Errno;
use sealmark::archive::{Entry, Time};
use sealmark::{Existing, Output};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// The folder that takes the entries.
pub struct Root {
    folder: Arc<OwnedFd>,
    existing: Existing,
    restored: Restored,
}

/// Properties that entries get besides content, permissions and time.
#[derive(Clone, Copy)]
pub struct Restored {
    /// The numbers of their owner and group.
    pub owners: bool,
    /// The extended attributes of the name space `user`.
    pub attributes: bool,
}

/// Properties that an entry lacks although it was made, and why.
pub type Lacks = Vec<(String, io::Error)>;

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
    pub fn new(folder: &Path, existing: Existing, restored: Restored) -> Result<Self, Fault> {
        let make = || match rustix::fs::mkdir(folder, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
            Ok(()) | Err(Errno::EXIST) => rustix::fs::open(folder, DIRECTORY, Mode::empty()),
            Err(error) => Err(error),
        };
        let folder = make().map_err(|error| Fault::from(io::Error::from(error)).about(folder))?;
        LATEST.with_borrow_mut(|latest| *latest = None);
        Ok(Self { folder: Arc::new(folder), existing, restored })
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

    /// Permissions, time and the like, once nothing more is put into the directory and no link leads into it.
    pub fn finish_directory(&self, entry: &Entry) -> io::Result<Lacks> {
        let (parent, name) = self.parent(&entry.path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(&parent, name, flags, Mode::empty())?;
        let mut lacks = self.complete(&directory, entry);
        let mode = Mode::from_raw_mode((entry.mode & 0o777) as _);
        note_lack(&mut lacks, "its permissions", rustix::fs::fchmod(&directory, mode));
        Ok(lacks)
    }

    /// A new file; `fill` writes its content.
    pub fn make_file(
        &self,
        entry: &Entry,
        fill: impl FnOnce(&mut Output<'static>) -> sealmark::Result<()>,
    ) -> sealmark::Result<Lacks> {
        let (parent, name) = self.parent(&entry.path)?;
        let mut output = Output::create_in(&parent, name, entry.mode, self.existing)?;
        fill(&mut output)?;
        let lacks = output.file().map_or_else(Lacks::new, |file| self.complete(file, entry));
        output.commit().map(|()| lacks)
    }

    /// The time comes last. The caller sets permissions after all of it: they may forbid attributes.
    fn complete(&self, file: impl AsFd, entry: &Entry) -> Lacks {
        let mut lacks = Lacks::new();
        if self.restored.owners {
            let set = owner(entry).and_then(|(uid, gid)| rustix::fs::fchown(&file, Some(uid), Some(gid)));
            note_lack(&mut lacks, "its owner", set);
        }
        let attributes = entry.attributes.iter().filter(|(name, _)| attributes::is_of_user(name));
        for (name, value) in attributes.take_while(|_| self.restored.attributes) {
            if let Err(error) = attributes::set(&file, name, value) {
                lacks.push((format!("its attribute {}", show::quoted(name)), error));
            }
        }
        note_lack(&mut lacks, "its time", rustix::fs::futimens(&file, &times(entry.modified)));
        lacks
    }

    pub fn make_symbolic_link(&self, entry: &Entry, target: &[u8]) -> io::Result<Lacks> {
        let (parent, name) = self.parent(&entry.path)?;
        let target = OsStr::from_bytes(target);
        self.make_link(&parent, name, |name| {
            rustix::fs::symlinkat(target, &parent, name)?;
            let (mut lacks, not_followed) = (Lacks::new(), AtFlags::SYMLINK_NOFOLLOW);
            if self.restored.owners {
                let set = owner(entry).and_then(|(uid, gid)| {
                    rustix::fs::chownat(&parent, name, Some(uid), Some(gid), not_followed)
                });
                note_lack(&mut lacks, "its owner", set);
            }
            let set = rustix::fs::utimensat(&parent, name, &times(entry.modified), not_followed);
            note_lack(&mut lacks, "its time", set);
            Ok(lacks)
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
            self.make_link(&parent, name, |name| {
                rustix::fs::linkat(&from, first, &parent, name, AtFlags::empty())
            })?;
        }
        Ok(true)
    }

    /// `make` makes a link with the name that it gets. The file that has its name already stays until the link is made, because
    /// not every file system has links.
    fn make_link<T>(
        &self,
        parent: &OwnedFd,
        name: &OsStr,
        make: impl Fn(&OsStr) -> rustix::io::Result<T>,
    ) -> io::Result<T> {
        match make(name) {
            Err(Errno::EXIST) if self.existing == Existing::Replace => {
                Ok(Output::replace_in(parent, name, |temporary| Ok(make(temporary)?))?)
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
            io::Error::other(Fault::io(format!("{name} exists and is not a directory")))
        }
        error => error.into(),
    })
}

fn note_lack(lacks: &mut Lacks, what: &str, set: rustix::io::Result<()>) {
    if let Err(error) = set {
        lacks.push((what.to_owned(), error.into()));
    }
}

/// The largest number means "as it is" to the system.
fn owner(entry: &Entry) -> rustix::io::Result<(Uid, Gid)> {
    if entry.uid == u32::MAX || entry.gid == u32::MAX {
        return Err(Errno::INVAL);
    }
    Ok((Uid::from_raw(entry.uid), Gid::from_raw(entry.gid)))
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
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use sealmark::archive::Kind;

    /// Systems refuse times that their file systems cannot have.
    #[test]
    fn what_cannot_be_restored_is_lacking_and_the_rest_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let restored = Restored { owners: true, attributes: true };
        let root = Root::new(folder.path(), Existing::Refuse, restored).unwrap();
        let time = Time { seconds: 1, nanoseconds: 2_000_000_000 };
        let entry = |path: &str, kind| {
            let mut entry = Entry::new(path, kind, 0o750, time);
            entry.uid = u32::MAX;
            // No system takes a value of this length.
            entry.attributes = vec![(b"user.x".to_vec(), vec![0; 70_000]), (b"x".to_vec(), vec![0; 70_000])];
            entry
        };
        let lacking = |lacks: Lacks| lacks.into_iter().map(|(what, _)| what).collect::<Vec<_>>();
        let file = entry("file", Kind::File { size: 0 });
        let all = ["its owner", "its attribute \"user.x\"", "its time"];
        assert_eq!(lacking(root.make_file(&file, |_| Ok(())).unwrap()), all);
        let link = entry("link", Kind::SymbolicLink { target: b"file".to_vec() });
        assert_eq!(lacking(root.make_symbolic_link(&link, b"file").unwrap()), ["its owner", "its time"]);
        let directory = entry("directory", Kind::Directory);
        assert!(root.make_directory(&directory.path).unwrap());
        assert_eq!(lacking(root.finish_directory(&directory).unwrap()), all);
        for name in ["file", "directory"] {
            let mode = std::fs::metadata(folder.path().join(name)).unwrap().permissions();
            assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o750, "{name}");
        }
        assert!(folder.path().join("link").is_symlink());
    }

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

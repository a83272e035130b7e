//! The order of an archive: directories first, then what is in them, by the bytes of their names.

use super::loaded::{self, Loaded};
use super::note::Note;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use sealmark::archive::MAX_PATH;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Something in a directory that is held open, so that a link in its place leads nowhere else.
pub struct Found {
    pub directory: Arc<OwnedFd>,
    pub path: Vec<u8>,
    pub file_type: FileType,
}

impl Found {
    /// The last name of its path.
    pub fn name(&self) -> &OsStr {
        let start = self.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        OsStr::from_bytes(&self.path[start..])
    }
}

/// An entry that a walk meets.
pub enum Step {
    /// A directory, or why there is none.
    Known(Box<Loaded>),
    /// To be read by somebody else.
    Found(Found),
}

/// Walks through a directory.
pub struct Walk {
    open: Vec<Level>,
    /// The directory itself, until it was given.
    first: Option<Loaded>,
}

struct Level {
    directory: Arc<OwnedFd>,
    path: Vec<u8>,
    names: Names,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Walk {
    /// In the archive, the directory is called `name`; without one, what is in it stands in the archive's root.
    pub fn new(root: &Path, name: &[u8]) -> io::Result<Self> {
        let directory = rustix::fs::open(root, DIRECTORY, Mode::empty())?;
        let first =
            (!name.is_empty()).then(|| loaded::directory(name.to_vec(), rustix::fs::fstat(&directory)));
        let names = Names::of(&directory)?;
        let level = Level { directory: Arc::new(directory), path: name.to_vec(), names };
        Ok(Self { open: vec![level], first })
    }

    fn enter(&mut self, found: &Found) -> Loaded {
        let opened = openat(&found.directory, found.name(), DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
        let read = opened.map_err(io::Error::from).and_then(|directory| {
            let names = Names::of(&directory)?;
            Ok((rustix::fs::fstat(&directory), directory, names))
        });
        match read {
            Ok((stat, directory, names)) => {
                self.open.push(Level { directory: Arc::new(directory), path: found.path.clone(), names });
                loaded::directory(found.path.clone(), stat)
            }
            Err(error) => {
                let stat = statat(&found.directory, found.name(), AtFlags::SYMLINK_NOFOLLOW);
                let mut loaded = loaded::directory(found.path.clone(), stat);
                loaded.notes.push(Note::Closed(error));
                loaded
            }
        }
    }
}

impl Iterator for Walk {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if let Some(first) = self.first.take() {
            return Some(Step::Known(Box::new(first)));
        }
        loop {
            let level = self.open.last_mut()?;
            let Some((name, file_type)) = level.names.next() else {
                self.open.pop();
                continue;
            };
            let path =
                if level.path.is_empty() { name.to_vec() } else { [&level.path[..], b"/", name].concat() };
            let mut found = Found { directory: level.directory.clone(), path, file_type };
            if found.path.len() > MAX_PATH {
                return Some(Step::Known(Box::new(Loaded::left_out(found.path, Note::TooLong))));
            }
            if found.file_type == FileType::Unknown
                && let Ok(stat) = statat(&found.directory, found.name(), AtFlags::SYMLINK_NOFOLLOW)
            {
                found.file_type = FileType::from_raw_mode(stat.st_mode);
            }
            return Some(match found.file_type {
                FileType::Directory => Step::Known(Box::new(self.enter(&found))),
                _ => Step::Found(found),
            });
        }
    }
}

/// The sorted names of one directory, all in one piece of memory: a directory may have a million.
struct Names {
    text: Vec<u8>,
    all: std::vec::IntoIter<Name>,
}

struct Name {
    start: u32,
    length: u8,
    file_type: FileType,
}

impl Names {
    fn of(directory: &OwnedFd) -> io::Result<Self> {
        let (mut text, mut all) = (Vec::new(), Vec::new());
        for entry in Dir::read_from(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let start =
                u32::try_from(text.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
            let length =
                u8::try_from(name.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidFilename))?;
            text.extend_from_slice(name);
            all.push(Name { start, length, file_type: entry.file_type() });
        }
        all.sort_unstable_by(|one, other| one.of(&text).cmp(other.of(&text)));
        Ok(Self { text, all: all.into_iter() })
    }

    fn next(&mut self) -> Option<(&[u8], FileType)> {
        let name = self.all.next()?;
        Some((name.of(&self.text), name.file_type))
    }
}

impl Name {
    fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..][..self.length.into()]
    }
}

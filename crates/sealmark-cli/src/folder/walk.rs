//! The order of an archive: directories first, then what is in them, by the bytes of their names.

use super::attributes;
use super::loaded::Loaded;
use super::note::Note;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};
use sealmark::archive::{Kind, MAX_NAME, MAX_PATH};
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
    /// True if its extended attributes are wanted.
    pub attributes: bool,
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
    attributes: bool,
}

struct Level {
    directory: Arc<OwnedFd>,
    path: Vec<u8>,
    names: Names,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Walk {
    /// In the archive, the directory is called `name`; without one, what is in it stands in the archive's root.
    pub fn new(root: &Path, name: &[u8], attributes: bool) -> io::Result<Self> {
        let directory = rustix::fs::open(root, DIRECTORY, Mode::empty())?;
        let stat = fstat(&directory)?;
        let mut first = (!name.is_empty()).then(|| Loaded::new(name.to_vec(), Kind::Directory, &stat));
        if let Some(first) = first.as_mut().filter(|_| attributes) {
            first.add_attributes(attributes::read(&directory));
        }
        let names = Names::of(&directory)?;
        let level = Level { directory: Arc::new(directory), path: name.to_vec(), names };
        Ok(Self { open: vec![level], first, attributes })
    }

    fn enter(&mut self, found: &Found) -> Loaded {
        let opened = openat(&found.directory, found.name(), DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
        let read = opened
            .map_err(io::Error::from)
            .and_then(|directory| Ok((fstat(&directory)?, Names::of(&directory)?, directory)));
        match read {
            Ok((stat, names, directory)) => {
                let mut loaded = Loaded::new(found.path.clone(), Kind::Directory, &stat);
                if self.attributes {
                    loaded.add_attributes(attributes::read(&directory));
                }
                self.open.push(Level { directory: Arc::new(directory), path: found.path.clone(), names });
                loaded
            }
            Err(error) => match statat(&found.directory, found.name(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => {
                    let mut loaded = Loaded::new(found.path.clone(), Kind::Directory, &stat);
                    loaded.notes.push(Note::Closed(error));
                    loaded
                }
                Err(_) => Loaded::left_out(found.path.clone(), Note::Unread(error)),
            },
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
            let attributes = self.attributes;
            let mut found = Found { directory: level.directory.clone(), path, file_type, attributes };
            if found.path.len() > MAX_PATH || found.name().len() > MAX_NAME {
                return Some(Step::Known(Box::new(Loaded::left_out(found.path, Note::TooLong))));
            }
            // Some file systems give names without types.
            if found.file_type == FileType::Unknown {
                match statat(&found.directory, found.name(), AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => found.file_type = FileType::from_raw_mode(stat.st_mode),
                    Err(error) => {
                        let left_out = Loaded::left_out(found.path, Note::Unread(error.into()));
                        return Some(Step::Known(Box::new(left_out)));
                    }
                }
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
    length: u16,
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
                u16::try_from(name.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidFilename))?;
            text.extend_from_slice(name);
            all.push(Name { start, length, file_type: entry.file_type() });
        }
        Ok(Self::sorted(text, all))
    }

    /// Where a directory changes while it is read, some file systems give a name twice.
    fn sorted(text: Vec<u8>, mut all: Vec<Name>) -> Self {
        all.sort_unstable_by(|one, other| one.of(&text).cmp(other.of(&text)));
        all.dedup_by(|one, other| one.of(&text) == other.of(&text));
        Self { text, all: all.into_iter() }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use std::fs;

    #[test]
    fn a_name_that_is_given_twice_is_one_entry() {
        let name = |start, length| Name { start, length, file_type: FileType::Unknown };
        let mut names = Names::sorted(b"bab".to_vec(), vec![name(0, 1), name(1, 1), name(2, 1), name(0, 2)]);
        for expected in [&b"a"[..], b"b", b"ba"] {
            assert_eq!(names.next().unwrap().0, expected);
        }
        assert!(names.next().is_none());
    }

    #[test]
    fn a_name_that_is_too_long_is_left_out_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut walk = Walk::new(folder.path(), b"", false).unwrap();
        let name = |length| Name { start: 0, length, file_type: FileType::RegularFile };
        walk.open[0].names = Names::sorted(vec![b'x'; 256], vec![name(255), name(256)]);
        assert!(matches!(walk.next(), Some(Step::Found(found)) if found.name().len() == 255));
        let Some(Step::Known(left_out)) = walk.next() else { panic!("the long name is missing or a file") };
        assert!(left_out.entry.is_none() && matches!(left_out.notes[..], [Note::TooLong]));
        assert!(walk.next().is_none());
    }

    #[test]
    fn an_entry_whose_type_cannot_be_found_out_is_unread() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("gone"), b"").unwrap();
        fs::create_dir(folder.path().join("here")).unwrap();
        let mut walk = Walk::new(folder.path(), b"d", false).unwrap();
        walk.open[0].names.all.as_mut_slice().iter_mut().for_each(|name| name.file_type = FileType::Unknown);
        fs::remove_file(folder.path().join("gone")).unwrap();
        let mut next = || match walk.next().unwrap() {
            Step::Known(loaded) => (loaded.path, loaded.entry.map(|entry| entry.kind), loaded.notes),
            Step::Found(found) => panic!("{:?} is left to somebody else", found.name()),
        };
        assert!(matches!(next(), (path, Some(Kind::Directory), notes) if path == b"d" && notes.is_empty()));
        assert!(
            matches!(next(), (path, None, notes) if path == b"d/gone" && matches!(notes[..], [Note::Unread(_)]))
        );
        assert!(
            matches!(next(), (path, Some(Kind::Directory), notes) if path == b"d/here" && notes.is_empty())
        );
    }
}

//! Outputs: files that appear whole or not at all, and streams that are there already.

use crate::error::{Error, FileMisuse, Result};
use crate::input::Input;
use crate::run::retry;
use directory::{Directory, Found};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, IoSlice, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

mod directory;

/// The treatment of an output that exists already.
///
/// [`Job`](crate::Job) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Existing {
    /// Refuse it with [`FileMisuse::OutputExists`].
    #[default]
    Refuse,
    /// Replace it in one step, once the new content is whole and on the disk.
    Replace,
}

/// The output of a job: a new file, which has no name until [`Output::commit`], or a stream, which receives bytes at once.
///
/// If it is dropped before that, no file is left. Its directory is held open: the file stays in that directory, even if
/// somebody renames it or puts a link in its place.
///
/// [`Input`](crate::Input) has an example.
#[must_use = "without commit() there is no file"]
pub struct Output<'a> {
    kind: Kind<'a>,
    path: Option<PathBuf>,
}

enum Kind<'a> {
    New(NewFile),
    Stream(Box<dyn Write + Send + 'a>),
}

impl<'a> Output<'a> {
    /// Makes a file in the directory of `target`, or opens the pipe, terminal or other device that is there.
    ///
    /// The umask and the directory determine who can read the new file. If it replaces a file, only those who could read
    /// the old one can read it. The user of the process owns it. An access control list of the old file is not copied: only
    /// the owner can then read the new file.
    pub fn create(target: impl AsRef<Path>, existing: Existing) -> Result<Self> {
        Self::create_for(Readers::Umask, target.as_ref(), existing)
    }

    /// Makes an output for the new form of `input`: where that is the file it replaces, owner, permissions and access control
    /// list stay.
    pub(crate) fn create_like(input: &Input, target: &Path, existing: Existing) -> Result<Self> {
        let readers = match input.file() {
            Some(file) => Readers::Of(file.try_clone()?),
            None => Readers::Umask,
        };
        Self::create_for(readers, target, existing)
    }

    /// A new file for a secret: only its owner can read it, from its creation on, and it is on the disk, with its name,
    /// when [`Output::commit`] returns.
    pub fn create_private(target: impl AsRef<Path>, existing: Existing) -> Result<Self> {
        let target = target.as_ref();
        Self::named(target, || Ok(Kind::New(NewFile::create(Readers::Owner, target, existing)?)))
    }

    /// Makes a file named `name` in an open directory, with exactly these permissions from the moment it has its name. Only
    /// the lowest nine bits of `mode` count: the file gets no set-user-ID, set-group-ID or sticky bit.
    pub fn create_in(directory: impl AsFd, name: &OsStr, mode: u32, existing: Existing) -> Result<Self> {
        let directory = Arc::new(Directory::open_as(directory).map_err(Error::output)?);
        let readers = Readers::Exactly(Permissions::from_mode(mode & 0o777));
        let new = NewFile::create_there(directory, readers, name.into(), name.into(), existing)?;
        Ok(Self { kind: Kind::New(new), path: Some(name.into()) })
    }

    /// Puts a link in the place of the file `name` in an open directory. `make` makes it under a temporary name, which then takes
    /// the place of the old file in one step. A process that is killed before that step leaves the temporary name behind.
    ///
    /// # Errors
    /// [`Error::Write`] if the link cannot be made or take that place: the old file stays as it was.
    pub fn replace_in<T>(
        directory: impl AsFd,
        name: &OsStr,
        make: impl FnOnce(&OsStr) -> io::Result<T>,
    ) -> Result<T> {
        let replace = || -> io::Result<T> {
            let directory = Arc::new(Directory::open_as(directory)?);
            let temporary = Temporary::new(&directory);
            let made = make(&temporary.name)?;
            directory.rename(&temporary.name, name)?;
            Ok(made)
        };
        replace().map_err(Error::output)
    }

    /// An output over an open stream.
    pub fn stream(writer: impl Write + Send + 'a) -> Self {
        Self { kind: Kind::Stream(Box::new(writer)), path: None }
    }

    fn create_for(readers: Readers, target: &Path, existing: Existing) -> Result<Self> {
        Self::named(target, || match existing_stream(target)? {
            Some(file) => Ok(Kind::Stream(Box::new(file))),
            None => Ok(Kind::New(NewFile::create(readers, target, existing)?)),
        })
    }

    fn named(target: &Path, make: impl FnOnce() -> Result<Kind<'a>>) -> Result<Self> {
        let kind = make().map_err(|error| error.between(None, Some(target)))?;
        Ok(Self { kind, path: Some(target.into()) })
    }

    /// Gives a new file its name; flushes a stream.
    pub fn commit(self) -> Result<()> {
        let committed = match self.kind {
            Kind::New(file) => file.commit(),
            Kind::Stream(mut stream) => retry(|| stream.flush()).map_err(Error::output),
        };
        committed.map_err(|error| error.between(None, self.path.as_deref()))
    }

    /// Its name, where it was made by one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Removes the temporary files of all outputs in this process, which cannot be committed afterwards. Signal handlers may
    /// call it: it allocates nothing and waits for nothing.
    ///
    /// Returns false, and removes nothing, if a thread is making or dropping an output at this moment. That thread will
    /// soon be done, so call it again; but not for ever, because it may be the thread that the signal interrupted.
    #[must_use = "nothing may have been removed"]
    pub fn abandon_all() -> bool {
        let temporaries = match TEMPORARIES.try_lock() {
            Ok(temporaries) => temporaries,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        for (directory, name) in &*temporaries {
            let _gone_or_never_there = directory.remove(name);
        }
        true
    }

    /// True if it is a stream, which receives bytes at once.
    pub fn is_stream(&self) -> bool {
        self.file().is_none()
    }

    /// A file that may be written anywhere, by several threads.
    pub fn file(&self) -> Option<&File> {
        match &self.kind {
            Kind::New(new) => Some(&new.file),
            Kind::Stream(_) => None,
        }
    }
}

impl fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::New(new) => new.file.write(bytes),
            Kind::Stream(stream) => stream.write(bytes),
        }
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::New(new) => new.file.write_vectored(parts),
            Kind::Stream(stream) => stream.write_vectored(parts),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::New(_) => Ok(()),
            Kind::Stream(stream) => stream.flush(),
        }
    }
}

/// Sets the length of a new file and reserves the space, so that a full disk is known before the work is done. A
/// file of one write reserves nothing: the call would cost more than the write.
pub(crate) fn reserve(file: &File, bytes: u64) -> Result<()> {
    const ONE_WRITE: u64 = 64 * 1024;
    match bytes {
        0..ONE_WRITE => Ok(()),
        _ => retry(|| directory::reserve(file, bytes)).map_err(Error::output),
    }
}

/// The thing at `path` where that is no file, but a pipe, a terminal or the like. Nothing where a regular file has taken
/// the name since it was looked at: that is kept or replaced as any other, and never written into.
fn existing_stream(path: &Path) -> Result<Option<File>> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => open_stream(path),
        _ => Ok(None),
    }
}

fn open_stream(path: &Path) -> Result<Option<File>> {
    let file = File::options().write(true).open(path).map_err(Error::output)?;
    let regular = file.metadata().map_err(Error::output)?.is_file();
    Ok((!regular).then_some(file))
}

const MOST_TRIES: usize = 16;

/// The readers of a new file.
enum Readers {
    /// Everybody whom the caller's umask admits.
    Umask,
    Owner,
    /// Everybody whom these permissions admit.
    Exactly(Permissions),
    /// The readers of this file, where it is the one to be replaced.
    Of(File),
}

struct NewFile {
    file: File,
    directory: Arc<Directory>,
    /// The path as the caller named it.
    target: PathBuf,
    name: OsString,
    existing: Existing,
    readers: Readers,
    /// Where the system has no unnamed files, and for a moment where a file is replaced.
    temporary: Option<Temporary>,
    /// The permissions that the umask admits. A temporary file does not have them yet.
    admitted: Permissions,
}

/// A name in the directory of a new file, removed on drop.
struct Temporary {
    directory: Arc<Directory>,
    name: OsString,
}

/// All that there are.
static TEMPORARIES: Mutex<Vec<(Arc<Directory>, OsString)>> = Mutex::new(Vec::new());

fn temporaries() -> MutexGuard<'static, Vec<(Arc<Directory>, OsString)>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Temporary {
    /// Nothing has the name yet.
    fn new(directory: &Arc<Directory>) -> Self {
        // Without the target's own name, which may be as long already as a name may be.
        let random = crate::aead::random::<8>().unwrap_or_default();
        let name = OsString::from(format!(".{:016x}.sealmark", u64::from_ne_bytes(random)));
        temporaries().push((directory.clone(), name.clone()));
        Self { directory: directory.clone(), name }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _gone_or_never_there = self.directory.remove(&self.name);
        temporaries().retain(|(_, name)| *name != self.name);
    }
}

impl NewFile {
    fn create(readers: Readers, target: &Path, existing: Existing) -> Result<Self> {
        let followed = followed(target, existing).map_err(Error::output)?;
        let not_a_file = || Error::from(FileMisuse::NotAFile(target.into()));
        let name = followed.file_name().filter(|_| !ends_with_separator(target)).ok_or_else(not_a_file)?;
        let directory = Arc::new(Directory::of(&followed).map_err(Error::output)?);
        let name = name.to_owned();
        Self::create_there(directory, readers, followed, name, existing).map_err(|error| match error {
            // The user knows the name as it was typed.
            Error::File(FileMisuse::NotAFile(_)) => not_a_file(),
            Error::File(FileMisuse::OutputExists(_)) => FileMisuse::OutputExists(target.into()).into(),
            error => error,
        })
    }

    fn create_there(
        directory: Arc<Directory>,
        readers: Readers,
        target: PathBuf,
        name: OsString,
        existing: Existing,
    ) -> Result<Self> {
        match directory.find(&name).map_err(Error::output)? {
            Some(found) if found.is_directory() => return Err(FileMisuse::NotAFile(target).into()),
            Some(_) if existing == Existing::Refuse => {
                return Err(FileMisuse::OutputExists(target).into());
            }
            _ => {}
        }
        Self::create_new(directory, readers, target, name, existing).map_err(Error::output)
    }

    fn create_new(
        directory: Arc<Directory>,
        readers: Readers,
        target: PathBuf,
        name: OsString,
        existing: Existing,
    ) -> io::Result<Self> {
        let private = matches!(readers, Readers::Owner | Readers::Exactly(_));
        let (file, temporary, admitted) = match directory.create_unnamed(private)? {
            Some(file) => {
                let admitted = file.metadata()?.permissions();
                (file, None, admitted)
            }
            None => {
                let temporary = Temporary::new(&directory);
                let admitted = directory.permissions_of_new(&temporary.name, private)?;
                (directory.create(&temporary.name)?, Some(temporary), admitted)
            }
        };
        let admitted = if let Readers::Exactly(mode) = &readers { mode.clone() } else { admitted };
        Ok(Self { file, directory, target, name, existing, readers, temporary, admitted })
    }

    fn commit(mut self) -> Result<()> {
        let private = matches!(self.readers, Readers::Owner);
        if private {
            self.file.sync_all().map_err(Error::output)?;
        }
        self.take_name()?;
        if private { self.directory.sync().map_err(Error::output) } else { Ok(()) }
    }

    fn take_name(&mut self) -> Result<()> {
        // Others may take the name and give it back between our look and our try, but not for ever.
        for _ in 0..MOST_TRIES {
            if self.existing == Existing::Replace
                && let Some(old) = self.directory.find(&self.name).map_err(Error::output)?
            {
                return self.replace(&old).map_err(Error::output);
            }
            match self.take_new_name() {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(Error::output(error));
                }
                Err(_) if self.existing == Existing::Refuse => {
                    return Err(FileMisuse::OutputExists(self.target.clone()).into());
                }
                Err(_) => {}
                Ok(()) => return Ok(()),
            }
        }
        Err(Error::output(io::Error::from(io::ErrorKind::AlreadyExists)))
    }

    fn take_new_name(&self) -> io::Result<()> {
        if matches!(self.readers, Readers::Exactly(_)) {
            self.file.set_permissions(self.admitted.clone())?;
        }
        match &self.temporary {
            None => self.directory.name(&self.file, &self.name),
            Some(temporary) => {
                self.file.set_permissions(self.admitted.clone())?;
                self.directory.name_anew(&temporary.name, &self.name)
            }
        }
    }

    /// A process that is killed between link and rename leaves the temporary name behind; the target has the old or the
    /// new content all the same.
    fn replace(&mut self, old: &Found) -> io::Result<()> {
        self.take_over_readers(old)?;
        // The old content must not go before the new is safe.
        self.file.sync_all()?;
        if self.temporary.is_none() {
            let temporary = Temporary::new(&self.directory);
            self.directory.name(&self.file, &temporary.name)?;
            self.temporary = Some(temporary);
        }
        match &self.temporary {
            Some(temporary) => self.directory.rename(&temporary.name, &self.name),
            None => Ok(()),
        }
    }

    fn take_over_readers(&self, old: &Found) -> io::Result<()> {
        let readers = match &self.readers {
            Readers::Owner => return Ok(()),
            Readers::Exactly(mode) => mode.clone(),
            Readers::Of(file) if old.is(file)? => return directory::take_over_all(&self.file, file),
            _ => old.readers(&self.file, &self.admitted)?,
        };
        directory::remove_access_list(&self.file)?;
        self.file.set_permissions(readers)
    }
}

/// To replace a link is to replace what it leads to: else the old content would live on there unnoticed, and
/// `/dev/stdout` would become a file. A link that the system refuses to follow is not followed by us either.
fn followed(target: &Path, existing: Existing) -> io::Result<PathBuf> {
    if existing == Existing::Refuse || !target.is_symlink() {
        return Ok(target.into());
    }
    match fs::metadata(target) {
        Ok(_) => fs::canonicalize(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(target.into()),
        Err(error) => Err(error),
    }
}

fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|byte| std::path::is_separator((*byte).into()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    /// Between the look and the opening nothing can step in here, so only the opening is tried.
    #[test]
    fn a_file_in_the_place_of_a_stream_is_not_written_into() {
        let directory = tempfile::tempdir().unwrap();
        let swapped = directory.path().join("swapped");
        fs::write(&swapped, "theirs").unwrap();
        assert!(open_stream(&swapped).unwrap().is_none());
        assert!(open_stream(Path::new("/dev/null")).unwrap().is_some());
    }

    #[test]
    fn a_link_that_fails_leaves_what_it_would_replace() {
        let workspace = tempfile::tempdir().unwrap();
        let (path, directory) = (workspace.path().join("name"), File::open(workspace.path()).unwrap());
        let link = |name: &OsStr| std::os::unix::fs::symlink("target", workspace.path().join(name));
        let fail = |name: &OsStr| link(name).and(Err(io::ErrorKind::PermissionDenied.into()));
        let count = || fs::read_dir(workspace.path()).unwrap().count();
        fs::write(&path, "old").unwrap();
        for make in [&fail as &dyn Fn(&OsStr) -> io::Result<()>, &|_| Ok(())] {
            let failed = Output::replace_in(&directory, "name".as_ref(), make);
            assert!(matches!(failed, Err(Error::Write { path: None, .. })), "{failed:?}");
            assert_eq!((fs::read(&path).unwrap(), count()), (b"old".to_vec(), 1));
        }
        Output::replace_in(&directory, "name".as_ref(), link).unwrap();
        assert_eq!((fs::read_link(&path).unwrap(), count()), ("target".into(), 1));
    }

    #[test]
    fn temporary_files_are_abandoned_or_the_caller_learns_that_they_were_not() {
        let workspace = tempfile::tempdir().unwrap();
        let directory = Arc::new(Directory::of(&workspace.path().join("target")).unwrap());
        let temporary = Temporary::new(&directory);
        directory.create(&temporary.name).unwrap();
        let path = workspace.path().join(&temporary.name);
        let held = temporaries();
        assert!(!Output::abandon_all());
        assert!(path.exists());
        drop(held);
        assert!(Output::abandon_all());
        assert!(!path.exists());
    }
}

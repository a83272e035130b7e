//! Output files that appear whole or not at all.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use crate::error::{Error, Misuse, Result};

/// What to do where the output exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Refuse.
    #[default]
    Keep,
    /// Replace it in one step, once the new content is whole and on the disk.
    Replace,
}

/// A file that has no name until [`Output::commit`]. Dropped before, it leaves nothing.
///
/// [`seal_file`](crate::seal_file) and its like use it by themselves; it is here for what they do not cover, such as
/// a stream that goes into a file.
pub struct Output {
    pub(crate) file: File,
    target: PathBuf,
    existing: Existing,
    readers: Readers,
    /// Where the system has no unnamed files: the name beside the target, removed on drop.
    temporary: Option<Temporary>,
}

impl Output {
    /// Checks the target and makes the file in its directory.
    pub fn create(target: &Path, existing: Existing) -> Result<Self> {
        Self::create_for(Readers::Umask, target, existing)
    }

    /// The same for a secret: nobody but its owner can read the file, from its first moment on.
    pub fn create_private(target: &Path, existing: Existing) -> Result<Self> {
        Self::create_for(Readers::Owner, target, existing)
    }

    /// What [`Output::create`] would refuse, found before the work that has to come before it.
    pub(crate) fn check(target: &Path, existing: Existing) -> Result<()> {
        let target = followed(target, existing)?;
        check_target(&target, existing)?;
        fs::metadata(directory_of(&target)).map(drop).map_err(Error::output)
    }

    fn create_for(readers: Readers, target: &Path, existing: Existing) -> Result<Self> {
        let target = followed(target, existing)?;
        check_target(&target, existing)?;
        Self::create_unnamed(readers, target, existing).map_err(Error::output)
    }

    fn create_unnamed(readers: Readers, target: PathBuf, existing: Existing) -> io::Result<Self> {
        let (file, temporary) = match unnamed::create(directory_of(&target), readers)? {
            Some(file) => (file, None),
            None => Temporary::beside(&target, readers)?,
        };
        Ok(Self { file, target, existing, readers, temporary })
    }

    /// Where to write the content.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Sets the length and reserves the space, so that a full disk is known before the work is done. What takes one
    /// write reserves nothing: the call would cost more than it.
    pub fn reserve(&self, bytes: u64) -> io::Result<()> {
        const ONE_WRITE: u64 = 64 * 1024;
        match bytes {
            0..ONE_WRITE => Ok(()),
            _ => unnamed::reserve(&self.file, bytes),
        }
    }

    /// Gives the file its name.
    pub fn commit(mut self) -> Result<()> {
        if let Some(temporary) = &self.temporary {
            temporary.give_permissions(&self.file).map_err(Error::output)?;
        }
        if self.existing == Existing::Replace && self.target.symlink_metadata().is_ok() {
            return self.replace().map_err(Error::output);
        }
        let linked = match &self.temporary {
            None => unnamed::link(&self.file, &self.target),
            Some(temporary) => give_name(&temporary.path, &self.target),
        };
        match (linked, self.existing) {
            (Err(error), Existing::Keep) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Misuse::OutputExists(self.target.clone()).into())
            }
            // It appeared since we looked.
            (Err(error), Existing::Replace) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.replace().map_err(Error::output)
            }
            (other, _) => other.map_err(Error::output),
        }
    }

    fn replace(&mut self) -> io::Result<()> {
        self.take_over_readers()?;
        // The old content must not go before the new is safe.
        self.file.sync_all()?;
        match &self.temporary {
            // Its name is gone then, and there is nothing for its drop to remove.
            Some(temporary) => fs::rename(&temporary.path, &self.target)?,
            None => unnamed::replace(&self.file, &self.target, &temporary_name(&self.target))?,
        }
        Ok(())
    }

    /// Who could not read the old content may not read the new, and who owned it keeps it, where we may give it to
    /// them. A secret stays its owner's, whatever it replaces. Access control lists are not carried over.
    fn take_over_readers(&self) -> io::Result<()> {
        match (self.readers, fs::metadata(&self.target)) {
            (Readers::Umask, Ok(old)) => take_over(&self.file, &old),
            _ => Ok(()),
        }
    }
}

#[cfg(unix)]
fn take_over(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let owned = fchown(file, Some(old.uid()), Some(old.gid())).is_ok();
    let grouped = owned || fchown(file, None, Some(old.gid())).is_ok();
    // What a group might do, another group may not.
    let mask = if grouped { 0o777 } else { 0o707 };
    file.set_permissions(fs::Permissions::from_mode(old.mode() & mask))
}

#[cfg(not(unix))]
fn take_over(file: &File, old: &fs::Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Who may read a new file.
#[derive(Clone, Copy)]
enum Readers {
    /// Whoever the caller's umask admits.
    Umask,
    Owner,
}

impl Readers {
    #[cfg(unix)]
    fn mode(self) -> u32 {
        match self {
            Self::Umask => 0o666,
            Self::Owner => 0o600,
        }
    }
}

/// To replace a link is to replace what it leads to: else the old content would live on there unnoticed, and
/// `/dev/stdout` would become a file. A link that the system refuses to follow is not followed by us either.
fn followed(target: &Path, existing: Existing) -> Result<PathBuf> {
    if existing == Existing::Keep || !target.is_symlink() {
        return Ok(target.into());
    }
    match fs::metadata(target) {
        Ok(_) => fs::canonicalize(target).map_err(Error::output),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(target.into()),
        Err(error) => Err(Error::output(error)),
    }
}

fn check_target(target: &Path, existing: Existing) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_dir() => Err(Misuse::NotAFile(target.into()).into()),
        Ok(_) if existing == Existing::Keep => Err(Misuse::OutputExists(target.into()).into()),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && target.file_name().is_some() => Ok(()),
        Err(error) => Err(Error::output(error)),
    }
}

fn directory_of(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Without the target's own name, which may be as long already as a name may be.
fn temporary_name(target: &Path) -> PathBuf {
    let random = crate::aead::random::<8>().unwrap_or_default();
    directory_of(target).join(format!(".{:016x}.sealmark", u64::from_ne_bytes(random)))
}

/// A name beside the target, for file systems without unnamed files; removed on drop.
struct Temporary {
    path: PathBuf,
    /// What the umask admits; until the file is whole it is its owner's alone.
    permissions: fs::Permissions,
}

impl Temporary {
    fn beside(target: &Path, readers: Readers) -> io::Result<(File, Option<Self>)> {
        let path = temporary_name(target);
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, readers.mode());
        #[cfg(not(unix))]
        let _directory_decides = readers;
        let file = options.open(&path)?;
        let temporary = Self { path, permissions: file.metadata()?.permissions() };
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        Ok((file, Some(temporary)))
    }

    fn give_permissions(&self, file: &File) -> io::Result<()> {
        file.set_permissions(self.permissions.clone())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _gone_or_never_there = fs::remove_file(&self.path);
    }
}

/// Names a file anew unless the name is taken. FAT has no links, so there the file is moved.
fn give_name(temporary: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, target) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => move_to_new(temporary, target),
        linked => linked,
    }
}

#[cfg(target_os = "linux")]
fn move_to_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Whoever takes the name between check and move loses what they wrote; no call of the standard library does both.
#[cfg(not(target_os = "linux"))]
fn move_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match to.symlink_metadata() {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

/// Linux: files without a name (O_TMPFILE), reserved with fallocate.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::{
        ffi::CString,
        fs::File,
        io,
        os::{fd::AsRawFd, unix::ffi::OsStrExt},
        path::Path,
    };

    use rustix::{
        fs::{AtFlags, CWD, FallocateFlags, Mode, OFlags},
        io::Errno,
    };

    use super::Readers;
    use crate::run::retry;

    /// `None` where the file system has no unnamed files, or where one could not be named later.
    pub fn create(directory: &Path, readers: Readers) -> io::Result<Option<File>> {
        if !Path::new("/proc/self/fd").exists() {
            return Ok(None);
        }
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match rustix::fs::openat(CWD, directory, flags, Mode::from_raw_mode(readers.mode())) {
            Ok(file) => Ok(Some(file.into())),
            // An old kernel takes the flag for an attempt to write a directory.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
        let reserved = retry(|| Ok(rustix::fs::fallocate(file, FallocateFlags::empty(), 0, bytes)?));
        match reserved {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => {
                file.set_len(bytes)
            }
            other => other,
        }
    }

    pub fn link(file: &File, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::linkat(CWD, link_source(file), CWD, target, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn link_source(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }

    /// Links the file as `temporary` and renames that over `target`.
    ///
    /// Linux cannot link over a name, so there is a moment between the two calls; a process killed in it would
    /// leave `temporary` behind. A child that shares nothing makes both calls: killing us, or our process group, does
    /// not stop it.
    #[allow(
        unsafe_code,
        reason = "a bare clone; the child makes a few system calls on memory prepared before"
    )]
    pub fn replace(file: &File, target: &Path, temporary: &Path) -> io::Result<()> {
        let source = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let (target, temporary) =
            (CString::new(target.as_os_str().as_bytes())?, CString::new(temporary.as_os_str().as_bytes())?);
        const NONE: libc::c_long = 0;
        // SAFETY: no flags, so the child is a copy with one thread; it calls only async-signal-safe functions
        // and ends in _exit. Without an exit signal the caller's SIGCHLD handling never hears of it.
        let child = unsafe { libc::syscall(libc::SYS_clone, NONE, NONE, NONE, NONE, NONE) } as libc::pid_t;
        match child {
            // No process to be had: better here, with that moment, than not at all.
            -1 => named(link_and_rename(&source, &temporary, &target)),
            // SAFETY: as above; out of reach of what is sent to our process group, such as a terminal's signals.
            0 => unsafe {
                libc::setsid();
                libc::_exit(link_and_rename(&source, &temporary, &target))
            },
            _ => wait_for(child),
        }
    }

    fn named(errno: i32) -> io::Result<()> {
        match errno {
            0 => Ok(()),
            errno => Err(io::Error::from_raw_os_error(errno)),
        }
    }

    /// The child's whole life. Returns an errno, or zero.
    #[allow(unsafe_code, reason = "system calls on prepared strings, nothing that allocates")]
    fn link_and_rename(source: &CString, temporary: &CString, target: &CString) -> i32 {
        const HERE: libc::c_int = libc::AT_FDCWD;
        // SAFETY: three pointers to strings that outlive the calls.
        unsafe {
            if libc::linkat(HERE, source.as_ptr(), HERE, temporary.as_ptr(), libc::AT_SYMLINK_FOLLOW) != 0 {
                return *libc::__errno_location();
            }
            if libc::rename(temporary.as_ptr(), target.as_ptr()) != 0 {
                let errno = *libc::__errno_location();
                libc::unlink(temporary.as_ptr());
                return errno;
            }
        }
        0
    }

    #[allow(unsafe_code, reason = "waitpid for a child without exit signal needs __WALL")]
    fn wait_for(child: libc::pid_t) -> io::Result<()> {
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        while unsafe { libc::waitpid(child, &raw mut status, libc::__WALL) } == -1 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        match libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)) {
            Some(errno) => named(errno),
            None => Err(io::Error::other("the process that names the output was killed")),
        }
    }
}

/// Elsewhere: a temporary name beside the target serves.
#[cfg(not(target_os = "linux"))]
mod unnamed {
    use std::{fs::File, io, path::Path};

    use super::Readers;

    pub fn create(_: &Path, _: Readers) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
        file.set_len(bytes)
    }

    pub fn link(_: &File, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn replace(_: &File, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

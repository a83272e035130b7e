//! Output files that appear whole or not at all.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use crate::error::{Misuse, Result};

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
    temporary: Option<PathBuf>,
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

    fn create_for(readers: Readers, target: &Path, existing: Existing) -> Result<Self> {
        let target = followed(target, existing);
        check_target(&target, existing)?;
        let (file, temporary) = match unnamed::create(directory_of(&target), readers)? {
            Some(file) => (file, None),
            None => named_beside(&target, readers)?,
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
        if self.existing == Existing::Replace && self.target.symlink_metadata().is_ok() {
            return self.replace();
        }
        let linked = match &self.temporary {
            None => unnamed::link(&self.file, &self.target),
            Some(temporary) => give_name(temporary, &self.target),
        };
        match linked {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match self.existing {
                Existing::Keep => Err(Misuse::OutputExists(self.target.clone()).into()),
                // It appeared since we looked.
                Existing::Replace => self.replace(),
            },
            other => Ok(other?),
        }
    }

    fn replace(&mut self) -> Result<()> {
        self.keep_permissions()?;
        // The old content must not go before the new is safe.
        self.file.sync_all()?;
        match &self.temporary {
            Some(temporary) => {
                fs::rename(temporary, &self.target)?;
                self.temporary = None;
            }
            None => unnamed::replace(&self.file, &self.target, &temporary_name(&self.target))?,
        }
        Ok(())
    }

    /// Who could not read the old content may not read the new. A secret stays its owner's, whatever it replaces.
    fn keep_permissions(&self) -> io::Result<()> {
        match (self.readers, fs::metadata(&self.target)) {
            (Readers::Umask, Ok(old)) => self.file.set_permissions(old.permissions()),
            _ => Ok(()),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _gone_or_never_there = fs::remove_file(temporary);
        }
    }
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
/// `/dev/stdout` would become a file.
fn followed(target: &Path, existing: Existing) -> PathBuf {
    match existing {
        Existing::Replace if target.is_symlink() => fs::canonicalize(target).unwrap_or(target.into()),
        _ => target.into(),
    }
}

fn check_target(target: &Path, existing: Existing) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_dir() => Err(Misuse::NotAFile(target.into()).into()),
        Ok(_) if existing == Existing::Keep => Err(Misuse::OutputExists(target.into()).into()),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && target.file_name().is_some() => Ok(()),
        Err(error) => Err(error.into()),
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

fn named_beside(target: &Path, readers: Readers) -> Result<(File, Option<PathBuf>)> {
    let temporary = temporary_name(target);
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, readers.mode());
    #[cfg(not(unix))]
    let _directory_decides = readers;
    let file = options.open(&temporary)?;
    Ok((file, Some(temporary)))
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
        match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => file.set_len(bytes),
            other => Ok(other?),
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
    /// leave `temporary` behind. A child that shares nothing makes both calls: killing us, or our process group, does not
    /// stop it.
    #[allow(
        unsafe_code,
        reason = "a bare clone; the child makes a few system calls on memory prepared before"
    )]
    pub fn replace(file: &File, target: &Path, temporary: &Path) -> io::Result<()> {
        let source = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let (target, temporary) =
            (CString::new(target.as_os_str().as_bytes())?, CString::new(temporary.as_os_str().as_bytes())?);
        // SAFETY: no flags, so the child is a copy with one thread; it calls only async-signal-safe functions
        // and ends in _exit. Without an exit signal the caller's SIGCHLD handling never hears of it.
        let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) } as libc::pid_t;
        match child {
            -1 => Err(io::Error::last_os_error()),
            // SAFETY: as above.
            0 => unsafe { libc::_exit(link_and_rename(&source, &temporary, &target)) },
            _ => wait_for(child),
        }
    }

    /// The child's whole life. Returns an errno, or zero.
    #[allow(unsafe_code, reason = "system calls on prepared strings, nothing that allocates")]
    fn link_and_rename(source: &CString, temporary: &CString, target: &CString) -> i32 {
        const HERE: libc::c_int = libc::AT_FDCWD;
        // SAFETY: three pointers to strings that outlive the calls.
        unsafe {
            // Out of reach of what is sent to our whole process group, such as kill -9 or a terminal's signals.
            libc::setsid();
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
            Some(0) => Ok(()),
            Some(errno) => Err(io::Error::from_raw_os_error(errno)),
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

//! The directory of a new file, held open: what happens to its name meanwhile leads the file nowhere else.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;
use std::sync::OnceLock;

/// To work in a directory takes no right to read it.
#[cfg(target_os = "linux")]
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

const OWNER: u32 = 0o600;

pub struct Directory(OwnedFd);

/// A file that was found under a name, held: whatever takes the name later is not asked.
pub struct Found {
    stat: Stat,
    #[cfg(target_os = "linux")]
    held: OwnedFd,
}

impl Directory {
    pub fn of(target: &Path) -> io::Result<Self> {
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        Ok(Self(rustix::fs::open(parent.unwrap_or(Path::new(".")), DIRECTORY, Mode::empty())?))
    }

    /// An open directory.
    pub fn open_as(directory: impl AsFd) -> io::Result<Self> {
        Ok(Self(directory.as_fd().try_clone_to_owned()?))
    }

    #[cfg(target_os = "linux")]
    pub fn find(&self, name: &OsStr) -> io::Result<Option<Found>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(held) => Ok(Some(Found { stat: rustix::fs::fstat(&held)?, held })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn find(&self, name: &OsStr) -> io::Result<Option<Found>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Found { stat })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// `None` where the file system has no unnamed files, or where one could not be named later.
    #[cfg(target_os = "linux")]
    pub fn create_unnamed(&self, private: bool) -> io::Result<Option<File>> {
        // Asked once: a folder has many files.
        static HAS_PROC: OnceLock<bool> = OnceLock::new();
        if !HAS_PROC.get_or_init(|| Path::new("/proc/self/fd").exists()) {
            return Ok(None);
        }
        match self.open(".", OFlags::TMPFILE, if private { OWNER } else { 0o666 }) {
            Ok(file) => Ok(Some(file)),
            // An old kernel takes the flag for an attempt to write a directory.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn create_unnamed(&self, _: bool) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Its owner's alone until it is whole.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        Ok(self.open(name, OFlags::CREATE | OFlags::EXCL, OWNER)?)
    }

    /// The permissions that a new file may have here, found with an empty one that is gone at once: whoever opened it
    /// reads nothing.
    pub fn permissions_of_new(&self, name: &OsStr, private: bool) -> io::Result<Permissions> {
        if private {
            return Ok(Permissions::from_mode(OWNER));
        }
        let probe = self.open(name, OFlags::CREATE | OFlags::EXCL, 0o666)?;
        self.remove(name)?;
        Ok(probe.metadata()?.permissions())
    }

    fn open(&self, name: impl rustix::path::Arg, how: OFlags, mode: u32) -> rustix::io::Result<File> {
        let flags = how | OFlags::RDWR | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, name, flags, Mode::from_bits_truncate(mode as _)).map(File::from)
    }

    /// Names an unnamed file.
    pub fn name(&self, file: &File, name: &OsStr) -> io::Result<()> {
        let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(rustix::fs::linkat(rustix::fs::CWD, unnamed, &self.0, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Names a file that has a name, unless the new one is taken. Where there are no links, as on FAT, it is moved.
    pub fn name_anew(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match rustix::fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()) {
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            Err(_) => self.move_to_new(from, to),
            Ok(()) => Ok(()),
        }
    }

    fn move_to_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(&self.0, from, &self.0, to, rustix::fs::RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS) => {}
            moved => return Ok(moved?),
        }
        // No call does both: the name is taken by an empty file of ours, which is replaced at once.
        drop(self.open(to, OFlags::CREATE | OFlags::EXCL, OWNER)?);
        self.rename(from, to).inspect_err(|_| drop(self.remove(to)))
    }

    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Puts the names in it on the disk. A directory that may not be read cannot be synced.
    pub fn sync(&self) -> io::Result<()> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.0, ".", flags, Mode::empty()) {
            Ok(directory) => Ok(rustix::fs::fsync(directory)?),
            Err(Errno::ACCESS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Found {
    pub fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Directory
    }

    /// True where it is this very file.
    pub fn is(&self, file: &File) -> io::Result<bool> {
        let file = rustix::fs::fstat(file)?;
        Ok((file.st_dev, file.st_ino) == (self.stat.st_dev, self.stat.st_ino))
    }

    /// The readers of what replaces this file: nobody who could not read it, and nobody whom `admitted` leaves out.
    /// A stranger who made the name does not get the content.
    #[allow(clippy::unnecessary_cast, reason = "a mode has 16 bits on some systems")]
    pub fn readers(&self, new: &File, admitted: &Permissions) -> io::Result<Permissions> {
        let (metadata, old) = (new.metadata()?, self.stat.st_mode as u32);
        let ours = metadata.uid() == self.stat.st_uid;
        let grouped =
            metadata.gid() == self.stat.st_gid || ours && fchown(new, None, Some(self.stat.st_gid)).is_ok();
        let mode = match (self.has_access_list(), grouped) {
            (true, _) => old & 0o700,
            (false, true) => old & 0o777,
            // A member of the group may be one of the others now.
            (false, false) => old & 0o700 | old & old >> 3 & 0o007,
        };
        Ok(Permissions::from_mode(mode & admitted.mode()))
    }

    /// A list that cannot be asked for may be there.
    #[cfg(target_os = "linux")]
    fn has_access_list(&self) -> bool {
        let held = format!("/proc/self/fd/{}", self.held.as_raw_fd());
        let asked = rustix::fs::getxattr(held, ACCESS_LIST, &mut [0u8; 0][..]);
        !matches!(asked, Err(Errno::NODATA | Errno::OPNOTSUPP))
    }

    #[cfg(not(target_os = "linux"))]
    fn has_access_list(&self) -> bool {
        false
    }
}

/// Gives `new` the owner, the permissions and the access control list of `old`, as far as we may.
pub fn take_over_all(new: &File, old: &File) -> io::Result<()> {
    let metadata = old.metadata()?;
    let owned = fchown(new, Some(metadata.uid()), Some(metadata.gid())).is_ok();
    let grouped = owned || fchown(new, None, Some(metadata.gid())).is_ok();
    remove_access_list(new)?;
    // Another group may not do what the old group might, nor what a list denied to some.
    let mask = if grouped { 0o777 } else { 0o700 };
    if grouped && copy_access_list(new, old)? {
        Ok(())
    } else {
        new.set_permissions(Permissions::from_mode(metadata.mode() & mask))
    }
}

#[cfg(target_os = "linux")]
const ACCESS_LIST: &str = "system.posix_acl_access";

/// The access list that a new file got from its directory's defaults.
#[cfg(target_os = "linux")]
pub fn remove_access_list(file: &File) -> io::Result<()> {
    match rustix::fs::fremovexattr(file, ACCESS_LIST) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// True where there was one to copy.
#[cfg(target_os = "linux")]
fn copy_access_list(to: &File, from: &File) -> io::Result<bool> {
    let mut list = vec![0; 64 << 10];
    let Ok(length) = rustix::fs::fgetxattr(from, ACCESS_LIST, &mut list[..]) else { return Ok(false) };
    rustix::fs::fsetxattr(to, ACCESS_LIST, &list[..length], rustix::fs::XattrFlags::empty())?;
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
pub fn remove_access_list(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn copy_access_list(_: &File, _: &File) -> io::Result<bool> {
    Ok(false)
}

#[cfg(target_os = "linux")]
pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => file.set_len(bytes),
        reserved => Ok(reserved?),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)
}

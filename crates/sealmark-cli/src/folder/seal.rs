//! Sealing a folder: entries in order, hard links recognised, and everything named that is not as it should be.

use super::links::{LINK_BYTES, identity, link_bytes};
use super::load::{Ahead, ahead};
use super::loaded::{Content, Loaded};
use super::note::Note;
use super::pieces::Pieces;
use super::show;
use super::walk::Walk;
use crate::fault::{Fault, plain};
use crate::say;
use rustix::fs::fstat;
use sealmark::archive::{Item, Kind, Time, seal_archive};
use sealmark::{Error, Job, Output, SealTo};
use std::collections::HashMap;
use std::io::{self, Cursor, IoSliceMut, Read};
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Seals the folder `root` into `output`, with all that can be read; the fault in the result says how much could not, and the
/// archive is there all the same. `old` is the file that has the output's name already. Besides `job`'s own threads, at most
/// `threads` read. `attributes` are extended ones.
pub fn seal(
    root: &Path,
    attributes: bool,
    output: Output<'_>,
    old: Option<(u64, u64)>,
    to: &SealTo,
    job: &Job<'_>,
    threads: Option<NonZeroUsize>,
) -> Result<Option<Fault>, Fault> {
    let walk = Walk::new(root, &name(root)?, attributes)?;
    // Where the system has no unnamed files, the new one has a temporary name.
    let new = output.file().map(fstat).transpose().map_err(io::Error::from)?;
    let own = [old, new.as_ref().map(identity)];
    let counts = Arc::new(Counts::default());
    thread::scope(|scope| {
        let items = Items {
            ahead: ahead(walk, threads, scope)?,
            links: Links::default(),
            own,
            counts: counts.clone(),
        };
        seal_archive(items, output, to, job, spill).map_err(fault)
    })?;
    Ok(counts.fault())
}

fn fault(error: Error) -> Fault {
    let is_of_index = matches!(error, Error::Spill { .. });
    let fault = Fault::from(error);
    if is_of_index {
        let directory = temporary_directory();
        fault.within(&format!("cannot use a temporary file for the index in {directory:?}")).named()
    } else {
        fault
    }
}

/// The name of a folder in its archive, as `tar` would have it: the last one of its path, and none for the root.
fn name(root: &Path) -> io::Result<Vec<u8>> {
    let last = |path: &Path| path.file_name().map(|name| name.to_owned().into_vec());
    Ok(last(root)
        .map_or_else(|| root.canonicalize().map(|path| last(&path)), |name| Ok(Some(name)))?
        .unwrap_or_default())
}

/// Where an index goes that is too long for memory, encrypted.
fn spill() -> io::Result<std::fs::File> {
    unnamed_file(&temporary_directory())
}

fn temporary_directory() -> PathBuf {
    std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from)
}

#[cfg(target_os = "linux")]
fn unnamed_file(directory: &Path) -> io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(directory, flags, Mode::RUSR | Mode::WUSR) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR) => removed_file(directory),
        opened => Ok(opened?.into()),
    }
}

#[cfg(not(target_os = "linux"))]
use removed_file as unnamed_file;

fn removed_file(directory: &Path) -> io::Result<std::fs::File> {
    let path = directory.join(format!(".{}.sealmark", std::process::id()));
    let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// Entries that the archive lacks, or has otherwise than they are.
#[derive(Default)]
struct Counts {
    unread: AtomicU64,
    changed: AtomicU64,
}

impl Counts {
    fn note(&self, path: &[u8], note: &Note) {
        let path = show::quoted(path);
        let (counted, text) = match note {
            Note::Unread(error) => {
                (Some(&self.unread), format!("{path} is not in the archive: {}", plain(error)))
            }
            Note::Closed(error) => {
                (Some(&self.unread), format!("the content of {path} is not in the archive: {}", plain(error)))
            }
            Note::Attributes(name, error) => {
                let what = name.as_ref().map_or_else(
                    || "extended attributes".to_owned(),
                    |name| format!("attribute {}", show::quoted(name)),
                );
                (Some(&self.unread), format!("{path} is in the archive without its {what}: {}", plain(error)))
            }
            Note::TooLong => (
                Some(&self.unread),
                format!(
                    "{path} is not in the archive: the path is longer than 4096 bytes, or its name than 255"
                ),
            ),
            Note::Beyond => (
                Some(&self.unread),
                format!(
                    "{path} is not in the archive: a file can have at most 2^52 bytes, and the target of a link 4096"
                ),
            ),
            Note::Changed => (
                Some(&self.changed),
                format!("{path} changed while it was read: its content in the archive may be mixed"),
            ),
            Note::Distant => (
                None,
                format!(
                    "{path} has a time more than 2^62 seconds from 1970: the archive has the nearest time that it can contain"
                ),
            ),
            Note::Own => (None, format!("{path} is not in the archive: it is the output")),
            Note::Special => {
                (None, format!("{path} is not in the archive: it is a pipe, a socket or a device"))
            }
        };
        if let Some(count) = counted {
            count.fetch_add(1, Ordering::Relaxed);
        }
        say::note(&text);
    }

    /// A large file whose entry was written before it was read.
    fn cut(&self, path: &[u8], note: &Note) {
        let Note::Unread(error) = note else { return self.note(path, note) };
        self.unread.fetch_add(1, Ordering::Relaxed);
        let path = show::quoted(path);
        say::note(&format!("{path} ends in zeros in the archive: {}", plain(error)));
    }

    fn fault(&self) -> Option<Fault> {
        let (unread, changed) = (self.unread.load(Ordering::Relaxed), self.changed.load(Ordering::Relaxed));
        let fault = match (unread, changed) {
            (0, 0) => return None,
            (_, 0) => format!("{} could not be read", say::many(unread, "path")),
            (0, _) => format!("{} changed while being read", say::many(changed, "path")),
            _ => format!(
                "{} could not be read, and {} changed while being read",
                say::many(unread, "path"),
                say::many(changed, "path")
            ),
        };
        Some(Fault::io(format!("{fault}; all others are in the archive")).hint("see the notes above"))
    }
}

/// The items of an archive.
struct Items {
    ahead: Ahead,
    links: Links,
    /// The output, which would grow for ever if it were read.
    own: [Option<(u64, u64)>; 2],
    counts: Arc<Counts>,
}

/// The first path of each file with several names, and the state that it had then.
#[derive(Default)]
struct Links {
    firsts: HashMap<(u64, u64), (Vec<u8>, Time, u64)>,
    bytes: usize,
}

impl Links {
    /// The path of the same file if it is in the archive already.
    fn first(&mut self, loaded: &Loaded) -> Option<Vec<u8>> {
        let (id, _) = loaded.id.filter(|(_, linked)| *linked)?;
        let entry = loaded.entry.as_ref()?;
        if let Some((first, modified, size)) = self.firsts.get(&id) {
            // Else the file has changed meanwhile, or a new one has the number of one that is gone.
            return (*modified == entry.modified && *size == entry.size()).then(|| first.clone());
        }
        self.bytes += link_bytes(&loaded.path);
        // Links of later files become files of their own.
        if self.bytes <= LINK_BYTES {
            self.firsts.insert(id, (loaded.path.clone(), entry.modified, entry.size()));
        }
        None
    }
}

impl Iterator for Items {
    type Item = sealmark::Result<Item<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let loaded = match self.ahead.next()? {
                Ok(loaded) => loaded,
                Err(error) => return Some(Err(error.into())),
            };
            // Before its other notes, because it changes all the time.
            if loaded.id.is_some_and(|(id, _)| self.own.contains(&Some(id))) {
                self.counts.note(&loaded.path, &Note::Own);
                continue;
            }
            loaded.notes.iter().for_each(|note| self.counts.note(&loaded.path, note));
            let first = self.links.first(&loaded);
            let Some(mut entry) = loaded.entry else { continue };
            if let Some(target) = first {
                entry.kind = Kind::HardLink { target };
                entry.attributes.clear();
                return Some(Ok(Item::new(entry, io::empty())));
            }
            return Some(Ok(match loaded.content {
                Content::None => Item::new(entry, io::empty()),
                Content::Whole(bytes) => Item::new(entry, Cursor::new(bytes)),
                Content::Open(file, before) => {
                    let pieces = Pieces::new(file, before, &entry);
                    let counts = self.counts.clone();
                    Item::new(entry, Watched { pieces, path: loaded.path, counts })
                }
            }));
        }
    }
}

/// The content of a large file. At its end it is known if the file changed.
struct Watched {
    pieces: Pieces,
    path: Vec<u8>,
    counts: Arc<Counts>,
}

impl Read for Watched {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(out)])
    }

    fn read_vectored(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let read = self.pieces.read_vectored(parts)?;
        if self.pieces.left() == 0
            && let Some(note) = self.pieces.fault()?
        {
            self.counts.cut(&self.path, &note);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealmark::archive::Entry;

    #[test]
    fn a_file_that_changed_is_no_link_to_what_it_was() {
        let loaded = |path: &str, size, nanoseconds| {
            let mut loaded = Loaded::left_out(path.into(), Note::Changed);
            let modified = Time { seconds: 1, nanoseconds };
            loaded.entry = Some(Entry::new(path, Kind::File { size }, 0o644, modified));
            loaded.id = Some(((1, 2), true));
            loaded
        };
        let mut links = Links::default();
        assert_eq!(links.first(&loaded("a", 5, 0)), None);
        assert_eq!(links.first(&loaded("b", 5, 0)), Some(b"a".to_vec()));
        assert_eq!(links.first(&loaded("c", 6, 0)), None);
        assert_eq!(links.first(&loaded("d", 5, 1)), None);
    }
}

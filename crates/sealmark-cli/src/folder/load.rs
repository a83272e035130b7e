//! Reading files ahead of the encryption: several threads open small files and read them whole, in any order, and one thread
//! takes them in the order of the archive.

use super::attributes;
use super::links::identity;
use super::loaded::{Content, Loaded};
use super::note::Note;
use super::pieces::Pieces;
use super::walk::{Found, Step, Walk};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, SeekFrom, Stat, fstat, openat, readlinkat, seek, statat};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};
use sealmark::archive::{Kind, MAX_PATH, MAX_PIECES};
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};
use zeroize::Zeroizing;

/// Entries that one thread reads at once.
const BATCH: usize = 32;
/// More threads than this only queue for the file system.
const MOST_READERS: usize = 4;
/// Batches that wait for the encryption.
const AHEAD: usize = 8;
/// Batches that are read or wait, or whose entries are taken.
const BATCHES: usize = AHEAD + MOST_READERS + 2;
/// Open files at most, about: the directories of the longest path, and a file and a directory for each entry.
const OPEN_FILES: u64 = (MAX_PATH / 2 + 2 * BATCH * BATCHES) as u64;
/// Bytes that a batch holds in memory, and as many for maps of sparse files. Files beyond stay open and are read when their
/// turn comes.
const BATCH_BYTES: u64 = 512 << 10;
/// A smaller file with holes is stored whole.
const SPARSE: u64 = 64 << 10;

/// Walks and reads on threads of `scope`. The result gives all entries in order; dropping it ends the threads.
pub fn ahead<'scope>(
    walk: Walk,
    most_readers: Option<NonZeroUsize>,
    scope: &'scope Scope<'scope, '_>,
) -> io::Result<Ahead> {
    let files = (allow_open_files() as usize / BATCHES / 4).min(BATCH);
    // Each entry may hold a directory of its own open.
    let most = files.max(1);
    let (work, works) = sync_channel::<Batch>(AHEAD);
    let (order, ordered) = sync_channel(AHEAD);
    let works = Arc::new(Mutex::new(works));
    let readers = most_readers.map_or_else(std::thread::available_parallelism, Ok);
    for _ in 0..readers.map_or(1, NonZeroUsize::get).min(MOST_READERS) {
        let works = works.clone();
        Builder::new().spawn_scoped(scope, move || read_batches(&works, files))?;
    }
    Builder::new().spawn_scoped(scope, move || hand_out(walk, most, &work, &order))?;
    Ok(Ahead { ordered, current: Vec::new().into_iter() })
}

/// Raises the limit of open files, which is mostly 256 or 1,024, as far as the system allows it and no further than is useful.
fn allow_open_files() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < OPEN_FILES) {
        limit.current = Some(limit.maximum.map_or(OPEN_FILES, |most| most.min(OPEN_FILES)));
        let _less_is_allowed = setrlimit(Resource::Nofile, limit);
    }
    getrlimit(Resource::Nofile).current.unwrap_or(OPEN_FILES).min(OPEN_FILES)
}

struct Batch {
    steps: Vec<Step>,
    done: SyncSender<Vec<Step>>,
}

/// The part of a batch that may still be held until its turn comes.
struct Room {
    bytes: u64,
    /// For the maps of sparse files.
    maps: usize,
    files: usize,
}

impl Room {
    /// For an entry whose turn has come.
    fn for_one() -> Self {
        Self { bytes: 0, maps: usize::MAX, files: 1 }
    }
}

/// The entries that were read, in order.
pub struct Ahead {
    ordered: Receiver<Receiver<Vec<Step>>>,
    current: std::vec::IntoIter<Step>,
}

impl Iterator for Ahead {
    type Item = io::Result<Loaded>;

    fn next(&mut self) -> Option<io::Result<Loaded>> {
        loop {
            match self.current.next() {
                Some(Step::Known(loaded)) => return Some(Ok(*loaded)),
                Some(Step::Found(found)) => {
                    let loaded = load(&found, &mut Room::for_one());
                    return Some(Ok(loaded.unwrap_or_else(|error| unread(&found, error))));
                }
                None => {}
            }
            match self.ordered.recv().and_then(|batch| batch.recv()) {
                Ok(batch) if batch.is_empty() => return None,
                Ok(batch) => self.current = batch.into_iter(),
                // An archive that ended here would look complete.
                Err(_) => {
                    return Some(Err(io::Error::other("a thread that reads the folder ended too early")));
                }
            }
        }
    }
}

/// Batches of at most `most` entries; an empty one is the end.
fn hand_out(mut walk: Walk, most: usize, work: &SyncSender<Batch>, order: &SyncSender<Receiver<Vec<Step>>>) {
    loop {
        let steps: Vec<Step> = walk.by_ref().take(most).collect();
        let (done, ready) = sync_channel(1);
        if steps.is_empty() {
            // The receivers are gone if the job has failed.
            let _gone = done.send(Vec::new()).is_err() || order.send(ready).is_err();
            return;
        }
        if order.send(ready).is_err() || work.send(Batch { steps, done }).is_err() {
            return;
        }
    }
}

fn read_batches(works: &Mutex<Receiver<Batch>>, files: usize) {
    loop {
        let next = works.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Batch { steps, done }) = next else { return };
        let mut room = Room { bytes: BATCH_BYTES, maps: BATCH_BYTES as usize, files };
        let load = |step| match step {
            Step::Known(loaded) => Step::Known(loaded),
            Step::Found(found) => match load(&found, &mut room) {
                Ok(loaded) => Step::Known(Box::new(loaded)),
                // When its turn comes, all files before it are closed.
                Err(error) if is_left_for_its_turn(&error) => Step::Found(found),
                Err(error) => Step::Known(Box::new(unread(&found, error))),
            },
        };
        // The receiver is gone if the job has failed.
        let _gone = done.send(steps.into_iter().map(load).collect());
    }
}

fn is_left_for_its_turn(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

fn load(found: &Found, room: &mut Room) -> io::Result<Loaded> {
    match found.file_type {
        FileType::RegularFile => file(found, room),
        FileType::Symlink => link(found),
        _ => Ok(Loaded::left_out(found.path.clone(), Note::Special)),
    }
}

fn unread(found: &Found, error: io::Error) -> Loaded {
    Loaded::left_out(found.path.clone(), Note::Unread(error))
}

fn link(found: &Found) -> io::Result<Loaded> {
    let stat = statat(&found.directory, found.name(), AtFlags::SYMLINK_NOFOLLOW)?;
    let target = readlinkat(&found.directory, found.name(), Vec::new())?.into_bytes();
    Ok(Loaded::new(found.path.clone(), Kind::SymbolicLink { target }, &stat))
}

fn file(found: &Found, room: &mut Room) -> io::Result<Loaded> {
    // A pipe in the place of the file would make the opening wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(&found.directory, found.name(), flags, Mode::empty())?);
    let stat = fstat(&file)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        // It has taken the place of the file meanwhile, and what is in it was not walked through.
        FileType::Directory => return Err(Errno::ISDIR.into()),
        _ => return Ok(Loaded::left_out(found.path.clone(), Note::Special)),
    }
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    let kind = match pieces(&file, &stat, size)? {
        Some(data) => {
            let map = size_of_val(data.as_slice());
            room.maps = room.maps.checked_sub(map).ok_or(Errno::MFILE)?;
            Kind::Sparse { size, data }
        }
        None => Kind::File { size },
    };
    let mut loaded = Loaded::new(found.path.clone(), kind, &stat);
    if found.attributes {
        loaded.add_attributes(attributes::read(&file));
    }
    let Some(entry) = &loaded.entry else { return Ok(loaded) };
    let attributes: usize = entry.attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
    room.maps = room.maps.checked_sub(attributes).ok_or(Errno::MFILE)?;
    loaded.id = Some((identity(&stat), stat.st_nlink > 1));
    let stored = entry.stored();
    if stored <= room.bytes {
        room.bytes -= stored;
        let mut bytes = Zeroizing::new(vec![0; stored as usize]);
        let mut pieces = Pieces::new(file, stat, entry);
        pieces.read_exact(&mut bytes)?;
        match pieces.fault()? {
            Some(Note::Unread(error)) => return Err(error),
            Some(note) => loaded.notes.push(note),
            None => {}
        }
        loaded.content = Content::Whole(bytes);
    } else {
        room.files = room.files.checked_sub(1).ok_or(Errno::MFILE)?;
        loaded.content = Content::Open(file, stat);
    }
    Ok(loaded)
}

/// The pieces of data between holes, if there are holes.
#[allow(clippy::unnecessary_cast, reason = "a number of blocks has another size on some systems")]
fn pieces(file: &File, stat: &Stat, size: u64) -> io::Result<Option<Vec<Range<u64>>>> {
    if size < SPARSE || stat.st_blocks as u64 * 512 >= size {
        return Ok(None);
    }
    let (mut data, mut at) = (Vec::<Range<u64>>::new(), 0);
    while at < size {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) => start.min(size),
            Err(Errno::NXIO) => break,
            Err(Errno::INVAL) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // The last piece takes all that would be one piece too many.
        let end =
            if data.len() + 1 == MAX_PIECES { size } else { seek(file, SeekFrom::Hole(start))?.min(size) };
        if start >= end {
            break;
        }
        match data.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => data.push(start..end),
        }
        at = end;
    }
    let whole = data.first() == Some(&(0..size));
    Ok((!whole).then_some(data))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn a_thread_that_dies_is_not_the_end_of_the_folder() {
        let (order, ordered) = sync_channel(2);
        let mut ahead = Ahead { ordered, current: Vec::new().into_iter() };
        order.send(sync_channel(1).1).unwrap();
        assert!(ahead.next().unwrap().is_err(), "the reader is gone");
        drop(order);
        assert!(ahead.next().unwrap().is_err(), "the walking thread is gone");
    }

    #[test]
    fn a_file_that_became_a_directory_is_unread() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), b"").unwrap();
        let Some(Step::Found(found)) = Walk::new(folder.path(), b"", false).unwrap().next() else {
            panic!("no file")
        };
        std::fs::remove_file(folder.path().join("a")).unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        assert!(load(&found, &mut Room::for_one()).is_err());
    }

    #[test]
    fn a_map_that_is_one_too_many_waits_for_its_turn() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create_new(folder.path().join("a")).unwrap();
        file.set_len(4 << 20).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"x", 2 << 20).unwrap();
        let Some(Step::Found(found)) = Walk::new(folder.path(), b"", false).unwrap().next() else {
            panic!("no file")
        };
        let mut room = Room { bytes: 1 << 20, maps: 24, files: 1 };
        assert!(load(&found, &mut room).unwrap().entry.is_some());
        assert_eq!(room.maps, 8, "one piece takes 16 bytes");
        assert!(is_left_for_its_turn(&load(&found, &mut room).err().unwrap()));
        assert!(load(&found, &mut Room::for_one()).unwrap().entry.is_some());
    }

    #[test]
    fn a_folder_ends_after_all_its_entries() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..2 * BATCH {
            std::fs::write(folder.path().join(number.to_string()), b"").unwrap();
        }
        let walk = Walk::new(folder.path(), b"", false).unwrap();
        std::thread::scope(|scope| {
            let all = ahead(walk, None, scope).unwrap().collect::<io::Result<Vec<_>>>().unwrap();
            assert_eq!(all.len(), 2 * BATCH);
        });
    }
}

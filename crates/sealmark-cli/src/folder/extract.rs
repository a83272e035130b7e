//! `sealmark open --into`: files first, on all cores; then links, and then what makes directories read-only.

use super::links::{LINK_BYTES, identity, link_bytes};
use super::place::{Lacks, Restored, Root, stays_inside};
use super::select::Selection;
use super::{attributes, show};
use crate::fault::{Fault, plain};
use crate::say;
use sealmark::archive::{Archive, Entry, Kind, Located, MAX_SMALL};
use sealmark::{Error, Existing, FileMisuse, Job, Output};
use std::collections::HashMap;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory of the entries that are handed to the threads together: some 10,000 files, but fewer of those with many holes.
const GROUP_BYTES: usize = 4 << 20;

pub struct Extraction<'a> {
    pub into: &'a Path,
    pub only: &'a Selection,
    /// Links may lead anywhere.
    pub links: bool,
    pub existing: Existing,
    pub restored: Restored,
}

pub fn extract(archive: &Archive, job: &Job<'_>, wanted: &Extraction<'_>) -> Result<(), Fault> {
    let prefix = wanted.only.prefix();
    let targets = targets(archive, wanted.only, &prefix)?;
    let root = Root::new(wanted.into, wanted.existing, wanted.restored)?;
    let mut work = Work {
        archive,
        root: &root,
        wanted,
        job,
        made: Vec::new(),
        has_links: false,
        targets,
        failed: AtomicU64::new(0),
        existing: AtomicU64::new(0),
        lacking: AtomicU64::new(0),
        left_out: AtomicU64::new(0),
    };
    work.make_files(&prefix)?;
    work.make_links(&prefix)?;
    work.finish_directories(&prefix)?;
    work.note_left_out();
    work.fault().map_or(Ok(()), Err)
}

/// The paths that wanted hard links name, each with the identity of its file once that is made.
type Targets = HashMap<Vec<u8>, OnceLock<(u64, u64)>>;

/// The wanted entries, in order.
fn selected<'a>(
    archive: &'a Archive,
    only: &'a Selection,
    prefix: &'a [u8],
) -> impl Iterator<Item = sealmark::Result<Located>> + 'a {
    let is_wanted = |located: &Located| only.has(&located.entry().path);
    archive.entries(prefix).filter(move |entry| entry.as_ref().map_or(true, is_wanted))
}

/// Reads the wanted part of the index before anything is made: paths that are malformed and patterns that match nothing are
/// refused then.
fn targets(archive: &Archive, only: &Selection, prefix: &[u8]) -> Result<Targets, Fault> {
    let (mut targets, mut bytes) = (Targets::new(), 0);
    for located in selected(archive, only, prefix) {
        let located = located?;
        if let Kind::HardLink { target } = &located.entry().kind
            && bytes <= LINK_BYTES
            && targets.insert(target.clone(), OnceLock::new()).is_none()
        {
            bytes += link_bytes(target);
        }
    }
    only.check_all_found()?;
    Ok(targets)
}

struct Work<'a> {
    archive: &'a Archive,
    root: &'a Root,
    wanted: &'a Extraction<'a>,
    job: &'a Job<'a>,
    /// For each directory in order, if it was made: one that was there keeps its permissions and its time.
    made: Vec<bool>,
    has_links: bool,
    targets: Targets,
    failed: AtomicU64,
    existing: AtomicU64,
    /// Entries that were made and lack something.
    lacking: AtomicU64,
    /// Extended attributes outside of the name space `user`.
    left_out: AtomicU64,
}

impl Work<'_> {
    fn make_files(&mut self, prefix: &[u8]) -> Result<(), Fault> {
        let (mut group, mut held, mut made, mut has_links) = (Vec::new(), 0, Vec::new(), false);
        for located in selected(self.archive, self.wanted.only, prefix) {
            let located = located?;
            let entry = located.entry();
            let pieces = match &entry.kind {
                Kind::Directory => {
                    made.push(self.make_directory(entry));
                    continue;
                }
                Kind::SymbolicLink { .. } | Kind::HardLink { .. } => {
                    has_links = true;
                    continue;
                }
                Kind::File { .. } => 0,
                Kind::Sparse { data, .. } => size_of_val(data.as_slice()),
            };
            let attributes: usize =
                entry.attributes.iter().map(|(name, value)| 48 + name.len() + value.len()).sum();
            held += size_of::<Located>() + entry.path.len() + pieces + attributes;
            group.push(located);
            if held >= GROUP_BYTES {
                self.make_group(&group)?;
                group.clear();
                held = 0;
            }
        }
        (self.made, self.has_links) = (made, has_links);
        self.make_group(&group)
    }

    fn make_directory(&self, entry: &Entry) -> bool {
        self.root.make_directory(&entry.path).unwrap_or_else(|error| {
            self.note(entry, &error.into());
            false
        })
    }

    /// Small files each by one thread, large ones one after the other by all threads.
    fn make_group(&self, files: &[Located]) -> Result<(), Fault> {
        self.archive.read_small(files, self.job, |file, content| {
            Ok(self.make_file(file.entry(), |output| fill(file.entry(), content, output))?)
        })?;
        for file in files.iter().filter(|file| file.entry().stored() > MAX_SMALL) {
            self.make_file(file.entry(), |output| match output.file() {
                Some(target) => self.archive.copy(file, target, self.job),
                None => Ok(()),
            })?;
        }
        Ok(())
    }

    fn make_file(
        &self,
        entry: &Entry,
        fill: impl FnOnce(&mut Output<'static>) -> sealmark::Result<()>,
    ) -> sealmark::Result<()> {
        let target = self.targets.get(&entry.path);
        let mut made = None;
        let result = self.root.make_file(entry, |output| {
            fill(output)?;
            if let (Some(_), Some(file)) = (target, output.file()) {
                made = Some(identity(&rustix::fs::fstat(file).map_err(io::Error::from)?));
            }
            Ok(())
        });
        match result {
            Err(error) => return self.or_note(entry, error),
            Ok(lacks) => self.note_lacks(entry, &lacks),
        }
        if let (Some(target), Some(made)) = (target, made) {
            target.get_or_init(|| made);
        }
        Ok(())
    }

    /// The entry is there.
    fn note_lacks(&self, entry: &Entry, lacks: &Lacks) {
        for (what, error) in lacks {
            say::note(&format!(
                "{} was extracted without {what}: {}",
                show::quoted(&entry.path),
                plain(error)
            ));
        }
        self.lacking.fetch_add(u64::from(!lacks.is_empty()), Ordering::Relaxed);
        let others = entry.attributes.iter().filter(|(name, _)| !attributes::is_of_user(name)).count();
        self.left_out.fetch_add(others as u64, Ordering::Relaxed);
    }

    fn note_left_out(&self) {
        match self.left_out.load(Ordering::Relaxed) {
            count if count > 0 && self.wanted.restored.attributes => say::note(&format!(
                "left out {} outside of the name space \"user\"; `tar --xattrs` extracts them",
                say::many(count, "extended attribute")
            )),
            _ => {}
        }
    }

    /// A damaged archive ends the work; a file that cannot be written is one less.
    fn or_note(&self, entry: &Entry, error: Error) -> sealmark::Result<()> {
        let ends = matches!(error, Error::Tampered(_) | Error::Malformed(_) | Error::InputChanged { .. });
        let fault = match error {
            Error::File(FileMisuse::OutputExists(_)) => return self.note_existing(entry),
            Error::File(FileMisuse::NotAFile(_)) => Fault::io("a directory has this name"),
            Error::Write { error, .. } => Fault::output(error),
            error => error.into(),
        };
        if ends || fault.is_full() {
            return Err(fault.into());
        }
        self.note(entry, &fault);
        Ok(())
    }

    fn note(&self, entry: &Entry, fault: &Fault) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        say::note(&format!("{} was not extracted: {}", show::quoted(&entry.path), fault.message));
    }

    fn note_existing(&self, entry: &Entry) -> sealmark::Result<()> {
        self.existing.fetch_add(1, Ordering::Relaxed);
        say::note(&format!("{} was not extracted: it exists already", show::quoted(&entry.path)));
        Ok(())
    }

    fn note_error(&self, entry: &Entry, error: io::Error) {
        if error.kind() == io::ErrorKind::AlreadyExists {
            let _told = self.note_existing(entry);
        } else {
            self.note(entry, &error.into());
        }
    }

    fn fault(&self) -> Option<Fault> {
        let entries = |count| match count {
            1 => "1 entry was".to_owned(),
            _ => format!("{count} entries were"),
        };
        let lacking = match self.lacking.load(Ordering::Relaxed) {
            0 => None,
            1 => Some("1 entry was extracted without some of its metadata".to_owned()),
            count => Some(format!("{count} entries were extracted without some of their metadata")),
        };
        let fault =
            match (self.failed.load(Ordering::Relaxed), self.existing.load(Ordering::Relaxed), lacking) {
                (0, 0, None) => return None,
                (0, 0, Some(lacking)) => lacking,
                (0, existing, None) => {
                    let existing = entries(existing);
                    let fault = Fault::usage(format!(
                        "{existing} not extracted, because something with the same name exists"
                    ));
                    return Some(
                        fault.hint("extract into another folder, or replace what is there with --force"),
                    );
                }
                (failed, existing, None) => format!("{} not extracted", entries(failed + existing)),
                (failed, existing, Some(lacking)) => {
                    format!("{} not extracted, and {lacking}", entries(failed + existing))
                }
            };
        Some(Fault::io(fault).hint("see the notes above"))
    }

    /// Before any directory is finished: its permissions may keep links to what is in it from being made.
    fn make_links(&self, prefix: &[u8]) -> Result<(), Fault> {
        if !self.has_links {
            return Ok(());
        }
        for located in selected(self.archive, self.wanted.only, prefix) {
            let located = located?;
            let entry = located.entry();
            match &entry.kind {
                Kind::SymbolicLink { target } => self.make_symbolic_link(entry, target),
                Kind::HardLink { target } => {
                    let linked = self.make_hard_link(entry, target);
                    linked.unwrap_or_else(|error| self.note_error(entry, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The permissions and times of directories: of each one after those that are in it.
    fn finish_directories(&self, prefix: &[u8]) -> Result<(), Fault> {
        let (mut open, mut made) = (Vec::<Entry>::new(), self.made.iter());
        for located in selected(self.archive, self.wanted.only, prefix) {
            let located = located?;
            let entry = located.entry();
            if entry.kind == Kind::Directory && made.next() == Some(&true) {
                while let Some(done) = open.pop_if(|directory| !is_in(&entry.path, &directory.path)) {
                    self.finish_directory(&done);
                }
                open.push(entry.clone());
            }
        }
        open.iter().rev().for_each(|directory| self.finish_directory(directory));
        Ok(())
    }

    fn finish_directory(&self, entry: &Entry) {
        match self.root.finish_directory(entry) {
            Ok(lacks) => self.note_lacks(entry, &lacks),
            Err(error) => self.note(entry, &error.into()),
        }
    }

    /// Something else that has the target's name already may be private, or older than the archive.
    fn make_hard_link(&self, entry: &Entry, target: &[u8]) -> io::Result<()> {
        let made = self.targets.get(target).and_then(OnceLock::get);
        if let Some(made) = made
            && self.root.make_hard_link(entry, target, *made)?
        {
            return Ok(());
        }
        let target = show::quoted(target);
        Err(io::Error::other(Fault::io(format!(
            "it is a hard link to {target}, which was not extracted by the same command: extract both into another folder"
        ))))
    }

    fn make_symbolic_link(&self, entry: &Entry, target: &[u8]) {
        if !self.wanted.links && !stays_inside(&entry.path, target) {
            let why = Fault::io(format!(
                "it is a link to {}, outside of the folder; --links allows that",
                show::quoted(target)
            ));
            return self.note(entry, &why);
        }
        match self.root.make_symbolic_link(entry, target) {
            Ok(lacks) => self.note_lacks(entry, &lacks),
            Err(error) => self.note_error(entry, error),
        }
    }
}

fn is_in(path: &[u8], directory: &[u8]) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.first() == Some(&b'/'))
}

/// Writes the content of a small file, and leaves its holes.
fn fill(entry: &Entry, content: &[u8], output: &mut Output<'static>) -> sealmark::Result<()> {
    let (Kind::Sparse { size, data }, Some(file)) = (&entry.kind, output.file()) else {
        return Ok(output.write_all(content).map_err(write_error)?);
    };
    file.set_len(*size).map_err(write_error)?;
    let mut at = 0;
    for piece in data {
        let length = (piece.end - piece.start) as usize;
        file.write_all_at(&content[at..at + length], piece.start).map_err(write_error)?;
        at += length;
    }
    Ok(())
}

/// So that it is known for an error of writing.
fn write_error(error: io::Error) -> io::Error {
    io::Error::other(Fault::output(error))
}

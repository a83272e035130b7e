//! An entry of a folder, ready to be sealed.

use super::attributes;
use super::note::Note;
use rustix::fs::Stat;
use sealmark::archive::{Entry, Kind, MAX_SECONDS, Time};
use std::fs::File;
use std::io;
use zeroize::Zeroizing;

#[cfg(test)]
mod tests;

/// An entry with its content, or a note why there is none.
pub struct Loaded {
    pub path: Vec<u8>,
    pub entry: Option<Entry>,
    pub content: Content,
    /// Which file it is, and true if it has other names.
    pub id: Option<((u64, u64), bool)>,
    pub notes: Vec<Note>,
}

pub enum Content {
    None,
    Whole(Zeroizing<Vec<u8>>),
    /// A file as it was when it was opened, which `Pieces` reads.
    Open(File, Stat),
}

impl Loaded {
    pub fn new(path: Vec<u8>, kind: Kind, stat: &Stat) -> Self {
        let entry = entry(path.clone(), kind, stat);
        // It would end the archive of all the others.
        if entry.check().is_err() {
            return Self::left_out(path, Note::Beyond);
        }
        #[allow(clippy::unnecessary_cast, reason = "a time has another size on some systems")]
        let distant = entry.modified.seconds != stat.st_mtime as i64;
        let notes = distant.then_some(Note::Distant).into_iter().collect();
        Self { path, entry: Some(entry), content: Content::None, id: None, notes }
    }

    /// Adds extended attributes, as many as an archive can have.
    pub fn add_attributes(&mut self, read: io::Result<attributes::Read>) {
        let Some(entry) = &mut self.entry else { return };
        let read = read.unwrap_or_else(|error| {
            self.notes.push(Note::Attributes(None, error));
            Vec::new()
        });
        for (name, value) in read {
            let added = value.and_then(|value| {
                entry.attributes.push((name.clone(), value));
                entry.check().map_err(|_| {
                    entry.attributes.pop();
                    io::Error::other(
                        "its name has \"=\" in it, or the attributes have more than 131072 bytes in all",
                    )
                })
            });
            if let Err(error) = added {
                self.notes.push(Note::Attributes(Some(name), error));
            }
        }
    }

    pub fn left_out(path: Vec<u8>, note: Note) -> Self {
        Self { path, entry: None, content: Content::None, id: None, notes: vec![note] }
    }
}

#[allow(clippy::unnecessary_cast, reason = "these numbers have other sizes on some systems")]
fn entry(path: Vec<u8>, kind: Kind, stat: &Stat) -> Entry {
    let nanoseconds = u32::try_from(stat.st_mtime_nsec as i64).unwrap_or(0).min(999_999_999);
    // Some file systems keep any number of 64 bits as a time.
    let seconds = (stat.st_mtime as i64).clamp(-MAX_SECONDS, MAX_SECONDS - 1);
    let modified = Time { seconds, nanoseconds };
    let mut entry = Entry::new(path, kind, stat.st_mode as u32 & 0o7777, modified);
    (entry.uid, entry.gid) = (stat.st_uid, stat.st_gid);
    entry
}

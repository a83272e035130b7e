//! Reading exactly what was promised of a file, whatever happens to it meanwhile.

use super::note::Note;
use rustix::fs::{Stat, fstat};
use sealmark::archive::{Entry, Kind};
use std::fs::File;
use std::io::{self, IoSliceMut, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Reads pieces of a file one after the other, exactly as long as they were promised: a file that became shorter is padded with
/// zeros.
pub struct Pieces {
    file: File,
    before: Stat,
    data: std::vec::IntoIter<Range<u64>>,
    now: Range<u64>,
    left: u64,
    /// True once the file has ended, or could not be read on.
    short: bool,
    error: Option<io::Error>,
}

impl Pieces {
    /// The content that `entry` promises. The map of a sparse file is copied, so this is called when it is read.
    pub fn new(file: File, before: Stat, entry: &Entry) -> Self {
        let data = match &entry.kind {
            Kind::Sparse { data, .. } => data.clone(),
            _ => std::iter::once(0..entry.size()).collect(),
        };
        let data = data.into_iter();
        Self { file, before, data, now: 0..0, left: entry.stored(), short: false, error: None }
    }

    /// Bytes not read yet.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Why the content is not what was in the file when it was opened.
    pub fn fault(&mut self) -> io::Result<Option<Note>> {
        if let Some(error) = self.error.take() {
            return Ok(Some(Note::Unread(error)));
        }
        let (now, before) = (fstat(&self.file)?, &self.before);
        // A program may set the time of the last modification, but not that of the last change.
        let state = |stat: &Stat| {
            (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec, stat.st_size)
        };
        Ok((self.short || state(&now) != state(before)).then_some(Note::Changed))
    }

    fn read_on(&self, parts: &mut [IoSliceMut<'_>], room: u64, length: u64) -> io::Result<usize> {
        if self.short {
            return Ok(zeros(parts, length));
        }
        if room <= length {
            return Ok(rustix::io::preadv(&self.file, parts, self.now.start)?);
        }
        let Some(part) = parts.iter_mut().find(|part| !part.is_empty()) else { return Ok(0) };
        let most = (part.len() as u64).min(length) as usize;
        self.file.read_at(&mut part[..most], self.now.start)
    }
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(out)])
    }

    fn read_vectored(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        while self.now.is_empty() {
            let Some(next) = self.data.next() else { return Ok(0) };
            self.now = next;
        }
        let length = self.now.end - self.now.start;
        let room: u64 = parts.iter().map(|part| part.len() as u64).sum();
        let read = match self.read_on(parts, room, length) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                self.error = Some(error);
                0
            }
            Ok(read) => read,
        };
        if read == 0 && room > 0 {
            self.short = true;
            return self.read_vectored(parts);
        }
        self.now.start += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

fn zeros(parts: &mut [IoSliceMut<'_>], most: u64) -> usize {
    let Some(part) = parts.iter_mut().find(|part| !part.is_empty()) else { return 0 };
    let length = (part.len() as u64).min(most) as usize;
    part[..length].fill(0);
    length
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use sealmark::archive::Time;

    fn open(content: &[u8]) -> (tempfile::NamedTempFile, Pieces) {
        let named = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(named.path(), content).unwrap();
        let file = named.reopen().unwrap();
        let stat = fstat(&file).unwrap();
        let kind = Kind::File { size: content.len() as u64 };
        (named, Pieces::new(file, stat, &Entry::new("a", kind, 0o644, Time::default())))
    }

    #[test]
    fn a_file_that_became_shorter_is_padded_and_told() {
        let (named, mut pieces) = open(&[b'x'; 1000]);
        let mut start = [0; 300];
        pieces.read_exact(&mut start).unwrap();
        named.as_file().set_len(500).unwrap();
        let mut rest = Vec::new();
        pieces.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, [vec![b'x'; 200], vec![0; 500]].concat());
        assert!(matches!(pieces.fault().unwrap(), Some(Note::Changed)));
    }

    #[test]
    fn a_file_that_became_longer_is_cut_off_and_told() {
        let (named, mut pieces) = open(b"before");
        std::fs::write(named.path(), b"before and after").unwrap();
        let mut all = Vec::new();
        pieces.read_to_end(&mut all).unwrap();
        assert_eq!(all, b"before");
        assert!(matches!(pieces.fault().unwrap(), Some(Note::Changed)));
    }

    #[test]
    fn a_file_whose_time_was_set_back_is_told() {
        let (named, mut pieces) = open(b"before");
        let modified = named.as_file().metadata().unwrap().modified().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(named.path(), b"after!").unwrap();
        named.as_file().set_modified(modified).unwrap();
        assert!(matches!(pieces.fault().unwrap(), Some(Note::Changed)));
    }

    #[test]
    fn a_file_that_stays_has_no_fault() {
        let (_named, mut pieces) = open(b"content");
        let mut all = Vec::new();
        pieces.read_to_end(&mut all).unwrap();
        assert!(pieces.fault().unwrap().is_none() && all == b"content");
    }
}

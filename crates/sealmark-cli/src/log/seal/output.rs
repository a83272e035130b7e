//! The log as it is written: lines in their order, and among them our own.

use super::disk::Disk;
use super::place::{Appended, Change, Growing};
use super::watchdog::Progress;
use crate::fault::{Exit, Fault, is_full};
use sealmark::record::OwnLines;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So much is gathered before it is written.
const FULL: usize = 1 << 18;
/// After a failure so much is kept at most, and the rest of what was read only counted.
const MOST: usize = 1 << 24;
/// The header is written again after so many bytes, so that the pieces a log is cut into can be opened.
const REPEAT_BYTES: u64 = 16 << 20;
/// And after so much time in which lines came.
const REPEAT_AFTER: Duration = Duration::from_secs(600);

/// The last session of a log is looked for in so many bytes at its end.
const TAIL: u64 = 1 << 20;

pub enum Place<'a> {
    /// Standard output, or what `-o` names; with the file behind it where others may cut that.
    Stream(&'a mut (dyn Write + Send), Option<Growing>),
    File(Appended),
}

impl Write for Place<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stream(stream, file) => {
                let written = stream.write(bytes)?;
                file.iter_mut().for_each(|file| file.grew(written));
                Ok(written)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stream(stream, _) => stream.flush(),
        }
    }
}

pub struct Log<'a> {
    place: Place<'a>,
    side_file: Option<Appended>,
    /// Written to `place` later, in this order; always from the start of a line on, but for very long ones.
    buffer: Vec<u8>,
    /// While one file follows another: the one before, and what is still to be written to it.
    left: Option<Left>,
    /// Bytes since the header was written, and when that was.
    since_header: u64,
    header_at: Instant,
    reason: Reason,
    /// The last one that was written: what is gathered needs it.
    header: String,
    /// Since the keeper last asked.
    lost: Lost,
    progress: Arc<Progress>,
    disk: Disk<'a>,
    /// The failure, until it is told.
    failure: Option<Fault>,
    has_failed: bool,
    /// Lines and bytes that came after a failure.
    left_out: (u64, u64),
    /// Bytes and headers that were written so far.
    written: (u64, u64),
}

/// A file that others renamed.
struct Left {
    file: Appended,
    rest: Vec<u8>,
    /// No more is meant for it.
    is_done: bool,
}

/// Why a header is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    NewSession,
    Repeated,
}

/// The fate of the lines that had been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    Nothing,
    Cut,
    Removed,
}

impl<'a> Log<'a> {
    pub fn new(place: Place<'a>, side_file: Option<Appended>, disk: Disk<'a>, now: Instant) -> Self {
        let buffer = Vec::with_capacity(2 * FULL);
        let (reason, lost) = (Reason::NewSession, Lost::Nothing);
        let (left, since_header, header, progress, failure, has_failed, left_out, written) =
            Default::default();
        Self {
            place,
            side_file,
            buffer,
            left,
            since_header,
            header_at: now,
            reason,
            header,
            lost,
            progress,
            disk,
            failure,
            has_failed,
            left_out,
            written,
        }
    }

    /// The bytes and the headers that were written so far.
    pub fn written(&self) -> (u64, u64) {
        self.written
    }

    /// Tells why the headers to come are written.
    pub fn expect(&mut self, reason: Reason) {
        self.reason = reason;
    }

    /// Says there what is being written.
    pub fn told_to(&mut self, progress: Arc<Progress>) {
        self.progress = progress;
    }

    /// Adds a line, or a piece of one. A disk that is full is waited for here, so that no input is read any further.
    pub fn add(&mut self, text: &[u8]) {
        self.since_header += text.len() as u64;
        if self.has_failed && self.buffer.len() + text.len() > MOST {
            self.left_out.0 += memchr::memchr_iter(b'\n', text).count() as u64;
            self.left_out.1 += text.len() as u64;
            return;
        }
        self.buffer.extend_from_slice(text);
        if self.buffer.len() >= FULL {
            self.flush_soon();
        }
    }

    /// Writes what there is. A failure is told by [`Log::check`], when all that was read is here: so it can be counted.
    pub fn flush_soon(&mut self) {
        if !self.has_failed {
            let disk = self.disk;
            self.failure = disk.wait(|| Ok(self.flush()?)).err();
            self.has_failed = self.failure.is_some();
        }
    }

    /// True where nothing more is written, so that nothing more should be read.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// From now on nothing more is written, and what still comes is counted.
    pub fn fail(&mut self) {
        self.has_failed = true;
    }

    pub fn check(&mut self) -> Result<(), Fault> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Adds to a fault what of the log could not be written.
    pub fn unwritten(&self, mut fault: Fault) -> Fault {
        if fault.exit == Exit::Io && !self.buffer.is_empty() {
            let lines = memchr::memchr_iter(b'\n', &self.buffer).count() as u64 + self.left_out.0;
            let bytes = self.buffer.len() as u64 + self.left_out.1;
            fault.message.push_str(&format!("; not written: {lines} sealed lines, {bytes} bytes"));
        }
        fault
    }

    /// A part that could not be written stays, and is first in the next attempt.
    pub fn flush(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            // Where nobody can look, that is told elsewhere.
            let change = self.change().unwrap_or(Change::None);
            self.mend(change)?;
        }
        write_rest(&mut self.place, &mut self.buffer, &self.progress, &mut self.written.0)?;
        let Some(left) = &mut self.left else { return Ok(()) };
        let written = write_rest(&mut left.file, &mut left.rest, &self.progress, &mut self.written.0);
        // Where there will be room again, it is waited for; a file that takes no more for another reason stops no new one.
        let is_over = written.as_ref().map_or_else(|error| !is_full(error), |()| left.is_done);
        self.left.take_if(|_| is_over);
        written
    }

    /// Writes lines of our own. The side file has a header before the log does, and the log before any token.
    pub fn write_own(&mut self, own: OwnLines<'_>, now: Instant) -> io::Result<()> {
        match own {
            OwnLines::Header(text) => self.write_header(text, now),
            lines => {
                let text = lines.text();
                match &mut self.left {
                    Some(left) if !left.is_done => left.rest.extend_from_slice(text.as_bytes()),
                    _ => self.add(text.as_bytes()),
                }
                Ok(())
            }
        }
    }

    fn write_header(&mut self, text: &str, now: Instant) -> io::Result<()> {
        // A disk that is full does not gather a header for each try.
        self.flush()?;
        match self.reason {
            Reason::NewSession => {
                self.write_beside(text)?;
                self.buffer.extend_from_slice(text.as_bytes());
            }
            Reason::Repeated => self.buffer.extend_from_slice(text.as_bytes()),
        }
        self.flush()?;
        self.written.1 += 1;
        text.clone_into(&mut self.header);
        (self.since_header, self.header_at) = (0, now);
        Ok(())
    }

    fn write_beside(&mut self, header: &str) -> io::Result<()> {
        let Some(file) = &mut self.side_file else { return Ok(()) };
        if matches!(file.change()?, Change::Renamed | Change::Removed) {
            *file = file.again().map_err(io::Error::other)?;
        }
        file.write_all(header.as_bytes())?;
        file.sync()
    }

    /// True where the header is due again.
    pub fn header_is_due(&self, now: Instant) -> bool {
        self.since_header >= REPEAT_BYTES
            || self.since_header > 0 && now.saturating_duration_since(self.header_at) >= REPEAT_AFTER
    }

    /// Where what was in the file is gone, the header comes before what is still to be written; where the file is gone,
    /// that goes to a new one.
    pub fn mend(&mut self, change: Change) -> io::Result<()> {
        match change {
            Change::None | Change::Renamed => return Ok(()),
            Change::Cut => self.lost = Lost::Cut,
            Change::Removed => {
                self.leave(false).map_err(io::Error::other)?;
                self.lost = Lost::Removed;
            }
        }
        self.buffer.splice(..0, self.header.bytes());
        self.written.1 += 1;
        Ok(())
    }

    /// The fate of the lines that had been written; told once.
    pub fn take_lost(&mut self) -> Lost {
        std::mem::replace(&mut self.lost, Lost::Nothing)
    }

    /// The change that others made to the file.
    pub fn change(&mut self) -> io::Result<Change> {
        match &mut self.place {
            Place::Stream(_, None) => Ok(Change::None),
            Place::Stream(_, Some(file)) => Ok(if file.was_cut()? { Change::Cut } else { Change::None }),
            Place::File(file) => file.change(),
        }
    }

    /// The end of what stands in the log already; nothing where it cannot be read.
    pub fn tail(&self) -> Vec<u8> {
        let growing = match &self.place {
            Place::Stream(_, file) => file.as_ref(),
            Place::File(file) => Some(file.growing()),
        };
        growing.and_then(|file| file.tail(TAIL).ok()).unwrap_or_default()
    }

    /// True where lines go to a file that is appended to by its name.
    pub fn has_name(&self) -> bool {
        matches!(self.place, Place::File(_))
    }

    /// Goes over to the file that has the name now. The one before takes what was meant for it, if it can still be
    /// found: the closing token of its session, too.
    pub fn leave(&mut self, findable: bool) -> Result<(), Fault> {
        let Place::File(file) = &self.place else { return Ok(()) };
        let next = file.again()?;
        if findable {
            self.flush()?;
        }
        if let Place::File(file) = std::mem::replace(&mut self.place, Place::File(next))
            && findable
            && self.left.is_none()
        {
            self.left = Some(Left { file, rest: Vec::new(), is_done: false });
        }
        Ok(())
    }

    /// The next session has begun in the new file.
    pub fn arrive(&mut self) {
        self.left.iter_mut().for_each(|left| left.is_done = true);
    }

    /// No session has begun: a new file has the header of the old one, and its closing token later.
    pub fn stay(&mut self) {
        if self.left.take_if(|left| !left.is_done).is_some() {
            self.buffer.extend_from_slice(self.header.as_bytes());
            self.written.1 += 1;
        }
    }
}

/// Writes it as far as that succeeds, and adds so many bytes to `sum`.
fn write_rest(
    place: &mut impl Write,
    rest: &mut Vec<u8>,
    progress: &Progress,
    sum: &mut u64,
) -> io::Result<()> {
    let mut written = 0;
    let result = loop {
        if written == rest.len() {
            break place.flush();
        }
        progress.writing(rest.len() - written);
        match place.write(&rest[written..]) {
            Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    rest.drain(..written);
    *sum += written as u64;
    progress.writing(rest.len());
    result
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::super::directory::Follow;
    use super::*;
    use crate::log::args_seal::OnFull;

    const EXIT: Disk<'_> = Disk { on_full: OnFull::Exit, signals: None };

    #[test]
    fn what_is_still_to_be_written_has_its_header_before_it() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("log");
        let now = Instant::now();
        let mut log = Log::new(Place::File(Appended::open(&path, Follow::Links).unwrap()), None, EXIT, now);
        log.write_own(OwnLines::Header("header\n"), now).unwrap();
        log.add(b"line\n");
        std::fs::write(&path, "").unwrap();
        log.write_own(OwnLines::Header("next\n"), now).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "header\nline\nnext\n");
        assert_eq!((log.take_lost(), log.take_lost()), (Lost::Cut, Lost::Nothing));
        log.add(b"more\n");
        std::fs::remove_file(&path).unwrap();
        log.flush().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "next\nmore\n");
        assert_eq!(log.take_lost(), Lost::Removed);
    }

    #[test]
    fn a_header_is_due_by_volume_and_by_time_with_lines() {
        let (mut written, now) = (Vec::new(), Instant::now());
        let mut log = Log::new(Place::Stream(&mut written, None), None, EXIT, now);
        let later = now + REPEAT_AFTER;
        assert!(!log.header_is_due(later));
        log.add(b"line\n");
        assert!(!log.header_is_due(later - Duration::from_secs(1)) && log.header_is_due(later));
        log.write_own(OwnLines::Header("header\n"), later).unwrap();
        assert!(!log.header_is_due(later + REPEAT_AFTER));
        (0..REPEAT_BYTES >> 18).for_each(|_| log.add(&[b'x'; 1 << 18]));
        assert!(log.header_is_due(later));
    }
}

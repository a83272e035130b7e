//! A log that grows: waits for more, as `tail -F` does, and goes on with the file that takes its name.

use crate::fault::Fault;
use crate::target::identity;
use crate::{deadly, say, stdio};
use signal_hook::{consts, flag};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a new line may wait at most. Asking costs two system calls.
const PAUSE: Duration = Duration::from_millis(20);
/// A writer that has not written to the new file yet may still write to the old one.
const GRACE: Duration = Duration::from_secs(5);

/// Bytes at the start and at the end that are compared to tell whether a file was written anew: more than one token, so that some
/// differ.
const COMPARED: usize = 256;

/// Reads without end, until the process is told to.
pub struct Followed {
    path: PathBuf,
    file: File,
    at: u64,
    /// The bytes read first and last: where they are no longer in their places, the file was truncated, whatever its length is
    /// now.
    head: Vec<u8>,
    tail: Vec<u8>,
    last: u8,
    /// The file before this one, which others may still write to.
    left: Option<Left>,
    /// The files that have taken the name since, the oldest first, and when each was seen.
    successors: VecDeque<(File, Instant)>,
    looked: Instant,
    stop: Arc<AtomicBool>,
}

/// A file that was gone on from in time, how far it was read, and until when it is looked at.
struct Left {
    file: File,
    at: u64,
    until: Instant,
}

impl Followed {
    pub fn new(path: &Path) -> Result<Self, Fault> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Fault::usage(format!(
                "{path:?} cannot be followed, because it is not a regular file"
            ))
            .named()
            .hint("leave out --follow"));
        }
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [consts::SIGINT, consts::SIGTERM] {
            // The second one ends us at once, should the first get stuck.
            flag::register_conditional_shutdown(signal, 128 + signal, stop.clone())?;
            flag::register(signal, stop.clone())?;
            deadly::outlive(signal);
        }
        let (successors, looked) = (VecDeque::new(), Instant::now());
        Ok(Self {
            path: path.to_owned(),
            file,
            at: 0,
            head: Vec::new(),
            tail: Vec::new(),
            last: b'\n',
            left: None,
            successors,
            looked,
            stop,
        })
    }

    /// True where the writer has gone on to a file that took the name. A line that may still be ended in the old one is waited for.
    fn moved_on(&self) -> bool {
        self.successors.iter().any(|(file, since)| {
            since.elapsed() > GRACE
                || self.last == b'\n' && file.metadata().is_ok_and(|successor| successor.len() > 0)
        })
    }

    fn go_on(&mut self) {
        if let Some((successor, since)) = self.successors.pop_front() {
            say::note(&format!("{:?} was replaced; reading on in the new file", self.path));
            let file = std::mem::replace(&mut self.file, successor);
            self.left = Some(Left { file, at: self.at, until: since + GRACE });
            self.start_again();
        }
    }

    fn start_again(&mut self) {
        (self.at, self.head, self.tail) = (0, Vec::new(), Vec::new());
    }

    /// Lines that some thread of the writer has added to the old file since, between two of the new one.
    fn read_left(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(left) = self.left.as_mut().filter(|_| self.last == b'\n' && buffer.len() > 1) else {
            return Ok(0);
        };
        let is_over = Instant::now() >= left.until;
        let room = buffer.len() - 1;
        let length = left.file.read_at(&mut buffer[..room], left.at)?;
        let whole = memchr::memrchr(b'\n', &buffer[..length]).map_or(0, |feed| feed + 1);
        let taken = if whole == 0 && (is_over || length == room) { length } else { whole };
        left.at += taken as u64;
        if is_over && taken == 0 {
            self.left = None;
        }
        if taken > whole {
            buffer[taken] = b'\n';
            return Ok(taken + 1);
        }
        Ok(taken)
    }

    /// Reads on, unless the file was truncated, which starts it again; true then. The text that was read before is looked for
    /// after reading: a file that was truncated and has grown again in between would give text from its middle.
    fn read_on(&mut self, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
        let length = self.file.read_at(buffer, self.at)?;
        if self.has(&self.head, 0)? && self.has(&self.tail, self.at - self.tail.len() as u64)? {
            self.keep(&buffer[..length]);
            return Ok((length, false));
        }
        say::note(&format!("{:?} was truncated; reading on from its start", self.path));
        self.start_again();
        Ok((0, true))
    }

    /// True where these bytes are in this place.
    fn has(&self, bytes: &[u8], at: u64) -> io::Result<bool> {
        let mut there = [0; COMPARED];
        let there = &mut there[..bytes.len()];
        match self.file.read_exact_at(there, at) {
            Ok(()) => Ok(there == bytes),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn keep(&mut self, read: &[u8]) {
        let more = (COMPARED - self.head.len()).min(read.len());
        self.head.extend_from_slice(&read[..more]);
        self.tail.extend_from_slice(&read[read.len().saturating_sub(COMPARED)..]);
        self.tail.drain(..self.tail.len().saturating_sub(COMPARED));
        self.at += read.len() as u64;
    }

    /// Takes note of a file that has the name now, even while there is more to read in the old one: by then, a further
    /// one may have taken its place.
    fn look(&mut self) -> io::Result<()> {
        if self.looked.elapsed() < PAUSE {
            return Ok(());
        }
        self.looked = Instant::now();
        let newest = self.successors.back().map_or(&self.file, |(file, _)| file).metadata()?;
        match self.path.metadata() {
            // To open a named pipe would wait for its writer.
            Ok(named) if named.is_file() && identity(&named) != identity(&newest) => {
                self.successors.extend(File::open(&self.path).ok().map(|file| (file, Instant::now())));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Ok(())
    }
}

impl Read for Followed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // Asked before the old file is read for the last time.
            let moved_on = self.moved_on();
            self.look()?;
            let late = self.read_left(buffer)?;
            if late > 0 {
                return Ok(late);
            }
            let (length, restarted) = self.read_on(buffer)?;
            if length > 0 {
                self.last = buffer[length - 1];
                return Ok(length);
            }
            match (restarted, moved_on) {
                (true, _) => {}
                (false, true) => self.go_on(),
                (false, false) if self.stop.load(Ordering::Relaxed) => return Ok(0),
                (false, false) => {
                    stdio::pause(PAUSE);
                    continue;
                }
            }
            // A line that was cut off does not grow into the first one of the next text.
            if std::mem::replace(&mut self.last, b'\n') != b'\n' && !buffer.is_empty() {
                buffer[0] = b'\n';
                return Ok(1);
            }
        }
    }
}

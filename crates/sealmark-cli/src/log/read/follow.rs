//! A log that grows: waits for more, as `tail -F` does, and goes on with the file that takes its name.

use crate::fault::Fault;
use crate::target::identity;
use crate::{deadly, say, stdio};
use signal_hook::{consts, flag};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a new line may wait at most. Asking costs two system calls.
const PAUSE: Duration = Duration::from_millis(20);
/// A writer that has not written to the new file yet may still write to the old one.
const GRACE: Duration = Duration::from_secs(5);

/// Bytes that are compared to tell whether a file was written anew.
const TAIL: usize = 256;

/// Reads without end, until the process is told to.
pub struct Followed {
    path: PathBuf,
    file: File,
    at: u64,
    /// The bytes read last: where they are no longer in their place, the file was truncated, whatever its length is now.
    tail: Vec<u8>,
    last: u8,
    /// What has taken the name, and since when.
    successor: Option<(File, Instant)>,
    stop: Arc<AtomicBool>,
}

impl Followed {
    pub fn new(path: &Path) -> Result<Self, Fault> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Fault::usage("is no file that can be followed").hint("leave out --follow"));
        }
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [consts::SIGINT, consts::SIGTERM] {
            // The second one ends us at once, should the first get stuck.
            flag::register_conditional_shutdown(signal, 128 + signal, stop.clone())?;
            flag::register(signal, stop.clone())?;
            deadly::outlive(signal);
        }
        Ok(Self { path: path.to_owned(), file, at: 0, tail: Vec::new(), last: b'\n', successor: None, stop })
    }

    /// Whether the writer has gone on to the file that took the name.
    fn moved_on(&self) -> bool {
        let written = |(file, since): &(File, Instant)| {
            since.elapsed() > GRACE || file.metadata().is_ok_and(|successor| successor.len() > 0)
        };
        self.successor.as_ref().is_some_and(written)
    }

    fn go_on(&mut self) {
        if let Some((successor, _)) = self.successor.take() {
            say::note(&format!("{:?} was replaced; going on with the new file", self.path));
            (self.file, self.at, self.tail) = (successor, 0, Vec::new());
        }
    }

    /// Starts again where the file was truncated, even if it has grown again since. Whether another text begins now.
    fn restart(&mut self) -> io::Result<bool> {
        let mut there = [0; TAIL];
        let there = &mut there[..self.tail.len()];
        let read = self.file.read_exact_at(there, self.at - self.tail.len() as u64);
        match read {
            Ok(()) if there == self.tail => return Ok(false),
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error),
            _ => {}
        }
        say::note(&format!("{:?} was truncated; going on at its start", self.path));
        self.file.rewind()?;
        (self.at, self.tail) = (0, Vec::new());
        Ok(true)
    }

    fn keep_tail(&mut self, read: &[u8]) {
        self.tail.extend_from_slice(&read[read.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        self.at += read.len() as u64;
    }

    /// Takes note of a successor.
    fn look(&mut self) -> io::Result<()> {
        let here = self.file.metadata()?;
        match self.path.metadata() {
            Ok(named) if self.successor.is_none() && identity(&named) != identity(&here) => {
                self.successor = File::open(&self.path).ok().map(|file| (file, Instant::now()));
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
            if !self.restart()? {
                let length = self.file.read(buffer)?;
                if length > 0 {
                    self.keep_tail(&buffer[..length]);
                    self.last = buffer[length - 1];
                    return Ok(length);
                }
                match moved_on {
                    true => self.go_on(),
                    false if self.stop.load(Ordering::Relaxed) => return Ok(0),
                    false => {
                        self.look()?;
                        stdio::pause(PAUSE);
                        continue;
                    }
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

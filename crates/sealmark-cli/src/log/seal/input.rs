//! Where lines come from.

use super::super::lines::{Cutter, Lines, READ};
use super::signals::can_wait;
use crate::fault::Fault;
use crate::log::read::Compressed;
use crate::target::Source;
use rustix::fd::{AsFd, BorrowedFd};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// Something that gives lines, now and then.
pub trait Input {
    /// The file to wait for; none where reading never waits.
    fn waits_on(&self) -> Option<BorrowedFd<'_>>;
    /// Reads what is there and hands over its lines; `false` at the end of all input.
    fn read(&mut self, lines: &mut impl Lines) -> io::Result<bool>;
    /// No more will be read: hands over a line that was not ended.
    fn end(&mut self, lines: &mut impl Lines) -> io::Result<()>;
    /// Does what is due now and then, though there may be nothing to read.
    fn look_after(&mut self, _: &mut impl Lines) -> io::Result<()> {
        Ok(())
    }
    /// Messages that did not come whole, so far.
    fn lost(&self) -> u64 {
        0
    }
    /// How the input ends when the program is told to end.
    fn drain(&mut self) -> Drain;
}

/// Reading goes on until nothing comes for `quiet`, and for `most` at most.
pub struct Drain {
    pub quiet: Duration,
    pub most: Duration,
}

/// A pipe, a file or a terminal.
pub struct Stream {
    reader: File,
    /// Reading may have to wait.
    waits_on: bool,
    /// Nothing was read yet.
    is_new: bool,
    buffer: Vec<u8>,
    cutter: Cutter,
}

impl Stream {
    /// Lines longer than `limit` come in pieces.
    pub fn open(source: &Source, limit: usize) -> io::Result<Self> {
        let reader = source.open()?;
        let waits_on = can_wait(&reader);
        if let Source::Path(path) = source {
            // Looked at before a header is written. A pipe tells it with its first bytes.
            let mut start = [0; 4];
            if reader.metadata()?.is_file() && reader.read_at(&mut start, 0)? > 0 {
                refuse_compressed(&start, &format!("{path:?}"))
                    .map_err(|fault| io::Error::other(fault.about(path)))?;
            }
        }
        Ok(Self { reader, waits_on, is_new: true, buffer: vec![0; READ], cutter: Cutter::new(limit) })
    }
}

/// No line would be found in it, so that all of it would be sealed, or passed on, as if it were text.
fn refuse_compressed(start: &[u8], name: &str) -> Result<(), Fault> {
    let (format, program) = match Compressed::of(start) {
        Compressed::Not => return Ok(()),
        Compressed::Gzip => ("gzip", "zcat"),
        Compressed::Zstd => ("zstd", "zstdcat"),
    };
    Err(Fault::usage(format!("the log is compressed with {format}, but only text can be sealed"))
        .hint(format!("decompress it: {program} {name} | sealmark log seal …")))
}

impl Input for Stream {
    fn waits_on(&self) -> Option<BorrowedFd<'_>> {
        self.waits_on.then(|| self.reader.as_fd())
    }

    fn read(&mut self, lines: &mut impl Lines) -> io::Result<bool> {
        match self.reader.read(&mut self.buffer) {
            Ok(0) => Ok(false),
            Ok(length) => {
                if std::mem::take(&mut self.is_new) {
                    refuse_compressed(&self.buffer[..length], "IN").map_err(io::Error::other)?;
                }
                self.cutter.push(&self.buffer[..length], lines).map(|()| true)
            }
            // Another process that shares a pipe with us may have taken what there was, or made it not wait.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn end(&mut self, lines: &mut impl Lines) -> io::Result<()> {
        self.cutter.end(lines)
    }

    /// A server that is restarted ends its log program while children of it go on with what they have begun: httpd tells
    /// nobody what of that is lost. When the last of them is done, the input ends; who kills those that do not end of
    /// themselves gives them ten seconds or more.
    fn drain(&mut self) -> Drain {
        Drain { quiet: Duration::from_secs(6), most: Duration::from_secs(9) }
    }
}

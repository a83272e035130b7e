//! `--gcm` of `sealmark open` and `sealmark verify`: payloads of one AES-GCM tag, as XML Encryption and WS-Security have them.

use crate::args::{Gcm, Iv, Open, Verify};
use crate::fault::Fault;
use crate::target::{self, Planned, Source, Target, Task};
use crate::{keys, progress};
use sealmark::gcm::{self, Key};
use sealmark::{Error, Summary};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// Refuses what cannot be read.
pub fn check(args: &Gcm, inputs: &[PathBuf]) -> Result<(), Fault> {
    target::one_reader_of_stdin(inputs, &[args.key_file.as_slice()], &[])?;
    if args.iv.is_some() && inputs.len() > 1 {
        return Err(
            Fault::usage("--iv belongs to one payload, but there are several inputs").hint(ONE_BY_ONE)
        );
    }
    keys::are_there(keys::GCM, args.key_file.as_slice())
}

const ONE_BY_ONE: &str = "work on the files one by one";

pub fn key(args: &Gcm) -> Result<Key, Fault> {
    let path = args.key_file.as_deref().expect("the parser demands it beside --gcm");
    keys::gcm_key_of(path)
}

pub fn plan(args: &Open) -> Result<Vec<Planned<Task>>, Fault> {
    if args.inputs.len() > 1 {
        return Err(Fault::usage("--gcm opens one file, but there are several inputs").hint(ONE_BY_ONE));
    }
    target::plan(&args.inputs, &args.out, Source::new, |_| {
        Err(Fault::usage("the name of a payload has no ending to remove, so the output has no name")
            .hint("name the output with -o"))
    })
}

pub fn open(task: &Task, key: &Key, args: &Open) -> Result<(), Fault> {
    let (source, target, existing) = (&task.source, &task.target, args.out.existing());
    progress::watched(source.name(), target.is_terminal(), |job| {
        let job = job.threads(args.work.threads).existing(existing);
        let opened = match (source, target, args.gcm.iv) {
            (Source::Path(input), Target::Path(output), None) => gcm::open_file(input, output, key, &job),
            (_, _, iv) => {
                let payload = Payload::new(iv, file(source)?)?;
                let mut output = target.output_of_text(existing)?;
                gcm::open_seekable(payload, &mut output, key, &job)
                    .and_then(|summary| output.commit().map(|()| summary))
            }
        };
        opened.map(drop).map_err(|error| target.named(fault(error)))
    })
}

pub fn verify(source: &Source, key: &Key, args: &Verify) -> Result<Summary, Fault> {
    progress::watched(source.name(), false, |job| {
        gcm::verify_stream(in_front(args.gcm.iv).chain(source.open()?), key, &job).map_err(fault)
    })
}

fn file(source: &Source) -> Result<File, Fault> {
    source.file()?.ok_or_else(|| {
        Fault::usage(
            "--gcm needs a file, because the tag at its end is verified first, and the input is a stream",
        )
        .hint("save the stream, still encrypted, in a file first")
    })
}

/// Nobody can tell another key from an altered payload.
fn fault(error: Error) -> Fault {
    match error {
        Error::Tampered(_) => Fault::damaged(
            "the payload was altered, damaged or truncated, or this is not its key or initialization vector",
        )
        .hint("unwrap the key of this message, and get the payload again from where it was sealed"),
        error => error.into(),
    }
}

fn in_front(iv: Option<Iv>) -> io::Cursor<Vec<u8>> {
    io::Cursor::new(iv.map_or_else(Vec::new, |iv| iv.0.to_vec()))
}

/// A file as a payload, with the initialization vector in front that it may lack.
struct Payload {
    iv: io::Cursor<Vec<u8>>,
    file: File,
    /// Where the file stood at first.
    start: u64,
}

impl Payload {
    fn new(iv: Option<Iv>, mut file: File) -> io::Result<Self> {
        let start = file.stream_position()?;
        Ok(Self { iv: in_front(iv), file, start })
    }

    fn lead(&self) -> u64 {
        self.iv.get_ref().len() as u64
    }
}

impl Read for Payload {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.iv.read(into)? {
            0 => self.file.read(into),
            bytes => Ok(bytes),
        }
    }
}

impl Seek for Payload {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let from = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(offset) => {
                let at = self.iv.position() + self.file.stream_position()? - self.start;
                at.checked_add_signed(offset)
            }
            SeekFrom::End(offset) => {
                let bytes = self.file.seek(SeekFrom::End(0))?.saturating_sub(self.start);
                (self.lead() + bytes).checked_add_signed(offset)
            }
        };
        let at = from.ok_or(io::ErrorKind::InvalidInput)?;
        self.iv.set_position(at.min(self.lead()));
        self.file.seek(SeekFrom::Start(self.start + at.saturating_sub(self.lead())))?;
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use std::io::Write;

    #[test]
    fn vectors_are_read_as_written() {
        let iv = |text: &str| text.parse::<Iv>().map(|iv| iv.0[11]);
        assert_eq!(iv("0000000000000000000000Fe"), Ok(0xfe));
        let one_less = "0".repeat(23);
        for wrong in ["", "00", &one_less, &format!("{one_less}g"), &format!("{one_less}000")] {
            assert!(iv(wrong).is_err(), "{wrong:?} was taken");
        }
    }

    #[test]
    fn a_vector_stands_in_front_of_a_file_wherever_that_starts() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before, and the rest").unwrap();
        file.seek(SeekFrom::Start(8)).unwrap();
        let mut payload = Payload::new(Some(Iv(*b"twelve bytes")), file).unwrap();
        for (from, rest) in [(0, "twelve bytesand the rest"), (3, "lve bytesand the rest"), (16, "the rest")]
        {
            assert_eq!(payload.seek(SeekFrom::Start(from)).unwrap(), from);
            assert_eq!(payload.stream_position().unwrap(), from);
            let mut all = String::new();
            payload.read_to_string(&mut all).unwrap();
            assert_eq!(all, rest);
            assert_eq!(payload.seek(SeekFrom::End(0)).unwrap(), 24);
            assert_eq!(payload.seek(SeekFrom::Current(-24)).unwrap(), 0);
            assert!(payload.seek(SeekFrom::Current(-1)).is_err());
        }
    }
}

//! From path to path: segments are independent, so threads pread, work and pwrite on their own.

use super::cipher::{Cipher, Print};
use super::extent::{Extent, IV, SEGMENT, TAG};
use super::key::Key;
use super::stream;
use crate::aead;
use crate::at::write_all_at;
use crate::buffer::{Buffer, Wiped};
use crate::error::Result;
use crate::input::Input;
use crate::job::{Job, Progress, Summary};
use crate::output::{Output, reserve};
use std::fs::File;
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Seals `input` into the new file `output`, under a new random IV, in one pass.
///
/// # Errors
/// [`FileMisuse::TooLong`](crate::FileMisuse::TooLong) for more than [`MAX_PLAINTEXT`](super::MAX_PLAINTEXT) bytes: for a
/// regular file before anything is written, for a device or a pipe as soon as it has delivered that many. Otherwise as
/// [`seal_file`](crate::seal_file): no error leaves an output; a device or a pipe keeps the bytes that it received, which have
/// no tag.
pub fn seal_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    key: &Key,
    job: &Job<'_>,
) -> Result<Summary> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let source = Input::open(input)?;
    source.is_not(output)?;
    let extent = Extent::of_plaintext(source.len())?;
    let target = Output::create(output, job.existing)?;
    seal(&source, target, extent, key, job).map_err(|error| error.between(Some(input), Some(output)))
}

fn seal(source: &Input, mut target: Output<'_>, extent: Extent, key: &Key, job: &Job<'_>) -> Result<Summary> {
    match target.file() {
        Some(file) if source.has_length() => {
            let cipher = Cipher::new(key, aead::random()?);
            reserve(file, extent.sealed())?;
            let prints = Sealing { source, cipher: &cipher, extent, sealed: file }.prints(job)?;
            source.check_unchanged()?;
            let tag = cipher.tag(extent, &prints);
            let end = extent.sealed() - TAG as u64;
            write_all_at(file, &mut [IoSlice::new(&tag[..])], end)?;
            target.commit()?;
            Ok(Summary::new(extent.plaintext(), extent.sealed()))
        }
        _ => {
            let sealed = stream::seal_stream(source, &mut target, key, job);
            let summary = source.unless_changed(sealed)?;
            target.commit().map(|()| summary)
        }
    }
}

/// Opens `input` into the new file `output`, in two passes: the first authenticates all of `input` and writes nothing,
/// the second decrypts what the first has seen. [`Progress`] counts either as half of the work.
///
/// # Errors
/// [`Tampered`](crate::Error::Tampered) where the tag does not fit, or where a segment is not the same in both passes;
/// [`InputChanged`](crate::Error::InputChanged) where `input` became shorter meanwhile (writing the same bytes again is not a
/// change); [`Malformed`](crate::Error::Malformed) for a length that no payload has;
/// [`FileMisuse::ReadsOnce`](crate::FileMisuse::ReadsOnce) for an input that is not a regular file (spool it, or use
/// [`open_seekable`](super::open_seekable)); otherwise as [`open_file`](crate::open_file). No error leaves an output; a device
/// or a pipe has received authentic bytes only.
pub fn open_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    key: &Key,
    job: &Job<'_>,
) -> Result<Summary> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let source = Input::open_regular(input)?;
    source.is_not(output)?;
    let extent = Extent::of_sealed(source.len())?;
    let target = Output::create(output, job.existing)?;
    open(&source, target, extent, key, job).map_err(|error| error.between(Some(input), Some(output)))
}

fn open(source: &Input, mut target: Output<'_>, extent: Extent, key: &Key, job: &Job<'_>) -> Result<Summary> {
    let Some(file) = target.file() else {
        return stream::open_seekable(source, &mut target, key, job);
    };
    let segments = Segments { source, extent };
    let (cipher, prints) = half(job, 0, |job| segments.authenticate(key, job))?;
    reserve(file, extent.plaintext())?;
    let release = |segment: u64, text: &mut [u8]| {
        cipher.release(segment, &prints[segment as usize], text)?;
        write_all_at(file, &mut [IoSlice::new(text)], extent.start(segment))
    };
    half(job, extent.plaintext(), |job| segments.each(job, release))?;
    target.commit()?;
    Ok(Summary::new(extent.sealed(), extent.plaintext()))
}

/// One half of the work: the same job, which reports `before` more bytes, and half of them.
fn half<T>(job: &Job<'_>, before: u64, pass: impl FnOnce(&Job<'_>) -> T) -> T {
    let report = |progress: Progress| job.report((before + progress.done) / 2, progress.total);
    let job = if job.progress.is_some() { job.progress(&report) } else { *job };
    pass(&job)
}

/// A file that is sealed into another.
struct Sealing<'a> {
    source: &'a Input,
    cipher: &'a Cipher<'a>,
    extent: Extent,
    sealed: &'a File,
}

/// Where a segment lies in its buffer; what is written with it ends there.
const LEAD: usize = 64;

impl Sealing<'_> {
    /// Writes IV and ciphertext; returns what the tag is made of.
    fn prints(&self, job: &Job<'_>) -> Result<Vec<Print>> {
        let (segments, plaintext) = (self.extent.segments(), self.extent.plaintext());
        let prints = Prints::of(segments);
        let job = job.with_threads_for(segments);
        let region = job.pieces_in_a_row(segments);
        job.in_parallel(
            segments.div_ceil(region),
            plaintext,
            || buffer(self.extent),
            |index, buffer| {
                let first = index * region;
                self.seal_region(first..segments.min(first + region), buffer, &prints)
            },
        )?;
        Ok(prints.into_vec())
    }

    /// Seals segments in a row. In the output all are behind the IV, so each write but the last leaves out as many
    /// bytes, to end at a whole mebibyte as those of `sealmark/1` do (`file.rs`); they lead the next.
    fn seal_region(&self, segments: Range<u64>, buffer: &mut [u8], prints: &Prints) -> Result<u64> {
        let (first, last) = (segments.start, segments.end - 1);
        buffer[LEAD - IV..LEAD].copy_from_slice(self.cipher.iv());
        for segment in segments {
            let (start, end) = (self.extent.start(segment), LEAD + self.extent.bytes(segment));
            let text = &mut buffer[LEAD..end];
            self.source.read_at(&mut [IoSliceMut::new(text)], start)?;
            self.cipher.apply_key_stream(segment, text);
            prints.keep(segment, self.cipher.print(text));
            let from = if segment == first && first > 0 { LEAD } else { LEAD - IV };
            let to = if segment == last { end } else { end - IV };
            // The lead lies at the segment's own offset, as the IV does before the first.
            let at = start + (from + IV - LEAD) as u64;
            write_all_at(self.sealed, &mut [IoSlice::new(&buffer[from..to])], at)?;
            buffer.copy_within(end - IV..end, LEAD - IV);
        }
        let end = self.extent.start(last) + self.extent.bytes(last) as u64;
        Ok(end - self.extent.start(first))
    }
}

/// The segments of a sealed file.
struct Segments<'a> {
    source: &'a Input,
    extent: Extent,
}

impl Segments<'_> {
    /// Does `work` on each segment's bytes, in any order.
    fn each(&self, job: &Job<'_>, work: impl Fn(u64, &mut [u8]) -> Result<()> + Sync) -> Result<()> {
        let extent = self.extent;
        job.with_threads_for(extent.segments()).in_parallel(
            extent.segments(),
            extent.plaintext(),
            || buffer(extent),
            |segment, buffer| {
                let text = &mut buffer[..extent.bytes(segment)];
                self.source.read_at(&mut [IoSliceMut::new(text)], IV as u64 + extent.start(segment))?;
                work(segment, text)?;
                Ok(text.len() as u64)
            },
        )
    }

    /// The first pass. Without an error, the tag is that of the segments with these prints.
    fn authenticate<'k>(&self, key: &'k Key, job: &Job<'_>) -> Result<(Cipher<'k>, Vec<Print>)> {
        let (mut iv, mut tag) = ([0; IV], [0; TAG]);
        self.source.read_at(&mut [IoSliceMut::new(&mut iv)], 0)?;
        self.source.read_at(&mut [IoSliceMut::new(&mut tag)], self.extent.sealed() - TAG as u64)?;
        let cipher = Cipher::new(key, iv);
        let prints = Prints::of(self.extent.segments());
        self.each(job, |segment, text| {
            prints.keep(segment, cipher.print(text));
            Ok(())
        })?;
        let prints = prints.into_vec();
        cipher.authenticate(self.extent, &prints, &tag)?;
        Ok((cipher, prints))
    }
}

/// Room for a segment and what leads it.
fn buffer(extent: Extent) -> Wiped {
    let segment = extent.plaintext().min(SEGMENT as u64) as usize;
    Wiped::new(Buffer::for_job(LEAD + segment))
}

/// A print of each segment, in any order.
struct Prints(Mutex<Vec<Print>>);

impl Prints {
    fn of(segments: u64) -> Self {
        Self(Mutex::new(vec![Print::default(); segments as usize]))
    }

    fn keep(&self, segment: u64, print: Print) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[segment as usize] = print;
    }

    fn into_vec(self) -> Vec<Print> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

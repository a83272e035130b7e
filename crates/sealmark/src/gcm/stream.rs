//! From any reader to any writer, segment by segment and in order.

use super::cipher::{Cipher, Print};
use super::extent::{Extent, IV, SEGMENT, TAG};
use super::key::Key;
use crate::aead::{self, equal};
use crate::buffer::{Buffer, Wiped};
use crate::error::{Error, Part, Result};
use crate::input::CHANGED;
use crate::job::{Job, Summary};
use crate::run::{Ahead, Filled, retry};
use std::io::{self, IoSliceMut, Read, Seek, SeekFrom, Write};

/// Seals all of `input`, in one pass and on this thread. Only `job.progress` is used.
///
/// # Errors
/// [`FileMisuse::TooLong`](crate::FileMisuse::TooLong) as soon as `input` turns out to have more than
/// [`MAX_PLAINTEXT`](super::MAX_PLAINTEXT) bytes; [`Error::Read`] and [`Error::Write`] for its two ends. The
/// output that was written by then has no tag, and no reader opens it.
pub fn seal_stream<R: Read, W: Write>(input: R, output: W, key: &Key, job: &Job<'_>) -> Result<Summary> {
    seal_with(Cipher::new(key, aead::random()?), input, output, job)
}

/// The IV is the caller's to choose once; apart from vectors it is random.
pub(super) fn seal_with<R: Read, W: Write>(
    cipher: Cipher<'_>,
    input: R,
    mut output: W,
    job: &Job<'_>,
) -> Result<Summary> {
    let mut buffer = Wiped::new(Buffer::new(SEGMENT));
    let mut input = Ahead::new(input);
    let (mut extent, mut tag) = (Extent::of_plaintext(0)?, cipher.begin_tag());
    output.write_all(cipher.iv()).map_err(Error::output)?;
    loop {
        let Filled { bytes, last } = input.fill(&mut [IoSliceMut::new(&mut buffer[..SEGMENT])])?;
        let segment = extent.segments();
        extent = Extent::of_plaintext(extent.plaintext() + bytes as u64)?;
        if bytes > 0 {
            let text = &mut buffer[..bytes];
            cipher.apply_key_stream(segment, text);
            tag.add(&cipher.print(text), bytes);
            output.write_all(text).map_err(Error::output)?;
            job.report(extent.plaintext(), None);
        }
        if last {
            break;
        }
    }
    output.write_all(&tag.finish()[..]).and_then(|()| retry(|| output.flush())).map_err(Error::output)?;
    Ok(Summary::new(extent.plaintext(), extent.sealed()))
}

/// Opens `input` from its current position to its end, in two passes on this thread: the first authenticates all of it and
/// writes nothing, the second decrypts what the first has seen. Only `job.progress` is used; it counts either pass as half of
/// the work.
///
/// A pipe or a socket cannot be read twice: spool it into a file of your own first.
///
/// # Errors
/// [`Error::Tampered`] if the tag does not match: nothing was written. If a segment is not what it was in the first pass,
/// [`Error::Tampered`], or [`Error::InputChanged`] if `input` became shorter: the output is authentic and ends before that
/// segment. [`Error::Malformed`] for a length that no payload has; [`Error::Read`] and [`Error::Write`] for the two ends.
pub fn open_seekable<R: Read + Seek, W: Write>(
    mut input: R,
    mut output: W,
    key: &Key,
    job: &Job<'_>,
) -> Result<Summary> {
    let start = retry(|| input.stream_position())?;
    let end = retry(|| input.seek(SeekFrom::End(0)))?;
    let extent = Extent::of_sealed(end.saturating_sub(start))?;
    let mut pass = Pass { input, extent, buffer: Wiped::new(Buffer::new(SEGMENT)), job };
    retry(|| pass.input.seek(SeekFrom::Start(start)))?;
    let cipher = Cipher::new(key, pass.read()?);
    // A vector that grows leaves what it held behind; at most 1 MiB.
    let mut prints: Vec<Print> = Vec::with_capacity(extent.segments() as usize);
    pass.each(0, |_, text| {
        prints.push(cipher.print(text));
        Ok(())
    })?;
    cipher.authenticate(extent, &prints, &pass.read()?)?;
    retry(|| pass.input.seek(SeekFrom::Start(start + IV as u64)))?;
    pass.each(extent.plaintext(), |segment, text| {
        cipher.release(segment, &prints[segment as usize], text)?;
        output.write_all(text).map_err(Error::output)
    })?;
    retry(|| output.flush()).map_err(Error::output)?;
    Ok(Summary::new(extent.sealed(), extent.plaintext()))
}

/// Authenticates all of `input`, in one pass and on this thread, and decrypts nothing. `input` may be a pipe. Only
/// `job.progress` is used.
///
/// # Errors
/// [`Error::Tampered`] if the tag does not match; [`Error::Malformed`] for a length that no payload has; [`Error::Read`].
pub fn verify_stream<R: Read>(input: R, key: &Key, job: &Job<'_>) -> Result<Summary> {
    let (mut input, mut buffer, mut iv) = (Ahead::new(input), Buffer::new(TAG + SEGMENT), [0; IV]);
    let Filled { bytes, mut last } =
        input.fill(&mut [IoSliceMut::new(&mut iv), IoSliceMut::new(&mut buffer[..TAG])])?;
    let mut extent = Extent::of_sealed(bytes as u64)?;
    let cipher = Cipher::new(key, iv);
    let mut tag = cipher.begin_tag();
    while !last {
        // The bytes that looked like the tag were ciphertext, if more follow.
        let filled = input.fill(&mut [IoSliceMut::new(&mut buffer[TAG..])])?;
        extent = Extent::of_sealed(extent.sealed() + filled.bytes as u64)?;
        tag.add(&cipher.print(&buffer[..filled.bytes]), filled.bytes);
        buffer.copy_within(filled.bytes..filled.bytes + TAG, 0);
        job.report(extent.plaintext(), None);
        last = filled.last;
    }
    if equal(&tag.finish()[..], &buffer[..TAG]) {
        Ok(Summary::new(extent.sealed(), extent.plaintext()))
    } else {
        Err(Error::Tampered(Part::Payload))
    }
}

/// The input of both passes, and their buffer.
struct Pass<'a, R> {
    input: R,
    extent: Extent,
    buffer: Wiped,
    job: &'a Job<'a>,
}

impl<R: Read> Pass<'_, R> {
    /// The IV, or the tag.
    fn read<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes).map_err(cut_short)?;
        Ok(bytes)
    }

    /// Reads the segments one after the other; reports `before` bytes more, and half of them.
    fn each(&mut self, before: u64, mut work: impl FnMut(u64, &mut [u8]) -> Result<()>) -> Result<()> {
        for segment in 0..self.extent.segments() {
            let text = &mut self.buffer[..self.extent.bytes(segment)];
            self.input.read_exact(text).map_err(cut_short)?;
            work(segment, text)?;
            let done = self.extent.start(segment) + text.len() as u64;
            self.job.report((before + done) / 2, Some(self.extent.plaintext()));
        }
        Ok(())
    }
}

/// The length was known before.
fn cut_short(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => CHANGED,
        _ => error.into(),
    }
}

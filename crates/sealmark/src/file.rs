//! Whole files, from path to path, in parallel.
//!
//! Every chunk's place in input and output is known beforehand, so threads pread, work and pwrite on their own. The
//! output has no name until it is whole.

use std::{
    fs::File,
    io::{self, IoSlice, IoSliceMut},
    ops::Range,
    path::Path,
};

use crate::{
    aead::{ChunkAt, ChunkCipher},
    at::{read_exact_at, write_all_at},
    buffer::Buffer,
    chunk::{Extent, Layout, TRUNCATED},
    ends::{Source, Target},
    error::{Error, Malformed, Misuse, Result},
    job::{Job, Summary},
    open::{self, Begun, OpenWith},
    run::{Run, open_one},
    seal::SealTo,
    stream,
};

/// Writes end at multiples of this. A page cache builds its largest folios from aligned writes, and while it does, it
/// holds the one lock of the output file: writes that straddle took a third longer and the other threads waited.
const ALIGNED: u64 = 1024 * 1024;

/// Seals `input` into the new file `output`.
pub fn seal_file(input: &Path, output: &Path, to: &SealTo, job: &Job<'_>) -> Result<Summary> {
    let source = Source::open(input, Some(output))?;
    let target = Target::create(output, job)?;
    if to.armored || !source.has_length || target.is_stream() {
        let summary = source.unless_changed(stream::seal_stream(&source.file, target.file(), to, job))?;
        return target.commit().map(|()| summary);
    }
    let (start, cipher) = to.begin()?;
    let layout = to.format.layout();
    let payload = Payload {
        layout,
        cipher: &cipher,
        extent: Extent { plaintext: source.length, chunks: layout.chunks(source.length) },
        sealed: target.file(),
        offset: start.len() as u64,
    };
    if payload.extent.chunks > layout.max_chunks() {
        return Err(Malformed::Payload("more chunks than the format allows").into());
    }
    let total = payload.offset + payload.sealed_len();
    target.reserve(total)?;
    target.write_start(&start)?;
    payload.seal_from(&source, job)?;
    target.commit()?;
    Ok(Summary { input: source.length, output: total })
}

/// Opens `input` into the new file `output`, which gets its name only when all of it is authentic.
pub fn open_file(input: &Path, output: &Path, with: &OpenWith<'_>, job: &Job<'_>) -> Result<Summary> {
    let source = Source::open(input, Some(output))?;
    let target = Target::create(output, job)?;
    let summary = open_into(&source, Some(&target), with, job)?;
    target.commit()?;
    Ok(summary)
}

/// Authenticates all of `input` and writes nothing.
pub fn verify_file(input: &Path, with: &OpenWith<'_>, job: &Job<'_>) -> Result<Summary> {
    open_into(&Source::open(input, None)?, None, with, job)
}

/// Copies `input` to the new file `output` with the plan of [`seal_file`] and no cipher: the lab's yardstick.
pub fn copy_file(input: &Path, output: &Path, job: &Job<'_>) -> Result<Summary> {
    let source = Source::open(input, Some(output))?;
    let target = Target::create(output, job)?;
    target.reserve(source.length)?;
    copy_bytes(&source, 0, target.file(), 0, job)?;
    target.commit()?;
    Ok(Summary { input: source.length, output: source.length })
}

/// Gives `input` a new header and carries the payload over as it is, still sealed.
///
/// This takes the file from nobody who could open it before, and a classic header that somebody recorded stays
/// what it is: from classic to post-quantum keys, [`reencrypt_file`] instead. `output` may be `input` where
/// `job.existing` allows replacing it.
pub fn rekey_file(
    input: &Path,
    output: &Path,
    with: &OpenWith<'_>,
    to: &SealTo,
    job: &Job<'_>,
) -> Result<Summary> {
    let source = Source::open(input, None)?;
    let mut sealed = open::read_header(&source.file, with)?;
    if sealed.header.format != to.format {
        return Err(Misuse::FormatChange.into());
    }
    if to.is_post_quantum() && !sealed.header.is_post_quantum() {
        return Err(Misuse::ReencryptNeeded.into());
    }
    if source.has_length && !sealed.input.is_armored() {
        // What is truncated already is not worth a new header.
        to.format.layout().extent(source.length.saturating_sub(sealed.header.len()))?;
    }
    let target = Target::create(output, job)?;
    let header = to.header(&sealed.file_key)?;
    if sealed.input.is_armored() || to.armored || !source.has_length || target.is_stream() {
        let copied = stream::copy_payload(&header, &mut sealed.input, target.file(), to, job);
        let summary = source.unless_changed(copied)?;
        return target.commit().map(|()| summary);
    }
    let payload = source.length - sealed.header.len();
    target.reserve(header.len() as u64 + payload)?;
    target.write_start(&header)?;
    copy_bytes(&source, sealed.header.len(), target.file(), header.len() as u64, job)?;
    target.commit()?;
    Ok(Summary { input: source.length, output: header.len() as u64 + payload })
}

/// Seals the plaintext of `input` anew, under a new file key, without putting it on a disk in between.
pub fn reencrypt_file(
    input: &Path,
    output: &Path,
    with: &OpenWith<'_>,
    to: &SealTo,
    job: &Job<'_>,
) -> Result<Summary> {
    let source = Source::open(input, None)?;
    let target = Target::create(output, job)?;
    let opener = open::Opener::new(&source.file, with)?;
    let summary = source.unless_changed(stream::seal_stream(opener, target.file(), to, job))?;
    target.commit()?;
    Ok(summary)
}

/// Opens into `target`, or only verifies.
fn open_into(
    source: &Source,
    target: Option<&Target>,
    with: &OpenWith<'_>,
    job: &Job<'_>,
) -> Result<Summary> {
    let Begun { header, cipher, layout, input } = open::begin(&source.file, with)?;
    let before = header.len() + layout.prefix() as u64;
    if input.is_armored() || !source.has_length || target.is_some_and(Target::is_stream) {
        return source.unless_changed(match target {
            Some(target) => stream::open_begun(input, layout, cipher, before, target.file(), job),
            None => stream::open_begun(input, layout, cipher, before, io::sink(), job),
        });
    }
    let extent = layout.extent(source.length.checked_sub(header.len()).ok_or(TRUNCATED)?)?;
    let payload = Payload { layout, cipher: &cipher, extent, sealed: &source.file, offset: before };
    payload.check_end()?;
    if let Some(target) = target {
        target.reserve(extent.plaintext)?;
    }
    payload.open_to(source, target.map(Target::file), job)?;
    Ok(Summary { input: source.length, output: extent.plaintext })
}

/// A payload in a file: `offset` is where its first chunk lies in `sealed`.
struct Payload<'a> {
    layout: Layout,
    cipher: &'a ChunkCipher,
    extent: Extent,
    sealed: &'a File,
    offset: u64,
}

impl Payload<'_> {
    fn sealed_len(&self) -> u64 {
        self.layout.sealed(self.extent.plaintext) - self.layout.prefix() as u64
    }

    /// Where a piece starts, how long it is, and whether it is the last.
    fn piece(&self, index: u64) -> Piece {
        let slots = Run::full_slots(self.layout) as u64;
        let first = index * slots;
        let chunk = self.layout.chunk() as u64;
        let chunks = slots.min(self.extent.chunks - first);
        let plaintext = (chunks * chunk).min(self.extent.plaintext - first * chunk) as usize;
        let sealed = plaintext + chunks as usize * crate::aead::TAG;
        Piece { first, plaintext, sealed, last: first + chunks == self.extent.chunks }
    }

    fn pieces(&self) -> u64 {
        self.extent.chunks.div_ceil(Run::full_slots(self.layout) as u64)
    }

    fn plain_at(&self, piece: &Piece) -> u64 {
        piece.first * self.layout.chunk() as u64
    }

    fn sealed_at(&self, piece: &Piece) -> u64 {
        self.offset + piece.first * self.layout.sealed_chunk() as u64
    }

    fn new_run(&self) -> Run {
        Run::for_chunks(self.layout, self.extent.chunks)
    }

    fn seal_from(&self, source: &Source, job: &Job<'_>) -> Result<()> {
        let job = job.with_threads_for(self.pieces());
        let region = self.region_chunks(&job);
        job.in_parallel(
            self.extent.chunks.div_ceil(region),
            source.length,
            || self.new_run(),
            |index, run| {
                let first = index * region;
                self.seal_region(source, run, first..self.extent.chunks.min(first + region))
            },
        )?;
        source.check_unchanged()
    }

    /// Chunks that one thread seals in a row.
    fn region_chunks(&self, job: &Job<'_>) -> u64 {
        Run::full_slots(self.layout) as u64 * job.pieces_in_a_row(self.pieces())
    }

    /// Seals some chunks, and writes them in pieces that end at multiples of [`ALIGNED`]; what is sealed beyond
    /// waits for the next piece.
    fn seal_region(&self, source: &Source, run: &mut Run, chunks: Range<u64>) -> Result<u64> {
        let (chunk, sealed_chunk) = (self.layout.chunk() as u64, self.layout.sealed_chunk());
        let start = chunks.start * chunk;
        let mut next = chunks.start;
        let mut offset = self.offset + next * sealed_chunk as u64;
        run.keep_as_lead(0, 0);
        while next < chunks.end {
            let room = (ALIGNED - offset % ALIGNED) as usize;
            let count = ((room - run.lead()).div_ceil(sealed_chunk) as u64).min(chunks.end - next);
            let plaintext = (count * chunk).min(self.extent.plaintext - next * chunk) as usize;
            source.read_at(&mut run.plain_mut(plaintext), next * chunk)?;
            let last = next + count == self.extent.chunks;
            let ready = run.lead() + run.seal(self.cipher, next, plaintext, last);
            next += count;
            let written = if next == chunks.end { ready } else { room };
            write_all_at(self.sealed, &mut [IoSlice::new(run.sealed(written))], offset)
                .map_err(Error::output)?;
            offset += written as u64;
            run.keep_as_lead(written, ready);
        }
        Ok(self.extent.plaintext.min(next * chunk) - start)
    }

    fn open_to(&self, source: &Source, target: Option<&File>, job: &Job<'_>) -> Result<()> {
        job.in_parallel(
            self.pieces(),
            self.sealed_len(),
            || self.new_run(),
            |index, run| {
                let piece = self.piece(index);
                source
                    .read_at(&mut [IoSliceMut::new(run.sealed_mut(piece.sealed))], self.sealed_at(&piece))?;
                let opened = run.open(self.cipher, piece.first, piece.sealed, piece.last);
                opened.failure.map_or(Ok(()), Err)?;
                if let Some(target) = target {
                    let at = self.plain_at(&piece);
                    write_all_at(target, &mut run.plain(piece.plaintext), at).map_err(Error::output)?;
                }
                Ok(piece.sealed as u64)
            },
        )?;
        source.check_unchanged()
    }

    /// Authenticates the final chunk, and so the length: a truncated file ends here, before any work.
    fn check_end(&self) -> Result<()> {
        let index = self.extent.chunks - 1;
        let mut slot = vec![0; self.layout.sealed_chunk_at(self.extent, index)];
        let offset = self.offset + index * self.layout.sealed_chunk() as u64;
        read_exact_at(self.sealed, &mut [IoSliceMut::new(&mut slot)], offset)?;
        open_one(self.layout, self.cipher, ChunkAt { index, last: true }, &mut slot).map(drop)
    }
}

struct Piece {
    first: u64,
    plaintext: usize,
    sealed: usize,
    last: bool,
}

/// Copies what lies behind `from` in parallel, in pieces that are aligned in the target.
fn copy_bytes(source: &Source, from: u64, target: &File, to: u64, job: &Job<'_>) -> Result<()> {
    let end = to + source.length - from;
    job.in_parallel(
        end.div_ceil(ALIGNED) - to / ALIGNED,
        source.length - from,
        || Buffer::for_job(source.length, ALIGNED.min(end) as usize),
        |index, buffer| {
            let start = (to / ALIGNED + index) * ALIGNED;
            let (start, stop) = (start.max(to), (start + ALIGNED).min(end));
            let bytes = &mut buffer[..(stop - start) as usize];
            source.read_at(&mut [IoSliceMut::new(bytes)], from + start - to)?;
            write_all_at(target, &mut [IoSlice::new(bytes)], start).map_err(Error::output)?;
            Ok(bytes.len() as u64)
        },
    )?;
    source.check_unchanged()
}

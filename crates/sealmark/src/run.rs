//! A run of consecutive chunks in one buffer: what one thread seals or opens at a time.
//!
//! Each slot holds a sealed chunk; the plaintext lies at its start. Sealed bytes are therefore contiguous
//! and plaintext is scattered, which vectored I/O reads and writes without a copy.

use crate::aead::{ChunkAt, ChunkCipher, TAG};
use crate::buffer::Buffer;
use crate::chunk::{EMPTY_LAST, Layout, TOO_MANY, TRUNCATED};
use crate::error::{Error, Result};
use crate::format::Mark;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};

/// Plaintext bytes of a full run: large enough for the largest folios of a page cache, small enough that a core finds
/// it in its caches again.
const RUN_BYTES: usize = 1024 * 1024;

/// Wiped when dropped: it may hold plaintext.
pub(crate) struct Run {
    buffer: Buffer,
    /// The bytes from the start of the buffer that were written to. Memory that was never touched has no page yet,
    /// and wiping it would make one.
    touched: usize,
    layout: Layout,
    slots: usize,
    /// The first chunk of a leaf that was opened, compared with its signature, and not written over since.
    leaf: Option<u64>,
    /// Where the first slot starts. Before it lie sealed bytes of the run before that were not written yet.
    lead: usize,
}

/// The result of opening a run: authentic plaintext bytes, and the reason why there are no more.
pub(crate) struct Opened {
    pub plaintext: usize,
    pub failure: Option<Error>,
}

impl Run {
    /// A full run of a layout.
    pub fn new(layout: Layout) -> Self {
        let slots = Self::full_slots(layout);
        Self {
            buffer: Buffer::new(Self::room(layout, slots)),
            touched: 0,
            layout,
            slots,
            leaf: None,
            lead: 0,
        }
    }

    /// A run for a payload of `chunks`, and no longer than that.
    pub fn for_chunks(layout: Layout, chunks: u64) -> Self {
        let slots = chunks.min(Self::full_slots(layout) as u64) as usize;
        let buffer = Buffer::for_job(Self::room(layout, slots));
        Self { buffer, touched: 0, layout, slots, leaf: None, lead: 0 }
    }

    /// Two slots more than are filled: one for the lead, one for the empty chunk that ends a full last run. A payload of one chunk
    /// has neither, and clearing room for them would take as long as sealing it.
    const fn room(layout: Layout, slots: usize) -> usize {
        if slots == 1 { layout.sealed_chunk() } else { (slots + 2) * layout.sealed_chunk() }
    }

    pub const fn full_slots(layout: Layout) -> usize {
        RUN_BYTES / layout.chunk()
    }

    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Plaintext bytes that fill this run.
    pub fn plain_capacity(&self) -> usize {
        self.slots * self.layout.chunk()
    }

    /// Sealed bytes that fill this run.
    pub fn sealed_capacity(&self) -> usize {
        self.slots * self.layout.sealed_chunk()
    }

    /// The first `bytes` of plaintext, slot by slot.
    pub fn plain(&self, bytes: usize) -> Vec<IoSlice<'_>> {
        let chunk = self.layout.chunk();
        let slots = self.buffer[self.lead..].chunks(self.layout.sealed_chunk()).take(bytes.div_ceil(chunk));
        slots.enumerate().map(|(i, slot)| IoSlice::new(&slot[..chunk.min(bytes - i * chunk)])).collect()
    }

    /// Room for the first `bytes` of plaintext, slot by slot.
    pub fn plain_mut(&mut self, bytes: usize) -> Vec<IoSliceMut<'_>> {
        self.leaf = None;
        self.touched = self.touched.max(self.end_of_plain(bytes));
        let chunk = self.layout.chunk();
        let slots =
            self.buffer[self.lead..].chunks_mut(self.layout.sealed_chunk()).take(bytes.div_ceil(chunk));
        slots
            .enumerate()
            .map(|(i, slot)| IoSliceMut::new(&mut slot[..chunk.min(bytes - i * chunk)]))
            .collect()
    }

    /// The first `bytes` that are sealed, the lead included.
    pub fn sealed(&self, bytes: usize) -> &[u8] {
        &self.buffer[..bytes]
    }

    /// Room for sealed bytes; there is no lead when a run is filled with them.
    pub fn sealed_mut(&mut self, bytes: usize) -> &mut [u8] {
        self.leaf = None;
        self.touched = self.touched.max(bytes);
        &mut self.buffer[..bytes]
    }

    /// Reads plaintext until the run is full or the input ends.
    pub fn fill_plain(&mut self, input: &mut Ahead<impl Read>) -> io::Result<Filled> {
        let before = self.touched;
        let capacity = self.plain_capacity();
        // Where reading fails, nobody knows how much it wrote.
        let filled = input.fill(&mut self.plain_mut(capacity))?;
        self.touched = before.max(self.end_of_plain(filled.bytes));
        Ok(filled)
    }

    /// Reads sealed bytes until the run is full or the input ends.
    pub fn fill_sealed(&mut self, input: &mut Ahead<impl Read>) -> io::Result<Filled> {
        let before = self.touched;
        let capacity = self.sealed_capacity();
        let filled = input.fill(&mut [IoSliceMut::new(self.sealed_mut(capacity))])?;
        self.touched = before.max(filled.bytes);
        Ok(filled)
    }

    /// Where the first `bytes` of plaintext end in the buffer.
    fn end_of_plain(&self, bytes: usize) -> usize {
        let tags_between = bytes.div_ceil(self.layout.chunk()).saturating_sub(1) * TAG;
        self.lead + bytes + tags_between
    }

    /// Bytes that wait before the first slot.
    pub fn lead(&self) -> usize {
        self.lead
    }

    /// Makes what lies sealed between `from` and `to` the lead of the next run; less than a chunk.
    pub fn keep_as_lead(&mut self, from: usize, to: usize) {
        self.buffer.copy_within(from..to, 0);
        self.lead = to - from;
    }

    /// Appends plaintext behind the `filled` bytes that are there already; returns how much it took.
    pub fn push(&mut self, filled: usize, input: &[u8]) -> usize {
        let chunk = self.layout.chunk();
        let (slot, offset) = (filled / chunk, filled % chunk);
        if slot == self.slots {
            return 0;
        }
        let taken = input.len().min(chunk - offset);
        let start = slot * self.layout.sealed_chunk() + offset;
        self.touched = self.touched.max(start + taken);
        self.buffer[start..start + taken].copy_from_slice(&input[..taken]);
        taken
    }

    /// `length` bytes of plaintext from the start of a chunk, and within it.
    pub fn plain_chunk(&self, at: usize, length: usize) -> &[u8] {
        &self.buffer[self.start_of(at)..][..length]
    }

    /// True if the leaf that starts with this chunk is still there.
    pub fn holds_leaf(&self, first: u64) -> bool {
        self.leaf == Some(first)
    }

    /// Remembers that the leaf that starts with this chunk was opened and compared.
    pub fn keep_leaf(&mut self, first: u64) {
        self.leaf = Some(first);
    }

    /// Copies plaintext from `from` on, at most to `end` and within one slot; returns how much it gave.
    pub fn copy_plain(&self, from: usize, end: usize, out: &mut [u8]) -> usize {
        let chunk = self.layout.chunk();
        let (slot, offset) = (from / chunk, from % chunk);
        let given = out.len().min(chunk - offset).min(end - from);
        let start = slot * self.layout.sealed_chunk() + offset;
        out[..given].copy_from_slice(&self.buffer[start..start + given]);
        given
    }

    /// Seals the first `plaintext` bytes as the chunks from `first` on; returns their sealed bytes.
    pub fn seal(&mut self, cipher: &ChunkCipher, first: u64, plaintext: usize, last: bool) -> usize {
        let chunks = if last {
            // The last chunk may be short, and an empty payload has one.
            self.layout.chunks(plaintext as u64) as usize
        } else {
            plaintext / self.layout.chunk()
        };
        let sealed = plaintext + chunks * TAG;
        self.touched = self.touched.max(self.lead + sealed);
        let slots = self.buffer[self.lead..][..sealed].chunks_mut(self.layout.sealed_chunk());
        // An empty last chunk is shorter than a slot, and `chunks_mut` gives it as the remainder.
        for (i, slot) in slots.enumerate() {
            cipher.seal(ChunkAt { index: first + i as u64, last: last && i + 1 == chunks }, slot);
        }
        sealed
    }

    /// Where the chunk lies, among the first `plaintext` bytes, that starts with an index's mark.
    pub fn find_mark(&self, mark: &Mark, plaintext: usize) -> Option<usize> {
        let chunk = self.layout.chunk();
        (0..plaintext).step_by(chunk).find(|at| self.buffer[self.start_of(*at)..].starts_with(mark))
    }

    /// Gives the index that starts at `at` the mark of another file key.
    pub fn renew_mark(&mut self, at: usize, mark: &Mark) {
        let start = self.start_of(at);
        self.buffer[start..start + mark.len()].copy_from_slice(mark);
    }

    /// Where the plaintext at the start of a chunk lies in the buffer.
    fn start_of(&self, plaintext: usize) -> usize {
        self.lead + plaintext / self.layout.chunk() * self.layout.sealed_chunk()
    }

    /// Opens the first `sealed` bytes as the chunks from `first` on, in order, until one is not authentic.
    pub fn open(&mut self, cipher: &ChunkCipher, first: u64, sealed: usize, last: bool) -> Opened {
        let size = self.layout.sealed_chunk();
        let chunks = sealed.div_ceil(size);
        let mut plaintext = 0;
        for (i, slot) in self.buffer[..sealed].chunks_mut(size).enumerate() {
            let at = ChunkAt { index: first + i as u64, last: last && i + 1 == chunks };
            match open_one(self.layout, cipher, at, slot) {
                Ok(bytes) => plaintext += bytes,
                Err(error) => return Opened { plaintext, failure: Some(error) },
            }
        }
        // Every chunk may be authentic and the payload still lack its end.
        let truncated = last && self.layout.chunks(plaintext as u64) != chunks as u64;
        Opened { plaintext, failure: truncated.then(|| TRUNCATED.into()) }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.buffer.wipe(self.touched);
    }
}

/// Opens one chunk in place after the checks that need no key.
pub(crate) fn open_one(layout: Layout, cipher: &ChunkCipher, at: ChunkAt, slot: &mut [u8]) -> Result<usize> {
    let Some(bytes) = slot.len().checked_sub(TAG) else {
        return Err(TRUNCATED.into());
    };
    if at.index >= layout.max_chunks() {
        return Err(TOO_MANY.into());
    }
    if layout == Layout::Age && bytes == 0 && at.index > 0 {
        return Err(EMPTY_LAST.into());
    }
    cipher.open(at, slot)?;
    Ok(bytes)
}

/// A reader that knows, with each full buffer, whether anything follows.
pub(crate) struct Ahead<R> {
    reader: R,
    byte: Option<u8>,
}

/// The bytes that [`Ahead`] read.
pub(crate) struct Filled {
    pub bytes: usize,
    pub last: bool,
}

impl<R: Read> Ahead<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, byte: None }
    }

    /// Fills all of `parts` unless the input ends first.
    pub fn fill(&mut self, mut parts: &mut [IoSliceMut<'_>]) -> io::Result<Filled> {
        let mut bytes = 0;
        if let Some(byte) = self.byte.take() {
            parts[0][0] = byte;
            bytes = 1;
            IoSliceMut::advance_slices(&mut parts, 1);
        }
        while !parts.is_empty() {
            match retry(|| self.reader.read_vectored(parts))? {
                0 => return Ok(Filled { bytes, last: true }),
                read => {
                    bytes += read;
                    IoSliceMut::advance_slices(&mut parts, read);
                }
            }
        }
        let mut next = [0];
        let more = retry(|| self.reader.read(&mut next))? == 1;
        self.byte = more.then_some(next[0]);
        Ok(Filled { bytes, last: !more })
    }
}

/// Writes all of `parts`.
pub(crate) fn write_all_vectored(output: &mut impl Write, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    while !parts.is_empty() {
        match retry(|| output.write_vectored(parts))? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => IoSlice::advance_slices(&mut parts, written),
        }
    }
    Ok(())
}

/// Runs `call` again as long as a signal interrupts it.
pub(crate) fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
pub(crate) mod vectors;

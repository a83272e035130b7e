//! A payload in a file: every chunk's place is known, so threads read and write it at once.

use crate::aead::{ChunkAt, ChunkCipher, TAG};
use crate::archive::footer::{FOOTER, Footer, NO_INDEX};
use crate::at::write_all_at;
use crate::buffer::{Buffer, Wiped};
use crate::chunk::{Extent, Layout};
use crate::error::{Malformed, Result};
use crate::format::Mark;
use crate::input::Input;
use crate::job::Job;
use crate::run::{Ahead, Run, open_one};
use crate::sign::{
    Block, Expected, FileSigner, Hash, LEAF, Leaves, NO_SIGNATURE, Place, Signed, Tree, hash_of,
};
use std::fs::File;
use std::io::{IoSlice, IoSliceMut, Read};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// Writes end at multiples of this. A page cache builds its largest folios from aligned writes, and while it does, it
/// holds the one lock of the output file: writes that straddle took a third longer and the other threads waited.
pub(crate) const ALIGNED: u64 = 1024 * 1024;

/// A payload in a file: `offset` is where its first chunk lies.
pub(crate) struct Payload<'a> {
    pub layout: Layout,
    pub cipher: &'a ChunkCipher,
    pub extent: Extent,
    pub offset: u64,
    /// The signature, once it was read.
    pub signature: Option<&'a Signature>,
}

/// A signature in a file. If the signature of a known sender was asked for, each read is compared with the leaves.
pub(crate) struct Signature {
    /// Bytes that are signed: the content, and the index of an archive.
    pub length: u64,
    pub signed: Signed,
    mark: Mark,
    leaves: Option<Leaves>,
}

impl Signature {
    /// Refuses a run, which starts where a leaf does, that is not what the sender signed.
    pub fn check(&self, start: u64, run: &Run) -> Result<()> {
        let length = self.length.saturating_sub(start).min(LEAF) as usize;
        if run.find_mark(&self.mark, length).is_some() {
            return Err(NO_SIGNATURE.into());
        }
        match &self.leaves {
            Some(leaves) if length > 0 => leaves.check(start, run.plain(length).iter().map(|part| &**part)),
            _ => Ok(()),
        }
    }
}

impl Payload<'_> {
    pub fn sealed_len(&self) -> u64 {
        self.layout.sealed(self.extent.plaintext) - self.layout.prefix() as u64
    }

    fn pieces(&self) -> u64 {
        self.extent.chunks.div_ceil(Run::full_slots(self.layout) as u64)
    }

    /// The job, with a thread for every two pieces unless the caller chose: a thread takes as long to start as to seal a piece,
    /// and the second piece of a file of one mebibyte is empty.
    fn with_threads<'j>(&self, job: &Job<'j>) -> Job<'j> {
        job.with_threads_for(if job.threads.is_some() { self.pieces() } else { self.pieces() / 2 })
    }

    pub fn new_run(&self) -> Run {
        Run::for_chunks(self.layout, self.extent.chunks)
    }

    pub fn seal_from(&self, source: &Input, sealed: &File, job: &Job<'_>) -> Result<()> {
        self.seal_chunks(source, sealed, self.extent.chunks, job, None)?;
        source.check_unchanged()
    }

    /// Seals `source`, zeros and a signature. All but the last leaf of the source is sealed and hashed in parallel.
    pub fn seal_signed(
        &self,
        source: &Input,
        sealed: &File,
        signer: &FileSigner,
        job: &Job<'_>,
    ) -> Result<()> {
        let full = source.len() / LEAF;
        let chunks = full * Run::full_slots(self.layout) as u64;
        let hashes = Mutex::new(vec![Hash::default(); full as usize]);
        self.seal_chunks(source, sealed, chunks, job, Some(&hashes))?;
        let rest = source.len() - full * LEAF;
        let mut last = Zeroizing::new(vec![0; rest as usize]);
        if rest > 0 {
            source.read_at(&mut [IoSliceMut::new(&mut last)], full * LEAF)?;
        }
        source.check_unchanged()?;
        let mut leaves = Leaves {
            hashes: hashes.into_inner().unwrap_or_else(PoisonError::into_inner),
            length: source.len(),
        };
        if rest > 0 {
            leaves.hashes.push(hash_of([&last[..]]));
        }
        let after = signer.after(&leaves)?;
        self.seal_end(chunks, Read::chain(&last[..], &after[..]), sealed)
    }

    /// Seals `rest` as the last chunks, from `first` on.
    fn seal_end(&self, mut first: u64, rest: impl Read, sealed: &File) -> Result<()> {
        let (mut rest, mut run) = (Ahead::new(rest), self.new_run());
        loop {
            let filled = run.fill_plain(&mut rest)?;
            let bytes = run.seal(self.cipher, first, filled.bytes, filled.last);
            let offset = self.offset + first * self.layout.sealed_chunk() as u64;
            write_all_at(sealed, &mut [IoSlice::new(run.sealed(bytes))], offset)?;
            if filled.last {
                return Ok(());
            }
            first += Run::full_slots(self.layout) as u64;
        }
    }

    fn seal_chunks(
        &self,
        source: &Input,
        sealed: &File,
        chunks: u64,
        job: &Job<'_>,
        hashes: Option<&Mutex<Vec<Hash>>>,
    ) -> Result<()> {
        let job = self.with_threads(job);
        let region = self.region_chunks(&job);
        job.in_parallel(
            chunks.div_ceil(region),
            source.len(),
            || self.new_run(),
            |index, run| {
                let first = index * region;
                let mut tree = hashes.map(|_| Tree::default());
                let range = first..chunks.min(first + region);
                let done = self.seal_region(source, sealed, run, range, tree.as_mut())?;
                if let (Some(hashes), Some(tree)) = (hashes, tree) {
                    let leaf = (first / Run::full_slots(self.layout) as u64) as usize;
                    let found = tree.finish().hashes;
                    let mut hashes = hashes.lock().unwrap_or_else(PoisonError::into_inner);
                    hashes[leaf..leaf + found.len()].copy_from_slice(&found);
                }
                Ok(done)
            },
        )
    }

    /// Chunks that one thread seals in a row.
    fn region_chunks(&self, job: &Job<'_>) -> u64 {
        Run::full_slots(self.layout) as u64 * job.pieces_in_a_row(self.pieces())
    }

    /// Seals some chunks, and writes them in pieces that end at multiples of [`ALIGNED`]; what is sealed beyond
    /// waits for the next piece.
    fn seal_region(
        &self,
        source: &Input,
        sealed: &File,
        run: &mut Run,
        chunks: Range<u64>,
        mut tree: Option<&mut Tree>,
    ) -> Result<u64> {
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
            if let Some(tree) = &mut tree {
                tree.update_parts(&run.plain(plaintext));
            }
            let last = next + count == self.extent.chunks;
            let ready = run.lead() + run.seal(self.cipher, next, plaintext, last);
            next += count;
            let written = if next == chunks.end { ready } else { room };
            write_all_at(sealed, &mut [IoSlice::new(run.sealed(written))], offset)?;
            offset += written as u64;
            run.keep_as_lead(written, ready);
        }
        Ok(self.extent.plaintext.min(next * chunk) - start)
    }

    /// Opens all of it, and writes the first `content` bytes of plaintext.
    pub fn open_to(
        &self,
        source: &Input,
        content: u64,
        mark: Option<&Mark>,
        target: Option<&File>,
        job: &Job<'_>,
    ) -> Result<()> {
        let write = |at, run: &Run, plaintext, (): &mut ()| match target {
            Some(target) => write_all_at(target, &mut run.plain(plaintext), at),
            None => Ok(()),
        };
        self.open_each(source, content, mark, job, || (), write)
    }

    /// Opens all of it, and calls `take` for the first `content` bytes of plaintext, in pieces: where one starts, the run that
    /// holds it, and its length. No chunk of an archive's content may start with its `mark`: readers in order would stop there.
    pub fn open_each<B>(
        &self,
        source: &Input,
        content: u64,
        mark: Option<&Mark>,
        job: &Job<'_>,
        buffers: impl Fn() -> B + Sync,
        take: impl Fn(u64, &Run, usize, &mut B) -> Result<()> + Sync,
    ) -> Result<()> {
        let (slots, chunk) = (Run::full_slots(self.layout) as u64, self.layout.chunk() as u64);
        self.with_threads(job).in_parallel(
            self.pieces(),
            self.sealed_len(),
            || (self.new_run(), buffers()),
            |index, (run, buffers)| {
                let first = index * slots;
                let (count, at) = (slots.min(self.extent.chunks - first), first * chunk);
                let plaintext = (count * chunk).min(self.extent.plaintext - at) as usize;
                let sealed = plaintext + count as usize * TAG;
                let sealed_at = self.offset + first * self.layout.sealed_chunk() as u64;
                source.read_at(&mut [IoSliceMut::new(run.sealed_mut(sealed))], sealed_at)?;
                let opened = run.open(self.cipher, first, sealed, first + count == self.extent.chunks);
                opened.failure.map_or(Ok(()), Err)?;
                self.check_leaf(at, run)?;
                let wanted = content.saturating_sub(at).min(plaintext as u64) as usize;
                if mark.is_some_and(|mark| run.find_mark(mark, wanted).is_some()) {
                    return Err(NO_INDEX.into());
                }
                if wanted > 0 {
                    take(at, run, wanted, buffers)?;
                }
                Ok(sealed as u64)
            },
        )?;
        source.check_unchanged()
    }

    /// Authenticates the final chunk, and so the length: a truncated file ends here, before any work.
    pub fn check_end(&self, source: &Input) -> Result<()> {
        let index = self.extent.chunks - 1;
        let mut slot = Wiped::new(Buffer::new(self.layout.sealed_chunk_at(self.extent, index)));
        let offset = self.offset + index * self.layout.sealed_chunk() as u64;
        source.read_at(&mut [IoSliceMut::new(&mut slot)], offset)?;
        open_one(self.layout, self.cipher, ChunkAt { index, last: true }, &mut slot).map(drop)
    }

    /// Appends a range of the plaintext to `out`. A range of at most [`Run`]'s length is the fastest.
    pub fn read(&self, source: &Input, range: Range<u64>, run: &mut Run, out: &mut Vec<u8>) -> Result<()> {
        let (slots, chunk) = (Run::full_slots(self.layout) as u64, self.layout.chunk() as u64);
        if range.end > self.extent.plaintext || range.start > range.end {
            return Err(Malformed::Archive("it names content beyond its end").into());
        }
        let mut at = range.start;
        let leaves = self.signature.and_then(|signature| signature.leaves.as_ref());
        while at < range.end {
            let first = if leaves.is_some() { at / LEAF * slots } else { at / chunk };
            let end = if leaves.is_some() { self.extent.chunks } else { range.end.div_ceil(chunk) };
            let count = (end - first).min(slots);
            let plaintext = (count * chunk).min(self.extent.plaintext - first * chunk) as usize;
            // Parts of an index are small, and several lie in one leaf.
            if !run.holds_leaf(first) {
                let sealed = plaintext + count as usize * TAG;
                let sealed_at = self.offset + first * self.layout.sealed_chunk() as u64;
                source.read_at(&mut [IoSliceMut::new(run.sealed_mut(sealed))], sealed_at)?;
                let opened = run.open(self.cipher, first, sealed, first + count == self.extent.chunks);
                opened.failure.map_or(Ok(()), Err)?;
                self.check_leaf(first * chunk, run)?;
                if leaves.is_some() {
                    run.keep_leaf(first);
                }
            }
            let end = (range.end - first * chunk).min(plaintext as u64) as usize;
            let mut skip = (at - first * chunk) as usize;
            for part in run.plain(end) {
                let from = skip.min(part.len());
                out.extend_from_slice(&part[from..]);
                skip -= from;
            }
            at = first * chunk + end as u64;
        }
        Ok(())
    }

    /// Bytes of plaintext before a signature.
    pub fn signed_len(&self) -> u64 {
        self.signature.map_or(self.extent.plaintext, |signature| signature.length)
    }

    fn check_leaf(&self, start: u64, run: &Run) -> Result<()> {
        self.signature.map_or(Ok(()), |signature| signature.check(start, run))
    }

    /// Reads the signature, and verifies it if that was asked for.
    pub fn read_signature(&self, source: &Input, expected: &Expected) -> Result<Signature> {
        let (mut run, end, mut bytes) = (self.new_run(), self.extent.plaintext, Vec::new());
        self.read(source, end.saturating_sub(Place::FOOTER as u64)..end, &mut run, &mut bytes)?;
        let place = Place::parse(&bytes, end)?;
        bytes.clear();
        self.read(source, place.length..end, &mut run, &mut bytes)?;
        let (padding, block) = bytes.split_at((place.start() - place.length) as usize);
        let block = Block::parse(place, &expected.mark, padding, block)?;
        let signed = block.check(expected)?;
        let leaves = expected.demand.is_some().then_some(block.leaves);
        Ok(Signature { length: place.length, signed, mark: expected.mark, leaves })
    }

    /// Where an archive ends and what its index says of itself.
    pub fn footer(&self, source: &Input, mark: &Mark) -> Result<Footer> {
        let mut run = self.new_run();
        let mut bytes = Vec::new();
        let end = self.signed_len();
        self.read(source, end.saturating_sub(FOOTER as u64)..end, &mut run, &mut bytes)?;
        let footer = Footer::parse(&bytes, end)?;
        bytes.clear();
        self.read(source, footer.content..footer.content + mark.len() as u64, &mut run, &mut bytes)?;
        if bytes == mark { Ok(footer) } else { Err(NO_INDEX.into()) }
    }
}

//! Reading an archive: its index, and the contents of single entries, on all cores.

use crate::aead::ChunkCipher;
use crate::archive::check;
use crate::archive::entry::{Kind, path_order};
use crate::archive::footer::Footer;
use crate::archive::index::{Block, Located, read_block};
use crate::at::write_all_at;
use crate::chunk::{Extent, Layout, TRUNCATED};
use crate::error::{Error, FileMisuse, Result};
use crate::input::Input;
use crate::job::Job;
use crate::key::OpenWith;
use crate::open::{self, Begun};
use crate::payload::{Payload, Signature};
use crate::run::Run;
use crate::sign::Signed;
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, IoSlice};
use std::ops::Range;
use zeroize::Zeroizing;

/// The longest content that [`Archive::read_small`] passes to its callback, in bytes.
pub const MAX_SMALL: u64 = 1 << 20;
/// Files that one thread reads at once, at most, so that the others have work, too.
const FILES_AT_ONCE: usize = 64;
/// Reading on over what is not wanted costs less than beginning anew.
const SMALL_GAP: u64 = 64 << 10;

/// A sealed archive in a regular file, from which entries can be read without the rest.
///
/// [`Archive::open`] authenticates the end of the file, and so its length. All other data is authenticated before it is
/// returned.
///
/// The [module](crate::archive) has an example.
pub struct Archive {
    input: Input,
    cipher: ChunkCipher,
    layout: Layout,
    extent: Extent,
    offset: u64,
    signature: Option<Signature>,
    footer: Footer,
    blocks: Vec<Block>,
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("entries", &self.footer.entries).finish_non_exhaustive()
    }
}

impl Archive {
    /// Reads the header and the end of the index.
    ///
    /// # Errors
    /// [`FileMisuse::NotAnArchive`], and [`FileMisuse::ArchiveStream`] if the file is armored or not a regular one. If `with` demands
    /// a signature, [`Error::Unsigned`], [`Error::UnknownSender`] and [`Error::Forwarded`].
    pub fn open(input: Input, with: &OpenWith<'_>) -> Result<Self> {
        let name = input.path().map(ToOwned::to_owned);
        Self::open_unnamed(input, with).map_err(|error| error.between(name.as_deref(), None))
    }

    fn open_unnamed(input: Input, with: &OpenWith<'_>) -> Result<Self> {
        let Begun { header, cipher, layout, input: sealed, mark, signature } = open::begin(&input, with)?;
        let mark = mark.ok_or(FileMisuse::NotAnArchive)?;
        if sealed.is_armored() || !input.has_length() {
            return Err(FileMisuse::ArchiveStream.into());
        }
        drop(sealed);
        let extent = layout.extent(input.len().checked_sub(header.len()).ok_or(TRUNCATED)?)?;
        let offset = header.len() + layout.prefix() as u64;
        let payload = Payload { layout, cipher: &cipher, extent, offset, signature: None };
        payload.check_end(&input)?;
        let signature = signature.map(|expected| payload.read_signature(&input, &expected)).transpose()?;
        let payload = Payload { signature: signature.as_ref(), ..payload };
        let footer = payload.footer(&input, &mark)?;
        let blocks = check::table(&payload, &input, &footer)?;
        Ok(Self { cipher, layout, extent, offset, signature, footer, blocks, input })
    }

    /// The signature of the archive, as far as it was checked. If it was, entries and contents are compared with it.
    pub fn signed(&self) -> Signed {
        self.signature.as_ref().map_or(Signed::No, |signature| signature.signed)
    }

    /// The number of entries.
    pub fn len(&self) -> u64 {
        self.footer.entries
    }

    /// True if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries whose path starts with `prefix`, in order. Only their part of the index is read. So nothing checks that the
    /// target of a hard link is a file of the archive; only [`verify_file`](crate::verify_file) does. Make hard links only to
    /// files that you extracted from this archive.
    pub fn entries<'a>(&'a self, prefix: &'a [u8]) -> Entries<'a> {
        let after = self.blocks.partition_point(|block| path_order(&block.first, prefix).is_le());
        Entries {
            archive: self,
            prefix,
            next: after.saturating_sub(1),
            read: VecDeque::new(),
            run: self.payload().new_run(),
        }
    }

    /// Calls `take` with the stored content of each of `files` that stores at most [`MAX_SMALL`] bytes, from several threads and in
    /// any order: use [`Archive::copy`] for the others. A file that is listed twice is read twice. The first error ends the work.
    ///
    /// # Errors
    /// [`Error::Write`] with the error of `take`, or the [`Error`] in it; [`Error::Tampered`] where the headers in the archive are
    /// not those that the index promises.
    pub fn read_small(
        &self,
        files: &[Located],
        job: &Job<'_>,
        take: impl Fn(&Located, &[u8]) -> io::Result<()> + Sync,
    ) -> Result<()> {
        let mut wanted: Vec<&Located> =
            files.iter().filter(|file| file.entry.stored() <= MAX_SMALL).collect();
        wanted.sort_by_key(|file| file.at);
        let parts = in_parts(&wanted);
        let read = job.with_threads_for(parts.len() as u64).in_parallel(
            parts.len() as u64,
            0,
            || (self.payload().new_run(), Zeroizing::new(Vec::new())),
            |index, (run, bytes)| {
                let files = &wanted[parts[index as usize].clone()];
                let start = files[0].at;
                let end = files.iter().map(|file| file.span().end).max().unwrap_or(start);
                bytes.clear();
                self.payload().read(&self.input, start..end, run, bytes)?;
                for file in files {
                    let headers = &bytes[(file.at - start) as usize..(file.data - start) as usize];
                    check::compare(file, headers)?;
                    let content = &bytes[(file.data - start) as usize..][..file.entry.stored() as usize];
                    take(file, content).map_err(Error::output)?;
                }
                Ok(end - start)
            },
        );
        read.and_then(|()| self.input.check_unchanged()).map_err(|error| self.named(error))
    }

    /// Writes the content of `file` into the empty `target`, on all cores, and keeps its holes.
    ///
    /// # Errors
    /// [`Error::Tampered`] where the headers in the archive are not those that the index promises; [`Error::Write`] for `target`.
    pub fn copy(&self, file: &Located, target: &File, job: &Job<'_>) -> Result<()> {
        let copied = self.copy_unnamed(file, target, job);
        copied.map_err(|error| self.named(error))
    }

    fn copy_unnamed(&self, file: &Located, target: &File, job: &Job<'_>) -> Result<()> {
        let mut headers = Vec::new();
        self.payload().read(&self.input, file.at..file.data, &mut self.payload().new_run(), &mut headers)?;
        check::compare(file, &headers)?;
        let stored = file.entry.stored();
        target.set_len(file.entry.size()).map_err(Error::output)?;
        let chunk = self.layout.chunk() as u64;
        let aligned = file.data - file.data % chunk;
        let pieces = (file.data + stored - aligned).div_ceil(MAX_SMALL);
        job.with_threads_for(pieces).in_parallel(
            pieces,
            stored,
            || (self.payload().new_run(), Zeroizing::new(Vec::new())),
            |index, (run, bytes)| {
                let start = (aligned + index * MAX_SMALL).max(file.data);
                let end = (aligned + (index + 1) * MAX_SMALL).min(file.data + stored);
                bytes.clear();
                self.payload().read(&self.input, start..end, run, bytes)?;
                write_pieces(&file.entry.kind, target, start - file.data, bytes)?;
                Ok(end - start)
            },
        )?;
        self.input.check_unchanged()
    }

    fn named(&self, error: Error) -> Error {
        error.between(self.input.path(), None)
    }

    fn payload(&self) -> Payload<'_> {
        Payload {
            layout: self.layout,
            cipher: &self.cipher,
            extent: self.extent,
            offset: self.offset,
            signature: self.signature.as_ref(),
        }
    }

    fn block(&self, block: &Block, run: &mut Run) -> Result<Vec<Located>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity((block.range.end - block.range.start) as usize));
        self.payload().read(&self.input, block.range.clone(), run, &mut bytes)?;
        read_block(&bytes, block, self.footer.content)
    }
}

/// Runs of files that lie close to each other. They come in order.
fn in_parts(files: &[&Located]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        match parts.last_mut() {
            Some(part)
                if part.len() < FILES_AT_ONCE
                    && file.span().end - files[part.start].at <= MAX_SMALL
                    && file.at.saturating_sub(files[index - 1].span().end) <= SMALL_GAP =>
            {
                part.end = index + 1;
            }
            _ => parts.push(index..index + 1),
        }
    }
    parts
}

/// Writes stored content from `at` on to where it belongs.
fn write_pieces(kind: &Kind, target: &File, at: u64, bytes: &[u8]) -> Result<()> {
    let Kind::Sparse { data, .. } = kind else {
        return write_all_at(target, &mut [IoSlice::new(bytes)], at);
    };
    let mut stored = 0;
    for piece in data {
        let length = piece.end - piece.start;
        let (from, to) = (at.max(stored), (at + bytes.len() as u64).min(stored + length));
        if from < to {
            let part = &bytes[(from - at) as usize..(to - at) as usize];
            write_all_at(target, &mut [IoSlice::new(part)], piece.start + from - stored)?;
        }
        stored += length;
    }
    Ok(())
}

/// The entries of an archive, read block by block. The iterator ends after an error.
///
/// The [module](crate::archive) has an example.
pub struct Entries<'a> {
    archive: &'a Archive,
    prefix: &'a [u8],
    next: usize,
    read: VecDeque<Located>,
    run: Run,
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Entries<'_> {
    fn is_beyond(&self, path: &[u8]) -> bool {
        !path.starts_with(self.prefix) && path_order(path, self.prefix).is_gt()
    }

    fn read_next(&mut self) -> Result<bool> {
        let blocks = &self.archive.blocks;
        let Some(block) = blocks.get(self.next).filter(|block| !self.is_beyond(&block.first)) else {
            return Ok(false);
        };
        let entries = self.archive.block(block, &mut self.run)?;
        check::block_end(&entries, blocks.get(self.next + 1), &self.archive.footer)?;
        self.next += 1;
        self.read.extend(entries);
        Ok(true)
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Located>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some(located) = self.read.pop_front() {
                if located.entry.path.starts_with(self.prefix) {
                    return Some(Ok(located));
                }
            }
            match self.read_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.next = usize::MAX;
                    return Some(Err(self.archive.named(error)));
                }
            }
        }
    }
}

//! Opening: the streaming reader.

use crate::aead::{ChunkAt, ChunkCipher};
use crate::archive::footer::{FOOTER, Footer, NO_INDEX};
use crate::armor::Dearmored;
use crate::buffer::{Buffer, Wiped};
use crate::chunk::{Extent, Layout};
use crate::cut::{Cut, Ready};
use crate::error::{Error, FileMisuse, Malformed, Part, Result};
use crate::format::{Content, FileKey, Format, Mark};
use crate::header::{Header, malformed};
use crate::key::OpenWith;
use crate::run::{Ahead, Run, open_one, retry};
use crate::sign::{Block, Expected, LEAF, Leaves, NO_SIGNATURE, Place, Signed};
use crate::stanza;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use zeroize::Zeroizing;

/// A header that was read, unwrapped and authenticated; the input stands at the payload.
pub(crate) struct Unwrapped<R> {
    pub header: Header,
    pub file_key: FileKey,
    pub input: Dearmored<R>,
}

/// A payload whose key is known and whose commitment was checked; the input stands at the first chunk.
pub(crate) struct Begun<R> {
    pub header: Header,
    pub cipher: ChunkCipher,
    pub layout: Layout,
    pub input: Dearmored<R>,
    /// The start of the index, if this is an archive.
    pub mark: Option<Mark>,
    /// The signature, if the file has one.
    pub signature: Option<Expected>,
}

/// Reads and authenticates the header.
pub(crate) fn read_header<R: Read>(input: R, with: &OpenWith<'_>) -> Result<Unwrapped<R>> {
    unwrap_header(Dearmored::detect(input)?, with)
}

fn unwrap_header<R: Read>(mut input: Dearmored<R>, with: &OpenWith<'_>) -> Result<Unwrapped<R>> {
    let header = Header::read(&mut input)?;
    input.expect(header.format)?;
    let file_key = stanza::unwrap(&header, with)?;
    Ok(Unwrapped { header, file_key, input })
}

/// Reads up to the first chunk.
pub(crate) fn begin<R: Read>(input: R, with: &OpenWith<'_>) -> Result<Begun<R>> {
    begin_dearmored(Dearmored::detect(input)?, with)
}

fn begin_dearmored<R: Read>(input: Dearmored<R>, with: &OpenWith<'_>) -> Result<Begun<R>> {
    let Unwrapped { header, file_key, mut input } = unwrap_header(input, with)?;
    let layout = header.format.layout();
    let mut prefix = vec![0; layout.prefix()];
    input.read_exact(&mut prefix).map_err(|error| match header.format {
        // age's vectors count the nonce to the header.
        Format::Age if error.kind() == io::ErrorKind::UnexpectedEof => malformed("it is truncated"),
        _ => end_is_truncation(error),
    })?;
    let cipher = file_key.resume_payload(&prefix)?;
    let mark = (header.content == Content::Archive).then(|| file_key.index_mark());
    let demand = with.demand();
    if demand.is_some() && !header.signed {
        return Err(Error::Unsigned);
    }
    let signature = header.signed.then(|| {
        let mark = file_key.signature_mark();
        Expected { content: header.content, mark, prefix, demand, mine: with.mine(), length: None }
    });
    Ok(Begun { header, cipher, layout, input, mark, signature })
}

pub(crate) fn end_is_truncation(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => crate::chunk::TRUNCATED.into(),
        _ => error.into(),
    }
}

/// Reads the plaintext of a sealed stream. It returns authenticated bytes only, and none after an error.
///
/// A stream that was cut short gives the bytes before the cut and then an error. If that is too late, read from a file
/// with [`open_file`](crate::open_file), which checks the end first.
///
/// Plaintext that was not read is wiped when it is dropped.
///
/// The [crate] has an example.
pub struct Opener<R> {
    input: Ahead<Dearmored<R>>,
    cipher: ChunkCipher,
    run: Run,
    chunk: u64,
    plaintext: usize,
    given: usize,
    end: End,
    /// Content that comes before that of `run`, and how much of it was given.
    before: io::Cursor<Zeroizing<Vec<u8>>>,
    /// Where the content ends; an index and a signature are authenticated and not given.
    cut: Option<Cut>,
}

/// The state of an [`Opener`]: more to read, or the reason why not.
enum End {
    NotYet,
    /// All was read, and what followed the content is still to be checked.
    Ending,
    Whole,
    /// Reported once what was authentic before it has been read.
    Failing(Error),
    /// The error was reported before; every further read fails too, so that no caller mistakes it for the end.
    Failed,
    /// The same, where reading failed and not the payload.
    Unreadable,
}

impl<R: Read> Opener<R> {
    /// Reads and authenticates the header.
    ///
    /// # Errors
    /// [`FileMisuse::SignedStream`] if `with` demands a signature: it is at the end, and the content would leave before.
    pub fn new(input: R, with: &OpenWith<'_>) -> Result<Self> {
        if with.demands_signature() {
            return Err(FileMisuse::SignedStream.into());
        }
        Self::begin(input, with).map(|(opener, _)| opener)
    }

    /// Reads and authenticates the header, and returns it, too. A signature that is demanded is refused only at the end.
    pub(crate) fn begin(input: R, with: &OpenWith<'_>) -> Result<(Self, Header)> {
        let begun = begin(input, with)?;
        let opener = Self {
            input: Ahead::new(begun.input),
            cipher: begun.cipher,
            run: Run::new(begun.layout),
            chunk: 0,
            plaintext: 0,
            given: 0,
            end: End::NotYet,
            before: io::Cursor::default(),
            cut: Cut::new(begun.mark, begun.signature),
        };
        Ok((opener, begun.header))
    }

    /// Gives an archive's index after the archive, with a mark for another file key.
    pub(crate) fn keep_index(&mut self, mark: Mark) {
        if let Some(cut) = &mut self.cut {
            cut.keep_index(mark);
        }
    }

    fn next_run(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.end, End::Failed) {
            End::NotYet => {}
            End::Failing(error) => return Err(error),
            End::Failed => return Err(Error::Tampered(Part::Payload)),
            End::Unreadable => {
                self.end = End::Unreadable;
                return Err(io::Error::other(
                    "an earlier read of the sealed file failed, so nothing more is read",
                )
                .into());
            }
            End::Ending | End::Whole => unreachable!("read() stops before"),
        }
        let filled = self.run.fill_sealed(&mut self.input).inspect_err(|_| self.end = End::Unreadable)?;
        let opened = self.run.open(&self.cipher, self.chunk, filled.bytes, filled.last);
        self.chunk += Run::full_slots(self.run.layout()) as u64;
        let ready = match &mut self.cut {
            Some(cut) => cut.take(&mut self.run, opened.plaintext, None)?,
            None => Ready { bytes: opened.plaintext, ..Ready::default() },
        };
        self.before = io::Cursor::new(ready.before);
        (self.plaintext, self.given) = (ready.bytes, 0);
        self.end = match opened.failure {
            Some(error) => End::Failing(error),
            None if filled.last => End::Ending,
            None => End::NotYet,
        };
        Ok(())
    }

    /// After the last run.
    fn finish(&mut self) -> Result<()> {
        self.end = End::Failed;
        if let Some(cut) = &mut self.cut {
            (self.before, _) = cut.finish().map(|(rest, signed)| (io::Cursor::new(rest), signed))?;
        }
        self.end = End::Whole;
        Ok(())
    }
}

impl<R> fmt::Debug for Opener<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").field("chunk", &self.chunk).finish_non_exhaustive()
    }
}

impl<R: Read> Read for Opener<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let before = self.before.read(out)?;
            if before > 0 || out.is_empty() {
                return Ok(before);
            }
            if self.given < self.plaintext {
                break;
            }
            match self.end {
                End::Whole => return Ok(0),
                End::Ending => self.finish()?,
                _ => self.next_run()?,
            }
        }
        let taken = self.run.copy_plain(self.given, self.plaintext, out);
        self.given += taken;
        Ok(taken)
    }
}

/// Opens byte ranges of a sealed file without reading the rest.
///
/// The final chunk is authenticated first, so a truncated file gives nothing. The sealed file begins at the reader's
/// current position. Plaintext that it holds is wiped when it is dropped.
///
/// ```
/// # use sealmark::{Format, Identity, Kem, SealTo, Sealer};
/// # use std::io::Write;
/// use sealmark::{OpenWith, RangeOpener};
/// use std::io::Cursor;
///
/// # fn main() -> sealmark::Result<()> {
/// # let identity = Identity::generate(Kem::X25519)?;
/// # let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()])?;
/// # let mut sealer = Sealer::new(Vec::new(), &to)?;
/// # sealer.write_all(b"a private text")?;
/// # let file = Cursor::new(sealer.finish()?);
/// let mut opener = RangeOpener::new(file, &OpenWith::identities(vec![identity]))?;
/// assert_eq!(opener.len(), 14);
/// let mut part = Vec::new();
/// opener.read_range(2..9, &mut part)?;
/// assert_eq!(part, b"private");
/// # Ok(())
/// # }
/// ```
pub struct RangeOpener<R> {
    input: R,
    cipher: ChunkCipher,
    layout: Layout,
    payload: u64,
    extent: Extent,
    /// Bytes of plaintext before an index and a signature.
    content: u64,
    /// The starts of what follows the content, which no chunk before it has.
    marks: Vec<(Mark, Malformed)>,
    signed: Signed,
    /// The leaves of a tree that a sender signed: what is given was compared with them.
    leaves: Option<Leaves>,
    /// Holds one chunk at a time.
    slot: Wiped,
    /// Holds the leaf that was compared last, and where it starts.
    leaf: Zeroizing<Vec<u8>>,
    leaf_start: u64,
}

impl<R> fmt::Debug for RangeOpener<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeOpener").field("length", &self.extent.plaintext).finish_non_exhaustive()
    }
}

impl<R: Read + Seek> RangeOpener<R> {
    /// Authenticates the header and the final chunk, and verifies the signature if `with` demands one.
    ///
    /// # Errors
    /// [`FileMisuse::ArmoredRange`] for an armored file.
    pub fn new(mut input: R, with: &OpenWith<'_>) -> Result<Self> {
        let start = retry(|| input.stream_position())?;
        let length = retry(|| input.seek(SeekFrom::End(0)))?.saturating_sub(start);
        retry(|| input.seek(SeekFrom::Start(start)))?;
        let dearmored = Dearmored::detect(&mut input)?;
        if dearmored.is_armored() {
            return Err(FileMisuse::ArmoredRange.into());
        }
        let Begun { header, cipher, layout, mark, signature, .. } = begin_dearmored(dearmored, with)?;
        let extent = layout.extent(length.saturating_sub(header.len()))?;
        let payload = start + header.len() + layout.prefix() as u64;
        let slot = Wiped::new(Buffer::new(layout.sealed_chunk_at(extent, 0)));
        let content = extent.plaintext;
        let mut opener = Self {
            input,
            cipher,
            layout,
            payload,
            extent,
            content,
            marks: Vec::new(),
            signed: Signed::No,
            leaves: None,
            slot,
            leaf: Zeroizing::default(),
            leaf_start: 0,
        };
        opener.open_chunk(extent.chunks - 1)?;
        if let Some(expected) = &signature {
            opener.find_signature(expected)?;
        }
        if let Some(mark) = &mark {
            opener.content = opener.end_of_archive(mark)?;
        }
        let signature = signature.map(|expected| (expected.mark, NO_SIGNATURE));
        opener.marks = signature.into_iter().chain(mark.map(|mark| (mark, NO_INDEX))).collect();
        Ok(opener)
    }

    /// Ends the content before the signature, and verifies it if that was asked for.
    fn find_signature(&mut self, expected: &Expected) -> Result<()> {
        let (end, mut bytes) = (self.extent.plaintext, Vec::new());
        self.read_range(end.saturating_sub(Place::FOOTER as u64)..end, &mut bytes)?;
        let place = Place::parse(&bytes, end)?;
        bytes.clear();
        self.read_range(place.length..end, &mut bytes)?;
        let (padding, block) = bytes.split_at((place.start() - place.length) as usize);
        let block = Block::parse(place, &expected.mark, padding, block)?;
        self.content = place.length;
        self.signed = block.check(expected)?;
        self.leaves = expected.demand.is_some().then_some(block.leaves);
        Ok(())
    }

    fn end_of_archive(&mut self, mark: &Mark) -> Result<u64> {
        let (end, mut bytes) = (self.content, Vec::new());
        self.read_range(end.saturating_sub(FOOTER as u64)..end, &mut bytes)?;
        let content = Footer::parse(&bytes, end)?.content;
        bytes.clear();
        self.read_range(content..content + mark.len() as u64, &mut bytes)?;
        if bytes == mark { Ok(content) } else { Err(NO_INDEX.into()) }
    }

    /// The signature of the file, as far as it was checked.
    pub fn signed(&self) -> Signed {
        self.signed
    }

    /// The authenticated length of the content in bytes. The index of an archive does not count.
    pub fn len(&self) -> u64 {
        self.content
    }

    /// True if the plaintext is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes `range` of the plaintext to `output`; returns its length.
    ///
    /// # Errors
    /// [`FileMisuse::Range`] where it does not lie within the plaintext.
    pub fn read_range(&mut self, range: Range<u64>, output: &mut dyn Write) -> Result<u64> {
        let Range { start, end } = range;
        if end > self.len() || start > end {
            return Err(FileMisuse::Range { start, end, length: self.len() }.into());
        }
        let chunk = self.layout.chunk() as u64;
        let mut at = range.start;
        while at < range.end {
            let left = range.end - at;
            let part = if self.leaves.is_some() {
                self.open_leaf(at - at % LEAF)?;
                &self.leaf[(at % LEAF) as usize..]
            } else {
                let plaintext = self.open_chunk(at / chunk)?;
                &self.slot[(at % chunk) as usize..plaintext]
            };
            let part = &part[..part.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            if part.is_empty() {
                return Err(NO_SIGNATURE.into());
            }
            output.write_all(part).map_err(Error::output)?;
            at += part.len() as u64;
        }
        Ok(range.end - range.start)
    }

    /// Leaves the plaintext of a leaf in memory, after it was compared with the one that was signed.
    fn open_leaf(&mut self, start: u64) -> Result<()> {
        if self.leaf_start == start && !self.leaf.is_empty() {
            return Ok(());
        }
        let [length, longest] =
            [start, 0].map(|start| self.leaves.as_ref().map_or(0, |leaves| leaves.len_at(start)));
        let mut leaf = std::mem::take(&mut self.leaf);
        leaf.clear();
        // With room for the longest: a vector that grows leaves what it held behind, and wiping takes time for all of its room.
        leaf.reserve_exact(longest.next_multiple_of(self.layout.chunk()));
        let first = start / self.layout.chunk() as u64;
        for index in first..first + length.div_ceil(self.layout.chunk()) as u64 {
            let plaintext = self.open_chunk(index)?;
            leaf.extend_from_slice(&self.slot[..plaintext]);
        }
        leaf.truncate(length);
        self.leaves.as_ref().map_or(Ok(()), |leaves| leaves.check(start, [&leaf[..]]))?;
        (self.leaf, self.leaf_start) = (leaf, start);
        Ok(())
    }

    /// Leaves a chunk's plaintext at the start of the slot, and returns its length.
    fn open_chunk(&mut self, index: u64) -> Result<usize> {
        let at = ChunkAt { index, last: index + 1 == self.extent.chunks };
        let sealed = self.layout.sealed_chunk_at(self.extent, index);
        let slot = &mut self.slot[..sealed];
        let at_chunk = SeekFrom::Start(self.payload + index * self.layout.sealed_chunk() as u64);
        retry(|| self.input.seek(at_chunk))?;
        self.input.read_exact(slot).map_err(end_is_truncation)?;
        let plaintext = open_one(self.layout, &self.cipher, at, slot)?;
        // The last leaf of an archive's content also holds the start of the index.
        let is_content = index * (self.layout.chunk() as u64) < self.content;
        match self.marks.iter().find(|(mark, _)| is_content && slot.starts_with(mark)) {
            None => Ok(plaintext),
            Some((_, misplaced)) => Err(misplaced.clone().into()),
        }
    }
}

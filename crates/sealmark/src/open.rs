//! Opening: the streaming reader.

use std::{
    fmt,
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
};

use crate::{
    aead::{ChunkAt, ChunkCipher},
    archive::{
        cut::Cut,
        footer::{FOOTER, Footer, NO_INDEX},
    },
    armor::Dearmored,
    buffer::{Buffer, Wiped},
    chunk::{Extent, Layout},
    error::{Error, FileMisuse, Part, Result},
    format::{Content, FileKey, Format, IndexMark},
    header::{Header, malformed},
    key::OpenWith,
    run::{Ahead, Run, open_one, retry},
    stanza,
};

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
    pub mark: Option<IndexMark>,
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
    Ok(Begun { header, cipher, layout, input, mark })
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
pub struct Opener<R> {
    input: Ahead<Dearmored<R>>,
    cipher: ChunkCipher,
    run: Run,
    chunk: u64,
    plaintext: usize,
    given: usize,
    end: End,
    /// Where the content of an archive ends; its index is authenticated and not given.
    cut: Option<Cut>,
    /// The index is given, too, with this mark instead of its own.
    new_mark: Option<IndexMark>,
}

/// The state of an [`Opener`]: more to read, or the reason why not.
enum End {
    NotYet,
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
    pub fn new(input: R, with: &OpenWith<'_>) -> Result<Self> {
        Self::begin(input, with).map(|(opener, _)| opener)
    }

    /// Reads and authenticates the header, and returns the kind of the content, too.
    pub(crate) fn begin(input: R, with: &OpenWith<'_>) -> Result<(Self, Content)> {
        let begun = begin(input, with)?;
        let opener = Self {
            input: Ahead::new(begun.input),
            cipher: begun.cipher,
            run: Run::new(begun.layout),
            chunk: 0,
            plaintext: 0,
            given: 0,
            end: End::NotYet,
            cut: begun.mark.map(Cut::new),
            new_mark: None,
        };
        Ok((opener, begun.header.content))
    }

    /// Gives an archive's index after the archive, with a mark for another file key.
    pub(crate) fn keep_index(&mut self, mark: IndexMark) {
        self.new_mark = Some(mark);
    }

    /// How much of a run's plaintext is given.
    fn content(&mut self, plaintext: usize) -> usize {
        let Some(cut) = &mut self.cut else { return plaintext };
        let begun = cut.is_reached();
        let content = cut.content(&self.run, plaintext);
        let Some(mark) = &self.new_mark else { return content };
        if cut.is_reached() && !begun {
            self.run.renew_mark(content, mark);
        }
        plaintext
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
            End::Whole => unreachable!("read() stops before"),
        }
        let filled = self.run.fill_sealed(&mut self.input).inspect_err(|_| self.end = End::Unreadable)?;
        let opened = self.run.open(&self.cipher, self.chunk, filled.bytes, filled.last);
        self.chunk += Run::full_slots(self.run.layout()) as u64;
        (self.plaintext, self.given) = (self.content(opened.plaintext), 0);
        self.end = match opened.failure {
            Some(error) => End::Failing(error),
            None if filled.last => {
                self.cut.as_ref().map_or(Ok(()), Cut::check_end).map_or_else(End::Failing, |()| End::Whole)
            }
            None => End::NotYet,
        };
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
        while self.given == self.plaintext {
            if matches!(self.end, End::Whole) || out.is_empty() {
                return Ok(0);
            }
            self.next_run()?;
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
    /// Bytes of plaintext before an index.
    content: u64,
    /// The start of an archive's index, which no chunk before it has.
    mark: Option<IndexMark>,
    /// Holds one chunk at a time.
    slot: Wiped,
}

impl<R> fmt::Debug for RangeOpener<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeOpener").field("length", &self.extent.plaintext).finish_non_exhaustive()
    }
}

impl<R: Read + Seek> RangeOpener<R> {
    /// Authenticates the header and the final chunk.
    pub fn new(mut input: R, with: &OpenWith<'_>) -> Result<Self> {
        let start = retry(|| input.stream_position())?;
        let length = retry(|| input.seek(SeekFrom::End(0)))?.saturating_sub(start);
        retry(|| input.seek(SeekFrom::Start(start)))?;
        let dearmored = Dearmored::detect(&mut input)?;
        if dearmored.is_armored() {
            return Err(FileMisuse::ArmoredRange.into());
        }
        let Begun { header, cipher, layout, mark, .. } = begin_dearmored(dearmored, with)?;
        let extent = layout.extent(length.saturating_sub(header.len()))?;
        let payload = start + header.len() + layout.prefix() as u64;
        let slot = Wiped::new(Buffer::new(layout.sealed_chunk_at(extent, 0)));
        let content = extent.plaintext;
        let mut opener = Self { input, cipher, layout, payload, extent, content, mark: None, slot };
        opener.open_chunk(extent.chunks - 1)?;
        if let Some(mark) = mark {
            opener.content = opener.end_of_archive(&mark)?;
            opener.mark = Some(mark);
        }
        Ok(opener)
    }

    fn end_of_archive(&mut self, mark: &IndexMark) -> Result<u64> {
        let (end, mut bytes) = (self.extent.plaintext, Vec::new());
        self.read_range(end.saturating_sub(FOOTER as u64)..end, &mut bytes)?;
        let content = Footer::parse(&bytes, end)?.content;
        bytes.clear();
        self.read_range(content..content + mark.len() as u64, &mut bytes)?;
        if bytes == mark { Ok(content) } else { Err(NO_INDEX.into()) }
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
            let plaintext = self.open_chunk(at / chunk)?;
            let from = (at % chunk) as usize;
            let upto = (plaintext as u64).min(from as u64 + (range.end - at)) as usize;
            output.write_all(&self.slot[from..upto]).map_err(Error::output)?;
            at += (upto - from) as u64;
        }
        Ok(range.end - range.start)
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
        if self.mark.is_some_and(|mark| slot.starts_with(&mark)) {
            Err(NO_INDEX.into())
        } else {
            Ok(plaintext)
        }
    }
}

//! The index: blocks of entries, a table of the blocks, a footer (spec/file.md, "Index").

use crate::archive::entry::{Entry, Kind, MAX_PATH, MAX_VALUE, Time, path_order};
use crate::archive::footer::{Footer, MARK, MAX_BLOCKS, MAX_TABLE};
use crate::archive::tar::{headers_len, padding};
use crate::error::{Error, FileMisuse, Malformed, Result};
use crate::format::{Format, Mark};
use crate::key::{Identity, OpenWith};
use crate::open::Opener;
use crate::run::retry;
use crate::seal::{SealTo, Sealer};
use crate::suite::Kem;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use zeroize::Zeroizing;

/// A block ends with the entry that reaches this; a reader decrypts a block to find a file. Paths share bytes, so a block may take
/// 350 times as much in memory.
const FULL_BLOCK: usize = 16 << 10;
/// The longest block: a full one without its last entry, and the largest entry.
pub(crate) const MAX_BLOCK: u64 = 512 << 10;
/// The most bytes of an index in memory; a longer one goes to a file.
const IN_MEMORY: usize = 8 << 20;

/// An entry, and where it lies in the archive.
///
/// The [module](crate::archive) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    pub(crate) entry: Entry,
    /// Where its headers start.
    pub(crate) at: u64,
    /// Where its content starts.
    pub(crate) data: u64,
}

impl Located {
    /// The entry.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// From the headers to the next entry.
    pub(crate) fn span(&self) -> Range<u64> {
        let end = self.data + self.entry.stored();
        self.at..end + padding(end)
    }
}

/// A block, as the table has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Where it lies in the plaintext.
    pub range: Range<u64>,
    /// Where the headers of its first entry start.
    pub tar: u64,
    /// The path of its first entry.
    pub first: Vec<u8>,
}

/// Builds an index while the archive is written.
pub(crate) struct IndexWriter<F> {
    kept: Kept<F>,
    block: Vec<u8>,
    first: Vec<u8>,
    last: Vec<u8>,
    tar: u64,
    /// Bytes of all blocks that are complete, and how many there are.
    blocks: u64,
    rows: usize,
    table: Vec<u8>,
    entries: u64,
}

impl<F: FnMut() -> io::Result<File>> IndexWriter<F> {
    /// `spill` makes a file without a name, for an index that is too long for memory.
    pub fn new(spill: F) -> Self {
        let kept = Kept { spill, memory: Zeroizing::default(), file: None };
        Self {
            kept,
            block: Vec::new(),
            first: Vec::new(),
            last: Vec::new(),
            tar: 0,
            blocks: 0,
            rows: 0,
            table: Vec::new(),
            entries: 0,
        }
    }

    /// Adds an entry whose headers start at `at` in the archive.
    pub fn push(&mut self, entry: &Entry, at: u64) -> Result<()> {
        if self.entries > 0 && path_order(&self.last, &entry.path).is_ge() {
            return Err(FileMisuse::EntryOrder(OsStr::from_bytes(&entry.path).into()).into());
        }
        if self.block.len() >= FULL_BLOCK {
            self.end_block()?;
        }
        let start = self.block.is_empty();
        if start {
            (self.first, self.tar) = (entry.path.clone(), at);
        }
        let before: &[u8] = if start { b"" } else { &self.last };
        write_entry(&mut self.block, before, entry);
        self.last.clone_from(&entry.path);
        self.entries += 1;
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        put(&mut self.table, self.block.len() as u64);
        put(&mut self.table, self.tar);
        put_bytes(&mut self.table, &self.first);
        self.rows += 1;
        if self.table.len() as u64 > MAX_TABLE || self.rows > MAX_BLOCKS {
            return Err(FileMisuse::TooManyEntries.into());
        }
        self.kept.write(&self.block)?;
        self.blocks += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// All that follows an archive of `content` bytes.
    pub fn finish(mut self, mark: &Mark, content: u64) -> Result<Box<dyn Read + Send>> {
        self.end_block()?;
        let table = content + MARK + self.blocks;
        let end = table + self.table.len() as u64;
        let footer = Footer { content, table, end, entries: self.entries }.bytes();
        let rest = Cursor::new([self.table, footer.to_vec()].concat());
        Ok(Box::new(Cursor::new(*mark).chain(self.kept.into_reader()?).chain(rest)))
    }
}

/// Bytes in memory, until they are many: then in a file, encrypted to a key that never leaves memory.
struct Kept<F> {
    spill: F,
    memory: Zeroizing<Vec<u8>>,
    file: Option<(Sealer<Spilled>, Identity)>,
}

impl<F: FnMut() -> io::Result<File>> Kept<F> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if self.file.is_none() && self.memory.len() + bytes.len() > IN_MEMORY {
            let key = Identity::generate(Kem::X25519)?;
            let to = SealTo::recipients(Format::Sealmark, &[key.recipient()])?;
            // A reader that was interrupted is asked again, and would then go on without the entry that it was at.
            let file = retry(|| (self.spill)()).map_err(|error| Error::Spill { error })?;
            let mut sealer = Sealer::new(Spilled(file), &to)?;
            sealer.write_all(&std::mem::take(&mut self.memory))?;
            self.file = Some((sealer, key));
        }
        match &mut self.file {
            Some((sealer, _)) => Ok(sealer.write_all(bytes)?),
            None => {
                self.memory.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn into_reader(self) -> Result<Box<dyn Read + Send>> {
        let Some((sealer, key)) = self.file else {
            return Ok(Box::new(InMemory { bytes: self.memory, at: 0 }));
        };
        let mut file = sealer.finish()?;
        file.0.rewind().map_err(|error| Error::Spill { error })?;
        Ok(Box::new(Opener::new(file, &OpenWith::identities(vec![key]))?))
    }
}

/// The file for an index. Its errors are neither those of the input nor those of the output.
struct Spilled(File);

impl Read for Spilled {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(|error| Error::Spill { error }.into())
    }
}

impl Write for Spilled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| Error::Spill { error }.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(|error| Error::Spill { error }.into())
    }
}

struct InMemory {
    bytes: Zeroizing<Vec<u8>>,
    at: usize,
}

impl Read for InMemory {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = (&self.bytes[self.at..]).read(out)?;
        self.at += read;
        Ok(read)
    }
}

const FILE: u8 = b'0';
const HARD_LINK: u8 = b'1';
const SYMBOLIC_LINK: u8 = b'2';
const DIRECTORY: u8 = b'5';
const SPARSE: u8 = b'S';
/// Stands before the kind of an entry that has extended attributes.
const ATTRIBUTES: u8 = b'x';

fn write_entry(out: &mut Vec<u8>, before: &[u8], entry: &Entry) {
    let shared = before.iter().zip(&entry.path).take_while(|(one, other)| one == other).count();
    if !entry.attributes.is_empty() {
        out.push(ATTRIBUTES);
    }
    out.push(match &entry.kind {
        Kind::File { .. } => FILE,
        Kind::HardLink { .. } => HARD_LINK,
        Kind::SymbolicLink { .. } => SYMBOLIC_LINK,
        Kind::Directory => DIRECTORY,
        Kind::Sparse { .. } => SPARSE,
    });
    put(out, shared as u64);
    put_bytes(out, &entry.path[shared..]);
    put(out, entry.mode.into());
    put(out, entry.uid.into());
    put(out, entry.gid.into());
    let seconds = entry.modified.seconds;
    put(out, (seconds << 1 ^ seconds >> 63) as u64);
    put(out, entry.modified.nanoseconds.into());
    match &entry.kind {
        Kind::Directory => {}
        Kind::File { size } => put(out, *size),
        Kind::SymbolicLink { target } | Kind::HardLink { target } => put_bytes(out, target),
        Kind::Sparse { size, data } => {
            put(out, *size);
            put(out, data.len() as u64);
            let mut end = 0;
            for piece in data {
                put(out, piece.start - end);
                put(out, piece.end - piece.start);
                end = piece.end;
            }
        }
    }
    if !entry.attributes.is_empty() {
        put(out, entry.attributes.len() as u64);
        for (name, value) in &entry.attributes {
            put_bytes(out, name);
            put_bytes(out, value);
        }
    }
}

/// LEB128: seven bits a byte, the least first.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The blocks that a table names: one after the other between the mark and the table.
pub(crate) fn read_table(bytes: &[u8], footer: &Footer) -> Result<Vec<Block>> {
    let (mut fields, mut blocks) = (Fields(bytes), Vec::<Block>::new());
    let mut start = footer.content + MARK;
    while !fields.0.is_empty() {
        let (length, tar) = (fields.number()?, fields.number()?);
        let first = fields.bytes()?.to_vec();
        let end = start.checked_add(length).filter(|end| *end <= footer.table && length <= MAX_BLOCK);
        // Nothing may lie before the first entry: a tar program would extract it, and no list would show it.
        let follows = match blocks.last() {
            None => tar == 0,
            Some(last) => last.tar < tar && path_order(&last.first, &first).is_lt(),
        };
        let allowed = follows && tar <= footer.content && blocks.len() < MAX_BLOCKS;
        let range = start..end.filter(|_| allowed).ok_or(BROKEN)?;
        start = range.end;
        blocks.push(Block { range, tar, first });
    }
    if start == footer.table { Ok(blocks) } else { Err(BROKEN.into()) }
}

/// The entries of a block, all of them within an archive of `content` bytes, so that no sum of their sizes overflows.
pub(crate) fn read_block(bytes: &[u8], block: &Block, content: u64) -> Result<Vec<Located>> {
    let (mut fields, mut entries, mut at) = (Fields(bytes), Vec::<Located>::new(), block.tar);
    while !fields.0.is_empty() {
        if bytes.len() - fields.0.len() >= FULL_BLOCK {
            return Err(BROKEN.into());
        }
        let before = entries.last().map_or(&b""[..], |located| &located.entry.path);
        let entry = fields.entry(before)?;
        entry.check()?;
        let in_order = if entries.is_empty() {
            entry.path == block.first
        } else {
            path_order(before, &entry.path).is_lt()
        };
        let located = Located { data: at + headers_len(&entry), entry, at };
        at = located.span().end;
        if !in_order || at > content {
            return Err(BROKEN.into());
        }
        entries.push(located);
    }
    if entries.is_empty() { Err(BROKEN.into()) } else { Ok(entries) }
}

const BROKEN: Malformed = Malformed::Archive("its index breaks a rule of the format");

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn byte(&mut self) -> Result<u8> {
        let (byte, rest) = self.0.split_first().ok_or(BROKEN)?;
        self.0 = rest;
        Ok(*byte)
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                // A number has one form.
                return if byte == 0 && shift > 0 { Err(BROKEN.into()) } else { Ok(number) };
            }
        }
        Err(BROKEN.into())
    }

    fn small(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| BROKEN.into())
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        self.bytes_up_to(MAX_PATH)
    }

    fn bytes_up_to(&mut self, most: usize) -> Result<&'a [u8]> {
        let length = self.number()?;
        if length > most as u64 || length > self.0.len() as u64 {
            return Err(BROKEN.into());
        }
        let (bytes, rest) = self.0.split_at(length as usize);
        self.0 = rest;
        Ok(bytes)
    }

    fn entry(&mut self, before: &[u8]) -> Result<Entry> {
        let mut kind = self.byte()?;
        let has_attributes = kind == ATTRIBUTES;
        if has_attributes {
            kind = self.byte()?;
        }
        let shared = self.number()?;
        let shared = usize::try_from(shared).ok().and_then(|shared| before.get(..shared)).ok_or(BROKEN)?;
        let rest = self.bytes()?;
        let longer = before.get(shared.len()).is_some_and(|next| rest.first() == Some(next));
        if longer {
            // A path has one form.
            return Err(BROKEN.into());
        }
        let path = [shared, rest].concat();
        let (mode, uid, gid) = (self.small()?, self.small()?, self.small()?);
        let seconds = self.number()?;
        let seconds = (seconds >> 1) as i64 ^ -((seconds & 1) as i64);
        let modified = Time { seconds, nanoseconds: self.small()? };
        let kind = match kind {
            DIRECTORY => Kind::Directory,
            FILE => Kind::File { size: self.number()? },
            SYMBOLIC_LINK => Kind::SymbolicLink { target: self.bytes()?.to_vec() },
            HARD_LINK => Kind::HardLink { target: self.bytes()?.to_vec() },
            SPARSE => self.sparse()?,
            _ => return Err(BROKEN.into()),
        };
        let attributes = if has_attributes { self.attributes()? } else { Vec::new() };
        Ok(Entry { path, kind, mode, uid, gid, modified, attributes })
    }

    fn attributes(&mut self) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let (count, mut attributes) = (self.number()?, Vec::new());
        if count == 0 {
            return Err(BROKEN.into());
        }
        // Each attribute takes two bytes at least, so a count beyond the block ends with an error before much is allocated.
        for _ in 0..count {
            let name = self.bytes()?.to_vec();
            attributes.push((name, self.bytes_up_to(MAX_VALUE)?.to_vec()));
        }
        Ok(attributes)
    }

    fn sparse(&mut self) -> Result<Kind> {
        let (size, pieces) = (self.number()?, self.number()?);
        let (mut data, mut end) = (Vec::new(), 0u64);
        // Each piece takes two bytes at least, so a count beyond the block ends with an error before much is allocated.
        for _ in 0..pieces {
            let start = end.checked_add(self.number()?).ok_or(BROKEN)?;
            end = start.checked_add(self.number()?).ok_or(BROKEN)?;
            data.push(start..end);
        }
        Ok(Kind::Sparse { size, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entries that read_block finds in a block of files of some `sizes`.
    fn read(sizes: impl Iterator<Item = u64>, content: u64) -> Result<Vec<Located>> {
        let (mut bytes, mut before) = (Vec::new(), Vec::new());
        for (number, size) in sizes.enumerate() {
            let entry = Entry::new(format!("{number:04}"), Kind::File { size }, 0o644, Time::default());
            write_entry(&mut bytes, &before, &entry);
            before = entry.path;
        }
        read_block(&bytes, &Block { range: 0..bytes.len() as u64, tar: 0, first: b"0000".to_vec() }, content)
    }

    #[test]
    fn the_entries_of_a_block_lie_within_the_archive() {
        let three = || [1, 0, 513].into_iter();
        assert!(read(three(), 3072).is_ok_and(|entries| entries.len() == 3));
        assert!(read(three(), 3071).is_err());
        // All together they have 2^64 bytes.
        assert!(read(std::iter::repeat_n(1 << 52, 1 << 12), 1 << 52).is_err());
    }
}

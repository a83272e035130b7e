//! Sealing an archive: the stream of tar headers and contents, and the index after it.

use crate::archive::entry::Entry;
use crate::archive::index::IndexWriter;
use crate::archive::tar::{archive_len, headers, padding};
use crate::error::{Error, FileMisuse, Result};
use crate::format::{Content, FileKey, Format, Mark};
use crate::job::{Job, Summary};
use crate::output::Output;
use crate::seal::SealTo;
use crate::stream;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, IoSliceMut, Read};
use std::os::unix::ffi::OsStrExt;

/// An entry to be sealed, and the reader of its content.
///
/// The [module](crate::archive) has an example.
pub struct Item<'a> {
    entry: Entry,
    content: Box<dyn Read + Send + 'a>,
}

impl<'a> Item<'a> {
    /// `content` gives the bytes that [`Entry::stored`] counts: the pieces of a sparse file one after the other, and
    /// nothing for entries other than files. Further bytes are not read; too few are an error.
    pub fn new(entry: Entry, content: impl Read + Send + 'a) -> Self {
        Self { entry, content: Box::new(content) }
    }
}

impl fmt::Debug for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("entry", &self.entry).finish_non_exhaustive()
    }
}

/// Seals `items` into `output`, on all cores. `job.existing` is ignored.
///
/// The items come in [`path_order`](crate::archive::path_order), each directory before what is in it, and the target of each hard
/// link is the path of a file among them: otherwise the archive does not verify. `spill` creates an unnamed file. It is called
/// if the index takes more than 8 MiB, which is then kept in that file, encrypted under a key that stays in memory.
///
/// # Errors
/// [`FileMisuse`] for [`Format::Age`], for an entry that an archive may not have, for items in another order, and for more than the
/// table of an index can hold: a hundred million with paths of 50 bytes, a quarter of a million with paths of 4,096;
/// [`Error::InputChanged`] for content that is too short; [`Error::Spill`] if `spill` or its file fails.
pub fn seal_archive<'a>(
    items: impl Iterator<Item = Result<Item<'a>>> + Send,
    mut output: Output<'_>,
    to: &SealTo,
    job: &Job<'_>,
    spill: impl FnMut() -> io::Result<File> + Send,
) -> Result<Summary> {
    if to.format != Format::Sealmark {
        return Err(FileMisuse::ArchiveInAge.into());
    }
    let file_key = FileKey::generate(to.format)?;
    let start = to.begin_with(&file_key, Content::Archive)?;
    let archive = ArchiveReader {
        items,
        index: Some(IndexWriter::new(spill)),
        mark: file_key.index_mark(),
        at: 0,
        ready: Cursor::default(),
        content: None,
        rest: None,
    };
    let sealed = stream::seal_begun(start, archive, &mut output, to, job, None);
    let summary = sealed.map_err(|error| error.between(None, output.path()))?;
    output.commit().map(|()| summary)
}

/// Gives the tar archive and then the index.
struct ArchiveReader<'a, I, F> {
    items: I,
    index: Option<IndexWriter<F>>,
    mark: Mark,
    /// Bytes of the archive before `ready`'s end.
    at: u64,
    /// Headers or padding.
    ready: Cursor<Vec<u8>>,
    /// The content that follows `ready`, and how much of it is left.
    content: Option<(Box<dyn Read + Send + 'a>, u64)>,
    /// The index, once the archive is complete.
    rest: Option<Box<dyn Read + Send>>,
}

impl<'a, I, F> ArchiveReader<'a, I, F>
where
    I: Iterator<Item = Result<Item<'a>>>,
    F: FnMut() -> io::Result<File>,
{
    fn is_ready(&self) -> bool {
        self.ready.position() < self.ready.get_ref().len() as u64
    }

    /// Called when there is no content left and nothing ready.
    fn next_item(&mut self) -> Result<()> {
        let Some(item) = self.items.next().transpose()? else { return self.end() };
        item.entry.check().map_err(|_| FileMisuse::Entry(OsStr::from_bytes(&item.entry.path).into()))?;
        let (headers, stored) = (headers(&item.entry), item.entry.stored());
        if let Some(index) = &mut self.index {
            index.push(&item.entry, self.at)?;
        }
        self.at += headers.len() as u64 + stored;
        self.ready = Cursor::new(headers);
        self.content = (stored > 0).then_some((item.content, stored));
        Ok(())
    }

    /// The tar archive ends with zeros up to the end of a chunk, where the index starts.
    fn end(&mut self) -> Result<()> {
        let Some(index) = self.index.take() else { return Ok(()) };
        let content = archive_len(self.at);
        self.ready = Cursor::new(vec![0; (content - self.at) as usize]);
        self.at = content;
        self.rest = Some(index.finish(&self.mark, content)?);
        Ok(())
    }

    /// Reads content into some of `parts`.
    fn read_content(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let Some((content, left)) = &mut self.content else { return Ok(0) };
        let room: u64 = parts.iter().map(|part| part.len() as u64).sum();
        let read = if room <= *left {
            content.read_vectored(parts)?
        } else {
            let part = parts.iter_mut().find(|part| !part.is_empty());
            part.map_or(Ok(0), |part| {
                let most = (part.len() as u64).min(*left) as usize;
                content.read(&mut part[..most])
            })?
        };
        *left -= read as u64;
        if read == 0 && room > 0 {
            return Err(Error::InputChanged { path: None }.into());
        }
        if *left == 0 {
            self.content = None;
            let zeros = padding(self.at);
            self.ready = Cursor::new(vec![0; zeros as usize]);
            self.at += zeros;
        }
        Ok(read)
    }
}

impl<'a, I, F> Read for ArchiveReader<'a, I, F>
where
    I: Iterator<Item = Result<Item<'a>>>,
    F: FnMut() -> io::Result<File>,
{
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(out)])
    }

    fn read_vectored(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        loop {
            if self.is_ready() {
                return self.ready.read_vectored(parts);
            }
            if self.content.is_some() {
                return self.read_content(parts);
            }
            if let Some(rest) = &mut self.rest {
                return rest.read_vectored(parts);
            }
            self.next_item()?;
        }
    }
}

//! Where a reader in order ends the content of an archive: at the mark, if the footer has the same place.

use crate::{
    archive::footer::{FOOTER, Footer, NO_INDEX},
    error::Result,
    format::IndexMark,
    run::Run,
};

/// The end of an archive's content, as far as its plaintext was read.
pub(crate) struct Cut {
    mark: IndexMark,
    /// Bytes of plaintext so far.
    read: u64,
    /// Where the index starts.
    content: Option<u64>,
    /// The last bytes so far, as many as a footer has.
    last: Vec<u8>,
}

impl Cut {
    pub fn new(mark: IndexMark) -> Self {
        Self { mark, read: 0, content: None, last: Vec::new() }
    }

    /// True once the index has begun.
    pub fn is_reached(&self) -> bool {
        self.content.is_some()
    }

    /// How many of the first `plaintext` bytes of `run`, which is the next in order, belong to the content.
    pub fn content(&mut self, run: &Run, plaintext: usize) -> usize {
        let before = self.read;
        self.read += plaintext as u64;
        self.keep_last(run, plaintext);
        if self.is_reached() {
            return 0;
        }
        let found = run.find_mark(&self.mark, plaintext);
        self.content = found.map(|at| before + at as u64);
        found.unwrap_or(plaintext)
    }

    fn keep_last(&mut self, run: &Run, plaintext: usize) {
        let (mut bytes, start) = ([0; FOOTER], plaintext.saturating_sub(FOOTER));
        let mut at = start;
        while at < plaintext {
            at += run.copy_plain(at, plaintext, &mut bytes[at - start..]);
        }
        self.last.extend_from_slice(&bytes[..plaintext - start]);
        self.last.drain(..self.last.len().saturating_sub(FOOTER));
    }

    /// Refuses a plaintext that ended without an index, and a mark within the content: readers that seek would go past it, and
    /// find other content than those that stop there.
    pub fn check_end(&self) -> Result<()> {
        let footer = Footer::parse(&self.last, self.read)?;
        if self.content == Some(footer.content) { Ok(()) } else { Err(NO_INDEX.into()) }
    }
}

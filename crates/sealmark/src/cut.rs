//! Where a reader in order ends the content of a plaintext that an index or a signature follows.

use crate::archive::footer::{FOOTER, Footer, NO_INDEX};
use crate::chunk::Layout;
use crate::error::{Error, Part, Result};
use crate::format::Mark;
use crate::run::Run;
use crate::sign::{Block, Expected, Leaves, MOST_BEFORE_LEAVES, NO_SIGNATURE, Place, Signed, Tree};
use zeroize::Zeroizing;

const CHUNK: usize = Layout::Cobblestone.chunk();

/// The end of a content, as far as its plaintext was read.
pub(crate) struct Cut {
    index: Option<Mark>,
    signature: Option<Expected>,
    /// The index counts as content, and gets this mark.
    new_mark: Option<Mark>,
    /// Bytes of plaintext so far, without those that are held and those of the signature.
    read: u64,
    /// Where the index starts.
    content: Option<u64>,
    /// The last bytes so far, as many as a footer of an index has.
    last: Vec<u8>,
    /// Before a signature, the last chunk may end with zeros that are not content.
    held: Zeroizing<Vec<u8>>,
    /// The block of the signature, once it has begun.
    block: Option<Vec<u8>>,
    tree: Tree,
}

/// Content that is ready after a run was read: `before`, then the first `bytes` of the run.
#[derive(Default)]
pub(crate) struct Ready {
    pub before: Zeroizing<Vec<u8>>,
    pub bytes: usize,
}

impl Cut {
    pub fn new(index: Option<Mark>, signature: Option<Expected>) -> Option<Self> {
        (index.is_some() || signature.is_some()).then(|| Self {
            index,
            signature,
            new_mark: None,
            read: 0,
            content: None,
            last: Vec::new(),
            held: Zeroizing::default(),
            block: None,
            tree: Tree::default(),
        })
    }

    /// Gives an index after its archive, too, with a mark for another file key.
    pub fn keep_index(&mut self, mark: Mark) {
        self.new_mark = Some(mark);
    }

    /// The number of bytes that are content even if a signature follows the first `bytes` of a run: zeros may end the last chunk.
    pub const fn sure(bytes: usize) -> usize {
        bytes.saturating_sub(1) / CHUNK * CHUNK
    }

    /// Takes the first `plaintext` bytes of `run`, which is the next in order. The first [`Cut::sure`] of them may be hashed
    /// already.
    pub fn take(&mut self, run: &mut Run, plaintext: usize, hashed: Option<Tree>) -> Result<Ready> {
        let mut ready = Ready::default();
        if self.block.is_some() {
            self.extend_block(run, 0, plaintext)?;
            return Ok(ready);
        }
        let mark = self.signature.as_ref().and_then(|expected| run.find_mark(&expected.mark, plaintext));
        let end = mark.unwrap_or(plaintext);
        let sure = if self.signature.is_some() { Self::sure(end) } else { end };
        if end > 0 {
            ready.before = self.take_held(self.held.len());
        }
        if sure > 0 && self.demands_signature() {
            match hashed {
                Some(hashed) if hashed.length() == sure as u64 => self.tree.append(hashed),
                _ => self.tree.update_parts(&run.plain(sure)),
            }
        }
        for at in (0..sure).step_by(CHUNK) {
            let length = CHUNK.min(sure - at);
            let (begins, content) = self.take_chunk(run.plain_chunk(at, length));
            if let (true, Some(mark)) = (begins, self.new_mark) {
                run.renew_mark(at, &mark);
            }
            ready.bytes += if content { length } else { 0 };
        }
        let signed = self.signature.as_ref().and_then(|expected| expected.length);
        if signed.is_some_and(|signed| self.read > signed) {
            return Err(NO_SIGNATURE.into());
        }
        if sure < end {
            self.held.extend_from_slice(run.plain_chunk(sure, end - sure));
        }
        if let Some(mark) = mark {
            self.block = Some(Vec::new());
            self.extend_block(run, mark, plaintext)?;
        }
        Ok(ready)
    }

    /// The content that was held back, and the signature. Refuses a plaintext that ended without what the header promises, and
    /// a mark within the content: readers that seek would go past it, and find other content than those that stop there.
    pub fn finish(&mut self) -> Result<(Zeroizing<Vec<u8>>, Signed)> {
        let (rest, signed) = match self.signature.clone() {
            Some(expected) => self.finish_signature(&expected)?,
            None => (Zeroizing::default(), Signed::No),
        };
        if self.index.is_some() {
            let footer = Footer::parse(&self.last, self.read)?;
            if self.content != Some(footer.content) {
                return Err(NO_INDEX.into());
            }
        }
        Ok((rest, signed))
    }

    fn finish_signature(&mut self, expected: &Expected) -> Result<(Zeroizing<Vec<u8>>, Signed)> {
        let block = self.block.take().ok_or(NO_SIGNATURE)?;
        let start = self.read + self.held.len() as u64;
        let place = Place::parse(&block, start + block.len() as u64)?;
        if place.start() != start || expected.length.is_some_and(|length| length != place.length) {
            return Err(NO_SIGNATURE.into());
        }
        let kept = (place.length - self.read) as usize;
        let block = Block::parse(place, &expected.mark, &self.held[kept..], &block)?;
        let rest = self.take_held(kept);
        let signed = block.check(expected)?;
        if expected.demand.is_none() || std::mem::take(&mut self.tree).finish() == block.leaves {
            Ok((rest, signed))
        } else {
            Err(Error::Tampered(Part::Signature))
        }
    }

    fn demands_signature(&self) -> bool {
        self.signature.as_ref().is_some_and(|expected| expected.demand.is_some())
    }

    /// Takes the first `length` bytes of the chunk that was held back, and returns those of them that are content.
    fn take_held(&mut self, length: usize) -> Zeroizing<Vec<u8>> {
        let mut held = std::mem::take(&mut self.held);
        held.truncate(length);
        if length > 0 {
            if self.demands_signature() {
                self.tree.update(&held);
            }
            let (begins, content) = self.take_chunk(&held);
            if let (true, Some(mark)) = (begins, self.new_mark) {
                held[..mark.len()].copy_from_slice(&mark);
            }
            if !content {
                held.clear();
            }
        }
        held
    }

    /// Takes a chunk, and returns true if the index begins with it, and true if it is content.
    fn take_chunk(&mut self, chunk: &[u8]) -> (bool, bool) {
        let at = self.read;
        self.read += chunk.len() as u64;
        let Some(mark) = &self.index else { return (false, true) };
        self.last.extend_from_slice(&chunk[chunk.len().saturating_sub(FOOTER)..]);
        self.last.drain(..self.last.len().saturating_sub(FOOTER));
        let begins = self.content.is_none() && chunk.starts_with(mark);
        if begins {
            self.content = Some(at);
        }
        (begins, self.content.is_none() || self.new_mark.is_some())
    }

    /// Holds no more than the longest block that may follow what was read.
    fn extend_block(&mut self, run: &Run, from: usize, to: usize) -> Result<()> {
        let most = MOST_BEFORE_LEAVES + 32 * Leaves::count(self.read + self.held.len() as u64) as usize;
        let block = self.block.get_or_insert_default();
        for at in (from..to).step_by(CHUNK) {
            block.extend_from_slice(run.plain_chunk(at, CHUNK.min(to - at)));
        }
        if block.len() > most { Err(NO_SIGNATURE.into()) } else { Ok(()) }
    }
}

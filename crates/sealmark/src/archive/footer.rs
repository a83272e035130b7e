//! The last bytes of an archive's plaintext, which say where its parts lie.

use crate::chunk::Layout;
use crate::error::{Malformed, Result};

/// Bytes of a footer.
pub(crate) const FOOTER: usize = 24;
/// Bytes of the mark before the first block.
pub(crate) const MARK: u64 = 32;
/// The most bytes of an index's table; it is held in memory, and has one line for some hundred entries.
pub(crate) const MAX_TABLE: u64 = 16 << 20;
/// The most rows of a table: a row of a few bytes takes ten times as many in memory.
pub(crate) const MAX_BLOCKS: usize = 1 << 18;

pub(crate) const NO_INDEX: Malformed = Malformed::Archive("its index is in the wrong place");

/// Where the parts of an archive lie in its plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Where the tar archive ends and the index starts.
    pub content: u64,
    /// Where the table starts.
    pub table: u64,
    /// Where the table ends and the footer starts.
    pub end: u64,
    pub entries: u64,
}

impl Footer {
    /// `bytes` end a plaintext of `length` bytes.
    pub fn parse(bytes: &[u8], length: u64) -> Result<Self> {
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u64::from_be_bytes).ok_or(NO_INDEX)
        };
        let (content, table, entries) = (number(0)?, number(8)?, number(16)?);
        let end = length.saturating_sub(FOOTER as u64);
        let table = content.checked_add(table).ok_or(NO_INDEX)?;
        let aligned = content.is_multiple_of(Layout::Cobblestone.chunk() as u64);
        let first = content.checked_add(MARK).ok_or(NO_INDEX)?;
        if !aligned || table < first || table > end || end - table > MAX_TABLE {
            return Err(NO_INDEX.into());
        }
        Ok(Self { content, table, end, entries })
    }

    pub fn bytes(&self) -> [u8; FOOTER] {
        let mut bytes = [0; FOOTER];
        for (room, number) in bytes.chunks_mut(8).zip([self.content, self.table - self.content, self.entries])
        {
            room.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }
}

//! A stream cut at line ends, as it comes: whatever was read goes on at once, up to its last line feed.

use sealmark::record::Sessions;
use std::io::{self, ErrorKind, Read};

/// A longer line is handed over in pieces: it would have to be kept to tell where in it a token stands.
pub const LONGEST: usize = 128 << 20;
/// What is asked of the input at a time. Batch and result fit a processor's second cache.
const READ: usize = 1 << 18;

/// Lines that belong together, and what was known of the log's sessions when they came.
pub struct Batch {
    pub kind: Kind,
    pub text: Buffer,
    pub sessions: Sessions,
    /// Which of the inputs it is from.
    pub input: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole lines; only the last one of an input may have no line feed.
    Lines,
    /// A piece of a line that is longer than [`LONGEST`]; more of it follows.
    Piece,
    /// The last piece of such a line, maybe empty.
    LastPiece,
}

/// Bytes whose room is used again, so that it is neither allocated nor wiped for every batch.
#[derive(Default)]
pub struct Buffer {
    bytes: Vec<u8>,
    filled: usize,
}

impl Buffer {
    pub fn text(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// An empty one in its room, unless that is far larger than a batch needs.
    pub fn reused(mut self) -> Self {
        self.filled = 0;
        if self.bytes.len() <= 4 * READ { self } else { Self::default() }
    }

    fn push(&mut self, text: &[u8]) {
        let end = self.filled + text.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[self.filled..end].copy_from_slice(text);
        self.filled = end;
    }

    fn read(&mut self, input: &mut dyn Read) -> io::Result<usize> {
        let end = self.filled + READ;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        let length = input.read(&mut self.bytes[self.filled..end])?;
        self.filled += length;
        Ok(length)
    }
}

/// Cuts one input.
pub struct Cutter<'a> {
    input: &'a mut dyn Read,
    limit: usize,
    kept: Buffer,
    searched: usize,
    /// Whether what is kept belongs to a line whose start was handed over.
    long: bool,
}

impl<'a> Cutter<'a> {
    pub fn new(input: &'a mut dyn Read) -> Self {
        Self { input, limit: LONGEST, kept: Buffer::default(), searched: 0, long: false }
    }

    /// Waits until there are whole lines, or the end of the input, which is nothing. What follows them is kept in
    /// `rest`.
    pub fn next(&mut self, mut rest: Buffer) -> io::Result<Option<(Kind, Buffer)>> {
        loop {
            if let Some((kind, end)) = self.whole() {
                rest.push(&self.kept.text()[end..]);
                self.kept.filled = end;
                self.long = kind == Kind::Piece;
                // Behind the end of a long line, nothing has been searched yet.
                self.searched = if kind == Kind::LastPiece { 0 } else { rest.filled };
                return Ok(Some((kind, std::mem::replace(&mut self.kept, rest))));
            }
            match self.kept.read(self.input) {
                Ok(0) => return Ok(self.end()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// What of the text that is kept can be handed over, and where it ends.
    fn whole(&mut self) -> Option<(Kind, usize)> {
        let from = std::mem::replace(&mut self.searched, self.kept.filled);
        let new = &self.kept.text()[from..];
        let behind = |feed: usize| from + feed + 1;
        match self.long {
            true if new.is_empty() => None,
            true => Some(match memchr::memchr(b'\n', new) {
                Some(feed) => (Kind::LastPiece, behind(feed)),
                None => (Kind::Piece, self.kept.filled),
            }),
            false => match memchr::memrchr(b'\n', new) {
                Some(feed) => Some((Kind::Lines, behind(feed))),
                None => (self.kept.filled > self.limit).then_some((Kind::Piece, self.kept.filled)),
            },
        }
    }

    fn end(&mut self) -> Option<(Kind, Buffer)> {
        let kind = if self.long { Kind::LastPiece } else { Kind::Lines };
        let last = std::mem::take(&mut self.kept);
        self.searched = 0;
        let over = last.filled == 0 && !std::mem::take(&mut self.long);
        (!over).then_some((kind, last))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    /// Gives so many bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len());
            self.0.read(&mut buffer[..length])
        }
    }

    fn cut(text: &str, drop: usize) -> Vec<String> {
        let mut input = Drops(text.as_bytes(), drop);
        let mut cutter = Cutter { limit: 6, ..Cutter::new(&mut input) };
        let (mut seen, mut spare) = (Vec::new(), Buffer::default());
        while let Some((kind, buffer)) = cutter.next(std::mem::take(&mut spare)).unwrap() {
            seen.push(format!("{kind:?} {}", String::from_utf8_lossy(buffer.text())));
            spare = buffer.reused();
        }
        seen
    }

    #[test]
    fn lines_go_on_as_soon_as_they_are_whole() {
        assert_eq!(cut("a\n\nbc\nd", 100), ["Lines a\n\nbc\n", "Lines d"]);
        assert_eq!(cut("a\n\nbc\nd", 1), ["Lines a\n", "Lines \n", "Lines bc\n", "Lines d"]);
        assert!(cut("", 5).is_empty());
    }

    #[test]
    fn long_lines_come_in_pieces() {
        assert_eq!(cut("abcdefghi\nj\n", 4), ["Piece abcdefgh", "LastPiece i\n", "Lines j\n"]);
        assert_eq!(cut("abcdefgh", 4), ["Piece abcdefgh", "LastPiece "]);
        assert_eq!(cut("abcdefgh\nk\nl", 8), ["Piece abcdefgh", "LastPiece \n", "Lines k\n", "Lines l"]);
    }
}

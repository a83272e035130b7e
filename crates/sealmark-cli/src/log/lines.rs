//! A stream cut into lines: short ones whole, long ones in pieces.

use sealmark::record;
use std::io;

/// The text between two line feeds, or a piece of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A line without its line feed; only the last one of a stream may have none.
    Line { content: &'a [u8], feed: bool },
    /// A piece of a line that is longer than the limit; more of it follows.
    Long(&'a [u8]),
    /// The last piece of such a line, maybe empty.
    LongEnd { content: &'a [u8], feed: bool },
}

/// The receiver of the pieces.
pub trait Lines {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()>;
    /// True where more should be read: not where it could not be kept.
    fn goes_on(&self) -> bool {
        true
    }
}

/// A longer line is treated as one that is not of the log's kind, in pieces that a token can hold.
pub const LONGEST: usize = record::MAX_PLAINTEXT;

/// True for a line without anything but its end: it belongs to no format, and nothing in it can be sealed.
pub fn is_blank(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).is_empty()
}

/// So many bytes are asked for at a time.
pub const READ: usize = 1 << 18;

/// Cuts what it is given, and keeps what may go on.
pub struct Cutter {
    limit: usize,
    kept: Vec<u8>,
    long: bool,
}

impl Cutter {
    pub fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), long: false }
    }

    pub fn push(&mut self, mut text: &[u8], lines: &mut impl Lines) -> io::Result<()> {
        while let Some(feed) = memchr::memchr(b'\n', text) {
            let line = &text[..feed];
            if self.kept.is_empty() && !self.long && feed <= self.limit {
                lines.piece(Piece::Line { content: line, feed: true })?
            } else {
                self.keep(line, lines)?;
                self.finish(true, lines)?;
            }
            text = &text[feed + 1..];
        }
        self.keep(text, lines)
    }

    fn keep(&mut self, text: &[u8], lines: &mut impl Lines) -> io::Result<()> {
        self.kept.extend_from_slice(text);
        let mut done = 0;
        while self.kept.len() - done > self.limit {
            self.long = true;
            lines.piece(Piece::Long(&self.kept[done..][..self.limit]))?;
            done += self.limit;
        }
        self.kept.drain(..done);
        Ok(())
    }

    fn finish(&mut self, feed: bool, lines: &mut impl Lines) -> io::Result<()> {
        let content = &self.kept[..];
        lines.piece(if self.long {
            Piece::LongEnd { content, feed }
        } else {
            Piece::Line { content, feed }
        })?;
        self.kept.clear();
        self.long = false;
        Ok(())
    }

    /// The text that was kept is the last line.
    pub fn end(&mut self, lines: &mut impl Lines) -> io::Result<()> {
        if self.kept.is_empty() && !self.long { Ok(()) } else { self.finish(false, lines) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Lines for Seen {
        fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
            let (mark, content, feed) = match piece {
                Piece::Line { content, feed } => ("line", content, feed),
                Piece::Long(content) => ("long", content, false),
                Piece::LongEnd { content, feed } => ("end", content, feed),
            };
            let feed = if feed { "$" } else { "" };
            self.0.push(format!("{mark} {}{feed}", String::from_utf8_lossy(content)));
            Ok(())
        }
    }

    fn seen(text: &str) -> Vec<String> {
        let [whole, bytewise] = [text.len().max(1), 1].map(|length| {
            let (mut seen, mut cutter) = (Seen::default(), Cutter::new(4));
            text.as_bytes().chunks(length).for_each(|text| cutter.push(text, &mut seen).unwrap());
            cutter.end(&mut seen).unwrap();
            seen.0
        });
        assert_eq!(whole, bytewise);
        whole
    }

    #[test]
    fn lines_come_whole_and_in_order() {
        assert_eq!(seen("a\n\nbcde\nf"), ["line a$", "line $", "line bcde$", "line f"]);
        assert!(seen("").is_empty());
    }

    #[test]
    fn long_lines_come_in_pieces() {
        assert_eq!(seen("abcdefghi\nj\n"), ["long abcd", "long efgh", "end i$", "line j$"]);
        assert_eq!(seen("abcdefgh"), ["long abcd", "end efgh"]);
    }
}

//! A stream cut at line ends, as it comes: whatever was read goes on at once, up to its last line feed.

use super::times::Seconds;
use sealmark::record::{SessionId, Sessions, find};
use std::io::{self, ErrorKind, Read};

/// A longer line is handed over in pieces: it would have to be kept to tell where in it a token stands. Values that need
/// escapes take up to six times the room.
pub const LONGEST: usize = 32 << 20;
/// So much is collected of a longer line without braces: no token in it needs the rest of the line.
const PIECE: usize = 4 << 20;
/// More than a token of the largest value has.
const LONGEST_TOKEN: usize = 1_400_000;
/// So much is asked of the input at a time. Batch and result fit a processor's second cache.
const READ: usize = 1 << 18;

/// Lines that belong together, and what was known of the log's sessions when they came.
pub struct Batch {
    pub kind: Kind,
    pub text: Buffer,
    pub sessions: Sessions,
    /// Which of the inputs it is from.
    pub input: usize,
    /// The sessions that lines at its start may belong to.
    pub behind: Behind,
}

/// The sessions that lines without any may belong to: the last one that was named, and the one that began last. A late line of
/// an old one does not end the new one.
#[derive(Clone, Copy, Default)]
pub struct Behind {
    /// Each with whether it is wanted.
    pub last: Option<(SessionId, bool)>,
    pub newest: Option<(Seconds, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole lines; only the last one of an input may have no line feed.
    Lines,
    /// A piece of a line that is longer than [`LONGEST`], with whole tokens that stand in no JSON; more of it follows.
    Text,
    /// The last piece of such a line, maybe empty.
    LastText,
    /// A piece of such a line that may be JSON, cut anywhere; more of it follows.
    Piece,
    /// The last piece of such a line, maybe empty.
    LastPiece,
}

impl Kind {
    /// True where a batch of this kind is no more than a piece of a line.
    pub fn is_piece(self) -> bool {
        self != Self::Lines
    }

    /// True where nobody can tell what stands in it.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Piece | Self::LastPiece)
    }
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
    piece: usize,
    kept: Buffer,
    searched: usize,
    ended: bool,
    line: Line,
}

/// The kind of text that what is kept begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Whole,
    /// More of a line that is too long, and has had no brace.
    Text,
    /// More of one that may be JSON.
    Object,
}

impl<'a> Cutter<'a> {
    pub fn new(input: &'a mut dyn Read) -> Self {
        Self {
            input,
            limit: LONGEST,
            piece: PIECE,
            kept: Buffer::default(),
            searched: 0,
            ended: false,
            line: Line::Whole,
        }
    }

    /// Waits until there are whole lines, or the end of the input, which is nothing. The text behind them is kept in
    /// `rest`.
    pub fn next(&mut self, mut rest: Buffer) -> io::Result<Option<(Kind, Buffer)>> {
        loop {
            if let Some((kind, end, line)) = self.ready() {
                rest.push(&self.kept.text()[end..]);
                self.kept.filled = end;
                self.line = line;
                // More than one piece of a line that is too long may be kept.
                self.searched = if kind == Kind::Lines { rest.filled } else { 0 };
                return Ok(Some((kind, std::mem::replace(&mut self.kept, rest))));
            }
            if self.ended {
                return Ok(None);
            }
            match self.kept.read(self.input) {
                Ok(length) => self.ended = length == 0,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The part of the text that can be handed over, where it ends, and what begins there.
    fn ready(&mut self) -> Option<(Kind, usize, Line)> {
        let (text, ended) = (self.kept.text(), self.ended.then_some(self.kept.filled));
        let from = std::mem::replace(&mut self.searched, text.len());
        let (new, behind) = (&text[from..], |feed: usize| from + feed + 1);
        if self.line == Line::Whole {
            let end = memchr::memrchr(b'\n', new).map(behind).or(ended);
            return match end {
                Some(end) => (end > 0).then_some((Kind::Lines, end, Line::Whole)),
                None => (text.len() > self.limit).then(|| self.long(None)).flatten(),
            };
        }
        self.long(memchr::memchr(b'\n', new).map(behind).or(ended))
    }

    /// The same of a line that is too long, up to its `end`, where that is known.
    fn long(&self, end: Option<usize>) -> Option<(Kind, usize, Line)> {
        let text = &self.kept.text()[..end.unwrap_or(self.kept.filled)];
        let brace = if self.line == Line::Object { Some(0) } else { memchr::memchr(b'{', text) };
        match (brace, end) {
            (Some(0), Some(end)) => Some((Kind::LastPiece, end, Line::Whole)),
            (Some(0), None) => (!text.is_empty()).then_some((Kind::Piece, text.len(), Line::Object)),
            (Some(brace), _) => Some((Kind::Text, brace, Line::Object)),
            (None, Some(end)) => Some((Kind::LastText, end, Line::Whole)),
            (None, None) if text.len() > self.piece => {
                Some((Kind::Text, seam(text), Line::Text)).filter(|piece| piece.1 > 0)
            }
            (None, None) => None,
        }
    }
}

/// Where a text that goes on can be cut, such that no token is: before the first one that may not be whole yet. Only the
/// last five tildes can be the start of one, for a sixth would end it: a part has the most.
fn seam(text: &[u8]) -> usize {
    let whole = find(text).last().map_or(0, |found| found.range().end);
    let from = whole.max(text.len().saturating_sub(LONGEST_TOKEN));
    let starts = memchr::memrchr_iter(b'~', &text[from..]).take(5).map(|tilde| from + tilde);
    let begun = |start: &usize| b"~s1".starts_with(&text[*start..text.len().min(start + 3)]);
    starts.filter(begun).min().unwrap_or(text.len())
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

    fn cut(text: &str, drop: usize) -> Vec<(Kind, String)> {
        let mut input = Drops(text.as_bytes(), drop);
        let mut cutter = Cutter { limit: 6, piece: 3, ..Cutter::new(&mut input) };
        let (mut seen, mut spare) = (Vec::new(), Buffer::default());
        while let Some((kind, buffer)) = cutter.next(std::mem::take(&mut spare)).unwrap() {
            seen.push((kind, String::from_utf8_lossy(buffer.text()).into_owned()));
            spare = buffer.reused();
        }
        seen
    }

    fn shown(text: &str, drop: usize) -> Vec<String> {
        cut(text, drop).into_iter().map(|(kind, text)| format!("{kind:?} {text}")).collect()
    }

    #[test]
    fn lines_go_on_as_soon_as_they_are_whole() {
        assert_eq!(shown("a\n\nbc\nd", 100), ["Lines a\n\nbc\n", "Lines d"]);
        assert_eq!(shown("a\n\nbc\nd", 1), ["Lines a\n", "Lines \n", "Lines bc\n", "Lines d"]);
        assert!(shown("", 5).is_empty());
    }

    #[test]
    fn long_lines_come_in_pieces() {
        assert_eq!(shown("abcdefghi\nj\n", 4), ["Text abcdefgh", "LastText i\n", "Lines j\n"]);
        assert_eq!(shown("abcdefgh", 4), ["Text abcdefgh", "LastText "]);
        assert_eq!(shown("abcdefgh\nk\nl", 8), ["Text abcdefgh", "LastText \n", "Lines k\n", "Lines l"]);
        assert_eq!(shown("{bcdefghi\nj\n", 4), ["Piece {bcdefgh", "LastPiece i\n", "Lines j\n"]);
        assert_eq!(shown("{bcdefgh", 4), ["Piece {bcdefgh", "LastPiece "]);
        assert_eq!(shown("{bcdefgh\nk\nl", 8), ["Piece {bcdefgh", "LastPiece \n", "Lines k\n", "Lines l"]);
        let behind = ["Text abcdefgh", "Text ij", "Piece {k", "Piece l{mn", "LastPiece }\n", "Lines o\n"];
        assert_eq!(shown("abcdefghij{kl{mn}\no\n", 4), behind);
        assert_eq!(shown("abcdefghij{k", 40), ["Text abcdefghij", "Piece {k", "LastPiece "]);
    }

    #[test]
    fn no_token_is_cut() {
        let id = "A".repeat(16);
        let token = |suite: char, label: &str| format!("~s1{suite}~{label}~{id}~{}~", "B".repeat(40));
        let (a, s1a, part) =
            (token('a', "a"), token('q', "s1a"), format!("~s1h~{id}~AAAAAAAAAAAA~1.2~AAAA~"));
        let closing = format!("~s1z~{id}~{}~", "C".repeat(40));
        let line = format!("ip={a}{s1a}s1a~~s1a~x~ ~s1a~{a}~{part} {closing}~s1{a}~s1a~b~{id}");
        let whole: Vec<_> = find(line.as_bytes()).map(|found| line[found.range()].to_owned()).collect();
        assert_eq!(whole, [&a, &s1a, &a, &part, &closing, &a].map(String::clone));
        for drop in 1..line.len() {
            let pieces = cut(&format!("{line}\n"), drop);
            let tokens = pieces
                .iter()
                .flat_map(|(_, text)| find(text.as_bytes()).map(|found| text[found.range()].to_owned()));
            assert_eq!(tokens.collect::<Vec<_>>(), whole, "{pieces:?}");
            assert!(pieces.iter().all(|(kind, _)| matches!(kind, Kind::Text | Kind::LastText)), "{pieces:?}");
            assert_eq!(pieces.iter().map(|(_, text)| &text[..]).collect::<String>(), format!("{line}\n"));
        }
    }
}

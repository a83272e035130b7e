//! Where a syslog message ends in a stream of bytes (RFC 6587): a count of octets stands in front of each, or a line feed
//! behind each. A sender does one or the other for as long as its connection lasts: it counts where its first message begins with
//! `<` behind a count, and else its first line may begin with digits.

use std::io;

/// A longer message is cut.
pub const LONGEST: usize = 128 << 10;
/// A message that claims more octets is not waited for.
const MOST_COUNTED: usize = 16 << 20;
/// Memory of one long message is not kept for the next.
const KEPT: usize = 8 << 10;

pub struct Frames {
    state: State,
    /// A message that is not here to its end; at the start, what may be a count.
    kept: Vec<u8>,
    /// Messages that were longer than [`LONGEST`].
    cut: u64,
    is_cut: bool,
}

#[derive(Clone, Copy)]
enum State {
    /// Nobody can tell yet which way it is.
    Start,
    /// Between messages, or within a count; so much of it is known.
    Count(usize),
    /// So many octets of a message are to come.
    Counted(usize),
    Line,
}

/// The verdict on a sender: does it keep to one of the two ways.
#[derive(Debug, PartialEq, Eq)]
pub enum Framing {
    Sound,
    /// It does not, and so many octets at the end are of no message.
    Malformed(usize),
}

/// How a stream ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Whole,
    /// The part of the last message that came. Nobody can tell if a line without its line feed is whole.
    Within(Vec<u8>),
}

impl Default for Frames {
    fn default() -> Self {
        Self { state: State::Start, kept: Vec::new(), cut: 0, is_cut: false }
    }
}

impl Frames {
    /// Hands over each message that has come to its end, and whether that is all of it.
    pub fn push(
        &mut self,
        mut text: &[u8],
        message: &mut impl FnMut(&[u8], bool) -> io::Result<()>,
    ) -> io::Result<Framing> {
        while let Some((first, rest)) = text.split_first() {
            match self.state {
                State::Start => match (first, self.counted()) {
                    (b'<', Some((count, true))) => {
                        self.kept.clear();
                        self.state = State::Counted(count);
                    }
                    (b'1'..=b'9', None) if self.kept.is_empty() => {
                        self.kept.push(*first);
                        text = rest;
                    }
                    (b'0'..=b'9' | b' ', Some((_, false))) => {
                        self.kept.push(*first);
                        text = rest;
                    }
                    _ => self.state = State::Line,
                },
                State::Count(count) => {
                    match first {
                        b'0'..=b'9' => self.state = State::Count(count * 10 + usize::from(first - b'0')),
                        b' ' => self.state = State::Counted(count),
                        _ => return Ok(Framing::Malformed(text.len())),
                    }
                    // A count begins with another digit than 0, and what is counted has at least one octet.
                    if !matches!(self.state, State::Count(1..=MOST_COUNTED) | State::Counted(1..)) {
                        return Ok(Framing::Malformed(text.len()));
                    }
                    text = rest;
                }
                State::Counted(left) => {
                    let (piece, behind) = text.split_at(left.min(text.len()));
                    text = behind;
                    if piece.len() == left {
                        self.finish(piece, message)?;
                        self.state = State::Count(0);
                    } else {
                        self.keep(piece);
                        self.state = State::Counted(left - piece.len());
                    }
                }
                State::Line => match memchr::memchr(b'\n', text) {
                    Some(feed) => {
                        self.finish(&text[..feed], message)?;
                        text = &text[feed + 1..];
                    }
                    None => {
                        self.keep(text);
                        text = &[];
                    }
                },
            }
        }
        Ok(Framing::Sound)
    }

    /// The count that was kept, and whether its space was, too.
    fn counted(&self) -> Option<(usize, bool)> {
        let text = str::from_utf8(&self.kept).ok()?;
        let digits = text.strip_suffix(' ').unwrap_or(text);
        let count = digits.parse().ok().filter(|count| (1..=MOST_COUNTED).contains(count))?;
        Some((count, digits.len() < text.len()))
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = LONGEST - self.kept.len();
        if piece.len() > room {
            self.cut += u64::from(!std::mem::replace(&mut self.is_cut, true));
        }
        self.kept.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn finish(
        &mut self,
        piece: &[u8],
        message: &mut impl FnMut(&[u8], bool) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.kept.is_empty() && piece.len() <= LONGEST {
            return message(piece, true);
        }
        self.keep(piece);
        let is_whole = !std::mem::take(&mut self.is_cut);
        message(&self.kept, is_whole)?;
        self.kept.clear();
        self.kept.shrink_to(KEPT);
        Ok(())
    }

    /// True within a message.
    pub fn is_within(&self) -> bool {
        match self.state {
            State::Count(0) => false,
            State::Count(_) | State::Counted(_) => true,
            State::Start | State::Line => !self.kept.is_empty(),
        }
    }

    /// How many messages were cut since this was asked last.
    pub fn take_cut(&mut self) -> u64 {
        std::mem::take(&mut self.cut)
    }

    /// No more will come.
    pub fn end(self) -> End {
        if self.is_within() { End::Within(self.kept) } else { End::Whole }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    /// Messages, whether the framing was sound, and the end; the same whether the text comes at once or byte by byte.
    fn read(text: &[u8]) -> (Vec<String>, Framing, End) {
        let [whole, bytewise] = [text.len().max(1), 1].map(|length| {
            let (mut frames, mut seen) = (Frames::default(), Vec::new());
            let mut take = |message: &[u8], is_whole: bool| {
                assert!(is_whole);
                seen.push(String::from_utf8_lossy(message).into_owned());
                Ok(())
            };
            let mut pieces = text.chunks(length).map(|piece| frames.push(piece, &mut take).unwrap());
            let sound = pieces.find(|framing| *framing != Framing::Sound).unwrap_or(Framing::Sound);
            drop(pieces);
            (seen, sound, frames.end())
        });
        assert_eq!(whole, bytewise);
        whole
    }

    fn within(text: &str) -> End {
        End::Within(text.into())
    }

    #[test]
    fn octets_are_counted() {
        for (text, messages, end) in [
            ("", &[][..], End::Whole),
            ("5 <1>ab3 x\ny1  2 12", &["<1>ab", "x\ny", " ", "12"], End::Whole),
            ("1 <10 bcd", &["<"], within("bcd")),
            ("1 <10 ", &["<"], within("")),
            ("1 <1", &["<"], within("")),
            ("16777216 <", &[], within("<")),
        ] {
            let messages: Vec<_> = messages.iter().map(ToString::to_string).collect();
            assert_eq!(read(text.as_bytes()), (messages, Framing::Sound, end), "{text}");
        }
    }

    #[test]
    fn or_messages_end_with_a_line_feed() {
        for (text, messages, end) in [
            ("<1>a\n\n7 b\n", &["<1>a", "", "7 b"][..], End::Whole),
            ("{a}\n<1>b", &["{a}"], within("<1>b")),
            // A line may begin with digits, and with what would be a count if a message followed.
            ("203.0.113.9 - a\n7 <b\n", &["203.0.113.9 - a", "7 <b"], End::Whole),
            ("404 not found\n1 <a", &["404 not found"], within("1 <a")),
            ("0 <a\n", &["0 <a"], End::Whole),
            ("01 <a\n", &["01 <a"], End::Whole),
            ("1  <a\n", &["1  <a"], End::Whole),
            ("16777217 <a\n", &["16777217 <a"], End::Whole),
            ("99999999999999999999999999 <\n", &["99999999999999999999999999 <"], End::Whole),
            ("12\n\n", &["12", ""], End::Whole),
            ("12", &[], within("12")),
            ("12 ", &[], within("12 ")),
        ] {
            let messages: Vec<_> = messages.iter().map(ToString::to_string).collect();
            assert_eq!(read(text.as_bytes()), (messages, Framing::Sound, end), "{text}");
        }
    }

    #[test]
    fn what_is_no_count_is_malformed() {
        for (text, left_out) in [
            ("0 ", 2),
            ("01 a", 4),
            ("1a", 1),
            ("1 a\n", 1),
            ("1 a 2 bc", 5),
            ("16777217 ", 2),
            ("99999999999999999999999999 ", 20),
            ("203.0.113.9 -", 10),
        ] {
            let (mut frames, text) = (Frames::default(), format!("1 <{text}"));
            let framing = frames.push(text.as_bytes(), &mut |_, _| Ok(())).unwrap();
            assert_eq!(framing, Framing::Malformed(left_out), "{text}");
        }
        assert_eq!(read(b"1 <16777216 ").1, Framing::Sound);
    }

    #[test]
    fn a_long_message_is_cut_and_the_next_is_whole() {
        let long = "<".repeat(LONGEST);
        for (text, kept) in [
            (format!("{} {long}1 a", LONGEST), 0),
            (format!("{} {long}yz1 a", LONGEST + 2), 1),
            (format!("<{long}\na\n"), 1),
        ] {
            let (mut frames, mut seen) = (Frames::default(), Vec::new());
            for piece in text.as_bytes().chunks(1000) {
                let mut take = |message: &[u8], is_whole: bool| {
                    assert_eq!(is_whole, kept == 0 || !seen.is_empty());
                    seen.push(message.to_vec());
                    Ok(())
                };
                assert_eq!(frames.push(piece, &mut take).unwrap(), Framing::Sound);
                assert!(frames.kept.len() <= LONGEST);
            }
            assert_eq!((seen.len(), seen[0].len(), &seen[1][..]), (2, LONGEST, &b"a"[..]));
            assert_eq!((frames.take_cut(), frames.take_cut()), (kept, 0));
            assert!(frames.kept.capacity() <= KEPT);
        }
    }
}

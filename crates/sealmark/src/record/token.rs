//! The grammar: where in a text a token, a header's part or a closing token stands (spec/record.md, "Grammar").

use std::{fmt, ops::Range};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{
    counters::STRIPES,
    label::{MAX_LABEL, is_label},
    session::MAX_PLAINTEXT,
};
use crate::aead::TAG;

/// Characters of `~s1a~`.
pub(super) const HEAD: usize = 5;
/// Bytes of a value's counter.
pub(super) const COUNTER: usize = 4;
/// Bytes of a header's digest.
pub(super) const DIGEST: usize = 9;
const DIGEST_CHARS: usize = DIGEST * 4 / 3;
/// Characters of a session's id.
pub(super) const ID_CHARS: usize = 16;
/// The most characters of a part, with all that is around its base64url.
pub(super) const MAX_PART: usize = 900;
const MIN_BODY: usize = (COUNTER + TAG) * 4 / 3 + 1;
const MAX_BODY: usize = (COUNTER + MAX_PLAINTEXT + TAG) * 4 / 3;
/// Bytes of a run of unused counters in a closing token.
pub(super) const RUN: usize = 8;
const MIN_CLOSING: usize = (8 + TAG) * 4 / 3;
const MAX_CLOSING: usize = ((8 + STRIPES * RUN + TAG) * 4).div_ceil(3);

/// Which log session: the same in its header and all its tokens. It is public.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub(super) [u8; 12]);

/// What the plaintext of a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Suite {
    /// The value and its padding.
    pub padded: bool,
    /// The value is one JSON text.
    pub json: bool,
}

impl Suite {
    fn of(letter: u8) -> Option<Self> {
        Some(match letter {
            b'a' => Self { padded: false, json: false },
            b'p' => Self { padded: true, json: false },
            b'j' => Self { padded: false, json: true },
            b'q' => Self { padded: true, json: true },
            _ => return None,
        })
    }

    /// How its tokens begin.
    pub fn head(self) -> &'static [u8; HEAD] {
        match (self.padded, self.json) {
            (false, false) => b"~s1a~",
            (true, false) => b"~s1p~",
            (false, true) => b"~s1j~",
            (true, true) => b"~s1q~",
        }
    }
}

/// Something in a text that the grammar knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'a> {
    /// A sealed value.
    Token(Token<'a>),
    /// A part of a header.
    Part(Part<'a>),
    /// How many values a session sealed.
    Closing(Closing<'a>),
}

/// A sealed value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its first byte in the text, and the one behind its last.
    pub range: Range<usize>,
    /// The name it was sealed under; proved only once it opens.
    pub label: &'a str,
    /// The session it names.
    pub session: SessionId,
    pub(super) suite: Suite,
    /// Everything before the body: what is authenticated with it.
    pub(super) head: &'a [u8],
    pub(super) body: &'a [u8],
}

/// One of the lines that a header is cut into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'a> {
    /// Its first byte in the text, and the one behind its last.
    pub range: Range<usize>,
    /// The session whose header it belongs to.
    pub session: SessionId,
    /// Which header of that session it belongs to.
    pub(super) digest: [u8; DIGEST],
    /// Which part this is, from 1.
    pub number: u16,
    /// How many parts the header has.
    pub of: u16,
    pub(super) body: &'a [u8],
}

/// A closing token in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing<'a> {
    /// Its first byte in the text, and the one behind its last.
    pub range: Range<usize>,
    /// The session that ended.
    pub session: SessionId,
    pub(super) head: &'a [u8],
    pub(super) body: &'a [u8],
}

/// Finds everything the grammar knows, from left to right. One pass, no allocation.
pub fn find(text: &[u8]) -> impl Iterator<Item = Found<'_>> {
    steps(text).filter_map(|step| match step {
        Step::Found(found) => Some(found),
        Step::Cut(_) => None,
    })
}

/// The pieces that a reader meets on its way through a text.
pub(super) enum Step<'a> {
    Found(Found<'a>),
    /// The beginning of a token, part or closing token of this session, whose rest is missing.
    Cut(SessionId),
}

/// As [`find`], and what was cut off.
pub(super) fn steps(text: &[u8]) -> impl Iterator<Item = Step<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr(b'~', &text[at..])?;
            at = start + 1;
            if let Some(found) = parse(text, start) {
                at = found.range().end;
                return Some(Step::Found(found));
            }
            if let Some(session) = cut_off(&text[start..]) {
                return Some(Step::Cut(session));
            }
        }
    })
}

/// The session of what begins a token, a part or a closing token. For text that is none.
fn cut_off(text: &[u8]) -> Option<SessionId> {
    let (suite, rest) = text.strip_prefix(b"~s1")?.split_first()?;
    let rest = rest.strip_prefix(b"~")?;
    let rest = match suite {
        b'h' | b'z' => rest,
        letter => {
            Suite::of(*letter)?;
            let (label, rest) = field(rest, MAX_LABEL)?;
            is_label(label).then_some(rest)?
        }
    };
    session(rest).map(|(session, _)| session)
}

impl Found<'_> {
    /// Where in the text it stands.
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Token(token) => token.range.clone(),
            Self::Part(part) => part.range.clone(),
            Self::Closing(closing) => closing.range.clone(),
        }
    }
}

/// What starts at the tilde at `start`.
pub(super) fn parse(text: &[u8], start: usize) -> Option<Found<'_>> {
    let rest = text[start..].strip_prefix(b"~s1")?;
    let (suite, rest) = rest.split_first()?;
    let rest = rest.strip_prefix(b"~")?;
    match suite {
        b'h' => part(text, start, rest).map(Found::Part),
        b'z' => closing(text, start, rest).map(Found::Closing),
        letter => token(text, start, rest, Suite::of(*letter)?).map(Found::Token),
    }
}

fn token<'a>(text: &'a [u8], start: usize, rest: &'a [u8], suite: Suite) -> Option<Token<'a>> {
    let (label, rest) = field(rest, MAX_LABEL)?;
    let (session, rest) = session(rest)?;
    let (body, rest) = field(rest, MAX_BODY)?;
    let fits = is_label(label) && body.len() >= MIN_BODY && is_base64url(body);
    let label = str::from_utf8(label).ok()?;
    let range = start..text.len() - rest.len();
    let head = &text[start..range.end - 1 - body.len()];
    fits.then_some(Token { range, label, session, suite, head, body })
}

fn part<'a>(text: &'a [u8], start: usize, rest: &'a [u8]) -> Option<Part<'a>> {
    let (session, rest) = session(rest)?;
    let (digest, rest) = fixed::<DIGEST_CHARS, DIGEST>(rest)?;
    let (numbers, rest) = field(rest, 2 * 5 + 1)?;
    let dot = numbers.iter().position(|byte| *byte == b'.')?;
    let (number, of) = (number(&numbers[..dot])?, number(&numbers[dot + 1..])?);
    let (body, rest) = field(rest, MAX_PART)?;
    let range = start..text.len() - rest.len();
    let fits = number <= of && range.len() <= MAX_PART && !body.is_empty() && is_base64url(body);
    fits.then_some(Part { range, session, digest, number, of, body })
}

fn closing<'a>(text: &'a [u8], start: usize, rest: &'a [u8]) -> Option<Closing<'a>> {
    let (session, rest) = session(rest)?;
    let (body, rest) = field(rest, MAX_CLOSING)?;
    let range = start..text.len() - rest.len();
    let head = &text[start..range.end - 1 - body.len()];
    (body.len() >= MIN_CLOSING && is_base64url(body)).then_some(Closing { range, session, head, body })
}

/// What stands before the next tilde, and what behind it.
fn field(rest: &[u8], longest: usize) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'~', &rest[..rest.len().min(longest + 1)])?;
    Some((&rest[..end], &rest[end + 1..]))
}

fn session(rest: &[u8]) -> Option<(SessionId, &[u8])> {
    fixed::<ID_CHARS, 12>(rest).map(|(id, rest)| (SessionId(id), rest))
}

/// So many bytes in so many characters before a tilde.
fn fixed<const CHARS: usize, const BYTES: usize>(rest: &[u8]) -> Option<([u8; BYTES], &[u8])> {
    let (chars, rest) = rest.split_first_chunk::<CHARS>()?;
    let rest = rest.strip_prefix(b"~")?;
    let mut bytes = [0; BYTES];
    URL_SAFE_NO_PAD.decode_slice(chars, &mut bytes).ok()?;
    Some((bytes, rest))
}

/// A decimal from 1 to 65535 without a leading zero.
fn number(digits: &[u8]) -> Option<u16> {
    let plain = digits.iter().all(u8::is_ascii_digit) && digits.first()? != &b'0';
    str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()
}

/// Without a branch for each character, in bytes only, so that it runs many at a time.
fn is_base64url(text: &[u8]) -> bool {
    let foreign = text.iter().fold(0u8, |foreign, &byte| {
        let letter = u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
        let digit = u8::from(byte.wrapping_sub(b'0') < 10);
        let sign = u8::from(byte == b'-') | u8::from(byte == b'_');
        foreign | (letter | digit | sign) ^ 1
    });
    foreign == 0
}

impl SessionId {
    /// Reads the sixteen characters that stand in headers and tokens.
    pub fn parse(text: &str) -> Option<Self> {
        let mut id = [0; 12];
        (URL_SAFE_NO_PAD.decode_slice(text, &mut id) == Ok(12)).then_some(Self(id))
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

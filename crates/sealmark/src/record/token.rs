//! The grammar: where in a text a token, a header's part or a closing token stands (spec/record.md, "Grammar").

use super::counters::STRIPES;
use super::label::{MAX_LABEL, UNSEALED, is_label_byte};
use crate::aead::TAG;
use crate::error::{Error, RecordMisuse, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use memchr::memmem::Finder;
use std::ops::Range;
use std::str::FromStr;
use std::sync::LazyLock;
use std::{fmt, iter};

/// The most bytes of a value, its padding counted.
pub const MAX_PLAINTEXT: usize = 1 << 20;

/// Characters of `~s1a~`.
pub(super) const HEAD: usize = 5;
/// Bytes of a value's counter.
pub(super) const COUNTER: usize = 4;
/// Bytes of a header's digest.
pub(super) const DIGEST: usize = 9;
const DIGEST_CHARS: usize = DIGEST * 4 / 3;
/// Bytes of a session's id, and characters.
pub(super) const ID: usize = 12;
pub(super) const ID_CHARS: usize = 16;
/// The most characters of a part, with all that is around its base64url.
pub(super) const MAX_PART: usize = 900;
const MIN_BODY: usize = (COUNTER + TAG) * 4 / 3 + 1;
const MAX_BODY: usize = (COUNTER + MAX_PLAINTEXT + TAG) * 4 / 3;
/// Bytes of a run of unused counters in a closing token.
pub(super) const RUN: usize = 8;
const MIN_CLOSING: usize = (8 + TAG) * 4 / 3;
const MAX_CLOSING: usize = ((8 + STRIPES * RUN + TAG) * 4).div_ceil(3);

/// The public id of a log session, the same in its header and all its tokens. Different texts of sixteen characters are
/// different ids.
///
/// [`SessionSettings`](crate::record::SessionSettings) has an example.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId([u8; ID_CHARS]);

/// The form of a token's plaintext.
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

    /// The first characters of its tokens.
    pub fn head(self) -> &'static [u8; HEAD] {
        match (self.padded, self.json) {
            (false, false) => b"~s1a~",
            (true, false) => b"~s1p~",
            (false, true) => b"~s1j~",
            (true, true) => b"~s1q~",
        }
    }
}

/// A token, a part of a header, or a closing token in a text.
///
/// ```
/// use sealmark::record::{Found, find};
///
/// let line = b"login of ~s1a~email~7gQ2mJ0cXbVtR4aL~AAAAAHk3AAAAAAAAAAAAAAAAAAAAAA~";
/// let labels: Vec<&str> = find(line)
///     .filter_map(|found| if let Found::Token(token) = found { Some(token.label) } else { None })
///     .collect();
/// assert_eq!(labels, ["email"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found<'a> {
    /// A sealed value.
    Token(Token<'a>),
    /// A part of a header.
    Part(HeaderPart<'a>),
    /// A closing token, which says which values a session sealed.
    Closing(Closing<'a>),
}

/// A sealed value in a text.
///
/// [`Found`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Token<'a> {
    /// Its place in the text, in bytes.
    pub range: Range<usize>,
    /// The label that it was sealed under, unauthenticated until it opens.
    pub label: &'a str,
    /// The session that it names.
    pub session: SessionId,
    pub(super) suite: Suite,
    /// Everything before the body: what is authenticated with it.
    pub(super) head: &'a [u8],
    pub(super) body: &'a [u8],
}

/// One of the lines that a header is cut into.
///
/// [`Found`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderPart<'a> {
    /// Its place in the text, in bytes.
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
///
/// [`Found`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Closing<'a> {
    /// Its place in the text, in bytes.
    pub range: Range<usize>,
    /// The session that ended.
    pub session: SessionId,
    pub(super) head: &'a [u8],
    pub(super) body: &'a [u8],
}

/// Finds everything the grammar knows, from left to right. One pass, no allocation.
pub fn find(text: &[u8]) -> impl Iterator<Item = Found<'_>> {
    let mut at = 0;
    iter::from_fn(move || {
        loop {
            if let Step::Found(found) = step(text, &mut at, is_base64url)? {
                return Some(found);
            }
        }
    })
}

/// The label of what [`look_alikes`] finds.
pub const LOOK_ALIKE: &str = "lookalike";

/// Text that readers may take for a token, a part or a closing token (spec/record.md, "Text that looks like a token"):
/// each `~s1`, and the characters of tokens that follow it. A writer that names its session passes over its
/// own tokens and over markers ([`super::Label::unsealed`]).
pub fn look_alikes(text: &[u8], own: Option<SessionId>) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    iter::from_fn(move || {
        loop {
            let start = at + next_start(&text[at..])?;
            at = match own.map(|own| (own, parse(text, start, is_base64url))) {
                // The marker's last character may begin a token.
                Some(_) if text[start..].starts_with(UNSEALED.as_bytes()) => start + UNSEALED.len() - 1,
                Some((own, Some(Found::Token(token)))) if token.session == own => token.range.end,
                _ => {
                    at = start + run(&text[start..]);
                    return Some(start..at);
                }
            };
        }
    })
}

/// How many characters `text` begins with that tokens are made of.
pub(super) fn run(text: &[u8]) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-~".contains(byte);
    text.iter().take_while(|byte| is_part(byte)).count()
}

/// The pieces that a reader meets on its way through a text.
pub(super) enum Step<'a> {
    Found(Found<'a>),
    /// The beginning of a token, part or closing token of this session, whose rest is missing, and where it begins.
    Cut(SessionId, usize),
}

/// Where the next text is that may be something of ours.
#[inline]
pub(super) fn next_start(text: &[u8]) -> Option<usize> {
    static START: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"~s1"));
    START.find(text)
}

/// The next piece from a place on, which moves behind it. The body of a token is one where `is_body` says so, which can
/// keep what it has found.
#[inline]
pub(super) fn step<'a>(
    text: &'a [u8],
    at: &mut usize,
    mut is_body: impl FnMut(&[u8]) -> bool,
) -> Option<Step<'a>> {
    loop {
        let start = *at + next_start(&text[*at..])?;
        *at = start + 1;
        if let Some(found) = parse(text, start, &mut is_body) {
            *at = found.range().end;
            return Some(Step::Found(found));
        }
        if let Some(session) = cut_off(&text[start..]) {
            return Some(Step::Cut(session, start));
        }
    }
}

/// The session of what begins a token, a part or a closing token. For text that is none.
fn cut_off(text: &[u8]) -> Option<SessionId> {
    let (suite, rest) = text.strip_prefix(b"~s1")?.split_first()?;
    let rest = rest.strip_prefix(b"~")?;
    let rest = match suite {
        b'h' | b'z' => rest,
        letter => {
            Suite::of(*letter)?;
            label(rest)?.1
        }
    };
    session(rest).map(|(session, _)| session)
}

impl Token<'_> {
    /// True where its value is a JSON text, in which a string has quotes and escapes.
    pub fn is_json(&self) -> bool {
        self.suite.json
    }
}

impl Found<'_> {
    /// The session it names; proved only once it opens.
    pub fn session(&self) -> SessionId {
        match self {
            Self::Token(token) => token.session,
            Self::Part(part) => part.session,
            Self::Closing(closing) => closing.session,
        }
    }

    /// Where in the text it stands.
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Token(token) => token.range.clone(),
            Self::Part(part) => part.range.clone(),
            Self::Closing(closing) => closing.range.clone(),
        }
    }
}

/// The token, part or look-alike that starts at the tilde at `start`.
#[inline]
pub(super) fn parse(text: &[u8], start: usize, is_body: impl FnMut(&[u8]) -> bool) -> Option<Found<'_>> {
    let rest = text[start..].strip_prefix(b"~s1")?;
    let (suite, rest) = rest.split_first()?;
    let rest = rest.strip_prefix(b"~")?;
    match suite {
        b'h' => part(text, start, rest).map(Found::Part),
        b'z' => closing(text, start, rest).map(Found::Closing),
        letter => token(text, start, rest, Suite::of(*letter)?, is_body).map(Found::Token),
    }
}

#[inline]
fn token<'a>(
    text: &'a [u8],
    start: usize,
    rest: &'a [u8],
    suite: Suite,
    mut is_body: impl FnMut(&[u8]) -> bool,
) -> Option<Token<'a>> {
    let (label, rest) = label(rest)?;
    let (session, rest) = session(rest)?;
    let (body, rest) = field(rest, MAX_BODY)?;
    let fits = body.len() >= MIN_BODY && is_body(body);
    let range = start..text.len() - rest.len();
    let head = &text[start..range.end - 1 - body.len()];
    fits.then_some(Token { range, label, session, suite, head, body })
}

fn part<'a>(text: &'a [u8], start: usize, rest: &'a [u8]) -> Option<HeaderPart<'a>> {
    let (session, rest) = session(rest)?;
    let (digest, rest) = digest(rest)?;
    let (numbers, rest) = field(rest, 2 * 5 + 1)?;
    let dot = numbers.iter().position(|byte| *byte == b'.')?;
    let (number, of) = (number(&numbers[..dot])?, number(&numbers[dot + 1..])?);
    let (body, rest) = field(rest, MAX_PART)?;
    let range = start..text.len() - rest.len();
    let fits = number <= of && range.len() <= MAX_PART && !body.is_empty() && is_base64url(body);
    fits.then_some(HeaderPart { range, session, digest, number, of, body })
}

fn closing<'a>(text: &'a [u8], start: usize, rest: &'a [u8]) -> Option<Closing<'a>> {
    let (session, rest) = session(rest)?;
    let (body, rest) = field(rest, MAX_CLOSING)?;
    let range = start..text.len() - rest.len();
    let head = &text[start..range.end - 1 - body.len()];
    (body.len() >= MIN_CLOSING && is_base64url(body)).then_some(Closing { range, session, head, body })
}

/// A label before a tilde, and what is behind it.
#[inline]
fn label(rest: &[u8]) -> Option<(&str, &[u8])> {
    let end = rest.iter().take(MAX_LABEL + 1).position(|byte| !is_label_byte(*byte))?;
    let (label, rest) = rest.split_at(end);
    let label = str::from_utf8(label).ok().filter(|label| !label.is_empty())?;
    Some((label, rest.strip_prefix(b"~")?))
}

/// Splits `rest` at the next tilde.
fn field(rest: &[u8], longest: usize) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'~', &rest[..rest.len().min(longest + 1)])?;
    Some((&rest[..end], &rest[end + 1..]))
}

fn session(rest: &[u8]) -> Option<(SessionId, &[u8])> {
    let (id, rest) = rest.split_first_chunk()?;
    let rest = rest.strip_prefix(b"~")?;
    (foreign(id) == 0).then_some((SessionId(*id), rest))
}

fn digest(rest: &[u8]) -> Option<([u8; DIGEST], &[u8])> {
    let (chars, rest) = rest.split_first_chunk::<DIGEST_CHARS>()?;
    let rest = rest.strip_prefix(b"~")?;
    let mut bytes = [0; DIGEST];
    URL_SAFE_NO_PAD.decode_slice(chars, &mut bytes).ok()?;
    Some((bytes, rest))
}

/// A decimal from 1 to 65535 without a leading zero.
fn number(digits: &[u8]) -> Option<u16> {
    let plain = digits.iter().all(u8::is_ascii_digit) && digits.first()? != &b'0';
    str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()
}

pub(super) fn is_base64url(text: &[u8]) -> bool {
    // The last block overlaps the one before, so that nothing is left to be looked at one by one.
    match text.last_chunk::<BLOCK>() {
        Some(last) => {
            let (blocks, _) = text.as_chunks::<BLOCK>();
            blocks.iter().fold(foreign(last), |any, block| any | foreign(block)) == 0
        }
        None => text.iter().fold(0, |any, byte| any | foreign(&[*byte])) == 0,
    }
}

const BLOCK: usize = 16;

/// Not 0 where a character is not of base64url. Without a branch, and in bytes only, so that all run at once.
#[inline]
fn foreign<const N: usize>(text: &[u8; N]) -> u8 {
    text.iter().fold(0, |foreign, &byte| {
        let letter = u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
        let digit = u8::from(byte.wrapping_sub(b'0') < 10);
        let sign = u8::from(byte == b'-') | u8::from(byte == b'_');
        foreign | (letter | digit | sign) ^ 1
    })
}

impl SessionId {
    pub(super) fn from_bytes(bytes: &[u8; ID]) -> Self {
        let mut chars = [0; ID_CHARS];
        URL_SAFE_NO_PAD.encode_slice(bytes, &mut chars).expect("twelve bytes are sixteen characters");
        Self(chars)
    }

    pub(super) fn to_bytes(self) -> [u8; ID] {
        let mut bytes = [0; ID];
        URL_SAFE_NO_PAD.decode_slice(self.0, &mut bytes).expect("sixteen characters are twelve bytes");
        bytes
    }

    pub(super) fn chars(&self) -> &[u8; ID_CHARS] {
        &self.0
    }
}

/// Reads the sixteen characters that stand in headers and tokens.
impl FromStr for SessionId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let chars = text.as_bytes().try_into().ok().filter(|chars| foreign(chars) == 0);
        chars.map(Self).ok_or_else(|| RecordMisuse::SessionId(text.chars().take(ID_CHARS).collect()).into())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.0).expect("base64url is ASCII"))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

//! Opening tokens: they are replaced where they stand.

use super::escape::{escape_breaks, escape_times, is_json_text, object_in, string_in};
use super::levels::{DEEPEST, Levels};
use super::parts::is_own_line;
use super::report::Report;
use super::sessions::{Known, Opened, Sessions};
use super::token::{COUNTER, Closing, Found, SessionId, Step, Token, is_base64url, next_start, run, step};
use base64_simd::{Out, URL_SAFE_NO_PAD as BASE64URL};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::{fmt, mem};
use zeroize::{Zeroize, Zeroizing};

/// How values are written where their tokens stood.
///
/// [`TokenOpener`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Context {
    /// No value adds a line to the log or a member to the JSON around it. In strings of a JSON object that ends its line, a
    /// value is escaped once for each level of nesting; elsewhere, its line breaks are written as `\n` and `\r`.
    #[default]
    Detect,
    /// Like [`Context::Detect`], but line breaks outside of strings stay as they are.
    Raw,
    /// Byte for byte, whatever is around them.
    Plain,
    /// For searching: like [`Context::Detect`], but values are written byte for byte, JSON strings without their escapes, and
    /// U+FFFD stands for each part, each closing token, and each token that cannot be opened or is cut off.
    Search,
}

/// The caller's say in a pass: which tokens are opened, and what became of each.
struct Watch<W, S> {
    wanted: W,
    seen: S,
}

/// Where a token stands, as far as it matters for how its value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    /// In how many JSON strings.
    level: usize,
    /// The token is a JSON text between the quotes of its string.
    quoted: Option<Quoted>,
}

/// How many bytes each of the two quotes takes, and whether the string is a member's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quoted {
    length: usize,
    name: bool,
}

impl Place {
    /// In a JSON object; of the line, `taken` bytes were the token's before it.
    fn of(token: &Token<'_>, line: &[u8], taken: usize, levels: &mut Levels<'_>) -> Self {
        let Range { start, end } = token.range;
        let level = levels.level(start);
        let quoted = || {
            let quote = levels.quote(level);
            let around =
                quote.end == start && quote.start >= taken && line[end..].starts_with(&line[quote.clone()]);
            let length = quote.len();
            around.then(|| Quoted { length, name: levels.is_name(level, end + length) })
        };
        let quoted = if token.suite.json && (1..=DEEPEST).contains(&level) { quoted() } else { None };
        Self { level, quoted }
    }

    /// The text that the value takes the place of.
    fn range(self, token: &Token<'_>) -> Range<usize> {
        let quote = self.quoted.map_or(0, |quoted| quoted.length);
        token.range.start - quote..token.range.end + quote
    }
}

/// The fate of a token.
///
/// [`TokenOpener`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "it tells whether the token was altered"]
pub enum Outcome {
    /// It was opened.
    Opened {
        /// Its place among the session's values.
        counter: u32,
        /// True where this pass met the counter before.
        repeated: bool,
    },
    /// No header of its session was read.
    Orphan,
    /// None of the keys opens the header of its session.
    NoKey,
    /// It does not authenticate.
    Tampered,
    /// It is authentic, but cannot stand in the JSON string it is in.
    NotText,
}

/// Opens tokens and keeps the report; one for each thread. Plaintext that it held is wiped when it is dropped.
///
/// ```
/// use sealmark::{Identity, Kem};
/// use sealmark::record::{Context, Label, LogKeys, LogOpener, LogSession, Outcome, Readers, Shape, TokenOpener};
///
/// # fn main() -> sealmark::Result<()> {
/// let identity = Identity::generate(Kem::X25519)?;
/// let session = LogSession::begin(&Readers::recipients(&[identity.recipient()])?, Default::default())?;
/// let line = format!("login of {}\n", session.seal(&Label::new("email")?, b"a@b.example")?);
///
/// let mut opener = LogOpener::new(LogKeys::identities(vec![identity]));
/// opener.learn(session.header_lines(Shape::Plain).as_bytes());
/// let (mut pass, mut opened) = (TokenOpener::new(Context::Plain), Vec::new());
/// pass.open_line_by(&opener.sessions(), line.as_bytes(), &mut opened, |token, outcome| {
///     assert_eq!(token.label, "email");
///     assert!(matches!(outcome, Outcome::Opened { counter: 0, .. }));
/// });
/// assert_eq!(opened, b"login of a@b.example\n");
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct TokenOpener {
    context: Context,
    value: Zeroizing<Vec<u8>>,
    report: Report,
    /// Most tokens are of the same session as the one before.
    last: Option<Last>,
}

/// The session of the last token that opened.
struct Last {
    /// Where it was looked up. This keeps the address from being used for other sessions, whose reader may not have the key.
    known: Weak<HashMap<SessionId, Known>>,
    session: SessionId,
    opened: Arc<Opened>,
}

impl TokenOpener {
    /// Writes values in this way.
    pub fn new(context: Context) -> Self {
        Self { context, ..Self::default() }
    }

    /// Appends whole lines of a log to `out`: opened, and without the log's own lines.
    pub fn open(&mut self, sessions: &Sessions, text: &[u8], out: &mut Vec<u8>) {
        self.open_where(sessions, text, out, |_| true);
    }

    /// Like [`TokenOpener::open`], but tokens that are not `wanted` stay as they are, and are not counted.
    pub fn open_where(
        &mut self,
        sessions: &Sessions,
        text: &[u8],
        out: &mut Vec<u8>,
        wanted: impl FnMut(&Token<'_>) -> bool,
    ) {
        let mut watch = Watch { wanted, seen: |_: &Token<'_>, _| {} };
        let mut done = 0;
        while let Some(step) = next_start(&text[done..]) {
            let hit = done + step;
            let start = memchr::memrchr(b'\n', &text[done..hit]).map_or(done, |before| done + before + 1);
            let end = memchr::memchr(b'\n', &text[hit..]).map_or(text.len(), |feed| hit + feed + 1);
            out.extend_from_slice(&text[done..start]);
            self.open_line(sessions, &text[start..end], hit - start, out, &mut watch);
            done = end;
        }
        out.extend_from_slice(&text[done..]);
    }

    /// Like [`TokenOpener::open`], and calls `seen` with the outcome of each token.
    pub fn open_line_by(
        &mut self,
        sessions: &Sessions,
        line: &[u8],
        out: &mut Vec<u8>,
        seen: impl FnMut(&Token<'_>, Outcome),
    ) {
        self.open_line(sessions, line, 0, out, &mut Watch { wanted: |_: &Token<'_>| true, seen });
    }

    /// Appends a piece of a line that is neither JSON nor the log's own.
    pub fn open_piece(&mut self, sessions: &Sessions, text: &[u8], out: &mut Vec<u8>) {
        self.open_piece_where(sessions, text, out, |_| true);
    }

    /// Like [`TokenOpener::open_piece`], but tokens that are not `wanted` stay as they are, and are not counted.
    pub fn open_piece_where(
        &mut self,
        sessions: &Sessions,
        text: &[u8],
        out: &mut Vec<u8>,
        wanted: impl FnMut(&Token<'_>) -> bool,
    ) {
        let mut watch = Watch { wanted, seen: |_: &Token<'_>, _| {} };
        let copied = self.open_content(sessions, text, 0, Levels::new(text, None), out, &mut watch);
        out.extend_from_slice(&text[copied..]);
    }

    /// Appends the value of one token that is not in a JSON string; appends nothing if the token does not open.
    pub fn open_token(&mut self, sessions: &Sessions, token: &Token<'_>, out: &mut Vec<u8>) -> Outcome {
        decode(token.body, &mut self.value);
        self.open_at(sessions, token, Place::default(), out)
    }

    /// `value` holds the token's body.
    fn open_at(
        &mut self,
        sessions: &Sessions,
        token: &Token<'_>,
        place: Place,
        out: &mut Vec<u8>,
    ) -> Outcome {
        let outcome = match self.look_up(sessions, token.session) {
            Err(closed) => closed,
            Ok(()) => match self.last.as_ref().map(|last| last.opened.open(token, &mut self.value)) {
                Some(Ok((counter, length))) => self.put(token, counter, length, place, out),
                _ => Outcome::Tampered,
            },
        };
        match outcome {
            Outcome::Orphan => self.report.orphan(token.session),
            outcome => self.count(outcome),
        }
        outcome
    }

    /// Makes the session the last one.
    #[inline]
    fn look_up(&mut self, sessions: &Sessions, session: SessionId) -> std::result::Result<(), Outcome> {
        let place = Arc::as_ptr(&sessions.0);
        if self.last.as_ref().is_some_and(|last| last.known.as_ptr() == place && last.session == session) {
            return Ok(());
        }
        match sessions.0.get(&session) {
            None => Err(Outcome::Orphan),
            Some(Known::NoKey) => Err(Outcome::NoKey),
            Some(Known::Open(opened)) => {
                let known = Arc::downgrade(&sessions.0);
                self.last = Some(Last { known, session, opened: opened.clone() });
                Ok(())
            }
        }
    }

    /// The tokens that were met so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The tokens that were met.
    pub fn into_report(mut self) -> Report {
        mem::take(&mut self.report)
    }

    /// Nothing of ours begins before `from`.
    fn open_line(
        &mut self,
        sessions: &Sessions,
        line: &[u8],
        from: usize,
        out: &mut Vec<u8>,
        watch: &mut Watch<impl FnMut(&Token<'_>) -> bool, impl FnMut(&Token<'_>, Outcome)>,
    ) {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let own = is_own_line(content);
        let object = if self.context == Context::Plain || own { None } else { object_in(content) };
        let before = out.len();
        let copied = self.open_content(sessions, content, from, Levels::new(content, object), out, watch);
        if own { out.truncate(before) } else { out.extend_from_slice(&line[copied..]) }
    }

    /// Appends up to the last token that opened, and returns where that is.
    fn open_content(
        &mut self,
        sessions: &Sessions,
        content: &[u8],
        from: usize,
        mut levels: Levels<'_>,
        out: &mut Vec<u8>,
        watch: &mut Watch<impl FnMut(&Token<'_>) -> bool, impl FnMut(&Token<'_>, Outcome)>,
    ) -> usize {
        let (mut copied, mut at) = (0, from);
        while let Some(step) = step(content, &mut at, |body| decode(body, &mut self.value)) {
            match step {
                Step::Found(Found::Token(token)) if !(watch.wanted)(&token) => {}
                Step::Found(Found::Token(token)) => {
                    let place = Place::of(&token, content, copied, &mut levels);
                    let range = place.range(&token);
                    out.extend_from_slice(&content[copied..range.start]);
                    let outcome = self.open_at(sessions, &token, place, out);
                    copied = match outcome {
                        Outcome::Opened { .. } => range.end,
                        _ => self.leave_out(content, range.start, token.range.clone(), out),
                    };
                    (watch.seen)(&token, outcome);
                }
                Step::Found(other) => copied = self.pass_over(sessions, content, copied, &other, out),
                Step::Cut(session, start) => {
                    self.report.cut_off += u64::from(sessions.0.contains_key(&session));
                    let rest = &content[start + 1..];
                    let end = start + 1 + next_start(rest).unwrap_or(rest.len()).min(run(rest));
                    copied = self.leave_out(content, copied, start..end, out);
                }
            }
        }
        copied
    }

    /// A part or a closing token. Returns up to where `content` is done with.
    // Where this stands among tokens, `log open` takes a twentieth longer.
    #[cold]
    fn pass_over(
        &mut self,
        sessions: &Sessions,
        content: &[u8],
        copied: usize,
        found: &Found<'_>,
        out: &mut Vec<u8>,
    ) -> usize {
        if let Found::Closing(closing) = found {
            self.close(sessions, closing);
        }
        self.leave_out(content, copied, found.range(), out)
    }

    /// Text that is no value is not searched, and the text around it does not touch. Returns up to where `content` is done
    /// with.
    #[cold]
    fn leave_out(&self, content: &[u8], copied: usize, range: Range<usize>, out: &mut Vec<u8>) -> usize {
        if self.context != Context::Search {
            return copied;
        }
        out.extend_from_slice(&content[copied..range.start]);
        out.extend_from_slice("\u{fffd}".as_bytes());
        range.end
    }

    fn put(
        &mut self,
        token: &Token<'_>,
        counter: u32,
        length: usize,
        place: Place,
        out: &mut Vec<u8>,
    ) -> Outcome {
        let value = &self.value[COUNTER..COUNTER + length];
        let text = || str::from_utf8(value).ok();
        // Byte for byte, a value stands as at level 0, and a JSON text as at level 1.
        let times = if self.context == Context::Search { 0 } else { place.level };
        match place {
            Place { level: 0, .. } if self.context == Context::Detect => escape_breaks(value, out),
            Place { level: 0, .. } => out.extend_from_slice(value),
            Place { level: 1..=DEEPEST, quoted } => match (token.suite.json, quoted, text()) {
                (false, _, Some(text)) => escape_times(text, times, out),
                (true, Some(Quoted { name, .. }), Some(text)) if fits(text, name) => {
                    let searched = if self.context == Context::Search { string_in(text) } else { None };
                    match searched {
                        Some(string) => {
                            for piece in [&b"\""[..], &string, b"\""] {
                                out.extend_from_slice(piece);
                            }
                        }
                        None => escape_times(text, times.saturating_sub(1), out),
                    }
                }
                _ => return Outcome::NotText,
            },
            _ => return Outcome::NotText,
        }
        let repeated = !self.report.sessions.entry(token.session).or_default().meet(counter);
        Outcome::Opened { counter, repeated }
    }

    fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Opened { .. } => &mut self.report.opened,
            // It is counted with its session.
            Outcome::Orphan => return,
            Outcome::NoKey => &mut self.report.no_key,
            Outcome::Tampered => &mut self.report.tampered,
            Outcome::NotText => &mut self.report.not_text,
        } += 1;
    }

    fn close(&mut self, sessions: &Sessions, closing: &Closing<'_>) {
        if let Some(Known::Open(opened)) = sessions.0.get(&closing.session) {
            match opened.close(closing) {
                Ok(tally) => self.report.sessions.entry(closing.session).or_default().close(tally),
                Err(_) => self.report.tampered += 1,
            }
        }
    }
}

/// Decodes the body of a token. False where it is none; where it is, but nobody writes it so, `value` is empty.
#[inline]
fn decode(body: &[u8], value: &mut Vec<u8>) -> bool {
    let length = body.len() * 3 / 4;
    if value.capacity() < length {
        // A vector that grows moves, and would leave the last value behind in memory that it gives back.
        value.zeroize();
        value.reserve(length);
    }
    value.resize(length, 0);
    let decoded = BASE64URL.decode(body, Out::from_slice(value)).is_ok();
    if !decoded {
        value.clear();
    }
    decoded || is_base64url(body)
}

/// True where a JSON text can stand where a string did: as a name, a string only.
fn fits(text: &str, name: bool) -> bool {
    is_json_text(text) && (!name || text.trim_ascii_start().starts_with('"'))
}

impl fmt::Debug for TokenOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenOpener({:?})", self.report)
    }
}

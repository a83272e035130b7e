//! Opening a log: headers are learned as they are met, tokens replaced where they stand.

use std::{
    collections::{HashMap, VecDeque},
    fmt, mem,
    ops::Range,
    sync::{Arc, LazyLock},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use memchr::memmem::Finder;
use zeroize::Zeroizing;

use super::{
    counters::Tally,
    escape::{Quotes, escape, is_json_text, object_in},
    header::{Header, HeaderFacts, SessionKey},
    keys::{LogKeys, Readers},
    parts::{Collector, Shape, header_lines, is_own_line},
    report::Report,
    token::{COUNTER, Closing, Found, Part, RUN, SessionId, Token, find, parse},
};
use crate::{
    aead::{ValueAt, ValueCipher},
    error::{Error, Misuse, Result},
};

/// Learns the sessions of a log from its headers, and opens their tokens.
///
/// Memory is bounded whatever the log holds: by 1,024 headers that are incomplete or closed to us, 64 MiB of their
/// parts, and 65,536 open sessions; the oldest goes first, and its tokens are orphans until its header comes again.
pub struct LogOpener {
    keys: LogKeys,
    sessions: Sessions,
    open_oldest_first: VecDeque<SessionId>,
    closed_oldest_first: VecDeque<SessionId>,
    collector: Collector,
}

/// The sessions known at one moment: cheap to copy, and shared by threads that each have a [`Pass`].
#[derive(Clone, Default)]
pub struct Sessions(Arc<HashMap<SessionId, Known>>);

#[derive(Clone)]
enum Known {
    Open(Arc<Opened>),
    NoKey,
}

struct Opened {
    key: SessionKey,
    cipher: ValueCipher,
    facts: HeaderFacts,
    post_quantum: bool,
}

const MAX_OPEN: usize = 1 << 16;
/// Sessions that none of the keys opens; anybody can make such headers up.
const MAX_CLOSED: usize = 1 << 10;

impl LogOpener {
    /// Opens with these keys; knows no session yet.
    pub fn new(keys: LogKeys) -> Self {
        let (sessions, open_oldest_first, closed_oldest_first, collector) = Default::default();
        Self { keys, sessions, open_oldest_first, closed_oldest_first, collector }
    }

    /// Learns the headers in `text`, which is whole lines of a log or of a side file; returns how many parts it met.
    pub fn learn(&mut self, text: &[u8]) -> usize {
        static HEADER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"~s1h~"));
        let parts = HEADER.find_iter(text).filter_map(|start| match parse(text, start) {
            Some(Found::Part(part)) => Some(part),
            _ => None,
        });
        parts.map(|part| self.learn_part(&part)).count()
    }

    /// Learns from whole lines of a log, and appends them to `out`: opened, and without the log's own lines.
    pub fn open(&mut self, text: &[u8], out: &mut Vec<u8>) -> Report {
        self.learn(text);
        let mut pass = Pass::new(Context::Detect);
        pass.open(&self.sessions, text, out);
        pass.into_report()
    }

    /// What was learned so far.
    pub fn sessions(&self) -> Sessions {
        self.sessions.clone()
    }

    /// A new header for a session whose header was opened, as lines of the log. Every token stays valid; who could open
    /// the old header still can.
    ///
    /// # Errors
    /// [`Misuse::UnknownSession`]; [`Misuse::ReencryptNeeded`] where the old header is classic and the new is not.
    pub fn rekey(&self, session: SessionId, readers: &Readers, shape: Shape) -> Result<String> {
        let Some(Known::Open(opened)) = self.sessions.0.get(&session) else {
            return Err(Misuse::UnknownSession(session.to_string()).into());
        };
        match readers.is_post_quantum() && !opened.post_quantum {
            true => Err(Misuse::ReencryptNeeded.into()),
            false => Ok(header_lines(session, &opened.key.header(readers, &opened.facts)?, shape)),
        }
    }

    fn learn_part(&mut self, part: &Part<'_>) {
        if let Some(Known::Open(_)) = self.sessions.0.get(&part.session) {
            return;
        }
        if let Some(bytes) = self.collector.add(part) {
            match open_header(&bytes, part.session, &self.keys) {
                Ok(opened) => {
                    self.collector.forget(part.session);
                    self.know(part.session, Known::Open(Arc::new(opened)));
                }
                Err(Error::NoKey) => self.know(part.session, Known::NoKey),
                // A header that is refused is none.
                Err(_) => {}
            }
        }
    }

    fn know(&mut self, session: SessionId, known: Known) {
        let (queue, most) = match known {
            Known::Open(_) => (&mut self.open_oldest_first, MAX_OPEN),
            Known::NoKey => (&mut self.closed_oldest_first, MAX_CLOSED),
        };
        let sessions = Arc::make_mut(&mut self.sessions.0);
        let before = sessions.insert(session, known.clone());
        if before.as_ref().map(mem::discriminant) == Some(mem::discriminant(&known)) {
            return;
        }
        queue.push_back(session);
        if queue.len() > most {
            queue.pop_front().map(|oldest| sessions.remove(&oldest));
        }
        if before.is_some() {
            self.closed_oldest_first.retain(|closed| *closed != session);
        }
    }
}

fn open_header(bytes: &[u8], session: SessionId, keys: &LogKeys) -> Result<Opened> {
    let header = Header::parse(bytes)?;
    if header.session() != session {
        return Err(Error::Tampered(crate::Part::Header));
    }
    let key = header.unwrap(keys)?;
    let (facts, post_quantum) = (header.facts(), header.is_post_quantum());
    Ok(Opened { cipher: key.cipher(), facts, post_quantum, key })
}

impl Sessions {
    /// Those whose header was opened, in no order.
    pub fn opened(&self) -> impl Iterator<Item = SessionId> {
        self.0.iter().filter(|(_, known)| matches!(known, Known::Open(_))).map(|(session, _)| *session)
    }

    /// What the header of a session tells; `None` where none was opened.
    pub fn facts(&self, session: SessionId) -> Option<HeaderFacts> {
        match self.0.get(&session)? {
            Known::Open(opened) => Some(opened.facts),
            Known::NoKey => None,
        }
    }
}

/// How a value is written where its token stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Context {
    /// As in [`Context::Json`] inside the strings of JSON objects that end their lines, as in [`Context::Plain`] elsewhere.
    #[default]
    Detect,
    /// Escaped for a JSON string; what is no UTF-8 stays closed.
    Json,
    /// Byte for byte.
    Plain,
}

/// Where a token stands, as far as it matters for how its value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In no JSON string.
    Plain,
    /// In a JSON string.
    String,
    /// A JSON text that is all a JSON string holds; whether that is a member's name.
    Whole { name: bool },
    /// A JSON text between escaped quotes in a JSON string; whether that is a member's name.
    Quoted { name: bool },
}

impl Place {
    /// In a JSON object; of the line, `taken` bytes were the token's before it.
    fn of(token: &Token<'_>, line: &[u8], taken: usize, quotes: &mut Quotes) -> Self {
        let Range { start, end } = token.range;
        let quoted = token.suite.json && start > taken && line[start - 1] == b'"';
        // The quote before it, if that is one, begins the string or is inside.
        let begins = quoted && !quotes.enclose(line, start - 1);
        let behind = |quote: &[u8]| Some(line[end..].strip_prefix(quote)?.trim_ascii_start());
        let named = |rest: &[u8]| rest.starts_with(b":");
        match (quotes.enclose(line, start), begins) {
            (false, _) => Self::Plain,
            (true, true) => behind(b"\"").map_or(Self::String, |rest| Self::Whole { name: named(rest) }),
            (true, false) if quoted => {
                behind(b"\\\"").map_or(Self::String, |rest| Self::Quoted { name: named(rest) })
            }
            (true, false) => Self::String,
        }
    }

    /// What the value takes the place of.
    fn range(self, token: &Token<'_>) -> Range<usize> {
        let quotes = match self {
            Self::Plain | Self::String => 0,
            Self::Whole { .. } => 1,
            Self::Quoted { .. } => 2,
        };
        token.range.start - quotes..token.range.end + quotes
    }
}

/// What became of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was opened.
    Opened {
        /// Its place among the session's values.
        counter: u32,
        /// Whether this pass met the counter before.
        repeated: bool,
    },
    /// No header of its session was read.
    Orphan,
    /// None of the keys opens the header of its session.
    NoKey,
    /// It is not as it was sealed.
    Tampered,
    /// It is authentic, but cannot stand in the JSON string it is in.
    NotText,
}

/// Opens tokens and keeps the report; one for each thread. Plaintext that it held is wiped when it is dropped.
#[derive(Default)]
pub struct Pass {
    context: Context,
    value: Zeroizing<Vec<u8>>,
    report: Report,
}

impl Pass {
    /// Writes values in this way.
    pub fn new(context: Context) -> Self {
        Self { context, ..Self::default() }
    }

    /// Appends whole lines of a log to `out`: opened, and without the log's own lines.
    pub fn open(&mut self, sessions: &Sessions, text: &[u8], out: &mut Vec<u8>) {
        static TOKEN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"~s1"));
        let mut done = 0;
        while let Some(step) = TOKEN.find(&text[done..]) {
            let hit = done + step;
            let start = memchr::memrchr(b'\n', &text[done..hit]).map_or(done, |before| done + before + 1);
            let end = memchr::memchr(b'\n', &text[hit..]).map_or(text.len(), |feed| hit + feed + 1);
            out.extend_from_slice(&text[done..start]);
            self.open_line(sessions, &text[start..end], out);
            done = end;
        }
        out.extend_from_slice(&text[done..]);
    }

    /// Appends the value of one token, or, unless it opens, nothing. Never writes what is not authentic.
    pub fn open_token(
        &mut self,
        sessions: &Sessions,
        token: &Token<'_>,
        json: bool,
        out: &mut Vec<u8>,
    ) -> Outcome {
        self.open_at(sessions, token, if json { Place::String } else { Place::Plain }, out)
    }

    fn open_at(
        &mut self,
        sessions: &Sessions,
        token: &Token<'_>,
        place: Place,
        out: &mut Vec<u8>,
    ) -> Outcome {
        let outcome = match sessions.0.get(&token.session) {
            None => Outcome::Orphan,
            Some(Known::NoKey) => Outcome::NoKey,
            Some(Known::Open(opened)) => match opened.open(token, &mut self.value) {
                Err(_) => Outcome::Tampered,
                Ok((counter, length)) => self.put(token, counter, length, place, out),
            },
        };
        self.count(outcome);
        outcome
    }

    /// What was met so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What was met.
    pub fn into_report(mut self) -> Report {
        mem::take(&mut self.report)
    }

    fn open_line(&mut self, sessions: &Sessions, line: &[u8], out: &mut Vec<u8>) {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let own = is_own_line(content);
        let object = if self.context == Context::Detect && !own { object_in(content) } else { None };
        let (mut quotes, mut copied) = (Quotes::from(object.unwrap_or_default()), 0);
        for found in find(content) {
            match found {
                Found::Token(token) => {
                    let place = match self.context {
                        Context::Plain => Place::Plain,
                        Context::Json => Place::String,
                        Context::Detect if object.is_some_and(|start| start < token.range.start) => {
                            Place::of(&token, content, copied, &mut quotes)
                        }
                        Context::Detect => Place::Plain,
                    };
                    let range = place.range(&token);
                    out.extend_from_slice(&content[copied..range.start]);
                    copied = match self.open_at(sessions, &token, place, out) {
                        Outcome::Opened { .. } => range.end,
                        _ => range.start,
                    };
                }
                Found::Closing(closing) => self.close(sessions, &closing),
                Found::Part(_) => {}
            }
        }
        if !own {
            out.extend_from_slice(&line[copied..]);
        }
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
        match (place, str::from_utf8(value)) {
            (Place::Plain, _) => out.extend_from_slice(value),
            (Place::String, Ok(text)) if !token.suite.json => escape(text, out),
            (Place::Whole { name }, Ok(text)) if fits(text, name) => out.extend_from_slice(value),
            (Place::Quoted { name }, Ok(text)) if fits(text, name) => escape(text, out),
            _ => return Outcome::NotText,
        }
        let repeated = !self.report.sessions.entry(token.session).or_default().meet(counter);
        Outcome::Opened { counter, repeated }
    }

    fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Opened { .. } => &mut self.report.opened,
            Outcome::Orphan => &mut self.report.orphans,
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

impl Opened {
    /// Opens into `value`, behind the counter; returns the counter and the length of the value.
    fn open(&self, token: &Token<'_>, value: &mut Vec<u8>) -> Result<(u32, usize)> {
        const TAMPERED: Error = Error::Tampered(crate::Part::Token);
        value.resize(token.body.len() * 3 / 4, 0);
        URL_SAFE_NO_PAD.decode_slice(token.body, value).map_err(|_| TAMPERED)?;
        let (counter, sealed) = value.split_first_chunk_mut::<COUNTER>().ok_or(TAMPERED)?;
        let counter = u32::from_be_bytes(*counter);
        let plaintext = self.cipher.open(ValueAt::Value(counter), token.head, sealed)?;
        match token.suite.padded {
            true => Ok((counter, unpadded(plaintext).ok_or(TAMPERED)?)),
            false => Ok((counter, plaintext.len())),
        }
    }

    fn close(&self, closing: &Closing<'_>) -> Result<Tally> {
        const TAMPERED: Error = Error::Tampered(crate::Part::Token);
        let mut body = URL_SAFE_NO_PAD.decode(closing.body).map_err(|_| TAMPERED)?;
        let (count, sealed) = body.split_first_chunk_mut().ok_or(TAMPERED)?;
        let count = u64::from_be_bytes(*count);
        let runs = self.cipher.open(ValueAt::Closing(count), closing.head, sealed)?;
        let unused = unused_runs(runs, count).ok_or(TAMPERED)?;
        Ok(Tally { count, unused })
    }
}

/// Runs of counters: whole, ascending, not touching each other nor the end.
fn unused_runs(bytes: &[u8], count: u64) -> Option<Vec<Range<u64>>> {
    let (runs, rest) = bytes.as_chunks::<RUN>();
    let short = |bytes: &[u8]| u64::from(u32::from_be_bytes(bytes.try_into().expect("four bytes")));
    let runs: Vec<_> = runs.iter().map(|run| (short(&run[..4]), short(&run[4..]))).collect();
    let runs: Vec<_> = runs.into_iter().map(|(first, number)| first..first + number).collect();
    let sound = rest.is_empty()
        && runs.iter().all(|run| !run.is_empty() && run.end < count)
        && runs.is_sorted_by(|before, after| before.end < after.start);
    sound.then_some(runs)
}

/// Whether a JSON text can stand where a string did: as a name, a string only.
fn fits(text: &str, name: bool) -> bool {
    is_json_text(text) && (!name || text.trim_ascii_start().starts_with('"'))
}

/// The length of the value before its padding.
fn unpadded(plaintext: &[u8]) -> Option<usize> {
    let last = plaintext.iter().rposition(|byte| *byte != 0)?;
    (plaintext[last] == 0x80).then_some(last)
}

impl fmt::Debug for LogOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogOpener({:?}, {:?})", self.keys, self.sessions)
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sessions", self.0.len())
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({:?})", self.report)
    }
}

//! Facts about a log that need no key. Nothing here is authenticated.

use super::header::{Header, HeaderFacts, PRE_SHARED};
use super::parts::Collector;
use super::token::{Closing, Found, HeaderPart, SessionId, find};
use crate::kem;
use crate::suite::Kem;
use std::collections::{BTreeMap, HashMap};

/// Reads the facts of a log that need no key: sessions, labels, counts. All of them may be forged.
///
/// Memory is bounded: 65,536 sessions, 1,024 labels, and as many parts of incomplete headers as
/// [`super::LogOpener`] keeps.
///
/// ```
/// use sealmark::{Identity, Kem};
/// use sealmark::record::{KeyKind, LogInspector, LogSession, Readers, Shape};
///
/// # fn main() -> sealmark::Result<()> {
/// let readers = Readers::recipients(&[Identity::generate(Kem::X25519)?.recipient()])?;
/// let header = LogSession::begin(&readers, Default::default())?.header_lines(Shape::Plain);
///
/// let mut inspector = LogInspector::default();
/// inspector.inspect(header.as_bytes());
/// let (_, session) = inspector.sessions().next().expect("one header");
/// let found = session.header.as_ref().expect("all of its parts");
/// assert_eq!(found.keys, [(KeyKind::Key(Kem::X25519), 1)]);
/// assert_eq!(found.facts.began, None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct LogInspector {
    sessions: HashMap<SessionId, SessionInspection>,
    in_order: Vec<SessionId>,
    labels: BTreeMap<String, u64>,
    tokens: u64,
    collector: Collector,
}

/// Facts that a session's lines state about it.
///
/// [`LogInspector`] has an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInspection {
    /// The number of parts of its header that were met.
    pub parts: u32,
    /// The number of parts of its header, according to the last part that was met.
    pub parts_of: u16,
    /// Its last complete header.
    pub header: Option<HeaderInspection>,
    /// The number of tokens that name it.
    pub tokens: u64,
    /// One more than its highest counter, according to its closing token; lower counters may be unused.
    pub closing: Option<u64>,
    /// A bit for each part that was met.
    met: Vec<u64>,
}

/// Facts that a header states about itself.
///
/// [`LogInspector`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderInspection {
    /// The kinds of keys that open it, in the order of the header, and how many of each.
    pub keys: Vec<(KeyKind, u64)>,
    /// True if it resists a quantum computer; false if it has stanzas that this library does not know.
    pub post_quantum: bool,
    /// The order that it promises, and the previous session.
    pub facts: HeaderFacts,
    /// Bytes of the header.
    pub bytes: u64,
}

/// A kind of key that opens a header.
///
/// [`LogInspector`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// A secret key of this kind.
    Key(Kem),
    /// A pre-shared key.
    PreShared,
    /// A kind that this library does not know.
    Unknown,
}

const MAX_SESSIONS: usize = 1 << 16;
const MAX_LABELS: usize = 1024;
/// No header has more parts.
const MAX_PARTS: u16 = 3000;

impl LogInspector {
    /// Inspects whole lines of a log.
    pub fn inspect(&mut self, text: &[u8]) {
        for found in find(text) {
            match found {
                Found::Token(token) => {
                    self.tokens += 1;
                    self.label(token.label);
                    self.session(token.session).into_iter().for_each(|session| session.tokens += 1);
                }
                Found::Part(part) => self.part(&part),
                Found::Closing(closing) => {
                    let end = closing.claimed_end();
                    let session = self.session(closing.session);
                    session.into_iter().for_each(|session| session.closing = session.closing.max(end));
                }
            }
        }
    }

    /// The sessions in the order in which they were met.
    pub fn sessions(&self) -> impl Iterator<Item = (SessionId, &SessionInspection)> {
        self.in_order.iter().map(|id| (*id, &self.sessions[id]))
    }

    /// The number of tokens with each label.
    pub fn labels(&self) -> &BTreeMap<String, u64> {
        &self.labels
    }

    /// The number of tokens, including those of sessions and labels beyond the bounds.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    fn label(&mut self, label: &str) {
        let room = self.labels.len() < MAX_LABELS;
        match self.labels.get_mut(label) {
            Some(tokens) => *tokens += 1,
            None if room => drop(self.labels.insert(label.to_owned(), 1)),
            None => {}
        }
    }

    fn session(&mut self, id: SessionId) -> Option<&mut SessionInspection> {
        if !self.sessions.contains_key(&id) {
            if self.sessions.len() == MAX_SESSIONS {
                return None;
            }
            self.in_order.push(id);
        }
        Some(self.sessions.entry(id).or_default())
    }

    fn part(&mut self, part: &HeaderPart<'_>) {
        let header = self.collector.add(part).and_then(|bytes| HeaderInspection::of(&bytes, part.session));
        if header.is_some() {
            self.collector.forget(part.session);
        }
        if let Some(session) = self.session(part.session) {
            session.meet(part);
            session.header = header.or(session.header.take());
        }
    }
}

impl SessionInspection {
    fn meet(&mut self, part: &HeaderPart<'_>) {
        self.parts_of = part.of;
        let (word, bit) = (usize::from(part.number / 64), 1 << (part.number % 64));
        if part.number > MAX_PARTS {
            return;
        }
        self.met.resize(self.met.len().max(word + 1), 0);
        self.met[word] |= bit;
        self.parts = self.met.iter().map(|word| word.count_ones()).sum();
    }
}

impl HeaderInspection {
    fn of(bytes: &[u8], session: SessionId) -> Option<Self> {
        let header = Header::parse(bytes).ok().filter(|header| header.session == session)?;
        let mut keys: Vec<(KeyKind, u64)> = Vec::new();
        for kind in header.kinds().map(KeyKind::of) {
            match keys.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, number)) => *number += 1,
                None => keys.push((kind, 1)),
            }
        }
        let post_quantum = header.is_post_quantum();
        Some(Self { keys, post_quantum, facts: header.facts, bytes: bytes.len() as u64 })
    }
}

impl KeyKind {
    fn of(kind: u16) -> Self {
        match kind {
            PRE_SHARED => Self::PreShared,
            _ => kem::of_id(kind).map_or(Self::Unknown, Self::Key),
        }
    }
}

impl Closing<'_> {
    /// One more than the highest counter, as the token has it in the clear, unauthenticated.
    pub fn claimed_end(&self) -> Option<u64> {
        use base64::Engine;
        use base64::engine::general_purpose::URL_SAFE_NO_PAD;
        let mut start = [0; 9];
        URL_SAFE_NO_PAD.decode_slice(self.body.get(..12)?, &mut start).ok()?;
        start.first_chunk().map(|count| u64::from_be_bytes(*count))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn sessions_labels_and_parts_without_end_are_bounded() {
        let mut inspector = LogInspector::default();
        let body = "A".repeat(27);
        for number in 0..MAX_SESSIONS + 10 {
            let id = numbered(number);
            inspector.inspect(format!("~s1a~label{number}~{id}~{body}~\n").as_bytes());
        }
        inspector.inspect(format!("~s1h~{}~AAAAAAAAAAAA~65535.65535~AAAA~\n", numbered(0)).as_bytes());
        assert_eq!(inspector.tokens(), MAX_SESSIONS as u64 + 10);
        assert_eq!((inspector.sessions().count(), inspector.labels().len()), (MAX_SESSIONS, MAX_LABELS));
        let first = inspector.sessions().next().unwrap().1;
        assert_eq!((first.parts_of, first.met.len()), (65535, 0));
    }

    fn numbered(number: usize) -> SessionId {
        let mut id = [0; 12];
        id[..8].copy_from_slice(&(number as u64).to_be_bytes());
        SessionId::from_bytes(&id)
    }
}

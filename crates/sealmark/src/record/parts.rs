//! Headers in the log: cut into lines that syslog does not cut, and put together again within bounds.

use super::header::{self, MAX_HEADER};
use super::token::{DIGEST, HeaderPart, SessionId, parse};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// The form of a line that holds only a part of a header or a closing token.
///
/// The [module](crate::record) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// The token alone.
    Plain,
    /// A JSON object with one member, `sealmark`: for logs of JSON lines.
    Json,
}

const JSON_START: &str = "{\"sealmark\":\"";
const JSON_END: &str = "\"}";

impl Shape {
    /// A line of the log, with its line feed.
    pub(super) fn line(self, token: &str) -> String {
        match self {
            Self::Plain => format!("{token}\n"),
            Self::Json => format!("{JSON_START}{token}{JSON_END}\n"),
        }
    }
}

/// Bytes of a part: with the longest numbers, 900 characters hold 852 of base64url.
const PART_BYTES: usize = 639;

pub(super) fn header_lines(session: SessionId, header: &[u8], shape: Shape) -> String {
    let of = header.len().div_ceil(PART_BYTES);
    let digest = URL_SAFE_NO_PAD.encode(header::digest(header));
    let parts = header.chunks(PART_BYTES).zip(1..);
    let part = |(bytes, number): (&[u8], usize)| {
        shape.line(&format!("~s1h~{session}~{digest}~{number}.{of}~{}~", URL_SAFE_NO_PAD.encode(bytes)))
    };
    parts.map(part).collect()
}

/// True if a line, without its end, is only a part or a closing token in one of the two shapes.
pub(super) fn is_own_line(line: &[u8]) -> bool {
    let inner =
        line.strip_prefix(JSON_START.as_bytes()).and_then(|rest| rest.strip_suffix(JSON_END.as_bytes()));
    let token = inner.unwrap_or(line);
    // Most lines are none, and a token in front is not read twice.
    let may_be = token.starts_with(b"~s1h~") || token.starts_with(b"~s1z~");
    may_be && parse(token, 0, |_| false).is_some_and(|found| found.range() == (0..token.len()))
}

/// Sessions whose headers are incomplete, or complete and not opened.
const MAX_SESSIONS: usize = 1024;
/// Bytes of all parts that are kept.
const MAX_BYTES: usize = 64 << 20;
/// Headers of one session that are remembered as tried, so that a repeated one costs no second decapsulation. More are
/// tried, since false headers in front of the true one must not close a session.
const MAX_TRIED: usize = 16;
/// Memory that a part costs besides its bytes.
const OVERHEAD: usize = 128;

/// Parts that wait for others, within bounds: the oldest session goes first.
#[derive(Debug, Default, Clone)]
pub(super) struct Collector {
    sessions: HashMap<SessionId, Waiting>,
    oldest_first: VecDeque<SessionId>,
    bytes: usize,
}

/// A header by its digest and the number of its parts.
type Name = ([u8; DIGEST], u16);

/// The headers of one session.
#[derive(Debug, Default, Clone)]
struct Waiting {
    headers: HashMap<Name, BTreeMap<u16, Vec<u8>>>,
    bytes: usize,
    tried: VecDeque<Name>,
}

impl Collector {
    /// Adds a part, and returns the header that it completes. The first text of a part is kept, until the header that it
    /// completes has another digest: then all its parts are forgotten.
    pub fn add(&mut self, part: &HeaderPart<'_>) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(part.body).ok()?;
        self.make_room(part.session, bytes.len() + OVERHEAD);
        let waiting = self.sessions.get_mut(&part.session).expect("room was made");
        let before = waiting.bytes;
        let header = waiting.add(part, bytes);
        self.bytes = self.bytes + waiting.bytes - before;
        header
    }

    /// Forgets a session whose key is known.
    pub fn forget(&mut self, session: SessionId) {
        if self.drop_parts(session) {
            self.oldest_first.retain(|other| *other != session);
        }
    }

    fn drop_parts(&mut self, session: SessionId) -> bool {
        let waiting = self.sessions.remove(&session);
        self.bytes -= waiting.as_ref().map_or(0, |waiting| waiting.bytes);
        waiting.is_some()
    }

    /// Forgets the oldest sessions, this one too where it is the oldest, until a part fits.
    fn make_room(&mut self, session: SessionId, bytes: usize) {
        let others = MAX_SESSIONS - usize::from(!self.sessions.contains_key(&session));
        while self.sessions.len() > others || self.bytes + bytes > MAX_BYTES {
            let Some(oldest) = self.oldest_first.pop_front() else { break };
            self.drop_parts(oldest);
        }
        if !self.sessions.contains_key(&session) {
            self.oldest_first.push_back(session);
            self.sessions.insert(session, Waiting::default());
        }
    }
}

impl Waiting {
    fn add(&mut self, part: &HeaderPart<'_>, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let name = (part.digest, part.of);
        if self.tried.contains(&name) {
            return None;
        }
        let texts = self.headers.entry(name).or_default();
        if let Entry::Vacant(vacant) = texts.entry(part.number) {
            self.bytes += bytes.len() + OVERHEAD;
            vacant.insert(bytes);
        }
        if texts.len() < usize::from(part.of) {
            return None;
        }
        let texts = self.headers.remove(&name).expect("it is there");
        self.bytes -= texts.values().map(|text| text.len() + OVERHEAD).sum::<usize>();
        let length: usize = texts.values().map(Vec::len).sum();
        let header = (length <= MAX_HEADER).then(|| texts.into_values().collect::<Vec<_>>().concat());
        let header = header.filter(|header| header::digest(header) == part.digest)?;
        self.tried.truncate(MAX_TRIED - 1);
        self.tried.push_front(name);
        Some(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header, and its digest.
    fn header(length: usize, fill: u8) -> (Vec<u8>, [u8; DIGEST]) {
        let header = vec![fill; length];
        let digest = header::digest(&header);
        (header, digest)
    }

    /// How many headers are complete then.
    fn add(
        collector: &mut Collector,
        session: u32,
        number: u16,
        of: u16,
        header: &(Vec<u8>, [u8; DIGEST]),
    ) -> usize {
        let mut id = [0; 12];
        id[..4].copy_from_slice(&session.to_be_bytes());
        let (header, digest) = header;
        let part = header.chunks(PART_BYTES).nth(usize::from(number) - 1).unwrap_or_default();
        let body = URL_SAFE_NO_PAD.encode(part);
        let (session, body) = (SessionId::from_bytes(&id), body.as_bytes());
        let part = HeaderPart { range: 0..0, session, digest: *digest, number, of, body };
        collector.add(&part).is_some_and(|whole| whole == *header).into()
    }

    #[test]
    fn of_too_many_incomplete_sessions_the_oldest_are_forgotten() {
        let (mut collector, header) = (Collector::default(), header(700, 1));
        for session in 0..=MAX_SESSIONS as u32 {
            assert_eq!(add(&mut collector, session, 1, 2, &header), 0);
        }
        assert_eq!(add(&mut collector, 1, 2, 2, &header), 1);
        assert_eq!(add(&mut collector, 0, 2, 2, &header), 0);
        assert_eq!((collector.sessions.len(), collector.oldest_first.len()), (MAX_SESSIONS, MAX_SESSIONS));
    }

    #[test]
    fn of_too_many_bytes_the_oldest_sessions_are_forgotten() {
        let (mut collector, header) = (Collector::default(), header(3000 * PART_BYTES, 1));
        for session in 0..50 {
            for number in 1..=3000 {
                add(&mut collector, session, number, 3001, &header);
                assert!(collector.bytes <= MAX_BYTES);
            }
        }
        assert!(collector.sessions.len() < 50);
        assert_eq!(add(&mut collector, 49, 3001, 3001, &header), 0, "a header of 1.9 MB was put together");
        let kept: usize = collector.sessions.values().map(|waiting| waiting.bytes).sum();
        assert_eq!(collector.bytes, kept);
    }

    #[test]
    fn a_session_alone_does_not_outgrow_the_bound() {
        let (mut collector, header) = (Collector::default(), header(3000 * PART_BYTES, 1));
        for of in 60_000..60_040 {
            for number in 1..=3000 {
                add(&mut collector, 7, number, of, &header);
            }
        }
        assert!(collector.bytes <= MAX_BYTES);
    }

    #[test]
    fn false_headers_in_front_of_the_true_one_close_no_session_and_none_is_tried_twice_in_a_row() {
        let mut collector = Collector::default();
        let mut tries = |fill| add(&mut collector, 1, 1, 1, &header(9, fill));
        assert_eq!([1, 1, 2, 2, 1].map(&mut tries), [1, 0, 1, 0, 0]);
        assert!((3..100).all(|fill| tries(fill) == 1));
        assert_eq!(tries(99), 0);
        assert_eq!(tries(1), 1, "{MAX_TRIED} are remembered");
    }
}

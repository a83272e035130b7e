//! Headers in the log: cut into lines that syslog does not cut, and put together again within bounds.

use std::collections::{BTreeMap, HashMap, VecDeque};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{
    header::MAX_HEADER,
    token::{Found, Part, SessionId, parse},
};

/// What a line of the log looks like that holds nothing but a part or a closing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// Bytes of a part: with the longest numbers, 900 characters hold 864 of base64url.
const PART_BYTES: usize = 648;

pub(super) fn header_lines(session: SessionId, header: &[u8], shape: Shape) -> String {
    let of = header.len().div_ceil(PART_BYTES);
    let parts = header.chunks(PART_BYTES).zip(1..);
    let part = |(bytes, number): (&[u8], usize)| {
        shape.line(&format!("~s1h~{session}~{number}.{of}~{}~", URL_SAFE_NO_PAD.encode(bytes)))
    };
    parts.map(part).collect()
}

/// Whether a line, without its end, is nothing but a part or a closing token in one of the two shapes.
pub(super) fn is_own_line(line: &[u8]) -> bool {
    let inner =
        line.strip_prefix(JSON_START.as_bytes()).and_then(|rest| rest.strip_suffix(JSON_END.as_bytes()));
    let token = inner.unwrap_or(line);
    let found = token.starts_with(b"~").then(|| parse(token, 0)).flatten();
    matches!(found, Some(Found::Part(_) | Found::Closing(_)) if found.as_ref().map(Found::range) == Some(0..token.len()))
}

/// Sessions whose headers are incomplete, or complete and not yet opened.
const MAX_SESSIONS: usize = 1024;
/// Bytes of all parts that are kept.
const MAX_BYTES: usize = 64 << 20;
/// Different texts of one part that are kept.
const MAX_TEXTS: usize = 4;
/// Headers that are put together when a part arrives: what may be tried costs a decapsulation.
const MAX_COMBINATIONS: usize = 16;

/// Bytes of headers that are put together for one session, and how many there may be at least: a stanza of a few bytes
/// costs a decapsulation.
const MAX_TRIED: usize = 1 << 20;
const MIN_TRIES: usize = 4;

/// Parts that wait for others, within bounds: the oldest session goes first.
#[derive(Debug, Default)]
pub(super) struct Collector {
    sessions: HashMap<SessionId, Waiting>,
    oldest_first: VecDeque<SessionId>,
    bytes: usize,
}

/// The headers of one session, by the number of their parts.
#[derive(Debug, Default)]
struct Waiting {
    headers: BTreeMap<u16, BTreeMap<u16, Vec<Vec<u8>>>>,
    bytes: usize,
    tries: usize,
    tried: usize,
}

impl Collector {
    /// Adds a part, and returns the headers that it completes, likeliest first.
    pub fn add(&mut self, part: &Part<'_>) -> Vec<Vec<u8>> {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(part.body) else { return Vec::new() };
        self.make_room(part.session, bytes.len() + OVERHEAD);
        let waiting = self.sessions.get_mut(&part.session).expect("room was made");
        let texts = waiting.headers.entry(part.of).or_default().entry(part.number).or_default();
        if texts.contains(&bytes) || texts.len() == MAX_TEXTS {
            return Vec::new();
        }
        waiting.bytes += bytes.len() + OVERHEAD;
        self.bytes += bytes.len() + OVERHEAD;
        texts.push(bytes);
        waiting.combinations(part)
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

/// What a part costs besides its bytes.
const OVERHEAD: usize = 128;

impl Waiting {
    /// The headers that hold the newest text of `part`. Where there are many ways to put them together, only that of
    /// the newest texts, with the last part or once each has as many as this one: a second header is then complete.
    fn combinations(&mut self, part: &Part<'_>) -> Vec<Vec<u8>> {
        let texts = &self.headers[&part.of];
        if texts.len() != usize::from(part.of) {
            return Vec::new();
        }
        let choices: Vec<&[Vec<u8>]> = texts
            .iter()
            .map(
                |(number, texts)| if *number == part.number { &texts[texts.len() - 1..] } else { &texts[..] },
            )
            .collect();
        let product = choices.iter().try_fold(1usize, |product, texts| product.checked_mul(texts.len()));
        let depth = texts[&part.number].len();
        let count = match product {
            Some(few) if few <= MAX_COMBINATIONS => few,
            _ => usize::from(part.number == part.of || texts.values().all(|texts| texts.len() >= depth)),
        };
        let all = (0..count).filter_map(|index| combination(&choices, index)).collect();
        self.within_budget(all)
    }

    fn within_budget(&mut self, mut headers: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        headers.retain(|header| {
            let within = self.tries < MIN_TRIES || self.tried + header.len() <= MAX_TRIED;
            self.tries += usize::from(within);
            self.tried += if within { header.len() } else { 0 };
            within
        });
        headers
    }
}

/// The `index`th way to take one text of each; 0 takes the newest. `None` where it is longer than a header.
fn combination(choices: &[&[Vec<u8>]], mut index: usize) -> Option<Vec<u8>> {
    let mut header = Vec::new();
    for texts in choices {
        header.extend_from_slice(&texts[texts.len() - 1 - index % texts.len()]);
        index /= texts.len();
    }
    (header.len() <= MAX_HEADER).then_some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(collector: &mut Collector, session: u32, number: u16, of: u16, body: &str) -> usize {
        let mut id = [0; 12];
        id[..4].copy_from_slice(&session.to_be_bytes());
        collector.add(&Part { range: 0..0, session: SessionId(id), number, of, body: body.as_bytes() }).len()
    }

    #[test]
    fn of_too_many_incomplete_sessions_the_oldest_are_forgotten() {
        let mut collector = Collector::default();
        for session in 0..=MAX_SESSIONS as u32 {
            assert_eq!(add(&mut collector, session, 1, 2, "AAAA"), 0);
        }
        assert_eq!(add(&mut collector, 1, 2, 2, "AAAA"), 1);
        assert_eq!(add(&mut collector, 0, 2, 2, "AAAA"), 0);
        assert_eq!((collector.sessions.len(), collector.oldest_first.len()), (MAX_SESSIONS, MAX_SESSIONS));
    }

    #[test]
    fn of_too_many_bytes_the_oldest_sessions_are_forgotten() {
        let (mut collector, body) = (Collector::default(), "A".repeat(864));
        for session in 0..50 {
            for number in 1..=3000 {
                add(&mut collector, session, number, 3001, &body);
                assert!(collector.bytes <= MAX_BYTES);
            }
        }
        assert!(collector.sessions.len() < 50);
        assert_eq!(add(&mut collector, 49, 3001, 3001, "AAAA"), 0, "a header of 1.9 MB was put together");
        let kept: usize = collector.sessions.values().map(|waiting| waiting.bytes).sum();
        assert_eq!(collector.bytes, kept);
    }

    #[test]
    fn a_session_alone_does_not_outgrow_the_bound() {
        let mut collector = Collector::default();
        for of in 60_000..60_040 {
            for number in 1..=3000 {
                add(&mut collector, 7, number, of, &"A".repeat(864));
            }
        }
        assert!(collector.bytes <= MAX_BYTES);
    }

    #[test]
    fn long_headers_of_one_session_are_not_put_together_again_and_again() {
        let (mut collector, body) = (Collector::default(), "A".repeat(864));
        let mut tried = 0;
        for number in 1..=200 {
            tried += add(&mut collector, 1, number, 200, &body);
        }
        for number in 1..=200 {
            tried += add(&mut collector, 1, number, 200, &format!("B{}", &body[1..]));
        }
        assert!((2..=8).contains(&tried), "{tried} headers of 130 kB");
    }

    #[test]
    fn few_ways_to_put_parts_together_are_all_tried_and_many_are_not() {
        let mut collector = Collector::default();
        let texts = ["AAAA", "AAAB", "AAAC", "AAAD", "AAAE"];
        let tried: Vec<usize> = texts.iter().map(|text| add(&mut collector, 1, 1, 3, text)).collect();
        assert_eq!(tried, [0; 5]);
        assert!(texts.iter().all(|text| add(&mut collector, 1, 2, 3, text) == 0));
        // Four are kept of each.
        assert_eq!(add(&mut collector, 1, 3, 3, "AAAA"), MAX_COMBINATIONS);
        assert_eq!(add(&mut collector, 1, 3, 3, "AAAA"), 0, "again the same");
        for number in 1..=9 {
            let tried = texts[..2].iter().map(|text| add(&mut collector, 2, number, 9, text)).sum::<usize>();
            assert_eq!(tried, if number == 9 { 2 } else { 0 });
        }
    }
}

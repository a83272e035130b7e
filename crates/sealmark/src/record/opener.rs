//! Opening a log: headers are learned as they are met.

use super::header::Header;
use super::keys::{LogKeys, Readers};
use super::parts::{Collector, Shape, header_lines};
use super::report::Report;
use super::sessions::{Known, Opened, Sessions};
use super::token::{Found, HeaderPart, SessionId, parse};
use super::token_opener::{Context, TokenOpener};
use crate::error::{Error, FileMisuse, RecordMisuse, Result};
use memchr::memmem::Finder;
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};
use std::{fmt, mem};

/// Learns the sessions of a log from its headers, and opens their tokens.
///
/// Memory is bounded for any log: 1,024 headers that are incomplete or that no key opens, 64 MiB of their parts, and
/// 65,536 sessions whose key is known. The oldest is forgotten first; its tokens are orphans until its header comes again.
///
/// The [module](crate::record) has an example.
#[derive(Clone)]
pub struct LogOpener {
    keys: LogKeys,
    sessions: Sessions,
    open_oldest_first: VecDeque<SessionId>,
    closed_oldest_first: VecDeque<SessionId>,
    collector: Collector,
}

const MAX_OPEN: usize = 1 << 16;
/// Sessions that none of the keys opens; anybody can make such headers up.
const MAX_CLOSED: usize = 1 << 10;

impl LogOpener {
    /// Opens with these keys; knows no session yet.
    pub fn new(keys: LogKeys) -> Self {
        Self {
            keys,
            sessions: Sessions::default(),
            open_oldest_first: VecDeque::new(),
            closed_oldest_first: VecDeque::new(),
            collector: Collector::default(),
        }
    }

    /// Learns the headers in `text`, which is whole lines of a log or of a side file; returns how many parts it met.
    pub fn learn(&mut self, text: &[u8]) -> usize {
        static HEADER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"~s1h~"));
        let parts = HEADER.find_iter(text).filter_map(|start| match parse(text, start, |_| false) {
            Some(Found::Part(part)) => Some(part),
            _ => None,
        });
        parts.map(|part| self.learn_part(&part)).count()
    }

    /// Learns from whole lines of a log, and appends them to `out`: opened, and without the log's own lines.
    pub fn open(&mut self, text: &[u8], out: &mut Vec<u8>) -> Report {
        self.learn(text);
        let mut pass = TokenOpener::new(Context::Detect);
        pass.open(&self.sessions, text, out);
        pass.into_report()
    }

    /// The headers that were learned so far.
    pub fn sessions(&self) -> Sessions {
        self.sessions.clone()
    }

    /// A new header for a session whose header was opened, as lines of the log. Every token stays valid, and anyone who could
    /// open the old header still can.
    ///
    /// # Errors
    /// [`RecordMisuse::UnknownSession`]; [`FileMisuse::ReencryptNeeded`] if the new header is post-quantum and
    /// the old one is not.
    pub fn rekey(&self, session: SessionId, readers: &Readers, shape: Shape) -> Result<String> {
        let Some(Known::Open(opened)) = self.sessions.0.get(&session) else {
            return Err(RecordMisuse::UnknownSession(session.to_string()).into());
        };
        if readers.is_post_quantum() && !opened.post_quantum {
            Err(FileMisuse::ReencryptNeeded.into())
        } else {
            Ok(header_lines(session, &opened.key.header(readers, &opened.facts)?, shape))
        }
    }

    fn learn_part(&mut self, part: &HeaderPart<'_>) {
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
    if header.session != session {
        return Err(Error::Tampered(crate::error::Part::Header));
    }
    let key = header.unwrap(keys)?;
    let (facts, post_quantum) = (header.facts, header.is_post_quantum());
    Ok(Opened { cipher: key.cipher(), facts, post_quantum, key })
}

impl fmt::Debug for LogOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogOpener({:?}, {:?})", self.keys, self.sessions)
    }
}

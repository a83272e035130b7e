//! A log with new headers: each of a session that opens is replaced where its first part stands, and put before the
//! first token of the session where the log has none.

use super::read::Kind;
use crate::fault::Fault;
use memchr::memmem;
use sealmark::record::{Found, HeaderPart, LogOpener, Readers, SessionId, Shape, find};
use sealmark::{Error, RecordMisuse, Result};
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::ops::Range;

pub struct Rewriting<'a, W> {
    opener: &'a mut LogOpener,
    readers: &'a Readers,
    output: W,
    /// Lines at the end of what was read: parts of headers that are not whole yet.
    held: Vec<u8>,
    bytes: u64,
    /// Sessions that this log has a new header of, and how much of it was read when that was written last.
    rewritten: HashMap<SessionId, u64>,
    /// The header that is being replaced, and which of its parts were met.
    replaced: Option<(SessionId, HashSet<u16>)>,
    /// The header that was made last: the log repeats it.
    made: Option<(SessionId, Shape, String)>,
    left: HashSet<SessionId>,
    within: u64,
}

/// The fate of the headers of a log.
pub struct Rewritten {
    /// Sessions that have a new one.
    pub sessions: usize,
    /// Sessions that are left as they were.
    pub left: usize,
    /// Parts inside longer lines, which stay.
    pub within: u64,
}

/// More than the largest header with all that is around it; what is held beyond goes out as it was.
const MAX_HELD: usize = 4 << 20;
/// Sessions that are told of; the others are not counted.
const MAX_LEFT: usize = 1 << 16;

impl<'a, W: Write> Rewriting<'a, W> {
    pub fn new(opener: &'a mut LogOpener, readers: &'a Readers, output: W) -> Self {
        Self {
            opener,
            readers,
            output,
            held: Vec::new(),
            bytes: 0,
            rewritten: HashMap::default(),
            replaced: None,
            made: None,
            left: HashSet::default(),
            within: 0,
        }
    }

    pub fn batch(&mut self, kind: Kind, text: &[u8]) -> Result<()> {
        self.opener.learn(text);
        let mut held = std::mem::take(&mut self.held);
        if kind.is_piece() {
            self.lines(&held)?;
            self.piece(text);
            return self.write(text);
        }
        let text = if held.is_empty() {
            text
        } else {
            held.extend_from_slice(text);
            &held
        };
        let ready = self.ready(text);
        self.held = text[ready..].to_owned();
        self.lines(&text[..ready])
    }

    pub fn finish(mut self) -> Result<Rewritten> {
        let held = std::mem::take(&mut self.held);
        self.lines(&held)?;
        self.output.flush().map_err(Fault::output)?;
        self.left.retain(|session| !self.rewritten.contains_key(session));
        Ok(Rewritten { sessions: self.rewritten.len(), left: self.left.len(), within: self.within })
    }

    /// Where the parts begin whose header may become whole with the next lines.
    fn ready(&self, text: &[u8]) -> usize {
        let (sessions, mut end) = (self.opener.sessions(), text.len());
        for line in text.split_inclusive(|byte| *byte == b'\n').rev() {
            match own_part(line) {
                Some((part, _)) if sessions.facts(part.session).is_none() => end -= line.len(),
                _ => break,
            }
        }
        if text.len() - end > MAX_HELD { text.len() } else { end }
    }

    /// Nothing can be put before a token in a line that is too long to be held.
    fn piece(&mut self, text: &[u8]) {
        for found in find(text) {
            match found {
                Found::Part(_) => self.within += 1,
                found => self.leave(found.session()),
            }
        }
    }

    fn lines(&mut self, text: &[u8]) -> Result<()> {
        let (finder, mut done) = (memmem::Finder::new(b"~s1"), 0);
        while let Some(hit) = finder.find(&text[done..]).map(|step| done + step) {
            let start = memchr::memrchr(b'\n', &text[done..hit]).map_or(done, |before| done + before + 1);
            let end = memchr::memchr(b'\n', &text[hit..]).map_or(text.len(), |feed| hit + feed + 1);
            if start > done {
                self.replaced = None;
                self.write(&text[done..start])?;
            }
            self.line(&text[start..end])?;
            done = end;
        }
        self.write(&text[done..])
    }

    fn line(&mut self, line: &[u8]) -> Result<()> {
        self.bytes += line.len() as u64;
        let own = own_part(line);
        if let Some((part, shape)) = &own {
            if let Some(header) = self.header(part.session, *shape)? {
                return self.replace(part, &header);
            }
            self.leave(part.session);
        }
        self.replaced = None;
        let object = line.trim_ascii();
        let shape =
            if object.starts_with(b"{") && object.ends_with(b"}") { Shape::Json } else { Shape::Plain };
        for found in find(line) {
            if matches!(found, Found::Part(_)) {
                self.within += u64::from(own.is_none());
                continue;
            }
            let session = found.session();
            if self.rewritten.contains_key(&session) {
                continue;
            }
            match self.header(session, shape)? {
                Some(header) => self.put(session, &header)?,
                None => self.leave(session),
            }
        }
        self.write(line)
    }

    /// Puts the header where its first part stood. Behind all of its parts, it may begin again.
    fn replace(&mut self, part: &HeaderPart<'_>, header: &str) -> Result<()> {
        if let Some((session, parts)) = &mut self.replaced
            && *session == part.session
            && (parts.insert(part.number) || parts.len() < usize::from(part.of))
        {
            return Ok(());
        }
        self.replaced = Some((part.session, HashSet::from([part.number])));
        // Parts without sense do not become a header each: the log would swell.
        let again = |before: &u64| self.bytes - before >= header.len() as u64;
        if self.rewritten.get(&part.session).is_none_or(again) {
            self.put(part.session, header)
        } else {
            Ok(())
        }
    }

    fn put(&mut self, session: SessionId, header: &str) -> Result<()> {
        self.rewritten.insert(session, self.bytes);
        self.write(header.as_bytes())
    }

    /// `None` where the session is not known, or not yet.
    fn header(&mut self, session: SessionId, shape: Shape) -> Result<Option<String>> {
        match &self.made {
            Some((of, like, header)) if (*of, *like) == (session, shape) => return Ok(Some(header.clone())),
            _ => {}
        }
        match self.opener.rekey(session, self.readers, shape) {
            Ok(header) => Ok(Some(self.made.insert((session, shape, header)).2.clone())),
            Err(Error::Record(RecordMisuse::UnknownSession(_))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn leave(&mut self, session: SessionId) {
        if self.left.len() < MAX_LEFT {
            self.left.insert(session);
        }
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        Ok(self.output.write_all(text).map_err(Fault::output)?)
    }
}

/// A line that is nothing but a part. With anything behind it, blanks too, it is none: readers do not take it away.
fn own_part(line: &[u8]) -> Option<(HeaderPart<'_>, Shape)> {
    const JSON: Range<&[u8]> = b"{\"sealmark\":\""..b"\"}";
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let inner = line.strip_prefix(JSON.start).and_then(|rest| rest.strip_suffix(JSON.end));
    let (token, shape) = inner.map_or((line, Shape::Plain), |inner| (inner, Shape::Json));
    match find(token).next() {
        Some(Found::Part(part)) if part.range == (0..token.len()) => Some((part, shape)),
        _ => None,
    }
}

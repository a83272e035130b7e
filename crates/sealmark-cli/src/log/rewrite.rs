//! A log with new headers: each of a session that opens is replaced where its last part stands, and put before the
//! first token of the session where the log has none.

use super::read::Kind;
use memchr::memmem;
use sealmark::record::{Found, LogOpener, Part, Readers, SessionId, Shape, find};
use sealmark::{Error, Misuse, Result};
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::ops::Range;

pub struct Rewriting<'a, W> {
    opener: &'a mut LogOpener,
    readers: &'a Readers,
    output: W,
    /// Parts of headers that are not whole yet: each a line, and which of them are of a session.
    held: Vec<Vec<u8>>,
    held_of: HashMap<SessionId, Vec<usize>>,
    held_bytes: usize,
    /// Sessions that this log has a new header of, and how much of it was read when that was written last.
    rewritten: HashMap<SessionId, u64>,
    bytes: u64,
    /// Headers that were made lately: the log repeats them.
    headers: HashMap<(SessionId, Shape), String>,
    header_bytes: usize,
    left: HashSet<SessionId>,
    within: u64,
}

/// What became of the headers of a log.
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
const MAX_HEADERS: usize = 32 << 20;
/// Sessions that are told of; the others are not counted.
const MAX_LEFT: usize = 1 << 16;

impl<'a, W: Write> Rewriting<'a, W> {
    pub fn new(opener: &'a mut LogOpener, readers: &'a Readers, output: W) -> Self {
        let (held, held_of, held_bytes, rewritten, bytes) = Default::default();
        let (headers, header_bytes, left, within) = Default::default();
        Self {
            opener,
            readers,
            output,
            held,
            held_of,
            held_bytes,
            rewritten,
            bytes,
            headers,
            header_bytes,
            left,
            within,
        }
    }

    pub fn batch(&mut self, kind: Kind, text: &[u8]) -> Result<()> {
        if kind.is_piece() {
            self.opener.learn(text);
            self.release()?;
            self.piece(text);
            return write(&mut self.output, text);
        }
        let (finder, mut done) = (memmem::Finder::new(b"~s1"), 0);
        while let Some(hit) = finder.find(&text[done..]).map(|step| done + step) {
            let start = memchr::memrchr(b'\n', &text[done..hit]).map_or(done, |before| done + before + 1);
            let end = memchr::memchr(b'\n', &text[hit..]).map_or(text.len(), |feed| hit + feed + 1);
            self.others(&text[done..start])?;
            self.line(&text[start..end])?;
            done = end;
        }
        self.others(&text[done..])
    }

    /// Nothing can be put before a token in a line that is too long to be held.
    fn piece(&mut self, text: &[u8]) {
        for found in find(text) {
            match found {
                Found::Token(token) => self.leave(token.session),
                Found::Closing(closing) => self.leave(closing.session),
                Found::Part(_) => self.within += 1,
            }
        }
    }

    pub fn finish(mut self) -> Result<Rewritten> {
        self.release()?;
        self.output.flush().map_err(Error::Output)?;
        self.left.retain(|session| !self.rewritten.contains_key(session));
        Ok(Rewritten { sessions: self.rewritten.len(), left: self.left.len(), within: self.within })
    }

    /// Lines without a token.
    fn others(&mut self, lines: &[u8]) -> Result<()> {
        if !lines.is_empty() {
            self.release()?;
            write(&mut self.output, lines)?;
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<()> {
        self.opener.learn(line);
        self.bytes += line.len() as u64;
        match own_part(line.trim_ascii_end()) {
            Some((part, shape)) => self.part(&part, shape, line),
            None => self.other(line),
        }
    }

    fn part(&mut self, part: &Part<'_>, shape: Shape, line: &[u8]) -> Result<()> {
        match self.header(part.session, shape)? {
            Some(header) => {
                let held = self.held_of.remove(&part.session).unwrap_or_default();
                for line in &held {
                    self.held_bytes -= std::mem::take(&mut self.held[*line]).len();
                }
                // The one that made the header whole, or the last one of a header that was known before.
                let last = !held.is_empty() || part.number == part.of;
                // Parts without sense do not become a header each: the log would swell.
                let again = |before: &u64| self.bytes - before >= header.len() as u64;
                if !last || !self.rewritten.get(&part.session).is_none_or(again) {
                    return Ok(());
                }
                self.rewritten.insert(part.session, self.bytes);
                write(&mut self.output, header.as_bytes())
            }
            None => {
                self.leave(part.session);
                self.held_of.entry(part.session).or_default().push(self.held.len());
                self.held.push(line.to_owned());
                self.held_bytes += line.len();
                if self.held_bytes > MAX_HELD { self.release() } else { Ok(()) }
            }
        }
    }

    fn other(&mut self, line: &[u8]) -> Result<()> {
        self.release()?;
        let object = line.trim_ascii();
        let object = object.starts_with(b"{") && object.ends_with(b"}");
        for found in find(line) {
            let session = match found {
                Found::Token(token) => token.session,
                Found::Closing(closing) => closing.session,
                Found::Part(_) => {
                    self.within += 1;
                    continue;
                }
            };
            if self.rewritten.contains_key(&session) {
                continue;
            }
            match self.header(session, if object { Shape::Json } else { Shape::Plain })? {
                Some(header) => {
                    self.rewritten.insert(session, self.bytes);
                    write(&mut self.output, header.as_bytes())?;
                }
                None => self.leave(session),
            }
        }
        write(&mut self.output, line)
    }

    /// `None` where the session is not known, or not yet.
    fn header(&mut self, session: SessionId, shape: Shape) -> Result<Option<String>> {
        if let Some(header) = self.headers.get(&(session, shape)) {
            return Ok(Some(header.clone()));
        }
        let header = match self.opener.rekey(session, self.readers, shape) {
            Ok(header) => header,
            Err(Error::Misuse(Misuse::UnknownSession(_))) => return Ok(None),
            Err(error) => return Err(error),
        };
        if self.header_bytes + header.len() > MAX_HEADERS {
            self.headers.clear();
            self.header_bytes = 0;
        }
        self.header_bytes += header.len();
        self.headers.insert((session, shape), header.clone());
        Ok(Some(header))
    }

    fn release(&mut self) -> Result<()> {
        self.held_bytes = 0;
        self.held_of.clear();
        for line in self.held.drain(..) {
            write(&mut self.output, &line)?;
        }
        Ok(())
    }

    fn leave(&mut self, session: SessionId) {
        if self.left.len() < MAX_LEFT {
            self.left.insert(session);
        }
    }
}

fn write(output: &mut impl Write, text: &[u8]) -> Result<()> {
    output.write_all(text).map_err(Error::Output)
}

/// A line, without its end, that is nothing but a part.
fn own_part(line: &[u8]) -> Option<(Part<'_>, Shape)> {
    const JSON: Range<&[u8]> = b"{\"sealmark\":\""..b"\"}";
    let inner = line.strip_prefix(JSON.start).and_then(|rest| rest.strip_suffix(JSON.end));
    let (token, shape) = inner.map_or((line, Shape::Plain), |inner| (inner, Shape::Json));
    match find(token).next() {
        Some(Found::Part(part)) if part.range == (0..token.len()) => Some((part, shape)),
        _ => None,
    }
}

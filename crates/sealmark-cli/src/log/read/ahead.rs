//! Headers that come after tokens of their session: a network or a queue delivers records in any order. Files are read once more,
//! and lines of a stream wait for their header, within bounds (spec/record.md, "Records that are sent").

use super::batches::{Batch, Buffer, Cutter};
use super::compressed::reader;
use super::work::{Done, Work};
use crate::target::Source;
use sealmark::record::{LogOpener, SessionId, Sessions};
use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{io, mem};

/// All headers of the files among the inputs, read when a token first lacks one.
#[derive(Default)]
pub struct Ahead {
    unread: Mutex<Option<(Vec<PathBuf>, LogOpener)>>,
    sessions: OnceLock<Sessions>,
}

impl Ahead {
    /// Reads nothing yet. Pipes cannot be read twice, so they are left out.
    pub fn of(sources: &[Source], opener: &LogOpener) -> Self {
        let file = |source: &Source| match source {
            Source::Path(path) if is_file(source) => Some(path.clone()),
            _ => None,
        };
        let files: Vec<PathBuf> = sources.iter().filter_map(file).collect();
        let unread = (!files.is_empty()).then(|| (files, opener.clone()));
        Self { unread: Mutex::new(unread), sessions: OnceLock::new() }
    }

    /// The sessions of all files, if one of those is among them that a batch lacks.
    pub fn with_any_of<'a>(&self, mut lacking: impl Iterator<Item = &'a SessionId>) -> Option<Sessions> {
        let mut lacking = lacking.by_ref().peekable();
        lacking.peek()?;
        let sessions = self.sessions.get_or_init(|| {
            let unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner).take();
            unread.map(|(files, opener)| learned(files, opener)).unwrap_or_default()
        });
        lacking.any(|session| sessions.knows(*session)).then(|| sessions.clone())
    }
}

pub fn is_file(source: &Source) -> bool {
    source.metadata().is_ok_and(|metadata| metadata.is_file())
}

fn learned(files: Vec<PathBuf>, mut opener: LogOpener) -> Sessions {
    for file in files {
        // A file that cannot be read is reported when its lines are.
        drop(learn(&Source::Path(file), &mut opener));
    }
    opener.sessions()
}

fn learn(source: &Source, opener: &mut LogOpener) -> io::Result<()> {
    let (_, mut reader) = reader(source)?;
    let (mut cutter, mut spare) = (Cutter::new(&mut *reader), Buffer::default());
    while let Some((_, text)) = cutter.next(spare)? {
        opener.learn(text.text());
        spare = text.reused();
    }
    Ok(())
}

/// Bytes of lines that wait for a header. One batch is held whatever its length.
const HELD: usize = 16 << 20;
/// A stream that is silent for so long has sent the headers that it has, and somebody may be waiting for its lines.
pub const SILENCE: Duration = Duration::from_secs(1);
/// Sessions for which no line waits any more. Anybody can make tokens up, so with more of them no line waits at all.
const MAX_GIVEN_UP: usize = 1 << 12;

/// Batches of a stream with tokens whose header has not come, and those after them.
pub struct Held<W: Work> {
    work: W,
    batches: VecDeque<Done<W::Found>>,
    bytes: usize,
    given_up: HashSet<SessionId>,
    newest: Sessions,
}

impl<W: Work> Held<W> {
    pub fn new(work: W) -> Self {
        let (batches, given_up) = (VecDeque::new(), HashSet::new());
        Self { work, batches, bytes: 0, given_up, newest: Sessions::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// True if a batch cannot be taken yet.
    pub fn holds(&self, done: &Done<W::Found>) -> bool {
        !self.is_empty() || self.lacking(done).next().is_some()
    }

    /// The sessions that a batch waits for.
    fn lacking<'a>(&'a self, done: &'a Done<W::Found>) -> impl Iterator<Item = SessionId> + 'a {
        let waits = self.given_up.len() < MAX_GIVEN_UP;
        let orphaned = W::orphaned(&done.found).iter().copied().filter(move |_| waits);
        orphaned.filter(|session| !self.given_up.contains(session))
    }

    pub fn push(&mut self, done: Done<W::Found>) {
        self.newest = done.batch.sessions.clone();
        self.bytes += done.batch.text.text().len();
        self.batches.push_back(done);
    }

    /// The oldest batch, if its headers have come, or if there is no room to wait for them.
    pub fn ready(&mut self) -> Option<Done<W::Found>> {
        let first = self.batches.front()?;
        let is_complete = self.lacking(first).all(|session| self.newest.knows(session));
        (is_complete || self.bytes > HELD).then(|| self.release()).flatten()
    }

    /// The oldest batch, with the headers that have come. No further line waits for the others.
    pub fn release(&mut self) -> Option<Done<W::Found>> {
        let mut done = self.batches.pop_front()?;
        self.bytes -= done.batch.text.text().len();
        if W::orphaned(&done.found).iter().any(|session| self.newest.knows(*session)) {
            done.batch.sessions = self.newest.clone();
            again(&mut self.work, &mut done);
        }
        let room = MAX_GIVEN_UP.saturating_sub(self.given_up.len());
        self.given_up.extend(W::orphaned(&done.found).iter().take(room));
        Some(done)
    }
}

/// Works on a batch, and once more if a file has headers that the batch lacks.
pub fn work_on<W: Work>(work: &mut W, batch: Batch, mut out: Vec<u8>, ahead: &Ahead) -> Done<W::Found> {
    let found = work.work(&batch, &mut out);
    let mut done = Done { batch, out, found };
    if let Some(sessions) = ahead.with_any_of(W::orphaned(&done.found).iter()) {
        done.batch.sessions = sessions;
        again(work, &mut done);
    }
    done
}

fn again<W: Work>(work: &mut W, done: &mut Done<W::Found>) {
    let mut out = mem::take(&mut done.out);
    // It may hold what was sealed.
    out.fill(0);
    std::hint::black_box(&out[..]);
    out.clear();
    done.found = work.work(&done.batch, &mut out);
    done.out = out;
}

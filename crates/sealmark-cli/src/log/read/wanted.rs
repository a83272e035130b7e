//! The selection of a log: tokens by their label, lines by the sessions whose values they have.
//!
//! A session lasts from when it began, by its header, until the next one began, whose header names it (spec/record.md,
//! "Sessions of a period"). Lines are left out only where that is outside of the period, and stay where nobody can tell:
//! no key opens the header, it has no time, the session has no closing token or none came after it, or the times go
//! backwards because a clock was set.

use super::batches::{Batch, Behind, Buffer, Cutter};
use super::compressed::reader;
use super::times::Seconds;
use crate::fault::Fault;
use crate::log::args_read::LogPeriod;
use crate::say;
use crate::target::Source;
use memchr::memmem;
use sealmark::record::{Found, LogOpener, SessionId, Sessions, Token, TokenOpener, find};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::{io, iter};
use zeroize::Zeroizing;

/// Other threads may still seal in a session for a moment while the next one begins.
const OVERLAP: Seconds = 60;

/// The part of a log that is wanted: all, unless something is named.
#[derive(Default)]
pub struct Wanted {
    labels: Vec<String>,
    /// True where a value is wanted, too, that has a wanted one in it: `user` for `user.email`.
    encloses: bool,
    period: Option<Period>,
}

struct Period {
    since: Seconds,
    until: Seconds,
    /// When the session after this one began.
    ends: HashMap<SessionId, Seconds>,
}

impl Wanted {
    pub fn new(labels: &[String], period: &LogPeriod) -> Result<Self, Fault> {
        let (since, until) = (period.since.unwrap_or(Seconds::MIN), period.until.unwrap_or(Seconds::MAX));
        if since > until {
            return Err(
                Fault::usage("--since is later than --until").hint("pass the earlier time with --since")
            );
        }
        let named = period.since.is_some() || period.until.is_some();
        let period = named.then(|| Period { since, until, ends: HashMap::new() });
        Ok(Self { labels: labels.to_vec(), encloses: false, period })
    }

    /// Values that were sealed with what is around them are wanted as well: an object, or a string that could not be sealed in
    /// part.
    pub fn with_enclosing(self) -> Self {
        Self { encloses: true, ..self }
    }

    /// Reads the headers of all logs, where it matters: when a session ended is in the header of the next one.
    pub fn learn(mut self, sources: &[Source], mut opener: LogOpener) -> Result<(Self, LogOpener), Fault> {
        let Some(period) = &mut self.period else { return Ok((self, opener)) };
        let mut closed = HashSet::new();
        for source in sources {
            let is_file = matches!(source, Source::Path(_)) && source.metadata()?.is_file();
            if is_file {
                // Damage is reported when its lines are read.
                drop(learn(source, &mut opener, &mut closed))
            } else {
                return Err(Fault::usage(format!(
                    "--since and --until cannot be used with {}",
                    named(source)
                ))
                .hint("name the log files instead: the end of a session is found only by reading ahead"));
            }
        }
        let sessions = opener.sessions();
        for facts in sessions.opened().filter_map(|session| sessions.facts(session)) {
            let ended =
                facts.previous.map(|previous| previous.session).filter(|session| closed.contains(session));
            if let (Some(previous), Some(began)) = (ended, facts.began) {
                // One of several that claim to be next may be a stranger's: the latest leaves least out.
                let end = period.ends.entry(previous).or_insert(Seconds::MIN);
                *end = (*end).max(seconds(began));
            }
        }
        Ok((self, opener))
    }

    pub fn names_labels(&self) -> bool {
        !self.labels.is_empty()
    }

    pub fn names(&self, label: &str) -> bool {
        self.place(label).is_some()
    }

    /// Which of the labels it has.
    fn place(&self, label: &str) -> Option<usize> {
        let is_around = |named: &String| named.strip_prefix(label).is_some_and(|rest| rest.starts_with('.'));
        let exact = self.labels.iter().position(|named| named == label);
        exact.or_else(|| self.labels.iter().position(is_around).filter(|_| self.encloses))
    }

    /// Tells of one batch what is wanted.
    pub fn kept(&self) -> Kept {
        Kept { left_out: 0, labels: vec![false; self.labels.len()] }
    }

    /// Takes note of the sessions that a text names, for the lines behind it.
    pub fn go_over(&self, behind: &mut Behind, text: &[u8], sessions: &Sessions) {
        let Some(period) = &self.period else { return };
        for found in find(text) {
            behind.meet(found.session(), period, sessions);
        }
    }
}

impl Behind {
    /// True where the session is wanted, which is named now.
    fn meet(&mut self, session: SessionId, period: &Period, sessions: &Sessions) -> bool {
        if let Some((_, is_wanted)) = self.last.filter(|(last, _)| *last == session) {
            return is_wanted;
        }
        let is_wanted = period.has(session, sessions);
        let began = sessions.facts(session).and_then(|facts| facts.began).map_or(Seconds::MAX, seconds);
        if self.newest.is_none_or(|(newest, _)| began >= newest) {
            self.newest = Some((began, is_wanted));
        }
        self.last = Some((session, is_wanted));
        is_wanted
    }

    /// Nothing tells when lines at the start of a log were written.
    fn is_wanted(&self) -> bool {
        self.last.is_none_or(|(_, is_wanted)| is_wanted)
            || self.newest.is_some_and(|(_, is_wanted)| is_wanted)
    }
}

/// The part of a batch that was wanted.
pub struct Kept {
    /// Lines that were left out.
    left_out: u64,
    /// Which of the labels were found.
    labels: Vec<bool>,
}

impl Kept {
    /// True where a token is to be opened.
    pub fn token(&mut self, wanted: &Wanted, token: &Token<'_>) -> bool {
        let found = wanted.place(token.label);
        found.into_iter().for_each(|place| self.labels[place] = true);
        found.is_some() || wanted.labels.is_empty()
    }

    /// The lines of a batch that are wanted: ranges of its text, cut where lines were left out.
    pub fn lines(&mut self, wanted: &Wanted, batch: &Batch) -> Vec<Range<usize>> {
        let text = batch.text.text();
        let Some(period) = &wanted.period else { return iter::once(0..text.len()).collect() };
        let mut lines = Lines { period, sessions: &batch.sessions, behind: batch.behind };
        let (mut kept, mut from, mut at) = (Vec::new(), 0, 0);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let next = at + line.len();
            let (is_wanted, own) = lines.look(line);
            if !is_wanted {
                self.left_out += u64::from(!own);
                kept.push(from..at);
                from = next;
            }
            at = next;
        }
        kept.push(from..text.len());
        kept.retain(|lines| !lines.is_empty());
        kept
    }

    pub fn add(&mut self, other: &Self) {
        self.left_out += other.left_out;
        self.labels.iter_mut().zip(&other.labels).for_each(|(all, one)| *all |= one);
    }

    /// Says what was left out; where `all` was looked at, also which names found nothing.
    pub fn report(&self, wanted: &Wanted, all: bool) {
        if self.left_out > 0 {
            say::note(&format!(
                "left out: {} of sessions that ended before --since or began after --until",
                say::many(self.left_out, "line")
            ));
        }
        let unseen = wanted.labels.iter().zip(&self.labels).filter(|(_, found)| all && !**found);
        unseen.for_each(|(label, _)| {
            let text = format!("no token that was read has the label {label:?}");
            say::warning(&text, "`sealmark log inspect` lists the labels of a log");
        });
    }
}

/// Goes through the lines of a batch.
struct Lines<'a> {
    period: &'a Period,
    sessions: &'a Sessions,
    behind: Behind,
}

impl Lines<'_> {
    /// Tells whether a line is wanted, and whether it is the log's own. A line is wanted if one of its sessions is; a line without
    /// any, such as that of a stack trace, goes with the lines before it.
    fn look(&mut self, line: &[u8]) -> (bool, bool) {
        let (mut any, mut own) = (None, false);
        for found in find(line) {
            let is_wanted = self.behind.meet(found.session(), self.period, self.sessions);
            any = Some(any.unwrap_or(false) || is_wanted);
            own = !matches!(found, Found::Token(_));
        }
        (any.unwrap_or_else(|| self.behind.is_wanted()), own)
    }
}

impl Period {
    /// True where values of this session may belong to the period.
    fn has(&self, session: SessionId, sessions: &Sessions) -> bool {
        let Some(began) = sessions.facts(session).and_then(|facts| facts.began).map(seconds) else {
            return true;
        };
        match self.ends.get(&session) {
            // A clock was set back, so nobody can tell what it said in between.
            Some(end) if *end < began => true,
            Some(end) => began <= self.until && end.saturating_add(OVERLAP) >= self.since,
            None => began <= self.until,
        }
    }
}

/// Learns the headers of a log, and the sessions that have a closing token.
fn learn(source: &Source, opener: &mut LogOpener, closed: &mut HashSet<SessionId>) -> io::Result<()> {
    let closing = memmem::Finder::new(b"~s1z~");
    let (_, mut reader) = reader(source)?;
    let (mut cutter, mut spare) = (Cutter::new(&mut *reader), Buffer::default());
    while let Some((_, buffer)) = cutter.next(spare)? {
        let text = buffer.text();
        opener.learn(text);
        let (mut pass, sessions, mut opened) =
            (TokenOpener::default(), opener.sessions(), Zeroizing::new(Vec::new()));
        for start in closing.find_iter(text) {
            // It ends before the next one, or at its first tilde.
            let rest = &text[start..];
            let token = memmem::find(&rest[1..], b"~s1").map_or(rest, |next| &rest[..next + 2]);
            if let Some(Found::Closing(closing)) = find(token).next() {
                pass.open_piece(&sessions, &token[closing.range], &mut opened);
            }
        }
        let report = pass.into_report().sessions.into_iter();
        closed.extend(report.filter(|(_, told)| told.closing.is_some()).map(|(session, _)| session));
        spare = buffer.reused();
    }
    Ok(())
}

fn named(source: &Source) -> String {
    match source {
        Source::Path(path) => format!("{path:?}, which is not a regular file"),
        _ => "standard input".to_owned(),
    }
}

fn seconds(since_1970: u64) -> Seconds {
    since_1970.try_into().unwrap_or(Seconds::MAX)
}

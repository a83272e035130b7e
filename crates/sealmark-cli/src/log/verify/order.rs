//! The order of a log's values, as its headers promise it: within sessions and from session to session.

use sealmark::record::{HeaderFacts, Order, SessionId, SessionReport};
use std::collections::HashMap;

/// A place in the inputs: which of them, and the line from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub input: usize,
    pub line: u64,
}

/// Values of one session whose counters rise by one, without a value of it between them that breaks the row.
#[derive(Debug, Clone)]
pub struct Run {
    pub session: SessionId,
    pub start: u64,
    pub end: u64,
    pub line: u64,
    /// The batch met its counter before.
    pub repeated: bool,
}

/// Something that is not as the headers say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    pub at: Place,
    pub session: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Repeated {
        counter: u64,
    },
    /// Values up to the one before `found` are nowhere.
    Missing {
        expected: u64,
        found: u64,
    },
    OutOfOrder {
        expected: u64,
        found: u64,
    },
    /// A value stands behind the first one of the session that followed.
    Late {
        counter: u64,
    },
    /// The session before is nowhere, or begins behind this one.
    MissingSession {
        previous: String,
        count: Option<u64>,
    },
    SessionOutOfOrder {
        previous: String,
    },
}

/// What is kept of a session.
struct Row {
    /// Its first header or value; not its closing token, which may stand behind the next header.
    first: Option<Place>,
    facts: HeaderFacts,
    /// The counter that would keep the order, and the lowest that begins it.
    next: u64,
    begins: u64,
    begun: bool,
    followed: bool,
}

#[derive(Default)]
pub struct Rows {
    rows: HashMap<SessionId, Row>,
    first: Option<SessionId>,
    faults: Vec<Fault>,
    /// Faults beyond those that are kept.
    more: u64,
    full: bool,
}

const MAX_SESSIONS: usize = 1 << 16;
const MAX_FAULTS: usize = 1 << 16;

impl Rows {
    /// A header, a token or, without a place, a closing token of a session; `facts`, where its header opens.
    pub fn see(&mut self, session: SessionId, facts: Option<HeaderFacts>, at: Option<Place>) {
        let known = self.rows.len();
        if known == MAX_SESSIONS && !self.rows.contains_key(&session) {
            self.full = true;
            return;
        }
        if facts.is_some() && at.is_some() {
            self.first.get_or_insert(session);
        }
        let (next, begins, begun, followed) = Default::default();
        let new = Row { first: None, facts: HeaderFacts::default(), next, begins, begun, followed };
        let row = self.rows.entry(session).or_insert(new);
        row.facts = facts.unwrap_or(row.facts);
        row.first = row.first.or(at);
    }

    /// Takes the next values; `met` is what came of their session in earlier batches.
    pub fn take(&mut self, run: &Run, at: Place, met: Option<&SessionReport>) {
        let is_first = self.first == Some(run.session);
        let Some(row) = self.rows.get_mut(&run.session) else { return };
        let kept = row.facts.order == Order::Kept;
        if run.repeated || met.is_some_and(|met| met.has(run.start)) {
            return self.fault(run.session, at, Kind::Repeated { counter: run.start });
        }
        if !kept {
            return;
        }
        if !row.begun && is_first {
            (row.next, row.begins) = (run.start, run.start);
        }
        row.begins = row.begins.min(run.start);
        let (begun, followed) = (std::mem::replace(&mut row.begun, true), row.followed);
        let (expected, found) = (std::mem::replace(&mut row.next, run.end), run.start);
        let previous = row.facts.previous.filter(|_| !begun);
        if let Some(before) = previous.and_then(|previous| self.rows.get_mut(&previous.session)) {
            before.followed = true;
        }
        if followed {
            self.fault(run.session, at, Kind::Late { counter: found });
        } else if expected != found {
            self.fault(run.session, at, Kind::OutOfOrder { expected, found });
        }
    }

    fn fault(&mut self, session: SessionId, at: Place, kind: Kind) {
        match self.faults.len() < MAX_FAULTS {
            true => self.faults.push(Fault { at, session: session.to_string(), kind }),
            false => self.more += 1,
        }
    }

    /// Where a session begins; those without a place come last.
    pub fn place(&self, session: SessionId) -> (bool, Option<Place>) {
        let first = self.rows.get(&session).and_then(|row| row.first);
        (first.is_none(), first)
    }

    /// How many values of the session stand in an older log.
    pub fn begins(&self, session: SessionId) -> u64 {
        self.rows.get(&session).map_or(0, |row| row.begins)
    }

    pub fn is_ordered(&self, session: SessionId) -> bool {
        self.rows.get(&session).is_some_and(|row| row.facts.order == Order::Kept)
    }

    /// Sessions that headers name as the ones before, and how many values they have by them.
    pub fn counted(&self) -> impl Iterator<Item = (SessionId, u64)> {
        let previous = self.rows.values().filter_map(|row| row.facts.previous);
        previous.filter_map(|previous| Some((previous.session, previous.count?)))
    }

    /// Sessions that nothing in the log is of, and those that are not where they should be, are told, too. `missing` are the
    /// counters of a session that are nowhere.
    pub fn finish(mut self, missing: impl Fn(SessionId, u64, u64) -> bool) -> (Vec<Fault>, u64) {
        for (session, row) in &self.rows {
            let (Some(previous), Some(at)) = (row.facts.previous, row.first) else { continue };
            let name = previous.session.to_string();
            let kind = match self.rows.get(&previous.session).and_then(|before| before.first) {
                Some(first) if first > at => Kind::SessionOutOfOrder { previous: name },
                None if self.first != Some(*session) && !self.full => {
                    Kind::MissingSession { previous: name, count: previous.count }
                }
                _ => continue,
            };
            self.faults.push(Fault { at, session: session.to_string(), kind });
        }
        for fault in &mut self.faults {
            if let Kind::OutOfOrder { expected, found } = fault.kind
                && let Some(session) = SessionId::parse(&fault.session)
                && expected < found
                && missing(session, expected, found)
            {
                fault.kind = Kind::Missing { expected, found };
            }
        }
        self.faults.sort();
        (self.faults, self.more)
    }
}

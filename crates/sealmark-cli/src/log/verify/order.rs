//! The order of a log's values, as its headers promise it: within sessions and from session to session.

use sealmark::record::{HeaderFacts, Order, SessionId, SessionReport};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A place in the inputs: which of them, and the line from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub input: usize,
    pub line: u64,
}

/// Values of one session that stand one behind the other, without another session's between them, and whose counters rise
/// by one.
#[derive(Debug, Clone)]
pub struct Run {
    pub session: SessionId,
    pub start: u64,
    pub end: u64,
    /// Which of the batch's values its first one is.
    pub index: usize,
    /// The batch met its counter before.
    pub repeated: bool,
}

/// A trace of a session in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Header,
    /// A header's place where the header itself came from a side file: nobody checked what stands there.
    Unchecked,
    Value,
    Closing,
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

/// The facts that are kept of a session.
#[derive(Default)]
struct Row {
    /// Its first header, value or closing token; none where the log only names the session.
    line: Option<Place>,
    /// Its first value, and the counter of that.
    value: Option<(Place, u64)>,
    /// Where its first closing token stands.
    closed: Option<Place>,
    /// The place of its last value or closing token.
    last: Option<Place>,
    facts: HeaderFacts,
    /// The counter that would keep the order, and the lowest that was met.
    next: u64,
    lowest: u64,
    followed: bool,
    /// Its first value stands behind one of the session that followed.
    late: bool,
}

impl Row {
    /// Its first value, or else its first sign: a header can be moved, but a writer that is idle has nothing more.
    fn began(&self) -> Option<Place> {
        self.value.map(|(at, _)| at).or(self.line)
    }
}

#[derive(Default)]
pub struct Rows {
    rows: HashMap<SessionId, Row>,
    faults: Vec<Fault>,
    /// Faults beyond those that are kept.
    more: u64,
    full: bool,
    /// The session that the input begins with, and where one ends first; known with the last line.
    first: Option<SessionId>,
    ended: Option<Place>,
    /// Sessions whose first value stands behind the beginning of another session and before its end: two wrote at a time.
    beside: HashSet<SessionId>,
}

const MAX_SESSIONS: usize = 1 << 16;
const MAX_FAULTS: usize = 1 << 16;

impl Rows {
    fn row(&mut self, session: SessionId) -> Option<&mut Row> {
        if self.rows.len() == MAX_SESSIONS && !self.rows.contains_key(&session) {
            self.full = true;
            return None;
        }
        Some(self.rows.entry(session).or_default())
    }

    /// A sign of a session whose header opens.
    pub fn see(&mut self, session: SessionId, facts: HeaderFacts, sign: Sign, at: Place) {
        let Some(row) = self.row(session) else { return };
        row.facts = facts;
        match sign {
            Sign::Header => {}
            Sign::Closing => {
                row.closed = Some(row.closed.map_or(at, |closed| closed.min(at)));
                row.last = row.last.max(Some(at));
            }
            // Its value is told by a run, where it is authentic.
            Sign::Value | Sign::Unchecked => return,
        }
        row.line = Some(row.line.map_or(at, |line| line.min(at)));
    }

    /// Takes the next values, each with its place; `met` is what came of their session in earlier batches.
    pub fn take(&mut self, run: &Run, at: impl Fn(u64) -> Place, met: Option<&SessionReport>) {
        if run.repeated {
            return self.fault(run.session, at(0), Kind::Repeated { counter: run.start });
        }
        let mut start = run.start;
        for again in met.into_iter().flat_map(|met| met.present_in(run.start..run.end)) {
            self.take_new(run, start..again.start, &at);
            self.fault(run.session, at(again.start - run.start), Kind::Repeated { counter: again.start });
            start = again.end;
        }
        self.take_new(run, start..run.end, &at);
    }

    /// Takes those values of `all` that are in `run`.
    fn take_new(&mut self, all: &Run, run: Range<u64>, place: impl Fn(u64) -> Place) {
        if run.is_empty() {
            return;
        }
        let (session, at) = (all.session, place(run.start - all.start));
        let Some(row) = self.row(session) else { return };
        row.last = row.last.max(Some(place(run.end - 1 - all.start)));
        row.line = Some(row.line.map_or(at, |line| line.min(at)));
        let begun = row.value.is_some();
        row.value = row.value.or(Some((at, run.start)));
        row.lowest = if begun { row.lowest.min(run.start) } else { run.start };
        let (expected, found) = (std::mem::replace(&mut row.next, run.end), run.start);
        let (followed, kept) = (row.followed, row.facts.order == Order::Kept);
        row.late |= !begun && followed;
        // Where the header does not count the session before, its writer may have gone on.
        let previous = row.facts.previous.filter(|previous| kept && !begun && previous.count.is_some());
        if let Some(before) = previous.and_then(|previous| self.row(previous.session)) {
            before.followed = true;
        }
        if kept && followed {
            self.fault(session, at, Kind::Late { counter: found });
        } else if kept && begun && expected != found {
            self.fault(session, at, Kind::OutOfOrder { expected, found });
        }
    }

    fn fault(&mut self, session: SessionId, at: Place, kind: Kind) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { at, session: session.to_string(), kind })
        } else {
            self.more += 1
        }
    }

    /// Where a session begins; those without a place come last.
    pub fn place(&self, session: SessionId) -> (bool, Option<Place>) {
        let line = self.rows.get(&session).and_then(|row| row.line);
        (line.is_none(), line)
    }

    /// Finds the session that the input begins with, when all lines are read. Values before it stand in an older log, so that it
    /// alone may lack a session before. That is the one whose values come first: a header proves no order, anybody can move it.
    /// Where the first lines are of a session without values, the older log has those; not, however, where the session before
    /// that one is in the input.
    pub fn settle(&mut self) {
        let lines = self.rows.iter().filter_map(|(id, row)| Some((row.line?, *id)));
        let emptied = lines
            .min()
            .map(|(_, id)| id)
            .filter(|id| self.rows[id].value.is_none() && !self.has_previous(&self.rows[id]));
        let values = self.rows.iter().filter_map(|(id, row)| Some((row.value?.0, *id)));
        self.first = emptied.or_else(|| values.min().map(|(_, id)| id));
        self.ended = self.rows.values().filter_map(|row| row.closed).min();
        self.beside = self.written_beside();
    }

    fn written_beside(&self) -> HashSet<SessionId> {
        let mut begun: Vec<_> =
            self.rows.iter().filter_map(|(id, row)| Some((row.line?, row.last?, *id))).collect();
        begun.sort();
        // Two sessions that end last are kept of those that had begun up to each: one of them is another one.
        let mut ends: Vec<[Option<(Place, SessionId)>; 2]> = vec![[None; 2]];
        for (_, last, id) in &begun {
            let [most, second] = ends[ends.len() - 1];
            let this = Some((*last, *id));
            ends.push(if this > most { [this, most] } else { [most, second.max(this)] });
        }
        let beside = |(id, row): (&SessionId, &Row)| {
            let at = row.began()?;
            let before = begun.partition_point(|(line, ..)| *line < at);
            let mut others = ends[before].into_iter().flatten().filter(|(_, other)| other != id);
            others.any(|(last, _)| last > at).then_some(*id)
        };
        self.rows.iter().filter_map(beside).collect()
    }

    /// True where another writer may have begun the session in an older log. One that names a session before has to show that
    /// two wrote at a time: else whoever drops a session and the end of the one before it would be believed.
    fn had_begun(&self, id: SessionId, row: &Row) -> bool {
        let before_any_end = |at| self.ended.is_none_or(|ended| at < ended);
        row.began().is_some_and(before_any_end) && (row.facts.previous.is_none() || self.beside.contains(&id))
    }

    /// True where anything of the session before is in the input.
    fn has_previous(&self, row: &Row) -> bool {
        let previous = row.facts.previous.and_then(|previous| self.rows.get(&previous.session));
        previous.is_some_and(|previous| previous.line.is_some())
    }

    /// Counters below this one may stand in an older log: of the session that the input begins with, and of those that other
    /// writers had begun by then.
    pub fn begins(&self, session: SessionId) -> u64 {
        let Some(row) = self.rows.get(&session) else { return 0 };
        let is_first = self.first == Some(session);
        match row.value {
            None if is_first => u64::MAX,
            Some(_) if row.facts.order == Order::Kept => {
                // A session whose values are counted ended before this one began.
                let counted = row.facts.previous.is_some_and(|previous| previous.count.is_some());
                let begins_here = counted && self.has_previous(row);
                if !begins_here && (is_first || self.had_begun(session, row)) { row.lowest } else { 0 }
            }
            _ => 0,
        }
    }

    pub fn previous(&self, session: SessionId) -> Option<SessionId> {
        Some(self.rows.get(&session)?.facts.previous?.session)
    }

    pub fn is_ordered(&self, session: SessionId) -> bool {
        self.rows.get(&session).is_some_and(|row| row.facts.order == Order::Kept)
    }

    /// Sessions that headers name as the ones before, and how many values they have by them: the most that one names.
    pub fn counted(&self) -> HashMap<SessionId, u64> {
        let mut counted = HashMap::new();
        for previous in self.rows.values().filter_map(|row| row.facts.previous) {
            if let Some(count) = previous.count {
                let most: &mut u64 = counted.entry(previous.session).or_default();
                *most = count.max(*most);
            }
        }
        counted
    }

    /// A session that begins in the input behind one that began later, by the times in their headers; and that one. A clock
    /// that was set back makes such headers, too, so that it is no fault.
    pub fn earlier(&self) -> Option<(SessionId, SessionId)> {
        let begun = |(id, row): (&SessionId, &Row)| {
            let begins_here = row.value.is_none_or(|(_, counter)| counter == 0);
            Some((row.line?, row.facts.began.filter(|_| begins_here)?, *id))
        };
        let mut rows: Vec<_> = self.rows.iter().filter_map(begun).collect();
        rows.sort();
        let mut last: Option<(u64, SessionId)> = None;
        for (_, began, id) in rows {
            match last {
                Some((time, before)) if began < time => return Some((id, before)),
                _ => last = Some((began, id)),
            }
        }
        None
    }

    /// Sessions that nothing in the log is of, and those that are not where they should be, are told, too. `missing` are the
    /// counters of a session that are nowhere.
    pub fn finish(mut self, missing: impl Fn(SessionId, u64, u64) -> bool) -> (Vec<Fault>, u64) {
        let mut faults = std::mem::take(&mut self.faults);
        for (session, row) in &self.rows {
            let mut fault = |at, kind| faults.push(Fault { at, session: session.to_string(), kind });
            if let Some((at, found)) = row.value
                && row.facts.order == Order::Kept
                && found > 0
                && !row.late
                && self.begins(*session) == 0
            {
                fault(at, Kind::OutOfOrder { expected: 0, found });
            }
            let (Some(previous), Some(line)) = (row.facts.previous, row.line) else { continue };
            let name = previous.session.to_string();
            let begun = |before: &Row| match (previous.count, before.value?) {
                (Some(_), (first, _)) => Some(first),
                // Its writer may go on, but had begun.
                (None, (_, 0)) => before.line,
                (None, _) => None,
            };
            let may_lack = self.first == Some(*session) || self.had_begun(*session, row) || self.full;
            if !self.has_previous(row) && !may_lack {
                fault(line, Kind::MissingSession { previous: name, count: previous.count });
            } else if let (Some(begun), Some((at, _))) =
                (self.rows.get(&previous.session).and_then(begun), row.value)
                && at < begun
            {
                fault(at, Kind::SessionOutOfOrder { previous: name });
            }
        }
        for fault in &mut faults {
            if let Kind::OutOfOrder { expected, found } = fault.kind
                && let Ok(session) = fault.session.parse::<SessionId>()
                && expected < found
                && missing(session, expected, found)
            {
                fault.kind = Kind::Missing { expected, found };
            }
        }
        faults.sort();
        (faults, self.more)
    }
}

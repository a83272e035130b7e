//! The result of opening: counts of outcomes, and for each session the values that are present.

use super::counters::Tally;
use super::token::SessionId;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{AddAssign, Range};

/// Counts of tokens by outcome, and the sessions whose tokens opened. The reports of a log's parts add up to the report of
/// the whole log.
///
/// The [module](crate::record) has an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "it tells which tokens were altered"]
pub struct Report {
    /// Tokens that were opened and replaced, repeated ones too.
    pub opened: u64,
    /// Tokens of a session whose header was not read.
    pub orphans: u64,
    /// The sessions of those tokens: at most 1,024, because anybody can make such tokens up.
    pub orphaned: BTreeSet<SessionId>,
    /// Tokens of a session whose header none of the keys opens.
    pub no_key: u64,
    /// Tokens that do not authenticate. Closing tokens count too.
    pub tampered: u64,
    /// Tokens that are authentic, but hold no text where only text can stand.
    pub not_text: u64,
    /// Tokens that were cut off: they name a session whose header was read, and cannot be opened.
    pub cut_off: u64,
    /// The facts about each session that was opened.
    pub sessions: BTreeMap<SessionId, SessionReport>,
}

/// The values of a session that are present, by their counters.
///
/// The [module](crate::record) has an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionReport {
    /// Tokens whose counter was met before.
    pub repeated: u64,
    /// The number of values that the session sealed, according to its closing token. `None` if it has none: the writer is still
    /// running or crashed, or the log was cut off.
    pub closing: Option<u64>,
    /// Counters that the closing token names as unused, and where all end.
    unused: Vec<Range<u64>>,
    end: u64,
    /// Counters that were met: starts and the ends behind them. Never touching.
    met: BTreeMap<u64, u64>,
    untracked: u64,
}

/// Runs of counters that are kept for one session; a log in its own order has few.
const MAX_RUNS: usize = 1 << 20;
const MAX_ORPHANED: usize = 1 << 10;

impl Report {
    /// Adds a token of a session whose header was not read.
    pub(super) fn orphan(&mut self, session: SessionId) {
        self.orphans += 1;
        if self.orphaned.len() < MAX_ORPHANED {
            self.orphaned.insert(session);
        }
    }
}

impl SessionReport {
    /// The number of different values that were opened.
    pub fn values(&self) -> u64 {
        self.met.iter().map(|(start, end)| end - start).sum()
    }

    /// The missing counters, up to the count of the closing token, or else up to the highest counter that was met.
    pub fn missing(&self) -> Vec<Range<u64>> {
        self.missing_below(None)
    }

    /// The missing counters, if another source, such as the header of the next session, says that `count` is one more than the
    /// highest counter.
    pub fn missing_below(&self, count: Option<u64>) -> Vec<Range<u64>> {
        let end = match self.closing {
            Some(_) => self.end,
            None => self.met.last_key_value().map_or(0, |(_, end)| *end),
        };
        let end = end.max(count.unwrap_or(0));
        let mut there: Vec<_> =
            self.met.iter().map(|(start, end)| *start..*end).chain(self.unused.clone()).collect();
        there.sort_by_key(|run| run.start);
        there.push(end..end);
        let mut expected = 0;
        let gap = |run: Range<u64>| {
            let gap = expected..run.start.min(end);
            expected = expected.max(run.end);
            (!gap.is_empty()).then_some(gap)
        };
        there.into_iter().filter_map(gap).collect()
    }

    /// The number of opened values that the closing token does not count: values that its writer sealed later, or that another
    /// holder of the session key sealed.
    pub fn not_counted(&self) -> u64 {
        let Some(_) = self.closing else { return 0 };
        let unused = self.unused.iter().cloned().map(|run| self.met_in(run));
        unused.sum::<u64>() + self.met_in(self.end..u64::MAX)
    }

    /// The counters in a range that were met, as runs in ascending order.
    pub fn present_in(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let around = self.met.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        let runs = self.met.range(around..range.end.max(around));
        let runs = runs.map(move |(start, end)| *start.max(&range.start)..*end.min(&range.end));
        runs.filter(|run| !run.is_empty())
    }

    /// The number of runs of consecutive counters, which is what this report keeps in memory.
    pub fn runs(&self) -> usize {
        self.met.len()
    }

    fn met_in(&self, run: Range<u64>) -> u64 {
        self.present_in(run).map(|run| run.end - run.start).sum()
    }

    /// The number of tokens whose counters were not recorded, because too many were out of order; [`SessionReport::missing`]
    /// then also names counters that are present.
    pub fn untracked(&self) -> u64 {
        self.untracked
    }

    /// Adds a counter; true if it is new.
    pub(super) fn meet(&mut self, counter: u32) -> bool {
        let counter = u64::from(counter);
        let repeated = self.meet_all(counter..counter + 1);
        repeated == 0
    }

    /// Where a session was closed twice, the higher end counts.
    pub(super) fn close(&mut self, tally: Tally) {
        if self.closing.is_none() || self.end < tally.count {
            let unused: u64 = tally.unused.iter().map(|run| run.end - run.start).sum();
            self.closing = Some(tally.count - unused);
            (self.end, self.unused) = (tally.count, tally.unused);
        }
    }

    /// Adds a run, and returns how many of it were there. Counts those as repeated.
    fn meet_all(&mut self, run: Range<u64>) -> u64 {
        // Fast path for a log in order.
        if let Some(mut last) = self.met.last_entry()
            && *last.get() == run.start
        {
            *last.get_mut() = run.end;
            return 0;
        }
        if self.met.len() >= MAX_RUNS {
            self.untracked += run.end - run.start;
            return 0;
        }
        let repeated = self.join(run);
        self.repeated += repeated;
        repeated
    }

    fn join(&mut self, run: Range<u64>) -> u64 {
        let (mut start, mut end, mut repeated) = (run.start, run.end, 0);
        while let Some((&from, &to)) =
            self.met.range(..=run.end).next_back().filter(|(_, to)| **to >= run.start)
        {
            repeated += to.min(run.end).saturating_sub(from.max(run.start));
            start = start.min(from);
            end = end.max(to);
            self.met.remove(&from);
        }
        self.met.insert(start, end);
        repeated
    }
}

impl AddAssign<Report> for Report {
    fn add_assign(&mut self, other: Report) {
        self.opened += other.opened;
        self.orphans += other.orphans;
        let room = MAX_ORPHANED - self.orphaned.len();
        self.orphaned.extend(other.orphaned.into_iter().take(room));
        self.no_key += other.no_key;
        self.tampered += other.tampered;
        self.not_text += other.not_text;
        self.cut_off += other.cut_off;
        for (id, session) in other.sessions {
            *self.sessions.entry(id).or_default() += session;
        }
    }
}

impl AddAssign<SessionReport> for SessionReport {
    fn add_assign(&mut self, other: SessionReport) {
        self.repeated += other.repeated;
        self.untracked += other.untracked;
        if other.closing.is_some() {
            self.close(Tally { count: other.end, unused: other.unused });
        }
        for (start, end) in other.met {
            self.meet_all(start..end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(counters: &[u32]) -> SessionReport {
        let mut session = SessionReport::default();
        for counter in counters {
            session.meet(*counter);
        }
        session
    }

    #[test]
    fn any_order_comes_to_the_same() {
        let mut counters: Vec<u32> = (0..500).filter(|n| n % 7 != 3).chain([u32::MAX]).collect();
        let in_order = met(&counters);
        for step in [3, 7, 11, 101] {
            let length = counters.len();
            counters = (0..length).map(|at| counters[at * step % length]).collect();
            assert_eq!(met(&counters), in_order, "{step}");
        }
        assert_eq!(in_order.values(), 501 - 71 - 1 + 1);
        assert_eq!(in_order.missing()[..2], [3..4, 10..11]);
    }

    #[test]
    fn a_counter_met_twice_is_repeated() {
        let mut session = met(&[0, 1, 2, 5]);
        assert!(!session.meet(1) && session.meet(4) && !session.meet(5));
        assert_eq!((session.repeated, session.values()), (2, 5));
        assert_eq!(session.missing().first(), Some(&(3..4)));
        session.close(Tally { count: 8, unused: Vec::new() });
        assert_eq!((session.missing(), session.not_counted()), (vec![3..4, 6..8], 0));
        session.close(Tally { count: 9, unused: vec![1..3, 6..8] });
        assert_eq!(
            (session.missing(), session.not_counted(), session.closing),
            (vec![3..4, 8..9], 2, Some(5))
        );
        session.meet(9);
        assert_eq!((session.missing(), session.not_counted()), (vec![3..4, 8..9], 3));
    }

    #[test]
    fn what_is_present_is_cut_to_the_range() {
        let session = met(&[1, 2, 3, 7, 9]);
        let present = |range| session.present_in(range).collect::<Vec<_>>();
        assert_eq!(present(2..8), [2..4, 7..8]);
        assert_eq!(present(0..10), [1..4, 7..8, 9..10]);
        assert_eq!(present(3..4), vec![3..4]);
        assert!(present(4..7).is_empty() && present(2..2).is_empty() && present(10..u64::MAX).is_empty());
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let mut whole = met(&[0, 1, 2, 9]);
        whole += met(&[2, 3, 4, 9, 8]);
        let mut expected = met(&[0, 1, 2, 3, 4, 8, 9]);
        expected.repeated = 2;
        assert_eq!(whole, expected);
    }
}

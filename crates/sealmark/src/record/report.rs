//! What opening met: outcomes by number, and for each session which values are there.

use std::{
    collections::BTreeMap,
    ops::{AddAssign, Range},
};

use super::token::SessionId;

/// Numbers of tokens by outcome, and the sessions whose tokens opened. Reports of the parts of a log add up to that of
/// the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Opened and put in their place, repeated ones too.
    pub opened: u64,
    /// Of a session whose header was not read.
    pub orphans: u64,
    /// Of a session whose header none of the keys opens.
    pub no_key: u64,
    /// Not as they were sealed. Closing tokens count too.
    pub tampered: u64,
    /// Authentic, but no text where only text can stand.
    pub not_text: u64,
    /// What is known of each session that was opened.
    pub sessions: BTreeMap<SessionId, SessionReport>,
}

/// Which values of a session are there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionReport {
    /// How many tokens had a counter that was met before.
    pub repeated: u64,
    /// How many values the session sealed, by its closing token; `None`: it goes on, crashed, or was cut off.
    pub closing: Option<u64>,
    /// Counters that were met: starts and the ends behind them. Never touching.
    met: BTreeMap<u64, u64>,
    untracked: u64,
}

/// Runs of counters that are kept for one session; a log in its own order has few.
const MAX_RUNS: usize = 1 << 20;

impl SessionReport {
    /// How many different values were opened.
    pub fn values(&self) -> u64 {
        self.met.iter().map(|(start, end)| end - start).sum()
    }

    /// The counters that are not there: of all that the closing token counts, or else up to the highest that was met.
    pub fn missing(&self) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut expected = 0;
        let end = self.closing.unwrap_or(self.met.last_key_value().map_or(0, |(_, end)| *end));
        for (&start, &behind) in self.met.range(..end) {
            if expected < start {
                missing.push(expected..start);
            }
            expected = behind;
        }
        if expected < end {
            missing.push(expected..end);
        }
        missing
    }

    /// Tokens in such disorder that their counters were not kept; then [`SessionReport::missing`] names too many.
    pub fn untracked(&self) -> u64 {
        self.untracked
    }

    /// Whether the counter is new.
    pub(super) fn meet(&mut self, counter: u32) -> bool {
        let counter = u64::from(counter);
        let repeated = self.meet_all(counter..counter + 1);
        repeated == 0
    }

    pub(super) fn close(&mut self, count: u64) {
        self.closing = self.closing.max(Some(count));
    }

    /// Adds a run, and returns how many of it were there. Counts those as repeated.
    fn meet_all(&mut self, run: Range<u64>) -> u64 {
        // What a log in order does.
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
        self.no_key += other.no_key;
        self.tampered += other.tampered;
        self.not_text += other.not_text;
        for (id, session) in other.sessions {
            *self.sessions.entry(id).or_default() += session;
        }
    }
}

impl AddAssign<SessionReport> for SessionReport {
    fn add_assign(&mut self, other: SessionReport) {
        self.repeated += other.repeated;
        self.untracked += other.untracked;
        self.closing = self.closing.max(other.closing);
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
        session.close(8);
        assert_eq!(session.missing(), [3..4, 6..8]);
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

//! Whether today's figures bear out what was concluded from other figures.

use crate::summary::{Cell, Line, Ratio};
use serde_json::{Value, json};

/// What becomes of a conclusion, or of a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Confirmed,
    Refuted,
    Undecided,
}

impl Fate {
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        }
    }

    /// Of a conclusion all of whose parts must hold.
    pub fn of_all(parts: &[Part]) -> Self {
        if parts.iter().any(|part| part.fate == Self::Refuted) {
            Self::Refuted
        } else if !parts.is_empty() && parts.iter().all(|part| part.fate == Self::Confirmed) {
            Self::Confirmed
        } else {
            Self::Undecided
        }
    }

    /// Of a conclusion about times that a faster machine outruns: they refute it together with what does not depend on the
    /// machine, and nothing does alone.
    pub fn of_all_anywhere(parts: &[Part]) -> Self {
        let is_refuted_by = |is_of_machine: bool| {
            parts.iter().any(|part| part.fate == Self::Refuted && part.is_of_machine == is_of_machine)
        };
        match Self::of_all(parts) {
            Self::Refuted if !(is_refuted_by(true) && is_refuted_by(false)) => Self::Undecided,
            fate => fate,
        }
    }

    /// Of a conclusion one of whose parts must hold.
    pub fn of_any(parts: &[Part]) -> Self {
        if parts.iter().any(|part| part.fate == Self::Confirmed) {
            Self::Confirmed
        } else if !parts.is_empty() && parts.iter().all(|part| part.fate == Self::Refuted) {
            Self::Refuted
        } else {
            Self::Undecided
        }
    }
}

/// One claim that was put to the test.
pub struct Part {
    pub fate: Fate,
    /// What was compared, where.
    pub what: String,
    /// None where it was not measured.
    pub seen: Option<Seen>,
    /// Another machine may say otherwise.
    pub is_of_machine: bool,
}

impl Part {
    /// For machines.
    pub fn json(&self) -> Value {
        let seen = self.seen.map(|seen| {
            json!({
                "of": seen.of.word(),
                "median": seen.median,
                "low": seen.low,
                "high": seen.high,
                "is_interval": seen.is_interval,
                "is_predicted": seen.is_predicted,
                "beside": seen.beside.map(|beside| json!({ "median": beside.median, "blocks": beside.blocks })),
            })
        });
        json!({ "what": self.what, "fate": self.fate.word(), "seen": seen, "is_of_machine": self.is_of_machine })
    }

    pub fn on_this_machine(self) -> Self {
        Self { what: format!("{}, on this machine,", self.what), is_of_machine: true, ..self }
    }
}

/// What a claim is held against, with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    pub of: Measure,
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// Otherwise the ends are only the smallest and largest, and decide nothing.
    pub is_interval: bool,
    /// Nobody waited for it: smaller sizes let one expect it.
    pub is_predicted: bool,
    /// What was measured in too few blocks to decide anything, where a prediction does.
    pub beside: Option<Beside>,
}

/// A measurement without an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beside {
    pub median: f64,
    pub blocks: usize,
}

/// In what a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// One time over another.
    Ratio,
    /// The power of the size by which time grows.
    Exponent,
    Nanoseconds,
}

impl Measure {
    fn word(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Exponent => "exponent",
            Self::Nanoseconds => "ns",
        }
    }
}

impl From<Ratio> for Seen {
    fn from(ratio: Ratio) -> Self {
        let Ratio { median, low, high, interval, .. } = ratio;
        let is_interval = interval.is_some();
        Self { of: Measure::Ratio, median, low, high, is_interval, is_predicted: false, beside: None }
    }
}

/// Between which bounds a figure must lie for a claim to hold.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub least: f64,
    pub most: f64,
}

impl Claim {
    pub fn at_least(least: f64) -> Self {
        Self { least, most: f64::INFINITY }
    }

    pub fn at_most(most: f64) -> Self {
        Self { least: 0.0, most }
    }

    /// Confirmed where the whole interval lies within the bounds, refuted where none of it does; open where the few blocks
    /// that were measured contradict what was predicted.
    pub fn fate(self, seen: Option<&Seen>) -> Fate {
        let fate = self.fate_of_interval(seen);
        let beside = seen.and_then(|seen| seen.beside);
        let holds = |beside: Beside| (self.least..=self.most).contains(&beside.median);
        match fate {
            Fate::Confirmed if beside.is_some_and(|beside| !holds(beside)) => Fate::Undecided,
            Fate::Refuted if beside.is_some_and(holds) => Fate::Undecided,
            fate => fate,
        }
    }

    fn fate_of_interval(self, seen: Option<&Seen>) -> Fate {
        match seen.filter(|seen| seen.is_interval) {
            Some(seen) if seen.low >= self.least && seen.high <= self.most => Fate::Confirmed,
            Some(seen) if seen.high < self.least || seen.low > self.most => Fate::Refuted,
            _ => Fate::Undecided,
        }
    }

    /// Puts a figure to the test, or the lack of one.
    pub fn judge(self, what: String, seen: Option<Seen>) -> Part {
        Part { fate: self.fate(seen.as_ref()), what, seen, is_of_machine: false }
    }

    /// Puts one line against another of a cell.
    pub fn test(self, what: String, cell: Option<&Cell>, pair: Option<(&Line, &Line)>) -> Part {
        let ratio = cell.zip(pair).and_then(|(cell, (line, other))| cell.compare(line, other));
        self.judge(what, ratio.map(Seen::from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::bootstrap::Interval;
    use crate::stats::verdict::Verdict;

    fn ratio(low: f64, high: f64) -> Seen {
        let median = (low * high).sqrt();
        let interval = Some(Interval { low, median, high });
        Ratio { median, low, high, blocks: 8, interval, verdict: Verdict::Slower }.into()
    }

    #[test]
    fn an_interval_confirms_refutes_or_leaves_open() {
        let alike = Claim { least: 0.67, most: 1.5 };
        for (low, high, expected) in [
            (0.9, 1.1, Fate::Confirmed),
            (0.67, 1.5, Fate::Confirmed),
            (1.6, 1.9, Fate::Refuted),
            (0.3, 0.6, Fate::Refuted),
            (1.4, 1.6, Fate::Undecided),
            (0.4, 0.9, Fate::Undecided),
            (1.2, 3.0, Fate::Undecided),
            (0.5, 2.0, Fate::Undecided),
        ] {
            assert_eq!(alike.fate(Some(&ratio(low, high))), expected, "{low} {high}");
        }
        assert_eq!(alike.fate(None), Fate::Undecided);
        let few = Seen { is_interval: false, ..ratio(0.9, 1.1) };
        assert_eq!(alike.fate(Some(&few)), Fate::Undecided);
        assert_eq!(Claim::at_least(2.0).fate(Some(&ratio(2.5, 900.0))), Fate::Confirmed);
        assert_eq!(Claim::at_most(1.0).fate(Some(&ratio(0.1, 0.2))), Fate::Confirmed);
    }

    #[test]
    fn a_prediction_that_was_contradicted_decides_nothing() {
        for (beside, large, small) in [
            (None, Fate::Confirmed, Fate::Refuted),
            (Some(260.0), Fate::Confirmed, Fate::Refuted),
            (Some(90.0), Fate::Undecided, Fate::Undecided),
        ] {
            let beside = beside.map(|median| Beside { median, blocks: 2 });
            let seen = Seen { beside, is_predicted: true, ..ratio(200.0, 300.0) };
            assert_eq!(Claim::at_least(100.0).fate(Some(&seen)), large, "{beside:?}");
            assert_eq!(Claim::at_most(100.0).fate(Some(&seen)), small, "{beside:?}");
        }
    }

    #[test]
    fn neither_times_nor_ratios_refute_alone_anywhere() {
        use Fate::{Confirmed, Refuted, Undecided};
        for (ratio, time, expected) in [
            (Confirmed, Confirmed, Confirmed),
            (Confirmed, Refuted, Undecided),
            (Undecided, Refuted, Undecided),
            (Refuted, Confirmed, Undecided),
            (Refuted, Refuted, Refuted),
        ] {
            let part = |fate| Part { fate, what: String::new(), seen: None, is_of_machine: false };
            let parts = [part(ratio), part(time).on_this_machine()];
            assert_eq!(Fate::of_all_anywhere(&parts), expected, "{ratio:?} {time:?}");
        }
    }

    #[test]
    fn parts_add_up() {
        use Fate::{Confirmed, Refuted, Undecided};
        let parts = |fates: &[Fate]| -> Vec<Part> {
            fates
                .iter()
                .map(|fate| Part { fate: *fate, what: String::new(), seen: None, is_of_machine: false })
                .collect()
        };
        for (fates, all, any) in [
            (&[Confirmed, Confirmed][..], Confirmed, Confirmed),
            (&[Confirmed, Refuted], Refuted, Confirmed),
            (&[Confirmed, Undecided], Undecided, Confirmed),
            (&[Undecided, Refuted], Refuted, Undecided),
            (&[Refuted, Refuted], Refuted, Refuted),
            (&[], Undecided, Undecided),
        ] {
            assert_eq!((Fate::of_all(&parts(fates)), Fate::of_any(&parts(fates))), (all, any), "{fates:?}");
        }
    }
}

//! Whether today's ratios bear out what was concluded from other figures.

use crate::summary::{Cell, Line, Ratio};

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
    pub ratio: Option<Ratio>,
}

/// Between which bounds a ratio of times must lie for a claim to hold.
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

    /// Confirmed where the whole interval lies within the bounds, refuted where none of it does.
    pub fn fate(self, ratio: Option<&Ratio>) -> Fate {
        match ratio.and_then(|ratio| ratio.interval) {
            Some(interval) if interval.low >= self.least && interval.high <= self.most => Fate::Confirmed,
            Some(interval) if interval.high < self.least || interval.low > self.most => Fate::Refuted,
            _ => Fate::Undecided,
        }
    }

    /// Puts one line against another of a cell.
    pub fn test(self, what: String, cell: Option<&Cell>, pair: Option<(&Line, &Line)>) -> Part {
        let ratio = cell.zip(pair).and_then(|(cell, (line, other))| cell.compare(line, other));
        Part { fate: self.fate(ratio.as_ref()), what, ratio }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::bootstrap::Interval;
    use crate::stats::verdict::Verdict;

    fn ratio(low: f64, high: f64) -> Ratio {
        let median = (low * high).sqrt();
        let interval = Some(Interval { low, median, high });
        Ratio { median, low, high, blocks: 8, interval, verdict: Verdict::Slower }
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
        let few = Ratio { interval: None, ..ratio(0.9, 1.1) };
        assert_eq!(alike.fate(Some(&few)), Fate::Undecided);
        assert_eq!(Claim::at_least(2.0).fate(Some(&ratio(2.5, 900.0))), Fate::Confirmed);
        assert_eq!(Claim::at_most(1.0).fate(Some(&ratio(0.1, 0.2))), Fate::Confirmed);
    }

    #[test]
    fn parts_add_up() {
        use Fate::{Confirmed, Refuted, Undecided};
        let parts = |fates: &[Fate]| -> Vec<Part> {
            fates.iter().map(|fate| Part { fate: *fate, what: String::new(), ratio: None }).collect()
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

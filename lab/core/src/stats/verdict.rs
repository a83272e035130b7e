//! The verdict that a ratio of times allows.
//!
//! Ratios are always time over time of the reference: below 1 is faster.

use super::bootstrap::Interval;

/// Ratios this near to 1 count as the same, unless the caller says otherwise: two per cent either way.
pub const DEFAULT_BAND: f64 = 0.02;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Takes less time than the reference.
    Faster,
    /// Takes more time than the reference.
    Slower,
    /// The whole interval lies within the band.
    Same,
    Undecided(Reason),
}

/// Why nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Fewer than six, and nobody knows how far blocks stray here: there is no interval.
    TooFewBlocks,
    /// The interval holds 1 and reaches out of the band.
    TooWide,
    /// No A/A row says how far an engine differs from itself.
    NoNoiseKnown,
    /// The difference is no larger than what the A/A row shows between an engine and itself.
    InsideNoise,
    /// The best times of both do not show the difference.
    Unconfirmed,
    /// The best times of both show the opposite, by more than the band.
    Unstable,
    /// The code of one of them was still being compiled: its times are not those that it will have.
    Unsteady,
}

/// The terms that a ratio must meet for a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The same means at most this much more or less time: 0.02 is 2 %.
    pub band: f64,
    /// From the A/A row ([`Interval::noise_floor`]), at least 1. A median ratio nearer to 1 is not called; none is where
    /// there is no such row.
    pub noise_floor: Option<f64>,
    /// How far blocks stray ([`super::bootstrap::of_few`]); where it is not known, fewer than six blocks tell nothing.
    pub unrest: Option<f64>,
}

impl Default for Terms {
    fn default() -> Self {
        Self { band: DEFAULT_BAND, noise_floor: Some(1.0), unrest: None }
    }
}

/// Judges a ratio by its interval and by a second witness: the smallest time of the engine over the smallest of the
/// reference. Bursts only ever add time, so the minima see what remains without them.
pub fn verdict(interval: Option<&Interval>, ratio_of_minima: f64, terms: Terms) -> Verdict {
    let Some(interval) = interval else {
        return Verdict::Undecided(Reason::TooFewBlocks);
    };
    let band = 1.0 + terms.band;
    if interval.low >= 1.0 / band && interval.high <= band {
        Verdict::Same
    } else if interval.high < 1.0 {
        called(Verdict::Faster, 1.0 / interval.median, 1.0 / ratio_of_minima, terms)
    } else if interval.low > 1.0 {
        called(Verdict::Slower, interval.median, ratio_of_minima, terms)
    } else {
        Verdict::Undecided(Reason::TooWide)
    }
}

/// A difference, if noise and witness let it pass. Both factors are told so that the difference is above 1.
fn called(verdict: Verdict, difference: f64, witness: f64, terms: Terms) -> Verdict {
    let Some(noise_floor) = terms.noise_floor else {
        return Verdict::Undecided(Reason::NoNoiseKnown);
    };
    if difference <= noise_floor {
        Verdict::Undecided(Reason::InsideNoise)
    } else if witness * (1.0 + terms.band) < 1.0 {
        Verdict::Undecided(Reason::Unstable)
    } else if witness > 1.0 {
        verdict
    } else {
        Verdict::Undecided(Reason::Unconfirmed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::bootstrap::interval;
    use super::super::simulated::{Noise, share_in_percent};
    use super::*;
    use crate::workload::SplitMix64;

    const PLAIN: Terms = Terms { band: 0.02, noise_floor: Some(1.0), unrest: None };

    fn judged(low: f64, median: f64, high: f64, minima: f64, terms: Terms) -> Verdict {
        verdict(Some(&Interval { low, median, high }), minima, terms)
    }

    #[test]
    fn verdicts_have_known_answers() {
        use Reason::*;
        use Verdict::*;
        for (low, median, high, minima, expected) in [
            (0.70, 0.75, 0.80, 0.77, Faster),
            (1.20, 1.30, 1.40, 1.25, Slower),
            (0.99, 1.00, 1.01, 1.00, Same),
            (0.981, 1.0, 1.02, 1.30, Same),
            (1.005, 1.01, 1.015, 1.0, Same),
            (0.979, 1.0, 1.01, 1.00, Undecided(TooWide)),
            (0.99, 1.0, 1.021, 1.00, Undecided(TooWide)),
            (1.005, 1.02, 1.03, 1.01, Slower),
            (1.10, 1.20, 1.30, 0.99, Undecided(Unconfirmed)),
            (1.10, 1.20, 1.30, 1.00, Undecided(Unconfirmed)),
            (1.10, 1.20, 1.30, 0.97, Undecided(Unstable)),
            (0.70, 0.80, 0.90, 1.01, Undecided(Unconfirmed)),
            (0.70, 0.80, 0.90, 1.03, Undecided(Unstable)),
        ] {
            assert_eq!(judged(low, median, high, minima, PLAIN), expected, "{low} {median} {high} {minima}");
        }
        assert_eq!(verdict(None, 2.0, PLAIN), Undecided(TooFewBlocks));
    }

    #[test]
    fn a_difference_inside_the_noise_floor_is_not_called() {
        let noisy = Terms { noise_floor: Some(1.05), ..PLAIN };
        assert_eq!(judged(1.01, 1.04, 1.07, 1.04, noisy), Verdict::Undecided(Reason::InsideNoise));
        assert_eq!(judged(0.93, 0.96, 0.99, 0.96, noisy), Verdict::Undecided(Reason::InsideNoise));
        assert_eq!(judged(1.01, 1.06, 1.11, 1.06, noisy), Verdict::Slower);
        assert_eq!(judged(0.90, 0.94, 0.98, 0.94, noisy), Verdict::Faster);
    }

    #[test]
    fn without_a_noise_floor_no_difference_is_called() {
        let unknown = Terms { noise_floor: None, ..PLAIN };
        for (low, median, high) in [(9.0, 10.0, 11.0), (0.1, 0.2, 0.3)] {
            let seen = judged(low, median, high, median, unknown);
            assert_eq!(seen, Verdict::Undecided(Reason::NoNoiseKnown));
        }
        assert_eq!(judged(0.99, 1.0, 1.01, 1.0, unknown), Verdict::Same);
    }

    #[test]
    fn the_band_is_the_callers() {
        let wide = Terms { band: 0.05, ..PLAIN };
        assert_eq!(judged(0.96, 1.0, 1.04, 1.0, wide), Verdict::Same);
        assert_eq!(judged(1.10, 1.20, 1.30, 0.97, wide), Verdict::Undecided(Reason::Unconfirmed));
    }

    #[test]
    fn two_modes_are_not_mistaken_for_a_difference() {
        // Either engine runs in one of two modes 10 % apart; eight blocks; the minima see the faster mode of both.
        let wrong = share_in_percent(300, 3, |random: &mut SplitMix64| {
            let blocks: Vec<f64> = (0..8).map(|_| Noise::TwoModes.draw(random)).collect();
            let minima = 1.0 + 0.005 * super::super::simulated::normal(random);
            let seen = interval(&blocks).unwrap();
            matches!(verdict(Some(&seen), minima, PLAIN), Verdict::Faster | Verdict::Slower)
        });
        assert!(wrong < 7.0, "{wrong} %");
    }
}

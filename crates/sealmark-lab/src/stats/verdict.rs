//! What a ratio of times allows to be said.
//!
//! Ratios are always time over time of the reference: below 1 is faster. Words are told as time too: "1.31 × faster"
//! means the reference takes 1.31 times as long for the same work; "1.31 × slower" means this engine takes 1.31 times
//! as long as the reference. The two figures in brackets are the ends of the 95 % interval in the same terms, the
//! smaller first.

use super::bootstrap::Interval;

/// What counts as the same, unless the caller says otherwise: two per cent either way.
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
    /// Fewer than six blocks: there is no interval.
    TooFewBlocks,
    /// The interval holds 1 and reaches out of the band.
    TooWide,
    /// The difference is no larger than what the A/A row shows between an engine and itself.
    InsideNoise,
    /// The best times of both do not show the difference.
    Unconfirmed,
    /// The best times of both show the opposite, by more than the band.
    Unstable,
}

/// What a verdict is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The same means at most this much more or less time: 0.02 is 2 %.
    pub band: f64,
    /// From the A/A row ([`super::noise::floor`]), at least 1. A median ratio nearer to 1 is not called.
    pub noise_floor: f64,
}

impl Default for Terms {
    fn default() -> Self {
        Self { band: DEFAULT_BAND, noise_floor: 1.0 }
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
    if difference <= terms.noise_floor {
        Verdict::Undecided(Reason::InsideNoise)
    } else if witness * (1.0 + terms.band) < 1.0 {
        Verdict::Undecided(Reason::Unstable)
    } else if witness > 1.0 {
        verdict
    } else {
        Verdict::Undecided(Reason::Unconfirmed)
    }
}

/// The verdict for people, such as "1.31 × faster (1.25 to 1.38)". Without an interval only the reason.
pub fn words(verdict: Verdict, interval: Option<&Interval>, terms: Terms) -> String {
    let Some(&Interval { low, median, high }) = interval else {
        return format!("undecided: {}", why(Reason::TooFewBlocks));
    };
    let range = format!("({} to {})", factor(low), factor(high));
    match verdict {
        Verdict::Faster => {
            format!("{} × faster ({} to {})", factor(1.0 / median), factor(1.0 / high), factor(1.0 / low))
        }
        Verdict::Slower => format!("{} × slower {range}", factor(median)),
        Verdict::Same => format!("the same within {} % {range}", percent(terms.band)),
        Verdict::Undecided(reason) => format!("undecided {range}: {}", why(reason)),
    }
}

fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::TooFewBlocks => "fewer than six blocks",
        Reason::TooWide => "both faster and slower are possible",
        Reason::InsideNoise => "no larger than between an engine and itself",
        Reason::Unconfirmed => "the best times do not show it",
        Reason::Unstable => "unstable, the best times show the opposite",
    }
}

/// Three digits that matter: 1.31, 12.3, 47; but 1.003 close to 1, where two decimals would hide the sign.
fn factor(value: f64) -> String {
    let decimals = match value {
        value if (value - 1.0).abs() < 0.0095 => 3,
        value if value < 0.1 => 3,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::bootstrap::interval;
    use super::super::simulated::{Noise, share_in_percent};
    use super::*;
    use crate::workload::SplitMix64;

    const PLAIN: Terms = Terms { band: 0.02, noise_floor: 1.0 };

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
        let noisy = Terms { noise_floor: 1.05, ..PLAIN };
        assert_eq!(judged(1.01, 1.04, 1.07, 1.04, noisy), Verdict::Undecided(Reason::InsideNoise));
        assert_eq!(judged(0.93, 0.96, 0.99, 0.96, noisy), Verdict::Undecided(Reason::InsideNoise));
        assert_eq!(judged(1.01, 1.06, 1.11, 1.06, noisy), Verdict::Slower);
        assert_eq!(judged(0.90, 0.94, 0.98, 0.94, noisy), Verdict::Faster);
    }

    #[test]
    fn the_band_is_the_callers() {
        let wide = Terms { band: 0.05, ..PLAIN };
        assert_eq!(judged(0.96, 1.0, 1.04, 1.0, wide), Verdict::Same);
        assert_eq!(judged(1.10, 1.20, 1.30, 0.97, wide), Verdict::Undecided(Reason::Unconfirmed));
    }

    #[test]
    fn words_tell_time() {
        let told = |verdict, low, median, high| words(verdict, Some(&Interval { low, median, high }), PLAIN);
        assert_eq!(told(Verdict::Faster, 1.0 / 1.38, 1.0 / 1.31, 1.0 / 1.25), "1.31 × faster (1.25 to 1.38)");
        assert_eq!(told(Verdict::Slower, 1.25, 1.31, 1.38), "1.31 × slower (1.25 to 1.38)");
        assert_eq!(told(Verdict::Slower, 9.1, 12.34, 470.2), "12.3 × slower (9.10 to 470)");
        assert_eq!(told(Verdict::Same, 0.985, 1.0, 1.0151), "the same within 2 % (0.98 to 1.02)");
        let undecided = Verdict::Undecided(Reason::TooWide);
        assert_eq!(
            told(undecided, 0.9, 1.0, 1.1),
            "undecided (0.90 to 1.10): both faster and slower are possible"
        );
        assert_eq!(words(undecided, None, PLAIN), "undecided: fewer than six blocks");
    }

    #[test]
    fn factors_close_to_one_keep_their_side() {
        assert_eq!([0.997, 1.003, 0.98, 1.02].map(factor), ["0.997", "1.003", "0.98", "1.02"]);
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

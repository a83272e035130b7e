//! Judges whether a claim holds.
//!
//! A part is held to its bounds by the verdict that lines are called faster or slower by: the same interval, the same
//! noise, the same second witness. A claim of many parts would be refuted by chance if each of them were judged as if it
//! stood alone, so the intervals that can refute it are wider (Bonferroni, by Student's distribution).

use super::figures::{Measured, Part, Seen};
use super::{Claim, Fate, Test};
use crate::metrics::Unit;
use crate::stats::bootstrap::{self, Interval};
use crate::stats::verdict::{self, DEFAULT_BAND, Terms, Verdict};

/// A claim that was put to the test.
pub struct Judged {
    pub fate: Fate,
    /// The tests that are undecided, by their place in the claim; none where a figure is missing that one of them needs.
    pub open: Vec<usize>,
    pub parts: Vec<Part>,
}

impl Claim {
    /// Holds it against what a run has seen.
    pub fn judge(&self, run: &Measured) -> Judged {
        let figures: Vec<Vec<Part>> = self.tests.iter().map(|test| test.figures(run)).collect();
        // So many figures may refute the claim, each by chance.
        let chances = |(test, figures): (&Test, &Vec<Part>)| if test.any { 1 } else { figures.len() };
        let chances = self.tests.iter().zip(&figures).map(chances).sum();
        let (mut fates, mut parts, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (test, mut figures)) in self.tests.iter().zip(figures).enumerate() {
            if figures.is_empty() && !test.names_sizes() {
                continue;
            }
            let count = figures.len();
            figures.iter_mut().for_each(|part| test.judge(part, chances, count));
            let all: Vec<Fate> = figures.iter().map(|part| part.fate).collect();
            let fate = Fate::joined(&all, test.any);
            open.extend((fate == Fate::Undecided).then_some(number));
            fates.push((test.of_machine, fate));
            parts.extend(figures);
        }
        let fate = joined(&fates);
        open.retain(|_| fate == Fate::Undecided && parts.iter().all(|part: &Part| part.seen.is_some()));
        Judged { fate, open, parts }
    }
}

/// Times that a faster machine outruns refute a claim together with what does not depend on the machine, and neither of
/// the two does alone.
fn joined(fates: &[(bool, Fate)]) -> Fate {
    let all: Vec<Fate> = fates.iter().map(|(_, fate)| *fate).collect();
    let is_refuted = |here| {
        fates.contains(&(here, Fate::Refuted)) || fates.iter().all(|(of_machine, _)| *of_machine != here)
    };
    match Fate::joined(&all, false) {
        Fate::Refuted if !(is_refuted(true) && is_refuted(false)) => Fate::Undecided,
        fate => fate,
    }
}

impl Test {
    fn judge(&self, part: &mut Part, chances: usize, count: usize) {
        // Where one figure suffices, each of them may confirm the test by chance.
        let (to_confirm, to_refute) = if self.any { (count, 1) } else { (1, chances) };
        if let Some(seen) = part.seen.filter(|_| part.spoilt.is_none()) {
            part.fate = self.fate(&seen, to_confirm, to_refute);
        }
        part.what += if self.of_machine { ", on this machine," } else { "" };
    }

    /// A prediction that the few blocks which were measured contradict decides nothing.
    fn fate(&self, seen: &Seen, to_confirm: usize, to_refute: usize) -> Fate {
        let most = self.most();
        let is_within = |value: f64| {
            self.at_least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most)
        };
        // A count is what it is, and nothing at all has no ratio to a bound.
        if seen.unit == Unit::Bytes {
            return if is_within(seen.median) { Fate::Confirmed } else { Fate::Refuted };
        }
        let lies = |bound: Option<f64>, verdicts: &[Verdict], chances| {
            bound.is_some_and(|bound| verdicts.contains(&beside(seen, bound, chances)))
        };
        let is_out = lies(self.at_least, &[Verdict::Faster, Verdict::Same], to_refute)
            || lies(most, &[Verdict::Slower, Verdict::Same], to_refute);
        let is_in = (self.at_least.is_none() || lies(self.at_least, &[Verdict::Slower], to_confirm))
            && (most.is_none() || lies(most, &[Verdict::Faster], to_confirm));
        match seen.beside {
            _ if is_in == is_out => Fate::Undecided,
            Some((median, _)) if is_within(median) != is_in => Fate::Undecided,
            _ if is_in => Fate::Confirmed,
            _ => Fate::Refuted,
        }
    }
}

/// The verdict on a figure beside a bound, among so many chances to be wrong.
fn beside(seen: &Seen, bound: f64, chances: usize) -> Verdict {
    let Seen { low, median, high, blocks, .. } = *seen;
    let interval = Interval { low, median, high }.widened(wider(chances, blocks)).map(|end| end / bound);
    // Tables call two lines the same within a band; any other bound is just itself.
    let band = if seen.unit == Unit::Ratio && bound == 1.0 { DEFAULT_BAND } else { 0.0 };
    let interval = seen.is_interval.then_some(&interval);
    let terms = Terms { band, noise_floor: seen.noise_floor, ..Terms::default() };
    verdict::verdict(interval, seen.of_minima / bound, terms)
}

/// How much wider an interval of 95 % has to be among so many chances. Runs look at claims again and again, as at questions.
/// An interval of few blocks, which comes from all lines around, is made for such looks; it widens like one of six.
fn wider(chances: usize, blocks: usize) -> f64 {
    let tail = match blocks {
        ..bootstrap::FEWEST_BLOCKS if chances < 2 => return 1.0,
        ..bootstrap::FEWEST_BLOCKS => 0.0125,
        _ => bootstrap::TAIL_OF_A_LOOK,
    };
    bootstrap::wider(tail / chances.max(1) as f64, blocks.max(bootstrap::FEWEST_BLOCKS))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::stats::simulated::{Noise, share_in_percent};
    use proptest::prelude::*;

    fn test(bounds: &str) -> Test {
        toml::from_str(&format!("left = [\"one\"]\n{bounds}")).unwrap()
    }

    /// A figure that reaches as far from its middle, as a factor, on both sides.
    fn seen(median: f64, reach: f64, blocks: usize) -> Seen {
        Seen {
            unit: Unit::Ratio,
            median,
            low: median / reach,
            high: median * reach,
            is_interval: true,
            blocks,
            of_minima: median,
            noise_floor: Some(1.0),
            is_predicted: false,
            beside: None,
        }
    }

    proptest! {
        /// Data that confirm, data that refute, and data that reach over the bound.
        #[test]
        fn a_figure_is_judged_by_its_wider_interval(
            bound in 0.1..10.0_f64, reach in 1.001..1.5_f64, blocks in 2..60_usize, chances in 1..30_usize
        ) {
            // Bounds of exactly 1 have a band.
            prop_assume!((bound - 1.0).abs() > 0.1);
            let test = test(&format!("at_most = {bound}"));
            let wide = reach.powf(wider(chances, blocks));
            let fate = |median: f64| test.fate(&seen(median, reach, blocks), chances, chances);
            prop_assert_eq!(fate(bound / wide / 1.001), Fate::Confirmed);
            prop_assert_eq!(fate(bound * wide * 1.001), Fate::Refuted);
            prop_assert_eq!(fate(bound / wide * 1.001), Fate::Undecided);
            prop_assert_eq!(fate(bound * wide / 1.001), Fate::Undecided);
            prop_assert!(wider(chances + 1, blocks) > wider(chances, blocks));
            prop_assert!(wider(chances, blocks) >= 1.0);
        }

        #[test]
        fn a_count_is_within_its_bounds_or_not(value in 0..100_u32, bound in 0..100_u32) {
            let count = Seen { unit: Unit::Bytes, ..seen(f64::from(value), 1.0, usize::MAX) };
            let fate = |test: Test| test.fate(&count, 1, 1) == Fate::Confirmed;
            prop_assert_eq!(fate(test(&format!("at_most = {bound}"))), value <= bound);
            prop_assert_eq!(fate(test(&format!("at_least = {bound}"))), value >= bound);
        }
    }

    #[test]
    fn nothing_is_less_than_something() {
        let nothing = Seen { unit: Unit::Bytes, ..seen(0.0, f64::NAN, usize::MAX) };
        let fate = |bounds| test(bounds).fate(&nothing, 1, 1);
        assert_eq!(["at_most = 0", "at_most = 1"].map(fate), [Fate::Confirmed; 2]);
        assert_eq!(fate("at_least = 1"), Fate::Refuted);
    }

    /// A run looks at a figure that lies on its bound after each round.
    #[test]
    fn on_its_bound_a_figure_is_decided_in_fewer_than_one_of_a_hundred_runs() {
        let (test, looks) = (test("at_most = 2"), [6, 8, 10, 12, 14, 16, 20, 24, 30, 36, 44, 48]);
        for noise in [Noise::Normal, Noise::Bursts, Noise::TwoModes] {
            let decided = share_in_percent(4_000, 19, |random| {
                let logs: Vec<f64> = (0..48).map(|_| 2.0_f64.ln() + noise.draw(random)).collect();
                looks.iter().any(|blocks| {
                    let Interval { low, median, high } = bootstrap::interval(&logs[..*blocks]).unwrap();
                    let seen = Seen { low, high, ..seen(median, 1.0, *blocks) };
                    test.fate(&seen, 1, 1) != Fate::Undecided
                })
            });
            println!("{noise:?}: {decided} % decided");
            assert!(decided <= 1.0, "{noise:?}: {decided} %");
        }
    }
}

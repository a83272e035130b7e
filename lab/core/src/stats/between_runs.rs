//! How much a ratio changed from one run to another.
//!
//! The blocks of two runs are no pairs: block 3 of today has nothing to do with block 3 of yesterday. The two runs' intervals
//! can be combined on the scale of logarithms, where the change is a difference of independent medians. Each end of its
//! interval lies as far from the middle as the two nearer halves of the runs' own intervals put at right angles (Zou and
//! Donner, Statistics in Medicine 27, 2008: "recovery of variance estimates"), so that lopsided intervals stay lopsided and no
//! dice are thrown. It errs on the cautious side: how often it excluded 1 without any difference (5,000 pairs of runs each):
//!
//! | noise of a block                      | n = 6 | n = 8 | n = 10 | n = 12 | n = 20 |
//! |---------------------------------------|-------|-------|--------|--------|--------|
//! | normal, 2 %                           | 1.8 % | 3.0 % | 3.2 %  | 2.5 %  | 2.9 %  |
//! | bursts: 15 % of blocks × 1.3 or ÷ 1.3 | 2.3 % | 2.3 % | 2.7 %  | 2.5 %  | 3.0 %  |
//! | two modes 10 % apart on either side   | 2.5 % | 2.6 % | 3.0 %  | 3.6 %  | 3.7 %  |
//!
//! With ten blocks a run, it found a true change of 10 % in 100, 78 and 57 of a hundred pairs of such runs.
//!
//! That is the noise within runs. A change between runs and not within them (another layout of memory, another neighbour on the
//! machine) is unknown to the interval of one run; some of it cancels because both lines of a ratio suffer it.

use super::bootstrap::Interval;

/// New over base.
pub fn change(base: &Interval, new: &Interval) -> Interval {
    let (base, new) = (base.map(f64::ln), new.map(f64::ln));
    let middle = new.median - base.median;
    let down = (new.median - new.low).hypot(base.high - base.median);
    let up = (new.high - new.median).hypot(base.median - base.low);
    Interval { low: middle - down, median: middle, high: middle + up }.map(f64::exp)
}

/// The differences that two runs show between a line and itself add up at right angles, too.
pub fn noise_floor(base: f64, new: f64) -> f64 {
    base.ln().hypot(new.ln()).exp()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::bootstrap::interval;
    use super::super::simulated::{Noise, share_in_percent};
    use super::*;
    use crate::workload::SplitMix64;

    fn logs(low: f64, median: f64, high: f64) -> Interval {
        Interval { low: low.exp(), median: median.exp(), high: high.exp() }
    }

    #[test]
    fn changes_have_known_answers() {
        // 3 down and 12 up of the base, 5 up and 4 down of the new: √(4² + 12²) and √(5² + 3²)
        let seen = change(&logs(0.07, 0.1, 0.22), &logs(0.26, 0.3, 0.35));
        let near = |seen: f64, known: f64| (seen.ln() - known).abs() < 1e-12;
        assert!(near(seen.median, 0.2), "{seen:?}");
        assert!(near(seen.low, 0.2 - 0.0160_f64.sqrt()), "{seen:?}");
        assert!(near(seen.high, 0.2 + 0.0034_f64.sqrt()), "{seen:?}");
        let certain = change(&logs(0.1, 0.1, 0.1), &logs(0.4, 0.4, 0.4));
        assert!([certain.low, certain.median, certain.high].iter().all(|end| near(*end, 0.3)), "{certain:?}");
    }

    #[test]
    fn noise_floors_add_up_at_right_angles() {
        assert_eq!(noise_floor(1.0, 1.0), 1.0);
        assert!((noise_floor(0.03_f64.exp(), 0.04_f64.exp()) - 0.05_f64.exp()).abs() < 1e-12);
    }

    fn run(noise: Noise, blocks: usize, difference: f64, random: &mut SplitMix64) -> Interval {
        let blocks: Vec<f64> = (0..blocks).map(|_| difference + noise.draw(random)).collect();
        interval(&blocks).unwrap()
    }

    #[test]
    fn without_a_difference_one_is_excluded_in_fewer_than_five_of_a_hundred_pairs_of_runs() {
        for noise in [Noise::Normal, Noise::Bursts, Noise::TwoModes] {
            for blocks in [6, 10, 20] {
                let wrong = share_in_percent(400, 12, |random| {
                    let base = run(noise, blocks, 0.0, random);
                    let seen = change(&base, &run(noise, blocks, 0.0, random));
                    seen.low > 1.0 || seen.high < 1.0
                });
                // 400 runs at 3.7 %: three deviations reach 6.5 %; one run's interval taken for both errs in 16 %.
                assert!(wrong < 6.5, "{noise:?}, {blocks} blocks: {wrong} %");
            }
        }
    }

    #[test]
    fn a_change_of_a_tenth_is_found_as_often_as_said() {
        for (noise, at_least) in [(Noise::Normal, 98.0), (Noise::Bursts, 64.0), (Noise::TwoModes, 44.0)] {
            let found = share_in_percent(500, 13, |random| {
                let base = run(noise, 10, 0.5, random);
                change(&base, &run(noise, 10, 0.6, random)).low > 1.0
            });
            assert!(found > at_least, "{noise:?}: {found} %");
        }
    }
}

//! How time grows with size: t = a + b·n^k, with a and b not negative and k from 0 to 4.
//!
//! Errors are relative, so that large sizes do not outvote small ones. For a given k the best a and b have a closed form;
//! k is searched. Sizes at which the fixed cost a outweighs the rest say little about k but much about caches and
//! calls, so they are dropped and the rest fitted anew. The interval of k comes from resampling the blocks of each size.
//!
//! Over 300 simulated runs each (7 sizes four times or 12 sizes twice as large as the one before, 3, 8 and 12 blocks, 2 to
//! 3 % noise, blocks 3 % apart, none or 15 % of the times 1.3 times longer) the interval held the true k in 95 to 100 %;
//! of the linear programs, with and without a fixed cost, at most 0.3 % were said to grow faster than their input, of
//! those with k = 1.1 and k = 2 all were.

use super::bootstrap::{FEWEST_BLOCKS, reach_of_few};
use super::slopes;
use super::{median, quantile};
use crate::workload::SplitMix64;

pub const FEWEST_SIZES: usize = 5;
/// So many of them have to cost more than what every size costs: one more than a curve has unknowns.
const FEWEST_USED: usize = UNKNOWNS + 1;
/// a, b and k.
pub const UNKNOWNS: usize = 3;
/// A program "grows faster than its input" when the whole interval of its exponent lies above this.
pub const PROPORTIONAL: f64 = 1.05;

const RESAMPLES: usize = 500;
const LARGEST_EXPONENT: f64 = 4.0;

/// Times of one operation at one size: bytes, and nanoseconds by block.
pub type AtSize = (u64, Vec<f64>);

/// A fitted growth.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// k, and the ends of its 95 % interval.
    pub exponent: f64,
    pub low: f64,
    pub high: f64,
    /// a, in nanoseconds: what an operation costs at any size.
    pub fixed_ns: f64,
    /// b·n^k at the largest size fitted, in nanoseconds.
    pub rest_ns: f64,
    /// The sizes fitted; the others cost mostly a.
    pub used: Vec<u64>,
    /// The time at the largest of them.
    pub last_ns: f64,
}

impl Growth {
    pub fn faster_than_input(&self) -> bool {
        self.low > PROPORTIONAL
    }

    /// The curve itself, in nanoseconds.
    pub fn at(&self, size: f64) -> f64 {
        let last = self.used.last().map_or(f64::NAN, |last| *last as f64);
        self.fixed_ns + self.rest_ns * (size / last).powf(self.exponent)
    }

    /// Nanoseconds to expect at a larger size, with the exponent of a curve through the largest one fitted.
    pub fn ahead(&self, size: u64, exponent: f64) -> f64 {
        let last = self.used.last().map_or(f64::NAN, |last| *last as f64);
        let fixed = self.fixed_ns.min(self.last_ns);
        fixed + (self.last_ns - fixed) * (size as f64 / last).powf(exponent)
    }

    /// The same from resampled blocks of the sizes it was fitted to: with the exponent of the curve or of the last step,
    /// the smaller first. So the last size's luck counts as much as the exponent's.
    pub fn resampled_ahead(&self, sizes: &[AtSize], size: u64, random: &mut SplitMix64) -> Vec<[f64; 2]> {
        let used: Vec<&AtSize> = sizes.iter().filter(|(size, _)| self.used.contains(size)).collect();
        // Few blocks at two neighbours would bend the step between them by more than anything else.
        let is_known = used.iter().rev().take(2).all(|(_, times)| times.len() >= FEWEST_BLOCKS);
        let drawn = |_| {
            let times = points(&used, |times| resampled_median(times, random));
            let curve = Curve::through(&times);
            let latest = slopes::slopes(&times).last().filter(|_| is_known).map(|slope| slope.exponent);
            let latest = latest.unwrap_or(curve.exponent);
            let last_ns = times.last().map_or(f64::NAN, |(_, ns)| *ns);
            let fit = Self { fixed_ns: curve.fixed, last_ns, ..self.clone() };
            [curve.exponent.min(latest), curve.exponent.max(latest)].map(|exponent| fit.ahead(size, exponent))
        };
        (0..RESAMPLES).map(drawn).collect()
    }
}

/// Why no growth is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoGrowth {
    /// Fewer than five sizes a tenth or more apart were measured.
    TooFewSizes,
    /// Fewer than four sizes cost more than what every size costs.
    MostlyFixed,
}

/// Fits sizes in ascending order, each with at least one time; times are above 0.
pub fn growth(sizes: &[AtSize], random: &mut SplitMix64) -> Result<Growth, NoGrowth> {
    if count_apart(sizes.iter()) < FEWEST_SIZES {
        return Err(NoGrowth::TooFewSizes);
    }
    let used = not_mostly_fixed(sizes);
    if count_apart(used.iter().copied()) < FEWEST_USED {
        return Err(NoGrowth::MostlyFixed);
    }
    let curve = Curve::through(&points(&used, |times| median(times).unwrap_or(f64::NAN)));
    let drawn = |_| Curve::through(&points(&used, |times| resampled_median(times, random))).exponent;
    let exponents: Vec<f64> = (0..RESAMPLES).map(drawn).collect();
    let end = |share| quantile(&exponents, share).unwrap_or(f64::NAN);
    Ok(Growth {
        exponent: curve.exponent,
        low: end(0.025).min(curve.exponent),
        high: end(0.975).max(curve.exponent),
        fixed_ns: curve.fixed,
        rest_ns: curve.rest,
        used: used.iter().map(|(size, _)| *size).collect(),
        last_ns: used.last().and_then(|(_, times)| median(times)).unwrap_or(f64::NAN),
    })
}

/// Sizes one byte apart, around a power of two, are one size as far as growth is concerned.
pub fn count_apart<'a>(sizes: impl Iterator<Item = &'a AtSize>) -> usize {
    let mut sizes: Vec<u64> = sizes.map(|(size, _)| *size).collect();
    // Nearer than a slope between two neighbours could bear: a fit rests on all sizes together.
    sizes.dedup_by(|larger, smaller| (*larger as f64) < 1.1 * *smaller as f64);
    sizes.len()
}

/// The sizes at which the part that depends on size is at least half.
fn not_mostly_fixed(sizes: &[AtSize]) -> Vec<&AtSize> {
    let all: Vec<&AtSize> = sizes.iter().collect();
    let curve = Curve::through(&points(&all, |times| median(times).unwrap_or(f64::NAN)));
    all.into_iter().filter(|(_, times)| median(times).is_some_and(|time| time >= 2.0 * curve.fixed)).collect()
}

/// Few blocks may all have been disturbed: their median lies anywhere within the interval that such a ratio has.
pub fn resampled_median(times: &[f64], random: &mut SplitMix64) -> f64 {
    let drawn: Vec<f64> = times.iter().map(|_| times[random.below(times.len())]).collect();
    let share = random.below(2_001) as f64 / 1_000.0 - 1.0;
    let strays = reach_of_few(times).map_or(1.0, |reach| (reach * share).exp());
    median(&drawn).map_or(f64::NAN, |median| median * strays)
}

/// The best a, b and k.
#[derive(Debug, Clone, Copy)]
struct Curve {
    fixed: f64,
    /// b·n^k at the largest size.
    rest: f64,
    exponent: f64,
    error: f64,
}

/// One time at each size.
fn points(sizes: &[&AtSize], mut time: impl FnMut(&[f64]) -> f64) -> Vec<(u64, f64)> {
    sizes.iter().map(|(size, times)| (*size, time(times))).collect()
}

impl Curve {
    fn through(times: &[(u64, f64)]) -> Self {
        // Relative to the largest size: n^4 of bytes would swallow a.
        let largest = times.last().map_or(1.0, |(size, _)| *size as f64);
        let points: Vec<(f64, f64)> =
            times.iter().map(|(size, time)| ((*size as f64 / largest).ln(), *time)).collect();
        Self::least(&points)
    }

    /// A search for the valley, ten times finer around the best of each search before.
    fn least(points: &[(f64, f64)]) -> Self {
        let around = |middle: f64, step: f64, steps: i32| {
            let exponents =
                (-steps..=steps).map(|at| (middle + f64::from(at) * step).clamp(0.0, LARGEST_EXPONENT));
            let curves = exponents.map(|exponent| Self::at(exponent, points));
            curves
                .min_by(|one, other| one.error.total_cmp(&other.error))
                .map_or(middle, |curve| curve.exponent)
        };
        let coarse = around(LARGEST_EXPONENT / 2.0, 0.25, 8);
        Self::at(around(around(coarse, 0.025, 10), 0.002_5, 10), points)
    }

    /// Least squares of 1 - (a + b·n^k) ÷ t for a given k, over points of log size and time.
    fn at(exponent: f64, points: &[(f64, f64)]) -> Self {
        let [mut aa, mut ab, mut bb, mut a1, mut b1] = [0.0; 5];
        for (log_size, time) in points {
            let (a, b) = (1.0 / time, (exponent * log_size).exp() / time);
            aa += a * a;
            ab += a * b;
            bb += b * b;
            a1 += a;
            b1 += b;
        }
        let determinant = aa * bb - ab * ab;
        let (fixed, factor) = ((a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant);
        let (fixed, factor) = match (fixed > 0.0, factor > 0.0) {
            (true, true) => (fixed, factor),
            (true, false) => (a1 / aa, 0.0),
            // also where both terms are one, as at k = 0
            _ => (0.0, b1 / bb),
        };
        // the sum of the squares, multiplied out
        let error = points.len() as f64 - 2.0 * (fixed * a1 + factor * b1)
            + fixed * fixed * aa
            + 2.0 * fixed * factor * ab
            + factor * factor * bb;
        Self { fixed, rest: factor, exponent, error }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::simulated::{normal, share_in_percent};
    use super::*;

    const FOURFOLD: [u64; 7] = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22];

    fn timed(sizes: &[u64], mut time: impl FnMut(f64) -> f64) -> Vec<AtSize> {
        sizes.iter().map(|size| (*size, (0..12).map(|_| time(*size as f64)).collect())).collect()
    }

    fn of(sizes: &[AtSize]) -> Growth {
        growth(sizes, &mut SplitMix64::new(1)).unwrap()
    }

    #[test]
    fn exact_curves_are_found_again() {
        for (a, b, k, used) in [
            (0.0, 1.0, 1.0, 7),
            (500.0, 3.0, 1.0, 7),
            (5e3, 1.0, 1.0, 5),
            (0.0, 1e-3, 2.0, 7),
            (100.0, 1e-3, 2.0, 7),
            (0.0, 5.0, 0.5, 7),
            (0.0, 1e-6, 3.0, 7),
        ] {
            let seen = of(&timed(&FOURFOLD, |size| a + b * size.powf(k)));
            assert!((seen.exponent - k).abs() < 1e-3, "{a} + {b}·n^{k}: {seen:?}");
            assert!(seen.low <= seen.exponent && seen.high - seen.low < 1e-3, "{seen:?}");
            assert!((seen.fixed_ns - a).abs() <= 0.02 * a + 1.0, "{a} + {b}·n^{k}: {seen:?}");
            assert_eq!(seen.used.len(), used, "{a} + {b}·n^{k}: {seen:?}");
            for size in seen.used.iter().map(|size| *size as f64) {
                assert!((seen.at(size) / (a + b * size.powf(k)) - 1.0).abs() < 1e-2, "at {size}: {seen:?}");
            }
            assert_eq!(seen.faster_than_input(), k > 1.5);
        }
    }

    #[test]
    fn times_that_fall_are_all_fixed_cost() {
        // 1 ÷ t = 0.5 and 1: a = 1.5 ÷ 1.25; the error is 0.4² + 0.2²
        let seen = Curve::at(1.0, &[(-1.0, 2.0), (0.0, 1.0)]);
        assert!((seen.fixed - 1.2).abs() < 1e-12 && (seen.error - 0.2).abs() < 1e-12, "{seen:?}");
    }

    #[test]
    fn fewer_than_five_telling_sizes_tell_nothing() {
        let random = &mut SplitMix64::new(1);
        let linear = |size: f64| 1e5 + size;
        assert_eq!(growth(&timed(&FOURFOLD[..4], linear), random), Err(NoGrowth::TooFewSizes));
        assert_eq!(growth(&timed(&FOURFOLD, linear), random), Err(NoGrowth::MostlyFixed));
    }

    #[test]
    fn sizes_one_byte_apart_are_one_size() {
        let around = |size: u64| [size - 1, size, size + 1];
        let four: Vec<u64> = FOURFOLD[..4].iter().flat_map(|size| around(*size)).collect();
        let five: Vec<u64> = FOURFOLD[..5].iter().flat_map(|size| around(*size)).collect();
        let random = &mut SplitMix64::new(1);
        let square = |size: f64| size * size;
        assert_eq!(growth(&timed(&four, square), random), Err(NoGrowth::TooFewSizes));
        let seen = of(&timed(&five, square));
        assert!((seen.exponent - 2.0).abs() < 1e-3 && seen.used.len() == 15, "{seen:?}");
        let near =
            [1 << 20, 5 << 18, 3 << 19, 1 << 21, 5 << 19].map(|size| (size, vec![(size * size) as f64; 6]));
        assert!((of(&near).exponent - 2.0).abs() < 1e-3);
        let mostly_fixed = timed(&five, |size| if size < 5000.0 { 1e6 } else { 1e6 + 100.0 * size });
        assert_eq!(growth(&mostly_fixed, random), Err(NoGrowth::MostlyFixed));
    }

    #[test]
    fn what_lies_ahead_is_the_curve_through_the_largest_size() {
        let seen = of(&timed(&FOURFOLD, |size| 5e3 + size));
        let (ahead, expected) = (seen.ahead(1 << 24, seen.exponent), 5e3 + f64::from(1 << 24));
        assert!((ahead / expected - 1.0).abs() < 1e-3, "{ahead} {expected}");
        let steeper = seen.ahead(1 << 24, 2.0);
        assert!((steeper / (16.0 * f64::from(1 << 22)) - 1.0).abs() < 2e-2, "{steeper}");
    }

    #[test]
    fn the_curve_is_not_bent_by_the_luck_of_the_largest_size() {
        let sizes = timed(&FOURFOLD, |size| if size > 4e6 { 0.8 * size } else { size });
        let seen = of(&sizes);
        let last = FOURFOLD[6] as f64;
        assert!(
            seen.at(last) > 0.85 * last && seen.ahead(FOURFOLD[6], seen.exponent) < 0.81 * last,
            "{seen:?}"
        );
    }

    #[test]
    fn sizes_the_fixed_cost_dominates_are_dropped() {
        let seen = of(&timed(&FOURFOLD, |size| 5e3 + size));
        assert_eq!(seen.used, FOURFOLD[2..]);
    }

    #[test]
    fn a_linear_program_is_hardly_ever_accused() {
        let accused = share_in_percent(40, 5, |random| {
            let sizes = timed(&FOURFOLD, |size| (300.0 + size) * (0.03 * normal(random)).exp());
            growth(&sizes, random).unwrap().faster_than_input()
        });
        assert_eq!(accused, 0.0);
    }

    /// Five sizes as a published table has them, of which the smallest costs mostly what every size costs.
    #[test]
    fn four_sizes_beyond_the_fixed_cost_tell_a_square_from_a_line() {
        let sizes = [112_640, 532_480, 1_054_720, 5_242_880, 10_485_760];
        for blocks in [2, 6, 12] {
            for (exponent, accused) in [(1.0, 0.0), (2.0, 100.0)] {
                let fixed = 2.0 * f64::from(112_640).powf(exponent);
                let mut held = 0;
                let named = share_in_percent(100, 7, |random| {
                    let time = |size: f64, random: &mut _| {
                        (fixed + size.powf(exponent)) * (0.03 * normal(random)).exp()
                    };
                    let mut times = timed(&sizes, |size| time(size, random));
                    times.iter_mut().for_each(|(_, times)| times.truncate(blocks));
                    let growth = growth(&times, random).unwrap();
                    assert_eq!(growth.used.len(), 4);
                    held += u32::from(growth.low <= exponent && exponent <= growth.high);
                    growth.faster_than_input()
                });
                assert_eq!(named, accused, "{blocks} blocks, n^{exponent}");
                assert!(held >= 90, "{blocks} blocks, n^{exponent}: {held} of 100");
            }
        }
    }

    #[test]
    fn a_quadratic_program_is_always_named() {
        let named = share_in_percent(40, 6, |random| {
            let sizes =
                timed(&FOURFOLD[2..], |size| (3e5 + 0.01 * size * size) * (0.05 * normal(random)).exp());
            growth(&sizes, random).unwrap().faster_than_input()
        });
        assert_eq!(named, 100.0);
    }
}

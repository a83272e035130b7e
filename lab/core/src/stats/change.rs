//! Change points of a ramp: where the time of an operation steps to another level and stays there.
//!
//! Compilers kick in, caches fill, clocks rise: a ramp is levels with noise around them. The levels are those that
//! leave the least absolute error on log time (so a level is a median, and an outlier drags none along) plus a price for
//! each level more: optimal partitioning, solved exactly over at most [`MOST_BINS`] points; in longer series neighbours
//! are merged first. The price is measured in the series' own jumps from point to point. Seen over 1,000 simulated series each:
//!
//! | noise of a point                 | cut without a change, 12 / 50 / 400 / 3,000 points | step by 2 missed, 5 + 30 / 100 + 100 |
//! |----------------------------------|-------------------------------|-----------|
//! | normal, 2 %                      | 0 / 0 / 0 / 0 %               | 0 / 0 %   |
//! | and 15 % of points 1.3 × slower  | 1.1 / 0.1 / 0 / 0 %           | 0 / 0 %   |
//! | and 2 % of points 10 × slower    | 0 / 0.3 / 0.6 / 0 %           | 12 / 0 %  |

use super::median;
use std::ops::Range;

/// Partitioning is quadratic in the points; beyond this neighbours are merged.
const MOST_BINS: usize = 1_000;
/// A level needs this many points: fewer could be outliers that happen to be neighbours.
const FEWEST_POINTS: usize = 3;
/// The price of one more level, in mean jumps times the logarithm of the number of points.
const PRICE: f64 = 3.0;
/// A series without any jumps still is a measurement.
const FINEST_NOISE: f64 = 0.005;
/// A step by less than this factor separates no levels: machines drift that much.
const SMALLEST_STEP: f64 = 1.1;
/// The last level is steady when it has this share of the ramp's time or of its operations,
const STEADY_SHARE: f64 = 0.2;
/// at least this many points,
pub const STEADY_POINTS: usize = 5;
/// and its last third is no further from its first than this factor, or than noise explains.
const STEADY_DRIFT: f64 = 1.05;

/// Some operations timed together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub operations: u64,
    pub ns_per_operation: f64,
}

impl Point {
    /// All of them together.
    pub fn ns(&self) -> f64 {
        self.operations as f64 * self.ns_per_operation
    }
}

/// Neighbouring points on one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Index of its first point, and of the first point after it.
    pub start: usize,
    pub end: usize,
    /// Nanoseconds per operation: the median of its points.
    pub median_ns: f64,
}

/// A ramp cut at its change points: segments in order, without gaps.
#[derive(Debug, Clone, PartialEq)]
pub struct Ramp {
    pub segments: Vec<Segment>,
    /// The index of the first point after the last change; None where the last level is short, or drifts.
    pub steady_from: Option<usize>,
}

/// Cuts a ramp where its level changes. Points without a positive time have no logarithm: the caller drops them.
pub fn ramp(points: &[Point]) -> Ramp {
    let logs: Vec<f64> = points.iter().map(|point| point.ns_per_operation.ln()).collect();
    let per_bin = points.len().div_ceil(MOST_BINS).max(1);
    let bins: Vec<f64> = logs.chunks(per_bin).map(middle).collect();
    let noise = noise(&bins);
    let cuts = partition(&bins, noise).into_iter().map(|bin| bin * per_bin).collect();
    let cuts = without_small_steps(&logs, cuts);
    let segments = segments(points, &cuts);
    let steady_from = steady(points, &logs, &segments);
    Ramp { segments, steady_from }
}

fn middle(values: &[f64]) -> f64 {
    median(values).unwrap_or(f64::NAN)
}

/// The mean jump from one point to the next. The mean, since outliers must raise the price of a level: with the median,
/// or the wildest jumps held back, bursts that happen to be neighbours become levels.
fn noise(logs: &[f64]) -> f64 {
    let jumps: f64 = logs.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
    (jumps / logs.len().saturating_sub(1).max(1) as f64).max(FINEST_NOISE)
}

/// Where levels begin, other than at 0: the cuts with the least error plus price.
fn partition(logs: &[f64], noise: f64) -> Vec<usize> {
    let price = PRICE * noise * (logs.len() as f64).ln();
    // The least cost of everything before an index, and where its levels begin.
    let mut best = vec![(f64::INFINITY, Vec::new()); logs.len() + 1];
    best[0].0 = -price;
    for start in 0..logs.len() {
        let (before, mut cuts) = best[start].clone();
        if before.is_infinite() {
            continue;
        }
        cuts.extend((start > 0).then_some(start));
        let mut level = Level::default();
        for (index, value) in logs.iter().enumerate().skip(start) {
            level.add(*value);
            let cost = before + price + level.error;
            if level.sorted.len() >= FEWEST_POINTS && cost < best[index + 1].0 {
                best[index + 1] = (cost, cuts.clone());
            }
        }
    }
    best.pop().unwrap_or_default().1
}

/// Values and their absolute error around their median, kept while values are added.
#[derive(Default)]
struct Level {
    sorted: Vec<f64>,
    error: f64,
}

impl Level {
    /// The medians of an even number of values are an interval, of an odd number a point. The error grows by the
    /// distance to it, because its nearer end stays a median.
    fn add(&mut self, value: f64) {
        let count = self.sorted.len();
        if count > 0 {
            let (low, high) = (self.sorted[(count - 1) / 2], self.sorted[count / 2]);
            self.error += (low - value).max(value - high).max(0.0);
        }
        let place = self.sorted.partition_point(|other| *other < value);
        self.sorted.insert(place, value);
    }
}

/// Drops the cut with the smallest step until every step is one.
fn without_small_steps(logs: &[f64], mut cuts: Vec<usize>) -> Vec<usize> {
    while let Some(cut) = no_step(logs, &cuts) {
        cuts.remove(cut);
    }
    cuts
}

/// The cut with the smallest step, if that is none.
fn no_step(logs: &[f64], cuts: &[usize]) -> Option<usize> {
    let levels: Vec<f64> = levels(cuts, logs.len()).map(|level| middle(&logs[level])).collect();
    let steps = levels.windows(2).map(|pair| (pair[1] - pair[0]).abs()).enumerate();
    let (cut, step) = steps.min_by(|one, other| one.1.total_cmp(&other.1))?;
    (step < SMALLEST_STEP.ln()).then_some(cut)
}

/// The ranges between cuts; none is empty.
fn levels(cuts: &[usize], end: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = [0].into_iter().chain(cuts.iter().copied());
    starts.zip(cuts.iter().copied().chain([end])).map(|(start, end)| start..end).filter(|it| !it.is_empty())
}

fn segments(points: &[Point], cuts: &[usize]) -> Vec<Segment> {
    let segment = |Range { start, end }: Range<usize>| {
        let times: Vec<f64> = points[start..end].iter().map(|point| point.ns_per_operation).collect();
        Segment { start, end, median_ns: middle(&times) }
    };
    levels(cuts, points.len()).map(segment).collect()
}

fn steady(points: &[Point], logs: &[f64], segments: &[Segment]) -> Option<usize> {
    let last = segments.last()?;
    let level = &points[last.start..last.end];
    let share =
        |of: fn(&Point) -> f64| level.iter().map(of).sum::<f64>() / points.iter().map(of).sum::<f64>();
    // A fast level after a slow one is done with many operations in little time.
    let is_long = share(Point::ns) >= STEADY_SHARE || share(|point| point.operations as f64) >= STEADY_SHARE;
    let is_steady = is_long && level.len() >= STEADY_POINTS && !drifts(&logs[last.start..last.end]);
    is_steady.then_some(last.start)
}

/// Whether the last third of a level lies elsewhere than its first.
fn drifts(level: &[f64]) -> bool {
    let third = (level.len() / 3).max(1);
    let moved = (middle(&level[level.len() - third..]) - middle(&level[..third])).abs();
    // Two medians of a third each differ by about 1.25 · σ · √(2 ÷ third), and σ is the mean jump by 1.13; three times that.
    let explained = 3.0 * 1.25 * (noise(level) / 1.13) * (2.0 / third as f64).sqrt();
    moved > STEADY_DRIFT.ln().max(explained)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::simulated::{normal, share_in_percent, uniform};
    use super::*;
    use crate::workload::SplitMix64;

    /// So many points of one operation each, at a level in nanoseconds, with normal noise.
    fn level(count: usize, ns: f64, noise: f64, random: &mut SplitMix64) -> Vec<Point> {
        let point = |_| Point { operations: 1, ns_per_operation: ns * (noise * normal(random)).exp() };
        (0..count).map(point).collect()
    }

    fn cuts(ramp: &Ramp) -> Vec<usize> {
        ramp.segments.iter().skip(1).map(|segment| segment.start).collect()
    }

    #[test]
    fn a_flat_series_is_one_steady_level() {
        let seen = ramp(&[Point { operations: 2, ns_per_operation: 5.0 }; 30]);
        let whole = Segment { start: 0, end: 30, median_ns: 5.0 };
        assert_eq!(seen, Ramp { segments: vec![whole], steady_from: Some(0) });
    }

    #[test]
    fn a_step_is_cut_where_it_is() {
        let mut points = vec![Point { operations: 3, ns_per_operation: 8.0 }; 10];
        points.extend([Point { operations: 5, ns_per_operation: 2.0 }; 20]);
        let seen = ramp(&points);
        assert_eq!(seen.steady_from, Some(10));
        assert_eq!(seen.segments[1], Segment { start: 10, end: 30, median_ns: 2.0 });
    }

    #[test]
    fn the_cliff_of_one_shot_gcm_is_found_by_the_operation() {
        let mut random = SplitMix64::new(2);
        let mut points = level(1, 30e6, 0.0, &mut random);
        points.extend(level(300, 9e6, 0.03, &mut random));
        points.extend(level(600, 0.2e6, 0.03, &mut random));
        let seen = ramp(&points);
        assert_eq!((cuts(&seen), seen.steady_from), (vec![301], Some(301)));
        assert!((seen.segments[1].median_ns / 0.2e6 - 1.0).abs() < 0.01, "{seen:?}");
    }

    #[test]
    fn the_cliff_is_found_among_points_of_unequal_weight() {
        let at = |operations, ns_per_operation| Point { operations, ns_per_operation };
        let mut points = vec![at(1, 30e6)];
        points.extend([at(1, 9e6), at(2, 9.1e6), at(4, 8.9e6), at(8, 9e6), at(16, 9.2e6), at(270, 9e6)]);
        points.extend([at(100, 0.2e6), at(100, 0.21e6), at(100, 0.2e6), at(100, 0.2e6), at(200, 0.19e6)]);
        let seen = ramp(&points);
        assert_eq!((cuts(&seen), seen.steady_from), (vec![7], Some(7)));
        let before = points[..seen.segments[1].start].iter();
        assert_eq!(before.map(|point| point.operations).sum::<u64>(), 302);
    }

    #[test]
    fn a_visit_to_another_level_and_back_is_two_changes() {
        let mut random = SplitMix64::new(4);
        let mut points = level(40, 100.0, 0.02, &mut random);
        points.extend(level(20, 200.0, 0.02, &mut random));
        points.extend(level(40, 100.0, 0.02, &mut random));
        assert_eq!(cuts(&ramp(&points)), [40, 60]);
    }

    #[test]
    fn a_level_that_begins_late_is_not_steady() {
        let mut random = SplitMix64::new(5);
        let mut points = level(90, 100.0, 0.02, &mut random);
        points.extend(level(10, 50.0, 0.02, &mut random));
        assert_eq!(ramp(&points).steady_from, None);
        assert_eq!(ramp(&points[..2]).steady_from, None);
        assert_eq!(ramp(&[]).steady_from, None);
    }

    #[test]
    fn a_level_that_is_not_level_is_not_steady() {
        let slope = |index| Point { operations: 1, ns_per_operation: 100.0 * 1.004_f64.powi(index) };
        let points: Vec<Point> = (0..22).map(slope).collect();
        let seen = ramp(&points);
        assert_eq!((seen.segments.len(), seen.steady_from), (1, None));
    }

    #[test]
    fn long_series_are_cut_within_a_bin() {
        let mut random = SplitMix64::new(6);
        let mut points = level(1234, 100.0, 0.02, &mut random);
        points.extend(level(3766, 70.0, 0.02, &mut random));
        let cuts = cuts(&ramp(&points));
        assert!(cuts.len() == 1 && cuts[0].abs_diff(1234) <= 5, "{cuts:?}");
    }

    #[test]
    fn noise_is_not_split() {
        for (outliers, factor) in [(0.0, 1.0), (0.15, 1.3), (0.02, 10.0)] {
            let wrong = share_in_percent(100, 7, |random| {
                let mut points = level(150, 100.0, 0.02, random);
                for point in &mut points {
                    point.ns_per_operation *= if uniform(random) < outliers { factor } else { 1.0 };
                }
                ramp(&points).segments.len() > 1
            });
            assert!(wrong <= 2.0, "{outliers} × {factor}: {wrong} %");
        }
    }

    #[test]
    fn a_step_by_two_is_never_missed() {
        let missed = share_in_percent(100, 8, |random| {
            let mut points = level(5 + random.below(30), 100.0, 0.03, random);
            let known = points.len();
            points.extend(level(5 + random.below(100), 50.0, 0.03, random));
            cuts(&ramp(&points)) != [known]
        });
        assert_eq!(missed, 0.0);
    }
}

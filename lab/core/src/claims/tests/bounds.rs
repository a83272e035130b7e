//! Figures beside their bounds.

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
        let finding = |median: f64| test.finding(&seen(median, reach, blocks), chances, chances);
        prop_assert_eq!(finding(bound / wide / 1.001), Finding::Confirmed);
        prop_assert_eq!(finding(bound * wide * 1.001), Finding::Refuted);
        prop_assert_eq!(finding(bound / wide * 1.001), Finding::Undecided);
        prop_assert_eq!(finding(bound * wide / 1.001), Finding::Undecided);
        prop_assert!(wider(chances + 1, blocks) > wider(chances, blocks));
        prop_assert!(wider(chances, blocks) >= 1.0);
    }

    #[test]
    fn a_count_is_within_its_bounds_or_not(value in 0..100_u32, bound in 0..100_u32) {
        let count = Seen { unit: Unit::Bytes, ..seen(f64::from(value), 1.0, usize::MAX) };
        let finding = |test: Test| test.finding(&count, 1, 1) == Finding::Confirmed;
        prop_assert_eq!(finding(test(&format!("at_most = {bound}"))), value <= bound);
        prop_assert_eq!(finding(test(&format!("at_least = {bound}"))), value >= bound);
    }
}

#[test]
fn nothing_is_less_than_something() {
    let nothing = Seen { unit: Unit::Bytes, ..seen(0.0, f64::NAN, usize::MAX) };
    let finding = |bounds| test(bounds).finding(&nothing, 1, 1);
    assert_eq!(["at_most = 0", "at_most = 1"].map(finding), [Finding::Confirmed; 2]);
    assert_eq!(finding("at_least = 1"), Finding::Refuted);
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
                test.finding(&seen, 1, 1) != Finding::Undecided
            })
        });
        println!("{noise:?}: {decided} % decided");
        assert!(decided <= 1.0, "{noise:?}: {decided} %");
    }
}

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::{Operation, Shape};
use crate::rows::Row;
use crate::summary::made::{BLOCKS, Made, Named, line};
use proptest::prelude::*;

const NAMED: Named = ("SunJCE 17.0.15", "AES-256-GCM", Shape::Tuned);
const STEADY_NS: u64 = 100_000;

/// A line with so many blocks, whose ramp has levels: how many stretches of 20 operations, and the time of one operation.
fn watched(blocks: u64, levels: &[(u64, u64)]) -> Cell {
    let mut made = Made::default();
    made.timed("cipher", 64, NAMED, Operation::Seal, STEADY_NS);
    made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block >= blocks));
    let mut done = 0;
    let stretches = levels.iter().flat_map(|(stretches, ns)| (0..*stretches).map(move |_| *ns));
    for (at, ns) in std::iter::once(levels[0].1).chain(stretches).enumerate() {
        let count = if at == 0 { 1 } else { 20 };
        made.rows.push(Row::Ramp(rows::Ramp {
            job: "cipher".into(),
            size: 64,
            line: line(NAMED),
            operation: Operation::Seal,
            done,
            count,
            wall_ns: count * ns,
        }));
        done += count;
    }
    Run::of(&made.rows).cells.remove(0)
}

fn in_short(cell: &Cell) -> String {
    ramp(cell.lines[0].warmth.as_ref().unwrap())
}

/// "1.19 s" in nanoseconds.
fn ns(told: &str) -> f64 {
    let (figure, unit) = told.split_once(' ').unwrap();
    let unit =
        [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)].into_iter().find(|(name, _)| *name == unit);
    figure.parse::<f64>().unwrap() * unit.unwrap().1
}

/// The figures of a sentence: operations, what they take, each, the steady time, and how many times faster it is.
fn figures(told: &str) -> [f64; 5] {
    let (count, rest) = told.split_once("the first ").unwrap().1.split_once(" operations take ").unwrap();
    let (spent, rest) = rest.split_once(", ").unwrap();
    let (each, rest) = rest.split_once(" each, steady ones ").unwrap();
    let (steady, factor) = rest.split_once(": ").unwrap();
    let factor = factor.strip_suffix(" × faster").unwrap();
    [count.parse().unwrap(), ns(spent), ns(each), ns(steady), factor.parse().unwrap()]
}

proptest! {
    #[test]
    fn what_is_said_of_a_late_step_is_true_by_multiplication(
        levels in prop::collection::vec((5u64..40, 40_000u64..20_000_000), 1..5),
    ) {
        let ramp: Vec<_> = levels.into_iter().chain([(60, 110_000)]).collect();
        if let Some(told) = late(&watched(BLOCKS, &ramp)) {
            let [count, spent, each, steady, factor] = figures(&told);
            // Each has three digits.
            let is_true = |one: f64, other: f64| (one / other - 1.0).abs() < 0.016;
            prop_assert!(is_true(count * each, spent), "{}", told);
            prop_assert!(is_true(steady * factor, each), "{}", told);
            prop_assert_eq!(steady, STEADY_NS as f64);
            prop_assert!(factor >= 3.0 && count > 10.0 && spent > 10e6, "{}", told);
        }
    }
}

#[test]
fn the_step_told_is_the_largest_and_beside_it_stands_the_steady_time() {
    // The level just before the step is slower than what was before, and the one behind it is not the steady one.
    let warmth = watched(BLOCKS, &[(10, 1_000_000), (10, 3_000_000), (10, 400_000), (60, 110_000)]);
    let told = late(&warmth).unwrap();
    assert_eq!(
        told,
        "a short-lived process never gets there: SunJCE 17.0.15 AES-256-GCM, the first 401 operations take 801 ms, 2.00 ms \
         each, steady ones 100 µs: 20.0 × faster"
    );
    assert_eq!(in_short(&warmth), "20.0 × faster after the 401st");
}

#[test]
fn without_a_steady_state_no_step_is_told() {
    // Of its last level too little was seen.
    let warmth = watched(BLOCKS, &[(10, 9_000_000), (40, 300_000), (4, 30_000)]);
    assert_eq!((in_short(&warmth).as_str(), late(&warmth)), ("no steady state", None));
    assert!(warmth.lines[0].told_cliff().is_none());
}

#[test]
fn nobody_is_told_to_avoid_what_few_blocks_saw() {
    let levels = [(10, 9_000_000), (60, 100_000)];
    let told = |blocks| watched(blocks, &levels).lines[0].told_cliff().is_some();
    assert_eq!([1, 2, 5, 6].map(told), [false, false, false, true]);
    assert!(late(&watched(1, &levels)).is_some());
}

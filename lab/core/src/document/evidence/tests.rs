#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::Operation;
use crate::rows::Row;
use crate::summary::fixtures::{BLOCKS, Made, Named, line};
use proptest::prelude::*;

mod unmeasured;

const NAMED: Named = ("SunJCE 17.0.15", "AES-256-GCM", "tuned");
const STEADY_NS: u64 = 100_000;

/// Two processes alike.
fn watched(blocks: u64, levels: &[(u64, u64)]) -> Cell {
    of_processes(blocks, &[levels, levels])
}

/// A line with so many blocks, whose processes have levels: how many stretches of 20 operations, and the time of one operation.
/// The first operation takes a second.
fn of_processes(blocks: u64, processes: &[&[(u64, u64)]]) -> Cell {
    let mut made = Made::default();
    made.timed("cipher", 64, NAMED, Operation::Seal, STEADY_NS);
    made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block >= blocks));
    for levels in processes {
        let mut done = 0;
        let stretches = levels.iter().flat_map(|(stretches, ns)| (0..*stretches).map(move |_| *ns));
        for (at, ns) in std::iter::once(1_000_000_000).chain(stretches).enumerate() {
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
    }
    Run::of(&made.rows).cells.remove(0)
}

/// It stays in the table with its own time, and without a ratio.
#[test]
fn a_line_that_was_still_warming_up_is_marked() {
    let mut made = Made::default();
    made.timed("cipher", 64, ("openssl", "AES", "tuned"), Operation::Seal, 1_000);
    made.timed("cipher", 64, NAMED, Operation::Seal, 9_000);
    made.reference("cipher", 64, ("openssl", "AES", "tuned"));
    let told = |made: &Made| {
        let table = ratios(&made.cells()[0], "");
        let rows = table.rows.iter().map(|row| [1, 2, 3].map(|at| row.told(at).to_owned()).join("|"));
        rows.collect::<Vec<String>>()
    };
    assert_eq!(told(&made)[2..], ["9.00 (9.00–9.00)|slower|9.00 µs"]);
    let mark = |made: &mut Made, engine: &str| {
        made.samples().filter(|it| it.line.engine == engine).for_each(|it| it.phase = rows::Phase::Unsteady);
    };
    mark(&mut made, NAMED.0);
    assert_eq!(told(&made)[2..], ["|still warming up|9.00 µs"]);
    mark(&mut made, "openssl");
    assert!(told(&made).contains(&"|reference, still warming up|1.00 µs".to_owned()), "{:?}", told(&made));
}

fn in_short(cell: &Cell) -> String {
    told(cell.lines[0].warm_up(0))
}

/// The lines to avoid, by how many times and for how many operations.
fn avoided(cell: &Cell) -> Option<(f64, u64)> {
    let warm_up = cell.lines[0].late_warm_up()?;
    Some((warm_up.factor, warm_up.operations))
}

proptest! {
    #[test]
    fn a_late_step_is_high_late_and_long(
        levels in prop::collection::vec((5u64..40, 40_000u64..20_000_000), 1..5),
    ) {
        let ramp: Vec<_> = levels.iter().copied().chain([(60, 110_000)]).collect();
        if let Some((factor, count)) = avoided(&watched(BLOCKS, &ramp)) {
            let spent: u64 = levels.iter().map(|(many, ns)| 20 * many * ns).sum();
            let count = count - 1;
            prop_assert!(factor >= 3.0 && count >= 10, "{} {}", factor, count);
            prop_assert!(factor * count as f64 * STEADY_NS as f64 > 10e6, "{} {}", factor, count);
            prop_assert!(factor * count as f64 * STEADY_NS as f64 <= 1.001 * spent as f64, "{} {}", factor, count);
        }
    }
}

#[test]
fn a_warm_up_ends_near_the_steady_time_and_is_held_against_it() {
    // The time falls and rises, and ends a tenth above the steady one.
    let cell = watched(BLOCKS, &[(10, 1_000_000), (10, 3_000_000), (10, 400_000), (60, 110_000)]);
    let (factor, after) = avoided(&cell).unwrap();
    // 600 operations in 880 ms, and steady ones in 100 µs.
    assert!((factor - 14.667).abs() < 0.001 && after == 601, "{factor} {after}");
    assert_eq!(in_short(&cell), "14.7 × faster after 601");
}

#[test]
fn without_a_steady_state_no_warm_up_is_told() {
    // One stretch as fast as the steady processes is chance.
    let cell = watched(BLOCKS, &[(10, 9_000_000), (40, 300_000), (1, 30_000), (9, 200_000)]);
    assert_eq!((in_short(&cell).as_str(), avoided(&cell)), ("no steady state", None));
}

#[test]
fn nobody_is_told_to_avoid_what_one_process_saw() {
    let (slow, fast) = ([(10, 9_000_000), (60, 100_000)], [(70, 100_000)]);
    let told = |processes: &[&[(u64, u64)]]| {
        avoided(&of_processes(2, processes)).map(|(factor, after)| (factor.round(), after))
    };
    assert_eq!(told(&[&slow, &slow]), Some((90.0, 201)));
    // The milder one of both.
    assert_eq!(told(&[&slow, &[(10, 4_000_000), (60, 100_000)]]), Some((40.0, 201)));
    for lone in [&[&slow[..]][..], &[&slow, &fast], &[&fast, &slow]] {
        assert_eq!(told(lone), None, "{lone:?}");
    }
}

/// Loading code takes a second; the other operations of the warm-up take twice the steady time.
#[test]
fn nobody_is_told_to_avoid_a_first_operation() {
    let cell = watched(2, &[(5, 200_000), (60, 100_000)]);
    assert_eq!((in_short(&cell).as_str(), avoided(&cell)), ("2.00 × faster after 101", None));
}

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::summary;
use std::path::Path;

/// The growth in a real run (tests/data/payload-growth.md), by its engine.
fn recorded(engine: &str) -> Growth {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/payload-growth.jsonl");
    let rows = crate::results::read(&path).unwrap();
    let all = growths(&rows, &summary::cells(&rows));
    let grown = all.iter().find(|grown| grown.line.engine == engine).unwrap();
    assert!(
        grown.sizes.len() == 6 && grown.sizes.iter().all(|(_, times)| times.len() == 6),
        "{:?}",
        grown.sizes
    );
    grown.fit.clone().unwrap()
}

#[test]
fn a_recorded_quadratic_run_has_an_exponent_of_about_2() {
    let fit = recorded("SunJCE 11.0.13");
    assert!(fit.low > 1.75 && (1.8..2.2).contains(&fit.exponent) && fit.high < 2.25, "{fit:?}");
    assert!(fit.faster_than_input());
}

#[test]
fn a_recorded_linear_run_has_an_exponent_of_about_1() {
    let fit = recorded("SunJCE 21.0.8");
    assert!(fit.low > 0.9 && fit.low <= 1.0 && fit.high >= 1.0 && fit.high < 1.1, "{fit:?}");
    assert!(!fit.faster_than_input());
}

/// At its largest size the code was still being compiled: that says nothing of growth.
#[test]
fn an_unsteady_size_is_no_part_of_a_growth() {
    let mut made = summary::fixtures::Made::default();
    for size in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000_u64] {
        let ns = if size < 32_000 { 1_000 * size } else { 9_000 * size };
        made.timed("cipher", size, ("SunJCE", "AES", "tuned"), Operation::Seal, ns);
    }
    let exponent = |made: &summary::fixtures::Made| {
        let grown = growths(&made.rows, &made.cells()).remove(0);
        (grown.sizes.len(), grown.fit.unwrap().exponent > 1.05)
    };
    assert_eq!(exponent(&made), (6, true));
    made.samples().filter(|it| it.size == 32_000).for_each(|it| it.phase = rows::Phase::Unsteady);
    assert_eq!(exponent(&made), (5, false));
}

/// A square whose last size is known to a tenth only.
#[test]
fn what_lies_ahead_is_as_uncertain_as_the_last_size() {
    let mib = 1 << 20;
    let times = |size: u64, share: f64| -> Vec<f64> {
        let ns = (size as f64 / 1e3).powi(2);
        (0..6).map(|block| ns * (1.0 + share * f64::from(block) / 5.0)).collect()
    };
    let sizes: Vec<AtSize> =
        (0..6).map(|at| (mib << at, times(mib << at, if at == 5 { 0.1 } else { 0.0 }))).collect();
    let line = rows::Line::new("e", "none", "tuned");
    let fit = growth::growth(&sizes, &mut SplitMix64::new(1));
    let (job, allocated) = ("payload".into(), Vec::new());
    let grown = Grown { job, operation: Operation::Open, line, sizes, allocated, fit, seed: 1 };
    let wide = |ahead: &Ahead| ahead.range.map(|(low, high)| high / low).unwrap();
    let ahead = grown.ahead(100 * mib).unwrap();
    assert!(ahead.is_judged && (1.1..1.6).contains(&wide(&ahead)), "{ahead:?}");
    let within = grown.ahead(16 * mib).unwrap();
    assert!((within.ns / times(16 * mib, 0.0)[0] - 1.0).abs() < 1e-3, "{within:?}");
    assert_eq!(grown.ahead(mib), None);
}

/// Six sizes of two blocks each, which stray by so much.
fn few(exponent: f64, strays: f64) -> Grown {
    let times = |at: u32| {
        let ns = 1e6 * f64::from(1 << at).powf(exponent);
        vec![ns * if at == 5 { strays.exp() } else { 1.0 }; 2]
    };
    let mut made = crate::summary::fixtures::Made::default();
    for at in 0..6 {
        for (block, ns) in times(at).into_iter().enumerate() {
            let named = ("one", "AES-128-GCM", "wss4j");
            made.sample("payload", (1 << 20) << at, named, Operation::Open, block as u64, |sample| {
                (sample.count, sample.wall_ns) = (1, ns as u64);
            });
        }
    }
    growths(&made.rows, &summary::cells(&made.rows)).remove(0)
}

/// Both blocks of the largest size may have been disturbed alike.
#[test]
fn few_blocks_tell_a_square_from_a_line_and_nothing_that_is_nearer() {
    let ends = |exponent, strays| {
        let grown = few(exponent, strays);
        assert!(grown.is_judged());
        let fit = grown.fit.unwrap();
        (fit.faster_than_input(), fit.low < exponent && exponent < fit.high)
    };
    assert_eq!(ends(2.0, 0.0), (true, true));
    assert_eq!(ends(1.0, 0.0), (false, true));
    for strays in [-0.25, 0.25] {
        assert_eq!(ends(2.0, strays), (true, true), "{strays}");
        assert_eq!(ends(1.0, strays), (false, true), "{strays}");
    }
    let (ahead, truth) = (few(2.0, 0.25).ahead(100 << 20).unwrap(), 1e6 * 1e4);
    assert!(
        ahead.is_judged && ahead.range.is_some_and(|(low, high)| low < truth && truth < high),
        "{ahead:?}"
    );
    let mut one = few(2.0, 0.0);
    one.sizes.iter_mut().for_each(|(_, times)| times.truncate(1));
    assert!(!one.is_judged());
}

/// In the recorded run a collector hides the square of JDK 17 from the clock, and not from what is allocated.
#[test]
fn what_allocates_with_the_square_is_predicted_by_it() {
    let mib = 1 << 20;
    let linear: Vec<AtSize> = [1, 2, 4].map(|size| (size * mib, vec![size as f64 * 1e6; 6])).to_vec();
    let line = rows::Line::new("e", "none", "tuned");
    let fit = growth::growth(&linear, &mut SplitMix64::new(1));
    let grown = |allocated: &[(u64, f64)]| Grown {
        job: "payload".into(),
        operation: Operation::Open,
        line: line.clone(),
        sizes: linear.clone(),
        allocated: allocated.to_vec(),
        fit: fit.clone(),
        seed: 1,
    };
    let square = grown(&[(mib, 1e6), (2 * mib, 4e6), (4 * mib, 16e6)]);
    assert!((square.allocation_exponent().unwrap() - 2.0).abs() < 1e-9);
    assert!((square.ahead(8 * mib).unwrap().ns / 16e6 - 1.0).abs() < 1e-9);
    for unknown in [&[][..], &[(4 * mib, 16e6)], &[(3 * mib, 1e6), (4 * mib, 16e6)]] {
        assert_eq!(grown(unknown).allocation_exponent(), None);
        assert!((grown(unknown).ahead(8 * mib).unwrap().ns / 8e6 - 1.0).abs() < 1e-9);
    }
}

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::rows::{self, Fault, FaultKind, Row};
use crate::summary;
use crate::summary::fixtures::steady;
use crate::summary::growths;

fn line() -> rows::Line {
    rows::Line::new("SunJCE 17.0.15", "AES-128-GCM", "wss4j")
}

/// Payloads opened at these sizes in eight blocks, every other one later by a share.
fn opened(sizes: &[u64], later: f64, time: impl Fn(f64) -> f64) -> Vec<Row> {
    let sample = |size: u64, block: u64| {
        let wall_ns = time(size as f64) * if block.is_multiple_of(2) { 1.0 } else { 1.0 + later };
        Row::Sample(steady("payload", size, &line(), Operation::Open, block, wall_ns as u64))
    };
    sizes.iter().flat_map(|size| (0..8).map(move |block| (*size, block))).map(|(s, b)| sample(s, b)).collect()
}

fn not_run_at(size: u64, why: &str) -> Row {
    Row::Fault(Fault {
        job: "payload".into(),
        size: Some(size),
        engine: line().engine,
        parameters: line().parameters,
        operation: None,
        kind: FaultKind::NotRun,
        why: why.into(),
    })
}

fn grown(rows: &[Row]) -> Vec<Grown> {
    growths::growths(rows, &summary::cells(rows))
}

const SIZES: [u64; 6] = [1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23];

#[test]
fn a_line_whose_larger_sizes_were_not_run_has_its_exponent_and_their_predicted_times() {
    let mut rows = opened(&SIZES, 0.0, |size| size * size / 1e3);
    for (size, why) in
        [(1 << 24, "predicted 3 min"), (1 << 25, "predicted 12 min"), (1 << 24, "predicted 3 min")]
    {
        rows.push(not_run_at(size, why));
    }
    let grown = grown(&rows);
    let exponent = exponent(grown[0].fit.as_ref().unwrap()).told;
    assert_eq!((exponent.as_str(), verdict(&grown[0])), ("2.00 (2.00–2.00)", "faster than its input"));
}

#[test]
fn neighbours_one_byte_apart_have_no_exponents() {
    let around = |size: u64| [size - 1, size, size + 1];
    let sizes: Vec<u64> =
        [1 << 13, 1 << 16, 1 << 18, 1 << 20, 1 << 22].into_iter().flat_map(around).collect();
    let step = |size: f64| if size >= f64::from(1 << 20) { 3.0 * size } else { size };
    let rows = opened(&sizes, 0.01, |size| 100.0 * step(size));
    let exponents: Vec<f64> = crate::stats::slopes::slopes(&medians(&grown(&rows)[0].sizes))
        .iter()
        .map(|slope| slope.exponent)
        .collect();
    assert!(exponents.len() == 4 && exponents.iter().all(|k| (0.9..2.0).contains(k)), "{exponents:?}");
}

#[test]
fn an_interval_that_reaches_from_proportion_to_the_square_decides_nothing() {
    let verdicts = [0.05, 3.0].map(|later| {
        let rows = opened(&SIZES, later, |size| 100.0 * size);
        verdict(&grown(&rows)[0])
    });
    assert_eq!(verdicts, ["in proportion", "undecided"]);
}

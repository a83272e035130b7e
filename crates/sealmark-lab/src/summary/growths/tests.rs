#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::summary;
use std::path::Path;

/// The CPU times of a real run (tests/data/payload-growth.md), on a JDK.
fn recorded(jdk: &str) -> Growth {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/payload-growth.jsonl");
    let cells = summary::cells(&rows::read(&path).unwrap());
    let line = |cell: &Cell| -> AtSize {
        let line = cell.lines.iter().find(|line| line.jdk.as_deref() == Some(jdk)).unwrap();
        (cell.size, line.cpu.values().copied().collect())
    };
    let sizes: Vec<AtSize> = cells.iter().map(line).collect();
    assert!(sizes.len() == 6 && sizes.iter().all(|(_, times)| times.len() == 6), "{sizes:?}");
    growth::growth(&sizes, &mut SplitMix64::new(1)).unwrap()
}

#[test]
fn a_recorded_quadratic_run_is_told_from_a_linear_one_by_far() {
    let fit = recorded("17.0.15");
    assert!(fit.faster_than_input() && fit.low > 1.5 && (1.7..2.2).contains(&fit.exponent), "{fit:?}");
}

#[test]
fn a_recorded_linear_run_has_an_exponent_of_about_1() {
    let fit = recorded("25.0.3");
    assert!(!fit.faster_than_input() && fit.low <= 1.0 && (1.0..1.2).contains(&fit.high), "{fit:?}");
}

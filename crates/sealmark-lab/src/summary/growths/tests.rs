#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::summary;
use std::path::Path;

/// What a real run came to (tests/data/payload-growth.md), by its engine.
fn recorded(engine: &str) -> Growth {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/payload-growth.jsonl");
    let rows = rows::read(&path).unwrap();
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

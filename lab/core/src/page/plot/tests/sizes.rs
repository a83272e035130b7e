#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::super::*;
use crate::page::tests::{assert_within, attributes, drawn};
use crate::protocol::Operation;
use crate::rows::Role;
use crate::summary::fixtures::Made;

const KIB: u64 = 1 << 10;
const SIZES: [u64; 6] = [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB, 2048 * KIB];

/// Payloads opened, by engine and power of their size.
fn opened(engines: &[(&str, f64)]) -> Made {
    let mut made = Made::default();
    for size in SIZES {
        for (engine, power) in engines {
            let ns = 1_000.0 * (size as f64 / KIB as f64).powf(*power);
            made.timed("payload", size, (engine, "AES-128-GCM", "stream"), Operation::Open, ns as u64);
        }
    }
    made
}

fn page(made: &Made) -> String {
    drawn(&made.rows, "sizes-")
}

#[test]
fn a_line_in_proportion_is_level_and_one_that_grows_faster_rises() {
    let page = page(&opened(&[("level", 1.0), ("steep", 2.0)]));
    assert_within(&page);
    let heights = attributes(&page, "mark", "y");
    // The steep one comes first; then, behind the keys of the table's rows, nothing more.
    let heights: Vec<f64> = heights.iter().map(|y| y.trim_end_matches('%').parse().unwrap()).collect();
    assert_eq!(heights.len(), 2 * SIZES.len() + 2);
    assert!(heights[..6].windows(2).all(|pair| pair[1] < pair[0]), "{heights:?}");
    assert!(heights[6..12].windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.2), "{heights:?}");
    for told in ["2.00 (2.00–2.00)", "faster than its input", "in proportion", "2 of 2 lines are drawn."] {
        assert!(page.contains(told), "{told} is not in {page}");
    }
}

#[test]
fn the_fitted_curve_goes_through_what_is_in_proportion_and_past_what_is_not() {
    let mut made = opened(&[("level", 1.0), ("steep", 2.0)]);
    for sample in made.samples().filter(|sample| sample.line.engine == "level" && sample.size == 256 * KIB) {
        sample.wall_ns *= 3;
    }
    let page = page(&made);
    assert_within(&page);
    let at = |name| -> Vec<f64> {
        let places = attributes(&page, "fitted", name);
        places.iter().map(|at| at.trim_end_matches('%').parse().unwrap()).collect()
    };
    let (x, y) = (at("x1"), at("y1"));
    assert_eq!((x.len(), y.len()), (24, 24));
    // The steep one comes first and rises all the way, as many times in each piece.
    let steps: Vec<f64> = y[..12].windows(2).map(|pair| pair[0] - pair[1]).collect();
    assert!(steps.iter().all(|step| *step > 1.0 && (step - steps[0]).abs() < 0.3), "{steps:?}");
    // The other was measured thrice as high in one place, and its curve stays below.
    let marks: Vec<f64> = attributes(&page, "mark", "y")[6..12]
        .iter()
        .map(|y| y.trim_end_matches('%').parse().unwrap())
        .collect();
    let highest = y[12..].iter().copied().fold(f64::INFINITY, f64::min);
    assert!(marks[2] + 5.0 < highest, "{marks:?} {y:?}");
    assert!(x.windows(2).filter(|pair| pair[1] < pair[0]).count() == 1, "{x:?}");
}

#[test]
fn a_line_alone_is_drawn() {
    let page = page(&opened(&[("level", 1.0)]));
    assert!(page.contains("<desc id=\"sizes-payload-0-d\">1 of 1 lines are drawn. "), "{page}");
}

#[test]
fn neither_what_is_steep_nor_what_is_ours_is_crowded_out() {
    let names: Vec<String> = (0..12).map(|number| format!("peer-{number}")).collect();
    let mut engines: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 1.0)).collect();
    let steep: Vec<String> = (0..4).map(|number| format!("steep-{number}")).collect();
    engines.extend(steep.iter().enumerate().map(|(at, name)| (name.as_str(), 1.5 + 0.1 * at as f64)));
    engines.push(("our-own", 1.01));
    let mut made = opened(&engines);
    made.role("our-own", Role::Ours);
    let page = page(&made);
    let rows: Vec<&str> = page.split("<th scope=\"row\">").skip(1).collect();
    assert_eq!(rows.len(), engines.len());
    let keyed: Vec<bool> = rows.iter().map(|row| row.starts_with("<svg class=\"key")).collect();
    assert_eq!(keyed.iter().filter(|is_keyed| **is_keyed).count(), SERIES.len());
    for (at, name) in ["steep-3", "steep-2", "steep-1", "our-own", "peer-"].iter().enumerate() {
        assert!(keyed[at] && rows[at].contains(name), "{name} is not at {at}: {}", rows[at]);
    }
    assert!(rows.last().unwrap().contains("steep-0") && page.contains("8 of 17 lines are drawn."));
}

#[test]
fn one_or_two_sizes_and_sizes_that_are_no_bytes_have_no_plot() {
    let mut made = Made::default();
    made.timed("cipher", 64, ("one", "none", "tuned"), Operation::Seal, 1_000);
    made.timed("cipher", 128, ("one", "none", "tuned"), Operation::Seal, 1_000);
    for at_once in [1, 8, 64] {
        made.timed("tls-connect", at_once, ("one", "none", "memory"), Operation::Full, 1_000);
    }
    assert_eq!(page(&made), "");
    made.timed("cipher", 256, ("one", "none", "tuned"), Operation::Seal, 1_000);
    assert_within(&page(&made));
}

#[test]
fn names_stay_text() {
    let page = page(&opened(&[("<b>\"&", 2.0)]));
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"), "{page}");
}

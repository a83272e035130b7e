#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::super::tests::{assert_within, attributes, drawn};
use super::*;
use crate::protocol::{Operation, Shape};
use crate::rows::{self, Phase, Row};
use crate::summary::made::{Made, Named, line};

const SLOW: Named = ("SunJCE 17.0.15", "AES-256-GCM", Shape::Tuned);
const LEVEL: Named = ("aws-lc-rs", "AES-256-GCM", Shape::Tuned);
const STEADY_NS: u64 = 100_000;
const STRETCHES: u64 = 40;
const EACH: u64 = 25;

/// Two lines of 0.1 ms; the first operation of a fresh process takes ten and two times that.
fn measured() -> Made {
    let mut made = Made::default();
    for (named, cold) in [(SLOW, 10), (LEVEL, 2)] {
        made.timed("cipher", 64, named, Operation::Seal, STEADY_NS);
        made.sample("cipher", 64, named, Operation::Seal, 0, |sample| {
            sample.phase = Phase::Cold;
            sample.wall_ns = cold * STEADY_NS;
        });
    }
    made
}

/// How many times its steady time an operation takes, by stretch.
fn watch(made: &mut Made, named: Named, factor: impl Fn(u64) -> u64) {
    for at in 0..STRETCHES {
        made.rows.push(Row::Ramp(rows::Ramp {
            job: "cipher".into(),
            size: 64,
            line: line(named),
            operation: Operation::Seal,
            done: at * EACH,
            count: EACH,
            wall_ns: EACH * STEADY_NS * factor(at),
        }));
    }
}

fn page(made: &Made) -> String {
    drawn(&made.rows, |at| matches!(at, Proof::Warmth(..)))
}

#[test]
fn a_late_step_stands_open_with_its_change_point() {
    let mut made = measured();
    watch(&mut made, SLOW, |at| if at < 20 { 8 } else { 1 });
    watch(&mut made, LEVEL, |_| 1);
    let page = page(&made);
    assert_within(&page);
    assert!(page.contains("id=\"ramp-cipher-64-seal\"") && !page.contains("<details>"), "{page}");
    let names = page.split("<th scope=\"row\">").skip(1).collect::<Vec<_>>();
    assert!(names[0].starts_with("SunJCE 17.0.15") && names[0].contains(">8.00 × faster after the 500th<"));
    assert!(names[1].starts_with("aws-lc-rs") && names[1].contains(">level<"));
    let changes = attributes(&page, "change", "x1");
    // Of 1 to 1000 operations, with a little room at the end: the 500th is at nine tenths, behind the place of the first.
    let change: f64 = changes[0].trim_end_matches('%').parse().unwrap();
    assert!(changes.len() == 1 && (85.0..92.0).contains(&change), "{changes:?}");
    // The slow line has two levels, the other one; both have first operations.
    assert_eq!(attributes(&page, "same", "x1").len(), 3);
    assert_eq!(attributes(&page, "slower", "href"), ["#m-diamond", "#m-diamond"]);
    // The same height: both are told by their own steady time.
    let steady = attributes(&page, "faster", "y");
    assert!(steady.len() == 2 && steady[0] == steady[1], "{steady:?}");
}

#[test]
fn lines_that_nobody_watched_have_their_first_operation() {
    let page = page(&measured());
    assert_within(&page);
    assert!(page.contains("<summary>2 lines without a late step</summary>"), "{page}");
    // Ten times the steady time is drawn higher than twice, which is higher than once.
    let of = |class| -> Vec<f64> {
        attributes(&page, class, "y").iter().map(|y| y.trim_end_matches('%').parse().unwrap()).collect()
    };
    let (first, steady) = (of("slower"), of("faster"));
    assert!(first[0] < first[1] && first[1] < steady[0], "{first:?} {steady:?}");
    let (_, axis) = page.split_once("plot axis ramp").unwrap();
    let (axis, _) = axis.split_once("</svg>").unwrap();
    let labels = [">cold</text>", ">steady</text>"].map(|label| axis.contains(label));
    assert_eq!((labels, axis.matches("<text").count()), ([true; 2], 2), "{axis}");
    assert!(page.contains("first 1.00 ms, steady 100 µs") && page.contains(">10.0<"), "{page}");
}

#[test]
fn points_off_their_level_are_drawn_and_those_on_it_are_not() {
    let mut made = measured();
    watch(&mut made, LEVEL, |_| 1);
    let level = page(&made);
    assert_eq!(attributes(&level, "point", "cx").len(), 0);
    assert!(
        level.contains("<summary>2 lines without a late step</summary>") && level.contains(">100</text>")
    );
    let mut made = measured();
    watch(&mut made, LEVEL, |at| if at == 3 { 5 } else { 1 });
    let page = page(&made);
    assert_within(&page);
    assert_eq!(attributes(&page, "point", "cx").len(), 1);
}

#[test]
fn a_run_taken_up_again_watches_once_more() {
    let mut made = measured();
    watch(&mut made, LEVEL, |at| if at == 3 { 5 } else { 1 });
    watch(&mut made, LEVEL, |_| 1);
    let page = page(&made);
    assert_eq!(attributes(&page, "point", "cx").len(), 0);
    assert!(page.contains(">level<"), "{page}");
}

#[test]
fn without_first_operations_nothing_is_said() {
    let mut made = Made::default();
    made.timed("cipher", 64, LEVEL, Operation::Seal, STEADY_NS);
    assert_eq!(page(&made), "");
}

#[test]
fn names_stay_text() {
    let mut made = measured();
    for sample in made.samples() {
        sample.line = crate::rows::Line::new(&sample.line.engine, "<b>\"&", sample.line.shape());
    }
    let page = page(&made);
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"), "{page}");
}

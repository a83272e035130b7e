#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::super::tests::{assert_within, attributes, drawn};
use super::*;
use crate::engine::Role;
use crate::protocol::{Operation, Shape};
use crate::rows::{Checked, Row};
use crate::summary::made::{Made, Named, line};

const COPY: Named = ("copy", "none", Shape::Tuned);
const RAW: Named = ("aws-lc-rs", "AES-256-GCM", Shape::Tuned);
const OURS: Named = ("sealmark", "P-256", Shape::Tuned);

/// Copying takes a quarter of the time of AES-GCM, which takes half of ours.
fn sealed(sizes: &[u64]) -> Made {
    let mut made = Made::default();
    made.role("copy", Role::Yardstick);
    for size in sizes {
        for (named, ns) in [(COPY, 1_000), (RAW, 4_000), (OURS, 8_000)] {
            made.timed("cipher", *size, named, Operation::Seal, ns);
        }
    }
    made
}

fn authenticated(made: &mut Made, named: Named) {
    made.rows.push(Row::Checked(Checked {
        job: "cipher".into(),
        size: 64,
        line: line(named),
        authenticated: true,
        code: "by hand".into(),
        output_bytes: 80,
        sha256: String::new(),
        released_bytes: None,
    }));
}

fn page(made: &Made) -> String {
    drawn(&made.rows, section)
}

#[test]
fn a_line_of_twice_the_time_has_half_the_speed() {
    let mut made = sealed(&[64]);
    let alone = page(&made);
    assert_within(&alone);
    assert_eq!(attributes(&alone, "c0", "width").len(), 2);
    assert!(
        !alone.contains("AES-GCM<") && alone.contains(">25.0 %<") && alone.contains(">12.5 %<"),
        "{alone}"
    );
    authenticated(&mut made, RAW);
    let beside = page(&made);
    assert_within(&beside);
    let numbers = |class| -> Vec<f64> {
        let widths = attributes(&beside, class, "width").into_iter();
        widths.map(|width| width.trim_end_matches('%').parse().unwrap()).collect()
    };
    // The whole is at 100 / 104 of the box.
    assert_eq!((numbers("c0"), numbers("c1")), (vec![24.0, 12.0], vec![96.2, 48.1]));
    assert_eq!(attributes(&beside, "one", "x1"), ["96.2%", "96.2%"]);
    for told in [
        "the upper bar is of copy, the lower of the fastest AES-GCM here, aws-lc-rs AES-256-GCM<",
        "sealmark P-256: 12.5 % of the speed of copy",
        ">100 %<",
        ">50.0 %<",
    ] {
        assert!(beside.contains(told), "{told} is not in {beside}");
    }
}

#[test]
fn blocks_that_differ_have_an_interval() {
    let mut made = sealed(&[64]);
    assert_eq!(attributes(&page(&made), "whisker", "x1").len(), 0);
    for sample in made.samples().filter(|sample| sample.line.engine == "aws-lc-rs" && sample.block % 2 == 1) {
        sample.wall_ns = 5_000;
    }
    let page = page(&made);
    assert_within(&page);
    let ends = [attributes(&page, "whisker", "x1"), attributes(&page, "whisker", "x2")].concat();
    assert_eq!(ends, ["19.2%", "24%"]);
    assert!(page.contains("(20.0..25.0)"), "{page}");
}

#[test]
fn below_six_blocks_the_interval_is_wide_and_of_one_a_range() {
    let mut made = sealed(&[64]);
    for sample in made.samples().filter(|sample| sample.block % 2 == 1) {
        sample.wall_ns += 10 * u64::from(sample.line.engine == "aws-lc-rs");
    }
    let whole = page(&made);
    assert_eq!(attributes(&whole, "whisker", "stroke-dasharray").len(), 0);
    assert!(whole.contains("(24.9..25.0)") && !whole.contains("(range "), "{whole}");
    made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block > 4));
    let few = page(&made);
    assert_eq!(attributes(&few, "whisker", "stroke-dasharray").len(), 0);
    assert!(few.contains("25.0 % (18.9..33.1)"), "{few}");
    made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block > 0));
    let one = page(&made);
    assert!(one.contains(">25.0 %<") && !one.contains("25.0 % ("), "{one}");
}

#[test]
fn the_largest_size_stands_open_and_the_others_are_folded() {
    let page = page(&sealed(&[64, 1024, 512]));
    let (open, folded) = page.split_once("<details>").unwrap();
    assert_eq!((open.matches("<table").count(), folded.matches("<table").count()), (1, 2));
    assert!(open.contains("1 KiB, seal") && folded.contains("512 bytes, seal") && !open.contains("512"));
}

#[test]
fn without_a_yardstick_and_without_contestants_nothing_is_said() {
    let mut made = Made::default();
    made.timed("cipher", 64, RAW, Operation::Seal, 1_000);
    assert_eq!(page(&made), "");
    let mut made = Made::default();
    made.role("copy", Role::Yardstick);
    made.timed("cipher", 64, COPY, Operation::Seal, 1_000);
    assert_eq!(page(&made), "");
}

#[test]
fn servers_are_held_against_the_plain_one_of_their_jdk() {
    let page = page(&Made::served(|sample| {
        if sample.line.engine == "tomcat-plain 17" {
            sample.wall_ns *= 3;
        }
    }));
    assert_within(&page);
    assert!(
        page.contains("of tomcat-plain<") && page.contains("tomcat-sealed 25 token: 50.0 % of"),
        "{page}"
    );
}

#[test]
fn names_stay_text() {
    let mut made = sealed(&[64]);
    made.timed("cipher", 64, ("<b>\"&", "<i>", Shape::Tuned), Operation::Seal, 4_000);
    let page = page(&made);
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>") && !page.contains("<i>"), "{page}");
}

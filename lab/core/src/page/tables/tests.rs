#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::super::tests::{assert_within, drawn};
use crate::protocol::Operation;
use crate::rows::Row;
use crate::summary::fixtures::Made;

/// Two lines of so many blocks.
fn told(blocks: u64) -> String {
    let mut made = Made::default();
    for (engine, ns) in [("whole", 1_000), ("short", 2_000)] {
        made.timed("cipher", 49, (engine, "AES", "tuned"), Operation::Seal, ns);
    }
    made.reference("cipher", 49, ("whole", "AES", "tuned"));
    keep(&mut made, blocks);
    drawn(&made.rows, "ratios-")
}

fn keep(made: &mut Made, blocks: u64) {
    made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block >= blocks));
}

#[test]
fn one_block_alone_has_no_ends() {
    let figures = [">2.00 (2.00–2.00)<", ">2.00 (1.51–2.65)<", ">2.00<"];
    for (blocks, figure) in [8, 2, 1].into_iter().zip(figures) {
        let page = told(blocks);
        assert_within(&page);
        assert!(page.contains(figure), "{blocks}: {page}");
    }
}

/// A title is read by a mouse alone.
#[test]
fn why_nothing_is_called_stands_beside_it() {
    for (blocks, reasons) in [(8, 0), (1, 2)] {
        let page = told(blocks);
        let told =
            page.matches(">undecided<span class=\"about\">there is no interval yet</span></td>").count();
        assert_eq!((told, page.matches("title=").count()), (reasons, 0), "{page}");
    }
}

/// Figures that nobody knows are no column; one that a single line knows is a column for all.
#[test]
fn figures_of_a_cell_stand_below_its_ratios() {
    let mut made = Made::default();
    for (engine, peak) in [("small<b>", Some(10_000_000)), ("silent", None)] {
        for block in 0..2 {
            made.sample("payload", 1_000, (engine, "AES", "stream"), Operation::Open, block, |sample| {
                sample.used.peak_bytes = peak;
                sample.used.allocated_bytes = peak.map(|_| 2_100);
            });
        }
    }
    let page = drawn(&made.rows, "ratios-");
    assert_within(&page);
    for told in
        ["peak</th>", ">10.0 MB</td>", "allocated</th>", ">2.10 kB</td>", "small&lt;b&gt; AES (stream)"]
    {
        assert!(page.contains(told), "{told} is not in {page}");
    }
    assert!(!page.contains("early</th>") && !page.contains("<b>"), "{page}");
}

#[test]
fn lines_told_apart_by_their_shape_alone_are_named_with_it() {
    let mut made = Made::default();
    made.role("copy", crate::rows::Role::Yardstick);
    for named in [("copy", "none", "memory"), ("copy", "none", "nodelay"), ("Go", "A", "nodelay")] {
        made.timed("tls-transfer", 64, named, Operation::Upload, 1_000);
    }
    let page = drawn(&made.rows, "ratios-");
    for name in ["copy (memory)", "copy (nodelay)", "Go A"] {
        assert!(page.contains(&format!("<th scope=\"row\">{name}</th>")), "{name} in {page}");
    }
}

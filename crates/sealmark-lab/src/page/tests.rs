#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::{Operation, Shape};
use crate::summary::made::Made;

/// What a section draws and says of each job.
pub(super) fn drawn(rows: &[Row], section: fn(&Run, &Job) -> Markup) -> String {
    let run = Run::of("made.jsonl", rows, 0);
    run.jobs().iter().map(|job| section(&run, job).into_string()).collect()
}

/// The values that an attribute has in elements of a class, in the order of the page.
pub(super) fn attributes(page: &str, class: &str, name: &str) -> Vec<String> {
    let of_class =
        |tag: &&str| value(tag, "class").is_some_and(|classes| classes.split(' ').any(|it| it == class));
    page.split('<').filter(of_class).filter_map(|tag| value(tag, name)).collect()
}

fn value(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split('>').next()?.split_once(&format!(" {name}=\""))?;
    Some(rest.split('"').next()?.to_owned())
}

/// Every place and length of a drawing that is told in per cent of its box is one, and lies within.
pub(super) fn assert_within(page: &str) {
    let mut count = 0;
    for name in ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"] {
        for tag in page.split('<') {
            let Some(place) = value(tag, name) else { continue };
            let number: f64 = place.trim_end_matches('%').parse().unwrap();
            assert!((0.0..=100.0).contains(&number), "<{tag}");
            count += 1;
        }
    }
    assert!(count > 0, "nothing is drawn");
}

#[test]
fn places_outside_of_a_drawing_are_seen() {
    for wrong in ["NaN%", "-1%", "100.1%", "inf%", ""] {
        let drawing = format!("<line x1=\"1%\" x2=\"{wrong}\"></line>");
        assert!(std::panic::catch_unwind(|| assert_within(&drawing)).is_err(), "{wrong}");
    }
    assert_within("<line x1=\"1%\" x2=\"100%\"></line>");
}

#[test]
fn a_stranger_cannot_write_markup() {
    let mut made = Made::default();
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
    made.timed(evil, 49, (evil, evil, Shape::Tuned), Operation::Seal, 1_000);
    let page = html(&[(evil, &made.rows)], &[]);
    assert!(page.contains("&lt;/script&gt;") && page.contains("\\u003c/script\\u003e"));
    assert!(!page.contains("<img") && page.matches("<script").count() == 2, "{page}");
}

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::{Operation, Shape};
use crate::summary::made::Made;

#[test]
fn a_stranger_cannot_write_markup() {
    let mut made = Made::default();
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
    made.timed(evil, 49, (evil, evil, Shape::Tuned), Operation::Seal, 1_000);
    let page = html(&[(evil, &made.rows)], &[]);
    assert!(page.contains("&lt;/script&gt;") && page.contains("\\u003c/script\\u003e"));
    assert!(!page.contains("<img") && page.matches("<script").count() == 2, "{page}");
}

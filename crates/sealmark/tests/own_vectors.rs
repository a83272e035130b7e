//! The vectors of `sealmark/1`: a file for each rule of spec/file.md.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::vector::Vector;
use common::verdict;

#[test]
fn every_vector_has_its_class_and_releases_what_it_may() {
    let vectors = Vector::all("file");
    assert_eq!(vectors.len(), 272);
    vectors.iter().for_each(verdict::check);
}

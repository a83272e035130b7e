//! C2SP's test vectors for age: every one, with its class of failure and every byte released.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::vector::Vector;
use common::verdict;

/// The vectors for which this library releases less than it may: it looks ahead, so it knows if a chunk is the last
/// before it opens it. A chunk that ends a payload without the mark, or has it too early, is never released.
const RELEASED_LESS: [(&str, &str); 8] = [
    ("armor_garbage_encoded", NOTHING),
    ("stream_no_final_full", NOTHING),
    ("stream_no_final_two_chunks_full", FIRST_CHUNK),
    ("stream_trailing_garbage_long", NOTHING),
    ("stream_trailing_garbage_short", NOTHING),
    ("stream_two_final_chunks", NOTHING),
    ("stream_two_final_chunks_full", NOTHING),
    ("stream_two_final_chunks_second", FIRST_CHUNK),
];

const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// The hash in the vector `stream_bad_tag_second_chunk`.
const FIRST_CHUNK: &str = "a68cb6fa0b2e2a8d1abd54fcb26ff31fe16166ed38688bffa681e617813b781a";

#[test]
fn every_vector_has_its_class_and_releases_what_it_may() {
    let mut vectors = Vector::all("cctv-age");
    assert_eq!(vectors.len(), 143);
    for (name, released) in RELEASED_LESS {
        let vector = vectors.iter_mut().find(|vector| vector.name == name).unwrap();
        assert_eq!(vector.expect, "payload failure");
        assert_ne!(vector.payload.replace(released.into()).unwrap(), released);
    }
    vectors.iter().for_each(verdict::check);
}

/// The `hpke` crate alone would accept these two: their X25519 half contributes a secret that everybody knows.
#[test]
fn low_order_shares_inside_a_hybrid_are_refused() {
    let vectors = Vector::all("cctv-age");
    for name in ["hybrid_low_order", "hybrid_identity"] {
        let vector = vectors.iter().find(|vector| vector.name == name).unwrap();
        assert_eq!(vector.expect, "header failure");
        verdict::check(vector);
    }
}

//! C2SP's test vectors for age: every one, with its class of failure and every byte released.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::{vector::Vector, verdict};

/// Where this library is stricter than the vectors, or sorts a failure otherwise; each must still be needed.
const DIFFERENCES: [(&str, Difference); 11] = [
    // The nonce belongs to the payload here, in both formats; the vectors count it to the header.
    ("stream_no_nonce", Difference::Class("payload failure")),
    ("stream_short_nonce", Difference::Class("payload failure")),
    // Text before the armor makes this no armored file at all.
    ("armor_garbage_leading", Difference::Class("header failure")),
    // The reader looks ahead: whether a chunk is the last is known before it is opened. A chunk that ends a payload
    // without the mark, or bears it too early, is therefore not released; the vectors allow it.
    ("armor_garbage_encoded", Difference::Released(NOTHING)),
    ("stream_no_final_full", Difference::Released(NOTHING)),
    ("stream_no_final_two_chunks_full", Difference::Released(FIRST_CHUNK)),
    ("stream_trailing_garbage_long", Difference::Released(NOTHING)),
    ("stream_trailing_garbage_short", Difference::Released(NOTHING)),
    ("stream_two_final_chunks", Difference::Released(NOTHING)),
    ("stream_two_final_chunks_full", Difference::Released(NOTHING)),
    ("stream_two_final_chunks_second", Difference::Released(FIRST_CHUNK)),
];

enum Difference {
    Class(&'static str),
    Released(&'static str),
}

const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// As `stream_bad_tag_second_chunk` says.
const FIRST_CHUNK: &str = "a68cb6fa0b2e2a8d1abd54fcb26ff31fe16166ed38688bffa681e617813b781a";

#[test]
fn every_vector_has_its_class_and_releases_what_it_may() {
    let mut vectors = Vector::all("cctv-age");
    assert_eq!(vectors.len(), 143);
    for (name, difference) in DIFFERENCES {
        apply(vectors.iter_mut().find(|vector| vector.name == name).unwrap(), difference);
    }
    vectors.iter().for_each(verdict::check);
}

fn apply(vector: &mut Vector, difference: Difference) {
    match difference {
        Difference::Class(class) => {
            assert_ne!(std::mem::replace(&mut vector.expect, class.into()), class);
            assert_eq!(vector.payload, None);
        }
        Difference::Released(hash) => {
            assert_eq!(vector.expect, "payload failure");
            assert_ne!(vector.payload.replace(hash.into()).unwrap(), hash);
        }
    }
}

/// The `hpke` crate alone accepts these two: their X25519 half contributes a secret that everybody knows.
#[test]
fn low_order_shares_inside_a_hybrid_are_refused() {
    let vectors = Vector::all("cctv-age");
    for name in ["hybrid_low_order", "hybrid_identity"] {
        let vector = vectors.iter().find(|vector| vector.name == name).unwrap();
        assert_eq!(vector.expect, "header failure");
        verdict::check(vector);
    }
}

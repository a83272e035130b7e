//! No fingerprint of a segment is left in freed memory. The test is alone in its process, because a process has one
//! allocator.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};
use common::bytes;
use common::graveyard::{Graveyard, buried_by, is_in};
use common::payload::{IV, SEGMENT, key_bytes};
use sealmark::{Job, gcm};
use std::io::Cursor;

const SEGMENTS: usize = 10;

#[global_allocator]
static ALLOCATOR: Graveyard = Graveyard;

#[test]
fn no_print_is_left_in_memory_that_was_given_back() {
    let raw = key_bytes(32);
    let (key, plaintext) = (gcm::Key::new(&raw).unwrap(), bytes(SEGMENTS * SEGMENT));
    let (mut sealed, mut opened) =
        (Vec::with_capacity(plaintext.len() + 28), Vec::with_capacity(plaintext.len()));
    let buried = buried_by(|| {
        gcm::seal_stream(&plaintext[..], &mut sealed, &key, &Job::default()).unwrap();
    });
    assert_none(&prints(&raw, &sealed), buried, "sealing");
    let buried = buried_by(|| {
        gcm::open_seekable(Cursor::new(&sealed), &mut opened, &key, &Job::default()).unwrap();
    });
    assert_none(&prints(&raw, &sealed), buried, "opening");
    let buried = buried_by(|| {
        gcm::verify_stream(&sealed[..], &key, &Job::default()).unwrap();
    });
    assert_none(&prints(&raw, &sealed), buried, "verifying");
    let prints = prints(&raw, &sealed);
    let grown = buried_by(|| {
        prints
            .iter()
            .fold(Vec::new(), |mut all, print| {
                all.extend_from_slice(print);
                all
            })
            .clear()
    });
    assert!(prints.iter().any(|print| is_in(print, grown)), "nothing would have been found");
}

/// The tags of empty messages with a segment as associated data, from an independent implementation.
fn prints(key: &[u8], sealed: &[u8]) -> Vec<Vec<u8>> {
    let cipher = Aes256Gcm::new_from_slice(key).unwrap();
    let nonce = sealed[..IV].try_into().unwrap();
    let segments = sealed[IV..sealed.len() - 16].chunks(SEGMENT);
    segments.map(|aad| cipher.encrypt(&nonce, Payload { msg: &[], aad }).unwrap()).collect()
}

fn assert_none(prints: &[Vec<u8>], buried: &[[u8; 1024]], during: &str) {
    assert_eq!(prints.len(), SEGMENTS);
    for (segment, print) in prints.iter().enumerate() {
        assert!(!is_in(print, buried), "{during}: the print of segment {segment} was left");
    }
}

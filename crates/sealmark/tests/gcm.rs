//! Payloads of one tag: every way of sealing and opening gives the plaintext back, and refuses altered payloads.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use aes_gcm::aead::Aead;
use aes_gcm::{Aes128Gcm, Aes256Gcm, KeyInit};
use common::payload::{IV, SEGMENT, TAG, job, key_bytes, sealed_by_stream};
use common::{bytes, workspace};
use proptest::prelude::*;
use sealmark::gcm::Key;
use sealmark::*;
use std::fs;
use std::io::{self, Cursor, Read};

/// An independent implementation, RustCrypto's, for whole messages.
mod independent {
    use super::*;

    pub fn seal(key: &[u8], iv: [u8; IV], plaintext: &[u8]) -> Vec<u8> {
        let nonce = &iv.into();
        let text = match key.len() {
            16 => Aes128Gcm::new_from_slice(key).unwrap().encrypt(nonce, plaintext),
            _ => Aes256Gcm::new_from_slice(key).unwrap().encrypt(nonce, plaintext),
        };
        [&iv[..], &text.unwrap()].concat()
    }

    pub fn open(key: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (iv, text) = sealed.split_at(IV);
        let nonce = iv.try_into().unwrap();
        match key.len() {
            16 => Aes128Gcm::new_from_slice(key).unwrap().decrypt(nonce, text).ok(),
            _ => Aes256Gcm::new_from_slice(key).unwrap().decrypt(nonce, text).ok(),
        }
    }
}

fn sealed_by_file(key: &Key, plaintext: &[u8], threads: usize) -> Vec<u8> {
    let workspace = workspace();
    let (plain, sealed) = (workspace.path("plain"), workspace.path("sealed"));
    fs::write(&plain, plaintext).unwrap();
    let summary = gcm::seal_file(&plain, &sealed, key, &job(threads)).unwrap();
    let sealed = fs::read(sealed).unwrap();
    assert_eq!((summary.input, summary.output), (plaintext.len() as u64, sealed.len() as u64));
    sealed
}

/// Opens in every way, and checks that a failure leaves nothing and that verifying ends alike.
fn open(key: &Key, sealed: &[u8]) -> Vec<Result<Vec<u8>>> {
    let mut released = Vec::new();
    let streamed = gcm::open_seekable(Cursor::new(sealed), &mut released, key, &Job::default());
    let verified = gcm::verify_stream(Trickle(sealed), key, &Job::default());
    assert_eq!(format!("{verified:?}"), format!("{streamed:?}"));
    if streamed.is_err() {
        assert!(released.is_empty(), "{} bytes were released", released.len());
    }
    let mut results = vec![checked(streamed, sealed.len(), released)];
    for threads in [1, 3] {
        let workspace = workspace();
        let (input, output) = (workspace.path("sealed"), workspace.path("opened"));
        fs::write(&input, sealed).unwrap();
        let opened = gcm::open_file(&input, &output, key, &job(threads));
        match &opened {
            Ok(_) => assert_eq!(workspace.names(), ["opened", "sealed"]),
            Err(_) => assert_eq!(workspace.names(), ["sealed"], "something was left"),
        }
        results.push(checked(opened, sealed.len(), fs::read(output).unwrap_or_default()));
    }
    results
}

/// A sender whose packets end anywhere.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(1 + self.0.len() % 40_000);
        self.0.read(&mut into[..most])
    }
}

fn checked(result: Result<Summary>, input: usize, plaintext: Vec<u8>) -> Result<Vec<u8>> {
    let summary = result?;
    assert_eq!((summary.input, summary.output), (input as u64, plaintext.len() as u64));
    Ok(plaintext)
}

fn assert_opens(key: &Key, sealed: &[u8], plaintext: &[u8]) {
    for result in open(key, sealed) {
        // assert_eq would print megabytes.
        assert!(result.unwrap() == plaintext);
    }
}

fn assert_tampered(key: &Key, sealed: &[u8], what: &str) {
    for result in open(key, sealed) {
        assert!(matches!(result, Err(Error::Tampered(Part::Payload))), "{what}: {result:?}");
    }
}

#[test]
fn every_length_goes_both_ways_to_an_independent_implementation() {
    let mut lengths = vec![0, 1, 15, 16, 17, 4096];
    for full in [SEGMENT, 2 * SEGMENT] {
        lengths.extend([full - 17, full - 1, full, full + 1, full + 16]);
    }
    lengths.push(4 * SEGMENT + 5);
    for (index, length) in lengths.into_iter().enumerate() {
        let (raw, plaintext) = (key_bytes([16, 32][index % 2]), bytes(length));
        let key = Key::new(&raw).unwrap();
        assert_opens(&key, &independent::seal(&raw, [9; IV], &plaintext), &plaintext);
        let sealed = sealed_by_file(&key, &plaintext, 1 + index % 3);
        assert!(independent::open(&raw, &sealed).unwrap() == plaintext, "{length} bytes");
        assert_opens(&key, &sealed_by_stream(&key, &plaintext), &plaintext);
    }
}

/// In a long file, each thread seals several segments in a row, and holds back the end of each for the next.
#[test]
fn segments_sealed_in_a_row_are_one_payload() {
    let raw = key_bytes(32);
    let key = Key::new(&raw).unwrap();
    for (length, threads) in [(8 * SEGMENT, 1), (9 * SEGMENT + 5, 1), (17 * SEGMENT + 16, 2)] {
        let plaintext = bytes(length);
        let sealed = sealed_by_file(&key, &plaintext, threads);
        assert!(independent::open(&raw, &sealed).unwrap() == plaintext, "{length} bytes");
    }
}

#[test]
fn an_initialization_vector_is_never_used_again() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let mut vectors: Vec<_> = (0..8).map(|_| sealed_by_stream(&key, b"")[..IV].to_vec()).collect();
    vectors.extend((0..8).map(|_| sealed_by_file(&key, b"x", 1)[..IV].to_vec()));
    vectors.sort();
    vectors.dedup();
    assert_eq!(vectors.len(), 16);
}

#[test]
fn a_flipped_bit_anywhere_gives_nothing() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let length = 2 * SEGMENT + 1000;
    let sealed = sealed_by_file(&key, &bytes(length), 2);
    let end = sealed.len();
    let places = [0, IV - 1, IV, IV + SEGMENT - 1, IV + SEGMENT, end / 2, end - TAG - 1, end - TAG, end - 1];
    for at in places {
        let mut damaged = sealed.clone();
        damaged[at] ^= 1;
        assert_tampered(&key, &damaged, &format!("byte {at}"));
    }
    assert_tampered(&Key::new(&bytes(16)).unwrap(), &sealed, "another key");
    assert_tampered(&Key::new(&key_bytes(32)).unwrap(), &sealed, "a longer key");
}

#[test]
fn exchanged_segments_give_nothing() {
    let key = Key::new(&key_bytes(32)).unwrap();
    let sealed = sealed_by_stream(&key, &bytes(3 * SEGMENT));
    let mut damaged = sealed.clone();
    damaged[IV..IV + SEGMENT].copy_from_slice(&sealed[IV + SEGMENT..IV + 2 * SEGMENT]);
    damaged[IV + SEGMENT..IV + 2 * SEGMENT].copy_from_slice(&sealed[IV..IV + SEGMENT]);
    assert_tampered(&key, &damaged, "exchanged");
}

#[test]
fn a_payload_cut_short_or_made_longer_gives_nothing() {
    let key = Key::new(&key_bytes(32)).unwrap();
    let sealed = sealed_by_file(&key, &bytes(SEGMENT + 100), 2);
    for length in [28, 29, SEGMENT, SEGMENT + 28, sealed.len() - 16, sealed.len() - 1] {
        assert_tampered(&key, &sealed[..length], &format!("cut to {length}"));
    }
    for extra in [1, 16, SEGMENT] {
        assert_tampered(&key, &[&sealed[..], &vec![0; extra]].concat(), &format!("{extra} more"));
    }
    for length in 0..28 {
        for result in open(&key, &sealed[..length]) {
            assert!(matches!(result, Err(Error::Malformed(Malformed::Payload(_)))), "{length}: {result:?}");
        }
    }
}

#[test]
fn keys_have_sixteen_or_thirty_two_bytes_and_do_not_show_them() {
    for length in [0, 15, 17, 24, 31, 33] {
        let result = Key::new(&bytes(length));
        assert!(matches!(result, Err(Error::Key(KeyMisuse::KeyString(_)))), "{result:?}");
    }
    assert_eq!(format!("{:?}", Key::new(&[7; 16]).unwrap()), "Key(Aes128)");
    assert_eq!(format!("{:?}", Key::new(&[7; 32]).unwrap()), "Key(Aes256)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_was_sealed_opens_and_what_was_altered_does_not(
        length in prop_oneof![0..100usize, SEGMENT - 40..SEGMENT + 40, 0..3 * SEGMENT],
        key_length in prop_oneof![Just(16), Just(32)],
        place in any::<prop::sample::Index>(),
        bit in 0..8u8,
    ) {
        let (key, plaintext) = (Key::new(&key_bytes(key_length)).unwrap(), bytes(length));
        let mut sealed = sealed_by_file(&key, &plaintext, 2);
        assert_opens(&key, &sealed, &plaintext);
        let at = place.index(sealed.len());
        sealed[at] ^= 1 << bit;
        assert_tampered(&key, &sealed, "one bit");
    }
}

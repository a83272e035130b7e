//! Payloads of one tag, as the library's streams seal them.

use super::bytes;
use sealmark::Job;
use sealmark::gcm::{self, Key};
use std::num::NonZeroUsize;

/// The library's segment size, which its interface does not show.
pub const SEGMENT: usize = 1 << 20;
pub const IV: usize = 12;
pub const TAG: usize = 16;

pub fn job(threads: usize) -> Job<'static> {
    Job::default().threads(NonZeroUsize::new(threads))
}

pub fn key_bytes(length: usize) -> Vec<u8> {
    bytes(length + 3).split_off(3)
}

pub fn sealed_by_stream(key: &Key, plaintext: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::new();
    let summary = gcm::seal_stream(plaintext, &mut sealed, key, &Job::default()).unwrap();
    assert_eq!((summary.input, summary.output), (plaintext.len() as u64, sealed.len() as u64));
    sealed
}

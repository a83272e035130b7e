//! Each library and mode against RustCrypto's AES-GCM, from file to file, and against damage.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::{TAG, VECTOR};
use crate::jobs;
use crate::model::{Secrets, input};
use crate::protocol::{Answer, Operation, Span, Task};
use crate::serve::Engine;
use crate::serve::memory::{InMemory, Memory};
use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use std::path::PathBuf;

const SEED: u64 = 7;
const ALGORITHMS: [&str; 2] = ["AES-128-GCM", "AES-256-GCM"];
/// Nothing, about a block, about a piece of 8,192 bytes, and several pieces.
const SIZES: [u64; 9] = [0, 1, 16, 17, 8191, 8192, 8193, 16384, 100_000];

/// A library, the modes it has, and whether it lets plain bytes out before it has seen the tag.
fn libraries() -> Vec<(InMemory, &'static [(&'static str, bool)])> {
    vec![
        (InMemory::AwsLcRs, &[("one-shot", false)]),
        #[cfg(feature = "openssl")]
        (InMemory::Openssl, &[("one-shot", false), ("update", true)]),
        (InMemory::Ring, &[]),
    ]
}

struct Case {
    engine: Memory,
    algorithm: &'static str,
    releases_early: bool,
    directory: tempfile::TempDir,
}

impl Case {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Gives a file of these bytes to the operation: its answer, and the output that is there afterwards.
    fn run(&mut self, operation: Operation, data: &[u8]) -> (Answer, Option<Vec<u8>>) {
        let (input, output) = (self.path("input"), self.path("output"));
        std::fs::write(&input, data).unwrap();
        let answer = self.engine.run(operation, &input, &output);
        let made = std::fs::read(&output).ok();
        let _ = std::fs::remove_file(&output);
        (answer, made)
    }

    fn does(&mut self, operation: Operation, data: &[u8]) -> Vec<u8> {
        let (answer, made) = self.run(operation, data);
        assert!(
            matches!(
                answer,
                Answer::Done(Span {
                    wall_ns: 1..,
                    used: crate::usage::Used { cpu_ns: Some(_), peak_bytes: Some(1..), .. }
                })
            ),
            "{answer:?}"
        );
        made.unwrap()
    }
}

fn for_each(mut body: impl FnMut(&mut Case)) {
    let mut cases = 0;
    for (library, modes) in libraries() {
        for (mode, releases_early) in modes.iter().copied() {
            for algorithm in ALGORITHMS {
                let mut engine = library.engine();
                assert!(engine.prepare(&jobs::PAYLOAD, &task(algorithm, mode)).unwrap().authenticated);
                let directory = tempfile::tempdir().unwrap();
                body(&mut Case { engine, algorithm, releases_early, directory });
                cases += 1;
            }
        }
    }
    assert!(cases >= 2);
}

fn task(algorithm: &str, mode: &str) -> Task {
    let (job, directory) = ("payload".into(), String::new());
    let parameters = jobs::PAYLOAD.named(algorithm, mode);
    // More than there is: nobody may make room for what was only promised.
    let bytes = Some(u64::MAX >> 1);
    Task { job, parameters, bytes, concurrency: None, seed: SEED, directory, peer: None }
}

fn reference(algorithm: &str, vector: &[u8], data: &[u8], opens: bool) -> Option<Vec<u8>> {
    let (secrets, vector) = (Secrets::derive(SEED), vector.try_into().unwrap());
    match (algorithm, opens) {
        ("AES-128-GCM", false) => Aes128Gcm::new_from_slice(secrets.key(16)).unwrap().encrypt(vector, data),
        ("AES-128-GCM", true) => Aes128Gcm::new_from_slice(secrets.key(16)).unwrap().decrypt(vector, data),
        (_, false) => Aes256Gcm::new_from_slice(secrets.key(32)).unwrap().encrypt(vector, data),
        (_, true) => Aes256Gcm::new_from_slice(secrets.key(32)).unwrap().decrypt(vector, data),
    }
    .ok()
}

fn sealed_by_the_reference(algorithm: &str, plain: &[u8]) -> Vec<u8> {
    let vector = b"twelve bytes";
    [vector.as_slice(), &reference(algorithm, vector, plain, false).unwrap()].concat()
}

#[test]
fn the_reference_opens_what_is_sealed_and_what_it_sealed_opens() {
    for_each(|case| {
        for plain in SIZES.map(|bytes| input(SEED, bytes)) {
            let sealed = case.does(Operation::Seal, &plain);
            let (vector, text) = sealed.split_at(VECTOR);
            assert_eq!(reference(case.algorithm, vector, text, true).as_ref(), Some(&plain));
            assert_ne!(case.does(Operation::Seal, &plain)[..VECTOR], *vector, "the vector came twice");
            assert_eq!(case.does(Operation::Open, &sealed_by_the_reference(case.algorithm, &plain)), plain);
        }
    });
}

#[test]
fn damage_is_refused_and_what_was_released_is_left() {
    for_each(|case| {
        let plain = input(SEED, 100_000);
        let sealed = sealed_by_the_reference(case.algorithm, &plain);
        for at in [0, VECTOR, sealed.len() / 2, sealed.len() - TAG, sealed.len() - 1] {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            let (answer, left) = case.run(Operation::Open, &damaged);
            assert!(matches!(answer, Answer::Refused { .. }), "byte {at}: {answer:?}");
            assert_eq!(left.is_some_and(|left| left.len() == plain.len()), case.releases_early, "byte {at}");
        }
        for length in [0, 11, VECTOR + TAG - 1, VECTOR + TAG, sealed.len() - 1] {
            let (answer, _) = case.run(Operation::Open, &sealed[..length]);
            assert!(matches!(answer, Answer::Refused { .. }), "{length} bytes: {answer:?}");
        }
        assert_eq!(case.does(Operation::Open, &sealed), plain, "after bad news");
    });
}

#[test]
fn other_modes_algorithms_and_operations_are_not_had() {
    let modes = jobs::PAYLOAD.how().unwrap().values;
    for (library, has) in libraries() {
        for &mode in modes {
            let prepared =
                |algorithm| library.engine().prepare(&jobs::PAYLOAD, &task(algorithm, mode)).map(|_| ());
            let claimed = has.iter().any(|(each, _)| *each == mode);
            for algorithm in ["ChaCha20-Poly1305", "none", "AES-256-GCM"] {
                let has = claimed && algorithm == "AES-256-GCM";
                match prepared(algorithm) {
                    Ok(()) => assert!(has, "{library:?} {algorithm} {mode}"),
                    answer => {
                        assert!(!has && matches!(answer, Err(Answer::Unsupported { .. })), "{answer:?}")
                    }
                }
            }
        }
    }
    for_each(|case| {
        assert!(matches!(case.run(Operation::Encode, b"plain"), (Answer::Unsupported { .. }, None)));
    });
}

#[test]
fn files_that_are_missing_or_in_the_way_are_a_failure() {
    for_each(|case| {
        let [input, output, absent] = ["input", "output", "absent"].map(|name| case.path(name));
        std::fs::write(&input, sealed_by_the_reference(case.algorithm, b"plain")).unwrap();
        std::fs::write(&output, b"precious").unwrap();
        for operation in [Operation::Seal, Operation::Open] {
            for (from, to) in [(&absent, &absent), (&input, &output)] {
                let answer = case.engine.run(operation, from, to);
                assert!(matches!(answer, Answer::Failed { .. }), "{operation} {from:?}: {answer:?}");
            }
        }
        assert_eq!(std::fs::read(&output).unwrap(), b"precious");
    });
}

//! Every library against the model, in every algorithm and reuse, and against damage.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::jobs;

const SEED: u64 = 7;
const REUSE: [&str; 2] = ["as-written", "tuned"];
/// Nothing, about the blocks of 8 and 16 bytes, the MIME line of 57 that makes 76, and the article's two lengths.
const SIZES: [u64; 11] = [0, 1, 7, 8, 16, 49, 57, 58, 76, 8404, 65537];
const CODEC: [&str; 4] = ["none", "base64", "base64url", "base64-mime"];
const CIPHER: [&str; 11] = [
    "none",
    "DES",
    "DESede",
    "AES",
    "Blowfish",
    "RC2",
    "RC4",
    "AES-128-GCM",
    "AES-256-GCM",
    "AES-256-GCM-SIV",
    "ChaCha20-Poly1305",
];

/// Each library with what it must be able to do: nothing else may be unsupported, nothing more supported.
fn libraries() -> Vec<(Memory, &'static [&'static str], &'static [&'static str])> {
    vec![
        (Memory::copying(), &["none"], &["none"]),
        (
            InMemory::AwsLcRs.engine(),
            &[],
            &["AES", "AES-128-GCM", "AES-256-GCM", "AES-256-GCM-SIV", "ChaCha20-Poly1305"],
        ),
        (InMemory::Ring.engine(), &[], &["AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305"]),
        (InMemory::Rustcrypto.engine(), &[], &CIPHER[1..]),
        #[cfg(feature = "openssl")]
        (InMemory::Openssl.engine(), &[], &CIPHER[1..]),
        (InMemory::Simdutf.engine(), &["base64", "base64url"], &[]),
        (InMemory::Base64.engine(), &CODEC[1..], &[]),
    ]
}

/// Prepares each library for each thing it can do, and asserts that it can do no other.
fn for_each_task(sizes: &[u64], mut body: impl FnMut(&mut Memory, &'static jobs::Job, &Task)) {
    let mut tasks = 0;
    for (mut engine, codec, cipher) in libraries() {
        for (job, algorithms, does) in
            [(&jobs::CODEC, &CODEC[..], codec), (&jobs::CIPHER, &CIPHER[..], cipher)]
        {
            for (algorithm, reuse, bytes) in combinations(algorithms, sizes) {
                let task = task(job, algorithm, reuse, bytes);
                let prepared = engine.prepare(job, &task).map(|ready| ready.authenticated);
                if does.contains(&algorithm) {
                    assert_eq!(prepared, Ok((job.authenticates)(algorithm)), "{task:?}");
                    body(&mut engine, job, &task);
                    tasks += 1;
                } else {
                    let name = engine.library.name();
                    assert!(matches!(prepared, Err(Answer::Unsupported { .. })), "{name} {task:?}");
                }
            }
        }
    }
    assert!(tasks >= 50 * sizes.len(), "{tasks}");
}

fn combinations<'a>(
    algorithms: &'a [&'a str],
    sizes: &'a [u64],
) -> impl Iterator<Item = (&'a str, &'static str, u64)> {
    let combined = algorithms.iter().flat_map(|algorithm| REUSE.map(|reuse| (*algorithm, reuse)));
    combined.flat_map(|(algorithm, reuse)| sizes.iter().map(move |bytes| (algorithm, reuse, *bytes)))
}

fn task(job: &'static jobs::Job, algorithm: &str, reuse: &str, bytes: u64) -> Task {
    let (parameters, directory) = (job.named(algorithm, reuse), String::new());
    let (job, bytes) = (job.name.into(), Some(bytes));
    Task { job, parameters, bytes, concurrency: None, seed: SEED, directory, peer: None }
}

fn model(job: &'static jobs::Job, task: &Task, operation: Operation, number: u64) -> Vec<u8> {
    (job.expected)(task.algorithm(), task.seed, task.bytes(), operation, number).unwrap()
}

fn is(data: &[u8]) -> Answer {
    Answer::Checked(fingerprint_of(data))
}

fn sha256(data: &[u8]) -> String {
    fingerprint_of(data).sha256
}

#[test]
fn every_output_is_the_models_and_what_the_model_made_opens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    for_each_task(&SIZES, |engine, job, task| {
        let &[forward, back] = job.operations else { panic!("{job:?}") };
        // Another number after the first: a tuned context must not remember its nonce.
        for number in [5, 6] {
            std::fs::write(&path, input(task.seed, task.bytes())).unwrap();
            let made = model(job, task, forward, number);
            assert_eq!(engine.check(forward, number, &path), is(&made), "{task:?}");
            std::fs::write(&path, made).unwrap();
            assert_eq!(engine.check(back, number, &path), is(&model(job, task, back, number)), "{task:?}");
        }
    });
}

#[test]
fn a_flipped_bit_is_refused_and_the_engine_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    for_each_task(&[49, 8404], |engine, job, task| {
        if !(jobs::CIPHER.authenticates)(task.algorithm()) {
            return;
        }
        let sealed = model(job, task, Operation::Seal, 5);
        for at in [0, sealed.len() / 2, sealed.len() - 17, sealed.len() - 1] {
            let mut damaged = sealed.clone();
            damaged[at] ^= 4;
            std::fs::write(&path, damaged).unwrap();
            let answer = engine.check(Operation::Open, 5, &path);
            assert!(matches!(answer, Answer::Refused { .. }), "{task:?}, byte {at}: {answer:?}");
        }
        for short in [0, 15] {
            std::fs::write(&path, &sealed[..short]).unwrap();
            let answer = engine.check(Operation::Open, 5, &path);
            assert!(matches!(answer, Answer::Refused { .. }), "{task:?}, {short} bytes: {answer:?}");
        }
        std::fs::write(&path, &sealed).unwrap();
        assert!(matches!(engine.check(Operation::Open, 6, &path), Answer::Refused { .. }), "{task:?}");
        assert_eq!(engine.check(Operation::Open, 5, &path), is(&input(task.seed, task.bytes())), "{task:?}");
    });
}

#[test]
fn malformed_text_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    for_each_task(&[49], |engine, job, task| {
        let malformed: &[&[u8]] = match task.algorithm() {
            "none" | "RC4" => return,
            // Bad characters, a lone one, padding that is missing or not at the end, the other alphabet.
            "base64" | "base64-mime" => &[b"Zm9*", b"Z", b"Zm8", b"Zg==Zm9v", b"-_8="],
            "base64url" => &[b"Zm9*", b"Z", b"+/8"],
            // Not a whole number of blocks.
            _ => &[b"\x00\x01\x02\x03\x04\x05\x06"],
        };
        for text in malformed {
            std::fs::write(&path, text).unwrap();
            let answer = engine.check(job.operations[1], 5, &path);
            assert!(matches!(answer, Answer::Refused { .. }), "{task:?}, {text:?}: {answer:?}");
        }
    });
}

#[test]
fn wrong_padding_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    for_each_task(&[64], |engine, job, task| {
        if ["DES", "DESede", "AES", "Blowfish", "RC2"].contains(&task.algorithm()) {
            // Without its last block the text ends in a byte of the input, and this one is no padding's.
            assert!(input(task.seed, task.bytes())[63] > 16);
            let mut sealed = model(job, task, Operation::Seal, 5);
            let block = sealed.len() - task.bytes() as usize;
            sealed.truncate(sealed.len() - block);
            std::fs::write(&path, sealed).unwrap();
            let answer = engine.check(Operation::Open, 5, &path);
            assert!(matches!(answer, Answer::Refused { .. }), "{task:?}: {answer:?}");
        }
    });
}

#[test]
fn a_span_does_as_many_as_asked_and_shows_the_last() {
    for_each_task(&[49], |engine, job, task| {
        let &[forward, back] = job.operations else { panic!("{job:?}") };
        for (first, count) in [(1, 1), (6, 7), (6, 8), (6, 21), (u64::MAX, 1)] {
            let last = first.wrapping_add(count - 1);
            assert_eq!(
                timed(engine, forward, first, count),
                (count, sha256(&model(job, task, forward, last)))
            );
            assert_eq!(timed(engine, back, first, count), (count, sha256(&model(job, task, back, first))));
        }
        assert_eq!(timed(engine, forward, 6, 0), (0, sha256(b"")));
    });
}

#[test]
fn the_empty_loop_puts_out_nothing_in_every_library() {
    for (mut engine, ..) in libraries() {
        let ready = engine.prepare(&jobs::EMPTY, &task(&jobs::EMPTY, "none", "tuned", 49)).unwrap();
        assert_eq!((ready.authenticated, ready.code.as_str()), (false, "the loop alone"));
        assert_eq!(timed(&mut engine, Operation::Loop, 3, 100), (100, sha256(b"")));
        assert!(matches!(engine.time(Operation::Seal, 3, 100), Answer::Unsupported { .. }));
    }
}

fn timed(engine: &mut Memory, operation: Operation, first: u64, count: u64) -> (u64, String) {
    match engine.time(operation, first, count) {
        Answer::Timed(Timed { count, sha256, span }) => {
            assert!(span.wall_ns > 0 && span.used.cpu_ns.is_some());
            (count, sha256)
        }
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn every_library_says_who_it_is_and_what_runs() {
    for_each_task(&[49], |engine, job, task| {
        let (name, version) = engine.hello().unwrap();
        assert_eq!(name, engine.library.name());
        assert!(version.contains(|each: char| each.is_ascii_digit()), "{name}: {version}");
        let code = engine.prepare(job, task).unwrap().code;
        assert!(!code.is_empty() && !code.contains("unknown"), "{code}");
    });
}

#[test]
fn an_ask_out_of_turn_or_out_of_bounds_is_bad_news() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let mut engine = InMemory::Base64.engine();
    assert_eq!(engine.time(Operation::Encode, 1, 1), failed("not prepared"));
    engine.prepare(&jobs::CODEC, &task(&jobs::CODEC, "base64", "tuned", 49)).unwrap();
    assert!(matches!(engine.check(Operation::Encode, 1, &path), Answer::Failed { .. }));
    std::fs::write(&path, vec![b'A'; 2 * 49 + 1024 + 1]).unwrap();
    assert_eq!(engine.check(Operation::Encode, 1, &path), failed("the file is longer than 1122 bytes"));
    assert!(engine.prepare(&jobs::FILE, &task(&jobs::FILE, "none", "tuned", 49)).is_err());
}

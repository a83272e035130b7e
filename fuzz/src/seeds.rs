//! Runs every target over its seeds, and over random damage to them, on the stable compiler.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use crate::largest::largest_allocation;
use crate::{
    access, age, formats, header, index, json, keystring, log, logfmt, ltsv, patterns, payload, signed,
    token, within, wrapped,
};
use std::fs;
use std::path::Path;

/// A header has at most 3 MiB; a buffer that grows to hold it may be twice as large.
const MOST_MEMORY: usize = 8 << 20;

/// Seeds named `good…` must be accepted, and all others refused.
fn run_all(name: &str, target: fn(&[u8]) -> bool) {
    let seeds = read(name);
    let good = seeds.iter().filter(|(name, _)| name.starts_with("good")).count();
    assert!(good > 0 && good < seeds.len(), "{name}: {good} of {} seeds are good", seeds.len());
    for (seed, data) in &seeds {
        assert_eq!(target(data), seed.starts_with("good"), "{name}/{seed}");
    }
    for (_, data) in &seeds {
        damage(data, target);
    }
    assert!(largest_allocation() <= MOST_MEMORY, "{name}: {} bytes at once", largest_allocation());
}

fn read(target: &str) -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let mut seeds: Vec<_> = fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    seeds.sort();
    seeds
}

/// Does the first steps of a fuzzer, from a fixed start: flips, cuts and doubles. The target panics if a promise breaks.
fn damage(data: &[u8], target: fn(&[u8]) -> bool) {
    let mut state = 0x5ea1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for _ in 0..200 {
        let mut damaged = data.to_vec();
        let at = next(damaged.len());
        match next(4) {
            0 => damaged.truncate(at),
            1 => damaged.insert(at, next(256) as u8),
            2 => damaged.extend_from_within(at..),
            _ => damaged.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << next(8)),
        }
        target(&damaged);
    }
}

#[test]
fn header_seeds() {
    run_all("header", header);
}

#[test]
fn index_seeds() {
    run_all("index", index);
}

#[test]
fn payload_seeds() {
    run_all("payload", payload);
}

#[test]
fn signed_seeds() {
    run_all("signed", signed);
}

#[test]
fn age_seeds() {
    run_all("age", age);
}

#[test]
fn keystring_seeds() {
    run_all("keystring", keystring);
}

#[test]
fn token_seeds() {
    run_all("token", token);
}

#[test]
fn log_seeds() {
    run_all("log", log);
}

#[test]
fn json_seeds() {
    run_all("json", json);
}

#[test]
fn logfmt_seeds() {
    run_all("logfmt", logfmt);
}

#[test]
fn ltsv_seeds() {
    run_all("ltsv", ltsv);
}

#[test]
fn access_seeds() {
    run_all("access", access);
}

#[test]
fn patterns_seeds() {
    run_all("patterns", patterns);
}

#[test]
fn formats_seeds() {
    run_all("formats", formats);
}

#[test]
fn wrapped_seeds() {
    run_all("wrapped", wrapped);
}

#[test]
fn within_seeds() {
    run_all("within", within);
}

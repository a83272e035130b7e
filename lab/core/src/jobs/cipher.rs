//! Job `cipher`: bytes in memory under a key that both sides have.

use super::{Among, Choice, Job, Parameter, REUSE};
use crate::model::{self, Secrets};
use crate::protocol::Operation;

pub static CIPHER: Job = Job {
    name: "cipher",
    operations: &[Operation::Seal, Operation::Open],
    parameters: &[
        Parameter::of(
            "algorithm",
            &[
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
            ],
        ),
        REUSE,
    ],
    expected: |algorithm, seed, bytes, operation, number| {
        let (secrets, plain) = (Secrets::derive(seed), model::input(seed, bytes));
        match operation {
            Operation::Seal => model::seal(algorithm, &secrets, number, &plain),
            Operation::Open => model::seal(algorithm, &secrets, number, b"").map(|_| plain),
            _ => None,
        }
    },
    authenticates: |algorithm| {
        ["AES-128-GCM", "AES-256-GCM", "AES-256-GCM-SIV", "ChaCha20-Poly1305"].contains(&algorithm)
    },
    about: "cipher",
    choice: Choice {
        operations: &[(Operation::Seal, "seal"), (Operation::Open, "open")],
        among: Among::Authenticated,
        by_algorithm: true,
        ..Choice::OF_ANY
    },
    ..Job::IN_MEMORY
};

//! Job `codec`: base64 in memory, bytes to text and back.

use super::{Among, Choice, Job, Parameter, REUSE};
use crate::model;
use crate::protocol::Operation;

pub static CODEC: Job = Job {
    name: "codec",
    operations: &[Operation::Encode, Operation::Decode],
    parameters: &[Parameter::of("algorithm", &["base64", "base64url", "base64-mime"]), REUSE],
    expected: |algorithm, seed, bytes, operation, _| match operation {
        Operation::Encode => model::encode(algorithm, &model::input(seed, bytes)),
        Operation::Decode => model::encode(algorithm, b"").map(|_| model::input(seed, bytes)),
        _ => None,
    },
    about: "base64",
    choice: Choice {
        operations: &[(Operation::Encode, "encode"), (Operation::Decode, "decode")],
        among: Among::Algorithm("base64"),
        ..Choice::OF_ANY
    },
    ..Job::IN_MEMORY
};

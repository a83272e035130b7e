//! A job that a test adds as lab/README.md says: a room and its place among all; nothing else knows its name.

use super::{Job, Parameter, Unit};
use crate::model;
use crate::protocol::Operation;

pub static TOY: Job = Job {
    name: "toy",
    operations: &[Operation::Encode, Operation::Decode],
    parameters: &[Parameter::of("algorithm", &["backwards"])],
    unit: Unit::Bytes,
    expected: |algorithm, seed, bytes, operation, _| {
        let plain = model::input(seed, bytes);
        match (algorithm, operation) {
            ("backwards", Operation::Encode) => Some(plain.into_iter().rev().collect()),
            ("backwards", Operation::Decode) => Some(plain),
            _ => None,
        }
    },
    about: "text backwards",
    ..Job::IN_MEMORY
};

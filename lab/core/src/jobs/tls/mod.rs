//! Jobs `tls-transfer` and `tls-connect`: what is asked of an engine, and what its answers must prove.

mod credentials;
mod span;
mod stalls;

pub use credentials::Credentials;

use super::{Among, Beside, Choice, Equipment, Job, Parameter, Proved, Question, Unit};
use crate::protocol::{Operation, Shape};
use crate::tls::{Certificate, GROUPS, PROTOCOLS, Way};
use crate::workload::Fingerprint;

pub static TLS_TRANSFER: Job = Job {
    name: "tls-transfer",
    operations: &[Operation::Upload, Operation::Download],
    about: "TLS transfer",
    questions: &[Question::Choose(Choice {
        operations: &[(Operation::Upload, "send"), (Operation::Download, "receive")],
        among: Among::Libraries,
        ..Choice::OF_ANY
    })],
    ..OF_TLS
};

pub static TLS_CONNECT: Job = Job {
    name: "tls-connect",
    operations: &[Operation::Full, Operation::Resumed],
    unit: Unit::Connections,
    // In memory there is one thread, and no connection beside another.
    is_possible: |shape, at_once| at_once == 1 || shape != Shape::Memory,
    about: "TLS connection",
    questions: &[
        Question::Choose(Choice {
            operations: &[(Operation::Full, "connect")],
            among: Among::Libraries,
            ..Choice::OF_ANY
        }),
        Question::PostQuantum,
        Question::Resuming,
    ],
    ..OF_TLS
};

const OF_TLS: Job = Job {
    parameters: &[
        Parameter::of("protocol", &PROTOCOLS),
        // The names of the IANA registry.
        Parameter::of("suite", &["TLS_*"]),
        Parameter::of("group", &GROUPS),
        Parameter::of("certificate", &Certificate::NAMES),
        Parameter::of("transport", &["memory", "nodelay", "default-sockets"]),
    ],
    by_plan: Some(|algorithm| Way::parse(algorithm).is_some_and(|way| way.is_legacy())),
    is_alone: true,
    equip: |input, _, lines| {
        let place = input.with_file_name("credentials");
        let credentials = Credentials::make(place, super::algorithms(lines).into_iter())?;
        Ok(Equipment { credentials: Some(credentials), ..Equipment::default() })
    },
    check: |runner, cell, operation| {
        let bytes = runner.time(cell, operation, 2)?.output_bytes.unwrap_or(0);
        Ok(Proved::from(Fingerprint { bytes, sha256: String::new() }))
    },
    time: span::time,
    beside: Beside::SameShape,
    ..Job::IN_MEMORY
};

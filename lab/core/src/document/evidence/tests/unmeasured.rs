#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::super::*;
use crate::protocol::Operation;
use crate::rows::{Fault, FaultKind, Note, Row};
use crate::summary::fixtures::{Made, Named};

const GOOD: Named = ("good", "AES", "tuned");

fn fault(engine: &str, size: Option<u64>, kind: FaultKind, why: &str) -> Row {
    Row::Fault(Fault {
        job: "cipher".into(),
        size,
        engine: engine.into(),
        parameters: crate::parameters::Parameters::for_tests(Some("AES"), Some("tuned")),
        operation: None,
        kind,
        why: why.into(),
    })
}

/// The outcomes that are told of the job, if there are any.
fn drawn(rows: &[Row]) -> Option<Vec<String>> {
    let section = unmeasured(rows).shift_remove("cipher")?;
    assert!(section.tables.is_empty());
    Some(section.sentences.into_iter().map(|sentence| sentence.text).collect())
}

#[test]
fn every_outcome_has_a_word_and_a_reason() {
    for kind in [
        FaultKind::Unsupported,
        FaultKind::NotRun,
        FaultKind::Absent,
        FaultKind::Limited,
        FaultKind::OutOfMemory,
        FaultKind::WrongOutput,
    ] {
        let reason = format!("other AES (tuned), 1 KiB: {}: this is why", kind.words());
        assert_eq!(drawn(&[fault("other", Some(1_024), kind, "this is why")]).unwrap(), [reason]);
    }
}

#[test]
fn where_all_went_well_there_is_nothing_to_tell_but_notes() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    assert!(drawn(&made.rows).is_none());
    made.rows.push(Row::Note(Note::new("cipher", 64, "2 of 8 blocks".into())));
    assert_eq!(drawn(&made.rows).unwrap(), ["cipher, 64 bytes: 2 of 8 blocks"]);
}

#[test]
fn more_reasons_than_anybody_reads_are_counted() {
    let faults = (0..300)
        .map(|at| fault(&format!("other-{at}"), Some(65 + at), FaultKind::Failed, &format!("why {at}")));
    let remarks = drawn(&faults.collect::<Vec<_>>()).unwrap();
    assert_eq!(remarks.len(), 100 + 1);
    assert_eq!(remarks[100], "and 200 more, all of which are in the results file");
}

/// The outcomes that are told of the first job.
fn sentences(rows: &[Row]) -> Vec<String> {
    let section = unmeasured(rows).into_iter().next().unwrap().1;
    section.sentences.into_iter().map(|sentence| sentence.text).collect()
}

fn unsupported(engine: &str, algorithm: &str, how: &str, why: &str) -> Row {
    Row::Fault(Fault {
        job: "cipher".into(),
        size: Some(49),
        engine: engine.into(),
        parameters: crate::parameters::Parameters::for_tests(Some(algorithm), Some(how)),
        operation: None,
        kind: FaultKind::Unsupported,
        why: why.into(),
    })
}

#[test]
fn lines_with_one_reason_are_one_sentence() {
    let names: Vec<String> = (0..20).map(|number| format!("peer-{number}")).collect();
    let mut rows: Vec<Row> = names.iter().map(|name| unsupported(name, "DES", "tuned", "no DES")).collect();
    rows.push(unsupported("peer-0", "DES", "as-written", "no key"));
    let first = names[..6].iter().map(|name| format!("{name} DES (tuned), 49 bytes")).collect::<Vec<_>>();
    let expected = [
        format!("{} and 14 more: unsupported: no DES", first.join("; ")),
        "peer-0 DES (as-written), 49 bytes: unsupported: no key".into(),
    ];
    assert_eq!(sentences(&rows), expected);
}

/// Which modes a library refuses a size in is what a reader wants to know.
#[test]
fn of_payloads_the_shapes_are_told() {
    let limited = |how| {
        Row::Fault(Fault {
            job: "payload".into(),
            size: Some((2 << 30) + 1),
            engine: "SunJCE 17.0.15".into(),
            parameters: crate::parameters::Parameters::for_tests(Some("AES-128-GCM"), Some(how)),
            operation: Some(crate::protocol::Operation::Open),
            kind: FaultKind::Limited,
            why: "an array holds 2147483647 bytes at most".into(),
        })
    };
    let of = |how| format!("SunJCE 17.0.15 AES-128-GCM ({how}), 2 GiB + 1, open");
    let why = "refuses this size: an array holds 2147483647 bytes at most";
    let expected = format!("{}; {}: {why}", of("one-shot"), of("stream"));
    assert_eq!(sentences(&[limited("one-shot"), limited("stream")]), [expected]);
}

#[test]
fn other_causes_stay_apart() {
    let rows = [
        unsupported("ring", "DES", "tuned", "no cipher \"DES\""),
        unsupported("ring", "RC4", "tuned", "broken: RC4 is off"),
        Row::Note(crate::rows::Note::new("cipher", 49, "2 of 8 blocks".into())),
    ];
    assert_eq!(sentences(&rows).len(), 3);
}

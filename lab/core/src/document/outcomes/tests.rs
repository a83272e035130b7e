#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::{Operation, Shape};
use crate::rows::{Fault, FaultKind, Note, Row};
use crate::summary::made::{Made, Named};

const GOOD: Named = ("good", "AES", Shape::Tuned);

fn fault(engine: &str, size: Option<u64>, kind: FaultKind, why: &str) -> Row {
    Row::Fault(Fault {
        job: "cipher".into(),
        size,
        engine: engine.into(),
        parameters: crate::parameters::Parameters::for_tests(Some("AES"), Some(Shape::Tuned)),
        operation: None,
        kind,
        why: why.into(),
    })
}

/// The section of the job, if there is anything to tell.
fn drawn(rows: &[Row]) -> Option<Section> {
    let run = Run::of(rows);
    section(&run, "cipher")
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
        let section = drawn(&[fault("other", Some(1_024), kind, "this is why")]).unwrap();
        let reason = format!("other, AES, tuned, 1 KiB: {}: this is why", kind.words());
        assert_eq!((section.remarks, section.tables.len()), (vec![reason], 0));
    }
}

#[test]
fn where_all_went_well_there_is_nothing_to_tell_but_notes() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    assert!(drawn(&made.rows).is_none());
    made.rows.push(Row::Note(Note::new("cipher", 64, "2 of 8 blocks".into())));
    assert_eq!(drawn(&made.rows).unwrap().remarks, ["cipher, 64 bytes: 2 of 8 blocks"]);
}

#[test]
fn more_reasons_than_anybody_reads_are_counted() {
    let faults = (0..300)
        .map(|at| fault(&format!("other-{at}"), Some(65 + at), FaultKind::Failed, &format!("why {at}")));
    let remarks = drawn(&faults.collect::<Vec<_>>()).unwrap().remarks;
    assert_eq!(remarks.len(), MOST_REASONS + 1);
    assert_eq!(remarks[MOST_REASONS], "and 200 more, all of which are in the results file");
}

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::Shape;
use crate::rows::{FaultKind, Note, Row, Sample};
use crate::summary::made::{Made, Named};

const GOOD: Named = ("good", "AES", Shape::Tuned);

fn fault(engine: &str, size: Option<u64>, kind: FaultKind, why: &str) -> Row {
    Row::Fault(Fault {
        job: "cipher".into(),
        size,
        engine: engine.into(),
        algorithm: Some("AES".into()),
        shape: Some(Shape::Tuned),
        operation: None,
        kind,
        why: why.into(),
    })
}

/// The section of the job, if there is anything to tell.
fn drawn(rows: &[Row]) -> Option<Section> {
    let run = Run::of(rows);
    section(&run, "cipher", &run.cells)
}

/// One line that did both sizes, and others to which these things happened.
fn page_of(faults: Vec<Row>) -> Section {
    let mut made = Made::default();
    for size in [64, 1_024] {
        made.timed("cipher", size, GOOD, Operation::Seal, 1_000);
    }
    made.rows.extend(faults);
    drawn(&made.rows).unwrap()
}

/// What is told of a line, size by size.
fn row(section: &Section, line: &str) -> Vec<String> {
    let table = &section.tables[0];
    let row = table.rows.iter().find(|row| row.told(0) == line).unwrap();
    (1..table.columns.len()).map(|at| row.told(at).to_owned()).collect()
}

#[test]
fn every_outcome_has_a_word_and_a_reason() {
    for (kind, told) in [
        (FaultKind::Unsupported, "unsupported [1]"),
        (FaultKind::NotRun, "not run [1]"),
        (FaultKind::Absent, "absent [1]"),
        (FaultKind::Limited, "refuses this size [1]"),
        (FaultKind::OutOfMemory, "out of memory [1]"),
        (FaultKind::WrongOutput, "wrong output [1]"),
    ] {
        let section = page_of(vec![fault("other", Some(1_024), kind, "this is why")]);
        assert_eq!(row(&section, "other AES (tuned)"), ["not asked", told]);
        assert_eq!(row(&section, "good AES (tuned)"), ["ok", "ok"]);
        let reason = format!("[1] other, AES, tuned, 1 KiB: {}: this is why", kind.words());
        assert_eq!(section.remarks, [reason]);
    }
}

/// An engine that is not there has neither sizes nor algorithms.
#[test]
fn what_holds_for_all_sizes_stands_at_each() {
    let page = page_of(vec![fault("gone", None, FaultKind::Absent, "no such program")]);
    assert_eq!(row(&page, "gone AES (tuned)"), ["absent [1]", "absent [1]"]);
}

#[test]
fn what_only_began_is_told_from_what_was_done() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    made.sample("cipher", 64, ("slow", "AES", Shape::Tuned), Operation::Seal, 0, |sample: &mut Sample| {
        sample.phase = rows::Phase::Cold;
    });
    assert_eq!(row(&drawn(&made.rows).unwrap(), "slow AES (tuned)"), ["cold only"]);
}

#[test]
fn where_all_went_well_there_is_nothing_to_tell_but_notes() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    assert!(drawn(&made.rows).is_none());
    made.rows.push(Row::Note(Note::new("cipher", 64, "2 of 8 blocks".into())));
    let section = drawn(&made.rows).unwrap();
    assert!(section.tables.is_empty());
    assert_eq!(section.remarks, ["cipher, 64 bytes: 2 of 8 blocks"]);
}

#[test]
fn more_lines_sizes_and_reasons_than_anybody_reads_are_counted() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    let faults = (0..300)
        .map(|at| fault(&format!("other-{at}"), Some(65 + at), FaultKind::Failed, &format!("why {at}")));
    made.rows.extend(faults);
    let section = drawn(&made.rows).unwrap();
    let table = &section.tables[0];
    // One line did well, and there is more to say of the others.
    assert_eq!(
        (table.rows.len(), table.left_out, section.remarks.len()),
        (MOST_LINES, 101, MOST_REASONS + 1)
    );
    assert!(table.rows.iter().all(|row| row.told(0) != "good AES (tuned)"));
    assert_eq!(
        (table.title.as_str(), table.columns.len()),
        ("without 261 more sizes and operations", 1 + MOST_PLACES)
    );
    assert_eq!(table.columns[1].title, "64 bytes, seal");
    assert!(!table.rows.iter().any(|row| (1..=MOST_PLACES).any(|at| row.told(at).contains("[101]"))));
}

/// The first fault that is meant counts, however broadly it is meant.
#[test]
fn a_fault_of_an_engine_is_one_of_all_its_lines() {
    let broad = |algorithm: Option<&str>, shape, operation| {
        Row::Fault(Fault {
            job: "cipher".into(),
            size: Some(64),
            engine: "good".into(),
            algorithm: algorithm.map(str::to_owned),
            shape,
            operation,
            kind: FaultKind::TimedOut,
            why: "too long".into(),
        })
    };
    let (tuned, seal) = (Some(Shape::Tuned), Some(Operation::Seal));
    for row_of in [
        broad(None, None, None),
        broad(Some("AES"), None, seal),
        broad(None, tuned, None),
        broad(Some("AES"), tuned, seal),
    ] {
        assert_eq!(row(&page_of(vec![row_of]), "good AES (tuned)"), ["timed out [1]", "ok"]);
    }
    for other in [broad(Some("DES"), None, None), broad(None, None, Some(Operation::Open))] {
        assert_eq!(row(&page_of(vec![other]), "good AES (tuned)"), ["ok", "ok"]);
    }
}

/// Whoever was absent when the run was begun, and was there when it was taken up again.
#[test]
fn what_was_measured_since_counts_where_it_was_measured() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    made.rows.push(fault("copy", None, FaultKind::Absent, "no such program"));
    let note = Note::new("cipher", 1_024, "the budget was spent before".into());
    made.rows.push(Row::Note(Note { unmeasured: Some(crate::rows::Unmeasured::Size), ..note }));
    let resumed = made.rows.len();
    for engine in ["good", "copy"] {
        made.timed("cipher", 1_024, (engine, "AES", Shape::Tuned), Operation::Seal, 1_000);
    }
    made.rows.push(Row::Finished(rows::Finished { job: "cipher".into(), size: 1_024, blocks: 8 }));
    let told = |rows: &[Row]| {
        let section = drawn(rows).unwrap();
        (row(&section, "copy AES (tuned)"), section.remarks)
    };
    let (words, remarks) = told(&made.rows);
    assert_eq!(words, ["absent [1]", "absent [1]"], "nothing was taken up again");
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    let machine = crate::machine::Machine::default();
    let (command, started) = ("measure --resume".into(), String::new());
    made.rows.insert(resumed, Row::Resumed(rows::Resumed { command, started, machine }));
    let (words, remarks) = told(&made.rows);
    assert_eq!((words, remarks), (vec!["not asked".to_owned(), "ok".to_owned()], Vec::new()));
    made.rows.push(fault("copy", Some(1_024), FaultKind::Died, "of grief"));
    assert_eq!(told(&made.rows).0, ["not asked", "died [1]"]);
}

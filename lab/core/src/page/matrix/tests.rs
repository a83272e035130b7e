use super::*;
use crate::protocol::{Operation, Shape};
use crate::rows::{self, Note, Row, Sample};
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

/// The section of each job.
fn drawn(rows: &[Row]) -> String {
    let run = Run::of("made.jsonl", rows, 0);
    run.jobs().iter().map(|job| section(&run, job).into_string()).collect()
}

/// One line that did both sizes, and others to which these things happened.
fn page_of(faults: Vec<Row>) -> String {
    let mut made = Made::default();
    for size in [64, 1_024] {
        made.timed("cipher", size, GOOD, Operation::Seal, 1_000);
    }
    made.rows.extend(faults);
    drawn(&made.rows)
}

/// The cells of a line's row, each as its class and its text.
fn row(page: &str, line: &str) -> Vec<(String, String)> {
    let (_, rest) = page.split_once(&format!("<th scope=\"row\">{line}</th>")).unwrap_or_default();
    let cells = rest.split("</tr>").next().unwrap_or_default().split("<td class=\"").skip(1);
    let cell = |cell: &str| {
        let (class, rest) = cell.split_once("\">").unwrap_or_default();
        (class.to_owned(), rest.split('<').next().unwrap_or_default().trim().to_owned())
    };
    cells.map(cell).collect()
}

#[test]
fn every_outcome_has_a_sign_a_word_and_a_reason() {
    for (kind, class, told) in [
        (FaultKind::Unsupported, "quiet", "○ unsupported"),
        (FaultKind::NotRun, "quiet", "– not run"),
        (FaultKind::Absent, "quiet", "– absent"),
        (FaultKind::Limited, "bad", "■ refuses this size"),
        (FaultKind::OutOfMemory, "bad", "▲ out of memory"),
        (FaultKind::TimedOut, "bad", "◆ timed out"),
        (FaultKind::Failed, "bad", "✕ failed"),
        (FaultKind::WrongOutput, "bad", "✕ wrong output"),
    ] {
        let page = page_of(vec![fault("other", Some(1_024), kind, "this is <why>")]);
        let cell = |class: &str, text: &str| (class.to_owned(), text.to_owned());
        assert_eq!(row(&page, "other AES (tuned)"), [cell("quiet", "· not asked"), cell(class, told)]);
        assert_eq!(row(&page, "good AES (tuned)"), [cell("ok", "✓ ok"), cell("ok", "✓ ok")]);
        assert!(page.contains("href=\"#why-cipher-1\" aria-label=\"reason 1 of cipher\">[1]</a>"), "{page}");
        let reason = format!("AES, tuned, 1 KiB: {}: this is &lt;why&gt;</li>", kind.words());
        assert!(page.contains("<li id=\"why-cipher-1\">other, ") && page.contains(&reason), "{page}");
        assert!(page.contains(&format!("<strong class=\"{class}\">{told}</strong>")), "{page}");
    }
}

/// An engine that is not there has neither sizes nor algorithms.
#[test]
fn what_holds_for_all_sizes_stands_at_each() {
    let page = page_of(vec![fault("gone", None, FaultKind::Absent, "no such program")]);
    let told: Vec<String> = row(&page, "gone AES (tuned)").into_iter().map(|(_, text)| text).collect();
    assert_eq!(told, ["– absent", "– absent"]);
}

#[test]
fn what_only_began_is_told_from_what_was_done() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    made.sample("cipher", 64, ("slow", "AES", Shape::Tuned), Operation::Seal, 0, |sample: &mut Sample| {
        sample.phase = rows::Phase::Cold;
    });
    let page = drawn(&made.rows);
    assert_eq!(row(&page, "slow AES (tuned)"), [("ok".to_owned(), "● cold only".to_owned())]);
}

#[test]
fn where_all_went_well_a_sentence_says_it() {
    let note = Row::Note(Note { job: "cipher".into(), size: 64, note: "2 of 8 blocks".into() });
    let page = page_of(vec![note]);
    assert!(page.contains("Its one line did everything that was asked of it.") && !page.contains("<table"));
    assert!(page.contains("<li>cipher, 64 bytes: 2 of 8 blocks</li>"), "{page}");
}

#[test]
fn two_lines_are_both_and_more_are_all() {
    for (names, told) in [(&["a", "b"][..], "Both lines did"), (&["a", "b", "c"], "All 3 lines did")] {
        let mut made = Made::default();
        for name in names {
            made.timed("cipher", 64, (name, "AES", Shape::Tuned), Operation::Seal, 1_000);
        }
        let page = drawn(&made.rows);
        assert!(page.contains(&format!("{told} everything that was asked of them.")), "{page}");
    }
}

#[test]
fn more_lines_sizes_and_reasons_than_anybody_reads_are_counted() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    let faults = (0..300)
        .map(|at| fault(&format!("other-{at}"), Some(65 + at), FaultKind::Failed, &format!("why {at}")));
    made.rows.extend(faults);
    let page = drawn(&made.rows);
    assert_eq!(page.matches("<th scope=\"row\">").count(), MOST_LINES);
    assert_eq!(page.matches("<li id=\"why-cipher-").count(), MOST_REASONS);
    // One line did well, and there is more to say of the others.
    let told = " (and 101 more lines, and 261 more sizes and operations: the rows have them all)</caption>";
    assert!(page.contains(told) && !page.contains("good AES"), "{page}");
    assert!(page.contains("<p class=\"remarks\">and 200 more: the rows have them all</p>"), "{page}");
    assert!(page.contains("<th scope=\"col\">64 bytes, seal</th>") && !page.contains("[101]"), "{page}");
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
        let told: Vec<String> =
            row(&page_of(vec![row_of]), "good AES (tuned)").into_iter().map(|(_, text)| text).collect();
        assert_eq!(told, ["◆ timed out", "✓ ok"]);
    }
    for other in [broad(Some("DES"), None, None), broad(None, None, Some(Operation::Open))] {
        let told: Vec<String> =
            row(&page_of(vec![other]), "good AES (tuned)").into_iter().map(|(_, text)| text).collect();
        assert_eq!(told, ["✓ ok", "✓ ok"]);
    }
}

/// Whoever was absent when the run was begun, and was there when it was taken up again.
#[test]
fn what_was_measured_since_counts_where_it_was_measured() {
    let mut made = Made::default();
    made.timed("cipher", 64, GOOD, Operation::Seal, 1_000);
    made.rows.push(fault("copy", None, FaultKind::Absent, "no such program"));
    made.rows.push(Row::Note(Note::of_nothing_begun("cipher", 1_024, "the budget was spent before")));
    let resumed = made.rows.len();
    for engine in ["good", "copy"] {
        made.timed("cipher", 1_024, (engine, "AES", Shape::Tuned), Operation::Seal, 1_000);
    }
    made.rows.push(Row::Finished(rows::Finished { job: "cipher".into(), size: 1_024, blocks: 8 }));
    let told = |rows: &[Row]| {
        let page = drawn(rows);
        let words: Vec<String> = row(&page, "copy AES (tuned)").into_iter().map(|(_, text)| text).collect();
        (words, page)
    };
    assert_eq!(told(&made.rows).0, ["– absent", "– absent"], "nothing was taken up again");
    let machine = crate::machine::Machine::default();
    let (command, started) = ("measure --resume".into(), String::new());
    made.rows.insert(resumed, Row::Resumed(rows::Resumed { command, started, machine }));
    let (words, page) = told(&made.rows);
    assert_eq!(words, ["– absent", "✓ ok"]);
    let why = "absent: no such program (before the run was taken up again; measured since)</li>";
    assert!(page.contains(why) && !page.contains("the budget was spent"), "{page}");
    made.rows.push(fault("copy", Some(1_024), FaultKind::Died, "of grief"));
    assert_eq!(told(&made.rows).0, ["– absent", "✕ died"]);
}

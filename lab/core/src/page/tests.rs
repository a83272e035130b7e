#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::{Operation, Shape};
use crate::rows;
use crate::summary::made::Made;
use std::collections::BTreeMap;

/// The sections of a kind of evidence.
pub(super) fn drawn(rows: &[Row], is_meant: fn(Proof) -> bool) -> String {
    let run = Run::of("made.jsonl", rows, 0);
    let sections = run.document.jobs.iter().flat_map(|chapter| {
        let meant = chapter.sections.iter().filter(|section| is_meant(section.at));
        meant.map(|section| tables::section(&run, &chapter.job, section).into_string())
    });
    sections.collect()
}

/// The values that an attribute has in elements of a class, in the order of the page.
pub(super) fn attributes(page: &str, class: &str, name: &str) -> Vec<String> {
    let of_class =
        |tag: &&str| value(tag, "class").is_some_and(|classes| classes.split(' ').any(|it| it == class));
    page.split('<').filter(of_class).filter_map(|tag| value(tag, name)).collect()
}

fn value(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split('>').next()?.split_once(&format!(" {name}=\""))?;
    Some(rest.split('"').next()?.to_owned())
}

/// Every place and length of a drawing that is told in per cent of its box is one, and lies within.
pub(super) fn assert_within(page: &str) {
    let mut count = 0;
    for name in ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"] {
        for tag in page.split('<') {
            let Some(place) = value(tag, name) else { continue };
            let number: f64 = place.trim_end_matches('%').parse().unwrap();
            assert!((0.0..=100.0).contains(&number), "<{tag}");
            count += 1;
        }
    }
    assert!(count > 0, "nothing is drawn");
}

#[test]
fn places_outside_of_a_drawing_are_seen() {
    for wrong in ["NaN%", "-1%", "100.1%", "inf%", ""] {
        let drawing = format!("<line x1=\"1%\" x2=\"{wrong}\"></line>");
        assert!(std::panic::catch_unwind(|| assert_within(&drawing)).is_err(), "{wrong}");
    }
    assert_within("<line x1=\"1%\" x2=\"100%\"></line>");
}

#[test]
fn a_stranger_cannot_write_markup() {
    let mut made = Made::default();
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
    made.timed(evil, 49, (evil, evil, Shape::Tuned), Operation::Seal, 1_000);
    let page = html(&[(evil, &made.rows)]);
    assert!(page.contains("&lt;/script&gt;"));
    assert!(!page.contains("<img") && page.matches("<script").count() == 2, "{page}");
}

/// Names that only their signs, their case or their words tell apart.
#[test]
fn jobs_of_any_names_have_ids_of_their_own() {
    let names =
        ["a b", "a-b", "A-B", "a_b", "a.b", "a.20.b", "a-b-49-seal", "a b seal", "ä", "ö", "a 49", "", "-1"];
    let mut made = Made::default();
    for name in names {
        for size in [49, 490, 12_345, 12_346, 123_450] {
            for line in [("one", "x", Shape::Tuned), ("two", "x", Shape::Tuned)] {
                made.timed(name, size, line, Operation::Seal, size * 1_000);
            }
        }
    }
    let page = html(&[("one.jsonl", &made.rows), ("two.jsonl", &made.rows)]);
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let different: BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(ids.len(), different.len());
    let of_jobs = |thing: &str| ids.iter().filter(|id| id.starts_with(thing)).count();
    assert_eq!(["job-", "ratios-", "run2-job-"].map(of_jobs), [13, 5 * 13, 13], "{ids:?}");
}

/// Who hears the links of a page one after the other must know them apart, also those of two runs.
#[test]
fn links_that_sound_alike_lead_to_the_same_place() {
    let mut made = Made::default();
    for job in ["file", "pipe"] {
        for size in [12_345, 12_346, 1 << 20] {
            for (engine, ns) in [("quick", 1_000), ("slow", 9_000)] {
                made.timed(job, size, (engine, "x", Shape::Tuned), Operation::Seal, ns);
            }
            made.reference(job, size, ("slow", "x", Shape::Tuned));
        }
        made.rows.push(Row::Fault(rows::Fault {
            job: job.into(),
            size: Some(12_345),
            engine: "broken".into(),
            parameters: crate::parameters::Parameters::for_tests(Some("x"), Some(Shape::Tuned)),
            operation: None,
            kind: rows::FaultKind::Failed,
            why: "of itself".into(),
        }));
    }
    let page = html(&[("one.jsonl", &made.rows), ("two.jsonl", &made.rows)]);
    let mut targets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for link in page.split("<a").skip(1) {
        let Some((target, name)) = value(link, "href").zip(value(link, "aria-label")) else { continue };
        targets.entry(name).or_default().insert(target);
    }
    assert!(targets.len() > 6, "{targets:#?}");
    assert!(targets.values().all(|targets| targets.len() == 1), "{targets:#?}");
}

fn fault(job: &str, size: Option<u64>, operation: Option<Operation>) -> Row {
    Row::Fault(rows::Fault {
        job: job.into(),
        size,
        engine: "broken".into(),
        parameters: crate::parameters::Parameters::for_tests(Some("x"), Some(Shape::Tuned)),
        operation,
        kind: rows::FaultKind::WrongOutput,
        why: "the digest is another".into(),
    })
}

fn note(job: &str) -> Row {
    Row::Note(rows::Note::new(job, 1_024, "not run: the budget was spent before".into()))
}

/// The part of a job on the page of a run that measured another one.
fn part_of_job(job: &str, told: &[Row]) -> String {
    let mut made = Made::default();
    made.rows.extend_from_slice(told);
    made.timed("cipher", 64, ("good", "x", Shape::Tuned), Operation::Seal, 1_000);
    let page = html(&[("made.jsonl", &made.rows)]);
    let (contents, rest) = page.split_once("</nav>").unwrap();
    assert!(contents.contains(&format!("<li><a href=\"#job-{job}\">{job}</a></li>")), "{contents}");
    let (measured, rest) = rest.split_once(&format!("<h2 id=\"job-{job}\">Job {job}</h2>")).unwrap();
    assert!(measured.contains("Job cipher"), "what was measured comes first");
    rest.split("<h2").next().unwrap().to_owned()
}

/// The fault may have no size, and the job may be unknown.
#[test]
fn a_job_of_which_only_a_fault_is_known_is_on_the_page() {
    for (job, size, operation) in [
        ("payload", Some(1_024), None),
        ("payload", Some(1_024), Some(Operation::Seal)),
        ("payload", None, None),
        ("plumbing", Some(1_024), None),
    ] {
        let part = part_of_job(job, &[fault(job, size, operation)]);
        assert!(part.contains("<li>broken, x") && !part.contains("<table"), "{part}");
        assert!(part.contains("wrong output: the digest is another</li>"), "{part}");
    }
}

#[test]
fn a_job_of_which_only_a_note_is_known_is_on_the_page() {
    let part = part_of_job("payload", &[note("payload"), note("payload")]);
    let told = "<li>payload, 1 KiB: not run: the budget was spent before</li>";
    assert_eq!(part.matches(told).count(), 1, "{part}");
}

#[test]
fn jobs_without_a_figure_are_as_many_as_anybody_reads() {
    let rows: Vec<Row> = (0..=50).map(|at| note(&format!("job-{at}"))).chain([note("")]).collect();
    let page = html(&[("made.jsonl", &rows)]);
    assert_eq!(page.matches("<h2 id=\"job-").count(), 50);
    assert!(
        page.contains("and 2 more jobs without a figure, all of which are in the results file"),
        "{page}"
    );
    let page = html(&[("made.jsonl", &[note("")])]);
    assert!(
        page.contains("<a href=\"#job-\">without a name</a>") && page.contains("Job without a name</h2>"),
        "{page}"
    );
}

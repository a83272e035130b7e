#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::Operation;
use crate::rows;
use crate::summary::fixtures::Made;
use std::collections::{BTreeMap, BTreeSet};

/// The sections of a kind of evidence, by the beginning of their ids.
pub(crate) fn drawn(rows: &[Row], kind: &str) -> String {
    let sections = Document::of_rows(rows).chapters.into_iter().flat_map(|chapter| chapter.sections);
    let meant = sections.filter(|section| section.id.starts_with(kind));
    meant.map(|section| super::section(&section).into_string()).collect()
}

/// The values that an attribute has in elements of a class, in the order of the page.
pub(crate) fn attributes(page: &str, class: &str, name: &str) -> Vec<String> {
    let of_class =
        |tag: &&str| value(tag, "class").is_some_and(|classes| classes.split(' ').any(|it| it == class));
    page.split('<').filter(of_class).filter_map(|tag| value(tag, name)).collect()
}

fn value(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split('>').next()?.split_once(&format!(" {name}=\""))?;
    Some(rest.split('"').next()?.to_owned())
}

/// Every place and length of a drawing that is told in per cent of its box is one, and lies within.
pub(crate) fn assert_within(page: &str) {
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
    made.timed(evil, 49, (evil, evil, "tuned"), Operation::Seal, 1_000);
    let page = html(evil, &made.rows);
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
            for line in [("one", "x", "tuned"), ("two", "x", "tuned")] {
                made.timed(name, size, line, Operation::Seal, size * 1_000);
            }
        }
    }
    let page = html("one.jsonl", &made.rows);
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let different: BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(ids.len(), different.len());
    let of_jobs = |thing: &str| ids.iter().filter(|id| id.starts_with(thing)).count();
    assert_eq!(["job-", "ratios-"].map(of_jobs), [13, 5 * 13], "{ids:?}");
}

/// A reader who hears the links of a page one after the other must know them apart.
#[test]
fn links_that_sound_alike_lead_to_the_same_place() {
    let mut made = Made::default();
    for job in ["file", "pipe"] {
        for size in [12_345, 12_346, 1 << 20] {
            for (engine, ns) in [("quick", 1_000), ("slow", 9_000)] {
                made.timed(job, size, (engine, "x", "tuned"), Operation::Seal, ns);
            }
            made.reference(job, size, ("slow", "x", "tuned"));
        }
        made.rows.push(Row::Fault(rows::Fault {
            job: job.into(),
            size: Some(12_345),
            engine: "broken".into(),
            parameters: crate::parameters::Parameters::for_tests(Some("x"), Some("tuned")),
            operation: None,
            kind: rows::FaultKind::Failed,
            why: "of itself".into(),
        }));
    }
    let page = html("one.jsonl", &made.rows);
    let mut targets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for link in page.split("<a").skip(1) {
        let Some((target, name)) = value(link, "href").zip(value(link, "aria-label")) else { continue };
        targets.entry(name).or_default().insert(target);
    }
    assert_eq!(targets.len(), 4, "{targets:#?}");
    assert!(targets.values().all(|targets| targets.len() == 1), "{targets:#?}");
}

fn fault(job: &str, size: Option<u64>, operation: Option<Operation>) -> Row {
    Row::Fault(rows::Fault {
        job: job.into(),
        size,
        engine: "broken".into(),
        parameters: crate::parameters::Parameters::for_tests(Some("x"), Some("tuned")),
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
    made.timed("cipher", 64, ("good", "x", "tuned"), Operation::Seal, 1_000);
    let page = html("made.jsonl", &made.rows);
    let (contents, rest) = page.split_once("</nav>").unwrap();
    assert!(contents.contains(&format!("<li><a href=\"#job-{job}\">Job {job}</a></li>")), "{contents}");
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
        assert!(part.contains("<li>broken x (tuned)") && !part.contains("<table"), "{part}");
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
fn a_job_without_a_name_has_a_title() {
    let page = html("made.jsonl", &[note("")]);
    assert!(
        page.contains("<a href=\"#job-\">Job without a name</a>") && page.contains("Job without a name</h2>"),
        "{page}"
    );
}

#[test]
fn a_jdk_that_answers_with_markup_stays_a_name() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/log-tuning.jsonl");
    let mut rows = crate::results::read(std::path::Path::new(golden)).unwrap();
    for row in &mut rows {
        if let Row::Engine(engine) = row {
            engine.jdk = engine.jdk.as_ref().map(|_| "17<script>".into());
        }
    }
    let page = html("run.jsonl", &rows);
    assert!(page.contains("17&lt;script&gt;") && page.matches("<script").count() == 2, "{page}");
}

#[test]
fn what_the_lab_itself_costs_is_told_and_what_went_wrong_with_it() {
    let mut made = Made::default();
    made.jvm("SunJCE", "25");
    let line = ("SunJCE 25", "none", "tuned");
    made.timed("empty", 1, line, Operation::Loop, 20);
    made.timed("codec", 49, line, Operation::Encode, 1_000);
    made.rows.push(Row::Note(rows::Note::new("empty", 1, "1 of <2> blocks".into())));
    made.rows.push(Row::Fault(rows::Fault {
        job: "empty".into(),
        size: Some(1),
        engine: "Python".into(),
        parameters: Default::default(),
        operation: None,
        kind: rows::FaultKind::Died,
        why: "of <grief>".into(),
    }));
    let page = html("run.jsonl", &made.rows);
    for told in [
        "data-label=\"lab\" data-value=\"0.02\">2 %</td>",
        "Job empty</h2>",
        "1 of &lt;2&gt; blocks</li>",
        ": died: of &lt;grief&gt;</li>",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    made.samples()
        .for_each(|sample| sample.wall_ns = sample.wall_ns.max(10_000 * u64::from(sample.size > 1)));
    assert!(!html("run.jsonl", &made.rows).contains("data-label=\"lab\""));
}

/// One name, so that lines which break elsewhere are alike.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn text_and_page_say_the_same_of_one_document() {
    let mut made = Made::default();
    for (engine, ns) in [("simdutf", 10), ("Go", 25), ("Python", 400)] {
        made.timed("codec", 49, (engine, "base64", "tuned"), Operation::Encode, ns);
    }
    made.reference("codec", 49, ("simdutf", "base64", "tuned"));
    made.rows.push(Row::End(crate::rows::End {
        seconds: 9,
        stolen_permille: Some(20),
        others_permille: Some(3),
        ..Default::default()
    }));
    let document = Document::of_rows(&made.rows);
    let page = html("made.jsonl", &made.rows);
    let text = words(&crate::document::text(&document));
    let trust: Vec<&String> = document.short[0].sentences.iter().map(|sentence| &sentence.text).collect();
    assert_eq!((document.answers.len(), document.short.len(), trust.len()), (1, 1, 1), "{document:#?}");
    let answer = &document.answers[0];
    for said in [&answer.about, &answer.headline, &answer.figures].into_iter().chain(trust) {
        // Beside the about stands the headline, line by line.
        let is_in_text = said.split(' ').all(|word| text.contains(word));
        assert!(is_in_text && page.contains(said.as_str()), "{said} is not in {text}");
    }
    assert!(page.contains("✓ simdutf") && page.matches("<svg class=\"plot row\"").count() >= 3);
}

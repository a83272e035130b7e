//! The table is golden text: each results file in tests/golden prints as the text beside it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_results_file_prints_as_its_golden_text() {
    for path in results() {
        let printed = table(&path, &["--long"]);
        let golden = kept(&path.with_extension("txt"), &printed);
        let name = path.file_stem().unwrap().to_string_lossy();
        let is_crowded = name == "peppol-gcm" || name.starts_with("tls-");
        let wide = printed.lines().filter(|line| is_crowded && line.chars().count() > 120);
        assert_eq!(wide.collect::<Vec<_>>(), [""; 0]);
        assert!(printed == golden, "{} prints now\n{printed}", path.display());
    }
}

/// With the lines that `measure` adds it fits on one screen of a terminal.
#[test]
fn the_answers_of_every_results_file_are_golden_and_few() {
    for path in results() {
        let printed = table(&path, &[]);
        let golden = kept(&path.with_extension("answers.txt"), &printed);
        assert!(printed == golden, "{} answers now\n{printed}", path.display());
        let widest = printed.lines().map(|line| line.chars().count()).max();
        assert!(printed.lines().count() <= 56 && widest <= Some(100), "{widest:?} columns\n{printed}");
    }
}

fn results() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let results: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect();
    assert!(!results.is_empty());
    results
}

fn table(path: &Path, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab"));
    String::from_utf8(command.arg("table").args(options).arg(path).output().unwrap().stdout).unwrap()
}

/// SEALMARK_GOLDEN=write keeps what is printed now.
fn kept(golden: &Path, printed: &str) -> String {
    if std::env::var("SEALMARK_GOLDEN").is_ok_and(|wish| wish == "write") {
        std::fs::write(golden, printed).unwrap();
    }
    std::fs::read_to_string(golden).unwrap()
}

/// The document is long; what machines rely on is its form, and that it says the same as the tables.
#[test]
fn every_results_file_has_a_document_for_machines() {
    let cliff = json_of("cliff.jsonl");
    assert_eq!((&cliff["summary"], &cliff["finished"]), (&5.into(), &true.into()));
    let engines = &section(&cliff, "engines")["tables"][0];
    let ran = engines["rows"].as_array().unwrap().iter().find(|row| row["figures"][0]["told"] == "aws-lc-rs");
    assert_eq!(figure(engines, ran.unwrap(), "what ran")["told"], "example");
    let cell = &section(&cliff, "ratios-cipher-1048576-seal")["tables"][0];
    let sun = row(cell, "SunJCE");
    let ratio = figure(cell, sun, "times_reference");
    assert!((ratio["value"].as_f64().unwrap() - 2.11).abs() < 0.01 && ratio["ends"][1].as_f64() > Some(2.11));
    assert_eq!(figure(cell, sun, "verdict")["told"], "slower");
    assert_eq!(figure(cell, sun, "time_ns")["told"], "190 µs");
    assert_eq!(figure(cell, sun, "ramp")["told"], "47.8 × faster after 312");
    assert!(!sections(&cliff).any(|section| section["id"] == "published"));
}

#[test]
fn the_document_for_machines_has_publications_and_their_fates() {
    let peppol = json_of("peppol-gcm.jsonl");
    let findings = findings(&peppol);
    let refuted = findings.iter().filter(|finding| finding.contains(": ✕ refuted: ")).count();
    assert_eq!((findings.len(), refuted), (7, 1), "{findings:?}");
    assert!(findings.iter().any(|finding| finding.starts_with("JDK 17.0.15: ✕ refuted: ")), "{findings:?}");
    let is_opened = |id: &str| id.starts_with("ratios-payload-") && id.ends_with("-open");
    let opened = sections(&peppol).filter(|section| is_opened(section["id"].as_str().unwrap()));
    let early: Vec<f64> = opened
        .map(|section| figure(&section["tables"][0], row(&section["tables"][0], "openssl"), "released_share"))
        .map(|figure| figure["value"].as_f64().unwrap())
        .collect();
    assert!(early.len() > 5 && early.iter().all(|share| *share > 0.9), "{early:?}");
    let then = json_of("tls-2009.jsonl");
    let figures = &section(&then, "published")["tables"][0]["rows"];
    assert_eq!((figures.as_array().unwrap().len(), self::findings(&then).len()), (66, 8));
}

/// The findings of all conclusions, wherever they were put to the test.
fn findings(document: &Value) -> Vec<String> {
    let conclusions = sections(document).filter(|it| it["id"].as_str().unwrap().starts_with("conclusion-"));
    let held = conclusions.flat_map(|conclusion| conclusion["sentences"].as_array().unwrap());
    held.map(|held| held["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_document_for_machines_tells_connections_and_growth() {
    let connections = json_of("tls-today.jsonl");
    let cell = section(&connections, "ratios-tls_connect-1-resumed");
    let sockets = cell["tables"].as_array().unwrap().iter();
    let sockets =
        sockets.clone().find(|table| table["title"].as_str().unwrap().starts_with("default-sockets"));
    let openssl = row(sockets.unwrap(), "openssl");
    assert_eq!(openssl["line"]["parameters"]["transport"], "default-sockets");
    assert_eq!(openssl["line"]["parameters"]["protocol"], "TLSv1.2");
    let rate = figure(sockets.unwrap(), openssl, "operations_per_second");
    assert!(rate["value"].as_f64() < Some(25.0), "{rate:#}");
    let growth = json_of("growth.jsonl");
    assert_eq!(growth["finished"], false);
    let encode = &section(&growth, "sizes-codec")["tables"][0];
    let rows = encode["rows"].as_array().unwrap().iter();
    let steep = rows.filter(|row| figure(encode, row, "it grows")["told"] == "faster than its input");
    let mut steep: Vec<_> = steep.map(|row| row["line"]["engine"].as_str().unwrap()).collect();
    steep.sort_unstable();
    assert_eq!(steep, ["commons-codec 17.0.15", "stream 17.0.15"]);
    let outcomes = section(&growth, "outcomes-codec")["sentences"].as_array().unwrap();
    assert!(
        outcomes.iter().any(|told| told["text"].as_str().unwrap().contains(": not run: ")),
        "{outcomes:?}"
    );
}

fn json_of(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab"));
    serde_json::from_slice(&command.args(["table", "--json"]).arg(path).output().unwrap().stdout).unwrap()
}

fn sections(document: &Value) -> impl Iterator<Item = &Value> {
    let chapters = document["document"]["chapters"].as_array().unwrap().iter();
    chapters.flat_map(|chapter| chapter["sections"].as_array().unwrap())
}

fn section<'a>(document: &'a Value, id: &str) -> &'a Value {
    sections(document).find(|section| section["id"] == id).unwrap()
}

/// The first row of a family of engines.
fn row<'a>(table: &'a Value, family: &str) -> &'a Value {
    let is_it = |row: &&Value| row["line"]["engine"].as_str().is_some_and(|name| name.starts_with(family));
    table["rows"].as_array().unwrap().iter().find(is_it).unwrap()
}

/// A figure by the key of its column.
fn figure<'a>(table: &'a Value, row: &'a Value, key: &str) -> &'a Value {
    let columns = table["columns"].as_array().unwrap();
    &row["figures"][columns.iter().position(|column| column["key"] == key).unwrap()]
}

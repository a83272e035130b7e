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

/// The document is long; what machines rely on is its form, and that it says the same as the table.
#[test]
fn every_results_file_has_a_document_for_machines() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let read = |name: &str| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab"));
        let output = command.args(["table", "--json"]).arg(directory.join(name)).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let cliff = read("cliff.jsonl");
    assert_eq!((&cliff["summary"], &cliff["finished"]), (&1.into(), &true.into()));
    let cell = &cliff["cells"][0];
    assert_eq!(
        (&cell["job"], &cell["bytes"], &cell["operation"]),
        (&"cipher".into(), &1_048_576.into(), &"seal".into())
    );
    let sun = cell["lines"].as_array().unwrap().iter().find(|line| line["family"] == "SunJCE").unwrap();
    assert_eq!((&sun["to_reference"]["verdict"], &sun["authenticated"]), (&"slower".into(), &true.into()));
    assert!((sun["to_reference"]["median"].as_f64().unwrap() - 2.11).abs() < 0.01, "{sun:#}");
    assert_eq!(sun["warmth"]["levels"][1]["after"], 312);
    assert_eq!(cliff["codes"]["aws-lc-rs"], serde_json::json!(["example"]));
    let peppol = read("peppol-gcm.jsonl");
    let fates: Vec<_> = peppol["then_and_now"]["conclusions"].as_array().unwrap().iter().collect();
    let fates: Vec<_> = fates.iter().map(|one| (one["jdk"].as_str(), one["fate"].as_str())).collect();
    assert_eq!((fates.len(), fates[3]), (7, (Some("17.0.15"), Some("refuted"))));
    let advice = &peppol["advice"];
    assert!(advice[0]["cold"].is_null() && advice[0]["steady"].is_null(), "{advice:#}");
    assert_eq!(advice[0]["outside_the_jvm"]["line"]["engine"], "sealmark");
    let cold_and_steady = ["cold", "steady"].map(|when| advice[1][when]["peak_bytes"].as_u64().unwrap());
    assert!(cold_and_steady[0] < cold_and_steady[1], "{advice:#}");
    let lines = peppol["cells"].as_array().unwrap().iter().flat_map(|cell| cell["lines"].as_array().unwrap());
    let openssl: Vec<_> = lines.filter(|line| line["family"] == "openssl").collect();
    assert!(openssl.iter().all(|line| line["released_bytes"].as_u64() > Some(100_000)), "{openssl:#?}");
    assert!(cliff["then_and_now"].is_null() && cliff["advice"].as_array().unwrap().is_empty());
    let connections = read("tls-today.jsonl");
    let cell = &connections["cells"][1];
    assert_eq!(
        (&cell["at_once"], &cell["bytes"], &cell["operation"]),
        (&1.into(), &Value::Null, &"resumed".into())
    );
    let is_waiting = |line: &&Value| line["tls"]["stalls"]["stalled"].as_u64() > Some(6);
    let waiting: Vec<_> = cell["lines"].as_array().unwrap().iter().filter(is_waiting).collect();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0]["line"]["shape"], "default-sockets");
    assert!(waiting[0]["tls"]["connections_per_second"].as_f64() < Some(25.0), "{:#}", waiting[0]);
    assert!(connections["resumption"][0]["full_to_resumed"]["median"].as_f64() > Some(1.5));
    let then = &read("tls-2009.jsonl")["then_and_now"];
    assert_eq!(
        (then["suites"].as_array().unwrap().len(), then["conclusions"].as_array().unwrap().len()),
        (22, 8)
    );
    let growth = read("growth.jsonl");
    assert_eq!(growth["finished"], false);
    let growing = growth["growth"].as_array().unwrap();
    let steep =
        growing.iter().filter(|line| line["faster_than_input"] == true && line["operation"] == "encode");
    let steep: Vec<_> = steep.map(|line| line["line"]["engine"].as_str().unwrap()).collect();
    assert_eq!(steep, ["commons-codec 17.0.15", "stream 17.0.15"]);
    assert!(growth["faults"].as_array().unwrap().iter().any(|fault| fault["kind"] == "not-run"));
}

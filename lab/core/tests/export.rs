//! The verb `export`, held to a golden file.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn ask(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sealmark-lab")).args(arguments).output().unwrap()
}

/// Its standard error, after it has failed.
fn refused(arguments: &[&str]) -> String {
    let output = ask(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_run_is_exported_as_its_golden_file() {
    let output = ask(&["export", data("export/small.jsonl").to_str().unwrap()]);
    let printed = String::from_utf8(output.stdout).unwrap();
    let golden = std::fs::read_to_string(data("export/small.csv")).unwrap();
    assert!(printed == golden, "the export is now\n{printed}");
}

#[test]
fn an_export_replaces_a_file_but_never_the_results() {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("run.jsonl");
    std::fs::copy(data("export/small.jsonl"), &results).unwrap();
    let (results, out) = (results.to_str().unwrap(), directory.path().join("run.csv"));
    std::fs::write(&out, "older").unwrap();
    let output = ask(&["export", results, "-o", out.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(data("export/small.csv")).unwrap());
    let said = refused(&["export", results, "-o", results]);
    assert!(said.contains("is one of the results files\nhint: choose another name: -o export.csv"), "{said}");
    assert_eq!(std::fs::read(results).unwrap(), std::fs::read(data("export/small.jsonl")).unwrap());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2, "no half of a file is left");
}

#[test]
fn what_is_no_run_is_not_exported() {
    let said = refused(&["export", data("export/small.csv").to_str().unwrap()]);
    assert!(said.contains("small.csv\" line 1"), "{said}");
}

//! The verb `export`, held to golden files, and other tools' files in `report`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn ask(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sealmark-lab")).args(arguments).output().unwrap()
}

/// What it says on standard error, having failed.
fn refused(arguments: &[&str]) -> String {
    let output = ask(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_run_is_exported_as_its_golden_files() {
    let small = data("export/small.jsonl");
    for (format, golden) in [
        ("csv", "export/small.csv"),
        ("jmh", "export/small.jmh.json"),
        ("bencher", "export/small.bencher.json"),
    ] {
        let output = ask(&["export", small.to_str().unwrap(), "--to", format]);
        let printed = String::from_utf8(output.stdout).unwrap();
        let golden = std::fs::read_to_string(data(golden)).unwrap();
        assert!(printed == golden, "{format} is now\n{printed}");
    }
}

#[test]
fn an_export_replaces_a_file_but_never_the_results() {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("run.jsonl");
    std::fs::copy(data("export/small.jsonl"), &results).unwrap();
    let (results, out) = (results.to_str().unwrap(), directory.path().join("run.csv"));
    std::fs::write(&out, "older").unwrap();
    let output = ask(&["export", results, "--to", "csv", "-o", out.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(data("export/small.csv")).unwrap());
    let said = refused(&["export", results, "--to", "csv", "-o", results]);
    assert!(said.contains("is one of the results files\nhint: choose another name: -o export.csv"), "{said}");
    assert_eq!(std::fs::read(results).unwrap(), std::fs::read(data("export/small.jsonl")).unwrap());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2, "no half of a file is left");
}

#[test]
fn what_is_no_run_is_not_exported() {
    let said = refused(&["export", data("elsewhere/jmh-1.37.json").to_str().unwrap(), "--to", "csv"]);
    assert!(said.contains("jmh-1.37.json\" line 1"), "{said}");
    let said = refused(&["export", data("export/small.jsonl").to_str().unwrap(), "--to", "xml"]);
    assert!(said.contains("[possible values: csv, jmh, bencher]"), "{said}");
}

#[test]
fn a_report_shows_other_tools_beside_a_run_and_never_against_it() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("page.html");
    let files = ["export/small.jsonl", "elsewhere/jmh-1.37.json", "elsewhere/hyperfine-1.15.json"].map(data);
    let [run, jmh, hyperfine] = files.each_ref().map(|path| path.to_str().unwrap());
    let output = ask(&["report", run, jmh, hyperfine, "-o", page.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&page).unwrap();
    let (ours, elsewhere) = text.split_once("Measured elsewhere, not paired</h2>").unwrap();
    assert!(ours.contains("SunJCE 25.0.3") && !ours.contains("Base64Encoding"));
    for part in
        ["JMH 1.37: jmh-1.37.json", "hyperfine: hyperfine-1.15.json", "head -c 1000 /dev/zero", "In ops/ns"]
    {
        assert!(elsewhere.contains(part), "{part}");
    }
    let section = elsewhere.split_once("</section>").unwrap().0;
    assert!(
        !section.contains('×') && !section.contains("verdict") && !section.contains("slower"),
        "{section}"
    );
    let alone = ask(&["report", jmh, "-o", page.to_str().unwrap()]);
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
    assert!(std::fs::read_to_string(&page).unwrap().contains("<h1>Sealmark lab: jmh-1.37.json</h1>"));
}

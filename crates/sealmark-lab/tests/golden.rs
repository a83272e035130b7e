//! The table is golden text: each results file in tests/golden prints as the text beside it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::process::Command;

#[test]
fn every_results_file_prints_as_its_golden_text() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let results: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect();
    assert!(!results.is_empty());
    for path in results {
        let output =
            Command::new(env!("CARGO_BIN_EXE_sealmark-lab")).arg("table").arg(&path).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let golden = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        assert!(printed == golden, "{} prints now\n{printed}", path.display());
    }
}

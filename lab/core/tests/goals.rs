//! The verb `goals`, on the results of a run whose yardstick was disturbed.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::json;
use std::io::Read;
use std::path::Path;
use std::process::Command;

/// The verb, asked about these rows.
fn said(rows: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("run.jsonl");
    std::fs::write(&results, rows).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_sealmark-lab")).arg("goals").arg(&results).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// In that run opening 256 MiB took a fifth of the time of copying them.
#[test]
fn a_goal_is_not_met_against_a_yardstick_that_was_disturbed() {
    let packed =
        std::fs::File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/quick.jsonl.gz")).unwrap();
    let mut rows = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut rows).unwrap();
    let said = said(&rows);
    let goal = |part: &str| {
        let at = said.find(part).unwrap_or_else(|| panic!("no \"{part}\" in {said}"));
        let begin = said[..at].rfind('\n').map_or(0, |at| at + 1);
        let text = said[begin..].lines();
        let first = text.clone().take(1).chain(text.skip(1).take_while(|line| line.starts_with(' ')));
        first.map(str::trim).collect::<Vec<_>>().join(" ")
    };
    let large = goal("at most 1.25 × the time of copying it");
    assert!(
        large.starts_with("undecided: ")
            && large.contains("the least possible: the measurement of copy was disturbed"),
        "{large}"
    );
    assert!(goal("of the bare cipher and its base64").starts_with("met: "), "{said}");
    assert!(goal("to seal a value").starts_with("met: "), "{said}");
    assert!(said.ends_with(" goals not tested by this run\n"), "{said}");
}

/// Far from the second or two it takes, and below the minute that looking through all rows for each line would take.
#[test]
fn each_of_many_lines_is_held_against_the_one_that_releases_early() {
    let whole =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/files.jsonl"))
            .unwrap();
    let mut rows = whole.lines().next().unwrap().to_owned() + "\n";
    for at in 0..1_400 {
        let (engine, how) = (format!("engine-{}", at / 2), ["update", "verify-then-release"][at % 2]);
        let released = u64::from(engine == "engine-699" && how == "update");
        let (job, size, algorithm) = ("payload", 1 << 20, "AES-128-GCM");
        let checked = json!({
            "row": "checked", "job": job, "size": size, "engine": engine, "parameters": { "algorithm": algorithm, "mode": how },
            "authenticated": true, "code": "", "output_bytes": 1, "sha256": "", "released_bytes": released,
        });
        let sample = json!({
            "row": "sample", "job": job, "size": size, "block": 0, "pass": 0, "place": at, "engine": engine,
            "parameters": { "algorithm": algorithm, "mode": how }, "operation": "open", "phase": "steady", "count": 1,
            "wall_ns": 1_000_000 + at,
        });
        rows.push_str(&format!("{checked}\n{sample}\n"));
    }
    let began = std::time::Instant::now();
    let said = said(rows.as_bytes());
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    let open = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        open.starts_with("undecided: ")
            && open.contains("0 of 700 hold: ")
            && open.contains(" × open; ")
            && !open.contains("does not"),
        "{said}"
    );
}

//! The verbs `compare` and `gate` on pairs of results files made by hand.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::{Value, json};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A run of eight blocks on a machine that becomes slower from block to block: a job with a yardstick, a reference that
/// also runs a second time, and two more engines.
struct Run {
    cpu: &'static str,
    seed: u64,
    version: &'static str,
    blocks: u64,
    /// Engine, role and its time over that of the yardstick.
    engines: Vec<(&'static str, &'static str, f64)>,
    more: Vec<Value>,
    build: &'static str,
    ended: bool,
}

fn run() -> Run {
    let engines = vec![
        ("copy", "yardstick", 1.0),
        ("model", "peer", 3.0),
        ("ours", "ours", 2.0),
        ("other", "peer", 4.0),
    ];
    Run {
        cpu: "One",
        seed: 7,
        version: "1",
        blocks: 8,
        engines,
        more: Vec::new(),
        build: "release",
        ended: true,
    }
}

impl Run {
    fn timed(mut self, engine: &str, factor: f64) -> Self {
        self.engines.iter_mut().filter(|(name, ..)| *name == engine).for_each(|(_, _, time)| *time = factor);
        self
    }

    fn without(mut self, engine: &str) -> Self {
        self.engines.retain(|(name, ..)| *name != engine);
        self
    }

    fn write(&self, directory: &TempDir, name: &str) {
        let mut rows = vec![json!({
            "row": "header", "schema": 3, "lab": "0.1.0", "build": self.build, "commit": "abc1234",
            "command": "sealmark-lab measure test", "plan": "test", "history": null, "seed": self.seed,
            "started": "2026-11-21T10:00:00Z",
            "machine": {
                "cpu": self.cpu, "flags": "aes", "cores": 2, "memory_bytes": null, "system": "Linux",
                "filesystem": "ext4",
            },
        })];
        for (engine, role, _) in &self.engines {
            rows.push(json!({
                "row": "engine", "engine": engine, "family": engine, "about": "", "role": role,
                "version": self.version, "jdk": null, "in_process": true,
            }));
        }
        rows.push(json!({
            "row": "size", "job": "codec", "size": 49,
            "reference": { "engine": "model", "parameters": { "algorithm": "base64", "reuse": "tuned" } },
        }));
        for block in 0..self.blocks {
            rows.extend(self.engines.iter().map(|(engine, _, factor)| sample(block, engine, *factor)));
            rows.extend(self.engines.iter().filter(|(engine, ..)| *engine == "model").map(
                |(_, _, factor)| {
                    let mut again = sample(block, "model", *factor);
                    again["again"] = json!(true);
                    again
                },
            ));
        }
        rows.extend(self.more.clone());
        let end = json!({ "row": "end", "seconds": 1, "stolen_permille": null, "others_permille": null });
        rows.extend(self.ended.then_some(end));
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        std::fs::write(directory.path().join(name), text).unwrap();
    }
}

/// Every block has a tenth of a per cent of noise, the yardstick none.
fn sample(block: u64, engine: &str, factor: f64) -> Value {
    let noise = if engine == "copy" { 1.0 } else { 1.0 + 0.001 * ((block * 3) % 8) as f64 };
    let algorithm = if engine == "copy" { "none" } else { "base64" };
    json!({
        "row": "sample", "job": "codec", "size": 49, "block": block, "pass": 0, "place": 0, "engine": engine,
        "parameters": { "algorithm": algorithm, "reuse": "tuned" }, "operation": "encode", "phase": "steady", "count": 1,
        "wall_ns": (1e6 * factor * noise * (1.0 + 0.1 * block as f64)) as u64,
        "cpu_ns": null, "allocated_bytes": null, "gc_ns": null, "peak_bytes": null, "output_bytes": null,
        "start_ns": null,
    })
}

fn ask(directory: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab"));
    command.args(arguments).current_dir(directory.path()).output().unwrap()
}

fn asked(base: &Run, new: &Run, arguments: &[&str]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    base.write(&directory, "base.jsonl");
    new.write(&directory, "new.jsonl");
    ask(&directory, arguments)
}

fn compared(base: &Run, new: &Run) -> String {
    let output = asked(base, new, &["compare", "base.jsonl", "new.jsonl"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn document(base: &Run, new: &Run) -> Value {
    let output = asked(base, new, &["compare", "base.jsonl", "new.jsonl", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn rows_of(document: &Value) -> &Vec<Value> {
    document["document"]["chapters"][0]["sections"][0]["tables"][0]["rows"].as_array().unwrap()
}

/// A figure of a table that has all columns.
fn figure<'a>(row: &'a Value, name: &str) -> &'a Value {
    let columns = ["line", "against", "change", "verdict", "base", "new"];
    &row["figures"][columns.iter().position(|column| *column == name).unwrap()]["told"]
}

/// Exit code and words.
fn gated(base: &Run, new: &Run, more: &[&str]) -> (i32, String) {
    let arguments = [&["gate", "new.jsonl", "--baseline", "base.jsonl", "--max-slower", "5%"], more].concat();
    let output = asked(base, new, &arguments);
    let words = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(words).unwrap())
}

#[test]
fn a_run_beside_itself_is_the_same_and_warns_of_nothing() {
    let text = compared(&run(), &run());
    assert!(text.contains("4 rows in both: 0 slower, 0 faster, 4 the same, 0 undecided"), "{text}");
    assert!(text.contains("no line is faster in one run and slower in the other"), "{text}");
    assert!(!text.contains("warning") && !text.contains("Only in"), "{text}");
    assert_eq!(gated(&run(), &run(), &[]).0, 0);
}

#[test]
fn an_engine_a_fifth_slower_is_named_with_its_interval() {
    let text = compared(&run(), &run().timed("ours", 2.4));
    assert!(text.contains("1 slower, 0 faster, 3 the same, 0 undecided"), "{text}");
    let slower = "slower: codec, 49 bytes, encode: ours base64 takes 1.20 × (1.20–1.20) its time before, relative to \
                  model base64";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(slower), "{text}");
    let line = text.lines().find(|line| line.starts_with("  ours")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        words[2..].join(" "),
        "model base64 1.20 (1.20–1.20) slower 0.67 (0.67–0.67) 0.80 (0.80–0.80)"
    );
}

/// The whole machine a third slower, too: ratios do not see it.
#[test]
fn only_what_changed_against_others_changed() {
    let mut slow = run().timed("ours", 1.6);
    slow.engines.iter_mut().for_each(|(.., factor)| *factor *= 1.33);
    let document = document(&run(), &slow);
    let rows = rows_of(&document);
    let verdicts: Vec<_> =
        rows.iter().map(|row| (row["line"]["engine"].as_str().unwrap(), figure(row, "verdict"))).collect();
    let same = json!("the same");
    assert_eq!(
        verdicts,
        [("copy", &same), ("model", &same), ("ours", &json!("faster")), ("other", &same)],
        "{document:#}"
    );
    let ours = &rows[2];
    assert_eq!(figure(ours, "against"), "model base64");
    let parameters = ours["line"]["parameters"].as_object().unwrap();
    assert!(parameters.values().any(|value| value == "base64"), "{ours:#}");
    let change = ours["figures"][2]["value"].as_f64().unwrap();
    assert!((change - 0.8).abs() < 1e-3, "{ours:#}");
    let said = document["document"]["short"].to_string();
    assert!(said.contains("4 rows in both: 0 slower, 1 faster"), "{said}");
    let against = figure(&rows[1], "against");
    assert_eq!(against, "copy", "the reference itself is compared with the yardstick");
}

#[test]
fn a_verdict_that_contradicts_itself_is_shown_with_both_ratios() {
    let text = compared(&run(), &run().timed("ours", 3.3));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let part = "contradiction: codec, 49 bytes, encode: ours base64: base 0.67 × the time of model base64 (0.67–0.67): \
                faster; new 1.10 × the time of model base64 (1.10–1.10): slower";
    assert!(words.contains(part) && !text.contains("no line is faster in one run"), "{text}");
    let said = document(&run(), &run().timed("ours", 3.3))["document"]["short"].to_string();
    assert_eq!(said.matches("contradiction: ").count(), 1, "{said}");
}

#[test]
fn what_is_in_one_run_only_is_listed_with_the_reason_that_the_other_gives() {
    let mut new = run().without("ours");
    new.more.push(json!({
        "row": "fault", "job": "codec", "size": 49, "engine": "ours", "parameters": { "algorithm": "base64", "reuse": "tuned" },
        "operation": "encode", "kind": "died", "why": "exit status: 9",
    }));
    let text = compared(&run(), &new);
    assert!(
        text.contains("Only in base\n  codec, 49 bytes, encode: ours base64 (died: exit status: 9)\n"),
        "{text}"
    );
    let text = compared(&new, &run());
    assert!(
        text.contains("Only in new\n  codec, 49 bytes, encode: ours base64 (died: exit status: 9)\n"),
        "{text}"
    );
    assert!(text.contains("3 rows in both"), "{text}");
}

#[test]
fn without_its_reference_a_line_is_held_against_the_yardstick() {
    let document = document(&run(), &run().without("model"));
    let ours = rows_of(&document).iter().find(|row| row["line"]["engine"] == "ours").unwrap();
    assert_eq!((figure(ours, "against"), figure(ours, "verdict")), (&json!("copy"), &json!("the same")));
    let both = compared(&run(), &run().without("model").without("copy"));
    let lost =
        "the line that base compares them with is not in new\n  codec, 49 bytes, encode: ours base64\n";
    assert!(both.contains(lost), "{both}");
}

#[test]
fn what_differs_between_the_runs_is_warned_of_first() {
    let other = Run { cpu: "Two", seed: 8, version: "2", ..run() };
    let text = compared(&run(), &other);
    for warning in [
        "warning: another seed: base 7, new 8\n",
        "warning: another CPU: base One, new Two\n",
        "warning: another version of ours: base 1, new 2\n",
    ] {
        let at = text.find(warning).unwrap_or_else(|| panic!("{warning} is missing in {text}"));
        assert!(at < text.find("Changes").unwrap(), "{text}");
    }
    assert_eq!(text.matches("warning: ").count(), 2 + other.engines.len(), "{text}");
    assert!(
        gated(&run(), &other, &[]).1.starts_with("warning: another seed"),
        "{}",
        gated(&run(), &other, &[]).1
    );
}

#[test]
fn runs_whose_figures_mean_little_are_warned_of() {
    let bad = Run { build: "debug", ended: false, ..run() };
    let text = compared(&bad, &run());
    for warning in
        ["another build: base debug, new release", "base was measured without", "base was interrupted"]
    {
        assert!(text.contains(&format!("warning: {warning}")), "{warning}: {text}");
    }
    assert_eq!(text.matches("warning: ").count(), 3, "{text}");
}

/// They show noise and the lab's own cost.
#[test]
fn lines_that_run_again_and_the_empty_job_are_left_out() {
    let mut new = run();
    for block in 0..new.blocks {
        let mut again = sample(block, "ours", 9.0);
        again["again"] = json!(true);
        let mut empty = sample(block, "ours", 9.0);
        empty["job"] = json!("empty");
        new.more.extend([again, empty]);
    }
    for (base, new) in [(&new, &new), (&new, &run()), (&run(), &new)] {
        let text = compared(base, new);
        assert!(text.contains("4 rows in both") && !text.contains("Only in"), "{text}");
        assert_eq!(gated(base, new, &[]).0, 0);
    }
}

#[test]
fn fewer_than_six_blocks_change_nothing_and_pass_no_gate() {
    let short = Run { blocks: 5, ..run().timed("ours", 9.0) };
    let text = compared(&run(), &short);
    assert!(text.contains("0 slower, 0 faster, 0 the same, 4 undecided"), "{text}");
    let (code, words) = gated(&run(), &short, &[]);
    assert_eq!(code, 1, "{words}");
    let hint = "hint: measure both with --full, which gives each line all blocks of its plan\n";
    let few = "undecided: 3 lines without an interval, which takes six blocks in both runs\n";
    assert!(words.contains(&format!("{few}{hint}")), "{words}");
    let last = "no line could be judged: each has no interval, or one that contains the limit\n\
                failed: 0 slower by more than 5 %, 0 missing, 3 undecided, 0 within the limit\n";
    assert!(words.ends_with(last), "{words}");
}

#[test]
fn a_gate_whose_limit_lies_inside_every_interval_has_passed_nothing() {
    let alone = || run().without("model").without("other");
    let (code, words) = gated(&alone(), &alone().timed("ours", 2.1), &[]);
    assert_eq!(code, 1, "{words}");
    let last = "no line could be judged: each has no interval, or one that contains the limit\n\
                failed: 0 slower by more than 5 %, 0 missing, 1 undecided, 0 within the limit\n";
    assert!(words.ends_with(last), "{words}");
}

#[test]
fn the_gate_fails_on_what_is_slower_by_more_than_the_limit() {
    for (time, code, last) in [
        (2.4, 1, "failed: 1 slower by more than 5 %, 0 missing, 0 undecided, 2 within the limit\n"),
        (2.08, 0, "passed: 0 slower by more than 5 %, 0 missing, 0 undecided, 3 within the limit\n"),
        (1.0, 0, "passed: 0 slower by more than 5 %, 0 missing, 0 undecided, 3 within the limit\n"),
        // Four thousandths of noise reach across the limit.
        (2.1, 0, "passed: 0 slower by more than 5 %, 0 missing, 1 undecided, 2 within the limit\n"),
    ] {
        let (seen, words) = gated(&run(), &run().timed("ours", time), &[]);
        assert_eq!(seen, code, "{time}: {words}");
        assert!(words.ends_with(last), "{time}: {words}");
    }
    let words = gated(&run(), &run().timed("ours", 2.4), &[]).1;
    let slower = "slower: codec, 49 bytes, encode: ours base64: 1.20 (1.20–1.20) × its ratio before: now 2.41 (2.40–2.41) × \
                  the time of copy, before 2.01 (2.00–2.01) ×\n";
    assert!(words.starts_with(slower), "{words}");
}

/// Else every peer would fail as soon as the reference gains.
#[test]
fn the_gate_holds_lines_against_the_yardstick_and_not_against_the_reference() {
    assert_eq!(gated(&run(), &run().timed("model", 1.5), &[]).0, 0);
    let (code, words) = gated(&run().without("copy"), &run().without("copy").timed("model", 1.5), &[]);
    assert!(code == 1 && words.contains("2 slower"), "{words}");
}

#[test]
fn the_gate_fails_on_what_is_missing() {
    let new = run().without("ours");
    let (code, words) = gated(&run(), &new, &[]);
    assert_eq!(code, 1, "{words}");
    assert!(words.contains("missing: codec, 49 bytes, encode: ours base64: not in the results\n"), "{words}");
    let (code, words) = gated(&run(), &run().without("copy").without("model"), &[]);
    assert!(code == 1 && words.contains("3 missing"), "{words}");
}

#[test]
fn what_keeps_the_gate_from_judging_is_trouble() {
    let directory = tempfile::tempdir().unwrap();
    run().write(&directory, "run.jsonl");
    run().without("copy").without("ours").without("other").write(&directory, "alone.jsonl");
    for (arguments, part) in [
        (["gate", "run.jsonl", "--baseline", "nowhere", "--max-slower", "5%"], "cannot read \"nowhere\""),
        (["gate", "run.jsonl", "--baseline", "run.jsonl", "--max-slower", "5"], "a percentage such as 5%"),
        (
            ["gate", "alone.jsonl", "--baseline", "alone.jsonl", "--max-slower", "5%"],
            "has no line that can be compared with another",
        ),
    ] {
        let output = ask(&directory, &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
}

//! The verbs `doctor` and `check`: what would run, and whether it would run right.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod lab;

use lab::{Lab, fake, fake_in_memory, job, job_in_memory};
use std::process::Output;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A program that nobody has.
fn absent(name: &str, install: &str) -> String {
    format!(
        "[[engine]]\nname = \"{name}\"\nabout = \"nobody's\"\nrole = \"peer\"\nprogram = \"no-such-program\"\n\
         version = [\"no-such-program\"]\nauthenticated = true\n{install}[[engine.mode]]\nalgorithm = \"X25519\"\n\
         setup = []\nseal.file = [\"no-such-program\"]\nopen.file = [\"no-such-program\"]\n"
    )
}

/// The output of `check` for `engines` beside a yardstick, and its exit code.
fn checked(engines: &str, job: &str, yardstick: &str) -> (i32, String) {
    let lab = Lab::new();
    lab.write("engines.toml", &(yardstick.to_owned() + engines));
    lab.write("job.toml", job);
    let output = lab.command(&["check", "job.toml", "--engines", "engines.toml", "--dir", "scratch"]);
    lab.must_be_tidy();
    (output.status.code().unwrap(), stdout(&output))
}

fn checked_on_files(engines: &str) -> (i32, String) {
    checked(engines, &job("file"), &fake("yardstick", "yardstick", ""))
}

fn checked_in_memory(engines: &str) -> (i32, String) {
    checked(engines, &job_in_memory("cipher"), &fake_in_memory("yardstick", "yardstick", ""))
}

#[test]
fn what_is_right_is_told_line_by_line_and_times_nothing() {
    let (code, text) = checked_on_files(&fake("good", "ours", ""));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("right: file 100 kB: good X25519, refuses damaged data (a script)\n"), "{text}");
    assert!(text.ends_with("2 right, 0 wrong, 0 missing or unsupported\n"), "{text}");
    let (code, text) = checked_in_memory(&fake_in_memory("good", "ours", ""));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("right: cipher 49 bytes: good (tuned) (a script)\n"), "{text}");
}

#[test]
fn to_be_absent_or_not_to_do_it_is_no_failure() {
    let hint = "install = \"make no-such-program\"\n";
    let engines = absent("gone", hint) + &fake("other", "peer", "--misdeed unsupported");
    let (code, text) = checked_on_files(&engines);
    assert_eq!(code, 0, "{text}");
    let gone = "absent: gone: no program \"no-such-program\" was found; hint: make no-such-program\n";
    assert!(text.contains(gone), "{text}");
    assert!(text.contains("unsupported: file 100 kB: other X25519: "), "{text}");
    assert!(text.ends_with("1 right, 0 wrong, 2 missing or unsupported\n"), "{text}");
    let (code, text) = checked_in_memory(&fake_in_memory("small", "peer", "--misdeed limit"));
    assert!(code == 0 && text.contains("refuses this size: cipher 49 bytes: small (tuned): "), "{text}");
}

/// Each beside a good one, whose check goes on.
#[test]
fn every_misdeed_is_a_failure_and_spares_the_others() {
    for (misdeed, words) in [
        ("no-start", "died: bad: "),
        ("no-version", "broke the protocol: bad: "),
        ("old", "broke the protocol: bad: speaks protocol 2, and this lab 3 (lab/spec/engine.md)"),
        ("fail", "failed: file 100 kB: bad X25519: scripted to fail"),
        ("die", "died: file 100 kB: bad X25519: "),
        ("hang", "timed out: file 100 kB: bad X25519: no answer within 1 s"),
        ("junk", "broke the protocol: file 100 kB: bad X25519: "),
        ("wrong-output", "wrong output: file 100 kB: bad X25519: "),
        ("no-output", "wrong output: file 100 kB: bad X25519: said it was done and left no output"),
        ("gullible", "accepted damaged data: file 100 kB: bad X25519: one flipped bit"),
        ("exhaust", "out of memory: file 100 kB: bad X25519: scripted heap"),
    ] {
        let engines = fake("bad", "peer", &format!("--misdeed {misdeed}")) + &fake("good", "ours", "");
        let impatient = job("file").replace("timeout_seconds = 3", "timeout_seconds = 1");
        let (code, text) = checked(&engines, &impatient, &fake("yardstick", "yardstick", ""));
        assert_eq!(code, 1, "{misdeed}: {text}");
        assert!(text.contains(words), "{misdeed}: {text}");
        assert!(text.contains("right: file 100 kB: good X25519"), "{misdeed}: {text}");
        assert!(text.ends_with("2 right, 1 wrong, 0 missing or unsupported\n"), "{misdeed}: {text}");
    }
}

#[test]
fn lies_in_memory_are_failures() {
    for (misdeed, words) in [
        ("wrong-digest", "wrong output: cipher 49 bytes: bad (tuned): "),
        (
            "wrong-count",
            "wrong count: cipher 49 bytes: bad (tuned): was asked for 2 operations, but reported 1",
        ),
        ("wrong-promise", "wrong output: cipher 49 bytes: bad (tuned): says it authenticates"),
    ] {
        let (code, text) = checked_in_memory(&fake_in_memory("bad", "peer", &format!("--misdeed {misdeed}")));
        assert!(code == 1 && text.contains(words), "{misdeed}: {text}");
    }
}

#[test]
fn a_size_that_the_plan_does_not_have_is_trouble_and_no_success() {
    let lab = Lab::new();
    let output = lab.command(&["check", "files", "--size", "51", "--dir", "scratch"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("plan \"files\" has no size of 51 bytes\nhint: leave out --size"), "{said}");
}

#[test]
fn the_doctor_names_who_is_here_and_the_line_that_brings_the_others() {
    let lab = Lab::new();
    let engines = [
        fake("good", "ours", ""),
        absent("gone", "install = \"make gone\"\n"),
        absent("also gone", "install = \"make gone\"\n"),
        absent("gone for good", ""),
        fake("bad", "peer", "--misdeed no-start"),
    ];
    lab.write("engines.toml", &engines.concat());
    let output = lab.command(&["doctor", "--engines", "engines.toml"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.starts_with("machine: "), "{text}");
    let here = "would run\n  good: 1\nwould not run\n";
    let gone = "  gone, also gone: no program \"no-such-program\" was found\n    hint: make gone\n  gone for good: no \
                program \"no-such-program\" was found\n";
    let bad = "  bad: died: ";
    assert!(text.contains(&format!("{here}{gone}{bad}")), "{text}");
}

#[test]
fn an_engine_for_each_jdk_is_one_line() {
    let lab = Lab::new();
    let jvm = |name: &str, needs: &str| {
        let stanza = fake(name, "peer", "").replace("serve = [", "serve = [\"env\", \"JAVA={java}\", ");
        stanza.replace("role =", &format!("needs = [\"{needs}\"]\nrole ="))
    };
    lab.write("engines.toml", &(jvm("here", "{lab}") + &jvm("gone", "no-such.jar")));
    for version in ["7.0.1", "8.0.2"] {
        std::fs::create_dir_all(lab.path(version).join("bin")).unwrap();
        lab.write(&format!("{version}/release"), &format!("JAVA_VERSION=\"{version}\"\n"));
        lab.write(&format!("{version}/bin/java"), "");
    }
    let homes = ["--java-home", "7.0.1", "--java-home", "8.0.2"];
    let text = stdout(&lab.command(&[&["doctor", "--engines", "engines.toml"][..], &homes].concat()));
    assert!(text.contains("  here: 1 on Java 7.0.1, 8.0.2"), "{text}");
    assert!(text.contains("  gone: file \"no-such.jar\" is missing\n"), "{text}");
}

#[test]
fn a_measurement_can_be_one_document() {
    let lab = Lab::new();
    lab.write("engines.toml", &(fake("yardstick", "yardstick", "") + &fake("good", "ours", "--times 2")));
    lab.write("job.toml", &job("file"));
    let ran = lab.run(&["--json"]);
    let document: serde_json::Value = serde_json::from_slice(&ran.output.stdout).unwrap();
    let sections = document["document"]["chapters"][0]["sections"].as_array().unwrap();
    let cells = sections.iter().filter(|section| section["id"].as_str().unwrap().starts_with("ratios-"));
    assert_eq!(cells.count(), 2, "{document:#}");
    assert!(!ran.of("sample", "good").is_empty() && ran.table().starts_with('{'));
    let said = String::from_utf8_lossy(&ran.output.stderr);
    assert!(said.contains("raw samples: results.jsonl"), "{said}");
}

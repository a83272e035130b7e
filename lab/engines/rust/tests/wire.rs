//! The program behind its wire. This test is also why `cargo test` builds the program: tests of the lab start it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn an_engine_answers_by_hand() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab-rust"));
    let mut child = command.arg("copy").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let asks = "{\"ask\":\"hello\",\"protocol\":3}\n{\"ask\":\"hello\",\"protocol\":2}\n\
                {\"ask\":\"prepare\",\"job\":\"file\",\"algorithm\":\"none\",\"bytes\":1,\"seed\":1,\"directory\":\"/\"}\n\
                {\"ask\":\"prepare\",\"job\":\"tea\",\"algorithm\":\"none\",\"bytes\":1,\"seed\":1,\"directory\":\"/\"}\nwhat\n";
    child.stdin.take().unwrap().write_all(asks.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<&str> = answers.iter().map(|answer| answer["answer"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["hello", "unsupported", "ready", "unsupported", "failed"]);
    assert_eq!(answers[2]["authenticated"], false);
}

/// An engine that is started by a wrong name dies in every run, and its lines are missing.
#[test]
fn every_engine_that_the_lab_starts_here_answers_by_its_name() {
    let stanzas = include_str!("../../../engines.toml");
    assert!(!stanzas.contains("serve = [\"{lab}\""), "the lab itself is no engine of a library");
    let names = stanzas.split("serve = [\"{rust}\", \"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 10 && names.contains(&"base64"), "{names:?}");
    for name in names {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sealmark-lab-rust"));
        let mut child = child.arg(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"{\"ask\":\"hello\",\"protocol\":3}\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.contains("\"answer\":\"hello\""), "{name}: {said}");
    }
}

#[test]
fn a_certificate_of_nothing_that_is_known_is_an_error() {
    let program = env!("CARGO_BIN_EXE_sealmark-lab-rust");
    let output = Command::new(program).args(["certificate", "TLSv9", "/"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && said.starts_with("error: ") && said.contains("TLSv9"),
        "{said}"
    );
}

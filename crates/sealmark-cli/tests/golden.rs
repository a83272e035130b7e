//! Golden command-line cases: every file in `tests/cmd` is a case, which runs over the real program in a directory of
//! its own. A line of a case is
//!
//! - `$ command`: run by a shell without a terminal, in which `sealmark` is the program under test;
//! - `> text` and `! text`: all of standard output and of standard error, in this order;
//!   `*` matches any text within the line, `…` any number of lines;
//! - `? code`: the exit code, unless it is 0;
//! - anything else: prose.
//!
//! `ProgramTest` of java/log-reader runs many of them over the program in Java, except a step after a line that begins with
//! `Not in Java`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
struct Step {
    command: String,
    out: Vec<String>,
    err: Vec<String>,
    code: i32,
}

impl Step {
    /// In a line with several programs, the exit code is that of the last one.
    fn last_verb(&self) -> Option<&str> {
        self.command.rsplit("sealmark ").next()?.split_whitespace().next()
    }
}

#[test]
fn every_case_runs_as_written() {
    let mut cases = cases();
    assert!(cases.len() >= 30, "only {} cases found", cases.len());
    // SEALMARK_CASE=name runs one case.
    if let Ok(name) = std::env::var("SEALMARK_CASE") {
        cases.retain(|path| path.file_stem().is_some_and(|stem| *stem == *name));
        assert!(!cases.is_empty(), "no case is named {name:?}");
    }
    let failures = failures(&cases);
    assert!(
        failures.is_empty(),
        "{} of {} cases failed\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

/// The exit codes of each verb. Only opening needs a key and can find damage.
const CODES: [(&str, &[i32]); 10] = [
    ("keygen", &[0, 1, 2, 3, 4]),
    ("seal", &[0, 1, 2]),
    ("open", &[0, 1, 2, 3, 4]),
    ("list", &[0, 1, 2, 3, 4]),
    ("inspect", &[0, 1, 2, 4]),
    ("verify", &[0, 1, 2, 3, 4]),
    ("rekey", &[0, 1, 2, 3, 4]),
    ("log", &[0, 1, 2, 3, 4, 5]),
    ("completions", &[0, 1, 2]),
    ("man", &[0, 1, 2]),
];

#[test]
fn every_verb_has_a_case_for_every_exit_code() {
    let steps: Vec<Step> =
        cases().iter().flat_map(|case| steps(&fs::read_to_string(case).unwrap())).collect();
    for (verb, codes) in CODES {
        for code in codes {
            let found = steps.iter().any(|step| step.code == *code && step.last_verb() == Some(verb));
            assert!(found, "no case in which {verb} ends with {code}");
        }
    }
}

/// Runs the cases on all cores, because the key derivation of passphrases takes a third of the time.
fn failures(cases: &[PathBuf]) -> Vec<String> {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            failures.lock().unwrap().extend(run(case).err());
        }
    };
    std::thread::scope(|scope| {
        (0..std::thread::available_parallelism().unwrap().get()).for_each(|_| drop(scope.spawn(worker)));
    });
    failures.into_inner().unwrap()
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    cases.sort();
    cases
}

fn run(case: &Path) -> Result<(), String> {
    let directory = tempfile::tempdir().unwrap();
    for step in steps(&fs::read_to_string(case).unwrap()) {
        let output = shell(&step.command, directory.path());
        let (out, err) = (lines(&output.stdout), lines(&output.stderr));
        let code = output.status.code().unwrap_or(-1);
        if code != step.code || !all_match(&step.out, &out) || !all_match(&step.err, &err) {
            let name = case.file_name().unwrap().to_string_lossy();
            let seen = Step { command: step.command, out, err, code };
            return Err(format!("{name}: this is what happened\n{}", written(&seen)));
        }
    }
    Ok(())
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines() {
        let (mark, rest) = line.split_at(line.char_indices().nth(1).map_or(line.len(), |(index, _)| index));
        let rest = rest.strip_prefix(' ').unwrap_or(rest).to_owned();
        match (mark, steps.last_mut()) {
            ("$", _) => steps.push(Step { command: rest, ..Step::default() }),
            (">", Some(step)) => step.out.push(rest),
            ("!", Some(step)) => step.err.push(rest),
            ("?", Some(step)) => step.code = rest.parse().unwrap(),
            _ => {}
        }
    }
    steps
}

/// A session of its own has no terminal, whoever runs the tests, and the user's settings must not matter.
fn shell(command: &str, directory: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_sealmark"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("setsid");
    shell.args(["--wait", "bash", "-c", &format!("umask 022; {command}")]);
    shell
        .current_dir(directory)
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .stdin(std::process::Stdio::null());
    shell.output().expect("setsid and bash run")
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

fn all_match(patterns: &[String], lines: &[String]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=lines.len()).any(|skipped| all_match(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, lines)| matches(first, line) && all_match(rest, lines))
        }
    }
}

fn matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|line| {
            (0..=line.len())
                .filter(|skipped| line.is_char_boundary(*skipped))
                .any(|skipped| matches(rest, &line[skipped..]))
        }),
    }
}

/// The step in the form of a case, for comparing and for pasting.
fn written(step: &Step) -> String {
    let mut text = format!("$ {}\n", step.command);
    step.out.iter().for_each(|line| text += &format!("> {line}\n"));
    step.err.iter().for_each(|line| text += &format!("! {line}\n"));
    if step.code != 0 {
        text += &format!("? {}\n", step.code);
    }
    text
}

#[test]
fn patterns_match_whole_lines_only() {
    assert!(matches("a*c", "abbc") && matches("*", "") && matches("a*b*c", "aXbYc") && matches("a", "a"));
    assert!(!matches("a*c", "abcd") && !matches("a", "ab") && !matches("a*c", "xac"));
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert!(all_match(&owned(&["a", "…", "z"]), &owned(&["a", "b", "z"])));
    assert!(all_match(&owned(&["…"]), &[]));
    assert!(!all_match(&owned(&["a"]), &owned(&["a", "b"])));
    assert!(!all_match(&owned(&["a", "…", "z"]), &owned(&["a", "b"])));
}

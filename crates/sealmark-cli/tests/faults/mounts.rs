//! Tests that mount something run again, alone, in a mount namespace of their own, so that no mount outlives them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const INSIDE: &str = "SEALMARK_TEST_INSIDE_NAMESPACE";

/// Returns true in the namespace. Outside, it runs the test in a namespace, fails if the test fails, and returns false.
pub fn inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let Some(flags) =
        [&["--mount"][..], &["--mount", "--map-root-user"]].into_iter().find(|flags| works(flags))
    else {
        skip(test, "neither root nor user namespaces here");
        return false;
    };
    let mut again = Command::new("unshare");
    again.args(flags).arg(std::env::current_exe().unwrap()).args([
        "--exact",
        test,
        "--include-ignored",
        "--nocapture",
    ]);
    let output = again.env(INSIDE, "1").output().unwrap();
    // The output is indented, so that its result line is not counted as another test's.
    let [out, err] =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).replace('\n', "\n    "));
    assert!(output.status.success() && out.contains("1 passed"), "{test} in its namespace:\n{out}\n{err}");
    err.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with(FOUND))
        .for_each(|line| found(&line[FOUND.len()..]));
    false
}

const FOUND: &str = "found: ";

/// Prints what a long test found, past the capture of the test runner.
pub fn found(what: &str) {
    std::io::stderr().write_all(format!("{FOUND}{what}\n").as_bytes()).unwrap();
}

fn works(flags: &[&str]) -> bool {
    let mut probe = Command::new("unshare");
    probe.args(flags).args(["mount", "-t", "tmpfs", "none", "/mnt"]);
    probe.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Prints past the capture of the test runner, in words that `make test` counts as one skipped test.
pub fn skip(test: &str, why: &str) {
    let line = format!("test result: {test} was SKIPPED ({why}). 0 passed; 0 failed; 1 ignored\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

#[track_caller]
pub fn mount(args: &[&str], at: &Path) {
    let mut command = Command::new("mount");
    let output = command.args(args).arg(at).output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}

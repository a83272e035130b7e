//! Runs the lab on scripted engines in a directory of its own.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(dead_code, reason = "each test program uses its part of it")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

pub struct Lab {
    directory: TempDir,
}

/// The output and the rows of a run.
pub struct Ran {
    pub output: Output,
    pub rows: Vec<Value>,
}

impl Lab {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab"));
        command.args(arguments).current_dir(self.directory.path()).output().unwrap()
    }

    /// A run leaves none of the files that engines worked on.
    pub fn must_be_tidy(&self) {
        let left: Vec<_> = std::fs::read_dir(self.path("scratch")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }

    /// Runs `job.toml` with `engines.toml`.
    pub fn run(&self, more: &[&str]) -> Ran {
        let fixed = [
            "measure",
            "job.toml",
            "--engines",
            "engines.toml",
            "--out",
            "results.jsonl",
            "--dir",
            "scratch",
        ];
        let tables: &[&str] = if more.contains(&"--json") { &[] } else { &["--long"] };
        let output = self.command(&[&fixed[..], tables, more].concat());
        let text = std::fs::read_to_string(self.path("results.jsonl")).unwrap_or_default();
        let rows = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Ran { output, rows }
    }
}

impl Ran {
    pub fn table(&self) -> String {
        assert!(self.output.status.success(), "{}", String::from_utf8_lossy(&self.output.stderr));
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    pub fn of(&self, row: &str, engine: &str) -> Vec<&Value> {
        self.rows.iter().filter(|value| value["row"] == row && value["engine"] == engine).collect()
    }

    /// One fault of the engine, of that kind, for a reason in which those words are.
    pub fn must_fail(&self, engine: &str, kind: &str, why: &str) {
        let faults = self.of("fault", engine);
        assert_eq!(faults.len(), 1, "{engine}: {faults:?}");
        must_be(faults[0], engine, kind, why);
    }
}

/// A fault of that kind, for a reason in which those words are.
pub fn must_be(fault: &Value, name: &str, kind: &str, why: &str) {
    assert_eq!(fault["kind"], kind, "{name}: {fault:?}");
    assert!(fault["why"].as_str().unwrap().contains(why), "{name}: {fault:?}");
}

/// A job of one size with two blocks and little patience.
pub fn job(kind: &str) -> String {
    format!(
        "name = \"test\"\nabout = \"a test\"\nseed = 7\n[[job]]\njob = \"{kind}\"\n\
         [[job.size]]\nbytes = 100_003\nblocks = 2\nbudget_seconds = 3600\ntimeout_seconds = 3\n"
    )
}

/// A job in memory of one small size, with a ramp.
pub fn job_in_memory(kind: &str) -> String {
    job(kind).replace("100_003", "49") + "ramp_ms = 20\n"
}

/// A scripted engine.
pub fn fake(name: &str, role: &str, script: &str) -> String {
    scripted(name, role, script, "jobs = [\"file\"]\nalgorithms = [\"X25519\"]\n")
}

/// A scripted engine that copies, in memory.
pub fn fake_in_memory(name: &str, role: &str, script: &str) -> String {
    let what = "jobs = [\"cipher\", \"codec\", \"empty\"]\nalgorithms = [\"none\"]\nparameters.reuse = [\"tuned\"]\n";
    scripted(name, role, script, what)
}

fn scripted(name: &str, role: &str, script: &str, what: &str) -> String {
    let words: Vec<String> = script.split_whitespace().map(|word| format!("{word:?}")).collect();
    format!(
        "[[engine]]\nname = \"{name}\"\nabout = \"scripted\"\nrole = \"{role}\"\n{what}\
         serve = [\"{{lab}}-fake\", {}]\n",
        words.join(", ")
    )
}

/// True where this process may use more than one core: one alone has no latency between cores.
pub fn has_cores() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    cores.contains([',', '-'])
}

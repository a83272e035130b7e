//! What is run: job files.

use crate::rows::Line;
use crate::trouble::{Result, Trouble, because};
use crate::workload::Kind;
use serde::{Deserialize, Serialize};

/// A job file: what is run, one kind of work after the other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub name: String,
    pub about: String,
    pub seed: u64,
    /// For everything; where it does not suffice there are fewer blocks.
    pub budget_seconds: Option<u64>,
    /// The publication in lab/history that it repeats.
    pub history: Option<History>,
    #[serde(rename = "job")]
    pub jobs: Vec<Job>,
}

/// One kind of work at several sizes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub job: Kind,
    /// What all others are held against; the yardstick if none is named.
    pub reference: Option<Pattern>,
    /// Lines to run twice, so that one can see what noise alone looks like; the reference if none is named.
    #[serde(default)]
    pub again: Vec<Pattern>,
    #[serde(default)]
    pub lines: Vec<Pattern>,
    /// Which of the JDKs found: versions, "newest", "oldest"; all if none is named.
    #[serde(default)]
    pub jdks: Vec<String>,
    #[serde(rename = "size")]
    pub sizes: Vec<Size>,
}

/// The publications whose figures come with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum History {
    LogTuning,
    Nkcryptotool,
}

/// Lines by "engine/algorithm/shape"; `*` stands for anything, and what is left out at the end is anything too.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern([String; 3]);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl std::str::FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        if parts.len() > 3 || parts.iter().any(|part| part.is_empty()) {
            return Err(format!("\"{text}\" is not engine/algorithm/shape"));
        }
        let part = |at: usize| parts.get(at).unwrap_or(&"*").to_string();
        Ok(Self([part(0), part(1), part(2)]))
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.join("/").trim_end_matches("/*"))
    }
}

impl Pattern {
    /// An engine is named by its stanza, or in full where there is one for each JDK.
    pub fn matches(&self, line: &Line, family: &str) -> bool {
        let [_, algorithm, shape] = &self.0;
        self.names(&line.engine, family)
            && like(algorithm, &line.algorithm)
            && like(shape, &line.shape.to_string())
    }

    /// Whether it is about that engine at all.
    pub fn names(&self, engine: &str, family: &str) -> bool {
        like(&self.0[0], engine) || like(&self.0[0], family)
    }
}

/// Whether a text is of a form in which each `*` stands for any characters.
fn like(form: &str, text: &str) -> bool {
    let Some((before, after)) = form.split_once('*') else { return form == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| like(after, &rest[at..]))
}

/// One size of a job: how often, and for how long at most.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    pub bytes: u64,
    pub blocks: usize,
    pub budget_seconds: u64,
    pub timeout_seconds: u64,
    #[serde(default)]
    pub full: bool,
    /// How long a fresh process is watched while it warms up; 0: not at all.
    #[serde(default)]
    pub ramp_ms: u64,
    /// How long one span of operations in memory is meant to take.
    #[serde(default = "usual_sample_ms")]
    pub sample_ms: u64,
}

fn usual_sample_ms() -> u64 {
    5
}

const BUILT_IN: [(&str, &str); 7] = [
    ("quick", include_str!("../../../lab/jobs/quick.toml")),
    ("log-tuning", include_str!("../../../lab/jobs/log-tuning.toml")),
    ("nkcryptotool", include_str!("../../../lab/jobs/nkcryptotool.toml")),
    ("files", include_str!("../../../lab/jobs/files.toml")),
    ("pipes", include_str!("../../../lab/jobs/pipes.toml")),
    ("codec", include_str!("../../../lab/jobs/codec.toml")),
    ("cipher", include_str!("../../../lab/jobs/cipher.toml")),
];

/// Names of the plans that come with the program.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

impl Plan {
    /// A built-in plan by its name, or else the job file at that path.
    pub fn load(name_or_path: &str) -> Result<Self> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
            return Self::parse(text, name_or_path);
        }
        let text = std::fs::read_to_string(name_or_path)
            .map_err(|error| because(format!("cannot read job file \"{name_or_path}\""), error))
            .map_err(|trouble| trouble.hint("name a job file, or one that `sealmark-lab list` shows"))?;
        Self::parse(&text, name_or_path)
    }

    pub fn parse(text: &str, source: &str) -> Result<Self> {
        let plan: Self = toml::from_str(text).map_err(|error| {
            because(format!("job file \"{source}\" is not well formed"), error.to_string().trim_end())
        })?;
        let mut sizes = plan.jobs.iter().flat_map(|job| &job.sizes);
        if sizes.any(|size| size.blocks == 0 || size.bytes == 0) {
            return Err(Trouble::new(format!("job file \"{source}\" has a size without bytes or blocks")));
        }
        // Blocks are told apart by job, size and number.
        let cells: Vec<(Kind, u64)> =
            plan.jobs.iter().flat_map(|job| job.sizes.iter().map(|size| (job.job, size.bytes))).collect();
        if let Some((_, (kind, bytes))) =
            cells.iter().enumerate().find(|(at, cell)| cells[..*at].contains(cell))
        {
            let twice = format!("has job {} with {bytes} bytes twice", kind.name());
            return Err(Trouble::new(format!("job file \"{source}\" {twice}")));
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn every_built_in_plan_parses_under_its_own_name() {
        for name in built_in_names() {
            assert_eq!(Plan::load(name).unwrap().name, name);
        }
    }

    #[test]
    fn job_files_with_an_unknown_key_or_nothing_to_do_are_refused() {
        let head = "name = \"x\"\nabout = \"x\"\nseed = 1\n";
        let job = "[[job]]\njob = \"file\"\n";
        let size = "[[job.size]]\nbytes = 1\nblocks = 1\nbudget_seconds = 1\ntimeout_seconds = 1\n";
        Plan::parse(&format!("{head}{job}{size}"), "x").unwrap();
        for (text, part) in [
            (format!("{head}speed = 3\n{job}{size}"), "speed"),
            (format!("{head}{job}speed = 3\n{size}"), "speed"),
            (format!("{head}{job}{size}speed = 3\n"), "speed"),
            (format!("{head}{job}lines = [\"a/b/c/d\"]\n{size}"), "a/b/c/d"),
            (format!("{head}{job}{}", size.replace("blocks = 1", "blocks = 0")), "without bytes or blocks"),
            (head.to_owned(), "missing field `job`"),
            (format!("{head}{job}{size}{job}{size}"), "twice"),
        ] {
            let error = Plan::parse(&text, "x").unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn patterns_match_families_names_and_parts() {
        let line = Line {
            engine: "SunJCE 17.0.15".into(),
            algorithm: "AES-128-GCM".into(),
            shape: crate::protocol::Shape::AsWritten,
            again: false,
        };
        for (pattern, expected) in [
            ("*", true),
            ("SunJCE", true),
            ("SunJCE 17*", true),
            ("SunJCE 17.0.15/AES-*-GCM/as-written", true),
            ("SunJCE/AES*/*", true),
            ("SunJCE/*/tuned", false),
            ("Sun", false),
            ("SunJCE/AES", false),
            ("*JCE/*GCM*", true),
        ] {
            assert_eq!(pattern.parse::<Pattern>().unwrap().matches(&line, "SunJCE"), expected, "{pattern}");
        }
        assert!("a//b".parse::<Pattern>().is_err());
    }
}

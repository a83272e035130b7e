//! Job files, which say what is run.

use crate::jobs::{self, Unit};
use crate::parameters::like;
use crate::plan::Size;
use crate::rows::Line;
use crate::trouble::{Result, Trouble, because};
use crate::workload::fingerprint_of;
use serde::Deserialize;

/// A job file: what is run, one kind of work after the other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The digest of the text it was read from.
    #[serde(skip)]
    pub sha256: String,
    pub name: String,
    pub about: String,
    pub seed: u64,
    /// For everything; where it does not suffice there are fewer blocks.
    pub budget_seconds: Option<u64>,
    /// The publication in lab/history that it repeats.
    pub history: Option<String>,
    #[serde(rename = "job")]
    pub jobs: Vec<Planned>,
}

/// One kind of work at several sizes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    pub job: &'static jobs::Job,
    /// The line that all others are compared with; the yardstick if none is named.
    pub reference: Option<Pattern>,
    /// Lines to run twice, so that one can see what noise alone looks like; the reference if none is named.
    #[serde(default)]
    pub again: Vec<Pattern>,
    #[serde(default)]
    pub lines: Vec<Pattern>,
    /// The lines to choose from, in jobs whose specification has no list: "PROTOCOL SUITE GROUP CERTIFICATE".
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Which of the JDKs found: versions, "newest", "each" major version; all if none is named.
    #[serde(default)]
    pub jdks: Vec<String>,
    #[serde(rename = "size")]
    pub sizes: Vec<Size>,
}

/// Lines by "engine/algorithm/how"; `*` stands for anything, and what is left out at the end is anything too.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern([String; 3]);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        if parts.len() > 3 || parts.iter().any(|part| part.is_empty()) {
            return Err(format!("\"{text}\" is not engine/algorithm/how"));
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
        let [_, algorithm, how] = &self.0;
        self.names(&line.engine, family) && like(algorithm, line.algorithm()) && like(how, line.how())
    }

    /// Engine and algorithm in words, where no line of it was measured.
    pub fn words(&self) -> String {
        let named = self.0[..2].iter().filter(|part| *part != "*");
        named.map(|part| part.trim_end_matches(" *")).collect::<Vec<_>>().join(" ")
    }

    /// True where it names no engine.
    pub fn is_of_any_engine(&self) -> bool {
        self.0[0].contains('*')
    }

    /// True if it is about that engine at all.
    pub fn names(&self, engine: &str, family: &str) -> bool {
        like(&self.0[0], engine) || like(&self.0[0], family)
    }
}

/// Every file of lab/plans: its name and its text ([`build.rs`](../../build.rs) has looked).
pub const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/plans.rs"));

/// Every publication of lab/history: its name, its figures and its conclusions.
pub const PUBLISHED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/history.rs"));

/// The plans that come with the program, for people.
pub fn list() -> Result<String> {
    let told = |(name, text): &(&str, &str)| Ok(format!("{name}: {}\n", Plan::parse(text, name)?.about));
    BUILT_IN.iter().map(told).collect()
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
        let mut plan: Self = toml::from_str(text).map_err(|error| {
            because(format!("job file \"{source}\" is not well formed"), error.to_string().trim_end())
        })?;
        plan.sha256 = fingerprint_of(text.as_bytes()).sha256;
        match plan.miscounted().or_else(|| plan.mistake()) {
            Some(mistake) => Err(Trouble::new(format!("job file \"{source}\" {mistake}"))),
            None => Ok(plan),
        }
    }

    /// Sizes of bytes have bytes, and those of connections how many there are at once.
    fn miscounted(&mut self) -> Option<String> {
        let counts = |job: &mut Planned| {
            let (name, key, is_in_bytes) = (job.job.name, job.job.size_key(), job.job.is_in_bytes());
            let all = job.sizes.iter_mut().all(|size| size.count(is_in_bytes));
            (!all).then(|| format!("has a size of job {name} without {key}, or with another unit beside it"))
        };
        self.jobs.iter_mut().find_map(counts)
    }

    /// The first mistake in a job file that is well formed and yet cannot be run.
    fn mistake(&self) -> Option<String> {
        let budget = beyond("budget_seconds", self.budget_seconds.unwrap_or(1), 1..=LONGEST_SECONDS);
        let is_published = |name: &&String| PUBLISHED.iter().any(|(known, ..)| known == name);
        let unknown = self.history.as_ref().filter(|name| !is_published(name));
        let cells = || self.jobs.iter().flat_map(|job| job.sizes.iter().map(move |size| (job.job, size)));
        budget
            .or_else(|| unknown.map(|name| format!("has history = \"{name}\", which is not in lab/history")))
            .or_else(|| cells().find_map(|(job, size)| mistake(job, size)))
            .or_else(|| self.jobs.iter().find_map(Planned::disorder))
            .or_else(|| self.jobs.iter().find_map(Planned::wrong_algorithm))
            .or_else(|| twice(&cells().map(|(job, size)| (job, size.amount)).collect::<Vec<_>>()))
    }
}

impl Planned {
    /// Sizes must ascend, because the time of one is predicted from the smaller ones.
    fn disorder(&self) -> Option<String> {
        let pair = self.sizes.windows(2).find(|pair| pair[0].amount > pair[1].amount)?;
        let (first, then) = (pair[0].amount, pair[1].amount);
        Some(format!("has job {} with {then} bytes after {first}: sizes must ascend", self.job.name))
    }

    /// Jobs without a list of their own need one, and the others have no use for it.
    fn wrong_algorithm(&self) -> Option<String> {
        let name = self.job.name;
        match (self.job.by_plan, self.algorithms.is_empty()) {
            (None, true) => None,
            (None, false) => Some(format!("has algorithms in job {name}, which has its own")),
            (Some(_), true) => Some(format!("has no algorithms in job {name}")),
            (Some(_), false) => self.algorithms.iter().find_map(|text| self.job.mistake(text)),
        }
    }
}

/// More blocks, or longer ones, are a mistake of the writer's; and sums and products stay within their types.
const MOST_BLOCKS: u64 = 10_000;
const LONGEST_SECONDS: u64 = 24 * 60 * 60;
const LONGEST_MS: u64 = LONGEST_SECONDS * 1_000;
/// No disk has room for more.
const LARGEST_FILE: u64 = 1 << 50;
/// Every engine holds it in memory several times.
const LARGEST_IN_MEMORY: u64 = 1 << 30;
/// No port is used twice within a span.
const MOST_CONNECTIONS: u64 = 20_000;
/// Each has a thread at both ends, and tickets: rustls' server remembers 256 of them as it comes.
const MOST_AT_ONCE: u64 = 100;

/// Values of a size that cannot be run.
fn mistake(job: &jobs::Job, size: &Size) -> Option<String> {
    let largest = match job.unit {
        Unit::Connections | Unit::Requests => MOST_AT_ONCE,
        Unit::Bytes if job.on_files => LARGEST_FILE,
        Unit::Bytes => LARGEST_IN_MEMORY,
    };
    let bounds = [
        (job.size_key(), size.amount, 1..=largest),
        ("blocks", size.blocks as u64, 1..=MOST_BLOCKS),
        ("budget_seconds", size.budget_seconds, 0..=LONGEST_SECONDS),
        ("timeout_seconds", size.timeout_seconds, 1..=LONGEST_SECONDS),
        ("full_timeout_seconds", size.full_timeout_seconds.unwrap_or(1), 1..=LONGEST_SECONDS),
        ("ramp_ms", size.ramp_ms, 0..=LONGEST_MS),
        ("sample_ms", size.sample_ms, 1..=LONGEST_MS),
        ("connections", size.connections.unwrap_or(1), 1..=MOST_CONNECTIONS),
    ];
    let beyond = bounds.into_iter().find_map(|(key, value, bounds)| beyond(key, value, bounds));
    let is_needless = size.connections.is_some() && job.unit != Unit::Connections;
    let needless = || is_needless.then(|| "has connections, which only jobs of connections take".into());
    beyond.or_else(needless).map(|why| format!("{why} (job {})", job.name))
}

fn beyond(key: &str, value: u64, bounds: std::ops::RangeInclusive<u64>) -> Option<String> {
    let (least, most) = (bounds.start(), bounds.end());
    (!bounds.contains(&value))
        .then(|| format!("has {key} = {value}, which is not between {least} and {most}"))
}

/// Blocks are told apart by job, size and number.
fn twice(cells: &[(&jobs::Job, u64)]) -> Option<String> {
    let (_, (job, bytes)) = cells.iter().enumerate().find(|(at, cell)| cells[..*at].contains(cell))?;
    Some(format!("has job {} with {bytes} bytes twice", job.name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    impl Planned {
        /// One that measures nothing.
        pub fn of_kind(job: &'static jobs::Job) -> Self {
            let ways = ["TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256".to_owned()];
            let algorithms = if job.by_plan.is_some() { ways.to_vec() } else { Vec::new() };
            Self {
                job,
                reference: None,
                again: Vec::new(),
                lines: Vec::new(),
                algorithms,
                jdks: Vec::new(),
                sizes: Vec::new(),
            }
        }
    }

    #[test]
    fn every_built_in_plan_parses_under_its_own_name() {
        for (name, _) in BUILT_IN {
            assert_eq!(Plan::load(name).unwrap().name, *name);
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
            (head.to_owned(), "missing field `job`"),
            (format!("{head}{job}{size}{job}{size}"), "twice"),
        ] {
            let error = Plan::parse(&text, "x").unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn numbers_beyond_reason_are_refused_by_name() {
        let head = "name = \"x\"\nabout = \"x\"\nseed = 1\nbudget_seconds = 86_400\n";
        let job = "[[job]]\njob = \"cipher\"\n[[job.size]]\nbytes = 1_073_741_824\nblocks = 10_000\nbudget_seconds = 0\n\
                   timeout_seconds = 1\nfull_timeout_seconds = 86_400\nramp_ms = 86_400_000\nsample_ms = 1\n";
        let good = format!("{head}{job}");
        Plan::parse(&good, "x").unwrap();
        Plan::parse(&good.replace("cipher", "file").replace("1_073_741_824", "1_099_511_627_776"), "x")
            .unwrap();
        for (was, is) in [
            ("budget_seconds = 86_400", "budget_seconds = 86_401"),
            ("budget_seconds = 86_400", "budget_seconds = 0"),
            ("bytes = 1_073_741_824", "bytes = 0"),
            ("bytes = 1_073_741_824", "bytes = 1_073_741_825"),
            ("blocks = 10_000", "blocks = 0"),
            ("blocks = 10_000", "blocks = 10_001"),
            ("blocks = 10_000", "blocks = 9_223_372_036_854_775_807"),
            ("budget_seconds = 0", "budget_seconds = 86_401"),
            ("timeout_seconds = 1", "timeout_seconds = 0"),
            ("timeout_seconds = 1", "timeout_seconds = 86_401"),
            ("full_timeout_seconds = 86_400", "full_timeout_seconds = 86_401"),
            ("full_timeout_seconds = 86_400", "full_timeout_seconds = 0"),
            ("ramp_ms = 86_400_000", "ramp_ms = 86_400_001"),
            ("sample_ms = 1", "sample_ms = 0"),
            ("sample_ms = 1", "sample_ms = 9_223_372_036_854_775_807"),
        ] {
            let error = Plan::parse(&good.replacen(was, is, 1), "x").unwrap_err().to_string();
            let named = format!("has {}, which is not between", is.replace('_', ""));
            assert!(error.replace('_', "").contains(&named), "{is}: {error}");
        }
    }

    #[test]
    fn sizes_of_a_job_ascend() {
        let size = |bytes: u64| {
            format!("[[job.size]]\nbytes = {bytes}\nblocks = 1\nbudget_seconds = 1\ntimeout_seconds = 1\n")
        };
        let head = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"file\"\n";
        let error = Plan::parse(&format!("{head}{}{}", size(9), size(8)), "x").unwrap_err().to_string();
        assert!(error.contains("job file with 8 bytes after 9: sizes must ascend"), "{error}");
        // In another job it may be smaller again.
        let other = format!("{head}{}[[job]]\njob = \"file\"\n{}", size(9), size(8));
        Plan::parse(&other, "x").unwrap();
    }

    #[test]
    fn jobs_of_tls_say_what_they_connect_by() {
        let head = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"tls-connect\"\n";
        let size = "[[job.size]]\nconcurrency = 8\nconnections = 1_000\nblocks = 1\nbudget_seconds = 1\ntimeout_seconds = 1\n";
        let ways = "algorithms = [\"TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 Ed25519\"]\n";
        let good = format!("{head}{ways}{size}");
        assert_eq!(Plan::parse(&good, "x").unwrap().jobs[0].sizes[0].amount, 8);
        for (text, part) in [
            (format!("{head}{size}"), "has no algorithms in job tls-connect"),
            (good.replace(" Ed25519", ""), "form \"PROTOCOL SUITE GROUP CERTIFICATE\""),
            (
                good.replace("tls-connect", "cipher")
                    .replace("connections = 1_000\n", "")
                    .replace("concurrency", "bytes"),
                "has algorithms in job cipher",
            ),
            (
                good.replace("concurrency", "bytes"),
                "has a size of job tls-connect without concurrency, or with another unit beside it",
            ),
            (good.replace("= 8", "= 101"), "concurrency = 101, which is not between 1 and 100"),
            (good.replace("1_000", "20_001"), "connections = 20001, which is not between"),
            (
                good.replace("tls-connect", "tls-transfer").replace("concurrency", "bytes"),
                "has connections, which only jobs of connections take (job tls-transfer)",
            ),
        ] {
            let error = Plan::parse(&text, "x").unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn patterns_match_families_names_and_parts() {
        let line = Line::new("SunJCE 17.0.15", "AES-128-GCM", "as-written");
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
            let matches = Pattern::try_from(pattern.to_owned()).unwrap().matches(&line, "SunJCE");
            assert_eq!(matches, expected, "{pattern}");
        }
        assert!(Pattern::try_from("a//b".to_owned()).is_err());
    }
}

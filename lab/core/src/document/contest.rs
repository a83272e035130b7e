//! Lines of a cell of which one is to be chosen.

use crate::format::{self, Ways};
use crate::jdks::major;
use crate::rows;
use crate::summary::{Cell, Line, Ratio};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Code outside the JVM, called from within.
pub const NATIVE: &str = "native-jni";

/// Two lines, and how many times as long the first one takes.
pub type Pair<'a> = (&'a Line, &'a Line, Ratio);

pub struct Contest<'a> {
    pub cell: &'a Cell,
    /// The fastest first.
    pub rivals: Vec<&'a Line>,
    /// One chooses an algorithm, too.
    by_algorithm: bool,
    /// Words that tell suites, groups and certificates apart, where one engine has several.
    ways: Option<Ways>,
}

impl<'a> Contest<'a> {
    pub fn of(cell: &'a Cell, rivals: Vec<&'a Line>, by_algorithm: bool) -> Self {
        let rivals = cell.by_pace(rivals);
        let algorithms: BTreeSet<&str> = rivals.iter().map(|line| line.algorithm()).collect();
        let has_many = algorithms.len() > 1;
        let ways = Ways::of(rivals.iter().map(|line| &line.line.parameters)).filter(|_| has_many);
        Self { cell, rivals, by_algorithm: by_algorithm && has_many, ways }
    }

    /// The rivals that were measured often enough and became steady, the fastest first.
    fn judged(&self) -> impl Iterator<Item = &'a Line> {
        let is_judged = |line: &&Line| line.is_steady && self.cell.has_intervals(line.wall.len());
        self.rivals.iter().copied().filter(is_judged)
    }

    pub fn best(&self) -> Option<&'a Line> {
        self.judged().next()
    }

    /// The fastest within a JVM, without native code.
    pub fn best_in_a_jvm(&self) -> Option<&'a Line> {
        self.judged().find(|line| line.jdk.is_some() && line.family != NATIVE)
    }

    /// Lines that cannot be told from the fastest.
    pub fn ties(&self, best: &Line) -> Vec<&'a Line> {
        let is_slower = |line| self.cell.compare(line, best).is_some_and(|ratio| ratio.is_slower());
        let others = self.rivals.iter().copied().filter(|line| line.line != best.line);
        others.filter(|line| !is_slower(line)).collect()
    }

    /// The slowest by far beside the best, or within a JVM beside the best there.
    pub fn slowest(&self, best: &'a Line) -> Option<Pair<'a>> {
        let jvm = self.best_in_a_jvm();
        let base = |line: &Line| jvm.filter(|_| line.jdk.is_some()).unwrap_or(best);
        let is_slow = |(.., ratio): &Pair| ratio.is_slower() && ratio.low > SLOW;
        self.rivals.iter().rev().find_map(|line| self.pair(line, base(line)).filter(is_slow))
    }

    pub fn pair(&self, line: &'a Line, other: &'a Line) -> Option<Pair<'a>> {
        Some((line, other, self.cell.compare(line, other)?))
    }

    /// A figure of a line that the answer tells, by its name in the tables.
    pub fn figure(&self, line: &Line, told: &str) -> String {
        format!("{}: {told}", format::name(self.cell, line))
    }

    /// The names of lines; a library on several JDKs is named once: "Go and SunJCE on JDK 11, 17".
    pub fn all(&self, lines: impl IntoIterator<Item = &'a Line>, and: &str) -> Option<String> {
        let mut libraries: IndexMap<String, Vec<&Line>> = IndexMap::new();
        for line in lines {
            libraries.entry(self.told(line, false)).or_default().push(line);
        }
        let name = |(library, lines): (String, Vec<&Line>)| {
            let mut of_it = self.rivals.iter().filter(|rival| self.told(rival, false) == library);
            let is_whole = of_it.all(|rival| lines.iter().any(|line| line.line == rival.line));
            let jdks: BTreeSet<u64> =
                lines.iter().filter_map(|line| Some(major(line.jdk.as_deref()?))).collect();
            match format::few(jdks.iter().map(u64::to_string), 6, ", ") {
                Some(jdks) if !is_whole => format!("{library} on JDK {jdks}"),
                _ => library,
            }
        };
        format::few(libraries.into_iter().map(name), 2, and)
    }

    /// A line's name as people say it: as much of it as tells it from its rivals.
    pub fn called(&self, line: &Line) -> String {
        self.told(line, true)
    }

    fn told(&self, line: &Line, tells_jdk: bool) -> String {
        // Key modes of one program have one name otherwise.
        let has_modes =
            |other: &&Line| other.engine() == line.engine() && other.algorithm() != line.algorithm();
        let by_algorithm = self.by_algorithm || self.ways.is_none() && self.rivals.iter().any(has_modes);
        let name = |line: &Line, [jdk, how]: [bool; 2]| spoken(&line.line, jdk, by_algorithm, how);
        let is_other = |other: &&&Line| other.line != line.line && other.algorithm() == line.algorithm();
        let others: Vec<&&Line> = self.rivals.iter().filter(is_other).collect();
        let is_unique =
            |parts: &[bool; 2]| others.iter().all(|other| name(other, *parts) != name(line, *parts));
        let shortest = [[false; 2], [true, false], [false, true]].into_iter().find(is_unique);
        let way = self.ways.as_ref().map(|ways| format!("{} with ", ways.short(&line.line.parameters)));
        let [jdk, how] = shortest.unwrap_or([true; 2]);
        way.unwrap_or_default() + &name(line, [jdk && tells_jdk, how])
    }
}

/// From here on a line is slow enough to be warned of.
const SLOW: f64 = 3.0;

/// The name that people give to a line that stands alone: "AES-256-GCM of SunJCE on JDK 17 in one call".
pub fn spoken_name(line: &rows::Line) -> String {
    spoken(line, true, true, true)
}

fn spoken(line: &rows::Line, has_jdk: bool, has_algorithm: bool, has_way: bool) -> String {
    let (family, jdk) = format::family_and_version(&line.engine);
    let algorithm = Some(line.algorithm()).filter(|name| has_algorithm && *name != "none");
    let parts = [
        algorithm.map(|name| format!("{name} of")),
        Some(person(family).to_owned()),
        jdk.filter(|_| has_jdk).map(|jdk| format!("on JDK {}", major(jdk))),
        has_way.then(|| how(line)).filter(|how| !how.is_empty()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Names that mean something outside of the lab.
pub fn person(family: &str) -> &str {
    match family {
        NATIVE => "native code over JNI",
        "openssl" => "OpenSSL",
        "aws-lc-rs" => "AWS-LC",
        "BouncyCastle" => "Bouncy Castle",
        "sealmark-cli" => "sealmark",
        "pyca" => "pyca/cryptography",
        "article" => "RC4 with base64",
        "bare" => "the bare cipher",
        family => family,
    }
}

fn how(line: &rows::Line) -> String {
    let has_key = !line.algorithm().starts_with("base64");
    match line.how() {
        "" => String::new(),
        "as-written" if !has_key => "with a new array each time".into(),
        "tuned" if !has_key => "with its buffer kept".into(),
        "as-written" => "with a new key each time".into(),
        "tuned" => "with its key kept".into(),
        "update" => "by updates".into(),
        "one-shot" => "in one call".into(),
        "wss4j" => "as WSS4J does".into(),
        "verify-then-release" => "verifying first".into(),
        other => format!("({other})"),
    }
}

//! The vectors of records: a file for each rule of spec/record.md.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use aws_lc_rs::digest;
use common::vector::{folder, inflate};
use sealmark::record::*;
use std::fs;
use std::path::Path;

#[test]
fn every_vector_opens_as_far_as_it_may() {
    let mut paths: Vec<_> =
        fs::read_dir(folder("record")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 278);
    let wrong: Vec<String> = paths.iter().flat_map(|path| Vector::read(path).surprises()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines of `key: value`, an empty line, and a log.
struct Vector {
    name: String,
    expected: Vec<(String, String)>,
    log: Vec<u8>,
}

impl Vector {
    fn read(path: &Path) -> Self {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(path).unwrap();
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
        let pairs = str::from_utf8(&bytes[..end]).unwrap().lines();
        let expected: Vec<_> = pairs
            .map(|line| line.split_once(": ").unwrap())
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        let mut vector = Self { name, expected, log: bytes[end + 2..].to_vec() };
        if vector.values("compressed").next().is_some() {
            vector.log = inflate(&vector.log);
        }
        vector
    }

    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.expected.iter().filter(move |(name, _)| name == key).map(|(_, value)| &value[..])
    }

    /// Opens the log at once and line by line, and lists all results that differ from the expected ones.
    fn surprises(&self) -> Vec<String> {
        let (mut opened, mut line_by_line) = (Vec::new(), Vec::new());
        let mut at_once = self.opener();
        let report = self.open(&mut at_once, &self.log, &mut opened);
        let (mut opener, mut sum) = (self.opener(), Report::default());
        for line in self.log.split_inclusive(|byte| *byte == b'\n') {
            sum += self.open(&mut opener, line, &mut line_by_line);
        }
        let mut found = self.differences(&report, &at_once.sessions(), &opened);
        if (&sum, &line_by_line) != (&report, &opened) {
            found.push(format!("{}: line by line otherwise: {report:?}, {sum:?}", self.name));
        }
        found
    }

    fn open(&self, opener: &mut LogOpener, text: &[u8], out: &mut Vec<u8>) -> Report {
        let raw = self.values("line breaks").next() == Some("raw");
        opener.learn(text);
        let mut pass = TokenOpener::new(if raw { Context::Raw } else { Context::Detect });
        pass.open(&opener.sessions(), text, out);
        pass.into_report()
    }

    fn opener(&self) -> LogOpener {
        let psks: Vec<PreSharedKey> = self.values("key").filter_map(|key| key.parse().ok()).collect();
        let identities: Vec<_> = self.values("key").filter_map(|key| key.parse().ok()).collect();
        assert_eq!(psks.len() + identities.len(), self.values("key").count(), "{}: keys", self.name);
        LogOpener::new(LogKeys::identities(identities).and_pre_shared(psks))
    }

    fn differences(&self, report: &Report, learned: &Sessions, opened: &[u8]) -> Vec<String> {
        let counts = [
            ("opened", report.opened),
            ("orphan", report.orphans),
            ("no key", report.no_key),
            ("tampered", report.tampered),
            ("not text", report.not_text),
            ("cut off", report.cut_off),
        ];
        let number = |key| self.values(key).next().map_or(0, |value| value.parse().unwrap());
        let mut wrong: Vec<_> = counts
            .into_iter()
            .filter(|(key, found)| number(key) != *found)
            .map(|(key, found)| format!("{}: {found} {key}, not {}", self.name, number(key)))
            .collect();
        let hash = common::verdict::hex(digest::digest(&digest::SHA256, opened).as_ref());
        if self.values("output").next() != Some(&hash) {
            wrong.push(format!(
                "{}: another output: {:?}",
                self.name,
                String::from_utf8_lossy(&opened[..opened.len().min(300)])
            ));
        }
        for expected in self.values("session") {
            let sessions: Vec<_> = report
                .sessions
                .iter()
                .map(|(id, session)| describe(id, session, learned.facts(*id).unwrap()))
                .collect();
            let fits =
                |found: &String| expected.split(' ').all(|word| found.split(' ').any(|other| other == word));
            if !sessions.iter().any(fits) {
                wrong.push(format!("{}: session {expected}, not {sessions:?}", self.name));
            }
        }
        wrong
    }
}

fn describe(id: &SessionId, session: &SessionReport, facts: HeaderFacts) -> String {
    let ordered = if facts.order == Order::Kept { "yes" } else { "no" };
    let previous = facts.previous.map_or("none".into(), |previous| previous.session.to_string());
    let count =
        facts.previous.and_then(|previous| previous.count).map_or("none".into(), |count| count.to_string());
    let began = facts.began.map_or("none".into(), |began| began.to_string());
    let missing: Vec<_> =
        session.missing().into_iter().map(|run| format!("{}-{}", run.start, run.end)).collect();
    let closing = session.closing.map_or("none".into(), |closing| closing.to_string());
    format!(
        "{id} values={} repeated={} closing={closing} missing={} beyond={} ordered={ordered} previous={previous} count={count} began={began}",
        session.values(),
        session.repeated,
        missing.join(","),
        session.not_counted()
    )
}

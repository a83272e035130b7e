//! An engine with scripted times and one lie, for tests of what the lab does about them; no part of the lab.
//!
//! usage: sealmark-lab-fake [--times 3,4,5] [--misdeed LIE] [--from-run N]
//!
//! Times are taken in turn: milliseconds for a job on files, microseconds an operation for one in memory. From file to file
//! it "seals" by appending a SHA-256, which makes damage visible; in memory it does what the lab's model does.

use clap::Parser;
use sealmark_lab::jobs::{CIPHER, Job, PAYLOAD, RECORD, Ran, Unit};
use sealmark_lab::model;
use sealmark_lab::protocol::{Answer, Connected, LONGEST_LINE, Operation, Ready, Span, Task, Timed, Tls};
use sealmark_lab::serve::{Engine, converse, failed, unsupported};
use sealmark_lab::usage::Used;
use sealmark_lab::workload::{Fingerprint, fingerprint_of, hex};
use sha2::{Digest, Sha256};
use std::io::{Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The lies that it can tell.
const LIES: &[(&str, &str)] = &[
    ("none", "nothing"),
    ("no-start", "exit before the first answer"),
    ("no-version", "have no version in the hello"),
    ("old", "speak the protocol before this one"),
    ("unsupported", "refuse the key"),
    ("fail", "answer `failed`"),
    ("die", "end in the middle, with a last word on standard error"),
    ("hang", "never answer"),
    ("junk", "answer what is not JSON"),
    ("nest", "answer with a nested object"),
    ("flood", "answer without end"),
    ("confuse", "answer `ready` to a run"),
    ("exhaust", "run out of memory"),
    ("limit", "refuse the size"),
    ("limit-sealing", "refuse the size when sealing only"),
    ("wrong-output", "open to other bytes than were sealed"),
    ("wrong-digest", "answer the digest of something else"),
    ("wrong-length", "tell of a byte too many, or write one too few"),
    ("wrong-count", "tell of fewer operations than were asked for"),
    ("wrong-promise", "say the opposite of whether altered data is noticed"),
    ("no-output", "say it is done and leave no file"),
    ("exaggerate", "tell of an hour"),
    ("timeless", "tell of no time at all"),
    ("gullible", "open what was damaged"),
    ("blind-in-the-middle", "open what was damaged in its middle"),
    ("blind-at-the-end", "open what was damaged at its end"),
    ("hasty", "release what was damaged before refusing it"),
    ("bare", "leave plain what should be sealed"),
    ("lose", "seal all values but the last"),
    ("double", "seal the first value twice, and the last one not at all"),
    ("repeat", "seal a value into the same text each time"),
    ("shuffle", "open values in another order than they were sealed in"),
    ("other-handshake", "resume one connection that should be new, and the other way round"),
    ("other-suite", "negotiate another suite"),
    ("stall", "have half of the connections wait for a delayed acknowledgement"),
];

#[derive(Parser)]
struct Script {
    #[arg(long, value_delimiter = ',', default_value = "1")]
    times: Vec<u64>,
    #[arg(long, default_value = "none", value_parser = LIES.iter().map(|(lie, _)| *lie).collect::<Vec<_>>())]
    misdeed: String,
    /// The lie is told after so many operations.
    #[arg(long, default_value_t = 0)]
    from_run: usize,
}

struct Fake {
    script: Script,
    runs: usize,
    job: &'static Job,
    task: Option<Task>,
}

fn main() -> ExitCode {
    let script = Script::parse();
    match script.misdeed.as_str() {
        "no-start" => return ExitCode::from(7),
        "old" => say(b"{\"answer\":\"hello\",\"protocol\":2,\"engine\":\"fake\",\"version\":\"1\"}\n"),
        _ => {}
    }
    let served = converse(&mut Fake { script, runs: 0, job: &CIPHER, task: None });
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Engine for Fake {
    fn hello(&self) -> Result<(String, String), Answer> {
        let version = if self.script.misdeed == "no-version" { "" } else { "1" };
        Ok(("fake".into(), version.into()))
    }

    fn prepare(&mut self, job: &'static Job, task: &Task) -> Result<Ready, Answer> {
        (self.job, self.task) = (job, Some(task.clone()));
        if self.script.misdeed == "unsupported" {
            return Err(unsupported(task.algorithm()));
        }
        let does = task.algorithm() != "none" && job.on_files || (job.authenticates)(task.algorithm());
        Ok(Ready { authenticated: does != (self.script.misdeed == "wrong-promise"), code: "a script".into() })
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        let start = Instant::now();
        if let Some(bad) = self.begin() {
            return bad;
        }
        let made = std::fs::read(input).map_err(failed).and_then(|data| self.made(operation, data));
        let left = made.as_ref().map_or_else(|_| self.released(operation), |made| Some(made.clone()));
        let written = left.filter(|_| !self.tells("no-output")).map(|left| std::fs::write(output, left));
        match made.and(written.transpose().map_err(failed)) {
            Ok(_) => Answer::Done(span(self.take(start, self.scripted() * 1_000_000))),
            Err(bad) => bad,
        }
    }

    fn check(&mut self, operation: Operation, number: u64, input: &Path) -> Answer {
        if let Some(bad) = self.begin() {
            return bad;
        }
        // It takes what the other operation makes.
        let other = self.job.operations.iter().find(|other| **other != operation);
        let right = other.map(|other| self.output(*other, number)).unwrap_or_default();
        if !std::fs::read(input).is_ok_and(|bytes| self.takes(bytes, &right)) {
            return refused("not what the model makes");
        }
        let output = self.output(operation, number);
        let bytes = output.len() as u64 + u64::from(self.tells("wrong-length"));
        Answer::Checked(Fingerprint { bytes, sha256: self.digest_of(&output) })
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        let start = Instant::now();
        if let Some(bad) = self.begin() {
            return bad;
        }
        let wall_ns = self.take(start, self.scripted() * 1_000 * count);
        let told = count - u64::from(self.tells("wrong-count"));
        if self.job.by_plan.is_some() {
            return self.connected(operation, first, count, told, wall_ns);
        }
        let sha256 = self.digest_of(&self.output(operation, first + count - 1));
        Answer::Timed(Timed { count: told, sha256, span: span(wall_ns) })
    }
}

/// A span of which no more than its time is known.
fn span(wall_ns: u64) -> Span {
    Span { wall_ns, used: Used::default() }
}

impl Fake {
    fn tells(&self, lie: &str) -> bool {
        debug_assert!(LIES.iter().any(|(known, _)| *known == lie), "{lie}");
        self.script.misdeed == lie && self.runs > self.script.from_run
    }

    /// Another operation; what becomes of it where it is not even begun.
    fn begin(&mut self) -> Option<Answer> {
        self.runs += 1;
        match self.script.misdeed.as_str() {
            _ if self.runs <= self.script.from_run => {}
            "fail" => return Some(failed("scripted to fail")),
            "confuse" => return Some(Answer::Ready(Ready { authenticated: true, code: String::new() })),
            "exhaust" => return Some(Answer::Exhausted { why: "scripted heap".into() }),
            "limit" => return Some(limited()),
            "junk" => say(b"tra la la\n"),
            "nest" => say(b"{\"answer\":\"done\",\"wall_ns\":{\"value\":1}}\n"),
            "flood" => say(&vec![b'x'; 2 * LONGEST_LINE]),
            "hang" => std::thread::sleep(Duration::from_secs(3600)),
            "die" => {
                let _ = writeln!(stderr(), "scripted to die");
                std::process::exit(9);
            }
            _ => {}
        }
        None
    }

    fn task(&self) -> &Task {
        self.task.as_ref().expect("an engine is prepared first")
    }

    /// The part of the script about this run.
    fn scripted(&self) -> u64 {
        self.script.times[(self.runs - 1) % self.script.times.len()]
    }

    /// Waits until so much time has passed, for the lab looks at its own clock, and tells of it.
    fn take(&self, start: Instant, nanoseconds: u64) -> u64 {
        std::thread::sleep(Duration::from_nanos(nanoseconds).saturating_sub(start.elapsed()));
        match nanoseconds {
            _ if self.tells("exaggerate") => 3_600_000_000_000,
            _ if self.tells("timeless") => 0,
            _ => nanoseconds,
        }
    }

    /// The output of an operation in memory.
    fn output(&self, operation: Operation, number: u64) -> Vec<u8> {
        let task = self.task();
        (self.job.expected)(task.algorithm(), task.seed, task.bytes(), operation, number).unwrap_or_default()
    }

    fn digest_of(&self, output: &[u8]) -> String {
        fingerprint_of(if self.tells("wrong-digest") { b"something else" } else { output }).sha256
    }

    /// True if it takes one for the other.
    fn takes(&self, mut input: Vec<u8>, right: &[u8]) -> bool {
        let unseen =
            if self.tells("blind-in-the-middle") { right.len() / 2 } else { right.len().wrapping_sub(1) };
        let is_blind = self.tells("blind-in-the-middle") || self.tells("blind-at-the-end");
        if let Some((seen, right)) = input.get_mut(unseen).zip(right.get(unseen)).filter(|_| is_blind) {
            *seen = *right;
        }
        input == right || self.tells("gullible")
    }

    /// The output that an operation from file to file makes of its input.
    fn made(&self, operation: Operation, data: Vec<u8>) -> Result<Vec<u8>, Answer> {
        if self.job == &RECORD {
            return self.records(operation, &data).ok_or_else(|| refused("not what was sealed"));
        }
        if self.job == &PAYLOAD && self.task().parameter("mode") != "chunked" {
            return self.payload(operation, data);
        }
        if operation == Operation::Seal {
            let digest = Sha256::digest(&*data);
            return Ok(self.masked([&data[..], &digest].concat()));
        }
        let mut data = self.masked(data);
        let tag = data.split_off(data.len().saturating_sub(DIGEST));
        if Sha256::digest(&data).as_ref() != tag && !self.tells("gullible") {
            return Err(refused("the digest differs"));
        }
        Ok(data.split_off(usize::from(self.tells("wrong-output"))))
    }

    /// The bytes in the output although the input was refused.
    fn released(&self, operation: Operation) -> Option<Vec<u8>> {
        let is_released = self.tells("hasty") && operation == Operation::Open;
        is_released.then(|| model::input(self.task().seed, self.task().bytes()))
    }

    /// Payloads and values have to look like something else than they are.
    fn masked(&self, mut data: Vec<u8>) -> Vec<u8> {
        let hides = self.job == &PAYLOAD || matches!(self.job.program, Some(Ran::Filter));
        if hides && !self.tells("bare") {
            data.iter_mut().for_each(|byte| *byte ^= 0x55);
        }
        data
    }

    /// The model's way; the input of sealing is always the lab's.
    fn payload(&self, operation: Operation, data: Vec<u8>) -> Result<Vec<u8>, Answer> {
        let (task, seals) = (self.task(), operation == Operation::Seal);
        if task.algorithm() == "none" {
            return Ok(data);
        }
        let text = (CIPHER.expected)(task.algorithm(), task.seed, task.bytes(), Operation::Seal, 0);
        let mut right = [&model::Secrets::derive(task.seed).nonce(0)[..], &text.unwrap_or_default()].concat();
        match seals {
            true if self.tells("limit-sealing") => Err(limited()),
            true => {
                right.truncate(right.len() - usize::from(self.tells("wrong-length")));
                Ok(right)
            }
            false if self.takes(data, &right) => {
                Ok(model::input(task.seed, task.bytes()).split_off(usize::from(self.tells("wrong-output"))))
            }
            false => Err(refused("not what the model makes")),
        }
    }

    /// A line is the value, a number that no other has, and the digest of both, in hexadecimal digits.
    fn records(&self, operation: Operation, data: &[u8]) -> Option<Vec<u8>> {
        let authenticated = (RECORD.authenticates)(self.task().algorithm());
        if operation == Operation::Seal {
            let mut values: Vec<&[u8]> = data.chunks(self.task().bytes() as usize).collect();
            let last = values.len() - 1;
            if self.tells("double") {
                values[last] = values[0];
            }
            values.truncate(values.len() - usize::from(self.tells("lose")));
            let run = if self.tells("repeat") || !authenticated { 0 } else { self.runs };
            return Some(values.iter().flat_map(|value| sealed_line(value, run)).collect());
        }
        let looked_at = if self.tells("gullible") {
            0
        } else if self.tells("blind-at-the-end") {
            DIGEST / 2
        } else {
            DIGEST
        };
        let lines = data.split_inclusive(|byte| *byte == b'\n');
        let mut values = lines.map(|line| opened_line(line, looked_at)).collect::<Option<Vec<_>>>()?;
        if self.tells("shuffle") {
            values.swap(0, 1);
        }
        if self.tells("wrong-output") {
            values[0].clear();
        }
        Some(values.concat())
    }

    /// A span of TLS: what was asked for, but for the lie. The client computes for a third of the time, the server for a
    /// sixth.
    fn connected(&self, operation: Operation, first: u64, count: u64, told: u64, wall_ns: u64) -> Answer {
        let (task, is_connect) = (self.task(), self.job.unit == Unit::Connections);
        let word = |name| task.parameters.get(name).unwrap_or_default().to_owned();
        let output =
            if is_connect { vec![(first + count - 1) as u8] } else { model::input(task.seed, task.bytes()) };
        let other = u64::from(self.tells("other-handshake"));
        let (full, resumed) = match operation {
            Operation::Full => (count - other, other),
            Operation::Resumed => (other, count - other),
            _ => (1 - other, other),
        };
        let waits = |at: u64| if self.tells("stall") && at.is_multiple_of(2) { 44_000_000 } else { 0 };
        let each = (0..count.min(1_000)).map(|at| (wall_ns / count + waits(at)).to_string());
        let is_in_memory = task.parameter("transport") == "memory";
        Answer::Connected(Box::new(Connected {
            count: told,
            span: Span { wall_ns, used: Used::of(Some(wall_ns / 2), None) },
            bytes: output.len() as u64,
            sha256: self.digest_of(&output),
            protocol: word("protocol"),
            suite: if self.tells("other-suite") { "TLS_OTHER".into() } else { word("suite") },
            group: word("group"),
            full,
            resumed,
            tls: Tls {
                client_cpu_ns: Some(wall_ns / 3),
                server_cpu_ns: Some(wall_ns / 6),
                wire_bytes: is_in_memory.then_some(1_500 * count),
                stalls: None,
            },
            each_ns: (is_connect && !is_in_memory).then(|| each.collect::<Vec<_>>().join(" ")),
        }))
    }
}

/// Bytes of a SHA-256.
const DIGEST: usize = 32;

fn sealed_line(value: &[u8], run: usize) -> Vec<u8> {
    let text = [value, &run.to_be_bytes()].concat();
    let whole = [&text[..], Sha256::digest(&text).as_ref()].concat();
    (hex(&whole) + "\n").into_bytes()
}

/// Nothing where the digest is another, in so many of its bytes.
fn opened_line(line: &[u8], looked_at: usize) -> Option<Vec<u8>> {
    let digits = str::from_utf8(line).ok()?.trim_end().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let mut bytes: Vec<u8> = digits.chunks(2).map(|pair| byte(pair).unwrap_or(0)).collect();
    let tag = bytes.split_off(bytes.len().checked_sub(DIGEST)?);
    let seen = Sha256::digest(&bytes);
    bytes.truncate(bytes.len().checked_sub(size_of::<usize>())?);
    (seen[..looked_at] == tag[..looked_at]).then_some(bytes)
}

fn refused(why: &str) -> Answer {
    Answer::Refused { why: why.into() }
}

fn limited() -> Answer {
    Answer::Limited { why: "scripted limit".into() }
}

fn say(bytes: &[u8]) {
    let _ = stdout().write_all(bytes);
    let _ = stdout().flush();
}

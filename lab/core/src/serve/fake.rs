//! An engine with scripted times and scripted faults, so that tests can prove what the lab does about them.

use crate::jobs::{CIPHER, Job, PAYLOAD, RECORD, Ran, Unit};
use crate::model;
use crate::protocol::{Answer, Connected, LONGEST_LINE, Operation, Shape, Task};
use crate::serve::{Engine, Ready, failed};
use crate::tls::Way;
use crate::trouble::Trouble;
use crate::usage::Used;
use crate::workload;
use sha2::{Digest, Sha256};
use std::io::{Write, stdout};
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// What to do wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Misdeed {
    /// Nothing.
    None,
    /// Exit before the first answer.
    NoStart,
    /// No version in the hello.
    NoVersion,
    /// Refuse the key.
    Unsupported,
    /// Answer `failed`.
    Fail,
    /// End in the middle, with a last word on standard error.
    Die,
    /// Never answer.
    Hang,
    /// Answer what is not JSON.
    Junk,
    /// Answer with a nested object.
    Nest,
    /// Answer without end.
    Flood,
    /// Answer `ready` to a run.
    Confuse,
    /// Open to other bytes than were sealed.
    WrongOutput,
    /// Say it is done and leave no file.
    NoOutput,
    /// Open what was damaged.
    Gullible,
    /// Tell of fewer operations than were asked for.
    WrongCount,
    /// Tell of an hour.
    Exaggerate,
    /// Tell of no time at all.
    Timeless,
    /// Answer the digest of something else.
    WrongDigest,
    /// Say the opposite of whether altered data is noticed.
    WrongPromise,
    /// Open what was damaged in its middle.
    BlindInTheMiddle,
    /// Open what was damaged at its end.
    BlindAtTheEnd,
    /// Tell of a byte too many.
    WrongLength,
    /// Run out of memory.
    Exhaust,
    /// Refuse the size.
    Limit,
    /// Release what was damaged before refusing it.
    Hasty,
    /// Leave plain what should be sealed.
    Bare,
    /// Refuse the size when sealing only.
    LimitSealing,
    /// Make one handshake of a span a full one where it should be resumed, and the other way round.
    OtherHandshake,
    /// Negotiate another suite.
    OtherSuite,
    /// Have half of the connections wait for a delayed acknowledgement.
    Stall,
    /// Seal all values but the last.
    Lose,
    /// Seal the first value twice, and the last one not at all.
    Double,
    /// Seal a value into the same text each time.
    Repeat,
    /// Open values in another order than they were sealed in.
    Shuffle,
}

/// Times, taken in turn: milliseconds for a job on files, microseconds an operation for one in memory; and from which
/// run on the misdeed is done.
#[derive(Debug, Clone)]
pub struct Script {
    pub times: Times,
    pub misdeed: Misdeed,
    pub from_run: usize,
}

/// "3,4,5".
#[derive(Debug, Clone)]
pub struct Times(Vec<u64>);

impl FromStr for Times {
    type Err = Trouble;

    fn from_str(text: &str) -> Result<Self, Trouble> {
        let times: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
        times.map(Self).map_err(|error| crate::trouble::because(format!("times \"{text}\""), error))
    }
}

/// From file to file it "seals" by appending a SHA-256, which makes damage visible; in memory it does what the lab's
/// model does.
pub struct Fake {
    script: Script,
    runs: usize,
    task: Option<(&'static Job, Task)>,
}

impl Fake {
    pub fn new(script: Script) -> Self {
        Self { script, runs: 0, task: None }
    }

    fn misdeed(&self) -> Misdeed {
        if self.runs > self.script.from_run { self.script.misdeed } else { Misdeed::None }
    }

    fn work(&self, operation: Operation, input: &Path, output: &Path) -> std::io::Result<Option<Answer>> {
        const DIGEST: usize = 32;
        if let Some((job, task)) = &self.task
            && *job == &PAYLOAD
            && task.shape != Shape::Chunked
        {
            return self.payload(task, operation, input, output);
        }
        if let Some((job, task)) = &self.task
            && *job == &RECORD
        {
            let made = self.records(task, operation, &std::fs::read(input)?);
            return match made {
                _ if self.misdeed() == Misdeed::NoOutput => Ok(None),
                Some(made) => std::fs::write(output, made).map(|()| None),
                None => Ok(Some(Answer::Refused { why: "not what was sealed".into() })),
            };
        }
        let mut data = std::fs::read(input)?;
        match operation {
            Operation::Seal => {
                let seen = Sha256::digest(&*data);
                data.extend_from_slice(&seen);
                self.mask(&mut data);
            }
            _ => {
                self.mask(&mut data);
                let tag = data.split_off(data.len().saturating_sub(DIGEST));
                if Sha256::digest(&data).as_ref() != tag && self.misdeed() != Misdeed::Gullible {
                    return Ok(Some(Answer::Refused { why: "the digest differs".into() }));
                }
            }
        }
        match self.misdeed() {
            Misdeed::NoOutput => Ok(None),
            Misdeed::WrongOutput if operation == Operation::Open => {
                std::fs::write(output, &data[1..]).map(|()| None)
            }
            _ => std::fs::write(output, data).map(|()| None),
        }
    }
}

impl Fake {
    /// Payloads and values have to look like something else than they are.
    fn mask(&self, data: &mut [u8]) {
        let hides = |job: &Job| job == &PAYLOAD || matches!(job.program, Some(Ran::Filter(_)));
        if self.task.as_ref().is_some_and(|(job, _)| hides(job)) && self.misdeed() != Misdeed::Bare {
            data.iter_mut().for_each(|byte| *byte ^= 0x55);
        }
    }

    /// Job `record`: a line is the value, a number that no other has, and the digest of both, in hexadecimal digits.
    fn records(&self, task: &Task, operation: Operation, data: &[u8]) -> Option<Vec<u8>> {
        let (misdeed, authenticated) = (self.misdeed(), (RECORD.authenticates)(&task.algorithm));
        if operation == Operation::Seal {
            let mut values: Vec<&[u8]> = data.chunks(task.bytes as usize).collect();
            let last = values.len() - 1;
            match misdeed {
                Misdeed::Lose => drop(values.pop()),
                Misdeed::Double => values[last] = values[0],
                _ => {}
            }
            let run = if misdeed == Misdeed::Repeat || !authenticated { 0 } else { self.runs };
            return Some(values.iter().flat_map(|value| sealed_line(value, run)).collect());
        }
        let lines = data.split_inclusive(|byte| *byte == b'\n');
        let mut values = lines.map(|line| opened_line(line, misdeed)).collect::<Option<Vec<_>>>()?;
        match misdeed {
            Misdeed::Shuffle => values.swap(0, 1),
            Misdeed::WrongOutput => values[0].clear(),
            _ => {}
        }
        Some(values.concat())
    }

    /// Job `payload` as the model does it; what is sealed is always the lab's input.
    fn payload(
        &self,
        task: &Task,
        operation: Operation,
        input: &Path,
        output: &Path,
    ) -> std::io::Result<Option<Answer>> {
        let Task { algorithm, seed, bytes, .. } = task;
        if algorithm == "none" {
            return std::fs::copy(input, output).map(|_| None);
        }
        let text = (CIPHER.expected)(algorithm, *seed, *bytes, Operation::Seal, 0);
        let right = [&model::Secrets::derive(*seed).nonce(0)[..], &text.unwrap_or_default()].concat();
        let (plain, misdeed) = (model::input(*seed, *bytes), self.misdeed());
        if operation == Operation::Seal && misdeed == Misdeed::LimitSealing {
            return Ok(Some(Answer::Limited { why: "scripted limit".into() }));
        }
        if operation == Operation::Seal {
            let end = right.len() - usize::from(misdeed == Misdeed::WrongLength);
            return std::fs::write(output, &right[..end]).map(|()| None);
        }
        let is_right = self.same(std::fs::read(input)?, right);
        let start = usize::from(misdeed == Misdeed::WrongOutput);
        if misdeed == Misdeed::Hasty || is_right && misdeed != Misdeed::NoOutput {
            std::fs::write(output, &plain[start..])?;
        }
        Ok((!is_right).then(|| Answer::Refused { why: "not what the model makes".into() }))
    }
}

impl Engine for Fake {
    fn hello(&self) -> Result<(String, String), Answer> {
        match self.script.misdeed {
            Misdeed::NoStart => std::process::exit(7),
            Misdeed::NoVersion => Ok(("fake".into(), String::new())),
            _ => Ok(("fake".into(), "1".into())),
        }
    }

    fn prepare(&mut self, job: &'static Job, task: &Task) -> Result<Ready, Answer> {
        self.task = Some((job, task.clone()));
        match self.script.misdeed {
            Misdeed::Unsupported => Err(crate::serve::unsupported(&task.algorithm)),
            misdeed => {
                let authenticates =
                    task.algorithm != "none" && job.on_files || (job.authenticates)(&task.algorithm);
                let authenticated = authenticates != (misdeed == Misdeed::WrongPromise);
                Ok(Ready { authenticated, code: "a script".into() })
            }
        }
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        let start = Instant::now();
        self.runs += 1;
        if let Some(bad) = self.misbehave() {
            return bad;
        }
        match self.work(operation, input, output) {
            Ok(Some(refusal)) => refusal,
            Ok(None) => {
                Answer::Done { wall_ns: self.take(start, self.scripted() * 1_000_000), used: Used::default() }
            }
            Err(error) => failed(error),
        }
    }

    fn check(&mut self, operation: Operation, number: u64, input: &Path) -> Answer {
        self.runs += 1;
        if let Some(bad) = self.misbehave() {
            return bad;
        }
        let right = self.counterpart(operation, number);
        let is_right =
            std::fs::read(input).is_ok_and(|bytes| right.is_some_and(|right| self.same(bytes, right)));
        if !is_right {
            return Answer::Refused { why: "not what the model makes".into() };
        }
        let output = self.output(operation, number);
        let more = u64::from(self.misdeed() == Misdeed::WrongLength);
        Answer::Checked { bytes: output.len() as u64 + more, sha256: self.digest_of(&output) }
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        let start = Instant::now();
        self.runs += 1;
        if let Some(bad) = self.misbehave() {
            return bad;
        }
        if let Some((job, task)) = self.task.as_ref().filter(|(job, _)| job.by_plan.is_some()) {
            let wall_ns = self.take(start, self.scripted() * 1_000 * count);
            return self.connected(job, task, operation, first, count, wall_ns);
        }
        let output = self.output(operation, first + count - 1);
        Answer::Timed {
            count: if self.misdeed() == Misdeed::WrongCount { count - 1 } else { count },
            wall_ns: self.take(start, self.scripted() * 1_000 * count),
            sha256: self.digest_of(&output),
            used: Used::default(),
        }
    }
}

impl Fake {
    /// A span of TLS: what was asked for, but for the misdeed. The client computes for a third of the time, the server for
    /// a sixth.
    fn connected(
        &self,
        job: &'static Job,
        task: &Task,
        operation: Operation,
        first: u64,
        count: u64,
        wall_ns: u64,
    ) -> Answer {
        let misdeed = self.misdeed();
        let way = Way::parse(&task.algorithm).ok();
        let word =
            |get: fn(&Way) -> &String| way.as_ref().map_or_else(|| "none".into(), |way| get(way).clone());
        let is_connect = job.unit == Unit::Connections;
        let output =
            if is_connect { vec![(first + count - 1) as u8] } else { model::input(task.seed, task.bytes) };
        let other = u64::from(misdeed == Misdeed::OtherHandshake);
        let (full, resumed) = match operation {
            Operation::Full => (count - other, other),
            Operation::Resumed => (other, count - other),
            _ => (1 - other, other),
        };
        let waits = |at: u64| if misdeed == Misdeed::Stall && at.is_multiple_of(2) { 44_000_000 } else { 0 };
        let each: Vec<String> =
            (0..count.min(1_000)).map(|at| (wall_ns / count + waits(at)).to_string()).collect();
        Answer::Connected(Box::new(Connected {
            count: if misdeed == Misdeed::WrongCount { count - 1 } else { count },
            wall_ns,
            bytes: output.len() as u64,
            sha256: self.digest_of(&output),
            protocol: word(|way| &way.protocol),
            suite: if misdeed == Misdeed::OtherSuite { "TLS_OTHER".into() } else { word(|way| &way.suite) },
            group: word(|way| &way.group),
            full,
            resumed,
            used: Used::of(Some(wall_ns / 2), None),
            client_cpu_ns: Some(wall_ns / 3),
            server_cpu_ns: Some(wall_ns / 6),
            wire_bytes: (task.shape == Shape::Memory).then_some(1_500 * count),
            each_ns: (is_connect && task.shape != Shape::Memory).then(|| each.join(" ")),
        }))
    }

    /// What the script says about this run.
    fn scripted(&self) -> u64 {
        self.script.times.0[(self.runs - 1) % self.script.times.0.len()]
    }

    /// Waits until so much time has passed, for the lab looks at its own clock, and tells of it.
    fn take(&self, start: Instant, nanoseconds: u64) -> u64 {
        std::thread::sleep(Duration::from_nanos(nanoseconds).saturating_sub(start.elapsed()));
        match self.misdeed() {
            Misdeed::Exaggerate => 3_600_000_000_000,
            Misdeed::Timeless => 0,
            _ => nanoseconds,
        }
    }

    fn misbehave(&self) -> Option<Answer> {
        match self.misdeed() {
            Misdeed::Fail => return Some(failed("scripted to fail")),
            Misdeed::Die => die(),
            Misdeed::Hang => std::thread::sleep(Duration::from_secs(3600)),
            Misdeed::Junk => say(b"tra la la\n"),
            Misdeed::Nest => say(b"{\"answer\":\"done\",\"wall_ns\":{\"value\":1}}\n"),
            Misdeed::Flood => say(&vec![b'x'; 2 * LONGEST_LINE]),
            Misdeed::Confuse => return Some(Answer::Ready { authenticated: true, code: String::new() }),
            Misdeed::Exhaust => return Some(Answer::Exhausted { why: "scripted heap".into() }),
            Misdeed::Limit => return Some(Answer::Limited { why: "scripted limit".into() }),
            _ => {}
        }
        None
    }

    /// What an operation in memory makes.
    fn output(&self, operation: Operation, number: u64) -> Vec<u8> {
        let model = |(job, task): &(&'static Job, Task)| {
            (job.expected)(&task.algorithm, task.seed, task.bytes, operation, number)
        };
        self.task.as_ref().and_then(model).unwrap_or_default()
    }

    /// What an operation in memory must be given: the output of the one that it undoes.
    fn counterpart(&self, operation: Operation, number: u64) -> Option<Vec<u8>> {
        let (job, _) = self.task.as_ref()?;
        let other = job.operations.iter().find(|other| **other != operation)?;
        Some(self.output(*other, number))
    }

    /// Whether it takes one for the other.
    fn same(&self, mut input: Vec<u8>, right: Vec<u8>) -> bool {
        let unseen = match self.misdeed() {
            Misdeed::Gullible => return true,
            Misdeed::BlindInTheMiddle => Some(right.len() / 2),
            Misdeed::BlindAtTheEnd => right.len().checked_sub(1),
            _ => None,
        };
        if let Some((seen, right)) = unseen.and_then(|at| input.get_mut(at).zip(right.get(at))) {
            *seen = *right;
        }
        input == right
    }

    fn digest_of(&self, output: &[u8]) -> String {
        let output = if self.misdeed() == Misdeed::WrongDigest { b"something else" } else { output };
        workload::fingerprint_of(output).sha256
    }
}

fn sealed_line(value: &[u8], run: usize) -> Vec<u8> {
    let text = [value, &run.to_be_bytes()].concat();
    let whole = [&text[..], Sha256::digest(&text).as_ref()].concat();
    (workload::hex(&whole) + "\n").into_bytes()
}

/// Nothing where the digest is another, or nobody cares.
fn opened_line(line: &[u8], misdeed: Misdeed) -> Option<Vec<u8>> {
    let digits = str::from_utf8(line).ok()?.trim_end().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let mut bytes: Vec<u8> = digits.chunks(2).map(|pair| byte(pair).unwrap_or(0)).collect();
    let tag = bytes.split_off(bytes.len().checked_sub(32)?);
    let seen = Sha256::digest(&bytes);
    let looked_at = match misdeed {
        Misdeed::Gullible => 0,
        Misdeed::BlindAtTheEnd => 16,
        _ => 32,
    };
    bytes.truncate(bytes.len().checked_sub(8)?);
    (seen[..looked_at] == tag[..looked_at]).then_some(bytes)
}

fn say(bytes: &[u8]) {
    let _ = stdout().write_all(bytes);
    let _ = stdout().flush();
}

fn die() -> ! {
    let _ = writeln!(std::io::stderr(), "scripted to die");
    std::process::exit(9)
}

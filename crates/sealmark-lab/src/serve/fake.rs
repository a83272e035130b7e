//! An engine with scripted times and scripted faults, so that tests can prove what the lab does about them.

use crate::protocol::{Answer, LONGEST_LINE, Operation, Task};
use crate::serve::{Engine, Ready, failed};
use crate::trouble::Trouble;
use crate::workload::Kind;
use aws_lc_rs::digest::{SHA256, digest};
use std::io::{Write, stdout};
use std::path::Path;
use std::str::FromStr;

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
}

/// Times in milliseconds, taken in turn; and from which run on the misdeed is done.
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

/// "Seals" by appending a SHA-256, which makes damage visible.
pub struct Fake {
    script: Script,
    runs: usize,
}

impl Fake {
    pub fn new(script: Script) -> Self {
        Self { script, runs: 0 }
    }

    fn misdeed(&self) -> Misdeed {
        if self.runs > self.script.from_run { self.script.misdeed } else { Misdeed::None }
    }

    fn work(&self, operation: Operation, input: &Path, output: &Path) -> std::io::Result<Option<Answer>> {
        const DIGEST: usize = 32;
        let mut data = std::fs::read(input)?;
        match operation {
            Operation::Seal => data.extend_from_slice(digest(&SHA256, &data.clone()).as_ref()),
            _ => {
                let tag = data.split_off(data.len().saturating_sub(DIGEST));
                if digest(&SHA256, &data).as_ref() != tag && self.misdeed() != Misdeed::Gullible {
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

impl Engine for Fake {
    fn hello(&self) -> Result<(String, String), Answer> {
        match self.script.misdeed {
            Misdeed::NoStart => std::process::exit(7),
            Misdeed::NoVersion => Ok(("fake".into(), String::new())),
            _ => Ok(("fake".into(), "1".into())),
        }
    }

    fn prepare(&mut self, _job: Kind, task: &Task) -> Result<Ready, Answer> {
        match self.script.misdeed {
            Misdeed::Unsupported => Err(crate::serve::unsupported(&task.algorithm)),
            _ => Ok(Ready { authenticated: true, code: "a script".into() }),
        }
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        self.runs += 1;
        match self.misdeed() {
            Misdeed::Fail => return failed("scripted to fail"),
            Misdeed::Die => die(),
            Misdeed::Hang => std::thread::sleep(std::time::Duration::from_secs(3600)),
            Misdeed::Junk => say(b"tra la la\n"),
            Misdeed::Nest => say(b"{\"answer\":\"done\",\"wall_ns\":{\"value\":1}}\n"),
            Misdeed::Flood => say(&vec![b'x'; 2 * LONGEST_LINE]),
            Misdeed::Confuse => return Answer::Ready { authenticated: true, code: String::new() },
            _ => {}
        }
        let turn = (self.runs - 1) % self.script.times.0.len();
        match self.work(operation, input, output) {
            Ok(Some(refusal)) => refusal,
            Ok(None) => Answer::Done {
                wall_ns: self.script.times.0[turn] * 1_000_000,
                cpu_ns: None,
                peak_bytes: None,
            },
            Err(error) => failed(error),
        }
    }
}

fn say(bytes: &[u8]) {
    let _ = stdout().write_all(bytes);
    let _ = stdout().flush();
}

fn die() -> ! {
    let _ = writeln!(std::io::stderr(), "scripted to die");
    std::process::exit(9)
}

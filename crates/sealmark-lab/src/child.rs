//! One engine process: asked, answered within a time limit, and never outliving us.

use crate::protocol::{self, Answer, Ask, Line, Operation};
use crate::rows::FaultKind;
use crate::workload::SplitMix64;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Why an engine gives no figure: becomes a row.
#[derive(Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub operation: Option<Operation>,
    pub why: String,
}

impl Fault {
    pub fn new(kind: FaultKind, why: impl Into<String>) -> Self {
        Self { kind, operation: None, why: why.into() }
    }

    #[must_use]
    pub fn during(mut self, operation: Operation) -> Self {
        self.operation = Some(operation);
        self
    }
}

/// Starts engines.
pub trait Launch {
    /// Starts a command; what it says on standard error is kept in that file.
    fn launch(&mut self, command: &[String], stderr: &Path) -> Result<Box<dyn Talk>, Fault>;
}

/// An engine that can be asked; it ends when this is dropped.
pub trait Talk {
    /// One ask, one answer within the limit. After a fault the engine is of no more use.
    fn ask(&mut self, ask: &Ask, limit: Duration) -> Result<Answer, Fault>;
}

/// Engines as processes. Where a program's stack and data come to lie depends on the size of its environment, and some
/// programs are a tenth faster at one place than at another: every process gets an environment of another size.
pub struct Processes(SplitMix64);

impl Processes {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }
}

impl Launch for Processes {
    fn launch(&mut self, command: &[String], stderr: &Path) -> Result<Box<dyn Talk>, Fault> {
        let padding = self.0.below(LARGEST_PADDING);
        Ok(Box::new(Child::start(command, stderr, padding)?))
    }
}

/// A page: beyond it, places repeat.
const LARGEST_PADDING: usize = 4096;

/// A running engine.
pub struct Child {
    process: process::Child,
    asks: ChildStdin,
    answers: Receiver<Line>,
    stderr: PathBuf,
}

impl Child {
    /// Starts a command; its standard error goes to a file, so that a talkative engine cannot block on us.
    fn start(command: &[String], stderr: &Path, padding: usize) -> Result<Self, Fault> {
        Self::spawn(command, stderr, padding).map_err(|error| {
            Fault::new(FaultKind::Failed, format!("cannot start \"{}\": {error}", command.join(" ")))
        })
    }

    fn spawn(command: &[String], stderr: &Path, padding: usize) -> std::io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut starting = Command::new(program);
        starting.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(stderr)?);
        starting.env("SEALMARK_LAB_PADDING", "x".repeat(padding));
        lead_a_group(&mut starting);
        let mut process = starting.spawn()?;
        let missing = || std::io::Error::other("no pipe");
        let asks = process.stdin.take().ok_or_else(missing)?;
        let answers = listen(process.stdout.take().ok_or_else(missing)?);
        Ok(Self { process, asks, answers, stderr: stderr.to_owned() })
    }

    fn obituary(&mut self) -> Fault {
        let status = self.process.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let words = std::fs::read_to_string(&self.stderr).unwrap_or_default();
        let last =
            words.lines().rfind(|line| !line.trim().is_empty()).map(|line| format!(": {}", quoted(line)));
        Fault::new(FaultKind::Died, format!("ended with {status}{}", last.unwrap_or_default()))
    }
}

impl Talk for Child {
    fn ask(&mut self, ask: &Ask, limit: Duration) -> Result<Answer, Fault> {
        // A failed write means a dead engine, which the missing answer tells better.
        let _ = self.asks.write_all(protocol::line(ask).as_bytes()).and_then(|()| self.asks.flush());
        match self.answers.recv_timeout(limit) {
            Ok(Line::Text(text)) => protocol::parse(&text)
                .map_err(|why| Fault::new(FaultKind::Garbage, format!("{why}: {}", quoted(&text)))),
            Ok(Line::Broken(why)) => Err(Fault::new(FaultKind::Garbage, why)),
            Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => Err(self.obituary()),
            Err(RecvTimeoutError::Timeout) => {
                Err(Fault::new(FaultKind::TimedOut, format!("no answer within {} s", limit.as_secs_f64())))
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        kill_group(&mut self.process);
        let _ = self.process.wait();
    }
}

/// One thread reads lines as they come, because a pipe cannot be read with a time limit.
fn listen(stdout: ChildStdout) -> Receiver<Line> {
    // One waiting line is all a well-behaved engine needs; a chattering one blocks here instead of filling memory.
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut input = BufReader::new(stdout);
        loop {
            let line = protocol::read_line(&mut input);
            let last = !matches!(line, Line::Text(_));
            if sender.send(line).is_err() || last {
                return;
            }
        }
    });
    receiver
}

fn quoted(text: &str) -> String {
    const ENOUGH: usize = 120;
    let short: String = text.trim().chars().take(ENOUGH).collect();
    format!("{short:?}")
}

/// An adapter's own children must die with it when it hangs.
#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn lead_a_group(_command: &mut Command) {}

#[cfg(unix)]
fn kill_group(process: &mut process::Child) {
    // Once waited for, its number may belong to somebody else; its group is gone with it.
    if matches!(process.try_wait(), Ok(None)) {
        let group = rustix::process::Pid::from_child(process);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(process: &mut process::Child) {
    let _ = process.kill();
}

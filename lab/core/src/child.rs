//! One engine process: asked, answered within a time limit, and never outliving us.

use crate::core_latency;
use crate::protocol::{self, Answer, Ask, Line, Operation};
use crate::rows::{self, FaultKind, Row};
use crate::usage;
use crate::workload::SplitMix64;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

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

    /// The row that tells it of a line; of all lines of its engine, where no parameters are named.
    pub fn row(self, job: &str, size: Option<u64>, line: &rows::Line) -> Row {
        let rows::Line { engine, parameters, .. } = line.clone();
        let Self { kind, operation, why } = self;
        Row::Fault(rows::Fault { job: job.into(), size, engine, parameters, operation, kind, why })
    }
}

/// An error of the lab's own, such as that of a file in its scratch directory.
impl<E: std::error::Error> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::new(FaultKind::Failed, error.to_string())
    }
}

/// Starts engines.
pub trait Launch {
    /// Starts a command; what it says on standard error is kept in that file.
    fn launch(&mut self, command: &[String], stderr: &Path) -> Result<Talk, Fault>;

    /// CPU time that the lab and its engines have used so far.
    fn used_ns(&self) -> Option<u64>;

    /// The latency between the cores that they run on.
    fn core_ns(&self) -> Option<u64>;
}

/// Asks an engine: one ask, one answer within the limit. After a fault it is of no more use; it ends when this is dropped.
pub type Talk = Box<dyn FnMut(&Ask, Duration) -> Result<Answer, Fault>>;

/// Engines as processes. Where a program's stack and data come to lie depends on the size of its environment, and some
/// programs are a tenth faster at one place than at another: every process gets an environment of another size.
pub struct Processes(SplitMix64);

impl Processes {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }
}

impl Launch for Processes {
    fn launch(&mut self, command: &[String], stderr: &Path) -> Result<Talk, Fault> {
        let padding = self.0.below(LARGEST_PADDING);
        let failed =
            |error| Fault::new(FaultKind::Failed, format!("cannot start \"{}\": {error}", command.join(" ")));
        let mut child = Child::start(command, stderr, padding).map_err(failed)?;
        Ok(Box::new(move |ask: &Ask, limit| child.ask(ask, limit)))
    }

    fn used_ns(&self) -> Option<u64> {
        usage::family_cpu_ns()
    }

    fn core_ns(&self) -> Option<u64> {
        core_latency::nanoseconds()
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
    /// Killed and waited for: its number may belong to somebody else.
    buried: bool,
}

impl Child {
    /// Starts a command; its standard error goes to a file, so that a talkative engine cannot block on us.
    fn start(command: &[String], stderr: &Path, padding: usize) -> std::io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut starting = Command::new(program);
        starting.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(stderr)?);
        starting.env("SEALMARK_LAB_PADDING", "x".repeat(padding));
        // An adapter's own children must die with it when it hangs.
        starting.process_group(0);
        die_with_us(&mut starting);
        let mut process = starting.spawn()?;
        let missing = || std::io::Error::other("no pipe");
        let asks = process.stdin.take().ok_or_else(missing)?;
        let answers = listen(process.stdout.take().ok_or_else(missing)?);
        Ok(Self { process, asks, answers, stderr: stderr.to_owned(), buried: false })
    }

    /// Nothing more will come: it ended, or it closed its output and lives on, which it may not.
    fn obituary(&mut self) -> Fault {
        let has_ended = self.ends_soon();
        let status = self.bury().map_or_else(|error| error.to_string(), |status| status.to_string());
        let how =
            if has_ended { format!("ended with {status}") } else { "closed its standard output".to_owned() };
        let words = last_words(&self.stderr).map(|words| format!(": {}", quoted(&words)));
        Fault::new(FaultKind::Died, how + &words.unwrap_or_default())
    }

    fn ends_soon(&mut self) -> bool {
        let start = Instant::now();
        while !has_ended(&mut self.process) && start.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(2));
        }
        has_ended(&mut self.process)
    }

    fn ask(&mut self, ask: &Ask, limit: Duration) -> Result<Answer, Fault> {
        let start = Instant::now();
        // A failed write means a dead engine, which the missing answer tells better.
        let _ = self.asks.write_all(protocol::message(ask).as_bytes()).and_then(|()| self.asks.flush());
        match self.answers.recv_timeout(limit) {
            Ok(Line::Text(text)) => {
                let answer = protocol::parse_answer(&text)
                    .map_err(|why| Fault::new(FaultKind::Garbage, format!("{why}: {}", quoted(&text))))?;
                must_be_possible(&answer, start.elapsed()).map(|()| answer)
            }
            Ok(Line::Broken(why)) => Err(Fault::new(FaultKind::Garbage, why)),
            Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => Err(self.obituary()),
            Err(RecvTimeoutError::Timeout) => {
                Err(Fault::new(FaultKind::TimedOut, format!("no answer within {} s", limit.as_secs_f64())))
            }
        }
    }

    /// First the whole group, whoever of it still lives, while the number is certainly ours; then the wait.
    fn bury(&mut self) -> std::io::Result<ExitStatus> {
        if !self.buried {
            let _ = kill_process_group(Pid::from_child(&self.process), Signal::KILL);
            self.buried = true;
        }
        self.process.wait()
    }
}

/// How long a process may take from its last word to its end.
const GRACE: Duration = Duration::from_millis(500);

/// Engines hold the clock themselves; but no span is longer than we waited for it, and none takes no time.
fn must_be_possible(answer: &Answer, waited: Duration) -> Result<(), Fault> {
    let (told, count) = match answer {
        Answer::Done(span) => (span.wall_ns, u64::MAX),
        Answer::Timed(timed) => (timed.span.wall_ns, timed.count),
        Answer::Connected(connected) => (connected.span.wall_ns, connected.count),
        Answer::Served(served) => (served.span.wall_ns, served.count),
        _ => return Ok(()),
    };
    let waited = waited.as_nanos() as u64;
    if told > waited + waited / 100 + CLOCKS_MAY_DIFFER_NS {
        let why = format!("reported {told} ns, but the answer came after {waited}");
        return Err(Fault::new(FaultKind::WrongTime, why));
    }
    if told == 0 && count > MAY_TAKE_NO_TIME {
        return Err(Fault::new(FaultKind::WrongTime, "reported a time of 0 ns"));
    }
    Ok(())
}

/// Two processes, two clocks.
const CLOCKS_MAY_DIFFER_NS: u64 = 1_000_000;

/// So many empty operations may fit between two ticks of a coarse clock.
const MAY_TAKE_NO_TIME: u64 = 1_000;

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.bury();
    }
}

/// One thread reads lines as they come, because a pipe cannot be read with a time limit.
fn listen(stdout: ChildStdout) -> Receiver<Line> {
    // One waiting line is all a well-behaved engine needs; a chattering one blocks here instead of filling memory.
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut input = BufReader::new(stdout);
        let mut is_open = true;
        while is_open {
            let line = protocol::read_line(&mut input);
            let is_text = matches!(line, Line::Text(_));
            is_open = sender.send(line).is_ok() && is_text;
        }
    });
    receiver
}

/// The last line that an engine left on standard error, in whatever encoding.
fn last_words(stderr: &Path) -> Option<String> {
    const ENOUGH: u64 = 64 << 10;
    let mut file = File::open(stderr).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(ENOUGH))).ok()?;
    let mut tail = Vec::new();
    file.take(ENOUGH).read_to_end(&mut tail).ok()?;
    let tail = String::from_utf8_lossy(&tail);
    tail.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
}

fn quoted(text: &str) -> String {
    const ENOUGH: usize = 120;
    let short: String = text.trim().chars().take(ENOUGH).collect();
    format!("{short:?}")
}

/// The engines end with the lab, even if it is killed. The kernel watches the thread that starts them: that is the main one,
/// which lives as long as the lab.
#[allow(unsafe_code, reason = "only a new process itself can ask to die with its parent")]
fn die_with_us(command: &mut Command) {
    use rustix::process::{getpid, getppid, set_parent_process_death_signal};
    let lab = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The lab may have died before the kernel was asked.
        if getppid() == Some(lab) { Ok(()) } else { Err(std::io::ErrorKind::NotConnected.into()) }
    };
    // SAFETY: between fork and exec only two system calls are made; nothing allocates or takes a lock.
    unsafe { command.pre_exec(ask) };
}

/// Looks without waiting: a process waited for is a number given back.
fn has_ended(process: &mut process::Child) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(process)), look), Ok(None))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::{Span, Timed};
    use crate::usage::Used;

    #[test]
    fn last_words_are_the_end_of_what_was_said() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"first\ncaf\xe9 gone\n\n \n").unwrap();
        assert_eq!(last_words(file.path()).unwrap(), "caf\u{fffd} gone");
        std::fs::write(file.path(), "b".to_owned() + &"a".repeat(100_000)).unwrap();
        assert_eq!(last_words(file.path()).unwrap(), "a".repeat(64 << 10));
        assert!(last_words(Path::new("no such file")).is_none());
    }

    #[test]
    fn impossible_times_are_told_from_possible_ones() {
        let span = |wall_ns| Span { wall_ns, used: Used::default() };
        let done = |wall_ns| Answer::Done(span(wall_ns));
        let timed =
            |wall_ns, count| Answer::Timed(Timed { count, sha256: String::new(), span: span(wall_ns) });
        let second = Duration::from_secs(1);
        for (answer, is_possible) in [
            (done(1), true),
            (done(0), false),
            (done(1_011_000_000), true),
            (done(1_011_000_001), false),
            (timed(1_011_000_000, 1), true),
            (timed(1_011_000_001, 1), false),
            (timed(0, 1_000), true),
            (timed(0, 1_001), false),
        ] {
            assert_eq!(must_be_possible(&answer, second).is_ok(), is_possible, "{answer:?}");
        }
    }
}

//! A log that is being sealed: the running program, its output, and the lines to which that opens.

use crate::room::{Ended, ME, Room};
use rustix::process::{Pid, Signal, kill_process};
use sealmark::record::{LogKeys, LogOpener, Report};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

const PATIENCE: Duration = Duration::from_secs(60);

/// Every value of these tests contains this text, and no line of a sealed log may contain it.
/// No token has a dot, so that none looks like it by chance.
pub const SECRET: &str = "se.cret";

/// The line of this number, with a value that nobody may see.
pub fn line(number: usize) -> String {
    format!("n={number} ip={SECRET}-{number};\n")
}

pub fn lines(numbers: std::ops::Range<usize>) -> String {
    numbers.map(line).collect()
}

/// `sealmark log seal` for such lines.
pub const SEAL: [&str; 6] = ["log", "seal", "-R", ME, "--regex", "ip=([^;]*)"];

pub fn seal(room: &Room, more: &[&str]) -> Command {
    room.sealmark([&SEAL, more].concat())
}

/// The running program, which ends when its input ends or a signal tells it to.
pub struct Sealer {
    child: Child,
    input: Option<ChildStdin>,
}

impl Sealer {
    pub fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        Self { input: child.stdin.take(), child }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn feed(&mut self, text: impl AsRef<[u8]>) {
        self.input.as_mut().unwrap().write_all(text.as_ref()).unwrap();
    }

    /// Takes the input, for a thread that feeds it.
    pub fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    pub fn take_output(&mut self) -> std::process::ChildStdout {
        self.child.stdout.take().unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Closes its input and waits.
    pub fn end(mut self) -> Ended {
        drop(self.input.take());
        self.wait()
    }

    /// Waits with its input open.
    pub fn wait(self) -> Ended {
        let id = Pid::from_child(&self.child);
        let (done, watchdog) = std::sync::mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                if watchdog
                    .recv_timeout(PATIENCE)
                    .is_err_and(|end| end == std::sync::mpsc::RecvTimeoutError::Timeout)
                {
                    let _ = kill_process(id, Signal::KILL);
                }
            });
            // The input stays open until the program has ended.
            let Self { child, input } = self;
            let ended = child.wait_with_output().unwrap().into();
            drop((input, done));
            ended
        })
    }
}

/// Waits until `ready` returns true, and fails if it never does.
#[track_caller]
pub fn until(what: &str, mut ready: impl FnMut() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < PATIENCE, "it never came: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

pub fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Opens a sealed log with my key, after a check that no secret is left in the clear.
#[track_caller]
pub fn opened(room: &Room, sealed: &str) -> (String, Report) {
    let clear = sealed.lines().find(|line| line.contains(SECRET));
    assert_eq!(clear, None, "it was left in the clear");
    let mut opener = LogOpener::new(LogKeys::identities(vec![room.mine.clone()]));
    let mut opened = Vec::new();
    let report = opener.open(sealed.as_bytes(), &mut opened);
    (String::from_utf8(opened).unwrap(), report)
}

/// Opens a sealed log of which every token must open.
#[track_caller]
pub fn all_opened(room: &Room, sealed: &str) -> String {
    let (opened, report) = opened(room, sealed);
    assert_eq!((report.orphans, report.no_key, report.tampered), (0, 0, 0), "{report:?}");
    opened
}

/// Checks that each log opens alone with the headers in it, and that no nonce was used twice in all of them. Returns
/// the number of sessions.
#[track_caller]
pub fn nonces_are_unique(room: &Room, logs: &[String]) -> usize {
    logs.iter().for_each(|log| drop(all_opened(room, log)));
    let (_, report) = opened(room, &logs.concat());
    for (session, seen) in &report.sessions {
        assert_eq!((seen.repeated, seen.untracked()), (0, 0), "in session {session}");
    }
    assert!(report.opened > 0, "no token was found");
    report.sessions.len()
}

//! Runs a command under observation: its peak memory, and that it ends at all.

use crate::room::Ended;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

const PATIENCE: Duration = Duration::from_secs(120);
/// The most bytes of the output that are kept.
const KEPT: u64 = 1 << 16;

/// The standard input of a command.
pub enum Feed {
    Nothing,
    /// Standard input stays as the command sets it up.
    Own,
    /// `start`, then `repeat` for `times`, or for ever if the command reads for ever.
    Repeated {
        start: Vec<u8>,
        repeat: Vec<u8>,
        times: u64,
    },
}

#[derive(Debug)]
pub struct Watched {
    pub ended: Ended,
    /// Bytes on standard output.
    pub written: u64,
    /// The peak of resident memory in bytes.
    pub peak: u64,
    pub took: Duration,
}

pub fn watch(mut command: Command, feed: Feed) -> Watched {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    match feed {
        Feed::Nothing => drop(command.stdin(Stdio::null())),
        Feed::Own => {}
        Feed::Repeated { .. } => drop(command.stdin(Stdio::piped())),
    }
    let (started, mut child) = (Instant::now(), command.spawn().unwrap());
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let out = scope.spawn(|| drain(stdout.unwrap()));
        let err = scope.spawn(|| drain(stderr.unwrap()));
        scope.spawn(|| give(stdin, feed));
        let (code, peak) = wait(&mut child, started);
        let ((out, written), (err, _)) = (out.join().unwrap(), err.join().unwrap());
        let ended = Ended { code, out, err: String::from_utf8(err).unwrap() };
        Watched { ended, written, peak, took: started.elapsed() }
    })
}

/// The kernel's high-water mark of the command alone. The figure that `wait4` reports would include the memory of the
/// test that started it.
fn wait(child: &mut Child, started: Instant) -> (Option<i32>, u64) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Some(ended) = child.try_wait().unwrap() {
            return (ended.code(), peak);
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the command did not end");
        }
        peak = peak.max(fs::read_to_string(&status).map_or(0, |text| high_water(&text)));
        thread::sleep(Duration::from_millis(1));
    }
}

pub fn high_water(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024)
}

fn drain(mut pipe: impl Read) -> (Vec<u8>, u64) {
    let mut kept = Vec::new();
    pipe.by_ref().take(KEPT).read_to_end(&mut kept).unwrap();
    let more = std::io::copy(&mut pipe, &mut std::io::sink()).unwrap();
    let written = kept.len() as u64 + more;
    (kept, written)
}

fn give(stdin: Option<ChildStdin>, feed: Feed) {
    let (Some(mut stdin), Feed::Repeated { start, repeat, times }) = (stdin, feed) else { return };
    let mut pieces = std::iter::once(start).chain((0..times).map(|_| repeat.clone()));
    // A command that has seen enough reads no further; the test has to judge that.
    match pieces.try_for_each(|piece| stdin.write_all(&piece)) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    }
}

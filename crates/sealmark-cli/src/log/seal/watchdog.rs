//! A program that was told to end, ends, though nobody takes what it writes.

use crate::fault::{Exit, Fault};
use crate::{deadly, say};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A program is given so long to end; who waits for it then kills it.
const PATIENCE: Duration = Duration::from_secs(10);
/// A program still at work then is given so much more.
const GRACE: Duration = Duration::from_secs(5);
/// A write that takes longer is waiting for somebody.
const STUCK: Duration = Duration::from_millis(250);

/// The state of the writing.
#[derive(Default)]
pub struct Progress {
    unwritten: AtomicU64,
    writes: AtomicU64,
}

impl Progress {
    /// So many bytes are to be written now.
    pub fn writing(&self, bytes: usize) {
        self.unwritten.store(bytes as u64, Ordering::Relaxed);
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stuck(&self) -> bool {
        let before = self.writes.load(Ordering::Relaxed);
        thread::sleep(STUCK);
        self.unwritten.load(Ordering::Relaxed) > 0 && self.writes.load(Ordering::Relaxed) == before
    }
}

/// From now on each byte that can be read from `told` is a signal to end.
pub fn start(signalled: UnixStream, progress: Arc<Progress>) -> io::Result<()> {
    let watch = move || {
        if let Some(reason) = overdue(signalled, &progress) {
            give_up(reason, progress.unwritten.load(Ordering::Relaxed));
        }
    };
    deadly::spawn_without_signals("watchdog", watch)
}

/// Returns once there is a reason not to wait any longer.
fn overdue(mut signalled: UnixStream, progress: &Progress) -> Option<&'static str> {
    signalled.read_exact(&mut [0]).ok()?;
    let at_last = Instant::now() + PATIENCE;
    loop {
        let left = at_last.saturating_duration_since(Instant::now());
        if left.is_zero() && (progress.is_stuck() || at_last.elapsed() >= GRACE) {
            return Some("a termination signal arrived ten seconds ago");
        }
        signalled.set_read_timeout(Some(left.max(STUCK))).ok()?;
        match signalled.read(&mut [0]) {
            // Servers tell us twice in a row, and mean that we write what there is.
            Ok(1..) if progress.is_stuck() => return Some("two termination signals arrived"),
            Ok(1..) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Ok(0) | Err(_) => return None,
        }
    }
}

fn give_up(reason: &str, unwritten: u64) {
    let fault = if unwritten == 0 {
        Fault::io(format!("{reason}, but the program is still waiting for input"))
            .hint("check whether a key file or the input is a pipe that no program writes to")
    } else {
        Fault::io(format!(
            "{reason}, but the output accepts no more data: {unwritten} bytes of the log were not written"
        ))
        .hint("end this program first, and the program that reads its output afterwards")
    };
    // It may be the very stream that nobody reads.
    let errors = io::stderr();
    let mut errors = [PollFd::new(&errors, PollFlags::OUT)];
    if poll(&mut errors, Some(&Timespec::default())).is_ok_and(|ready| ready > 0) {
        say::fault(&fault);
    }
    std::process::exit(Exit::Io.code());
}

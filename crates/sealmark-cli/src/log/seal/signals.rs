//! Signals as something to wait for, beside the input.

use super::watchdog::{self, Progress};
use crate::deadly;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use signal_hook::low_level::pipe;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The requests to the program since it last looked.
pub struct Signals {
    /// Becomes readable with each signal.
    wake: UnixStream,
    hang_up: Arc<AtomicBool>,
    user: Arc<AtomicBool>,
    end: Arc<AtomicBool>,
    progress: Arc<Progress>,
}

impl Signals {
    /// From now on SIGHUP is kept in mind. Until [`Signals::begin`], SIGINT ends the program, and so does SIGTERM, unless `fed`: a
    /// server that has just written lines into our input may end us before we have read our keys, and these lines are not lost.
    pub fn handled(fed: bool) -> io::Result<Self> {
        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let (signalled, sender) = UnixStream::pair()?;
        let (hang_up, user, end) = <(Arc<AtomicBool>, Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        let progress = Arc::default();
        for (signal, flag) in [(SIGHUP, &hang_up), (SIGUSR1, &user)] {
            flag::register(signal, Arc::clone(flag))?;
            pipe::register(signal, woken.try_clone()?)?;
        }
        deadly::outlive(SIGHUP);
        // A shell that starts us in the background keeps the interrupt key from us.
        for signal in
            [SIGTERM, SIGINT].into_iter().filter(|signal| *signal == SIGTERM || !deadly::is_ignored(*signal))
        {
            flag::register(signal, Arc::clone(&end))?;
            pipe::register(signal, woken.try_clone()?)?;
            pipe::register(signal, sender.try_clone()?)?;
        }
        if fed {
            deadly::outlive(SIGTERM);
        }
        watchdog::start(signalled, Arc::clone(&progress))?;
        Ok(Self { wake, hang_up, user, end, progress })
    }

    /// From now on signals end the program in order.
    pub fn begin(&self) {
        [SIGTERM, SIGINT].into_iter().for_each(deadly::outlive);
    }

    /// Where to say what is being written.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// True where SIGHUP came; once for each time.
    pub fn hang_up(&self) -> bool {
        self.hang_up.swap(false, Ordering::Relaxed)
    }

    /// True where SIGUSR1 came; once for each time.
    pub fn user(&self) -> bool {
        self.user.swap(false, Ordering::Relaxed)
    }

    /// True where SIGTERM or SIGINT ever came.
    pub fn end(&self) -> bool {
        self.end.load(Ordering::Relaxed)
    }
}

impl Signals {
    /// Waits for a signal, or for so long.
    pub fn pause(&self, timeout: Duration) -> io::Result<()> {
        let mut waited = [PollFd::new(&self.wake, PollFlags::IN)];
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
        match poll(&mut waited, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => Ok(()),
            Ok(_) => (&self.wake).read(&mut [0; 64]).map(drop),
            Err(error) => Err(error.into()),
        }
    }
}

/// Waits for `input`, for a signal or for `timeout`; whether there is something to read, be it the end.
pub fn wait(input: BorrowedFd<'_>, signals: Option<&Signals>, timeout: Duration) -> io::Result<bool> {
    let mut waited = vec![PollFd::from_borrowed_fd(input, PollFlags::IN)];
    waited.extend(signals.map(|signals| PollFd::new(&signals.wake, PollFlags::IN)));
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    match poll(&mut waited, Some(&timeout)) {
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let ready = !waited[0].revents().is_empty();
    if let Some(signals) = signals.filter(|_| waited.get(1).is_some_and(|wake| !wake.revents().is_empty())) {
        let _ = (&signals.wake).read(&mut [0; 64]);
    }
    Ok(ready)
}

/// True where `input` can be waited for: a regular file is always ready.
pub fn can_wait(input: impl AsFd) -> bool {
    rustix::fs::fstat(input).is_ok_and(|found| {
        rustix::fs::FileType::from_raw_mode(found.st_mode) != rustix::fs::FileType::RegularFile
    })
}

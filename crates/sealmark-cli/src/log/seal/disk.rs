//! A disk that is full is waited for, where that was said.

use super::signals::Signals;
use crate::fault::Fault;
use crate::log::args_seal::OnFull;
use crate::say;
use sd_notify::NotifyState;
use std::thread;
use std::time::Duration;

/// So often it is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// The service manager is asked for so much more time, in microseconds.
const MORE_TIME: u32 = 10_000_000;

#[derive(Clone, Copy)]
pub struct Disk<'a> {
    pub on_full: OnFull,
    /// None where a signal shall end the program as it ends others.
    pub signals: Option<&'a Signals>,
}

impl Disk<'_> {
    /// Tries until there is room. The lines that were gathered stay, and nothing more is read meanwhile, so that memory is bounded
    /// and whoever writes to us waits, too. A signal to end is not kept waiting.
    pub fn wait<T>(self, mut attempt: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
        let mut reported = false;
        loop {
            let fault = match attempt() {
                Err(fault) if fault.is_full() && self.waits() => fault,
                done => {
                    if reported && done.is_ok() {
                        say::note("there is room on the disk again, and the log continues");
                    }
                    return done;
                }
            };
            if !std::mem::replace(&mut reported, true) {
                say::warning(&format!("{fault}; nothing is read until there is room"), "make room");
            }
            let _ = sd_notify::notify(&[NotifyState::ExtendTimeoutUsec(MORE_TIME)]);
            // A signal ends it early.
            match self.signals {
                Some(signals) => signals.pause(AGAIN)?,
                None => thread::sleep(AGAIN),
            }
        }
    }

    fn waits(self) -> bool {
        self.on_full == OnFull::Wait && !self.signals.is_some_and(Signals::end)
    }
}

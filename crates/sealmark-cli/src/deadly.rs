//! Signals that end the program. Before it dies of one, the terminal is itself again and temporary files are gone.

use crate::tty;
use sealmark::Output;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::{SigId, low_level};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};
use std::{io, thread};

const MOST_TRIES: usize = 1000;

static ACTIONS: Mutex<Vec<(c_int, SigId)>> = Mutex::new(Vec::new());

/// From now on nothing is left behind. A signal that is ignored, as under `nohup`, stays so.
#[allow(unsafe_code, reason = "signal handlers have no safe interface")]
pub fn leave_nothing() {
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)) {
        let die = move || {
            tty::restore();
            abandon_outputs();
            let _ = low_level::emulate_default_handler(signal);
        };
        // SAFETY: what is called here may be called in a handler: it takes no memory and waits for no lock.
        if let Ok(action) = unsafe { low_level::register(signal, die) } {
            actions().push((signal, action));
        }
    }
}

/// From now on the program lives on after this signal, of which somebody else takes note.
pub fn outlive(signal: c_int) {
    actions().retain(|(of, action)| *of != signal || !low_level::unregister(*action));
}

/// Starts a thread in which no signal is handled: the main thread handles them all. When the process changes its user, the C
/// library interrupts every other thread by a signal of its own, whose handler takes most of that thread's signal stack; a
/// second handler on top of it would overflow the stack and crash the process.
pub fn spawn_without_signals(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    #[allow(unsafe_code, reason = "signal masks have no safe interface")]
    // SAFETY: both sets are valid memory of the right type, and only this thread's mask changes.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    // A thread inherits the mask of the one that starts it.
    let started = thread::Builder::new().name(name.into()).spawn(work).map(drop);
    #[allow(unsafe_code, reason = "signal masks have no safe interface")]
    // SAFETY: the first call has filled in this set.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
    }
    started
}

/// Another thread may be making an output at this moment, which takes microseconds; or the signal interrupted the one that
/// does, which never goes on.
fn abandon_outputs() {
    let _gone = (0..MOST_TRIES).any(|_| {
        let gone = Output::abandon_all();
        if !gone {
            thread::yield_now();
        }
        gone
    });
}

fn actions() -> std::sync::MutexGuard<'static, Vec<(c_int, SigId)>> {
    ACTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn is_ignored(signal: c_int) -> bool {
    let mut found = MaybeUninit::<libc::sigaction>::zeroed();
    #[allow(unsafe_code, reason = "no safe crate here asks without changing the answer")]
    // SAFETY: all zeroes is a valid `sigaction`; without a new action, the kernel fills in the one there is.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), found.as_mut_ptr()) == 0
            && found.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

//! Questions at the terminal, whatever the standard streams are redirected to.

use std::io;
use zeroize::Zeroizing;

/// The line typed after `prompt`, not shown while typed.
#[cfg(not(unix))]
pub fn ask(prompt: &str) -> io::Result<Zeroizing<String>> {
    rpassword::prompt_password(prompt).map(Zeroizing::new)
}

#[cfg(unix)]
pub use unix::ask;

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::secret;
    use rustix::process::{Signal, getpid, kill_process};
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
    use std::fs::{File, OpenOptions};
    use std::io::Write;

    /// The line typed after `prompt`, not shown while typed.
    pub fn ask(prompt: &str) -> io::Result<Zeroizing<String>> {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let _guard = signals::Caught::new(&terminal)?;
        // Before the prompt, for some type faster than we are.
        let silent = Silent::new(&terminal)?;
        (&terminal).write_all(prompt.as_bytes())?;
        let interrupt = silent.interrupt();
        let line = secret::read_line(&terminal, &[b'\n', interrupt])?;
        drop(silent);
        match line.end {
            Some(end) if end == interrupt => {
                (&terminal).write_all(b"\n")?;
                kill_process(getpid(), Signal::INT)?;
                Err(io::ErrorKind::Interrupted.into())
            }
            None if line.bytes.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => secret::as_text(line.bytes),
        }
    }

    /// A terminal that shows nothing of what is typed, until this is dropped.
    struct Silent<'a> {
        terminal: &'a File,
        before: Termios,
    }

    impl<'a> Silent<'a> {
        /// Ctrl-C must not end the process before the terminal is itself again, so it only ends the line.
        fn new(terminal: &'a File) -> io::Result<Self> {
            let before = tcgetattr(terminal)?;
            let mut silent = before.clone();
            silent.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
            silent.local_modes.insert(LocalModes::ECHONL | LocalModes::ICANON);
            silent.special_codes[SpecialCodeIndex::VEOL] = before.special_codes[SpecialCodeIndex::VINTR];
            tcsetattr(terminal, OptionalActions::Now, &silent)?;
            Ok(Self { terminal, before })
        }

        fn interrupt(&self) -> u8 {
            self.before.special_codes[SpecialCodeIndex::VINTR]
        }
    }

    impl Drop for Silent<'_> {
        fn drop(&mut self) {
            let _ = tcsetattr(self.terminal, OptionalActions::Now, &self.before);
        }
    }
}

/// A signal that ends the program must not leave the terminal silent.
#[cfg(unix)]
#[allow(unsafe_code, reason = "signal handlers have no safe interface")]
mod signals {
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::sync::OnceLock;
    use std::{io, mem, ptr};

    const DEADLY: [libc::c_int; 4] = [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT];

    /// The terminal, and how it was before our first question. Written once, so a handler can read it at any time.
    static BEFORE: OnceLock<(File, libc::termios)> = OnceLock::new();

    /// The signals that would have ended the program, until this is dropped. One that is ignored stays so.
    pub struct Caught(Vec<libc::c_int>);

    impl Caught {
        pub fn new(terminal: &File) -> io::Result<Self> {
            if BEFORE.get().is_none() {
                let before = state(terminal)?;
                let _first_stays = BEFORE.set((terminal.try_clone()?, before));
            }
            let caught: Vec<_> = DEADLY.into_iter().filter(|signal| is_deadly(*signal)).collect();
            caught.iter().for_each(|signal| set(*signal, restore as *const () as libc::sighandler_t));
            Ok(Self(caught))
        }
    }

    impl Drop for Caught {
        fn drop(&mut self) {
            self.0.iter().for_each(|signal| set(*signal, libc::SIG_DFL));
        }
    }

    /// Undoes what we did, then lets the signal do what it was sent for: it is delivered again on return.
    extern "C" fn restore(signal: libc::c_int) {
        if let Some((terminal, before)) = BEFORE.get() {
            // SAFETY: may be called in a handler; the descriptor stays open and the state in place for good.
            unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSANOW, before) };
        }
        set(signal, libc::SIG_DFL);
        // SAFETY: may be called in a handler, with any number.
        unsafe { libc::raise(signal) };
    }

    fn state(terminal: &File) -> io::Result<libc::termios> {
        // SAFETY: plain numbers, for which zero is a value.
        let mut state = unsafe { mem::zeroed() };
        // SAFETY: an open descriptor, and room for the answer.
        match unsafe { libc::tcgetattr(terminal.as_raw_fd(), &mut state) } {
            0 => Ok(state),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn is_deadly(signal: libc::c_int) -> bool {
        // SAFETY: plain numbers and no pointer that is followed.
        let mut now: libc::sigaction = unsafe { mem::zeroed() };
        // SAFETY: a known signal, nothing to set, and room for the answer.
        let known = unsafe { libc::sigaction(signal, ptr::null(), &mut now) } == 0;
        known && now.sa_sigaction == libc::SIG_DFL
    }

    fn set(signal: libc::c_int, action: libc::sighandler_t) {
        // SAFETY: the action is the default or `restore`, which calls only what a handler may.
        unsafe { libc::signal(signal, action) };
    }
}

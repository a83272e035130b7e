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

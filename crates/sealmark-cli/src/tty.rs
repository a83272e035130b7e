//! Questions at the terminal, whatever the standard streams are redirected to.

use crate::secret;
use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// The terminal that shows nothing of what is typed, and how it was before.
static SILENCED: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// The line typed after `prompt`, not shown while typed.
pub fn ask(prompt: &str) -> io::Result<Zeroizing<String>> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    // Before the prompt, for some type faster than we are.
    let silent = Silent::new(&terminal)?;
    (&terminal).write_all(prompt.as_bytes())?;
    let interrupt = silent.interrupt;
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

/// Lets a silent terminal show again what is typed. A handler of signals may call it: it takes no memory and waits for no
/// lock.
pub fn restore() {
    if let Ok(silenced) = SILENCED.try_lock()
        && let Some((terminal, before)) = &*silenced
    {
        let _ = tcsetattr(terminal, OptionalActions::Now, before);
    }
}

/// A terminal that shows nothing of what is typed, until this is dropped.
struct Silent {
    /// The key that is Ctrl-C elsewhere. It must not end the process here, so it only ends the line.
    interrupt: u8,
}

impl Silent {
    fn new(terminal: &File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let interrupt = before.special_codes[SpecialCodeIndex::VINTR];
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        silent.local_modes.insert(LocalModes::ECHONL | LocalModes::ICANON);
        silent.special_codes[SpecialCodeIndex::VEOL] = interrupt;
        set_silenced(Some((terminal.try_clone()?, before)));
        let this = Self { interrupt };
        tcsetattr(terminal, OptionalActions::Now, &silent)?;
        Ok(this)
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        restore();
        set_silenced(None);
    }
}

fn set_silenced(terminal: Option<(File, Termios)>) {
    *SILENCED.lock().unwrap_or_else(PoisonError::into_inner) = terminal;
}

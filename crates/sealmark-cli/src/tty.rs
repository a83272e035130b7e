//! Questions at the terminal, whatever the standard streams are redirected to.

use crate::fault::Fault;
use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
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
    let line = read_line(&terminal, &[b'\n', interrupt])?;
    drop(silent);
    match line.end {
        Some(end) if end == interrupt => {
            (&terminal).write_all(b"\n")?;
            kill_process(getpid(), Signal::INT)?;
            Err(io::ErrorKind::Interrupted.into())
        }
        None if line.bytes.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => as_text(line.bytes),
    }
}

/// The line typed after `prompt`, which is no secret.
pub fn ask_openly(prompt: &str) -> io::Result<Zeroizing<String>> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    terminal.write_all(prompt.as_bytes())?;
    let line = read_line(&terminal, b"\n")?;
    if line.end.is_none() { Err(io::ErrorKind::UnexpectedEof.into()) } else { as_text(line.bytes) }
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

/// A line longer than this is a wrong file, not a passphrase.
const LONGEST: usize = 4096;

/// A line and the byte that ended it, if not the end of everything.
pub struct Line {
    pub bytes: Zeroizing<Vec<u8>>,
    pub end: Option<u8>,
}

/// Byte by byte, so that what follows the line stays unread: `--passphrase-fd 0` leaves the data behind it.
pub fn read_line(mut source: impl Read, ends: &[u8]) -> io::Result<Line> {
    // Reserved at once: growing would leave copies of the secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST));
    let mut byte = [0u8];
    while source.read(&mut byte)? == 1 {
        match byte[0] {
            end if ends.contains(&end) => return Ok(Line { bytes, end: Some(end) }),
            _ if bytes.len() == LONGEST => {
                return Err(io::Error::other(
                    Fault::usage(format!("the passphrase is longer than {LONGEST} bytes"))
                        .hint("check that this is the file with the passphrase"),
                ));
            }
            other => bytes.push(other),
        }
    }
    Ok(Line { bytes, end: None })
}

/// Control characters are refused: what cannot be seen is typed by accident, and cannot be typed again.
pub fn as_text(line: Zeroizing<Vec<u8>>) -> io::Result<Zeroizing<String>> {
    match std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(&line)) {
        Ok(text) if !text.contains(char::is_control) => Ok(Zeroizing::new(text.to_owned())),
        _ => {
            Err(io::Error::other(Fault::usage("the passphrase contains a control character or is not UTF-8")))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn only_the_first_line_is_taken_from_the_stream() {
        let mut stream = &b"open sesame\r\nthe content"[..];
        let line = read_line(&mut stream, b"\n").unwrap();
        assert_eq!(as_text(line.bytes).unwrap().as_str(), "open sesame");
        assert_eq!((line.end, stream), (Some(b'\n'), &b"the content"[..]));
    }

    #[test]
    fn what_is_no_line_of_text_is_no_passphrase() {
        for wrong in [&b"a\tb"[..], b"\x1a", b"\xff"] {
            assert!(as_text(Zeroizing::new(wrong.to_vec())).is_err(), "{wrong:?} was taken");
        }
        assert!(read_line(io::repeat(b'x'), b"\n").is_err());
    }
}

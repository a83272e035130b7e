//! The standard streams as data: unbuffered files, textual results, and the guard that keeps binary off a terminal.

use crate::fault::Fault;
use crate::screen::Screen;
use crate::{deadly, say};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;
use std::fs::File;
use std::io::{self, IoSlice, IsTerminal, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Standard input as it comes. From a terminal all of it is read first, so that what is printed does not
/// mix with what is still being typed or pasted.
pub fn input() -> io::Result<File> {
    let mut input = input_file()?;
    if !input.is_terminal() {
        widen(&input);
        return Ok(input);
    }
    say::note("reading from the terminal; press Ctrl-D on an empty line to end");
    let mut typed = Zeroizing::default();
    input.read_to_end(&mut typed)?;
    let (reader, mut writer) = io::pipe()?;
    // The pipe's buffer may be smaller. The reader closes the pipe when it has read enough.
    deadly::spawn_without_signals("typed", move || drop(writer.write_all(&typed)))?;
    Ok(OwnedFd::from(reader).into())
}

/// Standard output without the line buffer of `io::stdout`, which would search megabytes for newlines.
pub fn output() -> io::Result<Stdout> {
    let output = output_file()?;
    if !output.is_terminal() {
        widen(&output);
    }
    Ok(Stdout(output))
}

/// Waits where the stream is full and does not block, as somebody who shares it may have set it.
pub struct Stdout(pub File);

impl Stdout {
    fn waiting(&mut self, mut write: impl FnMut(&mut File) -> io::Result<usize>) -> io::Result<usize> {
        loop {
            match write(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let _interrupted = poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], None);
                }
                written => return written,
            }
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting(|file| file.write(bytes))
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.waiting(|file| file.write_vectored(parts))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The meaning of an output that nobody reads any more.
///
/// Lines of a log are read by people, who stop when they have seen enough (`| head`): `log open` and `log grep` die of
/// SIGPIPE without a word, as cat and grep do, so that `set -o pipefail` sees 141. A sealed or opened file that lost its end
/// is useless, and its reader may have failed: the verbs for files, `log seal` and `log rekey` say so and end with 2.
#[derive(Clone, Copy)]
pub enum Gone {
    Enough,
    Lost,
}

/// An output whose reader may go away. Then the process ends at once: one of its threads may be waiting for input, which
/// may never come, and outputs without a name leave nothing behind.
pub struct Downstream<W> {
    pub output: W,
    pub gone: Gone,
}

impl<W: Write> Write for Downstream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes).inspect_err(|error| end_on_broken_pipe(error, self.gone))
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.output.write_vectored(parts).inspect_err(|error| end_on_broken_pipe(error, self.gone))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Waits for more of a log; ends the process if standard output has lost its reader meanwhile: nothing may be written for
/// long.
pub fn pause(time: Duration) {
    let (stdout, until) = (io::stdout(), Instant::now() + time);
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let timeout = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    let _interrupted = poll(&mut watched, Some(&timeout));
    if watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
        end_on_broken_pipe(&io::ErrorKind::BrokenPipe.into(), Gone::Enough);
    }
    thread::sleep(until.saturating_duration_since(Instant::now()));
}

fn end_on_broken_pipe(error: &io::Error, gone: Gone) {
    if error.kind() == io::ErrorKind::BrokenPipe {
        if matches!(gone, Gone::Enough) {
            // Rust ignores the signal, whatever the parent wanted.
            let _dead = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
        }
        let exit = say::fault(&Fault::output(error.kind().into()));
        std::process::exit(exit.code());
    }
}

pub fn input_file() -> io::Result<File> {
    closed::refuse(closed::INPUT, "standard input is closed", "redirect it, or name a file")?;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

pub fn output_file() -> io::Result<File> {
    closed::refuse(
        closed::OUTPUT,
        "standard output is closed",
        "redirect it, or write to a file with -o FILE",
    )?;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// Streams that our parent closed. Rust puts /dev/null in their place before `main`, and what is written there is lost
/// with nobody told; a parent may have put it there on purpose, too. So we look before Rust does.
mod closed {
    use crate::fault::Fault;
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};

    pub const INPUT: usize = 0;
    pub const OUTPUT: usize = 1;

    static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

    pub fn refuse(stream: usize, message: &str, hint: &str) -> io::Result<()> {
        if CLOSED[stream].load(Ordering::Relaxed) {
            Err(io::Error::other(Fault::io(message).hint(hint)))
        } else {
            Ok(())
        }
    }

    #[allow(unsafe_code, reason = "the list of what runs before main")]
    // SAFETY: the loader calls what is listed here once, before Rust is set up; `look` needs nothing of Rust's.
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    #[used]
    static BEFORE_MAIN: extern "C" fn() = look;

    extern "C" fn look() {
        for (number, closed) in CLOSED.iter().enumerate() {
            #[allow(unsafe_code, reason = "a descriptor that may not be open has no safe type")]
            // SAFETY: fcntl takes any number and answers -1 for one that is not open.
            let flags = unsafe { libc::fcntl(number as i32, libc::F_GETFD) };
            closed.store(flags == -1, Ordering::Relaxed);
        }
    }
}

/// A pipe of 1 MiB instead of 64 KiB saves most of the switches between two processes. Where the kernel
/// refuses (a limit per user), the pipe works as it is.
#[cfg(target_os = "linux")]
fn widen(stream: &File) {
    let _ = rustix::pipe::fcntl_setpipe_size(stream, 1 << 20);
}

#[cfg(not(target_os = "linux"))]
fn widen(_: &File) {}

/// Bytes that are inspected before the first byte reaches the terminal.
const GLANCE: usize = 4096;

/// Passes text on, refuses what looks like binary at first glance, and writes out what follows of it: neither garbles
/// the terminal nor drives it.
pub struct TextOnly<W: Write> {
    screen: Screen<W>,
    held: Zeroizing<Vec<u8>>,
    shown: usize,
}

impl<W: Write> TextOnly<W> {
    pub fn new(terminal: W) -> Self {
        Self { screen: Screen::new(terminal), held: Zeroizing::default(), shown: 0 }
    }

    fn show(&mut self) -> io::Result<()> {
        if looks_binary(&self.held) {
            return Err(io::Error::other(binary_refused()));
        }
        self.screen.write_all(&self.held)?;
        self.shown += self.held.len();
        self.held.clear();
        Ok(())
    }
}

impl<W: Write> Write for TextOnly<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.shown >= GLANCE {
            return self.screen.write(bytes);
        }
        self.held.extend_from_slice(bytes);
        if self.shown + self.held.len() >= GLANCE {
            self.show()?;
        }
        Ok(bytes.len())
    }

    /// Shows what there is, a character that is not whole included; what follows within the glance is still looked at.
    fn flush(&mut self) -> io::Result<()> {
        self.show()?;
        self.screen.end()
    }
}

pub fn binary_refused() -> Fault {
    Fault::usage("refusing to write binary to the terminal")
        .hint("write to a file with -o FILE, or force it with -o -")
}

/// Control characters other than white space, or bytes that are no UTF-8 (a character cut in two at the
/// end of the glance does not count).
fn looks_binary(bytes: &[u8]) -> bool {
    let control = |letter: char| letter.is_control() && !"\t\n\r\x0c".contains(letter);
    let cut = |broken: &[u8]| str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
    bytes
        .utf8_chunks()
        .any(|chunk| chunk.valid().contains(control) || !chunk.invalid().is_empty() && !cut(chunk.invalid()))
}

pub fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// A textual result on standard output. A reader that has seen enough (`| head -1`) is not an error.
pub fn result(text: &str) -> Result<(), Fault> {
    let mut out = output_file().map(Stdout).map_err(|error| redirected(error.into()))?;
    match out.write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(redirected(Fault::output(error).about_stdout()))
        }
        _ => Ok(()),
    }
}

/// For programs, in one line.
pub fn json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map(|line| line + "\n").map_err(|error| Fault::io(error.to_string()))
}

/// Not every verb that prints a result has `-o`.
fn redirected(mut fault: Fault) -> Fault {
    fault.hints = vec!["redirect standard output to another file or pipe".to_owned()];
    fault
}

pub fn result_is_terminal() -> bool {
    io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn shown(pieces: &[&[u8]]) -> io::Result<Vec<u8>> {
        let mut terminal = Vec::new();
        let mut guard = TextOnly::new(&mut terminal);
        for piece in pieces {
            guard.write_all(piece)?;
        }
        guard.flush()?;
        drop(guard);
        Ok(terminal)
    }

    #[test]
    fn text_passes_whole() {
        let long = "grüße\n".repeat(2000);
        assert_eq!(shown(&[long.as_bytes(), b"end"]).unwrap(), format!("{long}end").as_bytes());
        assert_eq!(shown(&[b""]).unwrap(), b"");
    }

    #[test]
    fn text_is_held_back_for_a_glance_and_no_longer() {
        let mut terminal = Vec::new();
        TextOnly::new(&mut terminal).write_all(&[b'a'; GLANCE]).unwrap();
        assert_eq!(terminal.len(), GLANCE);
    }

    #[test]
    fn text_that_comes_slowly_is_shown_and_binary_behind_it_is_not() {
        let mut terminal = Vec::new();
        let mut guard = TextOnly::new(&mut terminal);
        guard.write_all(b"line\n").unwrap();
        guard.flush().unwrap();
        guard.write_all(b"\x1b[31m").unwrap();
        assert!(guard.flush().is_err());
        drop(guard);
        assert_eq!(terminal, b"line\n");
    }

    #[test]
    fn binary_is_refused_before_a_byte_is_shown() {
        for binary in [&b"a\0b"[..], b"\x1b[31m", b"\xff\xfe", b"ok\x7f", "\u{9b}2J".as_bytes()] {
            let mut terminal = Vec::new();
            let mut guard = TextOnly::new(&mut terminal);
            guard.write_all(binary).unwrap();
            assert!(guard.flush().is_err(), "{binary:?} was shown");
            drop(guard);
            assert!(terminal.is_empty());
        }
    }

    #[test]
    fn controls_behind_the_glance_are_written_out() {
        let text = [&[b'a'; 4 * GLANCE][..], "\x1b[31m\u{9b}2J\n".as_bytes()].concat();
        for piece in [1, 7, GLANCE] {
            let pieces: Vec<&[u8]> = text.chunks(piece).collect();
            assert!(shown(&pieces).unwrap().ends_with(b"a\\x1b[31m\\x9b2J\n"), "by {piece}");
        }
    }

    #[test]
    fn a_character_cut_by_the_glance_is_still_text() {
        let mut text = "a".repeat(GLANCE - 1).into_bytes();
        text.push("ü".as_bytes()[0]);
        assert!(!looks_binary(&text));
    }
}

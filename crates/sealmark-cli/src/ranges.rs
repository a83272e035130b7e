//! `--ranges`: a sealed file elsewhere, such as in an object store, of which a command gives ranges. The product speaks no
//! protocol; the user's own client does.

use crate::fault::{Fault, plain};
use sealmark::Input;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{self, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

/// To start a command and to connect takes as long as to transfer some megabytes, so a command gives at least this much.
const LEAST: u64 = 128 << 10;
/// At the end of a file lie the table of an index and, of most archives, all of the index. A smaller file is read at once.
const TAIL: u64 = 1 << 20;
/// A command gives no more than this, and twice as much stays in memory.
const MOST: u64 = 16 << 20;

/// A command with places for a range, as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command(Vec<String>);

impl FromStr for Command {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words =
            shlex::split(text).ok_or("a quotation mark is not closed, or a backslash is at the end")?;
        let names = |place: &str| words.iter().skip(1).any(|word| word.contains(place));
        if names("{offset}") && (names("{length}") || names("{last}")) {
            Ok(Self(words))
        } else {
            Err("write a program and its arguments, with {offset} and {length}, or {offset} and {last}"
                .into())
        }
    }
}

impl Command {
    pub fn program(&self) -> &Path {
        Path::new(&self.0[0])
    }

    /// The command for a range. Places are filled in words, so no number can become an argument of its own.
    fn start(&self, range: &Range<u64>) -> io::Result<process::Child> {
        let length = (range.end - range.start).to_string();
        let (offset, last) = (range.start.to_string(), (range.end - 1).to_string());
        let fill = |word: &String| {
            word.replace("{offset}", &offset).replace("{length}", &length).replace("{last}", &last)
        };
        // Our own standard input may carry a key or a passphrase.
        let stdin = Stdio::null();
        process::Command::new(self.program())
            .args(self.0[1..].iter().map(fill))
            .stdin(stdin)
            .stdout(Stdio::piped())
            .spawn()
    }

    /// Runs the command. Its own messages go to standard error.
    fn fetch(&self, range: Range<u64>) -> Result<Vec<u8>, Fault> {
        let length = range.end - range.start;
        let of_range = format!("of {length} bytes from offset {}", range.start);
        let mut child = self.start(&range).map_err(|error| self.not_started(&error))?;
        // One byte more shows that the command gives too much, however much that is.
        let mut bytes = Vec::with_capacity(length as usize + 1);
        let read = child.stdout.take().map_or(Ok(0), |out| out.take(length + 1).read_to_end(&mut bytes));
        let too_many = bytes.len() as u64 > length;
        if too_many || read.is_err() {
            let _ended_by_itself = child.kill();
        }
        let status = child.wait()?;
        read.map_err(|error| self.fault(&format!("cannot be read: {}", plain(&error))))?;
        if too_many {
            return Err(self.fault(&format!("returned more than the range {of_range}")).hint(
                "pass {offset} and {length}, or {last}, to it; a server that ignores ranges cannot be used",
            ));
        }
        if !status.success() {
            return Err(self
                .fault(&format!("{} for the range {of_range}", ended(status)))
                .hint("run the command by itself with these numbers; its own messages are above"));
        }
        if (bytes.len() as u64) < length {
            return Err(self
                .fault(&format!("returned {} bytes for the range {of_range}", bytes.len()))
                .hint("compare --size with the length that the store reports"));
        }
        Ok(bytes)
    }

    fn not_started(&self, error: &io::Error) -> Fault {
        let hint = match error.kind() {
            ErrorKind::NotFound => {
                "install it, or name another program in --ranges; the command does not run in a shell"
            }
            _ => "name another program in --ranges",
        };
        self.fault(&format!("was not started: {}", plain(error))).hint(hint)
    }

    /// Names only the program, because arguments may contain credentials.
    fn fault(&self, message: &str) -> Fault {
        Fault::io(format!("{:?} {message}", self.program())).named()
    }
}

pub fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, signal) => format!("was killed by signal {}", signal.unwrap_or_default()),
    }
}

/// A file of which a command gives ranges.
#[derive(Clone, Debug)]
pub struct Ranges {
    pub command: Command,
    /// Its length in bytes.
    pub size: u64,
}

impl Ranges {
    /// Commands run one after the other; threads wait, and find what another one got.
    pub fn input(&self) -> Input {
        let (command, size) = (self.command.clone(), self.size);
        let windows = Arc::new(Mutex::new(Windows { kept: VecDeque::new(), size, failed: None }));
        Input::from_ranges(size, move |out, offset| {
            let mut windows = windows.lock().unwrap_or_else(PoisonError::into_inner);
            windows.read(out, offset, |range| command.fetch(range)).map_err(io::Error::other)
        })
    }
}

/// Sealed bytes that were read already, the window that was used last at the end. They are part of a sealed file, so they are
/// no secret, and they are authenticated each time that they are used.
struct Windows {
    kept: VecDeque<(u64, Vec<u8>)>,
    size: u64,
    /// Threads that still want to read do not try again.
    failed: Option<Fault>,
}

impl Windows {
    fn read(
        &mut self,
        mut out: &mut [u8],
        mut at: u64,
        fetch: impl Fn(Range<u64>) -> Result<Vec<u8>, Fault>,
    ) -> Result<(), Fault> {
        if at.checked_add(out.len() as u64).is_none_or(|end| end > self.size) {
            return Err(io::Error::from(ErrorKind::UnexpectedEof).into());
        }
        while !out.is_empty() {
            let found = self.kept.iter().position(|window| span(window).contains(&at));
            let window = match found.and_then(|index| self.kept.remove(index)) {
                Some(window) => window,
                None => self.fetch(self.next(at, out.len() as u64), &fetch)?,
            };
            let known = &window.1[(at - window.0) as usize..];
            let (now, rest) = out.split_at_mut(known.len().min(out.len()));
            now.copy_from_slice(&known[..now.len()]);
            at += now.len() as u64;
            out = rest;
            self.kept.push_back(window);
        }
        Ok(())
    }

    fn fetch(
        &mut self,
        range: Range<u64>,
        fetch: impl Fn(Range<u64>) -> Result<Vec<u8>, Fault>,
    ) -> Result<(u64, Vec<u8>), Fault> {
        if let Some(fault) = &self.failed {
            return Err(fault.clone());
        }
        self.make_room(range.end - range.start);
        let fetched = fetch(range.clone()).inspect_err(|fault| self.failed = Some(fault.clone()))?;
        Ok((range.start, fetched))
    }

    /// The range to get for `wanted` bytes from `at` on, which no window has.
    fn next(&self, at: u64, wanted: u64) -> Range<u64> {
        let least = if self.size <= TAIL { TAIL } else { LEAST };
        // A reader that has reached the end of a window will go on.
        let before = self.kept.iter().map(span).find(|window| window.end == at);
        let more = before.map_or(0, |window| 2 * (window.end - window.start));
        let length = wanted.max(least).max(more).min(MOST);
        let starts = self.kept.iter().map(|window| window.0);
        let free = starts.filter(|start| *start > at).min().unwrap_or(self.size);
        let end = at.saturating_add(length).min(free);
        if end < self.size {
            return at..end;
        }
        let ends = self.kept.iter().map(|window| span(window).end);
        let known = ends.filter(|end| *end <= at).max().unwrap_or(0);
        at.min(self.size.saturating_sub(TAIL)).max(known)..end
    }

    fn make_room(&mut self, length: u64) {
        let held =
            |kept: &VecDeque<(u64, Vec<u8>)>| kept.iter().map(|window| window.1.len() as u64).sum::<u64>();
        while held(&self.kept) + length > 2 * MOST && self.kept.pop_front().is_some() {}
    }
}

fn span((start, bytes): &(u64, Vec<u8>)) -> Range<u64> {
    *start..start + bytes.len() as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_command_is_split_into_words_without_a_shell() {
        let command = |text: &str| text.parse::<Command>().map(|command| command.0);
        let words = command("rclone cat --offset {offset} --count {length} 'remote:a $(b) *'").unwrap();
        assert_eq!(
            words,
            ["rclone", "cat", "--offset", "{offset}", "--count", "{length}", "remote:a $(b) *"]
        );
        assert!(command("curl -r {offset}-{last} u").is_ok());
        for refused in
            ["", "cat x", "cat {offset}", "cat {length}", "{offset} {length}", "cat {offset} {length} 'x"]
        {
            assert!(command(refused).is_err(), "{refused:?} was taken");
        }
    }

    /// Reads pieces of a file of `size` bytes, and returns the ranges that were fetched.
    fn fetched(size: u64, pieces: impl IntoIterator<Item = (u64, usize)>) -> Vec<Range<u64>> {
        let byte = |at: u64| (at ^ at >> 8 ^ at >> 16) as u8;
        let ranges = RefCell::new(Vec::<Range<u64>>::new());
        let mut windows = Windows { kept: VecDeque::new(), size, failed: None };
        for (at, length) in pieces {
            let mut out = vec![0; length];
            let read = windows.read(&mut out, at, |range| {
                assert!(range.start < range.end && range.end <= size, "{range:?} of {size}");
                ranges.borrow_mut().push(range.clone());
                Ok(range.map(byte).collect())
            });
            read.unwrap();
            assert!(out.iter().enumerate().all(|(index, found)| *found == byte(at + index as u64)));
            let held: usize = windows.kept.iter().map(|window| window.1.len()).sum();
            assert!(held as u64 <= 2 * MOST, "{held} bytes are held");
        }
        ranges.into_inner()
    }

    #[test]
    fn a_small_file_takes_one_command() {
        for size in [1, 200, LEAST, TAIL] {
            let found = fetched(size, [(0, 1), (size - 1, 1), (size / 2, 1)]);
            assert!(found.len() == 1 && found[0] == (0..size), "{found:?}");
        }
    }

    #[test]
    fn the_end_comes_with_what_is_before_it() {
        let size = 10 * TAIL;
        let end = size - TAIL;
        let found = fetched(size, [(0, 100), (size - 30, 30), (end, 5000), (end - 10, 20), (end - 10, 3)]);
        assert_eq!(found, [0..LEAST, end..size, end - 10..end]);
    }

    #[test]
    fn reading_in_order_takes_longer_and_longer_ranges() {
        let size = 200 << 20;
        let pieces = (0..size >> 20).map(|piece| (piece << 20, 1 << 20));
        let found = fetched(size, pieces);
        assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start), "{found:?}");
        assert_eq!(found.last().map(|range| range.end), Some(size));
        assert!(found.len() < 20, "{found:?}");
        assert!(found.iter().all(|range| range.end - range.start <= MOST), "{found:?}");
    }

    #[test]
    fn nothing_is_fetched_twice_while_it_is_kept() {
        let size = 3 * TAIL;
        let pieces: Vec<_> = (0..size / 50_000).map(|piece| (piece * 50_000, 40_000)).collect();
        let forward = fetched(size, pieces.iter().copied());
        let backward = fetched(size, pieces.iter().rev().copied());
        for found in [forward, backward] {
            let bytes: u64 = found.iter().map(|range| range.end - range.start).sum();
            assert!(bytes <= size, "{found:?}");
        }
    }
}

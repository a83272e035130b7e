//! The output for the lines that were found: names and numbers in front, lines around them, or sums.

use super::search::{Row, Searched};
use crate::fault::Fault;
use crate::log::args_read::LogGrep;
use crate::log::read::lanes::Done;
use crate::target::Source;
use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use zeroize::Zeroizing;

/// The sums that are printed in place of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summary {
    Counts,
    Names,
    Quiet,
}

/// Lines that go out together.
const GATHERED: usize = 1 << 16;

pub struct Printer {
    /// The name of each input, as it is printed.
    names: Vec<Vec<u8>>,
    with_names: bool,
    with_numbers: bool,
    json: bool,
    around: Option<(usize, usize)>,
    max: u64,
    summary: Option<Summary>,
    /// How many of the inputs need no more searching.
    finished: Arc<AtomicUsize>,
    /// The input that is printed now, and where in it we are.
    input: usize,
    here: Here,
    found: bool,
    stopped: bool,
    /// True where something was printed, which needs a separator before what does not touch it.
    printed: bool,
    gathered: Gathered,
}

/// Where in an input we are.
#[derive(Default)]
struct Here {
    lines: u64,
    looked_at: u64,
    selected: u64,
    /// How many more lines are printed behind the last one that was selected.
    more: usize,
    /// Behind the line that was printed last.
    next: Option<u64>,
    /// The last lines that were not printed.
    held: VecDeque<(u64, u64, Zeroizing<Vec<u8>>)>,
}

impl Printer {
    pub fn new(args: &LogGrep, sources: &[Source], several: bool, finished: Arc<AtomicUsize>) -> Self {
        let stdin = if args.json { "-" } else { "(standard input)" };
        let name = |source: &Source| match source {
            Source::Path(path) => path.as_os_str().as_bytes().to_vec(),
            _ => stdin.as_bytes().to_vec(),
        };
        let in_json = |name: Vec<u8>| {
            if args.json {
                serde_json::Value::from(&*String::from_utf8_lossy(&name)).to_string().into_bytes()
            } else {
                name
            }
        };
        Self {
            names: sources.iter().map(name).map(in_json).collect(),
            with_names: (several || args.with_filename) && !args.no_filename,
            with_numbers: args.line_number,
            json: args.json,
            around: args.around(),
            max: args.max_count.unwrap_or(u64::MAX),
            summary: args.summary(),
            finished,
            input: 0,
            here: Here::default(),
            found: false,
            stopped: false,
            printed: false,
            gathered: Gathered(Zeroizing::new(Vec::with_capacity(GATHERED))),
        }
    }

    /// True where it matters which line is which.
    pub fn needs_rows(&self) -> bool {
        let plain = !self.with_names
            && !self.with_numbers
            && !self.json
            && self.around.is_none()
            && self.max == u64::MAX;
        self.summary.is_none() && !plain
    }

    pub fn found(&self) -> bool {
        self.found
    }

    /// True where there is more that was not looked at.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// True where an input needs no more searching: what some thread still found in it does not count.
    pub fn has_finished(&self, input: usize) -> bool {
        input < self.finished.load(Ordering::Relaxed)
    }

    /// Prints what was found in a batch; tells whether more is wanted.
    pub fn take(&mut self, done: &Done<Searched>, output: &mut dyn Write) -> Result<ControlFlow<()>, Fault> {
        let (found, out) = (&done.found, &done.out);
        self.go_to(done.batch.input, output)?;
        let is_finished = match self.summary {
            _ if self.needs_rows() => self.rows(found, out, output)?,
            None => {
                self.here.selected += found.selected;
                output.write_all(out)?;
                false
            }
            Some(summary) => {
                self.here.selected = (self.here.selected + found.selected).min(self.max);
                self.here.selected > 0 && summary != Summary::Counts || self.here.selected == self.max
            }
        };
        self.found |= self.here.selected > 0;
        if !is_finished {
            return Ok(ControlFlow::Continue(()));
        }
        self.stopped = true;
        self.finished.store(self.input + 1, Ordering::Relaxed);
        let is_last = self.input + 1 == self.names.len() || self.summary == Some(Summary::Quiet);
        Ok(if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Sums up what has no more lines.
    pub fn end(&mut self, output: &mut dyn Write) -> Result<(), Fault> {
        self.go_to(self.names.len(), output)
    }

    fn go_to(&mut self, input: usize, output: &mut dyn Write) -> Result<(), Fault> {
        while self.input < input {
            let (name, selected) = (&self.names[self.input], std::mem::take(&mut self.here).selected);
            match self.summary {
                Some(Summary::Counts) => {
                    let name = if self.with_names { &[name, &b":"[..]].concat() } else { &vec![] };
                    output.write_all(&[name, format!("{selected}\n").as_bytes()].concat())?;
                }
                Some(Summary::Names) if selected > 0 => output.write_all(&[name, &b"\n"[..]].concat())?,
                _ => {}
            }
            self.input += 1;
        }
        Ok(())
    }

    /// Prints lines one by one; tells whether no more of this input are printed.
    fn rows(&mut self, found: &Searched, out: &[u8], output: &mut dyn Write) -> Result<bool, Fault> {
        let (before, after) = self.around.unwrap_or_default();
        let (mut start, mut is_finished) = (0, false);
        for row in &found.rows {
            let Row { selected, end, .. } = *row;
            let (line, place) = (self.here.lines + row.line + 1, self.here.looked_at + row.place);
            let text = &out[std::mem::replace(&mut start, end)..end];
            if selected && self.here.selected < self.max {
                self.here.selected += 1;
                for (line, place, text) in std::mem::take(&mut self.here.held) {
                    self.row((line, place), b'-', &text, output)?;
                }
                self.row((line, place), b':', text, output)?;
                self.here.more = after;
            } else if self.here.more > 0 {
                self.here.more -= 1;
                self.row((line, place), b'-', text, output)?;
            } else if before > 0 {
                self.here.held.push_back((line, place, Zeroizing::new(text.to_vec())));
                if self.here.held.len() > before {
                    self.here.held.pop_front();
                }
            }
            if self.here.selected == self.max && self.here.more == 0 {
                is_finished = true;
                break;
            }
        }
        self.here.lines += found.lines;
        self.here.looked_at += found.looked_at;
        self.gathered.flush(output)?;
        Ok(is_finished)
    }

    fn row(
        &mut self,
        (line, place): (u64, u64),
        mark: u8,
        text: &[u8],
        output: &mut dyn Write,
    ) -> Result<(), Fault> {
        let touches = self.here.next == Some(place);
        let (name, line) = (&self.names[self.input], line.to_string());
        if self.around.is_some() && self.printed && !touches {
            self.gathered.put(&[b"--\n"], output)?;
        }
        (self.printed, self.here.next) = (true, Some(place + 1));
        for text in text.split_inclusive(|byte| *byte == b'\n') {
            let (mark, line) = (&[mark][..], line.as_bytes());
            let before: &[&[u8]] = match (self.json, self.with_names, self.with_numbers) {
                (true, ..) => &[b"{\"file\":", name, b",\"line\":", line, b","],
                (_, true, true) => &[name, mark, line, mark],
                (_, true, false) => &[name, mark],
                (_, false, true) => &[line, mark],
                (_, false, false) => &[],
            };
            self.gathered.put(before, output)?;
            self.gathered.put(&[text], output)?;
        }
        Ok(())
    }
}

/// The text that is printed next. It never grows, which would leave copies behind.
struct Gathered(Zeroizing<Vec<u8>>);

impl Gathered {
    fn put(&mut self, pieces: &[&[u8]], output: &mut dyn Write) -> Result<(), Fault> {
        for piece in pieces {
            if self.0.len() + piece.len() > GATHERED {
                self.flush(output)?;
            }
            if piece.len() > GATHERED { output.write_all(piece)? } else { self.0.extend_from_slice(piece) }
        }
        Ok(())
    }

    fn flush(&mut self, output: &mut dyn Write) -> Result<(), Fault> {
        output.write_all(&self.0)?;
        self.0.fill(0);
        self.0.clear();
        Ok(())
    }
}

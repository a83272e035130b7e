//! `sealmark log grep`: lines that match once they are opened.

use super::args_read::LogGrep;
use super::read::{self, Batch, Input, Kind, keys, lanes, tell};
use crate::args::Out;
use crate::fault::{Exit, Fault};
use regex::bytes::{Regex, RegexBuilder};
use sealmark::record::{Context, Pass, Report};
use zeroize::Zeroizing;

pub fn run(args: &LogGrep) -> Result<Exit, Fault> {
    let searching = Searching::new(args)?;
    keys::check(&args.with, &args.inputs, &[])?;
    let sources = read::sources(&args.inputs)?;
    let out = Out { output: None, force: false };
    let target = read::target(&sources, &out)?;
    let input = Input { sources, follow: false, opener: keys::opener(&args.with)? };
    let (mut closed, mut found, mut too_long) = (tell::Closed::default(), 0, 0);
    let ended = read::fill(&target, out.existing(), |output| {
        let exit = lanes::run(input, &searching, |done| {
            output.write_all(&done.out)?;
            output.flush()?;
            closed.add(&done.found.report);
            found += done.found.lines;
            too_long += u64::from(matches!(done.batch.kind, Kind::LastPiece | Kind::LastText));
            Ok(())
        })?;
        if args.count {
            output.write_all(format!("{found}\n").as_bytes())?;
        }
        Ok(exit)
    });
    let told = closed.tell().max(if found > 0 { Exit::Done } else { Exit::NotFound });
    tell::end(ended, told.max(tell::too_long(too_long, "were not searched")))
}

#[derive(Clone)]
struct Searching {
    regex: Regex,
    sealed: bool,
    count: bool,
    opened: Zeroizing<Vec<u8>>,
}

struct Found {
    report: Report,
    lines: u64,
}

impl Searching {
    fn new(args: &LogGrep) -> Result<Self, Fault> {
        let pattern = if args.fixed_strings { &regex::escape(&args.pattern) } else { &args.pattern };
        let regex = RegexBuilder::new(pattern).case_insensitive(args.ignore_case).build();
        let regex = regex.map_err(|error| refused(&error))?;
        Ok(Self { regex, sealed: args.sealed, count: args.count, opened: Zeroizing::default() })
    }

    /// A line with its line feed, of which the log's own have nothing left.
    fn line(&mut self, batch: &Batch, line: &[u8], pass: &mut Pass, out: &mut Vec<u8>) -> bool {
        read::make_room(&mut self.opened, line.len());
        pass.open(&batch.sessions, line, &mut self.opened);
        let content = self.opened.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let found = content.is_some_and(|content| self.regex.is_match(content));
        match (found && !self.count, self.sealed) {
            (true, true) => out.extend_from_slice(line),
            (true, false) => Pass::new(Context::Detect).open(&batch.sessions, line, out),
            (false, _) => {}
        }
        found
    }
}

impl lanes::Work for Searching {
    type Found = Found;

    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Found {
        let mut pass = Pass::new(Context::Search);
        let text = if batch.kind.is_piece() { b"" } else { batch.text.text() };
        let mut lines = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let found = match line.ends_with(b"\n") {
                true => self.line(batch, line, &mut pass, out),
                false => self.line(batch, &[line, b"\n"].concat(), &mut pass, out),
            };
            lines += u64::from(found);
        }
        Found { report: pass.into_report(), lines }
    }
}

fn refused(error: &regex::Error) -> Fault {
    Fault::usage(format!("not a regular expression: {}", sealmark_fields::cause(error))).hint(
        "take PATTERN for a plain text with --fixed-strings, or see https://docs.rs/regex for the syntax",
    )
}

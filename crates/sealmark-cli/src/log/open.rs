//! `sealmark log open`: tokens become what they were, wherever in a line they stand.

use super::args::LogOpen;
use super::lines::{self, Lines, Piece};
use crate::fault::{Exit, Fault};
use crate::secret::Asker;
use crate::target::{self, Task};
use crate::{keys, say};
use sealmark::record::{LogKeys, LogOpener, Report};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroize;

/// A longer line is passed on as it is: it would have to be kept to tell where in it a token stands.
const LONGEST: usize = 128 << 20;
/// Lines are opened together until they have so many bytes.
const BATCH: usize = 1 << 18;
/// What a side file is read in; its lines are short.
const SIDE_LINE: usize = 1 << 16;

pub fn run(args: &LogOpen) -> Result<Exit, Fault> {
    let key_files = [&args.identities[..], &args.psk[..]].concat();
    let passphrase = args.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(args.input.as_slice(), &[&key_files], &[passphrase])?;
    let plan = target::plan(args.input.as_slice(), &args.out, |_| Ok("-".into()))?;
    if key_files.is_empty() {
        return Err(Fault::usage("no key is named that opens the log")
            .hint("name the file that holds your secret key with -i, or a pre-shared key with --psk"));
    }
    if !target::any_ready(&plan) {
        return Ok(target::round(plan, "opened", |_| Ok(())));
    }
    let keys = log_keys(args)?;
    let mut report = Report::default();
    let exit = target::round(plan, "opened", |task| {
        report = open(task, LogOpener::new(keys.clone()), args)?;
        Ok(())
    });
    Ok(exit.max(tell(&report)))
}

fn log_keys(args: &LogOpen) -> Result<LogKeys, Fault> {
    let asker = Asker::new(&args.source);
    let (mut identities, mut pre_shared) = (Vec::new(), Vec::new());
    for file in &args.identities {
        identities.extend(keys::identities_of(file, &asker)?);
    }
    for file in &args.psk {
        pre_shared.extend(keys::pre_shared_of(file)?);
    }
    Ok(LogKeys::identities(identities).and_pre_shared(pre_shared))
}

fn open(task: &Task, mut opener: LogOpener, args: &LogOpen) -> Result<Report, Fault> {
    learn(&mut opener, &args.side_files)?;
    task.target.fill_with_text(args.out.existing(), |output| {
        let mut opening = Opening::new(opener, output);
        lines::each(&mut *task.source.reader()?, LONGEST, &mut opening)?;
        opening.idle()?;
        match opening.too_long {
            0 => Ok(opening.report),
            lines => Err(Fault::io(format!(
                "{lines} lines longer than {} MiB were left as they are",
                LONGEST >> 20
            ))),
        }
    })
}

fn learn(opener: &mut LogOpener, files: &[PathBuf]) -> Result<(), Fault> {
    for path in files {
        let mut read = |path: &Path| lines::each(&mut File::open(path)?, SIDE_LINE, &mut Learning(opener));
        read(path).map_err(|error| Fault::from(error).within(&format!("side file {path:?}")))?;
    }
    Ok(())
}

struct Learning<'a>(&'a mut LogOpener);

impl Lines for Learning<'_> {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
        if let Piece::Line { content, .. } = piece {
            self.0.learn(content);
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Opening<'a> {
    opener: LogOpener,
    output: &'a mut (dyn Write + Send),
    sealed: Vec<u8>,
    opened: Vec<u8>,
    report: Report,
    too_long: u64,
}

impl Lines for Opening<'_> {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
        match piece {
            Piece::Line { content, feed } => {
                self.sealed.extend_from_slice(content);
                self.sealed.extend_from_slice(end(feed));
                if self.sealed.len() >= BATCH { self.open() } else { Ok(()) }
            }
            Piece::Long(content) => {
                self.open()?;
                self.output.write_all(content)
            }
            Piece::LongEnd { content, feed } => {
                self.too_long += 1;
                self.output.write_all(content)?;
                self.output.write_all(end(feed))
            }
        }
    }

    fn idle(&mut self) -> io::Result<()> {
        self.open()?;
        self.output.flush()
    }
}

fn end(feed: bool) -> &'static [u8] {
    if feed { b"\n" } else { b"" }
}

impl<'a> Opening<'a> {
    fn new(opener: LogOpener, output: &'a mut (dyn Write + Send)) -> Self {
        let (sealed, opened, report, too_long) = Default::default();
        Self { opener, output, sealed, opened, report, too_long }
    }

    fn open(&mut self) -> io::Result<()> {
        self.report += self.opener.open(&self.sealed, &mut self.opened);
        let written = self.output.write_all(&self.opened);
        self.opened.zeroize();
        self.sealed.clear();
        written
    }
}

/// What stayed closed, and why; the worst of it is how the program ends.
fn tell(report: &Report) -> Exit {
    let closed = [
        (
            report.not_text,
            Exit::Damaged,
            "no text, where only text can stand",
            "was the line altered around the token?",
        ),
        (
            report.orphans,
            Exit::NoKey,
            "of a session whose header is not in the log",
            "name a file that has it with --side-file",
        ),
        (
            report.no_key,
            Exit::NoKey,
            "of a session that none of the keys opens",
            "name another key with -i or --psk",
        ),
        (report.tampered, Exit::Damaged, "not as sealed", "get the log again from where it was sealed"),
    ];
    let told = closed.into_iter().filter(|(count, ..)| *count > 0).map(|(count, exit, why, hint)| {
        say::warning(
            &format!("left closed: {count} {}, {why}", if count == 1 { "token" } else { "tokens" }),
            hint,
        );
        exit
    });
    told.max().unwrap_or(Exit::Done)
}

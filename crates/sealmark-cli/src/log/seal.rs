//! `sealmark log seal`: values in the lines of a stream become tokens.

use super::args::{LogSeal, LogTo, Unparsed};
use super::lines::{self, Lines, Piece};
use super::selection;
use crate::args::To;
use crate::fault::{Exit, Fault};
use crate::target::{self, Task};
use crate::{keys, say};
use sealmark::record::{Label, LogSealer, OwnLines, Padding, Readers, Rotation, SealerSettings};
use sealmark::{Error, record};
use sealmark_fields::{Fields, Form, Span};
use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// A longer line is treated as one that is not of the log's kind, in pieces that a token can hold.
const LONGEST: usize = record::MAX_PLAINTEXT;
/// The label of whole lines.
const LINE: &str = "line";

pub fn run(args: &LogSeal) -> Result<Exit, Fault> {
    let fields = selection::fields(args)?;
    let mut key_files = args.to.recipients_files.clone();
    key_files.extend(args.to.psk.clone());
    target::one_reader_of_stdin(args.input.as_slice(), &[&key_files], &[])?;
    let plan = target::plan(args.input.as_slice(), &args.out, |_| Ok("-".into()))?;
    if !target::any_ready(&plan) {
        return Ok(target::round(plan, "sealed", |_| Ok(())));
    }
    let readers = readers(&args.to)?;
    Ok(target::round(plan, "sealed", |task| seal(task, &fields, readers.clone(), args)))
}

pub fn readers(to: &LogTo) -> Result<Readers, Fault> {
    if let Some(file) = &to.psk {
        return match &keys::pre_shared_of(file)?[..] {
            [key] => Ok(Readers::pre_shared(key.clone())),
            _ => Err(Fault::usage(format!("pre-shared key file {file:?} holds several keys"))
                .hint("a log is sealed with one; `log open` takes all of them")),
        };
    }
    let to = To {
        recipients: to.recipients.clone(),
        recipients_files: to.recipients_files.clone(),
        passphrase: false,
        allow_mixed: to.allow_mixed,
    };
    if !to.names_someone() {
        return Err(Fault::usage("nobody is named who can open the log")
            .hint("name one with -r RECIPIENT or -R FILE, or a pre-shared key with --psk FILE"));
    }
    Ok(Readers::recipients(&keys::recipients(&to)?, to.mixing())?)
}

fn seal(task: &Task, fields: &Fields, readers: Readers, args: &LogSeal) -> Result<(), Fault> {
    let side_file = args.side_file.as_deref().map(side_file).transpose()?;
    task.target.fill(args.out.existing(), |output| {
        let log = RefCell::new(BufWriter::with_capacity(1 << 18, output));
        let sink = |own: OwnLines<'_>| write_own(own, side_file.as_ref(), &log);
        let settings =
            SealerSettings { shape: fields.shape(), padding: Padding::None, rotation: Rotation::default() };
        let sealer = LogSealer::new(readers, settings, sink, Instant::now())?;
        let mut lines = Sealing::new(fields, &sealer, &log, args);
        lines::each(&mut *task.source.reader()?, LONGEST, &mut lines)?;
        lines.finish()
    })
}

fn side_file(path: &Path) -> Result<File, Fault> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| Fault::from(error).within(&format!("side file {path:?}")))
}

/// The side file has a header before the log does, and the log before any token.
fn write_own(own: OwnLines<'_>, side_file: Option<&File>, log: &RefCell<impl Write>) -> io::Result<()> {
    let (OwnLines::Header(text) | OwnLines::Closing(text)) = own;
    if let (OwnLines::Header(_), Some(mut file)) = (own, side_file) {
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
    }
    let mut log = log.borrow_mut();
    log.write_all(text.as_bytes())?;
    log.flush()
}

struct Sealing<'a, S, W> {
    fields: &'a Fields,
    sealer: &'a LogSealer<S>,
    log: &'a RefCell<W>,
    args: &'a LogSeal,
    label: Label,
    /// Built apart from the log, so that a header cannot come into the middle of it.
    line: Vec<u8>,
    spans: Vec<Span>,
    unparsed: u64,
    failed: u64,
    first_failure: Option<Error>,
    /// Whether the log ends in the middle of a line.
    unended: bool,
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>, W: Write> Lines for Sealing<'_, S, W> {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
        self.line.clear();
        match piece {
            Piece::Line { content, feed } => self.whole(content, feed),
            Piece::Long(content) => self.unparsed(content),
            Piece::LongEnd { content, feed } => {
                self.unparsed += 1;
                self.unparsed(content);
                self.end(feed && self.args.unparsed != Unparsed::Drop);
            }
        }
        if let Some(last) = self.line.last() {
            self.unended = *last != b'\n';
        }
        let mut log = self.log.borrow_mut();
        log.write_all(&self.line)?;
        if self.args.line_buffered { log.flush() } else { Ok(()) }
    }

    fn idle(&mut self) -> io::Result<()> {
        // Between the lines only: a long one is not torn by the next session's header.
        if !self.unended {
            let due = self.sealer.tick(Instant::now());
            self.note(due);
        }
        self.log.borrow_mut().flush()
    }
}

impl<'a, S: Fn(OwnLines<'_>) -> io::Result<()>, W: Write> Sealing<'a, S, W> {
    fn new(fields: &'a Fields, sealer: &'a LogSealer<S>, log: &'a RefCell<W>, args: &'a LogSeal) -> Self {
        let label = Label::new(LINE).expect("four letters");
        let (line, spans, unparsed, failed, first_failure, unended) = Default::default();
        Self { fields, sealer, log, args, label, line, spans, unparsed, failed, first_failure, unended }
    }

    fn whole(&mut self, content: &[u8], feed: bool) {
        let mut spans = std::mem::take(&mut self.spans);
        match self.fields.find(content, &mut spans) {
            true => self.fields_of(content, feed, &spans),
            false => {
                self.unparsed += 1;
                self.unparsed(content);
                self.end(feed && self.args.unparsed != Unparsed::Drop);
            }
        }
        self.spans = spans;
    }

    fn fields_of(&mut self, content: &[u8], feed: bool, spans: &[Span]) {
        let mut copied = 0;
        for span in spans {
            self.line.extend_from_slice(&content[copied..span.range.start]);
            let (label, value) = (self.fields.label(span), span.value(content));
            match span.form {
                Form::JsonText => self.json_text(label, &value),
                Form::Verbatim | Form::Escaped => self.value(label, &value),
            }
            copied = span.range.end;
        }
        self.line.extend_from_slice(&content[copied..]);
        self.end(feed);
    }

    fn unparsed(&mut self, content: &[u8]) {
        match self.args.unparsed {
            // An empty line has nothing to hide.
            Unparsed::Seal if !content.is_empty() => self.value(&self.label.clone(), content),
            Unparsed::Pass => self.line.extend_from_slice(content),
            Unparsed::Seal | Unparsed::Drop => {}
        }
    }

    fn value(&mut self, label: &Label, value: &[u8]) {
        let sealed = self.sealer.seal_or_mark(label, value, &mut self.line);
        self.note(sealed);
    }

    /// The line stays JSON; the quotes go when the token is opened.
    fn json_text(&mut self, label: &Label, text: &[u8]) {
        self.line.push(b'"');
        let text = str::from_utf8(text).expect("JSON text was found to be text");
        let sealed = self.sealer.seal_json_or_mark(label, text, &mut self.line);
        self.note(sealed);
        self.line.push(b'"');
    }

    fn end(&mut self, feed: bool) {
        if feed {
            self.line.push(b'\n');
        }
    }

    fn note(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.failed += 1;
            self.first_failure.get_or_insert(error);
        }
    }

    fn finish(mut self) -> Result<(), Fault> {
        if self.unended {
            self.log.borrow_mut().write_all(b"\n")?;
        }
        let closed = self.sealer.close();
        self.log.borrow_mut().flush()?;
        if self.unparsed > 0 {
            let lines = if self.unparsed == 1 { "line" } else { "lines" };
            say::note(&format!("{} unparsed {lines}, {}", self.unparsed, became(self.args.unparsed)));
        }
        match self.first_failure.take() {
            None => Ok(closed?),
            Some(error) => Err(Fault::from(error)
                .within(&format!("sealing failed {} times", self.failed))
                .hint("look for ~s1x~ in the log: it stands where values were left out")),
        }
    }
}

fn became(unparsed: Unparsed) -> &'static str {
    match unparsed {
        Unparsed::Seal => "sealed as a whole",
        Unparsed::Pass => "passed on unsealed",
        Unparsed::Drop => "dropped",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use crate::args::{Cli, Verb};
    use crate::log::args::LogVerb;
    use clap::Parser;
    use sealmark::record::PreSharedKey;
    use std::cell::Cell;
    use std::num::NonZeroU64;

    fn typed(words: &str) -> LogSeal {
        match Cli::try_parse_from(words.split(' ')).unwrap().verb {
            Verb::Log(crate::log::args::Log { verb: LogVerb::Seal(args) }) => args,
            _ => panic!("another verb"),
        }
    }

    #[test]
    fn what_cannot_be_sealed_is_left_out_and_told() {
        let args = typed("sealmark log seal --psk key --regex ip=(.*)");
        let (fields, log) = (selection::fields(&args).unwrap(), RefCell::new(Vec::new()));
        let full = Cell::new(false);
        let sink = |_: OwnLines<'_>| if full.get() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) };
        let rotation = Rotation { values: NonZeroU64::MIN, ..Rotation::default() };
        let settings = SealerSettings { shape: fields.shape(), padding: Padding::None, rotation };
        let readers = Readers::pre_shared(PreSharedKey::generate().unwrap());
        let sealer = LogSealer::new(readers, settings, sink, Instant::now()).unwrap();
        let mut sealing = Sealing::new(&fields, &sealer, &log, &args);
        full.set(true);
        for content in [&b"ip=::1"[..], b"ip=::2", b"no ::3"] {
            sealing.piece(Piece::Line { content, feed: true }).unwrap();
        }
        assert_eq!(sealing.finish().unwrap_err().exit, Exit::Io);
        let log = String::from_utf8(log.take()).unwrap();
        assert!(log.starts_with("ip=~s1a~match~"), "{log}");
        assert!(log.ends_with("~\nip=~s1x~match~\n~s1x~line~\n"), "{log}");
    }
}

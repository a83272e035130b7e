//! Lines in, sealed lines out.

use super::coverage::Coverage;
use super::metrics::Metrics;
use super::output::Log;
use crate::fault::Fault;
use crate::log::args_seal::Unparsed;
use crate::log::lines::{self, LONGEST, Lines, Piece};
use crate::log::pad::{LINE, Pads};
use crate::log::selection::Naming;
use crate::say::{self, many};
use sealmark::Error;
use sealmark::record::{self, Label, LogSealer, OwnLines, Readers, SessionId, Value};
use sealmark_fields::{Fields, Form, Span, Unknown};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// After a failure it is not tried again for so long: what fails is a header, which costs as much as many values.
pub const PAUSE: Duration = Duration::from_secs(1);

/// A line that would be longer with its tokens is sealed as a whole.
const MOST: usize = 4 << 20;

/// The user's choices about lines.
#[derive(Clone, Copy)]
pub struct Manner {
    pub unparsed: Unparsed,
    /// Every line is written at once.
    pub line_buffered: bool,
    /// Bytes and headers are told with the counts.
    pub is_service: bool,
    /// The words of reports for rules.
    pub naming: Naming,
}

impl Manner {
    /// A line that is too long to be looked into, or cannot be searched to its end, is not passed on: a sender could hide in it
    /// what is looked for in others.
    fn of_long(self) -> Unparsed {
        match self.unparsed {
            Unparsed::Drop => Unparsed::Drop,
            Unparsed::Seal | Unparsed::Pass => Unparsed::Seal,
        }
    }
}

/// Recipients and fields as SIGHUP found them.
pub struct Reloaded {
    pub readers: Readers,
    /// None where they are as before: their counts go on.
    pub fields: Option<Fields>,
    pub pads: Pads,
    pub unparsed: Unparsed,
    pub line_buffered: bool,
}

pub struct Sealing<'a, 'log, S> {
    fields: Rc<Fields>,
    sealer: &'a LogSealer<S>,
    log: &'a RefCell<Log<'log>>,
    manner: Manner,
    pads: Pads,
    label: Label,
    /// Built apart from the log, so that a header cannot come into the middle of it.
    line: Vec<u8>,
    spans: Vec<Span>,
    /// A line without what may not be kept.
    kept: Vec<u8>,
    coverage: Coverage,
    failed: u64,
    /// Messages that did not come whole.
    lost: u64,
    first_failure: Option<Error>,
    /// Nothing is sealed until then.
    pause: Option<Instant>,
    /// True where it was said that the input has tokens.
    sealed_before: bool,
    /// True where the log ends in the middle of a line.
    unended: bool,
    /// The choice for a long line of which pieces have come: it holds to the line's end, whatever SIGHUP changes.
    long: Option<Unparsed>,
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>> Lines for Sealing<'_, '_, S> {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
        self.line.clear();
        match piece {
            Piece::Line { content, feed } => self.whole(content, feed),
            Piece::Long(content) => {
                let manner = *self.long.get_or_insert(self.manner.of_long());
                self.unparsed(content, manner, &mut Vec::new());
            }
            Piece::LongEnd { content, feed } => {
                let manner = self.long.take().unwrap_or(self.manner.of_long());
                self.coverage.unparsed(manner);
                self.unparsed(content, manner, &mut Vec::new());
                self.end(feed && manner != Unparsed::Drop);
            }
        }
        if let Some(last) = self.line.last() {
            self.unended = *last != b'\n';
        }
        let mut log = self.log.borrow_mut();
        log.add(&self.line);
        if self.manner.line_buffered {
            log.flush_soon();
        }
        Ok(())
    }

    fn goes_on(&self) -> bool {
        !self.log.borrow().has_failed()
    }
}

impl<'a, 'log, S: Fn(OwnLines<'_>) -> io::Result<()>> Sealing<'a, 'log, S> {
    pub fn new(
        fields: Rc<Fields>,
        sealer: &'a LogSealer<S>,
        log: &'a RefCell<Log<'log>>,
        manner: Manner,
        pads: Pads,
    ) -> Self {
        let label = Label::new(LINE).expect("four letters");
        Self {
            fields,
            sealer,
            log,
            manner,
            pads,
            label,
            line: Vec::new(),
            spans: Vec::new(),
            kept: Vec::new(),
            coverage: Coverage::new(manner.naming),
            failed: 0,
            lost: 0,
            first_failure: None,
            pause: None,
            sealed_before: false,
            unended: false,
            long: None,
        }
    }

    /// True where the log ends in the middle of a line: a long one is not torn by lines of our own.
    pub fn unended(&self) -> bool {
        self.unended
    }

    /// Warns, once, of a log that was sealed before. A few lines are searched: the first one is a header, if it is whole.
    fn look_for_tokens(&mut self, content: &[u8]) {
        let is_looked_at = !self.sealed_before && (self.coverage.lines() + 1).is_power_of_two();
        if is_looked_at && record::find(content).next().is_some() {
            self.sealed_before = true;
            say::warning(
                "the input contains headers or tokens of a sealed log, which are sealed again",
                "open it first: sealmark log open … | sealmark log seal …; to change who can open it: sealmark log rekey",
            );
        }
    }

    fn whole(&mut self, content: &[u8], feed: bool) {
        self.look_for_tokens(content);
        let fields = Rc::clone(&self.fields);
        let (mut spans, mut kept) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.kept));
        let without = fields.without_dropped(content, &mut spans, &mut kept);
        match without.map(|kept| (kept, fields.find_in(kept, &mut spans))) {
            // The text in place of dropped values is longer than they were: no token can hold so much. The values that a sender
            // can get into a line may need more memory than there is.
            Some((kept, Ok(())))
                if kept.line.len() > LONGEST || self.length_with(kept.line, &spans) > MOST =>
            {
                self.coverage.unparsed(Unparsed::Seal);
                kept.line.chunks(LONGEST).for_each(|piece| self.unparsed(piece, Unparsed::Seal, &mut spans));
                self.end(feed);
            }
            Some((kept, Ok(()))) => {
                self.coverage.parsed(&fields, kept.line);
                self.fields_of(kept.line, feed, &spans);
            }
            found => {
                let manner = match (self.manner.unparsed, without) {
                    // Values that must not be kept are gone; text of a stranger does not delete the rest.
                    (Unparsed::Drop, Some(_)) if fields.drops() => Unparsed::Seal,
                    _ if matches!(found, Some((_, Err(Unknown::NotSearched)))) => self.manner.of_long(),
                    (manner, _) => manner,
                };
                if lines::is_blank(content) {
                    self.coverage.blank()
                } else {
                    self.coverage.unparsed(manner)
                }
                self.unparsed(without.map_or(content, |kept| kept.line), manner, &mut spans);
                self.end(feed && manner != Unparsed::Drop);
            }
        }
        (self.spans, self.kept) = (spans, kept);
    }

    /// The bytes of a line with its tokens, or a little more: escapes are counted, which tokens do not have.
    fn length_with(&self, content: &[u8], spans: &[Span]) -> usize {
        let token = |span: &Span| {
            let (label, length) = (self.fields.label(span), span.range.len());
            // A value is not longer than its text in the line. One that no token can hold leaves a mark.
            self.pads.of(label, length).token_len(label, length).unwrap_or_default()
        };
        content.len() + spans.iter().map(token).sum::<usize>()
    }

    fn fields_of(&mut self, content: &[u8], feed: bool, spans: &[Span]) {
        let (fields, mut copied) = (Rc::clone(&self.fields), 0);
        for span in spans {
            self.line.extend_from_slice(&content[copied..span.range.start]);
            let (label, value) = (fields.label(span), span.value(content));
            match span.form {
                Form::JsonText(_) => self.json_text(label, &value, span.form.quote()),
                Form::Verbatim | Form::Escaped(_) => self.value(label, &value),
            }
            copied = span.range.end;
        }
        self.line.extend_from_slice(&content[copied..]);
        self.end(feed);
    }

    fn unparsed(&mut self, content: &[u8], manner: Unparsed, spans: &mut Vec<Span>) {
        match manner {
            Unparsed::Seal => {
                // Outside of a token, the end of a line stays one.
                let text = content.strip_suffix(b"\r").unwrap_or(content);
                // An empty line has nothing to hide.
                if !text.is_empty() {
                    self.value(&self.label.clone(), text);
                }
                self.line.extend_from_slice(&content[text.len()..]);
            }
            Unparsed::Pass => {
                self.fields.find_look_alikes(content, spans);
                if self.length_with(content, spans) > MOST {
                    self.unparsed(content, Unparsed::Seal, spans)
                } else {
                    self.fields_of(content, false, spans)
                }
            }
            Unparsed::Drop => {}
        }
    }

    fn value(&mut self, label: &Label, value: &[u8]) {
        self.token(label, Value::Bytes(value), value.len());
    }

    /// The line stays JSON; the quotes go when the token is opened.
    fn json_text(&mut self, label: &Label, text: &[u8], quote: &[u8]) {
        let text = str::from_utf8(text).expect("JSON text was found to be text");
        self.line.extend_from_slice(quote);
        self.token(label, Value::Json(text), text.len());
        self.line.extend_from_slice(quote);
    }

    fn token(&mut self, label: &Label, value: Value<'_>, length: usize) {
        if self.pause.is_some_and(|end| Instant::now() < end) {
            self.failed += 1;
            return self.line.extend_from_slice(label.unsealed().as_bytes());
        }
        match self.sealer.seal_or_mark(label, value, self.pads.of(label, length), &mut self.line) {
            Ok(()) => self.pause = None,
            Err(error) => self.note(error),
        }
    }

    fn note(&mut self, error: Error) {
        if self.first_failure.is_none() {
            say::warning(
                &format!("values cannot be sealed and are replaced with ~s1x~ markers: {error}"),
                MARKED,
            );
        }
        // Another value may have no such trouble.
        if !error.is_misuse() {
            self.pause = Some(Instant::now() + PAUSE);
        }
        self.failed += 1;
        self.first_failure.get_or_insert(error);
    }

    fn end(&mut self, feed: bool) {
        if feed {
            self.line.push(b'\n');
        }
    }

    /// The session in use.
    pub fn session(&self) -> SessionId {
        self.sealer.session().0
    }

    /// Says what was found and written so far, if there is more than was said.
    pub fn report(&mut self) {
        if self.coverage.report(&self.fields) && self.manner.is_service {
            self.tell_written();
        }
    }

    /// From the next session on, others can open the log; from the next line on, other fields are sealed.
    pub fn reload(&mut self, reloaded: Reloaded) {
        self.sealer.set_readers(reloaded.readers);
        self.pads = reloaded.pads;
        (self.manner.unparsed, self.manner.line_buffered) = (reloaded.unparsed, reloaded.line_buffered);
        if let Some(fields) = reloaded.fields {
            self.report();
            fields.go_on_from(&self.fields);
            (self.fields, self.coverage) = (Rc::new(fields), Coverage::new(self.manner.naming));
        }
    }

    /// So many messages did not come whole so far.
    pub fn lost(&mut self, messages: u64) {
        self.lost = messages;
    }

    /// Says all counts, as SIGUSR1 asks for.
    pub fn tell_all(&mut self) {
        self.coverage.tell_again(&self.fields);
        self.tell_written();
    }

    fn tell_written(&self) {
        let (bytes, headers) = self.log.borrow().written();
        let mut text = format!(
            "{} and {} written, {} replaced with ~s1x~ markers",
            many(bytes, "byte"),
            many(headers, "header"),
            many(self.failed, "value")
        );
        if self.lost > 0 {
            text += &format!(", {} lost, truncated or malformed", many(self.lost, "message"));
        }
        say::note(&text);
    }

    /// Puts all counts where others may read them.
    pub fn measure(&self, metrics: Option<&Metrics>) {
        let Some(metrics) = metrics else { return };
        let (bytes, headers) = self.log.borrow().written();
        metrics.put(&self.coverage.measured(
            &self.fields,
            &[
                (
                    "values_failed",
                    "Values that could not be sealed and were replaced with markers.",
                    self.failed,
                ),
                ("messages_lost", "Syslog messages that were lost, truncated or malformed.", self.lost),
                ("written_bytes", "Bytes of the sealed log.", bytes),
                ("headers", "Headers that were written.", headers),
            ],
        ));
    }

    /// A last line that is not ended is.
    pub fn end_last(&mut self) {
        if std::mem::take(&mut self.unended) {
            self.log.borrow_mut().add(b"\n");
        }
    }

    /// Writes everything, the closing token last.
    pub fn finish(mut self, metrics: Option<&Metrics>) -> Result<(), Fault> {
        let closed = self.sealer.close();
        let mut log = self.log.borrow_mut();
        log.flush_soon();
        log.check()?;
        drop(log);
        self.report();
        self.measure(metrics);
        match self.first_failure.take() {
            None => Ok(closed?),
            Some(error) => Err(Fault::from(error)
                .within(&format!("{} could not be sealed", many(self.failed, "value")))
                .hint(MARKED)),
        }
    }
}

const MARKED: &str = "look for ~s1x~ in the log: it marks each value that could not be sealed";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::super::disk::Disk;
    use super::super::output::Place;
    use super::*;
    use crate::fault::Exit;
    use crate::log::args_seal::OnFull;
    use sealmark::record::{PreSharedKey, Readers, SealerSettings};
    use sealmark_fields::Selection;
    use std::cell::Cell;
    use std::num::NonZeroU64;

    #[test]
    fn what_cannot_be_sealed_is_left_out_and_told() {
        let selection = Selection { patterns: vec!["ip=(.*)".into()], ..Selection::default() };
        let (fields, mut written) = (Fields::new(&selection).unwrap(), Vec::new());
        let disk = Disk { on_full: OnFull::Exit, signals: None };
        let log = RefCell::new(Log::new(Place::Stream(&mut written, None), None, disk, Instant::now()));
        let full = Cell::new(false);
        let sink = |_: OwnLines<'_>| if full.get() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) };
        let settings = SealerSettings::new(fields.shape()).max_values(NonZeroU64::MIN);
        let readers = Readers::pre_shared(PreSharedKey::generate().unwrap());
        let sealer = LogSealer::new(readers, settings, sink, Instant::now()).unwrap();
        let manner = Manner {
            unparsed: Unparsed::Seal,
            line_buffered: false,
            is_service: false,
            naming: Naming::Flags,
        };
        let mut sealing = Sealing::new(Rc::new(fields), &sealer, &log, manner, Pads::default());
        full.set(true);
        for content in [&b"ip=::1"[..], b"ip=::2", b"no ::3"] {
            sealing.piece(Piece::Line { content, feed: true }).unwrap();
        }
        let fault = sealing.finish(None).unwrap_err();
        assert_eq!((fault.exit, &fault.message[..27]), (Exit::Io, "2 values could not be seale"));
        drop(log);
        let log = String::from_utf8(written).unwrap();
        assert!(log.starts_with("ip=~s1a~match~"), "{log}");
        assert!(log.ends_with("~\nip=~s1x~match~\n~s1x~line~\n"), "{log}");
    }
}

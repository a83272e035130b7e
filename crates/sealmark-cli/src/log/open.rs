//! `sealmark log open`: tokens become what they were, wherever in a line they stand.

use super::args_read::LogOpen;
use super::read::{self, Batch, Input, Kept, Kind, Wanted, keys, lanes, report};
use crate::fault::{Exit, Fault};
use crate::say;
use memchr::memmem;
use sealmark::record::{Context, Report, SessionId, TokenOpener};
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

pub fn run(args: &LogOpen) -> Result<Exit, Fault> {
    keys::check(&args.with, &args.inputs, &[])?;
    let sources = read::sources(&args.inputs)?;
    let target = read::target(&sources, &args.out)?;
    let wanted = Wanted::new(&args.labels, &args.period)?;
    let (wanted, opener) = wanted.learn(&sources, keys::opener(&args.with)?)?;
    let wanted = Arc::new(wanted);
    let input = Input { sources, follow: args.follow, opener, wanted: wanted.clone() };
    let (mut closed, mut kept, mut too_long) = (report::Closed::default(), wanted.kept(), 0);
    // Bytes were read, and none of them begins a token or a header.
    let (mut is_empty, mut is_sealed) = (true, false);
    let context = if args.raw { Context::Raw } else { Context::Detect };
    let opening = Opening { context, wanted: wanted.clone() };
    let ended = read::fill(&target, args.out.existing(), |output| {
        let mut joint = Joint::default();
        lanes::run(input, &opening, |done| {
            let opened = if done.batch.kind.is_closed() { done.batch.text.text() } else { &done.out };
            joint.write(done.batch.input, opened, output)?;
            output.flush()?;
            let Opened { report, kept: found, is_sealed: here } = &done.found;
            closed.add(report);
            kept.add(found);
            is_sealed |= *here;
            is_empty &= done.batch.text.text().is_empty();
            too_long += u64::from(done.batch.kind == Kind::LastPiece);
            Ok(ControlFlow::Continue(()))
        })
    });
    kept.report(&wanted, ended.is_ok());
    if !is_empty && !is_sealed && ended.is_ok() {
        say::note("nothing was opened: the log has no token and no header");
    }
    report::end(ended, closed.report().max(report::too_long(too_long, "were left as they are")))
}

#[derive(Clone)]
struct Opening {
    context: Context,
    wanted: Arc<Wanted>,
}

/// The results of one batch.
struct Opened {
    report: Report,
    kept: Kept,
    /// There is text in it that may be a token or a header.
    is_sealed: bool,
}

impl lanes::Work for Opening {
    type Found = Opened;

    fn orphaned(found: &Opened) -> &BTreeSet<SessionId> {
        &found.report.orphaned
    }

    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Self::Found {
        let (mut pass, wanted) = (TokenOpener::new(self.context), &*self.wanted);
        let mut kept = wanted.kept();
        let text = if batch.kind.is_closed() { b"" } else { batch.text.text() };
        // Growing would leave copies behind.
        out.reserve(text.len());
        if batch.kind.is_piece() {
            pass.open_piece_where(&batch.sessions, text, out, |token| kept.token(wanted, token));
        } else {
            for lines in kept.lines(wanted, batch) {
                pass.open_where(&batch.sessions, &text[lines], out, |token| kept.token(wanted, token));
            }
        }
        let is_sealed = memmem::find(batch.text.text(), b"~s1").is_some();
        Opened { report: pass.into_report(), kept, is_sealed }
    }
}

/// Keeps the last line of a log, cut off maybe, apart from the first of the next.
#[derive(Default)]
struct Joint {
    input: usize,
    unended: bool,
}

impl Joint {
    /// Only what was written counts: nothing of the log's own lines is.
    fn write(&mut self, input: usize, text: &[u8], output: &mut dyn Write) -> Result<(), Fault> {
        let Some(last) = text.last() else { return Ok(()) };
        if self.unended && self.input != input {
            output.write_all(b"\n")?;
        }
        (self.input, self.unended) = (input, *last != b'\n');
        Ok(output.write_all(text)?)
    }
}

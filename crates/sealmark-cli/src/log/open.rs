//! `sealmark log open`: tokens become what they were, wherever in a line they stand.

use super::args_read::LogOpen;
use super::read::{self, Batch, Input, Kept, Kind, Wanted, keys, lanes, report};
use crate::fault::{Exit, Fault};
use sealmark::record::{Context, Pass, Report};
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
    let context = if args.raw { Context::Raw } else { Context::Detect };
    let opening = Opening { context, wanted: wanted.clone() };
    let ended = read::fill(&target, args.out.existing(), |output| {
        let mut joint = Joint::default();
        lanes::run(input, &opening, |done| {
            let opened = if done.batch.kind.is_closed() { done.batch.text.text() } else { &done.out };
            joint.write(done.batch.input, opened, output)?;
            output.flush()?;
            let (report, found) = &done.found;
            closed.add(report);
            kept.add(found);
            too_long += u64::from(done.batch.kind == Kind::LastPiece);
            Ok(ControlFlow::Continue(()))
        })
    });
    kept.report(&wanted, ended.is_ok());
    report::end(ended, closed.report().max(report::too_long(too_long, "were left as they are")))
}

#[derive(Clone)]
struct Opening {
    context: Context,
    wanted: Arc<Wanted>,
}

impl lanes::Work for Opening {
    type Found = (Report, Kept);

    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Self::Found {
        let (mut pass, wanted) = (Pass::new(self.context), &*self.wanted);
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
        (pass.into_report(), kept)
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

//! `sealmark log open`: tokens become what they were, wherever in a line they stand.

use super::args_read::LogOpen;
use super::read::{self, Batch, Input, Kind, keys, lanes, tell};
use crate::fault::{Exit, Fault};
use sealmark::record::{Context, Pass, Report};
use std::io::Write;

pub fn run(args: &LogOpen) -> Result<Exit, Fault> {
    keys::check(&args.with, &args.inputs, &[])?;
    let sources = read::sources(&args.inputs)?;
    let target = read::target(&sources, &args.out)?;
    let input = Input { sources, follow: args.follow, opener: keys::opener(&args.with)? };
    let (mut closed, mut too_long) = (tell::Closed::default(), 0);
    let opening = Opening(if args.raw { Context::Raw } else { Context::Detect });
    let ended = read::fill(&target, args.out.existing(), |output| {
        let mut joint = Joint::default();
        lanes::run(input, &opening, |done| {
            let opened = if done.batch.kind.is_closed() { done.batch.text.text() } else { &done.out };
            joint.write(done.batch.input, opened, output)?;
            output.flush()?;
            closed.add(&done.found);
            too_long += u64::from(done.batch.kind == Kind::LastPiece);
            Ok(())
        })
    });
    tell::end(ended, closed.tell().max(tell::too_long(too_long, "were left as they are")))
}

#[derive(Clone)]
struct Opening(Context);

impl lanes::Work for Opening {
    type Found = Report;

    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Report {
        let mut pass = Pass::new(self.0);
        let text = if batch.kind.is_closed() { b"" } else { batch.text.text() };
        // Growing would leave copies behind.
        out.reserve(text.len());
        match batch.kind.is_piece() {
            false => pass.open(&batch.sessions, text, out),
            true => pass.open_piece(&batch.sessions, text, out),
        }
        pass.into_report()
    }
}

/// Keeps the last line of a log, cut off maybe, apart from the first of the next.
#[derive(Default)]
struct Joint {
    input: usize,
    unended: bool,
}

impl Joint {
    /// What counts is what was written: of the log's own lines, nothing is.
    fn write(&mut self, input: usize, text: &[u8], output: &mut dyn Write) -> Result<(), Fault> {
        let Some(last) = text.last() else { return Ok(()) };
        if self.unended && self.input != input {
            output.write_all(b"\n")?;
        }
        (self.input, self.unended) = (input, *last != b'\n');
        Ok(output.write_all(text)?)
    }
}

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
    let exit = target.fill_with_text(args.out.existing(), |output| {
        let mut joint = Joint::default();
        lanes::run(input, &Opening, |done| {
            joint.before(&done.batch, output)?;
            output.write_all(if done.batch.kind.is_piece() { done.batch.text.text() } else { &done.out })?;
            output.flush()?;
            closed.add(&done.found);
            too_long += u64::from(done.batch.kind == Kind::LastPiece);
            Ok(())
        })
    })?;
    let exit = exit.max(closed.tell());
    tell::too_long(too_long, "were left as they are")?;
    Ok(exit)
}

#[derive(Clone)]
struct Opening;

impl lanes::Work for Opening {
    type Found = Report;

    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Report {
        let mut pass = Pass::new(Context::Detect);
        if !batch.kind.is_piece() {
            // Growing would leave copies behind.
            out.reserve(batch.text.text().len());
            pass.open(&batch.sessions, batch.text.text(), out);
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
    fn before(&mut self, batch: &Batch, output: &mut dyn Write) -> Result<(), Fault> {
        if self.unended && self.input != batch.input {
            output.write_all(b"\n")?;
        }
        self.input = batch.input;
        self.unended = batch.text.text().last().is_some_and(|last| *last != b'\n');
        Ok(())
    }
}

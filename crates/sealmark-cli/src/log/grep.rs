//! `sealmark log grep`: lines that match once they are opened. `search` looks at the lines of a batch, apart from the
//! others, and `print` puts together what is printed of them, in order.

mod patterns;
mod print;
mod search;

use super::args_read::LogGrep;
use super::read::{self, Input, Kind, Wanted, keys, lanes, report};
use crate::args::{IGNORE_CASE, Out};
use crate::fault::{Exit, Fault};
use crate::target::Source;
use crate::{say, stdio};
use patterns::Patterns;
use print::{Printer, Summary};
use sealmark::record::LogOpener;
use search::{Search, Show};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

pub fn run(args: &LogGrep) -> Result<Exit, Fault> {
    let (patterns, inputs) = typed(args)?;
    keys::check(&args.with, &inputs, &[])?;
    let (sources, missing) = there(&inputs, args.follow)?;
    if sources.is_empty() {
        return Ok(missing);
    }
    let out = Out { output: None, force: false };
    let target = read::target(&sources, &out)?;
    let (wanted, opener) =
        Wanted::new(&args.labels, &args.period)?.with_enclosing().learn(&sources, opener(args)?)?;
    if args.max_count == Some(0) {
        return Ok(missing.max(Exit::NotFound));
    }
    let (wanted, finished) = (Arc::new(wanted), Arc::<AtomicUsize>::default());
    let mut printer = Printer::new(args, &sources, inputs.len() > 1, finished.clone());
    let search = Search::new(args, patterns, wanted.clone(), printer.needs_rows(), finished);
    let input = Input { sources, follow: args.follow, opener, wanted: wanted.clone() };
    let (mut closed, mut kept, mut too_long) = (report::Closed::default(), wanted.kept(), 0);
    let ended = read::fill(&target, out.existing(), |output| {
        let exit = lanes::run(input, &search, |done| {
            if printer.has_finished(done.batch.input) {
                return Ok(ControlFlow::Continue(()));
            }
            closed.add(&done.found.report);
            kept.add(&done.found.kept);
            too_long += u64::from(matches!(done.batch.kind, Kind::LastPiece | Kind::LastText));
            let enough = printer.take(done, output)?;
            output.flush()?;
            Ok(enough)
        })?;
        printer.end(output)?;
        Ok(exit)
    });
    kept.report(&wanted, ended.is_ok() && !printer.stopped());
    let exit = missing.max(closed.report()).max(if printer.found() { Exit::Done } else { Exit::NotFound });
    let exit = report::end(ended, exit.max(report::too_long(too_long, "were not searched")));
    // So does grep, whatever else was met.
    if args.quiet && printer.found() { Ok(Exit::Done) } else { exit }
}

/// Has the keys. A key file that is missing may be a pattern, behind the flag by which grep ignores case.
fn opener(args: &LogGrep) -> Result<LogOpener, Fault> {
    let is_missing = args.with.identities.iter().any(|path| !stdio::is_dash(path) && !path.exists());
    keys::opener(&args.with).map_err(|fault| if is_missing { fault.hint(IGNORE_CASE) } else { fault })
}

/// The patterns, and where they are searched: PATTERN is the first log where patterns have a flag.
fn typed(args: &LogGrep) -> Result<(Patterns, Vec<PathBuf>), Fault> {
    let (mut patterns, mut inputs) = (args.patterns.clone(), args.inputs.clone());
    if let Some(first) = args.pattern.clone() {
        if patterns.is_empty() {
            patterns.push(first.into_string().map_err(|pattern| {
                Fault::usage(format!("the pattern {pattern:?} is not UTF-8"))
                    .hint("write such bytes as \\xff after (?-u)")
            })?)
        } else {
            inputs.insert(0, first.into())
        }
    }
    Ok((Patterns::new(&patterns, args.fixed_strings, args.ignore_case)?, inputs))
}

/// The inputs that are there, and how to end for the sake of those that are not: as with grep, the others are searched.
fn there(inputs: &[PathBuf], follow: bool) -> Result<(Vec<Source>, Exit), Fault> {
    // The last one of several is followed, and no other in its place.
    if follow || inputs.len() < 2 {
        return Ok((read::sources(inputs)?, Exit::Done));
    }
    let (mut sources, mut worst) = (Vec::new(), Exit::Done);
    for input in inputs {
        match Source::new(input) {
            Ok(source) => sources.push(source),
            Err(fault) => worst = worst.max(say::fault(&fault.about(input))),
        }
    }
    Ok((sources, worst))
}

impl LogGrep {
    /// The part of a line that is printed, before names and numbers.
    fn show(&self) -> Show {
        match () {
            () if self.summary().is_some() => Show::Nothing,
            () if self.json => Show::Json,
            () if self.only_matching => Show::Matches,
            () if self.sealed => Show::Sealed,
            () => Show::Opened,
        }
    }

    fn summary(&self) -> Option<Summary> {
        match () {
            () if self.quiet => Some(Summary::Quiet),
            () if self.files_with_matches => Some(Summary::Names),
            () if self.count => Some(Summary::Counts),
            () => None,
        }
    }

    /// Lines before and behind, where any are asked for: none at all still separates what does not touch.
    fn around(&self) -> Option<(usize, usize)> {
        let before = self.before_context.or(self.context);
        let after = self.after_context.or(self.context);
        (before.is_some() || after.is_some()).then(|| (before.unwrap_or(0), after.unwrap_or(0)))
    }
}

//! `sealmark log seal`: values in the lines of a stream become tokens, for as long as the stream goes on.
//!
//! `input` and `syslog` give lines, `line` seals them, `output` writes them to their `place`; `keeper` sees to sessions and
//! headers; `serve` is the loop around all of them.

mod input;
mod keeper;
mod line;
mod message;
mod output;
mod place;
mod serve;
mod signals;
pub mod syslog;
mod user;

use super::args_seal::LogSeal;
use super::readers::readers;
use super::selection;
use crate::args::Out;
use crate::fault::{Exit, Fault};
use crate::stdio;
use crate::target::{self, Target};
use input::{Input, Stream};
use keeper::Keeper;
use line::{Manner, Sealing};
use output::{Log, Place};
use place::{Appended, Follow, Growing};
use sealmark::record::{self, LogSealer, OwnLines, Padding, Readers, Rotation, SealerSettings};
use sealmark_fields::Fields;
use serve::Served;
use signals::Signals;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;
use syslog::Syslog;
use user::Account;

/// A longer line is treated as one that is not of the log's kind, in pieces that a token can hold.
const LONGEST: usize = record::MAX_PLAINTEXT;

pub fn run(args: &LogSeal) -> Result<Exit, Fault> {
    let fields = selection::fields(args)?;
    let mut key_files = args.to.recipients_files.clone();
    key_files.extend(args.to.psk.clone());
    let inputs = inputs(args);
    target::one_reader_of_stdin(&inputs, &[&key_files], &[])?;
    let task = task(&inputs, args)?;
    let job = Job { fields, readers: readers(&args.to)?, args };
    let account = args.user.as_deref().map(Account::named).transpose()?;
    let sealed = match &args.syslog {
        Some(address) => job.with_input(Syslog::bind(address, LONGEST)?, account, &task.target),
        None => job.with_input(Stream::open(&task.source, LONGEST)?, account, &task.target),
    };
    sealed.map_err(|fault| if target::is_dash(&inputs[0]) { fault } else { fault.about(&inputs[0]) })?;
    Ok(Exit::Done)
}

/// A socket stands in place of standard input, which a server may have closed.
fn inputs(args: &LogSeal) -> [PathBuf; 1] {
    let none = if args.syslog.is_some() { "/dev/null" } else { "-" };
    [args.input.clone().unwrap_or(none.into())]
}

fn task(inputs: &[PathBuf], args: &LogSeal) -> Result<target::Task, Fault> {
    let out = match &args.append {
        Some(path) => Out { output: Some(path.clone()), force: true },
        None => Out { output: args.out.output.clone(), force: args.out.force },
    };
    let mut plan = target::plan(inputs, &out, |_| Ok("-".into()))?;
    let planned = plan.pop().expect("one input is one task");
    planned
        .task
        .map_err(|fault| if target::is_dash(&planned.input) { fault } else { fault.about(&planned.input) })
}

struct Job<'a> {
    fields: Fields,
    readers: Readers,
    args: &'a LogSeal,
}

impl Job<'_> {
    /// What only root may open is opened before we become somebody else.
    fn with_input(self, input: impl Input, account: Option<Account>, target: &Target) -> Result<(), Fault> {
        // Before there is a file by which others could tell that we are at work.
        let signals = match input.waits_on().is_some() && self.outlives_signals(target) {
            true => Some(Signals::handled()?),
            false => None,
        };
        let side_file = self.opened(self.args.side_file.as_deref(), account.as_ref())?;
        let file = self.opened(self.args.append.as_deref(), account.as_ref())?;
        let file = file.map(Appended::regular).transpose()?;
        account.map_or(Ok(()), |account| account.become_it())?;
        match file {
            Some(file) => self.seal(input, signals, Log::new(Place::File(file), side_file, Instant::now())),
            None => target.fill(self.args.out.existing(), |out| {
                let place = Place::Stream(out, growing(target)?);
                self.seal(input, signals, Log::new(place, side_file, Instant::now()))
            }),
        }
    }

    fn opened(&self, path: Option<&Path>, account: Option<&Account>) -> Result<Option<Appended>, Fault> {
        let Some(path) = path else { return Ok(None) };
        let Some(account) = account.filter(|account| account.is_change()) else {
            return Appended::open(path, Follow::Links).map(Some);
        };
        let file = Appended::open(path, Follow::Nothing)?;
        file.made().map_or(Ok(()), |made| account.give(made))?;
        Ok(Some(file))
    }

    /// A file that gets its name when it is whole is not whole when a signal ends its making.
    fn outlives_signals(&self, target: &Target) -> bool {
        let args = self.args;
        match target {
            Target::Stdout { .. } => true,
            Target::Path(path) => {
                args.append.is_some()
                    || args.syslog.is_some()
                    || path.metadata().is_ok_and(|meta| !meta.is_file())
            }
        }
    }

    fn seal(&self, input: impl Input, signals: Option<Signals>, log: Log<'_>) -> Result<(), Fault> {
        let log = RefCell::new(log);
        let sink = |own: OwnLines<'_>| log.borrow_mut().write_own(own, Instant::now());
        let rotation = Rotation { age: self.args.rotate_after, ..Rotation::default() };
        let settings = SealerSettings { shape: self.fields.shape(), padding: Padding::None, rotation };
        let sealer = LogSealer::new(self.readers.clone(), settings, sink, Instant::now())?;
        let manner = Manner { unparsed: self.args.unparsed, line_buffered: self.args.line_buffered };
        let mut sealing = Sealing::new(&self.fields, &sealer, &log, manner);
        let mut keeper = Keeper::new(&sealer, &log);
        let mut served = Served { input, signals, log: &log };
        serve::serve(&mut served, &mut sealing, &mut keeper)?;
        sealing.finish()?;
        keeper.finish()
    }
}

/// Standard output, if it is a file that others may cut.
fn growing(target: &Target) -> Result<Option<Growing>, Fault> {
    let Target::Stdout { .. } = target else { return Ok(None) };
    Ok(Growing::shared(stdio::output_file()?)?)
}

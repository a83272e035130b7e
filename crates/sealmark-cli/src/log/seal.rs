//! `sealmark log seal`: values in the lines of a stream become tokens, for as long as the stream goes on.
//!
//! `input` and `syslog` give lines, `line` seals them, `output` writes them to their `place`; `keeper` sees to sessions and
//! headers; `serve` is the loop around all of them, `signals` what it is told meanwhile, and `watchdog` ends it where it
//! hangs. `apart`, `directory` and `user` see to it that no file is written that is somebody else's.

mod apart;
mod clocks;
mod connections;
pub mod coverage;
mod directory;
mod disk;
mod frames;
pub mod input;
mod keeper;
mod line;
mod message;
pub mod metrics;
mod output;
mod place;
mod serve;
mod signals;
pub mod syslog;
mod user;
mod watchdog;

use super::args_seal::LogSeal;
use super::lines::LONGEST;
use super::readers::{KeyFiles, is_stream};
use super::settings::Settings;
use crate::args::Out;
use crate::fault::{Exit, Fault};
use crate::say;
use crate::stdio::{self, Gone};
use crate::target::{self, Source, Target};
use directory::Follow;
use disk::Disk;
use input::{Input, Stream};
use keeper::Keeper;
use line::{Manner, Reloaded, Sealing};
use metrics::Metrics;
use output::{Log, Place};
use place::{Appended, Growing};
use rustix::fs::{Access, access};
use rustix::io::Errno;
use sd_notify::NotifyState;
use sealmark::record::{self, Found, LogSealer, Order, OwnLines, Previous, Readers, SealerSettings};
use sealmark_fields::{Fields, Selection};
use serve::{Ended, Served};
use signals::Signals;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Instant, SystemTime};
use syslog::Listening;
use user::Account;

pub fn run(args: &LogSeal) -> Result<Exit, Fault> {
    // First of all: a server may hang up as soon as it has started us.
    let early = handled(args)?;
    let (typed, settings) = (args, Settings::read(args)?);
    let args = &settings.args;
    let signals = match early {
        None => handled(args)?,
        early => early,
    };
    let fields = settings.fields()?;
    let metrics = args.metrics.as_ref().map(Metrics::open).transpose()?;
    let inputs = inputs(args);
    target::one_reader_of_stdin(&inputs, &[&key_files(args)], &[])?;
    let task = task(&inputs, args)?;
    apart::check(args)?;
    let key_files = KeyFiles::read(&args.to, args.psk.as_ref())?;
    let readers = readers(&key_files, args)?;
    let account = args.user.as_deref().map(Account::named).transpose()?;
    let job = Job {
        settings: &settings,
        fields: Rc::new(fields),
        readers,
        key_files,
        signals,
        metrics,
        args,
        typed,
    };
    let sealed = match &args.syslog {
        Some(address) => {
            // Before there is a socket by which others could tell that we are at work.
            job.begin();
            match syslog::listen(address, LONGEST, follow(account.as_ref()))? {
                Listening::Datagrams(input) => job.with_input(input, account, &task.target),
                Listening::Connections(input) => job.with_input(*input, account, &task.target),
            }
        }
        None => job.with_input(Stream::open(&task.source, LONGEST)?, account, &task.target),
    };
    sealed.map_err(|fault| if stdio::is_dash(&inputs[0]) { fault } else { fault.about(&inputs[0]) })?;
    Ok(Exit::Done)
}

fn key_files(args: &LogSeal) -> Vec<PathBuf> {
    args.to.recipients_files.iter().chain(&args.psk).cloned().collect()
}

/// The holders of the keys that flags or the configuration name.
fn readers(key_files: &KeyFiles, args: &LogSeal) -> Result<Readers, Fault> {
    match &args.config {
        Some(config) if !args.to.names_someone() && args.psk.is_none() => {
            Err(Fault::usage(format!("no recipient given, neither by a flag nor in {config:?}"))
                .hint("add recipients_files = [\"FILE\"] to the configuration, above the first [[within]], or pass -R FILE"))
        }
        _ => key_files.readers(&args.to, "--psk", args.psk.as_ref()),
    }
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
    let mut plan = target::plan(inputs, &out, Source::new, |_| Ok("-".into()))?;
    let planned = plan.pop().expect("one input is one task");
    planned
        .task
        .map_err(|fault| if stdio::is_dash(&planned.input) { fault } else { fault.about(&planned.input) })
}

struct Job<'a> {
    settings: &'a Settings,
    fields: Rc<Fields>,
    readers: Readers,
    /// Key files keep what was read at the start: SIGHUP cannot read all of them again.
    key_files: KeyFiles,
    /// None where a signal shall end the program as it ends others.
    signals: Option<Signals>,
    metrics: Option<Metrics>,
    args: &'a LogSeal,
    /// Without what a configuration added: it is read again.
    typed: &'a LogSeal,
}

impl Job<'_> {
    /// Files that only root may open are opened before we become somebody else.
    fn with_input(&self, input: impl Input, account: Option<Account>, target: &Target) -> Result<(), Fault> {
        self.begin();
        let disk = self.disk();
        let side_file = disk.wait(|| self.opened(self.args.side_file.as_deref(), account.as_ref()))?;
        let file = disk.wait(|| self.opened(self.args.append.as_deref(), account.as_ref()))?;
        let file = file.map(Appended::regular).transpose()?;
        account.map_or(Ok(()), |account| account.become_it())?;
        let kept = self.kept();
        match file {
            Some(file) => {
                self.seal(input, Log::new(Place::File(file), side_file, disk, Instant::now()), &kept)
            }
            None => target.fill(self.args.out.existing(), Gone::Lost, |out| {
                let place = Place::Stream(out, growing(target)?);
                self.seal(input, Log::new(place, side_file, disk, Instant::now()), &kept)
            }),
        }
    }

    fn disk(&self) -> Disk<'_> {
        Disk { on_full: self.args.on_full(), signals: self.signals.as_ref() }
    }

    /// Pipes, and files that root has read for us and we may not read again: what they said stays in force. That is said
    /// about files once, and not with each SIGHUP, which log rotation sends every night.
    fn kept(&self) -> Vec<PathBuf> {
        let mut kept = key_files(self.args);
        kept.extend(self.args.config.clone());
        let is_of_root = |path: &PathBuf| access(path, Access::READ_OK) == Err(Errno::ACCESS);
        kept.retain(|path| is_stream(path) || is_of_root(path));
        for path in kept.iter().filter(|path| is_of_root(path)) {
            say::note(&format!(
                "only root can read {path:?}, so SIGHUP cannot reload it: its first content stays in force until a restart"
            ));
        }
        kept
    }

    /// Reads recipients and fields again, but for the files in `kept`.
    fn reload(&self, current: &mut Selection, kept: &[PathBuf]) -> Result<Reloaded, Fault> {
        let is_kept = self.typed.config.as_ref().is_some_and(|config| kept.contains(config));
        let settings = (!is_kept).then(|| Settings::read(self.typed)).transpose()?;
        let args = settings.as_ref().map_or(self.args, |settings| &settings.args);
        let key_files = self.key_files.again(&args.to, args.psk.as_ref(), kept)?;
        let readers = readers(&key_files, args)?;
        let (unparsed, line_buffered) = (args.unparsed(self.fields.drops()), args.line_buffered);
        let Some(settings) = settings else {
            let pads = self.settings.pads.clone();
            return Ok(Reloaded { readers, fields: None, pads, unparsed, line_buffered });
        };
        let changed = settings.selection != *current;
        let fields =
            (changed || settings.pads != self.settings.pads).then(|| settings.fields()).transpose()?;
        let fields = fields.filter(|_| changed);
        if let Some(fields) = &fields {
            if fields.shape() != self.fields.shape() || fields.drops() != self.fields.drops() {
                return Err(Fault::usage(
                    "the new configuration changes the format of the lines, or whether values are dropped",
                )
                .hint("restart the sealer to change that"));
            }
            *current = settings.selection;
        }
        let changed = self.args.changed_for_restart(&settings.args);
        if !changed.is_empty() {
            say::warning(
                &format!(
                    "{} changed in the configuration, but the old setting stays in force",
                    changed.join(", ")
                ),
                "restart the sealer to change that",
            );
        }
        Ok(Reloaded { readers, fields, pads: settings.pads, unparsed, line_buffered })
    }

    fn opened(&self, path: Option<&Path>, account: Option<&Account>) -> Result<Option<Appended>, Fault> {
        let Some(path) = path else { return Ok(None) };
        let file = Appended::open(path, follow(account))?;
        if let (Some(made), Some(account)) = (file.made(), account.filter(|account| account.is_change())) {
            account.give(made)?;
        }
        Ok(Some(file))
    }

    fn begin(&self) {
        self.signals.iter().for_each(Signals::begin);
    }

    fn seal(&self, input: impl Input, mut log: Log<'_>, kept: &[PathBuf]) -> Result<(), Fault> {
        log.told_to(self.signals.as_ref().map(Signals::progress).unwrap_or_default());
        let tail = log.tail();
        if tail.last().is_some_and(|byte| *byte != b'\n') {
            // A line that a crash cut off stays a line of its own.
            log.add(b"\n");
        }
        let previous = last_session(&tail);
        let log = RefCell::new(log);
        let sink = |own: OwnLines<'_>| log.borrow_mut().write_own(own, Instant::now());
        let settings = SealerSettings::new(self.fields.shape());
        let settings = settings.order(Order::Kept).previous(previous).wall_clock(SystemTime::now);
        let settings = self.args.rotate_after.map_or(settings, |age| settings.max_age(age));
        let disk = self.disk();
        let sealer = disk.wait(|| {
            // The rest of a header for which there was no room goes before the next one.
            log.borrow_mut().flush()?;
            Ok(LogSealer::new(self.readers.clone(), settings, sink, Instant::now())?)
        })?;
        // The service manager waits for this; nobody else listens.
        let _ = sd_notify::notify(&[NotifyState::Ready]);
        let unparsed = self.args.unparsed(self.fields.drops());
        // A pipe of a shell ends soon.
        let is_named = self.args.append.is_some() || self.args.syslog.is_some() || self.args.input.is_some();
        let is_service = is_named && input.waits_on().is_some();
        let naming = self.settings.naming();
        let manner = Manner { unparsed, line_buffered: self.args.line_buffered, is_service, naming };
        let mut sealing =
            Sealing::new(Rc::clone(&self.fields), &sealer, &log, manner, self.settings.pads.clone());
        let mut keeper = Keeper::new(&sealer, &log);
        let metrics = self.metrics.as_ref();
        let current = RefCell::new(self.settings.selection.clone());
        let reload = || self.reload(&mut current.borrow_mut(), kept);
        let mut served = Served { input, disk, metrics, log: &log, reload: &reload };
        let ended = serve::serve(&mut served, &mut sealing, &mut keeper);
        let ended = ended.and_then(|ended| sealing.finish(metrics).map(|()| ended));
        let ended = ended.map_err(|fault| log.borrow().unwritten(fault))?;
        keeper.finish()?;
        match ended {
            Ended::Whole => Ok(()),
            Ended::Early => Err(ended_early()),
            Ended::Failed(error) => Err(error.into()),
        }
    }
}

/// The last session in the end of a log. How many values it has is known where it was closed: else its sealer may go on.
fn last_session(tail: &[u8]) -> Option<Previous> {
    let count = |found: &Found<'_>| match found {
        Found::Closing(closing) => closing.claimed_end(),
        _ => None,
    };
    let previous = |found: Found<'_>| Previous::new(found.session(), count(&found));
    record::find(tail).last().map(previous)
}

fn handled(args: &LogSeal) -> io::Result<Option<Signals>> {
    let fed = inputs(args).iter().all(|input| stdio::is_dash(input)) && signals::can_wait(io::stdin());
    outlives_signals(args).then(|| Signals::handled(fed)).transpose()
}

/// A file that gets its name when it is whole is not whole when a signal ends its making.
fn outlives_signals(args: &LogSeal) -> bool {
    let is_file =
        |path: &PathBuf| !stdio::is_dash(path) && path.metadata().map_or(true, |meta| meta.is_file());
    args.append.is_some() || args.syslog.is_some() || !args.out.output.as_ref().is_some_and(is_file)
}

/// Where somebody else may make links, they are not followed.
fn follow(account: Option<&Account>) -> Follow {
    match account.filter(|account| account.is_change()) {
        Some(account) => Follow::Nothing { user: account.id() },
        None => Follow::Links,
    }
}

fn ended_early() -> Fault {
    Fault::io("stopped by a signal before the whole input was read")
        .hint("seal the remaining lines into a second log")
}

/// Standard output, if it is a file that others may cut.
fn growing(target: &Target) -> Result<Option<Growing>, Fault> {
    let Target::Stdout { .. } = target else { return Ok(None) };
    Ok(Growing::shared(stdio::output_file()?)?)
}

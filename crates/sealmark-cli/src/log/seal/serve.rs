//! The loop: wait for lines and signals, and use the time in between.

use super::disk::Disk;
use super::input::Input;
use super::keeper::Keeper;
use super::line::{Reloaded, Sealing};
use super::metrics::Metrics;
use super::output::Log;
use super::signals::{Signals, wait};
use crate::fault::Fault;
use crate::say;
use sealmark::record::OwnLines;
use std::cell::RefCell;
use std::io;
use std::time::{Duration, Instant};

/// How long nothing is looked after while nothing comes.
const LOOK: Duration = Duration::from_secs(1);

pub struct Served<'a, 'log, I> {
    pub input: I,
    pub disk: Disk<'a>,
    pub metrics: Option<&'a Metrics>,
    pub log: &'a RefCell<Log<'log>>,
    /// Reads again what says whom and what to seal.
    pub reload: &'a dyn Fn() -> Result<Reloaded, Fault>,
}

/// The end of the reading. Lines that were read are sealed then, and written at the end.
pub enum Ended {
    Whole,
    /// We were told to end, and there may be more of it.
    Early,
    Failed(io::Error),
}

/// Until the input ends, or the program is told to.
///
/// # Errors
/// Where the log cannot be written. Lines that were read then are counted.
pub fn serve<S: Fn(OwnLines<'_>) -> io::Result<()>>(
    served: &mut Served<'_, '_, impl Input>,
    sealing: &mut Sealing<'_, '_, S>,
    keeper: &mut Keeper<'_, '_, S>,
) -> Result<Ended, Fault> {
    let ended = attend(served, sealing, keeper);
    if ended.is_err() {
        served.log.borrow_mut().fail();
    }
    let last = served.input.end(sealing);
    sealing.end_last();
    sealing.lost(served.input.lost());
    Ok(match (ended?, last) {
        (Ended::Failed(error), _) | (_, Err(error)) => Ended::Failed(error),
        (ended, Ok(())) => ended,
    })
}

fn attend<S: Fn(OwnLines<'_>) -> io::Result<()>>(
    served: &mut Served<'_, '_, impl Input>,
    sealing: &mut Sealing<'_, '_, S>,
    keeper: &mut Keeper<'_, '_, S>,
) -> Result<Ended, Fault> {
    let (disk, signals) = (served.disk, served.disk.signals);
    let mut ending: Option<Ending> = None;
    let (mut flushed, mut session) = (Instant::now(), sealing.session());
    loop {
        if signals.is_some_and(Signals::hang_up) {
            match (served.reload)() {
                Ok(reloaded) => sealing.reload(reloaded),
                Err(fault) => say::warning(
                    &format!("cannot reload after SIGHUP, so the old keys and fields stay in force: {fault}"),
                    fault.hints.first().map_or("fix this, and send SIGHUP again", String::as_str),
                ),
            }
            keeper.ask();
        }
        if !sealing.unended() {
            disk.wait(|| keeper.keep(Instant::now()))?;
        }
        if std::mem::replace(&mut session, sealing.session()) != sealing.session() {
            sealing.report();
        }
        if signals.is_some_and(Signals::user) {
            sealing.tell_all();
        }
        // Where there is always something to read that leaves little to write.
        if flushed.elapsed() >= LOOK {
            if let Err(error) = served.input.look_after(sealing) {
                return Ok(Ended::Failed(error));
            }
            served.flush()?;
            sealing.lost(served.input.lost());
            sealing.measure(served.metrics);
            flushed = Instant::now();
        }
        if ending.is_none() && signals.is_some_and(Signals::end) {
            ending = Some(Ending::begin(&mut served.input));
        }
        let ready = served.wait(ending.as_ref().map_or(LOOK, |ending| ending.quiet))?;
        if ready && !sealing.unended() {
            disk.wait(|| keeper.keep_young(Instant::now()))?;
        }
        if ready {
            match served.input.read(sealing) {
                Ok(true) => {}
                Ok(false) => return Ok(Ended::Whole),
                Err(error) => return Ok(Ended::Failed(error)),
            }
        }
        served.log.borrow_mut().check()?;
        if ending.as_mut().is_some_and(|ending| ending.is_over(ready)) {
            // Others may write to a pipe or a socket as long as they like.
            let waits = served.input.waits_on().is_some();
            return Ok(if waits { Ended::Whole } else { Ended::Early });
        }
    }
}

impl<I: Input> Served<'_, '_, I> {
    /// True where there is something to read; lines that were gathered are written before nobody knows how long it takes.
    fn wait(&self, timeout: Duration) -> Result<bool, Fault> {
        let Some(input) = self.input.waits_on() else { return Ok(true) };
        if wait(input, None, Duration::ZERO)? {
            return Ok(true);
        }
        self.flush()?;
        Ok(wait(input, self.disk.signals, timeout)?)
    }

    fn flush(&self) -> Result<(), Fault> {
        let mut log = self.log.borrow_mut();
        log.flush_soon();
        log.check()
    }
}

/// The program was told to end, and reads what still comes.
struct Ending {
    quiet: Duration,
    at_last: Instant,
    quiet_since: Instant,
}

impl Ending {
    fn begin(input: &mut impl Input) -> Self {
        let (drain, now) = (input.drain(), Instant::now());
        Self { quiet: drain.quiet, at_last: now + drain.most, quiet_since: now }
    }

    fn is_over(&mut self, ready: bool) -> bool {
        let now = Instant::now();
        if ready {
            self.quiet_since = now;
        }
        now >= self.at_last || now.saturating_duration_since(self.quiet_since) >= self.quiet
    }
}

//! The needs of a log besides its lines: sessions that end in time, and a header wherever one may begin to read.

use super::clocks::Clocks;
use super::line::PAUSE;
use super::output::{Log, Lost, Reason};
use super::place::Change;
use crate::fault::Fault;
use crate::say;
use sealmark::record::{LogSealer, OwnLines};
use std::cell::RefCell;
use std::io;
use std::time::Instant;

pub struct Keeper<'a, 'log, S> {
    sealer: &'a LogSealer<S>,
    log: &'a RefCell<Log<'log>>,
    /// A new session was asked for.
    requested: bool,
    clocks: Clocks,
    /// The machine may be a copy of another, which seals on in the same session.
    copied: bool,
    /// After a failure: nothing is tried before, and the old session goes on.
    pause: Option<Instant>,
    first_failure: Option<Fault>,
}

impl<'a, 'log, S: Fn(OwnLines<'_>) -> io::Result<()>> Keeper<'a, 'log, S> {
    pub fn new(sealer: &'a LogSealer<S>, log: &'a RefCell<Log<'log>>) -> Self {
        Self {
            sealer,
            log,
            requested: false,
            clocks: Clocks::now(),
            copied: false,
            pause: None,
            first_failure: None,
        }
    }

    /// At the next chance, the next session begins.
    pub fn ask(&mut self) {
        self.requested = true;
        self.pause = None;
    }

    /// Ends a session that is of age and has values, now that there are lines again: an idle log does not grow.
    ///
    /// # Errors
    /// As [`Keeper::keep`].
    pub fn keep_young(&mut self, now: Instant) -> Result<(), Fault> {
        // The next session must not say that the one before ended by a clock that was set back since.
        if self.clocks.jumped() {
            self.copied = true;
            self.pause = None;
            return self.keep(now);
        }
        if self.sealer.session().1 > 0 && self.pause.is_none_or(|end| now >= end) {
            let kept = self.sealer.tick(now).map_err(Fault::from);
            return self.kept(kept, now);
        }
        Ok(())
    }

    /// Does what is due. Call it often, and between two lines only.
    ///
    /// # Errors
    /// Where the log cannot be written: a full disk can be waited for, and then this is called again.
    pub fn keep(&mut self, now: Instant) -> Result<(), Fault> {
        if self.clocks.jumped() {
            self.copied = true;
            self.pause = None;
        }
        if self.pause.is_some_and(|end| now < end) {
            return Ok(());
        }
        let change = self.log.borrow_mut().change();
        // A line that is written now may be lost, so no failure is passed over.
        self.log.borrow_mut().mend(change.as_ref().map_or(Change::None, |change| *change))?;
        let lost = self.log.borrow_mut().take_lost();
        let kept = match (lost, change) {
            (Lost::Nothing, Ok(Change::Renamed)) => self.follow(now),
            (Lost::Nothing, Ok(_)) => self.renew(now),
            (Lost::Nothing, Err(error)) => Err(error.into()),
            _ => self.begin_again(lost, now),
        };
        self.kept(kept, now)
    }

    /// A header that fails is tried again later, unless the log itself takes nothing more: its side file may be on another
    /// disk.
    fn kept(&mut self, kept: Result<(), Fault>, now: Instant) -> Result<(), Fault> {
        match kept {
            Ok(()) => self.pause = None,
            Err(fault) if fault.is_full() && self.log.borrow_mut().flush().is_err() => return Err(fault),
            Err(fault) => {
                self.log.borrow_mut().stay();
                self.note(fault, now);
            }
        }
        Ok(())
    }

    /// Tells whether all of it succeeded.
    pub fn finish(self) -> Result<(), Fault> {
        self.first_failure.map_or(Ok(()), |fault| Err(fault.within("could not begin a new session on time")))
    }

    fn renew(&mut self, now: Instant) -> Result<(), Fault> {
        if self.copied {
            self.sealer.restored(now)?;
            self.copied = false;
        }
        if self.requested {
            self.rotate(now)?;
        }
        if self.log.borrow().header_is_due(now) { self.repeat() } else { Ok(()) }
    }

    /// The content is gone; the header is there again, and a file of its own name has a session of its own.
    fn begin_again(&mut self, lost: Lost, now: Instant) -> Result<(), Fault> {
        self.requested |= lost == Lost::Removed || self.log.borrow().has_name();
        self.log.borrow_mut().flush()?;
        if self.requested { self.rotate(now) } else { Ok(()) }
    }

    fn follow(&mut self, now: Instant) -> Result<(), Fault> {
        self.log.borrow_mut().leave(true)?;
        self.requested = true;
        self.rotate(now)
    }

    /// It stays asked for until it succeeds.
    fn rotate(&mut self, now: Instant) -> Result<(), Fault> {
        self.sealer.rotate(now)?;
        self.requested = false;
        let mut log = self.log.borrow_mut();
        log.arrive();
        Ok(log.flush()?)
    }

    fn repeat(&self) -> Result<(), Fault> {
        self.log.borrow_mut().expect(Reason::Repeated);
        let repeated = self.sealer.repeat_header();
        self.log.borrow_mut().expect(Reason::NewSession);
        Ok(repeated?)
    }

    fn note(&mut self, fault: Fault, now: Instant) {
        if self.pause.is_none() {
            let hint = fault
                .hints
                .first()
                .map_or("sealmark retries every second; fix the cause meanwhile", String::as_str);
            say::warning(
                &format!("cannot begin a new session, so the log continues in the old one: {fault}"),
                hint,
            );
        }
        self.pause = Some(now + PAUSE);
        self.first_failure.get_or_insert(fault);
    }
}

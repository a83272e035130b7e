//! Several logs read one after the other, as they were rolled over.

use super::batches::{Batch, Behind, Buffer, Cutter};
use super::compressed::{Compressed, fault_of, plain, reader};
use super::follow::Followed;
use super::wanted::Wanted;
use crate::fault::Fault;
use crate::target::Source;
use sealmark::record::LogOpener;
use std::io::Read;
use std::sync::Arc;

/// The logs that a verb reads, oldest first, and what is learned from their headers on the way.
pub struct Input {
    pub sources: Vec<Source>,
    /// Wait for more at the end of the last one.
    pub follow: bool,
    pub opener: LogOpener,
    /// Tells where it is asked whose lines are wanted.
    pub wanted: Arc<Wanted>,
}

impl Input {
    /// Hands over all there is, in order. Damage is handed over in its place, and the next log goes on; `hand` tells
    /// whether anybody still wants more.
    pub fn read(mut self, mut spare: impl FnMut() -> Buffer, mut hand: impl FnMut(Item) -> bool) {
        let last = self.sources.len() - 1;
        for (input, source) in std::mem::take(&mut self.sources).into_iter().enumerate() {
            let opened = if self.follow && input == last {
                followed(&source)
            } else {
                reader(&source).map_err(Fault::from)
            };
            let read = opened.and_then(|(compressed, mut reader)| {
                let mut next = Behind::default();
                let mut cutter = Cutter::new(&mut *reader);
                let mut read = || cutter.next(spare()).map_err(|error| fault_of(error, compressed));
                while let Some((kind, text)) = read()? {
                    self.opener.learn(text.text());
                    let sessions = self.opener.sessions();
                    let behind = next;
                    self.wanted.go_over(&mut next, text.text(), &sessions);
                    if !hand(Ok(Batch { kind, text, sessions, input, behind })) {
                        return Ok(false);
                    }
                }
                Ok(true)
            });
            let go_on = match read {
                Ok(wanted) => wanted,
                Err(fault) => hand(Err(named(fault, &source))),
            };
            if !go_on {
                return;
            }
        }
    }
}

fn named(fault: Fault, source: &Source) -> Fault {
    match source {
        Source::Path(path) => fault.about(path),
        _ => fault,
    }
}

pub type Item = Result<Batch, Fault>;

fn followed(source: &Source) -> Result<(Compressed, Box<dyn Read + Send>), Fault> {
    let Source::Path(path) = source else {
        return Err(Fault::usage("--follow needs a file name, not standard input").hint("name the file"));
    };
    match plain(Box::new(Followed::new(path)?))? {
        (Compressed::Not, reader) => Ok((Compressed::Not, reader)),
        _ => Err(Fault::usage("--follow cannot be used on a compressed log").hint("leave out --follow")),
    }
}

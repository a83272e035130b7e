//! The work that `lanes` hands to threads, and what comes back.

use super::batches::Batch;
use crate::fault::{Exit, Fault};
use sealmark::record::SessionId;
use std::collections::BTreeSet;

/// The work on a batch, apart from the others. Long lines come in pieces, which have no findings.
pub trait Work: Clone + Send + 'static {
    type Found: Send + 'static;
    /// Appends what is to be written.
    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Self::Found;
    /// The sessions whose header a batch lacked.
    fn orphaned(found: &Self::Found) -> &BTreeSet<SessionId>;
    /// True where the next input is read where one fails like that: damage is a log's own.
    fn goes_on(fault: &Fault) -> bool {
        fault.exit == Exit::Damaged
    }
}

/// A batch and what was found in it.
pub struct Done<F> {
    pub batch: Batch,
    /// May hold what was sealed, so it is wiped once it was taken.
    pub out: Vec<u8>,
    pub found: F,
}

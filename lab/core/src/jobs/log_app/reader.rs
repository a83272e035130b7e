//! Who may open the sealed log: a key that lives as long as one size is measured.

use crate::trouble::{Result, because};
use sealmark::record::{LogKeys, LogOpener};
use sealmark::{Identity, Kem};
use std::path::Path;

/// The name of the file with the public key, in an engine's directory.
const FILE: &str = "recipient";

/// The private key of the sealed logs. Engines get the public one alone.
pub struct Reader(Identity);

impl Reader {
    /// Of the kind that every JDK has by itself.
    pub fn new() -> Result<Self> {
        Identity::generate(Kem::X25519).map(Self).map_err(|error| because("cannot make a key", error))
    }

    /// Leaves the public key with an engine.
    pub fn place(&self, directory: &Path) -> Result<()> {
        std::fs::write(directory.join(FILE), format!("{}\n", self.0.recipient()))
            .map_err(|error| because("cannot place a public key", error))
    }

    /// A whole log, opened; every token in it must open.
    pub fn open(&self, log: &[u8]) -> std::result::Result<Vec<u8>, String> {
        let mut opened = Vec::with_capacity(log.len());
        let mut opener = LogOpener::new(LogKeys::identities(vec![self.0.clone()]));
        let report = opener.open(log, &mut opened);
        let closed = report.orphans + report.no_key + report.tampered + report.not_text;
        match (closed, report.opened) {
            (0, 0) => Err("the log holds no token".into()),
            (0, _) => Ok(opened),
            (some, opened) => Err(format!("{some} tokens of {} do not open", opened + some)),
        }
    }
}

//! The reader of the sealed log: a key that lives as long as the lab's process.

use crate::trouble::{Result, Trouble, because};
use sealmark::record::{LogKeys, LogOpener};
use sealmark::{Identity, Kem};
use std::path::Path;
use std::sync::LazyLock;

/// The name of the file with the public key, in an engine's directory.
const FILE: &str = "recipient";

/// The private key of the sealed logs, of the kind that every JDK has by itself. Engines get the public one alone.
static KEY: LazyLock<std::result::Result<Identity, String>> =
    LazyLock::new(|| Identity::generate(Kem::X25519).map_err(|error| format!("cannot make a key: {error}")));

/// Leaves the public key with an engine.
pub fn place(directory: &Path) -> Result<()> {
    let key = KEY.as_ref().map_err(Trouble::new)?;
    std::fs::write(directory.join(FILE), format!("{}\n", key.recipient()))
        .map_err(|error| because("cannot place a public key", error))
}

/// A whole log, opened; every token in it must open.
pub fn open(log: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut opened = Vec::with_capacity(log.len());
    let mut opener = LogOpener::new(LogKeys::identities(vec![KEY.clone()?]));
    let report = opener.open(log, &mut opened);
    let closed = report.orphans + report.no_key + report.tampered + report.not_text;
    match (closed, report.opened) {
        (0, 0) => Err("the log contains no token".into()),
        (0, _) => Ok(opened),
        (some, opened) => Err(format!("{some} tokens of {} do not open", opened + some)),
    }
}

//! The certificates of servers: made for each run, in its scratch directory, and gone with it.

use crate::programs::{self, RUST};
use crate::tls::{CREDENTIALS, Certificate, Way};
use crate::trouble::{Result, Trouble, because};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory with keys and certificates of several kinds.
pub struct Credentials {
    directory: PathBuf,
}

impl Credentials {
    /// Makes what those algorithms need, by the engine that can make all of them.
    pub fn make<'a>(directory: PathBuf, algorithms: impl Iterator<Item = &'a str>) -> Result<Self> {
        let needed = algorithms.filter_map(|algorithm| Some((certificate_of(algorithm)?, algorithm)));
        let needed: BTreeMap<Certificate, &str> = needed.collect();
        let credentials = Self { directory };
        needed
            .into_iter()
            .try_for_each(|(certificate, algorithm)| credentials.write(certificate, algorithm))?;
        Ok(credentials)
    }

    /// Copies what a server of that algorithm shows, if it shows anything, into the directory of its engine.
    pub fn place(&self, algorithm: &str, engine: &Path) -> Result<()> {
        let Some(certificate) = certificate_of(algorithm) else { return Ok(()) };
        let from = self.directory.join(certificate.name());
        CREDENTIALS
            .iter()
            .try_for_each(|name| std::fs::copy(from.join(name), engine.join(name)).map(drop))
            .map_err(|error| because("cannot place a certificate", error))
    }

    fn write(&self, certificate: Certificate, algorithm: &str) -> Result<()> {
        let name = certificate.name();
        let directory = self.directory.join(name);
        std::fs::create_dir_all(&directory).map_err(|error| because("cannot write a certificate", error))?;
        let Some(program) = programs::find(RUST) else {
            return Err(Trouble::new(format!(
                "the program \"{RUST}\", which makes certificates, is not beside this one"
            ))
            .hint("cd lab && cargo build --release"));
        };
        let made = Command::new(program).args(["certificate", algorithm]).arg(&directory).output();
        let made = made.map_err(|error| because(format!("cannot make a {name} certificate"), error))?;
        if made.status.success() {
            return Ok(());
        }
        let why = String::from_utf8_lossy(&made.stderr);
        let why = why.strip_prefix("error: ").unwrap_or(&why).lines().next().unwrap_or_default();
        Err(Trouble::new(format!("cannot make a {name} certificate: {why}")))
    }
}

fn certificate_of(algorithm: &str) -> Option<Certificate> {
    Way::parse(algorithm).map(|way| way.certificate).filter(|certificate| *certificate != Certificate::None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn the_yardstick_needs_none() {
        let directory = tempfile::tempdir().unwrap();
        let credentials = Credentials::make(directory.path().join("all"), ["none"].into_iter()).unwrap();
        credentials.place("none", directory.path()).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

//! The readers of a log, as they were typed.

use crate::args::To;
use crate::fault::Fault;
use crate::keys;
use crate::stdio::is_dash;
use sealmark::Recipient;
use sealmark::record::{PreSharedKey, Readers};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The holders of these keys, or of the pre-shared one in the file that `flag` names.
pub fn readers(to: &To, flag: &str, file: Option<&PathBuf>) -> Result<Readers, Fault> {
    KeyFiles::read(to, file)?.readers(to, flag, file)
}

/// The keys of each key file, kept because a pipe cannot be read twice.
#[derive(Clone, Default)]
pub struct KeyFiles {
    recipients: HashMap<PathBuf, Vec<Recipient>>,
    shared: HashMap<PathBuf, PreSharedKey>,
}

impl KeyFiles {
    pub fn read(to: &To, file: Option<&PathBuf>) -> Result<Self, Fault> {
        Self::default().completed(to, file)
    }

    /// Reads again what is not in `kept`.
    pub fn again(&self, to: &To, file: Option<&PathBuf>, kept: &[PathBuf]) -> Result<Self, Fault> {
        let mut known = self.clone();
        known.recipients.retain(|path, _| kept.contains(path));
        known.shared.retain(|path, _| kept.contains(path));
        let new = to.recipients_files.iter().filter(|path| !known.recipients.contains_key(*path));
        let mut new = new.chain(file.filter(|path| !known.shared.contains_key(*path)));
        if let Some(path) = new.find(|path| is_stream(path)) {
            // A writer of it may never come, and the log would wait.
            return Err(Fault::usage(format!("{path:?} is a pipe, which can be read only at the start"))
                .named()
                .hint("restart the sealer to read it again"));
        }
        known.completed(to, file)
    }

    fn completed(mut self, to: &To, file: Option<&PathBuf>) -> Result<Self, Fault> {
        for path in &to.recipients_files {
            if !self.recipients.contains_key(path) {
                self.recipients.insert(path.clone(), keys::recipients_in(path)?);
            }
        }
        if let Some(path) = file.filter(|path| !self.shared.contains_key(*path)) {
            self.shared.insert(path.clone(), shared_in(path)?);
        }
        Ok(self)
    }

    /// The readers that `to` and `file` name, whose files were read.
    pub fn readers(&self, to: &To, flag: &str, file: Option<&PathBuf>) -> Result<Readers, Fault> {
        match file {
            Some(path) => Ok(Readers::pre_shared(self.shared[path].clone())),
            None if to.names_someone() => {
                let known = |path: &Path| Ok(self.recipients[path].clone());
                let wrap_for = if to.allow_mixed { Readers::mixed_recipients } else { Readers::recipients };
                Ok(wrap_for(&keys::recipients_with(to, known)?)?)
            }
            None => Err(Fault::usage("no recipient given")
                .hint(format!("add -r RECIPIENT or -R FILE, or a pre-shared key with {flag} FILE"))),
        }
    }
}

/// Standard input and pipes are read once: whoever wrote to them may be gone.
pub fn is_stream(path: &Path) -> bool {
    is_dash(path) || path.metadata().is_ok_and(|meta| !meta.is_file())
}

fn shared_in(path: &Path) -> Result<PreSharedKey, Fault> {
    match &keys::pre_shared_of(path)?[..] {
        [key] => Ok(key.clone()),
        _ => Err(Fault::usage(format!("pre-shared key file {path:?} contains several keys"))
            .hint("keep the key to seal with in a file of its own; `log open` takes several")),
    }
}

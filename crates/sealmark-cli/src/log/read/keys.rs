//! The keys that logs are opened with, as they were typed.

use super::batches::{Buffer, Cutter};
use super::compressed::{fault_of, reader};
use crate::fault::Fault;
use crate::log::args_read::LogWith;
use crate::secret::Asker;
use crate::target::{self, Source};
use crate::{keys, say};
use sealmark::record::{LogKeys, LogOpener};
use std::path::{Path, PathBuf};

/// Before anything is read: keys are named, and standard input has one reader.
pub fn check(with: &LogWith, inputs: &[PathBuf], more_keys: &[PathBuf]) -> Result<(), Fault> {
    let passphrase = with.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(inputs, &[&with.identities, &with.psk, more_keys], &[passphrase])?;
    if with.identities.is_empty() && with.psk.is_empty() {
        Err(Fault::usage("no key given to open the log")
            .hint("pass the file that contains your secret key with -i, or a pre-shared key with --psk"))
    } else {
        Ok(())
    }
}

/// Has the keys, and has learned the side files.
pub fn opener(with: &LogWith) -> Result<LogOpener, Fault> {
    let asker = Asker::new(&with.source);
    let (mut identities, mut pre_shared) = (Vec::new(), Vec::new());
    for file in &with.identities {
        identities.extend(keys::identities_of(file, &asker)?);
    }
    for file in &with.psk {
        pre_shared.extend(keys::pre_shared_of(file)?);
    }
    let mut opener = LogOpener::new(LogKeys::identities(identities).and_pre_shared(pre_shared));
    for path in &with.side_files {
        learn(path, &mut opener).map_err(|fault| fault.within(&format!("side file {path:?}")))?;
    }
    Ok(opener)
}

fn learn(path: &Path, opener: &mut LogOpener) -> Result<(), Fault> {
    let (compressed, mut reader) = reader(&Source::Path(path.to_owned()))?;
    let (mut cutter, mut spare, mut parts) = (Cutter::new(&mut *reader), Buffer::default(), 0);
    while let Some((_, text)) = cutter.next(spare).map_err(|error| fault_of(error, compressed))? {
        parts += opener.learn(text.text());
        spare = text.reused();
    }
    if parts == 0 {
        say::warning(
            &format!("side file {path:?} contains no session header"),
            "pass the file that `sealmark log seal --side-file` wrote, or another file of the same log",
        );
    }
    Ok(())
}

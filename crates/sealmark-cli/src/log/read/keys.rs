//! What logs are opened with, as it was typed.

use crate::fault::Fault;
use crate::keys;
use crate::log::args_read::LogWith;
use crate::log::lines::{self, Lines, Piece};
use crate::secret::Asker;
use crate::target;
use sealmark::record::{LogKeys, LogOpener};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What a side file is read in; its lines are short.
const SIDE_LINE: usize = 1 << 16;

/// Before anything is read: keys are named, and standard input has one reader.
pub fn check(with: &LogWith, inputs: &[PathBuf], more_keys: &[PathBuf]) -> Result<(), Fault> {
    let passphrase = with.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(inputs, &[&with.identities, &with.psk, more_keys], &[passphrase])?;
    match with.identities.is_empty() && with.psk.is_empty() {
        true => Err(Fault::usage("no key is named that opens the log")
            .hint("name the file that holds your secret key with -i, or a pre-shared key with --psk")),
        false => Ok(()),
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
        let mut read =
            |path: &Path| lines::each(&mut File::open(path)?, SIDE_LINE, &mut Learning(&mut opener));
        read(path).map_err(|error| Fault::from(error).within(&format!("side file {path:?}")))?;
    }
    Ok(opener)
}

struct Learning<'a>(&'a mut LogOpener);

impl Lines for Learning<'_> {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
        if let Piece::Line { content, .. } = piece {
            self.0.learn(content);
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }
}

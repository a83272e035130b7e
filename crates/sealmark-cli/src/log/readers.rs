//! Who shall read a log, as it was typed.

use crate::args::To;
use crate::fault::Fault;
use crate::keys;
use sealmark::record::Readers;
use std::path::PathBuf;

/// The holders of these keys, or of the pre-shared one in the file that `flag` names.
pub fn readers(to: &To, flag: &str, file: Option<&PathBuf>) -> Result<Readers, Fault> {
    match file {
        Some(file) => match &keys::pre_shared_of(file)?[..] {
            [key] => Ok(Readers::pre_shared(key.clone())),
            _ => Err(Fault::usage(format!("pre-shared key file {file:?} holds several keys"))
                .hint("a log is sealed with one; `log open` takes all of them")),
        },
        None if to.names_someone() => Ok(Readers::recipients(&keys::recipients(to)?, to.mixing())?),
        None => Err(Fault::usage("no recipient given")
            .hint(format!("add -r RECIPIENT or -R FILE, or a pre-shared key with {flag} FILE"))),
    }
}

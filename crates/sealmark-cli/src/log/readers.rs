//! Who shall read a log, as it was typed.

use super::args::LogTo;
use crate::args::To;
use crate::fault::Fault;
use crate::keys;
use sealmark::record::Readers;

pub fn readers(to: &LogTo) -> Result<Readers, Fault> {
    if let Some(file) = &to.psk {
        return match &keys::pre_shared_of(file)?[..] {
            [key] => Ok(Readers::pre_shared(key.clone())),
            _ => Err(Fault::usage(format!("pre-shared key file {file:?} holds several keys"))
                .hint("a log is sealed with one; `log open` takes all of them")),
        };
    }
    let to = To {
        recipients: to.recipients.clone(),
        recipients_files: to.recipients_files.clone(),
        passphrase: false,
        allow_mixed: to.allow_mixed,
    };
    if !to.names_someone() {
        return Err(Fault::usage("nobody is named who can open the log")
            .hint("name one with -r RECIPIENT or -R FILE, or a pre-shared key with --psk FILE"));
    }
    Ok(Readers::recipients(&keys::recipients(&to)?, to.mixing())?)
}

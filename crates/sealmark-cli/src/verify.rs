//! `sealmark verify`: everything authenticated, nothing written.

use crate::args::Verify;
use crate::fault::{Exit, Fault};
use crate::keys::{self, Keys};
use crate::progress;
use crate::stdio;
use crate::target::{self, Source, Verb};
use sealmark::OpenWith;

pub fn run(args: &Verify) -> Result<Exit, Fault> {
    let passphrase = args.with.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(&args.inputs, &[&args.with.identities], &[passphrase])?;
    keys::are_there(keys::SECRET, &args.with.identities)?;
    target::refuse_passphrase_in_clear(&args.inputs, "--passphrase-file")?;
    let keys = || Keys::of(&args.with, &args.inputs);
    target::round(target::sources(&args.inputs), Verb::Verify, keys, |keys, source| {
        keys.with(|with| verify(source, with, args))
    })
}

fn verify(source: &Source, with: &OpenWith, args: &Verify) -> Result<(), Fault> {
    let summary = progress::watched(source.name(), false, |job| {
        let job = job.threads(args.work.threads);
        Ok::<_, Fault>(sealmark::verify_input(&source.input()?, with, &job)?)
    })?;
    stdio::result(&format!("{:?}: whole and unaltered, {} bytes\n", source.name(), summary.output))
}

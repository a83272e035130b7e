//! `sealmark verify`: everything authenticated, nothing written.

use crate::args::Verify;
use crate::fault::{Exit, Fault};
use crate::keys::Keys;
use crate::target::{self, Source};
use crate::{progress, say};
use sealmark::{Existing, Job, OpenWith};

pub fn run(args: &Verify) -> Result<Exit, Fault> {
    let passphrase = args.with.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(&args.inputs, &[&args.with.identities], &[passphrase])?;
    let plan = target::sources(&args.inputs);
    if !target::any_ready(&plan) {
        return Ok(target::round(plan, "verified", |_| Ok(())));
    }
    let keys = Keys::of(&args.with, &args.inputs)?;
    Ok(target::round(plan, "verified", |source| keys.with(|with| verify(source, with, args))))
}

fn verify(source: &Source, with: &OpenWith, args: &Verify) -> Result<(), Fault> {
    let summary = progress::watched(source.name(), false, |progress| {
        let job = Job { threads: args.work.threads, existing: Existing::Keep, progress };
        match source.typed()? {
            Some(typed) => sealmark::verify_stream(&typed[..], with, &job).map_err(Fault::from),
            None => Ok(sealmark::verify_input(&source.input()?, with, &job)?),
        }
    })?;
    say::result(&format!("{:?}: whole and unaltered, {} bytes\n", source.name(), summary.output))
}

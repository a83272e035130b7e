//! `sealmark verify`: everything authenticated, nothing written.

use crate::args::Verify;
use crate::fault::{Exit, Fault};
use crate::keys::{self, Keys};
use crate::sign::{self, Senders};
use crate::target::{self, Source, Verb};
use crate::{gcm, progress, stdio};
use sealmark::{OpenWith, Summary};

pub fn run(args: &Verify) -> Result<Exit, Fault> {
    if args.gcm.gcm {
        gcm::check(&args.gcm, &args.inputs)?;
        return target::round(
            target::sources(&args.inputs, Source::new),
            Verb::Verify,
            || gcm::key(&args.gcm),
            |key, source| tell(source, gcm::verify(source, key, args)?, None),
        );
    }
    if let Some(signature) = &args.detached {
        return sign::verify_beside(args, signature);
    }
    let passphrase = args.with.source.passphrase_file.as_slice();
    let inputs = args.elsewhere.inputs(&args.inputs);
    let from = args.sender.from.as_slice();
    target::one_reader_of_stdin(&inputs, &[&args.with.identities, from], &[passphrase])?;
    keys::are_there(keys::SECRET, &args.with.identities)?;
    keys::are_there(sign::SENDERS, from)?;
    target::refuse_passphrase_in_clear(&args.inputs, "--passphrase-file")?;
    let keys = || Ok((Keys::of(&args.with, &inputs)?, Senders::of(&args.sender)?));
    let sources = target::sources(&inputs, |input| Source::of(input, &args.elsewhere));
    target::round(sources, Verb::Verify, keys, |(keys, senders), source| {
        let verified =
            keys.with(|with| verify(source, &sign::demand(senders.as_ref(), with, &args.sender), args));
        tell(source, verified.map_err(|fault| source.explained(fault))?, senders.as_ref())
    })
}

fn verify(source: &Source, with: &OpenWith, args: &Verify) -> Result<Summary, Fault> {
    progress::watched(source.name(), false, |job| {
        let job = job.threads(args.work.threads);
        Ok(sealmark::verify_input(&source.input()?, with, &job)?)
    })
}

fn tell(source: &Source, summary: Summary, senders: Option<&Senders>) -> Result<(), Fault> {
    let signed = sign::words(senders, summary.signed);
    stdio::result(&format!("{:?}: whole and unaltered, {} bytes{signed}\n", source.name(), summary.output))
}

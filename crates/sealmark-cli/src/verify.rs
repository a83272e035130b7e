//! `sealmark verify`: everything authenticated, nothing written.

use crate::args::Verify;
use crate::fault::{Exit, Fault};
use crate::keys::{self, Keys};
use crate::stdio;
use crate::target::{self, Source, Verb};
use crate::{gcm, progress};
use sealmark::{OpenWith, Summary};

pub fn run(args: &Verify) -> Result<Exit, Fault> {
    if args.gcm.gcm {
        gcm::check(&args.gcm, &args.inputs)?;
        return target::round(
            target::sources(&args.inputs, Source::new),
            Verb::Verify,
            || gcm::key(&args.gcm),
            |key, source| tell(source, gcm::verify(source, key, args)?),
        );
    }
    let passphrase = args.with.source.passphrase_file.as_slice();
    let inputs = args.elsewhere.inputs(&args.inputs);
    target::one_reader_of_stdin(&inputs, &[&args.with.identities], &[passphrase])?;
    keys::are_there(keys::SECRET, &args.with.identities)?;
    target::refuse_passphrase_in_clear(&args.inputs, "--passphrase-file")?;
    let keys = || Keys::of(&args.with, &inputs);
    let sources = target::sources(&inputs, |input| Source::of(input, &args.elsewhere));
    target::round(sources, Verb::Verify, keys, |keys, source| {
        let verified = keys.with(|with| verify(source, with, args));
        tell(source, verified.map_err(|fault| source.explained(fault))?)
    })
}

fn verify(source: &Source, with: &OpenWith, args: &Verify) -> Result<Summary, Fault> {
    progress::watched(source.name(), false, |job| {
        let job = job.threads(args.work.threads);
        Ok(sealmark::verify_input(&source.input()?, with, &job)?)
    })
}

fn tell(source: &Source, summary: Summary) -> Result<(), Fault> {
    stdio::result(&format!("{:?}: whole and unaltered, {} bytes\n", source.name(), summary.output))
}

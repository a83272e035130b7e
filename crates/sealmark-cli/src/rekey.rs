//! `sealmark rekey`: new recipients for files that are sealed already.

use crate::args::Rekey;
use crate::fault::{Exit, Fault};
use crate::keys::{self, BesideKeys, Keys};
use crate::secret::Asker;
use crate::target::{self, Planned, Source, Target, Verb};
use crate::{progress, say, stdio};
use sealmark::{Existing, Format, OpenWith, Passphrase, Recipient, SealTo};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub fn run(args: &Rekey) -> Result<Exit, Fault> {
    args.to.check(args.passphrase, args.new_passphrase_file.is_some())?;
    let passphrases = [args.with.source.passphrase_file.as_slice(), args.new_passphrase_file.as_slice()];
    target::one_reader_of_stdin(
        &args.inputs,
        &[&args.with.identities, &args.to.recipients_files],
        &passphrases,
    )?;
    keys::are_there(keys::SECRET, &args.with.identities)?;
    keys::are_there(keys::PUBLIC, &args.to.recipients_files)?;
    target::refuse_passphrase_in_clear(&args.inputs, "--new-passphrase-file")?;
    let plan = plan(args)?;
    let keys = || {
        let beside = BesideKeys::Refuse { hint: "give it with --passphrase-file FILE" };
        Ok((Keys::load(&args.with.identities, Asker::new(&args.with.source), beside)?, NewKeys::from(args)?))
    };
    target::round(plan, Verb::Rekey, keys, |(keys, new), files| {
        keys.with(|with| rekey(files, with, new, args))
    })
}

/// A file and where its re-keyed form goes: the same place unless -o says otherwise.
struct Files {
    input: PathBuf,
    output: PathBuf,
    existing: Existing,
}

fn plan(args: &Rekey) -> Result<Vec<Planned<Files>>, Fault> {
    if args.output.is_some() && args.inputs.len() > 1 {
        return Err(Fault::usage("-o names one output, but there are several inputs")
            .hint("leave out -o to re-key every file in place"));
    }
    Ok(args.inputs.iter().map(|input| Planned { input: input.clone(), task: files(input, args) }).collect())
}

fn files(input: &Path, args: &Rekey) -> Result<Files, Fault> {
    let source = Source::new(input)?;
    let Source::Path(input) = &source else { return Err(not_a_file()) };
    if !input.metadata()?.is_file() {
        return Err(not_a_file());
    }
    match &args.output {
        None => Ok(Files { input: input.clone(), output: input.clone(), existing: Existing::Replace }),
        Some(output) => match Target::new(output, args.force, &source)? {
            Target::Path(output) if !stdio::is_dash(&output) => {
                let existing = if args.force { Existing::Replace } else { Existing::Refuse };
                Ok(Files { input: input.clone(), output, existing })
            }
            _ => Err(not_a_file()),
        },
    }
}

fn not_a_file() -> Fault {
    Fault::usage("re-keying works on files, not on streams").hint("save the stream in a file first")
}

enum NewKeys {
    Passphrase(Passphrase),
    Recipients(Vec<Recipient>),
}

impl NewKeys {
    fn from(args: &Rekey) -> Result<Self, Fault> {
        if args.passphrase {
            let asker = Asker::for_rekeying(args.new_passphrase_file.as_ref());
            Ok(Self::Passphrase(asker.for_sealing()?))
        } else {
            keys::recipients(&args.to).map(Self::Recipients)
        }
    }

    /// Format and armor stay those of the file.
    fn seal_to(&self, format: Format, armored: bool, args: &Rekey) -> Result<SealTo, Fault> {
        let to = match self {
            Self::Passphrase(passphrase) => SealTo::passphrase(format, passphrase.clone()),
            Self::Recipients(recipients) => keys::seal_to(format, recipients, &args.to)?,
        };
        Ok(if armored { to.armored() } else { to })
    }
}

fn rekey(files: &Files, with: &OpenWith, new: &NewKeys, args: &Rekey) -> Result<(), Fault> {
    let now = sealmark::inspect_file(&files.input)?;
    let to = new.seal_to(now.format, now.armored, args)?;
    let links = if files.input == files.output { other_names(&files.input) } else { None };
    progress::watched(&files.input, false, |job| {
        let job = job.threads(args.work.threads).existing(files.existing);
        if args.reencrypt {
            sealmark::reencrypt_file(&files.input, &files.output, with, &to, &job)
        } else {
            sealmark::rekey_file(&files.input, &files.output, with, &to, &job)
        }
        .map_err(|error| Fault::from(error).about_output(&files.output))
    })?;
    if let Some(file_number) = links {
        say::warning(
            &format!("{:?} has other names (hard links) that keep the old recipients", files.input),
            &format!("find / -xdev -inum {file_number}"),
        );
    }
    Ok(())
}

/// The file number under which they are found, as long as there are other names.
fn other_names(path: &Path) -> Option<u64> {
    path.metadata().ok().filter(|file| file.nlink() > 1).map(|file| file.ino())
}

//! `sealmark seal`: files and streams to recipients or a passphrase.

use crate::args::Seal;
use crate::fault::{Exit, Fault};
use crate::secret::Asker;
use crate::target::{self, Planned, Source, Target, Task, Verb};
use crate::{folder, keys, progress, say, sign, stdio};
use sealmark::{Error, Format, KeyMisuse, SealTo};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub fn run(args: &Seal) -> Result<Exit, Fault> {
    if let (true, Some(key)) = (args.detached, &args.sign) {
        return sign::seal_detached(args, key);
    }
    match (&args.sign, args.passphrase, args.age) {
        (Some(_), true, _) => return Err(Error::from(KeyMisuse::SignedPassphrase).into()),
        (Some(_), _, true) => return Err(Error::from(KeyMisuse::SignedAge).into()),
        _ => {}
    }
    // The passphrase may be that of the signing key.
    args.to.check(args.passphrase, args.source.is_given() && args.sign.is_none())?;
    let passphrase = args.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(
        &args.inputs,
        &[&args.to.recipients_files, args.sign.as_slice()],
        &[passphrase],
    )?;
    keys::are_there(keys::PUBLIC, &args.to.recipients_files)?;
    keys::are_there(keys::SECRET, args.sign.as_slice())?;
    let mut plan =
        target::plan(&args.inputs, &args.out, Source::file_or_folder, |input| sealed_name(input, args.age))?;
    hint_at_output(&mut plan, args);
    target::round(plan, Verb::Seal, || seal_to(args), |to, task| seal(task, to, args))
}

/// Other programs take the output as the last of two names.
fn hint_at_output(plan: &mut [Planned<Task>], args: &Seal) {
    if let [Planned { input, task: Ok(_) }, last] = plan
        && let Err(fault) = &mut last.task
        && args.out.output.is_none()
        && last.input.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
    {
        fault.hints = vec![format!("to name the output, write {input:?} -o {:?}", last.input)];
    }
}

fn sealed_name(input: &Path, age: bool) -> Result<PathBuf, Fault> {
    let mut name = input.as_os_str().to_owned();
    if input.is_dir() {
        let no_name =
            || Fault::usage("the folder has no name, so the output has none").hint("name the output with -o");
        let last = input.file_name().ok_or_else(no_name)?;
        // Without a slash at its end.
        name = input.with_file_name(last).into();
        name.push(".tar");
    }
    name.push(if age { ".age" } else { ".sealed" });
    Ok(name.into())
}

fn seal_to(args: &Seal) -> Result<SealTo, Fault> {
    let format = if args.age { Format::Age } else { Format::Sealmark };
    let to = if args.passphrase {
        SealTo::passphrase(format, Asker::new(&args.source).for_sealing()?)
    } else {
        keys::seal_to(format, &keys::recipients(&args.to)?, &args.to)?
    };
    let to = match &args.sign {
        Some(key) => to.signed_by(sign::key_of(key, &args.source)?)?,
        None => to,
    };
    Ok(if args.armor { to.armored() } else { to })
}

fn seal(task: &Task, to: &SealTo, args: &Seal) -> Result<(), Fault> {
    if task.target.is_unforced_terminal() && !args.armor {
        return Err(stdio::binary_refused().hint("write text with -a"));
    }
    progress::watched(task.source.name(), task.target.is_terminal(), |job| {
        let job = job.threads(args.work.threads).existing(args.out.existing());
        let (source, target, existing) = (&task.source, &task.target, args.out.existing());
        if args.xattrs && source.folder().is_none() {
            return Err(Fault::usage("only folders are sealed with extended attributes")
                .hint("leave out --xattrs, or name the folder that the file is in"));
        }
        if let Some(path) = source.folder() {
            if args.armor {
                return Err(Fault::usage("an archive in armor could be neither verified nor listed")
                    .hint("leave out -a, or make one file of it: tar c DIR | sealmark seal -a"));
            }
            let output = target.output(existing)?;
            let sealed =
                folder::seal::seal(path, args.xattrs, output, target.file(), to, &job, args.work.threads);
            return match sealed.map_err(|fault| target.named(fault))? {
                Some(fault) if !args.ignore_failed_read => Err(fault),
                Some(fault) => {
                    say::warning(&fault.about(path).message, "see the notes above");
                    Ok(())
                }
                None => Ok(()),
            };
        }
        let sealed = match (source, target) {
            (Source::Path(input), Target::Path(output)) => sealmark::seal_file(input, output, to, &job),
            _ => sealmark::seal_input(&source.input()?, target.output(existing)?, to, &job),
        };
        sealed.map(drop).map_err(|error| target.named(error.into()))
    })
}

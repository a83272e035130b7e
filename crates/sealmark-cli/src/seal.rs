//! `sealmark seal`: files and streams to recipients or a passphrase.

use crate::args::Seal;
use crate::fault::{Exit, Fault};
use crate::secret::Asker;
use crate::target::{self, Planned, Source, Target, Task, Verb};
use crate::{keys, progress, stdio};
use sealmark::{Format, SealTo};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub fn run(args: &Seal) -> Result<Exit, Fault> {
    args.to.check(args.passphrase, args.source.is_given())?;
    let passphrase = args.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(&args.inputs, &[&args.to.recipients_files], &[passphrase])?;
    keys::are_there(keys::PUBLIC, &args.to.recipients_files)?;
    let mut plan = target::plan(&args.inputs, &args.out, |input| Ok(sealed_name(input, args.age)))?;
    plan.iter_mut().for_each(|planned| hint_at_tar(planned, args));
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

/// A directory becomes one file before it is sealed; other verbs cannot do anything with one.
fn hint_at_tar(planned: &mut Planned<Task>, args: &Seal) {
    let input = &planned.input;
    if let Err(fault) = &mut planned.task
        && input.is_dir()
    {
        let name = input.file_name().unwrap_or("files".as_ref()).to_string_lossy();
        let name = sealed_name(Path::new(&format!("{name}.tar")), args.age);
        fault.hints = vec![format!("make one file of it: tar c {input:?} | sealmark seal … -o {name:?}")];
    }
}

fn sealed_name(input: &Path, age: bool) -> PathBuf {
    let mut name = input.as_os_str().to_owned();
    name.push(if age { ".age" } else { ".sealed" });
    name.into()
}

fn seal_to(args: &Seal) -> Result<SealTo, Fault> {
    let format = if args.age { Format::Age } else { Format::Sealmark };
    let to = if args.passphrase {
        SealTo::passphrase(format, Asker::new(&args.source).for_sealing()?)
    } else {
        keys::seal_to(format, &keys::recipients(&args.to)?, &args.to)?
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
        let sealed = match (source, target) {
            (Source::Path(input), Target::Path(output)) => sealmark::seal_file(input, output, to, &job),
            _ => sealmark::seal_input(&source.input()?, target.output(existing)?, to, &job),
        };
        sealed.map(drop).map_err(|error| target.named(error.into()))
    })
}

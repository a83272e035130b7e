//! `sealmark open`: sealed files and streams back to what they were, or a range of one.

use crate::args::{ByteRange, Open};
use crate::fault::{Exit, Fault};
use crate::folder::extract::{self, Extraction};
use crate::folder::place::Restored;
use crate::folder::select::Selection;
use crate::keys::{self, Keys};
use crate::sign::{self, Senders};
use crate::target::{self, Planned, Source, Target, Task, Verb};
use crate::{gcm, progress};
use sealmark::archive::Archive;
use sealmark::{Input, Job, OpenWith, RangeOpener, Signed};
use std::path::{Path, PathBuf};

pub fn run(args: &Open) -> Result<Exit, Fault> {
    if args.gcm.gcm {
        gcm::check(&args.gcm, &args.inputs)?;
        let (plan, key) = (gcm::plan(args)?, || gcm::key(&args.gcm));
        return target::round(plan, Verb::Open, key, |key, task| gcm::open(task, key, args));
    }
    let passphrase = args.with.source.passphrase_file.as_slice();
    let inputs = args.elsewhere.inputs(&args.inputs);
    let from = args.sender.from.as_slice();
    target::one_reader_of_stdin(&inputs, &[&args.with.identities, from], &[passphrase])?;
    keys::are_there(keys::SECRET, &args.with.identities)?;
    keys::are_there(sign::SENDERS, from)?;
    if let Some(into) = &args.into {
        return extract(args, &inputs, into);
    }
    let plan = plan(args, &inputs)?;
    let keys = || Ok((Keys::of(&args.with, &inputs)?, Senders::of(&args.sender)?));
    target::round(plan, Verb::Open, keys, |(keys, senders), task| {
        let opened = keys.with(|with| {
            let with = &sign::demand(senders.as_ref(), with, &args.sender);
            match args.range {
                Some(range) => open_range(task, range, with, args),
                None => open(task, with, args),
            }
        });
        let signed = opened.map_err(|fault| task.source.explained(fault))?;
        sign::tell(senders.as_ref(), task.source.name(), signed);
        Ok(())
    })
}

fn extract(args: &Open, inputs: &[PathBuf], into: &Path) -> Result<Exit, Fault> {
    target::refuse_passphrase_in_clear(&args.inputs, "--passphrase-file")?;
    // A pattern that is none is refused before a passphrase is asked for.
    Selection::new(&args.only)?;
    let keys = || Ok((Keys::of(&args.with, inputs)?, Senders::of(&args.sender)?));
    let sources = target::sources(inputs, |input| Source::of(input, &args.elsewhere));
    target::round(sources, Verb::Open, keys, |(keys, senders), source| {
        let (only, job) = (Selection::new(&args.only)?, Job::default().threads(args.work.threads));
        let restored = Restored { owners: args.owners, attributes: args.xattrs };
        let (links, existing) = (args.links, args.out.existing());
        let wanted = Extraction { into, only: &only, links, existing, restored };
        let extracted = keys.with(|with| {
            let with = sign::demand(senders.as_ref(), with, &args.sender);
            let archive = Archive::open(source.input()?, &with)?;
            // Before a fault, because files were written, and each was verified.
            sign::tell(senders.as_ref(), source.name(), archive.signed());
            extract::extract(&archive, &job, &wanted)
        });
        extracted.map_err(|fault| source.explained(fault))
    })
}

fn plan(args: &Open, inputs: &[PathBuf]) -> Result<Vec<Planned<Task>>, Fault> {
    if args.range.is_some() && inputs.len() > 1 {
        return Err(Fault::usage("--range opens one file, but there are several inputs")
            .hint("open the files one by one"));
    }
    // A part must not pass for the whole file, and a file elsewhere has no name here: their outputs get one only from the user.
    let to_stdout = args.range.is_some() || args.elsewhere.ranges.is_some();
    target::plan(
        inputs,
        &args.out,
        |input| Source::of(input, &args.elsewhere),
        |input| {
            if to_stdout { Ok("-".into()) } else { opened_name(input) }
        },
    )
}

fn opened_name(input: &Path) -> Result<PathBuf, Fault> {
    let ending = input.extension().is_some_and(|ending| ending == "sealed" || ending == "age");
    match ending {
        // A file named `-` is not standard output.
        true if input == Path::new("-.sealed") || input == Path::new("-.age") => Ok("./-".into()),
        true => Ok(input.with_extension("")),
        false => Err(Fault::usage("the name ends neither in .sealed nor in .age, so the output has no name")
            .hint("name the output with -o")
            .of_input()),
    }
}

fn open(task: &Task, with: &OpenWith, args: &Open) -> Result<Signed, Fault> {
    progress::watched(task.source.name(), task.target.is_terminal(), |job| {
        let job = job.threads(args.work.threads).existing(args.out.existing());
        let (source, target, existing) = (&task.source, &task.target, args.out.existing());
        let opened = match (source, target) {
            (Source::Path(input), Target::Path(output)) => sealmark::open_file(input, output, with, &job),
            _ => sealmark::open_input(&source.input()?, target.output_of_text(existing)?, with, &job),
        };
        opened.map(|summary| summary.signed).map_err(|error| target.named(error.into()))
    })
}

fn open_range(task: &Task, range: ByteRange, with: &OpenWith, args: &Open) -> Result<Signed, Fault> {
    let input = seekable(&task.source)?;
    let mut opener = RangeOpener::new(&input, with)?;
    let (length, start) = (opener.len(), range.start());
    if start > length {
        return Err(Fault::usage(format!("the range starts at {start}, but the content has {length} bytes"))
            .hint(format!("choose a start of at most {length}")));
    }
    let range = range.within(length);
    let mut output = task.target.output_of_text(args.out.existing())?;
    opener
        .read_range(range, &mut output)
        .and_then(|_| output.commit())
        .map_err(|error| task.target.named(error.into()))?;
    Ok(opener.signed())
}

fn seekable(source: &Source) -> Result<Input, Fault> {
    if !matches!(source, Source::Ranges(_)) && !source.metadata()?.is_file() {
        return Err(Fault::usage("--range needs a file, and the input is a stream")
            .hint("save the stream in a file first, or open all of it"));
    }
    source.input()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opened_file_loses_its_ending() {
        assert_eq!(opened_name(Path::new("a/b.tar.sealed")).ok(), Some("a/b.tar".into()));
        assert_eq!(opened_name(Path::new("b.age")).ok(), Some("b".into()));
        assert_eq!(opened_name(Path::new("-.age")).ok(), Some("./-".into()));
        for unnamed in ["b.tar", "sealed", ".sealed", "dir/.age", "b.sealed.txt"] {
            assert!(opened_name(Path::new(unnamed)).is_err(), "{unnamed} got a name");
        }
    }
}

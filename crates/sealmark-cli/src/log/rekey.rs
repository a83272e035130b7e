//! `sealmark log rekey`: new headers for the sessions of a log, tokens untouched.

use super::args::LogTo;
use super::args_read::LogRekey;
use super::read::{self, Buffer, Compressed, Cutter, keys, tell};
use super::readers;
use super::rewrite::Rewriting;
use crate::fault::{Exit, Fault};
use crate::say;
use crate::target::{self, Planned, Source, Target};
use sealmark::record::{LogOpener, Readers};
use sealmark::{Error, Existing, Misuse};
use std::fs::Metadata;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

pub fn run(args: &LogRekey) -> Result<Exit, Fault> {
    keys::check(&args.with, &args.inputs, &new_key_files(args))?;
    if new_key_files(args).is_empty() && args.to.recipients.is_empty() {
        return Err(Fault::usage("nobody is named who shall open the log from now on")
            .hint("name one with -r RECIPIENT or -R FILE, or a pre-shared key with --psk-to FILE"));
    }
    if args.output.is_some() && args.inputs.len() > 1 {
        return Err(Fault::usage("-o names one output, but there are several inputs")
            .hint("leave out -o to re-key every log in place"));
    }
    let plan =
        target::sources(&args.inputs).into_iter().map(|planned| files(planned, args)).collect::<Vec<_>>();
    if !target::any_ready(&plan) {
        return Ok(target::round(plan, "re-keyed", |_| Ok(())));
    }
    let readers = readers(args)?;
    let mut opener = keys::opener(&args.with)?;
    let mut left = 0;
    let exit = target::round(plan, "re-keyed", |files| {
        left += rekey(files, &mut opener, &readers)?;
        Ok(())
    });
    match left {
        0 => Ok(exit),
        _ => {
            say::warning(
                &format!(
                    "left as they were: {}, whose header is missing or fits none of the keys",
                    tell::many(left as u64, "session")
                ),
                "name another key with -i or --psk, or a file that has the header with --side-file",
            );
            Ok(exit.max(Exit::NoKey))
        }
    }
}

fn new_key_files(args: &LogRekey) -> Vec<PathBuf> {
    args.to.recipients_files.iter().chain(&args.to.psk_to).cloned().collect()
}

fn readers(args: &LogRekey) -> Result<Readers, Fault> {
    let to = &args.to;
    readers::readers(&LogTo {
        recipients: to.recipients.clone(),
        recipients_files: to.recipients_files.clone(),
        psk: to.psk_to.clone(),
        allow_mixed: to.allow_mixed,
    })
}

/// A log and where its re-keyed form goes: the same place unless -o says otherwise.
struct Files {
    source: Source,
    target: Target,
    existing: Existing,
}

fn files(planned: Planned<Source>, args: &LogRekey) -> Planned<Files> {
    let place = |source: Source| {
        let existing = if args.force { Existing::Replace } else { Existing::Keep };
        let (target, existing) = match (&source, args.output.as_deref()) {
            (Source::Path(path), None) if path.metadata()?.is_file() => {
                (Target::Path(path.clone()), Existing::Replace)
            }
            (Source::Path(_), None) => {
                return Err(
                    Fault::usage("only a file can be re-keyed in place").hint("name the output with -o")
                );
            }
            (_, name) => (Target::one_of_many(name, args.force, &source)?, existing),
        };
        Ok(Files { source, target, existing })
    };
    Planned { task: planned.task.and_then(place), input: planned.input }
}

/// Returns how many sessions stay as they were.
fn rekey(files: &Files, opener: &mut LogOpener, readers: &Readers) -> Result<usize, Fault> {
    let (compressed, mut reader) = read::reader(&files.source)?;
    let in_place = match (&files.source, &files.target) {
        (Source::Path(source), Target::Path(target)) if source == target => Some(source),
        _ => None,
    };
    let before = in_place.map(|path| path.metadata()).transpose()?;
    if in_place.is_some() && compressed != Compressed::Not {
        return Err(Fault::usage("a compressed log is not re-keyed in place").hint("name the output with -o"));
    }
    files.target.fill(files.existing, |output| {
        let mut rewriting = Rewriting::new(opener, readers, BufWriter::with_capacity(1 << 18, output));
        let (mut cutter, mut spare) = (Cutter::new(&mut *reader), Buffer::default());
        while let Some((kind, text)) = cutter.next(spare).map_err(|error| read::told(error, compressed))? {
            rewriting.batch(kind, text.text()).map_err(refused)?;
            spare = text.reused();
        }
        let (rewritten, left) = rewriting.finish()?;
        match (rewritten, left) {
            (0, 1..) => Err(Fault::no_key("none of the keys opens a session of this log")
                .hint("name another key with -i or --psk, or a file that has the header with --side-file")),
            _ => in_place
                .zip(before)
                .map_or(Ok(left), |(path, before)| unchanged(path, &before).map(|()| left)),
        }
    })
}

/// Lines that were appended meanwhile would be lost.
fn unchanged(path: &Path, before: &Metadata) -> Result<(), Fault> {
    let now = path.metadata()?;
    match now.len() == before.len() && now.modified().ok() == before.modified().ok() {
        true => Ok(()),
        false => {
            Err(Fault::io("the log grew while it was re-keyed").hint("re-key it once it was rolled over"))
        }
    }
}

fn refused(error: Error) -> Fault {
    match error {
        Error::Misuse(Misuse::ReencryptNeeded) => {
            Fault::usage("a new header cannot make a log post-quantum that was sealed to a classic key")
                .hint("open the log and seal it anew: `sealmark log open … | sealmark log seal …`")
        }
        error => error.into(),
    }
}

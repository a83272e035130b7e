//! `sealmark log rekey`: new headers for the sessions of a log, tokens untouched.

use super::args_read::LogRekey;
use super::read::{self, Buffer, Compressed, Cutter, keys};
use super::readers::readers;
use super::rewrite::{Rewriting, Rewritten};
use crate::fault::{Exit, Fault};
use crate::say;
use crate::stdio::Gone;
use crate::target::{self, Planned, Source, Target, Verb};
use sealmark::record::{LogOpener, Readers};
use sealmark::{Error, Existing, FileMisuse};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub fn run(args: &LogRekey) -> Result<Exit, Fault> {
    let new_keys: Vec<PathBuf> = args.to.recipients_files.iter().chain(&args.psk_to).cloned().collect();
    keys::check(&args.with, &args.inputs, &new_keys)?;
    if args.output.is_some() && args.inputs.len() > 1 {
        return Err(Fault::usage("-o names one output, but there are several inputs")
            .hint("leave out -o to re-key each log in place"));
    }
    let plan = target::sources(&args.inputs, Source::new)
        .into_iter()
        .map(|planned| files(planned, args))
        .collect::<Vec<_>>();
    let keys = || {
        let readers = readers(&args.to, "--psk-to", args.psk_to.as_ref())?;
        Ok((readers, keys::opener(&args.with)?))
    };
    let (mut left, mut within) = (0, 0);
    let exit = target::round(plan, Verb::Rekey, keys, |(readers, opener), files| {
        let rewritten = rekey(files, opener, readers)?;
        left += rewritten.left;
        within += rewritten.within;
        Ok(())
    })?;
    if within > 0 {
        say::warning(
            &format!(
                "{} not replaced: {} inside longer lines",
                say::many(within, "header part"),
                if within == 1 { "it is" } else { "they are" }
            ),
            "the old keys still open their sessions; open the log and seal it again to change that",
        );
    }
    match left {
        0 => Ok(exit),
        _ => {
            say::warning(
                &format!(
                    "{} not re-keyed: the header is missing, or no key opens it",
                    say::many(left as u64, "session")
                ),
                "pass another key with -i or --psk, or a file with the header of the session with --side-file",
            );
            Ok(exit.max(Exit::NoKey))
        }
    }
}

/// A log and where its re-keyed form goes: the same place unless -o says otherwise.
struct Files {
    source: Source,
    target: Target,
    existing: Existing,
}

fn files(planned: Planned<Source>, args: &LogRekey) -> Planned<Files> {
    let place = |source: Source| {
        let existing = if args.force { Existing::Replace } else { Existing::Refuse };
        let (target, existing) = match (&source, args.output.as_deref()) {
            (Source::Path(path), None) if path.metadata()?.is_file() => {
                (Target::Path(path.clone()), Existing::Replace)
            }
            (Source::Path(_), None) => {
                return Err(Fault::usage("only a regular file can be re-keyed in place")
                    .hint("name the output with -o"));
            }
            (_, name) => (Target::one_of_many(name, args.force, &source)?, existing),
        };
        Ok(Files { source, target, existing })
    };
    Planned { task: planned.task.and_then(place), input: planned.input }
}

fn rekey(files: &Files, opener: &mut LogOpener, readers: &Readers) -> Result<Rewritten, Fault> {
    let (compressed, mut reader) = read::reader(&files.source)?;
    let in_place = match (&files.source, &files.target) {
        (Source::Path(source), Target::Path(target)) if source == target => Some(source),
        _ => None,
    };
    let old = in_place.map(|path| before(path)).transpose()?;
    if in_place.is_some() && compressed != Compressed::Not {
        return Err(Fault::usage("a compressed log is not re-keyed in place").hint("name the output with -o"));
    }
    let rewritten = files.target.fill(files.existing, Gone::Lost, |output| {
        let mut rewriting = Rewriting::new(opener, readers, BufWriter::with_capacity(1 << 18, output));
        let (mut cutter, mut spare) = (Cutter::new(&mut *reader), Buffer::default());
        while let Some((kind, text)) = cutter.next(spare).map_err(|error| read::fault_of(error, compressed))? {
            rewriting.batch(kind, text.text()).map_err(refused)?;
            spare = text.reused();
        }
        let rewritten = rewriting.finish()?;
        match (rewritten.sessions, rewritten.left) {
            (0, 1..) => Err(Fault::no_key("none of the keys opens a session of this log")
                .hint("pass another key with -i or --psk, or a file with the header of the session with --side-file")),
            _ => in_place
                .zip(old.as_ref())
                .map_or(Ok(()), |(path, (_, before))| unchanged(path, before))
                .map(|()| rewritten),
        }
    })?;
    in_place.zip(old).map_or(Ok(()), |(path, (file, before))| append_late(path, file, before.len()))?;
    Ok(rewritten)
}

/// A log that is re-keyed in place, and what it was like before. A writer would go on with the file that loses its name.
fn before(path: &Path) -> Result<(File, Metadata), Fault> {
    let file = File::open(path)?;
    if being_written(&file) {
        Err(Fault::usage("a program has the log open for writing and would keep writing to the old file")
            .hint("re-key it after it has been rotated, or write to another file with -o"))
    } else {
        Ok(file.metadata().map(|before| (file, before))?)
    }
}

/// Nobody gets a lease for reading on a file that somebody writes. Where leases are refused, nobody can tell.
#[cfg(target_os = "linux")]
fn being_written(file: &File) -> bool {
    use std::os::fd::AsRawFd;
    // The crate has no name for it (fcntl.h).
    const F_SETSIG: libc::c_int = 10;
    #[allow(unsafe_code, reason = "leases have no safe interface")]
    // SAFETY: an open descriptor, and commands that take a number.
    let fcntl = |command, argument: libc::c_int| unsafe { libc::fcntl(file.as_raw_fd(), command, argument) };
    // The signal for a writer that comes in between: one that is ignored.
    fcntl(F_SETSIG, libc::SIGURG);
    let refused = fcntl(libc::F_SETLEASE, libc::F_RDLCK) == -1;
    let written = refused && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock;
    fcntl(libc::F_SETLEASE, libc::F_UNLCK);
    written
}

#[cfg(not(target_os = "linux"))]
fn being_written(_: &File) -> bool {
    false
}

/// The lines that came between the last look and the new file's taking the name.
fn append_late(path: &Path, mut old: File, length: u64) -> Result<(), Fault> {
    if old.metadata()?.len() > length {
        old.seek(SeekFrom::Start(length))?;
        let mut new = OpenOptions::new().append(true).open(path)?;
        io::copy(&mut old, &mut new).map_err(Fault::output)?;
        say::warning(
            "the log grew while it was re-keyed; the new lines were appended to the new file",
            "re-key it after it has been rotated",
        );
    }
    Ok(())
}

/// Lines that were appended meanwhile would be lost.
fn unchanged(path: &Path, before: &Metadata) -> Result<(), Fault> {
    let now = path.metadata()?;
    if now.len() == before.len() && now.modified().ok() == before.modified().ok() {
        Ok(())
    } else {
        Err(Fault::io("the log grew while it was re-keyed").hint("re-key it after it has been rotated"))
    }
}

fn refused(error: Error) -> Fault {
    match error {
        Error::File(FileMisuse::ReencryptNeeded) => Fault::usage(
            "a log that was sealed to a classic or unknown key cannot become post-quantum by a new header alone",
        )
        .hint("open the log and seal it again: `sealmark log open … | sealmark log seal …`"),
        error => error.into(),
    }
}

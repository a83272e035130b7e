//! What is written is no other file of the same command.

use crate::fault::Fault;
use crate::log::args_seal::LogSeal;
use crate::stdio;
use crate::target;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// A regular file, as it was named.
struct File {
    named: &'static str,
    which: Which,
}

#[derive(PartialEq)]
enum Which {
    There(Option<(u64, u64)>),
    New(PathBuf),
}

/// Refuses a log, a side file and an output that are one another, a key file or the input.
pub fn check(args: &LogSeal) -> Result<(), Fault> {
    let written = written(args);
    let others = read(args);
    for (index, file) in written.iter().enumerate() {
        let same = |other: &&File| other.which == file.which;
        if let Some(other) = written[index + 1..].iter().chain(&others).find(same) {
            return Err(Fault::usage(format!("{} and {} are one file", file.named, other.named))
                .hint(format!("choose another name for {}", file.named)));
        }
    }
    Ok(())
}

fn written(args: &LogSeal) -> Vec<File> {
    let output = args.out.output.as_deref().filter(|path| !target::is_dash(path));
    let named = [
        ("--side-file", args.side_file.as_deref()),
        ("--append", args.append.as_deref()),
        ("--output", output),
    ];
    let mut files: Vec<File> =
        named.into_iter().filter_map(|(named, path)| File::named(named, path?)).collect();
    if output.is_none() && args.append.is_none() {
        let meta = stdio::output_file().and_then(|file| file.metadata());
        files.extend(meta.ok().and_then(|meta| File::open("standard output", &meta)));
    }
    files
}

fn read(args: &LogSeal) -> Vec<File> {
    let keys = args.to.recipients_files.iter().map(|path| ("--recipients-file", path));
    let keys = keys.chain(args.to.psk.iter().map(|path| ("--psk", path)));
    let named = keys.chain(args.input.iter().map(|path| ("the input", path)));
    let named = named.filter(|(_, path)| !target::is_dash(path));
    let mut files: Vec<File> = named.filter_map(|(named, path)| File::named(named, path)).collect();
    let meta = stdio::input_file().and_then(|file| file.metadata());
    files.extend(meta.ok().and_then(|meta| File::open("standard input", &meta)));
    files
}

impl File {
    fn named(named: &'static str, path: &Path) -> Option<Self> {
        match path.metadata() {
            Ok(meta) => Self::open(named, &meta),
            Err(_) => Some(Self { named, which: Which::New(target::whatever_it_is_called(path)) }),
        }
    }

    fn open(named: &'static str, meta: &Metadata) -> Option<Self> {
        meta.is_file().then(|| Self { named, which: Which::There(target::identity(meta)) })
    }
}

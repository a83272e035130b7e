//! `sealmark list`: what is in sealed folders, as their indexes say.

use crate::args::List;
use crate::fault::{Exit, Fault};
use crate::folder::select::Selection;
use crate::folder::show;
use crate::keys::{self, Keys};
use crate::sign::{self, Senders};
use crate::stdio::{self, Downstream, Gone, Stdout};
use crate::target::{self, Source, Verb};
use jiff::Timestamp;
use sealmark::archive::{Archive, Entry, Kind};
use sealmark::{OpenWith, Signed};
use serde::Serialize;
use std::io::{BufWriter, Write};

pub fn run(args: &List) -> Result<Exit, Fault> {
    let passphrase = args.with.source.passphrase_file.as_slice();
    let inputs = args.elsewhere.inputs(&args.inputs);
    let from = args.sender.from.as_slice();
    target::one_reader_of_stdin(&inputs, &[&args.with.identities, from], &[passphrase])?;
    keys::are_there(keys::SECRET, &args.with.identities)?;
    keys::are_there(sign::SENDERS, from)?;
    target::refuse_passphrase_in_clear(&args.inputs, "--passphrase-file")?;
    // A pattern that is none is refused before a passphrase is asked for.
    Selection::new(&args.only)?;
    let keys = || Ok((Keys::of(&args.with, &inputs)?, Senders::of(&args.sender)?));
    let sources = target::sources(&inputs, |input| Source::of(input, &args.elsewhere));
    target::round(sources, Verb::List, keys, |(keys, senders), source| {
        let listed =
            keys.with(|with| list(source, &sign::demand(senders.as_ref(), with, &args.sender), args));
        let signed = listed.map_err(|fault| source.explained(fault))?;
        sign::tell(senders.as_ref(), source.name(), signed);
        Ok(())
    })
}

fn list(source: &Source, with: &OpenWith, args: &List) -> Result<Signed, Fault> {
    let only = Selection::new(&args.only)?;
    let archive = Archive::open(source.input()?, with)?;
    let output = Stdout(stdio::output_file()?);
    let mut output = BufWriter::with_capacity(64 << 10, Downstream { output, gone: Gone::Enough });
    for located in archive.entries(&only.prefix()) {
        let entry = located?;
        let entry = entry.entry();
        if !only.has(&entry.path) {
            continue;
        }
        let line = match (args.json, args.long) {
            (true, _) => stdio::json(&Line::of(entry))?,
            (_, true) => long(entry),
            _ => show::name(&entry.path) + "\n",
        };
        output.write_all(line.as_bytes()).map_err(|error| Fault::output(error).about_stdout())?;
    }
    output.flush().map_err(|error| Fault::output(error).about_stdout())?;
    only.check_all_found()?;
    Ok(archive.signed())
}

fn long(entry: &Entry) -> String {
    let kind = match &entry.kind {
        Kind::Directory => 'd',
        Kind::SymbolicLink { .. } => 'l',
        Kind::HardLink { .. } => 'h',
        Kind::File { .. } | Kind::Sparse { .. } => '-',
    };
    let link = match &entry.kind {
        Kind::SymbolicLink { target } => format!(" -> {}", show::name(target)),
        Kind::HardLink { target } => format!(" = {}", show::name(target)),
        _ => String::new(),
    };
    let name = show::name(&entry.path);
    format!("{kind}{} {:>12} {} {name}{link}\n", permissions(entry.mode), entry.size(), time(entry))
}

/// Nine letters, as `ls` has them.
fn permissions(mode: u32) -> String {
    let special = [(mode >> 11 & 1, 's'), (mode >> 10 & 1, 's'), (mode >> 9 & 1, 't')];
    let mut text = String::new();
    for (shift, (set, letter)) in [6, 3, 0].into_iter().zip(special) {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (bits & 1, set) {
            (0, 0) => '-',
            (0, _) => letter.to_ascii_uppercase(),
            (_, 0) => 'x',
            _ => letter,
        });
    }
    text
}

fn time(entry: &Entry) -> String {
    match Timestamp::from_second(entry.modified.seconds) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => format!("{:>19}", entry.modified.seconds),
    }
}

/// Flat on purpose, as `sealmark inspect --json`. The keys are a promise; `sealmark list --help` lists them.
#[derive(Serialize)]
struct Line {
    path: String,
    r#type: &'static str,
    mode: String,
    uid: u32,
    gid: u32,
    size: u64,
    modified: i64,
    nanoseconds: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    xattrs: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Line {
    fn of(entry: &Entry) -> Self {
        let (kind, target) = match &entry.kind {
            Kind::Directory => ("directory", None),
            Kind::File { .. } | Kind::Sparse { .. } => ("file", None),
            Kind::SymbolicLink { target } => ("symlink", Some(show::name(target))),
            Kind::HardLink { target } => ("hardlink", Some(show::name(target))),
        };
        Self {
            path: show::name(&entry.path),
            r#type: kind,
            mode: format!("{:o}", entry.mode),
            uid: entry.uid,
            gid: entry.gid,
            size: entry.size(),
            modified: entry.modified.seconds,
            nanoseconds: entry.modified.nanoseconds,
            target,
            xattrs: entry.attributes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_look_like_those_of_ls() {
        for (mode, text) in
            [(0o644, "rw-r--r--"), (0o7777, "rwsrwsrwt"), (0o7000, "--S--S--T"), (0o111, "--x--x--x")]
        {
            assert_eq!(permissions(mode), text);
        }
    }
}

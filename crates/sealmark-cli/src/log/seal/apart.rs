//! No output is another file of the same command.

use crate::fault::Fault;
use crate::log::args_seal::LogSeal;
use crate::stdio;
use crate::stdio::is_dash;
use crate::target::Which;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Refuses a log, a side file and an output that are one another, a key file or the input.
pub fn check(args: &LogSeal) -> Result<(), Fault> {
    let mut written = files("--side-file", &args.side_file);
    written.extend(files("--append", &args.append));
    written.extend(files("--output", &args.out.output));
    if args.append.is_none() && args.out.output.as_ref().is_none_or(|path| is_dash(path)) {
        written.extend(stream("standard output", stdio::output_file()));
    }
    let mut read = files("--recipients-file", &args.to.recipients_files);
    read.extend(files("--psk", &args.psk));
    read.extend(files("the input", &args.input));
    read.extend(stream("standard input", stdio::input_file()));
    for (index, (named, which)) in written.iter().enumerate() {
        if let Some((other, _)) = written[index + 1..].iter().chain(&read).find(|other| other.1 == *which) {
            return Err(Fault::usage(format!("{named} and {other} name the same file"))
                .hint(format!("choose another name for {named}")));
        }
    }
    Ok(())
}

type Named = (&'static str, Which);

fn files<'a>(named: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<Named> {
    let paths = paths.into_iter().filter(|path| !is_dash(path));
    paths.filter_map(|path| Some((named, Which::named(path)?))).collect()
}

fn stream(named: &'static str, file: io::Result<File>) -> Option<Named> {
    Some((named, Which::open(&file.ok()?.metadata().ok()?)?))
}

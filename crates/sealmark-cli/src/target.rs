//! Which file is read and which is written, and the round over several of them.

use crate::args::{Elsewhere, Out};
use crate::fault::{Exit, Fault};
use crate::ranges::Ranges;
use crate::stdio::{self, Downstream, Gone, TextOnly, is_dash};
use crate::{keys, say};
use sealmark::{Error, Existing, FileMisuse, Input, Output};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The input as the user named it.
pub enum Source {
    Stdin,
    Path(PathBuf),
    /// A sealed file elsewhere.
    Ranges(Ranges),
}

/// The output as the user named it.
pub enum Target {
    /// `forced` when the user typed `-o -`.
    Stdout {
        forced: bool,
    },
    Path(PathBuf),
}

pub struct Task {
    pub source: Source,
    pub target: Target,
}

/// One input as typed, and the work it stands for or why there is none.
pub struct Planned<T> {
    pub input: PathBuf,
    pub task: Result<T, Fault>,
}

/// Pairs every input with its output. Nothing is opened and no passphrase asked for yet.
pub fn plan(
    inputs: &[PathBuf],
    out: &Out,
    source_of: impl Fn(&Path) -> Result<Source, Fault>,
    name_of: impl Fn(&Path) -> Result<PathBuf, Fault>,
) -> Result<Vec<Planned<Task>>, Fault> {
    if out.output.is_some() && inputs.len() > 1 {
        return Err(Fault::usage("-o names one output, but there are several inputs")
            .hint("leave out -o: each output is then named after its input"));
    }
    refuse_passphrase_in_clear(inputs, "--passphrase-file")?;
    let mut outputs = HashSet::new();
    let mut plan = |input: PathBuf| {
        let task =
            source_of(&input).and_then(|source| task(source, &input, out, &name_of)).and_then(|task| {
                match &task.target {
                    Target::Path(output) => is_no_other(output, inputs, &mut outputs).map(|()| task),
                    Target::Stdout { .. } => Ok(task),
                }
            });
        Planned { input, task }
    };
    Ok(or_stdin(inputs).map(&mut plan).collect())
}

/// A word behind -p that is no file was meant as the passphrase, and would be shown to every user of this machine. It is not
/// repeated, and nothing else is done. `flag` names a file that has the passphrase.
pub fn refuse_passphrase_in_clear(inputs: &[PathBuf], flag: &str) -> Result<(), Fault> {
    let is_missing =
        |path: &Path| path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let meant = |path: &Path| inputs.iter().any(|input| input == path) && !is_dash(path) && is_missing(path);
    if typed_passphrases().iter().any(|word| meant(Path::new(word))) {
        return Err(Fault::usage("the word after -p is not a file, and -p takes no passphrase").hint(format!(
            "leave it out, and type the passphrase at the prompt, or pass a file that has it with {flag} FILE"
        )));
    }
    Ok(())
}

/// The words that may have been typed as the value of -p, which has none.
pub fn typed_passphrases() -> Vec<OsString> {
    let typed: Vec<_> = std::env::args_os().collect();
    // All of these letters are flags without a value.
    let is_cluster = |word: &str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        letters.contains('p') && letters.chars().all(|letter| "afp".contains(letter))
    };
    let is_flag = |word: &OsString| word == "--passphrase" || word.to_str().is_some_and(is_cluster);
    let behind = typed.windows(2).filter(|words| is_flag(&words[0])).map(|words| words[1].clone());
    let joined =
        typed.iter().filter_map(|word| word.to_str()?.strip_prefix("--passphrase=").map(OsString::from));
    behind.chain(joined).collect()
}

/// A regular file, whatever it is called.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Which {
    There((u64, u64)),
    New(PathBuf),
}

impl Which {
    /// `None` for what is no regular file.
    pub fn named(path: &Path) -> Option<Self> {
        match path.metadata() {
            Ok(meta) => Self::open(&meta),
            Err(_) => Some(Self::New(match path.file_name().zip(parent(path).canonicalize().ok()) {
                Some((name, parent)) => parent.join(name),
                None => path.to_owned(),
            })),
        }
    }

    pub fn open(meta: &Metadata) -> Option<Self> {
        meta.is_file().then(|| Self::There(identity(meta)))
    }
}

/// The output of one input must be neither that of another nor still to be read.
fn is_no_other(output: &Path, inputs: &[PathBuf], outputs: &mut HashSet<Which>) -> Result<(), Fault> {
    let Some(which) = Which::named(output).filter(|_| inputs.len() > 1) else { return Ok(()) };
    let there = matches!(which, Which::There(..));
    if there && inputs.iter().any(|input| Which::named(input).as_ref() == Some(&which)) {
        return Err(Fault::usage(format!("{output:?} is both an input and an output of this command"))
            .named()
            .hint("work on the files one by one"));
    }
    if outputs.insert(which) {
        Ok(())
    } else {
        Err(Fault::usage(format!("another input is already being written to {output:?}")))
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn task(
    source: Source,
    input: &Path,
    out: &Out,
    name_of: impl Fn(&Path) -> Result<PathBuf, Fault>,
) -> Result<Task, Fault> {
    let name = match (&out.output, &source) {
        (Some(name), _) => name.clone(),
        (None, Source::Stdin) => PathBuf::from("-"),
        (None, _) => name_of(input)?,
    };
    if is_dash(&name) {
        refuse_own_tail(&source)?;
        return Ok(Task { source, target: Target::Stdout { forced: out.output.is_some() } });
    }
    Ok(Task { target: Target::new(&name, out.force, &source)?, source })
}

/// `seal note >> note` would go on sealing what it has just written.
fn refuse_own_tail(source: &Source) -> Result<(), Fault> {
    let out = stdio::output_file()?.metadata()?;
    if out.is_file() && source.metadata().is_ok_and(|source| same(&source, &out)) {
        Err(Error::from(FileMisuse::SameFile(source.name().to_owned())).into())
    } else {
        Ok(())
    }
}

/// The inputs of a verb that writes no files.
pub fn sources(
    inputs: &[PathBuf],
    source_of: impl Fn(&Path) -> Result<Source, Fault>,
) -> Vec<Planned<Source>> {
    or_stdin(inputs).map(|input| Planned { task: source_of(&input), input }).collect()
}

fn or_stdin(inputs: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let none = inputs.is_empty().then(|| PathBuf::from("-"));
    inputs.iter().cloned().chain(none)
}

/// Standard input can be read once: by one input, one key file or one passphrase, but not by two of them.
pub fn one_reader_of_stdin(
    inputs: &[PathBuf],
    key_files: &[&[PathBuf]],
    passphrase_files: &[&[PathBuf]],
) -> Result<(), Fault> {
    let dashes = |files: &[&[PathBuf]]| files.iter().copied().flatten().filter(|path| is_dash(path)).count();
    let (keys, passphrases) = (dashes(key_files), dashes(passphrase_files));
    if keys + passphrases + or_stdin(inputs).filter(|path| is_dash(path)).count() <= 1 {
        return Ok(());
    }
    let fault = Fault::usage("standard input is used twice, but can be read only once")
        .hint("give one of them as a file; without IN, the input is standard input");
    Err(match passphrases {
        0 => fault,
        _ => fault.hint("to send passphrase and data through standard input, use --passphrase-fd 0"),
    })
}

/// A verb that works on each of several files.
#[derive(Clone, Copy)]
pub enum Verb {
    Seal,
    Open,
    List,
    Inspect,
    Verify,
    Rekey,
    Sign,
}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::Open => "open",
            Self::List => "list",
            Self::Inspect => "inspect",
            Self::Verify => "verify",
            Self::Rekey => "rekey",
            Self::Sign => "sign",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Seal => "sealed",
            Self::Open => "opened",
            Self::List => "listed",
            Self::Inspect => "inspected",
            Self::Verify => "verified",
            Self::Rekey => "re-keyed",
            Self::Sign => "signed",
        }
    }

    /// The fault with a hint at what the input is, if it is something else than this verb takes.
    fn about(self, mut fault: Fault, input: &Path) -> Fault {
        if is_dash(input) {
            return fault;
        }
        if fault.is_of_input() && keys::is_secret_file(input) {
            fault.hints =
                vec!["this is a secret key file: pass it with -i, and the sealed file without a flag".into()];
        } else if fault.is_of_input() && is_sealed_log(input) {
            fault.hints = vec![format!("this is a sealed log: use `sealmark log {}`", self.name())];
        }
        fault.about(input)
    }
}

/// True for a regular file with a token of a log near its start.
fn is_sealed_log(path: &Path) -> bool {
    let mut start = Vec::new();
    // To open a named pipe would wait for its writer.
    let is_file = path.metadata().is_ok_and(|meta| meta.is_file());
    is_file
        && File::open(path).and_then(|file| file.take(1 << 20).read_to_end(&mut start)).is_ok()
        && sealmark::record::find(&start).next().is_some()
}

/// Does the work for each file, goes on after a failure, and sums up several files. The worst result is the exit code. Keys
/// and passphrases are asked for only if there is a file to work on.
pub fn round<T, K>(
    plan: Vec<Planned<T>>,
    verb: Verb,
    prepare: impl FnOnce() -> Result<K, Fault>,
    mut work: impl FnMut(&mut K, &T) -> Result<(), Fault>,
) -> Result<Exit, Fault> {
    let mut prepared = plan.iter().any(|planned| planned.task.is_ok()).then(prepare).transpose()?;
    let (count, mut failed, mut worst) = (plan.len(), 0, Exit::Done);
    for Planned { input, task } in plan {
        let worked = task.and_then(|task| prepared.as_mut().map_or(Ok(()), |with| work(with, &task)));
        if let Err(fault) = worked {
            worst = worst.max(say::fault(&verb.about(fault, &input)));
            failed += 1;
        }
    }
    let done = verb.done();
    match (count, failed) {
        (1, _) => {}
        (_, 0) => say::line(&format!("{done} {count} files")),
        _ => say::line(&format!("{done} {} of {count} files, {failed} failed", count - failed)),
    }
    Ok(worst)
}

impl Source {
    pub fn new(path: &Path) -> Result<Self, Fault> {
        if is_dash(path) {
            stdio::input_file()?;
            return Ok(Self::Stdin);
        }
        let meta =
            path.metadata().map_err(|error| keys::not_a_file_but_a_secret(path).unwrap_or(error.into()))?;
        if meta.is_dir() {
            return Err(Fault::usage(format!("{path:?} is a directory")).named().hint("name a file in it"));
        }
        if meta.is_file() {
            // Refused here and not while working, it is clear which of the files is meant.
            File::open(path)?;
        }
        Ok(Self::Path(path.to_owned()))
    }

    /// A file, a stream, or the file elsewhere that stands in the place of both.
    pub fn of(input: &Path, elsewhere: &Elsewhere) -> Result<Self, Fault> {
        elsewhere.ranges().map_or_else(|| Self::new(input), |ranges| Ok(Self::Ranges(ranges)))
    }

    /// A file, a stream or a folder.
    pub fn file_or_folder(path: &Path) -> Result<Self, Fault> {
        if !is_dash(path) && path.is_dir() { Ok(Self::Path(path.to_owned())) } else { Self::new(path) }
    }

    /// The directory, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Path(path) if path.is_dir() => Some(path),
            _ => None,
        }
    }

    pub fn open(&self) -> io::Result<File> {
        match self {
            Self::Stdin => stdio::input(),
            Self::Path(path) => File::open(path),
            Self::Ranges(_) => Err(ErrorKind::Unsupported.into()),
        }
    }

    /// Nothing for a stream, which cannot be read from anywhere and twice.
    pub fn file(&self) -> io::Result<Option<File>> {
        if self.metadata()?.is_file() { self.open().map(Some) } else { Ok(None) }
    }

    /// For a job, which reads a file's end first and need not wait for a silent pipe.
    pub fn input(&self) -> Result<Input, Fault> {
        Ok(match self {
            Self::Stdin => Input::from_file(stdio::input()?)?,
            Self::Path(path) => Input::open(path)?,
            Self::Ranges(ranges) => ranges.input(),
        })
    }

    /// Adds that a wrong size makes a file look damaged.
    pub fn explained(&self, fault: Fault) -> Fault {
        match self {
            Self::Ranges(_) if fault.exit == Exit::Damaged => {
                fault.hint("compare --size with the length that the store reports")
            }
            _ => fault,
        }
    }

    /// The name as it was typed.
    pub fn name(&self) -> &Path {
        match self {
            Self::Stdin => Path::new("-"),
            Self::Path(path) => path,
            Self::Ranges(ranges) => ranges.command.program(),
        }
    }

    pub fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Self::Stdin => stdio::input_file()?.metadata(),
            Self::Path(path) => path.metadata(),
            Self::Ranges(_) => Err(ErrorKind::Unsupported.into()),
        }
    }
}

impl Target {
    pub fn new(path: &Path, force: bool, source: &Source) -> Result<Self, Fault> {
        match path.metadata() {
            Ok(meta) if meta.is_dir() => {
                Err(Fault::usage(format!("{path:?} is a directory, not a file to write"))
                    .named()
                    .hint("name a file with -o"))
            }
            Ok(meta) if !meta.is_file() => Ok(Self::Path(path.to_owned())),
            Ok(meta) if source.metadata().is_ok_and(|source| same(&source, &meta)) => {
                Err(Error::from(FileMisuse::SameFile(path.to_owned())).into())
            }
            Ok(_) if !force => Err(Error::from(FileMisuse::OutputExists(path.to_owned())).into()),
            Err(error) if error.kind() == ErrorKind::NotFound => new_file(path),
            Err(error) if error.kind() == ErrorKind::NotADirectory => new_file(path),
            Ok(_) | Err(_) => Ok(Self::Path(path.to_owned())),
        }
    }

    /// The output of several inputs, of which this is one: standard output where it has no name.
    pub fn one_of_many(name: Option<&Path>, force: bool, source: &Source) -> Result<Self, Fault> {
        match name.filter(|name| !is_dash(name)) {
            None => {
                refuse_own_tail(source)?;
                Ok(Self::Stdout { forced: name.is_some() })
            }
            Some(path) => Self::new(path, force, source),
        }
    }

    /// Where to write. A regular file gets its name by its commit.
    pub fn output(&self, existing: Existing) -> Result<Output<'static>, Fault> {
        match self {
            Self::Stdout { .. } => Ok(Output::stream(stdio::output()?)),
            Self::Path(path) => Output::create(path, existing).map_err(|error| self.named(error.into())),
        }
    }

    /// Like `output`, but shows a terminal only text.
    pub fn output_of_text(&self, existing: Existing) -> Result<Output<'static>, Fault> {
        if self.is_unforced_terminal() {
            Ok(Output::stream(TextOnly::new(stdio::output()?)))
        } else {
            self.output(existing)
        }
    }

    /// Puts the output's name in front where writing it was what failed.
    pub fn named(&self, fault: Fault) -> Fault {
        match self {
            Self::Stdout { .. } => fault.about_stdout(),
            Self::Path(path) => fault.about_output(path),
        }
    }

    /// Runs `fill` with the place to write to. A regular file gets its name only if `fill` succeeds.
    pub fn fill<T>(
        &self,
        existing: Existing,
        gone: Gone,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut output = self.output(existing)?;
        let filled = if output.is_stream() {
            fill(&mut Downstream { output: &mut output, gone })
        } else {
            // Ending the process at once would leave a temporary file.
            fill(&mut output)
        };
        let filled = filled.map_err(|fault| self.named(fault))?;
        output.commit().map_err(|error| self.named(error.into()))?;
        Ok(filled)
    }

    /// The file that is there already or is being written, if it is one.
    pub fn file(&self) -> Option<(u64, u64)> {
        let meta = match self {
            Self::Stdout { .. } => stdio::output_file().and_then(|file| file.metadata()),
            Self::Path(path) => path.metadata(),
        };
        meta.ok().filter(Metadata::is_file).map(|meta| identity(&meta))
    }

    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Stdout { .. }) && io::stdout().is_terminal()
    }

    pub fn is_unforced_terminal(&self) -> bool {
        matches!(self, Self::Stdout { forced: false }) && io::stdout().is_terminal()
    }
}

/// A name that nothing has yet, in a directory that exists.
pub fn new_file(path: &Path) -> Result<Target, Fault> {
    let parent = parent(path);
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Fault::usage(format!("{path:?} is a directory, not a file to write"))
            .named()
            .hint("name a file with -o"));
    }
    match parent.metadata() {
        Ok(meta) if meta.is_dir() => Ok(Target::Path(path.to_owned())),
        Ok(_) => Err(Fault::io(format!("{parent:?} is not a directory")).named().hint("choose another path")),
        Err(_) => Err(Fault::io(format!("{parent:?} does not exist, so nothing can be written there"))
            .named()
            .hint(format!("mkdir -p {parent:?}"))),
    }
}

fn same(one: &Metadata, other: &Metadata) -> bool {
    identity(one) == identity(other)
}

/// Which file it is, whatever it is called.
pub fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

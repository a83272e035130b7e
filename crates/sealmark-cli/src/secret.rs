//! Passphrases: from the terminal device, a file or a file descriptor; never from the command line or the
//! environment, where other users and crash reports can see them.

use crate::args::PassphraseSource;
use crate::fault::Fault;
use crate::{stdio, tty};
use sealmark::Passphrase;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

#[derive(Clone)]
enum Source {
    Terminal,
    File(PathBuf),
    Descriptor(u16),
}

/// Asks for passphrases. Each passphrase from a file, a descriptor or the terminal is asked for once for all files of the
/// command.
#[derive(Clone)]
pub struct Asker {
    source: Source,
    /// How to give it where there is no terminal.
    flags: &'static str,
    known: Arc<Mutex<Option<Passphrase>>>,
}

impl Asker {
    pub fn new(source: &PassphraseSource) -> Self {
        let source = match source {
            PassphraseSource { passphrase_file: Some(path), .. } => Source::File(path.clone()),
            PassphraseSource { passphrase_fd: Some(number), .. } => Source::Descriptor(*number),
            _ => Source::Terminal,
        };
        Self { source, flags: "--passphrase-file FILE or --passphrase-fd N", known: Arc::default() }
    }

    /// For the new passphrase of a file that is re-keyed.
    pub fn for_rekeying(path: Option<&PathBuf>) -> Self {
        let source = path.map_or(Source::Terminal, |path| Source::File(path.clone()));
        Self { source, flags: "--new-passphrase-file FILE", known: Arc::default() }
    }

    /// True if no prompt is needed.
    pub fn is_scripted(&self) -> bool {
        !matches!(self.source, Source::Terminal)
    }

    /// The passphrase that opens the files of this command.
    pub fn for_files(&self) -> Result<Passphrase, Fault> {
        self.once(|| self.read("Passphrase: "))
    }

    /// Takes the passphrase in front of what is read from standard input next, which would else be read with it.
    pub fn before_stdin(&self) -> Result<(), Fault> {
        if matches!(self.source, Source::Descriptor(0)) {
            self.for_files()?;
        }
        Ok(())
    }

    /// The passphrase that opens one identity file; each may have its own.
    pub fn for_identity(&self, path: &Path) -> Result<Passphrase, Fault> {
        match self.source {
            Source::Terminal => self.read(&format!("Passphrase of {path:?}: ")).map(into_passphrase),
            _ => self.for_files(),
        }
    }

    /// A passphrase to seal with; at the terminal it is typed twice, for a slip would lock the file for good.
    pub fn for_sealing(&self) -> Result<Passphrase, Fault> {
        self.once(|| {
            let first = self.read("New passphrase: ")?;
            if matches!(self.source, Source::Terminal) && self.read("Repeat the passphrase: ")? != first {
                return Err(Fault::usage("the two passphrases differ").hint("try again; nothing was written"));
            }
            Ok(first)
        })
    }

    fn once(&self, ask: impl FnOnce() -> Result<Zeroizing<String>, Fault>) -> Result<Passphrase, Fault> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(passphrase) = &*known {
            return Ok(passphrase.clone());
        }
        Ok(known.insert(into_passphrase(ask()?)).clone())
    }

    fn read(&self, prompt: &str) -> Result<Zeroizing<String>, Fault> {
        let passphrase = match &self.source {
            Source::Terminal => from_terminal(prompt, self.flags)?,
            Source::File(path) => from_file(path)?,
            Source::Descriptor(number) => {
                first_line(descriptor(*number)?, &format!("file descriptor {number}"))?
            }
        };
        if passphrase.is_empty() {
            let (what, hint) = match &self.source {
                Source::Terminal => ("the passphrase is empty".to_owned(), "type at least one character"),
                Source::File(path) => {
                    (format!("the first line of passphrase file {path:?} is empty"), FIRST_LINE)
                }
                Source::Descriptor(number) => {
                    (format!("the first line of file descriptor {number} is empty"), FIRST_LINE)
                }
            };
            return Err(Fault::usage(what).named().hint(hint));
        }
        // Without its first line, the file would be nothing that was ever sealed.
        if matches!(self.source, Source::Descriptor(0)) && looks_sealed(passphrase.as_bytes()) {
            return Err(Fault::usage("standard input begins with a sealed file and not with a passphrase")
                .hint("put the passphrase in a line of its own in front of the file"));
        }
        Ok(passphrase)
    }
}

const FIRST_LINE: &str = "write the passphrase into the first line";

/// True where it begins as a sealed file does.
pub fn looks_sealed(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let first_lines: [&[u8]; 4] =
        [b"sealmark/", b"age-encryption.org/", b"-----BEGIN SEALMARK ENCRYPTED", b"-----BEGIN AGE ENCRYPTED"];
    first_lines.iter().any(|first| start.starts_with(first))
}

fn into_passphrase(mut typed: Zeroizing<String>) -> Passphrase {
    Passphrase::new(std::mem::take(&mut *typed))
}

fn from_terminal(prompt: &str, flags: &str) -> Result<Zeroizing<String>, Fault> {
    tty::ask(prompt).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => {
            Fault::usage("no passphrase was typed").hint(format!("try again, or use {flags}"))
        }
        ErrorKind::Other => error.into(),
        _ => Fault::usage("a passphrase is needed, and there is no terminal to prompt on")
            .hint(format!("give it with {flags}")),
    })
}

fn from_file(path: &Path) -> Result<Zeroizing<String>, Fault> {
    let subject = format!("passphrase file {path:?}");
    if path == Path::new("-") {
        return first_line(stdio::input_file()?, &subject);
    }
    first_line(File::open(path).map_err(|error| Fault::from(error).within(&subject))?, &subject)
}

fn first_line(source: File, subject: &str) -> Result<Zeroizing<String>, Fault> {
    tty::read_line(source, b"\n")
        .and_then(|line| tty::as_text(line.bytes))
        .map_err(|error| Fault::from(error).within(subject))
}

/// A duplicate of a descriptor that the parent left open for us, so that closing ours leaves theirs.
#[allow(unsafe_code, reason = "the only way to a descriptor that is known by its number")]
fn descriptor(number: u16) -> Result<File, Fault> {
    // SAFETY: fcntl takes any number and answers -1 for one that is not open.
    let copy = unsafe { libc::fcntl(i32::from(number), libc::F_DUPFD_CLOEXEC, 0) };
    if copy < 0 {
        return Err(Fault::from(io::Error::last_os_error()).within(&format!("file descriptor {number}")));
    }
    // SAFETY: fcntl just made this descriptor and nobody else knows it.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(copy) }))
}

//! Errors as the user sees them: one sentence, hints to type next, and the exit code.

use sealmark::{Error, FileMisuse, KeyMisuse, Malformed, RecordMisuse};
use std::io::{self, ErrorKind};
use std::{fmt, path::Path};

/// How the program ends. The numbers are a promise to scripts; they are written down in `sealmark --help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Done,
    /// Only of `log grep`, whose exit codes are those of grep.
    NotFound,
    Usage,
    Io,
    NoKey,
    Damaged,
    /// A rule found nothing; `log seal --check` alone ends so.
    NothingFound,
}

impl Exit {
    pub fn code(self) -> i32 {
        match self {
            Self::Done => 0,
            Self::Usage if greps() => 2,
            Self::NotFound | Self::Usage => 1,
            Self::Io => 2,
            Self::NoKey => 3,
            Self::Damaged => 4,
            Self::NothingFound => 5,
        }
    }
}

/// Looks at the arguments as typed, because the parser may fail before it knows the verb.
fn greps() -> bool {
    std::env::args_os().skip(1).take(2).eq(["log", "grep"])
}

#[derive(Debug)]
pub struct Fault {
    pub exit: Exit,
    pub message: String,
    pub hints: Vec<String>,
    /// True if the output could not be made, written or named.
    of_output: bool,
    /// True where there was no room for it.
    full: bool,
}

impl Fault {
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub fn no_key(message: impl Into<String>) -> Self {
        Self::new(Exit::NoKey, message)
    }

    pub fn io(message: impl Into<String>) -> Self {
        Self::new(Exit::Io, message)
    }

    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(Exit::Damaged, message)
    }

    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hints: Vec::new(), of_output: false, full: false }
    }

    /// True where the disk has no room, or its user may have no more of it.
    pub fn is_full(&self) -> bool {
        self.full
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Puts the file that was worked on in front, unless the message starts with one, or with standard output.
    pub fn about(self, path: &Path) -> Self {
        let named = self.message.starts_with('"') || self.message.starts_with(STDOUT);
        if named { self } else { self.within(&format!("{path:?}")) }
    }

    /// The same for the output, if writing it was what failed.
    pub fn about_output(self, path: &Path) -> Self {
        if self.of_output { self.about(path) } else { self }
    }

    /// Does so for standard output.
    pub fn about_stdout(self) -> Self {
        if self.of_output && self.exit == Exit::Io { self.within("standard output") } else { self }
    }

    /// Puts the thing that was worked on in front.
    pub fn within(mut self, subject: &str) -> Self {
        self.message = format!("{subject}: {}", self.message);
        self
    }
}

/// How a message starts that `about_stdout` made.
const STDOUT: &str = "standard output: ";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// The one place where the library's errors get their exit code and their hint.
impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Io(error) => error.into(),
            Error::Output(error) => Self { of_output: true, ..error.into() },
            Error::Key(misuse) => with_hint(Self::usage(message), key_hint(&misuse)),
            Error::File(misuse) => with_hint(Self::usage(message), file_hint(&misuse)),
            Error::Record(misuse) => with_hint(Self::usage(message), record_hint(&misuse)),
            Error::NoKey => Self::no_key(message),
            Error::Malformed(Malformed::Version(version)) if version.ends_with('\r') => {
                Self::new(Exit::Damaged, "line endings were converted in transit (CR LF in place of LF)")
                    .hint("transfer the file again in binary mode")
            }
            Error::Malformed(malformed) => {
                with_hint(Self::new(Exit::Damaged, message), malformed_hint(&malformed))
            }
            Error::Tampered(_) => {
                Self::new(Exit::Damaged, message).hint("get the file again from where it was sealed")
            }
            _ => Self::new(Exit::Damaged, message),
        }
    }
}

/// A `Fault` that travelled through the library inside an `io::Error` comes out again.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(fault) => fault,
            Err(error) => match error.downcast::<Error>() {
                Ok(inner) => inner.into(),
                Err(error) => {
                    with_hint(Self { full: is_full(&error), ..Self::io(plain(&error)) }, io_hint(&error))
                }
            },
        }
    }
}

/// Lets a question asked from inside the library fail with our own words.
impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Io(io::Error::other(fault))
    }
}

fn with_hint(fault: Fault, hint: Option<&str>) -> Fault {
    match hint {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// True where there may be room later.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

fn key_hint(misuse: &KeyMisuse) -> Option<&'static str> {
    Some(match misuse {
        KeyMisuse::NoRecipients => "name one with -r RECIPIENT or -R FILE, or use a passphrase with -p",
        KeyMisuse::TooManyRecipients(_) => "seal the file several times, or share one identity in the group",
        KeyMisuse::MixedRecipients => "ask for post-quantum keys, or accept the risk with --allow-mixed",
        KeyMisuse::NotInAge(_) => "leave out --age, or use a key made by `sealmark keygen --mode hybrid`",
        KeyMisuse::KeyString(_) | KeyMisuse::WeakRecipient => {
            "a recipient is what `sealmark keygen -y FILE` prints"
        }
        _ => return None,
    })
}

fn file_hint(misuse: &FileMisuse) -> Option<&'static str> {
    Some(match misuse {
        FileMisuse::ReencryptNeeded | FileMisuse::FormatChange => "add --reencrypt to seal the content anew",
        FileMisuse::ArmoredRange => "open the whole file, or seal it without -a",
        FileMisuse::Range { .. } => "leave out B to open everything from A on: --range A..",
        FileMisuse::OutputExists(_) => "choose another name with -o, or replace it with --force",
        FileMisuse::SameFile(_) => "choose another name with -o",
        _ => return None,
    })
}

fn record_hint(misuse: &RecordMisuse) -> Option<&'static str> {
    Some(match misuse {
        RecordMisuse::Label(_) => "rename the field, or find it with --regex '(?<NAME>…)'",
        RecordMisuse::ValueTooLong(_) => "drop the field, or cut its value before it is logged",
        RecordMisuse::Padding(_) => {
            "choose a smaller padding: it hides the lengths of values of similar length"
        }
        RecordMisuse::SessionEnded | RecordMisuse::SessionForked => "begin another log session",
        RecordMisuse::UnknownSession(_) => "name another key, or a file that has the header with --side-file",
        _ => return None,
    })
}

fn malformed_hint(malformed: &Malformed) -> Option<&'static str> {
    Some(match malformed {
        Malformed::NotSealed => "check that the file was encrypted by sealmark or age",
        Malformed::Version(_) => "a newer sealmark may read it",
        Malformed::KdfCost { .. } => "the file may be meant to exhaust this machine; ask its sender",
        _ => return None,
    })
}

fn io_hint(error: &io::Error) -> Option<&'static str> {
    Some(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or choose another place with -o",
        ErrorKind::OutOfMemory => {
            "a passphrase takes 256 MiB, up to 1 GiB in files of others: see `ulimit -v`"
        }
        ErrorKind::FileTooLarge => {
            "raise the limit of this shell (`ulimit -f`), or write to another file system"
        }
        ErrorKind::BrokenPipe => "the program that reads the output ended early",
        // The library's own: the system has numbers for its errors.
        ErrorKind::ResourceBusy if error.raw_os_error().is_none() => {
            "stop the program that writes it, or encrypt what it holds now with `sealmark seal < IN > OUT`"
        }
        _ => return None,
    })
}

/// The operating system's message in our style: lower case, without "(os error 2)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => "unknown input or output error".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_lose_their_number() {
        let fault = Fault::from(io::Error::from_raw_os_error(2));
        assert_eq!((fault.exit, fault.message.as_str()), (Exit::Io, "no such file or directory"));
    }

    #[test]
    fn our_own_words_survive_the_library() {
        let through = Error::from(Fault::usage("no terminal").hint("type this"));
        let fault = Fault::from(through);
        assert_eq!((fault.exit, fault.message.as_str()), (Exit::Usage, "no terminal"));
        assert_eq!(fault.hints, ["type this"]);
    }

    #[test]
    fn only_what_failed_in_writing_names_the_output() {
        let named = |error: fn(io::Error) -> Error, kind: ErrorKind| {
            Fault::from(error(kind.into())).about_output(Path::new("out")).about(Path::new("in"))
        };
        for kind in
            [ErrorKind::PermissionDenied, ErrorKind::NotFound, ErrorKind::StorageFull, ErrorKind::Other]
        {
            for (error, name) in [(Error::Io as fn(_) -> _, "\"in\": "), (Error::Output, "\"out\": ")] {
                let fault = named(error, kind);
                assert!(fault.exit == Exit::Io && fault.message.starts_with(name), "{fault:?}");
            }
        }
    }

    #[test]
    fn a_file_is_named_once() {
        let path = Path::new("a b");
        assert_eq!(Fault::io("is gone").about(path).message, "\"a b\": is gone");
        assert_eq!(Fault::io("\"b\" already exists").about(path).message, "\"b\" already exists");
    }
}

//! Errors as the user sees them: one sentence, hints to type next, and the exit code.

use sealmark::{Error, FileMisuse, KeyMisuse, Malformed, Part, RecordMisuse};
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

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

#[derive(Debug, Clone)]
pub struct Fault {
    pub exit: Exit,
    pub message: String,
    pub hints: Vec<String>,
    /// True if the output could not be made, written or named.
    of_output: bool,
    /// True where there was no room for it.
    full: bool,
    /// True where the input may be something else than the verb takes.
    of_input: bool,
    /// True where the message starts with the file, or with standard output, that it is about.
    named: bool,
    /// The key that was missing, where one was.
    pub lacks: Option<Lack>,
}

/// The key that a file needs and that was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    SecretKey,
    Passphrase,
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
        Self {
            exit,
            message: message.into(),
            hints: Vec::new(),
            of_output: false,
            full: false,
            of_input: false,
            named: false,
            lacks: None,
        }
    }

    /// True where the disk has no room, or its user may have no more of it.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Marks a fault of an input that may be something else than the verb takes.
    pub fn of_input(mut self) -> Self {
        self.of_input = true;
        self
    }

    pub fn is_of_input(&self) -> bool {
        self.of_input
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The message starts with the file that it is about.
    pub fn named(self) -> Self {
        Self { named: true, ..self }
    }

    /// Puts the file that was worked on in front, unless the message starts with one, or with standard output.
    pub fn about(self, path: &Path) -> Self {
        self.unless_named(&format!("{path:?}"))
    }

    /// Puts the thing that was worked on in front, unless the message starts with a file, or with standard output.
    pub fn unless_named(self, subject: &str) -> Self {
        if self.named { self } else { self.within(subject).named() }
    }

    /// The same for the output, if writing it was what failed.
    pub fn about_output(self, path: &Path) -> Self {
        if self.of_output { self.about(path) } else { self }
    }

    /// Does so for standard output.
    pub fn about_stdout(self) -> Self {
        if self.of_output && self.exit == Exit::Io { self.unless_named(STDOUT) } else { self }
    }

    /// An error of writing.
    pub fn output(error: io::Error) -> Self {
        Self { of_output: true, ..error.into() }
    }

    fn about_any(self, path: Option<&Path>) -> Self {
        match path {
            Some(path) => self.about(path),
            None => self,
        }
    }

    /// Puts what was done in front; the file that it was done to may come before that.
    pub fn within(mut self, subject: &str) -> Self {
        self.message = format!("{subject}: {}", self.message);
        self.named = false;
        self
    }
}

/// Standard output, as messages name it.
pub const STDOUT: &str = "standard output";

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
            Error::Read { path, error, .. } => Self::from(error).about_any(path.as_deref()),
            Error::Write { path, error, .. } => Self::output(error).about_any(path.as_deref()),
            Error::Spill { error, .. } => {
                Self::io(plain(&error)).hint("set TMPDIR to a directory that has room for it")
            }
            Error::InputChanged { path, .. } => {
                Self::io("the input changed while it was read").hint(STOP_WRITER).about_any(path.as_deref())
            }
            Error::Random { error, .. } => Self::from(error).within("no random numbers for new keys"),
            Error::OutOfMemory => Self::io(message).hint(PASSPHRASE_MEMORY),
            Error::Passphrase { error, .. } | Error::Plugin { error, .. } => match error.downcast::<Self>() {
                Ok(fault) => *fault,
                Err(_) => Self::no_key(message),
            },
            Error::Key(misuse) => with_hint(Self::usage(message), key_hint(&misuse)),
            Error::File(misuse) => {
                let fault = with_hint(Self::usage(message), file_hint(&misuse));
                if names_file(&misuse) { fault.named() } else { fault }
            }
            Error::Record(misuse) => with_hint(Self::usage(message), record_hint(&misuse)),
            Error::NoKey => Self { lacks: Some(Lack::SecretKey), ..Self::no_key(message) },
            Error::PassphraseNeeded => Self { lacks: Some(Lack::Passphrase), ..Self::no_key(message) },
            Error::WrongPassphrase => Self::no_key(message),
            Error::Malformed(Malformed::Version(version)) if version.ends_with('\r') => {
                Self::new(Exit::Damaged, "line endings were converted in transit (CR LF in place of LF)")
                    .hint("transfer the file again in binary mode")
            }
            Error::Malformed(malformed) => {
                let fault = with_hint(Self::new(Exit::Damaged, message), malformed_hint(&malformed));
                if malformed == Malformed::NotSealed { fault.of_input() } else { fault }
            }
            Error::Unsigned => Self::damaged(message).hint(
                "ask the sender to seal it with --sign, or leave out --from: the sender is then not checked",
            ),
            Error::UnknownSender => Self::damaged(message)
                .hint("if you know the sender's public key, add it to the file that --from names"),
            Error::Forwarded { .. } => Self::damaged(message)
                .hint("pass with -i the secret key that it was sealed to, or accept it with --forwarded"),
            Error::Tampered(Part::Detached) => {
                Self::damaged(message).hint("get the file and its signature again, from one source")
            }
            Error::Tampered(_) => Self::new(Exit::Damaged, message).hint(GET_AGAIN),
            _ => Self::new(Exit::Damaged, message),
        }
    }
}

/// The hint about a file that is not as it was written.
const GET_AGAIN: &str = "get the file again from where it was sealed";

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

/// Lets a sink called from inside the library fail with our own words.
impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        io::Error::other(fault).into()
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
        KeyMisuse::TooManyRecipients(_) => {
            "seal the file several times, or share one secret key in the group"
        }
        KeyMisuse::MixedRecipients => "ask for post-quantum keys, or accept the risk with --allow-mixed",
        KeyMisuse::NotInAge(_) => "leave out --age, or use a key made by `sealmark keygen --mode hybrid`",
        KeyMisuse::Labels => "seal the file to that recipient alone",
        KeyMisuse::PluginStanzas => "ask the authors of the plugin, or leave its recipient out",
        KeyMisuse::NotForLogs => "make a key for the log with `sealmark keygen -o key.txt`",
        KeyMisuse::SignedPassphrase => "seal it to public keys with -r or -R, or leave out --sign",
        KeyMisuse::SignedAge => {
            "leave out --age, or sign the sealed file: `sealmark seal --detached --sign KEY IN.age`"
        }
        KeyMisuse::WeakSender => "ask the sender for the public key again",
        KeyMisuse::KeyString(_) | KeyMisuse::WeakRecipient => {
            "pass a public key, as `sealmark keygen -y FILE` prints it"
        }
        _ => return None,
    })
}

fn file_hint(misuse: &FileMisuse) -> Option<&'static str> {
    Some(match misuse {
        FileMisuse::ReencryptNeeded | FileMisuse::FormatChange => {
            "add --reencrypt to encrypt the content again"
        }
        FileMisuse::ArmoredRange => "open the whole file, or seal it without -a",
        FileMisuse::Range { .. } => "leave out B to open everything from A on: --range A..",
        FileMisuse::OutputExists(_) => "choose another name with -o, or replace it with --force",
        FileMisuse::SameFile(_) => "choose another name with -o",
        FileMisuse::NotAFile(_) => "pass a regular file",
        FileMisuse::ReadsOnce(_) => "save it in a file first",
        FileMisuse::NotAnArchive => "decrypt it with `sealmark open` and without --into",
        FileMisuse::ArchiveStream => {
            "save it as a regular file without armor, or open all of it: sealmark open … | tar x"
        }
        FileMisuse::SignedStream => "save it as a regular file without armor, or write to a file with -o",
        FileMisuse::SignatureLost => "open the file, and seal it again with --sign",
        FileMisuse::SignByRekeying => "seal the content again with --sign",
        FileMisuse::TooManyEntries => "seal the folders in it one by one",
        FileMisuse::ArchiveInAge => "make one file of it: tar c DIR | sealmark seal --age",
        _ => return None,
    })
}

/// True where the library's message starts with a file.
fn names_file(misuse: &FileMisuse) -> bool {
    matches!(
        misuse,
        FileMisuse::OutputExists(_)
            | FileMisuse::SameFile(_)
            | FileMisuse::NotAFile(_)
            | FileMisuse::ReadsOnce(_)
    )
}

fn record_hint(misuse: &RecordMisuse) -> Option<&'static str> {
    Some(match misuse {
        RecordMisuse::Label(_) => "rename the field, or find it with --regex '(?<NAME>…)'",
        RecordMisuse::ValueTooLong(_) => "drop the field, or cut its value before it is logged",
        RecordMisuse::Padding(_) => {
            "choose a smaller padding: it hides the lengths of values of similar length"
        }
        RecordMisuse::SessionEnded | RecordMisuse::SessionForked => "begin another log session",
        RecordMisuse::UnknownSession(_) => {
            "pass another key with -i, or a file with the header of the session with --side-file"
        }
        _ => return None,
    })
}

fn malformed_hint(malformed: &Malformed) -> Option<&'static str> {
    Some(match malformed {
        Malformed::NotSealed => {
            "is it a sealed log? then write `log` before the verb, as in `sealmark log open`; otherwise check the file name"
        }
        Malformed::Version(_) => "a newer sealmark may read it",
        Malformed::Header(_) | Malformed::Payload(_) | Malformed::Archive(_) => GET_AGAIN,
        Malformed::Armor(_) => {
            "leave only the lines from BEGIN to END, or get the file again from where it was sealed"
        }
        Malformed::Signature(_) => "pass the file that `sealmark seal --detached` wrote",
        Malformed::KdfCost { .. } => "the file may be an attempt to exhaust this machine; ask its sender",
        _ => return None,
    })
}

const STOP_WRITER: &str = "stop the program that writes to the file, or encrypt its present content with `sealmark seal < IN > OUT`";

const PASSPHRASE_MEMORY: &str =
    "a passphrase needs 256 MiB of memory, and up to 1 GiB for a file from elsewhere: see `ulimit -v`";

fn io_hint(error: &io::Error) -> Option<&'static str> {
    Some(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or choose another place with -o",
        ErrorKind::FileTooLarge => {
            "raise the limit of this shell (`ulimit -f`), or write to another file system"
        }
        ErrorKind::BrokenPipe => "the program that reads the output ended early",
        _ => return None,
    })
}

/// The operating system's message in our style: lower case, without "(os error 2)".
pub fn plain(error: &io::Error) -> String {
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
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
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
        let named = |error: fn(io::Error) -> Fault, kind: ErrorKind| {
            error(kind.into()).about_output(Path::new("out")).about(Path::new("in"))
        };
        for kind in
            [ErrorKind::PermissionDenied, ErrorKind::NotFound, ErrorKind::StorageFull, ErrorKind::Other]
        {
            for (error, name) in [(Fault::from as fn(_) -> _, "\"in\": "), (Fault::output, "\"out\": ")] {
                let fault = named(error, kind);
                assert!(fault.exit == Exit::Io && fault.message.starts_with(name), "{fault:?}");
            }
        }
    }

    #[test]
    fn a_file_is_named_once() {
        let path = Path::new("a b");
        assert_eq!(Fault::io("is gone").about(path).message, "\"a b\": is gone");
        assert_eq!(Fault::io("is gone").about(path).about(Path::new("b")).message, "\"a b\": is gone");
        assert_eq!(Fault::io("\"b\" already exists").named().about(path).message, "\"b\" already exists");
        let known = Fault::from(Error::from(FileMisuse::OutputExists("b".into())));
        assert_eq!(known.about(path).message, "\"b\" already exists");
    }

    /// A value in quotes was once taken for a file, so that nobody learned which file had it.
    #[test]
    fn a_message_that_starts_with_a_quoted_value_is_not_about_a_file() {
        let fault =
            Fault::from(Error::from(RecordMisuse::SessionId("a b".into()))).about(Path::new("in.log"));
        assert!(fault.message.starts_with("\"in.log\": \"a b\" is not "), "{fault}");
        let named = Fault::usage("standard output: a line of the input").about(Path::new("in.log"));
        assert!(named.message.starts_with("\"in.log\": "), "{named}");
    }

    #[test]
    fn what_the_library_names_is_not_named_again() {
        let [input, output] = ["missing/in", "missing/out"].map(Path::new);
        let read = Fault::from(sealmark::inspect_file(input).unwrap_err());
        assert_eq!(read.about(Path::new("other")).message, "\"missing/in\": no such file or directory");
        let made = sealmark::Output::create(output, sealmark::Existing::Refuse).err().unwrap();
        let named = Fault::from(made).about_output(output).about(input);
        assert_eq!(named.message, "\"missing/out\": no such file or directory");
    }
}

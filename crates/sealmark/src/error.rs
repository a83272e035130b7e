//! Errors, sorted by who is at fault.

use crate::suite::Kem;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of this crate. [`Error::is_misuse`] is true if the caller asked for something that cannot be done.
///
/// The message includes that of the system's error. [`source`](std::error::Error::source) therefore returns `None`:
/// a reporter that prints the chain would print the cause twice. A program finds the cause in the variant.
///
/// ```
/// use sealmark::{Error, Format, Job, OpenWith, Passphrase, SealTo, seal_file, verify_file};
/// use std::io::ErrorKind;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let [plain, sealed, missing] = ["plain", "sealed", "missing"].map(|name| directory.path().join(name));
/// # std::fs::write(&plain, "private")?;
/// # let words = |words: &str| Passphrase::new(words.into());
/// # seal_file(&plain, &sealed, &SealTo::passphrase(Format::Sealmark, words("correct")), &Job::default())?;
/// let with = OpenWith::passphrase(Passphrase::new("horse".into()));
/// match verify_file(&sealed, &with, &Job::default()) {
///     Err(Error::WrongPassphrase) => eprintln!("wrong passphrase, try again"),
///     Err(Error::Tampered(part)) => eprintln!("the {part} was altered"),
///     other => drop(other?),
/// }
/// match verify_file(&missing, &with, &Job::default()) {
///     Err(Error::Read { path, error, .. }) if error.kind() == ErrorKind::NotFound => {
///         assert_eq!(path, Some(missing));
///     }
///     other => drop(other?),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller named a key that cannot be used; with another one the call would succeed.
    #[error(transparent)]
    Key(#[from] KeyMisuse),
    /// The caller asked for something that a file does not allow.
    #[error(transparent)]
    File(#[from] FileMisuse),
    /// The caller asked for something that a log session does not allow.
    #[error(transparent)]
    Record(#[from] RecordMisuse),
    /// The input could not be read.
    #[error("cannot read {}: {error}", shown(path, "the input"))]
    #[non_exhaustive]
    Read {
        /// The file, where it was named by its path.
        path: Option<PathBuf>,
        /// The system's error, or that of the caller's reader.
        error: io::Error,
    },
    /// The output could not be made, written or named.
    #[error("cannot write {}: {error}", shown(path, "the output"))]
    #[non_exhaustive]
    Write {
        /// The file, where it was named by its path.
        path: Option<PathBuf>,
        /// The system's error, or that of the caller's writer.
        error: io::Error,
    },
    /// The temporary file for the index of an archive could not be made, written or read.
    #[error("cannot use a temporary file for the index: {error}")]
    #[non_exhaustive]
    Spill {
        /// The system's error, or that of the caller who makes the file.
        error: io::Error,
    },
    /// Another program wrote to the input, or cut it short, while it was read.
    #[error("{} changed while it was read", shown(path, "the input"))]
    #[non_exhaustive]
    InputChanged {
        /// The file, where it was named by its path.
        path: Option<PathBuf>,
    },
    /// The operating system gives no random numbers, so there are no new keys.
    #[error("no random numbers for new keys: {error}")]
    #[non_exhaustive]
    Random {
        /// The system's error.
        error: io::Error,
    },
    /// There is not enough memory for Argon2id or scrypt, which turn a passphrase into a key.
    #[error("out of memory for the passphrase")]
    OutOfMemory,
    /// None of the secret keys that were given opens this file.
    #[error("no secret key that was given opens this file")]
    NoKey,
    /// The file, or the SSH key in it, is sealed with a passphrase, and none was given.
    #[error("this file needs a passphrase, and none was given")]
    PassphraseNeeded,
    /// The file, or the SSH key in it, is sealed with another passphrase.
    #[error("wrong passphrase")]
    WrongPassphrase,
    /// The callback of [`OpenWith::ask_passphrase`](crate::OpenWith::ask_passphrase) returned an error.
    #[error("cannot get the passphrase: {error}")]
    #[non_exhaustive]
    Passphrase {
        /// The caller's error.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A plugin failed; [`Plugins`](crate::Plugins) returned this error.
    #[error("{error}")]
    #[non_exhaustive]
    Plugin {
        /// The caller's error.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A signature was demanded, and the file has none.
    #[error("the file is not signed")]
    Unsigned,
    /// The file is signed, but by none of the senders who were named. Nothing was verified.
    #[error("no known sender signed the file")]
    UnknownSender,
    /// The signature is valid, but its sender sealed the file to other keys than those that were given.
    #[error("the sender sealed this file to others, and somebody forwarded it")]
    #[non_exhaustive]
    Forwarded {
        /// The place of the sender in the list that was given.
        sender: usize,
    },
    /// The input breaks the grammar of its format, or one of its bounds.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Authentication failed. Nothing more is said: detail would serve only an attacker.
    #[error("{}", tampered(.0))]
    Tampered(Part),
}

/// A recipient or a key string that cannot be used.
///
/// [`Error`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyMisuse {
    /// No recipient was given.
    #[error("no recipient given")]
    NoRecipients,
    /// More recipients than a header may have; holds the limit.
    #[error("more than {0} recipients")]
    TooManyRecipients(usize),
    /// Classic and post-quantum recipients in one file: the classic one undoes the other.
    #[error("post-quantum and classic recipients in one file would leave it open to quantum computers")]
    MixedRecipients,
    /// age v1 has no stanza for this KEM.
    #[error("the age format does not support {0} keys")]
    NotInAge(Kem),
    /// A text that is not a key; the message names the fault and never the text.
    #[error("{0}")]
    KeyString(&'static str),
    /// The recipient's public key is degenerate: anyone can decrypt data that is sealed to it.
    #[error("the recipient's public key is degenerate and protects nothing")]
    WeakRecipient,
    /// The recipient of a plugin of age, and no way to run it; holds the plugin's name.
    #[error("the recipient needs the plugin {0}, but this program runs no plugins")]
    PluginNeeded(String),
    /// A plugin returned stanzas that no header can hold.
    #[error("a plugin returned stanzas that are not valid in this file")]
    PluginStanzas,
    /// Plugins attached labels to their stanzas, and the labels differ.
    #[error("a plugin does not allow its recipient together with the others in one file")]
    Labels,
    /// A key for files only, such as an SSH key, as a reader of a log.
    #[error("SSH keys and plugin keys cannot be used for logs")]
    NotForLogs,
    /// The sender's public key is degenerate: it verifies signatures that nobody made.
    #[error("the sender's public key is degenerate and proves nothing")]
    WeakSender,
    /// A signature names public keys as those whom the sender means, and a file with a passphrase has none.
    #[error("a file with a passphrase cannot be signed")]
    SignedPassphrase,
    /// The age format has no signatures.
    #[error("the age format has no signatures")]
    SignedAge,
    /// Unknown name of a KEM or a mode.
    #[error("unknown key type {0:?}")]
    UnknownName(String),
}

/// A file or payload that cannot be read or written as it was asked for.
///
/// [`Error`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileMisuse {
    /// A header sealed to a classic or unknown key cannot be made post-quantum by rewriting it.
    #[error(
        "a file that was sealed to a classic or unknown key cannot become post-quantum by a new header alone"
    )]
    ReencryptNeeded,
    /// The two files are of different formats, so the payload cannot be carried over.
    #[error("re-keying cannot change the format of a file")]
    FormatChange,
    /// The range ends before it starts, or does not lie within the plaintext.
    #[error("{}", range_fault(*start, *end, *length))]
    #[non_exhaustive]
    Range {
        /// First byte of the requested range.
        start: u64,
        /// First byte after the requested range.
        end: u64,
        /// Length of the plaintext in bytes.
        length: u64,
    },
    /// Armored files have no fixed offsets, so they cannot be opened in place.
    #[error("byte ranges cannot be read from an armored file")]
    ArmoredRange,
    /// The output exists and the caller did not allow replacing it.
    #[error("{0:?} already exists")]
    OutputExists(PathBuf),
    /// Input and output are the same file.
    #[error("{0:?} is both input and output")]
    SameFile(PathBuf),
    /// A directory (or another thing that holds no bytes) where a file was expected.
    #[error("{0:?} is not a regular file")]
    NotAFile(PathBuf),
    /// A pipe or a similar input, which can be read only once, for an operation that reads its input twice.
    #[error("{0:?} is a pipe, but a regular file is needed, because it is read twice")]
    ReadsOnce(PathBuf),
    /// A sealed file that is not an archive, where one is needed.
    #[error("the file is sealed, but it is not an archive")]
    NotAnArchive,
    /// An archive that is armored or is not a regular file: its index is at its end.
    #[error("the index of an archive cannot be read first if the archive is armored or comes from a pipe")]
    ArchiveStream,
    /// The age format has no archives.
    #[error("the age format has no archives")]
    ArchiveInAge,
    /// The entries of an archive do not come in the order of their paths; holds the path that came too late.
    #[error("the entry {0:?} is out of order")]
    EntryOrder(PathBuf),
    /// An entry that an archive may not have ([`Entry::check`](crate::archive::Entry::check)); holds its path.
    #[error("the entry {0:?} is not allowed in an archive")]
    Entry(PathBuf),
    /// More entries than the table of an index can hold.
    #[error("the archive would have too many entries")]
    TooManyEntries,
    /// A signature that was demanded, of a file that is read in order and whose plaintext is not held back.
    #[error(
        "the signature is at the end of the file, so a stream cannot be verified before its content leaves"
    )]
    SignedStream,
    /// A new file key for a signed file: the signature covers the old one.
    #[error("the signature would be lost with a new file key")]
    SignatureLost,
    /// A signature by a new header alone: it follows the content.
    #[error("re-keying cannot sign a file")]
    SignByRekeying,
    /// More plaintext than one key and nonce may seal; holds the limit in bytes.
    #[error("the input is longer than {0} bytes, the limit of AES-GCM with one key")]
    TooLong(u64),
}

fn range_fault(start: u64, end: u64, length: u64) -> String {
    if start > end {
        format!("the range starts at {start}, but ends at {end}")
    } else {
        format!("the range ends at {end}, but the content has {length} bytes")
    }
}

/// A value of a log, or a session, that cannot be used as it was asked for.
///
/// [`Error`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordMisuse {
    /// A text that is not a label of a log value; holds the text, or its beginning.
    #[error("the label {0:?} is not 1 to 64 letters, digits, dots, underscores or hyphens")]
    Label(String),
    /// A value longer than a token may hold; holds the limit in bytes, which is lower with padding.
    #[error("the value is longer than {0} bytes, the limit of a token")]
    ValueTooLong(usize),
    /// Not one JSON text on one line.
    #[error("the value is not a single JSON value on one line")]
    NotJson,
    /// A padding that is too large for any value; holds the limit in bytes.
    #[error("the padding is not a number from 1 to {0}")]
    Padding(usize),
    /// The log session was closed, or has sealed all the values it may; begin another.
    #[error("the log session has ended")]
    SessionEnded,
    /// The process was forked since the log session began; begin another in the child.
    #[error("the log session belongs to the parent process")]
    SessionForked,
    /// A text that is not the id of a log session; holds the text, or its beginning.
    #[error("{0:?} is not the id of a log session: 16 letters, digits, hyphens or underscores")]
    SessionId(String),
    /// No header of this log session has been read, or none that opens.
    #[error("no key opens log session {0}, or its header is missing")]
    UnknownSession(String),
}

/// A rule of the format that the input breaks.
///
/// [`Error`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Neither a `sealmark/1` nor an age file, armored or not.
    #[error("neither a sealmark nor an age file")]
    NotSealed,
    /// A version of a known format that this library does not read.
    #[error("unsupported version {0:?}")]
    Version(String),
    /// The text header; says which rule it breaks.
    #[error("malformed header: {0}")]
    Header(&'static str),
    /// The ASCII armor; says which rule it breaks.
    #[error("malformed armor: {0}")]
    Armor(&'static str),
    /// The payload; says which rule it breaks.
    #[error("malformed payload: {0}")]
    Payload(&'static str),
    /// An archive or its index; says which rule it breaks.
    #[error("malformed archive: {0}")]
    Archive(&'static str),
    /// A signature that stands beside its file; says which rule it breaks.
    #[error("malformed signature: {0}")]
    Signature(&'static str),
    /// The file asks for more key-derivation work than the reader's limit.
    #[error("the file asks for too much work to check a passphrase: {asked}")]
    KdfCost {
        /// The work that the file asks for, in the words of its stanza.
        asked: String,
    },
}

/// The part of a file whose authentication failed.
///
/// [`Error`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The header's MAC.
    Header,
    /// The payload's commitment or one of its chunks.
    Payload,
    /// A value inside a log line, or a closing token.
    Token,
    /// The index of an archive, because it does not match the archive.
    Index,
    /// The signature of a sealed file.
    Signature,
    /// A plain file, because it does not match the signature beside it.
    Detached,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "header",
            Self::Payload => "payload",
            Self::Token => "token",
            Self::Index => "index",
            Self::Signature => "signature",
            Self::Detached => "signature beside the file",
        })
    }
}

/// A payload that ends within a chunk looks like an altered one.
fn tampered(part: &Part) -> String {
    match part {
        Part::Payload => format!("the {part} was altered, damaged or truncated"),
        Part::Index => "the archive does not match its index: one of them was altered".to_owned(),
        Part::Signature => "the signature does not match the file: one of them was altered".to_owned(),
        Part::Detached => "the signature was made for other content, or was altered".to_owned(),
        Part::Header | Part::Token => format!("the {part} was altered or damaged"),
    }
}

impl Error {
    /// True if the caller asked for something that cannot be done; a corrected call would succeed.
    pub fn is_misuse(&self) -> bool {
        matches!(self, Self::Key(_) | Self::File(_) | Self::Record(_))
    }

    /// An error of the side that is written to.
    pub(crate) fn output(error: impl Into<Self>) -> Self {
        match error.into() {
            Self::Read { path: None, error } => Self::Write { path: None, error },
            other => other,
        }
    }

    /// Adds the names of the files that a job works on. The code that reads or writes knows the side only; the job knows the file.
    pub(crate) fn between(self, input: Option<&Path>, output: Option<&Path>) -> Self {
        let name = |path: Option<&Path>| path.map(Path::to_owned);
        match self {
            Self::Read { path: None, error } => Self::Read { path: name(input), error },
            Self::InputChanged { path: None } => Self::InputChanged { path: name(input) },
            Self::Write { path: None, error } => Self::Write { path: name(output), error },
            other => other,
        }
    }

    /// The kind that says most about it to a caller who knows only [`io::Error`].
    fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Read { error, .. }
            | Self::Write { error, .. }
            | Self::Spill { error }
            | Self::Random { error } => error.kind(),
            Self::InputChanged { .. } => io::ErrorKind::ResourceBusy,
            Self::OutOfMemory => io::ErrorKind::OutOfMemory,
            Self::Passphrase { .. } | Self::Plugin { .. } => io::ErrorKind::Other,
            misuse if misuse.is_misuse() => io::ErrorKind::InvalidInput,
            _ => io::ErrorKind::InvalidData,
        }
    }
}

fn shown(path: &Option<PathBuf>, otherwise: &str) -> String {
    path.as_ref().map_or_else(|| otherwise.to_owned(), |path| format!("{path:?}"))
}

/// An [`Error`] that travelled inside an [`io::Error`] (through `Read` or `Write`) comes out again. Any other error becomes
/// [`Error::Read`] without a path.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(inner) => inner,
            Err(error) => Self::Read { path: None, error },
        }
    }
}

/// With the kind of the cause, where there is one.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error)
    }
}

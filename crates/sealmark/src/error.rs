//! What can go wrong, sorted by who is at fault.

use std::{fmt, io, path::PathBuf};

use crate::key::Kem;

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation failed. The first variant is the caller's fault, the last two the file's.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The caller asked for something that cannot be done; another call would succeed.
    Misuse(Misuse),
    /// The input could not be read, or the operating system failed us otherwise.
    Io(io::Error),
    /// The output could not be made, written or named.
    Output(io::Error),
    /// No identity and no passphrase that was offered opens this file.
    NoKey,
    /// The input breaks the grammar of its format, or one of its bounds.
    Malformed(Malformed),
    /// Authentication failed. Nothing more is said: detail would serve only an attacker.
    Tampered(Part),
}

/// A request that cannot be fulfilled as it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// A file must be sealed to somebody.
    NoRecipients,
    /// More recipients than a header may carry; the limit.
    TooManyRecipients(usize),
    /// Classic and post-quantum recipients in one file: the classic one undoes the other.
    MixedRecipients,
    /// age v1 has no stanza for this KEM.
    NotInAge(Kem),
    /// Not a key string; says what is wrong with it, never what it holds.
    KeyString(&'static str),
    /// The recipient's public key is degenerate: everybody can derive what is sealed to it.
    WeakRecipient,
    /// Unknown name of a KEM or a mode.
    UnknownName(String),
    /// A header sealed to a classic key cannot be made post-quantum by rewriting it.
    ReencryptNeeded,
    /// The two files are of different formats, so the payload cannot be carried over.
    FormatChange,
    /// The range does not lie within the plaintext.
    RangeBeyondEnd {
        /// First byte after the requested range.
        end: u64,
        /// Length of the plaintext in bytes.
        length: u64,
    },
    /// Armored files have no fixed offsets, so they cannot be opened in place.
    ArmoredRange,
    /// The output exists and the caller did not allow replacing it.
    OutputExists(PathBuf),
    /// Input and output are the same file.
    SameFile(PathBuf),
    /// A directory (or another thing that holds no bytes) where a file was expected.
    NotAFile(PathBuf),
    /// A pipe or the like, which gives its bytes once, where the input has to be read twice.
    ReadsOnce(PathBuf),
    /// More plaintext than one key and nonce may seal; the limit in bytes.
    TooLong(u64),
    /// Not a label of a record's value; what was given, or its beginning.
    Label(String),
    /// A value longer than a token may hold; the limit in bytes, less for padded ones.
    ValueTooLong(usize),
    /// Not one JSON text on one line.
    NotJson,
    /// A padding that no value fits into; the limit in bytes.
    Padding(usize),
    /// The log session was closed, or has sealed all the values it may; begin another.
    SessionEnded,
    /// The process was forked since the log session began; begin another in the child.
    SessionForked,
    /// No header of this log session has been read, or none that opens.
    UnknownSession(String),
}

/// How an input breaks its format.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// Neither a `sealmark/1` nor an age file, armored or not.
    NotSealed,
    /// A version of a known format that this library does not read.
    Version(String),
    /// The text header; says which rule it breaks.
    Header(&'static str),
    /// The ASCII armor; says which rule it breaks.
    Armor(&'static str),
    /// The payload; says which rule it breaks.
    Payload(&'static str),
    /// The file asks for more key-derivation work than the reader's limit.
    KdfCost {
        /// What the file asks for, in the words of its stanza.
        asked: String,
    },
}

/// The part of a file whose authentication failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The header's MAC.
    Header,
    /// The payload's commitment or one of its chunks.
    Payload,
    /// A value inside a log line, or a closing token.
    Token,
}

impl Error {
    /// An error of the side that is written to.
    pub(crate) fn output(error: impl Into<Self>) -> Self {
        match error.into() {
            Self::Io(error) => Self::Output(error),
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse(misuse) => misuse.fmt(f),
            Self::Io(error) | Self::Output(error) => error.fmt(f),
            Self::NoKey => f.write_str("no identity or passphrase fits this file"),
            Self::Malformed(malformed) => malformed.fmt(f),
            Self::Tampered(Part::Header) => f.write_str("the header was altered or damaged"),
            Self::Tampered(Part::Payload) => f.write_str("the payload was altered or damaged"),
            Self::Tampered(Part::Token) => f.write_str("the token was altered or damaged"),
        }
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecipients => f.write_str("no recipient to seal to"),
            Self::TooManyRecipients(limit) => write!(f, "more than {limit} recipients"),
            Self::MixedRecipients => f.write_str(
                "post-quantum and classic recipients in one file would leave it open to quantum computers",
            ),
            Self::NotInAge(kem) => write!(f, "the age format has no recipients of type {kem}"),
            Self::KeyString(why) => write!(f, "not a key: {why}"),
            Self::WeakRecipient => {
                f.write_str("the recipient's public key is degenerate and protects nothing")
            }
            Self::UnknownName(name) => write!(f, "unknown key type {name:?}"),
            Self::ReencryptNeeded => {
                f.write_str("a new header cannot make a file post-quantum that was sealed to a classic key")
            }
            Self::FormatChange => f.write_str("re-keying cannot change the format of a file"),
            Self::RangeBeyondEnd { end, length } => {
                write!(f, "the range ends at {end} but the plaintext has {length} bytes")
            }
            Self::ArmoredRange => f.write_str("an armored file has no byte ranges"),
            Self::OutputExists(path) => write!(f, "{path:?} exists already"),
            Self::SameFile(path) => write!(f, "{path:?} is both input and output"),
            Self::NotAFile(path) => write!(f, "{path:?} is not a file"),
            Self::ReadsOnce(path) => write!(f, "{path:?} cannot be read twice"),
            Self::TooLong(limit) => write!(f, "more than the {limit} bytes that AES-GCM can seal at once"),
            Self::Label(name) => {
                write!(f, "{name:?} is not 1 to 64 letters, digits, dots, underscores or hyphens")
            }
            Self::ValueTooLong(limit) => write!(f, "more than the {limit} bytes that a token can hold"),
            Self::NotJson => f.write_str("not one JSON text on one line"),
            Self::Padding(limit) => write!(f, "a padding is to a multiple of 1 to {limit} bytes"),
            Self::SessionEnded => f.write_str("the log session has ended"),
            Self::SessionForked => f.write_str("the log session belongs to the parent process"),
            Self::UnknownSession(id) => write!(f, "no header that opens was read for log session {id}"),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSealed => f.write_str("neither a sealmark nor an age file"),
            Self::Version(version) => write!(f, "unsupported version {version:?}"),
            Self::Header(why) => write!(f, "malformed header: {why}"),
            Self::Armor(why) => write!(f, "malformed armor: {why}"),
            Self::Payload(why) => write!(f, "malformed payload: {why}"),
            Self::KdfCost { asked } => write!(f, "the passphrase stanza asks for too much work: {asked}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) | Self::Output(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Misuse> for Error {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// An [`Error`] that travelled inside an [`io::Error`] (through `Read` or `Write`) comes out again.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(inner) => inner,
            Err(error) => Self::Io(error),
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) | Error::Output(error) => error,
            Error::Misuse(_) => Self::new(io::ErrorKind::InvalidInput, error),
            _ => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

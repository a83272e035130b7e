//! What can be typed, and the help that explains it.

use crate::fault::Fault;
use crate::log::args::Log;
use clap::{Args, Parser, Subcommand};
use sealmark::{Error, Existing, Kem, Misuse, Mixing, Mode};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

/// Seal files so that only the holders of chosen keys can open them, now and after quantum computers.
///
/// `sealmark keygen` makes a key pair: the identity stays with you, the recipient (public key) goes to
/// whoever should seal files for you. Keys and files of age (age-encryption.org) are understood too.
#[derive(Parser)]
#[command(name = "sealmark", version, max_term_width = 100, after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  sealmark keygen -o key.txt                   make a key pair
  sealmark keygen -y key.txt > friends.txt     list its public key
  sealmark seal -R friends.txt report.pdf      write report.pdf.sealed
  sealmark open -i key.txt report.pdf.sealed   write report.pdf
  tar c src | sealmark seal -p -o src.sealed   seal a stream with a passphrase
  sealmark open src.sealed -o - | tar x        and open it again

Exit codes:
  0 done, 1 usage, 2 input or output, 3 no key fits, 4 damaged or tampered";

#[derive(Subcommand)]
pub enum Verb {
    Keygen(Keygen),
    Seal(Seal),
    Open(Open),
    Inspect(Inspect),
    Verify(Verify),
    Rekey(Rekey),
    Log(Log),
    Completions(Completions),
    Man(Man),
}

/// Make a key pair, or print the public key of one
///
/// The identity file holds the secret key: whoever has it opens your files. It is written for its owner
/// alone and never over another file. Without -o it goes to standard output.
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealmark keygen -o key.txt              hybrid: safe while one of its halves is
  sealmark keygen --mode ecc -o key.txt   short keys, broken by quantum computers
  sealmark keygen -p -o key.txt           locked with a passphrase
  sealmark keygen -y key.txt              print the public key

Key encapsulations (--kem):
  ecc     X25519 (default), P-256
  pqc     ML-KEM-768 (default), ML-KEM-1024
  hybrid  MLKEM768-X25519 (default), MLKEM768-P256, MLKEM1024-P384
  X25519 and MLKEM768-X25519 keys are age keys and work there.")]
pub struct Keygen {
    /// Family of the key: ecc, pqc or hybrid; or psk, a key that writers and readers of a log share
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = mode)]
    pub mode: KeyMode,
    /// Exact key encapsulation, by name (see below)
    #[arg(long, value_name = "NAME", conflicts_with = "mode", value_parser = kem)]
    pub kem: Option<Kem>,
    /// Protect the identity file with a passphrase
    #[arg(short, long)]
    pub passphrase: bool,
    #[command(flatten)]
    pub source: PassphraseSource,
    /// Print the public keys of this identity file ("-": standard input) instead of making a key
    #[arg(short = 'y', value_name = "FILE", conflicts_with_all = ["mode", "kem", "passphrase"])]
    pub public_of: Option<PathBuf>,
    /// Write to this file ("-": standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What `--mode` can ask for.
#[derive(Clone, Copy)]
pub enum KeyMode {
    Pair(Mode),
    PreShared,
}

/// Seal files for recipients, or with a passphrase
///
/// Every recipient can open the file alone. Named files become IN.sealed (IN.age with --age); without a
/// file, standard input is sealed to standard output.
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealmark seal -r age1… notes.txt                 write notes.txt.sealed
  sealmark seal -R friends.txt -R me.txt *.pdf     several files and lists
  sealmark seal --age -a -r age1… < in > out.age   armored, for users of age
  sealmark seal -p --passphrase-file pw x.tar      unattended")]
pub struct Seal {
    #[command(flatten)]
    pub to: To,
    /// Seal with a passphrase, and to nobody beside it
    #[arg(short, long, conflicts_with_all = ["recipients", "recipients_files"])]
    pub passphrase: bool,
    /// Write the age v1 format instead of our own
    #[arg(long)]
    pub age: bool,
    /// Write text that survives mail and copy-and-paste
    #[arg(short, long)]
    pub armor: bool,
    #[command(flatten)]
    pub source: PassphraseSource,
    #[command(flatten)]
    pub out: Out,
    #[command(flatten)]
    pub work: Work,
    /// Files to seal ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Open sealed files, ours and age's
///
/// X.sealed (or X.age) becomes X; without a file, standard input is opened to standard output. A file
/// appears under its name only when all of it has been authenticated. What goes to a stream is written as
/// it is opened: where the input turns out to be damaged, what was whole before the damage has been written
/// already. An input that was cut short gives nothing, unless it is armored or a stream itself.
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealmark open -i key.txt report.pdf.sealed        write report.pdf
  sealmark open backup.tar.sealed                   ask for the passphrase
  sealmark open -i key.txt --range ..512 x.sealed   the first 512 bytes
  ssh host cat x.sealed | sealmark open -i key.txt | tar x")]
pub struct Open {
    #[command(flatten)]
    pub with: With,
    /// Open only bytes A up to but not including B ("A..", "..B" too), to standard output unless -o
    #[arg(long, value_name = "A..B")]
    pub range: Option<ByteRange>,
    #[command(flatten)]
    pub out: Out,
    #[command(flatten)]
    pub work: Work,
    /// Files to open ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Tell what a sealed file says about itself, without a key
///
/// Nothing of this is authenticated: `sealmark verify` checks it.
#[derive(Args)]
#[command(after_help = "\
JSON: one flat object per file and line, with these keys:
  file             name as given, \"-\" for standard input
  format           \"sealmark/1\" or \"age-encryption.org/v1\"
  armored          whether it is text
  passphrase       whether a passphrase opens it
  post_quantum     whether every way in resists quantum computers
  recipients       number of stanzas, each one way in
  stanzas          their names, separated by spaces
  kems             their key encapsulations, separated by spaces (\"?\" where unknown)
  header_bytes     length of the header
  payload_bytes    length of what follows it
  plaintext_bytes  length of the sealed content
  chunks           number of chunks
  chunk_bytes      plaintext bytes of a full chunk")]
pub struct Inspect {
    /// Print JSON (keys below)
    #[arg(long)]
    pub json: bool,
    /// Files to look at ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Check that sealed files are whole and unaltered, writing nothing
#[derive(Args)]
#[command(after_help = "\
Example:
  sealmark verify -i key.txt backups/*.sealed")]
pub struct Verify {
    #[command(flatten)]
    pub with: With,
    #[command(flatten)]
    pub work: Work,
    /// Files to check ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Change who can open sealed files, without opening their content
///
/// Only the header is rewritten, in place unless -o is given; the recipients named here replace all
/// former ones. This revokes nobody who has opened the file or kept a copy of it: --reencrypt takes a
/// new file key and seals the content anew, and is demanded when going from classic to post-quantum keys.
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealmark rekey -i key.txt -R team.txt *.sealed       new list of recipients
  sealmark rekey -i me.txt -R me --reencrypt a.sealed  and a new file key")]
pub struct Rekey {
    #[command(flatten)]
    pub with: OldKeys,
    #[command(flatten)]
    pub to: To,
    /// Seal with a passphrase, and to nobody beside it
    #[arg(short, long, conflicts_with_all = ["recipients", "recipients_files"])]
    pub passphrase: bool,
    /// Read the new passphrase (with -p) from the first line of this file
    #[arg(long, value_name = "FILE")]
    pub new_passphrase_file: Option<PathBuf>,
    /// Take a new file key and seal the content anew
    #[arg(long)]
    pub reencrypt: bool,
    /// Write here and leave IN as it is
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(short, long, requires = "output")]
    pub force: bool,
    #[command(flatten)]
    pub work: Work,
    /// Sealed files
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// Print a completion script for a shell
#[derive(Args)]
#[command(after_help = "\
Example:
  sealmark completions bash > /etc/bash_completion.d/sealmark")]
pub struct Completions {
    /// Name of the shell
    pub shell: clap_complete::Shell,
}

/// Print the manual page, or write all of them into a directory
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealmark man | man -l -
  sealmark man /usr/local/share/man/man1")]
pub struct Man {
    /// Directory for sealmark.1, sealmark-seal.1, …
    pub dir: Option<PathBuf>,
}

/// Whom to seal to.
#[derive(Args, Clone)]
pub struct To {
    /// Seal to this public key (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT")]
    pub recipients: Vec<String>,
    /// Seal to the public keys in this file, one a line, "#" for comments ("-": standard input; repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "FILE")]
    pub recipients_files: Vec<PathBuf>,
    /// Accept classic beside post-quantum recipients: what is sealed is then only as safe as the classic ones
    #[arg(long)]
    pub allow_mixed: bool,
}

impl To {
    /// Refuses to seal for nobody, and a passphrase that is given and not used: it would leave a file open that looks
    /// locked.
    pub fn check(&self, passphrase: bool, given: bool) -> Result<(), Fault> {
        match (self.names_someone(), passphrase) {
            (true, _) if given => {
                Err(unused_passphrase().hint("add -p in place of -r and -R, or leave out the passphrase"))
            }
            (false, false) if given => Err(unused_passphrase().hint("add -p")),
            (false, false) => Err(Error::from(Misuse::NoRecipients).into()),
            _ => Ok(()),
        }
    }

    pub fn names_someone(&self) -> bool {
        !self.recipients.is_empty() || !self.recipients_files.is_empty()
    }

    pub fn mixing(&self) -> Mixing {
        if self.allow_mixed { Mixing::Allow } else { Mixing::Refuse }
    }
}

/// What to open with.
#[derive(Args)]
pub struct With {
    /// Open with the secret keys in this file ("-": standard input; repeatable); it may ask for its passphrase
    #[arg(short, long = "identity", value_name = "FILE")]
    pub identities: Vec<PathBuf>,
    /// Ask for the passphrase of a file that needs one, though -i is given (without -i it is asked for by itself)
    #[arg(short, long)]
    pub passphrase: bool,
    #[command(flatten)]
    pub source: PassphraseSource,
}

/// What to re-key with; -p belongs to the new recipients there.
#[derive(Args)]
pub struct OldKeys {
    /// Open with the secret keys in this file ("-": standard input; repeatable)
    #[arg(short, long = "identity", value_name = "FILE")]
    pub identities: Vec<PathBuf>,
    #[command(flatten)]
    pub source: PassphraseSource,
}

/// Where a passphrase comes from when nobody sits at the terminal.
#[derive(Args)]
pub struct PassphraseSource {
    /// Read the passphrase from the first line of this file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Read the passphrase from the first line of this file descriptor (0: a line in front of the data)
    #[arg(long, value_name = "N", conflicts_with = "passphrase_file")]
    pub passphrase_fd: Option<u16>,
}

impl PassphraseSource {
    pub fn is_given(&self) -> bool {
        self.passphrase_fd.is_some() || self.passphrase_file.is_some()
    }
}

/// Where the result goes.
#[derive(Args, Clone)]
pub struct Out {
    /// Write here ("-": standard output, even binary to a terminal)
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace an output file that exists, once the new one is whole
    #[arg(short, long)]
    pub force: bool,
}

impl Out {
    pub fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// How the work is done.
#[derive(Args)]
pub struct Work {
    /// At most this many threads, and never more than 16 (default: one per core); a stream takes one more unless N is 1
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

pub fn unused_passphrase() -> Fault {
    Fault::usage("a passphrase is given, but it would not be used")
}

fn mode(text: &str) -> Result<KeyMode, String> {
    match text {
        "psk" => Ok(KeyMode::PreShared),
        _ => text.parse().map(KeyMode::Pair).map_err(|_| "there are ecc, pqc, hybrid and psk".to_owned()),
    }
}

fn kem(text: &str) -> Result<Kem, String> {
    text.parse().map_err(|_| format!("there are {}", Kem::ALL.map(Kem::name).join(", ")))
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "not a number of threads, which is at least 1".to_owned())
}

/// `A..B`, `A..` or `..B`; the end is known only once the file is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    start: u64,
    end: Option<u64>,
}

impl ByteRange {
    /// The same range in a content of `length` bytes, unchecked against it.
    pub fn within(self, length: u64) -> Range<u64> {
        self.start..self.end.unwrap_or(length.max(self.start))
    }
}

impl FromStr for ByteRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (start, end) = text.split_once("..").ok_or("write A..B, A.. or ..B")?;
        let number = |digits: &str| {
            digits.parse::<u64>().map_err(|_| format!("\"{digits}\" is not a number of bytes"))
        };
        let start = if start.is_empty() { 0 } else { number(start)? };
        let end = if end.is_empty() { None } else { Some(number(end)?) };
        match end {
            Some(end) if end < start => Err("the range ends before it starts".to_owned()),
            _ => Ok(ByteRange { start, end }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn ranges_are_read_as_written() {
        let range = |text: &str| text.parse::<ByteRange>().map(|range| range.within(100));
        assert_eq!(range("3..7"), Ok(3..7));
        assert_eq!(range("3.."), Ok(3..100));
        assert_eq!(range("..7"), Ok(0..7));
        assert_eq!(range(".."), Ok(0..100));
        for wrong in ["", "3", "7..3", "3..x", "-1..2", "1...2", "1,2"] {
            assert!(range(wrong).is_err(), "{wrong:?} was taken");
        }
    }
}

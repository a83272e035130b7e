//! The flags of the verbs for files, and those that verbs share.
//!
//! These structs have no doc comments: clap would show them in place of the description of the verb. Descriptions stand in
//! `cli.rs`, because the list of verbs shows them before the flags of a verb are built.

use crate::fault::Fault;
use crate::ranges::{self, Ranges};
use clap::{ArgAction, Args};
use sealmark::{Error, Existing, Kem, KeyMisuse, Mode};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

/// The hint for those who know `-i` from grep.
pub const IGNORE_CASE: &str = "-i names a key file (--identity); to ignore case, add --ignore-case";

/// Examples come before the options, because they answer most questions.
pub const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}";

// `--help` that fits on a screen. Manual pages have the long description.
#[derive(Args, Clone)]
pub struct Help {
    /// Print help
    #[arg(short, long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark keygen -o key.txt              hybrid: secure as long as one of its two algorithms is
  sealmark keygen --mode ecc -o key.txt   short keys, which quantum computers would break
  sealmark keygen -p -o key.txt           a key file that is encrypted with a passphrase
  sealmark keygen --sign -o sign.txt      a key that signs files (ML-DSA-65 with Ed25519)
  sealmark keygen -y key.txt              print the public key

Key encapsulations (--kem):
  ecc     X25519 (default), P-256
  pqc     ML-KEM-768 (default), ML-KEM-1024
  hybrid  MLKEM768-X25519 (default), MLKEM768-P256, MLKEM1024-P384
  X25519 and MLKEM768-X25519 keys are age keys and work with age.")]
pub struct Keygen {
    /// Kind of key: ecc, pqc or hybrid; or psk, a key that the writers and readers of a log share
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = mode)]
    pub mode: KeyMode,
    /// Key encapsulation; one of the names above
    #[arg(long, value_name = "NAME", conflicts_with = "mode", value_parser = kem)]
    pub kem: Option<Kem>,
    /// Make a key that signs files, instead of one that decrypts them
    #[arg(long, conflicts_with_all = ["mode", "kem"])]
    pub sign: bool,
    /// Encrypt the secret key with a passphrase
    #[arg(short, long)]
    pub passphrase: bool,
    #[command(flatten)]
    pub source: PassphraseSource,
    /// Print the public keys of the secret keys in this file ("-": standard input) instead of making a key
    #[arg(short = 'y', value_name = "FILE", conflicts_with_all = ["mode", "kem", "sign", "passphrase"])]
    pub public_of: Option<PathBuf>,
    /// Write to this file ("-": standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub help: Help,
}

/// The kinds of keys that `--mode` names.
#[derive(Clone, Copy)]
pub enum KeyMode {
    Pair(Mode),
    PreShared,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark seal -r age1… notes.txt                 write notes.txt.sealed
  sealmark seal -R friends.txt -R me.txt *.pdf     several files, two lists of recipients
  sealmark seal -R me.txt photos                   a folder: write photos.tar.sealed
  sealmark seal -R ~/.ssh/id_ed25519.pub a.txt     to an SSH key; -r age1NAME1… runs a plugin
  sealmark seal --age -a -r age1… < in > out.age   text that age decrypts
  sealmark seal -R me.txt --sign sign.txt a.pdf    sign it, too
  sealmark seal --detached --sign sign.txt a.pdf   only sign it: write a.pdf.sig
  sealmark seal -p --passphrase-file pw x.tar      a passphrase from a file, without a prompt")]
pub struct Seal {
    #[command(flatten, next_help_heading = "Recipients")]
    pub to: To,
    /// Encrypt with a passphrase instead of to recipients
    #[arg(short, long, help_heading = "Recipients", conflicts_with_all = ["recipients", "recipients_files"])]
    pub passphrase: bool,
    #[command(flatten, next_help_heading = "Recipients")]
    pub source: PassphraseSource,
    /// Sign with the secret key in this file, which `sealmark keygen --sign` made. Only those who can decrypt the file see who
    /// signed it
    #[arg(long, value_name = "FILE", help_heading = "Signature")]
    pub sign: Option<PathBuf>,
    /// Encrypt nothing, and write the signature of each file to IN.sig
    #[arg(long, help_heading = "Signature", requires = "sign")]
    #[arg(conflicts_with_all = ["recipients", "recipients_files", "passphrase", "age", "armor", "xattrs"])]
    pub detached: bool,
    /// Write the format age v1 instead of sealmark/1
    #[arg(long, help_heading = "Output")]
    pub age: bool,
    /// Write text that survives mail and copy-and-paste
    #[arg(short, long, help_heading = "Output")]
    pub armor: bool,
    #[command(flatten, next_help_heading = "Output")]
    pub out: Out,
    /// Store the extended attributes of files in folders, too
    #[arg(long, help_heading = "Folders")]
    pub xattrs: bool,
    /// Exit with 0 even if files in folders could not be read, or changed while they were read; a note still names each
    #[arg(long, help_heading = "Folders")]
    pub ignore_failed_read: bool,
    #[command(flatten, next_help_heading = None)]
    pub work: Work,
    #[command(flatten)]
    pub help: Help,
    /// Files to encrypt, each to IN.sealed, or IN.age with --age, and folders, each to IN.tar.sealed ("-" or none: standard
    /// input to standard output)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark open -i key.txt report.pdf.sealed        write report.pdf
  sealmark open backup.tar.sealed                   prompt for the passphrase
  sealmark open -i key.txt --range ..512 x.sealed   the first 512 bytes
  sealmark open -i key.txt --into . --only 'photos/2024/*' photos.tar.sealed
  sealmark open -i key.txt --into . --only a.jpg --size 81920 \\
      --ranges 'rclone cat --offset {offset} --count {length} remote:x.sealed'
  sealmark open -i key.txt --from senders.txt a.pdf.sealed
  ssh host cat x.sealed | sealmark open -i key.txt | tar x
  sealmark open --gcm --key-file aes.key -o invoice.xml attachment.bin")]
pub struct Open {
    #[command(flatten, next_help_heading = "Keys")]
    pub with: With,
    #[command(flatten, next_help_heading = "Signature")]
    pub sender: Sender,
    #[command(flatten, next_help_heading = "XML Encryption")]
    pub gcm: Gcm,
    /// Decrypt only the bytes from A up to, but not including, B ("A.." and "..B" work, too), to
    /// standard output unless -o is given
    #[arg(long, value_name = "A..B", help_heading = "Output", conflicts_with = "gcm")]
    pub range: Option<ByteRange>,
    #[command(flatten, next_help_heading = "Output")]
    pub out: Out,
    /// Extract a sealed folder into DIR, which is made if it is missing
    #[arg(long, value_name = "DIR", help_heading = "Folders", conflicts_with_all = ["range", "output", "gcm"])]
    pub into: Option<PathBuf>,
    /// Extract only entries with a matching path ("*" and "?" match within a name, "**" any names), and everything in them
    /// (repeatable)
    #[arg(long, value_name = "GLOB", help_heading = "Folders", requires = "into")]
    pub only: Vec<String>,
    /// Extract symbolic links that lead out of DIR, too
    #[arg(long, help_heading = "Folders", requires = "into")]
    pub links: bool,
    /// Give files their owners and groups, by number; only root can give files to other users
    #[arg(long, help_heading = "Folders", requires = "into")]
    pub owners: bool,
    /// Give files the extended attributes that `seal --xattrs` stored, only those of the name space "user"
    #[arg(long, help_heading = "Folders", requires = "into")]
    pub xattrs: bool,
    #[command(flatten, next_help_heading = "Object stores")]
    pub elsewhere: Elsewhere,
    #[command(flatten, next_help_heading = None)]
    pub work: Work,
    #[command(flatten)]
    pub help: Help,
    /// Files to decrypt, X.sealed or X.age to X ("-" or none: standard input to standard output)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark list -i key.txt photos.tar.sealed
  sealmark list -i key.txt -l --only 'photos/**/*.jpg' photos.tar.sealed

JSON: one flat object per entry, each on its own line, with these keys:
  path             with escapes such as \\n or \\xff
  type             \"file\", \"directory\", \"symlink\" or \"hardlink\"
  mode             permissions, in octal digits
  uid, gid         owner and group
  size             bytes of content, holes included
  modified         seconds since 1970
  nanoseconds      after these seconds
  target           of a link, with the same escapes
  xattrs           number of extended attributes, if there are any")]
pub struct List {
    /// List only entries with a matching path ("*" and "?" match within a name, "**" any names),
    /// and everything in them (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Print permissions, size and time (UTC), too
    #[arg(short, long)]
    pub long: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "long")]
    pub json: bool,
    #[command(flatten)]
    pub help: Help,
    /// Sealed folders
    #[arg(value_name = "IN", required_unless_present = "ranges")]
    pub inputs: Vec<PathBuf>,
    // Last, because a heading is that of all options after it.
    #[command(flatten, next_help_heading = "Keys")]
    pub with: With,
    #[command(flatten, next_help_heading = "Signature")]
    pub sender: Sender,
    #[command(flatten, next_help_heading = "Object stores")]
    pub elsewhere: Elsewhere,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
JSON: one flat object per file, each on its own line, with these keys:
  file             name as given, \"-\" for standard input
  format           \"sealmark/1\" or \"age-encryption.org/v1\"
  armored          true for text
  content          \"file\", or \"tar\" for a folder
  signed           true if it is signed
  passphrase       true if a passphrase decrypts it
  post_quantum     true if every key that decrypts it resists quantum computers
  recipients       number of stanzas, one for each recipient
  stanzas          their names, separated by spaces
  kems             their key encapsulations, separated by spaces (\"?\" if unknown)
  header_bytes     length of the header
  payload_bytes    length of what follows the header
  plaintext_bytes  length of the content
  chunks           number of chunks
  chunk_bytes      plaintext bytes of a full chunk")]
pub struct Inspect {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub help: Help,
    /// Files to inspect ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark verify -i key.txt backups/*.sealed
  sealmark verify -i key.txt --from senders.txt a.pdf.sealed
  sealmark verify --from senders.txt --detached a.pdf.sig a.pdf")]
pub struct Verify {
    #[command(flatten, next_help_heading = "Keys")]
    pub with: With,
    #[command(flatten, next_help_heading = "Signature")]
    pub sender: Sender,
    /// IN is a plain file, and this file is its signature, which `sealmark seal --detached` made
    #[arg(long, value_name = "SIG", help_heading = "Signature", requires = "from")]
    #[arg(conflicts_with_all = ["identities", "passphrase", "passphrase_file", "passphrase_fd", "ranges", "forwarded"])]
    pub detached: Option<PathBuf>,
    #[command(flatten, next_help_heading = "XML Encryption")]
    pub gcm: Gcm,
    #[command(flatten, next_help_heading = "Object stores")]
    pub elsewhere: Elsewhere,
    #[command(flatten, next_help_heading = None)]
    pub work: Work,
    #[command(flatten)]
    pub help: Help,
    /// Files to check ("-" or none: standard input)
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark rekey -i key.txt -R team.txt *.sealed
      replace the recipients
  sealmark rekey -i key.txt -R team.txt --reencrypt a.sealed
      encrypt the content again with a new file key")]
pub struct Rekey {
    #[command(flatten, next_help_heading = "Current keys")]
    pub with: OldKeys,
    #[command(flatten, next_help_heading = "New recipients")]
    pub to: To,
    /// Encrypt with a passphrase instead of to recipients
    #[arg(short, long, help_heading = "New recipients")]
    #[arg(conflicts_with_all = ["recipients", "recipients_files"])]
    pub passphrase: bool,
    /// Read the new passphrase (with -p) from the first line of this file
    #[arg(long, value_name = "FILE", help_heading = "New recipients")]
    pub new_passphrase_file: Option<PathBuf>,
    /// Generate a new file key and encrypt the content again
    #[arg(long, help_heading = "Output")]
    pub reencrypt: bool,
    /// Write to OUT and leave IN unchanged
    #[arg(short, long, value_name = "OUT", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(short, long, requires = "output", help_heading = "Output")]
    pub force: bool,
    #[command(flatten, next_help_heading = None)]
    pub work: Work,
    #[command(flatten)]
    pub help: Help,
    /// Sealed files
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Example:
  sealmark completions bash > /etc/bash_completion.d/sealmark")]
pub struct Completions {
    /// Name of the shell
    pub shell: clap_complete::Shell,
    #[command(flatten)]
    pub help: Help,
}

#[derive(Args)]
#[command(disable_help_flag = true, help_template = TEMPLATE)]
#[command(after_help = "\
Examples:
  sealmark man | man -l -
  sealmark man /usr/local/share/man/man1")]
pub struct Man {
    /// Directory for sealmark.1, sealmark-seal.1, …
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub help: Help,
}

// The recipients to seal to.
#[derive(Args, Clone)]
pub struct To {
    /// Encrypt to this public key (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT")]
    pub recipients: Vec<String>,
    /// Encrypt to the public keys in this file, one per line, "#" for comments ("-": standard input; repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "FILE")]
    pub recipients_files: Vec<PathBuf>,
    /// Allow classic and post-quantum recipients together: the result is only as secure as the classic ones
    #[arg(long)]
    pub allow_mixed: bool,
}

impl To {
    /// Refuses to seal to no recipient, and refuses a passphrase that would not be used: the user would take the
    /// file to be protected by it.
    pub fn check(&self, passphrase: bool, given: bool) -> Result<(), Fault> {
        match (self.names_someone(), passphrase) {
            (true, _) if given => {
                Err(unused_passphrase().hint("add -p in place of -r and -R, or leave out the passphrase"))
            }
            (false, false) if given => Err(unused_passphrase().hint("add -p")),
            (false, false) => Err(Error::from(KeyMisuse::NoRecipients).into()),
            _ => Ok(()),
        }
    }

    pub fn names_someone(&self) -> bool {
        !self.recipients.is_empty() || !self.recipients_files.is_empty()
    }
}

// The keys to open with.
#[derive(Args)]
pub struct With {
    /// Decrypt with the secret keys in this file, which may also be an SSH key or a plugin's key ("-": standard input;
    /// repeatable); prompts if it has a passphrase
    #[arg(short, long = "identity", value_name = "FILE")]
    pub identities: Vec<PathBuf>,
    /// Prompt for a passphrase if a file needs one, even if -i is given (without -i, this is the default)
    #[arg(short, long)]
    pub passphrase: bool,
    #[command(flatten)]
    pub source: PassphraseSource,
}

// The people who may have signed a file.
#[derive(Args)]
pub struct Sender {
    /// Accept only files that were signed by somebody in this file: a name and a public key on each line, "#" for comments
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Accept signed files that the sender sealed to others, too
    #[arg(long, requires = "from")]
    pub forwarded: bool,
}

// A payload of XML Encryption in place of a sealed file.
#[derive(Args)]
pub struct Gcm {
    /// IN is an AES-GCM payload (initialization vector, ciphertext and tag), such as an attachment of WS-Security
    #[arg(long, requires = "key_file")]
    #[arg(conflicts_with_all = ["identities", "passphrase", "passphrase_file", "passphrase_fd", "ranges", "from"])]
    pub gcm: bool,
    /// Decrypt with the AES key in this file: 16 or 32 bytes, or their hexadecimal digits ("-": standard input)
    #[arg(long, value_name = "FILE", requires = "gcm")]
    pub key_file: Option<PathBuf>,
    /// The initialization vector, 24 hexadecimal digits, if IN starts with the ciphertext
    #[arg(long, value_name = "HEX", requires = "gcm")]
    pub iv: Option<Iv>,
}

// A sealed file elsewhere, in place of IN.
#[derive(Args)]
pub struct Elsewhere {
    /// Read ranges of the sealed file from COMMAND, which runs without a shell once for each range: {offset} and {length} in
    /// its words become numbers of bytes, and {last} the offset of the range's last byte
    #[arg(long, value_name = "COMMAND", requires = "size", conflicts_with = "inputs")]
    pub ranges: Option<ranges::Command>,
    /// Length of that file in bytes, as the store reports it
    #[arg(long, value_name = "BYTES", requires = "ranges")]
    pub size: Option<u64>,
}

impl Elsewhere {
    pub fn ranges(&self) -> Option<Ranges> {
        Some(Ranges { command: self.ranges.clone()?, size: self.size? })
    }

    /// The inputs that were typed, or the command's program.
    pub fn inputs(&self, typed: &[PathBuf]) -> Vec<PathBuf> {
        self.ranges().map_or_else(|| typed.to_vec(), |ranges| vec![ranges.command.program().to_owned()])
    }
}

// The keys that open a file before it gets new recipients; `-p` belongs to the new recipients there.
#[derive(Args)]
pub struct OldKeys {
    /// Decrypt with the secret keys in this file ("-": standard input; repeatable)
    #[arg(short, long = "identity", value_name = "FILE")]
    pub identities: Vec<PathBuf>,
    #[command(flatten)]
    pub source: PassphraseSource,
}

// Sources of a passphrase other than the terminal.
#[derive(Args)]
pub struct PassphraseSource {
    /// Read the passphrase from the first line of this file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Read the passphrase from the first line of this file descriptor (0: standard input; data may follow that line)
    #[arg(long, value_name = "N", conflicts_with = "passphrase_file")]
    pub passphrase_fd: Option<u16>,
}

impl PassphraseSource {
    pub fn is_given(&self) -> bool {
        self.passphrase_fd.is_some() || self.passphrase_file.is_some()
    }
}

// The place of the result.
#[derive(Args, Clone)]
pub struct Out {
    /// Write to OUT ("-": standard output, even binary output to a terminal)
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace an existing output file, once the new one is complete
    #[arg(short, long)]
    pub force: bool,
}

impl Out {
    pub fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Refuse }
    }
}

// Options for the work itself.
#[derive(Args)]
pub struct Work {
    /// Use up to N threads (no more than 16 are used; default: one per core). A stream uses one more thread, unless N is 1
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

pub fn unused_passphrase() -> Fault {
    Fault::usage("a passphrase is given, but nothing uses it")
}

fn mode(text: &str) -> Result<KeyMode, String> {
    match text {
        "psk" => Ok(KeyMode::PreShared),
        _ => text.parse().map(KeyMode::Pair).map_err(|_| "use ecc, pqc, hybrid or psk".to_owned()),
    }
}

fn kem(text: &str) -> Result<Kem, String> {
    text.parse().map_err(|_| {
        format!("use one of {}", Kem::ALL.iter().map(|kem| kem.name()).collect::<Vec<_>>().join(", "))
    })
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a whole number, at least 1".to_owned())
}

/// An initialization vector that is not in front of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iv(pub [u8; 12]);

impl FromStr for Iv {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut iv = [0; 12];
        match from_hex(text.as_bytes(), &mut iv) {
            Some(12) => Ok(Self(iv)),
            _ => Err("write 24 hexadecimal digits, for 12 bytes".to_owned()),
        }
    }
}

/// Writes the bytes that hexadecimal digits stand for, and returns their number, if there is room for them.
pub fn from_hex(digits: &[u8], into: &mut [u8]) -> Option<usize> {
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    let value = |digit: u8| char::from(digit).to_digit(16);
    for (index, [high, low]) in pairs.iter().enumerate() {
        *into.get_mut(index)? = (value(*high)? << 4 | value(*low)?) as u8;
    }
    Some(pairs.len())
}

/// `A..B`, `A..` or `..B`; the end is known only once the file is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    start: u64,
    end: Option<u64>,
}

impl ByteRange {
    /// Its first byte.
    pub fn start(self) -> u64 {
        self.start
    }

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

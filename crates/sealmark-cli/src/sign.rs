//! Signatures: keys that sign, senders whom the user knows, and signatures beside plain files.

use crate::args::{PassphraseSource, Seal, Sender, Verify, unused_passphrase};
use crate::fault::{Exit, Fault};
use crate::keys::{self, SECRET, Secret};
use crate::secret::{Asker, looks_sealed};
use crate::stdio::{self, Gone};
use crate::target::{self, Source, Task, Verb};
use crate::{progress, say};
use sealmark::{
    Error, Malformed, OpenWith, Signed, SigningKey, VerifyingKey, sign_detached, verify_detached,
};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The kind of file that `--from` takes, as messages name it.
pub const SENDERS: &str = "file of known senders";
/// The ending of a signature beside its file.
const ENDING: &str = ".sig";
/// A signature has some 4,700 bytes.
const LARGEST: u64 = 64 << 10;

/// The one signing key in a file, which may be encrypted with a passphrase.
pub fn key_of(path: &Path, source: &PassphraseSource) -> Result<SigningKey, Fault> {
    let is_plain = || std::fs::read(path).is_ok_and(|bytes| !looks_sealed(&Zeroizing::new(bytes)));
    if source.is_given() && path.is_file() && is_plain() {
        return Err(unused_passphrase().hint("leave it out: the signing key is not encrypted"));
    }
    let asker = &Asker::new(source);
    let mut all = keys::secrets_of(path, asker, |key| {
        let key = match key {
            Secret::Line(line) => line.parse().map_err(|error: Error| error.to_string()),
            Secret::Plugin(..) => Err("plugin keys cannot sign files".to_owned()),
            Secret::Ssh(_) => Err("SSH keys cannot sign files".to_owned()),
        };
        key.map_err(|error| {
            Fault::usage(error).hint("make a signing key with `sealmark keygen --sign -o sign.txt`")
        })
    })?;
    match (all.pop(), all.is_empty()) {
        (Some(key), true) => Ok(key),
        _ => Err(Fault::usage(format!("{SECRET} {path:?} contains several signing keys"))
            .hint("pass a file that contains only one of them")),
    }
}

/// Public keys whose owners the user knows by name.
pub struct Senders {
    names: Vec<String>,
    keys: Vec<VerifyingKey>,
}

impl Senders {
    /// Nothing if nobody asked for a signature.
    pub fn of(sender: &Sender) -> Result<Option<Self>, Fault> {
        sender.from.as_deref().map(Self::read).transpose()
    }

    /// Each line is a name and a public key.
    fn read(path: &Path) -> Result<Self, Fault> {
        let text = keys::text(path, SENDERS)?;
        let (mut senders, mut seen) = (Self { names: Vec::new(), keys: Vec::new() }, HashSet::new());
        for (number, line) in keys::key_lines(&text) {
            let (name, key) =
                sender(line).map_err(|fault| fault.within(&keys::place(SENDERS, path, number)))?;
            if !seen.insert(key.clone()) {
                return Err(Fault::usage("this key occurs twice")
                    .hint("keep one of the lines with this key, so that it has one name")
                    .within(&keys::place(SENDERS, path, number)));
            }
            senders.names.push(name);
            senders.keys.push(key);
        }
        if senders.keys.is_empty() {
            return Err(Fault::usage(format!("{SENDERS} {path:?} contains no sender")).hint(ONE_A_LINE));
        }
        Ok(senders)
    }

    /// Opens only what one of them signed.
    fn demand<'a>(&self, with: &OpenWith<'a>, forwarded: bool) -> OpenWith<'a> {
        let with = with.clone().signed_by(self.keys.clone());
        if forwarded { with.accept_forwarded() } else { with }
    }
}

/// `with`, and the demand for a signature if there are senders.
pub fn demand<'a>(senders: Option<&Senders>, with: &OpenWith<'a>, sender: &Sender) -> OpenWith<'a> {
    senders.map_or_else(|| with.clone(), |senders| senders.demand(with, sender.forwarded))
}

/// Says who signed a file, if that was verified. If not, it says so only of a file that was signed for others.
pub fn tell(senders: Option<&Senders>, name: &Path, signed: Signed) {
    if matches!(signed, Signed::Unchecked { meant: true, .. }) {
        return;
    }
    if let Some(words) = in_words(senders, signed) {
        say::note(&format!("{name:?}: {words}"));
    }
}

/// The end of a line that says that a file is whole.
pub fn words(senders: Option<&Senders>, signed: Signed) -> String {
    in_words(senders, signed).map_or_else(String::new, |words| format!(", {words}"))
}

/// No name comes from the file: the senders are those that the user named.
fn in_words(senders: Option<&Senders>, signed: Signed) -> Option<String> {
    match signed {
        Signed::By { sender, meant, .. } => {
            let forwarded = if meant { "" } else { ", but sealed to others and forwarded" };
            senders.map(|senders| format!("signed by {:?}{forwarded}", senders.names[sender]))
        }
        Signed::Unchecked { meant, .. } => {
            let whom = if meant { "" } else { " for other recipients" };
            Some(format!("signed{whom}, but the signature was not checked (see --from)"))
        }
        _ => None,
    }
}

const ONE_A_LINE: &str = "write a name and a public key on each line: echo \"Alice $(sealmark keygen -y sign.txt)\" >> senders.txt";

fn sender(line: &str) -> Result<(String, VerifyingKey), Fault> {
    let (name, key) = line.rsplit_once(char::is_whitespace).unwrap_or(("", line));
    if keys::is_secret(key) {
        return Err(
            Fault::usage("this is a secret key").hint("print its public key with `sealmark keygen -y FILE`")
        );
    }
    let key = key.parse().map_err(|error: Error| Fault::usage(error.to_string()).hint(ONE_A_LINE))?;
    match name.trim() {
        "" => Err(Fault::usage("this key has no name").hint(ONE_A_LINE)),
        name => Ok((name.to_owned(), key)),
    }
}

/// `seal --detached`: a signature beside each file, which stays as it is.
pub fn seal_detached(args: &Seal, key: &Path) -> Result<Exit, Fault> {
    let passphrase = args.source.passphrase_file.as_slice();
    target::one_reader_of_stdin(&args.inputs, &[&[key.to_owned()]], &[passphrase])?;
    keys::are_there(SECRET, &[key.to_owned()])?;
    let name = |input: &Path| {
        let mut name = input.as_os_str().to_owned();
        name.push(ENDING);
        Ok(PathBuf::from(name))
    };
    let plan = target::plan(&args.inputs, &args.out, Source::new, name)?;
    let key = || key_of(key, &args.source);
    target::round(plan, Verb::Sign, key, |key, Task { source, target }| {
        progress::watched(source.name(), target.is_terminal(), |job| {
            let signature = sign_detached(&source.input()?, key, &job.threads(args.work.threads))?;
            target.fill(args.out.existing(), Gone::Lost, |output| {
                output.write_all(signature.as_bytes()).map_err(Fault::output)
            })
        })
    })
}

/// `verify --detached`: a plain file and the signature beside it.
pub fn verify_beside(args: &Verify, signature: &Path) -> Result<Exit, Fault> {
    let from = args.sender.from.as_slice();
    target::one_reader_of_stdin(&args.inputs, &[from, &[signature.to_owned()]], &[])?;
    if args.inputs.len() > 1 {
        return Err(Fault::usage("--detached names the signature of one file, but there are several inputs")
            .hint("verify the files one by one"));
    }
    keys::are_there(SENDERS, from)?;
    let prepare = || {
        let senders = Senders::of(&args.sender)?
            .ok_or_else(|| Fault::usage("--detached needs --from").hint("name the file of known senders"))?;
        Ok((senders, text_of(signature)?))
    };
    let sources = target::sources(&args.inputs, Source::new);
    target::round(sources, Verb::Verify, prepare, |(senders, text), source| {
        let sender = progress::watched(source.name(), false, |job| {
            let job = job.threads(args.work.threads);
            verify_detached(&source.input()?, text, &senders.keys, &job).map_err(|error| match error {
                Error::Malformed(Malformed::Signature(_)) => Fault::from(error).about(signature),
                _ => Fault::from(error),
            })
        })?;
        stdio::result(&format!("{:?}: unaltered, signed by {:?}\n", source.name(), senders.names[sender]))
    })
}

fn text_of(path: &Path) -> Result<String, Fault> {
    let read = || {
        let file = if stdio::is_dash(path) { stdio::input_file()? } else { File::open(path)? };
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error: std::io::Error| Fault::from(error).about(path))?;
    // The library refuses what is not a signature.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

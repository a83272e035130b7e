//! Key files: recipients and identities, one a line, `#` for comments; `-` is standard input.

use crate::args::{To, With};
use crate::fault::{Fault, Lack};
use crate::secret::{Asker, looks_sealed};
use crate::stdio::is_dash;
use crate::{say, stdio};
use sealmark::record::PreSharedKey;
use sealmark::{Error, Format, Identity, KeyMisuse, Mixing, OpenWith, Opener, Recipient, SealTo};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// A key file larger than this is a wrong file.
const LARGEST: u64 = 16 << 20;

/// The public keys named on the command line, each once.
pub fn recipients(to: &To) -> Result<Vec<Recipient>, Fault> {
    recipients_with(to, recipients_in)
}

/// [`recipients`], with `read` for the files: a caller may have read them before.
pub fn recipients_with(
    to: &To,
    read: impl Fn(&Path) -> Result<Vec<Recipient>, Fault>,
) -> Result<Vec<Recipient>, Fault> {
    let mut all = Vec::new();
    for text in &to.recipients {
        // Long enough to know it again, too short to give away what should not have been typed here.
        let start: String = text.chars().take(16).collect();
        all.push(recipient(text).map_err(|fault| fault.within(&format!("recipient \"{start}…\"")))?);
    }
    for path in &to.recipients_files {
        all.extend(read(path)?);
    }
    let mut seen = HashSet::new();
    all.retain(|recipient| seen.insert(recipient.clone()));
    match all.is_empty() {
        true => Err(Error::from(KeyMisuse::NoRecipients).into()),
        false => Ok(all),
    }
}

/// The public keys in one file.
pub fn recipients_in(path: &Path) -> Result<Vec<Recipient>, Fault> {
    let text = text(path, "recipients file")?;
    let recipient = |(number, line): (usize, &str)| {
        recipient(line).map_err(|fault| fault.within(&place("recipients file", path, number)))
    };
    key_lines(&text).map(recipient).collect()
}

fn recipient(text: &str) -> Result<Recipient, Fault> {
    if is_secret(text) {
        return Err(Fault::usage("this is a secret key, not a recipient")
            .hint("print its public key with `sealmark keygen -y FILE`"));
    }
    if text.starts_with("ssh-") || text.starts_with("github:") {
        return Err(Fault::usage("SSH keys are not supported as recipients")
            .hint("make a key with `sealmark keygen -o key.txt`"));
    }
    if Path::new(text).is_file() {
        return Err(
            Fault::usage("this is a file").hint(format!("read recipients from a file with -R {text}"))
        );
    }
    text.parse().map_err(|error: Error| Fault::from(error))
}

/// The age format refuses a mixture whatever is allowed, so that no option can help.
pub fn seal_to(format: Format, recipients: &[Recipient], mixing: Mixing) -> Result<SealTo, Fault> {
    SealTo::recipients(format, recipients, mixing).map_err(|error| match (format, error) {
        (Format::Age, Error::Key(KeyMisuse::MixedRecipients)) => {
            Fault::usage("the age format has no files for classic and post-quantum recipients together")
                .hint("name recipients of one kind only")
        }
        (_, error) => error.into(),
    })
}

/// The keys that a verb opens files with.
pub struct Keys {
    identities: Vec<Identity>,
    asker: Asker,
    beside: BesideKeys,
}

/// The treatment of passphrase files beside `-i`. A user who names keys does not expect a prompt for a passphrase, which
/// could be a trap, unless `-p` asks for it.
pub enum BesideKeys {
    Ask,
    Refuse { hint: &'static str },
}

impl Keys {
    pub fn of(with: &With, inputs: &[PathBuf]) -> Result<Self, Fault> {
        let beside = if with.passphrase { BesideKeys::Ask } else { BesideKeys::Refuse { hint: "add -p" } };
        let keys = Self::load(&with.identities, Asker::new(&with.source), beside)?;
        if inputs.is_empty() || inputs.iter().any(|path| is_dash(path)) {
            keys.asker.before_stdin()?;
        }
        Ok(keys)
    }

    pub fn load(files: &[PathBuf], asker: Asker, beside: BesideKeys) -> Result<Self, Fault> {
        let mut identities = Vec::new();
        for path in files {
            identities.extend(identities_of(path, &asker)?);
        }
        Ok(Self { identities, asker, beside })
    }

    /// Works on one file; asks for the passphrase if it needs one, and says so if that was wrong.
    pub fn with<T>(&self, work: impl FnOnce(&OpenWith<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let ask = || Ok(self.asker.for_files()?);
        let with = OpenWith::identities(self.identities.clone());
        let refusal = self.refusal();
        let with = if refusal.is_some() { with } else { with.ask_passphrase(&ask) };
        work(&with).map_err(|fault| match (fault.lacks, refusal) {
            (Some(Lack::SecretKey), _) => self.no_key_fits(),
            (Some(Lack::Passphrase), Some(hint)) => {
                Fault::no_key("this file needs a passphrase, not a key").hint(hint)
            }
            _ => fault,
        })
    }

    /// The hint to print in place of a prompt.
    fn refusal(&self) -> Option<&'static str> {
        match self.beside {
            BesideKeys::Refuse { hint } if !self.identities.is_empty() && !self.asker.is_scripted() => {
                Some(hint)
            }
            _ => None,
        }
    }

    fn no_key_fits(&self) -> Fault {
        match self.identities.is_empty() {
            true => Fault::no_key("this file needs a secret key, and none was given")
                .hint("name the file that holds your secret key with -i"),
            false => Fault::no_key("none of the secret keys opens this file")
                .hint("`sealmark inspect FILE` shows which types of key open it"),
        }
    }
}

/// The secret keys in one file, which may itself be sealed with a passphrase.
pub fn identities_of(path: &Path, asker: &Asker) -> Result<Vec<Identity>, Fault> {
    if is_dash(path) {
        asker.before_stdin()?;
    }
    let mut bytes = bytes(path, "identity file")?;
    let protected = looks_sealed(&bytes);
    if protected {
        bytes = unlock(&bytes, path, asker)?;
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| not_text("identity file", path))?;
    let mut all = Vec::new();
    for (number, line) in key_lines(text) {
        all.push(identity(line).map_err(|fault| fault.within(&place("identity file", path, number)))?);
    }
    if all.is_empty() {
        return Err(Fault::usage(format!("identity file {path:?} holds no secret key"))
            .hint("make one with `sealmark keygen -o key.txt`"));
    }
    if !protected {
        warn_if_open_to_others(path);
    }
    Ok(all)
}

fn identity(line: &str) -> Result<Identity, Fault> {
    if !is_secret(line) && line.parse::<Recipient>().is_ok() {
        return Err(Fault::usage("this is a public key; opening takes the secret one"));
    }
    if line.parse::<PreSharedKey>().is_ok() {
        return Err(Fault::usage("this is a pre-shared key, which is no pair and has no public key")
            .hint("`sealmark log` takes it with --psk FILE"));
    }
    // The library's message never quotes the line: it may be a secret key with a typing error.
    line.parse().map_err(|error: Error| Fault::usage(error.to_string()))
}

/// The pre-shared keys in one file.
pub fn pre_shared_of(path: &Path) -> Result<Vec<PreSharedKey>, Fault> {
    let bytes = bytes(path, "pre-shared key file")?;
    let text = std::str::from_utf8(&bytes).map_err(|_| not_text("pre-shared key file", path))?;
    let key = |(number, line): (usize, &str)| {
        line.parse().map_err(|error: Error| {
            Fault::usage(error.to_string()).within(&place("pre-shared key file", path, number))
        })
    };
    let all: Vec<PreSharedKey> = key_lines(text).map(key).collect::<Result<_, _>>()?;
    if all.is_empty() {
        return Err(Fault::usage(format!("pre-shared key file {path:?} holds no key"))
            .hint("make one with `sealmark keygen --mode psk -o shared.txt`"));
    }
    warn_if_open_to_others(path);
    Ok(all)
}

/// A key typed where a file was expected is no missing file.
pub fn not_a_file_but_a_secret(path: &Path) -> Option<Fault> {
    let secret = is_secret(&path.to_string_lossy()) && !path.exists();
    secret.then(|| {
        Fault::usage("this is a secret key, not a file").hint("keep it in a file and name that with -i FILE")
    })
}

fn is_secret(text: &str) -> bool {
    text.to_ascii_uppercase().contains("SECRET-KEY-")
}

fn unlock(sealed: &[u8], path: &Path, asker: &Asker) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let ask = || Ok(asker.for_identity(path)?);
    let with = OpenWith::identities(Vec::new()).ask_passphrase(&ask);
    // Reserved at once: growing would leave copies of the secret behind.
    let mut plain = Zeroizing::new(Vec::with_capacity(sealed.len()));
    let read = Opener::new(sealed, &with).and_then(|mut opener| Ok(opener.read_to_end(&mut plain)?));
    let fault = match read {
        Ok(_) => return Ok(plain),
        Err(Error::NoKey) => {
            Fault::no_key("it is encrypted to a key, but a key file can be locked only with a passphrase")
                .hint("open it first: sealmark open -i KEY -o FILE")
        }
        Err(error) => error.into(),
    };
    Err(fault.within(&format!("identity file {path:?}")))
}

fn warn_if_open_to_others(path: &Path) {
    let Ok(meta) = path.metadata() else { return };
    let can = match (meta.is_file(), meta.permissions().mode()) {
        (true, mode) if mode & 0o044 != 0 => "read",
        (true, mode) if mode & 0o022 != 0 => "change",
        _ => return,
    };
    say::warning(&format!("others can {can} the identity file {path:?}"), &format!("chmod 600 {path:?}"));
}

fn text(path: &Path, what: &str) -> Result<String, Fault> {
    let bytes = bytes(path, what)?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(not_text(what, path)),
    }
}

/// Opened and read once, so that `<(command)` works.
fn bytes(path: &Path, what: &str) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let read = || {
        let file = if is_dash(path) { stdio::input_file()? } else { File::open(path)? };
        // Reserved at once: growing would leave copies of the secret behind.
        let length = file.metadata().map_or(0, |meta| meta.len().min(LARGEST));
        let mut bytes = Zeroizing::new(Vec::with_capacity(length as usize + 4096));
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error: std::io::Error| {
        not_a_file_but_a_secret(path).unwrap_or(error.into()).within(&format!("{what} {path:?}"))
    })?;
    match bytes.len() as u64 > LARGEST {
        true => Err(Fault::usage(format!("{what} {path:?} is larger than {} MiB", LARGEST >> 20))),
        false => Ok(bytes),
    }
}

fn not_text(what: &str, path: &Path) -> Fault {
    Fault::usage(format!("{what} {path:?} is not a text file"))
}

/// Lines that hold a key, with their number.
fn key_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn place(what: &str, path: &Path, line: usize) -> String {
    format!("{what} {path:?}, line {line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_hold_no_key() {
        let lines: Vec<_> = key_lines("# a\n\n  one \r\n#two\nthree").collect();
        assert_eq!(lines, [(3, "one"), (5, "three")]);
    }

    #[test]
    fn secret_keys_are_known_before_they_are_parsed() {
        assert!(is_secret("age-secret-key-1abc"));
        assert!(is_secret("SEALMARK-SECRET-KEY-P256-1ABC"));
        assert!(!is_secret("age1abc"));
    }
}

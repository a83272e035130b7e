//! Key files: recipients and identities, one a line, `#` for comments, and SSH secret keys; `-` is standard input.

use crate::args::{To, With, from_hex};
use crate::fault::{Fault, Lack};
use crate::plugin::Runner;
use crate::secret::{Asker, looks_sealed};
use crate::stdio::is_dash;
use crate::{say, stdio};
use sealmark::record::PreSharedKey;
use sealmark::{
    Error, Format, Identity, KeyMisuse, OpenWith, Opener, PluginIdentity, Recipient, SealTo, SigningKey,
    SshIdentity, VerifyingKey, gcm,
};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The kinds of key files, as messages name them.
pub const PUBLIC: &str = "recipients file";
pub const SECRET: &str = "secret key file";
const SHARED: &str = "pre-shared key file";
pub const GCM: &str = "AES-GCM key file";

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
        let recipient =
            recipient(text).map_err(|fault| broken::<Recipient>(text, 1, "public").unwrap_or(fault));
        all.push(recipient.map_err(|fault| fault.within(&format!("recipient \"{start}…\"")))?);
    }
    for path in &to.recipients_files {
        all.extend(read(path)?);
    }
    let mut seen = HashSet::new();
    all.retain(|recipient| seen.insert(recipient.clone()));
    match (all.is_empty(), to.recipients_files.first()) {
        (false, _) => Ok(all),
        (true, Some(path)) => Err(Fault::usage(format!("{PUBLIC} {path:?} contains no public key"))
            .hint("write public keys into it, one per line, as `sealmark keygen -y FILE` prints them")),
        (true, None) => Err(Error::from(KeyMisuse::NoRecipients).into()),
    }
}

/// The public keys in one file.
pub fn recipients_in(path: &Path) -> Result<Vec<Recipient>, Fault> {
    let text = text(path, PUBLIC)?;
    if text.starts_with('\u{feff}') {
        return Err(Fault::usage(format!("{PUBLIC} {path:?} begins with a byte order mark"))
            .hint("save the file as UTF-8 without a byte order mark (BOM)"));
    }
    let recipient = |(number, line): (usize, &str)| {
        let fault = match recipient(line) {
            Ok(recipient) => return Ok(recipient),
            Err(fault) => broken::<Recipient>(&text, number, "public").unwrap_or(fault),
        };
        Err(fault.within(&place(PUBLIC, path, number)))
    };
    key_lines(&text).map(recipient).collect()
}

/// The fault of a key that a mail program or a terminal broke into several lines, of which this is the first.
fn broken<Key: FromStr>(text: &str, number: usize, kind: &str) -> Option<Fault> {
    const MOST: usize = 100;
    // Reserved at once: growing would leave copies of a secret behind.
    let mut joined = Zeroizing::new(String::with_capacity(text.len()));
    let mut is_key = |line: &str| {
        joined.push_str(line.trim());
        joined.parse::<Key>().is_ok()
    };
    let count = text.lines().skip(number - 1).take(MOST).position(&mut is_key).filter(|last| *last > 0)? + 1;
    Some(
        Fault::usage(format!("the {kind} key is broken into {count} lines"))
            .hint("join them: a key is one line without blanks"),
    )
}

/// The fault of a key with other text on its line, such as that in front of a key that `sealmark keygen` printed.
fn beside_text(text: &str) -> Option<Fault> {
    let mut words = text.split_whitespace();
    let key = words.find(|word| word.parse::<Recipient>().is_ok()).filter(|key| *key != text)?;
    let start: String = key.chars().take(16).collect();
    Some(
        Fault::usage("there is other text beside the public key")
            .hint(format!("leave only the key, which begins with {start}, on the line")),
    )
}

fn recipient(text: &str) -> Result<Recipient, Fault> {
    if is_secret(text) {
        return Err(Fault::usage("this is a secret key, not a recipient")
            .hint("print its public key with `sealmark keygen -y FILE`"));
    }
    if let Some(user) = text.strip_prefix("github:") {
        return Err(Fault::usage("keys are not fetched from GitHub").hint(format!(
            "save them with `curl https://github.com/{user}.keys`, check them, and use -R FILE"
        )));
    }
    if Path::new(text).is_file() {
        return Err(
            Fault::usage("this is a file").hint(format!("read recipients from a file with -R {text}"))
        );
    }
    if text.parse::<VerifyingKey>().is_ok() {
        return Err(Fault::usage(
            "this is the public key of a signing key, to which nothing can be encrypted",
        )
        .hint("ask for the public key that `sealmark keygen` makes without --sign"));
    }
    text.parse().map_err(|error: Error| beside_text(text).unwrap_or(error.into()))
}

/// The age format refuses a mixture whatever is allowed, so that no option can help.
pub fn seal_to(format: Format, recipients: &[Recipient], to: &To) -> Result<SealTo, Fault> {
    let seal_to = if to.allow_mixed { SealTo::mixed_recipients } else { SealTo::recipients };
    let plugins = recipients.iter().any(|recipient| recipient.plugin().is_some());
    let seal_to = seal_to(format, recipients)
        .map(|to| if plugins { to.plugins(Arc::new(Runner::new(Vec::new()))) } else { to });
    seal_to.map_err(|error| match (format, error) {
        (Format::Age, Error::Key(KeyMisuse::MixedRecipients)) => {
            Fault::usage("the age format does not allow classic and post-quantum recipients in one file")
                .hint("name recipients of one kind only")
        }
        (_, error) => error.into(),
    })
}

/// The secret keys in key files that open files.
#[derive(Default)]
struct SecretKeys {
    identities: Vec<Identity>,
    ssh: Vec<SshIdentity>,
    plugins: Vec<PluginIdentity>,
    /// Public keys of the plugins' identities, as far as their files name them.
    public: Vec<Recipient>,
}

impl SecretKeys {
    fn add_file(&mut self, path: &Path, asker: &Asker) -> Result<(), Fault> {
        secrets_of(path, asker, |key| {
            match key {
                Secret::Line(line) => self.identities.push(identity(line)?),
                Secret::Plugin(identity, public) => {
                    self.plugins.push(identity);
                    self.public.extend(public);
                }
                Secret::Ssh(identity) => self.ssh.push(identity),
            }
            Ok(())
        })
        .map(drop)
    }
}

/// The keys that a verb opens files with.
pub struct Keys {
    identities: Vec<Identity>,
    ssh: Vec<SshIdentity>,
    plugins: Option<Runner>,
    public: Vec<Recipient>,
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
        let keys = Self::load(&with.identities, Asker::new(&with.source), beside);
        let keys = keys.map_err(|mut fault| {
            if let ([key], [input]) = (&with.identities[..], inputs)
                && is_secret_file(input)
            {
                fault.hints = vec![format!("-i takes the secret key file: -i {input:?} {key:?}")];
            }
            fault
        })?;
        if inputs.is_empty() || inputs.iter().any(|path| is_dash(path)) {
            keys.asker.before_stdin()?;
        }
        Ok(keys)
    }

    pub fn load(files: &[PathBuf], asker: Asker, beside: BesideKeys) -> Result<Self, Fault> {
        let mut all = SecretKeys::default();
        for path in files {
            all.add_file(path, &asker)?;
        }
        let plugins = (!all.plugins.is_empty()).then(|| Runner::new(all.plugins));
        Ok(Self { identities: all.identities, ssh: all.ssh, plugins, public: all.public, asker, beside })
    }

    fn is_empty(&self) -> bool {
        self.identities.is_empty() && self.ssh.is_empty() && self.plugins.is_none()
    }

    /// Works on one file; asks for the passphrase if it needs one, and says so if that was wrong.
    pub fn with<T>(&self, work: impl FnOnce(&OpenWith<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let ask = || Ok(self.asker.for_files()?);
        let with = OpenWith::identities(self.identities.clone()).and_ssh(self.ssh.clone());
        let with = with.and_own_recipients(self.public.clone());
        let with = self.plugins.iter().fold(with, |with, plugins| with.and_plugins(plugins));
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
            BesideKeys::Refuse { hint } if !self.is_empty() && !self.asker.is_scripted() => Some(hint),
            _ => None,
        }
    }

    fn no_key_fits(&self) -> Fault {
        if self.is_empty() {
            Fault::no_key("this file needs a secret key, and none was given")
                .hint("pass the file that contains your secret key with -i")
        } else {
            Fault::no_key("none of the secret keys opens this file")
                .hint("pass another key with -i; `sealmark inspect FILE` shows which types of key open it")
        }
    }
}

/// The keys for logs in one file.
pub fn identities_of(path: &Path, asker: &Asker) -> Result<Vec<Identity>, Fault> {
    let mut all = SecretKeys::default();
    all.add_file(path, asker)?;
    if all.ssh.is_empty() && all.plugins.is_empty() {
        return Ok(all.identities);
    }
    Err(Fault::usage(format!("{SECRET} {path:?}: SSH keys and plugin keys cannot be used for logs"))
        .hint("pass the key file that `sealmark keygen` wrote for this log"))
}

/// A key in a file of secret keys.
pub enum Secret<'a> {
    Line(&'a str),
    /// The plugin alone knows its public key, unless a comment above names it.
    Plugin(PluginIdentity, Option<Recipient>),
    /// Such a file has one key, which may take many lines.
    Ssh(SshIdentity),
}

/// The secret keys in one file, which may itself be sealed with a passphrase, each as `read` understands it.
pub fn secrets_of<K>(
    path: &Path,
    asker: &Asker,
    mut read: impl FnMut(Secret) -> Result<K, Fault>,
) -> Result<Vec<K>, Fault> {
    if is_dash(path) {
        asker.before_stdin()?;
    }
    let mut bytes = bytes(path, SECRET)?;
    let mut protected = looks_sealed(&bytes);
    if protected {
        bytes = unlock(&bytes, path, asker)?;
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| not_text(SECRET, path))?;
    let mut all = Vec::new();
    if let Some(label) = text.trim_start().strip_prefix("-----BEGIN ") {
        let key = ssh_identity(text.trim_start(), label, path, asker).and_then(|identity| {
            protected |= identity.is_locked();
            read(Secret::Ssh(identity))
        });
        all.push(key.map_err(|fault| fault.within(&format!("{SECRET} {path:?}")))?);
    } else {
        let mut public = None;
        for (number, line) in lines(text) {
            if let Some(comment) = line.strip_prefix('#') {
                public = public_key_in(comment).or(public);
                continue;
            }
            let key = secret(line, public.take())
                .and_then(&mut read)
                .map_err(|fault| broken::<Identity>(text, number, "secret").unwrap_or(fault));
            all.push(key.map_err(|fault| fault.within(&place(SECRET, path, number)))?);
        }
    }
    if all.is_empty() {
        return Err(Fault::usage(format!("{SECRET} {path:?} contains no secret key"))
            .hint("make one with `sealmark keygen -o key.txt`"));
    }
    if !protected {
        warn_if_open_to_others(SECRET, path);
    }
    Ok(all)
}

fn secret(line: &str, public: Option<Recipient>) -> Result<Secret<'_>, Fault> {
    if !line.starts_with(PLUGIN) {
        return Ok(Secret::Line(line));
    }
    let identity = line.parse().map_err(|error: Error| Fault::usage(error.to_string()))?;
    Ok(Secret::Plugin(identity, public))
}

/// Plugins write the public key into a comment above the secret key: `#    Recipient: age1…`
fn public_key_in(comment: &str) -> Option<Recipient> {
    let (words, key) = comment.rsplit_once(':')?;
    let is_own = ["recipient", "public key"].iter().any(|own| words.trim().eq_ignore_ascii_case(own));
    if is_own { key.trim().parse().ok() } else { None }
}

/// The key in an SSH key file. Its passphrase is asked for if a file names the key, and not if another key opens the file.
fn ssh_identity(text: &str, label: &str, path: &Path, asker: &Asker) -> Result<SshIdentity, Fault> {
    if !label.starts_with("OPENSSH PRIVATE KEY-----") {
        return Err(Fault::usage("this is a private key in a format that is not supported")
            .hint("make a key with `sealmark keygen -o key.txt`, or `ssh-keygen -t ed25519`"));
    }
    let (again, path, of_key) = (Zeroizing::new(text.to_owned()), path.to_owned(), asker.clone());
    let unlock = move || {
        let key =
            of_key.for_identity(&path).and_then(|words| Ok(SshIdentity::from_openssh(&again, Some(&words))?));
        Ok(key.map_err(|fault| fault.within(&format!("{SECRET} {path:?}")))?)
    };
    let identity = SshIdentity::from_openssh_with(text, unlock)
        .map_err(|error| Fault::usage(error.to_string()).hint("make a key with `ssh-keygen -t ed25519`"))?;
    if identity.is_locked() {
        asker.before_stdin()?;
    }
    Ok(identity)
}

/// The start of a plugin's identity.
const PLUGIN: &str = "AGE-PLUGIN-";

pub fn identity(line: &str) -> Result<Identity, Fault> {
    if !is_secret(line) && line.parse::<Recipient>().is_ok() {
        return Err(Fault::usage("this is a public key, and opening needs the secret key")
            .hint("pass the file that `sealmark keygen -o FILE` wrote"));
    }
    if line.parse::<SigningKey>().is_ok() {
        return Err(Fault::usage("this is a signing key, which cannot decrypt")
            .hint("`sealmark seal` takes it with --sign FILE; -i takes the key that `sealmark keygen` makes without --sign"));
    }
    if line.parse::<PreSharedKey>().is_ok() {
        return Err(Fault::usage("this is a pre-shared key: it opens only logs, and has no public key")
            .hint("`sealmark log` takes it with --psk FILE"));
    }
    // The library's message never quotes the line: it may be a secret key with a typing error.
    line.parse().map_err(|error: Error| Fault::usage(error.to_string()))
}

/// The pre-shared keys in one file.
pub fn pre_shared_of(path: &Path) -> Result<Vec<PreSharedKey>, Fault> {
    let bytes = bytes(path, SHARED)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| not_text(SHARED, path))?;
    let key = |(number, line): (usize, &str)| {
        line.parse()
            .map_err(|error: Error| Fault::usage(error.to_string()).within(&place(SHARED, path, number)))
    };
    let all: Vec<PreSharedKey> = key_lines(text).map(key).collect::<Result<_, _>>()?;
    if all.is_empty() {
        return Err(Fault::usage(format!("{SHARED} {path:?} contains no key"))
            .hint("make one with `sealmark keygen --mode psk -o shared.txt`"));
    }
    warn_if_open_to_others(SHARED, path);
    Ok(all)
}

/// The AES key in one file: its bytes, or their hexadecimal digits.
pub fn gcm_key_of(path: &Path) -> Result<gcm::Key, Fault> {
    let bytes = read(path, GCM)?;
    // Reserved at once: growing would leave copies of the secret behind.
    let mut digits = Zeroizing::new(Vec::with_capacity(bytes.len()));
    digits.extend(bytes.iter().filter(|byte| !byte.is_ascii_whitespace()));
    let mut key = Zeroizing::new([0; 32]);
    let key = match from_hex(&digits, &mut key[..]) {
        Some(length @ (16 | 32)) => &key[..length],
        _ => &bytes[..],
    };
    let key = gcm::Key::new(key).map_err(|_| {
        Fault::usage(format!("{GCM} {path:?} contains neither 16 or 32 bytes nor their hexadecimal digits"))
            .hint("32 digits are an AES-128 key, 64 an AES-256 key; AES-192 is not supported here")
            .hint("unwrap the key into it: openssl pkeyutl -decrypt -inkey RSA_KEY -in WRAPPED -out KEY_FILE")
    })?;
    warn_if_open_to_others(GCM, path);
    Ok(key)
}

/// Refuses key files that are missing before anything else is looked at: no other fault matters then.
pub fn are_there(what: &str, files: &[PathBuf]) -> Result<(), Fault> {
    let missing = |path: &&PathBuf| !is_dash(path) && path.metadata().is_err();
    files.iter().find(missing).map_or(Ok(()), |path| bytes(path, what).map(drop))
}

/// True for a file of secret keys, which somebody may have named in place of the file to open.
pub fn is_secret_file(path: &Path) -> bool {
    let is_small = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() < 1 << 16);
    let text = || std::fs::read(path).map(Zeroizing::new);
    is_small
        && text()
            .is_ok_and(|text| key_lines(&String::from_utf8_lossy(&text)).any(|(_, line)| is_secret(line)))
}

/// A key typed where a file was expected is no missing file.
pub fn not_a_file_but_a_secret(path: &Path) -> Option<Fault> {
    let secret = is_secret(&path.to_string_lossy()) && !path.exists();
    secret.then(|| {
        Fault::usage("this is a secret key, not a file")
            .hint("save it in a file, and pass that file with -i FILE")
    })
}

/// The comment of an SSH public key may say anything.
pub fn is_secret(text: &str) -> bool {
    let is_ssh = text.starts_with("ssh-");
    !is_ssh && (text.to_ascii_uppercase().contains("SECRET-KEY-") || text.starts_with(PLUGIN))
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
            Fault::no_key("it is encrypted to a public key; only key files that are encrypted with a passphrase can be used directly")
                .hint(format!("decrypt it first: sealmark open -i KEY -o NEW {path:?}"))
        }
        Err(error) => error.into(),
    };
    Err(fault.within(&format!("{SECRET} {path:?}")))
}

fn warn_if_open_to_others(what: &str, path: &Path) {
    let Ok(meta) = path.metadata() else { return };
    let can = match (meta.is_file(), meta.permissions().mode()) {
        (true, mode) if mode & 0o044 != 0 => "read",
        (true, mode) if mode & 0o022 != 0 => "change",
        _ => return,
    };
    say::warning(&format!("other users can {can} the {what} {path:?}"), &format!("chmod 600 {path:?}"));
}

pub fn text(path: &Path, what: &str) -> Result<String, Fault> {
    let bytes = bytes(path, what)?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(not_text(what, path)),
    }
}

fn bytes(path: &Path, what: &str) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let bytes = read(path, what)?;
    if bytes.len() as u64 > LARGEST {
        Err(Fault::usage(format!("{what} {path:?} is larger than {} MiB", LARGEST >> 20)).hint(KEY_FILE))
    } else {
        Ok(bytes)
    }
}

/// At most one byte more than [`LARGEST`]. Opened and read once, so that `<(command)` works.
fn read(path: &Path, what: &str) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let read = || {
        let file = if is_dash(path) { stdio::input_file()? } else { File::open(path)? };
        // Reserved at once: growing would leave copies of the secret behind.
        let length = file.metadata().map_or(0, |meta| meta.len().min(LARGEST));
        let mut bytes = Zeroizing::new(Vec::with_capacity(length as usize + 4096));
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error: std::io::Error| {
        not_a_file_but_a_secret(path).unwrap_or(error.into()).within(&format!("{what} {path:?}"))
    })
}

fn not_text(what: &str, path: &Path) -> Fault {
    Fault::usage(format!("{what} {path:?} is not a UTF-8 text file")).hint(KEY_FILE)
}

const KEY_FILE: &str = "pass a file that `sealmark keygen` wrote, or one with a key on each line";

/// Lines that hold a key, with their number.
pub fn key_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text).filter(|(_, line)| !line.starts_with('#'))
}

/// Lines that hold a key or a comment, with their number.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty())
}

pub fn place(what: &str, path: &Path, line: usize) -> String {
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
    fn digits_are_bytes_if_there_is_room() {
        let mut bytes = [0; 2];
        assert_eq!((from_hex(b"0aFf", &mut bytes), bytes), (Some(2), [0x0a, 0xff]));
        assert_eq!(from_hex(b"", &mut bytes), Some(0));
        for wrong in [&b"0"[..], b"0g", b"+1", b"000102", "\u{00e9}".as_bytes()] {
            assert_eq!(from_hex(wrong, &mut bytes), None, "{wrong:?}");
        }
    }

    #[test]
    fn secret_keys_are_known_before_they_are_parsed() {
        assert!(is_secret("age-secret-key-1abc"));
        assert!(is_secret("SEALMARK-SECRET-KEY-P256-1ABC"));
        assert!(!is_secret("age1abc"));
        assert!(!is_secret("ssh-ed25519 AAAA backup of SEALMARK-SECRET-KEY-P256-1ABC"));
    }
}

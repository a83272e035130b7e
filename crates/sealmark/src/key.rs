//! Keys and recipients of all kinds; which of them open a file.

use crate::error::{Error, KeyMisuse, Result};
use crate::keystring::{decode_bech32, encode_bech32, encode_secret};
use crate::passphrase::Passphrase;
use crate::plugin::{Answer, PluginName, Plugins};
use crate::sign::{Demand, Id, SigningKey, VerifyingKey};
use crate::ssh::{SshIdentity, SshPublic};
use crate::suite::{Kem, Mode};
use crate::{aead, header, kem};
use std::fmt;
use std::str::FromStr;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// A secret key. Its bytes are wiped when it is dropped and never printed by `Debug`.
///
/// Its text is one line, which `sealmark keygen` writes and age reads if the KEM is one of age's.
///
/// ```
/// use sealmark::{Identity, Kem, Recipient};
///
/// # fn main() -> sealmark::Result<()> {
/// let identity = Identity::generate(Kem::MlKem768X25519)?;
/// let line = identity.to_secret_string();
/// assert!(line.starts_with("AGE-SECRET-KEY-PQ-1"));
///
/// let again: Identity = line.parse()?;
/// let recipient: Recipient = again.recipient().to_string().parse()?;
/// assert_eq!(recipient, identity.recipient());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Identity {
    kem: Kem,
    secret: Zeroizing<Vec<u8>>,
}

impl Identity {
    /// Generates a key from the operating system's randomness.
    pub fn generate(kem: Kem) -> Result<Self> {
        Ok(Self { kem, secret: kem::generate(kem)? })
    }

    /// The KEM this key belongs to.
    pub fn kem(&self) -> Kem {
        self.kem
    }

    /// The public key of this secret key.
    pub fn recipient(&self) -> Recipient {
        Recipient::kem_key(self.kem, kem::public_key(self.kem, &self.secret))
    }

    /// The key as one line of text, to be kept secret: `AGE-SECRET-KEY-…` or `SEALMARK-SECRET-KEY-…`.
    pub fn to_secret_string(&self) -> Zeroizing<String> {
        encode_secret(&self.kem.identity_prefix(), &self.secret)
    }

    /// Parses the bytes of a key in the HPKE serialisation (spec/file.md, "Keys").
    ///
    /// # Errors
    /// [`KeyMisuse::KeyString`] if the length or the value is invalid for this KEM.
    pub fn from_secret_bytes(kem: Kem, secret: &[u8]) -> Result<Self> {
        if kem::is_valid_secret(kem, secret) {
            Ok(Self { kem, secret: Zeroizing::new(secret.to_vec()) })
        } else {
            Err(INVALID_KEY.into())
        }
    }

    /// The bytes that [`Identity::from_secret_bytes`] takes; keep them secret.
    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.secret.clone()
    }

    pub(crate) fn secret(&self) -> &[u8] {
        &self.secret
    }
}

impl ZeroizeOnDrop for Identity {}

impl FromStr for Identity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (prefix, secret) = decode_bech32(text)?;
        let kem = Kem::ALL.iter().copied().find(|kem| kem.identity_prefix() == prefix).ok_or_else(|| {
            let is_public = Kem::ALL.iter().any(|kem| kem.recipient_prefix() == prefix);
            if is_public || prefix.starts_with("age1") {
                KeyMisuse::KeyString("this is a public key, but a secret key is needed")
            } else if prefix.starts_with(PLUGIN_IDENTITY) {
                KeyMisuse::KeyString("this is the secret key of a plugin, which only the plugin can use")
            } else if text.parse::<SigningKey>().is_ok() {
                KeyMisuse::KeyString("this is a signing key, which cannot decrypt")
            } else {
                UNKNOWN_TYPE
            }
        })?;
        if text.bytes().any(|b| b.is_ascii_lowercase()) {
            return Err(KeyMisuse::KeyString(
                "this secret key has lower-case letters, but must be all upper case",
            )
            .into());
        }
        if !kem::is_valid_secret(kem, &secret) {
            return Err(INVALID_KEY.into());
        }
        Ok(Self { kem, secret })
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.kem)
    }
}

/// A public key that files can be sealed to, and logs if it has a [`Kem`]. [`Identity`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Recipient(Public);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Public {
    /// In its HPKE serialisation.
    Kem(Kem, Vec<u8>),
    /// A key whose secret half a plugin or a device keeps: age's `age1tag…`, in its HPKE serialisation.
    Tag(Kem, Vec<u8>),
    Ssh(SshPublic),
    /// A recipient that only a plugin of age understands.
    Plugin(PluginName, String),
}

impl Recipient {
    fn kem_key(kem: Kem, public: Vec<u8>) -> Self {
        Self(Public::Kem(kem, public))
    }

    /// The KEM that this key belongs to. `None` for keys that only stanzas of age know (spec/file.md, "Stanzas of age"), which
    /// are no keys for logs.
    pub fn kem(&self) -> Option<Kem> {
        match &self.0 {
            Public::Kem(kem, _) => Some(*kem),
            Public::Tag(..) | Public::Ssh(_) | Public::Plugin(..) => None,
        }
    }

    /// True if files sealed to this key alone resist a quantum computer. `None` for a plugin, which says so when it wraps.
    pub fn is_post_quantum(&self) -> Option<bool> {
        match &self.0 {
            Public::Kem(kem, _) | Public::Tag(kem, _) => Some(kem.is_post_quantum()),
            Public::Ssh(_) => Some(false),
            Public::Plugin(..) => None,
        }
    }

    /// The plugin that wraps for this recipient, if only a plugin can.
    pub fn plugin(&self) -> Option<&PluginName> {
        match &self.0 {
            Public::Plugin(name, _) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn public(&self) -> &Public {
        &self.0
    }

    /// Names this key in a signature (spec/file.md, "Signatures").
    pub(crate) fn id(&self) -> [u8; 32] {
        let (kind, public) = match &self.0 {
            Public::Kem(kem, public) => (kem.stanza(), public.clone()),
            _ => (header::AGE, self.to_string().into_bytes()),
        };
        aead::sha256(&[kind.as_bytes(), &[0], &public].concat())
    }

    fn from_bech32(prefix: &str, public: &[u8]) -> Result<Self> {
        if let Some(kem) = Kem::ALL.iter().copied().find(|kem| kem.recipient_prefix() == prefix) {
            kem::check_public(kem, public)?;
            return Ok(Self::kem_key(kem, public.to_vec()));
        }
        match prefix.strip_prefix("age1") {
            Some("tag") => {
                let public = kem::p256_uncompressed(public).ok_or(INVALID_KEY)?;
                Ok(Self(Public::Tag(Kem::P256, public)))
            }
            Some("tagpq") => {
                kem::check_public(Kem::MlKem768P256, public)?;
                Ok(Self(Public::Tag(Kem::MlKem768P256, public.to_vec())))
            }
            Some(name) => {
                let text = encode_bech32(prefix, public);
                Ok(Self(Public::Plugin(name.parse()?, text)))
            }
            None => Err(UNKNOWN_TYPE.into()),
        }
    }
}

impl SshIdentity {
    /// The public key of this secret key, without a comment.
    pub fn recipient(&self) -> Recipient {
        Recipient(Public::Ssh(self.public().clone()))
    }
}

impl FromStr for Recipient {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if SshPublic::is_meant(text) {
            return Ok(Self(Public::Ssh(SshPublic::parse(text)?)));
        }
        let (prefix, public) = decode_bech32(text)?;
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            let is_secret = Kem::ALL.iter().any(|kem| kem.identity_prefix() == prefix)
                || prefix.starts_with(PLUGIN_IDENTITY);
            return Err(KeyMisuse::KeyString(if is_secret {
                "this is a secret key, but a public key is needed"
            } else {
                "this public key has upper-case letters, but must be all lower case"
            })
            .into());
        }
        Self::from_bech32(&prefix, &public).map_err(|error| match text.parse::<VerifyingKey>() {
            Ok(_) => KeyMisuse::KeyString(
                "this is the public key of a signing key, to which nothing can be encrypted",
            )
            .into(),
            Err(_) => error,
        })
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Public::Kem(kem, public) => f.write_str(&encode_bech32(&kem.recipient_prefix(), public)),
            Public::Tag(Kem::P256, public) => {
                f.write_str(&encode_bech32("age1tag", &kem::p256_compressed(public)))
            }
            Public::Tag(_, public) => f.write_str(&encode_bech32("age1tagpq", public)),
            Public::Ssh(public) => public.fmt(f),
            Public::Plugin(_, text) => f.write_str(text),
        }
    }
}

/// The start of a plugin's identity string, in lower case.
const PLUGIN_IDENTITY: &str = "age-plugin-";
const UNKNOWN_TYPE: KeyMisuse =
    KeyMisuse::KeyString("this version does not know the type of this key; a newer one may");
const INVALID_KEY: KeyMisuse =
    KeyMisuse::KeyString("the key has the wrong length, or is not a valid key of its type");

/// Keys to open a file with: identities, a passphrase, or a way to ask for one.
///
/// ```
/// use sealmark::{Identity, Kem, OpenWith, Passphrase};
///
/// # fn main() -> sealmark::Result<()> {
/// let identity = Identity::generate(Kem::MlKem768X25519)?;
/// let with = OpenWith::identities(vec![identity]).and_passphrase(Passphrase::new("correct horse".to_owned()));
/// # let _ = with;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct OpenWith<'a> {
    pub(crate) identities: Vec<Identity>,
    pub(crate) ssh: Vec<SshIdentity>,
    pub(crate) plugins: Option<&'a dyn Plugins>,
    own: Vec<Recipient>,
    pub(crate) passphrase: Option<Passphrase>,
    ask: Option<&'a (dyn Fn() -> Answer<Passphrase> + Sync)>,
    senders: Option<Vec<VerifyingKey>>,
    forwarded: bool,
}

impl<'a> OpenWith<'a> {
    /// Tries these keys in turn.
    pub fn identities(identities: Vec<Identity>) -> Self {
        Self { identities, ..Self::default() }
    }

    /// Opens passphrase-sealed files only.
    pub fn passphrase(passphrase: Passphrase) -> Self {
        Self { passphrase: Some(passphrase), ..Self::default() }
    }

    /// Also opens files sealed with this passphrase.
    #[must_use]
    pub fn and_passphrase(self, passphrase: Passphrase) -> Self {
        Self { passphrase: Some(passphrase), ..self }
    }

    /// Also tries these SSH keys.
    #[must_use]
    pub fn and_ssh(mut self, ssh: Vec<SshIdentity>) -> Self {
        self.ssh.extend(ssh);
        self
    }

    /// Also asks plugins, if neither another key nor a passphrase fits, wherever it comes from: a device may want to be touched
    /// for each question.
    #[must_use]
    pub fn and_plugins(self, plugins: &'a dyn Plugins) -> Self {
        Self { plugins: Some(plugins), ..self }
    }

    /// Also counts these public keys as the caller's own if a signature names recipients, because plugins do not tell theirs.
    #[must_use]
    pub fn and_own_recipients(mut self, own: Vec<Recipient>) -> Self {
        self.own.extend(own);
        self
    }

    /// Calls `ask` only if a file is sealed with a passphrase and none was given. Its error is returned in
    /// [`Error::Passphrase`].
    #[must_use]
    pub fn ask_passphrase(self, ask: &'a (dyn Fn() -> Answer<Passphrase> + Sync)) -> Self {
        Self { ask: Some(ask), ..self }
    }

    /// Opens only files that one of `senders` signed and sealed to one of the identities, or to one of the caller's other public
    /// keys. Files that are not signed are refused. A second call replaces the senders of the first.
    #[must_use]
    pub fn signed_by(self, senders: Vec<VerifyingKey>) -> Self {
        Self { senders: Some(senders), ..self }
    }

    /// Accepts signed files, too, that their sender sealed to others, and that somebody forwarded:
    /// [`Signed::By`](crate::Signed::By) then says that the caller was not meant.
    #[must_use]
    pub fn accept_forwarded(self) -> Self {
        Self { forwarded: true, ..self }
    }

    /// True if only signed files are opened.
    pub(crate) fn demands_signature(&self) -> bool {
        self.senders.is_some()
    }

    pub(crate) fn demand(&self) -> Option<Demand> {
        Some(Demand { senders: self.senders.clone()?, forwarded: self.forwarded })
    }

    /// The ids of the public keys whose owner the caller is, as a signature names them.
    pub(crate) fn mine(&self) -> Vec<Id> {
        let identities = self.identities.iter().map(Identity::recipient);
        let ssh = self.ssh.iter().map(SshIdentity::recipient);
        identities.chain(ssh).chain(self.own.iter().cloned()).map(|key| key.id()).collect()
    }

    pub(crate) fn passphrase_for_file(&self) -> Result<Passphrase> {
        match (&self.passphrase, self.ask) {
            (Some(passphrase), _) => Ok(passphrase.clone()),
            (None, Some(ask)) => ask().map_err(|error| Error::Passphrase { error }),
            (None, None) => Err(Error::PassphraseNeeded),
        }
    }
}

impl fmt::Debug for OpenWith<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenWith({} identities)", self.identities.len() + self.ssh.len())
    }
}

impl FromStr for Kem {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.eq_ignore_ascii_case("x-wing") {
            return Ok(Self::MlKem768X25519);
        }
        Self::ALL
            .iter()
            .copied()
            .find(|kem| text.eq_ignore_ascii_case(kem.name()) || text.eq_ignore_ascii_case(kem.stanza()))
            .ok_or_else(|| KeyMisuse::UnknownName(text.into()).into())
    }
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        [Self::Ecc, Self::Pqc, Self::Hybrid]
            .into_iter()
            .find(|mode| text.eq_ignore_ascii_case(&mode.to_string()))
            .ok_or_else(|| KeyMisuse::UnknownName(text.into()).into())
    }
}

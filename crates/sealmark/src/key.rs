//! Keys, their strings, and passphrases; which of them open a file.

use std::{fmt, str::FromStr};

use bech32::{
    Bech32, Hrp,
    primitives::{checksum::Checksum, decode::CheckedHrpstring},
};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::{
    aead,
    error::{Error, KeyMisuse, Result},
    kem,
    sign::{Demand, VerifyingKey},
    suite::{Kem, Mode},
};

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
        Recipient { kem: self.kem, public: kem::public_key(self.kem, &self.secret) }
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
            Err(KeyMisuse::KeyString("the key has the wrong length, or is not a valid key of its type")
                .into())
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
        if text.bytes().any(|b| b.is_ascii_lowercase()) {
            return Err(KeyMisuse::KeyString(
                "this secret key has lower-case letters, but must be all upper case",
            )
            .into());
        }
        let kem = Kem::ALL.iter().copied().find(|kem| kem.identity_prefix() == prefix).ok_or_else(|| {
            KeyMisuse::KeyString(if Kem::ALL.iter().any(|kem| kem.recipient_prefix() == prefix) {
                "this is a public key, but a secret key is needed"
            } else {
                "this version does not know the type of this key; a newer one may"
            })
        })?;
        if !kem::is_valid_secret(kem, &secret) {
            return Err(KeyMisuse::KeyString(
                "the key has the wrong length, or is not a valid key of its type",
            )
            .into());
        }
        Ok(Self { kem, secret })
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.kem)
    }
}

/// A public key that files and logs can be sealed to. [`Identity`] has an example.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Recipient {
    kem: Kem,
    public: Vec<u8>,
}

impl Recipient {
    /// The KEM this key belongs to.
    pub fn kem(&self) -> Kem {
        self.kem
    }

    /// The public key in its HPKE serialisation.
    pub(crate) fn public(&self) -> &[u8] {
        &self.public
    }

    /// Names this key in a signature (spec/file.md, "Signatures").
    pub(crate) fn id(&self) -> [u8; 32] {
        aead::sha256(&[self.kem.stanza().as_bytes(), &[0], &self.public].concat())
    }
}

impl FromStr for Recipient {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (prefix, public) = decode_bech32(text)?;
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(if Kem::ALL.iter().any(|kem| kem.identity_prefix() == prefix) {
                KeyMisuse::KeyString("this is a secret key, but a public key is needed").into()
            } else {
                KeyMisuse::KeyString("this public key has upper-case letters, but must be all lower case")
                    .into()
            });
        }
        let kem = Kem::ALL.iter().copied().find(|kem| kem.recipient_prefix() == prefix).ok_or(
            KeyMisuse::KeyString("this version does not know the type of this key; a newer one may"),
        )?;
        kem::check_public(kem, &public)?;
        Ok(Self { kem, public: public.to_vec() })
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode_bech32(&self.kem.recipient_prefix(), &self.public))
    }
}

/// A passphrase. It is wiped when dropped and never printed.
///
/// ```
/// use sealmark::{Format, OpenWith, Opener, Passphrase, SealTo, Sealer};
/// use std::io::{Read, Write};
///
/// # fn main() -> sealmark::Result<()> {
/// let words = || Passphrase::new("correct horse battery staple".to_owned());
/// let mut sealer = Sealer::new(Vec::new(), &SealTo::passphrase(Format::Sealmark, words()))?;
/// sealer.write_all(b"private")?;
/// let sealed = sealer.finish()?;
///
/// let mut opened = Vec::new();
/// Opener::new(&sealed[..], &OpenWith::passphrase(words()))?.read_to_end(&mut opened)?;
/// assert_eq!(opened, b"private");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Takes ownership of the text, which is wiped with this value.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl ZeroizeOnDrop for Passphrase {}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase")
    }
}

/// Keys to open a file with: identities, a passphrase, or a way to ask for one.
#[derive(Clone, Default)]
pub struct OpenWith<'a> {
    pub(crate) identities: Vec<Identity>,
    passphrase: Option<Passphrase>,
    ask: Option<&'a (dyn Fn() -> Asked + Sync)>,
    senders: Option<Vec<VerifyingKey>>,
    forwarded: bool,
}

/// A passphrase, or why the caller has none.
type Asked = std::result::Result<Passphrase, Box<dyn std::error::Error + Send + Sync>>;

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

    /// Calls `ask` only if a file is sealed with a passphrase and none was given. Its error is returned in
    /// [`Error::Passphrase`].
    #[must_use]
    pub fn ask_passphrase(self, ask: &'a (dyn Fn() -> Asked + Sync)) -> Self {
        Self { ask: Some(ask), ..self }
    }

    /// Opens only files that one of `senders` signed and sealed to one of the identities. Files that are not signed are refused.
    #[must_use]
    pub fn signed_by(self, senders: Vec<VerifyingKey>) -> Self {
        Self { senders: Some(senders), ..self }
    }

    /// Accepts signed files, too, that their sender sealed to others, and that somebody forwarded.
    #[must_use]
    pub fn forwarded(self) -> Self {
        Self { forwarded: true, ..self }
    }

    /// True if only signed files are opened.
    pub(crate) fn demands_signature(&self) -> bool {
        self.senders.is_some()
    }

    pub(crate) fn demand(&self) -> Option<Demand> {
        let senders = self.senders.clone()?;
        let mine = self.identities.iter().map(|identity| identity.recipient().id()).collect();
        Some(Demand { senders, forwarded: self.forwarded, mine })
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
        write!(f, "OpenWith({} identities)", self.identities.len())
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

/// BIP 173's checksum without its limit of 90 characters, as age uses it: post-quantum keys are long.
enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = <Bech32 as Checksum>::MidstateRepr;
    type CorrectionField = <Bech32 as Checksum>::CorrectionField;
    const ROOT_GENERATOR: Self::CorrectionField = <Bech32 as Checksum>::ROOT_GENERATOR;
    const ROOT_EXPONENTS: std::ops::RangeInclusive<usize> = <Bech32 as Checksum>::ROOT_EXPONENTS;
    const CODE_LENGTH: usize = MAX_KEY_STRING;
    const CHECKSUM_LENGTH: usize = <Bech32 as Checksum>::CHECKSUM_LENGTH;
    const GENERATOR_SH: [Self::MidstateRepr; 5] = <Bech32 as Checksum>::GENERATOR_SH;
    const TARGET_RESIDUE: Self::MidstateRepr = <Bech32 as Checksum>::TARGET_RESIDUE;
}

/// Longer than any key string; text beyond it is refused unread.
const MAX_KEY_STRING: usize = 4096;

pub(crate) fn encode_bech32(prefix: &str, bytes: &[u8]) -> String {
    let hrp = Hrp::parse(prefix).expect("prefixes are fixed and valid");
    bech32::encode_lower::<LongBech32>(hrp, bytes).expect("keys are shorter than the code")
}

/// Secret keys are written so.
pub(crate) fn encode_secret(prefix: &str, secret: &[u8]) -> Zeroizing<String> {
    let mut text = encode_bech32(prefix, secret);
    text.make_ascii_uppercase();
    Zeroizing::new(text)
}

/// The lower-case prefix and the bytes behind it.
pub(crate) fn decode_bech32(text: &str) -> Result<(String, Zeroizing<Vec<u8>>)> {
    if text.len() > MAX_KEY_STRING {
        return Err(KeyMisuse::KeyString("the key is too long").into());
    }
    let parsed = CheckedHrpstring::new::<LongBech32>(text)
        .map_err(|_| KeyMisuse::KeyString("not a valid key: mistyped or cut short"))?;
    // BIP 173's: short and zero.
    parsed
        .validate_segwit_padding()
        .map_err(|_| KeyMisuse::KeyString("the key is mistyped: its last character is not canonical"))?;
    // With room for all: a vector that grows leaves what it held behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    bytes.extend(parsed.byte_iter());
    Ok((parsed.hrp().to_lowercase(), bytes))
}

//! The readers of a log, and the keys that open it.

use crate::aead;
use crate::error::{Error, KeyMisuse, Result};
use crate::key::{Identity, Public, Recipient};
use crate::keystring::{decode_bech32, encode_secret};
use crate::seal::{check_number, check_unmixed};
use crate::suite::Kem;
use std::fmt;
use std::str::FromStr;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// The human-readable part of a pre-shared key's string, in lower case.
const PREFIX: &str = "sealmark-secret-key-psk-";

/// 32 random bytes that writers and readers of a log share. Wiped when dropped and never printed by `Debug`.
///
/// Its holders can read and write; in return a token proves that it comes from one of them.
///
/// ```
/// use sealmark::record::{LogKeys, PreSharedKey, Readers};
///
/// # fn main() -> sealmark::Result<()> {
/// let key = PreSharedKey::generate()?;
/// let readers = Readers::pre_shared(key.clone()); // for a LogSealer
/// let keys = LogKeys::pre_shared(vec![key]); // for a LogOpener
/// # let _ = (readers, keys);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PreSharedKey(Zeroizing<[u8; 32]>);

impl PreSharedKey {
    /// A new random key.
    ///
    /// # Errors
    /// [`Error::Random`] where the operating system has no randomness.
    pub fn generate() -> Result<Self> {
        Ok(Self(Zeroizing::new(aead::random()?)))
    }

    /// A key that was generated elsewhere, such as by a key management service: 32 unguessable bytes.
    pub fn from_secret_bytes(bytes: &[u8; 32]) -> Self {
        Self(Zeroizing::new(*bytes))
    }

    /// The bytes of the key; keep them secret.
    pub fn to_secret_bytes(&self) -> Zeroizing<[u8; 32]> {
        self.0.clone()
    }

    /// The key string, `SEALMARK-SECRET-KEY-PSK-1…`; keep it secret.
    pub fn to_secret_string(&self) -> Zeroizing<String> {
        encode_secret(PREFIX, &self.0[..])
    }

    /// The key that wraps one session key, by a salt that is used once.
    pub(super) fn wrap_key(&self, salt: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        aead::hkdf_sha256(&self.0[..], salt, b"sealmark/1 log psk")
    }
}

impl FromStr for PreSharedKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (prefix, secret) = decode_bech32(text)?;
        if prefix != PREFIX {
            return Err(KeyMisuse::KeyString("this is not a pre-shared key").into());
        }
        if text.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return Err(KeyMisuse::KeyString(
                "this secret key has lower-case letters, but must be all upper case",
            )
            .into());
        }
        let bytes = <&[u8; 32]>::try_from(&secret[..]).map_err(|_| {
            KeyMisuse::KeyString("the key has the wrong length, or is not a valid key of its type")
        })?;
        Ok(Self(Zeroizing::new(*bytes)))
    }
}

impl ZeroizeOnDrop for PreSharedKey {}

impl fmt::Debug for PreSharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PreSharedKey")
    }
}

/// The readers of a log to be written: any of some recipients, or the holders of a pre-shared key.
///
/// The [module](crate::record) has an example.
#[derive(Debug, Clone)]
pub struct Readers(pub(super) Wrapping);

#[derive(Debug, Clone)]
pub(super) enum Wrapping {
    /// Public keys in their HPKE serialisation.
    Recipients(Vec<(Kem, Vec<u8>)>),
    PreShared(PreSharedKey),
}

impl Readers {
    /// Each of these recipients alone can open the log; its writer cannot.
    ///
    /// # Errors
    /// [`KeyMisuse`] for none at all, more than 1,000, a key without a [`Kem`], and a mix of classic and post-quantum keys.
    pub fn recipients(recipients: &[Recipient]) -> Result<Self> {
        check_unmixed(recipients)?;
        Self::mixed_recipients(recipients)
    }

    /// Like [`Readers::recipients`], but classic and post-quantum keys may be mixed: the log is only as safe as its classic
    /// recipients.
    ///
    /// # Errors
    /// [`KeyMisuse`] for none at all, more than 1,000, and a key without a [`Kem`].
    pub fn mixed_recipients(recipients: &[Recipient]) -> Result<Self> {
        check_number(recipients)?;
        let keys = recipients.iter().map(|recipient| match recipient.public() {
            Public::Kem(kem, public) => Ok((*kem, public.clone())),
            _ => Err(KeyMisuse::NotForLogs.into()),
        });
        Ok(Self(Wrapping::Recipients(keys.collect::<Result<_>>()?)))
    }

    /// Seals to the holders of this key, who include the writer.
    pub fn pre_shared(key: PreSharedKey) -> Self {
        Self(Wrapping::PreShared(key))
    }

    /// True if the log resists a quantum computer.
    pub(super) fn is_post_quantum(&self) -> bool {
        match &self.0 {
            Wrapping::Recipients(recipients) => recipients.iter().all(|(kem, _)| kem.is_post_quantum()),
            Wrapping::PreShared(_) => true,
        }
    }
}

/// Keys to open logs with: identities, pre-shared keys, or both. The default opens nothing and still finds tokens.
///
/// The [module](crate::record) has an example.
#[derive(Clone, Default)]
pub struct LogKeys {
    pub(super) identities: Vec<Identity>,
    pub(super) pre_shared: Vec<PreSharedKey>,
}

impl LogKeys {
    /// Tries these secret keys.
    pub fn identities(identities: Vec<Identity>) -> Self {
        Self { identities, pre_shared: Vec::new() }
    }

    /// Tries these pre-shared keys.
    pub fn pre_shared(pre_shared: Vec<PreSharedKey>) -> Self {
        Self { identities: Vec::new(), pre_shared }
    }

    /// Tries these pre-shared keys as well.
    #[must_use]
    pub fn and_pre_shared(mut self, mut pre_shared: Vec<PreSharedKey>) -> Self {
        self.pre_shared.append(&mut pre_shared);
        self
    }
}

impl fmt::Debug for LogKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogKeys({} identities, {} pre-shared)", self.identities.len(), self.pre_shared.len())
    }
}

//! Stanzas of age in `sealmark/1` (spec/file.md, "Stanzas of age"): the stanza wraps a key, which wraps the file key.

use crate::aead::{self, WrapCipher};
use crate::error::{Error, Part, Result};
use crate::format::{AgeKey, FileKey, Format};
use crate::header::{AGE, Header, Stanza, decode, encode, malformed};
use zeroize::Zeroizing;

const INFO: &[u8] = b"sealmark/1 file age";
const WRAPPED: usize = 32 + aead::TAG;

/// Puts a stanza of age, which wraps `key`, around a file key.
pub(crate) fn nest(age: Stanza, key: &AgeKey, file_key: &FileKey) -> Stanza {
    let wrapped = aead::wrap_once(WrapCipher::Aes256Gcm, &wrap_key(&age, &key[..]), file_key.as_bytes());
    Stanza { kind: AGE.into(), args: [vec![encode(&wrapped), age.kind], age.args].concat(), body: age.body }
}

/// A stanza of age in a header of either format.
pub(crate) struct InAge {
    pub stanza: Stanza,
    /// The file key under the key in the stanza. In an age file, that key is the file key.
    wrapped: Option<Vec<u8>>,
}

/// All stanzas of age in a header.
pub(crate) fn stanzas(header: &Header) -> Result<Vec<InAge>> {
    match header.format {
        Format::Age => {
            Ok(header.stanzas.iter().map(|stanza| InAge { stanza: stanza.clone(), wrapped: None }).collect())
        }
        Format::Sealmark => {
            header.stanzas.iter().filter(|stanza| stanza.kind == AGE).map(InAge::parse).collect()
        }
    }
}

impl InAge {
    pub fn parse(outer: &Stanza) -> Result<Self> {
        let [wrapped, kind, args @ ..] = &outer.args[..] else {
            return Err(malformed("a stanza of age has too few arguments"));
        };
        let wrapped = decode(wrapped.as_bytes())?;
        if wrapped.len() != WRAPPED {
            return Err(malformed("a stanza of age has a file key of the wrong length"));
        }
        let stanza = Stanza { kind: kind.clone(), args: args.to_vec(), body: outer.body.clone() };
        Ok(Self { stanza, wrapped: Some(wrapped) })
    }

    /// The file key, given the key in the stanza. That key was authenticated, so it must fit.
    pub fn file_key(&self, key: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        match &self.wrapped {
            None => Ok(Zeroizing::new(key.to_vec())),
            Some(wrapped) => aead::unwrap_once(WrapCipher::Aes256Gcm, &wrap_key(&self.stanza, key), wrapped)
                .ok_or(Error::Tampered(Part::Header)),
        }
    }
}

/// The stanza is the salt: it has randomness of its own, and the wrapped file key cannot move to another stanza.
fn wrap_key(age: &Stanza, key: &[u8]) -> Zeroizing<[u8; 32]> {
    aead::hkdf_sha256(key, age.to_string().as_bytes(), INFO)
}

/// True if stanzas of this type of age resist a quantum computer; `None` for types of plugins.
pub(crate) fn is_post_quantum(kind: &str) -> Option<bool> {
    match kind {
        "mlkem768x25519" | "mlkem768p256tag" => Some(true),
        "X25519" | "p256tag" | "ssh-ed25519" | "ssh-rsa" => Some(false),
        _ => None,
    }
}

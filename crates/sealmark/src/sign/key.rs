//! Keys that sign, and the composite of ML-DSA-65 and Ed25519 (draft-ietf-lamps-pq-composite-sigs): the only file that names
//! a signature algorithm.

use crate::aead;
use crate::error::{Error, KeyMisuse, Result};
use crate::keystring::{decode_bech32, encode_bech32, encode_secret};
use aws_lc_rs::digest;
use ed25519_dalek::Signer as _;
use ml_dsa::MlDsa65;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

const PREFIX: &[u8] = b"CompositeAlgorithmSignatures2025";
const LABEL: &[u8] = b"COMPSIG-MLDSA65-Ed25519-SHA512";
/// The word for this composite in key strings and signatures.
pub(crate) const TYPE: &str = "mldsa65ed25519";

const SEED: usize = 32;
const SEEDS: usize = 2 * SEED;
const MLDSA_PUBLIC: usize = 1952;
const MLDSA_SIGNATURE: usize = 3309;
const ED25519_SIGNATURE: usize = 64;
/// Bytes of a public key.
pub(crate) const PUBLIC: usize = MLDSA_PUBLIC + 32;
/// Bytes of a signature.
pub(crate) const SIGNATURE: usize = MLDSA_SIGNATURE + ED25519_SIGNATURE;
/// Bytes of the id of a public key.
pub(crate) const ID: usize = 32;

/// Names a public key: its SHA-256.
pub(crate) type Id = [u8; ID];

const NOT_OF_TYPE: KeyMisuse =
    KeyMisuse::KeyString("the key has the wrong length, or is not a valid key of its type");

/// A secret key that signs: ML-DSA-65 and Ed25519 together, so that a forger has to break both. Clones share its bytes, which are
/// wiped when the last clone is dropped and never printed by `Debug`.
///
/// ```
/// use sealmark::{SigningKey, VerifyingKey};
///
/// # fn main() -> sealmark::Result<()> {
/// let key = SigningKey::generate()?;
/// let again: SigningKey = key.to_secret_string().parse()?;
/// let public: VerifyingKey = again.verifying_key().to_string().parse()?;
/// assert_eq!(public, key.verifying_key());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SigningKey(Arc<Secret>);

/// Expanded once, because that takes half as long as a signature. Both halves are wiped when they are dropped.
struct Secret {
    mldsa: ml_dsa::SigningKey<MlDsa65>,
    ed25519: ed25519_dalek::SigningKey,
}

impl SigningKey {
    /// Generates a key from the operating system's randomness.
    pub fn generate() -> Result<Self> {
        let mut seeds = Zeroizing::new([0; SEEDS]);
        aead::fill_random(&mut seeds[..])?;
        Ok(Self::from_seeds(&seeds))
    }

    /// Takes the seed of ML-DSA-65, then that of Ed25519.
    fn from_seeds(seeds: &[u8; SEEDS]) -> Self {
        let (mldsa, ed25519) = seeds.split_first_chunk::<SEED>().expect("two seeds");
        let mut seed = ml_dsa::Seed::default();
        seed.copy_from_slice(mldsa);
        let mldsa = ml_dsa::SigningKey::from_seed(&seed);
        seed.as_mut_slice().zeroize();
        let ed25519 = ed25519_dalek::SigningKey::from_bytes(ed25519.first_chunk().expect("two seeds"));
        Self(Arc::new(Secret { mldsa, ed25519 }))
    }

    /// The public key of this secret key.
    pub fn verifying_key(&self) -> VerifyingKey {
        let mldsa = ml_dsa::Keypair::verifying_key(&self.0.mldsa).encode();
        VerifyingKey { bytes: [&mldsa[..], self.0.ed25519.verifying_key().as_bytes()].concat() }
    }

    /// The key as one line of text, to be kept secret: `SEALMARK-SECRET-KEY-MLDSA65ED25519-1…`.
    pub fn to_secret_string(&self) -> Zeroizing<String> {
        let mut seeds = Zeroizing::new([0; SEEDS]);
        seeds[..SEED].copy_from_slice(self.0.mldsa.as_seed());
        seeds[SEED..].copy_from_slice(self.0.ed25519.as_bytes());
        encode_secret(&secret_prefix(), &seeds[..])
    }

    /// Signs under both algorithms. `context` has at most 255 bytes.
    pub(crate) fn sign(&self, context: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        let message = representative(context, message);
        // With fresh randomness, because a fault during a deterministic signature may give the key away (FIPS 204, 3.4).
        let key = self.0.mldsa.expanded_key();
        let mldsa = key
            .sign_randomized(&message, LABEL, &mut getrandom::SysRng)
            .map_err(|_| Error::Random { error: std::io::Error::other("signing failed") })?;
        Ok([&mldsa.encode()[..], &self.0.ed25519.sign(&message).to_bytes()].concat())
    }
}

impl ZeroizeOnDrop for SigningKey {}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

impl FromStr for SigningKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (prefix, bytes) = decode_bech32(text)?;
        if prefix != secret_prefix() {
            return Err(KeyMisuse::KeyString(if prefix == public_prefix() {
                "this is a public key, but a secret key is needed"
            } else {
                "this is not a signing key"
            })
            .into());
        }
        if text.bytes().any(|b| b.is_ascii_lowercase()) {
            return Err(KeyMisuse::KeyString(
                "this secret key has lower-case letters, but must be all upper case",
            )
            .into());
        }
        let seeds = bytes.first_chunk().filter(|_| bytes.len() == SEEDS).ok_or(NOT_OF_TYPE)?;
        Ok(Self::from_seeds(seeds))
    }
}

/// A public key that verifies signatures. [`SigningKey`] has an example.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct VerifyingKey {
    /// The key of ML-DSA-65, then that of Ed25519.
    bytes: Vec<u8>,
}

impl VerifyingKey {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (_, ed25519) = bytes.split_last_chunk().filter(|_| bytes.len() == PUBLIC).ok_or(NOT_OF_TYPE)?;
        let key = ed25519_dalek::VerifyingKey::from_bytes(ed25519).map_err(|_| NOT_OF_TYPE)?;
        // One point has one encoding here, so that one key has one id.
        if key.to_edwards().compress().as_bytes() != ed25519 {
            return Err(NOT_OF_TYPE.into());
        }
        // A key of low order verifies signatures that nobody made.
        if key.is_weak() {
            return Err(KeyMisuse::WeakSender.into());
        }
        Ok(Self { bytes: bytes.to_vec() })
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn id(&self) -> Id {
        aead::sha256(&self.bytes)
    }

    /// True if both algorithms verify.
    pub(crate) fn verifies(&self, context: &[u8], message: &[u8], signature: &[u8; SIGNATURE]) -> bool {
        let message = representative(context, message);
        let (mldsa, ed25519) = signature.split_at(MLDSA_SIGNATURE);
        self.mldsa_verifies(&message, mldsa) && self.ed25519_verifies(&message, ed25519)
    }

    fn mldsa_verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let Ok(key) = ml_dsa::EncodedVerifyingKey::<MlDsa65>::try_from(&self.bytes[..MLDSA_PUBLIC]) else {
            return false;
        };
        ml_dsa::Signature::<MlDsa65>::try_from(signature).is_ok_and(|signature| {
            ml_dsa::VerifyingKey::decode(&key).verify_with_context(message, LABEL, &signature)
        })
    }

    /// Strictly: neither a signature with another encoding of its scalar nor one with a point of low order verifies.
    fn ed25519_verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let key = self.bytes.last_chunk().map(ed25519_dalek::VerifyingKey::from_bytes);
        let signature = ed25519_dalek::Signature::from_slice(signature);
        match (key, signature) {
            (Some(Ok(key)), Ok(signature)) => key.verify_strict(message, &signature).is_ok(),
            _ => false,
        }
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({self})")
    }
}

impl fmt::Display for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode_bech32(&public_prefix(), &self.bytes))
    }
}

impl FromStr for VerifyingKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (prefix, bytes) = decode_bech32(text)?;
        if prefix != public_prefix() {
            return Err(KeyMisuse::KeyString(if prefix == secret_prefix() {
                "this is a secret key, but a public key is needed"
            } else {
                "this is not the public key of a signing key"
            })
            .into());
        }
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(KeyMisuse::KeyString(
                "this public key has upper-case letters, but must be all lower case",
            )
            .into());
        }
        Self::from_bytes(&bytes)
    }
}

fn public_prefix() -> String {
    format!("sealmark-{TYPE}-")
}

fn secret_prefix() -> String {
    format!("sealmark-secret-key-{TYPE}-")
}

/// The bytes that both algorithms sign.
fn representative(context: &[u8], message: &[u8]) -> Vec<u8> {
    let length = u8::try_from(context.len()).expect("contexts are fixed and short");
    [PREFIX, LABEL, &[length], context, digest::digest(&digest::SHA512, message).as_ref()].concat()
}

#[cfg(test)]
mod vectors;

//! The only file that names a payload cipher: AES-256-GCM for `sealmark/1` and records, ChaCha20-Poly1305 for age.

use crate::error::{Error, Part, Result};
use aws_lc_rs::aead::{
    AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey,
};
use aws_lc_rs::{constant_time, digest, hkdf, hmac};
use zeroize::Zeroizing;

/// Bytes that authentication adds to each chunk.
pub(crate) const TAG: usize = 16;

/// Bytes of a Cobblestone salt and commitment.
pub(crate) const SALT: usize = 24;
pub(crate) const COMMITMENT: usize = 32;

/// The place of a chunk in its payload; the nonce is made from nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkAt {
    pub index: u64,
    pub last: bool,
}

/// Seals and opens the chunks of one payload. Shared by threads; chunks are independent.
pub(crate) struct ChunkCipher {
    key: LessSafeKey,
    nonces: Nonces,
}

/// How a chunk's place becomes its nonce. Neither scheme can make one nonce for two places.
enum Nonces {
    /// Base XOR index (C2SP chunked-encryption): the last chunk is known by being short.
    Xor([u8; NONCE_LEN]),
    /// Index ‖ last-chunk flag (age v1).
    CounterAndFlag,
}

impl ChunkCipher {
    /// Cobblestone-256: key, base nonce and commitment from one expansion.
    pub fn cobblestone_256(
        input_key: &[u8; 32],
        salt: &[u8; SALT],
        context: &[u8],
    ) -> (Self, [u8; COMMITMENT]) {
        Self::cobblestone(&AES_256_GCM, b"AEAD_AES_256_GCM", input_key, salt, context)
    }

    /// Its smaller sibling, which no format here uses: its vectors prove the same code.
    #[cfg(test)]
    pub fn cobblestone_128(
        input_key: &[u8; 16],
        salt: &[u8; SALT],
        context: &[u8],
    ) -> (Self, [u8; COMMITMENT]) {
        let aes_128_gcm = &aws_lc_rs::aead::AES_128_GCM;
        Self::cobblestone(aes_128_gcm, b"AEAD_AES_128_GCM", input_key, salt, context)
    }

    fn cobblestone(
        algorithm: &'static Algorithm,
        name: &[u8],
        input_key: &[u8],
        salt: &[u8; SALT],
        context: &[u8],
    ) -> (Self, [u8; COMMITMENT]) {
        let mut okm = Zeroizing::new(vec![0; algorithm.key_len() + NONCE_LEN + COMMITMENT]);
        let info: [&[u8]; 5] = [b"c2sp.org/chunked-encryption@v1+", name, b"\0", salt, context];
        let prk = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA512, input_key);
        prk.expand(&info, OkmLen(okm.len()))
            .and_then(|okm_source| okm_source.fill(&mut okm[..]))
            .expect("the length is far below HKDF's limit");
        let (key, rest) = okm.split_at(algorithm.key_len());
        let (base, commitment) = rest.split_at(NONCE_LEN);
        let nonces = Nonces::Xor(base.try_into().expect("twelve bytes"));
        (Self { key: new_key(algorithm, key), nonces }, commitment.try_into().expect("thirty-two bytes"))
    }

    /// age v1's STREAM.
    pub fn age_stream(payload_key: &[u8; 32]) -> Self {
        Self { key: new_key(&CHACHA20_POLY1305, payload_key), nonces: Nonces::CounterAndFlag }
    }

    /// Seals in place; the last [`TAG`] bytes of `slot` are room for the tag.
    pub fn seal(&self, at: ChunkAt, slot: &mut [u8]) {
        let (text, room) = slot.split_at_mut(slot.len() - TAG);
        let tag = self
            .key
            .seal_in_place_separate_tag(self.nonce(at), Aad::empty(), text)
            .expect("a chunk is far below the AEAD's limit");
        room.copy_from_slice(tag.as_ref());
    }

    /// Opens in place: the plaintext is `slot` without its last [`TAG`] bytes.
    pub fn open(&self, at: ChunkAt, slot: &mut [u8]) -> Result<()> {
        match self.key.open_in_place(self.nonce(at), Aad::empty(), slot) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::Tampered(Part::Payload)),
        }
    }

    fn nonce(&self, at: ChunkAt) -> Nonce {
        let mut bytes = [0; NONCE_LEN];
        match &self.nonces {
            Nonces::Xor(base) => {
                assert!(at.index < 1 << 38, "a payload of more than 4 PiB");
                bytes[4..].copy_from_slice(&at.index.to_be_bytes());
                bytes.iter_mut().zip(base).for_each(|(byte, base)| *byte ^= base);
            }
            Nonces::CounterAndFlag => {
                bytes[3..11].copy_from_slice(&at.index.to_be_bytes());
                bytes[11] = u8::from(at.last);
            }
        }
        Nonce::assume_unique_for_key(bytes)
    }
}

/// Where a text stands in its log session; the nonce is made from nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueAt {
    Value(u32),
    /// After so many values.
    Closing(u64),
}

/// Seals and opens the values of one log session (spec/record.md). Shared by threads.
pub(crate) struct ValueCipher(LessSafeKey);

impl ValueCipher {
    pub fn new(value_key: &[u8; 32]) -> Self {
        Self(new_key(&AES_256_GCM, value_key))
    }

    /// Seals in place and returns the tag.
    pub fn seal(&self, at: ValueAt, aad: &[u8], text: &mut [u8]) -> [u8; TAG] {
        let tag = self.0.seal_in_place_separate_tag(at.nonce(), Aad::from(aad), text);
        let tag = tag.expect("a value is far below the AEAD's limit");
        tag.as_ref().try_into().expect("GCM's tag has sixteen bytes")
    }

    /// Seals into a room of the same length, and writes the tag.
    pub fn seal_from(&self, at: ValueAt, aad: &[u8], text: &[u8], sealed: &mut [u8], tag: &mut [u8; TAG]) {
        let aad = Aad::from(aad);
        self.0
            .seal_out_of_place_scatter(at.nonce(), aad, text, sealed, &[], tag)
            .expect("a value is far below the AEAD's limit, and its room is measured");
    }

    /// Opens in place: the plaintext is the returned beginning of `sealed`.
    pub fn open<'a>(&self, at: ValueAt, aad: &[u8], sealed: &'a mut [u8]) -> Result<&'a mut [u8]> {
        self.0.open_in_place(at.nonce(), Aad::from(aad), sealed).map_err(|_| Error::Tampered(Part::Token))
    }
}

impl ValueAt {
    /// The first byte tells the two uses apart.
    fn nonce(self) -> Nonce {
        let mut bytes = [0; NONCE_LEN];
        match self {
            Self::Value(counter) => bytes[8..].copy_from_slice(&counter.to_be_bytes()),
            Self::Closing(count) => {
                bytes[0] = 1;
                bytes[4..].copy_from_slice(&count.to_be_bytes());
            }
        }
        Nonce::assume_unique_for_key(bytes)
    }
}

/// Seals a file key under a key that is used once, hence the fixed nonce (as in age's stanzas).
pub(crate) fn wrap_once(cipher: WrapCipher, wrap_key: &[u8; 32], file_key: &[u8]) -> Vec<u8> {
    // With room for the tag: a buffer that grows leaves what it held behind.
    let mut body = Vec::with_capacity(file_key.len() + TAG);
    body.extend_from_slice(file_key);
    new_key(cipher.algorithm(), wrap_key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key([0; NONCE_LEN]), Aad::empty(), &mut body)
        .expect("a file key is far below the AEAD's limit");
    body
}

/// `None` where the wrap key is another one.
pub(crate) fn unwrap_once(
    cipher: WrapCipher,
    wrap_key: &[u8; 32],
    body: &[u8],
) -> Option<Zeroizing<Vec<u8>>> {
    let mut body = Zeroizing::new(body.to_vec());
    let length = new_key(cipher.algorithm(), wrap_key)
        .open_in_place(Nonce::assume_unique_for_key([0; NONCE_LEN]), Aad::empty(), &mut body)
        .ok()?
        .len();
    body.truncate(length);
    Some(body)
}

/// The cipher that wraps a file key or a session key in a stanza, by format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrapCipher {
    Aes256Gcm,
    ChaCha20Poly1305,
}

impl WrapCipher {
    fn algorithm(self) -> &'static Algorithm {
        match self {
            Self::Aes256Gcm => &AES_256_GCM,
            Self::ChaCha20Poly1305 => &CHACHA20_POLY1305,
        }
    }
}

/// HKDF-SHA-256 with a 32-byte result (RFC 5869).
pub(crate) fn hkdf_sha256(ikm: &[u8], salt: &[u8], info: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut out = Zeroizing::new([0; 32]);
    hkdf::Salt::new(hkdf::HKDF_SHA256, salt)
        .extract(ikm)
        .expand(&[info], OkmLen(32))
        .and_then(|okm| okm.fill(&mut out[..]))
        .expect("thirty-two bytes are below HKDF's limit");
    out
}

pub(crate) fn sha256(message: &[u8]) -> [u8; 32] {
    digest::digest(&digest::SHA256, message).as_ref().try_into().expect("SHA-256 has 32 bytes")
}

pub(crate) fn sha512(message: &[u8]) -> [u8; 64] {
    digest::digest(&digest::SHA512, message).as_ref().try_into().expect("SHA-512 has 64 bytes")
}

/// RFC 5869's first step.
pub(crate) fn hkdf_extract_sha256(ikm: &[u8], salt: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, salt), ikm);
    tag.as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// HMAC-SHA-256 over the parts of a header.
pub(crate) fn hmac_sha256(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message);
    tag.as_ref().try_into().expect("SHA-256 has thirty-two bytes")
}

/// Comparison in constant time.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(a, b).is_ok()
}

/// Random bytes for a key, a salt or a nonce.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut out = [0; N];
    fill_random(&mut out)?;
    Ok(out)
}

/// Straight from the operating system: aws-lc's own generator gathers jitter for 30 ms in every new process.
pub(crate) fn fill_random(out: &mut [u8]) -> Result<()> {
    getrandom::fill(out).map_err(|error| Error::Random { error: error.into() })
}

fn new_key(algorithm: &'static Algorithm, key: &[u8]) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(algorithm, key).expect("the key has the algorithm's length"))
}

struct OkmLen(usize);

impl hkdf::KeyType for OkmLen {
    fn len(&self) -> usize {
        self.0
    }
}

//! HPKE (RFC 9180, base mode) over the seven KEMs: the only file that knows the `hpke` crate.

use crate::aead::{self, WrapCipher};
use crate::error::{Error, KeyMisuse, Result};
use crate::header::malformed;
use crate::suite::Kem;
use aws_lc_rs::agreement;
use hpke::aead::{AesGcm256, ChaCha20Poly1305};
use hpke::kdf::HkdfSha256;
use hpke::{Deserializable, Kem as HpkeKem, OpModeR, OpModeS, Serializable, kem as suites};
use zeroize::{Zeroize, Zeroizing};

/// Calls `$body` with `$k` bound to the HPKE type of a KEM.
macro_rules! with_kem {
    ($kem:expr, $k:ident => $body:expr) => {
        match $kem {
            Kem::X25519 => with_kem!(@ suites::X25519HkdfSha256, $k, $body),
            Kem::P256 => with_kem!(@ suites::DhP256HkdfSha256, $k, $body),
            Kem::MlKem768 => with_kem!(@ suites::MlKem768, $k, $body),
            Kem::MlKem1024 => with_kem!(@ suites::MlKem1024, $k, $body),
            Kem::MlKem768X25519 => with_kem!(@ suites::XWing, $k, $body),
            Kem::MlKem768P256 => with_kem!(@ suites::MlKem768P256, $k, $body),
            Kem::MlKem1024P384 => with_kem!(@ suites::MlKem1024P384, $k, $body),
        }
    };
    (@ $type:ty, $k:ident, $body:expr) => {{
        type $k = $type;
        $body
    }};
}

/// A new private key in its serialised form.
pub(crate) fn generate(kem: Kem) -> Result<Zeroizing<Vec<u8>>> {
    with_kem!(kem, K => {
        let mut ikm = Zeroizing::new(vec![0; <<K as HpkeKem>::PrivateKey as Serializable>::size()]);
        aead::fill_random(&mut ikm)?;
        Ok(derive(kem, &ikm))
    })
}

/// RFC 9180's DeriveKeyPair.
pub(crate) fn derive(kem: Kem, ikm: &[u8]) -> Zeroizing<Vec<u8>> {
    with_kem!(kem, K => {
        let secret = Zeroizing::new(K::derive_keypair(ikm).0.to_bytes());
        Zeroizing::new(secret.to_vec())
    })
}

pub(crate) fn is_valid_secret(kem: Kem, secret: &[u8]) -> bool {
    with_kem!(kem, K => <K as HpkeKem>::PrivateKey::from_bytes(secret).is_ok())
}

pub(crate) fn public_key(kem: Kem, secret: &[u8]) -> Vec<u8> {
    with_kem!(kem, K => {
        let secret = <K as HpkeKem>::PrivateKey::from_bytes(secret).expect("checked when the key was made");
        K::sk_to_pk(&secret).to_bytes().to_vec()
    })
}

/// The KEM's number in IANA's HPKE registry.
pub(crate) fn id(kem: Kem) -> u16 {
    with_kem!(kem, K => K::KEM_ID)
}

/// The KEM with that number.
pub(crate) fn of_id(number: u16) -> Option<Kem> {
    Kem::ALL.iter().copied().find(|kem| id(*kem) == number)
}

/// Bytes of an encapsulated key.
pub(crate) fn enc_len(kem: Kem) -> usize {
    with_kem!(kem, K => <<K as HpkeKem>::EncappedKey as Serializable>::size())
}

pub(crate) fn check_public(kem: Kem, public: &[u8]) -> Result<()> {
    let valid = with_kem!(kem, K => <K as HpkeKem>::PublicKey::from_bytes(public).is_ok());
    match valid {
        false => {
            Err(KeyMisuse::KeyString("the key has the wrong length, or is not a valid key of its type")
                .into())
        }
        true if x25519_share(kem, public).is_some_and(is_low_order) => Err(KeyMisuse::WeakRecipient.into()),
        true => Ok(()),
    }
}

/// An encapsulated key as it came with a stanza: of the right length, and no share that everybody can complete.
pub(crate) struct Enc(Vec<u8>);

impl Enc {
    pub fn parse(kem: Kem, bytes: Vec<u8>) -> Result<Self> {
        if bytes.len() != enc_len(kem) {
            return Err(malformed("a stanza's encapsulated key has the wrong length"));
        }
        // RFC 9180 §7.1.4 wants this check; hpke 0.15 leaves it out inside X-Wing
        // (CCTV hybrid_low_order, hybrid_identity).
        if x25519_share(kem, &bytes).is_some_and(is_low_order) {
            Err(malformed(BAD_ENC))
        } else {
            Ok(Self(bytes))
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

const BAD_ENC: &str = "a stanza's encapsulated key is invalid";

/// The encapsulated key and the ciphertext, which a sender puts into a stanza.
pub(crate) fn seal(
    kem: Kem,
    public: &[u8],
    cipher: WrapCipher,
    info: &[u8],
    plaintext: &[u8],
) -> Result<(Vec<u8>, Vec<u8>)> {
    with_kem!(kem, K => {
        let public = <K as HpkeKem>::PublicKey::from_bytes(public).map_err(|_| KeyMisuse::WeakRecipient)?;
        let sealed = match cipher {
            WrapCipher::Aes256Gcm => hpke::single_shot_seal::<AesGcm256, HkdfSha256, K>(
                &OpModeS::Base, &public, info, plaintext, b""),
            WrapCipher::ChaCha20Poly1305 => hpke::single_shot_seal::<ChaCha20Poly1305, HkdfSha256, K>(
                &OpModeS::Base, &public, info, plaintext, b""),
        };
        let (enc, ciphertext) = sealed.map_err(|_| KeyMisuse::WeakRecipient)?;
        Ok((enc.to_bytes().to_vec(), ciphertext))
    })
}

/// `NoKey` where the ciphertext was not made for this key; `Malformed` where `enc` is not a key.
pub(crate) fn open(
    kem: Kem,
    secret: &[u8],
    cipher: WrapCipher,
    info: &[u8],
    enc: &Enc,
    ciphertext: &[u8],
) -> Result<Zeroizing<Vec<u8>>> {
    with_kem!(kem, K => {
        let secret = <K as HpkeKem>::PrivateKey::from_bytes(secret).map_err(|_| Error::NoKey)?;
        let enc = <K as HpkeKem>::EncappedKey::from_bytes(&enc.0).map_err(|_| malformed(BAD_ENC))?;
        let opened = match cipher {
            WrapCipher::Aes256Gcm => hpke::single_shot_open::<AesGcm256, HkdfSha256, K>(
                &OpModeR::Base, &secret, &enc, info, ciphertext, b""),
            WrapCipher::ChaCha20Poly1305 => hpke::single_shot_open::<ChaCha20Poly1305, HkdfSha256, K>(
                &OpModeR::Base, &secret, &enc, info, ciphertext, b""),
        };
        match opened {
            Ok(plaintext) => Ok(Zeroizing::new(plaintext)),
            Err(hpke::HpkeError::DecapError | hpke::HpkeError::ValidationError) => Err(malformed(BAD_ENC)),
            Err(_) => Err(Error::NoKey),
        }
    })
}

/// The X25519 part at the end of a public or an encapsulated key of a KEM that has one.
fn x25519_share(kem: Kem, bytes: &[u8]) -> Option<&[u8; 32]> {
    matches!(kem, Kem::X25519 | Kem::MlKem768X25519).then(|| bytes.last_chunk())?
}

/// True if every scalar sends this point to zero, so that everybody knows the shared secret.
pub(crate) fn is_low_order(share: &[u8; 32]) -> bool {
    x25519(&[0x55; 32], share).is_none()
}

/// RFC 7748's X25519; `None` where the result is all zero.
pub(crate) fn x25519(scalar: &[u8; 32], point: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
    let scalar = agreement::PrivateKey::from_private_key(&agreement::X25519, scalar).ok()?;
    let point = agreement::UnparsedPublicKey::new(&agreement::X25519, point);
    agreement::agree(&scalar, point, (), |secret| {
        let mut copy: [u8; 32] = secret.try_into().map_err(|_| ())?;
        let result = Zeroizing::new(copy);
        copy.zeroize();
        Ok(result)
    })
    .ok()
}

/// A new secret scalar and its public share.
pub(crate) fn x25519_ephemeral() -> Result<(Zeroizing<[u8; 32]>, [u8; 32])> {
    let scalar = Zeroizing::new(aead::random::<32>()?);
    let share = x25519_public(&scalar);
    Ok((scalar, share))
}

pub(crate) fn x25519_public(scalar: &[u8; 32]) -> [u8; 32] {
    let base_point = std::array::from_fn(|i| if i == 0 { 9 } else { 0 });
    *x25519(scalar, &base_point).expect("the base point has full order")
}

/// A point of P-256 in HPKE's serialisation, if `compressed` is one.
pub(crate) fn p256_uncompressed(compressed: &[u8]) -> Option<Vec<u8>> {
    const COMPRESSED: usize = 33;
    let key =
        (compressed.len() == COMPRESSED).then(|| p256::PublicKey::from_sec1_bytes(compressed).ok())??;
    Some(key.to_sec1_bytes().into_vec())
}

/// The compressed form of a point in HPKE's serialisation: the parity of y, and x.
pub(crate) fn p256_compressed(point: &[u8]) -> Vec<u8> {
    let (x, y) = point[1..].split_at(32);
    [&[2 | y[31] & 1], x].concat()
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_order_points_are_recognised() {
        let mut one = [0; 32];
        one[0] = 1;
        let base = std::array::from_fn(|i| if i == 0 { 9 } else { 0 });
        assert!(is_low_order(&[0; 32]));
        assert!(is_low_order(&one));
        assert!(!is_low_order(&base));
    }
}

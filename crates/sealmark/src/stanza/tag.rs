//! Recipients whose secret key is in a device: age's stanzas `p256tag` and `mlkem768p256tag` (c2sp.org/age).

use crate::aead::{self, WrapCipher};
use crate::error::Result;
use crate::format::AgeKey;
use crate::header::{Stanza, encode};
use crate::kem;
use crate::suite::Kem;

/// The public key of ML-KEM-768 that stands in front of a hybrid key's point.
const MLKEM768: usize = 1184;

pub(crate) fn wrap(kem: Kem, public: &[u8], key: &AgeKey) -> Result<Stanza> {
    let (kind, point) = match kem {
        Kem::P256 => ("p256tag", kem::p256_compressed(public)),
        _ => ("mlkem768p256tag", public[MLKEM768..].to_vec()),
    };
    let info = format!("age-encryption.org/{kind}");
    let (enc, body) = kem::seal(kem, public, WrapCipher::ChaCha20Poly1305, info.as_bytes(), &key[..])?;
    let tag = tag(&info, &enc, &point);
    Ok(Stanza { kind: kind.into(), args: vec![encode(&tag), encode(&enc)], body })
}

/// By the tag, a plugin knows its own stanzas without the help of the device.
fn tag(info: &str, enc: &[u8], point: &[u8]) -> [u8; 4] {
    let ikm = [enc, &aead::sha256(point)[..4]].concat();
    *aead::hkdf_extract_sha256(&ikm, info.as_bytes()).first_chunk().expect("longer than a tag")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::decode;
    use crate::kem::Enc;
    use crate::key::{Identity, Public, Recipient};
    use zeroize::Zeroizing;

    /// Made by age 1.3.2 for the key of its test program `age-plugin-tagtest`.
    const RECIPIENT: &str = "age1tag1qwe0kafsjrar4txm6heqnhpfuggzr0gvznz7fvygxrlq90u5mq2pysxtw6h";
    const TAG: &str = "5IitPQ";
    const ENC: &str =
        "BPAAhpD6jPkwjN0nZoQxnoAbUPYbM0C2i3GigxZ9TTSMe1pnXHEPVafs/d9MAoVfwvLqcTIlBVJ2sGS9jG/vyHI";
    const BODY: &str = "p3sO2vxxnOm3p9Wj14Fi5N4iBkmHiOTUjqFkP/tHwVA";

    #[test]
    fn a_stanza_of_age_has_our_tag_and_opens() {
        let secret = kem::derive(Kem::P256, b"age-plugin-tagtest");
        let public = kem::public_key(Kem::P256, &secret);
        let recipient: Recipient = RECIPIENT.parse().unwrap();
        assert!(matches!(recipient.public(), Public::Tag(Kem::P256, found) if *found == public));
        let (enc, body) = (decode(ENC.as_bytes()).unwrap(), decode(BODY.as_bytes()).unwrap());
        let info = "age-encryption.org/p256tag";
        assert_eq!(encode(&tag(info, &enc, &kem::p256_compressed(&public))), TAG);
        let enc = Enc::parse(Kem::P256, enc).unwrap();
        let cipher = WrapCipher::ChaCha20Poly1305;
        let key = kem::open(Kem::P256, &secret, cipher, info.as_bytes(), &enc, &body).unwrap();
        assert_eq!(key.len(), 16);
    }

    #[test]
    fn a_key_in_software_opens_a_stanza_for_a_device() {
        for kem in [Kem::P256, Kem::MlKem768P256] {
            let identity = Identity::generate(kem).unwrap();
            let public = kem::public_key(kem, identity.secret());
            let key: AgeKey = Zeroizing::new(*b"sixteen bytes ok");
            let stanza = wrap(kem, &public, &key).unwrap();
            let info = format!("age-encryption.org/{}", stanza.kind);
            let enc = Enc::parse(kem, decode(stanza.args[1].as_bytes()).unwrap()).unwrap();
            let cipher = WrapCipher::ChaCha20Poly1305;
            let opened =
                kem::open(kem, identity.secret(), cipher, info.as_bytes(), &enc, &stanza.body).unwrap();
            assert_eq!(&opened[..], &key[..]);
        }
    }
}

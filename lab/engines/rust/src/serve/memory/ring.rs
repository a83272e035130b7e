//! The crate ring.

use super::{Failure, Library, Use, Work, versions, work};
use crate::model::Secrets;
use crate::protocol::Answer;
use ::ring::aead::{
    AES_128_GCM, AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, MAX_TAG_LEN, Nonce, UnboundKey,
};
use ::ring::error::Unspecified;

pub struct Ring;

impl Library for Ring {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn version(&self) -> String {
        versions::locked("ring").into()
    }

    fn work(
        &mut self,
        algorithm: &str,
        reuse: Use,
        secrets: &Secrets,
    ) -> Result<Option<Box<dyn Work>>, Answer> {
        let aead = match algorithm {
            "AES-128-GCM" => &AES_128_GCM,
            "AES-256-GCM" => &AES_256_GCM,
            "ChaCha20-Poly1305" => &CHACHA20_POLY1305,
            _ => return Ok(None),
        };
        match reuse {
            Use::AsWritten => Ok(Some(as_written(aead, secrets.clone()))),
            Use::Tuned => tuned(aead, secrets.clone()).map(Some).map_err(super::failed),
        }
    }

    fn code(&self, algorithm: &str) -> String {
        format!("{}, {algorithm}, {}", versions::named("ring"), versions::processor())
    }
}

fn key(algorithm: &'static Algorithm, secrets: &Secrets) -> Result<LessSafeKey, Unspecified> {
    UnboundKey::new(algorithm, secrets.key(algorithm.key_len())).map(LessSafeKey::new)
}

fn as_written(algorithm: &'static Algorithm, secrets: Secrets) -> Box<dyn Work> {
    let again = secrets.clone();
    work(
        move |number, input, output| {
            let key = key(algorithm, &secrets).map_err(|_| Failure::Failed)?;
            *output = Vec::with_capacity(input.len() + MAX_TAG_LEN);
            seal(&key, secrets.nonce(number), input, output)
        },
        move |number, input, output| {
            let key = key(algorithm, &again).map_err(|_| Failure::Failed)?;
            *output = Vec::with_capacity(input.len());
            open(&key, again.nonce(number), input, output)
        },
    )
}

fn tuned(algorithm: &'static Algorithm, secrets: Secrets) -> Result<Box<dyn Work>, Unspecified> {
    let (sealing, opening, again) = (key(algorithm, &secrets)?, key(algorithm, &secrets)?, secrets.clone());
    Ok(work(
        move |number, input, output| {
            output.clear();
            seal(&sealing, secrets.nonce(number), input, output)
        },
        move |number, input, output| {
            output.clear();
            open(&opening, again.nonce(number), input, output)
        },
    ))
}

/// In place is the only way ring has, so the input is copied first.
#[inline]
fn seal(key: &LessSafeKey, nonce: [u8; 12], input: &[u8], output: &mut Vec<u8>) -> Result<(), Failure> {
    output.extend_from_slice(input);
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::empty(), output).map_err(|_| Failure::Failed)
}

#[inline]
fn open(key: &LessSafeKey, nonce: [u8; 12], input: &[u8], output: &mut Vec<u8>) -> Result<(), Failure> {
    output.extend_from_slice(input);
    let nonce = Nonce::assume_unique_for_key(nonce);
    let length = key.open_in_place(nonce, Aad::empty(), output).map_err(|_| Failure::Refused)?.len();
    output.truncate(length);
    Ok(())
}

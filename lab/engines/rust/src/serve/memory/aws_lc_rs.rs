//! AWS-LC by the crate aws-lc-rs.

use super::{Failure, Library, Use, Work, versions, work};
use crate::model::Secrets;
use crate::protocol::Answer;
use crate::serve::payload::{self, Payload};
use ::aws_lc_rs::aead::{
    AES_128_GCM, AES_256_GCM, AES_256_GCM_SIV, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, MAX_TAG_LEN,
    Nonce, UnboundKey,
};
use ::aws_lc_rs::cipher::{
    AES_128, DecryptionContext, PaddedBlockDecryptingKey, PaddedBlockEncryptingKey, UnboundCipherKey,
};
use ::aws_lc_rs::error::Unspecified;

pub struct AwsLcRs;

impl Library for AwsLcRs {
    fn name(&self) -> &'static str {
        "aws-lc-rs"
    }

    fn version(&self) -> String {
        versions::locked("aws-lc-rs").into()
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
            "AES-256-GCM-SIV" => &AES_256_GCM_SIV,
            "ChaCha20-Poly1305" => &CHACHA20_POLY1305,
            "AES" => return aes(reuse, secrets).map(Some).map_err(super::failed),
            _ => return Ok(None),
        };
        match reuse {
            Use::AsWritten => Ok(Some(as_written(aead, secrets.clone()))),
            Use::Tuned => tuned(aead, secrets.clone()).map(Some).map_err(super::failed),
        }
    }

    fn payload(
        &mut self,
        algorithm: &str,
        mode: &str,
        secrets: &Secrets,
    ) -> Result<Option<Box<dyn Payload>>, Answer> {
        Ok(payload::AwsLcRs::in_mode(mode, algorithm, secrets))
    }

    fn code(&self, algorithm: &str) -> String {
        let [wrapper, library] = ["aws-lc-rs", "aws-lc-sys"].map(versions::named);
        format!("{wrapper} over {library}, {algorithm}, {}", versions::processor())
    }
}

fn key(algorithm: &'static Algorithm, secrets: &Secrets) -> Result<LessSafeKey, Unspecified> {
    UnboundKey::new(algorithm, secrets.key(algorithm.key_len())).map(LessSafeKey::new)
}

fn nonce(secrets: &Secrets, number: u64) -> Nonce {
    Nonce::assume_unique_for_key(secrets.nonce(number))
}

/// In place, as the crate's own examples have it.
fn as_written(algorithm: &'static Algorithm, secrets: Secrets) -> Box<dyn Work> {
    let again = secrets.clone();
    work(
        move |number, input, output| {
            let key = key(algorithm, &secrets).map_err(|_| Failure::Failed)?;
            *output = Vec::with_capacity(input.len() + MAX_TAG_LEN);
            output.extend_from_slice(input);
            let sealed = key.seal_in_place_append_tag(nonce(&secrets, number), Aad::empty(), output);
            sealed.map_err(|_| Failure::Failed)
        },
        move |number, input, output| {
            let key = key(algorithm, &again).map_err(|_| Failure::Failed)?;
            *output = input.to_vec();
            let opened = key.open_in_place(nonce(&again, number), Aad::empty(), output);
            let length = opened.map_err(|_| Failure::Refused)?.len();
            output.truncate(length);
            Ok(())
        },
    )
}

/// From buffer to buffer: no copy of the input.
fn tuned(algorithm: &'static Algorithm, secrets: Secrets) -> Result<Box<dyn Work>, Unspecified> {
    let (sealing, opening, again) = (key(algorithm, &secrets)?, key(algorithm, &secrets)?, secrets.clone());
    Ok(work(
        move |number, input, output| {
            output.resize(input.len() + MAX_TAG_LEN, 0);
            let (text, tag) = output.split_at_mut(input.len());
            let nonce = nonce(&secrets, number);
            let sealed = sealing.seal_out_of_place_scatter(nonce, Aad::empty(), input, text, &[], tag);
            sealed.map_err(|_| Failure::Failed)
        },
        move |number, input, output| {
            let length = input.len().checked_sub(MAX_TAG_LEN).ok_or(Failure::Refused)?;
            output.resize(length, 0);
            let (text, tag) = input.split_at(length);
            let opened = opening.open_separate_gather(nonce(&again, number), Aad::empty(), text, tag, output);
            opened.map_err(|_| Failure::Refused)
        },
    ))
}

fn aes(reuse: Use, secrets: &Secrets) -> Result<Box<dyn Work>, Unspecified> {
    let secrets = secrets.clone();
    let (again, sealing, opening) = (secrets.clone(), sealing_key(&secrets)?, opening_key(&secrets)?);
    Ok(match reuse {
        Use::AsWritten => work(
            move |_, input, output| {
                *output = input.to_vec();
                seal_aes(&sealing_key(&secrets).map_err(|_| Failure::Failed)?, output)
            },
            move |_, input, output| {
                *output = input.to_vec();
                open_aes(&opening_key(&again).map_err(|_| Failure::Failed)?, output)
            },
        ),
        Use::Tuned => work(
            move |_, input, output| {
                output.clear();
                output.extend_from_slice(input);
                seal_aes(&sealing, output)
            },
            move |_, input, output| {
                output.clear();
                output.extend_from_slice(input);
                open_aes(&opening, output)
            },
        ),
    })
}

fn sealing_key(secrets: &Secrets) -> Result<PaddedBlockEncryptingKey, Unspecified> {
    PaddedBlockEncryptingKey::ecb_pkcs7(UnboundCipherKey::new(&AES_128, secrets.key(16))?)
}

fn opening_key(secrets: &Secrets) -> Result<PaddedBlockDecryptingKey, Unspecified> {
    PaddedBlockDecryptingKey::ecb_pkcs7(UnboundCipherKey::new(&AES_128, secrets.key(16))?)
}

fn seal_aes(key: &PaddedBlockEncryptingKey, output: &mut Vec<u8>) -> Result<(), Failure> {
    key.encrypt(output).map(|_| ()).map_err(|_| Failure::Failed)
}

fn open_aes(key: &PaddedBlockDecryptingKey, output: &mut Vec<u8>) -> Result<(), Failure> {
    let length = key.decrypt(output, DecryptionContext::None).map_err(|_| Failure::Refused)?.len();
    output.truncate(length);
    Ok(())
}

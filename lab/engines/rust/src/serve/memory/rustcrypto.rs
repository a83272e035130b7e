//! The crates of the RustCrypto project: the only library here with every algorithm.

use super::work::Outcome;
use super::{Failure, Library, Use, Work, versions, work};
use crate::model::Secrets;
use crate::protocol::Answer;
use aes::Aes128;
use aes_gcm::aead::{Aead, AeadInOut, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use aes_gcm_siv::Aes256GcmSiv;
use blowfish::Blowfish;
use chacha20poly1305::ChaCha20Poly1305;
use cipher::block_padding::Pkcs7;
use cipher::common::InnerInit;
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InOutBuf, StreamCipher,
};
use des::{Des, TdesEde3};
use rc2::Rc2;
use rc4::Rc4;

pub struct RustCrypto;

impl Library for RustCrypto {
    fn name(&self) -> &'static str {
        "rustcrypto"
    }

    fn version(&self) -> String {
        ["aes", "aes-gcm"].map(versions::named).join(", ")
    }

    fn work(
        &mut self,
        algorithm: &str,
        reuse: Use,
        secrets: &Secrets,
    ) -> Result<Option<Box<dyn Work>>, Answer> {
        let key = |bytes| secrets.key(bytes).to_vec();
        Ok(Some(match algorithm {
            "DES" => block::<Des>(reuse, key(8))?,
            "DESede" => block::<TdesEde3>(reuse, key(24))?,
            "AES" => block::<Aes128>(reuse, key(16))?,
            "Blowfish" => block::<Blowfish>(reuse, key(16))?,
            "RC2" => block::<Rc2>(reuse, key(16))?,
            "RC4" => rc4(reuse, key(16)),
            "AES-128-GCM" => aead::<Aes128Gcm>(reuse, key(16), secrets)?,
            "AES-256-GCM" => aead::<Aes256Gcm>(reuse, key(32), secrets)?,
            "AES-256-GCM-SIV" => aead::<Aes256GcmSiv>(reuse, key(32), secrets)?,
            "ChaCha20-Poly1305" => aead::<ChaCha20Poly1305>(reuse, key(32), secrets)?,
            _ => return Ok(None),
        }))
    }

    fn code(&self, algorithm: &str) -> String {
        let crates: &[&str] = match algorithm {
            "DES" | "DESede" => &["des", "ecb"],
            "AES" => &["aes", "ecb"],
            "Blowfish" => &["blowfish", "ecb"],
            "RC2" => &["rc2", "ecb"],
            "RC4" => &["rc4"],
            "AES-256-GCM-SIV" => &["aes-gcm-siv", "aes", "polyval"],
            "ChaCha20-Poly1305" => &["chacha20poly1305", "chacha20", "poly1305"],
            _ => &["aes-gcm", "aes", "ghash"],
        };
        let crates: Vec<_> = crates.iter().copied().map(versions::named).collect();
        format!("{}, {}", crates.join(" over "), versions::processor())
    }
}

fn block<C>(reuse: Use, key: Vec<u8>) -> Result<Box<dyn Work>, Answer>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Clone + 'static,
{
    let again = key.clone();
    let cipher = C::new_from_slice(&key).map_err(super::failed)?;
    let same = cipher.clone();
    Ok(match reuse {
        Use::AsWritten => work(
            move |_, input, output| {
                let mode = ecb::Encryptor::<C>::new_from_slice(&key).map_err(|_| Failure::Failed)?;
                *output = mode.encrypt_padded_vec::<Pkcs7>(input);
                Ok(())
            },
            move |_, input, output| {
                let mode = ecb::Decryptor::<C>::new_from_slice(&again).map_err(|_| Failure::Failed)?;
                *output = mode.decrypt_padded_vec::<Pkcs7>(input).map_err(|_| Failure::Refused)?;
                Ok(())
            },
        ),
        Use::Tuned => work(
            move |_, input, output| seal_block(&cipher, input, output),
            move |_, input, output| open_block(&same, input, output),
        ),
    })
}

#[inline]
fn seal_block<C: BlockCipherEncrypt>(cipher: &C, input: &[u8], output: &mut Vec<u8>) -> Outcome {
    let block = C::block_size();
    output.resize((input.len() / block + 1) * block, 0);
    let mode = ecb::Encryptor::inner_init(cipher);
    mode.encrypt_padded_b2b::<Pkcs7>(input, output).map(|_| ()).map_err(|_| Failure::Failed)
}

#[inline]
fn open_block<C: BlockCipherDecrypt>(cipher: &C, input: &[u8], output: &mut Vec<u8>) -> Outcome {
    output.resize(input.len(), 0);
    let mode = ecb::Decryptor::inner_init(cipher);
    let length = mode.decrypt_padded_b2b::<Pkcs7>(input, output).map_err(|_| Failure::Refused)?.len();
    output.truncate(length);
    Ok(())
}

/// The key stream starts anew with each operation, so the key's schedule cannot be kept: the state is used up.
fn rc4(reuse: Use, key: Vec<u8>) -> Box<dyn Work> {
    let again = key.clone();
    match reuse {
        Use::AsWritten => work(
            move |_, input, output| {
                *output = input.to_vec();
                apply_rc4(&key, output)
            },
            move |_, input, output| {
                *output = input.to_vec();
                apply_rc4(&again, output)
            },
        ),
        Use::Tuned => work(
            move |_, input, output| {
                output.clear();
                output.extend_from_slice(input);
                apply_rc4(&key, output)
            },
            move |_, input, output| {
                output.clear();
                output.extend_from_slice(input);
                apply_rc4(&again, output)
            },
        ),
    }
}

#[inline]
fn apply_rc4(key: &[u8], text: &mut [u8]) -> Outcome {
    Rc4::new_from_slice(key).map_err(|_| Failure::Failed)?.apply_keystream(text);
    Ok(())
}

fn aead<C>(reuse: Use, key: Vec<u8>, secrets: &Secrets) -> Result<Box<dyn Work>, Answer>
where
    C: Aead + AeadInOut + KeyInit + Clone + 'static,
{
    let (secrets, also, again) = (secrets.clone(), secrets.clone(), key.clone());
    let cipher = C::new_from_slice(&key).map_err(super::failed)?;
    let same = cipher.clone();
    Ok(match reuse {
        Use::AsWritten => work(
            move |number, input, output| {
                let cipher = C::new_from_slice(&key).map_err(|_| Failure::Failed)?;
                let nonce = secrets.nonce(number);
                let nonce = nonce.as_slice().try_into().map_err(|_| Failure::Failed)?;
                *output = cipher.encrypt(nonce, input).map_err(|_| Failure::Failed)?;
                Ok(())
            },
            move |number, input, output| {
                let cipher = C::new_from_slice(&again).map_err(|_| Failure::Failed)?;
                let nonce = also.nonce(number);
                let nonce = nonce.as_slice().try_into().map_err(|_| Failure::Failed)?;
                *output = cipher.decrypt(nonce, input).map_err(|_| Failure::Refused)?;
                Ok(())
            },
        ),
        Use::Tuned => work(
            move |number, input, output| seal(&cipher, secrets.nonce(number), input, output),
            move |number, input, output| open(&same, also.nonce(number), input, output),
        ),
    })
}

const TAG: usize = 16;

#[inline]
fn seal<C: AeadInOut>(cipher: &C, nonce: [u8; 12], input: &[u8], output: &mut Vec<u8>) -> Outcome {
    output.resize(input.len() + TAG, 0);
    let (text, room) = output.split_at_mut(input.len());
    let nonce = nonce.as_slice().try_into().map_err(|_| Failure::Failed)?;
    let buffer = InOutBuf::new(input, text).map_err(|_| Failure::Failed)?;
    let tag = cipher.encrypt_inout_detached(nonce, b"", buffer).map_err(|_| Failure::Failed)?;
    room.copy_from_slice(&tag);
    Ok(())
}

#[inline]
fn open<C: AeadInOut>(cipher: &C, nonce: [u8; 12], input: &[u8], output: &mut Vec<u8>) -> Outcome {
    let length = input.len().checked_sub(TAG).ok_or(Failure::Refused)?;
    output.resize(length, 0);
    let (text, tag) = input.split_at(length);
    let nonce = nonce.as_slice().try_into().map_err(|_| Failure::Failed)?;
    let tag = tag.try_into().map_err(|_| Failure::Failed)?;
    let buffer = InOutBuf::new(text, output).map_err(|_| Failure::Failed)?;
    cipher.decrypt_inout_detached(nonce, b"", buffer, tag).map_err(|_| Failure::Refused)
}

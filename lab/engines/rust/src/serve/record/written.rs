//! Code as people write it by hand to keep a value out of a log: a cipher, base64, and a new string for each value.

use super::slot::Sealer;
use crate::model::Secrets;
use crate::serve::memory::work::{Failure, Outcome};
use ::aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aes_gcm::aead::{Aead, Generate, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce as GcmNonce};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use cipher::StreamCipher;
use rc4::Rc4;
use std::sync::Arc;

/// AES-256-GCM by AWS-LC: nonce, ciphertext and tag in base64.
pub struct AwsLc(Arc<RandomizedNonceKey>);

impl AwsLc {
    pub fn sealers(secrets: &Secrets) -> Option<impl Fn() -> Self + use<>> {
        let key = Arc::new(RandomizedNonceKey::new(&AES_256_GCM, secrets.key(32)).ok()?);
        Some(move || Self(Arc::clone(&key)))
    }
}

impl Sealer for AwsLc {
    fn seal(&mut self, value: &[u8], text: &mut Vec<u8>) -> Outcome {
        let mut sealed = value.to_vec();
        let nonce =
            self.0.seal_in_place_append_tag(Aad::empty(), &mut sealed).map_err(|_| Failure::Failed)?;
        *text = BASE64_URL_SAFE.encode([&nonce.as_ref()[..], &sealed].concat()).into_bytes();
        Ok(())
    }

    fn open(&mut self, text: &[u8], value: &mut Vec<u8>) -> Outcome {
        let mut sealed = BASE64_URL_SAFE.decode(text).map_err(|_| Failure::Refused)?;
        let (nonce, sealed) = sealed.split_first_chunk_mut::<NONCE_LEN>().ok_or(Failure::Refused)?;
        let opened = self.0.open_in_place(Nonce::from(&*nonce), Aad::empty(), sealed);
        *value = opened.map_err(|_| Failure::Refused)?.to_vec();
        Ok(())
    }
}

/// The same by RustCrypto.
pub struct RustCrypto(Arc<Aes256Gcm>);

impl RustCrypto {
    pub fn sealers(secrets: &Secrets) -> Option<impl Fn() -> Self + use<>> {
        let cipher = Arc::new(Aes256Gcm::new_from_slice(secrets.key(32)).ok()?);
        Some(move || Self(Arc::clone(&cipher)))
    }
}

impl Sealer for RustCrypto {
    fn seal(&mut self, value: &[u8], text: &mut Vec<u8>) -> Outcome {
        let nonce = GcmNonce::generate();
        let sealed = self.0.encrypt(&nonce, value).map_err(|_| Failure::Failed)?;
        *text = BASE64_URL_SAFE.encode([nonce.as_slice(), &sealed].concat()).into_bytes();
        Ok(())
    }

    fn open(&mut self, text: &[u8], value: &mut Vec<u8>) -> Outcome {
        let sealed = BASE64_URL_SAFE.decode(text).map_err(|_| Failure::Refused)?;
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(Failure::Refused)?;
        *value = self.0.decrypt(&(*nonce).into(), sealed).map_err(|_| Failure::Refused)?;
        Ok(())
    }
}

/// The published article: RC4 from the start of one key's stream for every value, and base64.
pub struct Article(Secrets);

impl Article {
    pub fn sealers(secrets: &Secrets) -> Option<impl Fn() -> Self + use<>> {
        let secrets = secrets.clone();
        Some(move || Self(secrets.clone()))
    }

    fn apply(&self, text: &mut [u8]) -> Outcome {
        Rc4::new_from_slice(self.0.key(16)).map_err(|_| Failure::Failed)?.apply_keystream(text);
        Ok(())
    }
}

impl Sealer for Article {
    fn seal(&mut self, value: &[u8], text: &mut Vec<u8>) -> Outcome {
        let mut sealed = value.to_vec();
        self.apply(&mut sealed)?;
        *text = BASE64_STANDARD.encode(sealed).into_bytes();
        Ok(())
    }

    fn open(&mut self, text: &[u8], value: &mut Vec<u8>) -> Outcome {
        *value = BASE64_STANDARD.decode(text).map_err(|_| Failure::Refused)?;
        self.apply(value)
    }
}

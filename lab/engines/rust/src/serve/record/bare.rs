//! The yardstick: AES-256-GCM in place under a counter, and base64 of what comes out, from buffer to buffer. Nothing a
//! log needs besides, such as a name for the key, is in it. Its encoder is the tokens': a floor with a slower one would be beaten.

use super::slot::Sealer;
use crate::model::Secrets;
use crate::serve::memory::work::{Failure, Outcome};
use ::aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use base64_simd::{Out, URL_SAFE_NO_PAD as BASE64URL};
use std::sync::Arc;

/// Counters have as many bytes as a token's.
const COUNTER: usize = 4;

pub struct Bare {
    key: Arc<LessSafeKey>,
    counter: u32,
    room: Vec<u8>,
}

impl Bare {
    /// Sealers of one key, so many of them: each counts from another place, and comes to the next one's only after a
    /// sixteen-millionth value.
    pub fn sealers(secrets: &Secrets) -> Option<impl FnMut() -> Self + use<>> {
        let key = Arc::new(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, secrets.key(32)).ok()?));
        let mut sealers = 0;
        Some(move || {
            sealers += 1;
            Self { key: Arc::clone(&key), counter: (sealers - 1) << 24, room: Vec::new() }
        })
    }
}

fn nonce(counter: [u8; COUNTER]) -> Nonce {
    let mut nonce = [0; 12];
    nonce[8..].copy_from_slice(&counter);
    Nonce::assume_unique_for_key(nonce)
}

impl Sealer for Bare {
    fn seal(&mut self, value: &[u8], text: &mut Vec<u8>) -> Outcome {
        let counter = self.counter.to_be_bytes();
        self.counter = self.counter.wrapping_add(1);
        self.room.clear();
        self.room.extend_from_slice(&counter);
        self.room.extend_from_slice(value);
        let sealing = &mut self.room[COUNTER..];
        let tag = self.key.seal_in_place_separate_tag(nonce(counter), Aad::empty(), sealing);
        self.room.extend_from_slice(tag.map_err(|_| Failure::Failed)?.as_ref());
        text.resize((self.room.len() * 4).div_ceil(3), 0);
        let _ = BASE64URL.encode(&self.room, Out::from_slice(text));
        Ok(())
    }

    fn open(&mut self, text: &[u8], value: &mut Vec<u8>) -> Outcome {
        self.room.resize(text.len() * 3 / 4, 0);
        let decoded = BASE64URL.decode(text, Out::from_slice(&mut self.room)).is_ok();
        if !decoded {
            return Err(Failure::Refused);
        }
        let (counter, sealed) = self.room.split_first_chunk_mut().ok_or(Failure::Refused)?;
        let opened = self.key.open_in_place(nonce(*counter), Aad::empty(), sealed);
        value.clear();
        value.extend_from_slice(opened.map_err(|_| Failure::Refused)?);
        Ok(())
    }
}

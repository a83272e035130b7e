//! AWS-LC by the crate aws-lc-rs, which knows whole messages only.

use super::{Payload, TAG, VECTOR, key, read_whole, tampered, too_short, write_whole};
use crate::model::Secrets;
use crate::protocol::Answer;
use crate::serve::failed;
use ::aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ::aws_lc_rs::error::Unspecified;
use ::aws_lc_rs::rand;
use std::path::Path;

/// In place, as the crate's own examples have it: one buffer, and no more memory than the file's size.
pub struct AwsLcRs {
    key: Vec<u8>,
}

impl AwsLcRs {
    /// Mode `one-shot`; there is no other.
    pub fn in_mode(mode: &str, algorithm: &str, secrets: &Secrets) -> Option<Box<dyn Payload>> {
        let key = key(algorithm, secrets)?;
        (mode == "one-shot").then(|| Box::new(Self { key }) as Box<dyn Payload>)
    }

    fn key(&self) -> Result<LessSafeKey, Unspecified> {
        let algorithm = if self.key.len() == 16 { &AES_128_GCM } else { &AES_256_GCM };
        UnboundKey::new(algorithm, &self.key).map(LessSafeKey::new)
    }
}

impl Payload for AwsLcRs {
    fn seal(&self, input: &Path, output: &Path) -> Result<(), Answer> {
        let mut text = read_whole(input, TAG)?;
        let mut vector = [0; NONCE_LEN];
        rand::fill(&mut vector).map_err(failed)?;
        let nonce = Nonce::assume_unique_for_key(vector);
        let key = self.key().map_err(failed)?;
        key.seal_in_place_append_tag(nonce, Aad::empty(), &mut text).map_err(failed)?;
        write_whole(output, &[&vector, &text])
    }

    fn open(&self, input: &Path, output: &Path) -> Result<(), Answer> {
        let mut sealed = read_whole(input, 0)?;
        let (vector, text) = sealed.split_at_mut_checked(VECTOR).ok_or_else(too_short)?;
        let nonce = Nonce::try_assume_unique_for_key(vector).map_err(failed)?;
        let key = self.key().map_err(failed)?;
        // The crate's error says nothing by design; of what it stands for, only the tag can be at fault here.
        let plain = key.open_in_place(nonce, Aad::empty(), text).map_err(|_| tampered())?;
        write_whole(output, &[plain])
    }
}

//! AES-GCM in parts: the key stream of any segment and its hash, each alone, and the tag that the hashes add up to.
//!
//! aws-lc-rs seals and opens whole messages only. But it has both parts: AES-CTR from any counter block, and GHASH
//! inside the tag of a message that has associated data only (GMAC). Either runs over a segment that is in memory
//! anyway; nothing is computed by hand but the exclusive or of blocks.

use super::extent::{BLOCK, Extent, IV, SEGMENT, TAG};
use super::join::{Block, Tag};
use super::key::Key;
use crate::aead::equal;
use crate::error::{Error, Part, Result};
use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{DecryptingKey, DecryptionContext, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;

/// The key and the IV of one payload. Shared by threads; segments are independent.
pub(super) struct Cipher<'a> {
    key: &'a Key,
    iv: [u8; IV],
    gmac: LessSafeKey,
}

/// The GHASH of a segment's ciphertext, masked as a tag is.
///
/// A secret: two of them under one IV, published, would give the hash key away, and with it the power to forge.
pub(super) type Print = Block;

impl<'a> Cipher<'a> {
    pub fn new(key: &'a Key, iv: [u8; IV]) -> Self {
        let unbound =
            UnboundKey::new(key.algorithms.0, &key.bytes).expect("the key has its algorithm's length");
        Self { key, iv, gmac: LessSafeKey::new(unbound) }
    }

    pub fn iv(&self) -> &[u8; IV] {
        &self.iv
    }

    /// Encrypts or decrypts a segment in place.
    pub fn apply_key_stream(&self, segment: u64, text: &mut [u8]) {
        self.apply_key_stream_after(segment * SEGMENT as u64, text);
    }

    /// Encrypts or decrypts in place the text after so many bytes, which are whole blocks: GCM's key stream starts at counter 2
    /// (NIST SP 800-38D, section 7.1).
    pub fn apply_key_stream_after(&self, before: u64, text: &mut [u8]) {
        let counter =
            u32::try_from(2 + before / BLOCK as u64).expect("an extent has no more blocks than counters");
        let mut block = [0; BLOCK];
        block[..IV].copy_from_slice(&self.iv);
        block[IV..].copy_from_slice(&counter.to_be_bytes());
        self.encrypt_from(block, text);
    }

    /// Decrypts in place what the first pass saw, and nothing else.
    pub fn release(&self, segment: u64, print: &Print, text: &mut [u8]) -> Result<()> {
        if equal(&self.print(text)[..], &print[..]) {
            self.apply_key_stream(segment, text);
            Ok(())
        } else {
            Err(Error::Tampered(Part::Payload))
        }
    }

    /// The print of a segment's ciphertext, wherever it lies.
    pub fn print(&self, ciphertext: &[u8]) -> Print {
        // The nonce serves many times here, which is no leak as long as no print leaves this module.
        let (nonce, mut print) = (Nonce::assume_unique_for_key(self.iv), Print::default());
        // Into its place: a tag that the library returns would stay on the stack.
        self.gmac
            .seal_in_place_scatter(nonce, Aad::from(ciphertext), &mut [], &[], &mut print[..])
            .expect("a segment is far below the AEAD's limit");
        print
    }

    /// The tag of a payload that has no segment yet.
    pub fn begin_tag(&self) -> Tag {
        Tag::new(|key, mask| {
            // GHASH's key is the block of zeros, encrypted.
            self.encrypt_from([0; BLOCK], &mut key[..]);
            // The hash of nothing is zero, so this is the mask alone.
            mask.copy_from_slice(&self.print(&[])[..]);
        })
    }

    /// The tag of a payload whose segments have these prints.
    pub fn tag(&self, extent: Extent, prints: &[Print]) -> Print {
        let mut tag = self.begin_tag();
        for (segment, print) in prints.iter().enumerate() {
            tag.add(print, extent.bytes(segment as u64));
        }
        tag.finish()
    }

    /// Compares the tag in constant time.
    pub fn authenticate(&self, extent: Extent, prints: &[Print], tag: &[u8; TAG]) -> Result<()> {
        if equal(&self.tag(extent, prints)[..], tag) { Ok(()) } else { Err(Error::Tampered(Part::Payload)) }
    }

    /// Adds the key stream that starts with a counter block. Adding it twice gives the text back, so one direction of
    /// the library's serves for both.
    fn encrypt_from(&self, counter: [u8; BLOCK], text: &mut [u8]) {
        UnboundCipherKey::new(self.key.algorithms.1, &self.key.bytes)
            .and_then(DecryptingKey::ctr)
            .and_then(|key| key.decrypt(text, DecryptionContext::Iv128(FixedLength::from(counter))).map(drop))
            .expect("AES-CTR takes any text under a key of its algorithm's length");
    }
}

//! The output that every engine must make in a job in memory (spec/engine.md, "Jobs"), by RustCrypto and the `base64` crate.
//!
//! The lab compares each engine's digest with its own, makes the sealed bytes that all of them must open from it, and
//! damages a copy to see them refuse. Published vectors below hold it to the standards.

use crate::workload::SplitMix64;
use aes::Aes128;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use aes_gcm_siv::Aes256GcmSiv;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use blowfish::Blowfish;
use chacha20poly1305::ChaCha20Poly1305;
use cipher::block_padding::Pkcs7;
use cipher::{BlockCipherEncrypt, BlockModeEncrypt, KeyInit, StreamCipher};
use des::{Des, TdesEde3};
use rc2::Rc2;
use rc4::Rc4;

/// Bytes of a line of base64 in MIME, and of what it stands for.
pub const MIME_LINE: usize = 76;
pub const MIME_LINE_PLAIN: usize = 57;

/// The input for a seed and length.
pub fn input(seed: u64, bytes: u64) -> Vec<u8> {
    let mut buffer = vec![0; bytes as usize];
    SplitMix64::new(seed).fill(&mut buffer);
    buffer
}

/// The value of a log for a seed and length.
pub fn value(seed: u64, bytes: u64) -> Vec<u8> {
    let mut value = input(seed, bytes);
    value.iter_mut().for_each(|byte| *byte = b' ' + *byte % 64);
    value
}

/// The keys and nonces for a seed.
#[derive(Clone)]
pub struct Secrets {
    key: [u8; 32],
    fixed: [u8; 4],
}

impl Secrets {
    pub fn derive(seed: u64) -> Self {
        let (mut key, mut fixed) = ([0; 32], [0; 4]);
        SplitMix64::new(seed.wrapping_add(1)).fill(&mut key);
        SplitMix64::new(seed.wrapping_add(2)).fill(&mut fixed);
        Self { key, fixed }
    }

    /// The first bytes of the longest key.
    ///
    /// # Panics
    /// Above 32 bytes, which no algorithm here has.
    pub fn key(&self, bytes: usize) -> &[u8] {
        &self.key[..bytes]
    }

    /// The fixed part, then the operation's number (RFC 5116 section 3.2).
    #[inline]
    pub fn nonce(&self, number: u64) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&self.fixed);
        nonce[4..].copy_from_slice(&number.to_be_bytes());
        nonce
    }
}

/// None where the specification names no such code.
pub fn encode(algorithm: &str, plain: &[u8]) -> Option<Vec<u8>> {
    Some(match algorithm {
        "none" => plain.to_vec(),
        "base64" => BASE64_STANDARD.encode(plain).into_bytes(),
        "base64url" => BASE64_URL_SAFE_NO_PAD.encode(plain).into_bytes(),
        "base64-mime" => {
            let lines: Vec<_> =
                plain.chunks(MIME_LINE_PLAIN).map(|part| BASE64_STANDARD.encode(part)).collect();
            lines.join("\r\n").into_bytes()
        }
        _ => return None,
    })
}

/// The same of a cipher: the operation's number is in its nonce.
pub fn seal(algorithm: &str, secrets: &Secrets, number: u64, plain: &[u8]) -> Option<Vec<u8>> {
    let nonce = secrets.nonce(number);
    match algorithm {
        "none" => Some(plain.to_vec()),
        "DES" => ecb::<Des>(secrets.key(8), plain),
        "DESede" => ecb::<TdesEde3>(secrets.key(24), plain),
        "AES" => ecb::<Aes128>(secrets.key(16), plain),
        "Blowfish" => ecb::<Blowfish>(secrets.key(16), plain),
        "RC2" => ecb::<Rc2>(secrets.key(16), plain),
        "RC4" => rc4(secrets.key(16), plain),
        "AES-128-GCM" => aead::<Aes128Gcm>(secrets.key(16), nonce, b"", plain),
        "AES-256-GCM" => aead::<Aes256Gcm>(secrets.key(32), nonce, b"", plain),
        "AES-256-GCM-SIV" => aead::<Aes256GcmSiv>(secrets.key(32), nonce, b"", plain),
        "ChaCha20-Poly1305" => aead::<ChaCha20Poly1305>(secrets.key(32), nonce, b"", plain),
        _ => None,
    }
}

fn ecb<C: BlockCipherEncrypt + KeyInit>(key: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    Some(ecb::Encryptor::<C>::new_from_slice(key).ok()?.encrypt_padded_vec::<Pkcs7>(plain))
}

fn rc4(key: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    let mut text = plain.to_vec();
    Rc4::new_from_slice(key).ok()?.apply_keystream(&mut text);
    Some(text)
}

fn aead<C: Aead + KeyInit>(key: &[u8], nonce: [u8; 12], aad: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    let nonce = nonce.as_slice().try_into().ok()?;
    C::new_from_slice(key).ok()?.encrypt(nonce, Payload { msg: plain, aad }).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn base64_gives_the_vectors_of_rfc_4648() {
        let words = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let codes = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (word, code) in words.iter().zip(codes) {
            assert_eq!(encode("base64", word.as_bytes()).unwrap(), code.as_bytes());
            assert_eq!(encode("base64url", word.as_bytes()).unwrap(), code.trim_end_matches('=').as_bytes());
        }
        // Table 2: 62 and 63 are other characters.
        assert_eq!(encode("base64", &[0xfb, 0xff]).unwrap(), b"+/8=");
        assert_eq!(encode("base64url", &[0xfb, 0xff]).unwrap(), b"-_8");
    }

    #[test]
    fn mime_has_lines_of_76_characters_and_no_break_at_the_end() {
        let line = "AAAA".repeat(19);
        assert_eq!(encode("base64-mime", &[0; 57]).unwrap(), line.as_bytes());
        assert_eq!(encode("base64-mime", &[0; 58]).unwrap(), format!("{line}\r\nAA==").as_bytes());
        assert_eq!(encode("base64-mime", &[0; 114]).unwrap(), format!("{line}\r\n{line}").as_bytes());
    }

    #[test]
    fn block_ciphers_give_their_published_vectors() {
        // FIPS 81, table B1; NIST SP 800-67 example; FIPS 197 C.1; RFC 2268 section 5 (128 effective bits).
        ecb_gives::<Des>(
            "0123456789abcdef",
            "4e6f77206973207468652074696d6520666f7220616c6c20",
            "3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53",
        );
        ecb_gives::<TdesEde3>(
            "0123456789abcdef23456789abcdef01456789abcdef0123",
            "54686520717566636b2062726f776e20666f78206a756d70",
            "a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900",
        );
        ecb_gives::<Aes128>(
            "000102030405060708090a0b0c0d0e0f",
            "00112233445566778899aabbccddeeff",
            "69c4e0d86a7b0430d8cdb78070b4c55a",
        );
        ecb_gives::<Rc2>("88bca90e90875a7f0f79c384627bafb2", "0000000000000000", "2269552ab0f85ca6");
        // schneier.com/code/vectors.txt, the 16-byte key of "set_key test data"
        ecb_gives::<Blowfish>("f0e1d2c3b4a5968778695a4b3c2d1e0f", "fedcba9876543210", "93142887ee3be15c");
    }

    fn ecb_gives<C: BlockCipherEncrypt + KeyInit>(key: &str, plain: &str, sealed: &str) {
        let mut whole = ecb::<C>(&bytes(key), &bytes(plain)).unwrap();
        let padding = whole.split_off(sealed.len() / 2);
        assert_eq!(whole, bytes(sealed));
        // A whole block of the padding PKCS#7 adds to a whole number of blocks: its own length in every byte.
        let block = C::block_size();
        assert_eq!(padding, ecb::<C>(&bytes(key), &vec![block as u8; block]).unwrap()[..block]);
    }

    #[test]
    fn rc4_gives_the_key_stream_of_rfc_6229() {
        let key = bytes("0102030405060708090a0b0c0d0e0f10");
        assert_eq!(rc4(&key, &[0; 16]).unwrap(), bytes("9ac7cc9a609d1ef7b2932899cde41b97"));
    }

    #[test]
    fn authenticated_ciphers_give_their_published_vectors() {
        // The GCM submission to NIST, test cases 3 and 14.
        aead_gives::<Aes128Gcm>(
            "feffe9928665731c6d6a8f9467308308",
            "cafebabefacedbaddecaf888",
            "",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
             1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
             21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985\
             4d5c2af327cd64a62cf35abd2ba6fab4",
        );
        aead_gives::<Aes256Gcm>(
            &"00".repeat(32),
            &"00".repeat(12),
            "",
            &"00".repeat(16),
            "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
        );
        // RFC 8452 appendix C.2
        aead_gives::<Aes256GcmSiv>(
            &format!("01{}", "00".repeat(31)),
            "030000000000000000000000",
            "",
            "0100000000000000",
            "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28",
        );
        // RFC 8439 section 2.8.2
        aead_gives::<ChaCha20Poly1305>(
            "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
            "070000004041424344454647",
            "50515253c0c1c2c3c4c5c6c7",
            "4c616469657320616e642047656e746c656d656e206f662074686520636c6173\
             73206f66202739393a204966204920636f756c64206f6666657220796f75206f\
             6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73\
             637265656e20776f756c642062652069742e",
            "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6\
             3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
             92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
             3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691",
        );
    }

    fn aead_gives<C: Aead + KeyInit>(key: &str, nonce: &str, aad: &str, plain: &str, sealed: &str) {
        let nonce = bytes(nonce).try_into().unwrap();
        let made = aead::<C>(&bytes(key), nonce, &bytes(aad), &bytes(plain)).unwrap();
        assert_eq!(made, bytes(sealed));
    }

    #[test]
    fn secrets_follow_the_recipe() {
        // Seed 1234567 is the specification's example: here once as the key's seed, once as the fixed part's.
        let words = [6_457_827_717_110_365_317u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        let key: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(Secrets::derive(1_234_566).key(24), key);
        assert_eq!(Secrets::derive(1_234_565).nonce(0x0102_0304), bytes("85fc08fb0000000001020304")[..]);
        assert_eq!(Secrets::derive(u64::MAX).key(8), input(0, 8));
    }

    #[test]
    fn only_what_the_specification_names_is_expected() {
        use crate::jobs::{CIPHER, CODEC, EMPTY, FILE, Job};
        use crate::protocol::Operation;
        let made = |job: &Job, algorithm, operation| (job.expected)(algorithm, 7, 49, operation, 5);
        let plain = Some(input(7, 49));
        assert_eq!(made(&CIPHER, "none", Operation::Seal), plain);
        assert_eq!(made(&CIPHER, "RC4", Operation::Open), plain);
        assert_eq!(made(&CODEC, "base64-mime", Operation::Decode), plain);
        assert_eq!(made(&CIPHER, "AES-128-GCM", Operation::Seal).unwrap().len(), 65);
        assert_eq!(made(&EMPTY, "none", Operation::Loop), Some(Vec::new()));
        assert_eq!(made(&CIPHER, "base64", Operation::Open), None);
        assert_eq!(made(&CODEC, "base64", Operation::Seal), None);
        assert_eq!(made(&FILE, "X25519", Operation::Seal), None);
        // The number is the nonce's: another number, another text.
        let other = (CIPHER.expected)("AES-128-GCM", 7, 49, Operation::Seal, 6);
        assert_ne!(made(&CIPHER, "AES-128-GCM", Operation::Seal), other);
    }
}

//! Payloads of `sealmark/1` under one fixed file key: a second implementation gives the expected plaintext.

use crate::header::refuse;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::{hkdf, hmac};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sealmark::{Job, OpenWith, Opener, RangeOpener, Result, inspect};
use std::io::{Cursor, Read};

/// A header that wraps [`FILE_KEY`] for the key below (spec/file.md; made once with tests/interop/seal.py).
const HEADER: &[u8] = include_bytes!("fixed_header");
pub(crate) const SECRET_KEY: &str = include_str!("fixed_key");
const FILE_KEY: [u8; 32] = *b"a fuzz target may know its key..";

pub(crate) const CHUNK: usize = 16 * 1024;
const TAG: usize = 16;
const PREFIX: usize = 24 + 32;

/// Takes a recipe: the length of a plaintext (three bytes), then alterations of its sealed payload (four bytes each).
///
/// A fuzzer cannot guess a tag, so payloads are made valid first. A payload that is still whole must open to the plaintext, and
/// any other must be refused, without a byte that was not in the plaintext at that place.
pub fn payload(data: &[u8]) -> bool {
    let Some((length, blows)) = data.split_first_chunk::<3>() else { return false };
    let length = u32::from_le_bytes([length[0], length[1], length[2], 0]) as usize % (5 * CHUNK);
    let plaintext = content(length);
    let whole = seal(&plaintext);
    let mut sealed = whole.clone();
    blows.as_chunks::<4>().0.iter().take(8).for_each(|blow| strike(&mut sealed, *blow));
    let (opened, accepted) = open(&sealed);
    assert!(plaintext.starts_with(&opened), "plaintext that was never sealed");
    assert_eq!(accepted, sealed == whole, "a payload that was altered, or one that was not");
    assert!(!accepted || opened == plaintext, "plaintext is missing");
    check_by_range(&sealed, accepted.then_some(&opened));
    accepted
}

pub(crate) fn content(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + i / 251) as u8).collect()
}

/// The fixed header, which also says what follows the content.
pub(crate) fn header_of(words: &str) -> Vec<u8> {
    let header = std::str::from_utf8(HEADER).expect("a header is text");
    let (stanzas, _) = header.rsplit_once("--- ").expect("a MAC line");
    let text = format!("{stanzas}-> content {words}\n\n---");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &derived(b"sealmark/1 file header"));
    let mac = STANDARD_NO_PAD.encode(hmac::sign(&key, text.as_bytes()));
    format!("{text} {mac}\n").into_bytes()
}

/// Alters a payload: a flipped bit, a cut, a byte more, two chunks exchanged or a chunk repeated.
fn strike(sealed: &mut Vec<u8>, [kind, value, low, high]: [u8; 4]) {
    let place = usize::from(u16::from_le_bytes([low, high]));
    let full = sealed.len().saturating_sub(PREFIX) / (CHUNK + TAG);
    match kind % 5 {
        0 if !sealed.is_empty() => {
            let at = place * 2 % sealed.len();
            sealed[at] ^= value;
        }
        1 => sealed.truncate(sealed.len().saturating_sub(place)),
        2 => sealed.push(value),
        3 if full > 1 => exchange(sealed, place % full, usize::from(value) % full),
        4 if full > 0 => {
            let start = PREFIX + place % full * (CHUNK + TAG);
            let chunk = sealed[start..][..CHUNK + TAG].to_vec();
            sealed.splice(start..start, chunk);
        }
        _ => {}
    }
}

fn exchange(sealed: &mut [u8], one: usize, other: usize) {
    for i in 0..CHUNK + TAG {
        sealed.swap(PREFIX + one * (CHUNK + TAG) + i, PREFIX + other * (CHUNK + TAG) + i);
    }
}

/// Returns the released plaintext, and true if the payload was accepted to its end.
fn open(payload: &[u8]) -> (Vec<u8>, bool) {
    let mut opener = match Opener::new(HEADER.chain(payload), &fixed_key()) {
        Ok(opener) => opener,
        Err(error) => return (Vec::new(), refuse(&error)),
    };
    let mut opened = Vec::new();
    match opener.read_to_end(&mut opened) {
        Ok(_) => (opened, true),
        Err(error) => (opened, refuse(&error.into())),
    }
}

/// The reader of ranges accepts what the reader of streams accepts, and `inspect` knows the length without a key.
fn check_by_range(payload: &[u8], plaintext: Option<&Vec<u8>>) {
    let sealed = [HEADER, payload].concat();
    let opened = open_by_range(&sealed).inspect_err(|error| assert!(!refuse(error))).ok();
    assert_eq!(opened.as_ref(), plaintext, "streams and ranges differ");
    if let Some(plaintext) = plaintext {
        let inspection = inspect(&sealed[..]).expect("what opens can be inspected");
        assert_eq!(inspection.plaintext_bytes, Some(plaintext.len() as u64));
    }
}

fn open_by_range(sealed: &[u8]) -> Result<Vec<u8>> {
    let mut opener = RangeOpener::new(Cursor::new(sealed), &fixed_key())?;
    let mut opened = Vec::new();
    opener.read_range(0..opener.len(), &mut opened)?;
    Ok(opened)
}

pub(crate) fn one_thread() -> Job<'static> {
    Job::default().threads(std::num::NonZeroUsize::new(1))
}

pub(crate) fn fixed_key() -> OpenWith<'static> {
    OpenWith::identities(vec![SECRET_KEY.trim().parse().expect("the fixed key is a key")])
}

/// Seals as Cobblestone-256 does (c2sp.org/chunked-encryption), with a fixed salt.
pub(crate) fn seal(plaintext: &[u8]) -> Vec<u8> {
    let salt = [b's'; 24];
    let input_key = derived(b"sealmark/1 file payload");
    let info: [&[u8]; 3] = [b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0", &salt, b"sealmark/1 file"];
    let derived = expand(hkdf::HKDF_SHA512, Extract::No, &input_key, &info, 76);
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &derived[..32]).unwrap());
    let mut sealed = [&salt, &derived[44..]].concat();
    for counter in 0..=plaintext.len() / CHUNK {
        let mut chunk = plaintext[counter * CHUNK..plaintext.len().min((counter + 1) * CHUNK)].to_vec();
        key.seal_in_place_append_tag(nonce(&derived[32..44], counter), Aad::empty(), &mut chunk).unwrap();
        sealed.append(&mut chunk);
    }
    sealed
}

/// A key, or the mark of an index or a signature, that follows from the fixed file key.
pub(crate) fn derived(info: &[u8]) -> Vec<u8> {
    expand(hkdf::HKDF_SHA256, Extract::Yes, &FILE_KEY, &[info], 32)
}

fn nonce(base: &[u8], counter: usize) -> Nonce {
    let counter = u128::try_from(counter).unwrap().to_be_bytes();
    Nonce::assume_unique_for_key(std::array::from_fn(|i| base[i] ^ counter[4 + i]))
}

enum Extract {
    Yes,
    No,
}

fn expand(hash: hkdf::Algorithm, extract: Extract, key: &[u8], info: &[&[u8]], length: usize) -> Vec<u8> {
    let prk = match extract {
        Extract::Yes => hkdf::Salt::new(hash, b"").extract(key),
        Extract::No => hkdf::Prk::new_less_safe(hash, key),
    };
    let mut output = vec![0; length];
    prk.expand(info, Length(length)).unwrap().fill(&mut output).unwrap();
    output
}

struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

//! Signed files that a recipient altered, who has the file key: only the signature stops one.

use crate::header::refuse;
use crate::payload::{CHUNK, content, derived, fixed_key, header_of, one_thread, seal};
use sealmark::{Error, Input, OpenWith, Opener, Output, RangeOpener, Result, open_input, verify_stream};
use std::io::{Cursor, Read};
use std::sync::OnceLock;

/// The lengths of two contents, the blocks of their signatures, and the public key of the signer (spec/file.md, "Signatures").
/// They were made once with tests/interop/signatures.py.
const BLOCKS: [(usize, &[u8]); 2] = [
    (2 * CHUNK + 5, include_bytes!("fixed_block")),
    ((1 << 20) + CHUNK + 5, include_bytes!("fixed_block_of_two_leaves")),
];
const SENDER: &str = include_str!("fixed_sender");

/// Takes the number of one of the two contents, then alterations of all that is sealed (four bytes each).
///
/// A reader who asks for the sender accepts a plaintext only if nothing was altered, and releases nothing that was not signed.
/// Readers who do not ask agree with each other.
pub fn signed(data: &[u8]) -> bool {
    let Some((number, blows)) = data.split_first() else { return false };
    let (length, whole) = &whole()[usize::from(*number) % 2];
    let content = &whole[..*length];
    let mut plaintext = whole.clone();
    blows.as_chunks::<4>().0.iter().take(8).for_each(|blow| strike(&mut plaintext, *length, *blow));
    let sealed = [header_of("signed"), seal(&plaintext)].concat();

    let unasked = fixed_key();
    let asked = unasked.clone().signed_by(vec![SENDER.trim().parse().expect("the fixed key is a key")]);
    let ways = [by_range(&sealed, &asked), to_a_stream(&sealed, &asked)];
    for (released, accepted) in &ways {
        assert!(content.starts_with(released), "what no sender signed");
        assert_eq!(*accepted, plaintext == *whole, "a file that was altered, or one that was not");
        assert!(!accepted || released == content, "content is missing");
    }
    let in_order = verify_stream(&sealed[..], &asked, &one_thread()).inspect_err(|error| {
        refuses(error);
    });
    assert_eq!(in_order.is_ok(), ways[0].1, "a stream differs");
    let [(ranged, is_ranged), (read, is_read)] = [by_range(&sealed, &unasked), by_reader(&sealed, &unasked)];
    assert_eq!(is_ranged, is_read, "streams and ranges differ");
    assert!(!is_read || read == ranged, "streams and ranges have different content");
    assert!(
        plaintext.starts_with(&read) && plaintext.starts_with(&ranged),
        "plaintext that was never sealed"
    );
    ways[0].1
}

/// The length of each content, and all that is sealed: the content, zeros and a block.
fn whole() -> &'static [(usize, Vec<u8>); 2] {
    static WHOLE: OnceLock<[(usize, Vec<u8>); 2]> = OnceLock::new();
    WHOLE.get_or_init(|| {
        BLOCKS.map(|(length, block)| {
            let zeros = vec![0; length.next_multiple_of(CHUNK) - length];
            (length, [content(length), zeros, block.to_vec()].concat())
        })
    })
}

/// Alters what is sealed: a byte anywhere or near the end, a cut, a byte more, a hash or an id more or less, or the mark at the
/// start of another chunk.
fn strike(plaintext: &mut Vec<u8>, length: usize, [kind, value, low, high]: [u8; 4]) {
    let place = usize::from(u16::from_le_bytes([low, high]));
    let ids = (length.next_multiple_of(CHUNK) + 32 * (place % 8 + 1)).min(plaintext.len());
    match kind % 7 {
        0 if !plaintext.is_empty() => {
            let at = (plaintext.len() * place) >> 16;
            plaintext[at] ^= value;
        }
        1 if !plaintext.is_empty() => {
            let at = plaintext.len() - 1 - place % 4096 % plaintext.len();
            plaintext[at] ^= value;
        }
        2 => plaintext.truncate(plaintext.len().saturating_sub(place)),
        3 => plaintext.push(value),
        4 => drop(plaintext.splice(ids..ids, [value; 32])),
        5 => drop(plaintext.drain(ids..(ids + 32).min(plaintext.len()))),
        6 if plaintext.len() >= CHUNK => {
            let start = place % (plaintext.len() / CHUNK) * CHUNK;
            plaintext[start..start + 32].copy_from_slice(&derived(b"sealmark/1 file signature"));
        }
        _ => {}
    }
}

/// Returns what was released, and true if that was all and accepted.
fn by_range(sealed: &[u8], with: &OpenWith<'_>) -> (Vec<u8>, bool) {
    let mut released = Vec::new();
    let opened = RangeOpener::new(Cursor::new(sealed), with)
        .and_then(|mut opener| opener.read_range(0..opener.len(), &mut released));
    let accepted = accepts(&opened);
    (released, accepted)
}

fn to_a_stream(sealed: &[u8], with: &OpenWith<'_>) -> (Vec<u8>, bool) {
    let (bytes, mut released) = (sealed.to_vec(), Vec::new());
    let input = Input::from_ranges(sealed.len() as u64, move |out, at| {
        out.copy_from_slice(&bytes[at as usize..][..out.len()]);
        Ok(())
    });
    let accepted = accepts(&open_input(&input, Output::stream(&mut released), with, &one_thread()));
    (released, accepted)
}

fn by_reader(sealed: &[u8], with: &OpenWith<'_>) -> (Vec<u8>, bool) {
    let mut released = Vec::new();
    let read = Opener::new(sealed, with)
        .and_then(|mut opener| opener.read_to_end(&mut released).map_err(Error::from));
    let accepted = accepts(&read);
    (released, accepted)
}

fn accepts<T>(result: &Result<T>) -> bool {
    result.as_ref().inspect_err(|error| refuses(error)).is_ok()
}

fn refuses(error: &Error) {
    assert!(matches!(error, Error::UnknownSender) || !refuse(error));
}

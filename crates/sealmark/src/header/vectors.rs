//! C2SP's age vectors once more: whatever parses is written back to the same bytes — header, payload and armor.

use super::*;
use crate::armor::{ArmorWriter, Dearmored};
use crate::job::Job;
use crate::run::vectors::seal_chunks;
use crate::stream;
use std::io::Write;

#[path = "../../tests/common/vector.rs"]
#[allow(dead_code, reason = "what opens a vector is not needed where its file key is known")]
pub(crate) mod vector;
use vector::Vector;

#[test]
fn headers_that_parse_are_written_back() {
    let vectors = with_header();
    assert_eq!(vectors.len(), 13 + 1 + 19 + 26);
    for vector in vectors {
        let file = dearmored(&vector);
        let header = Header::read(&mut &file[..]).unwrap();
        let written = Header::write(&file_key(&vector), &header.stanzas, header.content, header.signed);
        let length = header.len() as usize;
        assert_eq!(written.len(), length, "{}", vector.name);
        // The vectors with a wrong MAC and with a wrong key have everything but the MAC in common.
        let same =
            if header.verify(&file_key(&vector)).is_ok() { length } else { header.authenticated.len() };
        assert_eq!(String::from_utf8_lossy(&written[..same]), String::from_utf8_lossy(&file[..same]));
    }
}

#[test]
fn payloads_that_open_are_sealed_back() {
    let vectors = with_header().into_iter().filter(|vector| vector.expect == "success");
    let mut found = 0;
    for vector in vectors {
        let file = dearmored(&vector);
        let mut input = &file[..];
        let header = Header::read(&mut input).unwrap();
        header.verify(&file_key(&vector)).unwrap();
        let (nonce, chunks) = input.split_at(16);
        let plaintext = open(&vector, &file, nonce);
        assert!(seal(&vector, nonce, &plaintext) == chunks, "{}", vector.name);
        found += 1;
    }
    assert_eq!(found, 26);
}

#[test]
fn armor_that_opens_is_written_back() {
    let armored =
        Vector::all("cctv-age").into_iter().filter(|vector| vector.armored && vector.expect == "success");
    let mut found = 0;
    for vector in armored {
        let mut writer = ArmorWriter::new(Vec::new(), Some(Format::Age));
        writer.write_all(&dearmored(&vector)).unwrap();
        let written = String::from_utf8(writer.finish().unwrap()).unwrap();
        let original = String::from_utf8(vector.file).unwrap().replace("\r\n", "\n");
        assert_eq!(written.trim_end(), original.trim(), "{}", vector.name);
        found += 1;
    }
    assert_eq!(found, 7);
}

/// Every vector with a header and armor that are sound.
fn with_header() -> Vec<Vector> {
    const UNSOUND: [&str; 2] = ["header failure", "armor failure"];
    let mut vectors = Vector::all("cctv-age");
    vectors.retain(|vector| !UNSOUND.contains(&&vector.expect[..]));
    vectors
}

fn dearmored(vector: &Vector) -> Vec<u8> {
    let mut file = Vec::new();
    Dearmored::detect(&vector.file[..]).unwrap().read_to_end(&mut file).unwrap();
    file
}

fn file_key(vector: &Vector) -> FileKey {
    let text = vector.file_key.as_ref().unwrap();
    let bytes = (0..32).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect();
    FileKey::from_bytes(Format::Age, zeroize::Zeroizing::new(bytes)).unwrap()
}

fn open(vector: &Vector, file: &[u8], nonce: &[u8]) -> Vec<u8> {
    let mut input = Dearmored::detect(file).unwrap();
    Header::read(&mut input).unwrap();
    input.read_exact(&mut [0; 16]).unwrap();
    let cipher = file_key(vector).resume_payload(nonce).unwrap();
    let mut plaintext = Vec::new();
    stream::open_chunks(input, Format::Age.layout(), cipher, &mut plaintext, &Job::default()).unwrap();
    plaintext
}

fn seal(vector: &Vector, nonce: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let cipher = file_key(vector).resume_payload(nonce).unwrap();
    seal_chunks(Format::Age.layout(), &cipher, plaintext)
}

//! Checks that a vector opens, or fails, as it says, in every way of opening it.

use super::vector::Vector;
use super::workspace;
use aws_lc_rs::digest;
use sealmark::*;
use std::fs;
use std::io::{Cursor, Read};
use std::num::NonZeroUsize;

/// The class of a result, in CCTV's terms.
pub fn class<T>(result: &Result<T>) -> &'static str {
    match result {
        Ok(_) => "success",
        Err(Error::NoKey | Error::PassphraseNeeded | Error::WrongPassphrase) => "no match",
        Err(Error::Tampered(Part::Header)) => "HMAC failure",
        Err(Error::Tampered(Part::Payload) | Error::Malformed(Malformed::Payload(_))) => "payload failure",
        Err(Error::Malformed(Malformed::Armor(_))) => "armor failure",
        Err(Error::Malformed(
            Malformed::Header(_) | Malformed::Version(_) | Malformed::NotSealed | Malformed::KdfCost { .. },
        )) => "header failure",
        Err(error) => panic!("no class for {error:?}"),
    }
}

/// Opens a vector in every way.
pub fn check(vector: &Vector) {
    let expect = &vector.expect[..];
    let keys = keys_of(vector);
    assert!(!keys.is_empty(), "{}: nothing to open it with", vector.name);
    for with in &keys {
        reader(vector, expect, with);
        stream(vector, expect, with);
        file(vector, expect, with);
        if !vector.armored {
            range(vector, expect, with);
        }
    }
}

/// Tries several passphrases one after the other, because the library takes one.
pub fn keys_of(vector: &Vector) -> Vec<OpenWith<'static>> {
    let identities: Vec<Identity> = vector.identities.iter().map(|text| text.parse().unwrap()).collect();
    let with = OpenWith::identities(identities);
    match &vector.passphrases[..] {
        [] => vec![with],
        several => {
            several.iter().map(|text| with.clone().and_passphrase(Passphrase::new(text.clone()))).collect()
        }
    }
}

/// Reads in odd steps; after the first error no read may look like the end.
fn reader(vector: &Vector, expect: &str, with: &OpenWith<'_>) {
    let mut released = Vec::new();
    let result = Opener::new(&vector.file[..], with).and_then(|mut opener| {
        let mut buffer = [0; 1009];
        loop {
            match opener.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => released.extend_from_slice(&buffer[..read]),
                Err(error) => {
                    assert!(opener.read(&mut buffer).is_err(), "{}: an end after an error", vector.name);
                    return Err(error.into());
                }
            }
        }
    });
    assert_eq!(class(&result), expect, "{} by reader: {result:?}", vector.name);
    assert_released(vector, &released, "by reader");
}

fn stream(vector: &Vector, expect: &str, with: &OpenWith<'_>) {
    for threads in [1, 3] {
        let mut released = Vec::new();
        let result = open_stream(&vector.file[..], &mut released, with, &job(threads));
        assert_eq!(class(&result), expect, "{} by stream: {result:?}", vector.name);
        assert_released(vector, &released, "by stream");
        let verified = verify_stream(&vector.file[..], with, &job(threads));
        assert_eq!(class(&verified), expect, "{} verified: {verified:?}", vector.name);
    }
}

/// Opens from path to path: the output has all of the plaintext, or there is none.
fn file(vector: &Vector, expect: &str, with: &OpenWith<'_>) {
    let workspace = workspace();
    let (sealed, opened) = (workspace.path("sealed"), workspace.path("opened"));
    fs::write(&sealed, &vector.file).unwrap();
    for threads in [1, 3] {
        let result = open_file(&sealed, &opened, with, &job(threads));
        assert_eq!(class(&result), expect, "{} by file: {result:?}", vector.name);
        let verified = verify_file(&sealed, with, &job(threads));
        assert_eq!(class(&verified), expect, "{} verified: {verified:?}", vector.name);
        if expect == "success" {
            assert_released(vector, &fs::read(&opened).unwrap(), "by file")
        } else {
            assert_eq!(workspace.names(), ["sealed"], "{}: something was left", vector.name)
        }
    }
}

/// A reader of ranges that opens at all has authenticated the end, so it gives no more than was sealed.
fn range(vector: &Vector, expect: &str, with: &OpenWith<'_>) {
    let mut released = Vec::new();
    let result = RangeOpener::new(Cursor::new(&vector.file), with)
        .and_then(|mut opener| opener.read_range(0..opener.len(), &mut released));
    assert_eq!(class(&result), expect, "{} by range: {result:?}", vector.name);
    if expect == "success" {
        assert_released(vector, &released, "by range");
    }
}

pub fn job(threads: usize) -> Job<'static> {
    Job::default().threads(NonZeroUsize::new(threads)).existing(Existing::Replace)
}

/// If a vector names no payload, nothing may be released.
pub fn assert_released(vector: &Vector, released: &[u8], how: &str) {
    let found = hex(digest::digest(&digest::SHA256, released).as_ref());
    let nothing = hex(digest::digest(&digest::SHA256, b"").as_ref());
    let expected = vector.payload.as_ref().unwrap_or(&nothing);
    assert!(
        found == *expected,
        "{} {how}: {} bytes released, not those expected",
        vector.name,
        released.len()
    );
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

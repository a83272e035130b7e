//! Whole files as age writes them, armored or not, opened with two keys that the fuzzer knows.

use crate::header::{CARELESS, refuse};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sealmark::{OpenWith, Opener, inspect};
use std::io::Read;

const SECRET_KEYS: &str = include_str!("age_keys");

/// Takes a file; if it opens, there is no other way to write its armor.
///
/// No passphrase is given, because a fuzzer would spend its time in scrypt.
pub fn age(data: &[u8]) -> bool {
    let inspected = inspect(data);
    if let Err(error) = &inspected {
        refuse(error);
    }
    let opened = open(data);
    if opened {
        let inspection = inspected.expect("what opens can be inspected");
        assert!(!inspection.armored || is_canonical(data), "an armor that can be written in two ways");
    }
    opened
}

fn open(data: &[u8]) -> bool {
    let keys = SECRET_KEYS.lines().map(|line| line.parse().expect("the fixed keys are keys"));
    let mut opener = match Opener::new(data, &OpenWith::identities(keys.collect())) {
        Ok(opener) => opener,
        Err(error) => return refuse(&error),
    };
    let mut opened = Vec::new();
    match opener.read_to_end(&mut opened) {
        Ok(_) => true,
        Err(error) => refuse(&error.into()),
    }
}

/// Armor may differ only in line ends and in the white space around it (c2sp.org/age).
fn is_canonical(armored: &[u8]) -> bool {
    let text = std::str::from_utf8(armored).expect("accepted armor is text").replace("\r\n", "\n");
    let lines: Vec<&str> = text.trim().lines().collect();
    let [begin, body @ .., end] = &lines[..] else { panic!("accepted armor has no two ends") };
    let decoded = CARELESS.decode(body.concat()).expect("accepted base64");
    [&[*begin], &wrap(&STANDARD.encode(decoded))[..], &[*end]].concat() == lines
}

fn wrap(text: &str) -> Vec<&str> {
    text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect()
}

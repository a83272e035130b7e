//! Log sessions leave no key in freed memory, and sealing a value allocates no memory. The tests are alone in their
//! process, because a process has one allocator.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use aws_lc_rs::{aead, hkdf};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use common::graveyard::{Graveyard, asked_by, buried_by, is_in};
use common::log::{key, label, opener, readers, text};
use sealmark::record::*;
use sealmark::{Identity, Kem};
use std::cell::RefCell;
use std::sync::Mutex;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: Graveyard = Graveyard;

/// The allocator is the process's, so one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn no_key_of_a_session_is_left_in_memory_that_was_given_back() {
    let _alone = ALONE.lock();
    let log = RefCell::new(String::new());
    let sink = |lines: OwnLines<'_>| {
        log.borrow_mut().push_str(text(lines));
        Ok(())
    };
    key();
    let sealing = buried_by(|| {
        let settings = SealerSettings::new(Shape::Plain);
        let sealer = LogSealer::new(readers(), settings, sink, Instant::now()).unwrap();
        let token = sealer.seal(&label(), b"a value of more bytes than a print").unwrap();
        log.borrow_mut().push_str(&format!("{token}\n"));
        sealer.rotate(Instant::now()).unwrap();
        sealer.close().unwrap();
    });
    let mut opened = Vec::with_capacity(1 << 20);
    let opening = buried_by(|| {
        let mut opener = opener();
        let report = opener.open(log.borrow().as_bytes(), &mut opened);
        assert_eq!((report.opened, report.sessions.len()), (1, 2));
    });
    let rekeying = buried_by(|| rekey(&log.borrow()));
    let secrets = secrets(&log.borrow());
    assert_eq!(secrets.len(), 1 + 2 * 4);
    for (name, secret) in &secrets {
        assert!(!is_in(secret, sealing), "sealing left the {name}");
        assert!(!is_in(secret, opening), "opening left the {name}");
        assert!(!is_in(secret, rekeying), "re-keying left the {name}");
    }
    assert!(!is_in(b"a value of more bytes", opening), "opening left the value");
    let grown = buried_by(|| drop(secrets[0].1.clone()));
    assert!(is_in(&secrets[0].1, grown), "nothing would have been found");
}

#[test]
fn no_value_is_left_in_memory_that_was_given_back_for_a_longer_one() {
    let _alone = ALONE.lock();
    let session = LogSession::begin(&readers(), SessionSettings::default()).unwrap();
    let mut log = session.header_lines(Shape::Plain);
    let first = b"a value of more bytes than a print, and then a longer one";
    for value in [&first[..], &[b'l'; 300], &[b'L'; 9000]] {
        log.push_str(&format!("{}\n", session.seal(&label(), value).unwrap()));
    }
    let mut opened = Vec::with_capacity(1 << 20);
    let opening = buried_by(|| {
        assert_eq!(opener().open(log.as_bytes(), &mut opened).opened, 3);
    });
    for value in [&first[..first.len() - 8], &[b'l'; 64], &[b'L'; 64]] {
        assert!(!is_in(value, opening), "opening left {:?}", String::from_utf8_lossy(value));
    }
}

#[test]
fn sealing_into_a_buffer_with_room_asks_for_no_memory() {
    let _alone = ALONE.lock();
    let session = LogSession::begin(&readers(), SessionSettings::default()).unwrap();
    let (label, large) = (label(), vec![7; 8404]);
    let mut room = Vec::with_capacity(1 << 20);
    session.seal_into(&label, b"the first of this thread", &mut room).unwrap();
    let asked = asked_by(|| {
        for _ in 0..40 {
            session.seal_into(&label, &[7; 49], &mut room).unwrap();
            session.seal_into(&label, &large, &mut room).unwrap();
        }
    });
    assert_eq!(asked, 0);
    assert!(asked_by(|| drop(session.seal(&label, &[7; 49]))) > 0, "nothing would have been counted");
}

/// Wraps and opens the same session keys in every other way.
fn rekey(log: &str) {
    let mut opener = opener();
    let sessions = opener.open(log.as_bytes(), &mut Vec::with_capacity(1 << 20)).sessions;
    for &kem in Kem::ALL {
        let identity = Identity::generate(kem).unwrap();
        let readers = Readers::recipients(&[identity.recipient()]).unwrap();
        let mut reader = LogOpener::new(LogKeys::identities(vec![identity]));
        for session in sessions.keys() {
            let header = opener.rekey(*session, &readers, Shape::Plain).unwrap();
            assert!(reader.learn(header.as_bytes()) > 0);
        }
        let mut opened = Vec::with_capacity(1 << 20);
        assert_eq!(reader.open(log.as_bytes(), &mut opened).opened, 1, "{kem}");
    }
}

/// All secrets that open a value, by spec/record.md.
fn secrets(log: &str) -> Vec<(&'static str, Vec<u8>)> {
    let psk: Vec<u8> = bech32::decode(&key().to_secret_string()).unwrap().1;
    let headers: Vec<_> = log.lines().filter(|line| line.starts_with("~s1h~")).collect();
    assert_eq!(headers.len(), 2, "a pre-shared key's header is one part");
    let mut secrets = Vec::new();
    for header in headers {
        let header = URL_SAFE_NO_PAD.decode(header.split('~').nth(5).unwrap()).unwrap();
        let stanza = &header[1 + 12 + 1 + 12 + 8 + 8 + 2 + 2 + 2..];
        let wrap = derive(&psk, &stanza[..32], b"sealmark/1 log psk");
        let session = unwrap(&wrap, &stanza[32..][..48]);
        secrets.push(("value key", derive(&session, b"", b"sealmark/1 log value")));
        secrets.push(("header key", derive(&session, b"", b"sealmark/1 log header")));
        secrets.push(("session key", session));
        secrets.push(("wrap key", wrap));
    }
    secrets.push(("pre-shared key", psk));
    secrets
}

fn derive(key: &[u8], salt: &[u8], info: &[u8]) -> Vec<u8> {
    let mut derived = [0; 32];
    let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(key);
    extracted.expand(&[info], hkdf::HKDF_SHA256).unwrap().fill(&mut derived).unwrap();
    derived.to_vec()
}

fn unwrap(key: &[u8], sealed: &[u8]) -> Vec<u8> {
    let key = aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_256_GCM, key).unwrap());
    let nonce = aead::Nonce::assume_unique_for_key([0; 12]);
    key.open_in_place(nonce, aead::Aad::empty(), &mut sealed.to_vec()).unwrap().to_vec()
}

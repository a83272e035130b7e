#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use super::*;
use sealmark::record::{LogKeys, LogOpener, Padding, PreSharedKey, Readers, SessionSettings, Shape};

const CAPACITY: usize = 4096;

/// A session, and what opens it.
#[test]
fn plaintext_is_zero_however_the_call_ends() {
    let (session, _) = session(Padding::NONE);
    for label in [-1, 0, 65, 3] {
        let mut memory = [b'~'; 4096];
        memory[LABEL..LABEL + 100].fill(b'x');
        let _ = Buffer(&mut memory).seal_bytes(&session, Kind::Any, label, 100);
        assert!(memory[LABEL..LABEL + 100].iter().all(|byte| *byte == 0), "{label}");
        memory[LABEL..LABEL + 200].fill(b'x');
        let _ = Buffer(&mut memory).seal_chars(&session, Kind::Any, label, 100);
        assert!(memory[LABEL..LABEL + 200].iter().all(|byte| *byte == 0), "{label}");
    }
}

#[test]
fn characters_from_elsewhere_are_sealed_and_wiped_however_the_call_ends() {
    let (session, mut opener) = session(Padding::NONE);
    for value in ["", "a@b.example", "grüße 😀", &"long ".repeat(60)] {
        let (mut buffer, mut chars, mut token) = (memory("email", b""), utf16(value), [0; 2048]);
        let length = Buffer(&mut buffer).seal_utf16(&session, 5, &mut chars, &mut token).unwrap();
        assert_eq!(opened(&mut opener, &token[..length as usize]), value.as_bytes());
        assert!(chars.iter().chain(&buffer[LABEL..][..value.len()]).all(|byte| *byte == 0), "{value:?}");
    }
    for (label, buffer, token) in [(0, 4096, 2048), (65, 4096, 2048), (5, 70, 2048), (5, 4096, 20)] {
        let (mut buffer, mut chars, mut token) = (vec![b'e'; buffer], utf16("secret"), vec![0; token]);
        let refused = Buffer(&mut buffer).seal_utf16(&session, label, &mut chars, &mut token);
        assert_eq!(refused, Err(Failure::Layout), "{label}");
        assert!(chars.iter().all(|byte| *byte == 0), "{label}");
        assert!(
            !buffer.starts_with(b"secret") && !buffer.windows(6).any(|part| part == b"secret"),
            "{label}"
        );
    }
}

fn session(padding: Padding) -> (LogSession, LogOpener) {
    let key = PreSharedKey::generate().unwrap();
    let session =
        LogSession::begin(&Readers::pre_shared(key.clone()), SessionSettings::default().padding(padding))
            .unwrap();
    let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key]));
    assert_eq!(opener.learn(session.header_lines(Shape::Plain).as_bytes()), 1);
    (session, opener)
}

fn memory(label: &str, plaintext: &[u8]) -> Vec<u8> {
    let mut memory = vec![b'!'; CAPACITY];
    memory[..label.len()].copy_from_slice(label.as_bytes());
    memory[LABEL..][..plaintext.len()].copy_from_slice(plaintext);
    memory
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_ne_bytes).collect()
}

fn opened(opener: &mut LogOpener, token: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let report = opener.open(token, &mut out);
    assert_eq!(report.opened, 1);
    out
}

#[test]
fn texts_and_bytes_are_sealed_and_nothing_of_them_stays() {
    for padding in [Padding::NONE, Padding::multiple_of(32.try_into().unwrap()).unwrap()] {
        let (session, mut opener) = session(padding);
        for value in ["", "a@b.example", "grüße 😀", &"long ".repeat(60)] {
            let chars = utf16(value).len() / 2;
            let mut memory = memory("email", &utf16(value));
            let length = Buffer(&mut memory).seal_chars(&session, Kind::Any, 5, chars as jint).unwrap();
            let (used, rest) = memory[LABEL..].split_at(5 * chars);
            assert!(used[..2 * chars + value.len()].iter().all(|byte| *byte == 0), "{value:?} stays");
            assert_eq!(opened(&mut opener, &rest[..length as usize]), value.as_bytes());

            let mut memory = self::memory("email", value.as_bytes());
            let length = Buffer(&mut memory).seal_bytes(&session, Kind::Any, 5, value.len() as jint).unwrap();
            let (used, rest) = memory[LABEL..].split_at(value.len());
            assert!(used.iter().all(|byte| *byte == 0), "{value:?} stays");
            assert_eq!(opened(&mut opener, &rest[..length as usize]), value.as_bytes());
        }
    }
}

#[test]
fn json_texts_open_in_place_of_the_string_that_their_token_fills() {
    for padding in [Padding::NONE, Padding::multiple_of(32.try_into().unwrap()).unwrap()] {
        let (session, mut opener) = session(padding);
        for value in ["-1.50e3", "true", r#""\u00e9\/""#, r#"{"é":[null]}"#] {
            let chars = utf16(value).len() / 2;
            let (mut one, mut other) = (memory("v", &utf16(value)), memory("v", value.as_bytes()));
            let one_length = Buffer(&mut one).seal_chars(&session, Kind::Json, 1, chars as jint).unwrap();
            let other_length =
                Buffer(&mut other).seal_bytes(&session, Kind::Json, 1, value.len() as jint).unwrap();
            let apart = seal_apart(&session, Kind::Json, b"v", value.as_bytes()).unwrap();
            let one = &one[LABEL + 5 * chars..][..one_length as usize];
            let other = &other[LABEL + value.len()..][..other_length as usize];
            for token in [one, other, &apart[..]] {
                let line = [&b"{\"v\":\""[..], token, b"\"}"].concat();
                assert_eq!(opened(&mut opener, &line), format!("{{\"v\":{value}}}").as_bytes());
            }
        }
    }
}

#[test]
fn what_is_no_json_text_is_refused_and_nothing_of_it_stays() {
    let (session, _) = session(Padding::NONE);
    for value in [&b"secret"[..], b"[1,\n2]", b"", b"1 2", b"\"\xff\""] {
        let mut buffer = memory("v", value);
        let refused = Buffer(&mut buffer).seal_bytes(&session, Kind::Json, 1, value.len() as jint);
        assert_eq!(refused, Err(Failure::NotJson));
        assert!(buffer[LABEL..][..value.len()].iter().all(|byte| *byte == 0));
        assert_eq!(seal_apart(&session, Kind::Json, b"v", value), Err(Failure::NotJson));
    }
    let refused = Buffer(&mut memory("v", &utf16("secret"))).seal_chars(&session, Kind::Json, 1, 6);
    assert_eq!(refused, Err(Failure::NotJson));
    assert_eq!(session.count(), 0);
}

#[test]
fn what_does_not_fit_is_refused_before_a_counter_is_used() {
    let (session, _) = session(Padding::NONE);
    let most = CAPACITY as jint;
    for (label, chars) in [(-1, 1), (0, 1), (65, 1), (5, -1), (5, most), (5, most / 5), (5, jint::MAX)] {
        let refused = Buffer(&mut memory("email", b"")).seal_chars(&session, Kind::Any, label, chars);
        assert_eq!(refused, Err(Failure::Layout), "{label} {chars}");
    }
    for (label, bytes) in [(5, -1), (5, most), (5, most - 64), (5, most - 100), (5, jint::MAX)] {
        let refused = Buffer(&mut memory("email", b"")).seal_bytes(&session, Kind::Any, label, bytes);
        assert_eq!(refused, Err(Failure::Layout), "{label} {bytes}");
    }
    assert_eq!(
        Buffer(&mut memory("e mail", b"")).seal_bytes(&session, Kind::Any, 6, 1),
        Err(Failure::Layout)
    );
    assert_eq!(Buffer(&mut []).seal_bytes(&session, Kind::Any, 0, 0), Err(Failure::Layout));
    assert_eq!(session.count(), 0);
}

#[test]
fn ranges_lie_in_their_arrays() {
    let mut array = [0, 1, 2, 3];
    assert_eq!(part(&array, 1, 3), Ok(&[1, 2, 3][..]));
    assert_eq!(part(&array, 4, 0), Ok(&[][..]));
    for (offset, length) in [(-1, 1), (1, -1), (1, 4), (5, 0), (jint::MAX, jint::MAX)] {
        assert_eq!(part(&array, offset, length), Err(Failure::Layout), "{offset} {length}");
    }
    assert_eq!(rest(&mut array, 3), Ok(&mut [3][..]));
    assert_eq!((rest(&mut array, -1), rest(&mut [0; 4], 5)), (Err(Failure::Layout), Err(Failure::Layout)));
}

#[test]
fn values_that_are_too_long_and_sessions_that_have_ended_are_told_apart() {
    let (session, mut opener) = session(Padding::NONE);
    let longest = vec![b'x'; session.max_value()];
    let token = seal_apart(&session, Kind::Any, b"body", &longest).unwrap();
    assert!(opened(&mut opener, &token) == longest);
    let too_long = [&longest[..], b"x"].concat();
    assert_eq!(seal_apart(&session, Kind::Any, b"body", &too_long), Err(Failure::TooLong));
    session.close(Shape::Plain).unwrap();
    assert_eq!(seal_apart(&session, Kind::Any, b"body", b"x"), Err(Failure::Ended));
    assert_eq!(Buffer(&mut memory("email", b"x")).seal_bytes(&session, Kind::Any, 5, 1), Err(Failure::Ended));
    assert_eq!(Buffer(&mut memory("email", b"x")).seal_chars(&session, Kind::Any, 5, 1), Err(Failure::Ended));
}

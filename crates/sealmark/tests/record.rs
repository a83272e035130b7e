//! Values through a log and back: sessions, headers, and text that a reader leaves alone.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sealmark::record::*;
use sealmark::{Error, FileMisuse, Identity, Kem, RecordMisuse};
use std::collections::HashSet;
use std::num::NonZeroUsize;

#[test]
fn every_kind_of_key_opens_what_was_sealed_for_it() {
    for &kem in Kem::ALL {
        let (identity, readers) = pair(kem);
        assert_round_trip(&readers, LogKeys::identities(vec![identity]), &kem.to_string());
    }
    let key = PreSharedKey::generate().unwrap();
    assert_round_trip(&Readers::pre_shared(key.clone()), LogKeys::pre_shared(vec![key]), "pre-shared");
}

#[test]
fn what_looks_like_a_token_is_found_but_for_ones_own() {
    let session = LogSession::begin(&pair(Kem::X25519).1, SessionSettings::default()).unwrap();
    let own = session.seal(&label("a"), b"x").unwrap();
    let text = format!("~s1 {own}~s1z~cut {}~s1~ ~~s1a~b", label("a").unsealed());
    let found = |own| look_alikes(text.as_bytes(), own).map(|range| &text[range]).collect::<Vec<_>>();
    assert_eq!(found(Some(session.id())), ["~s1", "~s1z~cut", "~s1~", "~s1a~b"]);
    assert_eq!(found(None)[1..], [&format!("{own}~s1z~cut"), "~s1x~a~~s1~", "~s1a~b"]);
}

/// A reader decodes a body in its place: bits that no writer sets make a token tampered, and other letters cut it off.
#[test]
fn a_body_that_cannot_be_decoded_is_told_from_text() {
    let key = PreSharedKey::generate().unwrap();
    let readers = Readers::pre_shared(key.clone());
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let token = session.seal(&label("a"), b"xy").unwrap();
    let (before, last) = token.split_at(token.len() - 2);
    let other_bits = char::from(last.as_bytes()[0] + 1);
    for (end, tampered, cut) in [(format!("{other_bits}~"), 1, 0), ("!~".to_owned(), 0, 1)] {
        let line = format!("a {before}{end} b\n");
        let (mut opened, log) = (Vec::new(), session.header_lines(Shape::Plain) + &line);
        let report = LogOpener::new(LogKeys::pre_shared(vec![key.clone()])).open(log.as_bytes(), &mut opened);
        assert_eq!((report.opened, report.tampered, report.cut_off), (0, tampered, cut), "{line}");
        assert_eq!(opened, line.as_bytes());
    }
}

fn assert_round_trip(readers: &Readers, keys: LogKeys, what: &str) {
    for (shape, padding) in [(Shape::Plain, Padding::NONE), (Shape::Json, multiple(16))] {
        let session = LogSession::begin(readers, SessionSettings::default().padding(padding)).unwrap();
        let mut log = session.header_lines(shape);
        assert!(log.lines().all(|line| line.len() <= 915), "{what}: a line that syslog may cut");
        log += &format!("{{\"a\":\"{}\"}}\n", session.seal(&label("a"), "\"quoted\"\n".as_bytes()).unwrap());
        log += &format!("b={} c\n", session.seal(&label("b"), b"\xff\"").unwrap());
        log += &session.close(shape).unwrap();
        let mut opened = Vec::new();
        let report = LogOpener::new(keys.clone()).open(log.as_bytes(), &mut opened);
        assert_eq!(opened, b"{\"a\":\"\\\"quoted\\\"\\n\"}\nb=\xff\" c\n", "{what}");
        let session_report = &report.sessions[&session.id()];
        assert_eq!((report.opened, session_report.closing, session_report.values()), (2, Some(2), 2));
        assert!(session_report.missing().is_empty());
    }
}

#[test]
fn values_of_every_length_open_to_themselves() {
    let (key, readers) = shared();
    for padding in [Padding::NONE, multiple(1), multiple(16), multiple(1000), multiple(MAX_PLAINTEXT)] {
        let session = LogSession::begin(&readers, SessionSettings::default().padding(padding)).unwrap();
        let opener = opener(&key, &session);
        let most = session.max_value();
        for length in (0..300).chain(1500..1600).chain([3000, 8404, 65536, most - 1, most]) {
            if padding == multiple(MAX_PLAINTEXT) && length % 100 != 0 {
                continue;
            }
            let value: Vec<u8> = (0..length).map(|at| (at * 7) as u8).collect();
            let token = session.seal(&label("v"), &value).unwrap();
            let mut opened = Vec::new();
            TokenOpener::new(Context::Raw).open(&opener.sessions(), token.as_bytes(), &mut opened);
            assert!(opened == value, "{padding:?}, {length} bytes");
        }
        let result = session.seal(&label("v"), &vec![0; most + 1]);
        assert!(matches!(result, Err(Error::Record(RecordMisuse::ValueTooLong(limit))) if limit == most));
    }
}

#[test]
fn a_value_of_49_bytes_takes_at_most_120_characters_besides_its_label() {
    let session = LogSession::begin(&shared().1, SessionSettings::default()).unwrap();
    let token = session.seal(&label("email"), &[7; 49]).unwrap();
    assert_eq!(token.len() - "email".len(), 5 + 18 + 92 + 1);
}

#[test]
fn what_was_sealed_follows_what_was_in_the_buffer() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let mut out = b"before ".to_vec();
    for length in [3, 3000] {
        session.seal_into(&label("v"), &vec![b'x'; length], &mut out).unwrap();
        out.push(b' ');
    }
    let mut opened = Vec::new();
    let _values_are_compared = opener(&key, &session).open(&out, &mut opened);
    assert!(opened == [b"before xxx ", &[b'x'; 3000][..], b" "].concat());
}

#[test]
fn padding_hides_the_length_up_to_its_multiple() {
    let session = LogSession::begin(&shared().1, SessionSettings::default().padding(multiple(64))).unwrap();
    let lengths: HashSet<usize> =
        (0..64).map(|length| session.seal(&label("v"), &vec![1; length]).unwrap().len()).collect();
    assert_eq!(lengths.len(), 1);
    assert!(session.seal(&label("v"), &[1; 64]).unwrap().len() > *lengths.iter().next().unwrap());
}

/// Else a session would have to refuse it, and its token's length would overflow.
#[test]
fn no_padding_is_larger_than_a_token() {
    for bytes in [MAX_PLAINTEXT + 1, usize::MAX] {
        let padding = Padding::multiple_of(NonZeroUsize::new(bytes).unwrap());
        assert!(matches!(padding, Err(Error::Record(RecordMisuse::Padding(MAX_PLAINTEXT)))));
    }
    for padding in [Padding::NONE, multiple(1), multiple(MAX_PLAINTEXT - 1), multiple(MAX_PLAINTEXT)] {
        let most = padding.max_value();
        assert!(padding.token_len(&label("v"), most).is_ok());
        for too_long in [most + 1, usize::MAX] {
            let refused = padding.token_len(&label("v"), too_long);
            assert!(
                matches!(refused, Err(Error::Record(RecordMisuse::ValueTooLong(limit))) if limit == most)
            );
        }
    }
}

#[test]
fn a_value_can_have_a_padding_of_its_own() {
    let key = PreSharedKey::generate().unwrap();
    let readers = Readers::pre_shared(key.clone());
    let settings = SessionSettings::default().padding(multiple(16));
    let session = LogSession::begin(&readers, settings).unwrap();
    let (mut line, mut lengths) = (Vec::new(), Vec::new());
    for padding in [Padding::NONE, multiple(64), multiple(16)] {
        let start = line.len();
        session.seal_padded_into(&label("v"), "true", padding, &mut line).unwrap();
        lengths.push(line.len() - start);
        session.seal_padded_into(&label("v"), Value::Json("false"), padding, &mut line).unwrap();
    }
    assert!(lengths[0] < lengths[2] && lengths[2] < lengths[1]);
    assert_eq!(lengths[2], session.seal(&label("v"), "true").unwrap().len());
    let mut opened = Vec::new();
    let _values_are_compared = opener(&key, &session).open(&line, &mut opened);
    assert_eq!(str::from_utf8(&opened).unwrap(), "truefalse".repeat(3));
}

#[test]
fn a_closed_session_seals_nothing_and_closes_once() {
    let session = LogSession::begin(&shared().1, SessionSettings::default()).unwrap();
    session.seal(&label("v"), b"1").unwrap();
    session.close(Shape::Plain).unwrap();
    assert!(matches!(session.seal(&label("v"), b"2"), Err(Error::Record(RecordMisuse::SessionEnded))));
    assert!(matches!(session.close(Shape::Plain), Err(Error::Record(RecordMisuse::SessionEnded))));
    assert_eq!(session.count(), 1);
}

#[test]
fn what_cannot_be_opened_stays_and_is_counted() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let stranger = LogSession::begin(&shared().1, SessionSettings::default()).unwrap();
    let unknown = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let mut line = String::new();
    for session in [&session, &stranger, &unknown] {
        line += &session.seal(&label("v"), b"value").unwrap();
    }
    line += &session.seal(&label("v"), b"\xff").unwrap().replacen('v', "w", 1);
    let log =
        format!("{}{}{{{line}}}\n", session.header_lines(Shape::Json), stranger.header_lines(Shape::Plain));
    let mut opened = Vec::new();
    let report = LogOpener::new(LogKeys::pre_shared(vec![key])).open(log.as_bytes(), &mut opened);
    assert_eq!((report.opened, report.no_key, report.orphans, report.tampered), (1, 1, 1, 1));
    let first = line.find("~~").unwrap() + 1;
    assert_eq!(String::from_utf8(opened).unwrap(), format!("{{value{}}}\n", &line[first..]));
}

#[test]
fn bytes_that_are_no_text_stay_closed_inside_json() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let token = session.seal(&label("v"), b"\xff").unwrap();
    let mut opener = opener(&key, &session);
    let line = format!("{{\"v\":\"{token}\"}}\n");
    let mut opened = Vec::new();
    let report = opener.open(line.as_bytes(), &mut opened);
    assert_eq!((String::from_utf8(opened).unwrap(), report.not_text), (line, 1));
}

#[test]
fn json_texts_open_in_place_of_their_strings() {
    let (key, readers) = shared();
    for padding in [Padding::NONE, multiple(16)] {
        let session = LogSession::begin(&readers, SessionSettings::default().padding(padding)).unwrap();
        for text in ["42", "null", r#""\u00e9\/""#, r#"{"a": [1, "b"]}"#] {
            let mut line = b"{\"v\": \"".to_vec();
            session.seal_into(&label("v"), Value::Json(text), &mut line).unwrap();
            line.extend_from_slice(b"\"}");
            assert!(serde_json::from_slice::<serde_json::Value>(&line).is_ok(), "{text}");
            let mut opened = Vec::new();
            let _values_are_compared = opener(&key, &session).open(&line, &mut opened);
            assert_eq!(str::from_utf8(&opened), Ok(&format!("{{\"v\": {text}}}")[..]));
            let mut room = vec![b'!'; session.token_len(&label("v"), text.len()).unwrap() + 1];
            let length = session.seal_to(&label("v"), Value::Json(text), &mut room).unwrap();
            assert_eq!((room[..8].to_vec(), &room[length - 1..]), (line[7..15].to_vec(), &b"~!"[..]));
            line.splice(7..line.len() - 2, room[..length].to_vec());
            let mut opened = Vec::new();
            let _values_are_compared = opener(&key, &session).open(&line, &mut opened);
            assert_eq!(str::from_utf8(&opened), Ok(&format!("{{\"v\": {text}}}")[..]));
        }
        for other in ["", "1,2", "{", "\"", "[1,\n2]", "[1,\r2]"] {
            let mut line = b"x".to_vec();
            let refused = session.seal_into(&label("v"), Value::Json(other), &mut line);
            assert!(matches!(refused, Err(Error::Record(RecordMisuse::NotJson))) && line == b"x", "{other}");
            let refused = session.seal_to(&label("v"), Value::Json(other), &mut [0; 99]);
            assert!(matches!(refused, Err(Error::Record(RecordMisuse::NotJson))), "{other}");
        }
        let too_long = "x".repeat(session.max_value() + 1);
        let refused = session.seal_into(&label("v"), Value::Json(&too_long), &mut Vec::new());
        assert!(matches!(refused, Err(Error::Record(RecordMisuse::ValueTooLong(_)))));
    }
}

#[test]
fn only_lines_that_are_nothing_else_are_taken_away() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let part = session.header_lines(Shape::Plain);
    let close = session.close(Shape::Json).unwrap();
    let kept = format!(" {part}x {part}[{}]\n{{\"sealmark\": \"{}\"}}\n", part.trim_end(), part.trim_end());
    let log = format!("{part}{kept}{close}{}\r\n", part.trim_end());
    let mut opened = Vec::new();
    let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key]));
    let report = opener.open(log.as_bytes(), &mut opened);
    assert_eq!(String::from_utf8(opened).unwrap(), kept);
    assert_eq!(report.sessions[&session.id()].closing, Some(0));
}

#[test]
fn headers_that_anybody_can_make_up_push_out_no_session_that_was_opened() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let mut opener = opener(&key, &session);
    for number in 0..(1u32 << 16) + 10 {
        // The header has a version, a session, no flags, one stanza of an unknown type, and a MAC.
        let id = [&number.to_be_bytes()[..], &[7; 8]].concat();
        let header = [&[1][..], &id, &[0; 21], &[0, 1, 0x77, 0x77, 0, 0], &[0; 32]].concat();
        let digest = digest::digest(&digest::SHA256, &header);
        let [id, digest, header] =
            [&id, &digest.as_ref()[..9], &header].map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
        let part = format!("~s1h~{id}~{digest}~1.1~{header}~");
        assert_eq!(opener.learn(part.as_bytes()), 1);
    }
    assert_eq!(opener.sessions().opened().collect::<Vec<_>>(), [session.id()]);
    let token = session.seal(&label("v"), b"value").unwrap();
    assert_eq!(opener.open(token.as_bytes(), &mut Vec::new()).opened, 1);
}

#[test]
fn a_structured_reader_opens_one_token_at_a_time() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let log = format!("~s1x~a~ {} b", session.seal(&label("email"), b"\"value\"").unwrap());
    let sessions = opener(&key, &session).sessions();
    let Some(Found::Token(token)) = find(log.as_bytes()).next() else { panic!("no token in {log}") };
    assert_eq!((token.label, token.session, token.range.clone()), ("email", session.id(), 8..log.len() - 2));
    let (mut pass, mut out) = (TokenOpener::new(Context::Plain), b"is ".to_vec());
    let first = pass.open_token(&sessions, &token, &mut out);
    let second = pass.open_token(&sessions, &token, &mut out);
    assert_eq!(first, Outcome::Opened { counter: 0, repeated: false });
    assert_eq!(second, Outcome::Opened { counter: 0, repeated: true });
    assert_eq!(out, br#"is "value""value""#);
    assert_eq!((pass.report().opened, pass.report().sessions[&session.id()].repeated), (2, 1));
}

#[test]
fn a_search_sees_values_and_nothing_of_what_stays_closed() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let sessions = opener(&key, &session).sessions();
    let token = session.seal(&label("v"), b"a\"b").unwrap();
    let (header, closing) = (session.header_lines(Shape::Json), session.close(Shape::Plain).unwrap());
    let (part, altered) = (header.trim_end(), token.replace("~v~", "~w~"));
    let unended = &token[..token.len() - 1];
    for (line, searched) in [
        (format!("{{\"x\":\"{token}\"}}\n"), "{\"x\":\"a\"b\"}\n"),
        (format!("x={altered} y\n"), "x=\u{fffd} y\n"),
        (format!("x={unended}\n"), "x=\u{fffd}\n"),
        (format!("x={unended} {token}\n"), "x=\u{fffd} a\"b\n"),
        (format!("x={}{token}\n", &token[..40]), "x=\u{fffd}a\"b\n"),
        (format!("> {part} y\n"), "> {\"sealmark\":\"\u{fffd}\"} y\n"),
        (format!("> {closing}"), "> \u{fffd}\n"),
        (format!("{header}a\n{closing}b\n"), "a\nb\n"),
    ] {
        let mut opened = Vec::new();
        TokenOpener::new(Context::Search).open(&sessions, line.as_bytes(), &mut opened);
        assert_eq!(String::from_utf8(opened).unwrap(), searched, "{line}");
    }
}

#[test]
fn tokens_that_are_not_wanted_stay() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let sessions = opener(&key, &session).sessions();
    let [a, b] = ["a", "b"].map(|name| session.seal(&label(name), name.as_bytes()).unwrap());
    let (mut pass, mut opened) = (TokenOpener::default(), Vec::new());
    let text = format!("{{\"a\":\"{a}\",\"b\":\"{b}\"}}\n{b}{a}\n");
    pass.open_where(&sessions, text.as_bytes(), &mut opened, |token| token.label == "a");
    assert_eq!(String::from_utf8(opened).unwrap(), format!("{{\"a\":\"a\",\"b\":\"{b}\"}}\n{b}a\n"));
    assert_eq!((pass.report().opened, pass.report().sessions[&session.id()].values()), (2, 1));
}

#[test]
fn a_new_header_opens_old_tokens_for_new_readers() {
    let (key, readers) = shared();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let line = session.seal(&label("v"), b"value").unwrap();
    let (identity, new_readers) = pair(Kem::MlKem768X25519);
    let old = opener(&key, &session);
    let header = old.rekey(session.id(), &new_readers, Shape::Plain).unwrap();
    let mut opened = Vec::new();
    let _values_are_compared = LogOpener::new(LogKeys::identities(vec![identity.clone()]))
        .open(format!("{header}{line}").as_bytes(), &mut opened);
    assert_eq!(opened, b"value");
    // The log has two headers of one session, and one of them fits.
    let both = format!("{}{header}{line}", session.header_lines(Shape::Plain));
    let mut opened = Vec::new();
    let _values_are_compared =
        LogOpener::new(LogKeys::identities(vec![identity])).open(both.as_bytes(), &mut opened);
    assert_eq!(opened, b"value");
}

#[test]
fn a_classic_header_does_not_become_post_quantum() {
    let (identity, readers) = pair(Kem::X25519);
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let mut opener = LogOpener::new(LogKeys::identities(vec![identity]));
    opener.learn(session.header_lines(Shape::Plain).as_bytes());
    let to_new = opener.rekey(session.id(), &pair(Kem::MlKem768).1, Shape::Plain);
    assert!(matches!(to_new, Err(Error::File(FileMisuse::ReencryptNeeded))));
    opener.rekey(session.id(), &pair(Kem::P256).1, Shape::Plain).unwrap();
}

fn pair(kem: Kem) -> (Identity, Readers) {
    let identity = Identity::generate(kem).unwrap();
    let readers = Readers::recipients(&[identity.recipient()]).unwrap();
    (identity, readers)
}

fn shared() -> (PreSharedKey, Readers) {
    let key = PreSharedKey::generate().unwrap();
    (key.clone(), Readers::pre_shared(key))
}

/// An opener that knows the session.
fn opener(key: &PreSharedKey, session: &LogSession) -> LogOpener {
    let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key.clone()]));
    assert_eq!(opener.learn(session.header_lines(Shape::Plain).as_bytes()), 1);
    opener
}

fn multiple(of: usize) -> Padding {
    Padding::multiple_of(NonZeroUsize::new(of).unwrap()).unwrap()
}

fn label(name: &str) -> Label {
    Label::new(name).unwrap()
}

/// One token opener may serve several openers, one after the other, whose sessions may come to lie in the same memory.
#[test]
fn a_key_that_was_used_before_opens_nothing_for_others() {
    let key = PreSharedKey::generate().unwrap();
    let session = LogSession::begin(&Readers::pre_shared(key.clone()), SessionSettings::default()).unwrap();
    let (header, token) =
        (session.header_lines(Shape::Plain), session.seal(&label("a"), b"private").unwrap());
    let mut pass = TokenOpener::default();
    let mut open = |opener: &LogOpener| {
        let mut opened = Vec::new();
        pass.open(&opener.sessions(), token.as_bytes(), &mut opened);
        String::from_utf8(opened).unwrap()
    };
    let mut mine = LogOpener::new(LogKeys::pre_shared(vec![key]));
    mine.learn(header.as_bytes());
    assert_eq!(open(&mine), "private");
    drop(mine);
    let others: Vec<_> = (0..100).map(|_| LogOpener::new(LogKeys::default())).collect();
    others.iter().for_each(|other| assert_eq!(open(other), token));
}

//! Text in the clear beside values: labels, key strings, and facts that a log shows without a key.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use bech32::{Bech32, Hrp};
use sealmark::record::*;
use sealmark::{Error, Identity, Kem, KeyMisuse, RecordMisuse};
use std::collections::BTreeMap;

#[test]
fn labels_have_one_to_sixty_four_plain_characters() {
    for good in ["a", "user.E-mail_2", &"x".repeat(64)] {
        assert_eq!(Label::new(good).unwrap().as_str(), good);
    }
    for bad in ["", "a b", "a~b", "é", "a\n", "a/b", "a\"", &"x".repeat(65)] {
        assert!(matches!(Label::new(bad), Err(Error::Record(RecordMisuse::Label(_)))), "{bad:?}");
    }
    let no_text = LabelRef::new(b"a\xff");
    assert!(matches!(no_text, Err(Error::Record(RecordMisuse::Label(name))) if name == "a\u{fffd}"));
}

#[test]
fn the_marker_is_no_token() {
    let marker = Label::new("email").unwrap().unsealed();
    assert_eq!(marker, "~s1x~email~");
    assert!(find(marker.as_bytes()).next().is_none());
}

#[test]
fn a_pre_shared_key_survives_its_string_and_is_never_printed() {
    let key = PreSharedKey::generate().unwrap();
    let text = key.to_secret_string();
    assert!(text.starts_with("SEALMARK-SECRET-KEY-PSK-1"));
    assert_eq!(text.parse::<PreSharedKey>().unwrap().to_secret_string(), text);
    assert_eq!(format!("{key:?}"), "PreSharedKey");
    assert!(text.parse::<Identity>().is_err());
}

#[test]
fn other_strings_are_no_pre_shared_keys() {
    let lower = PreSharedKey::generate().unwrap().to_secret_string().to_lowercase();
    let identity = Identity::generate(Kem::X25519).unwrap();
    let prefix = Hrp::parse("SEALMARK-SECRET-KEY-PSK-").unwrap();
    let short = bech32::encode_upper::<Bech32>(prefix, &[7; 31]).unwrap();
    for text in [&lower[..], &identity.to_secret_string(), &short, ""] {
        assert!(matches!(text.parse::<PreSharedKey>(), Err(Error::Key(KeyMisuse::KeyString(_)))));
    }
}

#[test]
fn a_log_tells_who_can_open_it_and_how_much_there_is() {
    let recipient = |kem| Identity::generate(kem).unwrap().recipient();
    let recipients = [Kem::X25519, Kem::MlKem768, Kem::X25519].map(recipient);
    let readers = Readers::mixed_recipients(&recipients).unwrap();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let header = session.header_lines(Shape::Json);
    let tokens = ["a", "b", "a"].map(|label| session.seal(&Label::new(label).unwrap(), b"x").unwrap());
    let log = format!("{header}{}\n{}", tokens.join(" "), session.close(Shape::Json).unwrap());
    let inspector = inspected(&log);
    let (id, seen) = inspector.sessions().next().unwrap();
    assert_eq!((id, seen.tokens, seen.closing.is_some_and(|end| end >= 3)), (session.id(), 3, true));
    assert_eq!((seen.parts, u32::from(seen.parts_of)), (header.lines().count() as u32, seen.parts));
    let whole = seen.header.clone().unwrap();
    let ways = vec![(KeyKind::Key(Kem::X25519), 2), (KeyKind::Key(Kem::MlKem768), 1)];
    assert_eq!((whole.keys, whole.post_quantum), (ways, false));
    assert_eq!(inspector.labels(), &BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]));
    let without = inspected(log.split_once('\n').unwrap().1);
    let (_, cut) = without.sessions().next().unwrap();
    assert_eq!((cut.parts, cut.parts_of, cut.header.clone()), (seen.parts - 1, seen.parts_of, None));
}

#[test]
fn a_pre_shared_key_is_post_quantum() {
    let readers = Readers::pre_shared(PreSharedKey::generate().unwrap());
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let inspector = inspected(&session.header_lines(Shape::Plain));
    let header = inspector.sessions().next().unwrap().1.header.clone().unwrap();
    assert_eq!((header.post_quantum, header.keys), (true, vec![(KeyKind::PreShared, 1)]));
}

fn inspected(log: &str) -> LogInspector {
    let mut inspector = LogInspector::default();
    log.split_inclusive('\n').for_each(|line| inspector.inspect(line.as_bytes()));
    inspector
}

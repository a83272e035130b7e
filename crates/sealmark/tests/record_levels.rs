//! The depth of places in strings within strings, and the text that is written there.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use sealmark::record::internal::*;
use sealmark::record::*;

fn levels(line: &str) -> Vec<usize> {
    let mut levels = Levels::new(line.as_bytes(), line.find('{'));
    let places: Vec<_> = line.bytes().enumerate().filter(|(_, byte)| *byte == b'@').collect();
    places.iter().map(|(place, _)| levels.level(*place)).collect()
}

#[test]
fn quotes_open_and_close_unless_escaped() {
    assert_eq!(levels(r#"@"{@"@":"b@\"@c\\@"@,"@d":1}"#), [0, 0, 1, 1, 1, 1, 0, 1]);
    assert_eq!(levels(r#"{"a":"\@"@}"#), [1, 0]);
    assert_eq!(levels("@ no object @"), [0, 0]);
}

#[test]
fn a_string_that_holds_json_is_a_level_deeper_however_its_quotes_are_written() {
    for quote in [r#"\""#, r"\u0022"] {
        let line = r#"{"log":"@x {@Q@aQ@:Q@Q}","b":"@"}"#.replace('Q', quote);
        assert_eq!(levels(&line), [1, 1, 2, 1, 2, 1], "{line}");
    }
    assert_eq!(levels(r#"{"a":"no brace \"@\""}"#), [1]);
    assert_eq!(levels(r#"{"a":"{\u002\"@"}"#), [2], "three digits");
    assert_eq!(levels(r#"{"a":"{\x\"@"}"#), [2], "no escape of JSON");
    assert_eq!(levels(r#"{"a":"{\\\"@"}"#), [1], "the inner backslash takes the inner quote");
}

#[test]
fn where_the_quotes_do_not_add_up_no_place_behind_the_brace_is_outside() {
    assert_eq!(levels(r#"@ {"@x: @{@"@a@":@"@"}"#), [0, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(levels(r#"{@"a":@,"b@}"#), [1, 1, 1]);
    assert_eq!(levels(r#"@{@"a":@,"b@\"}"#), [0, 1, 1, 1]);
}

#[test]
fn five_levels_are_told_from_four() {
    let mut line = r#"{"a":"@"}"#.to_owned();
    for level in 1..=6 {
        assert_eq!(levels(&line), [level.min(Levels::DEEPEST + 1)], "{line}");
        line = format!("{{\"a\":{}}}", serde_json::to_string(&line).unwrap());
    }
}

/// The reader meets no quote before the token.
#[test]
fn a_json_text_in_a_string_that_nobody_began_stays_closed() {
    let key = PreSharedKey::generate().unwrap();
    let session = LogSession::begin(&Readers::pre_shared(key.clone()), Default::default()).unwrap();
    let token = session.seal(&Label::new("a").unwrap(), Value::Json("1")).unwrap();
    let (line, mut opened) = (format!("{{{token}\"}}\n"), Vec::new());
    let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key]));
    opener.learn(session.header_lines(Shape::Plain).as_bytes());
    assert_eq!((opener.open(line.as_bytes(), &mut opened).not_text, opened), (1, line.into_bytes()));
}

//! For any value and any line: a sealed value opens to itself, and all other text stays as it is.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use proptest::collection::vec;
use proptest::prelude::*;
use sealmark::record::*;
use std::num::NonZeroUsize;
use std::sync::LazyLock;

/// One session for all cases, because its key does not matter.
static SEALED: LazyLock<(LogSession, LogOpener)> = LazyLock::new(|| known(Padding::NONE));
static PADDED: LazyLock<(LogSession, LogOpener)> =
    LazyLock::new(|| known(Padding::multiple_of(NonZeroUsize::new(32).unwrap()).unwrap()));

fn known(padding: Padding) -> (LogSession, LogOpener) {
    let key = PreSharedKey::generate().unwrap();
    let session =
        LogSession::begin(&Readers::pre_shared(key.clone()), SessionSettings::default().padding(padding))
            .unwrap();
    let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key]));
    opener.learn(session.header_lines(Shape::Plain).as_bytes());
    (session, opener)
}

fn open(opener: &LogOpener, text: &[u8]) -> (Vec<u8>, Report) {
    open_in(Context::Raw, opener, text)
}

fn open_in(context: Context, opener: &LogOpener, text: &[u8]) -> (Vec<u8>, Report) {
    let (mut pass, mut out) = (TokenOpener::new(context), Vec::new());
    pass.open(&opener.sessions(), text, &mut out);
    (out, pass.into_report())
}

/// A string of JSON. Each character that needs an escape has one, in one of the ways of JSON.
fn quoted(text: &str, ways: u64) -> String {
    let mut quoted = String::from("\"");
    for (at, character) in text.chars().enumerate() {
        let way = ways >> (at % 64) & 1;
        match character {
            '"' | '\\' if way == 0 => quoted.extend(['\\', character]),
            '"' | '\\' | '\0'..' ' => quoted += &format!("\\u{:04x}", u32::from(character)),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

/// Puts a JSON line into a string of a line, once for each of `ways`, as container engines and collectors do.
fn nested(line: &str, ways: &[u64]) -> String {
    ways.iter().fold(line.to_owned(), |inner, ways| {
        let inner = quoted(&format!("{inner}\n"), *ways);
        format!("{{\"stream\":\"a \\\"b\",\"log\":{inner},\"n\":1}}")
    })
}

/// Returns the first argument of [`nested`], which a JSON parser reads at each level, and compares the rest of each
/// level.
fn unnested(line: &str, levels: usize) -> serde_json::Value {
    let object: serde_json::Value = serde_json::from_str(line).unwrap();
    if levels == 0 {
        return object;
    }
    let (log, mut rest) = (object["log"].as_str().unwrap().to_owned(), object);
    rest["log"] = "".into();
    assert_eq!(rest, serde_json::json!({ "stream": "a \"b", "log": "", "n": 1 }));
    assert_eq!(log.bytes().filter(|byte| *byte == b'\n').count(), 1, "a value added a line");
    unnested(log.strip_suffix('\n').unwrap(), levels - 1)
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            proptest::collection::hash_map("[a-z\"\\\\]{0,5}", inner, 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Text around a token, with many pieces of tokens.
fn surrounding() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        vec(any::<u8>(), 0..20),
        "(~|~s1|~s1a~|~s1x~v~|v~|[A-Za-z0-9_-]{16}~|\\{\"|\":\"|\"\\}|\\\\|\n|\r\n| ){0,6}"
            .prop_map(String::into_bytes),
    ];
    vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn labels() -> impl Strategy<Value = Label> {
    "[A-Za-z0-9._-]{1,64}".prop_map(|name| Label::new(&name).unwrap())
}

proptest! {
    #[test]
    fn any_value_opens_to_itself(value in vec(any::<u8>(), 0..2000), label in labels(), padded: bool) {
        let (session, opener) = if padded { &*PADDED } else { &*SEALED };
        let token = session.seal(&label, &value).unwrap();
        prop_assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)));
        let (opened, report) = open(opener, token.as_bytes());
        prop_assert_eq!(opened, value);
        prop_assert_eq!(report.opened, 1);
    }

    #[test]
    fn any_text_without_a_token_stays(text in surrounding()) {
        let (opened, report) = open(&SEALED.1, &text);
        prop_assert_eq!(opened, text);
        prop_assert_eq!(report, Report::default());
    }

    #[test]
    fn all_around_a_token_stays(before in surrounding(), value in vec(any::<u8>(), 0..40), behind in surrounding()) {
        // Text directly before the token could itself be a token that this one's tilde completes.
        let (before, value) = ([before, b"\n\"".to_vec()].concat(), [value, b".".to_vec()].concat());
        let token = SEALED.0.seal(&Label::new("v").unwrap(), &value).unwrap();
        let (opened, report) = open(&SEALED.1, &[&before[..], token.as_bytes(), &behind].concat());
        prop_assert_eq!(report.opened, 1);
        prop_assert_eq!(opened, [before, value, behind].concat());
    }

    #[test]
    fn any_value_in_nested_json_opens_to_what_its_unsealed_twin_holds(
        value in prop_oneof![any::<String>(), "(\\\\|\"|,|:|\\{|\\}|\n|\r|u0022|role|1){0,12}"],
        name in "[a-z\"\\\\]{0,5}",
        ways in vec(any::<u64>(), 0..4),
    ) {
        let object = |value: &str| serde_json::json!({ &name: "x\\\"", "v": format!("a{value}b"), value: [{ "w": value }] });
        let token = SEALED.0.seal(&Label::new("v").unwrap(), value.as_bytes()).unwrap();
        let line = nested(&object(&token).to_string(), &ways) + "\n";
        let (opened, report) = open_in(Context::Detect, &SEALED.1, line.as_bytes());
        prop_assert_eq!((report.opened, report.not_text), (3, 0));
        prop_assert_eq!(opened.iter().filter(|byte| **byte == b'\n').count(), 1);
        prop_assert_eq!(unnested(str::from_utf8(&opened).unwrap(), ways.len()), object(&value));
    }

    #[test]
    fn any_json_in_nested_json_opens_in_the_place_of_its_string(
        value in json(),
        // Both quotes of a string are written in the same way.
        ways in vec(prop_oneof![Just(0), Just(u64::MAX)], 0..4),
    ) {
        let mut token = Vec::new();
        SEALED.0.seal_into(&Label::new("v").unwrap(), Value::Json(&value.to_string()), &mut token).unwrap();
        let token = String::from_utf8(token).unwrap();
        let line = nested(&format!(r#"{{"a":["{token}"],"b":"{token}","{token}":1}}"#), &ways) + "\n";
        let (opened, report) = open_in(Context::Detect, &SEALED.1, line.as_bytes());
        // Only a string opens in the place of a name.
        let names = u64::from(value.is_string());
        prop_assert_eq!((report.opened, report.not_text), (2 + names, 1 - names));
        let name = value.as_str().unwrap_or(&token).to_owned();
        let expected = serde_json::json!({ "a": [&value], "b": &value, &name: 1 });
        prop_assert_eq!(unnested(str::from_utf8(&opened).unwrap(), ways.len()), expected);
    }

    #[test]
    fn no_value_adds_a_line_where_there_is_no_json(value in "(a|\n|\r|\\\\){0,9}") {
        let token = SEALED.0.seal(&Label::new("v").unwrap(), value.as_bytes()).unwrap();
        let (opened, _) = open_in(Context::Detect, &SEALED.1, format!("x {token} y\n").as_bytes());
        let escaped = value.replace('\n', "\\n").replace('\r', "\\r");
        prop_assert_eq!(String::from_utf8(opened).unwrap(), format!("x {escaped} y\n"));
    }

    #[test]
    fn any_value_in_json_is_read_back_by_a_json_parser(value: String, name in "[a-z\"\\\\]{0,5}") {
        let object = |value: &str| serde_json::json!({ &name: "x\\\"", "v": value, "w": 1 });
        let token = SEALED.0.seal(&Label::new("v").unwrap(), value.as_bytes()).unwrap();
        let (opened, _) = open(&SEALED.1, format!("{}\n", object(&token)).as_bytes());
        prop_assert_eq!(serde_json::from_slice::<serde_json::Value>(&opened).unwrap(), object(&value));
        prop_assert_eq!(opened.iter().filter(|byte| **byte == b'\n').count(), 1);
    }

    #[test]
    fn a_text_opens_the_same_in_one_go_and_line_by_line(parts in vec((surrounding(), any::<bool>()), 0..6)) {
        let token = SEALED.0.seal(&Label::new("v").unwrap(), b"value\"").unwrap();
        let text: Vec<u8> = parts.into_iter().flat_map(|(text, sealed)| [text, if sealed { token.clone().into() } else { Vec::new() }].concat()).collect();
        let whole = open(&SEALED.1, &text);
        let (mut pass, mut out) = (TokenOpener::new(Context::Detect), Vec::new());
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            pass.open(&SEALED.1.sessions(), line, &mut out);
        }
        prop_assert_eq!(whole, (out, pass.into_report()));
    }
}

/// A token with any one character altered, to any of several, does not open, and its line stays.
#[test]
fn altered_anywhere_a_token_stays_closed() {
    for (session, opener) in [&*SEALED, &*PADDED] {
        let token = session.seal(&Label::new("email").unwrap(), b"a secret value").unwrap();
        for at in 0..token.len() {
            for other in [b'A', b'B', b'z', b'~', b'.', b'-', b' ', b'a', b'p', b'Z', b'2', 0, 0xff] {
                let mut altered = token.clone().into_bytes();
                if std::mem::replace(&mut altered[at], other) == other {
                    continue;
                }
                let (opened, report) = open(opener, &altered);
                assert!(opened == altered, "{}", String::from_utf8_lossy(&altered));
                assert_eq!(report.opened, 0);
            }
        }
    }
}

/// A header with any one byte altered opens nothing, and never gives another key.
#[test]
fn altered_anywhere_a_header_opens_nothing() {
    let key = PreSharedKey::generate().unwrap();
    let session = LogSession::begin(&Readers::pre_shared(key.clone()), SessionSettings::default()).unwrap();
    let (header, token) =
        (session.header_lines(Shape::Plain), session.seal(&Label::new("v").unwrap(), b"value").unwrap());
    for at in 0..header.len() - 1 {
        let mut log = format!("{header}{token}").into_bytes();
        log[at] = if log[at] == b'A' { b'B' } else { b'A' };
        let report = LogOpener::new(LogKeys::pre_shared(vec![key.clone()])).open(&log, &mut Vec::new());
        assert_eq!(report.opened, 0, "{}", String::from_utf8_lossy(&log));
    }
}

//! For any line and any value: rules find exactly the value, a sealed line opens to the original, and a dropped value
//! is gone.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod pipe;

use pipe::{none, opened, owned, quoted, sealed};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use sealmark_fields::{Fields, Selection, Span};
use std::sync::LazyLock;

/// Every kind of line, alone and with patterns.
static KINDS: LazyLock<Vec<Fields>> = LazyLock::new(|| {
    let all = [
        Selection { json: owned(&["a", "b.c"]), ..none() },
        Selection { logfmt: owned(&["a", "b"]), ..none() },
        Selection { ltsv: owned(&["a", "b"]), ..none() },
        Selection { query: owned(&["a", "b"]), headers: owned(&["client", "user", "Referer"]), ..none() },
        Selection { query: owned(&["a", "all"]), headers: owned(&["User-Agent", "Cookie=3"]), ..none() },
        Selection { patterns: owned(&["a=(\\w+)", "(?<sign>\\W\\w)"]), ..none() },
        Selection { patterns: owned(&["b"]), ..none() },
        Selection { patterns: owned(&["b.*?c"]), logfmt: owned(&["a"]), ..none() },
        Selection { patterns: owned(&["b", ".a"]), query: owned(&["all"]), ..none() },
    ];
    all.iter().map(|selection| Fields::new(selection).unwrap()).collect()
});

/// Lines of the pieces from which grammars and tokens are made, and of any bytes.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let words = select(vec![
        "a=",
        "b=",
        "a:",
        "b:1",
        "\t",
        " ",
        "  ",
        "\"",
        "\\\"",
        "\\",
        "\\x22",
        "=",
        "&",
        ";",
        "?",
        "#",
        "%61=",
        "+",
        "-",
        "a",
        "{",
        "}",
        "[",
        "]",
        ",",
        "{\"a\":",
        "\"b\":{\"c\":",
        "\"a\"",
        "1.5e3",
        "null",
        "\\u0061",
        "é",
        "\r",
        "{\"sealmark\":\"",
        "{\"sealmark\":\"~s1h~AAAAAAAAAAAAAAAA~AAAAAAAAAAAA~1.1~A~\"}",
        "~s1h~",
        "~s1z~",
        "~s1a~v~AAAAAAAAAAAAAAAA~AAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "~s1a~",
        "~s1j~v~",
        "AAAAAAAAAAAAAAAA~",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "~",
        "GET /",
        " HTTP/1.1",
        "::1 - a b [t] \"",
        "h:80 1.1.1.1, 2.2.2.2 - - [t] \"GET /?a=1&b",
        "\" 200 1",
        " \"http://x/?a=b\"",
    ]);
    let piece =
        prop_oneof![8 => words.prop_map(|word| word.as_bytes().to_vec()), 1 => vec(any::<u8>(), 0..5)];
    let line = vec(piece, 0..16).prop_map(|pieces| pieces.concat());
    line.prop_map(|line| line.into_iter().filter(|byte| *byte != b'\n').collect())
}

fn found(selection: &Selection, line: &[u8]) -> Vec<Vec<u8>> {
    let (fields, mut spans) = (Fields::new(selection).unwrap(), Vec::new());
    assert!(fields.find(line, &mut spans), "{}", String::from_utf8_lossy(line));
    spans.iter().map(|span| span.value(line).into_owned()).collect()
}

/// True if one of the words is an address for the parser of the standard library, whatever surrounds it.
fn has_address(field: &[u8]) -> bool {
    let is_address = |word: &[u8]| {
        let word = String::from_utf8_lossy(word);
        let word = word.trim_matches(|letter: char| !letter.is_ascii_hexdigit() && !".:[]%".contains(letter));
        let bare = word.trim_matches(['[', ']', '.', ':']);
        let is_ip = |text: &str| text.parse::<std::net::IpAddr>().is_ok();
        is_ip(word) || is_ip(bare) || word.parse::<std::net::SocketAddr>().is_ok()
    };
    field.split(|byte| b" ,=;".contains(byte)).any(is_address)
}

fn only(value: Vec<u8>) -> Vec<Vec<u8>> {
    if value.is_empty() { Vec::new() } else { vec![value] }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_stand_apart_and_in_their_order(line in lines()) {
        for fields in &*KINDS {
            let mut spans: Vec<Span> = Vec::new();
            let (found, mut behind) = (fields.find(&line, &mut spans), 0);
            prop_assert!(found || spans.is_empty());
            for span in &spans {
                prop_assert!(behind <= span.range.start && span.range.start <= span.range.end);
                behind = span.range.end;
            }
            prop_assert!(behind <= line.len());
        }
    }

    #[test]
    fn what_is_sealed_opens_to_itself(line in lines()) {
        for fields in &*KINDS {
            let sealed = sealed(fields, &line);
            let opened = opened(&sealed);
            prop_assert!(opened == line, "{}\n{}", String::from_utf8_lossy(&sealed), String::from_utf8_lossy(&opened));
        }
    }

    #[test]
    fn any_value_of_ltsv_is_found(value in vec(any::<u8>(), 0..40)) {
        let value: Vec<u8> = value.into_iter().filter(|byte| !b"\t\r\n\0".contains(byte)).collect();
        let line = [b"b:1\ta:", &value[..], b"\tc:2"].concat();
        prop_assert_eq!(found(&Selection { ltsv: owned(&["a"]), ..none() }, &line), only(value));
    }

    #[test]
    fn any_value_of_logfmt_is_found(value in vec(any::<u8>(), 0..40)) {
        let value = quoted(&value);
        let line = [b"b=\"a=1\" a=\"", &value[..], b"\" c="].concat();
        prop_assert_eq!(found(&Selection { logfmt: owned(&["a"]), ..none() }, &line), only(value));
    }

    #[test]
    fn any_value_of_json_is_found(value: String) {
        let line = serde_json::json!({ "b": "\"a\":1", "a": &value }).to_string();
        let text = serde_json::to_string(&value).unwrap().into_bytes();
        let found = found(&Selection { json: owned(&["a"]), ..none() }, line.as_bytes());
        prop_assert!(found == [value.into_bytes()] || found == [text]);
    }

    #[test]
    fn any_header_is_found(value in vec(any::<u8>(), 0..40), user in vec(any::<u8>(), 0..20)) {
        // Servers strip the blanks around a header.
        let (value, user) = (quoted(&value).trim_ascii().to_vec(), quoted(&user));
        let nothing = |text: &[u8]| text == b"-" || text.is_empty();
        let user = if nothing(&user) { b"\"\"".to_vec() } else { user };
        let line = [&b"::1 - "[..], &user, b" [t] \"GET / HTTP/1.1\" 200 1 \"-\" \"", &value, b"\" \"-\""].concat();
        let selection = Selection { headers: owned(&["user", "User-Agent"]), ..none() };
        // A list may be one of client addresses, so it is sealed with the client.
        let is_list = user.windows(2).any(|pair| pair == b", ");
        let user = if is_list { [&b"::1 - "[..], &user].concat() } else { user };
        // An address in the agent's place belongs to another header, so the text there and after it is sealed as one.
        let value = if has_address(&value) { [b"\"", &value[..], b"\" \"-\""].concat() } else { value };
        let expected = [user, value].into_iter().filter(|text| !nothing(text) && text != b"\"\"");
        prop_assert_eq!(found(&selection, &line), expected.collect::<Vec<_>>());
    }

    #[test]
    fn an_address_in_the_place_of_a_header_is_found(address: std::net::IpAddr, bare: bool) {
        let agent = if bare { address.to_string() } else { format!("x {address}, y") };
        let line = format!("::1 - - [t] \"GET / HTTP/1.1\" 200 1 \"-\" \"{agent}\" \"-\"");
        let selection = Selection { headers: owned(&["User-Agent"]), ..none() };
        prop_assert!(has_address(agent.as_bytes()));
        prop_assert_eq!(found(&selection, line.as_bytes()), [format!("\"{agent}\" \"-\"").into_bytes()]);
    }

    #[test]
    fn any_value_of_a_query_is_found(value in vec(any::<u8>(), 0..40), encoded: u64, referer: bool) {
        let value: Vec<u8> = quoted(&value).into_iter().filter(|byte| *byte != b'&').collect();
        let name: String = "password".bytes().enumerate().map(|(at, byte)| match encoded >> (2 * at) & 3 {
            0 => format!("%{byte:02x}"),
            1 => format!("\\x{byte:02X}"),
            2 => char::from(byte).to_uppercase().collect(),
            _ => char::from(byte).into(),
        }).collect();
        let url = [b"/a?b=1&", name.as_bytes(), b"=", &value, b"&c=2"].concat();
        let line = if referer { [b"::1 - - [t] \"GET / HTTP/1.1\" 200 1 \"", &url[..], b"\""].concat() } else { [b"::1 - - [t] \"GET ", &url[..], b" HTTP/1.1\" 200 1"].concat() };
        prop_assert_eq!(found(&Selection { query: owned(&["password"]), ..none() }, &line), only(value));
    }

    #[test]
    fn what_is_dropped_is_gone_and_all_else_stays(value in "[ -~]{0,20}", line in lines()) {
        let value = String::from_utf8(quoted(value.as_bytes())).unwrap();
        let secret = format!("SECRET{}", value.replace('&', ""));
        let json = serde_json::to_string(&secret).unwrap();
        for (kind, text) in [
            (0, format!("{{\"b\":{{\"c\":[{{}},{json}]}},\"a\":{{\"b\":1,\"v\":{json}}}}}")),
            (1, format!("a=\"{secret}\" b=\"x y\" a=")),
            (2, format!("b:1\ta:{secret}\ta:")),
            (3, format!("::1 - {secret} [t] \"GET /?b=1&a={secret} HTTP/1.1\" 200 1 \"?a={secret}\" \"-\"")),
            (3, format!("::1 - - [t] \"{secret}\" 400 1 \"/#%61={secret}\"")),
        ] {
            let dropped = Fields::new(&Selection { dropped: owned(&["a", "user", "b.c"]), ..only_of(kind) }).unwrap();
            let (mut spans, mut kept, mut again) = (Vec::new(), Vec::new(), Vec::new());
            let once = dropped.without_dropped(text.as_bytes(), &mut spans, &mut kept).unwrap().line.to_vec();
            let shown = String::from_utf8(once.clone()).unwrap();
            prop_assert!(!shown.contains("SECRET"), "{}", shown);
            let twice = dropped.without_dropped(&once, &mut spans, &mut again).unwrap().line;
            prop_assert!(twice == once);
            // A line without such a field stays as it is, and a line of another kind is not kept.
            let other = Fields::new(&Selection { dropped: owned(&["zz"]), ..only_of(kind) }).unwrap();
            let kept = other.without_dropped(&line, &mut spans, &mut kept).map(|kept| kept.line);
            prop_assert!(kept.is_none_or(|kept| kept == line || kind == 3));
        }
    }
}

fn only_of(kind: usize) -> Selection {
    let b = owned(&["b"]);
    match kind {
        0 => Selection { json: b, ..none() },
        1 => Selection { logfmt: b, ..none() },
        2 => Selection { ltsv: b, ..none() },
        _ => Selection { query: b, ..none() },
    }
}

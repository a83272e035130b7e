//! Secrets in the chosen fields of records of every kind: the sealed line shows none of them, and the opened line none
//! of those that are dropped.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod pipe;

use memchr::memmem;
use pipe::{none, opened, owned, quoted, sealed_of};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use sealmark_fields::{Fields, Selection};

/// Two secrets with something between them that a parser may stop at.
#[derive(Debug, Clone)]
struct Value {
    first: String,
    between: Vec<u8>,
    second: String,
}

impl Value {
    /// The whole value, with `between` written in this way.
    fn written(&self, between: impl FnOnce(&[u8]) -> Vec<u8>) -> Vec<u8> {
        [self.first.as_bytes(), &between(&self.between), self.second.as_bytes()].concat()
    }

    /// The value without some bytes.
    fn without(&self, bytes: &[u8]) -> Vec<u8> {
        self.written(|between| between.iter().copied().filter(|byte| !bytes.contains(byte)).collect())
    }

    fn is_in(&self, text: &[u8]) -> bool {
        [&self.first, &self.second].iter().any(|secret| memmem::find(text, secret.as_bytes()).is_some())
    }

    /// Checks that no secret is visible after sealing or dropping. Returns true if the line is of the kind.
    fn is_hidden(&self, selection: &Selection, line: &[u8]) -> bool {
        let fields = Fields::new(selection).unwrap();
        let (mut spans, mut kept) = (Vec::new(), Vec::new());
        let Some(kept) = fields.without_dropped(line, &mut spans, &mut kept) else { return false };
        let sealed = sealed_of(&fields, kept);
        assert!(!self.is_in(&sealed), "{selection:?}\n{}", String::from_utf8_lossy(&sealed));
        let opened = opened(&sealed);
        assert_eq!(self.is_in(&opened), selection.dropped.is_empty(), "{}", String::from_utf8_lossy(&opened));
        fields.find_in(kept, &mut spans).is_ok()
    }

    /// Does the same with the fields sealed and with the fields dropped.
    fn is_hidden_twice(&self, kind: fn(Vec<String>) -> Selection, names: &[&str], line: &[u8]) -> bool {
        let dropped = Selection { dropped: owned(names), ..kind(owned(&["zz"])) };
        let is_sealed = self.is_hidden(&kind(owned(names)), line);
        assert_eq!(self.is_hidden(&dropped, line), is_sealed, "of a kind for some fields only");
        is_sealed
    }
}

fn values() -> impl Strategy<Value = Value> {
    let odd = select(vec![
        " ", "  ", "\"", "\\", "\\\"", "'", "=", "&", ";", "?", "#", "%", "[", "]", "{", "}", ",", ":", "\t",
        "\r", "\0", "é", "\u{7f}", "-", "+", " b=", "\" b=", "~s1a~", "~", "\u{2028}",
    ]);
    let piece = prop_oneof![4 => odd.prop_map(|odd| odd.as_bytes().to_vec()), 1 => vec(any::<u8>(), 1..3)];
    let between = vec(piece, 0..5).prop_map(|pieces| pieces.concat());
    let between = between.prop_map(|bytes| bytes.into_iter().filter(|byte| *byte != b'\n').collect());
    ("[A-Z]{8}[0-9]{8}", between, "[A-Z]{8}[0-9]{8}").prop_map(|(first, between, second)| Value {
        first,
        between,
        second,
    })
}

fn json(names: Vec<String>) -> Selection {
    Selection { json: names, ..none() }
}

fn logfmt(names: Vec<String>) -> Selection {
    Selection { logfmt: names, ..none() }
}

fn ltsv(names: Vec<String>) -> Selection {
    Selection { ltsv: names, ..none() }
}

fn query(names: Vec<String>) -> Selection {
    Selection { query: names, ..none() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_json(value in values()) {
        let text = String::from_utf8_lossy(&value.written(<[u8]>::to_vec)).into_owned();
        let line = serde_json::json!({
            "t": 1, "b": {"c": [{}, &text]}, "a": {"n": [1, &text]}, "@m": &text, "user id": [&text], "x": "y"
        });
        let line = line.to_string();
        prop_assert!(value.is_hidden_twice(json, &["b.c", "a", "@m", "user id"], line.as_bytes()));
    }

    #[test]
    fn in_logfmt(value in values()) {
        let plain = value.without(b" \t\r\0\"=");
        let plain = [b"t=1 a=", &plain[..], b" b=\"x y\""].concat();
        let control = |byte: &u8| *byte < b' ';
        let is_one_word = !value.between.iter().any(control);
        prop_assert!(value.is_hidden_twice(logfmt, &["a"], &plain) || !is_one_word);
        let between_quotes = [b"t=1 a=\"", &value.written(quoted)[..], b"\" b=\"x y\""].concat();
        prop_assert!(value.is_hidden_twice(logfmt, &["a"], &between_quotes));
        for quotes in ["", "'", "\""] {
            // After a "=", the rest may belong to another field.
            let odd = [b"t=1 a=", quotes.as_bytes(), &value.without(b"="), quotes.as_bytes(), b" b=1"].concat();
            value.is_hidden_twice(logfmt, &["a"], &odd);
        }
    }

    #[test]
    fn in_ltsv(value in values()) {
        let text = value.without(b"\t\r\0");
        prop_assert!(value.is_hidden_twice(ltsv, &["a"], &[b"t:1\ta:", &text[..], b"\tb:2"].concat()));
        prop_assert!(value.is_hidden_twice(ltsv, &["a"], &[b"a:", &text[..]].concat()));
        prop_assert!(!value.is_hidden_twice(ltsv, &["a"], &[b"panic: ", &text[..]].concat()));
    }

    #[test]
    fn in_parameters(
        value in values(),
        name in select(vec!["pw", "PW", "p%77", "\\x70w", "pw[]", "pw%5B0%5D", "+pw", "%20pw", "pw+", "pw%00", "pw%00x"]),
        before in select(vec!["/?", "/a;", "/a&", "/#", "/?b=1&", "/;b=1;", "/a;b=1?", "/?b=1&amp;", "http://x/?", "http://x/a;"]),
    ) {
        let written = value.written(|between| quoted(between).into_iter().filter(|byte| *byte != b'&').collect());
        let parameter = [name.as_bytes(), b"=", &written].concat();
        let url = [before.as_bytes(), &parameter, b"&c=2"].concat();
        let form = [b"b=1&", &parameter[..], b"&c=2"].concat();
        let head = b"::1 - - [t] \"";
        for line in [
            [head, &b"GET "[..], &url, b" HTTP/1.1\" 200 1 \"-\" \"curl\""].concat(),
            [head, &b"GET / HTTP/1.1\" 200 1 \""[..], &url, b"\" \"curl\""].concat(),
            [head, &b"POST / HTTP/1.1\" 200 1 \"-\" \"curl\" \""[..], &parameter, b"\""].concat(),
            [head, &b"POST / HTTP/1.1\" 200 1 \"-\" \"curl\" args=\""[..], &form, b"\" rt=0.1"].concat(),
            [head, &url[..], b"\" 400 1"].concat(),
        ] {
            prop_assert!(value.is_hidden_twice(query, &["pw"], &line));
            prop_assert!(value.is_hidden_twice(query, &["all"], &line));
        }
    }

    #[test]
    fn in_who(value in values(), who in select(vec![
        "S - T", "S ident T", "S - bob T", "S, T - bob", "S - \"\"", "shop S - T", "shop S - bob T", "shop S, T - bob",
        "shop:80 S - T", "shop:80 S, T - bob smith", "[::1]:80 S - T", "shop S ident T",
    ])) {
        let who = who.replace('S', &value.first).replace('T', &value.second);
        let line = format!("{who} [t] \"GET / HTTP/1.1\" 200 1 \"-\" \"curl\"");
        let selection = Selection { headers: owned(&["client", "user"]), ..none() };
        prop_assert!(value.is_hidden(&selection, line.as_bytes()));
        let selection = Selection { headers: owned(&["Referer"]), dropped: owned(&["client", "user"]), ..none() };
        prop_assert!(value.is_hidden(&selection, line.as_bytes()));
    }

    #[test]
    fn in_matches(value in values()) {
        let line = [b"a:x\tb:ip=", &value.without(b";\t\r\0")[..], b"; c"].concat();
        let patterns = owned(&["ip=([^;]*)"]);
        let is_text = str::from_utf8(&line).is_ok();
        for selection in [Selection { patterns: patterns.clone(), ..none() }, Selection { patterns, ..ltsv(owned(&["a"])) }] {
            prop_assert_eq!(value.is_hidden(&selection, &line), is_text);
        }
    }
}

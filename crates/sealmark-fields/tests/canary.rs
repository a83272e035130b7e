//! The canary: every value that a rule names carries a mark, in lines that are as hostile as each grammar allows. After
//! sealing, no mark is left in any decoding, other values stay readable, and the opened line equals the original.
//!
//! The generator knows the place of each mark from how it writes the line, not from the code under test. Ten million lines:
//! `cargo test --release -p sealmark-fields --test canary -- --ignored`.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod lines;
mod pipe;

use lines::*;
use memchr::memmem;
use pipe::{none, opened, owned, sealed, sealed_of, session};
use sealmark::record::{Found, Shape, find};
use sealmark_fields::{Fields, Kind, Selection, Unparsed, Wrapper};
use serde_json::Value;

/// The text as it is, and with the escapes of JSON, of servers, and of both servers and URLs resolved.
fn readings(text: &[u8]) -> [Vec<u8>; 4] {
    let json = unescaped(text, b"\\u", 4);
    let server = unescaped(text, b"\\x", 2);
    let percent = unescaped(&server, b"%", 2);
    [text.to_vec(), json, server, percent]
}

/// Replaces every escape of `digits` hexadecimal digits with its byte.
fn unescaped(text: &[u8], mark: &[u8], digits: usize) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        let code = text[at..].strip_prefix(mark).and_then(|rest| rest.get(..digits));
        let code = code.and_then(|code| u32::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        let (byte, length) = match code {
            Some(code) => (u8::try_from(code).unwrap_or(b'?'), mark.len() + digits),
            None => (text[at], 1),
        };
        out.push(byte);
        at += length;
    }
    out
}

/// True if the JSON texts differ only in strings, and in values that became strings.
fn is_alike(twin: &Value, sealed: &Value) -> bool {
    match (twin, sealed) {
        (_, Value::String(_)) => true,
        (Value::Array(twin), Value::Array(sealed)) => {
            twin.len() == sealed.len() && twin.iter().zip(sealed).all(|(twin, sealed)| is_alike(twin, sealed))
        }
        (Value::Object(twin), Value::Object(sealed)) => twin.iter().all(|(name, twin)| {
            sealed.get(name).is_some_and(|sealed| is_alike(twin, sealed)) || name.contains("~s1")
        }),
        (twin, sealed) => twin == sealed,
    }
}

/// True if the pattern's match has a quote that no backslash escapes.
fn crosses_strings(line: &[u8]) -> bool {
    let found = memmem::find(line, b"ip=").map_or(line.len(), |at| at + 3);
    let mut escaped = false;
    line[found..].iter().take_while(|byte| !byte.is_ascii_whitespace()).any(|byte| {
        let is_quote = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        is_quote
    })
}

fn check(fields: &Fields, line: &Line) {
    let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let sealed = sealed(fields, &line.text);
    for reading in readings(&sealed) {
        let leak =
            [MARK, "1234567.890123"].iter().any(|mark| memmem::find(&reading, mark.as_bytes()).is_some());
        assert!(!leak, "a mark is left of\n{}\n{}", shown(&line.text), shown(&sealed));
    }
    let hits = memmem::find_iter(&sealed, "~s1").count();
    let ours =
        find(&sealed).filter(|found| matches!(found, Found::Token(token) if token.session == session()));
    assert!(
        hits == ours.count(),
        "what looks like a token is left of\n{}\n{}",
        shown(&line.text),
        shown(&sealed)
    );
    if let Ok(twin) = serde_json::from_slice::<Value>(&line.text) {
        // A match that goes beyond its string includes members, so the rest is not JSON.
        let alike = fields.shape() == Shape::Plain && crosses_strings(&line.text)
            || serde_json::from_slice::<Value>(&sealed).is_ok_and(|sealed| is_alike(&twin, &sealed));
        assert!(alike, "no longer JSON:\n{}\n{}", shown(&line.text), shown(&sealed));
    }
    if line.is_parsed {
        let (mut spans, twin) = (Vec::new(), &line.text);
        assert!(fields.find(twin, &mut spans), "not of its kind: {}", shown(twin));
        // A stranger's text that looks like a token may hide the stranger's own text, and nothing else.
        if memmem::find(twin, b"~s1").is_none() && memmem::find(twin, b"s1a").is_none() {
            let kept = |text: &[u8]| memmem::find_iter(text, KEPT).count();
            // A reader may see an object in a line that is not JSON, and could not write its values back unchanged.
            let is_object = fields.shape() == Shape::Plain
                && twin.iter().rev().find(|byte| !b" \t\r\n,]".contains(byte)) == Some(&b'}')
                && serde_json::from_slice::<Value>(twin).is_err();
            assert!(is_object || kept(twin) == kept(&sealed), "hidden:\n{}\n{}", shown(twin), shown(&sealed));
        }
    }
    let opened = opened(&sealed);
    assert!(opened == line.text, "\n{}\n{}\n{}", shown(&line.text), shown(&sealed), shown(&opened));
}

const NGINX: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;

/// Checks lines of every grammar, in turn.
fn fly(lines: u64, seed: u64) {
    let mut chance = Chance(seed);
    let headers = owned(&["client", "user", "User-Agent"]);
    let named = Selection { query: owned(&["token", "user_email"]), headers, ..none() };
    let all = Selection { query: owned(&["all"]), ..named.clone() };
    let format = |escape: &str| {
        let log_format = Some(format!("{escape}{NGINX}"));
        let headers = owned(&["client", "remote_user", "$http_user_agent"]);
        Selection { kind: Some(Kind::Template), log_format, query: named.query.clone(), headers, ..none() }
    };
    let of_json = |names: &[&str]| Selection { json: owned(names), ..none() };
    let ip = Selection { patterns: owned(&[r"ip=(\S+)"]), unparsed: Unparsed::Pass, ..none() };
    let url = Selection { kind: Some(Kind::Url), query: named.query.clone(), ..none() };
    let inner =
        vec![("message".into(), ip), ("payload".into(), of_json(&JSON_NAMES)), ("request_uri".into(), url)];
    let in_docker = Some(Wrapper::Docker);
    let of_pairs = |kind| Selection { kind: Some(kind), within: inner.clone(), ..none() };
    let in_json = Selection { kind: Some(Kind::Json), within: inner.clone(), ..none() };
    let rules: [(Selection, Grammar); 19] = [
        (of_pairs(Kind::Logfmt), within_logfmt),
        (of_pairs(Kind::Ltsv), within_ltsv),
        (Selection { wrapper: in_docker, ..in_json.clone() }, docker_within),
        (Selection { wrapper: Some(Wrapper::Cee), ..of_json(&JSON_NAMES) }, cee_json),
        (Selection { any_case: true, ..of_json(&["**.IP", "user.*"]) }, wild_json),
        (Selection { kept: owned(&["list", "other", "**.ip"]), ..of_json(&["**"]) }, json_but),
        (in_json, within),
        (Selection { wrapper: in_docker, ..of_json(&JSON_NAMES) }, docker_json),
        (Selection { wrapper: in_docker, ..format("") }, docker_access),
        (Selection { wrapper: Some(Wrapper::Cri), ..of_json(&JSON_NAMES) }, cri_json),
        (format(""), access),
        (format("escape=none "), odd_template),
        (Selection { json: owned(&JSON_NAMES), ..none() }, json),
        (all, access),
        (named.clone(), access),
        (named, odd_access),
        (Selection { logfmt: owned(&["email"]), ..none() }, logfmt),
        (Selection { ltsv: owned(&["email"]), ..none() }, ltsv),
        (Selection { patterns: owned(&[r"ip=(\S+)"]), ..none() }, plain),
    ];
    let rules = rules.map(|(selection, grammar)| (Fields::new(&selection).unwrap(), grammar));
    for number in 0..lines {
        let (fields, grammar) = &rules[number as usize % rules.len()];
        check(fields, &grammar(&mut chance));
    }
    // The odd lines of access logs have no user and hardly ever a query.
    let is_odd = |grammar: Grammar| {
        [odd_access as Grammar, odd_template].iter().any(|odd| std::ptr::fn_addr_eq(grammar, *odd))
    };
    for (fields, _) in rules.iter().filter(|(_, grammar)| !is_odd(*grammar)) {
        let silent: Vec<_> = fields.rules().filter(|(_, values)| *values == 0).collect();
        assert!(lines < 1000 || silent.is_empty(), "{silent:?} found nothing");
    }
}

/// Checks each seed in a thread of its own.
fn fly_all(lines: u64, seeds: [u64; 4]) {
    let each = |seed: u64| std::thread::spawn(move || fly(lines, seed));
    seeds.map(each).into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn no_mark_is_left() {
    fly_all(220_000, [1, 2, 3, 4]);
}

/// The line after dropping and sealing, opened again; `None` if it is of another kind.
fn left(fields: &Fields, line: &[u8]) -> Option<Vec<u8>> {
    let (mut spans, mut kept) = (Vec::new(), Vec::new());
    let left = fields.without_dropped(line, &mut spans, &mut kept)?;
    let sealed = sealed_of(fields, left);
    let leak = readings(&sealed).iter().any(|reading| memmem::find(reading, MARK.as_bytes()).is_some());
    assert!(!leak, "{}\n{}", String::from_utf8_lossy(line), String::from_utf8_lossy(&sealed));
    Some(opened(&sealed))
}

/// A line of an access log loses the same values, and no others, alone and inside other lines.
#[test]
fn a_line_within_another_loses_what_it_would_lose_alone() {
    let mut chance = Chance(5);
    let sealed = Selection {
        query: owned(&["token", "user_email"]),
        headers: owned(&["client", "user", "User-Agent"]),
        ..none()
    };
    let nothing = Selection { kind: Some(Kind::Access), query: owned(&["zz"]), ..none() };
    let named = owned(&["client", "user", "token", "user_email", "User-Agent"]);
    let drops = |names: &[&str], rules: &Selection| Selection { dropped: owned(names), ..rules.clone() };
    let member = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let member_of = |line: &[u8], name: &str| {
        let line: Value = serde_json::from_slice(line).unwrap();
        line[name].as_str().unwrap().as_bytes().to_vec()
    };
    for rules in [
        drops(&["Referer"], &sealed),
        drops(&["page"], &sealed),
        drops(&["all"], &sealed),
        drops(&["X-Forwarded-For", "token"], &sealed),
        Selection { dropped: named, ..nothing },
    ] {
        let fields = |wrapper| Fields::new(&Selection { wrapper, ..rules.clone() }).unwrap();
        let (alone, docker) = (fields(None), fields(Some(Wrapper::Docker)));
        let (cri, cee) = (fields(Some(Wrapper::Cri)), fields(Some(Wrapper::Cee)));
        let within = vec![("m".to_owned(), rules.clone())];
        let json = Fields::new(&Selection { kind: Some(Kind::Json), within, ..none() }).unwrap();
        for number in 0..6000 {
            let line = if number % 2 == 0 { access(&mut chance) } else { odd_access(&mut chance) }.text;
            // Docker's lines and JSON contain only text.
            let line = member(&line).into_bytes();
            let expected = left(&alone, &line).unwrap();
            for (fields, prefix) in [(&cri, "2026T stdout F "), (&cee, "@cee: ")] {
                let inner = left(fields, &[prefix.as_bytes(), &line].concat()).unwrap();
                assert_eq!(member(&inner), format!("{prefix}{}", member(&expected)), "{}", member(&line));
            }
            let runtime = serde_json::json!({"log": format!("{}\n", member(&line)), "stream": "stdout"});
            let inner = member_of(&left(&docker, runtime.to_string().as_bytes()).unwrap(), "log");
            assert_eq!(member(&inner), format!("{}\n", member(&expected)), "{}", member(&line));
            let inner = left(&json, serde_json::json!({"m": member(&line)}).to_string().as_bytes()).unwrap();
            assert_eq!(member(&member_of(&inner, "m")), member(&expected), "{}", member(&line));
        }
    }
}

#[test]
#[ignore = "ten million lines take minutes"]
fn no_mark_is_left_in_ten_million_lines() {
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    println!("seed {seed}");
    fly_all(2_500_000, [0, 1, 2, 3].map(|number| seed << 8 | number));
}

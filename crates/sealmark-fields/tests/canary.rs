//! The canary: every value that a rule names carries a mark, in lines that are as hostile as each grammar allows. After
//! sealing, no mark is left in any decoding, other values stay readable, and the opened line equals the original.
//!
//! The generator knows the place of each mark from how it writes the line, not from the code under test. Ten million lines:
//! `cargo test --release -p sealmark-fields --test canary -- --ignored`.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod pipe;

use memchr::memmem;
use pipe::{none, opened, owned, sealed, sealed_of, session};
use sealmark::record::{Found, Shape, find};
use sealmark_fields::{Fields, Kind, Selection, Unparsed, Wrapper};
use serde_json::Value;

/// A mark in every value that is to be sealed. Without the dot, one token in millions would contain it by chance.
const MARK: &str = "CANARY.CANARY";
/// A mark in values that nobody named, which must stay readable: a stranger's text hides no line.
const KEPT: &str = "WREN.WREN";

struct Chance(u64);

impl Chance {
    /// splitmix64
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Texts that strangers send, as bytes before any escaping.
const HOSTILE: [&[u8]; 30] = [
    b"\"",
    b"\\",
    b"\\\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"=",
    b"&",
    b"?",
    b"#",
    b"%",
    b";",
    b"\t",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"~s1a~",
    b"~s1x~email~",
    b"~s1h~AAAAAAAAAAAAAAAA~AAAAAAAAAAAA~1.1~A~",
    b"~s1a~x~AAAAAAAAAAAAAAAA~AAAAAAAAAAAAAAAAAAAAAAAAAAA~",
    b"~",
    b"s1a~x~",
    b"\",\"admin\":true,\"x\":\"",
    b"{\"log\":\"~s1a~",
    b"{\\\"a\\\":\\\"{\\\\\\\"b\\\\\\\":\\\\\\\"~s1a~",
    b"\x7f",
];

/// The given mark between hostile pieces.
fn text(chance: &mut Chance, mark: &str) -> Vec<u8> {
    let mut text = Vec::new();
    let pieces = |chance: &mut Chance, text: &mut Vec<u8>| {
        for _ in 0..chance.below(4) {
            text.extend_from_slice(chance.pick(&HOSTILE));
        }
    };
    pieces(chance, &mut text);
    text.extend_from_slice(mark.as_bytes());
    pieces(chance, &mut text);
    if chance.one_in(3) {
        text.extend_from_slice(mark.as_bytes());
    }
    text
}

/// Writes a line of one grammar.
type Grammar = fn(&mut Chance) -> Line;

struct Line {
    text: Vec<u8>,
    /// True if every line of this grammar parses, so that only values are sealed.
    is_parsed: bool,
}

// JSON

/// Writes strings as programs do: correctly, with more escapes than needed, or wrongly.
fn json_string(chance: &mut Chance, text: &[u8], out: &mut Vec<u8>) {
    let (all, hex, raw) = (chance.one_in(6), chance.one_in(8), chance.one_in(10));
    out.push(b'"');
    for character in String::from_utf8_lossy(text).chars() {
        let mut units = [0; 2];
        match character {
            '"' | '\\' if hex => out.extend_from_slice(format!("\\x{:02x}", character as u32).as_bytes()),
            '"' | '\\' => out.extend_from_slice(&[b'\\', character as u8]),
            '\n' => out.extend_from_slice(b"\\n"),
            '\t' if !raw => out.extend_from_slice(b"\\t"),
            _ if all && chance.one_in(2) => {
                for unit in character.encode_utf16(&mut units) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    let ends: [&[u8]; 5] = [b"\\ud800", b"\\/", b"\\x22", b"\xff", b"\\u0000"];
    if chance.one_in(8) {
        out.extend_from_slice(chance.pick(&ends));
    }
    out.push(b'"');
}

/// True if the value at a path is to be sealed.
type Named = fn(&str) -> bool;

/// Writes the value at a path. It carries the mark if `rule` names the path.
fn json_value(chance: &mut Chance, path: &str, rule: Named, depth: usize, out: &mut Vec<u8>) {
    let named = rule(path);
    match chance.below(if depth > 3 { 3 } else { 7 }) {
        0 | 1 => {
            let text = text(chance, if named { MARK } else { KEPT });
            json_string(chance, &text, out);
        }
        2 if named => out.extend_from_slice(b"1234567.890123"),
        2 => out
            .extend_from_slice(chance.pick(&["1", "-0.5e+3", "true", "null", "\"\"", "[]", "{}"]).as_bytes()),
        3 if !named => {
            let deep = chance.below(300);
            out.extend(std::iter::repeat_n(b'[', deep));
            out.push(b'1');
            out.extend(std::iter::repeat_n(b']', deep));
        }
        3 | 4 => {
            out.push(b'[');
            for item in 0..chance.below(3) {
                out.extend_from_slice(if item > 0 { b", " } else { b"" });
                json_value(chance, path, rule, depth + 1, out);
            }
            out.push(b']');
        }
        _ => json_object(chance, path, rule, depth + 1, out),
    }
}

fn is_at_or_below(path: &str, names: &[&str]) -> bool {
    names
        .iter()
        .any(|name| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

const JSON_NAMES: [&str; 4] = ["email", "user.name", "list.ip", "é key"];

fn json_object(chance: &mut Chance, path: &str, rule: Named, depth: usize, out: &mut Vec<u8>) {
    let names = [
        "email",
        "user",
        "name",
        "list",
        "ip",
        "é key",
        "Email",
        "user.name",
        "other",
        "user.name.first",
        "email.x",
        "~s1h~x",
        "~s1h~x",
    ];
    out.push(b'{');
    for member in 0..chance.below(5) {
        let name = chance.pick(&names);
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        out.extend_from_slice(if member > 0 { b"," } else { b"" });
        let escaped = chance
            .one_in(6)
            .then(|| name.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect::<String>());
        out.extend_from_slice(format!("\"{}\"", escaped.as_deref().unwrap_or(name)).as_bytes());
        out.extend_from_slice(chance.pick(&[":", " : ", ":\t"]).as_bytes());
        json_value(chance, &path, rule, depth, out);
    }
    out.push(b'}');
}

fn json_of(chance: &mut Chance, rule: Named) -> Vec<u8> {
    let mut text = Vec::new();
    json_object(chance, "", rule, 0, &mut text);
    text
}

fn json(chance: &mut Chance) -> Line {
    Line { text: json_of(chance, |path| is_at_or_below(path, &JSON_NAMES)), is_parsed: true }
}

/// Rules `**.ip` and `user.*`, in any case.
fn wild_json(chance: &mut Chance) -> Line {
    let rule = |path: &str| path.split('.').any(|name| name == "ip") || path.starts_with("user.");
    Line { text: json_of(chance, rule), is_parsed: false }
}

/// A rule for all fields but `list`, `other` and `**.ip`.
fn json_but(chance: &mut Chance) -> Line {
    let rule =
        |path: &str| !is_at_or_below(path, &["list", "other"]) && !path.split('.').any(|name| name == "ip");
    Line { text: json_of(chance, rule), is_parsed: false }
}

// Text within fields

/// Writes a member whose value is a string.
fn member(chance: &mut Chance, name: &str, text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!(",\"{name}\":").as_bytes());
    // Half of all programs write only the escapes that they must.
    match (chance.one_in(2), std::str::from_utf8(text)) {
        (true, Ok(text)) => out.extend_from_slice(serde_json::to_string(text).unwrap().as_bytes()),
        _ => json_string(chance, text, out),
    }
}

fn within(chance: &mut Chance) -> Line {
    let mut line = b"{\"n\":1".to_vec();
    let uri = url(chance);
    member(chance, "request_uri", &uri, &mut line);
    let message = plain(chance).text;
    member(chance, "message", &message, &mut line);
    let payload = json(chance).text;
    member(chance, "payload", &payload, &mut line);
    let other = text(chance, KEPT);
    member(chance, "other", &other, &mut line);
    line.push(b'}');
    Line { text: line, is_parsed: false }
}

/// Writes pairs with the same texts; `member` gives the part between quotes.
fn within_logfmt(chance: &mut Chance) -> Line {
    let mut line = b"n=1".to_vec();
    let texts =
        [("request_uri", url(chance)), ("message", plain(chance).text), ("payload", json(chance).text)];
    for (name, text) in texts {
        let mut member_of_json = Vec::new();
        member(chance, name, &text, &mut member_of_json);
        line.extend_from_slice(format!(" {name}=").as_bytes());
        line.extend_from_slice(&member_of_json[name.len() + 4..]);
    }
    Line { text: line, is_parsed: false }
}

fn within_ltsv(chance: &mut Chance) -> Line {
    let mut line = b"n:1".to_vec();
    let texts =
        [("request_uri", url(chance)), ("message", plain(chance).text), ("payload", json(chance).text)];
    for (name, text) in texts {
        line.extend_from_slice(format!("\t{name}:").as_bytes());
        line.extend(text.into_iter().filter(|byte| *byte >= b' '));
    }
    Line { text: line, is_parsed: false }
}

fn docker_within(chance: &mut Chance) -> Line {
    let inner = within(chance).text;
    docker(chance, &inner)
}

fn cee_json(chance: &mut Chance) -> Line {
    Line { text: [b"@cee: ", &json(chance).text[..]].concat(), is_parsed: false }
}

fn docker(chance: &mut Chance, inner: &[u8]) -> Line {
    let (mut line, ended) = (b"{\"n\":1".to_vec(), [inner, b"\n"].concat());
    member(chance, "log", &ended, &mut line);
    line.extend_from_slice(b",\"stream\":\"stdout\",\"time\":\"2026-11-23T12:00:00.5Z\"}");
    Line { text: line, is_parsed: false }
}

fn docker_json(chance: &mut Chance) -> Line {
    let inner = json(chance).text;
    docker(chance, &inner)
}

fn docker_access(chance: &mut Chance) -> Line {
    let inner = access(chance).text;
    docker(chance, &inner)
}

fn cri_json(chance: &mut Chance) -> Line {
    let text = [b"2026-11-23T12:00:00.5Z stderr F ", &json(chance).text[..]].concat();
    Line { text, is_parsed: false }
}

// Access logs

/// Writes text that was sent as nginx or Apache httpd logs it.
fn server_text(text: &[u8], nginx: bool) -> Vec<u8> {
    let written = |byte: &u8| match byte {
        b'"' | b'\\' if !nginx => vec![b'\\', *byte],
        b'\t' if !nginx => b"\\t".to_vec(),
        b'"' | b'\\' | 0..0x20 | 0x7f.. if nginx => format!("\\x{byte:02X}").into_bytes(),
        0..0x20 | 0x7f.. => format!("\\x{byte:02x}").into_bytes(),
        _ => vec![*byte],
    };
    text.iter().flat_map(written).collect()
}

fn url(chance: &mut Chance) -> Vec<u8> {
    let names = [
        "token",
        "TOKEN",
        "%74oken",
        "token[]",
        "token%5B0%5D",
        "+token",
        "to%6ben",
        "user_email",
        "user.email",
        "user%20email",
        "user[email",
        "page",
        "x",
    ];
    let mut url = chance.pick(&["/", "/app", "http://x/", "/WREN"]).as_bytes().to_vec();
    for parameter in 0..chance.below(4) {
        url.extend_from_slice(if parameter == 0 { chance.pick(&["?", ";", "#"]) } else { "&" }.as_bytes());
        let name = chance.pick(&names);
        let named = !["page", "x"].contains(&name);
        url.extend_from_slice(name.as_bytes());
        url.push(b'=');
        let value = text(chance, if named { MARK } else { "1" });
        // Servers do not agree if these separators begin another parameter, which nobody would have named.
        let separators: &[u8] = if named { b" &" } else { b" &;?#=" };
        url.extend(value.into_iter().filter(|byte| !separators.contains(byte)));
    }
    url
}

/// Writes a field in quotes; servers strip the blanks around it.
fn field(chance: &mut Chance, mark: &str, nginx: bool) -> Vec<u8> {
    let sent = text(chance, mark);
    if chance.one_in(6) { b"-".to_vec() } else { server_text(sent.trim_ascii(), nginx) }
}

fn access(chance: &mut Chance) -> Line {
    let nginx = chance.one_in(2);
    let who = [
        "CANARY - -",
        "CANARY - CANARY",
        "10.0.0.1, CANARY - -",
        "x.example:443 CANARY - CANARY",
        "CANARY CANARY - -",
        "CANARY - x, CANARY - -",
        "CANARY - CANARY, 10.0.0.1 - -",
        "10.0.0.1:55 CANARY - -",
        "CANARY ident CANARY",
    ];
    let mut line = chance.pick(&who).replace("CANARY", MARK).into_bytes();
    line.extend_from_slice(b" [10/Oct/2000:13:55:36 -0700] \"");
    line.extend_from_slice(&server_text(&[b"GET ", &url(chance)[..], b" HTTP/1.1"].concat(), nginx));
    line.extend_from_slice(b"\" 200 17 \"");
    let referer = if chance.one_in(3) { server_text(&url(chance), nginx) } else { b"-".to_vec() };
    line.extend_from_slice(&referer);
    line.extend_from_slice(b"\" \"");
    line.extend_from_slice(&field(chance, MARK, nginx));
    line.push(b'"');
    if chance.one_in(3) {
        line.extend_from_slice(b" rt=0.1 up=\"127.0.0.1:80\"");
    }
    Line { text: line, is_parsed: false }
}

/// Writes fields in other places than the combined format has, and quotes without escapes.
fn odd_access(chance: &mut Chance) -> Line {
    let tails = [
        r#""Mozilla CANARY" "203.0.113.1""#,
        r#""Mozilla CANARY""#,
        r#""-" "Moz "x" CANARY" "1.1.1.1""#,
        r#""-" "Moz" " CANARY" "1.1.1.1""#,
        r#"agent="CANARY" "-""#,
        r#""203.0.113.1" "-" "CANARY""#,
        r#""-" "CANARY"#,
    ];
    let request = chance.pick(&[
        "GET / HTTP/1.1\" 200 5 ",
        "GET /\"?token=CANARY HTTP/1.1\" 200 5 ",
        "\\x16\\x03\" 400 ",
    ]);
    let line = format!("CANARY - - [t] \"{request}{}", chance.pick(&tails));
    Line { text: line.replace("CANARY", MARK).into_bytes(), is_parsed: false }
}

/// Writes an odd line for a `log_format`, which names the content of each place: only the client, which comes first,
/// has the mark.
fn odd_template(chance: &mut Chance) -> Line {
    let line = String::from_utf8(odd_access(chance).text).unwrap();
    let (client, rest) = line.split_at(MARK.len());
    Line { text: [client, &rest.replace(MARK, "CANARY")].concat().into_bytes(), is_parsed: false }
}

// Pairs

fn logfmt(chance: &mut Chance) -> Line {
    let mut line = chance.pick(&["", "\u{feff}", "{", " "]).as_bytes().to_vec();
    for pair in 0..=chance.below(4) {
        line.extend_from_slice(if pair > 0 { b" " } else { b"" });
        let (key, mark) = if chance.one_in(2) { ("email=", MARK) } else { ("msg=", KEPT) };
        line.extend_from_slice(key.as_bytes());
        let value = text(chance, mark);
        if chance.one_in(2) {
            line.extend_from_slice(&[b"\"", &server_text(&value, false)[..], b"\""].concat())
        } else {
            line.extend(value.into_iter().filter(|byte| !b" \t\"='".contains(byte)))
        }
    }
    Line { text: line, is_parsed: false }
}

fn ltsv(chance: &mut Chance) -> Line {
    let field = |chance: &mut Chance| {
        let (label, mark) = if chance.one_in(2) { ("email", MARK) } else { ("msg", KEPT) };
        let value = text(chance, mark).into_iter().filter(|byte| *byte != b'\t');
        [label.as_bytes(), b":", &value.collect::<Vec<_>>()].concat()
    };
    let fields: Vec<_> = (0..=chance.below(4)).map(|_| field(chance)).collect();
    Line { text: [b"t:1".to_vec(), fields.join(&b'\t')].join(&b'\t'), is_parsed: true }
}

fn plain(chance: &mut Chance) -> Line {
    let value: Vec<u8> = text(chance, MARK).into_iter().filter(|byte| !b" \t".contains(byte)).collect();
    let around = [text(chance, KEPT), text(chance, KEPT)];
    Line { text: [&around[0][..], b" ip=", &value, b" ", &around[1]].concat(), is_parsed: true }
}

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

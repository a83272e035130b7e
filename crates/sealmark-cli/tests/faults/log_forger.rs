//! The forger has the public key, and writes into every field of a log what would add lines, members or failures to the
//! opened log: headers, tokens and closing tokens of his own, with hostile values. Sealed and opened, the log is the
//! same as before, and nothing in it makes a reader fail.

use crate::room::{KEY, ME, Room};
use sealmark::record::{Label, LogSession, Readers, SessionSettings, Shape, Value};
use std::process::Stdio;

/// Forged values, each of which tries to become something else in the opened log.
const VALUES: [&str; 6] = [
    "a\nfake line\nanother",
    "a\r\n198.51.100.66 - root [t] \"GET /admin HTTP/1.1\" 200 1",
    "x\",\"admin\":true,\"y\":\"",
    "\\\",\\\"admin\\\":true,\\\"y\\\":\\\"",
    "{\"admin\":true}",
    "}\n{\"admin\":true",
];

/// All that the forger can write in one line: parts of a header, tokens of every suite, closing tokens, and each of
/// them cut off or altered.
fn forged(room: &Room) -> Vec<String> {
    let readers = Readers::recipients(&[room.mine.recipient()]).unwrap();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let header = session.header_lines(Shape::Plain).trim_end().replace('\n', "&");
    let label = Label::new("email").unwrap();
    let mut all: Vec<String> =
        VALUES.iter().map(|value| session.seal(&label, value.as_bytes()).unwrap()).collect();
    let mut json = Vec::new();
    session.seal_into(&label, Value::Json("\"a\""), &mut json).unwrap();
    all.push(String::from_utf8(json).unwrap());
    let closing = session.close(Shape::Plain).unwrap().trim_end().to_owned();
    let cut = all[0][..all[0].len() - 9].to_owned();
    let altered = all[0].replacen('A', "B", 1);
    // The header is in one field with a token, as in a long URL.
    all.push(format!("{header}&{}", all[1]));
    all.extend([header, closing, cut, altered]);
    all.extend(["~s1x~email~", "~s1", "s1a~x~", "~s1a~s1a~", "~~s1h~~s1z~"].map(str::to_owned));
    all.push("~s1a~x~AAAAAAAAAAAAAAAA~AAAAAAAAAAAAAAAAAAAAAAAAAAA~".into());
    all.push(format!("{{\\\"deep\\\":\\\"{{\\\\\\\"a\\\\\\\":\\\\\\\"{}", all[2]));
    all
}

/// The lines of a log with something hostile in each of their fields, and the flags that seal some of the fields.
fn logs(hostile: &[String]) -> Vec<(&'static str, Vec<&'static str>, Vec<String>)> {
    let string = |text: &str| serde_json::to_string(text).unwrap();
    let quoted = |text: &str| text.replace('\\', "\\x5C").replace('"', "\\x22");
    let each = |line: &dyn Fn(&str) -> Vec<String>| hostile.iter().flat_map(|text| line(text)).collect();
    let json = |text: &str| {
        let (text, nested) = (string(text), string(&format!("{{\"a\":{},\"b\":1}}\n", string(text))));
        vec![
            format!("{{\"email\":{text},\"n\":1}}"),
            format!("{{\"other\":{text},\"email\":\"x\"}}"),
            format!("{{{text}:1,\"email\":{{{text}:[{text},2]}}}}"),
            format!("{{\"log\":{nested},\"stream\":\"stdout\"}}"),
            format!("{{\"log\":{},\"email\":\"x\"}}", string(&nested)),
            format!("{{\"log\":{text}"),
        ]
    };
    let access = |text: &str| {
        let text = quoted(text).replace(' ', "%20");
        let line = |user: &str, url: &str, referer: &str, agent: &str| {
            format!("192.0.2.1 - {user} [t] \"GET {url} HTTP/1.1\" 200 1 \"{referer}\" \"{agent}\"")
        };
        vec![
            line("-", &format!("/{text}"), "-", "curl"),
            line("-", &format!("/?token={text}&{text}={text}"), "-", "curl"),
            line(&text, "/", &text, &text),
            format!("192.0.2.1 - - [t] \"{text}\" 400 1"),
            format!("192.0.2.1 - - [t] \"GET / HTTP/1.1\" 200 1 x={{{text}}}"),
            text,
        ]
    };
    let pairs = |text: &str| {
        let word = quoted(text).replace(' ', "_");
        vec![
            format!("email={word} msg={word}"),
            format!("email=\"{word}\" {word}=1"),
            format!("msg=\"{}\"", quoted(text)),
            word,
        ]
    };
    let tabs = |text: &str| {
        vec![format!("t:1\temail:{text}\tmsg:{text}"), format!("msg:{text}\temail:"), text.to_owned()]
    };
    let plain = |text: &str| {
        vec![
            format!("{text} ip={text} {text}"),
            format!("ip=1{text}"),
            format!("{{ip={text} \"{text}\"}}"),
            format!("ip=1\t\"{text}"),
        ]
    };
    vec![
        ("json", vec!["--json", "email"], each(&json)),
        ("access", vec!["--query", "token", "--header", "client"], each(&access)),
        ("all", vec!["--query", "all", "--header", "User-Agent"], each(&access)),
        ("logfmt", vec!["--logfmt", "email"], each(&pairs)),
        ("ltsv", vec!["--ltsv", "email"], each(&tabs)),
        ("plain", vec!["--regex", "ip=(\\S)"], each(&plain)),
    ]
}

#[test]
fn what_he_writes_into_a_log_comes_out_as_he_wrote_it() {
    let room = Room::new();
    let hostile = forged(&room);
    for (name, flags, lines) in logs(&hostile) {
        let plain = lines.join("\n") + "\n";
        room.write("plain", &plain);
        for unparsed in ["seal", "pass"] {
            let seal = [
                &["log", "seal", "-R", ME, "--unparsed", unparsed, "plain", "-f", "-o", "sealed"],
                &flags[..],
            ]
            .concat();
            room.run(seal).done();
            let opened = room.run(["log", "open", "-i", KEY, "sealed"]);
            opened.done();
            let out = String::from_utf8(opened.out).unwrap();
            for (number, (opened, twin)) in out.lines().zip(plain.lines()).enumerate() {
                assert_eq!(opened, twin, "{name} --unparsed {unparsed}, line {number}");
            }
            assert_eq!(out.lines().count(), lines.len(), "{name} --unparsed {unparsed}");
            room.run(["log", "verify", "-i", KEY, "sealed"]).done();
            let found = room.run(["log", "grep", "-i", KEY, "email|GET|ip=", "sealed"]);
            found.done();
            assert!(found.out.ends_with(b"\n") && !found.err.contains("tokens"), "{found:?}");
        }
    }
}

/// A container engine writes each line of a sealed log into a JSON string of its own: the opened values add no member
/// to any level.
#[test]
fn what_was_sealed_adds_no_member_to_lines_that_are_wrapped() {
    let room = Room::new();
    let values = VALUES.map(|value| serde_json::to_string(value).unwrap());
    let lines: Vec<_> =
        values.iter().map(|value| format!("{{\"t\":1,\"email\":{value},\"n\":{{\"email\":1}}}}")).collect();
    room.write("level1", lines.join("\n") + "\n");
    room.run(["log", "seal", "-R", ME, "--json", "email", "level1", "-o", "sealed1"]).done();
    let wrap = |name: &str| {
        let text = String::from_utf8(room.read(name)).unwrap();
        let wrapped = text
            .lines()
            .map(|line| serde_json::json!({ "log": format!("{line}\n"), "stream": "out" }).to_string());
        wrapped.collect::<Vec<_>>().join("\n") + "\n"
    };
    for level in 2..=4 {
        for kind in ["level", "sealed"] {
            room.write(format!("{kind}{level}"), wrap(&format!("{kind}{}", level - 1)));
        }
        let opened = room.run(["log", "open", "-i", KEY, &format!("sealed{level}")]);
        opened.done();
        let out = String::from_utf8(opened.out).unwrap();
        let sealed = String::from_utf8(room.read("sealed1")).unwrap();
        // The log's own lines are wrapped, too, and stay.
        let ours: Vec<_> = sealed.lines().map(|line| line.starts_with("{\"sealmark\":")).collect();
        let opened = out.lines().zip(&ours).filter(|(_, ours)| !**ours).map(|(line, _)| line);
        let twins = String::from_utf8(room.read(format!("level{level}"))).unwrap();
        assert_eq!(opened.collect::<Vec<_>>(), twins.lines().collect::<Vec<_>>(), "level {level}");
    }
}

/// A token that the forger begins in one line and would end in the next does not come through.
#[test]
fn what_he_begins_in_a_line_ends_there() {
    let room = Room::new();
    let token = &forged(&room)[0];
    let (begin, end) = token.split_at(30);
    room.write("plain", format!("ip=1 {begin}\n{end} ip=2\nip=3{begin}"));
    let mut seal = room.sealmark(["log", "seal", "-R", ME, "--regex", "ip=(.)"]);
    let sealed = seal.stdin(Stdio::from(std::fs::File::open(room.path("plain")).unwrap())).output().unwrap();
    room.write("sealed", sealed.stdout);
    let opened = room.run(["log", "open", "-i", KEY, "sealed"]);
    opened.done();
    assert_eq!(opened.out, [&room.read("plain")[..], b"\n"].concat());
    room.run(["log", "verify", "-i", KEY, "sealed"]).done();
}

//! Logs made to exhaust their reader: memory is bounded, and text that is not a token passes through unchanged.

use crate::room::{KEY, ME, OTHER, Room, bytes};
use crate::watched::{Feed, Watched, watch};
use flate2::Compression;
use flate2::write::GzEncoder;
use sealmark::record::{Label, LogSession, MAX_PLAINTEXT, Readers, SessionSettings, Shape};
use std::io::Write;

/// Verbs that read a log from standard input, and their exit code if nothing in it is sealed.
const VERBS: [(&[&str], i32); 5] = [
    (&["log", "open", "-i", KEY], 0),
    (&["log", "grep", "-i", KEY, "--count", "no such text"], 1),
    (&["log", "verify", "-i", KEY], 4),
    (&["log", "rekey", "-i", KEY, "-R", OTHER], 0),
    (&["log", "inspect"], 0),
];

#[track_caller]
fn read(room: &Room, verb: &[&str], start: &[u8], repeat: &[u8], times: u64, limit: u64) -> Watched {
    let feed = Feed::Repeated { start: start.to_vec(), repeat: repeat.to_vec(), times };
    let watched = watch(room.sealmark(verb), feed);
    assert!(watched.peak > 1_000_000, "{verb:?} was not measured");
    assert!(watched.peak < limit, "{verb:?} took {} bytes", watched.peak);
    assert!(!watched.ended.err.contains("panicked"), "{watched:?}");
    watched
}

fn passes_through(verb: &[&str]) -> bool {
    ["open", "rekey"].contains(&verb[1])
}

const MIB: usize = 1 << 20;

#[test]
fn a_line_without_end() {
    let room = Room::new();
    for (verb, code) in VERBS {
        let watched = read(&room, verb, b"{\"a\":\"~s1a~", &[b'x'; MIB], 300, 250_000_000);
        match verb[1] {
            "rekey" => watched.ended.done(),
            "verify" => watched.ended.failed(4, "1 line longer than 32 MiB"),
            _ => watched.ended.failed(2, "1 line longer than 32 MiB"),
        }
        assert!(!passes_through(verb) || watched.written == 300 * MIB as u64 + 11, "{verb:?} {code}");
    }
}

/// Each line is processed alone, however many may wait.
#[test]
fn long_lines_one_after_the_other() {
    let room = Room::new();
    let line = [&[b'x'; 30 * MIB][..], b"~s1a~\n"].concat();
    for (verb, code) in VERBS {
        let watched = read(&room, verb, b"", &line, 14, 200_000_000);
        assert_eq!(watched.ended.code, Some(code), "{verb:?} {watched:?}");
        assert!(!passes_through(verb) || watched.written == 14 * line.len() as u64, "{verb:?}");
    }
}

#[test]
fn bytes_without_sense() {
    let room = Room::new();
    let noise = bytes(8 * MIB);
    let starts = b"~s1a~\n~s1h~\n{\"sealmark\":\"~s1z~AAAA~\"}\n~s1q~a~AAAAAAAAAAAAAAAA~\x1f\x8b\n";
    for (verb, code) in VERBS {
        let watched = read(&room, verb, starts, &noise, 8, 64_000_000);
        assert_eq!(watched.ended.code, Some(code), "{verb:?} {watched:?}");
        assert!(
            !passes_through(verb) || watched.written == (starts.len() + 8 * noise.len()) as u64,
            "{verb:?}"
        );
    }
}

#[test]
fn headers_that_are_never_whole() {
    let room = Room::new();
    let body = "A".repeat(828);
    let part = |number: u32| format!("~s1h~{number:08}AAAAAAAA~AAAAAAAAAAAA~1.2~{body}~\n");
    let log: String = (0..20_000).map(part).collect();
    for (verb, code) in VERBS {
        let watched = read(&room, verb, log.as_bytes(), b"", 0, 64_000_000);
        let code = if verb[1] == "rekey" { 3 } else { code };
        assert_eq!(watched.ended.code, Some(code), "{verb:?} {watched:?}");
    }
}

#[test]
fn a_header_that_was_cut_off() {
    let room = Room::new();
    room.write("plain", "ip=::1\n".repeat(100));
    room.run(["log", "seal", "-R", ME, "--regex", "ip=(.*)", "plain", "-o", "sealed"]).done();
    let sealed = room.read("sealed");
    for cut in [1, 10, 100] {
        room.write("cut", &sealed[cut..]);
        let opened = room.run(["log", "open", "-i", KEY, "cut"]);
        assert_eq!(opened.code, Some(3), "{opened:?}");
        assert!(opened.err.contains("100 tokens"), "{opened:?}");
        assert_eq!(room.run(["log", "verify", "-i", KEY, "cut"]).code, Some(3));
        room.run(["log", "inspect", "cut"]).done();
        room.run(["log", "rekey", "-i", KEY, "-R", OTHER, "cut"]).failed(3, "none of the keys");
        assert_eq!(room.read("cut"), &sealed[cut..]);
    }
}

#[test]
fn a_small_file_that_grows() {
    let room = Room::new();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..300 {
        encoder.write_all(&[0; MIB]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    for (verb, _) in VERBS {
        let watched = read(&room, verb, &bomb, b"", 0, 250_000_000);
        assert!(!passes_through(verb) || watched.written == 300 * MIB as u64, "{verb:?}");
    }
}

/// Lines that would take hours if each token went through its line again.
#[test]
fn tokens_whose_names_are_far_away() {
    let (room, verify) = (Room::new(), ["log", "verify", "-i", KEY]);
    let token = format!("~s1a~label~{}~{}~", "A".repeat(16), "A".repeat(27));
    let unclosed = format!("{{\"a{}}}\n", format!("{token}\\\\").repeat(200_000));
    let deep = format!("{}{}}}\n", "{\"a\":".repeat(200), format!("\"{token}\",").repeat(200_000));
    let members = format!("\"b\":\"{token}\",").repeat(150_000);
    let below = format!("{{\"{}\":{{{members}\"c\":1}}}}\n", "A".repeat(6 * MIB));
    for (line, code) in [(unclosed, 3), (deep, 3), (below, 3)] {
        let watched = read(&room, &verify, line.as_bytes(), b"", 0, 120_000_000);
        assert_eq!(watched.ended.code, Some(code), "{watched:?}");
    }
}

#[test]
fn names_that_are_long_are_told_of_in_short() {
    let room = Room::new();
    let token = format!("~s1a~label~{}~{}~", "A".repeat(16), "A".repeat(27));
    let line = format!("{{\"{}\":\"{token}\"}}\n", "n".repeat(200));
    let watched = read(&room, &["log", "verify", "-i", KEY], line.as_bytes(), b"", 0, 64_000_000);
    assert!(watched.ended.err.contains(&format!("the field \"{}\"…", "n".repeat(64))), "{watched:?}");
}

/// `sealmark log seal` writes a long line that it cannot parse as a row of tokens, without JSON.
#[test]
fn a_long_line_of_tokens_is_opened_in_pieces() {
    let (room, line) = (Room::new(), [&[b'x'; 60 * MIB][..], b" {end}\n"].concat());
    room.write("plain", &line);
    room.run(["log", "seal", "-R", ME, "--json", "a", "plain", "-o", "sealed"]).done();
    let sealed = room.read("sealed");
    assert!(sealed.split(|byte| *byte == b'\n').any(|line| line.len() > 70 * MIB), "is no long line");
    let watched = read(&room, &["log", "open", "-i", KEY, "-o", "opened"], &sealed, b"", 0, 200_000_000);
    watched.ended.done();
    assert!(room.read("opened") == line);
    let watched = read(&room, &["log", "verify", "-i", KEY], &sealed, b"", 0, 200_000_000);
    watched.ended.done();
    assert!(watched.ended.out.ends_with(b"; text outside tokens is not protected\n"), "{watched:?}");
}

/// A sender may write any number of values into a line, so the size of their tokens is bounded.
#[test]
fn a_line_of_values_alone() {
    let room = Room::new();
    let spaced = format!("{{\"b\":1,\"c\":\"{}\"}},", "x".repeat(100));
    for (few, many, pad, seal, told) in [
        ("ip=1;", "ip=1;", "0", ["--regex", "ip=([^;]*);"], "4 unparsed lines, sealed as a whole"),
        ("ip=1;", "ip=1;", "32768", ["--regex", "ip=([^;]*);"], "4 unparsed lines, sealed as a whole"),
        (
            "{\"a\":[]}",
            "{\"b\":1},",
            "0",
            ["--json", "a[].b"],
            "4 lines recognised only in part: the remainder was sealed as one value",
        ),
        ("{\"a\":[]}", &spaced, "32768", ["--json", "a[].b"], "4 unparsed lines, sealed as a whole"),
    ] {
        let mut long = many.repeat(MIB / many.len() - 10);
        if seal[0] == "--json" {
            long = format!("{{\"a\":[{long}{{}}]}}");
        }
        let lines = format!("{few}\n{long}\n").repeat(4);
        room.write("plain", &lines);
        let args = [&["log", "seal", "-R", ME, "--pad", pad, "plain"], &seal[..]].concat();
        let watched = read(&room, &args, b"", b"", 0, 100_000_000);
        watched.ended.done();
        assert!(watched.ended.err.contains(told), "{many} {pad}: {}", watched.ended.err);
        room.run([&args[..], &["--force", "-o", "sealed"]].concat()).done();
        assert!(room.run(["log", "open", "-i", KEY, "sealed"]).out == lines.as_bytes(), "{many} {pad}");
    }
}

#[test]
fn values_that_need_escapes() {
    let room = Room::new();
    let readers = Readers::recipients(&[room.mine.recipient()]).unwrap();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let token = session.seal(&Label::new("a").unwrap(), &[0; MAX_PLAINTEXT]).unwrap();
    let line = format!("{}{{\"a\":\"{}\"}}\n", session.header_lines(Shape::Json), token.repeat(23));
    let watched = read(&room, &["log", "open", "-i", KEY], line.as_bytes(), b"", 0, 330_000_000);
    watched.ended.done();
    assert_eq!(watched.written, 23 * 6 * MIB as u64 + 9);
}

#[test]
fn order_that_was_not_promised_does_not_fail() {
    let room = Room::new();
    let readers = Readers::recipients(&[room.mine.recipient()]).unwrap();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let mut tokens = ["a", "b", "c"]
        .map(|value| session.seal(&Label::new("a").unwrap(), value.as_bytes()).unwrap() + "\n");
    tokens.swap(0, 2);
    room.write(
        "log",
        session.header_lines(Shape::Plain) + &tokens.concat() + &session.close(Shape::Plain).unwrap(),
    );
    let done = room.run(["log", "verify", "-i", KEY, "--in-order", "log"]);
    let expected = "3 sealed values verified, order not promised; text outside tokens is not protected\n";
    assert!(done.out.ends_with(expected.as_bytes()), "{done:?}");
    done.done();
}

/// A careless reader would look through all parts that wait, for each part of a known header.
#[test]
fn parts_that_wait_while_others_come() {
    let room = Room::new();
    let readers = Readers::recipients(&[room.mine.recipient()]).unwrap();
    let session = LogSession::begin(&readers, SessionSettings::default()).unwrap();
    let waiting: String =
        (0..90_000).map(|number| format!("~s1h~{number:08}AAAAAAAA~AAAAAAAAAAAA~1.2~AA~\n")).collect();
    let known = format!("~s1h~{}~AAAAAAAAAAAA~1.2~AA~\n", session.id()).repeat(120_000);
    let log = [session.header_lines(Shape::Plain), waiting.clone(), known].concat();
    let rekey = ["log", "rekey", "-i", KEY, "-R", OTHER];
    let watched = read(&room, &rekey, log.as_bytes(), b"", 0, 120_000_000);
    assert!((waiting.len()..waiting.len() + 5000).contains(&(watched.written as usize)), "{watched:?}");
}

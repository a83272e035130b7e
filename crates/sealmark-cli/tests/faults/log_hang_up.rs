//! `log seal` told to read its configuration again: each key either takes effect, or a warning names it.

use crate::log_room::{Sealer, text, until};
use crate::mounts::skip;
use crate::room::{ME, Room};
use rustix::process::{Signal, geteuid};
use sealmark::Identity;
use sealmark::record::{LogKeys, LogOpener, PreSharedKey};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

/// The effect of a changed key that the test waits for.
enum Seen {
    /// The line in the log contains this.
    Line(&'static str),
    /// The line is not in the log.
    Nothing,
    /// The line has at least this length.
    Long(usize),
    /// The pre-shared key or the secret key in this file opens the line, and the one in the other file does not.
    Opens(&'static str, &'static str),
    /// The lines are written in at least this many system calls.
    Writes(usize),
    /// A warning contains this.
    Warning(&'static str),
}
use Seen::{Line, Long, Nothing, Opens, Warning, Writes};

const PSK: &str = "psk = 'first'\n";
const KV: &str = "format = 'logfmt'\nseal = ['ip']\n";
const COMBINED: &str = r#"::1 - ann [25/Nov/2026:12:00:00 +0000] "GET /?b=x HTTP/1.1" 200 1 "-" "curl""#;

/// Each key, the content of the configuration before and after (following `PSK`, if the first row does not name
/// readers), a line, and the effect on it.
const CHANGES: &[(&str, &str, &str, &str, Seen)] = &[
    ("preset", "preset = 'ecs'", "preset = 'gelf'", r#"{"version":"1"}"#, Line(r#"{"version":"1"}"#)),
    ("format", KV, "format = 'ltsv'\nseal = ['ip']", "ip:::1", Line("ip:~s1a~ip~")),
    ("format", KV, "format = 'json'\nseal = ['ip']", "ip=::1", Warning("changes the format of the lines")),
    (
        "log_format",
        "seal = ['client']\nlog_format = '$remote_addr $status'",
        "seal = ['client']\nlog_format = '$status $remote_addr'",
        "200 ::1",
        Line("200 ~s1a~client~"),
    ),
    ("seal", KV, "format = 'logfmt'\nseal = ['ip', 'user']", "ip=::1 user=ann", Line("user=~s1a~user~")),
    (
        "keep",
        "format = 'logfmt'\nkeep = ['ip']",
        "format = 'logfmt'\nkeep = ['user']",
        "ip=::1 user=ann",
        Line("user=ann"),
    ),
    (
        "drop",
        "format = 'json'\nseal = ['ip']\ndrop = ['a']",
        "format = 'json'\nseal = ['ip']\ndrop = ['user']",
        r#"{"user":"ann"}"#,
        Line(r#"{"user":null}"#),
    ),
    (
        "drop",
        KV,
        "format = 'logfmt'\nseal = ['ip']\ndrop = ['user']",
        "ip=::1",
        Warning("whether values are dropped"),
    ),
    (
        "query",
        "format = 'access'\nquery = ['a']",
        "format = 'access'\nquery = ['b']",
        COMBINED,
        Line("b=~s1a~b~"),
    ),
    ("patterns", "patterns = ['a=(\\d+)']", "patterns = ['b=(\\d+)']", "b=12", Line("b=~s1a~match~")),
    ("any_case", KV, "any_case = true\nformat = 'logfmt'\nseal = ['ip']", "IP=::1", Line("IP=~s1a~")),
    (
        "within",
        "format = 'json'\n[[within]]\nfield = 'm'\npatterns = ['a=(\\d+)']",
        "format = 'json'\n[[within]]\nfield = 'm'\npatterns = ['b=(\\d+)']",
        r#"{"m":"b=12"}"#,
        Line("b=~s1a~"),
    ),
    (
        "wrapper",
        "patterns = ['^a=(\\d+)$']",
        "patterns = ['^a=(\\d+)$']\nwrapper = 'cri'",
        "2026-11-25T12:00:00.123456789Z stdout F a=12",
        Line("F a=~s1a~match~"),
    ),
    (
        "wrapper",
        "patterns = ['a=(\\d+)']",
        "patterns = ['a=(\\d+)']\nwrapper = 'docker'",
        "a=12",
        Warning("changes the format of the lines"),
    ),
    ("unparsed", KV, "unparsed = 'pass'", "prose", Line("prose")),
    ("unparsed", KV, "unparsed = 'drop'", "prose", Nothing),
    ("unparsed", "unparsed = 'pass'\nformat = 'logfmt'\nseal = ['ip']", KV, "prose", Line("~s1a~line~")),
    (
        "recipients",
        "recipients_files = ['../other']",
        "recipients = ['MINE']",
        "ip=::1",
        Opens("../key.txt", "../other-key.txt"),
    ),
    (
        "recipients_files",
        "recipients_files = ['../other']",
        "recipients_files = ['../me']",
        "ip=::1",
        Opens("../key.txt", "../other-key.txt"),
    ),
    (
        "allow_mixed",
        "allow_mixed = true\nrecipients_files = ['../me', 'hybrid']",
        "recipients_files = ['../me', 'hybrid']",
        "ip=::1",
        Warning("cannot reload after SIGHUP"),
    ),
    ("psk", KV, "psk = 'second'", "ip=::1", Opens("second", "first")),
    ("pad", KV, "pad = 1024", "ip=::1", Long(1024)),
    ("rotate_after", KV, "rotate_after = '90s'", "ip=::1", Warning("rotate_after changed")),
    ("side_file", KV, "side_file = 'side'", "ip=::1", Warning("side_file changed")),
    ("append", KV, "append = 'elsewhere'", "ip=::1", Warning("append changed")),
    ("line_buffered", KV, "line_buffered = true", "ip=::1", Writes(200)),
    ("on_full", KV, "on_full = 'exit'", "ip=::1", Warning("on_full changed")),
    ("syslog", KV, "syslog = 'udp:127.0.0.1:5140'", "ip=::1", Warning("syslog changed")),
    ("user", KV, "user = 'nobody'", "ip=::1", Warning("user changed")),
    ("metrics", KV, "metrics = 'log.prom'", "ip=::1", Warning("metrics changed")),
];

fn room() -> Room {
    let room = Room::new();
    for name in ["first", "second"] {
        room.run(["keygen", "--mode", "psk", "-o", name]).done();
    }
    room.run(["keygen", "-o", "hybrid-key"]).done();
    room.write("hybrid", room.run(["keygen", "-y", "hybrid-key"]).out);
    room.write("../other-key.txt", room.others.to_secret_string().as_bytes());
    room
}

/// Writes the configuration, with defaults for the keys that a row leaves out.
fn configure(room: &Room, keys: &str) {
    let has = |words: &[&str]| words.iter().any(|word| keys.contains(word));
    let psk = if has(&["psk =", "recipients"]) { "" } else { PSK };
    let append = if has(&["append ="]) { "" } else { "append = 'log'\n" };
    let fields = if has(&["format", "preset", "patterns"]) { "" } else { KV };
    let keys = keys.replace("MINE", &text(room.path(ME)));
    room.write("log.toml", format!("{psk}{append}{fields}{keys}\n").replace("\n\n", "\n"));
}

fn start(room: &Room) -> Sealer {
    let sealer = Sealer::start(room.sealmark(["log", "seal", "--config", "log.toml"]));
    until("a header", || text(room.path("log")).contains("~1."));
    sealer
}

fn hang_up(room: &Room, sealer: &Sealer) {
    let sessions = text(room.path("log")).matches("~1.").count();
    sealer.signal(Signal::HUP);
    until("a header", || text(room.path("log")).matches("~1.").count() > sessions);
}

/// The log, opened with the key in a file; tokens under other keys stay.
fn opened(room: &Room, key: &str) -> String {
    let key = text(room.path(key)).lines().last().unwrap().to_owned();
    let keys = match key.parse::<PreSharedKey>() {
        Ok(key) => LogKeys::pre_shared(vec![key]),
        Err(_) => LogKeys::identities(vec![key.parse::<Identity>().unwrap()]),
    };
    let mut opened = Vec::new();
    assert_eq!(LogOpener::new(keys).open(&room.read("log"), &mut opened).tampered, 0);
    String::from_utf8(opened).unwrap()
}

/// The number of system calls that wrote, so far.
fn writes(sealer: &Sealer) -> u64 {
    let counts = text(format!("/proc/{}/io", sealer.id()));
    counts.lines().find_map(|line| line.strip_prefix("syscw: ")).unwrap().parse().unwrap()
}

#[test]
fn each_key_is_applied_or_named() {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/log.schema.json");
    if !std::path::Path::new(schema).exists() {
        return skip(
            "log_hang_up::each_key_is_applied_or_named",
            "docs/log.schema.json is not in the package",
        );
    }
    let schema: serde_json::Value = serde_json::from_str(&text(schema)).unwrap();
    let known = schema["properties"].as_object().unwrap();
    assert!(known.len() > 20);
    for key in known.keys() {
        assert!(CHANGES.iter().any(|(changed, ..)| changed == key), "nothing changes {key}");
    }
    let mut faults = Vec::new();
    for (key, before, after, line, seen) in CHANGES {
        let room = room();
        configure(&room, before);
        let mut sealer = start(&room);
        configure(&room, after);
        hang_up(&room, &sealer);
        let (start, before_lines) = (room.read("log").len(), writes(&sealer));
        let lines = if let Writes(lines) = seen { *lines } else { 1 };
        sealer.feed(format!("{line}\n").repeat(lines));
        if let Writes(_) = seen {
            until("the lines", || text(room.path("log"))[start..].matches("~s1a~").count() == lines);
        }
        let written = writes(&sealer) - before_lines;
        let ended = sealer.end();
        ended.done();
        let log = text(room.path("log"));
        let sealed = &log[start..];
        // A rule may find nothing in the only line.
        let is_about_keys = |line: &&str| line.starts_with("warning: ") && !line.contains("found nothing");
        let warnings: Vec<_> = ended.err.lines().filter(is_about_keys).collect();
        let is_seen = match seen {
            Line(part) => sealed.contains(part),
            Nothing => sealed.lines().all(|line| line.starts_with("~s1z~")),
            Long(length) => sealed.lines().next().unwrap().len() >= *length,
            Opens(with, without) => {
                opened(&room, with).contains(line) && !opened(&room, without).contains(line)
            }
            Writes(lines) => written >= *lines as u64,
            Warning(words) => warnings.iter().any(|line| line.contains(words)),
        };
        if !is_seen || warnings.is_empty() == matches!(seen, Warning(_)) {
            let start: String = sealed.chars().take(400).collect();
            faults.push(format!("{key}, {before:?} to {after:?}: {start}\n{}", ended.err));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A long line is treated in one way to its end.
#[test]
fn a_long_line_is_dropped_or_sealed_as_a_whole() {
    for (before, after) in [("seal", "drop"), ("drop", "seal")] {
        let room = room();
        configure(&room, &format!("unparsed = '{before}'"));
        let mut sealer = start(&room);
        let piece = "x".repeat(3 << 20);
        sealer.feed(&piece[..]);
        // By then, the sealer has read the piece and waits for more.
        thread::sleep(Duration::from_millis(500));
        configure(&room, &format!("unparsed = '{after}'"));
        sealer.signal(Signal::HUP);
        thread::sleep(Duration::from_millis(500));
        sealer.feed("x\nip=::1 n=1\nprose\nip=::1 n=2\n");
        let ended = sealer.end();
        ended.done();
        let log = opened(&room, "first");
        let kept = |line: &str| log.lines().filter(|known| *known == line).count();
        assert_eq!((kept("ip=::1 n=1"), kept("ip=::1 n=2")), (1, 1), "{before}: {ended:?}");
        assert_eq!(kept(&format!("{piece}x")), usize::from(before == "seal"), "{before}: {ended:?}");
        assert_eq!(kept("prose"), usize::from(after == "seal"), "{before}: {ended:?}");
    }
}

fn pipe(room: &Room, name: &str) {
    assert!(Command::new("mkfifo").arg(room.path(name)).status().unwrap().success());
}

/// Writes to a pipe, once.
fn pour(room: &Room, name: &str, what: String) -> thread::JoinHandle<()> {
    let path = room.path(name);
    thread::spawn(move || fs::write(path, what).unwrap())
}

/// A reader that was taken out of a file opens nothing more, although other key files cannot be read twice.
#[test]
fn a_removed_reader_is_gone_beside_a_pipe() {
    let room = room();
    pipe(&room, "pipe");
    room.write("team", [room.read("../other"), b"\n".to_vec()].concat());
    let poured = pour(&room, "pipe", text(room.path(ME)));
    configure(&room, "recipients_files = ['pipe', 'team']");
    let mut sealer = start(&room);
    poured.join().unwrap();
    room.write("team", "# nobody\n");
    hang_up(&room, &sealer);
    sealer.feed("ip=::1 n=1\n");
    // The pipe's recipients are in force as long as the pipe is named.
    configure(&room, "recipients_files = ['../other']");
    until("the line", || text(room.path("log")).contains("n=1\n"));
    hang_up(&room, &sealer);
    sealer.feed("ip=::1 n=2\n");
    let ended = sealer.end();
    ended.done();
    assert!(!ended.err.contains("warning"), "{ended:?}");
    let (mine, others) = (opened(&room, "../key.txt"), opened(&room, "../other-key.txt"));
    assert!(mine.contains("ip=::1 n=1\n") && !mine.contains("ip=::1 n=2\n"), "{mine}");
    assert!(others.contains("ip=::1 n=2\n") && !others.contains("ip=::1 n=1\n"), "{others}");
}

/// SIGHUP does not make the program wait for a new pipe, whose writer may never come.
#[test]
fn a_new_pipe_is_refused_and_the_configurations_own_is_read_once() {
    let room = room();
    pipe(&room, "pipe");
    configure(&room, KV);
    let mut sealer = start(&room);
    configure(&room, "recipients_files = ['pipe']");
    hang_up(&room, &sealer);
    sealer.feed("ip=::1 n=1\n");
    let ended = sealer.end();
    ended.done();
    assert!(
        ended.err.contains("warning: cannot reload after SIGHUP, so the old keys and fields stay in force: \"pipe\" is a pipe"),
        "{ended:?}"
    );
    assert!(opened(&room, "first").contains("ip=::1 n=1\n"));

    configure(&room, KV);
    let config = text(room.path("log.toml"));
    fs::remove_file(room.path("log.toml")).unwrap();
    fs::remove_file(room.path("log")).unwrap();
    pipe(&room, "log.toml");
    let poured = pour(&room, "log.toml", config);
    let mut sealer = start(&room);
    poured.join().unwrap();
    hang_up(&room, &sealer);
    sealer.feed("ip=::1 n=1\n");
    let ended = sealer.end();
    ended.done();
    assert!(!ended.err.contains("warning"), "{ended:?}");
    assert!(opened(&room, "first").contains("ip=::1 n=1\n"));
}

#[test]
fn a_removed_reader_is_gone_beside_a_file_of_root() {
    if !geteuid().is_root() {
        return skip("log_hang_up::a_removed_reader_is_gone_beside_a_file_of_root", "not root here");
    }
    // Other users may read the files, except the one of root.
    let logs = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(logs.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let (room, at) = (room(), |name: &str| logs.path().join(name));
    let write = |name: &str, bytes: Vec<u8>| fs::write(at(name), bytes).unwrap();
    write("root", room.read(ME));
    fs::set_permissions(at("root"), fs::Permissions::from_mode(0o600)).unwrap();
    write("team", room.read("../other"));
    write("log.toml", format!("{KV}append = 'log'\nrecipients_files = ['root', 'team']\n").into_bytes());
    let log = || text(at("log"));
    let config = at("log.toml");
    let args = ["log", "seal", "--user", "65534:65534", "--config", config.to_str().unwrap()];
    let mut sealer = Sealer::start(room.sealmark(args));
    until("a header", || log().contains("~1."));
    sealer.feed("ip=::1 n=0\n");
    until("the line", || log().contains("n=0\n"));
    write("team", b"# nobody\n".to_vec());
    let headers = log().matches("~1.").count();
    sealer.signal(Signal::HUP);
    until("a header", || log().matches("~1.").count() > headers);
    sealer.feed("ip=::1 n=1\n");
    let ended = sealer.end();
    ended.done();
    assert!(!ended.err.contains("warning"), "{ended:?}");
    room.write("log", log());
    let (mine, others) = (opened(&room, "../key.txt"), opened(&room, "../other-key.txt"));
    assert!(mine.contains("ip=::1 n=0\n") && mine.contains("ip=::1 n=1\n"), "{mine}");
    assert!(others.contains("ip=::1 n=0\n") && !others.contains("ip=::1 n=1\n"), "{others}");
}

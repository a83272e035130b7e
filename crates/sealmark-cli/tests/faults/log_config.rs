//! `log seal --config` while a log goes on: the keys that SIGHUP reads again, and the counts that SIGUSR1 and
//! `--metrics` report.

use crate::log_room::{Sealer, text, until};
use crate::room::Room;
use rustix::process::Signal;
use sealmark::record::{LogKeys, LogOpener, PreSharedKey};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// The log, opened with the key in a file; tokens under other keys stay.
fn opened_with(room: &Room, key: &str) -> String {
    let key: PreSharedKey = text(room.path(key)).lines().last().unwrap().parse().unwrap();
    let (mut opener, mut opened) = (LogOpener::new(LogKeys::pre_shared(vec![key])), Vec::new());
    assert_eq!(opener.open(text(room.path("log")).as_bytes(), &mut opened).tampered, 0);
    String::from_utf8(opened).unwrap()
}

fn start(room: &Room, more: &[&str]) -> Sealer {
    room.run(["keygen", "--mode", "psk", "-o", "first"]).done();
    room.write("log.toml", "psk = \"first\"\nformat = \"logfmt\"\nseal = [\"ip\"]\nappend = \"log\"\n");
    Sealer::start(room.sealmark([&["log", "seal", "--config", "log.toml"], more].concat()))
}

fn feed(room: &Room, sealer: &mut Sealer, line: &str, number: usize) {
    sealer.feed(format!("{line} n={number}\n"));
    until("the line", || text(room.path("log")).contains(&format!("n={number}\n")));
}

fn hang_up(room: &Room, sealer: &Sealer) {
    let sessions = text(room.path("log")).matches("~1.1~").count();
    sealer.signal(Signal::HUP);
    until("a header", || text(room.path("log")).matches("~1.1~").count() > sessions);
}

#[test]
fn a_hang_up_reads_keys_and_fields_again() {
    let room = Room::new();
    let mut sealer = start(&room, &[]);
    feed(&room, &mut sealer, "ip=::1 user=ann", 1);
    room.run(["keygen", "--mode", "psk", "-o", "second"]).done();
    room.write(
        "log.toml",
        "psk = \"second\"\nformat = \"logfmt\"\nseal = [\"ip\", \"user\"]\nappend = \"log\"\n",
    );
    hang_up(&room, &sealer);
    feed(&room, &mut sealer, "ip=::2 user=eve", 2);
    let ended = sealer.end();
    ended.done();
    let (first, second) = (opened_with(&room, "first"), opened_with(&room, "second"));
    assert!(first.contains("ip=::1 user=ann") && !first.contains("::2") && !first.contains("eve"), "{first}");
    assert!(second.contains("ip=::2 user=eve") && !second.contains("::1"), "{second}");
    assert!(ended.err.contains("seal \"ip\" 1, seal \"user\" 1"), "{ended:?}");
}

#[test]
fn a_configuration_that_cannot_be_read_changes_nothing() {
    let room = Room::new();
    let mut sealer = start(&room, &[]);
    feed(&room, &mut sealer, "ip=::0", 9);
    for (number, broken) in [
        "seal = [",
        "psk = \"first\"\nformat = \"json\"\nseal = [\"ip\"]\n",
        "psk = \"none\"\nformat = \"logfmt\"\nseal = [\"a\"]\n",
    ]
    .iter()
    .enumerate()
    {
        room.write("log.toml", broken);
        hang_up(&room, &sealer);
        feed(&room, &mut sealer, "ip=::1", number);
    }
    let ended = sealer.end();
    ended.done();
    assert_eq!(
        ended
            .err
            .matches("warning: cannot reload after SIGHUP, so the old keys and fields stay in force:")
            .count(),
        3,
        "{ended:?}"
    );
    assert_eq!(text(room.path("log")).matches("ip=~s1a~ip~").count(), 4);
    assert_eq!(opened_with(&room, "first").matches("ip=::1").count(), 3);
}

#[test]
fn counts_are_told_when_asked_for() {
    let room = Room::new();
    let metrics = room.path("metrics.prom");
    let mut sealer = start(&room, &["--metrics", metrics.to_str().unwrap()]);
    feed(&room, &mut sealer, "ip=::1", 1);
    sealer.feed("prose\n");
    until("the other line", || text(room.path("log")).contains("~s1a~line~"));
    let count = |line: &str| text(&metrics).lines().any(|known| known == line);
    until("the counts", || count("sealmark_log_values_total{rule=\"seal \\\"ip\\\"\"} 1"));
    until("the other count", || count("sealmark_log_lines_total{outcome=\"unparsed_sealed\"} 1"));
    sealer.signal(Signal::USR1);
    sealer.signal(Signal::USR1);
    std::thread::sleep(std::time::Duration::from_millis(300));
    feed(&room, &mut sealer, "ip=::1", 3);
    let ended = sealer.end();
    ended.done();
    assert!(ended.err.contains("note: 2 lines read; values found: seal \"ip\" 1\n"), "{ended:?}");
    assert!(ended.err.contains("and 1 header written, 0 values replaced with ~s1x~ markers\n"), "{ended:?}");
    assert!(count("sealmark_log_values_total{rule=\"seal \\\"ip\\\"\"} 2"), "{}", text(&metrics));
}

#[test]
fn counts_are_served() {
    let room = Room::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut sealer = start(&room, &["--metrics", &free]);
    feed(&room, &mut sealer, "ip=::1", 1);
    let ask = || {
        let mut answer = String::new();
        let mut stream = TcpStream::connect(&free).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    until("the count", || ask().contains("outcome=\"parsed\"} 1\n"));
    let families: Vec<_> =
        ask().lines().filter(|line| line.starts_with("# TYPE")).map(str::to_owned).collect();
    assert_eq!(families.len(), 7, "{families:?}");
    sealer.end().done();
}

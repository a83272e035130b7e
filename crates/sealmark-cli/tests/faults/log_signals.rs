//! Signals to `log seal`: they begin a new session, or end the sealer without loss.

use crate::log_room::{SEAL, Sealer, all_opened, lines, nonces_are_unique, seal, text, until};
use crate::room::{ME, Room};
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_hang_up_begins_a_session() {
    let room = Room::new();
    let mut sealer = to_file(&room, seal(&room, &["--side-file", "../heads"]));
    for round in 0..5 {
        sealer.feed(lines(round * 10..round * 10 + 10));
        until("the lines", || text(room.path("out")).matches("ip=~s1a~").count() == (round + 1) * 10);
        let sessions = text(room.path("out")).matches("~1.1~").count();
        sealer.signal(Signal::HUP);
        until("a header", || text(room.path("out")).matches("~1.1~").count() == sessions + 1);
    }
    sealer.end().done();
    let sealed = text(room.path("out"));
    assert_eq!(all_opened(&room, &sealed), lines(0..50));
    assert_eq!(sealed.matches("~s1z~").count(), 6);
    assert_eq!(text(room.path("../heads")).matches("~s1h~").count(), 6);
    assert_eq!(nonces_are_unique(&room, &[sealed]), 6);
}

/// Lines that the children of a server still write are in the log, and so is text without a line feed.
#[test]
fn an_end_drains_what_still_comes() {
    for signal in [Signal::TERM, Signal::INT] {
        assert!(
            (0..5).any(|_| drains_what_still_comes(signal)),
            "something pauses this test again and again"
        );
    }
}

/// Returns false if feeding the sealer took so long that the sealer need not have waited for it: the sealer's
/// clock runs on while something pauses this test.
fn drains_what_still_comes(signal: Signal) -> bool {
    const QUIET: Duration = Duration::from_secs(6);
    let room = Room::new();
    // Tests that a shell started in the background ignore the interrupt key, and so would the sealer.
    let mut sealer = to_file(&room, room.sealmark_under(&["env", "--default-signal=INT"], &SEAL));
    sealer.feed(lines(0..10));
    until("a line", || text(room.path("out")).contains("n=9"));
    let (mut input, start) = (sealer.take_input(), Instant::now());
    sealer.signal(signal);
    let fed = [lines(10..20).as_str(), lines(20..30).trim_end()].into_iter().try_for_each(|more| {
        thread::sleep(Duration::from_millis(300));
        input.write_all(more.as_bytes())
    });
    let in_time = start.elapsed() < QUIET;
    let ended = sealer.wait();
    drop(input);
    if in_time {
        fed.unwrap();
        ended.done();
        let sealed = text(room.path("out"));
        assert_eq!(all_opened(&room, &sealed), lines(0..30));
        assert_eq!(sealed.matches("~s1z~").count(), 1);
    }
    in_time
}

/// httpd writes lines to a sealer that it has just begun, and may restart before the sealer has read its keys.
#[test]
fn an_end_before_the_beginning_loses_no_line() {
    let room = Room::new();
    let fifo = room.path("key.fifo");
    mkfifoat(CWD, &fifo, Mode::RWXU).unwrap();
    let mut sealer =
        to_file(&room, room.sealmark(["log", "seal", "-R", "key.fifo", "--regex", "ip=([^;]*)"]));
    sealer.feed(lines(0..10));
    until("a handler", || threads(&sealer).contains_key("watchdog"));
    sealer.signal(Signal::TERM);
    thread::sleep(Duration::from_millis(100));
    // Without a reader, opening fails instead of waiting.
    let mut key = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(&fifo).unwrap();
    key.write_all(&fs::read(room.path(ME)).unwrap()).unwrap();
    drop(key);
    sealer.end().done();
    assert_eq!(all_opened(&room, &text(room.path("out"))), lines(0..10));
}

/// A key that never comes keeps nobody from ending the program.
#[test]
fn an_end_while_a_key_is_waited_for_ends_the_program_and_tells_why() {
    let room = Room::new();
    mkfifoat(CWD, room.path("key.fifo"), Mode::RWXU).unwrap();
    let sealer = to_file(&room, room.sealmark(["log", "seal", "-R", "key.fifo", "--regex", "ip=([^;]*)"]));
    until("a handler", || threads(&sealer).contains_key("watchdog"));
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("is still waiting for input"), "{}", ended.err);
}

/// A handler on another thread crashed the program when it interrupted the C library's own, which changes the thread's user.
#[test]
fn signals_are_handled_by_the_main_thread_alone() {
    let room = Room::new();
    let mut sealer = to_file(&room, seal(&room, &["--metrics", "127.0.0.1:0"]));
    sealer.feed(lines(0..10));
    until("a line", || text(room.path("out")).contains("n=9"));
    let threads = threads(&sealer);
    assert_eq!(threads.keys().collect::<Vec<_>>(), ["metrics", "sealmark", "watchdog"]);
    for signal in [Signal::HUP, Signal::TERM, Signal::INT, Signal::USR1] {
        let bit = 1 << (signal.as_raw() - 1);
        assert!(
            threads.iter().all(|(name, blocked)| (blocked & bit != 0) == (name != "sealmark")),
            "{threads:?}"
        );
    }
    sealer.end().done();
}

/// The names of the program's threads, and the signals that each blocks.
fn threads(sealer: &Sealer) -> BTreeMap<String, u64> {
    let tasks = fs::read_dir(format!("/proc/{}/task", sealer.id())).unwrap();
    let status = |task: &Path, key: &str| {
        let status = text(task.join("status"));
        status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim().to_owned()
    };
    let of =
        |task: &Path| (status(task, "Name:"), u64::from_str_radix(&status(task, "SigBlk:"), 16).unwrap_or(0));
    tasks.flatten().map(|task| of(&task.path())).collect()
}

/// A sealer that is told to end does so, though somebody goes on writing for ever.
#[test]
fn an_end_comes_though_lines_never_stop() {
    let room = Room::new();
    let mut command = seal(&room, &[]);
    command.stdout(Stdio::piped());
    let mut sealer = Sealer::start(command);
    let (mut input, mut output) = (sealer.take_input(), sealer.take_output());
    let writer = thread::spawn(move || {
        let mut number = 0;
        while input.write_all(lines(number..number + 10).as_bytes()).is_ok() {
            number += 10;
            thread::sleep(Duration::from_millis(10));
        }
    });
    let mut start = [0; 100];
    output.read_exact(&mut start).unwrap();
    sealer.signal(Signal::TERM);
    let mut sealed = String::from_utf8(start.to_vec()).unwrap();
    output.read_to_string(&mut sealed).unwrap();
    sealer.wait().done();
    writer.join().unwrap();
    let opened = all_opened(&room, &sealed);
    assert!(lines(0..opened.lines().count()).starts_with(opened.trim_end()));
    assert!(sealed.lines().last().unwrap().starts_with("~s1z~"));
}

/// Nobody reads the log: a sealer that is told to end does not wait for that for ever, and reports what is missing.
#[test]
fn an_end_comes_though_nobody_reads() {
    for (signals, words) in
        [(1, "a termination signal arrived ten seconds ago"), (2, "two termination signals arrived")]
    {
        let room = Room::new();
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = seal(&room, &[]);
        command.stdout(writer);
        let mut sealer = Sealer::start(command);
        let mut input = sealer.take_input();
        let feeding = thread::spawn(move || while input.write_all(lines(0..1000).as_bytes()).is_ok() {});
        until("a write that waits", || {
            text(format!("/proc/{}/wchan", sealer.id())).contains("pipe_w")
                || text(format!("/proc/{}/syscall", sealer.id())).starts_with("1 ")
        });
        for _ in 0..signals {
            sealer.signal(Signal::TERM);
            thread::sleep(Duration::from_millis(500));
        }
        let ended = sealer.wait();
        ended.failed(2, words);
        let (_, unwritten) = ended.err.split_once("no more data: ").unwrap();
        assert!(unwritten.split(' ').next().unwrap().parse::<u64>().unwrap() > 0, "{ended:?}");
        drop(reader);
        feeding.join().unwrap();
    }
}

/// A file has an end, so the sealer reads it to its end before it ends itself.
#[test]
fn a_file_is_drained_as_well() {
    let room = Room::new();
    let filler = format!("{}\n", "x".repeat(999)).repeat(40_000);
    room.write("plain", filler.clone() + &lines(0..10));
    for more in [&[][..], &["--append", "out"]] {
        let mut command = seal(&room, &[&["--unparsed", "pass", "plain"], more].concat());
        if more.is_empty() {
            command.stdout(std::fs::File::create(room.path("out")).unwrap());
        }
        let sealer = Sealer::start(command);
        until("a header", || text(room.path("out")).starts_with("~s1h~"));
        sealer.signal(Signal::TERM);
        sealer.wait().done();
        let sealed = text(room.path("out"));
        assert!(all_opened(&room, &sealed) == filler.clone() + &lines(0..10));
        assert!(sealed.lines().last().unwrap().starts_with("~s1z~"));
        std::fs::remove_file(room.path("out")).unwrap();
    }
}

/// A file is too long for that; the sealer does not claim that it is done.
#[test]
fn an_end_within_a_file_is_told() {
    let room = Room::new();
    room.write("plain", lines(0..10));
    let plain = std::fs::OpenOptions::new().write(true).open(room.path("plain")).unwrap();
    plain.set_len(1 << 43).unwrap();
    let sealer = to_file(&room, seal(&room, &["--unparsed", "drop", "plain"]));
    until("a header", || text(room.path("out")).starts_with("~s1h~"));
    sealer.signal(Signal::TERM);
    sealer.wait().failed(2, "stopped by a signal before the whole input was read");
    let sealed = text(room.path("out"));
    assert_eq!(all_opened(&room, &sealed), lines(0..10));
    assert!(sealed.lines().last().unwrap().starts_with("~s1z~"));
}

/// A server that gets SIGHUP in the moment of its start goes on.
#[test]
fn a_hang_up_right_at_the_start_ends_nothing() {
    let room = Room::new();
    room.run(["keygen", "--mode", "psk", "-o", "psk"]).done();
    let mkfifo = Command::new("mkfifo").arg(room.path("late")).status().unwrap();
    assert!(mkfifo.success());
    // The sealer waits for its key, long before there is a log.
    let args = ["log", "seal", "--psk", "late", "--regex", "ip=(.*)", "--append", "log"];
    let mut sealer = Sealer::start(room.sealmark(args));
    let key = std::fs::OpenOptions::new().write(true).open(room.path("late")).unwrap();
    sealer.signal(Signal::HUP);
    { &key }.write_all(&room.read("psk")).unwrap();
    drop(key);
    sealer.feed(lines(0..1));
    sealer.end().done();
    assert_eq!(text(room.path("log")).matches("ip=~s1a~").count(), 1);
}

/// Programs that a shell starts in the background ignore the interrupt key.
#[test]
fn an_interrupt_that_is_ignored_stays_ignored() {
    let room = Room::new();
    let args = [&SEAL[..], &["--append", "log"]].concat();
    let mut sealer = Sealer::start(room.sealmark_under(&["env", "--ignore-signal=INT"], &args));
    sealer.feed(lines(0..1));
    until("a line", || text(room.path("log")).contains("n=0"));
    sealer.signal(Signal::INT);
    thread::sleep(Duration::from_secs(7));
    sealer.feed(lines(1..2));
    sealer.end().done();
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(0..2));
}

/// An output file, which appears only when it is whole, does not appear if a signal stops the program.
#[test]
fn an_output_of_its_own_is_whole_or_not_there() {
    let room = Room::new();
    let mut sealer = Sealer::start(seal(&room, &["-o", "out"]));
    sealer.feed(lines(0..10));
    thread::sleep(Duration::from_millis(200));
    sealer.signal(Signal::TERM);
    assert_eq!(sealer.wait().code, None);
    assert!(room.names().is_empty());
}

/// Starts the program with a file as its standard output, as a server's shell does.
fn to_file(room: &Room, mut command: Command) -> Sealer {
    command.stdout(std::fs::File::create(room.path("out")).unwrap());
    Sealer::start(command)
}

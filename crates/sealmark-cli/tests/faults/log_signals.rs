//! Signals to `log seal`: a new session, or an end at which nothing is lost.

use std::{
    io::Read,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use rustix::process::Signal;

use crate::log_room::{Sealer, all_opened, lines, nonces_are_unique, seal, text, until};
use crate::room::Room;

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

/// What the children of a server still write is in the log; what has no line feed, too.
#[test]
fn an_end_drains_what_still_comes() {
    for signal in [Signal::TERM, Signal::INT] {
        let room = Room::new();
        let mut sealer = to_file(&room, seal(&room, &[]));
        sealer.feed(lines(0..10));
        until("a line", || text(room.path("out")).contains("n=9"));
        sealer.signal(signal);
        thread::sleep(Duration::from_millis(300));
        sealer.feed(lines(10..20));
        thread::sleep(Duration::from_millis(300));
        sealer.feed(lines(20..30).trim_end());
        sealer.wait().done();
        let sealed = text(room.path("out"));
        assert_eq!(all_opened(&room, &sealed), lines(0..30));
        assert_eq!(sealed.matches("~s1z~").count(), 1);
    }
}

/// Who is told to end, ends, though somebody goes on writing for ever.
#[test]
fn an_end_comes_though_lines_never_stop() {
    let room = Room::new();
    let mut command = seal(&room, &[]);
    command.stdout(Stdio::piped());
    let mut sealer = Sealer::start(command);
    let (mut input, mut output) = (sealer.take_input(), sealer.take_output());
    let writer = thread::spawn(move || {
        use std::io::Write;
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

/// A file that appears when it is whole does not appear when a signal stops its making.
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

/// Standard output is a file, as a server's shell would have it.
fn to_file(room: &Room, mut command: Command) -> Sealer {
    command.stdout(std::fs::File::create(room.path("out")).unwrap());
    Sealer::start(command)
}

//! Logs that others rename, remove and truncate while they are sealed.

use crate::log_room::{Sealer, all_opened, line, lines, nonces_are_unique, seal, text, until};
use crate::mounts::{inside, mount};
use crate::room::Room;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use sealmark::record::{LogKeys, LogOpener, Order};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

fn appending(room: &Room, more: &[&str]) -> Sealer {
    Sealer::start(seal(room, &[&["--append", "log"], more].concat()))
}

fn wait_for(room: &Room, number: usize) {
    until("a line in the log", || text(room.path("log")).contains(&format!("n={number} ")));
}

#[test]
fn a_renamed_log_goes_on_in_a_new_file() {
    let room = Room::new();
    let mut sealer = appending(&room, &[]);
    for round in 0..4 {
        sealer.feed(lines(round * 10..round * 10 + 10));
        wait_for(&room, round * 10 + 9);
        fs::rename(room.path("log"), room.path(format!("log.{round}"))).unwrap();
        if round % 2 == 0 {
            sealer.signal(Signal::HUP);
        }
        until("a new file", || room.path("log").exists());
    }
    sealer.end().done();
    let logs: Vec<String> = (0..4).map(|round| text(room.path(format!("log.{round}")))).collect();
    for (round, log) in logs.iter().enumerate() {
        assert_eq!(all_opened(&room, log), lines(round * 10..round * 10 + 10));
        assert!(log.starts_with("~s1h~") && log.lines().last().unwrap().starts_with("~s1z~"), "{log}");
    }
    assert_eq!(all_opened(&room, &text(room.path("log"))), "");
    assert_eq!(nonces_are_unique(&room, &logs), 4);
}

#[test]
fn a_removed_log_is_made_again() {
    let room = Room::new();
    let mut sealer = appending(&room, &[]);
    sealer.feed(lines(0..10));
    wait_for(&room, 9);
    fs::remove_file(room.path("log")).unwrap();
    until("a new file", || room.path("log").exists());
    sealer.feed(lines(10..20));
    sealer.end().done();
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(10..20));
}

/// `logrotate` with `copytruncate`; if the shell opened the file, standard output is truncated.
#[test]
fn a_cut_log_begins_with_a_header() {
    for named in [true, false] {
        let room = Room::new();
        let mut sealer = if named {
            appending(&room, &[])
        } else {
            let mut command = seal(&room, &[]);
            command.stdout(File::create(room.path("log")).unwrap());
            Sealer::start(command)
        };
        sealer.feed(lines(0..10));
        wait_for(&room, 9);
        fs::copy(room.path("log"), room.path("log.1")).unwrap();
        OpenOptions::new().write(true).open(room.path("log")).unwrap().set_len(0).unwrap();
        until("a header", || text(room.path("log")).contains("~s1h~"));
        sealer.feed(lines(10..20));
        sealer.end().done();
        let log = text(room.path("log"));
        assert_eq!(all_opened(&room, &text(room.path("log.1"))), lines(0..10));
        assert_eq!(all_opened(&room, &log), lines(10..20));
        assert!(log.starts_with("~s1h~"), "named: {named}\n{log}");
    }
}

/// Lines that come right after the truncation have a header before them as well.
#[test]
fn lines_right_behind_a_cut_have_their_header() {
    for (named, more) in
        [(true, &["--line-buffered"][..]), (true, &[]), (false, &["--line-buffered"]), (false, &[])]
    {
        let room = Room::new();
        let mut sealer = if named {
            appending(&room, more)
        } else {
            let mut command = seal(&room, more);
            command.stdout(File::create(room.path("log")).unwrap());
            Sealer::start(command)
        };
        sealer.feed(lines(0..10));
        wait_for(&room, 9);
        // By then, the sealer waits, and has looked at the file for the last time before it is truncated.
        thread::sleep(Duration::from_millis(1200));
        OpenOptions::new().write(true).open(room.path("log")).unwrap().set_len(0).unwrap();
        sealer.feed(lines(10..20_000));
        sealer.end().done();
        let log = text(room.path("log"));
        assert!(log.starts_with("~s1h~"), "named: {named} {more:?} {:?}", &log[..log.len().min(100)]);
        assert!(all_opened(&room, &log) == lines(10..20_000), "named: {named} {more:?}");
    }
}

/// Lines that come right after the removal of the file are written, too.
#[test]
fn lines_right_behind_a_removal_are_in_the_new_file() {
    let room = Room::new();
    let mut sealer = appending(&room, &["--line-buffered"]);
    for round in 0..5 {
        sealer.feed(line(round));
        wait_for(&room, round);
        fs::remove_file(room.path("log")).unwrap();
    }
    sealer.feed(lines(10..20));
    sealer.end().done();
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(10..20));
}

/// Another program that shares the file may go on to write wherever it likes.
#[test]
fn standard_output_is_left_as_it_was() {
    let room = Room::new();
    let seal = "sealmark log seal -R ../me --regex 'ip=(.*)'";
    let flags = "grep flags /proc/$$/fdinfo/1 >&2";
    let ended = room.shell(&format!("{{ {flags}; echo ip=::1 | {seal}; {flags}; }} > log"));
    ended.done();
    let seen: Vec<&str> = ended.err.lines().collect();
    assert!(seen.len() == 3 && seen[0].starts_with("flags:") && seen[0] == seen[2], "{seen:?}");
    room.shell(&format!("printf 0123456789 > log; echo ip=::1 | {seal} 1<> log")).done();
    assert!(text(room.path("log")).starts_with("~s1h~"), "written somewhere else than at its start");
}

/// Pieces into which a later program, such as `rotatelogs`, divides the log can be opened one by one.
#[test]
fn the_header_is_there_again_after_so_many_bytes() {
    let room = Room::new();
    let mut sealer = appending(&room, &["--unparsed", "pass"]);
    let filler = format!("{}\n", "x".repeat(999)).repeat(1000);
    for number in 0..40 {
        sealer.feed(line(number));
        sealer.feed(&filler);
    }
    sealer.end().done();
    let log = text(room.path("log"));
    assert_eq!(log.matches("~s1h~").count(), 3);
    let middle = log[1 << 20..].find("~s1h~").unwrap() + (1 << 20);
    assert!((16 << 20..18 << 20).contains(&middle), "at {middle}");
    assert!(log[..middle].ends_with('\n'));
    assert!(all_opened(&room, &log[middle..]).contains(&line(30)));
}

#[test]
fn a_torn_last_line_stays_alone() {
    let room = Room::new();
    room.write("log", "whole\ntorn");
    let mut sealer = appending(&room, &[]);
    sealer.feed(lines(0..1));
    sealer.end().done();
    assert_eq!(all_opened(&room, &text(room.path("log"))), format!("whole\ntorn\n{}", line(0)));
}

/// The same as with `-a`, for a file that a shell opened only for writing.
#[test]
fn a_torn_last_line_of_standard_output_stays_alone() {
    let room = Room::new();
    room.write("next", lines(2..4));
    // The token was cut off by a crash, as on a full disk.
    let torn = room
        .shell("sealmark log seal -R ../me --regex 'ip=([^;]*)' ../work/next > log; truncate -s -150 log");
    torn.done();
    let before = text(room.path("log"));
    room.shell("sealmark log seal -R ../me --regex 'ip=([^;]*)' next >> log").done();
    let log = text(room.path("log"));
    let (_, rest) = log.split_at(before.len());
    assert!(!before.ends_with('\n') && rest.starts_with("\n~s1h~"), "{log}");
    assert!(all_opened(&room, &log).ends_with(&lines(2..4)));
}

/// The header of each session names the session before it in the file, and the number of its values if it was closed.
#[test]
fn what_is_appended_names_the_session_before() {
    let room = Room::new();
    let seal = |script: &str| {
        room.shell(&format!(
            "printf '{}' | sealmark log seal -R ../me --regex 'ip=([^;]*)' {script}",
            lines(0..3)
        ))
        .done()
    };
    seal("-a log");
    seal(">> log");
    seal("-a log");
    fs::write(room.path("log"), text(room.path("log")).rsplit_once("~s1z~").unwrap().0).unwrap();
    seal("-a log");
    let mut opener = LogOpener::new(LogKeys::identities(vec![room.mine.clone()]));
    let (mut ids, mut said) = (Vec::new(), Vec::new());
    for line in text(room.path("log")).lines().filter(|line| line.starts_with("~s1h~")) {
        opener.learn(line.as_bytes());
        let sessions = opener.sessions();
        let new: Vec<_> = sessions.opened().filter(|id| !ids.contains(id)).collect();
        for id in new {
            let facts = sessions.facts(id).unwrap();
            assert_eq!(facts.order, Order::Kept);
            said.push(
                facts
                    .previous
                    .map(|previous| (Some(previous.session) == ids.last().copied(), previous.count)),
            );
            ids.push(id);
        }
    }
    assert_eq!(said, [None, Some((true, Some(3))), Some((true, Some(3))), Some((true, None))]);
}

/// A session that has reached its maximum age ends when a value comes, and not while the log is idle.
#[test]
fn an_idle_log_does_not_grow() {
    let room = Room::new();
    let mut sealer = appending(&room, &["--rotate-after", "1s"]);
    sealer.feed(line(0));
    wait_for(&room, 0);
    let before = text(room.path("log"));
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(text(room.path("log")), before);
    sealer.feed(line(1));
    wait_for(&room, 1);
    sealer.end().done();
    assert_eq!(nonces_are_unique(&room, &[text(room.path("log"))]), 2);
}

/// Numbered lines, while the log is renamed and a new session is asked for again and again.
#[test]
fn no_line_is_lost_or_moved() {
    const LINES: usize = 60_000;
    let room = Room::new();
    let mut sealer = appending(&room, &["--side-file", "../heads"]);
    let (id, mut input, done) = (sealer.id(), sealer.take_input(), AtomicBool::new(false));
    let renamed = thread::scope(|scope| {
        let rotating = scope.spawn(|| rotate(&room, id, &done));
        for start in (0..LINES).step_by(100) {
            input.write_all(lines(start..start + 100).as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(2));
        }
        done.store(true, Ordering::Relaxed);
        rotating.join().unwrap()
    });
    drop(input);
    sealer.end().done();
    let names = (0..renamed).map(|number| format!("log.{number}")).chain(["log".to_owned()]);
    let logs: Vec<String> = names.map(|name| text(room.path(name))).collect();
    let opened: String = logs.iter().map(|log| all_opened(&room, log)).collect();
    assert!(opened == lines(0..LINES), "not the same lines in the same order");
    let sessions = nonces_are_unique(&room, &logs);
    assert!(renamed > 10 && sessions >= renamed, "{renamed} renamed, {sessions} sessions");
}

/// Renames the log now and then, and sends SIGHUP more often. Returns the number of renames.
fn rotate(room: &Room, id: u32, done: &AtomicBool) -> usize {
    let id = Pid::from_raw(id.cast_signed()).unwrap();
    let mut renamed = 0;
    until("a file", || room.path("log").exists());
    while !done.load(Ordering::Relaxed) {
        if fs::rename(room.path("log"), room.path(format!("log.{renamed}"))).is_ok() {
            renamed += 1;
        }
        for _ in 0..3 {
            kill_process(id, Signal::HUP).unwrap();
            thread::sleep(Duration::from_millis(7));
        }
        until("a new file", || room.path("log").exists());
    }
    renamed
}

/// The side file has no space for the next header: the old session goes on, and the program reports it at the end.
#[test]
fn a_full_side_file_stops_no_log() {
    if !inside("log_roll_over::a_full_side_file_stops_no_log") {
        return;
    }
    let room = Room::new();
    fs::create_dir(room.path("../side")).unwrap();
    mount(&["-t", "tmpfs", "-o", "size=16k", "none"], &room.path("../side"));
    let mut sealer = appending(&room, &["--side-file", "../side/heads"]);
    sealer.feed(lines(0..10));
    wait_for(&room, 9);
    let filled = fs::write(room.path("../side/filler"), vec![0; 1 << 20]);
    assert!(filled.is_err());
    // The last block of the side file still has space for some headers.
    for round in 1..60 {
        sealer.signal(Signal::HUP);
        sealer.feed(line(round * 10));
        wait_for(&room, round * 10);
    }
    fs::rename(room.path("log"), room.path("log.0")).unwrap();
    until("a new file", || room.path("log").exists());
    sealer.feed(lines(600..610));
    let ended = sealer.end();
    ended.failed(2, "could not begin a new session on time");
    let first = ended.err.lines().find(|line| !line.starts_with("note: ")).unwrap();
    assert!(
        first.starts_with("warning: cannot begin a new session, so the log continues in the old one"),
        "{ended:?}"
    );
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(600..610));
    assert!(all_opened(&room, &text(room.path("log.0"))).starts_with(&lines(0..10)));
}

/// A renamed file that takes no closing token, for another reason than a full disk, does not prevent a new one.
#[test]
fn a_renamed_log_that_takes_no_more() {
    let room = Room::new();
    let mut sealer = appending(&room, &[]);
    sealer.feed(lines(0..100));
    wait_for(&room, 99);
    let length = Some(room.path("log").metadata().unwrap().len());
    prlimit(
        Pid::from_raw(sealer.id().cast_signed()),
        Resource::Fsize,
        Rlimit { current: length, maximum: length },
    )
    .unwrap();
    fs::rename(room.path("log"), room.path("log.1")).unwrap();
    until("a new file", || room.path("log").exists());
    for number in 100..103 {
        sealer.feed(line(number));
        wait_for(&room, number);
    }
    let ended = sealer.end();
    ended.failed(2, "could not begin a new session on time");
    assert!(ended.err.contains("file too large"), "{ended:?}");
    assert_eq!(all_opened(&room, &text(room.path("log.1"))), lines(0..100));
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(100..103));
}

/// A full disk under the log itself: the program reports what it could not write, and the rest opens.
#[test]
fn a_full_disk_ends_the_log() {
    if !inside("log_roll_over::a_full_disk_ends_the_log") {
        return;
    }
    let room = Room::new();
    mount(&["-t", "tmpfs", "-o", "size=1m", "none"], &room.work());
    room.write("../plain", lines(0..100_000));
    let mut command = seal(&room, &["--append", "log", "../plain"]);
    let ended: crate::room::Ended = command.output().unwrap().into();
    ended.failed(2, "\"log\": no space left on device");
    let log = text(room.path("log"));
    let whole = &log[..log.rfind('\n').unwrap() + 1];
    let opened = all_opened(&room, whole);
    assert!(opened.len() > 100_000 && lines(0..100_000).starts_with(&opened));
    // The input is read in pieces of 256 KiB; the part of the last line that was read counts, too.
    let (_, told) = ended.err.split_once("not written: ").unwrap();
    let lost: usize = told.split(' ').next().unwrap().parse().unwrap();
    let taken = lines(0..opened.lines().count() + lost).len();
    assert!(taken % (1 << 18) <= line(99_999).len(), "{taken} bytes of lines were read: {ended:?}");
}

/// Each try makes a file of its own: to write a file anew would free its space first.
#[track_caller]
fn until_full(room: &Room) {
    let mut number = 0;
    until("a full disk", || {
        number += 1;
        fs::write(room.path(format!("probe.{number}")), [0; 4096]).is_err()
    });
}

/// A full disk under the log of a service: the sealer waits for space, reads nothing meanwhile, and loses nothing.
#[test]
fn a_full_disk_is_waited_for() {
    if !inside("log_roll_over::a_full_disk_is_waited_for") {
        return;
    }
    let room = Room::new();
    mount(&["-t", "tmpfs", "-o", "size=32m", "none"], &room.work());
    fs::write(room.path("filler"), vec![0; 31 << 20]).unwrap();
    let mut sealer = appending(&room, &[]);
    let mut input = sealer.take_input();
    let writer = thread::spawn(move || input.write_all(lines(0..200_000).as_bytes()));
    let memory = || {
        let status = text(format!("/proc/{}/status", sealer.id()));
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default().to_owned();
        line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or_default()
    };
    wait_for(&room, 0);
    until_full(&room);
    let before = memory();
    thread::sleep(Duration::from_secs(2));
    if writer.is_finished() {
        panic!("it went on reading: {:?} {}", sealer.end(), text(room.path("log")).len());
    }
    assert!(memory() < before + 16_384, "{} KiB, then {}", before, memory());
    fs::remove_file(room.path("filler")).unwrap();
    writer.join().unwrap().unwrap();
    let ended = sealer.end();
    ended.done();
    assert!(ended.err.contains("no space left on device; nothing is read until there is room"), "{ended:?}");
    assert!(ended.err.contains("there is room on the disk again"), "{ended:?}");
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(0..200_000));
}

/// A sealer that is told to end while the disk is full ends, and reports what it has not written.
#[test]
fn an_end_comes_though_the_disk_is_full() {
    if !inside("log_roll_over::an_end_comes_though_the_disk_is_full") {
        return;
    }
    let room = Room::new();
    mount(&["-t", "tmpfs", "-o", "size=1m", "none"], &room.work());
    let mut sealer = appending(&room, &[]);
    let mut input = sealer.take_input();
    let writer = thread::spawn(move || drop(input.write_all(lines(0..100_000).as_bytes())));
    wait_for(&room, 0);
    until_full(&room);
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.failed(2, "no space left on device");
    assert!(ended.err.contains("not written: "), "{ended:?}");
    writer.join().unwrap();
}

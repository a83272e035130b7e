//! The disk fills up while a sealer that waits for space is not in the middle of its lines: at its start, at the end of
//! its input, at a new session, and in a directory where no file can be made.

use crate::log_room::{Sealer, all_opened, lines, nonces_are_unique, seal, text, until};
use crate::log_tcp::free_port;
use crate::mounts::{inside, mount};
use crate::room::{Ended, Room};
use crate::watched::high_water;
use rustix::fs::statvfs;
use rustix::process::Signal;
use std::io::Write;
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{ChildStdin, Command};
use std::time::Duration;
use std::{fs, thread};

const WAITS: &str = "no space left on device; nothing is read until there is room";

/// A file system of 1 MiB; `fill` fills it to the last page.
fn full(room: &Room, options: &str) {
    mount(&["-t", "tmpfs", "-o", options, "none"], &room.work());
}

fn fill(room: &Room) {
    assert!(fs::write(room.path("filler"), vec![0; 2 << 20]).is_err(), "it has room");
}

fn is_alive(id: u32) -> bool {
    Path::new(&format!("/proc/{id}/stat")).exists() && !text(format!("/proc/{id}/stat")).contains(") Z ")
}

/// The sealer reported that it waited, the log opens to these lines, and the exit code is 0.
#[track_caller]
fn went_on(room: &Room, ended: &Ended, start: &str, count: usize) -> String {
    ended.done();
    assert!(ended.err.contains(WAITS) && ended.err.contains("there is room on the disk again"), "{ended:?}");
    let log = text(room.path("log"));
    assert_eq!(all_opened(room, &log), start.to_owned() + &lines(0..count));
    log
}

#[test]
fn at_the_start() {
    if !inside("log_full::at_the_start") {
        return;
    }
    // With 60 bytes left in the last page of a log, half of a header is written.
    for before in ["".to_owned(), format!("{}\n", "x".repeat(4035))] {
        let room = Room::new();
        full(&room, "size=1m");
        fs::write(room.path("log"), &before).unwrap();
        fill(&room);
        let mut sealer = Sealer::start(seal(&room, &["--append", "log"]));
        sealer.feed(lines(0..10));
        thread::sleep(Duration::from_millis(2500));
        assert!(is_alive(sealer.id()), "{:?}", sealer.end());
        let stuck = text(room.path("log"));
        fs::remove_file(room.path("filler")).unwrap();
        until("lines", || text(room.path("log")).contains("n=9 "));
        let ended = sealer.end();
        let log = went_on(&room, &ended, &before, 10);
        assert_eq!(stuck.len() > before.len(), !before.is_empty());
        assert!(log.matches("~s1h~").count() <= 3, "a header for each try: {log}");
    }
}

/// A signal ends the sealer, although there is no space.
#[test]
fn at_the_start_it_ends_when_told() {
    if !inside("log_full::at_the_start_it_ends_when_told") {
        return;
    }
    let room = Room::new();
    full(&room, "size=1m");
    fill(&room);
    let sealer = Sealer::start(seal(&room, &["--append", "log"]));
    until("a log", || room.path("log").exists());
    thread::sleep(Duration::from_millis(500));
    sealer.signal(Signal::TERM);
    sealer.wait().failed(2, "no space left on device");
    let exits = Sealer::start(seal(&room, &["--append", "log", "--on-full", "exit"]));
    exits.wait().failed(2, "no space left on device");
}

#[test]
fn at_the_end_of_the_input() {
    if !inside("log_full::at_the_end_of_the_input") {
        return;
    }
    let room = Room::new();
    full(&room, "size=1m");
    let mut sealer = Sealer::start(seal(&room, &["--append", "log"]));
    until("a header", || text(room.path("log")).contains("~s1h~"));
    fill(&room);
    let (id, freed) = (sealer.id(), room.path("filler"));
    sealer.feed(lines(0..200));
    let freeing = thread::spawn(move || {
        thread::sleep(Duration::from_millis(2500));
        let alive = is_alive(id);
        fs::remove_file(freed).unwrap();
        alive
    });
    let ended = sealer.end();
    assert!(freeing.join().unwrap(), "{ended:?}");
    went_on(&room, &ended, "", 200);
}

/// Sessions that are asked for while the disk is full begin when there is space: the sealer gathers no header for each
/// try, and reports no error.
#[test]
fn at_new_sessions() {
    if !inside("log_full::at_new_sessions") {
        return;
    }
    let room = Room::new();
    full(&room, "size=1m");
    let mut sealer = Sealer::start(seal(&room, &["--append", "log", "--rotate-after", "1s"]));
    sealer.feed(lines(0..100));
    until("lines", || text(room.path("log")).contains("n=99 "));
    fill(&room);
    // The last page of the log may have space for some of them.
    for round in 0..12 {
        sealer.signal(Signal::HUP);
        sealer.feed(lines(100 + round..101 + round));
        thread::sleep(Duration::from_millis(300));
    }
    fs::remove_file(room.path("filler")).unwrap();
    until("lines", || text(room.path("log")).contains("n=111 "));
    let ended = sealer.end();
    let log = went_on(&room, &ended, "", 112);
    assert!(nonces_are_unique(&room, std::slice::from_ref(&log)) >= 2);
    assert!(log.matches("~s1h~").count() < 20, "{log}");
}

/// A log that was removed while no file can be made is made again as soon as one can be.
#[test]
fn where_no_file_can_be_made() {
    if !inside("log_full::where_no_file_can_be_made") {
        return;
    }
    let room = Room::new();
    full(&room, "size=1m,nr_inodes=8");
    let mut sealer = Sealer::start(seal(&room, &["--append", "log"]));
    sealer.feed(lines(0..10));
    until("lines", || text(room.path("log")).contains("n=9 "));
    let made = (0..8).filter(|number| fs::write(room.path(format!("filler.{number}")), "").is_ok()).count();
    assert!(made < 8);
    // The sealer still has the file open, so the file still takes up an inode.
    fs::remove_file(room.path("log")).unwrap();
    thread::sleep(Duration::from_millis(2500));
    assert!(is_alive(sealer.id()), "{:?}", sealer.end());
    fs::remove_file(room.path("filler.0")).unwrap();
    until("a log", || room.path("log").exists());
    sealer.feed(lines(10..20));
    let ended = sealer.end();
    ended.done();
    assert!(ended.err.contains(WAITS), "{ended:?}");
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(10..20));
}

/// A log that is renamed or truncated while the disk is full goes on in a session of its own, as it does at any other
/// time: the session before ends in the file that has its lines.
#[test]
fn while_the_file_changes() {
    if !inside("log_full::while_the_file_changes") {
        return;
    }
    for change in ["renamed", "cut"] {
        let room = Room::new();
        full(&room, "size=1m");
        let mut sealer = Sealer::start(seal(&room, &["--append", "log"]));
        sealer.feed(lines(0..10));
        until("lines", || text(room.path("log")).contains("n=9 "));
        fill(&room);
        // The rest of the last page is filled, so that no closing token fits.
        let mut log = fs::OpenOptions::new().append(true).open(room.path("log")).unwrap();
        let rest = 4096 - usize::try_from(log.metadata().unwrap().len()).unwrap() % 4096;
        writeln!(log, "{}", "x".repeat(rest - 1)).unwrap();
        drop(log);
        let before = text(room.path("log"));
        match change {
            "renamed" => fs::rename(room.path("log"), room.path("log.1")).unwrap(),
            _ => {
                fs::write(room.path("log"), "").unwrap();
                // This fills the page that the truncation has freed.
                let mut filler = fs::OpenOptions::new().append(true).open(room.path("filler")).unwrap();
                filler.write_all(&[0; 4096]).unwrap();
            }
        }
        // The sealer notices the change before it has lines for the earlier file.
        thread::sleep(Duration::from_millis(2500));
        sealer.feed(lines(10..20));
        assert!(is_alive(sealer.id()), "{change}: {:?}", sealer.end());
        fs::remove_file(room.path("filler")).unwrap();
        until("lines", || text(room.path("log")).contains("n=19 "));
        sealer.feed(lines(20..30));
        let ended = sealer.end();
        ended.done();
        assert!(
            ended.err.contains(WAITS) && ended.err.contains("there is room on the disk again"),
            "{ended:?}"
        );
        let log = text(room.path("log"));
        assert_eq!(all_opened(&room, &log), lines(10..30), "{change}");
        let session = |log: &str| log.split("~match~").last().unwrap()[..16].to_owned();
        assert_eq!(log.matches(&session(&log)).count(), 22, "{change}: all lines are of one session: {log}");
        assert_ne!(session(&log), session(&before), "{change}");
        if change == "renamed" {
            let left = text(room.path("log.1"));
            assert!(left.lines().last().unwrap().starts_with("~s1z~"), "{left}");
            assert!(!log.contains(&session(&left)), "{log}");
        }
    }
}

/// Lines of which one read gives much more output than may be gathered: padding makes them a thousand times longer.
/// With each kind of input, the sealer stops in the middle of them, and loses no line that it took.
#[test]
fn in_the_middle_of_what_was_read() {
    const COUNT: usize = 1500;
    if !inside("log_full::in_the_middle_of_what_was_read") {
        return;
    }
    let inputs = ["pipe", "fifo", "file", "unix", "udp", "tcp"].map(|input| (input, "32768"));
    for (input, padding) in inputs.into_iter().chain([("pipe", "16"), ("udp", "16")]) {
        let told = format!("{input} padded to {padding}");
        let room = Room::new();
        full(&room, "size=128m");
        let address = match input {
            "unix" => format!("unix:{}", room.path("in").display()),
            _ => format!("{input}:127.0.0.1:{}", free_port()),
        };
        let from: &[&str] = match input {
            "pipe" => &[],
            "fifo" => {
                assert!(Command::new("mkfifo").arg(room.path("in")).status().unwrap().success());
                &["in"]
            }
            "file" => {
                fs::write(room.path("in"), lines(0..COUNT)).unwrap();
                &["in"]
            }
            _ => &["--syslog", &address],
        };
        assert!(fs::write(room.path("filler"), vec![0; 256 << 20]).is_err(), "it has room");
        // The space left is enough for a header and some lines.
        let filler = fs::OpenOptions::new().write(true).open(room.path("filler")).unwrap();
        filler.set_len(filler.metadata().unwrap().len() - (64 << 10)).unwrap();
        let mut sealer = Sealer::start(seal(
            &room,
            &[&["-a", "log", "--on-full", "wait", "--pad", padding], from].concat(),
        ));
        let (pipe, path, to) = (sealer.take_input(), room.path("in"), address.clone());
        let feeding = thread::spawn(move || feed(input, pipe, &path, &to, COUNT));
        until(&told, || statvfs(room.work()).unwrap().f_bavail == 0);
        thread::sleep(Duration::from_millis(300));
        assert!(is_alive(sealer.id()), "{told}: {:?}", sealer.end());
        let peak = high_water(&text(format!("/proc/{}/status", sealer.id())));
        assert!(peak > 1 << 20 && peak < 24 << 20, "{told}: {peak} bytes");
        fs::remove_file(room.path("filler")).unwrap();
        drop(filler);
        feeding.join().unwrap();
        until(&told, || text(room.path("log")).contains(&format!("n={} ", COUNT - 1)));
        if from.len() == 2 {
            sealer.signal(Signal::TERM);
        }
        let ended = sealer.end();
        assert_eq!(ended.code, Some(0), "{told}: {ended:?}");
        assert!(
            ended.err.contains(WAITS) && ended.err.contains("there is room on the disk again"),
            "{told}: {ended:?}"
        );
        assert!(all_opened(&room, &text(room.path("log"))) == lines(0..COUNT), "{told}");
    }
}

/// Sends lines through the named kind of input, as fast as they are taken.
fn feed(input: &str, pipe: ChildStdin, path: &Path, address: &str, count: usize) {
    let all: Vec<String> = (0..count).step_by(30).map(|start| lines(start..start + 30)).collect();
    let address = &address[address.find(':').unwrap() + 1..];
    let (local, udp) = (UnixDatagram::unbound().unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let mut stream: Box<dyn Write> = match input {
        "pipe" => Box::new(pipe),
        "fifo" => Box::new(fs::OpenOptions::new().write(true).open(path).unwrap()),
        "file" => return,
        "unix" => {
            until("a socket", || local.connect(path).is_ok());
            return all.iter().for_each(|text| assert!(local.send(text.as_bytes()).is_ok()));
        }
        "udp" => {
            udp.connect(address).unwrap();
            // The second datagram is refused until somebody listens.
            until("a socket", || udp.send(b"").and_then(|_| udp.send(b"")).is_ok());
            return all.iter().for_each(|text| assert!(udp.send(text.as_bytes()).is_ok()));
        }
        _ => {
            let connect = || TcpStream::connect(address).ok();
            until("a socket", || connect().is_some());
            Box::new(connect().unwrap())
        }
    };
    stream.write_all(all.concat().as_bytes()).unwrap();
}

/// The program reports all lines that it took and could not write; padding does not change their number.
#[test]
fn what_is_not_written_is_counted() {
    const COUNT: usize = 6000;
    if !inside("log_full::what_is_not_written_is_counted") {
        return;
    }
    for (padding, on_full) in [("1024", "exit"), ("32768", "exit"), ("32768", "wait")] {
        let room = Room::new();
        full(&room, "size=1m");
        // A last line without a line feed counts as a line.
        fs::write(room.path("in"), lines(0..COUNT).trim_end()).unwrap();
        let args = ["-a", "log", "--pad", padding, "--on-full", on_full, "in"];
        let sealer = Sealer::start(seal(&room, &args));
        if on_full == "wait" {
            until("a full disk", || statvfs(room.work()).unwrap().f_bavail == 0);
            sealer.signal(Signal::TERM);
        }
        let ended = sealer.wait();
        ended.failed(2, "no space left on device; not written: ");
        let written = text(room.path("log")).matches('\n').count() - 1;
        let told = ended.err.split_once("not written: ").unwrap().1.split(' ').next().unwrap();
        // The input is shorter than one read, so all of its lines were taken.
        assert_eq!(told.parse::<usize>().unwrap() + written, COUNT, "{ended:?}");
    }
}

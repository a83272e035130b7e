//! Syslog over connections: several senders at once, senders that break off or send garbage, and a disk that is full.

use crate::log_room::{SEAL, SECRET, Sealer, all_opened, line, lines, seal, text, until};
use crate::log_server::handed_over;
use crate::mounts::{inside, mount};
use crate::room::Room;
use rustix::process::{Pid, Resource, Rlimit, Signal, prlimit};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::time::Duration;
use std::{fs, thread};

/// A port that the kernel chose, and that is free again.
pub fn free_port() -> String {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    address.port().to_string()
}

fn listening(room: &Room, more: &[&str]) -> (Sealer, String) {
    let port = free_port();
    let sealer =
        Sealer::start(seal(room, &[&["--syslog", &format!("tcp:{port}"), "-a", "log"], more].concat()));
    let address = format!("127.0.0.1:{port}");
    until("a socket", || TcpStream::connect(&address).is_ok());
    (sealer, address)
}

fn header(number: usize) -> String {
    format!("<190>Nov 21 12:00:01 host app[7]: {}", line(number).trim_end())
}

/// A message with its length in front (RFC 6587, section 3.4.1).
fn counted(number: usize) -> String {
    let message = header(number);
    format!("{} {message}", message.len())
}

fn wait_for(room: &Room, numbers: &[usize]) {
    let all = || {
        let log = text(room.path("log"));
        numbers.iter().all(|number| log.contains(&format!("n={number} ")))
    };
    until("all lines", all);
}

/// The numbers of one sender's lines, in the order of the log.
fn of(opened: &str, sender: usize) -> Vec<usize> {
    let numbers = opened.lines().map(|line| line[2..].split(' ').next().unwrap().parse::<usize>().unwrap());
    numbers.filter(|number| number / 10_000 == sender).collect()
}

#[test]
fn senders_keep_their_order() {
    const EACH: usize = 2000;
    let room = Room::new();
    let (sealer, address) = listening(&room, &[]);
    let senders: Vec<_> = (0..6)
        .map(|sender| {
            let address = address.clone();
            thread::spawn(move || {
                let mut stream = TcpStream::connect(address).unwrap();
                let numbers = sender * 10_000..sender * 10_000 + EACH;
                let all: String = match sender % 2 {
                    0 => numbers.map(counted).collect(),
                    _ => numbers.map(|number| header(number) + "\n").collect(),
                };
                // The pieces end anywhere in a message.
                for piece in all.as_bytes().chunks(997 + 311 * sender) {
                    stream.write_all(piece).unwrap();
                }
            })
        })
        .collect();
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    wait_for(&room, &(0..6).map(|sender| sender * 10_000 + EACH - 1).collect::<Vec<_>>());
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(!ended.err.contains("warning"), "{ended:?}");
    assert!(ended.err.contains("note: 12000 lines read; values found:"), "{ended:?}");
    let opened = all_opened(&room, &text(room.path("log")));
    for sender in 0..6 {
        let first = sender * 10_000;
        assert!(of(&opened, sender) == (first..first + EACH).collect::<Vec<_>>(), "sender {sender}");
    }
}

/// A sender's fault closes only the sender's own connection.
#[test]
fn who_breaks_the_framing_is_cut_off() {
    let room = Room::new();
    let (sealer, address) = listening(&room, &["--metrics", "metrics"]);
    let mut good = TcpStream::connect(&address).unwrap();
    good.write_all(counted(1).as_bytes()).unwrap();
    for rubbish in ["203.0.113.9 - - GET", "0 ", "99999999 x", &("\n".to_owned() + &counted(9))] {
        let mut bad = TcpStream::connect(&address).unwrap();
        bad.write_all((counted(2) + rubbish).as_bytes()).unwrap();
        // The connection is closed, or reset if not all of it was read.
        assert!(matches!(bad.read(&mut [0]), Ok(0) | Err(_)));
    }
    good.write_all(counted(3).as_bytes()).unwrap();
    wait_for(&room, &[1, 2, 3]);
    let metric = "sealmark_log_messages_lost_total 4\n";
    until("the count", || text(room.path("metrics")).contains(metric));
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert_eq!(
        ended.err.matches(", most recently 127.0.0.1:").count(),
        2,
        "at the first and at the end: {ended:?}"
    );
    assert!(ended.err.contains("warning: disconnected 1 syslog sender,"), "{ended:?}");
    assert!(ended.err.contains("warning: disconnected 3 syslog senders,"), "{ended:?}");
    assert!(ended.err.contains(", 4 messages lost, truncated or malformed\n"), "{ended:?}");
    let counted_9 = counted(9).len();
    assert!(
        ended.err.contains(&format!("; {} bytes discarded so far\n", 16 + 2 + 3 + 1 + counted_9)),
        "{ended:?}"
    );
    let opened = all_opened(&room, &text(room.path("log")));
    assert_eq!(opened, line(1) + &line(2).repeat(4) + &line(3));
}

/// A line may begin with a number, and a stranger's number does not swallow the lines after it.
#[test]
fn lines_that_begin_with_digits_are_lines() {
    let room = Room::new();
    let (sealer, address) = listening(&room, &["--unparsed", "pass"]);
    for first in ["203.0.113.9 - GET", "404 not found", "1 <", "16777216 bytes"] {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(format!("{first}\n{}\n", header(1)).as_bytes()).unwrap();
    }
    until("all lines", || text(room.path("log")).matches("n=1 ").count() == 3);
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(
        ended.err.contains("warning: disconnected 1 syslog sender, most recently 127.0.0.1:"),
        "{ended:?}"
    );
    let opened = all_opened(&room, &text(room.path("log")));
    for first in ["203.0.113.9 - GET", "404 not found", "16777216 bytes"] {
        assert!(opened.contains(&format!("{first}\n")), "{opened}");
    }
}

/// If the sealer runs out of file descriptors, senders wait, and a warning says so.
#[test]
fn files_that_run_out_are_told() {
    let room = Room::new();
    let (sealer, address) = listening(&room, &[]);
    until("a log", || !text(room.path("log")).is_empty());
    // Other tests start servers at the same time, and the sealer may have inherited their files.
    let files = fs::read_dir(format!("/proc/{}/fd", sealer.id())).unwrap();
    let taken: Vec<u64> =
        files.map(|file| file.unwrap().file_name().to_str().unwrap().parse().unwrap()).collect();
    let few = (0..).filter(|number| !taken.contains(number)).nth(8);
    let few = Rlimit { current: few, maximum: few };
    prlimit(Pid::from_raw(sealer.id().cast_signed()), Resource::Nofile, few).unwrap();
    let mut senders: Vec<_> = (0..40).map(|_| TcpStream::connect(&address).unwrap()).collect();
    for (number, sender) in senders.iter_mut().enumerate() {
        sender.write_all(counted(number).as_bytes()).unwrap();
    }
    thread::sleep(Duration::from_millis(2500));
    assert!(!text(room.path("log")).contains("n=39 "));
    // A sender that is done frees a descriptor for another one.
    drop(senders);
    wait_for(&room, &(0..40).collect::<Vec<_>>());
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(ended.err.contains("too many open files"), "{ended:?}");
    assert!(ended.err.matches("warning").count() <= 3, "{ended:?}");
}

/// Whole messages are sealed, and warnings count the others.
#[test]
fn a_sender_that_ends_within_a_message() {
    let room = Room::new();
    let (sealer, address) = listening(&room, &["--unparsed", "pass"]);
    let send = |text: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        // The connection is closed once all of it was read.
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    };
    send(&(counted(1) + &counted(2)[..40]));
    send(&(header(3) + "\n" + &header(4)));
    // No rule finds a value in this message, but it was cut off, so it must not pass in the clear.
    send(&header(6).replace("ip=", "i"));
    send(&(counted(5) + "11"));
    wait_for(&room, &[1, 3, 5]);
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(
        ended.err.contains("warning: 1 syslog sender closed the connection within a message"),
        "{ended:?}"
    );
    assert!(
        ended.err.contains("warning: 3 syslog senders closed the connection within a message"),
        "{ended:?}"
    );
    let opened = all_opened(&room, &text(room.path("log")));
    let part =
        |number| line(number)[..40 - (counted(number).len() - line(number).len() + 1)].to_owned() + "\n";
    assert_eq!(opened, line(1) + &part(2) + &[3, 4, 6, 5].map(line).concat().replace("n=6 ip=", "n=6 i"));
}

/// Rules cannot find values in a line of which only a part came, so it is not passed on.
#[test]
fn a_long_message_is_cut_and_told() {
    let room = Room::new();
    let (sealer, address) = listening(&room, &["--unparsed", "pass"]);
    let mut stream = TcpStream::connect(&address).unwrap();
    let long = format!("<13>{SECRET} {}", "x".repeat(200_000));
    stream.write_all(format!("{} {long}{}", long.len(), counted(2)).as_bytes()).unwrap();
    wait_for(&room, &[2]);
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(ended.err.contains("warning: 1 syslog message truncated after 131072 bytes\n"), "{ended:?}");
    let opened = all_opened(&room, &text(room.path("log")));
    assert_eq!(opened.lines().map(str::len).collect::<Vec<_>>(), [131_072, line(2).len() - 1]);
}

/// Senders take no memory, and none is refused for good: a late one waits for a slot.
#[test]
fn the_sixty_fifth_waits() {
    let room = Room::new();
    let (sealer, address) = listening(&room, &[]);
    let mut senders: Vec<_> = (0..64).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let mut late = TcpStream::connect(&address).unwrap();
    late.write_all(counted(64).as_bytes()).unwrap();
    // Each sender is within a message: one that is between two messages gives way after a minute.
    for (number, sender) in senders.iter_mut().enumerate() {
        sender.write_all(&counted(number).as_bytes()[..20]).unwrap();
    }
    thread::sleep(Duration::from_millis(2500));
    assert!(!text(room.path("log")).contains("n="), "{}", text(room.path("log")));
    for (number, sender) in senders.iter_mut().enumerate() {
        sender.write_all(&counted(number).as_bytes()[20..]).unwrap();
    }
    drop(senders);
    wait_for(&room, &(0..65).collect::<Vec<_>>());
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(
        ended.err.contains("warning: 64 syslog senders are connected, and others are waiting"),
        "{ended:?}"
    );
}

/// A sender waits while the disk is full, and its lines are in the log when there is space again.
#[test]
fn a_full_disk_makes_senders_wait() {
    if !inside("log_tcp::a_full_disk_makes_senders_wait") {
        return;
    }
    let room = Room::new();
    // Some places where tests run have no network; a local stream socket is read in the same way.
    mount(&["-t", "tmpfs", "-o", "size=48m", "none"], &room.work());
    let socket = UnixListener::bind(room.path("../socket")).unwrap();
    let sealer = Sealer::start(handed_over(&room, &socket, &["--append", "log"]));
    fs::write(room.path("filler"), vec![0; 47 << 20]).unwrap();
    let sender = UnixStream::connect(room.path("../socket")).unwrap();
    let mut writing = sender.try_clone().unwrap();
    let writer = thread::spawn(move || {
        let all: String = (0..100_000).map(counted).collect();
        writing.write_all(all.as_bytes()).unwrap();
    });
    wait_for(&room, &[0]);
    let status = || text(format!("/proc/{}/status", sealer.id()));
    let memory = || {
        let status = status();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or_default()
    };
    let mut number = 0;
    until("a full disk", || {
        number += 1;
        fs::write(room.path(format!("probe.{number}")), [0; 4096]).is_err()
    });
    let before = memory();
    thread::sleep(Duration::from_secs(2));
    assert!(!writer.is_finished(), "it went on reading");
    assert!(memory() < before + 16_384, "{before} KiB, then {}", memory());
    fs::remove_file(room.path("filler")).unwrap();
    writer.join().unwrap();
    drop(sender);
    wait_for(&room, &[99_999]);
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(ended.err.contains("there is room on the disk again"), "{ended:?}");
    assert!(all_opened(&room, &text(room.path("log"))) == lines(0..100_000));
}

/// A sender that stops when the sealer closes the connection loses nothing: an ending sealer reads all that was sent,
/// systemd keeps the socket, and the next sealer serves the senders that connect meanwhile.
#[test]
fn a_restart_loses_no_line_of_who_listens() {
    let room = Room::new();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let told = UnixDatagram::bind(room.path("notify")).unwrap();
    told.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let address = socket.local_addr().unwrap();
    let sender = thread::spawn(move || {
        let connect = || {
            let stream = TcpStream::connect(address).unwrap();
            stream.set_nonblocking(true).unwrap();
            stream
        };
        let mut stream = connect();
        for number in 0..3000 {
            // An ending sealer closes its direction of the connection before it reads the last time.
            if stream.read(&mut [0]).is_ok() {
                stream = connect();
            }
            stream.write_all(counted(number).as_bytes()).unwrap();
            thread::sleep(Duration::from_micros(300));
        }
        stream
    });
    for restart in 0..4 {
        let sealer = Sealer::start(handed_over(&room, &socket, &["--append", "log"]));
        let mut state = [0; 64];
        let length = told.recv(&mut state).unwrap();
        assert_eq!(&state[..length], b"READY=1\n", "{restart}");
        if restart == 3 {
            wait_for(&room, &[2999]);
        } else {
            thread::sleep(Duration::from_millis(200));
        }
        sealer.signal(Signal::TERM);
        sealer.wait().done();
    }
    drop(sender.join().unwrap());
    assert!(all_opened(&room, &text(room.path("log"))) == lines(0..3000));
}

/// Listening to other machines needs an explicit address, and a warning says what that means.
#[test]
fn other_machines_are_told_of() {
    let room = Room::new();
    let address = format!("tcp:0.0.0.0:{}", free_port());
    let mut sealer = Sealer::start(room.sealmark([&SEAL[..], &["--syslog", &address, "-a", "log"]].concat()));
    until("a header", || text(room.path("log")).contains("~s1h~"));
    drop(sealer.take_input());
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert!(ended.err.contains("warning: other machines can reach 0.0.0.0:"), "{ended:?}");
}

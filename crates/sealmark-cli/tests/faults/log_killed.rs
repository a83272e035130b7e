//! kill -9 of `log seal` at any moment: the log opens to the beginning of the input, and nothing of the input is in the
//! clear. A sealer that is started again appends to the log.

use crate::log_room::{SECRET, Sealer, all_opened, lines, nonces_are_unique, opened, seal, text, until};
use crate::room::Room;
use rustix::process::Signal;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::thread;
use std::time::{Duration, SystemTime};

const RUNS: usize = 40;

#[test]
fn what_is_in_the_log_opens() {
    let room = Room::new();
    let mut torn = 0;
    let mut logs = Vec::new();
    for run in 0..RUNS {
        let (before, fed) = (text(room.path("log")), killed_while_fed(&room, run));
        let added = text(room.path("log"))[before.len()..].to_owned();
        let (whole, rest) = added.split_at(added.rfind('\n').map_or(0, |end| end + 1));
        // A line that an earlier kill cut off has got its line feed.
        let whole = whole.strip_prefix('\n').unwrap_or(whole);
        let opened = all_opened(&room, whole);
        assert!(fed.starts_with(&opened), "run {run}: not the lines that came, in their order");
        assert!(!rest.contains(SECRET));
        torn += usize::from(!rest.is_empty());
        logs.push(whole.to_owned());
    }
    let reached = logs.iter().filter(|log| log.contains("~s1a~")).count();
    assert!(reached >= RUNS / 2, "killed too early: {reached} of {RUNS} had lines, {torn} torn ones");
    assert_eq!(nonces_are_unique(&room, &logs), reached);
    let mut sealer = Sealer::start(seal(&room, &["--append", "log"]));
    sealer.feed(lines(0..10));
    sealer.end().done();
    let (all, report) = opened(&room, &text(room.path("log")));
    assert_eq!((report.orphans, report.no_key), (0, 0));
    assert!(all.ends_with(&lines(0..10)));
}

/// Every line is written before the next is sealed, though all of them arrive at once. Each write is a message of its
/// own here.
#[test]
fn line_by_line_nothing_is_held_back() {
    let room = Room::new();
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    ours.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut command = seal(&room, &["--line-buffered"]);
    command.stdout(OwnedFd::from(theirs));
    let mut sealer = Sealer::start(command);
    sealer.feed(lines(0..100));
    let (mut sealed, mut written) = (String::new(), [0; 4096]);
    for number in 0..100 {
        while !sealed.contains(&format!("n={number} ")) {
            let length = ours.recv(&mut written).unwrap();
            sealed += str::from_utf8(&written[..length]).unwrap();
        }
        assert!(!sealed.contains(&format!("n={} ", number + 1)), "{number} came with the next");
        assert!(sealed.ends_with('\n'));
    }
    sealer.signal(Signal::KILL);
    assert_eq!(sealer.wait().code, None);
    assert_eq!(all_opened(&room, &sealed), lines(0..100));
}

/// Feeds lines until the program is killed, at a random moment. Returns more lines than it can have read.
fn killed_while_fed(room: &Room, run: usize) -> String {
    let before = text(room.path("log")).len();
    let mut sealer = Sealer::start(seal(room, &["--append", "log"]));
    let mut input = sealer.take_input();
    let feeding = thread::spawn(move || {
        let mut number = 0;
        while input.write_all(lines(number..number + 50).as_bytes()).is_ok() {
            number += 50;
        }
        lines(0..number + 50)
    });
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
    // Half of the runs are killed soon after the start, and half once a line is in the log, however long that takes.
    if run % 2 == 1 {
        until("a line", || text(room.path("log")).get(before..).is_some_and(has_a_line));
    }
    thread::sleep(Duration::from_micros(u64::from(nanos / 1000) % 100_000));
    sealer.signal(Signal::KILL);
    assert_eq!(sealer.wait().code, None);
    feeding.join().unwrap()
}

fn has_a_line(log: &str) -> bool {
    log.rsplit_once('\n').is_some_and(|(whole, _)| whole.contains("~s1a~"))
}

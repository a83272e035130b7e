//! A log that is followed while others rotate it: every line is printed once and in order, whatever happens to the
//! file.

use crate::log_room::{Sealer, line, lines, seal, text, until};
use crate::room::{Ended, KEY, Room};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// `log open --follow`, or another verb, with its output in a file.
struct Follower<'a> {
    room: &'a Room,
    child: Child,
}

impl<'a> Follower<'a> {
    fn start(room: &'a Room, args: &[&str]) -> Self {
        let mut command: Command = room.sealmark(args);
        command.stdout(File::create(room.path("../seen")).unwrap());
        command.stderr(File::create(room.path("../said")).unwrap());
        Self { room, child: command.spawn().unwrap() }
    }

    fn open(room: &'a Room) -> Self {
        Self::start(room, &["log", "open", "-i", KEY, "--follow", "log"])
    }

    fn seen(&self) -> String {
        text(self.room.path("../seen"))
    }

    #[track_caller]
    fn sees(&self, end: &str) {
        until(&format!("{end:?}"), || self.seen().ends_with(end));
    }

    fn end(self) -> (String, Ended) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.wait()
    }

    /// Waits until it ends by itself.
    #[track_caller]
    fn wait(mut self) -> (String, Ended) {
        let mut status = None;
        until("its end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let (code, err) = (status.and_then(|status| status.code()), text(self.room.path("../said")));
        (self.seen(), Ended { code, out: Vec::new(), err })
    }
}

/// A test that fails leaves no process that waits for ever.
impl Drop for Follower<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn appending(room: &Room) -> Sealer {
    Sealer::start(seal(room, &["--append", "log", "--line-buffered"]))
}

/// `logrotate` renames a log in this way: the writer makes a new file, which is not there for a while.
#[test]
fn a_renamed_log_is_followed_into_the_new_file() {
    let room = Room::new();
    let mut sealer = appending(&room);
    sealer.feed(lines(0..10));
    until("a line", || text(room.path("log")).contains("n=9 "));
    let follower = Follower::open(&room);
    for round in 1..6 {
        follower.sees(&line(round * 10 - 1));
        fs::rename(room.path("log"), room.path(format!("log.{round}"))).unwrap();
        // Lines that still go to the old file are not lost.
        sealer.feed(lines(round * 10..round * 10 + 10));
        until("a new file", || room.path("log").exists());
        // Each file keeps its name for longer than the interval between two looks.
        thread::sleep(Duration::from_millis(100));
    }
    follower.sees(&line(59));
    sealer.end().done();
    let (seen, ended) = follower.end();
    assert_eq!(seen, lines(0..60));
    assert_eq!(ended.err.matches("was replaced; reading on in the new file").count(), 5, "{ended:?}");
}

#[test]
fn a_removed_log_is_waited_for() {
    let room = Room::new();
    room.write("log", "a\n");
    let follower = Follower::open(&room);
    follower.sees("a\n");
    fs::remove_file(room.path("log")).unwrap();
    thread::sleep(Duration::from_millis(200));
    // The follower does not wait for the pipe, which takes the name but is not a log.
    assert!(Command::new("mkfifo").arg(room.path("log")).status().unwrap().success());
    thread::sleep(Duration::from_millis(200));
    fs::remove_file(room.path("log")).unwrap();
    room.write("log", "b\n");
    follower.sees("a\nb\n");
    let (_, ended) = follower.end();
    ended.done();
}

/// Three rotations happen before the follower has gone on; the files between them have lines as well.
#[test]
fn a_log_that_is_renamed_again_and_again_is_read_to_its_end() {
    let room = Room::new();
    room.write("log", "a\n");
    let follower = Follower::open(&room);
    follower.sees("a\n");
    let mut files = Vec::new();
    for number in 1..4 {
        fs::rename(room.path("log"), room.path(format!("log.{number}"))).unwrap();
        files.push(File::create(room.path("log")).unwrap());
        // The follower sees the new file, which is still empty, so lines may still come in the one before.
        thread::sleep(Duration::from_millis(200));
    }
    OpenOptions::new().append(true).open(room.path("log.1")).unwrap().write_all(b"b\n").unwrap();
    follower.sees("b\n");
    for (file, text) in files.iter_mut().zip(["c\n", "d\n", "e\n"]) {
        file.write_all(text.as_bytes()).unwrap();
        follower.sees(text);
    }
    assert_eq!(follower.end().0, "a\nb\nc\nd\ne\n");
}

/// Some threads of a writer go on to the new file before others.
#[test]
fn late_lines_in_the_old_file_are_read() {
    let room = Room::new();
    room.write("log", "a\n");
    let follower = Follower::open(&room);
    follower.sees("a\n");
    fs::rename(room.path("log"), room.path("log.1")).unwrap();
    room.write("log", "b\n");
    follower.sees("b\n");
    let mut old = OpenOptions::new().append(true).open(room.path("log.1")).unwrap();
    old.write_all(b"c\nd").unwrap();
    follower.sees("c\n");
    let mut new = OpenOptions::new().append(true).open(room.path("log")).unwrap();
    new.write_all(b"e\n").unwrap();
    follower.sees("e\n");
    old.write_all(b"d\n").unwrap();
    follower.sees("dd\n");
    new.write_all(b"f").unwrap();
    thread::sleep(Duration::from_millis(200));
    // This text must not end up within the unfinished line of the new file.
    old.write_all(b"g\nend").unwrap();
    thread::sleep(Duration::from_millis(200));
    new.write_all(b"f\n").unwrap();
    follower.sees("g\n");
    // The last line of the old file has no line feed by then, and counts as complete.
    follower.sees("end\n");
    assert_eq!(follower.end().0, "a\nb\nc\ne\ndd\nff\ng\nend\n");
}

/// A comparison of the last lines alone would not show that the log was cut.
#[test]
fn a_log_of_equal_lines_that_was_cut_is_read_from_its_start() {
    let room = Room::new();
    let all = |first: &str| format!("{first}\n{}", "same\n".repeat(200));
    room.write("log", all("one"));
    let follower = Follower::open(&room);
    follower.sees(&all("one"));
    kill_process(Pid::from_child(&follower.child), Signal::STOP).unwrap();
    fs::write(room.path("log"), all("two") + "same\n").unwrap();
    kill_process(Pid::from_child(&follower.child), Signal::CONT).unwrap();
    follower.sees(&(all("two") + "same\n"));
    assert_eq!(follower.end().0, all("one") + &all("two") + "same\n");
}

/// `copytruncate` of a log that is being sealed; then lines make it as long as before, or longer, before the follower
/// looks again.
#[test]
fn a_log_that_was_cut_and_has_grown_again_is_read_from_its_start() {
    let room = Room::new();
    let mut sealer = appending(&room);
    sealer.feed(lines(0..10));
    until("a line", || text(room.path("log")).contains("n=9 "));
    let follower = Follower::open(&room);
    for (round, number) in [10, 11, 40, 2000].into_iter().enumerate() {
        let start = 10_000 * (round + 1);
        let length = text(room.path("log")).len();
        follower.sees(&line(if round == 0 { 9 } else { 10_000 * round + [10, 11, 40][round - 1] - 1 }));
        kill_process(Pid::from_child(&follower.child), Signal::STOP).unwrap();
        fs::copy(room.path("log"), room.path("log.1")).unwrap();
        OpenOptions::new().write(true).open(room.path("log")).unwrap().set_len(0).unwrap();
        sealer.feed(lines(start..start + number));
        let last = format!("n={} ", start + number - 1);
        until("the last line", || text(room.path("log")).contains(&last));
        assert!(round == 0 || text(room.path("log")).len() >= length, "it is shorter than before");
        kill_process(Pid::from_child(&follower.child), Signal::CONT).unwrap();
    }
    follower.sees(&line(41_999));
    sealer.end().done();
    let (seen, ended) = follower.end();
    let all = [0..10, 10_000..10_010, 20_000..20_011, 30_000..30_040, 40_000..42_000].map(lines).concat();
    assert!(seen == all, "not the same lines in the same order: {ended:?}");
    assert_eq!(ended.err.matches("was truncated; reading on from its start").count(), 4, "{ended:?}");
}

/// The log is cut and grows to exactly the same length between two looks; a last line that was cut off is kept apart.
#[test]
fn a_log_of_the_same_length_is_another_one() {
    let room = Room::new();
    room.write("log", "one\ntwo\ntorn");
    let follower = Follower::open(&room);
    // The follower reads the first bytes alone, to find out if the log is compressed.
    follower.sees("one\ntwo\n");
    for round in 0..20 {
        let text = format!("{:03}\nsame", round * 7);
        fs::write(room.path("log"), &text).unwrap();
        follower.sees(&format!("{:03}\n", round * 7));
    }
    let (seen, _) = follower.end();
    let rounds: String = (0..20).map(|round| format!("{:03}\nsame\n", round * 7)).collect();
    assert_eq!(seen, format!("one\ntwo\ntorn\n{}", rounds.trim_end()));
}

/// A log that is rotated again and again while lines come as fast as they can.
#[test]
fn no_line_is_lost_or_moved_while_it_is_followed() {
    const LINES: usize = 30_000;
    let room = Room::new();
    let mut sealer = appending(&room);
    sealer.feed(line(0));
    until("a line", || text(room.path("log")).contains("n=0 "));
    let follower = Follower::open(&room);
    follower.sees(&line(0));
    let mut input = sealer.take_input();
    let mut renamed = 0;
    for start in (1..LINES).step_by(100) {
        input.write_all(lines(start..(start + 100).min(LINES)).as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(3));
        if start % 4000 == 1 && fs::rename(room.path("log"), room.path(format!("log.{renamed}"))).is_ok() {
            renamed += 1;
            until("a new file", || room.path("log").exists());
        }
    }
    follower.sees(&line(LINES - 1));
    drop(input);
    sealer.end().done();
    let (seen, ended) = follower.end();
    assert!(seen == lines(0..LINES), "not the same lines in the same order: {ended:?}");
    assert!(renamed > 5, "renamed {renamed} times");
}

/// A search that follows finds later lines, and ends by itself once it has enough.
#[test]
fn a_search_follows_as_well() {
    let room = Room::new();
    let mut sealer = appending(&room);
    sealer.feed(lines(0..10));
    until("a line", || text(room.path("log")).contains("n=9 "));
    let args = ["log", "grep", "-i", KEY, "--follow", "-m", "3", "-A", "1", "cret-.*5;", "log"];
    let follower = Follower::start(&room, &args);
    follower.sees(&lines(5..7));
    fs::rename(room.path("log"), room.path("log.1")).unwrap();
    sealer.feed(lines(10..20));
    follower.sees(&format!("--\n{}", lines(15..17)));
    sealer.feed(lines(20..26));
    follower.sees(&line(25));
    sealer.feed(lines(26..30));
    let (seen, ended) = follower.wait();
    ended.done();
    assert_eq!(seen, [lines(5..7), lines(15..17), lines(25..27)].join("--\n"));
    sealer.end().done();
}

//! Somebody who can write to a log cuts sessions out of it and moves its lines: `log verify --in-order` reports it, and
//! reports nothing for a log that is as it was written.

use crate::room::{Ended, KEY, Room};
use sealmark::record::{Label, LogSession, Order, Previous, Readers, SessionId, SessionSettings, Shape};
use std::time::{Duration, UNIX_EPOCH};

/// A session as separate lines.
struct Lines {
    id: SessionId,
    header: String,
    values: Vec<String>,
    closing: String,
}

impl Lines {
    fn new(room: &Room, values: u64, previous: Option<(&Self, u64)>) -> Self {
        let previous = previous.map(|(before, count)| Previous::new(before.id, Some(count)));
        Self::behind(room, values, previous)
    }

    /// Its header is that of a writer that found the session of another at the end of the log, which may go on.
    fn beside(room: &Room, values: u64, found: &Self) -> Self {
        Self::behind(room, values, Some(Previous::new(found.id, None)))
    }

    fn behind(room: &Room, values: u64, previous: Option<Previous>) -> Self {
        Self::with(room, values, SessionSettings::default().previous(previous))
    }

    /// A session that began so many seconds after the epoch, and names none before it.
    fn at(room: &Room, seconds: u64) -> Self {
        let began = UNIX_EPOCH + Duration::from_secs(seconds);
        Self::with(room, 3, SessionSettings::default().began(began))
    }

    fn with(room: &Room, values: u64, settings: SessionSettings) -> Self {
        let readers = Readers::recipients(&[room.mine.recipient()]).unwrap();
        let settings = settings.order(Order::Kept);
        let session = LogSession::begin(&readers, settings).unwrap();
        let label = Label::new("x").unwrap();
        let line = |_| format!("x={}\n", session.seal(&label, b"v").unwrap());
        let (id, header) = (session.id(), session.header_lines(Shape::Plain));
        Self {
            id,
            header,
            values: (0..values).map(line).collect(),
            closing: session.close(Shape::Plain).unwrap(),
        }
    }

    fn all(&self) -> String {
        self.header.clone() + &self.values.concat() + &self.closing
    }

    /// The session without its first `first` values.
    fn from(&self, first: usize) -> String {
        self.header.clone() + &self.values[first..].concat() + &self.closing
    }
}

fn chain(room: &Room) -> [Lines; 3] {
    let first = Lines::new(room, 3, None);
    let second = Lines::new(room, 3, Some((&first, 3)));
    let third = Lines::new(room, 3, Some((&second, 3)));
    [first, second, third]
}

fn verify(room: &Room, log: impl AsRef<[u8]>) -> Ended {
    room.write("log", log);
    room.run(["log", "verify", "-i", KEY, "--in-order", "log"])
}

#[test]
fn a_session_is_there_by_its_header_or_its_values_alone() {
    let room = Room::new();
    let [a, b, c] = chain(&room);
    verify(&room, a.all() + &b.all() + &c.all()).done();
    let words = "1 session missing";
    verify(&room, a.all() + &c.all()).told(words);
    let garbage = format!("~s1h~{}~AAAAAAAAAAAA~1.2~AAAA~\n", b.id);
    verify(&room, a.all() + &garbage + &c.all()).told(words);
    // The side file has the header; in its place, the log has a header that does not authenticate.
    room.write("side", &b.header);
    room.write("log", a.all() + &garbage + &c.all());
    room.run(["log", "verify", "-i", KEY, "--in-order", "--side-file", "side", "log"]).told(words);
}

#[test]
fn a_header_that_was_moved_to_the_top_begins_no_log() {
    let room = Room::new();
    let [a, b, c] = chain(&room);
    verify(&room, c.header.clone() + &a.all() + &c.values.concat() + &c.closing).told("1 session missing");
    let cut = c.header.clone() + &a.all() + &c.values[1..].concat() + &c.closing;
    verify(&room, cut).told("1 missing");
    verify(&room, b.header.clone() + &b.closing + &a.all() + &c.all()).told("3 missing");
    verify(&room, a.header.clone() + &a.closing + &c.all()).told("1 session missing");
}

/// The reader works in batches of 256 KiB, and the longer log takes several.
#[test]
fn values_behind_the_next_session_are_told_wherever_they_stand() {
    let room = Room::new();
    let a = Lines::new(&room, 3, None);
    let b = Lines::new(&room, 5000, Some((&a, 3)));
    for split in [2, 5000] {
        let (before, behind) = b.values.split_at(split);
        let log = [
            &a.header,
            &a.values[0],
            &b.header,
            &before.concat(),
            &a.values[1],
            &a.values[2],
            &a.closing,
            &behind.concat(),
            &b.closing,
        ];
        let ended = verify(&room, log.map(String::as_str).concat());
        ended.told("1 out of order");
        assert!(ended.err.contains("value 1 comes after values of the next session"), "{ended:?}");
    }
}

#[test]
fn a_repeated_value_breaks_no_row_where_batches_meet() {
    let room = Room::new();
    let a = Lines::new(&room, 12000, None);
    let seam = (0..).find(|n| a.header.len() + a.values[..*n].concat().len() > 256 << 10).unwrap();
    for repeated in seam - 3..seam + 3 {
        let log = a.header.clone()
            + &a.values[..=repeated].concat()
            + &a.values[repeated]
            + &a.values[repeated + 1..].concat()
            + &a.closing;
        let ended = verify(&room, log);
        ended.told("12000 sealed values verified, in order, 1 repeated;");
        let line = a.header.lines().count() + repeated + 2;
        assert!(ended.err.contains(&format!("line {line}: value {repeated} is a repeat")), "{ended:?}");
    }
}

#[test]
fn all_gaps_are_counted_and_a_hundred_are_listed() {
    let room = Room::new();
    let a = Lines::new(&room, 401, None);
    let every_other: String = a.values.iter().step_by(2).map(String::as_str).collect();
    let ended = verify(&room, a.header.clone() + &every_other + &a.closing);
    ended.told("200 missing;");
    assert!(ended.err.contains("note: and 192 more\n"), "{ended:?}");
}

/// Only a holder of the public key can write such headers.
#[test]
fn the_highest_count_holds_where_headers_differ() {
    let room = Room::new();
    let a = Lines::new(&room, 3, None);
    let (few, many) = (Lines::new(&room, 3, Some((&a, 3))), Lines::new(&room, 3, Some((&a, 9))));
    for _ in 0..8 {
        verify(&room, a.header.clone() + &a.values.concat() + &few.all() + &many.all()).told("6 missing;");
    }
}

#[test]
fn what_an_older_log_has_is_no_fault() {
    let room = Room::new();
    let [a, b, c] = chain(&room);
    let lone = Lines::new(&room, 6, None);
    verify(&room, a.header.clone() + &a.closing + &b.all()).holds("3 earlier values not found");
    verify(&room, b.header.clone() + &b.closing + &c.all()).holds("3 earlier values not found");
    verify(&room, b.from(1) + &c.all()).holds("1 earlier value not found");
    // Here two writers' logs rolled over; below, a session begins after another has ended.
    verify(&room, a.header.clone() + &lone.header + &a.values[1] + &lone.values[4] + &a.values[2])
        .holds("4 earlier values not found");
    verify(&room, a.all() + &lone.from(4)).told("4 missing");
    verify(&room, a.all() + &b.from(1)).told("1 missing");
}

/// Two programs append to one log. The second begins a session of its own after the first one's, which goes on.
#[test]
fn two_writers_of_one_log_are_no_fault() {
    let room = Room::new();
    let a = Lines::new(&room, 6, None);
    let b = Lines::beside(&room, 6, &a);
    let log = |lines: &[&str]| verify(&room, lines.concat());
    let both =
        [&a.header, &a.values[0], &b.header, &b.values[0], &a.values[1], &b.values[1]].map(String::as_str);
    log(&both).holds("4 sealed values verified, in order;");
    log(&[&b.header, &b.values[0], &a.header, &a.values[0]]).told("1 out of order");
    // The log was truncated and both go on in it, with their headers repeated.
    log(&[
        &a.header,
        &a.values[2],
        &b.header,
        &b.values[3],
        &a.values[3],
        &b.values[4],
        &a.values[4],
        &a.values[5],
    ])
    .holds("3 earlier values not found");
    log(&[&b.header, &b.values[3], &a.header, &a.values[2], &b.values[4], &a.values[3]])
        .holds("2 earlier values not found");
    // The log was renamed and both begin a session in the new file; each header names the writer's own session in the
    // old file.
    let (next_a, next_b) = (Lines::new(&room, 3, Some((&a, 6))), Lines::new(&room, 3, Some((&b, 6))));
    let rest_of_b = next_b.values[1..].concat() + &next_b.closing;
    let both =
        [&next_a.header, &next_b.header, &next_a.values[0], &next_b.values[0], &next_a.values[1], &rest_of_b];
    log(&both.map(String::as_str)).holds("5 sealed values verified, in order;");
    // One of them has no values.
    let idle = Lines::new(&room, 0, Some((&b, 6)));
    let a_alone = next_a.values.concat() + &next_a.closing;
    log(&[&next_a.header, &idle.header, &a_alone]).holds("3 sealed values verified, in order;");
    log(&[&idle.header, &next_a.header, &a_alone, &idle.closing])
        .holds("3 sealed values verified, in order;");
}

/// The lines look like one writer's log, out of which somebody cut a session and the values before or after it.
#[test]
fn a_session_that_was_cut_out_was_not_written_beside_others() {
    let room = Room::new();
    let [a, _, c] = chain(&room);
    let words = "1 session missing";
    verify(&room, a.header.clone() + &a.values[0] + &c.all()).told(words);
    verify(&room, a.all() + &c.header + &c.values[0] + &c.closing).told(words);
    let crashed = Lines::beside(&room, 3, &a);
    verify(&room, a.header.clone() + &a.values[0] + &crashed.from(1)).told("1 missing");
}

/// A clock that was set back makes such headers, too, so that the verdict stays as it is.
#[test]
fn logs_in_the_wrong_order_are_told_by_the_times_of_their_headers() {
    let room = Room::new();
    let [old, new, same] = [1000, 2000, 2000].map(|seconds| Lines::at(&room, seconds));
    let told = |log: String, rest: &[&str]| {
        room.write("log", log);
        let ended = room.run([&["log", "verify", "-i", KEY, "log"], rest].concat());
        ended.holds("6 sealed values verified");
        ended.err.contains("but its header has an earlier time")
    };
    assert!(told(new.all() + &old.all(), &["--in-order"]));
    assert!(!told(new.all() + &old.all(), &[]));
    assert!(!told(old.all() + &new.all(), &["--in-order"]));
    assert!(!told(new.all() + &same.all(), &["--in-order"]));
    // A header that is repeated where a log rolled over says nothing about order.
    assert!(!told(old.header.clone() + &old.values.concat() + &new.all() + &old.header, &["--in-order"]));
}

/// The reader works in batches of 256 KiB.
#[test]
fn a_closing_token_counts_wherever_its_header_stands() {
    let room = Room::new();
    let a = Lines::new(&room, 3, None);
    for filler in [0, 300 << 10] {
        let filler = "no token in this line\n".repeat(filler / 22);
        let log = a.closing.clone() + &filler + &a.header + &a.values.concat();
        verify(&room, log).holds("all 3 sealed values present");
        let log = a.closing.clone() + &filler + &a.header + &a.values[..2].concat();
        verify(&room, log).told("1 of 3 values missing");
        let other = format!(
            "~s1z~{}{}",
            a.id,
            &a.closing.trim_end()[21..].replace(|letter: char| letter.is_ascii_lowercase(), "A")
        );
        verify(&room, other + "\n" + &filler + &a.header + &a.values.concat()).told("1 altered");
    }
}

#[test]
fn programs_read_that_all_is_well_only_where_the_program_ends_so() {
    let room = Room::new();
    let a = Lines::new(&room, 300, None);
    room.write("log", a.all());
    room.shell("gzip -c log | head -c -30 > cut.gz").done();
    let long = a.all() + "{" + &"x".repeat(33 << 20) + "\n";
    room.write("long", long);
    for name in ["log", "cut.gz", "long"] {
        let ended = room.run(["log", "verify", "-i", KEY, "--json", name]);
        let verdict: serde_json::Value = serde_json::from_slice(&ended.out).unwrap();
        assert_eq!(verdict["ok"], name == "log", "{name}: {ended:?}");
        assert_eq!(ended.code == Some(0), name == "log", "{name}: {ended:?}");
    }
}

trait Verified {
    fn told(&self, words: &str);
    fn holds(&self, words: &str);
}

impl Verified for Ended {
    #[track_caller]
    fn told(&self, words: &str) {
        let out = String::from_utf8_lossy(&self.out);
        assert!(self.code == Some(4) && out.contains(words), "{words}: {self:?}");
    }

    #[track_caller]
    fn holds(&self, words: &str) {
        let out = String::from_utf8_lossy(&self.out);
        assert!(self.code == Some(0) && out.contains(words), "{words}: {self:?}");
    }
}

//! Lines of a period, selected by the times in headers: no line that may belong to the period is left out, whatever
//! clocks and strangers say, and the program reports how many lines it left out.

use crate::room::{Ended, KEY, Room};
use sealmark::record::{Label, LogSession, Previous, Readers, SessionId, SessionSettings, Shape};
use std::time::{Duration, SystemTime};

/// Hours on 2026-11-24 (UTC).
fn hour(hour: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_478_400 + hour * 3600)
}

/// A session with one value, which is its name.
struct Lines {
    id: SessionId,
    header: String,
    value: String,
    closing: String,
}

impl Lines {
    fn new(room: &Room, name: &str, began: Option<SystemTime>, previous: Option<&Self>) -> Self {
        let readers = Readers::recipients(&[room.mine.recipient()]).unwrap();
        let previous = previous.map(|before| Previous::new(before.id, None));
        let settings = SessionSettings::default().began(began).previous(previous);
        let session = LogSession::begin(&readers, settings).unwrap();
        let (id, header) = (session.id(), session.header_lines(Shape::Plain));
        let token = session.seal(&Label::new("x").unwrap(), name.as_bytes()).unwrap();
        Self { id, header, value: format!("x={token}\n"), closing: session.close(Shape::Plain).unwrap() }
    }

    fn all(&self) -> String {
        self.header.clone() + &self.value + "  at line\n" + &self.closing
    }

    /// The session crashed, or goes on.
    fn unclosed(&self) -> String {
        self.header.clone() + &self.value
    }
}

/// One session an hour, from eight to eleven.
fn day(room: &Room) -> [Lines; 4] {
    let eight = Lines::new(room, "8", Some(hour(8)), None);
    let nine = Lines::new(room, "9", Some(hour(9)), Some(&eight));
    let ten = Lines::new(room, "10", Some(hour(10)), Some(&nine));
    let eleven = Lines::new(room, "11", Some(hour(11)), Some(&ten));
    [eight, nine, ten, eleven]
}

fn open(room: &Room, period: &[&str]) -> Ended {
    room.run([&["log", "open", "-i", KEY], period, &["log"]].concat())
}

/// The values that were printed.
#[track_caller]
fn values(ended: &Ended, left_out: u64) -> String {
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told = match left_out {
        0 => String::new(),
        1 => {
            "note: left out: 1 line of sessions that ended before --since or began after --until\n".to_owned()
        }
        _ => format!(
            "note: left out: {left_out} lines of sessions that ended before --since or began after --until\n"
        ),
    };
    assert_eq!(ended.err, told);
    let text = String::from_utf8(ended.out.clone()).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("x=")).collect::<Vec<_>>().join(" ")
}

#[test]
fn lines_are_those_of_sessions_of_the_period() {
    let room = Room::new();
    room.write("log", day(&room).map(|lines| lines.all()).concat());
    for (period, seen, left_out) in [
        (&["--since", "2026-11-24T09:30:00Z"][..], "9 10 11", 2),
        (&["--since", "2026-11-24T10:01:00Z"], "9 10 11", 2),
        (&["--since", "2026-11-24T10:01:01Z"], "10 11", 4),
        (&["--until", "2026-11-24T09:59:59Z"], "8 9", 4),
        (&["--until", "2026-11-24T10:00:00Z"], "8 9 10", 2),
        (&["--since", "2026-11-24T09:30:00Z", "--until", "2026-11-24T09:40:00Z"], "9", 6),
        (&["--since", "2026-11-25T00:00:00Z"], "11", 6),
        (&["--until", "2026-11-24T07:00:00Z"], "", 8),
    ] {
        let opened = open(&room, period);
        assert_eq!(values(&opened, left_out), seen, "{period:?}");
        // Each value brings along the line that follows it.
        let traces = String::from_utf8_lossy(&opened.out).matches("  at line\n").count();
        assert_eq!(traces, seen.split_whitespace().count(), "{period:?}");
    }
    let day =
        |day: &str| room.shell(&format!("TZ=UTC sealmark log open -i {KEY} --since {day} --until {day} log"));
    assert_eq!(values(&day("2026-11-24"), 0), "8 9 10 11");
    assert_eq!(values(&day("2026-11-23"), 8), "");
    let refused = open(&room, &["--since", "2026-11-24T10:00:00Z", "--until", "2026-11-24T09:00:00Z"]);
    refused.failed(1, "--since is later than --until");
    open(&room, &["--since", "soon"]).failed(1, "write a time such as 2026-11-24");
}

/// `grep` searches the lines that `open` prints, and numbers them as in the file.
#[test]
fn a_search_leaves_out_the_same_lines() {
    let room = Room::new();
    room.write("log", day(&room).map(|lines| lines.all()).concat());
    let grep = |args: &str| {
        room.shell(&format!("sealmark log grep -i {KEY} --since 2026-11-24T10:01:01Z {args} log"))
    };
    let found = grep("-n 'x=9|x=1|at'");
    assert_eq!(String::from_utf8_lossy(&found.out), "10:x=10\n11:  at line\n14:x=11\n15:  at line\n");
    assert!(found.err.starts_with("note: left out: 4 lines of sessions"), "{found:?}");
    assert_eq!(String::from_utf8_lossy(&grep("-c -v nothing").out), "4\n");
    assert_eq!(grep("x=9").code, Some(1));
    // Lines that were left out separate two groups (`--`), and the log's own lines do not.
    let [eight, nine, ten, eleven] = day(&room);
    let headers = [&eight, &nine, &ten, &eleven].map(|lines| lines.header.clone() + &lines.closing).concat();
    room.write(
        "log",
        headers + &[&ten.value, &ten.closing[..], &eleven.value, &eight.value, &ten.value].concat(),
    );
    for flags in ["-A0", "-C1"] {
        let found = grep(&format!("{flags} x"));
        assert_eq!(String::from_utf8_lossy(&found.out), "x=10\nx=11\n--\nx=10\n", "{flags}");
    }
}

#[test]
fn nothing_is_left_out_of_which_nobody_can_tell_when_it_was() {
    let room = Room::new();
    let since = ["--since", "2026-11-24T12:00:00Z"];
    let [eight, nine, ..] = day(&room);
    // No header says when the next session began.
    room.write("log", eight.all());
    assert_eq!(values(&open(&room, &since), 0), "8");
    // A header says so, but the session may go on beside the next: it has no closing token, or only a forged one.
    room.write("log", eight.unclosed() + &nine.all());
    assert_eq!(values(&open(&room, &since), 0), "8 9");
    let forged = nine.closing.replace(&nine.id.to_string(), &eight.id.to_string());
    room.write("log", eight.unclosed() + &forged + &nine.all());
    assert_eq!(open(&room, &since).out, b"x=8\nx=9\n  at line\n");
    // The session's own header has no time, or the next header has none.
    let timeless = Lines::new(&room, "?", None, Some(&eight));
    room.write("log", eight.all() + &timeless.all());
    assert_eq!(values(&open(&room, &since), 0), "8 ?");
    assert_eq!(values(&open(&room, &["--until", "2026-11-24T07:00:00Z"]), 2), "?");
    // No key opens the session.
    let theirs = Room::new();
    let closed = Lines::new(&theirs, "theirs", Some(hour(1)), None);
    let after = Lines::new(&theirs, "theirs", Some(hour(2)), Some(&closed));
    room.write("log", closed.all() + &after.all());
    let opened = open(&room, &since);
    assert_eq!((opened.code, opened.out.split(|byte| *byte == b'\n').count()), (Some(3), 5), "{opened:?}");
    // The first line comes before all headers.
    room.write("log", format!("first\n{}{}", eight.all(), nine.all()));
    assert!(open(&room, &since).out.starts_with(b"first\nx=9\n"));
}

/// A clock was set back, and a stranger who has the public key claims that his session came next.
#[test]
fn clocks_and_strangers_that_lie_leave_nothing_out() {
    let room = Room::new();
    let late = Lines::new(&room, "late", Some(hour(20)), None);
    let next = Lines::new(&room, "next", Some(hour(9)), Some(&late));
    room.write("log", late.all() + &next.all());
    for period in [["--since", "2026-11-24T12:00:00Z"], ["--until", "2026-11-24T12:00:00Z"]] {
        assert_eq!(values(&open(&room, &period), 0), "late next", "{period:?}");
    }
    let [eight, nine, ten, _] = day(&room);
    let stranger = Lines::new(&room, "!", Some(hour(9)), Some(&nine));
    let text = [&eight.all(), &nine.header, &stranger.header, &nine.value, &nine.closing, &ten.all()];
    room.write("log", text.map(String::as_str).concat());
    assert_eq!(values(&open(&room, &["--since", "2026-11-24T09:30:00Z"]), 2), "9 10");
}

/// The next header may be in another log, maybe compressed, and a pipe cannot be searched for it.
#[test]
fn all_logs_are_asked_before_the_first_is_opened() {
    let room = Room::new();
    let [eight, nine, ten, _] = day(&room);
    room.write("old", eight.all() + &nine.all());
    room.write("log", ten.all());
    let since = "--since 2026-11-24T10:30:00Z";
    let opened = room.shell(&format!("gzip old; sealmark log open -i {KEY} {since} old.gz log"));
    assert_eq!(values(&opened, 4), "10");
    for pipe in ["< log", "<(cat log)", "log - < log"] {
        room.shell(&format!("sealmark log open -i {KEY} {since} {pipe}"))
            .failed(1, "--since and --until cannot be used with");
    }
    // The pipe may contain a later session whose clock was set back.
    room.shell(&format!("cat log | sealmark log open -i {KEY} --until 2026-11-24T09:30:00Z"))
        .failed(1, "--since and --until cannot be used with standard input");
}

/// A late line of an old session does not hide the lines after it: they may belong to the new session.
#[test]
fn a_late_line_hides_no_line_behind_it() {
    let room = Room::new();
    let [eight, nine, ten, _] = day(&room);
    let filler = format!("of ten {}\n", "-".repeat(90)).repeat(20_000);
    let text = eight.all()
        + &nine.all()
        + &ten.header
        + &ten.value
        + "of ten\n"
        + &eight.value
        + &filler
        + &ten.closing;
    room.write("log", &text);
    let opened = open(&room, &["--since", "2026-11-24T10:30:00Z"]);
    assert_eq!(opened.out, ("x=10\nof ten\n".to_owned() + &filler).into_bytes());
    // A session that began after the period does not hide lines either that may belong to a session in the period.
    room.write(
        "log",
        eight.all() + &nine.header + &nine.value + &eight.value + "of eight\n" + &nine.closing + &ten.all(),
    );
    let opened = open(&room, &["--until", "2026-11-24T08:30:00Z"]);
    assert_eq!(opened.out, b"x=8\n  at line\nx=8\nof eight\n");
}

/// In a large log, the batches of one pass begin anywhere.
#[test]
fn lines_without_a_value_go_with_those_before_them() {
    let room = Room::new();
    let sessions = day(&room);
    let filler = |name: &str| format!("{name} {}\n", "-".repeat(90)).repeat(20_000);
    let text: String = sessions.iter().map(|lines| lines.all() + &filler("f")).collect();
    room.write("log", text);
    let (since, until) = ("2026-11-24T10:30:00Z", "2026-11-24T10:40:00Z");
    let opened = open(&room, &["--since", since, "--until", until]);
    assert!(opened.err.contains("left out: 60006 lines"), "{}", opened.err);
    assert!(opened.out == format!("x=10\n  at line\n{}", filler("f")).into_bytes());
}

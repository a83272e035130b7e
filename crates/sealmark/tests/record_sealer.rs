//! A log that goes on: the session of each value, and the lines that the sink has taken by then.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::log::{label, opener, readers, text};
use sealmark::record::*;
use sealmark::{Error, RecordMisuse};
use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{io, thread};

#[test]
fn each_value_is_sealed_once_by_256_threads() {
    every_value_once(256, 100, MAX_VALUES);
}

#[test]
fn each_value_is_sealed_once_while_sessions_follow_one_another() {
    every_value_once(16, 500, 97);
}

#[test]
#[ignore = "ten million values: make soak"]
fn each_of_ten_million_values_is_sealed_once() {
    every_value_once(256, 40_000, 1 << 20);
}

/// Each thread opens what it sealed, so that no log of them all is needed.
fn every_value_once(threads: u64, values: u64, a_session: u64) {
    let log = Mutex::new(String::new());
    let sealer = sealer(a_session, |lines| {
        log.lock().unwrap().push_str(text(lines));
        Ok(())
    });
    let reports = thread::scope(|scope| {
        let work = |thread| {
            let (sealer, log) = (&sealer, &log);
            move || seal_and_open(sealer, log, thread * values..(thread + 1) * values)
        };
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(work(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    sealer.close().unwrap();
    let mut report = opener().open(log.lock().unwrap().as_bytes(), &mut Vec::new());
    reports.into_iter().for_each(|thread| report += thread);

    assert_eq!(report.opened, threads * values);
    assert!(report.sessions.len() as u64 >= (threads * values).div_ceil(a_session));
    for session in report.sessions.values() {
        assert_eq!((session.repeated, session.untracked()), (0, 0), "a counter was used twice");
        assert_eq!(session.closing, Some(session.values()), "a value was lost");
        assert!(session.missing().is_empty() && session.not_counted() == 0 && session.values() <= a_session);
    }
    assert_eq!(report.sessions.values().map(SessionReport::values).sum::<u64>(), threads * values);
}

fn seal_and_open<S>(sealer: &LogSealer<S>, log: &Mutex<String>, values: std::ops::Range<u64>) -> Report
where
    S: Fn(OwnLines<'_>) -> io::Result<()>,
{
    let (mut opener, mut pass) = (opener(), TokenOpener::new(Context::Plain));
    let (mut sealed, mut opened, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for start in values.clone().step_by(100) {
        [&mut sealed, &mut opened, &mut expected].into_iter().for_each(Vec::clear);
        for value in start..values.end.min(start + 100) {
            sealer.seal_into(&label(), &value.to_be_bytes(), &mut sealed).unwrap();
            expected.extend_from_slice(&value.to_be_bytes());
        }
        // By now the headers of all these tokens are in the log.
        opener.learn(log.lock().unwrap().as_bytes());
        pass.open(&opener.sessions(), &sealed, &mut opened);
        assert!(opened == expected);
    }
    pass.into_report()
}

#[test]
fn no_token_comes_before_its_header() {
    let seen = Mutex::new(HashSet::new());
    let sealer = sealer(7, |lines| {
        if let OwnLines::Header(text) = lines {
            // Other threads get time to run ahead of the sink.
            thread::sleep(Duration::from_micros(300));
            let Some(Found::Part(part)) = find(text.as_bytes()).next() else { panic!("{text}") };
            seen.lock().unwrap().insert(part.session);
        }
        Ok(())
    });
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let token = sealer.seal(&label(), b"value").unwrap();
                    let Some(Found::Token(token)) = find(token.as_bytes()).next() else { panic!("no token") };
                    assert!(seen.lock().unwrap().contains(&token.session), "a token before its header");
                }
            });
        }
    });
    assert_eq!(seen.lock().unwrap().len(), 800_usize.div_ceil(7));
}

#[test]
fn while_the_sink_fails_nothing_is_sealed_and_a_marker_stands_for_the_value() {
    let broken = AtomicBool::new(false);
    let sealer = sealer(1, |_| {
        if broken.load(Ordering::SeqCst) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    });
    sealer.seal(&label(), b"1").unwrap();
    broken.store(true, Ordering::SeqCst);
    let mut out = b"v=".to_vec();
    for _ in 0..3 {
        let result = sealer.seal_into(&label(), b"secret", &mut out);
        assert!(
            matches!(result, Err(Error::Write { error, .. }) if error.kind() == io::ErrorKind::StorageFull)
        );
        assert_eq!(out, b"v=");
    }
    sealer.seal_or_mark(&label(), b"secret", Padding::NONE, &mut out).unwrap_err();
    assert_eq!(out, b"v=~s1x~v~");
    broken.store(false, Ordering::SeqCst);
    sealer.seal(&label(), b"2").unwrap();
}

#[test]
fn a_sink_that_fails_at_first_makes_no_sealer() {
    let result = LogSealer::new(
        readers(),
        settings(1),
        |_: OwnLines<'_>| Err(io::ErrorKind::Other.into()),
        Instant::now(),
    );
    assert!(matches!(result.err(), Some(Error::Write { .. })));
}

#[test]
fn sessions_end_by_the_callers_clock() {
    let start = Instant::now();
    let log = Mutex::new(String::new());
    let sealer = sealer(1000, |lines| {
        log.lock().unwrap().push_str(text(lines));
        Ok(())
    });
    let first = sealer.session().0;
    sealer.tick(start + Duration::from_secs(3599)).unwrap();
    assert_eq!(sealer.session().0, first);
    sealer.tick(start + Duration::from_secs(3601)).unwrap();
    let second = sealer.session().0;
    assert_ne!(second, first);
    // A clock that goes back, as it may between threads, ends no session.
    sealer.tick(start).unwrap();
    sealer.tick(start + Duration::from_secs(7100)).unwrap();
    assert_eq!(sealer.session().0, second);
    sealer.tick(start + Duration::from_secs(7300)).unwrap();
    assert_ne!(sealer.session().0, second);
    let report = opener().open(log.lock().unwrap().as_bytes(), &mut Vec::new());
    assert_eq!(report.sessions.len(), 2, "both were closed");
}

#[test]
fn a_closed_log_seals_nothing_and_begins_nothing() {
    let sealer = sealer(1000, |_| Ok(()));
    sealer.close().unwrap();
    assert!(matches!(sealer.seal(&label(), b"1"), Err(Error::Record(RecordMisuse::SessionEnded))));
    assert!(matches!(sealer.rotate(Instant::now()), Err(Error::Record(RecordMisuse::SessionEnded))));
    assert!(matches!(sealer.close(), Err(Error::Record(RecordMisuse::SessionEnded))));
}

#[test]
fn where_order_is_kept_each_header_counts_the_session_before() {
    let (log, broken) = (Mutex::new(String::new()), AtomicBool::new(false));
    let settings = settings(3).order(Order::Kept).wall_clock(clock);
    let sink = |lines: OwnLines<'_>| {
        if broken.swap(false, Ordering::SeqCst) {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            log.lock().unwrap().push_str(text(lines));
            Ok(())
        }
    };
    let sealer = LogSealer::new(readers(), settings, sink, Instant::now()).unwrap();
    let mut sessions = vec![sealer.session().0];
    for value in 0..8 {
        if value == 3 {
            broken.store(true, Ordering::SeqCst);
            sealer.seal(&label(), b"value").unwrap_err();
        }
        let token = sealer.seal(&label(), b"value").unwrap();
        log.lock().unwrap().push_str(&format!("{token}\n"));
        sessions.push(sealer.session().0);
    }
    sealer.restored(Instant::now()).unwrap();
    sessions.push(sealer.session().0);
    sealer.close().unwrap();
    sessions.dedup();
    let (mut opener, log) = (opener(), log.into_inner().unwrap());
    let report = opener.open(log.as_bytes(), &mut Vec::new());
    let told: Vec<_> = sessions.iter().map(|session| facts(&opener, *session)).collect();
    let before = |at: usize| Some(Previous::new(sessions[at], Some(3)));
    let expected = [None, before(0), before(1), None];
    assert_eq!(told, expected.map(|previous| (Order::Kept, previous, Some(NOON))));
    let values = |session: &SessionReport| (session.closing, session.values());
    assert_eq!(
        sessions.iter().map(|session| report.sessions.get(session).map(values)).collect::<Vec<_>>(),
        [Some((Some(3), 3)), Some((Some(3), 3)), Some((None, 2)), Some((Some(0), 0))]
    );
    assert_eq!(log.matches("~s1z~").count(), 3);
}

#[test]
fn where_order_is_not_kept_headers_name_the_session_before_and_the_first_that_of_the_log() {
    let log = Mutex::new(String::new());
    let known = Previous::new("AAAAAAAAAAAAAAAA".parse().unwrap(), Some(7));
    let settings = settings(1).previous(known);
    let sink = |lines: OwnLines<'_>| {
        log.lock().unwrap().push_str(text(lines));
        Ok(())
    };
    let sealer = LogSealer::new(readers(), settings, sink, Instant::now()).unwrap();
    let first = sealer.session().0;
    sealer.rotate(Instant::now()).unwrap();
    let mut opener = opener();
    opener.learn(log.lock().unwrap().as_bytes());
    assert_eq!(facts(&opener, first), (Order::Unpromised, Some(known), None));
    let previous = Some(Previous::new(first, None));
    assert_eq!(facts(&opener, sealer.session().0), (Order::Unpromised, previous, None));
}

fn facts(opener: &LogOpener, session: SessionId) -> (Order, Option<Previous>, Option<u64>) {
    let HeaderFacts { order, previous, began, .. } = opener.sessions().facts(session).unwrap();
    (order, previous, began)
}

/// After the clock was set back, values of a session may be later than the beginning of the next one.
#[test]
fn a_session_in_which_the_clock_was_set_back_is_not_named() {
    static DAY: AtomicU64 = AtomicU64::new(NOON);
    let log = Mutex::new(String::new());
    let wall_clock = || UNIX_EPOCH + Duration::from_secs(DAY.load(Ordering::SeqCst));
    let sink = |lines: OwnLines<'_>| {
        log.lock().unwrap().push_str(text(lines));
        Ok(())
    };
    let start = Instant::now();
    let sealer = LogSealer::new(readers(), settings(9).wall_clock(wall_clock), sink, start).unwrap();
    let mut opener = opener();
    let mut before = sealer.session().0;
    for (minute, day, is_named) in
        [(60, 60, true), (120, 119, false), (180, 179, true), (240, 300, true), (300, 200, false)]
    {
        DAY.store(NOON + day * 60, Ordering::SeqCst);
        sealer.rotate(start + Duration::from_secs(minute * 60)).unwrap();
        opener.learn(log.lock().unwrap().as_bytes());
        let previous = opener.sessions().facts(sealer.session().0).unwrap().previous;
        assert_eq!(
            previous.map(|previous| previous.session),
            is_named.then_some(before),
            "after {minute} minutes"
        );
        before = sealer.session().0;
    }
}

#[test]
fn a_header_can_be_written_again() {
    let log = Mutex::new(Vec::new());
    let sealer = sealer(1000, |lines| {
        log.lock().unwrap().push(text(lines).to_owned());
        Ok(())
    });
    sealer.repeat_header().unwrap();
    let log = log.lock().unwrap();
    assert_eq!((log.len(), &log[0]), (2, &log[1]));
}

fn sealer<S: Fn(OwnLines<'_>) -> io::Result<()>>(values: u64, sink: S) -> LogSealer<S> {
    LogSealer::new(readers(), settings(values), sink, Instant::now()).unwrap()
}

#[test]
fn a_clock_before_1970_tells_no_time() {
    let settings = settings(1).wall_clock(|| UNIX_EPOCH - Duration::from_secs(1));
    let log = Mutex::new(String::new());
    let sink = |lines: OwnLines<'_>| {
        log.lock().unwrap().push_str(text(lines));
        Ok(())
    };
    let sealer = LogSealer::new(readers(), settings, sink, Instant::now()).unwrap();
    let mut opener = opener();
    opener.learn(log.lock().unwrap().as_bytes());
    assert_eq!(opener.sessions().facts(sealer.session().0).unwrap().began, None);
}

/// Noon of 20 January 2027, UTC, in seconds since 1970.
const NOON: u64 = 1_800_446_400;

fn clock() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(NOON)
}

fn settings(values: u64) -> SealerSettings {
    SealerSettings::new(Shape::Plain).max_values(NonZeroU64::new(values).unwrap())
}

//! A forked child seals under a key of its own. The child is a copy of this test's process, so it does no more than it
//! must.
#![cfg(unix)]
#![allow(clippy::unwrap_used, unsafe_code, reason = "a test stops at the first surprise, and forks")]

mod common;

use common::log::{label, opener, readers, text};
use sealmark::record::*;
use sealmark::{Error, RecordMisuse};
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU64;
use std::os::fd::FromRawFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_child_seals_nothing_under_its_parents_session() {
    let session = LogSession::begin(&readers(), SessionSettings::default()).unwrap();
    session.seal(&label(), b"parent").unwrap();
    let told = in_child(&|| match (session.seal(&label(), b"child"), session.close(Shape::Plain)) {
        (
            Err(Error::Record(RecordMisuse::SessionForked)),
            Err(Error::Record(RecordMisuse::SessionForked)),
        ) => "refused".into(),
        (sealed, closed) => format!("{sealed:?}, {closed:?}"),
    });
    assert_eq!(told, "refused");
    session.seal(&label(), b"parent again").unwrap();
}

#[test]
fn parent_children_and_grandchild_share_no_nonce() {
    let log = Mutex::new(String::new());
    let sealer = sealer(|lines| {
        log.lock().unwrap().push_str(text(lines));
        Ok(())
    });
    write(&sealer, &log, 3);
    // A child has a copy of the log's text, and returns its own text through a pipe.
    let family = |depth| {
        in_child(&|| {
            log.lock().unwrap().clear();
            write(&sealer, &log, 3);
            if depth > 0 {
                let below = in_child(&|| {
                    log.lock().unwrap().clear();
                    write(&sealer, &log, 3);
                    log.lock().unwrap().clone()
                });
                log.lock().unwrap().push_str(&below);
            }
            log.lock().unwrap().clone()
        })
    };
    let children = [family(0), family(1)].concat();
    write(&sealer, &log, 3);
    sealer.close().unwrap();
    let whole = log.lock().unwrap().clone() + &children;

    let (mut opener, mut opened) = (opener(), Vec::new());
    let report = opener.open(whole.as_bytes(), &mut opened);
    let facts = |id| opener.sessions().facts(id).unwrap();
    assert!(
        report.sessions.keys().all(|id| facts(*id).previous.is_none()),
        "a child names its parent's session"
    );
    assert_eq!(report.opened, 6 + 3 + 6, "{whole}");
    assert_eq!(report.sessions.len(), 4, "a session for each process");
    for (id, session) in &report.sessions {
        assert_eq!(session.repeated, 0, "a nonce was used twice in session {id}");
        assert!(session.missing().is_empty());
    }
    // Only the parent may end its session.
    assert_eq!(report.sessions.values().filter_map(|session| session.closing).collect::<Vec<_>>(), [6]);
}

#[test]
fn a_child_forked_while_a_session_begins_is_not_stuck() {
    let (parent, begun, go_on) = (std::process::id(), AtomicBool::new(false), AtomicBool::new(true));
    let sealer = sealer(|lines| {
        begun.store(true, Ordering::SeqCst);
        while std::process::id() == parent
            && matches!(lines, OwnLines::Header(_))
            && !go_on.load(Ordering::SeqCst)
        {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    });
    go_on.store(false, Ordering::SeqCst);
    begun.store(false, Ordering::SeqCst);
    thread::scope(|scope| {
        scope.spawn(|| sealer.rotate(Instant::now()).unwrap());
        while !begun.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        let told =
            in_child(&|| sealer.seal(&label(), b"child").map_or_else(|e| e.to_string(), |_| "sealed".into()));
        go_on.store(true, Ordering::SeqCst);
        assert_eq!(told, "sealed");
    });
}

fn write<S: Fn(OwnLines<'_>) -> std::io::Result<()>>(
    sealer: &LogSealer<S>,
    log: &Mutex<String>,
    values: usize,
) {
    for _ in 0..values {
        let token = sealer.seal(&label(), b"value").unwrap();
        log.lock().unwrap().push_str(&format!("{token}\n"));
    }
}

/// The text that `tell` returns in a forked child, which gives up after ten seconds.
fn in_child(tell: &dyn Fn() -> String) -> String {
    let mut ends = [0; 2];
    // SAFETY: the child leaves by `_exit`, and the descriptors become files that own them.
    unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let child = libc::fork();
        if child == 0 {
            libc::alarm(10);
            let told = tell();
            File::from_raw_fd(ends[1]).write_all(told.as_bytes()).unwrap();
            libc::_exit(0);
        }
        drop(File::from_raw_fd(ends[1]));
        let mut told = String::new();
        File::from_raw_fd(ends[0]).read_to_string(&mut told).unwrap();
        assert_eq!(libc::waitpid(child, std::ptr::null_mut(), 0), child);
        told
    }
}

fn sealer<S: Fn(OwnLines<'_>) -> std::io::Result<()>>(sink: S) -> LogSealer<S> {
    let settings = SealerSettings::new(Shape::Plain).max_values(NonZeroU64::new(1000).unwrap());
    LogSealer::new(readers(), settings, sink, Instant::now()).unwrap()
}

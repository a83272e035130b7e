//! Values that seal themselves when a logger formats them.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::log::{opener, readers, text};
use sealmark::record::*;
use std::num::NonZeroU64;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use std::{fmt, io};

fn sealer<S: Fn(OwnLines<'_>) -> io::Result<()>>(values: u64, sink: S) -> LogSealer<S> {
    let settings = SealerSettings::new(Shape::Plain).max_values(NonZeroU64::new(values).unwrap());
    LogSealer::new(readers(), settings, sink, Instant::now()).unwrap()
}

fn label(name: &str) -> Label {
    Label::new(name).unwrap()
}

/// Opens the text that `write` returns.
fn opened(write: impl FnOnce(&LogSealer<&dyn Fn(OwnLines<'_>) -> io::Result<()>>) -> String) -> String {
    let own = Mutex::new(String::new());
    let sink = |lines: OwnLines<'_>| {
        own.lock().unwrap().push_str(text(lines));
        Ok(())
    };
    let sealer = sealer(MAX_VALUES, &sink as &dyn Fn(OwnLines<'_>) -> io::Result<()>);
    let written = write(&sealer);
    let log = own.lock().unwrap().clone() + &written;
    let mut opened = Vec::new();
    let report = opener().open(log.as_bytes(), &mut opened);
    assert!(report.opened > 0, "{log}");
    String::from_utf8(opened).unwrap()
}

#[test]
fn a_value_is_its_token_however_it_is_formatted() {
    let (email, error) = (label("email"), io::Error::other("no\nroom"));
    let line = opened(|sealer| {
        let debug = format_args!("{error:?}");
        format!(
            "{} {:?} {}",
            sealer.sealed(&email, "a@b"),
            sealer.sealed(&email, 17),
            sealer.sealed(&email, debug)
        )
    });
    assert_eq!(line, format!("a@b 17 {error:?}"));
}

#[test]
fn a_long_value_does_not_spoil_the_next() {
    let (path, long) = (label("path"), "é".repeat(MAX_PLAINTEXT / 2));
    let line = opened(|sealer| {
        let too_long = format_args!("{long}!");
        format!(
            "{} {} {}",
            sealer.sealed(&path, &long),
            sealer.sealed(&path, too_long),
            sealer.sealed(&path, "/")
        )
    });
    assert_eq!(line, format!("{long} {} /", path.unsealed()));
}

#[test]
fn a_value_may_seal_another() {
    let (outer, inner) = (label("outer"), label("inner"));
    let line = opened(|sealer| {
        let both = format!("{}", sealer.sealed(&outer, format_args!("<{}>", sealer.sealed(&inner, 'x'))));
        // The token inside a token is a value, which an opener does not open again.
        assert!(!both.contains("inner"));
        both
    });
    assert!(line.starts_with("<~s1a~inner~") && line.ends_with("~>"), "{line}");
}

#[test]
fn what_cannot_be_sealed_or_formatted_is_the_marker() {
    struct Broken;
    impl fmt::Display for Broken {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half a secret")?;
            Err(fmt::Error)
        }
    }
    let (email, full) = (label("email"), AtomicBool::new(false));
    let sealer =
        sealer(
            1,
            |_: OwnLines<'_>| {
                if full.load(Ordering::Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
            },
        );
    assert_eq!(sealer.sealed(&email, Broken).to_string(), "~s1x~email~");
    assert!(sealer.sealed(&email, "first").to_string().starts_with("~s1a~"));
    full.store(true, Ordering::Relaxed);
    assert_eq!(sealer.sealed(&email, "second").to_string(), "~s1x~email~");
    full.store(false, Ordering::Relaxed);
    assert!(sealer.sealed(&email, "third").to_string().starts_with("~s1a~"));
}

//! Logs of real subscribers: opened, they equal the logs without sealing; sealed, they show no secret.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use sealmark::record::*;
use sealmark_tracing::{SealedFields, sink};
use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fmt, io, thread};
use tracing::subscriber::with_default;
use tracing::{Subscriber, error, info, info_span};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::DefaultFields;

/// The log that a subscriber and a sink have written.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn subscriber<F>(log: &Log, ansi: bool, fields: F) -> impl Subscriber + Send + Sync + use<F>
where
    F: for<'a> FormatFields<'a> + Send + Sync + 'static,
{
    let log = log.clone();
    tracing_subscriber::fmt()
        .without_time()
        .with_ansi(ansi)
        .with_writer(move || log.clone())
        .fmt_fields(fields)
        .finish()
}

fn sealer<S: Fn(OwnLines<'_>) -> io::Result<()>>(
    key: &PreSharedKey,
    settings: SealerSettings,
    sink: S,
) -> Arc<LogSealer<S>> {
    Arc::new(LogSealer::new(Readers::pre_shared(key.clone()), settings, sink, Instant::now()).unwrap())
}

/// A sealed log, the opened log, and the report.
fn sealed(ansi: bool, work: impl FnOnce()) -> (String, String, Report) {
    let (key, log) = (PreSharedKey::generate().unwrap(), Log::default());
    let writers = log.clone();
    let sealer = sealer(&key, SealerSettings::new(Shape::Plain), sink(move || writers.clone()));
    let fields = SealedFields::new(sealer.clone(), SECRET_FIELDS).unwrap();
    with_default(subscriber(&log, ansi, fields), work);
    sealer.close().unwrap();
    let (opened, report) = opened(key, &log.text());
    (log.text(), opened, report)
}

fn opened(key: PreSharedKey, log: &str) -> (String, Report) {
    let mut opened = Vec::new();
    let report = LogOpener::new(LogKeys::pre_shared(vec![key])).open(log.as_bytes(), &mut opened);
    (String::from_utf8(opened).unwrap(), report)
}

fn plain(ansi: bool, work: impl FnOnce()) -> String {
    let log = Log::default();
    with_default(subscriber(&log, ansi, DefaultFields::new()), work);
    log.text()
}

const SECRET_FIELDS: [&str; 6] = ["email", "user.ip", "type", "error", "count", "nested"];

#[derive(Debug)]
#[allow(dead_code, reason = "read by Debug alone")]
struct Request {
    path: &'static str,
    cookies: Vec<&'static str>,
}

#[derive(Debug)]
struct Outer(io::Error);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden outer")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Seventeen values are secret, and each of them contains "hidden", is a number, or is empty.
fn every_kind_of_value() {
    let failure: Box<dyn std::error::Error> = Box::new(Outer(io::Error::other("hidden inner")));
    let failure = failure.as_ref();
    let request = Request { path: "/hidden", cookies: vec!["hidden=1", "\"hidden\"\n"] };
    let span = info_span!(
        "request",
        email = "hidden@span",
        public = "seen",
        later = 1,
        user.ip = tracing::field::Empty
    );
    let _entered = span.enter();
    span.record("user.ip", "hidden ::1");
    info!(email = "hidden 'plain'", "login of {}", "seen");
    info!(email = "hidden \"quoted\"\r\n\t\\ é \u{1b}[31m", public = "seen \"too\"");
    info!(email = "", r#type = "hidden", public = ?request.path.len());
    info!(nested = ?request, public = true);
    info!(nested = %"hidden display", count = 77_001, "seen");
    info!(count = 77_002_u128, r#type = 0.770_03, email = ?Some("hidden"));
    info_span!("inner", count = -77_004_i64)
        .in_scope(|| error!(error = failure, public = failure.to_string().len()));
    error!(error = &io::Error::other("hidden") as &(dyn std::error::Error + 'static), public = "seen");
    info!(email = false, nested = "~s1a~email~");
}

#[test]
fn text_of_strangers_that_looks_like_a_token_is_sealed() {
    let strange = format!("/?a=~s1a~v~{}~{}~", "A".repeat(16), "A".repeat(40));
    let work = || info!(path = strange, "asked for ~s1z~");
    let (log, opened, report) = sealed(false, work);
    let (tokens, strange_ones) = (log.matches("~s1a~lookalike~").count(), log.matches("~s1a~v~").count());
    assert_eq!((tokens, strange_ones, report.opened, report.orphans), (2, 0, 2, 0), "{log}");
    assert_eq!(opened, plain(false, work));
}

/// A value may give another text when it is asked again, and nobody would check that text.
#[test]
fn a_value_is_asked_for_its_text_once() {
    #[derive(Default)]
    struct Fickle(AtomicBool);
    impl fmt::Display for Fickle {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(if self.0.swap(true, Ordering::Relaxed) { "~s1a~strange~" } else { "seen" })
        }
    }
    impl fmt::Debug for Fickle {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            fmt::Display::fmt(self, f)
        }
    }
    impl std::error::Error for Fickle {}
    let work = || {
        let failure: Box<dyn std::error::Error> = Box::new(Fickle::default());
        info!(value = ?Fickle::default(), failure = failure.as_ref(), text = %Fickle::default());
    };
    for ansi in [false, true] {
        let (log, ..) = sealed(ansi, work);
        assert_eq!((log.contains("~s1a~strange~"), log.matches("seen").count()), (false, 3), "{log}");
    }
}

#[test]
fn a_log_opens_to_what_is_logged_without_us() {
    for ansi in [false, true] {
        let (sealed, opened, report) = sealed(ansi, every_kind_of_value);
        assert_eq!(unstyled(&opened), unstyled(&plain(ansi, every_kind_of_value)), "ansi: {ansi}");
        // The two values of the outer span are in each of its nine lines, and the one of the inner span is in one.
        assert_eq!((report.opened, report.tampered), (2 * 9 + 1 + 14, 0), "{sealed}");
        assert!(!sealed.contains("hidden") && !sealed.contains("7700"), "{sealed}");
        assert!(sealed.contains("email=\"~s1a~email~") || ansi, "{sealed}");
    }
}

/// Removes colours, because a sealed value has none of its own, unlike the sources of an error.
fn unstyled(log: &str) -> String {
    let mut pieces = log.split("\u{1b}[");
    let first = pieces.next().unwrap().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once('m').unwrap().1)
}

#[test]
fn a_sealed_message_has_no_quotes() {
    let (key, log) = (PreSharedKey::generate().unwrap(), Log::default());
    let writers = log.clone();
    let sealer = sealer(&key, SealerSettings::new(Shape::Plain), sink(move || writers.clone()));
    let fields = SealedFields::new(sealer, ["message"]).unwrap();
    with_default(subscriber(&log, false, fields), || info!(public = 1, "\"hidden\" {}", 2));
    assert!(!log.text().contains("hidden"), "{}", log.text());
    assert_eq!(opened(key, &log.text()).0, plain(false, || info!(public = 1, "\"hidden\" {}", 2)));
}

/// Newer macros remove `r#` themselves, except in quoted names; older ones, and callsites from other sources, do not.
#[test]
fn raw_names_are_sealed_without_their_prefix() {
    let work = || info!("r#type" = "hidden", "seen");
    let (sealed, opened, report) = sealed(false, work);
    assert!(sealed.contains("type=\"~s1a~type~") && !sealed.contains("hidden"), "{sealed}");
    assert_eq!((report.opened, opened), (1, plain(false, work)));
}

#[test]
fn what_cannot_be_sealed_is_the_marker() {
    struct Broken;
    impl fmt::Debug for Broken {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("hidden")?;
            Err(fmt::Error)
        }
    }
    let (key, log, full) =
        (PreSharedKey::generate().unwrap(), Log::default(), Arc::new(AtomicBool::new(false)));
    let (own, is_full) = (
        sink({
            let log = log.clone();
            move || log.clone()
        }),
        full.clone(),
    );
    let each_its_session = SealerSettings::new(Shape::Plain).max_values(NonZeroU64::MIN);
    let sealer = sealer(&key, each_its_session, move |lines: OwnLines<'_>| {
        if is_full.load(Ordering::Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { own(lines) }
    });
    let fields = SealedFields::new(sealer, ["email"]).unwrap();
    with_default(subscriber(&log, false, fields), || {
        info!(email = "hidden 1", number = 1);
        full.store(true, Ordering::Relaxed);
        info_span!("span", email = "hidden 2").in_scope(|| info!(email = "hidden 3", number = 2));
        full.store(false, Ordering::Relaxed);
        info!(email = ?Broken, number = 3);
        info!(email = "hidden 4", number = 4);
        info!(email = "x".repeat(MAX_PLAINTEXT + 1), number = 5);
    });
    let (opened, report) = opened(key, &log.text());
    let lines: Vec<_> = opened.lines().map(|line| line.split_once("subscriber: ").unwrap().1).collect();
    assert_eq!(report.opened, 2);
    assert_eq!(
        lines,
        [
            "email=\"hidden 1\" number=1",
            "email=\"~s1x~email~\" number=2",
            "email=~s1x~email~ number=3",
            "email=\"hidden 4\" number=4",
            "email=\"~s1x~email~\" number=5",
        ]
    );
    assert!(opened.contains("span{email=\"~s1x~email~\"}: ") && !log.text().contains("hidden"), "{opened}");
}

#[test]
fn many_threads_lose_nothing() {
    const THREADS: usize = 32;
    const EVENTS: usize = 200;
    let work = || {
        let dispatch = tracing::dispatcher::get_default(tracing::Dispatch::clone);
        let thread = |thread: usize| {
            let dispatch = dispatch.clone();
            move || {
                tracing::dispatcher::with_default(&dispatch, || {
                    (0..EVENTS).for_each(|event| info!(email = format!("hidden-{thread}-{event}"), event));
                });
            }
        };
        thread::scope(|scope| (0..THREADS).for_each(|number| drop(scope.spawn(thread(number)))));
    };
    let (sealed, opened, report) = sealed(false, work);
    assert_eq!(report.opened, (THREADS * EVENTS) as u64);
    assert!(report.sessions.values().all(|session| session.closing == Some(session.values())));
    let different: BTreeSet<_> = opened.lines().collect();
    assert_eq!((opened.lines().count(), different.len()), (THREADS * EVENTS, THREADS * EVENTS));
    assert!(!sealed.contains("hidden"));
}

#[test]
fn json_lines_seal_values_where_they_are_logged() {
    let (key, log) = (PreSharedKey::generate().unwrap(), Log::default());
    let (writers, own) = (log.clone(), log.clone());
    let sealer = sealer(&key, SealerSettings::new(Shape::Json), sink(move || own.clone()));
    let email = Label::new("email").unwrap();
    let json = tracing_subscriber::fmt().json().with_writer(move || writers.clone()).finish();
    with_default(json, || {
        let span = info_span!("span", email = %sealer.sealed(&email, "hidden span"));
        span.in_scope(|| info!(email = %sealer.sealed(&email, "hidden \"1\"\n\\"), "seen"));
    });
    sealer.close().unwrap();
    assert!(!log.text().contains("hidden") && log.text().lines().all(is_json), "{}", log.text());
    let (opened, _) = opened(key, &log.text());
    let line: serde_json::Value = serde_json::from_str(&opened).unwrap();
    assert_eq!(
        (&line["fields"]["email"], &line["span"]["email"]),
        (&"hidden \"1\"\n\\".into(), &"hidden span".into())
    );
}

fn is_json(line: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(line).is_ok()
}

#[test]
fn sessions_end_by_age() {
    let (key, log) = (PreSharedKey::generate().unwrap(), Log::default());
    let writers = log.clone();
    let settings = SealerSettings::new(Shape::Plain).max_age(Duration::from_secs(1));
    let sealer = sealer(&key, settings, sink(move || writers.clone()));
    let fields = SealedFields::new(sealer, ["email"]).unwrap();
    with_default(subscriber(&log, false, fields), || {
        info!(email = "hidden 1");
        thread::sleep(Duration::from_millis(2100));
        info!(email = "hidden 2");
    });
    let (opened, report) = opened(key, &log.text());
    assert_eq!((opened.lines().count(), report.opened, report.sessions.len()), (2, 2, 2), "{opened}");
}

#[test]
fn names_that_are_no_labels_are_refused() {
    let key = PreSharedKey::generate().unwrap();
    let sealer = sealer(&key, SealerSettings::new(Shape::Plain), |_: OwnLines<'_>| Ok(()));
    for name in ["", "e mail", "user/email", "é", &"x".repeat(65)] {
        assert!(SealedFields::new(sealer.clone(), ["email", name]).is_err(), "{name:?}");
    }
}

//! A log that goes on: sessions follow one another by age, by number of values and after a fork.

use super::counters::Order;
use super::header::Previous;
use super::keys::Readers;
use super::label::Label;
use super::parts::Shape;
use super::session::{LogSession, Padding, SessionSettings, Value};
use super::token::SessionId;
use super::turn::Turn;
use crate::error::{Error, RecordMisuse, Result};
use arc_swap::ArcSwap;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};
use std::{fmt, io};

/// How a log is sealed.
///
/// ```
/// use sealmark::record::{SealerSettings, Shape};
/// use std::time::{Duration, SystemTime};
///
/// let settings = SealerSettings::new(Shape::Json).max_age(Duration::from_secs(600)).wall_clock(SystemTime::now);
/// # let _ = settings;
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct SealerSettings {
    shape: Shape,
    max_age: Duration,
    wall_clock: Option<fn() -> SystemTime>,
    /// The settings of the first session. Each later one has its own session before it, and each its own time.
    session: SessionSettings,
}

/// The key of an hour is what a thief of memory gets.
const MAX_AGE: Duration = Duration::from_secs(3600);

impl SealerSettings {
    /// Lines of this shape; values are not padded, sessions end after an hour, order is not promised, the first session names
    /// no previous one, and headers have no time.
    pub fn new(shape: Shape) -> Self {
        Self { shape, max_age: MAX_AGE, wall_clock: None, session: SessionSettings::default() }
    }

    /// How much of the length of a value its token reveals.
    pub fn padding(self, padding: Padding) -> Self {
        Self { session: self.session.padding(padding), ..self }
    }

    /// A session ends after this many values, or a little before; after [`MAX_VALUES`](super::MAX_VALUES) in any case.
    pub fn max_values(self, values: NonZeroU64) -> Self {
        Self { session: self.session.max_values(values), ..self }
    }

    /// A session ends at the first [`LogSealer::tick`] that comes this long after it began.
    pub fn max_age(self, age: Duration) -> Self {
        Self { max_age: age, ..self }
    }

    /// The order in which tokens will stand in the log. [`Order::Kept`]: one thread at a time seals, and writes the token
    /// to the log before it or another one seals again.
    pub fn order(self, order: Order) -> Self {
        Self { session: self.session.order(order), ..self }
    }

    /// The last session of the log that is appended to, if it is known.
    pub fn previous(self, previous: impl Into<Option<Previous>>) -> Self {
        Self { session: self.session.previous(previous), ..self }
    }

    /// Tells when each session begins, for its header; usually `SystemTime::now`.
    pub fn wall_clock(self, clock: fn() -> SystemTime) -> Self {
        Self { wall_clock: Some(clock), ..self }
    }
}

/// Lines that a log needs besides its records, each with its line feed.
///
/// [`LogSealer`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnLines<'a> {
    /// The header of a session. Tokens of that session exist only after the sink has accepted it.
    Header(&'a str),
    /// The closing token of a session.
    Closing(&'a str),
}

impl<'a> OwnLines<'a> {
    /// The lines, to be written to the log as they are.
    pub fn text(self) -> &'a str {
        match self {
            Self::Header(text) | Self::Closing(text) => text,
        }
    }
}

/// Seals the values of a log over any number of sessions.
///
/// Its sink writes [`OwnLines`] to the log (and before that to a side file, if there is one). No token of a session is given
/// out before the sink took the session's header; while the sink fails, sealing fails. Any number of threads seal at once,
/// without a lock, unless [`Order::Kept`] is promised; one of them calls the sink, which must not seal. After a fork, the
/// child's first value begins a session of the child, so its sink writes to wherever the child logs. The sealer cannot detect
/// that its process was restored from a snapshot: call [`LogSealer::restored`] then.
///
/// The caller has three duties:
/// - [`LogSealer::tick`], every minute or so, from any thread that does not hold what the sink needs. **Without it no session
///   ever ends by its age**: the sealer has no clock and no thread of its own.
/// - [`LogSealer::close`] at the end. Dropping the sealer writes no closing token, so that `sealmark log verify` cannot tell
///   whether values are missing at the end of the log.
/// - Not to seal from within the sink: that would be a deadlock.
///
/// ```
/// use sealmark::{Identity, Kem};
/// use sealmark::record::{Label, LogSealer, OwnLines, Readers, SealerSettings, Shape};
/// use std::{fs::File, io::Write, sync::mpsc, thread, time::{Duration, Instant}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("log");
/// # let readers = Readers::recipients(&[Identity::generate(Kem::MlKem768X25519)?.recipient()])?;
/// let log = File::create(&path)?;
/// // One call for each record, so that lines of several threads do not mix.
/// let sink = |lines: OwnLines<'_>| (&log).write_all(lines.text().as_bytes());
/// let sealer = LogSealer::new(readers, SealerSettings::new(Shape::Plain), sink, Instant::now())?;
/// let (stop, stopped) = mpsc::channel::<()>();
/// thread::scope(|scope| {
///     scope.spawn(|| {
///         let stopped = stopped;
///         while stopped.recv_timeout(Duration::from_secs(60)) == Err(mpsc::RecvTimeoutError::Timeout) {
///             if let Err(error) = sealer.tick(Instant::now()) {
///                 eprintln!("the session goes on: {error}");
///             }
///         }
///     });
///     let token = sealer.seal(&Label::new("email")?, "ann@example.org")?;
///     (&log).write_all(format!("login of {token}\n").as_bytes())?;
///     drop(stop);
///     Ok::<(), Box<dyn std::error::Error>>(())
/// })?;
/// sealer.close()?;
/// # assert!(std::fs::read_to_string(&path)?.contains("login of ~s1a~email~"));
/// # Ok(())
/// # }
/// ```
#[must_use = "without close() the log looks cut off"]
pub struct LogSealer<S> {
    readers: ArcSwap<Readers>,
    settings: SealerSettings,
    sink: S,
    current: ArcSwap<Current>,
    turn: Turn,
    closed: AtomicBool,
    /// The caller's clock: nanoseconds from the first instant it gave to the last.
    clock: AtomicU64,
    origin: Instant,
}

/// Clocks are set right by less, little by little.
const SET_BACK: Duration = Duration::from_secs(1);

struct Current {
    session: LogSession,
    began: Duration,
    /// The same by the clock of the day, where headers tell it.
    day: Option<SystemTime>,
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>> LogSealer<S> {
    /// Begins the first session and passes its header to the sink. `now` starts the session's age.
    ///
    /// # Errors
    /// [`Error::Write`] where the sink failed; [`Error::Random`] where there is no randomness.
    pub fn new(readers: Readers, settings: SealerSettings, sink: S, now: Instant) -> Result<Self> {
        let first = begin(&readers, &settings, settings.session.previous, &sink, Duration::ZERO)?;
        Ok(Self {
            readers: ArcSwap::from_pointee(readers),
            settings,
            sink,
            current: ArcSwap::from_pointee(first),
            turn: Turn::default(),
            closed: AtomicBool::new(false),
            clock: AtomicU64::new(0),
            origin: now,
        })
    }

    /// Seals a value.
    ///
    /// # Errors
    /// As [`LogSealer::seal_into`].
    pub fn seal<'a>(&self, label: &Label, value: impl Into<Value<'a>> + Copy) -> Result<String> {
        let mut token = Vec::new();
        self.seal_into(label, value, &mut token)?;
        Ok(String::from_utf8(token).expect("a token is ASCII"))
    }

    /// Appends the token of a value to `out`, which an error leaves unchanged.
    ///
    /// # Errors
    /// [`RecordMisuse::ValueTooLong`]; [`RecordMisuse::NotJson`]; [`RecordMisuse::SessionEnded`] after [`LogSealer::close`];
    /// [`Error::Write`] where a new session was due and the sink did not take its header.
    #[inline]
    pub fn seal_into<'a>(
        &self,
        label: &Label,
        value: impl Into<Value<'a>> + Copy,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.in_session(|session| session.seal_into(label, value, out))
    }

    /// Seals in the current session, or in the next one where that has ended.
    // Two calls for each value make `log seal` slower by a fiftieth.
    #[inline(always)]
    fn in_session(&self, mut seal: impl FnMut(&LogSession) -> Result<()>) -> Result<()> {
        loop {
            let current = self.current.load();
            match seal(&current.session) {
                Err(Error::Record(RecordMisuse::SessionEnded | RecordMisuse::SessionForked)) => {
                    self.replace(current.session.id())?;
                }
                result => return result,
            }
        }
    }

    /// Like [`LogSealer::seal_into`], but with this padding in place of that of the settings. On an error it appends
    /// [`Label::unsealed`], and nothing of the value.
    ///
    /// # Errors
    /// As [`LogSealer::seal_into`].
    #[inline]
    pub fn seal_or_mark<'a>(
        &self,
        label: &Label,
        value: impl Into<Value<'a>> + Copy,
        padding: Padding,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.in_session(|session| session.seal_padded_into(label, value, padding, out))
            .inspect_err(|_| out.extend_from_slice(label.unsealed().as_bytes()))
    }

    /// Tells the sealer the time. Begins the next session if the current one is old enough. Nothing else does that: call it
    /// every minute or so, from a thread of your own or between two lines.
    ///
    /// # Errors
    /// As [`LogSealer::rotate`]; the current session stays in use.
    pub fn tick(&self, now: Instant) -> Result<()> {
        let now = self.advance(now);
        let current = self.current.load();
        if now.saturating_sub(current.began) >= self.settings.max_age {
            self.replace(current.session.id())
        } else {
            Ok(())
        }
    }

    /// Begins the next session.
    ///
    /// # Errors
    /// [`Error::Write`] where the sink failed; [`RecordMisuse::SessionEnded`] after [`LogSealer::close`].
    pub fn rotate(&self, now: Instant) -> Result<()> {
        self.advance(now);
        let id = self.current.load().session.id();
        self.replace(id)
    }

    /// Sets the readers of the following sessions. [`LogSealer::rotate`] begins one at once.
    pub fn set_readers(&self, readers: Readers) {
        self.readers.store(Arc::new(readers));
    }

    /// Begins a new session after this process was restored from a snapshot. The old session may continue in another copy of
    /// the process, so it is neither closed nor named as the previous one.
    ///
    /// # Errors
    /// As [`LogSealer::rotate`].
    pub fn restored(&self, now: Instant) -> Result<()> {
        self.advance(now);
        let _turn = self.turn.take();
        self.check_open()?;
        self.begin(None)
    }

    /// Passes the current header to the sink again. Call it at roll-over, so that each file can be opened alone.
    ///
    /// # Errors
    /// [`Error::Write`] where the sink failed.
    pub fn repeat_header(&self) -> Result<()> {
        let _turn = self.turn.take();
        let lines = self.current.load().session.header_lines(self.settings.shape);
        (self.sink)(OwnLines::Header(&lines)).map_err(Error::output)
    }

    /// Ends the log in order: the closing token goes to the sink, and nothing more is sealed. If the sink fails, the session
    /// has ended nevertheless, without a closing token in the log.
    ///
    /// # Errors
    /// [`Error::Write`] where the sink failed; [`RecordMisuse::SessionEnded`] where it was closed before.
    pub fn close(&self) -> Result<()> {
        let _turn = self.turn.take();
        self.closed.store(true, Ordering::Release);
        self.end(&self.current.load().session)
    }

    /// The session in use, and how many values it has sealed.
    pub fn session(&self) -> (SessionId, u64) {
        let current = self.current.load();
        (current.session.id(), current.session.count())
    }

    /// Begins the next session, unless another thread has replaced `seen` already.
    fn replace(&self, seen: SessionId) -> Result<()> {
        let _turn = self.turn.take();
        self.check_open()?;
        let old = self.current.load_full();
        if old.session.id() != seen {
            return Ok(());
        }
        let previous =
            old.session.as_previous(self.settings.session.order).filter(|_| !self.was_set_back(&old));
        self.begin(previous)?;
        match self.end(&old.session) {
            // It is the parent's to end.
            Err(Error::Record(RecordMisuse::SessionForked)) => Ok(()),
            result => result,
        }
    }

    /// True where the clock of the day goes behind the caller's, so that nobody could tell when the session ended: its last
    /// values may be later than the time at which the next one begins.
    fn was_set_back(&self, current: &Current) -> bool {
        let age = Duration::from_nanos(self.clock.load(Ordering::Relaxed)).saturating_sub(current.began);
        let now = self.settings.wall_clock.map(|clock| clock());
        current.day.zip(now).is_some_and(|(day, now)| now + SET_BACK < day + age)
    }

    fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) { Err(RecordMisuse::SessionEnded.into()) } else { Ok(()) }
    }

    fn begin(&self, previous: Option<Previous>) -> Result<()> {
        let now = Duration::from_nanos(self.clock.load(Ordering::Relaxed));
        let next = begin(&self.readers.load(), &self.settings, previous, &self.sink, now)?;
        self.current.store(Arc::new(next));
        Ok(())
    }

    fn end(&self, session: &LogSession) -> Result<()> {
        let line = session.close(self.settings.shape)?;
        (self.sink)(OwnLines::Closing(&line)).map_err(Error::output)
    }

    /// The caller's clock, which never goes back.
    fn advance(&self, now: Instant) -> Duration {
        let nanos = u64::try_from(now.saturating_duration_since(self.origin).as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(self.clock.fetch_max(nanos, Ordering::Relaxed).max(nanos))
    }
}

/// A session whose header the sink has taken.
fn begin<S>(
    readers: &Readers,
    settings: &SealerSettings,
    previous: Option<Previous>,
    sink: &S,
    now: Duration,
) -> Result<Current>
where
    S: Fn(OwnLines<'_>) -> io::Result<()>,
{
    let began = settings.wall_clock.map(|clock| clock());
    let session = LogSession::begin(readers, settings.session.previous(previous).began(began))?;
    sink(OwnLines::Header(&session.header_lines(settings.shape))).map_err(Error::output)?;
    Ok(Current { session, began: now, day: began })
}

impl<S> fmt::Debug for LogSealer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogSealer({:?})", self.current.load().session)
    }
}

//! Sessions as the JVM holds them: by the address of one that it alone frees.

use jni_sys::jlong;
use sealmark::record::{LogSession, Padding, PreSharedKey, Previous, Readers, SessionId, SessionSettings};
use sealmark::{Error, Recipient, RecordMisuse};
use std::num::{NonZeroU64, NonZeroUsize};
use std::str::from_utf8;
use std::time::SystemTime;

/// A session for the readers in `keys`: recipients, one a line, or one pre-shared key.
pub fn begin(
    keys: &[u8],
    pre_shared: bool,
    padding: i32,
    limit: i64,
    previous: Option<Previous>,
) -> Result<Box<LogSession>, String> {
    let keys = from_utf8(keys)
        .map_err(|_| "no log session: a key string has other characters than letters, digits and hyphens")?;
    let padding = match usize::try_from(padding).map(NonZeroUsize::new) {
        Ok(multiple) => multiple
            .map_or(Ok(Padding::NONE), Padding::multiple_of)
            .map_err(|error| format!("no log session: {error}"))?,
        Err(_) => return Err(format!("no log session: values cannot be padded to {padding} bytes")),
    };
    let limit = u64::try_from(limit).ok().and_then(NonZeroU64::new);
    let limit = limit.ok_or("no log session: its limit of values is 0")?;
    let settings = SessionSettings::default()
        .padding(padding)
        .max_values(limit)
        .previous(previous)
        .began(SystemTime::now());
    let session = readers(keys, pre_shared).and_then(|readers| LogSession::begin(&readers, settings));
    session.map(Box::new).map_err(|error| format!("no log session: {error}"))
}

/// The session before another one; a negative count is not known.
pub fn previous(id: &[u8], count: i64) -> Result<Previous, String> {
    let session = from_utf8(id).ok().and_then(|id| id.parse::<SessionId>().ok());
    let session = session.ok_or("no log session: the id of the session before it is malformed")?;
    Ok(Previous::new(session, u64::try_from(count).ok()))
}

fn readers(keys: &str, pre_shared: bool) -> sealmark::Result<Readers> {
    if pre_shared {
        Ok(Readers::pre_shared(keys.parse::<PreSharedKey>()?))
    } else {
        let recipients = keys.lines().map(str::parse).collect::<sealmark::Result<Vec<Recipient>>>()?;
        Readers::recipients(&recipients)
    }
}

/// The number that stands for a session until it is freed; never 0.
pub fn handle_of(session: Box<LogSession>) -> jlong {
    Box::into_raw(session) as jlong
}

/// # Safety
/// `handle` is one of [`handle_of`] and not freed while the reference is used.
#[allow(unsafe_code, reason = "the JVM keeps a session by its address")]
pub unsafe fn of_handle<'a>(handle: jlong) -> &'a LogSession {
    // SAFETY: the caller has the handle of a session that is not freed meanwhile.
    unsafe { &*(handle as *const LogSession) }
}

/// Wipes its keys, too.
///
/// # Safety
/// `handle` is one of [`handle_of`], freed once, and nobody uses it now or later.
#[allow(unsafe_code, reason = "the JVM keeps a session by its address")]
pub unsafe fn free(handle: jlong) {
    // SAFETY: the JVM frees each session once, and uses it no more.
    drop(unsafe { Box::from_raw(handle as *mut LogSession) });
}

/// True where another session is what the caller needs.
pub fn has_ended(error: &Error) -> bool {
    matches!(error, Error::Record(RecordMisuse::SessionEnded | RecordMisuse::SessionForked))
}

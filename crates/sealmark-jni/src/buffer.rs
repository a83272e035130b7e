//! Memory that a thread of the JVM shares with us while it seals one value:
//!
//! ```text
//! sealChars:  label (64) | characters, two bytes each (2 n) | their UTF-8 (3 n) | token
//! linked:     label (64) | UTF-8 of characters elsewhere (3 n)
//! sealBytes:  label (64) | value (n)                                            | token
//! ```
//!
//! Plaintext is zero when the call returns, whatever became of it.

use crate::session::has_ended;
use crate::text::utf8_of;
use jni_sys::{jboolean, jint, jlong};
use sealmark::record::{LabelRef, LogSession, Value};
use sealmark::{Error, RecordMisuse};
use std::slice::from_raw_parts_mut;
use std::str::from_utf8;

/// Where the value begins.
const LABEL: usize = 64;

/// A direct buffer.
pub struct Buffer<'a>(&'a mut [u8]);

/// The kind of a value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any bytes.
    Any,
    /// One JSON text.
    Json,
}

impl Kind {
    /// The kind by its flag in Java.
    pub fn of(json: jboolean) -> Self {
        if json { Self::Json } else { Self::Any }
    }
}

/// Why there is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The session has ended.
    Ended,
    /// The value is too long.
    TooLong,
    /// The caller's arithmetic is not ours.
    Layout,
    /// A panic.
    Inside,
    /// It was to be a JSON text.
    NotJson,
}

impl Failure {
    /// In place of a length, `NativeCalls` knows them.
    pub fn code(self) -> jint {
        match self {
            Self::Ended => -1,
            Self::TooLong => -2,
            Self::Layout => -3,
            Self::Inside => -4,
            Self::NotJson => -5,
        }
    }

    /// For a person.
    pub fn text(self) -> &'static str {
        match self {
            Self::Ended => "the log session has ended",
            Self::TooLong => "the value is too long",
            Self::Layout => "the native library cannot use the label or the buffer",
            Self::Inside => "the native library failed",
            Self::NotJson => "the value is not a single JSON value on one line",
        }
    }
}

impl<'a> Buffer<'a> {
    /// # Safety
    /// `capacity` bytes at `address` are the calling thread's for as long as the buffer is used.
    #[allow(unsafe_code, reason = "the JVM knows memory that it shares by its address")]
    pub unsafe fn at(address: jlong, capacity: jint) -> Self {
        let capacity = usize::try_from(capacity).unwrap_or(0);
        match address {
            0 => Self(&mut []),
            // SAFETY: the caller promises that so many bytes are the calling thread's for as long.
            address => Self(unsafe { from_raw_parts_mut(address as *mut u8, capacity) }),
        }
    }

    /// Seals UTF-16 as UTF-8; the length of the token.
    pub fn seal_chars(
        self,
        session: &LogSession,
        kind: Kind,
        label: jint,
        chars: jint,
    ) -> Result<jint, Failure> {
        let chars = usize::try_from(chars).map_err(|_| Failure::Layout)?;
        let (label, mut plaintext, token) = self.split(label, chars.checked_mul(5))?;
        let (utf16, text) = plaintext.0.split_at_mut(2 * chars);
        let length = utf8_of(utf16, text).ok_or(Failure::Layout)?;
        let sealed = seal(session, kind, label?, &text[..length], token);
        plaintext.end_at(2 * chars + length);
        sealed
    }

    /// Seals UTF-16 from elsewhere to elsewhere, and wipes it: the label is here, and space for its UTF-8.
    pub fn seal_utf16(
        self,
        session: &LogSession,
        label: jint,
        utf16: &mut [u8],
        token: &mut [u8],
    ) -> Result<jint, Failure> {
        let utf16 = Plaintext(utf16);
        let (label, mut text, _) = self.split(label, Some(utf16.0.len() / 2 * 3))?;
        let length = utf8_of(utf16.0, text.0).ok_or(Failure::Layout)?;
        let sealed = seal(session, Kind::Any, label?, &text.0[..length], token);
        text.end_at(length);
        sealed
    }

    /// Seals bytes; the length of the token.
    pub fn seal_bytes(
        self,
        session: &LogSession,
        kind: Kind,
        label: jint,
        bytes: jint,
    ) -> Result<jint, Failure> {
        let (label, plaintext, token) = self.split(label, usize::try_from(bytes).ok())?;
        seal(session, kind, label?, plaintext.0, token)
    }

    /// Seals any bytes from elsewhere to elsewhere: only the label is here.
    pub fn seal_from(
        self,
        session: &LogSession,
        label: jint,
        value: &[u8],
        token: &mut [u8],
    ) -> Result<jint, Failure> {
        let (label, _, _) = self.split(label, Some(0))?;
        seal(session, Kind::Any, label?, value, token)
    }

    /// The label, and what is behind it: so many bytes for plaintext, and the rest for the token.
    fn split(self, label: jint, plaintext: Option<usize>) -> Result<Parts<'a>, Failure> {
        let (name, rest) = self.0.split_at_mut_checked(LABEL).ok_or(Failure::Layout)?;
        let (plaintext, token) =
            plaintext.and_then(|length| rest.split_at_mut_checked(length)).ok_or(Failure::Layout)?;
        let name = usize::try_from(label).ok().and_then(|label| name.get(..label));
        Ok((name.ok_or(Failure::Layout).and_then(label_of), Plaintext(plaintext), token))
    }
}

/// The label that was found, and the rest of a buffer.
type Parts<'a> = (Result<LabelRef<'a>, Failure>, Plaintext<'a>, &'a mut [u8]);

/// Zero when it is dropped, by a panic, too.
struct Plaintext<'a>(&'a mut [u8]);

impl Plaintext<'_> {
    /// Behind there, nothing was written, and nothing need be zeroed.
    fn end_at(&mut self, end: usize) {
        self.0 = &mut std::mem::take(&mut self.0)[..end];
    }
}

impl Drop for Plaintext<'_> {
    fn drop(&mut self) {
        self.0.fill(0);
    }
}

/// A range that Java names.
pub fn part(array: &[u8], offset: jint, length: jint) -> Result<&[u8], Failure> {
    let rest = usize::try_from(offset).ok().and_then(|offset| array.get(offset..));
    let part = rest.zip(usize::try_from(length).ok()).and_then(|(rest, length)| rest.get(..length));
    part.ok_or(Failure::Layout)
}

/// All from a place on that Java names.
pub fn rest(array: &mut [u8], at: jint) -> Result<&mut [u8], Failure> {
    usize::try_from(at).ok().and_then(|at| array.get_mut(at..)).ok_or(Failure::Layout)
}

/// Seals a value of any length in memory of our own.
pub fn seal_apart(session: &LogSession, kind: Kind, label: &[u8], value: &[u8]) -> Result<Vec<u8>, Failure> {
    let label = label_of(label)?;
    let mut token = vec![0; session.token_len(label, value.len()).map_err(failure_of)?];
    seal_to(session, kind, label, value, &mut token)?;
    Ok(token)
}

#[inline]
fn seal(
    session: &LogSession,
    kind: Kind,
    label: LabelRef,
    value: &[u8],
    token: &mut [u8],
) -> Result<jint, Failure> {
    let length = session.token_len(label, value.len()).map_err(failure_of)?;
    seal_to(session, kind, label, value, token.get_mut(..length).ok_or(Failure::Layout)?)
}

/// The token over the whole of `token`, which is measured. A value is padded there before it is encrypted there, so where
/// something goes wrong inside, it is zero.
#[inline]
fn seal_to(
    session: &LogSession,
    kind: Kind,
    label: LabelRef,
    value: &[u8],
    token: &mut [u8],
) -> Result<jint, Failure> {
    let mut token = Plaintext(token);
    let sealed = match kind {
        Kind::Any => session.seal_to(label, value, token.0).map_err(failure_of),
        Kind::Json => match from_utf8(value) {
            Ok(text) => session.seal_to(label, Value::Json(text), token.0).map_err(failure_of),
            Err(_) => Err(Failure::NotJson),
        },
    };
    if sealed != Err(Failure::Inside) {
        token.end_at(0);
    }
    sealed.map(|length| length as jint)
}

fn failure_of(error: Error) -> Failure {
    match error {
        Error::Record(RecordMisuse::ValueTooLong(_)) => Failure::TooLong,
        Error::Record(RecordMisuse::NotJson) => Failure::NotJson,
        error if has_ended(&error) => Failure::Ended,
        _ => Failure::Inside,
    }
}

#[inline]
fn label_of(name: &[u8]) -> Result<LabelRef<'_>, Failure> {
    LabelRef::new(name).map_err(|_| Failure::Layout)
}

#[cfg(test)]
mod tests;

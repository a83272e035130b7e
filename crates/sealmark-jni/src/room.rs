//! Memory that a thread of the JVM shares with us while it seals one value:
//!
//! ```text
//! sealChars:  label (64) | characters, two bytes each (2 n) | their UTF-8 (3 n) | token
//! sealBytes:  label (64) | value (n)                                            | token
//! ```
//!
//! What was plaintext is zero when the call returns, whatever became of it.

use std::{slice::from_raw_parts_mut, str::from_utf8};

use jni_sys::{jboolean, jint, jlong};
use sealmark::{
    Error, Misuse,
    record::{LabelRef, LogSession},
};

use crate::{session::has_ended, text::utf8_of};

/// Where the value begins.
const LABEL: usize = 64;

/// A direct buffer.
pub struct Room<'a>(&'a mut [u8]);

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any bytes.
    Any,
    /// One JSON text.
    Json,
}

impl Kind {
    /// As Java says it.
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
            Self::Layout => "a label or a room that the native library does not take",
            Self::Inside => "the native library failed",
            Self::NotJson => "a value is not one JSON text on one line",
        }
    }
}

impl<'a> Room<'a> {
    /// # Safety
    /// `capacity` bytes at `address` are the calling thread's for as long as the room is used.
    #[allow(unsafe_code, reason = "the JVM knows memory that it shares by its address")]
    pub unsafe fn at(address: jlong, capacity: jint) -> Self {
        let capacity = usize::try_from(capacity).unwrap_or(0);
        match address {
            0 => Self(&mut []),
            // SAFETY: as promised.
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

/// What was found of a label, and the rest of a room.
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

/// The token over the whole of `token`, which is measured.
#[inline]
fn seal_to(
    session: &LogSession,
    kind: Kind,
    label: LabelRef,
    value: &[u8],
    token: &mut [u8],
) -> Result<jint, Failure> {
    let sealed = match kind {
        Kind::Any => session.seal_to(label, value, token),
        Kind::Json => session.seal_json_to(label, from_utf8(value).map_err(|_| Failure::NotJson)?, token),
    };
    sealed.map(|length| length as jint).map_err(failure_of)
}

fn failure_of(error: Error) -> Failure {
    match error {
        Error::Misuse(Misuse::ValueTooLong(_)) => Failure::TooLong,
        Error::Misuse(Misuse::NotJson) => Failure::NotJson,
        error if has_ended(&error) => Failure::Ended,
        _ => Failure::Inside,
    }
}

#[inline]
fn label_of(name: &[u8]) -> Result<LabelRef<'_>, Failure> {
    LabelRef::new(name).map_err(|_| Failure::Layout)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use sealmark::record::{LogKeys, LogOpener, Padding, PreSharedKey, Readers, Shape};

    use super::*;

    const CAPACITY: usize = 4096;

    /// A session, and what opens it.
    #[test]
    fn plaintext_is_zero_however_the_call_ends() {
        let (session, _) = session(Padding::None);
        for label in [-1, 0, 65, 3] {
            let mut memory = [b'~'; 4096];
            memory[LABEL..LABEL + 100].fill(b'x');
            let _ = Room(&mut memory).seal_bytes(&session, Kind::Any, label, 100);
            assert!(memory[LABEL..LABEL + 100].iter().all(|byte| *byte == 0), "{label}");
            memory[LABEL..LABEL + 200].fill(b'x');
            let _ = Room(&mut memory).seal_chars(&session, Kind::Any, label, 100);
            assert!(memory[LABEL..LABEL + 200].iter().all(|byte| *byte == 0), "{label}");
        }
    }

    fn session(padding: Padding) -> (LogSession, LogOpener) {
        let key = PreSharedKey::generate().unwrap();
        let session = LogSession::begin(&Readers::pre_shared(key.clone()), padding).unwrap();
        let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key]));
        opener.open(session.header_lines(Shape::Plain).as_bytes(), &mut Vec::new());
        (session, opener)
    }

    fn memory(label: &str, plaintext: &[u8]) -> Vec<u8> {
        let mut memory = vec![b'!'; CAPACITY];
        memory[..label.len()].copy_from_slice(label.as_bytes());
        memory[LABEL..][..plaintext.len()].copy_from_slice(plaintext);
        memory
    }

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_ne_bytes).collect()
    }

    fn opened(opener: &mut LogOpener, token: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let report = opener.open(token, &mut out);
        assert_eq!(report.opened, 1);
        out
    }

    #[test]
    fn texts_and_bytes_are_sealed_and_nothing_of_them_stays() {
        for padding in [Padding::None, Padding::Multiple(32.try_into().unwrap())] {
            let (session, mut opener) = session(padding);
            for value in ["", "a@b.example", "grüße 😀", &"long ".repeat(60)] {
                let chars = utf16(value).len() / 2;
                let mut memory = memory("email", &utf16(value));
                let length = Room(&mut memory).seal_chars(&session, Kind::Any, 5, chars as jint).unwrap();
                let (used, rest) = memory[LABEL..].split_at(5 * chars);
                assert!(used[..2 * chars + value.len()].iter().all(|byte| *byte == 0), "{value:?} stays");
                assert_eq!(opened(&mut opener, &rest[..length as usize]), value.as_bytes());

                let mut memory = super::tests::memory("email", value.as_bytes());
                let length =
                    Room(&mut memory).seal_bytes(&session, Kind::Any, 5, value.len() as jint).unwrap();
                let (used, rest) = memory[LABEL..].split_at(value.len());
                assert!(used.iter().all(|byte| *byte == 0), "{value:?} stays");
                assert_eq!(opened(&mut opener, &rest[..length as usize]), value.as_bytes());
            }
        }
    }

    #[test]
    fn json_texts_open_in_place_of_the_string_that_their_token_fills() {
        for padding in [Padding::None, Padding::Multiple(32.try_into().unwrap())] {
            let (session, mut opener) = session(padding);
            for value in ["-1.50e3", "true", r#""\u00e9\/""#, r#"{"é":[null]}"#] {
                let chars = utf16(value).len() / 2;
                let (mut one, mut other) = (memory("v", &utf16(value)), memory("v", value.as_bytes()));
                let one_length = Room(&mut one).seal_chars(&session, Kind::Json, 1, chars as jint).unwrap();
                let other_length =
                    Room(&mut other).seal_bytes(&session, Kind::Json, 1, value.len() as jint).unwrap();
                let apart = seal_apart(&session, Kind::Json, b"v", value.as_bytes()).unwrap();
                let one = &one[LABEL + 5 * chars..][..one_length as usize];
                let other = &other[LABEL + value.len()..][..other_length as usize];
                for token in [one, other, &apart[..]] {
                    let line = [&b"{\"v\":\""[..], token, b"\"}"].concat();
                    assert_eq!(opened(&mut opener, &line), format!("{{\"v\":{value}}}").as_bytes());
                }
            }
        }
    }

    #[test]
    fn what_is_no_json_text_is_refused_and_nothing_of_it_stays() {
        let (session, _) = session(Padding::None);
        for value in [&b"secret"[..], b"[1,\n2]", b"", b"1 2", b"\"\xff\""] {
            let mut room = memory("v", value);
            let refused = Room(&mut room).seal_bytes(&session, Kind::Json, 1, value.len() as jint);
            assert_eq!(refused, Err(Failure::NotJson));
            assert!(room[LABEL..][..value.len()].iter().all(|byte| *byte == 0));
            assert_eq!(seal_apart(&session, Kind::Json, b"v", value), Err(Failure::NotJson));
        }
        let refused = Room(&mut memory("v", &utf16("secret"))).seal_chars(&session, Kind::Json, 1, 6);
        assert_eq!(refused, Err(Failure::NotJson));
        assert_eq!(session.count(), 0);
    }

    #[test]
    fn what_does_not_fit_is_refused_before_a_counter_is_used() {
        let (session, _) = session(Padding::None);
        let most = CAPACITY as jint;
        for (label, chars) in [(-1, 1), (0, 1), (65, 1), (5, -1), (5, most), (5, most / 5), (5, jint::MAX)] {
            let refused = Room(&mut memory("email", b"")).seal_chars(&session, Kind::Any, label, chars);
            assert_eq!(refused, Err(Failure::Layout), "{label} {chars}");
        }
        for (label, bytes) in [(5, -1), (5, most), (5, most - 64), (5, most - 100), (5, jint::MAX)] {
            let refused = Room(&mut memory("email", b"")).seal_bytes(&session, Kind::Any, label, bytes);
            assert_eq!(refused, Err(Failure::Layout), "{label} {bytes}");
        }
        assert_eq!(
            Room(&mut memory("e mail", b"")).seal_bytes(&session, Kind::Any, 6, 1),
            Err(Failure::Layout)
        );
        assert_eq!(Room(&mut []).seal_bytes(&session, Kind::Any, 0, 0), Err(Failure::Layout));
        assert_eq!(session.count(), 0);
    }

    #[test]
    fn ranges_lie_in_their_arrays() {
        let mut array = [0, 1, 2, 3];
        assert_eq!(part(&array, 1, 3), Ok(&[1, 2, 3][..]));
        assert_eq!(part(&array, 4, 0), Ok(&[][..]));
        for (offset, length) in [(-1, 1), (1, -1), (1, 4), (5, 0), (jint::MAX, jint::MAX)] {
            assert_eq!(part(&array, offset, length), Err(Failure::Layout), "{offset} {length}");
        }
        assert_eq!(rest(&mut array, 3), Ok(&mut [3][..]));
        assert_eq!(
            (rest(&mut array, -1), rest(&mut [0; 4], 5)),
            (Err(Failure::Layout), Err(Failure::Layout))
        );
    }

    #[test]
    fn values_that_are_too_long_and_sessions_that_have_ended_are_told_apart() {
        let (session, mut opener) = session(Padding::None);
        let longest = vec![b'x'; session.max_value()];
        let token = seal_apart(&session, Kind::Any, b"body", &longest).unwrap();
        assert!(opened(&mut opener, &token) == longest);
        let too_long = [&longest[..], b"x"].concat();
        assert_eq!(seal_apart(&session, Kind::Any, b"body", &too_long), Err(Failure::TooLong));
        session.close(Shape::Plain).unwrap();
        assert_eq!(seal_apart(&session, Kind::Any, b"body", b"x"), Err(Failure::Ended));
        assert_eq!(
            Room(&mut memory("email", b"x")).seal_bytes(&session, Kind::Any, 5, 1),
            Err(Failure::Ended)
        );
        assert_eq!(
            Room(&mut memory("email", b"x")).seal_chars(&session, Kind::Any, 5, 1),
            Err(Failure::Ended)
        );
    }
}

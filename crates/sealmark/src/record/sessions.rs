//! The sessions of a log that are known, and the keys that open their tokens.

use super::counters::Tally;
use super::header::{HeaderFacts, SessionKey};
use super::token::{COUNTER, Closing, RUN, SessionId, Token};
use crate::aead::{ValueAt, ValueCipher};
use crate::error::{Error, Part, Result};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The sessions known at one moment: cheap to copy, and shared by threads that each have a [`TokenOpener`](super::TokenOpener).
///
/// [`TokenOpener`](super::TokenOpener) has an example.
#[derive(Clone, Default)]
pub struct Sessions(pub(super) Arc<HashMap<SessionId, Known>>);

#[derive(Clone)]
pub(super) enum Known {
    Open(Arc<Opened>),
    NoKey,
}

pub(super) struct Opened {
    pub key: SessionKey,
    pub cipher: ValueCipher,
    pub facts: HeaderFacts,
    pub post_quantum: bool,
}

impl Sessions {
    /// The sessions whose header was opened, in no order.
    pub fn opened(&self) -> impl Iterator<Item = SessionId> {
        self.0.iter().filter(|(_, known)| matches!(known, Known::Open(_))).map(|(session, _)| *session)
    }

    /// True if a header of the session was read to its end, also if none of the keys opens it.
    pub fn knows(&self, session: SessionId) -> bool {
        self.0.contains_key(&session)
    }

    /// The facts in the header of a session; `None` where none was opened.
    pub fn facts(&self, session: SessionId) -> Option<HeaderFacts> {
        match self.0.get(&session)? {
            Known::Open(opened) => Some(opened.facts),
            Known::NoKey => None,
        }
    }
}

impl Opened {
    /// Opens the body of a token in place, behind the counter; returns the counter and the length of the value.
    pub fn open(&self, token: &Token<'_>, body: &mut [u8]) -> Result<(u32, usize)> {
        const TAMPERED: Error = Error::Tampered(Part::Token);
        let (counter, sealed) = body.split_first_chunk_mut::<COUNTER>().ok_or(TAMPERED)?;
        let counter = u32::from_be_bytes(*counter);
        let plaintext = self.cipher.open(ValueAt::Value(counter), token.head, sealed)?;
        if token.suite.padded {
            Ok((counter, unpadded(plaintext).ok_or(TAMPERED)?))
        } else {
            Ok((counter, plaintext.len()))
        }
    }

    pub fn close(&self, closing: &Closing<'_>) -> Result<Tally> {
        const TAMPERED: Error = Error::Tampered(Part::Token);
        let mut body = BASE64URL.decode_to_vec(closing.body).map_err(|_| TAMPERED)?;
        let (count, sealed) = body.split_first_chunk_mut().ok_or(TAMPERED)?;
        let count = u64::from_be_bytes(*count);
        let runs = self.cipher.open(ValueAt::Closing(count), closing.head, sealed)?;
        let unused = unused_runs(runs, count).ok_or(TAMPERED)?;
        Ok(Tally { count, unused })
    }
}

/// Runs of counters: whole, ascending, not touching each other nor the end.
fn unused_runs(bytes: &[u8], count: u64) -> Option<Vec<Range<u64>>> {
    let (runs, rest) = bytes.as_chunks::<RUN>();
    let short = |bytes: &[u8]| u64::from(u32::from_be_bytes(bytes.try_into().expect("four bytes")));
    let runs: Vec<_> = runs.iter().map(|run| (short(&run[..4]), short(&run[4..]))).collect();
    let runs: Vec<_> = runs.into_iter().map(|(first, number)| first..first + number).collect();
    let sound = rest.is_empty()
        && runs.iter().all(|run| !run.is_empty() && run.end < count)
        && runs.is_sorted_by(|before, after| before.end < after.start);
    sound.then_some(runs)
}

/// The length of the value before its padding.
fn unpadded(plaintext: &[u8]) -> Option<usize> {
    let last = plaintext.iter().rposition(|byte| *byte != 0)?;
    (plaintext[last] == 0x80).then_some(last)
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sessions", self.0.len())
    }
}

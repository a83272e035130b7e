//! A log session: one random key and one counter, shared by all threads that write a log.

use super::counters::{Counters, Order};
use super::encode::{encode_towards, encoded_len};
use super::escape::is_json_text;
use super::fork::Birth;
use super::header::{HeaderFacts, Previous, SessionKey};
use super::keys::Readers;
use super::label::{Label, LabelRef};
use super::parts::{self, Shape};
use super::token::{COUNTER, HEAD, ID_CHARS, MAX_PLAINTEXT, SessionId, Suite};
use crate::aead::{TAG, ValueAt, ValueCipher};
use crate::error::{RecordMisuse, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

/// The most values of one session.
pub const MAX_VALUES: u64 = 1 << 32;

/// A value to be sealed; bytes and strings turn into one.
///
/// ```
/// use sealmark::record::{Label, LogSession, Readers, Value};
/// # use sealmark::{Identity, Kem};
///
/// # fn main() -> sealmark::Result<()> {
/// # let readers = Readers::recipients(&[Identity::generate(Kem::X25519)?.recipient()])?;
/// let session = LogSession::begin(&readers, Default::default())?;
/// let token = session.seal(&Label::new("age")?, Value::Json("17"))?;
/// assert!(token.starts_with("~s1j~age~"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Any bytes.
    Bytes(&'a [u8]),
    /// One JSON text (a number, an object, or a string with its quotes). If its token is the whole content of a string of a
    /// JSON line, opening replaces that string and its quotes with the text.
    Json(&'a str),
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for Value<'a> {
    fn from(bytes: &'a T) -> Self {
        Self::Bytes(bytes.as_ref())
    }
}

/// Without the content, which is to be sealed.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({} bytes)", self.bytes().len())
    }
}

impl<'a> Value<'a> {
    fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Json(text) => text.as_bytes(),
        }
    }

    fn is_json(self) -> Result<bool> {
        match self {
            Self::Bytes(_) => Ok(false),
            Self::Json(text) if is_json_text(text) => Ok(true),
            Self::Json(_) => Err(RecordMisuse::NotJson.into()),
        }
    }
}

/// How much of a value's length its token reveals.
///
/// ```
/// use sealmark::record::{Label, Padding};
/// use std::num::NonZeroUsize;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let padding = Padding::multiple_of(NonZeroUsize::new(16).ok_or("zero")?)?;
/// let label = Label::new("ip")?;
/// assert_eq!(padding.token_len(&label, 7)?, padding.token_len(&label, 15)?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Padding(
    /// At most [`MAX_PLAINTEXT`].
    Option<NonZeroUsize>,
);

/// How a session seals, and what its header tells.
///
/// By default, values are not padded, the session ends after [`MAX_VALUES`] values, and its header promises no order and names
/// neither a previous session nor a time.
///
/// ```
/// use sealmark::record::{Order, Previous, SessionId, SessionSettings};
/// use std::time::SystemTime;
///
/// # fn main() -> sealmark::Result<()> {
/// let before: SessionId = "7gQ2mJ0cXbVtR4aL".parse()?;
/// let settings = SessionSettings::default()
///     .order(Order::Kept)
///     .previous(Previous::new(before, Some(4)))
///     .began(SystemTime::now());
/// # let _ = settings;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct SessionSettings {
    padding: Padding,
    max_values: Option<NonZeroU64>,
    pub(super) order: Order,
    pub(super) previous: Option<Previous>,
    began: Option<SystemTime>,
}

impl SessionSettings {
    /// How much of the length of a value its token reveals.
    pub fn padding(self, padding: Padding) -> Self {
        Self { padding, ..self }
    }

    /// The session ends after this many values, or a few before; at most [`MAX_VALUES`].
    pub fn max_values(self, values: NonZeroU64) -> Self {
        Self { max_values: Some(values), ..self }
    }

    /// The order in which tokens will stand in the log.
    pub fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// The previous session of the log.
    pub fn previous(self, previous: impl Into<Option<Previous>>) -> Self {
        Self { previous: previous.into(), ..self }
    }

    /// When the session begins, by the caller's clock, for readers who look for a time.
    pub fn began(self, time: impl Into<Option<SystemTime>>) -> Self {
        Self { began: time.into(), ..self }
    }
}

/// One random key, wrapped for its readers in a header that stands in the log before the first token.
///
/// Any number of threads seal at once, without a lock. The caller writes [`LogSession::header_lines`] before the first
/// token; a [`super::LogSealer`] sees to that, and to the session's end. Keys are wiped when it is dropped.
///
/// The [module](crate::record) has an example.
#[must_use = "without close() the log looks cut off"]
pub struct LogSession {
    cipher: ValueCipher,
    id: SessionId,
    /// The text between label and body of every token.
    id_chars: [u8; ID_CHARS + 2],
    header: Vec<u8>,
    padding: Padding,
    birth: Birth,
    counters: Counters,
}

impl LogSession {
    /// A new random session. Costs a key encapsulation for each recipient.
    ///
    /// With [`Order::Kept`] the caller uses it from one thread at a time, and writes each token before it seals again.
    ///
    /// # Errors
    /// [`crate::Error::Random`] where the operating system has no randomness.
    pub fn begin(readers: &Readers, settings: SessionSettings) -> Result<Self> {
        let SessionSettings { padding, max_values, order, previous, began } = settings;
        // A clock that was never set may stand before 1970: the header then tells no time.
        let began = began.and_then(|began| Some(began.duration_since(UNIX_EPOCH).ok()?.as_secs()));
        let facts = HeaderFacts { order, previous, began };
        let key = SessionKey::generate()?;
        let mut id_chars = [b'~'; ID_CHARS + 2];
        id_chars[1..=ID_CHARS].copy_from_slice(key.id().chars());
        Ok(Self {
            cipher: key.cipher(),
            id: key.id(),
            id_chars,
            header: key.header(readers, &facts)?,
            padding,
            birth: Birth::here(),
            counters: Counters::new(max_values.map_or(MAX_VALUES, NonZeroU64::get).min(MAX_VALUES), order),
        })
    }

    /// Which session this is.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// How many values were sealed so far.
    pub fn count(&self) -> u64 {
        self.counters.claimed()
    }

    /// The longest value that can be sealed, in bytes.
    pub fn max_value(&self) -> usize {
        self.padding.max_value()
    }

    /// The header as lines of the log, each with its line feed. Write them before the first token of this session, and again
    /// in each file that should be readable alone.
    pub fn header_lines(&self, shape: Shape) -> String {
        parts::header_lines(self.id, &self.header, shape)
    }

    /// Seals a value and returns its token. Without padding, the token has at most four thirds of the value's length (rounded
    /// up), plus the length of the label, plus 51 characters.
    ///
    /// # Errors
    /// As [`LogSession::seal_into`].
    pub fn seal<'a>(&self, label: &Label, value: impl Into<Value<'a>>) -> Result<String> {
        let mut token = Vec::new();
        self.seal_into(label, value, &mut token)?;
        Ok(String::from_utf8(token).expect("a token is ASCII"))
    }

    /// Appends the token of a value to `out`; allocates only if `out` has no room. An error leaves `out` unchanged.
    ///
    /// # Errors
    /// [`RecordMisuse::ValueTooLong`]; [`RecordMisuse::NotJson`]; [`RecordMisuse::SessionEnded`] after [`LogSession::close`] or
    /// [`MAX_VALUES`] values; [`RecordMisuse::SessionForked`] in a child of the process that began the session.
    #[inline]
    pub fn seal_into<'a>(&self, label: &Label, value: impl Into<Value<'a>>, out: &mut Vec<u8>) -> Result<()> {
        self.append(label.into(), value.into(), self.padding, out)
    }

    /// Like [`LogSession::seal_into`], with a padding for this value in place of the session's.
    ///
    /// # Errors
    /// As [`LogSession::seal_into`].
    // A call for each value makes `log seal` slower by a twenty-fifth.
    #[inline(always)]
    pub fn seal_padded_into<'a>(
        &self,
        label: &Label,
        value: impl Into<Value<'a>>,
        padding: Padding,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.append(label.into(), value.into(), padding, out)
    }

    /// Always inlined, as [`LogSession::fill`] is.
    #[inline(always)]
    fn append(&self, label: LabelRef, value: Value<'_>, padding: Padding, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        out.resize(start + padding.token_len(label, value.bytes().len())?, 0);
        self.fill(label, value, padding, &mut out[start..]).inspect_err(|_| out.truncate(start))
    }

    /// The length of the token of a value of `value` bytes.
    ///
    /// # Errors
    /// [`RecordMisuse::ValueTooLong`].
    pub fn token_len<'a>(&self, label: impl Into<LabelRef<'a>>, value: usize) -> Result<usize> {
        self.padding.token_len(label, value)
    }

    /// Writes the token of a value to the beginning of `out` and returns its length. Never allocates.
    ///
    /// # Errors
    /// As [`LogSession::seal_into`].
    ///
    /// # Panics
    /// Where `out` has fewer than [`LogSession::token_len`] bytes.
    pub fn seal_to<'a, 'b>(
        &self,
        label: impl Into<LabelRef<'a>>,
        value: impl Into<Value<'b>>,
        out: &mut [u8],
    ) -> Result<usize> {
        let (label, value) = (label.into(), value.into());
        let length = self.token_len(label, value.bytes().len())?;
        self.fill(label, value, self.padding, &mut out[..length])?;
        Ok(length)
    }

    /// A token over the whole of `out`, which is measured.
    ///
    /// Always inlined: a call passes the value on the stack, by stores that its first load waits for, 10 ns of 130.
    #[inline(always)]
    fn fill(&self, label: LabelRef, value: Value<'_>, padding: Padding, out: &mut [u8]) -> Result<()> {
        let suite = Suite { padded: padding != Padding::NONE, json: value.is_json()? };
        let value = value.bytes();
        let at = self.claim()?;
        let (head, body) = out.split_at_mut(head_len(label));
        let (last, body) = body.split_last_mut().expect("a token has an end");
        *last = b'~';
        let (front, id) = head.split_last_chunk_mut().expect("a head ends with an id");
        *id = self.id_chars;
        let (suite_chars, name) = front.split_first_chunk_mut().expect("a head begins with a suite");
        *suite_chars = *suite.head();
        name.copy_from_slice(label.as_bytes());
        // Sealed at the end of where the characters will stand, then encoded towards it.
        let from = body.len() - (COUNTER + padding.padded(value.len())? + TAG);
        self.seal_in(at, head, value, padding, &mut body[from..]);
        encode_towards(body, from);
        Ok(())
    }

    /// Ends the session, and returns the closing token as a line of the log. Values that other threads are sealing meanwhile
    /// are counted, and their tokens may follow it. Afterwards no value is sealed.
    ///
    /// # Errors
    /// [`RecordMisuse::SessionEnded`] where it was closed before; [`RecordMisuse::SessionForked`] in a child.
    pub fn close(&self, shape: Shape) -> Result<String> {
        self.check_process()?;
        let tally = self.counters.close().ok_or(RecordMisuse::SessionEnded)?;
        let mut token = [b"~s1z", &self.id_chars[..]].concat();
        let mut unused = tally.unused.iter().flat_map(run_bytes).collect::<Vec<_>>();
        let tag = self.cipher.seal(ValueAt::Closing(tally.count), &token, &mut unused);
        let body = [&tally.count.to_be_bytes()[..], &unused, &tag].concat();
        token.extend_from_slice(URL_SAFE_NO_PAD.encode(body).as_bytes());
        token.push(b'~');
        Ok(shape.line(str::from_utf8(&token).expect("a token is ASCII")))
    }

    /// The facts that the next session of the same log tells of this one; `None` in a child, as a session is its parent's to name.
    pub(super) fn as_previous(&self, order: Order) -> Option<Previous> {
        // Where order is kept, nobody seals while the next session begins.
        let count = (order == Order::Kept).then(|| self.count());
        self.check_process().is_ok().then_some(Previous { session: self.id, count })
    }

    /// The next counter, which nobody else gets.
    #[inline]
    fn claim(&self) -> Result<u32> {
        self.check_process()?;
        match self.counters.claim() {
            Some(counter) => Ok(counter as u32),
            None => Err(RecordMisuse::SessionEnded.into()),
        }
    }

    #[inline]
    fn check_process(&self) -> Result<()> {
        if self.birth.is_here() { Ok(()) } else { Err(RecordMisuse::SessionForked.into()) }
    }

    /// Counter, ciphertext and tag.
    fn seal_in(&self, at: u32, head: &[u8], value: &[u8], padding: Padding, room: &mut [u8]) {
        let (counter, sealed) = room.split_first_chunk_mut::<COUNTER>().expect("a body has a counter");
        let (text, tag) = sealed.split_last_chunk_mut::<TAG>().expect("a body has a tag");
        *counter = at.to_be_bytes();
        let at = ValueAt::Value(at);
        match padding.0 {
            None => self.cipher.seal_from(at, head, value, text, tag),
            Some(_) => {
                pad(value, text);
                *tag = self.cipher.seal(at, head, text);
            }
        }
    }
}

/// The value, the byte that tells its end (ISO/IEC 9797-1, padding method 2), and zeros.
fn pad(value: &[u8], text: &mut [u8]) {
    let (start, rest) = text.split_at_mut(value.len());
    start.copy_from_slice(value);
    let (end, zeros) = rest.split_first_mut().expect("padding has a byte at least");
    *end = 0x80;
    zeros.fill(0);
}

/// A run of unused counters in a closing token: its first and their number.
fn run_bytes(run: &Range<u64>) -> impl Iterator<Item = u8> + use<> {
    let short = |number: u64| u32::try_from(number).expect("counters have four bytes").to_be_bytes();
    [short(run.start), short(run.end - run.start)].concat().into_iter()
}

/// All before the body.
fn head_len(label: LabelRef) -> usize {
    HEAD + label.as_bytes().len() + ID_CHARS + 2
}

impl Padding {
    /// The token reveals the exact length. This is the default.
    pub const NONE: Self = Self(None);

    /// The token reveals only the length plus one, rounded up to a multiple of `bytes`.
    ///
    /// # Errors
    /// [`RecordMisuse::Padding`] for more than [`MAX_PLAINTEXT`] bytes: no value would have room beside it.
    pub fn multiple_of(bytes: NonZeroUsize) -> Result<Self> {
        if bytes.get() > MAX_PLAINTEXT {
            return Err(RecordMisuse::Padding(MAX_PLAINTEXT).into());
        }
        Ok(Self(Some(bytes)))
    }

    /// The longest value that can be sealed with it, in bytes.
    pub fn max_value(self) -> usize {
        match self.0 {
            None => MAX_PLAINTEXT,
            Some(multiple) => (MAX_PLAINTEXT / multiple * multiple.get()).saturating_sub(1),
        }
    }

    /// The length of the token of a value of `value` bytes with this padding.
    ///
    /// # Errors
    /// [`RecordMisuse::ValueTooLong`].
    pub fn token_len<'a>(self, label: impl Into<LabelRef<'a>>, value: usize) -> Result<usize> {
        Ok(head_len(label.into()) + encoded_len(COUNTER + self.padded(value)? + TAG) + 1)
    }

    /// The length of a value with its padding.
    fn padded(self, length: usize) -> Result<usize> {
        if length > self.max_value() {
            return Err(RecordMisuse::ValueTooLong(self.max_value()).into());
        }
        match self.0 {
            None => Ok(length),
            Some(multiple) => Ok((length + 1).next_multiple_of(multiple.get())),
        }
    }
}

impl fmt::Debug for LogSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogSession({})", self.id)
    }
}

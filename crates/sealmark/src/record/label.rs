//! Labels: the name of a value, in the clear beside it.

use crate::error::{Error, RecordMisuse, Result};
use std::fmt;
use std::str::FromStr;

/// The most characters of a label.
pub(super) const MAX_LABEL: usize = 64;
/// How the marker begins of a value that could not be sealed.
pub(super) const UNSEALED: &str = "~s1x~";

/// The name of a value: 1 to 64 letters, digits, `.`, `_` or `-` (spec/record.md, "Grammar").
///
/// It is in the clear in the log. A token whose label was changed does not open.
///
/// The [module](crate::record) has an example.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(Box<str>);

/// A borrowed label, for callers that seal without a copy.
///
/// ```
/// let label = sealmark::record::LabelRef::new(b"email")?;
/// assert_eq!(label.as_str(), "email");
/// # Ok::<(), sealmark::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LabelRef<'a>(&'a [u8]);

impl<'a> LabelRef<'a> {
    /// Checks the name.
    ///
    /// # Errors
    /// The same as [`Label::new`].
    #[inline]
    pub fn new(name: &'a [u8]) -> Result<Self> {
        if is_label(name) { Ok(Self(name)) } else { Err(no_label(name)) }
    }

    /// The name.
    pub fn as_str(self) -> &'a str {
        str::from_utf8(self.0).expect("a label is ASCII")
    }

    #[inline]
    pub(super) fn as_bytes(self) -> &'a [u8] {
        self.0
    }
}

impl<'a> From<&'a Label> for LabelRef<'a> {
    #[inline]
    fn from(label: &'a Label) -> Self {
        Self(label.0.as_bytes())
    }
}

impl fmt::Debug for LabelRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LabelRef({:?})", self.as_str())
    }
}

impl fmt::Display for LabelRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'a> TryFrom<&'a str> for LabelRef<'a> {
    type Error = Error;

    fn try_from(name: &'a str) -> Result<Self> {
        Self::new(name.as_bytes())
    }
}

impl Label {
    /// Checks a name once, so that sealing does not have to.
    ///
    /// # Errors
    /// [`RecordMisuse::Label`] if it is empty, too long or has another character.
    pub fn new(name: &str) -> Result<Self> {
        LabelRef::new(name.as_bytes())?;
        Ok(Self(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The marker in place of a value that could not be sealed: `~s1x~label~`. It is not a token and contains nothing of the
    /// value.
    pub fn unsealed(&self) -> String {
        format!("{UNSEALED}{self}~")
    }
}

impl FromStr for Label {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

impl TryFrom<&str> for Label {
    type Error = Error;

    fn try_from(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

impl AsRef<str> for Label {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

#[cold]
fn no_label(name: &[u8]) -> Error {
    RecordMisuse::Label(String::from_utf8_lossy(name).chars().take(2 * MAX_LABEL).collect()).into()
}

#[inline]
fn is_label(name: &[u8]) -> bool {
    (1..=MAX_LABEL).contains(&name.len()) && name.iter().all(|byte| is_label_byte(*byte))
}

#[inline]
pub(super) fn is_label_byte(byte: u8) -> bool {
    ALLOWED[usize::from(byte)]
}

/// By the byte: looked up, as it is asked for each character of each value's name.
static ALLOWED: [bool; 256] = {
    let mut allowed = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        allowed[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'.' | b'_' | b'-');
        byte += 1;
    }
    allowed
};

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

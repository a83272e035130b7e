//! Labels: what a value is, in clear beside it.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use crate::error::{Error, Misuse, Result};

/// The most characters of a label.
pub(super) const MAX_LABEL: usize = 64;

/// The name of a value: 1 to 64 letters, digits, `.`, `_` or `-` (spec/record.md, "Grammar").
///
/// Everybody who sees the log can read it; a token that was moved to another label stays closed.
#[derive(Clone)]
pub struct Label {
    length: u8,
    /// Not on the heap: where names come with each value, a label costs no allocation.
    name: [u8; MAX_LABEL],
}

impl Label {
    /// Checks the name once, so that sealing need not.
    ///
    /// # Errors
    /// [`Misuse::Label`] where it is empty, too long or has another character.
    pub fn new(name: &str) -> Result<Self> {
        if !is_label(name.as_bytes()) {
            return Err(Misuse::Label(name.chars().take(2 * MAX_LABEL).collect()).into());
        }
        let mut label = Self { length: name.len() as u8, name: [0; MAX_LABEL] };
        label.name[..name.len()].copy_from_slice(name.as_bytes());
        Ok(label)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("a label is ASCII")
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.name[..usize::from(self.length)]
    }

    /// What stands for a value that could not be sealed: `~s1x~label~`. It is no token and tells nothing.
    pub fn unsealed(&self) -> String {
        format!("~s1x~{self}~")
    }
}

#[inline]
pub(super) fn is_label(name: &[u8]) -> bool {
    (1..=MAX_LABEL).contains(&name.len()) && name.iter().all(|byte| ALLOWED[usize::from(*byte)])
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

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Label {}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Label {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Label({:?})", self.as_str())
    }
}

impl FromStr for Label {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn labels_have_one_to_sixty_four_plain_characters() {
        for good in ["a", "user.E-mail_2", &"x".repeat(64)] {
            assert_eq!(Label::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "a~b", "é", "a\n", "a/b", "a\"", &"x".repeat(65)] {
            assert!(matches!(Label::new(bad), Err(Error::Misuse(Misuse::Label(_)))), "{bad:?}");
        }
    }

    #[test]
    fn the_marker_is_no_token() {
        let marker = Label::new("email").unwrap().unsealed();
        assert_eq!(marker, "~s1x~email~");
        assert!(super::super::find(marker.as_bytes()).next().is_none());
    }
}

//! Labels: what a value is, in clear beside it.

use std::{fmt, str::FromStr};

use crate::error::{Error, Misuse, Result};

/// The most characters of a label.
pub(super) const MAX_LABEL: usize = 64;

/// The name of a value: 1 to 64 letters, digits, `.`, `_` or `-` (spec/record.md, "Grammar").
///
/// Everybody who sees the log can read it; a token that was moved to another label stays closed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(Box<str>);

impl Label {
    /// Checks the name once, so that sealing need not.
    ///
    /// # Errors
    /// [`Misuse::Label`] where it is empty, too long or has another character.
    pub fn new(name: &str) -> Result<Self> {
        match is_label(name.as_bytes()) {
            true => Ok(Self(name.into())),
            false => Err(Misuse::Label(name.chars().take(2 * MAX_LABEL).collect()).into()),
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands for a value that could not be sealed: `~s1x~label~`. It is no token and tells nothing.
    pub fn unsealed(&self) -> String {
        format!("~s1x~{self}~")
    }
}

pub(super) fn is_label(name: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    !name.is_empty() && name.len() <= MAX_LABEL && name.iter().all(allowed)
}

impl FromStr for Label {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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

//! A place of a value in a line.

use std::ops::Range;

/// A value in a line, and the text that its token replaces.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Span {
    /// The text that the token replaces.
    pub range: Range<usize>,
    /// Which of the labels.
    pub(crate) label: usize,
    /// How the value is written there.
    pub form: Form,
}

/// How a value is written in its line. It is exhaustive, because code that replaces values has to know every form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Byte for byte. The range includes the quotes of a string that the other forms could not restore.
    Verbatim,
    /// The inside of a JSON string, with escapes as readers of the log write them; escaped this many times if the string is
    /// nested in strings.
    Escaped(u8),
    /// JSON text that is not a string, at this level of nesting: the token needs quotes of its own ([`Form::quote`]).
    JsonText(u8),
}

impl Form {
    /// The quote before and behind the token.
    pub fn quote(self) -> &'static [u8] {
        match self {
            Self::Verbatim | Self::Escaped(_) | Self::JsonText(0) => b"",
            Self::JsonText(1) => b"\"",
            Self::JsonText(2) => b"\\\"",
            Self::JsonText(3) => b"\\\\\\\"",
            Self::JsonText(_) => b"\\\\\\\\\\\\\\\"",
        }
    }
}

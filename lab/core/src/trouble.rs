//! Failures that stop the lab itself. A failure of an engine is a row in the results instead.

use std::fmt::{self, Display};

/// A failure of the lab, with a line that can be typed where one helps.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Trouble {
    pub what: String,
    pub hint: Option<String>,
}

pub type Result<T> = std::result::Result<T, Trouble>;

impl Trouble {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// "what: why".
pub fn because(what: impl Display, why: impl Display) -> Trouble {
    Trouble::new(format!("{what}: {why}"))
}

impl Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\nhint: {hint}"))
    }
}

impl std::error::Error for Trouble {}

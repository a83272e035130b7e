//! A value on its way into a log that formats its fields itself.

use super::label::Label;
use super::sealer::{LogSealer, OwnLines};
use super::token::MAX_PLAINTEXT;
use std::fmt::{self, Display, Write};
use std::io;

/// A value that formats as its token, or as the marker ([`Label::unsealed`]) if it cannot be sealed.
///
/// Formatting fails only if the formatter fails. Each formatting makes another token.
///
/// [`LogSealer::sealed`] has an example.
pub struct Sealed<'a, S, V> {
    sealer: &'a LogSealer<S>,
    label: &'a Label,
    value: V,
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>> LogSealer<S> {
    /// A value that seals itself when it is written, for loggers of any kind.
    ///
    /// `value` is formatted first: a `format_args!("{value:?}")` works too. A longer text than [`MAX_PLAINTEXT`]
    /// cannot be sealed.
    ///
    /// ```
    /// # use sealmark::{Identity, Kem};
    /// # use sealmark::record::{Label, LogSealer, OwnLines, Readers, SealerSettings, Shape};
    /// # fn main() -> sealmark::Result<()> {
    /// # let readers = Readers::recipients(&[Identity::generate(Kem::X25519)?.recipient()])?;
    /// # let settings = SealerSettings::new(Shape::Json);
    /// # let sealer = LogSealer::new(readers, settings, |_: OwnLines<'_>| Ok(()), std::time::Instant::now())?;
    /// let email = Label::new("email")?;
    /// let line = format!("{{\"email\":\"{}\"}}", sealer.sealed(&email, "a@b.example"));
    /// assert!(line.starts_with(r#"{"email":"~s1a~email~"#) && !line.contains("a@b.example"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn sealed<'a, V: Display>(&'a self, label: &'a Label, value: V) -> Sealed<'a, S, V> {
        Sealed { sealer: self, label, value }
    }
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>, V: Display> Display for Sealed<'_, S, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut value = Bounded::default();
        let token = match write!(value, "{}", self.value) {
            Ok(()) => self.sealer.seal(self.label, value.0.as_bytes()).ok(),
            Err(fmt::Error) => None,
        };
        // An error is told by the marker: nobody here could be told otherwise.
        f.write_str(&token.unwrap_or_else(|| self.label.unsealed()))
    }
}

impl<S, V> fmt::Debug for Sealed<'_, S, V>
where
    Self: Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Text up to the longest plaintext: what writes more fails.
#[derive(Default)]
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() <= MAX_PLAINTEXT { self.0.write_str(text) } else { Err(fmt::Error) }
    }
}

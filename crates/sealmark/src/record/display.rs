//! A value on its way into a log that formats its fields itself.

use std::{
    cell::Cell,
    fmt::{self, Display, Write},
    io,
};

use super::{
    label::Label,
    sealer::{LogSealer, OwnLines},
    session::MAX_PLAINTEXT,
};

/// Writes itself as the token of its value, and as the marker ([`Label::unsealed`]) where that cannot be sealed.
///
/// Formatting fails only where the formatter does, whatever becomes of the value. Each time it is formatted, it is
/// another token.
pub struct Sealed<'a, S, V> {
    sealer: &'a LogSealer<S>,
    label: &'a Label,
    value: V,
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>> LogSealer<S> {
    /// A value that seals itself when it is written, for loggers of any kind.
    ///
    /// `value` is formatted first: a `format_args!("{value:?}")` will do, too. At most [`MAX_PLAINTEXT`] bytes are.
    ///
    /// ```
    /// # use sealmark::{Identity, Kem, Mixing};
    /// # use sealmark::record::{Label, LogSealer, OwnLines, Readers, SealerSettings, Shape};
    /// # fn main() -> sealmark::Result<()> {
    /// # let readers = Readers::recipients(&[Identity::generate(Kem::X25519)?.recipient()], Mixing::Refuse)?;
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
        let mut scratch = Scratch::take();
        let written = match write!(scratch.value, "{}", self.value) {
            Ok(()) => {
                // Its error is told by the marker: nobody here could be told otherwise.
                let _ = self.sealer.seal_or_mark(self.label, scratch.value.0.as_bytes(), &mut scratch.token);
                f.write_str(str::from_utf8(&scratch.token).expect("a token is ASCII"))
            }
            Err(fmt::Error) => f.write_str(&self.label.unsealed()),
        };
        scratch.give_back();
        written
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
        match self.0.len() + text.len() <= MAX_PLAINTEXT {
            true => self.0.write_str(text),
            false => Err(fmt::Error),
        }
    }
}

/// What each thread keeps, so that sealing does not allocate.
#[derive(Default)]
struct Scratch {
    value: Bounded,
    token: Vec<u8>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

/// More than this is not kept.
const KEPT: usize = 1 << 16;

impl Scratch {
    /// A value that seals another while it is formatted gets an empty one, and so does a thread that is ending.
    fn take() -> Self {
        SCRATCH.try_with(Cell::take).unwrap_or_default()
    }

    fn give_back(mut self) {
        self.value.0.clear();
        self.token.clear();
        if self.value.0.capacity().max(self.token.capacity()) <= KEPT {
            // Where the thread is ending, it goes now.
            let _ = SCRATCH.try_with(|kept| kept.set(self));
        }
    }
}

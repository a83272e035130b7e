//! Passphrases.

use std::fmt;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// A passphrase. It is wiped when dropped and never printed.
///
/// ```
/// use sealmark::{Format, OpenWith, Opener, Passphrase, SealTo, Sealer};
/// use std::io::{Read, Write};
///
/// # fn main() -> sealmark::Result<()> {
/// let words = || Passphrase::new("correct horse battery staple".to_owned());
/// let mut sealer = Sealer::new(Vec::new(), &SealTo::passphrase(Format::Sealmark, words()))?;
/// sealer.write_all(b"private")?;
/// let sealed = sealer.finish()?;
///
/// let mut opened = Vec::new();
/// Opener::new(&sealed[..], &OpenWith::passphrase(words()))?.read_to_end(&mut opened)?;
/// assert_eq!(opened, b"private");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Takes ownership of the text, which is wiped with this value.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl ZeroizeOnDrop for Passphrase {}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase")
    }
}

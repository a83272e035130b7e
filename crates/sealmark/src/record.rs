//! Seals values inside log lines: tokens, log sessions and their headers (spec/record.md).
//!
//! A service holds a [`LogSealer`], which knows only public keys, and replaces each value with a token. The header of its
//! session goes into the same log. A holder of a secret key opens the log with a [`LogOpener`].
//!
//! [`LogSession`] is one session, under one symmetric key; a [`LogSealer`] begins one after the other.
//!
//! ```
//! use sealmark::{Identity, Kem};
//! use sealmark::record::{Label, LogKeys, LogOpener, LogSession, Readers, Shape};
//!
//! # fn main() -> sealmark::Result<()> {
//! let identity = Identity::generate(Kem::MlKem768X25519)?;
//! let readers = Readers::recipients(&[identity.recipient()])?;
//!
//! let session = LogSession::begin(&readers, Default::default())?;
//! let mut log = session.header_lines(Shape::Plain);
//! log += &format!("login of {}\n", session.seal(&Label::new("email")?, b"a@b.example")?);
//! log += &session.close(Shape::Plain)?;
//!
//! let mut opener = LogOpener::new(LogKeys::identities(vec![identity]));
//! let mut opened = Vec::new();
//! let report = opener.open(log.as_bytes(), &mut opened);
//! assert_eq!(opened, b"login of a@b.example\n");
//! assert_eq!(report.opened, 1);
//! # Ok(())
//! # }
//! ```

mod counters;
mod display;
mod encode;
mod escape;
mod fork;
mod header;
mod inspect;
#[doc(hidden)]
pub mod internal;
mod keys;
mod label;
mod levels;
mod opener;
mod parts;
mod report;
mod sealer;
mod session;
mod sessions;
mod token;
mod token_opener;
mod turn;

pub use counters::Order;
pub use display::Sealed;
pub use header::{HeaderFacts, Previous};
pub use inspect::{HeaderInspection, KeyKind, LogInspector, SessionInspection};
pub use keys::{LogKeys, PreSharedKey, Readers};
pub use label::{Label, LabelRef};
pub use opener::LogOpener;
pub use parts::Shape;
pub use report::{Report, SessionReport};
pub use sealer::{LogSealer, OwnLines, SealerSettings};
pub use session::{LogSession, MAX_VALUES, Padding, SessionSettings, Value};
pub use sessions::Sessions;
pub use token::{Closing, Found, HeaderPart, LOOK_ALIKE, MAX_PLAINTEXT, SessionId, Token, find, look_alikes};
pub use token_opener::{Context, Outcome, TokenOpener};

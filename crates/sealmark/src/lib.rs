//! Sealmark keeps private data private where applications write it down.
//!
//! This crate seals files: with elliptic-curve, post-quantum or hybrid keys, at about the speed at which the same
//! machine copies them. The format is `sealmark/1` (spec/file.md in the repository); age v1 is read and written too.
//!
//! ```
//! use std::io::{Read, Write};
//! use sealmark::{Format, Identity, Kem, Mixing, OpenWith, Opener, SealTo, Sealer};
//!
//! # fn main() -> sealmark::Result<()> {
//! let identity = Identity::generate(Kem::MlKem768X25519)?;
//! let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()], Mixing::Refuse)?;
//!
//! let mut sealer = Sealer::new(Vec::new(), &to)?;
//! sealer.write_all(b"private")?;
//! let sealed = sealer.finish()?;
//!
//! let mut plaintext = String::new();
//! Opener::new(&sealed[..], &OpenWith::identities(vec![identity]))?.read_to_string(&mut plaintext)?;
//! assert_eq!(plaintext, "private");
//! # Ok(())
//! # }
//! ```
//!
//! Whole files go faster from path to path ([`seal_file`], [`open_file`]) or between open ends ([`Input`], [`Output`]), on
//! all cores; streams too ([`seal_stream`], [`open_stream`]). Payloads whose format others chose, AES-GCM with one tag as in XML Encryption,
//! are opened safely and in constant memory by [`gcm`]. Values inside log lines are sealed by [`record`]. The library
//! prints nothing, asks no clock, and writes nowhere but where the caller says.

#[cfg(not(unix))]
compile_error!(
    "sealmark is for Unix systems: outputs, inputs and forks are held by calls that others do not have"
);

mod aead;
mod armor;
mod at;
mod buffer;
mod chunk;
mod error;
mod file;
mod format;
pub mod gcm;
mod header;
mod input;
mod inspect;
mod job;
mod kem;
mod key;
mod open;
mod output;
pub mod record;
mod run;
mod seal;
mod stanza;
mod stream;

pub use error::{Error, Malformed, Misuse, Part, Result};
pub use file::{
    open_file, open_input, reencrypt_file, rekey_file, seal_file, seal_input, verify_file, verify_input,
};
pub use format::Format;
pub use input::Input;
pub use inspect::{Inspection, StanzaInfo, inspect, inspect_file};
pub use job::{Job, Progress, Summary};
pub use key::{Identity, Kem, Mode, Passphrase, Recipient};
pub use open::{OpenWith, Opener, RangeOpener};
pub use output::{Existing, Output};
pub use seal::{Mixing, SealTo, Sealer};
pub use stream::{open_stream, seal_stream, verify_stream};

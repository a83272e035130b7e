//! Encrypts files and streams, and values inside log lines, with classic, post-quantum or hybrid public keys.
//!
//! To *seal* is to encrypt and authenticate, to *open* is to verify and decrypt. A *recipient* is a public key, an *identity*
//! its secret key, as in age. The file format is `sealmark/1` (spec/file.md in the repository): an age-style header with one
//! HPKE stanza for each recipient, and AES-256-GCM in independent chunks. age v1 files are read and written too.
//!
//! ```
//! use std::io::{Read, Write};
//! use sealmark::{Format, Identity, Kem, OpenWith, Opener, SealTo, Sealer};
//!
//! # fn main() -> sealmark::Result<()> {
//! let identity = Identity::generate(Kem::MlKem768X25519)?;
//! let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()])?;
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
//! | You have | Use |
//! |---|---|
//! | two paths | [`seal_file`], [`open_file`], [`verify_file`]: all cores |
//! | open files, pipes, standard input | [`seal_input`], [`open_input`] with [`Input`] and [`Output`] |
//! | anything that reads and writes | [`seal_stream`], [`open_stream`]: all cores, bounded memory |
//! | a pipeline of your own | [`Sealer`], [`Opener`] |
//! | a large sealed file of which you need a part | [`RangeOpener`] |
//! | a sealed file in a store that gives ranges | [`Input::from_ranges`], with the calls above that take an [`Input`] |
//! | files that belong in one archive | [`archive`] |
//! | a sealed file and new recipients | [`rekey_file`], [`reencrypt_file`] |
//! | files that prove their sender | [`SealTo::signed_by`], [`OpenWith::signed_by`]; [`sign_detached`] for plain files |
//! | keys of SSH, or in plugins of age | [`SshIdentity`], [`Plugins`] |
//! | values in log lines | [`record`] |
//! | AES-GCM with one tag, as in XML Encryption | [`gcm`] |
//!
//! The library prints nothing, reads no clock that it was not given, and writes only where the caller says. It has not been
//! audited independently. SECURITY.md in the repository states what it promises and what it does not: without a signature,
//! anyone with a recipient can seal files to it.

// Callers put our types into structures that derive it.
#![warn(missing_debug_implementations)]

#[cfg(not(unix))]
compile_error!("sealmark needs a Unix system: it uses system calls that other systems lack");

mod aead;
pub mod archive;
mod armor;
mod at;
mod buffer;
mod chunk;
mod cut;
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
mod keystring;
mod open;
mod output;
mod passphrase;
mod payload;
mod plugin;
pub mod record;
mod run;
mod seal;
mod sign;
mod ssh;
mod stanza;
mod stream;
mod suite;

pub use error::{Error, FileMisuse, KeyMisuse, Malformed, Part, RecordMisuse, Result};
pub use file::{
    open_file, open_input, reencrypt_file, rekey_file, seal_file, seal_input, verify_file, verify_input,
};
pub use format::{Content, Format};
pub use header::{Stanza, StanzaReader};
pub use input::Input;
pub use inspect::{Inspection, StanzaInfo, inspect, inspect_file};
pub use job::{Job, Progress, Summary};
pub use key::{Identity, OpenWith, Recipient};
pub use open::{Opener, RangeOpener};
pub use output::{Existing, Output};
pub use passphrase::Passphrase;
pub use plugin::{PluginIdentity, PluginName, Plugins, Wrapped};
pub use seal::{SealTo, Sealer};
pub use sign::{Signed, SigningKey, VerifyingKey, sign_detached, verify_detached};
pub use ssh::SshIdentity;
pub use stream::{open_stream, seal_stream, verify_stream};
pub use suite::{Kem, Mode};
// Signatures contain it, so callers need the same version.
#[doc(no_inline)]
pub use zeroize::Zeroizing;

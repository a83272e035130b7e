//! Payloads of XML Encryption: AES-GCM with one tag, of any size, opened in constant memory.
//!
//! A sealed payload is a random IV (12 bytes) ‖ ciphertext ‖ tag (16 bytes), without associated data (XML Encryption
//! 1.1, section 5.2.4; NIST SP 800-38D). Its one tag is at the end, so a receiver has three choices: to hold the whole
//! payload in memory, to release plaintext that may be forged, or to read it twice. This module reads twice: the first
//! pass authenticates, the second decrypts, and it releases a piece only if the piece is unchanged since the first pass
//! (spec/file.md, "Payloads of one tag"). If you are free to choose a format, use [`seal_file`](crate::seal_file).
//!
//! ```
//! use std::io::Cursor;
//! use sealmark::{Job, gcm};
//!
//! # fn main() -> sealmark::Result<()> {
//! let key = gcm::Key::new(&[7; 16])?;
//! let (mut sealed, mut plaintext) = (Vec::new(), Vec::new());
//! gcm::seal_stream(&b"private"[..], &mut sealed, &key, &Job::default())?;
//! gcm::open_seekable(Cursor::new(&sealed), &mut plaintext, &key, &Job::default())?;
//! assert_eq!(plaintext, b"private");
//! # Ok(())
//! # }
//! ```

mod cipher;
mod extent;
mod file;
mod join;
mod key;
mod pieces;
mod stream;

pub use extent::MAX_PLAINTEXT;
pub use file::{open_file, seal_file};
pub use key::Key;
pub use pieces::{PieceSealer, Verified, Verifier};
pub use stream::{open_seekable, seal_stream, verify_stream};

#[cfg(test)]
mod vectors;

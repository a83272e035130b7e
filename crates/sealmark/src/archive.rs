//! Archives: the files of a folder in one sealed file, with an index, so that one of them opens without the rest.
//!
//! The content is a tar archive, which every reader of sealed files gives; the index follows it (spec/file.md, "Archives").
//! [`seal_archive`] takes entries in the order of their paths and looks at no directory itself; [`Archive`] lists entries and
//! opens their contents on all cores, and writes nothing that it was not given.
//!
//! ```
//! use sealmark::archive::{Archive, Entry, Item, Kind, Time, seal_archive};
//! use sealmark::{Existing, Format, Identity, Input, Job, Kem, OpenWith, Output, SealTo};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let sealed = directory.path().join("notes.tar.sealed");
//! let identity = Identity::generate(Kem::MlKem768X25519)?;
//! let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()])?;
//! let entry = Entry::new("note.txt", Kind::File { size: 7 }, 0o644, Time::default());
//! let items = [Ok(Item::new(entry, &b"private"[..]))];
//! let output = Output::create(&sealed, Existing::Refuse)?;
//! seal_archive(items.into_iter(), output, &to, &Job::default(), tempfile::tempfile)?;
//!
//! let archive = Archive::open(Input::open(&sealed)?, &OpenWith::identities(vec![identity]))?;
//! let found = archive.entries(b"").collect::<sealmark::Result<Vec<_>>>()?;
//! archive.read_small(&found, &Job::default(), |file, content| {
//!     assert_eq!((&file.entry().path[..], content), (&b"note.txt"[..], &b"private"[..]));
//!     Ok(())
//! })?;
//! # Ok(())
//! # }
//! ```

pub(crate) mod check;
mod entry;
pub(crate) mod footer;
mod index;
mod read;
mod tar;
mod write;

pub use entry::{Entry, Kind, MAX_NAME, MAX_PATH, MAX_PIECES, MAX_SECONDS, MAX_SIZE, Time, path_order};
pub use index::Located;
pub use read::{Archive, Entries, MAX_SMALL};
pub use write::{Item, seal_archive};

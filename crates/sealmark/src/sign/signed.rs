//! The outcome of the check of a signature.

/// The signature of a file, as far as it was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Signed {
    /// The file has no signature.
    #[default]
    No,
    /// It has one, and [`OpenWith::signed_by`](crate::OpenWith::signed_by) named no sender whose key could verify it.
    Unchecked,
    /// The signature is valid.
    #[non_exhaustive]
    By {
        /// The place of the sender's key in the list that [`OpenWith::signed_by`](crate::OpenWith::signed_by) was given.
        sender: usize,
        /// True if the sender sealed the file to one of the identities that were given. Otherwise somebody forwarded it.
        meant: bool,
    },
}

//! The outcome of the check of a signature.

/// The signature of a file, as far as it was checked.
///
/// ```
/// use sealmark::{Format, Identity, Job, Kem, OpenWith, SealTo, Signed, SigningKey, seal_file, verify_file};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let [plain, sealed] = ["plain", "sealed"].map(|name| directory.path().join(name));
/// # std::fs::write(&plain, "private")?;
/// let (identity, ann) = (Identity::generate(Kem::MlKem768X25519)?, SigningKey::generate()?);
/// let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()])?.signed_by(ann.clone())?;
/// seal_file(&plain, &sealed, &to, &Job::default())?;
///
/// let with = OpenWith::identities(vec![identity]).signed_by(vec![ann.verifying_key()]);
/// let summary = verify_file(&sealed, &with, &Job::default())?;
/// assert!(matches!(summary.signed, Signed::By { sender: 0, meant: true, .. }));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Signed {
    /// The file has no signature.
    #[default]
    No,
    /// It has one, and nothing verified it, because [`OpenWith::signed_by`](crate::OpenWith::signed_by) was not called.
    #[non_exhaustive]
    Unchecked {
        /// The same as for [`Signed::By`], but not verified: anybody who can open the file can alter its list of recipients.
        meant: bool,
    },
    /// The signature is valid.
    #[non_exhaustive]
    By {
        /// The place of the sender's key in the list that [`OpenWith::signed_by`](crate::OpenWith::signed_by) was given.
        sender: usize,
        /// True if the sender sealed the file to one of the identities that were given, or to one of the caller's other public
        /// keys. Otherwise somebody forwarded it.
        meant: bool,
    },
}

//! Ed25519 SSH keys: age's stanza `ssh-ed25519` converts them into X25519 keys (spec/file.md, "SSH keys").

use crate::aead::{self, WrapCipher};
use crate::error::{Error, KeyMisuse, Result};
use crate::format::{AgeKey, Format};
use crate::header::{Stanza, decode, encode, malformed};
use crate::kem;
use crate::passphrase::Passphrase;
use crate::plugin::Answer;
use curve25519_dalek::edwards::CompressedEdwardsY;
use ssh_key::private::KeypairData;
use ssh_key::{Algorithm, Cipher, PrivateKey, PublicKey};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// The stanza type.
pub(crate) const ED25519: &str = "ssh-ed25519";
const LABEL: &[u8] = b"age-encryption.org/v1/ssh-ed25519";
const NO_PUBLIC_KEY: KeyMisuse = KeyMisuse::KeyString("not a valid SSH public key: mistyped or cut short");

/// An SSH public key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SshPublic {
    /// The key as it travels in SSH.
    blob: Vec<u8>,
    /// The same point in X25519's form.
    point: [u8; 32],
}

impl SshPublic {
    /// True for a line that is meant to be an SSH public key.
    pub fn is_meant(text: &str) -> bool {
        ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].iter().any(|start| text.starts_with(start))
    }

    /// Parses a line of a `.pub` file; its comment is not kept.
    pub fn parse(text: &str) -> Result<Self> {
        let kind = text.split(' ').next().unwrap_or_default();
        if kind != ED25519 {
            return Err(wrong_type(kind.contains("rsa")).into());
        }
        Self::new(&PublicKey::from_openssh(text).map_err(|_| NO_PUBLIC_KEY)?)
    }

    fn new(key: &PublicKey) -> Result<Self> {
        let ed25519 = key.key_data().ed25519().ok_or_else(|| wrong_type(false))?;
        let point = CompressedEdwardsY(ed25519.0).decompress().ok_or(NO_PUBLIC_KEY)?;
        let point = point.to_montgomery().to_bytes();
        if kem::is_low_order(&point) {
            return Err(KeyMisuse::WeakRecipient.into());
        }
        Ok(Self { blob: key.to_bytes().map_err(|_| NO_PUBLIC_KEY)?, point })
    }

    /// Four bytes that say to everybody which key the stanza is for.
    fn fingerprint(&self) -> String {
        encode(&aead::sha256(&self.blob)[..4])
    }

    pub fn wrap(&self, key: &AgeKey) -> Result<Stanza> {
        let (ephemeral, share) = kem::x25519_ephemeral()?;
        let shared = kem::x25519(&ephemeral, &self.point).ok_or(KeyMisuse::WeakRecipient)?;
        let wrap_key = self.wrap_key(&shared, &share)?;
        let body = aead::wrap_once(WrapCipher::ChaCha20Poly1305, &wrap_key, &key[..]);
        Ok(Stanza { kind: ED25519.into(), args: vec![self.fingerprint(), encode(&share[..])], body })
    }

    /// The tweak ties the shared secret to this SSH key, because other Ed25519 keys have the same X25519 point.
    fn wrap_key(&self, shared: &[u8; 32], share: &[u8; 32]) -> Result<Zeroizing<[u8; 32]>> {
        let tweak = aead::hkdf_sha256(b"", &self.blob, LABEL);
        let tweaked = kem::x25519(&tweak, shared).ok_or(KeyMisuse::WeakRecipient)?;
        Ok(aead::hkdf_sha256(&tweaked[..], &[&share[..], &self.point].concat(), LABEL))
    }
}

impl fmt::Display for SshPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD;
        write!(f, "{ED25519} {}", STANDARD.encode(&self.blob))
    }
}

/// The share of a stanza of this type.
pub(crate) fn check_form(stanza: &Stanza) -> Result<[u8; 32]> {
    let [_, share] = &stanza.args[..] else {
        return Err(malformed("a stanza has the wrong number of arguments"));
    };
    stanza.check_body(Format::Age)?;
    decode(share.as_bytes())?.try_into().map_err(|_| malformed("a stanza's share has the wrong length"))
}

/// An Ed25519 SSH secret key. Its bytes are wiped when it is dropped and never printed by `Debug`.
///
/// It opens files that are sealed to its public key, an `ssh-ed25519` line, and no logs.
///
/// ```
/// use std::io::{Read, Write};
/// use sealmark::{Format, OpenWith, Opener, SealTo, Sealer, SshIdentity};
///
/// # fn main() -> sealmark::Result<()> {
/// # let file = "\
/// # -----BEGIN OPENSSH PRIVATE KEY-----
/// # b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
/// # QyNTUxOQAAACCzPq7zfqLffKoBDe/eo04kH2XxtSmk9D7RQyf1xUqrYgAAAJgAIAxdACAM
/// # XQAAAAtzc2gtZWQyNTUxOQAAACCzPq7zfqLffKoBDe/eo04kH2XxtSmk9D7RQyf1xUqrYg
/// # AAAEC2BsIi0QwW2uFscKTUUXNHLsYX4FxlaSDSblbAj7WR7bM+rvN+ot98qgEN796jTiQf
/// # ZfG1KaT0PtFDJ/XFSqtiAAAAEHVzZXJAZXhhbXBsZS5jb20BAgMEBQ==
/// # -----END OPENSSH PRIVATE KEY-----
/// # ".lines().map(|line| line.trim_start_matches("# ")).collect::<Vec<_>>().join("\n");
/// // The content of a file such as ~/.ssh/id_ed25519.
/// let identity = SshIdentity::from_openssh(&file, None)?;
/// let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()])?;
/// let mut sealer = Sealer::new(Vec::new(), &to)?;
/// sealer.write_all(b"private")?;
/// let sealed = sealer.finish()?;
///
/// let mut opened = String::new();
/// Opener::new(&sealed[..], &OpenWith::default().and_ssh(vec![identity]))?.read_to_string(&mut opened)?;
/// assert_eq!(opened, "private");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SshIdentity {
    public: SshPublic,
    secret: Secret,
}

#[derive(Clone)]
enum Secret {
    Known(Scalar),
    Locked(Arc<Locked>),
}

type Scalar = Zeroizing<[u8; 32]>;

/// A key whose passphrase is asked for when a file names the key, and then known.
struct Locked {
    unlock: Box<dyn Fn() -> Answer<SshIdentity> + Send + Sync>,
    known: Mutex<Option<Scalar>>,
}

impl SshIdentity {
    /// Parses a file that `ssh-keygen -t ed25519` wrote.
    ///
    /// # Errors
    /// [`Error::PassphraseNeeded`] and [`Error::WrongPassphrase`] if the file is encrypted; [`KeyMisuse::KeyString`] if it is
    /// of another type, encrypted with 3DES, or damaged.
    pub fn from_openssh(text: &str, passphrase: Option<&Passphrase>) -> Result<Self> {
        let mut key = parse(text)?;
        if key.is_encrypted() {
            let passphrase = passphrase.ok_or(Error::PassphraseNeeded)?;
            key = key.decrypt(passphrase.as_bytes()).map_err(|_| Error::WrongPassphrase)?;
        }
        Self::decrypted(&key)
    }

    fn decrypted(key: &PrivateKey) -> Result<Self> {
        let KeypairData::Ed25519(pair) = key.key_data() else { return Err(DAMAGED.into()) };
        let hash = Zeroizing::new(aead::sha512(pair.private.as_ref()));
        let scalar = Scalar::new(*hash.first_chunk().expect("longer than a scalar"));
        let public = SshPublic::new(key.public_key())?;
        // Both halves are in the file; a file whose halves do not match would seal to one key and open with another.
        if kem::x25519_public(&scalar) != public.point || pair.public.0 != ed25519_of(key.public_key()) {
            return Err(DAMAGED.into());
        }
        Ok(Self { public, secret: Secret::Known(scalar) })
    }

    /// Parses a file whose passphrase is asked for only if it is needed. `unlock` is called if a file that is opened names this
    /// key, until it succeeds once; it returns the key by [`from_openssh`](Self::from_openssh), or an error, which is returned in
    /// [`Error::Passphrase`] if no other key opens the file. Other threads wait meanwhile, so `unlock` must not use this identity
    /// itself.
    ///
    /// # Errors
    /// [`KeyMisuse::KeyString`] if the file is of another type, encrypted with 3DES, or damaged.
    pub fn from_openssh_with(
        text: &str,
        unlock: impl Fn() -> Answer<Self> + Send + Sync + 'static,
    ) -> Result<Self> {
        let key = parse(text)?;
        if !key.is_encrypted() {
            return Self::decrypted(&key);
        }
        let locked = Locked { unlock: Box::new(unlock), known: Mutex::default() };
        Ok(Self { public: SshPublic::new(key.public_key())?, secret: Secret::Locked(Arc::new(locked)) })
    }

    /// Unlocks the key now, which also shows that the public key in the file is that of the secret one.
    ///
    /// # Errors
    /// [`Error::Passphrase`] with the error of `unlock`; [`KeyMisuse::KeyString`] if the keys do not match.
    pub fn unlock(&self) -> Result<()> {
        self.scalar().map(drop)
    }

    /// True if the secret key is encrypted, and was not needed yet.
    pub fn is_locked(&self) -> bool {
        matches!(&self.secret, Secret::Locked(locked) if locked.known().is_none())
    }

    fn scalar(&self) -> Result<Scalar> {
        let locked = match &self.secret {
            Secret::Known(scalar) => return Ok(scalar.clone()),
            Secret::Locked(locked) => locked,
        };
        let mut known = locked.known();
        if let Some(scalar) = &*known {
            return Ok(scalar.clone());
        }
        let unlocked = (locked.unlock)().map_err(|error| Error::Passphrase { error })?;
        if unlocked.public != self.public {
            return Err(DAMAGED.into());
        }
        Ok(known.insert(unlocked.scalar()?).clone())
    }

    pub(crate) fn public(&self) -> &SshPublic {
        &self.public
    }

    /// The key in a stanza whose form was checked; [`Error::NoKey`] if the stanza is for another identity.
    pub(crate) fn unwrap(&self, stanza: &Stanza, share: &[u8; 32]) -> Result<Zeroizing<Vec<u8>>> {
        // A fingerprint is short, so another key may have the same: the tag of the body decides.
        if stanza.args[0] != self.public.fingerprint() {
            return Err(Error::NoKey);
        }
        let shared = kem::x25519(&*self.scalar()?, share)
            .ok_or_else(|| malformed("a stanza's share is degenerate"))?;
        let wrap_key = self.public.wrap_key(&shared, share)?;
        aead::unwrap_once(WrapCipher::ChaCha20Poly1305, &wrap_key, &stanza.body).ok_or(Error::NoKey)
    }
}

impl Locked {
    fn known(&self) -> MutexGuard<'_, Option<Scalar>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ZeroizeOnDrop for SshIdentity {}

impl fmt::Debug for SshIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SshIdentity")
    }
}

const CIPHER: KeyMisuse = KeyMisuse::KeyString("the SSH key is encrypted with 3DES, which is not supported");
const DAMAGED: KeyMisuse = KeyMisuse::KeyString("the SSH key is damaged, or its type is not Ed25519");

fn parse(text: &str) -> Result<PrivateKey> {
    let key = PrivateKey::from_openssh(text).map_err(|_| DAMAGED)?;
    match key.algorithm() {
        // The right passphrase would seem wrong.
        Algorithm::Ed25519 if key.cipher() == Cipher::TdesCbc => Err(CIPHER.into()),
        Algorithm::Ed25519 => Ok(key),
        other => Err(wrong_type(matches!(other, Algorithm::Rsa { .. })).into()),
    }
}

fn ed25519_of(key: &PublicKey) -> [u8; 32] {
    key.key_data().ed25519().map_or([0; 32], |key| key.0)
}

fn wrong_type(rsa: bool) -> KeyMisuse {
    KeyMisuse::KeyString(if rsa {
        "RSA keys are not supported, only Ed25519 keys"
    } else {
        "SSH keys of this type are not supported, only Ed25519 keys"
    })
}

//! The key encapsulation mechanisms by their names, and their families.

use std::fmt;

/// A family of keys.
///
/// ```
/// use sealmark::{Kem, Mode};
///
/// assert_eq!(Mode::Pqc.default_kem(), Kem::MlKem768);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Elliptic curves: fast and small; a future quantum computer breaks them.
    Ecc,
    /// ML-KEM alone (FIPS 203), for policies that demand it.
    Pqc,
    /// Elliptic curves and ML-KEM together; an attacker has to break both. The default.
    #[default]
    Hybrid,
}

/// A key encapsulation mechanism.
///
/// Names follow the IANA HPKE KEM registry and draft-ietf-hpke-pq.
///
/// ```
/// use sealmark::Kem;
///
/// assert_eq!(Kem::default().name(), "MLKEM768-X25519");
/// assert!(Kem::default().is_post_quantum() && Kem::default().in_age());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Kem {
    /// DHKEM(X25519, HKDF-SHA256), RFC 9180; age's X25519.
    X25519,
    /// DHKEM(P-256, HKDF-SHA256), RFC 9180.
    P256,
    /// ML-KEM-768, FIPS 203.
    MlKem768,
    /// ML-KEM-1024, FIPS 203.
    MlKem1024,
    /// ML-KEM-768 with X25519 (X-Wing); age's mlkem768x25519. The default.
    #[default]
    MlKem768X25519,
    /// ML-KEM-768 with P-256.
    MlKem768P256,
    /// ML-KEM-1024 with P-384.
    MlKem1024P384,
}

impl Mode {
    /// The KEM of this family that most people should use.
    pub const fn default_kem(self) -> Kem {
        match self {
            Self::Ecc => Kem::X25519,
            Self::Pqc => Kem::MlKem768,
            Self::Hybrid => Kem::MlKem768X25519,
        }
    }
}

impl Kem {
    /// Every KEM, classic ones first.
    pub const ALL: &'static [Self] = &[
        Self::X25519,
        Self::P256,
        Self::MlKem768,
        Self::MlKem1024,
        Self::MlKem768X25519,
        Self::MlKem768P256,
        Self::MlKem1024P384,
    ];

    /// The standard name, the word in headers and key strings, and the family.
    const fn facts(self) -> (&'static str, &'static str, Mode) {
        match self {
            Self::X25519 => ("X25519", "x25519", Mode::Ecc),
            Self::P256 => ("P-256", "p256", Mode::Ecc),
            Self::MlKem768 => ("ML-KEM-768", "mlkem768", Mode::Pqc),
            Self::MlKem1024 => ("ML-KEM-1024", "mlkem1024", Mode::Pqc),
            Self::MlKem768X25519 => ("MLKEM768-X25519", "mlkem768x25519", Mode::Hybrid),
            Self::MlKem768P256 => ("MLKEM768-P256", "mlkem768p256", Mode::Hybrid),
            Self::MlKem1024P384 => ("MLKEM1024-P384", "mlkem1024p384", Mode::Hybrid),
        }
    }

    /// The standard name, as people write it.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// The word that stands for this KEM in headers of `sealmark/1`, and in key strings that age does not have.
    pub(crate) const fn stanza(self) -> &'static str {
        self.facts().1
    }

    /// The family this KEM belongs to.
    pub const fn mode(self) -> Mode {
        self.facts().2
    }

    /// True if files sealed with this KEM resist a quantum computer.
    pub const fn is_post_quantum(self) -> bool {
        !matches!(self.mode(), Mode::Ecc)
    }

    /// True if age v1 has a native stanza for this KEM.
    pub const fn in_age(self) -> bool {
        matches!(self, Self::X25519 | Self::MlKem768X25519)
    }

    /// The human-readable part of a recipient string.
    pub(crate) fn recipient_prefix(self) -> String {
        match self {
            Self::X25519 => "age".into(),
            Self::MlKem768X25519 => "age1pq".into(),
            other => format!("sealmark-{}-", other.stanza()),
        }
    }

    /// The human-readable part of an identity string, in lower case.
    pub(crate) fn identity_prefix(self) -> String {
        match self {
            Self::X25519 => "age-secret-key-".into(),
            Self::MlKem768X25519 => "age-secret-key-pq-".into(),
            other => format!("sealmark-secret-key-{}-", other.stanza()),
        }
    }
}

impl fmt::Display for Kem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ecc => "ecc",
            Self::Pqc => "pqc",
            Self::Hybrid => "hybrid",
        })
    }
}

//! The parts of a TLS connection (spec/engine.md, "TLS").

use crate::jobs::TLS_CONNECT;

/// "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    pub protocol: String,
    pub suite: String,
    pub group: String,
    pub certificate: Certificate,
}

/// The key that a server proves itself with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certificate {
    None,
    Rsa1024,
    Rsa2048,
    EcdsaP256,
    Ed25519,
}

impl Certificate {
    pub const ALL: [Self; 5] = [Self::None, Self::Rsa1024, Self::Rsa2048, Self::EcdsaP256, Self::Ed25519];

    pub fn name(self) -> &'static str {
        ["none", "RSA-1024", "RSA-2048", "ECDSA-P-256", "Ed25519"][self as usize]
    }
}

impl Way {
    /// True if nobody should use it any more.
    pub fn is_legacy(&self) -> bool {
        let text = [&self.protocol, &self.suite, &self.group, self.certificate.name()].join(" ");
        TLS_CONNECT.by_plan.is_some_and(|is_legacy| is_legacy(&TLS_CONNECT.named(&text, "")))
    }

    /// None where a word is none of its parameter's values.
    pub fn parse(text: &str) -> Option<Self> {
        let is_known = TLS_CONNECT.mistake(text).is_none();
        let [protocol, suite, group, certificate] = text.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let certificate = Certificate::ALL.into_iter().find(|it| it.name() == certificate)?;
        let [protocol, suite, group] = [protocol, suite, group].map(str::to_owned);
        is_known.then_some(Self { protocol, suite, group, certificate })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn four_words_are_read_and_others_are_told_apart() {
        for text in [
            "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
            "TLSv1.2 TLS_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048",
            "TLSv1 TLS_DH_anon_WITH_RC4_128_MD5 DH-768 none",
        ] {
            let Way { protocol, suite, group, certificate } = Way::parse(text).unwrap();
            assert_eq!([&protocol, &suite, &group, certificate.name()].join(" "), text);
        }
        for text in [
            "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519",
            "SSLv2 TLS_AES_128_GCM_SHA256 X25519 Ed25519",
            "TLSv1.3 SSL_AES X25519 Ed25519",
            "TLSv1.3 TLS_AES_128_GCM_SHA256 x25519 Ed25519",
            "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 RSA",
        ] {
            assert!(Way::parse(text).is_none(), "{text}");
        }
    }
}

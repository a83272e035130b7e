//! What a TLS connection is made of, as job files and engines spell it (spec/engine.md, "TLS").

/// The files of spec/engine.md, "TLS".
pub const CREDENTIALS: [&str; 3] = ["ca.pem", "certificate.pem", "key.pem"];

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
    pub const NAMES: [&str; 5] = ["none", "RSA-1024", "RSA-2048", "ECDSA-P-256", "Ed25519"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

pub const PROTOCOLS: [&str; 4] = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

pub const GROUPS: [&str; 8] =
    ["X25519", "P-256", "X25519MLKEM768", "DH-768", "DH-1024", "DH-2048", "none", "export"];

impl Way {
    /// None where a word is none of its parameter's values.
    pub fn parse(text: &str) -> Option<Self> {
        let [protocol, suite, group, certificate] = text.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let certificate = Certificate::ALL.into_iter().find(|it| it.name() == certificate)?;
        let is_known = PROTOCOLS.contains(&protocol) && suite.starts_with("TLS_") && GROUPS.contains(&group);
        let [protocol, suite, group] = [protocol, suite, group].map(str::to_owned);
        is_known.then_some(Self { protocol, suite, group, certificate })
    }

    /// Whether nobody should use it any more: only an engine that says so of itself is asked for it.
    pub fn is_legacy(&self) -> bool {
        const WEAK: [&str; 6] = ["_RC4_", "_DES_", "_DES40_", "_3DES_", "_NULL_", "_anon_"];
        !matches!(&*self.protocol, "TLSv1.2" | "TLSv1.3")
            || WEAK.iter().any(|part| self.suite.contains(part))
            || self.suite.contains("_EXPORT_")
            || matches!(&*self.group, "DH-768" | "DH-1024" | "export")
            || self.certificate == Certificate::Rsa1024
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
        for (text, part) in [
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519", "is not \"PROTOCOL SUITE GROUP CERTIFICATE\""),
            ("SSLv2 TLS_AES_128_GCM_SHA256 X25519 Ed25519", "protocol \"SSLv2\" is none of TLSv1,"),
            ("TLSv1.3 SSL_AES X25519 Ed25519", "suite \"SSL_AES\""),
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 x25519 Ed25519", "group \"x25519\""),
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 RSA", "certificate \"RSA\""),
        ] {
            assert!(Way::parse(text).is_none());
            let mistake = crate::jobs::TLS_CONNECT.mistake(text).unwrap();
            assert!(mistake.contains(part), "{mistake}");
        }
    }

    #[test]
    fn what_nobody_should_use_is_told_apart() {
        for (text, legacy) in [
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 Ed25519", false),
            ("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-2048 RSA-2048", false),
            ("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048", false),
            ("TLSv1.1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_RC4_128_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_3DES_EDE_CBC_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_NULL_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_DH_anon_WITH_AES_128_CBC_SHA DH-2048 none", true),
            ("TLSv1.2 TLS_RSA_EXPORT_WITH_RC4_40_MD5 export RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_DES_CBC_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_CBC_SHA DH-1024 RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-1024", true),
        ] {
            assert_eq!(Way::parse(text).unwrap().is_legacy(), legacy, "{text}");
        }
    }
}

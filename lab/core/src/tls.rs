//! What a TLS connection is made of, as job files and engines spell it (spec/engine.md, "TLS").

use std::fmt;

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

    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rsa1024 => "RSA-1024",
            Self::Rsa2048 => "RSA-2048",
            Self::EcdsaP256 => "ECDSA-P-256",
            Self::Ed25519 => "Ed25519",
        }
    }
}

const PROTOCOLS: [&str; 4] = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

const GROUPS: [&str; 8] =
    ["X25519", "P-256", "X25519MLKEM768", "DH-768", "DH-1024", "DH-2048", "none", "export"];

impl Way {
    /// The error says which word is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split(' ').collect();
        let [protocol, suite, group, certificate] = words[..] else {
            return Err(format!("\"{text}\" is not \"PROTOCOL SUITE GROUP CERTIFICATE\""));
        };
        let certificate_named = Certificate::ALL.into_iter().find(|it| it.name() == certificate);
        let wrong = |what: &str, word: &str, known: &[&str]| {
            format!("\"{text}\": {what} \"{word}\" is none of {}", known.join(", "))
        };
        if !PROTOCOLS.contains(&protocol) {
            return Err(wrong("protocol", protocol, &PROTOCOLS));
        }
        if !suite.starts_with("TLS_") {
            return Err(format!("\"{text}\": suite \"{suite}\" has no name of the IANA registry, TLS_…"));
        }
        if !GROUPS.contains(&group) {
            return Err(wrong("group", group, &GROUPS));
        }
        let certificate = certificate_named
            .ok_or_else(|| wrong("certificate", certificate, &Certificate::ALL.map(Certificate::name)))?;
        let [protocol, suite, group] = [protocol, suite, group].map(str::to_owned);
        Ok(Self { protocol, suite, group, certificate })
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

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.protocol, self.suite, self.group, self.certificate.name())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn four_words_are_read_and_written() {
        for text in [
            "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
            "TLSv1.2 TLS_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048",
            "TLSv1 TLS_DH_anon_WITH_RC4_128_MD5 DH-768 none",
        ] {
            assert_eq!(Way::parse(text).unwrap().to_string(), text);
        }
        for (text, part) in [
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519", "is not \"PROTOCOL SUITE GROUP CERTIFICATE\""),
            ("SSLv2 TLS_AES_128_GCM_SHA256 X25519 Ed25519", "protocol \"SSLv2\" is none of TLSv1,"),
            ("TLSv1.3 SSL_AES X25519 Ed25519", "suite \"SSL_AES\""),
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 x25519 Ed25519", "group \"x25519\""),
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 RSA", "certificate \"RSA\""),
        ] {
            let error = Way::parse(text).unwrap_err();
            assert!(error.contains(part), "{error}");
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

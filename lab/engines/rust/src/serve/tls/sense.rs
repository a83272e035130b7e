//! Which four words go together at all.

use super::way::{Certificate, Way};

/// The contradiction between the words of a way, if there is one.
pub fn contradiction(way: &Way) -> Option<String> {
    // Legacy ways belong to the JVM's own process, even where these libraries could still be made to do them.
    if way.is_legacy() {
        return Some("what nobody should use any more".into());
    }
    let Way { protocol, suite, group, certificate } = way;
    let (groups, certificates): (&[&str], &[Certificate]) = match suite.split_once("_WITH_") {
        None => (&["X25519", "P-256", "X25519MLKEM768", "DH-2048"], ANY),
        Some(("TLS_ECDHE_ECDSA", _)) => (ELLIPTIC, &[Certificate::EcdsaP256, Certificate::Ed25519]),
        Some(("TLS_ECDHE_RSA", _)) => (ELLIPTIC, RSA),
        Some(("TLS_DHE_RSA", _)) => (&["DH-2048"], RSA),
        Some(("TLS_RSA", _)) => (&["none"], RSA),
        Some((kind, _)) => return Some(format!("suites of kind {kind}")),
    };
    let is_of_13 = !suite.contains("_WITH_");
    if is_of_13 != (protocol == "TLSv1.3") {
        return Some(format!("{suite} in {protocol}"));
    }
    if !groups.contains(&group.as_str()) {
        return Some(format!("{suite} with group {group}"));
    }
    let agrees = certificates.contains(certificate);
    (!agrees).then(|| format!("{suite} with certificate {}", certificate.name()))
}

const ANY: &[Certificate] = &[Certificate::Rsa2048, Certificate::EcdsaP256, Certificate::Ed25519];
const RSA: &[Certificate] = &[Certificate::Rsa2048];
const ELLIPTIC: &[&str] = &["X25519", "P-256"];

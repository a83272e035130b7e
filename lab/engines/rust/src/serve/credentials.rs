//! Certificates for servers of TLS: made for each run by the one engine that can make all of them, OpenSSL's.

use crate::serve::tls::way::{Certificate, Way};
use crate::trouble::{Result, because};
use std::path::Path;

/// Writes what a server of that algorithm shows, if it shows anything, into a directory that is there.
pub fn write(algorithm: &str, directory: &Path) -> Result<()> {
    let certificate = Way::parse(algorithm)
        .ok_or_else(|| crate::trouble::Trouble::new(format!("\"{algorithm}\" is no way to connect by TLS")))?
        .certificate;
    if certificate == Certificate::None {
        return Ok(());
    }
    let files = ["ca.pem", "certificate.pem", "key.pem"].into_iter().zip(make(certificate)?);
    let written = files.into_iter().try_for_each(|(name, pem)| std::fs::write(directory.join(name), pem));
    written.map_err(|error| because("cannot write a certificate", error))
}

#[cfg(not(feature = "openssl"))]
fn make(_: Certificate) -> Result<[Vec<u8>; 3]> {
    Err(crate::trouble::Trouble::new("these engines were built without OpenSSL, which makes certificates")
        .hint("cd lab && cargo build --release"))
}

#[cfg(feature = "openssl")]
fn make(certificate: Certificate) -> Result<[Vec<u8>; 3]> {
    issue::pem(certificate)
        .map_err(|error| because(format!("cannot make a {} certificate", certificate.name()), error))
}

/// A certification authority and one server, both with keys of the same kind.
#[cfg(feature = "openssl")]
mod issue {
    use super::Certificate;
    use openssl::asn1::Asn1Time;
    use openssl::bn::{BigNum, MsbOption};
    use openssl::ec::{EcGroup, EcKey};
    use openssl::error::ErrorStack;
    use openssl::hash::MessageDigest;
    use openssl::nid::Nid;
    use openssl::pkey::{PKey, Private};
    use openssl::rsa::Rsa;
    use openssl::x509::extension::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAlternativeName};
    use openssl::x509::{X509, X509Builder, X509Name};

    pub fn pem(certificate: Certificate) -> Result<[Vec<u8>; 3], ErrorStack> {
        let (ca_key, key) = (key(certificate)?, key(certificate)?);
        let ca_name = name("Sealmark lab CA")?;
        let mut ca = builder(&ca_name, &ca_name, &ca_key)?;
        ca.append_extension(BasicConstraints::new().critical().ca().build()?)?;
        ca.append_extension(KeyUsage::new().critical().key_cert_sign().build()?)?;
        let ca = signed(ca, &ca_key, certificate)?;
        let mut leaf = builder(&name("localhost")?, &ca_name, &key)?;
        leaf.append_extension(KeyUsage::new().critical().digital_signature().key_encipherment().build()?)?;
        leaf.append_extension(ExtendedKeyUsage::new().server_auth().build()?)?;
        let names = SubjectAlternativeName::new()
            .dns("localhost")
            .ip("127.0.0.1")
            .build(&leaf.x509v3_context(Some(&ca), None))?;
        leaf.append_extension(names)?;
        let leaf = signed(leaf, &ca_key, certificate)?;
        Ok([ca.to_pem()?, leaf.to_pem()?, key.private_key_to_pem_pkcs8()?])
    }

    fn key(certificate: Certificate) -> Result<PKey<Private>, ErrorStack> {
        match certificate {
            Certificate::Rsa1024 => PKey::from_rsa(Rsa::generate(1024)?),
            Certificate::Rsa2048 | Certificate::None => PKey::from_rsa(Rsa::generate(2048)?),
            Certificate::EcdsaP256 => {
                let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
                PKey::from_ec_key(EcKey::generate(&group)?)
            }
            Certificate::Ed25519 => PKey::generate_ed25519(),
        }
    }

    fn name(common_name: &str) -> Result<X509Name, ErrorStack> {
        let mut name = X509Name::builder()?;
        name.append_entry_by_nid(Nid::COMMONNAME, common_name)?;
        Ok(name.build())
    }

    /// Valid from yesterday, because clocks differ, for a week.
    fn builder(
        subject: &X509Name,
        issuer: &X509Name,
        key: &PKey<Private>,
    ) -> Result<X509Builder, ErrorStack> {
        const DAY: i64 = 24 * 60 * 60;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map_or(0, |time| time.as_secs() as i64);
        let mut serial = BigNum::new()?;
        serial.rand(127, MsbOption::MAYBE_ZERO, false)?;
        let mut builder = X509::builder()?;
        builder.set_version(2)?;
        builder.set_serial_number(&*serial.to_asn1_integer()?)?;
        builder.set_subject_name(subject)?;
        builder.set_issuer_name(issuer)?;
        builder.set_not_before(&*Asn1Time::from_unix(now - DAY)?)?;
        builder.set_not_after(&*Asn1Time::from_unix(now + 7 * DAY)?)?;
        builder.set_pubkey(key)?;
        Ok(builder)
    }

    fn signed(
        mut builder: X509Builder,
        key: &PKey<Private>,
        certificate: Certificate,
    ) -> Result<X509, ErrorStack> {
        // Ed25519 brings its own digest.
        let digest = match certificate {
            Certificate::Ed25519 => MessageDigest::null(),
            _ => MessageDigest::sha256(),
        };
        builder.sign(key, digest)?;
        Ok(builder.build())
    }
}

#[cfg(all(test, feature = "openssl"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use openssl::pkey::PKey;
    use openssl::x509::X509;

    #[test]
    fn each_engine_gets_a_certificate_that_its_own_authority_signed() {
        let directory = tempfile::tempdir().unwrap();
        for (certificate, bits) in
            Certificate::ALL.into_iter().zip([None, Some(1024), Some(2048), Some(256), Some(256)])
        {
            let own = directory.path().join(certificate.name());
            std::fs::create_dir_all(&own).unwrap();
            write(&format!("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 {}", certificate.name()), &own).unwrap();
            assert_eq!(own.join("key.pem").exists(), bits.is_some(), "{}", certificate.name());
            let Some(bits) = bits else { continue };
            let read = |name: &str| std::fs::read(own.join(name)).unwrap();
            let key = PKey::private_key_from_pem(&read("key.pem")).unwrap();
            let [ca, leaf] = ["ca.pem", "certificate.pem"].map(|name| X509::from_pem(&read(name)).unwrap());
            assert!(leaf.verify(&ca.public_key().unwrap()).unwrap());
            assert!(leaf.public_key().unwrap().public_eq(&key));
            assert!(key.bits() == bits || certificate == Certificate::Ed25519, "{} bits", key.bits());
        }
    }
}

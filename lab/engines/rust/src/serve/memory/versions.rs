//! Which code is compiled in, and what it finds in this machine.

/// The versions this program was built with.
const LOCK: &str = include_str!("../../../../../Cargo.lock");

/// "name version" of a crate.
pub fn named(name: &str) -> String {
    format!("{name} {}", locked(name))
}

/// The locked version of a crate.
pub fn locked(name: &str) -> &'static str {
    let after_name = LOCK.split("[[package]]").find_map(|stanza| {
        let stanza = stanza.trim_start().strip_prefix("name = \"")?.strip_prefix(name)?;
        stanza.strip_prefix("\"\nversion = \"")
    });
    after_name.and_then(|rest| rest.split('"').next()).unwrap_or("unknown")
}

/// The processor's abilities that these libraries look for; which of them a library uses it does not tell.
#[cfg(target_arch = "x86_64")]
pub fn processor() -> String {
    let has = [
        ("sse4.1", is_x86_feature_detected!("sse4.1")),
        ("aes", is_x86_feature_detected!("aes")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("vaes", is_x86_feature_detected!("vaes")),
        ("vpclmulqdq", is_x86_feature_detected!("vpclmulqdq")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512vbmi2", is_x86_feature_detected!("avx512vbmi2")),
    ];
    said(&has)
}

/// The same for AArch64.
#[cfg(target_arch = "aarch64")]
pub fn processor() -> String {
    use std::arch::is_aarch64_feature_detected;
    let has = [
        ("neon", is_aarch64_feature_detected!("neon")),
        ("aes", is_aarch64_feature_detected!("aes")),
        ("pmull", is_aarch64_feature_detected!("pmull")),
        ("sha3", is_aarch64_feature_detected!("sha3")),
        ("sve2", is_aarch64_feature_detected!("sve2")),
    ];
    said(&has)
}

/// Elsewhere there is no way to ask.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn processor() -> String {
    said(&[])
}

fn said(has: &[(&str, bool)]) -> String {
    let there: Vec<_> = has.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    match there.as_slice() {
        [] => format!("{} without extensions known here", std::env::consts::ARCH),
        there => format!("{} with {}", std::env::consts::ARCH, there.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_is_in_the_lock_file_once() {
        let libraries =
            ["aws-lc-rs", "aws-lc-sys", "ring", "simdutf", "base64", "openssl", "openssl-src", "rustls"];
        let rustcrypto =
            ["aes", "aes-gcm", "aes-gcm-siv", "blowfish", "chacha20poly1305", "des", "ecb", "rc2", "rc4"];
        for name in libraries.iter().chain(&rustcrypto) {
            assert!(locked(name).starts_with(|first: char| first.is_ascii_digit()), "{name}");
            assert_eq!(LOCK.matches(&format!("\nname = \"{name}\"\n")).count(), 1, "{name}");
        }
        assert_eq!(locked("aes-gc"), "unknown");
    }
}

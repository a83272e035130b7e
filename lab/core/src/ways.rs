//! The four words of a TLS line, each named once: what all lines have in common stands in the title.

use std::collections::BTreeMap;

/// What tells some lines apart.
pub struct Ways {
    common: Vec<String>,
    /// Of protocol, suite, group and certificate.
    told: [bool; 4],
}

/// Protocol, suite, group, certificate.
type Words = [String; 4];

const SUITE: usize = 1;

fn words(algorithm: &str) -> Option<Words> {
    algorithm.split(' ').map(str::to_owned).collect::<Vec<_>>().try_into().ok()
}

impl Ways {
    /// None where there is no TLS. What follows from the suite is not told beside it.
    pub fn of<'a>(algorithms: impl Iterator<Item = &'a str>) -> Option<Self> {
        let all: Vec<Words> = algorithms.filter_map(words).collect();
        let first = all.first()?;
        let is_common = |at: usize| all.iter().all(|way| way[at] == first[at]);
        let follows = |at: usize| {
            let mut known = BTreeMap::new();
            at != SUITE && all.iter().all(|way| *known.entry(&way[SUITE]).or_insert(&way[at]) == &way[at])
        };
        let told = [0, 1, 2, 3].map(|at| !is_common(at) && !follows(at));
        let common = [0, 1, 2, 3].into_iter().filter(|at| is_common(*at));
        let named = common.map(|at| first[at].clone()).filter(|word| word != "none");
        Some(Self { common: named.collect(), told })
    }

    /// "TLSv1.3, TLS_AES_128_GCM_SHA256", or nothing.
    pub fn common(&self) -> String {
        self.common.join(", ")
    }

    /// "TLS_AES_128_GCM_SHA256 X25519", for a sentence whose beginning has told the rest.
    pub fn short(&self, algorithm: &str) -> String {
        let told = self.words(algorithm).into_iter().filter(|word| !matches!(word.as_str(), "" | "none"));
        told.collect::<Vec<_>>().join(" ")
    }

    fn words(&self, algorithm: &str) -> [String; 4] {
        let mut words = words(algorithm).unwrap_or_default();
        for (word, is_told) in words.iter_mut().zip(self.told) {
            if !is_told {
                word.clear();
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    const X25519: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    #[test]
    fn what_all_have_in_common_is_told_once() {
        let hybrid = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";
        let ways = Ways::of([X25519, "none", hybrid].into_iter()).unwrap();
        assert_eq!(ways.common(), "TLSv1.3, TLS_AES_128_GCM_SHA256, ECDSA-P-256");
        assert_eq!((ways.short(X25519), ways.short("none")), ("X25519".into(), String::new()));
        assert!(Ways::of(["none", "AES"].into_iter()).is_none());
    }

    #[test]
    fn what_follows_from_the_suite_is_not_told() {
        let all = [
            "TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-1024",
            "TLSv1 TLS_DHE_RSA_WITH_AES_128_CBC_SHA DH-768 RSA-1024",
            "TLSv1 TLS_DH_anon_WITH_RC4_128_MD5 DH-768 none",
        ];
        let ways = Ways::of(all.into_iter()).unwrap();
        assert_eq!(ways.common(), "TLSv1");
        assert_eq!(ways.short(all[1]), "TLS_DHE_RSA_WITH_AES_128_CBC_SHA");
        let other = "TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-2048";
        let ways = Ways::of(all.into_iter().chain([other])).unwrap();
        assert_eq!(ways.short(other), "TLS_RSA_WITH_RC4_128_MD5 RSA-2048");
    }
}

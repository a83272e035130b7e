//! Parameters of TLS, each named once: what all lines have in common stands in the title.

use crate::parameters::{NONE, Parameters, is_what};
use std::collections::BTreeMap;

/// What tells some lines apart.
pub struct Ways {
    /// "TLSv1.3, TLS_AES_128_GCM_SHA256", or nothing.
    pub common: String,
    /// The names of what differs.
    told: Vec<String>,
}

impl Ways {
    /// None where there is no TLS. What follows from the suite is not told beside it.
    pub fn of<'a>(all: impl Iterator<Item = &'a Parameters>) -> Option<Self> {
        let all: Vec<&Parameters> = all.filter(|way| way.get("suite").is_some_and(|it| it != NONE)).collect();
        let first = all.first()?;
        let follows = |name: &str| {
            let mut known = BTreeMap::new();
            all.iter().all(|way| *known.entry(way.get("suite")).or_insert(way.get(name)) == way.get(name))
        };
        let (common, mut told): (Vec<_>, Vec<_>) = first
            .iter()
            .filter(|(name, _)| is_what(name))
            .partition(|(name, value)| all.iter().all(|way| way.get(name) == Some(value)));
        told.retain(|(name, _)| *name == "suite" || !follows(name));
        let named = common.into_iter().map(|(_, value)| value).filter(|value| *value != NONE);
        let told = told.into_iter().map(|(name, _)| name.to_owned()).collect();
        Some(Self { common: named.collect::<Vec<_>>().join(", "), told })
    }

    /// "TLS_AES_128_GCM_SHA256 X25519", for a sentence whose beginning has told the rest.
    pub fn short(&self, way: &Parameters) -> String {
        let told = self.told.iter().filter_map(|name| way.get(name)).filter(|value| *value != NONE);
        told.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    const X25519: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    fn way(algorithm: &str) -> Parameters {
        Parameters::for_tests(Some(algorithm), None)
    }

    fn of(algorithms: &[&str]) -> Option<Ways> {
        let all: Vec<Parameters> = algorithms.iter().map(|text| way(text)).collect();
        Ways::of(all.iter())
    }

    #[test]
    fn what_all_have_in_common_is_told_once() {
        let hybrid = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";
        let ways = of(&[X25519, "none", hybrid]).unwrap();
        assert_eq!(ways.common, "TLSv1.3, TLS_AES_128_GCM_SHA256, ECDSA-P-256");
        assert_eq!([X25519, "none"].map(|text| ways.short(&way(text))), ["X25519", ""]);
        assert!(of(&["none", "AES"]).is_none());
    }

    #[test]
    fn what_follows_from_the_suite_is_not_told() {
        let all = [
            "TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-1024",
            "TLSv1 TLS_DHE_RSA_WITH_AES_128_CBC_SHA DH-768 RSA-1024",
            "TLSv1 TLS_DH_anon_WITH_RC4_128_MD5 DH-768 none",
        ];
        let ways = of(&all).unwrap();
        assert_eq!(ways.common, "TLSv1");
        assert_eq!(ways.short(&way(all[1])), "TLS_DHE_RSA_WITH_AES_128_CBC_SHA");
        let other = "TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-2048";
        let ways = of(&[&all[..], &[other]].concat()).unwrap();
        assert_eq!(ways.short(&way(other)), "TLS_RSA_WITH_RC4_128_MD5 RSA-2048");
    }
}

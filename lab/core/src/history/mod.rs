//! Figures that were published elsewhere (lab/history), beside today's.

pub mod log_tuning;
pub mod nkcryptotool;
pub mod peppol_gcm;
mod published;
pub mod tls_2009;

pub use published::Source;

/// A version as numbers, so that 17.0.9 comes before 17.0.15.
pub fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '+', '-', '_']).map(|part| part.parse().unwrap_or(0)).collect()
}

/// "17" of "17.0.15", "8" of "1.8.0_372".
pub fn major(version: &str) -> u64 {
    match numbers(version)[..] {
        [1, second, ..] => second,
        [first, ..] => first,
        [] => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_old_and_new_numbering_have_a_major_one() {
        let versions = ["1.8.0_372", "11.0.13", "12", "17.0.15+6", "21", "25-ea"];
        assert_eq!(versions.map(major), [8, 11, 12, 17, 21, 25]);
    }
}

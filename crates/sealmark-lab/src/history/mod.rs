//! What was published elsewhere (lab/history), beside today's figures.

pub mod conclusions;
pub mod fate;
pub mod log_tuning;
pub mod nkcryptotool;
pub mod peppol_conclusions;
pub mod peppol_gcm;
mod published;
pub mod tls_2009;
pub mod tls_conclusions;

pub use nkcryptotool::Then;
pub use published::Source;

/// A version as numbers, so that 17.0.9 comes before 17.0.15.
pub fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '+', '-', '_']).map(|part| part.parse().unwrap_or(0)).collect()
}

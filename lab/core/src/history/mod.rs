//! Figures that were published elsewhere (lab/history), beside today's.

pub mod log_tuning;
pub mod nkcryptotool;
pub mod peppol_gcm;
mod published;
pub mod tls_2009;

pub use published::Source;

//! Jobs `tls-transfer` and `tls-connect`: what is asked of an engine, and what its answers must prove.

mod credentials;
mod span;
mod stalls;
mod way;

pub use credentials::{CREDENTIALS, Credentials};
pub use span::time;
pub use way::{Certificate, Way};

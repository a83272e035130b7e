//! The bodies of the fuzz targets. Each takes any bytes, panics if the library breaks a promise, and returns true if the bytes
//! were accepted, so that the tests can see both outcomes among the seeds.

mod age;
mod fields;
mod header;
mod index;
mod keystring;
mod log;
mod payload;
mod signed;
mod token;

pub use age::age;
pub use fields::{access, formats, json, logfmt, ltsv, patterns, within, wrapped};
pub use header::header;
pub use index::index;
pub use keystring::keystring;
pub use log::log;
pub use payload::payload;
pub use signed::signed;
pub use token::token;

#[cfg(test)]
mod largest;
#[cfg(test)]
mod seeds;

//! The meaning of rows, beyond the figures of single lines: nothing here measures.

pub mod by_job;
mod goals;
pub mod publication;
mod run;
pub mod said;
pub mod stalls;
pub mod troubles;
pub mod untimed;
pub mod warmth;

pub use goals::goals;
pub use run::Run;

//! Files that other tools read, made of a run.

pub mod csv;

//! The `sealmark` program.
fn main() {}

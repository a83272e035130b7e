//! What a benchmark is called in files that have one name for it.

use crate::report::{self, words};
use crate::summary::{Cell, Line};

/// "codec, 49 bytes, encode: SunJCE 25.0.3 base64 (tuned)". Sizes are told to the byte: rounded ones of two cells may be
/// alike.
pub fn of(cell: &Cell, line: &Line) -> String {
    let unit = report::size_key(&cell.job).replace('_', " ");
    let line = words::full_name(&line.line, true);
    format!("{}, {} {unit}, {}: {line}", cell.job, cell.size, cell.operation)
}

/// The name, with a number behind it where it is taken: "a b" of "c" and "a" of "b c" read alike, and neither may be lost.
pub fn free(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number: u64| format!("{name} #{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}

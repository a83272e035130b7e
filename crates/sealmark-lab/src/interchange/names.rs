//! What a benchmark is called in files that have one name for it.

use crate::report::words;
use crate::summary::{Cell, Line};
use crate::units::amount;

/// "codec, 49 bytes, encode: SunJCE 25.0.3 base64 (tuned)": no other line of the run is called that.
pub fn of(cell: &Cell, line: &Line) -> String {
    let of = amount(&cell.job, cell.size);
    format!("{}, {of}, {}: {}", cell.job, cell.operation, words::full_name(&line.line, true))
}

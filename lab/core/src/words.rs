//! Figures and lines in words.

use crate::jobs;
use crate::protocol::Operation;
use crate::rows;
use crate::stats::Spread;
use crate::stats::verdict::{Reason, Verdict};
use crate::summary::{Cell, Line, Ratio};
use crate::units::significant;
pub use crate::units::size;
use crate::ways::Ways;

/// Nanoseconds as "12.3 ns", "4.56 µs", "7.89 ms" or "1.23 s".
pub fn time(ns: f64) -> String {
    let (unit, factor) = match ns {
        ns if ns < 999.5 => ("ns", 1.0),
        ns if ns < 999.5e3 => ("µs", 1e3),
        ns if ns < 999.5e6 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    format!("{} {unit}", significant(ns / factor))
}

/// The same, in minutes where nobody thinks in seconds: "12.4 min".
pub fn long_time(ns: f64) -> String {
    if ns < 120e9 { time(ns) } else { format!("{} min", significant(ns / 60e9)) }
}

/// Bytes allocated, as "48 B", "8.4 kB", "1.0 MB" or "430 GB".
pub fn bytes(bytes: f64) -> String {
    let (unit, value) = match bytes {
        bytes if bytes < 999.5 => return format!("{bytes:.0} B"),
        bytes if bytes < 999.5e3 => ("kB", bytes / 1e3),
        bytes if bytes < 999.5e6 => ("MB", bytes / 1e6),
        _ => ("GB", bytes / 1e9),
    };
    let decimals = usize::from(value < 9.95);
    format!("{value:.decimals$} {unit}")
}

/// A ratio in at most five characters where that is enough.
pub fn factor(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.0995 => format!("{ratio:.3}"),
        ratio if ratio < 0.9995 => format!("{ratio:.2}"),
        _ => significant(ratio),
    }
}

/// "2.10 (2.01..2.25)", for a column.
pub fn narrow(ratio: &Ratio) -> String {
    format!("{} ({}..{})", factor(ratio.median), factor(ratio.low), factor(ratio.high))
}

/// The same where the column does not say that it is no interval: "2.10 (range 2.01..2.25)".
pub fn spanned(ratio: &Ratio) -> String {
    let narrow = narrow(ratio);
    if ratio.interval.is_some() { narrow } else { narrow.replacen('(', "(range ", 1) }
}

/// Where the column says of the cell whether its ends are those of intervals: a line of fewer blocks says so itself.
pub fn in_column(cell: &Cell, ratio: &Ratio) -> String {
    if cell.has_intervals(cell.blocks()) { spanned(ratio) } else { narrow(ratio) }
}

/// "2.10 × the time of X (2.01 to 2.25): slower".
pub fn compared(ratio: &Ratio, other: &str) -> String {
    format!("{} × {other} {}: {}", factor(ratio.median), ends(ratio), verdict(ratio))
}

/// "2.10 (2.01 to 2.25): slower", where a table says of what.
pub fn judged(ratio: &Ratio) -> String {
    format!("{} {}: {}", factor(ratio.median), ends(ratio), verdict(ratio))
}

fn ends(ratio: &Ratio) -> String {
    let range = if ratio.interval.is_some() { "" } else { "range " };
    format!("({range}{} to {})", factor(ratio.low), factor(ratio.high))
}

/// "slower"; "undecided (noise not measured)": who reads that nothing is said wants to know why.
pub fn verdict(ratio: &Ratio) -> String {
    match ratio.verdict {
        Verdict::Undecided(reason) => format!("{} ({})", ratio.word(), why(reason)),
        _ => ratio.word().to_owned(),
    }
}

/// Why nothing is called, where nothing is.
pub fn why_undecided(ratio: &Ratio) -> &'static str {
    if let Verdict::Undecided(reason) = ratio.verdict { why(reason) } else { "" }
}

/// "within the noise".
pub fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::TooFewBlocks => "too few blocks",
        Reason::TooWide => "too wide an interval",
        Reason::NoNoiseKnown => "noise not measured",
        Reason::InsideNoise => "within the noise",
        Reason::Unconfirmed => "the best times do not show it",
        Reason::Unstable => "the best times show the opposite",
    }
}

/// "9.10 ms (8.80 ms to 9.60 ms)", or the one figure there is.
pub fn ranged(spread: &Spread) -> String {
    if spread.low == spread.high {
        return time(spread.median);
    }
    format!("{} ({} to {})", time(spread.median), time(spread.low), time(spread.high))
}

/// "the 1st", "the 312th".
pub fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (1, n) if n != 11 => "st",
        (2, n) if n != 12 => "nd",
        (3, n) if n != 13 => "rd",
        _ => "th",
    };
    format!("the {number}{ending}")
}

/// "SunJCE 25.0.3 AES-128-GCM (tuned)": as much of it as tells the line from the others of its cell.
pub fn name(cell: &Cell, line: &Line) -> String {
    let algorithm = if line.algorithm() == "none" { "" } else { line.algorithm() };
    let short = ways(cell).map(|ways| ways.short(line.algorithm()));
    joined(line.engine(), short.as_deref().unwrap_or(algorithm), &shape(cell, line))
}

/// What tells the lines of a cell of TLS apart; none in other jobs.
pub fn ways(cell: &Cell) -> Option<Ways> {
    if cell.is_by_shape() { Ways::of(cell.lines.iter().map(Line::algorithm)) } else { None }
}

/// ", TLSv1.3, ECDSA-P-256": what all lines of a cell of TLS have in common, and their names leave out.
pub fn common_way(cell: &Cell) -> String {
    let common = ways(cell).map(|ways| ways.common()).filter(|common| !common.is_empty());
    common.map(|common| format!(", {common}")).unwrap_or_default()
}

/// "codec, 49 bytes, encode": how every sentence about a cell begins.
pub fn place(job: &str, size: u64, operation: Operation) -> String {
    format!("{job}, {}, {operation}", jobs::of(job).amount(size))
}

/// The name of what may be a line's second time.
pub fn again(name: String, line: &rows::Line) -> String {
    if line.again { name + " (again)" } else { name }
}

/// The same of a line by itself.
pub fn full_name(line: &rows::Line, shaped: bool) -> String {
    let algorithm = if line.algorithm() == "none" { "" } else { line.algorithm() };
    joined(&line.engine, algorithm, &if shaped { format!("({})", line.shape()) } else { String::new() })
}

fn shape(cell: &Cell, line: &Line) -> String {
    if is_shaped(cell) || has_namesake(cell, line) {
        format!("({})", line.line.shape())
    } else {
        String::new()
    }
}

/// Another line that only its shape tells from it: yardsticks may have several where contestants have one.
fn has_namesake(cell: &Cell, line: &Line) -> bool {
    let is_namesake = |other: &Line| {
        (other.engine(), other.algorithm()) == (line.engine(), line.algorithm())
            && other.line.shape() != line.line.shape()
    };
    cell.lines.iter().chain(&cell.cold_only).any(is_namesake)
}

fn joined(engine: &str, algorithm: &str, shape: &str) -> String {
    [engine, algorithm, shape].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether the shape has to be named: the cell has lines of several, or its job is about them.
pub fn is_shaped(cell: &Cell) -> bool {
    cell.kind.tells_shapes || cell.is_of_shapes()
}

/// "a, b and 3 more".
pub fn few(names: &[String], most: usize) -> String {
    few_by(names, most, ", ")
}

/// The same of longer ones: "a; b and 3 more".
pub fn few_by(names: &[String], most: usize, separator: &str) -> String {
    if names.len() <= most {
        return names.join(separator);
    }
    format!("{} and {} more", names[..most].join(separator), names.len() - most)
}

/// So many of a list that may be as long as the file it was made from, and how many it leaves out.
pub fn at_most(mut sentences: Vec<String>, most: usize) -> Vec<String> {
    if sentences.len() > most {
        let more = sentences.len() - most;
        sentences.truncate(most);
        sentences.push(format!("and {more} more, all of which are in the results file"));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_expected() {
        let times = [0.321, 12.34, 999.6, 4.56e3, 7.891e6, 1.234e9].map(time);
        assert_eq!([119e9, 744.6e9].map(long_time), ["119 s", "12.4 min"]);
        assert_eq!(times, ["0.321 ns", "12.3 ns", "1.00 µs", "4.56 µs", "7.89 ms", "1.23 s"]);
        assert_eq!(
            [0.0, 48.2, 8_404.0, 25_000.0, 1.05e6, 4.3e11].map(bytes),
            ["0 B", "48 B", "8.4 kB", "25 kB", "1.1 MB", "430 GB"]
        );
        assert_eq!(
            [0.0123, 0.1, 0.534, 1.0, 21.04, 312.4].map(factor),
            ["0.012", "0.10", "0.53", "1.00", "21.0", "312"]
        );
    }

    #[test]
    fn ordinals_and_lists_read_as_expected() {
        let numbers = [1, 2, 3, 4, 11, 12, 13, 21, 112, 312].map(ordinal).join(" ");
        assert_eq!(numbers.replace("the ", ""), "1st 2nd 3rd 4th 11th 12th 13th 21st 112th 312th");
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!([few(&names, 3), few(&names, 1)], ["a, b, c", "a and 2 more"]);
        assert_eq!(at_most(names.to_vec(), 3), names);
        assert_eq!(at_most(names.to_vec(), 1), ["a", "and 2 more, all of which are in the results file"]);
    }
}

//! Of payloads: which line is the fastest, which of those that release nothing early, and which on each JDK.

use super::{judged, quickest, ties};
use crate::history::numbers;
use crate::protocol::{Operation, Shape};
use crate::report::{cells, words};
use crate::summary::{Cell, Line};

/// One size of each operation: the largest that most of its lines were measured at.
pub fn said(cells: &[&Cell]) -> Vec<String> {
    let telling = [Operation::Seal, Operation::Open].map(|operation| {
        let cells = || cells.iter().copied().filter(move |cell| cell.operation == operation);
        let most = cells().map(|cell| judged(cell).count()).max().filter(|most| *most > 0)?;
        cells().filter(|cell| 2 * judged(cell).count() >= most).max_by_key(|cell| cell.size)
    });
    telling.into_iter().flatten().flat_map(of_cell).collect()
}

/// The fastest of all, what waiting for the tag costs, and the best within a JVM, JDK by JDK.
fn of_cell(cell: &Cell) -> Vec<String> {
    let Some(best) = quickest(judged(cell)) else { return Vec::new() };
    let fastest = format!(
        "{}: fastest is {}, {}{}",
        place(cell),
        named(cell, best),
        words::time(best.time()),
        ties(cell, best, cell.contestants(), named)
    );
    let mut parts = vec![fastest];
    if cell.operation == Operation::Open && releases_early(best) {
        parts[0].push_str(", which releases early");
        let safe = quickest(judged(cell).filter(|line| is_safe(line)));
        let told = safe.and_then(|line| super::takes(cell, line, best, named));
        parts.extend(told.map(|told| format!("fastest that releases nothing early, {told}")));
    }
    parts.extend(within_jvms(cell));
    [Some(parts.join("; ")), two_passes(cell)].into_iter().flatten().collect()
}

/// With the algorithm, where it is that of all.
fn place(cell: &Cell) -> String {
    let algorithm = words::the_algorithm(cell).map(|algorithm| format!(", {algorithm}"));
    format!("{}{}", cells::name(cell), algorithm.unwrap_or_default())
}

fn named(cell: &Cell, line: &Line) -> String {
    if words::the_algorithm(cell).is_some() { words::short_name(cell, line) } else { words::name(cell, line) }
}

fn releases_early(line: &Line) -> bool {
    line.released_bytes.is_some_and(|bytes| bytes > 0)
}

fn is_safe(line: &Line) -> bool {
    line.released_bytes == Some(0)
}

/// "best within a JVM: on JDK 17.0.15 SunJCE (one-shot), 118 ms; on JDK 25.0.3 SunJCE (wss4j), 192 ms".
fn within_jvms(cell: &Cell) -> Option<String> {
    let opens = cell.operation == Operation::Open;
    let eligible = || judged(cell).filter(|line| !opens || is_safe(line));
    let mut jdks: Vec<&str> = eligible().filter_map(|line| line.jdk.as_deref()).collect();
    jdks.sort_by_key(|jdk| numbers(jdk));
    jdks.dedup();
    let told = |jdk: &str| {
        let line = quickest(eligible().filter(|line| line.jdk.as_deref() == Some(jdk)))?;
        let name = named(cell, line).replacen(&format!(" {jdk}"), "", 1);
        Some(format!("on JDK {jdk} {name}, {}", words::time(line.time())))
    };
    let told: Vec<String> = jdks.into_iter().filter_map(told).collect();
    let which = if opens { "best within a JVM that releases nothing early" } else { "best within a JVM" };
    if told.is_empty() { None } else { Some(format!("{which}: {}", told.join("; "))) }
}

/// What it costs to read the file twice, against the fastest that reads it once and releases early.
fn two_passes(cell: &Cell) -> Option<String> {
    let twice =
        quickest(judged(cell).filter(|line| line.line.shape == Shape::VerifyThenRelease && is_safe(line)))?;
    let early = quickest(judged(cell).filter(|line| releases_early(line)))?;
    // Where both are the fastest of their kind, and one of all, it has been said.
    let is_told = quickest(judged(cell)).map(|line| &line.line) == Some(&early.line)
        && quickest(judged(cell).filter(|line| is_safe(line))).map(|line| &line.line) == Some(&twice.line);
    if cell.operation != Operation::Open || is_told {
        return None;
    }
    let ratio = cell.compare(twice, early)?;
    let other = format!("the time of {}, the fastest that releases early", named(cell, early));
    Some(format!("{}: {} takes {}", place(cell), named(cell, twice), words::compared(&ratio, &other)))
}

//! Of payloads: which line is the fastest, which of those that release nothing early, and which on each JDK.

use super::{judged, quickest, ties};
use crate::history::numbers;
use crate::protocol::{Operation, Shape};
use crate::report::{cells, words};
use crate::summary::{Cell, Line};

/// The fastest of all, what waiting for the tag costs, and the best within a JVM, JDK by JDK.
pub fn sentences(cell: &Cell) -> Vec<String> {
    let Some(best) = quickest(judged(cell)) else { return Vec::new() };
    let fastest = format!(
        "{}: fastest is {}, {}{}",
        cells::name(cell),
        words::name(cell, best),
        words::time(best.time()),
        ties(cell, best, cell.contestants(), words::name)
    );
    let mut parts = vec![fastest];
    if cell.operation == Operation::Open && releases_early(best) {
        parts[0].push_str(", which releases early");
        let safe = quickest(judged(cell).filter(|line| is_safe(line)));
        let told = safe.and_then(|line| super::takes(cell, line, best, words::name));
        parts.extend(told.map(|told| format!("fastest that releases nothing early, {told}")));
    }
    parts.extend(within_jvms(cell, best));
    [Some(parts.join("; ")), two_passes(cell)].into_iter().flatten().collect()
}

fn releases_early(line: &Line) -> bool {
    line.released_bytes.is_some_and(|bytes| bytes > 0)
}

fn is_safe(line: &Line) -> bool {
    line.released_bytes == Some(0)
}

/// "best within a JVM: SunJCE 17.0.15 (one-shot) 1.90 ×, SunJCE 25.0.3 (update) 1.20 × its time".
fn within_jvms(cell: &Cell, best: &Line) -> Option<String> {
    let opens = cell.operation == Operation::Open;
    let eligible = || judged(cell).filter(|line| !opens || is_safe(line));
    let mut jdks: Vec<&str> = eligible().filter_map(|line| line.jdk.as_deref()).collect();
    jdks.sort_by_key(|jdk| numbers(jdk));
    jdks.dedup();
    let told = |jdk: &str| {
        let line = quickest(eligible().filter(|line| line.jdk.as_deref() == Some(jdk)))?;
        let name = words::name(cell, line);
        let ratio = cell.compare(line, best).map(|ratio| format!(" {} ×", words::factor(ratio.median)));
        Some(format!("{name}{}", ratio.unwrap_or_else(|| " itself".into())))
    };
    let told: Vec<String> = jdks.into_iter().filter_map(told).collect();
    let which = if opens { "best within a JVM that release nothing early" } else { "best within a JVM" };
    if told.is_empty() { None } else { Some(format!("{which}, JDK by JDK: {} its time", told.join(", "))) }
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
    let other = format!("the time of {}, the fastest that releases early", words::name(cell, early));
    Some(format!(
        "{}: {} takes {}",
        cells::name(cell),
        words::name(cell, twice),
        words::compared(&ratio, &other)
    ))
}

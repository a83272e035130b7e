//! The published tables of peppol-gcm in their own shape, and which of today's lines they are about.

use super::published::{Published, Source};
use crate::protocol::{Operation, Shape};
use crate::summary::{Cell, Line};
use serde::Deserialize;

/// One cell of the published tables.
#[derive(Debug, Clone, Deserialize)]
pub struct Figure {
    pub engine: String,
    pub jdk: String,
    pub operation: Operation,
    pub size_mb: f64,
    pub ms: u64,
}

pub fn figures() -> Vec<Figure> {
    published().figures
}

pub fn source() -> Source {
    published().source
}

fn published() -> Published<Figure> {
    Published::of(include_str!("../../../history/peppol-gcm.json"))
}

pub const JOB: &str = "payload";
pub const ALGORITHM: &str = "AES-128-GCM";
pub const SHAPE: Shape = Shape::Wss4j;

/// The published engines, SunJCE first as in the tables.
pub const ENGINES: [&str; 2] = ["SunJCE", "BC"];

/// The stanza of a published engine's code today.
pub fn family(published: &str) -> &str {
    if published == "BC" { "BouncyCastle" } else { published }
}

/// Published sizes are MiB, rounded up to whole buffers of the program that wrote the files.
pub fn bytes(size_mb: f64) -> u64 {
    const BUFFER: u64 = 10_240;
    ((size_mb * f64::from(1 << 20)).ceil() as u64).div_ceil(BUFFER) * BUFFER
}

/// Published JDKs in the order of the tables, oldest first.
pub fn jdks_then(figures: &[Figure]) -> Vec<&str> {
    let mut jdks: Vec<&str> = figures.iter().map(|figure| figure.jdk.as_str()).collect();
    jdks.dedup();
    jdks
}

/// Why a published JDK without a line of today's is "then only".
pub fn gone(major: u64) -> &'static str {
    match major {
        ..11 => "the lab's engine for the JVM needs Java 11",
        11 | 17 | 21 | 25 => "no such JDK took part in this run",
        _ => "out of support, and packaged by nobody any more",
    }
}

/// The published sizes in bytes, ascending, each with its name.
pub fn sizes(figures: &[Figure]) -> Vec<(u64, String)> {
    let mut sizes: Vec<f64> = figures.iter().map(|figure| figure.size_mb).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes.into_iter().map(|size| (bytes(size), format!("{size} MB"))).collect()
}

/// The JDKs of today on which a published line was measured, oldest first.
pub fn jdks(cells: &[Cell]) -> Vec<String> {
    let mut jdks: Vec<String> = Vec::new();
    for line in cells.iter().filter(|cell| cell.job == JOB).flat_map(Cell::contestants) {
        if let Some(jdk) = line.jdk.as_ref().filter(|jdk| is_published(line) && !jdks.contains(jdk)) {
            jdks.push(jdk.clone());
        }
    }
    jdks.sort_by_key(|version| crate::jdks::numbers(version));
    jdks
}

fn is_published(line: &Line) -> bool {
    ENGINES.iter().any(|engine| family(engine) == line.family)
        && (line.algorithm(), line.line.shape) == (ALGORITHM, SHAPE)
}

pub fn cell(cells: &[Cell], size: u64, operation: Operation) -> Option<&Cell> {
    cells.iter().find(|cell| (cell.job.as_str(), cell.size, cell.operation) == (JOB, size, operation))
}

/// The line of a published engine on one of today's JDKs, even where only its first operations are known.
pub fn line<'a>(cell: &'a Cell, jdk: &str, published: &str) -> Option<&'a Line> {
    cell.contestants_or_cold().find(|line| {
        is_published(line) && line.family == family(published) && line.jdk.as_deref() == Some(jdk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tables_are_whole() {
        let figures = figures();
        assert_eq!(figures.len(), 168);
        assert_eq!(jdks_then(&figures), ["1.8.0_372", "12", "17", "20.0.1", "21"]);
        assert_eq!(
            jdks_then(&figures).iter().map(|jdk| crate::jdks::major(jdk)).collect::<Vec<_>>(),
            [8, 12, 17, 20, 21]
        );
        assert!(figures.iter().all(|figure| ENGINES.contains(&figure.engine.as_str())));
        let slowest = figures.iter().max_by_key(|figure| figure.ms);
        let slowest = slowest.map(|figure| (&*figure.engine, &*figure.jdk, figure.size_mb, figure.ms));
        assert_eq!(slowest, Some(("SunJCE", "12", 100.0, 2_179_325)));
    }

    #[test]
    fn published_sizes_are_those_of_the_files_that_were_written() {
        let sizes: Vec<(u64, String)> = sizes(&figures());
        let names: Vec<&str> = sizes.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names[..5], ["0.1 MB", "0.5 MB", "1 MB", "5 MB", "10 MB"]);
        let bytes: Vec<u64> = sizes.iter().map(|(bytes, _)| *bytes).collect();
        let expected = [
            112_640,
            532_480,
            1_054_720,
            5_242_880,
            10_485_760,
            20_971_520,
            31_457_280,
            41_943_040,
            52_428_800,
            104_857_600,
        ];
        assert_eq!(bytes, expected);
    }
}

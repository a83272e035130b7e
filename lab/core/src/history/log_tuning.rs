//! The published table of log-tuning in its own shape, beside today's.

use super::published::{Published, Source};
use crate::protocol::{Operation, Shape};
use crate::summary::{Cell, Line};
use serde::Deserialize;

/// One cell of the published table.
#[derive(Debug, Deserialize)]
pub struct Figure {
    pub job: String,
    pub engine: String,
    pub operation: Operation,
    pub size_bytes: u64,
    pub count: u64,
    pub total_ms: u64,
}

pub fn figures() -> Vec<Figure> {
    published().figures
}

pub fn source() -> Source {
    published().source
}

fn published() -> Published<Figure> {
    Published::of(include_str!("../../../history/log-tuning.json"))
}

/// The shape of everything that was published.
pub const SHAPE: Shape = Shape::AsWritten;

/// Whose code is today's for a published engine: families of engines in the order of preference, and the algorithm.
pub fn today(published: &str) -> (&'static [&'static str], &'static str) {
    match published {
        // Gone from the JDK since version 9; the stand-in breaks lines as it did.
        "sun.misc.base64" => (&["sun.misc", "sun.misc-stand-in"], "base64-mime"),
        "nativeBase64" => (&["native-jni"], "base64"),
        "nativeRC4" => (&["native-jni"], "RC4"),
        "apache.commons.codec base64" => (&["commons-codec"], "base64"),
        "JCE DES" => (&["SunJCE"], "DES"),
        "JCE DESede" => (&["SunJCE"], "DESede"),
        "JCE AES" => (&["SunJCE"], "AES"),
        "JCE BLOWFISH" => (&["SunJCE"], "Blowfish"),
        "JCE RC2" => (&["SunJCE"], "RC2"),
        "JCE RC4" => (&["SunJCE"], "RC4"),
        _ => (&[], ""),
    }
}

impl Figure {
    /// The same work as measured on a JDK, if it was.
    pub fn today<'a>(&self, cells: &'a [Cell], jdk: &str) -> Option<&'a Line> {
        let cell = cell(cells, &self.job, self.size_bytes, self.operation)?;
        let (families, algorithm) = today(&self.engine);
        families.iter().find_map(|family| line(cell, jdk, family, algorithm))
    }
}

pub fn cell<'a>(cells: &'a [Cell], job: &str, size: u64, operation: Operation) -> Option<&'a Cell> {
    cells.iter().find(|cell| (cell.job.as_str(), cell.size, cell.operation) == (job, size, operation))
}

/// A line as it was written then.
pub fn line<'a>(cell: &'a Cell, jdk: &str, family: &str, algorithm: &str) -> Option<&'a Line> {
    shaped(cell, jdk, (family, algorithm), SHAPE)
}

/// What the table lacks: a value as it goes into the line and comes out of it, by family and algorithm of job `record`.
pub const LAST: [(&str, &str); 6] = [
    ("SunJCE", "RC4-base64"),
    ("native-jni", "RC4-base64"),
    ("SunJCE", "AES-256-GCM-base64-as-written"),
    ("SunJCE", "AES-256-GCM-base64"),
    ("sealmark-java", "token"),
    ("sealmark-java-pure", "token"),
];

/// One of those rows, as one thread does it.
pub fn last<'a>(cell: &'a Cell, jdk: &str, named: (&str, &str)) -> Option<&'a Line> {
    shaped(cell, jdk, named, Shape::OneThread)
}

fn shaped<'a>(
    cell: &'a Cell,
    jdk: &str,
    (family, algorithm): (&str, &str),
    shape: Shape,
) -> Option<&'a Line> {
    cell.contestants().find(|line| {
        line.family == family
            && line.algorithm() == algorithm
            && line.line.shape == shape
            && line.jdk.as_deref() == Some(jdk)
    })
}

/// The JDKs that took part, in the order of the engines.
pub fn jdks(cells: &[Cell]) -> Vec<String> {
    let mut jdks: Vec<String> = Vec::new();
    let measured = cells.iter().filter(|cell| matches!(cell.job.as_str(), "codec" | "cipher"));
    for jdk in measured.flat_map(Cell::contestants).filter_map(|line| line.jdk.clone()) {
        if !jdks.contains(&jdk) {
            jdks.push(jdk);
        }
    }
    jdks.sort_by_key(|version| crate::jdks::numbers(version));
    jdks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_table_is_whole_and_every_engine_has_a_successor() {
        let figures = figures();
        assert_eq!(figures.len(), 40);
        assert!(figures.iter().all(|figure| !today(&figure.engine).0.is_empty()));
        let triple_des = |figure: &&Figure| {
            (figure.engine.as_str(), figure.size_bytes, figure.operation)
                == ("JCE DESede", 8404, Operation::Open)
        };
        assert_eq!(figures.iter().find(triple_des).map(|f| (f.count, f.total_ms)), Some((10_000, 35_828)));
        let by_engine = |name: &str| figures.iter().filter(|figure| figure.engine == name).count();
        assert_eq!(by_engine("sun.misc.base64"), 4);
    }
}

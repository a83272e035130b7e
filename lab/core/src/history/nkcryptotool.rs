//! The published figures of nkCryptoTool, and which of today's lines stand beside them.

use super::published::{Published, Source};
use crate::protocol::Operation;
use crate::summary::{Cell, Line};
use serde::Deserialize;

/// The name of the publication.
pub const ID: &str = "nkcryptotool";

/// How the table's footnote speaks of them.
pub const ABOUT: &str = "then: nkCryptoTool as published in July 2025, on 16 cores of 4.7 GHz; no valid baseline \
                         (lab/history/nkcryptotool.md);\n      ECC was P-256, PQC was ML-KEM-1024, hybrid was both, \
                         beside MLKEM1024-P384 as the nearest";

/// One cell of the published tables.
#[derive(Deserialize)]
pub struct Figure {
    mode: String,
    pub size_bytes: u64,
    pub operation: Operation,
    pub wall_ms: f64,
}

impl Figure {
    /// The key that is held against it today.
    pub fn key(&self) -> &str {
        match self.mode.as_str() {
            "ecc" => ECC,
            "pqc" => PQC,
            "hybrid" => HYBRID,
            other => other,
        }
    }

    /// This work as our own library does it, if that was measured.
    pub fn today<'a>(&self, cells: &'a [Cell]) -> Option<&'a Line> {
        let is_it = |cell: &&Cell| {
            (cell.job.as_str(), cell.size, cell.operation) == ("file", self.size_bytes, self.operation)
        };
        cells.iter().find(is_it).and_then(|cell| ours(cell, self.key()))
    }
}

pub fn figures() -> Vec<Figure> {
    published().figures
}

/// The figures of one publication.
pub struct Then(Vec<Figure>);

impl Then {
    /// The figures that come with the program.
    pub fn nkcryptotool() -> Self {
        Self(figures())
    }

    /// Milliseconds published for that key, size and operation.
    pub fn milliseconds(&self, key: &str, bytes: u64, operation: Operation) -> Option<f64> {
        let same = |f: &&Figure| f.key() == key && f.size_bytes == bytes && f.operation == operation;
        self.0.iter().find(same).map(|figure| figure.wall_ms)
    }
}

pub fn source() -> Source {
    published().source
}

fn published() -> Published<Figure> {
    Published::of(include_str!("../../../history/nkcryptotool.json"))
}

/// The keys that were published, in our library.
const ECC: &str = "P-256";
const PQC: &str = "ML-KEM-1024";
const HYBRID: &str = "MLKEM1024-P384";

fn ours<'a>(cell: &'a Cell, key: &str) -> Option<&'a Line> {
    cell.contestants().find(|line| line.family == "sealmark" && line.algorithm() == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_figures_are_found_by_their_keys() {
        let then = Then::nkcryptotool();
        assert_eq!(then.0.len(), 24);
        assert_eq!(then.milliseconds("P-256", 1024, Operation::Seal), Some(16.58));
        assert_eq!(then.milliseconds("ML-KEM-1024", 10_485_760, Operation::Open), Some(32.18));
        assert_eq!(then.milliseconds("MLKEM1024-P384", 6_719_094_784, Operation::Seal), Some(8270.0));
        assert_eq!(then.milliseconds("X25519", 1024, Operation::Seal), None);
        assert_eq!(then.milliseconds("P-256", 268_435_456, Operation::Seal), None);
    }
}

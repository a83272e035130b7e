//! The published figures of nkCryptoTool, and which of today's lines stand beside them.

use super::published::{Published, Source};
use crate::protocol::Operation;
use crate::summary::{Cell, Line};
use serde::Deserialize;

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
        let figures = figures();
        assert_eq!(figures.len(), 24);
        let milliseconds = |key: &str, bytes: u64, operation: Operation| {
            let is_it = |it: &&Figure| (it.key(), it.size_bytes, it.operation) == (key, bytes, operation);
            figures.iter().find(is_it).map(|figure| figure.wall_ms)
        };
        assert_eq!(milliseconds("P-256", 1024, Operation::Seal), Some(16.58));
        assert_eq!(milliseconds("ML-KEM-1024", 10_485_760, Operation::Open), Some(32.18));
        assert_eq!(milliseconds("MLKEM1024-P384", 6_719_094_784, Operation::Seal), Some(8270.0));
        assert_eq!(milliseconds("X25519", 1024, Operation::Seal), None);
        assert_eq!(milliseconds("P-256", 268_435_456, Operation::Seal), None);
    }
}

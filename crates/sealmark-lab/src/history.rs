//! The published figures beside today's: lab/history.

use crate::protocol::Operation;
use serde::Deserialize;

/// How the table's footnote speaks of them.
pub const ABOUT: &str = "then: nkCryptoTool as published in July 2025, on 16 cores of 4.7 GHz; no valid baseline \
                         (lab/history/nkcryptotool.md);\n      ECC was P-256, PQC was ML-KEM-1024, hybrid was both, \
                         beside MLKEM1024-P384 as the nearest";

#[derive(Deserialize)]
struct Published {
    rows: Vec<Figure>,
}

#[derive(Deserialize)]
struct Figure {
    mode: String,
    size_bytes: u64,
    operation: Operation,
    wall_ms: f64,
}

/// The figures of one publication.
pub struct Then(Vec<Figure>);

impl Then {
    /// The figures that come with the program. Should the file be broken the table does without them; a test says so.
    pub fn nkcryptotool() -> Self {
        let text = include_str!("../../../lab/history/nkcryptotool.json");
        Self(serde_json::from_str::<Published>(text).map(|published| published.rows).unwrap_or_default())
    }

    /// Milliseconds published for that key, size and operation.
    pub fn milliseconds(&self, key: &str, bytes: u64, operation: Operation) -> Option<f64> {
        let mode = match key {
            "P-256" => "ecc",
            "ML-KEM-1024" => "pqc",
            "MLKEM1024-P384" => "hybrid",
            _ => return None,
        };
        let same = |f: &&Figure| f.mode == mode && f.size_bytes == bytes && f.operation == operation;
        self.0.iter().find(same).map(|figure| figure.wall_ms)
    }
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

//! The published figures of nkCryptoTool, and what this lab sees of its conclusions.

use super::conclusions::Conclusion;
use super::fate::{Claim, Fate, Part, Seen};
use super::published::{Published, Source};
use crate::protocol::Operation;
use crate::summary::{Cell, Line};
use crate::units;
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

    /// The same work as done by our own library, if it was measured.
    pub fn today<'a>(&self, cells: &'a [Cell]) -> Option<&'a Line> {
        let is_it = |cell: &&Cell| cell.operation == self.operation;
        of_size(cells, |size| size == self.size_bytes).find(is_it).and_then(|cell| ours(cell, self.key()))
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
    Published::of(include_str!("../../../../lab/history/nkcryptotool.json"))
}

/// The keys that were published, in our library.
const ECC: &str = "P-256";
const PQC: &str = "ML-KEM-1024";
const HYBRID: &str = "MLKEM1024-P384";

const SMALL: u64 = 1 << 10;
/// From here on the key mode should make no difference.
const LARGE: u64 = 256 << 20;
/// "Dominate": so many times what reading and writing alone take.
const DOMINATED: f64 = 2.0;
/// What the lab calls the same: neither more nor less.
const SAME: f64 = 1.02;

/// The published conclusions, put to the test with our own library: the published figures themselves allow none.
pub fn conclusions(cells: &[Cell]) -> Vec<Conclusion> {
    let sentences = published().conclusions;
    let decided = [set_up(cells), fastest_hybrid(cells), slower_hybrid(cells), cpu(cells)];
    let conclusion = |(sentence, (rule, parts)): (String, (&'static str, Vec<Part>))| {
        let fate = Fate::of_all(&parts);
        Conclusion { sentence, rule, fate, parts }
    };
    sentences.into_iter().zip(decided).map(conclusion).collect()
}

fn ours<'a>(cell: &'a Cell, key: &str) -> Option<&'a Line> {
    cell.contestants().find(|line| line.family == "sealmark" && line.algorithm() == key)
}

fn of_size(cells: &[Cell], size: impl Fn(u64) -> bool) -> impl Iterator<Item = &Cell> {
    cells.iter().filter(move |cell| cell.job == "file" && size(cell.size))
}

fn at(cell: &Cell) -> String {
    format!("{}, {}", cell.operation, units::size(cell.size))
}

fn against(cell: &Cell, claim: Claim, this: &str, that: &str) -> Part {
    let pair = ours(cell, this).zip(ours(cell, that));
    claim.test(format!("{}: {this} against {that}", at(cell)), Some(cell), pair)
}

/// Only the half about small files: what computes in a large one is the cipher, whatever the key.
fn set_up(cells: &[Cell]) -> (&'static str, Vec<Part>) {
    let test = |cell: &Cell, key: &str| {
        let pair = ours(cell, key).zip(cell.yardstick());
        Claim::at_least(DOMINATED).test(format!("{}: {key} against copying", at(cell)), Some(cell), pair)
    };
    let small = of_size(cells, |size| size == SMALL);
    let parts = small.flat_map(|cell| [ECC, PQC, HYBRID].map(|key| test(cell, key))).collect();
    ("small files only: every mode takes at least 2 × the time of copying 1 KiB", parts)
}

fn fastest_hybrid(cells: &[Cell]) -> (&'static str, Vec<Part>) {
    let largest = cells.iter().filter(|cell| cell.job == "file").map(|cell| cell.size).max();
    let large = of_size(cells, move |size| size >= LARGE && Some(size) == largest);
    let parts =
        large.flat_map(|cell| [ECC, PQC].map(|key| against(cell, Claim::at_most(1.0 / SAME), HYBRID, key)));
    (
        "hybrid takes at most 0.98 × the time of either alone, at the largest size from 256 MiB on",
        parts.collect(),
    )
}

fn slower_hybrid(cells: &[Cell]) -> (&'static str, Vec<Part>) {
    let small = of_size(cells, |size| size == SMALL);
    let parts =
        small.flat_map(|cell| [ECC, PQC].map(|key| against(cell, Claim::at_least(SAME), HYBRID, key)));
    ("hybrid takes at least 1.02 × the time of either alone, at 1 KiB", parts.collect())
}

fn cpu(cells: &[Cell]) -> (&'static str, Vec<Part>) {
    let claim = Claim::at_most(SAME);
    let test = |cell: &Cell| {
        let ratio = ours(cell, PQC).zip(ours(cell, ECC)).and_then(|(pqc, ecc)| cell.compare_cpu(pqc, ecc));
        claim.judge(format!("{}: CPU of {PQC} against {ECC}", at(cell)), ratio.map(Seen::from))
    };
    let parts = of_size(cells, |_| true).map(test).collect();
    ("ML-KEM-1024 takes at most 1.02 × the CPU time of P-256, at all sizes", parts)
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

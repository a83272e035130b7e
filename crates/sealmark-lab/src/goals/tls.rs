//! That the lab is not the bottleneck: its TLS engines against the plainest loops over the same libraries.

use super::Limit;
use crate::protocol::Operation;
use crate::report::words;
use crate::stats::Spread;
use crate::summary::{Cell, Line};
use crate::units::significant;

struct Goal {
    job: &'static str,
    operations: &'static [Operation],
    engine: &'static str,
    limit: Limit,
}

const GOALS: [Goal; 2] = [
    Goal {
        job: "tls-transfer",
        operations: &[Operation::Upload, Operation::Download],
        engine: "openssl",
        limit: Limit::Faster(0.95),
    },
    Goal { job: "tls-connect", operations: &[Operation::Full], engine: "rustls", limit: Limit::Faster(0.9) },
];

/// One line for each cell in which an engine and its loop did the same.
pub fn verdicts(cells: &[Cell]) -> Vec<String> {
    let of = |goal: &'static Goal| {
        let tested =
            cells.iter().filter(|cell| cell.job == goal.job && goal.operations.contains(&cell.operation));
        tested.filter_map(|cell| goal.verdict(cell))
    };
    GOALS.iter().flat_map(of).collect()
}

impl Goal {
    fn verdict(&self, cell: &Cell) -> Option<String> {
        let its_loop = format!("{}-loop", self.engine);
        let pair = |line: &Line| -> Option<(String, Spread)> {
            let is_twin = |other: &&Line| {
                other.line == crate::rows::Line { engine: its_loop.clone(), ..line.line.clone() }
            };
            Some((words::name(cell, line), line.ratio(cell.contestants().find(is_twin)?)?))
        };
        let ours = cell.contestants().filter(|line| line.engine() == self.engine);
        let pairs: Vec<(String, Spread)> = ours.filter_map(pair).collect();
        let outcome = pairs.iter().map(|(_, ratio)| self.limit.outcome(*ratio)).max()?;
        let told: Vec<String> = pairs
            .iter()
            .map(|(name, ratio)| format!("{name} {}", significant(self.limit.shown(*ratio))))
            .collect();
        Some(format!(
            "{} {}, {}: {} {}: {outcome}",
            cell.operation,
            words::amount(&cell.job, cell.size),
            cell.job,
            told.join(", "),
            self.limit.words(&its_loop),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Shape;
    use crate::summary::made::{CONNECT, Made, TRANSFER};

    const X25519: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";
    const HYBRID: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";

    fn transfers(engine_ns: u64) -> Made {
        let mut made = Made::default();
        for (engine, ns) in [("openssl", engine_ns), ("openssl-loop", 950_000)] {
            made.timed(TRANSFER, 1 << 20, (engine, X25519, Shape::Nodelay), Operation::Upload, ns);
        }
        made
    }

    #[test]
    fn transfer_is_nearly_as_fast_as_its_loop() {
        let place = "upload 1 MiB, tls-transfer: openssl";
        let goal = "× as fast as openssl-loop (goal at least 0.95)";
        for (ns, said) in [(990_000, "0.960"), (1_010_000, "0.941")] {
            let met = if ns < 1_000_000 { "met" } else { "missed" };
            assert_eq!(verdicts(&transfers(ns).cells()), [format!("{place} {said} {goal}: {met}")]);
        }
        let near = "0.950 × as fast as openssl-loop (goal at least 0.95): undecided (median met)";
        assert_eq!(verdicts(&transfers(1_000_000).cells()), [format!("{place} {near}")]);
    }

    #[test]
    fn the_worst_line_decides_and_only_what_has_a_loop_is_told() {
        let mut made = Made::default();
        for (way, ns) in [(X25519, 100), (HYBRID, 120)] {
            made.timed(CONNECT, 1, ("rustls", way, Shape::Memory), Operation::Full, ns);
            made.timed(CONNECT, 1, ("rustls-loop", way, Shape::Memory), Operation::Full, 100);
            made.timed(CONNECT, 1, ("rustls", way, Shape::Nodelay), Operation::Full, 500);
            made.timed(CONNECT, 1, ("rustls", way, Shape::Memory), Operation::Resumed, 900);
        }
        let told = verdicts(&made.cells());
        let expected = "full 1 at a time, tls-connect: rustls X25519 (memory) 1.00, rustls X25519MLKEM768 (memory) 0.833 × as \
                        fast as rustls-loop (goal at least 0.9): missed";
        assert_eq!(told, [expected]);
    }
}

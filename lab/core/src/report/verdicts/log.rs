//! How fast programs get through a log, and beside whom.

use super::{judged, quickest};
use crate::engine::Role;
use crate::report::{cells, words};
use crate::summary::{Cell, Line};
use crate::units;

/// Ours by the clock and by its cores, and the others as multiples of its time.
pub fn sentence(cell: &Cell) -> Option<String> {
    let ours = quickest(judged(cell).filter(|line| line.role == Role::Ours))?;
    let rate = |ns: f64| units::rate(cell.size as f64 * 1e9 / ns);
    let by_core = ours.cpu().map(rate);
    let by_core = by_core.map(|rate| format!(" ({rate} on a core)")).unwrap_or_default();
    let by_clock = rate(ours.time());
    let mut parts =
        vec![format!("{}: {} gets through {by_clock}{by_core}", cells::name(cell), ours.engine())];
    let mut others: Vec<&Line> =
        cell.contestants_and_yardstick().filter(|line| line.line != ours.line).collect();
    others.sort_by(|a, b| a.time().total_cmp(&b.time()));
    parts.extend(others.into_iter().filter_map(|line| {
        let ratio = cell.compare(line, ours)?;
        Some(format!("{} takes {}", line.engine(), words::compared(&ratio, "its time")))
    }));
    Some(parts.join("; "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::summary::made::Made;

    #[test]
    fn a_filter_is_told_by_its_rate_and_beside_the_others() {
        let mut made = Made::default();
        for (engine, role) in [("sealmark-cli", Role::Ours), ("cat", Role::Yardstick), ("sed", Role::Peer)] {
            made.role(engine, role);
        }
        for (engine, ns) in [("sealmark-cli", 1_000_000), ("cat", 100_000), ("sed", 2_000_000)] {
            made.timed("log-json", 1_000_000, (engine, "any", Shape::Tuned), Operation::Seal, ns);
        }
        made.samples().for_each(|sample| sample.cpu_ns = Some(2 * sample.wall_ns));
        let told = sentence(&made.cells()[0]).unwrap();
        let start = "log-json, 1.00 MB, seal: sealmark-cli gets through 1.00 GB/s (500 MB/s on a core); cat takes 0.10 × its \
                     time (";
        assert!(told.starts_with(start) && told.contains("; sed takes 2.00 × its time ("), "{told}");
    }
}

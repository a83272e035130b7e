//! Which lines may stand side by side: in TLS those over a transport that did not wait, of servers those on the same JDK.

use super::{Cell, Here, Line, Ratio};
use crate::jobs::Beside;
use crate::rows::Stalls;
use crate::stats;
use crate::stats::verdict::Terms;

/// From this share on stalls are no accident: on a busy machine a few connections wait as long for other reasons.
const GOOD_PART: f64 = 0.25;

/// The share of connections that stalled in some spans. A results file may hold any number.
pub fn stalled(stalls: impl Iterator<Item = Stalls>) -> Option<f64> {
    let add = |(stalled, seen): (u64, u64), it: Stalls| {
        (stalled.saturating_add(it.stalled), seen.saturating_add(it.seen))
    };
    let (stalled, seen) = stalls.map(Some).fold(None, |all, it| Some(add(all.unwrap_or_default(), it?)))?;
    Some(stalled as f64 / seen.max(1) as f64)
}

impl Line {
    /// True for a library as people use it: its lines tell something about it, where they were not spent on waiting.
    pub fn is_library(&self) -> bool {
        !self.is_yardstick() && !self.family.ends_with("-loop")
    }

    /// True if its times are those of waiting, because a good part of its connections stalled.
    pub fn has_stalled(&self) -> bool {
        self.stalled.is_some_and(|share| share >= GOOD_PART)
    }

    /// True if its times are no library's speed: it stalled, or had sockets with which small writes may.
    pub fn is_waiting(&self) -> bool {
        self.parameter("transport") == "default-sockets" || self.has_stalled()
    }

    /// The value of a parameter; nothing where it has no such one.
    pub fn parameter(&self, name: &str) -> &str {
        self.line.parameters.get(name).unwrap_or_default()
    }
}

impl Cell {
    /// True where lines are compared with others over their transport only.
    pub fn is_by_transport(&self) -> bool {
        self.kind.beside == Beside::SameTransport
    }
}

/// Time of a line over that of the same line in another cell of the same blocks: full over resumed.
pub fn across((cell, line): Here, (other_cell, other): Here) -> Option<Ratio> {
    let floors = cell.wall.floor(&cell.group(line)).zip(other_cell.wall.floor(&other_cell.group(other)));
    let noise_floor = floors.map(|(one, other)| one.max(other));
    let unrests = cell.wall.unrest(line, line).zip(other_cell.wall.unrest(other, other));
    let unrest = unrests.map(|(one, other)| one.max(other));
    let terms = Terms { noise_floor, unrest, ..Terms::default() };
    Ratio::of(&stats::paired_ratios(&line.wall, &other.wall), line.least / other.least, terms)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::Group;
    use super::super::made::{CONNECT, Made};
    use super::*;
    use crate::protocol::Operation;
    use crate::rows::Tls;

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    #[test]
    fn figures_are_those_of_one_connection() {
        let mut made = Made::default();
        for (block, cpu) in [(0, 300), (1, 100), (2, 200)] {
            let stalls = Stalls { seen: 10, stalled: 2 + block, usual_ns: 40 + block };
            made.sample(CONNECT, 1, ("openssl", WAY, "memory"), Operation::Full, block, |sample| {
                sample.count = 10;
                sample.tls = Some(Tls {
                    client_cpu_ns: Some(cpu * 10),
                    server_cpu_ns: None,
                    wire_bytes: Some(20_000 + cpu),
                    stalls: Some(stalls),
                });
            });
        }
        let mut cells = made.cells();
        let line = &mut cells[0].lines[0];
        assert_eq!((line.client_cpu_ns, line.server_cpu_ns), (Some(200.0), None));
        assert_eq!(line.wire_bytes, Some(2_020.0));
        assert_eq!(line.stalled, Some(0.3));
        assert!(line.has_stalled());
        line.stalled = Some(9.0 / 37.0);
        assert!(!line.has_stalled());
    }

    #[test]
    fn a_reference_is_of_the_same_shape() {
        let mut made = Made::default();
        made.role("copy", crate::rows::Role::Yardstick);
        for how in ["memory", "nodelay"] {
            made.timed(CONNECT, 1, ("openssl", WAY, how), Operation::Full, 1_000);
        }
        for how in ["nodelay", "default-sockets"] {
            made.timed(CONNECT, 1, ("copy", "none", how), Operation::Full, 100);
        }
        made.reference(CONNECT, 1, ("openssl", WAY, "memory"));
        let cells = made.cells();
        let groups: Vec<Group> = cells[0].groups().into_iter().collect();
        assert_eq!(groups, ["memory", "nodelay", "default-sockets"].map(|how| how.to_string()));
        let engine_in = |group: &Group| Some(cells[0].reference_in(group)?.engine());
        let engines = groups.iter().map(engine_in);
        assert_eq!(engines.collect::<Vec<_>>(), [Some("openssl"), Some("openssl"), None]);
        let lines = cells[0].contestants_and_yardstick();
        let yardsticks = lines.map(|line| Some(cells[0].yardstick_of(line)?.line.how()));
        let nodelay = Some("nodelay");
        assert_eq!(yardsticks.collect::<Vec<_>>(), [nodelay, None, None, nodelay]);
        // Where the reference itself has no figure its transport's yardstick is none.
        made.timed(CONNECT, 8, ("copy", "none", "nodelay"), Operation::Full, 100);
        made.timed(CONNECT, 8, ("openssl", WAY, "nodelay"), Operation::Full, 1_000);
        made.reference(CONNECT, 8, ("openssl", WAY, "memory"));
        let many = made.cells().remove(1);
        assert_eq!(many.reference_in("nodelay").unwrap().engine(), "openssl");
        assert!(
            cells[0].is_by_transport()
                && cells[0].lines.iter().any(|line| !line.parameter("suite").is_empty())
        );
    }

    #[test]
    fn a_difference_is_held_against_the_noise_of_its_own_shape() {
        let mut made = Made::default();
        for how in ["memory", "nodelay"] {
            made.timed(CONNECT, 1, ("openssl", WAY, how), Operation::Full, 1_000_000);
            made.timed(CONNECT, 1, ("rustls", WAY, how), Operation::Full, 1_050_000);
        }
        for sample in made.samples() {
            if sample.line.again && sample.line.how() == "nodelay" {
                sample.wall_ns += sample.wall_ns / 10;
            }
        }
        let words = |made: &Made| {
            let cell = made.cells().remove(0);
            let of = |engine, how| cell.lines.iter().find(|l| l.engine() == engine && l.line.how() == how);
            [("memory", "memory"), ("nodelay", "nodelay"), ("nodelay", "memory")].map(|(one, other)| {
                let pair = (of("rustls", one).unwrap(), of("openssl", other).unwrap());
                let across = across((&cell, pair.0), (&cell, pair.1)).unwrap();
                let ratio = cell.compare(pair.0, pair.1).unwrap();
                assert_eq!(across.verdict, ratio.verdict);
                crate::words::verdict(ratio.verdict).0
            })
        };
        assert_eq!(words(&made), ["slower", "undecided", "undecided"]);
        made.rows.retain(|row| !matches!(row, crate::rows::Row::Sample(sample) if sample.line.again && sample.line.how() == "nodelay"));
        assert_eq!(words(&made), ["slower", "undecided", "undecided"]);
        made.rows.retain(|row| !matches!(row, crate::rows::Row::Sample(sample) if sample.line.again));
        assert_eq!(words(&made), ["undecided"; 3]);
    }
}

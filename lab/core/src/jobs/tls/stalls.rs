//! Connections that waited for TCP instead of computing.

use crate::rows::Stalls;

/// Linux holds an acknowledgement back for so long at least, and Nagle's algorithm the next small write with it
/// (RFC 1122 section 4.2.3.2, RFC 896).
const DELAYED_ACK_NS: u64 = 40_000_000;

/// An acknowledgement comes a clock tick or two late.
const LATE_NS: u64 = 10_000_000;

/// A handshake waits for more than this many of them in no protocol.
const MOST_WAITS: u64 = 4;

/// A connection that computes for a good part of its time is slow, and does not stall.
const IDLE: u64 = 4;

/// How many of these connections stalled, where each was timed by itself and the busier of its ends computed for so long
/// on average. A compiler or a collector that works beside them takes nothing off the wait.
pub fn stalls(each_ns: &[u64], cpu_each_ns: u64) -> Option<Stalls> {
    let mut stalled: Vec<u64> =
        each_ns.iter().copied().filter(|wall| has_stalled(*wall, cpu_each_ns)).collect();
    stalled.sort_unstable();
    let usual_ns = stalled.get(stalled.len() / 2).copied().unwrap_or(0);
    let (seen, stalled) = (each_ns.len() as u64, stalled.len() as u64);
    (seen > 0).then_some(Stalls { seen, stalled, usual_ns })
}

fn has_stalled(wall_ns: u64, cpu_ns: u64) -> bool {
    // An average may take more off the wait than this connection computed.
    let waited = wall_ns.saturating_sub(cpu_ns).saturating_add(LATE_NS);
    let waits = waited / DELAYED_ACK_NS;
    (1..=MOST_WAITS).contains(&waits)
        && waited - waits * DELAYED_ACK_NS <= (waits + 1) * LATE_NS
        && wall_ns / IDLE >= cpu_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn count(each_ms: &[u64], cpu_ms: u64) -> Option<(u64, u64, u64)> {
        let each: Vec<u64> = each_ms.iter().map(|ms| ms * MS).collect();
        stalls(&each, cpu_ms * MS).map(|it| (it.seen, it.stalled, it.usual_ns / MS))
    }

    #[test]
    fn multiples_of_a_delayed_acknowledgement_are_stalls() {
        assert_eq!(count(&[], 1), None);
        assert_eq!(count(&[2, 3, 2], 1), Some((3, 0, 0)));
        assert_eq!(count(&[44, 45, 2, 88, 91], 1), Some((5, 4, 88)));
        assert_eq!(count(&[42, 43, 44], 1), Some((3, 3, 43)));
        // The ends of a cold JVM compute for longer, and no longer than they wait.
        assert_eq!(count(&[44, 44, 88], 8), Some((3, 3, 44)));
        assert_eq!(count(&[44], 10), Some((1, 1, 44)));
    }

    #[test]
    fn slow_work_and_other_waits_are_none() {
        // It computed.
        assert_eq!(count(&[60], 20), Some((1, 0, 0)));
        // It waited for something else.
        assert_eq!(count(&[29, 65, 300], 1), Some((3, 0, 0)));
        assert_eq!(stalls(&[5_000_000_000_040_000_000], u64::MAX / 3).map(|it| it.stalled), Some(0));
    }
}

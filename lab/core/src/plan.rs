//! In which order, how often, and whether there is room: pure decisions, taken before anything is timed.

use crate::workload::SplitMix64;
use serde::Deserialize;
use std::time::Duration;

/// One size of a job: how often, and for how long at most.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// The unit of the job's sizes: bytes of input, or connections that are open at once.
    #[serde(skip)]
    pub amount: u64,
    bytes: Option<u64>,
    concurrency: Option<u64>,
    /// The most connections that a span holds.
    pub connections: Option<u64>,
    pub blocks: usize,
    pub budget_seconds: u64,
    pub timeout_seconds: u64,
    /// The timeout of a run that leaves nothing out, where it differs.
    pub full_timeout_seconds: Option<u64>,
    #[serde(default)]
    pub full: bool,
    /// How long a fresh process is watched while it warms up; 0: not at all.
    #[serde(default)]
    pub ramp_ms: u64,
    /// How long one span of operations in memory is meant to take.
    #[serde(default = "usual_sample_ms")]
    pub sample_ms: u64,
}

fn usual_sample_ms() -> u64 {
    5
}

impl Size {
    /// Counts bytes, or else connections; false where it has the other number, or both.
    pub fn count(&mut self, is_in_bytes: bool) -> bool {
        let (own, other) =
            if is_in_bytes { (self.bytes, self.concurrency) } else { (self.concurrency, self.bytes) };
        self.amount = own.unwrap_or(0);
        own.is_some() && other.is_none()
    }
}

/// An order of the engines, by its number. Each holds every engine once; an odd one is its predecessor backwards (ABBA), so
/// that a machine growing slower or faster over two of them favours nobody, and each pair is shuffled anew (Fisher and
/// Yates), so that no engine always follows the same neighbour.
pub fn order(engines: usize, seed: u64, number: usize) -> Vec<usize> {
    let mut random = SplitMix64::new(seed.wrapping_add(number as u64 / 2));
    let mut order: Vec<usize> = (0..engines).collect();
    for last in (1..engines).rev() {
        order.swap(last, random.below(last + 1));
    }
    if !number.is_multiple_of(2) {
        order.reverse();
    }
    order
}

/// The fewest blocks worth running: one there and one back.
pub const FEWEST_BLOCKS: usize = 2;

/// The most blocks of a question that stays open, where the plan has no more.
const MOST_BLOCKS: usize = 48;

/// The most blocks of a size. A plan with fewer than an interval needs asks for no more.
pub fn most_blocks(planned: usize) -> usize {
    if planned > FEWEST_BLOCKS { planned.max(MOST_BLOCKS) } else { planned }
}

/// Blocks between two looks: what ran in one order runs in the other, too, and the more there are the less one more tells.
pub fn blocks_of_a_round(done: usize) -> usize {
    if done.is_multiple_of(2) { (done / 8 * 2).max(2) } else { 1 }
}

/// The first size's share of the time that is left for all sizes.
pub fn share(left: Duration, budgets: &[u64]) -> Duration {
    let all: u64 = budgets.iter().sum();
    let own = budgets.first().copied().unwrap_or(0);
    if all == 0 { Duration::ZERO } else { left.mul_f64(own as f64 / all as f64) }
}

/// Disk needed at once: the input, one sealed and one opened file, and headers, tags and a little air.
pub fn space_needed(bytes: u64, sealed_files_kept: usize) -> u64 {
    let sealed = bytes + bytes / 64 + (1 << 20);
    sealed.saturating_mul(3 + sealed_files_kept as u64)
}

/// How much is missing, if anything.
pub fn space_missing(needed: u64, free: Option<u64>) -> Option<u64> {
    free.and_then(|free| needed.checked_sub(free)).filter(|missing| *missing > 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use proptest::prelude::*;

    fn block_orders(engines: usize, blocks: usize, seed: u64) -> Vec<Vec<usize>> {
        (0..blocks).map(|block| order(engines, seed, block)).collect()
    }

    proptest! {
        #[test]
        fn every_block_holds_every_engine_once_and_pairs_mirror(engines in 1usize..24, blocks in 0usize..41, seed: u64) {
            let orders = block_orders(engines, blocks, seed);
            for order in &orders {
                let mut seen = order.clone();
                seen.sort_unstable();
                prop_assert_eq!(seen, (0..engines).collect::<Vec<_>>());
            }
            for pair in orders.chunks_exact(2) {
                prop_assert_eq!(&pair[0], &pair[1].iter().rev().copied().collect::<Vec<_>>());
            }
            prop_assert_eq!(&orders, &block_orders(engines, blocks, seed));
        }
    }

    #[test]
    fn mirrored_pairs_share_the_first_places_evenly() {
        let orders = block_orders(6, 6000, 7);
        for engine in 0..6 {
            let first = orders.iter().filter(|order| order[0] == engine).count();
            assert!((900..=1100).contains(&first), "engine {engine} came first {first} times of 6000");
        }
    }

    #[test]
    fn budgets_have_known_answers() {
        let second = Duration::from_secs(1);
        assert_eq!(share(second * 60, &[10, 20, 10]), second * 15);
        assert_eq!(share(second * 60, &[10]), second * 60);
        assert_eq!((share(second, &[]), share(second, &[0, 0])), (Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn missing_space_is_told_to_the_byte() {
        let needed = space_needed(1 << 30, 0);
        assert!(needed > 3 << 30);
        assert_eq!(space_missing(needed, Some(needed)), None);
        assert_eq!(space_missing(needed, Some(needed - 5)), Some(5));
        assert_eq!(space_missing(needed, None), None);
        assert!(space_needed(1 << 20, 4) > 7 << 20);
    }
}

//! In which order, how often, and whether there is room: pure decisions, taken before anything is timed.

use crate::workload::SplitMix64;
use std::time::Duration;

/// The order of the engines in each block. Every block holds every engine once; an odd block runs its predecessor's
/// order backwards (ABBA), so that a machine growing slower or faster over two blocks favours nobody, and each pair of
/// blocks is shuffled anew, so that no engine always follows the same neighbour.
pub fn block_orders(engines: usize, blocks: usize, random: &mut SplitMix64) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = Vec::with_capacity(blocks);
    for block in 0..blocks {
        let order = match orders.last() {
            Some(previous) if block % 2 == 1 => previous.iter().rev().copied().collect(),
            _ => shuffled(engines, random),
        };
        orders.push(order);
    }
    orders
}

/// Fisher and Yates.
fn shuffled(engines: usize, random: &mut SplitMix64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..engines).collect();
    for last in (1..engines).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

/// The fewest blocks worth running: one there and one back.
pub const FEWEST_BLOCKS: usize = 2;

/// Whether another block may be begun, judged by how long the latest one took. Blocks come in mirrored pairs: a pair once
/// begun is finished.
pub fn is_affordable(done: usize, spent: Duration, latest: Duration, budget: Duration) -> bool {
    let needed = if done.is_multiple_of(2) { latest * 2 } else { Duration::ZERO };
    done < FEWEST_BLOCKS || spent + needed <= budget || !done.is_multiple_of(2)
}

/// What the first of some sizes may take: its own budget, or its share of what is left for all of them.
pub fn share(left: Option<Duration>, mut budgets: impl Iterator<Item = u64>) -> Duration {
    let own = budgets.next().unwrap_or(0);
    let all = own + budgets.sum::<u64>();
    match left {
        Some(left) if all > 0 => left.mul_f64(own as f64 / all as f64),
        _ => Duration::from_secs(own),
    }
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

    proptest! {
        #[test]
        fn every_block_holds_every_engine_once_and_pairs_mirror(engines in 1usize..24, blocks in 0usize..41, seed: u64) {
            let orders = block_orders(engines, blocks, &mut SplitMix64::new(seed));
            prop_assert_eq!(orders.len(), blocks);
            for order in &orders {
                let mut seen = order.clone();
                seen.sort_unstable();
                prop_assert_eq!(seen, (0..engines).collect::<Vec<_>>());
            }
            for pair in orders.chunks_exact(2) {
                prop_assert_eq!(&pair[0], &pair[1].iter().rev().copied().collect::<Vec<_>>());
            }
            prop_assert_eq!(&orders, &block_orders(engines, blocks, &mut SplitMix64::new(seed)));
        }

        #[test]
        fn blocks_stay_within_the_budget_but_for_a_pair(block_ms in 1u64..10_000, budget_s in 0u64..600) {
            let (block, budget) = (Duration::from_millis(block_ms), Duration::from_secs(budget_s));
            let mut done = 0;
            while is_affordable(done, block * done as u32, block, budget) {
                done += 1;
            }
            prop_assert!(done.is_multiple_of(2));
            prop_assert!(done == FEWEST_BLOCKS || block * done as u32 <= budget);
            prop_assert!(block * (done as u32 + 2) > budget);
        }
    }

    #[test]
    fn mirrored_pairs_share_the_first_places_evenly() {
        let orders = block_orders(6, 6000, &mut SplitMix64::new(7));
        for engine in 0..6 {
            let first = orders.iter().filter(|order| order[0] == engine).count();
            assert!((900..=1100).contains(&first), "engine {engine} came first {first} times of 6000");
        }
    }

    #[test]
    fn budgets_have_known_answers() {
        let second = Duration::from_secs(1);
        let minute = Some(second * 60);
        assert_eq!(share(minute, [10, 20, 10].into_iter()), second * 15);
        assert_eq!(share(minute, [10].into_iter()), second * 60);
        assert_eq!(share(None, [10, 20].into_iter()), second * 10);
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

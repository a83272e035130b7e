//! Core-to-core latency: how long a cache line takes from one core to another and back. A host may run the processors of a
//! virtual machine on cores that share no cache, for seconds. Threads that hand work to each other take up to twice as long
//! meanwhile, and all others take as long as before.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// Cores after these tell no more.
const MOST_CORES: usize = 8;

/// Round trips that are timed together, and how often. The shortest counts, because other work stretches some of them.
const ROUND_TRIPS: u32 = 100;
const BATCHES: u32 = 20;

/// The nanoseconds of a round trip between neighbours, in the mean; none where there is one core.
pub fn nanoseconds() -> Option<u64> {
    let allowed = sched_getaffinity(None).ok()?;
    let cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).take(MOST_CORES);
    let cores: Vec<usize> = cores.collect();
    let each = cores.windows(2).map(|pair| round_trip_ns(pair[0], pair[1]));
    each.sum::<u64>().checked_div(cores.len().saturating_sub(1) as u64)
}

/// One thread counts to odd numbers, the other to even ones.
fn round_trip_ns(one: usize, other: usize) -> u64 {
    let count = AtomicU32::new(0);
    let step = |core: usize, mut number: u32, each_batch: &mut dyn FnMut()| {
        let mut only = CpuSet::new();
        only.set(core);
        // A thread that may not run there counts elsewhere: the latency is that of other cores, and nobody waits.
        let _ = sched_setaffinity(None, &only);
        for _ in 0..BATCHES {
            for _ in 0..ROUND_TRIPS {
                while count.load(Ordering::Acquire) != number {
                    std::hint::spin_loop();
                }
                count.store(number + 1, Ordering::Release);
                number += 2;
            }
            each_batch();
        }
    };
    std::thread::scope(|threads| {
        threads.spawn(|| step(other, 1, &mut || ()));
        let timed = threads.spawn(|| {
            let (mut start, mut least) = (Instant::now(), u64::MAX);
            step(one, 0, &mut || {
                least = least.min(start.elapsed().as_nanos() as u64);
                start = Instant::now();
            });
            least / u64::from(ROUND_TRIPS)
        });
        timed.join().unwrap_or(0)
    })
}

/// Cores that are far apart come together again after so many looks, or the host leaves them where they are.
const MOST_LOOKS: usize = 40;

/// Looks again and again until the cores are near each other, or there is no time for it. Returns the latency between them, and
/// keeps the least that was seen.
pub fn settle(
    least: &mut Option<u64>,
    mut look: impl FnMut() -> Option<u64>,
    mut pause: impl FnMut() -> bool,
) -> Option<u64> {
    for _ in 0..MOST_LOOKS {
        let latency = look()?;
        let nearest = *least.insert(latency.min(least.unwrap_or(latency)));
        if !is_far(latency, nearest) || !pause() {
            return Some(latency);
        }
    }
    // The next turn does not wait in vain again.
    *least = look();
    *least
}

/// True for a latency that is far above the least that the machine has shown. Distances differ by 5 or 6 times; the latency of
/// one distance differs by a tenth.
pub fn is_far(nanoseconds: u64, least: u64) -> bool {
    nanoseconds > 2 * least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_two_cores_has_a_latency() {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let seen = nanoseconds();
        assert_eq!(seen.is_some(), cores > 1);
        assert!(seen.is_none_or(|ns| (5..1_000_000).contains(&ns)), "{seen:?}");
    }

    #[test]
    fn cores_that_come_together_are_waited_for_and_others_only_once() {
        let mut least = None;
        // The latencies that are seen one after the other, and then the last one for ever.
        let mut settle = |latencies: &[u64], has_time: bool| {
            let mut looks = 0;
            let look = || {
                looks += 1;
                Some(latencies[latencies.len().min(looks) - 1])
            };
            let latency = super::settle(&mut least, look, || has_time);
            (latency, looks)
        };
        assert_eq!(settle(&[60], true), (Some(60), 1));
        assert_eq!(settle(&[300, 300, 310, 55], true), (Some(55), 4));
        assert_eq!(settle(&[300, 55], false), (Some(300), 1));
        assert_eq!(settle(&[300], true), (Some(300), MOST_LOOKS + 1));
        assert_eq!(settle(&[310], true), (Some(310), 1));
        // They may come together later.
        assert_eq!([settle(&[56], true), settle(&[300, 57], true)], [(Some(56), 1), (Some(57), 2)]);
        assert_eq!(super::settle(&mut None, || None, || true), None);
    }

    #[test]
    fn twice_the_least_latency_is_far() {
        assert_eq!([55, 62, 110, 111, 310].map(|ns| is_far(ns, 55)), [false, false, false, true, true]);
    }
}

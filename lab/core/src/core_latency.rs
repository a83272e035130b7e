//! Core-to-core latency: how long a cache line takes from one core to another and back. A host may run the processors of a
//! virtual machine on cores that share no cache, for seconds. Threads that hand work to each other take up to twice as long
//! meanwhile, and all others take as long as before.

use crate::stats::median;
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

/// Looks again and again while the cores are farther apart than usual and there is time for it. Returns the latency between them.
pub fn settle(
    seen: &mut Vec<f64>,
    mut look: impl FnMut() -> Option<u64>,
    mut pause: impl FnMut() -> bool,
) -> Option<u64> {
    let mut latency = look()?;
    seen.push(latency as f64);
    let usual = median(&*seen)?;
    for _ in 0..MOST_LOOKS {
        if latency as f64 <= TIMES * usual || !pause() {
            return Some(latency);
        }
        latency = look()?;
    }
    // The next turn does not wait in vain again.
    *seen = vec![latency as f64];
    Some(latency)
}

/// Latencies of one distance differ by a tenth; those of the same core's two threads, of a shared cache and of another one by
/// at least this factor.
const TIMES: f64 = 2.0;

/// True for a latency of another distance.
pub fn is_other(nanoseconds: u64, usual: f64) -> bool {
    !(usual / TIMES..=usual * TIMES).contains(&(nanoseconds as f64))
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
        let mut seen = Vec::new();
        // The latencies that are seen one after the other, and then the last one for ever.
        let mut settle = |latencies: &[u64], has_time: bool| {
            let mut looks = 0;
            let look = || {
                looks += 1;
                Some(latencies[latencies.len().min(looks) - 1])
            };
            let latency = super::settle(&mut seen, look, || has_time);
            (latency, looks)
        };
        assert_eq!([(); 5].map(|()| settle(&[60], true)), [(Some(60), 1); 5]);
        // Two threads of one core are near each other, and that is seldom so.
        assert_eq!(settle(&[26], true), (Some(26), 1));
        assert_eq!(settle(&[62], true), (Some(62), 1));
        assert_eq!(settle(&[300, 300, 310, 55], true), (Some(55), 4));
        assert_eq!(settle(&[300, 55], false), (Some(300), 1));
        assert_eq!(settle(&[300], true), (Some(300), MOST_LOOKS + 1));
        assert_eq!(settle(&[310], true), (Some(310), 1));
        // They may come together later.
        assert_eq!([(); 5].map(|()| settle(&[56], true)), [(Some(56), 1); 5]);
        assert_eq!(settle(&[300, 57], true), (Some(57), 2));
        assert_eq!(super::settle(&mut Vec::new(), || None, || true), None);
    }

    #[test]
    fn twice_and_half_the_usual_latency_are_another_distance() {
        let other = [26, 31, 62, 110, 125, 310].map(|ns| is_other(ns, 62.0));
        assert_eq!(other, [true, false, false, false, true, true]);
    }
}

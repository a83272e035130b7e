//! Core-to-core latency: how long a cache line takes from one core to another and back. A host may run the processors of a
//! virtual machine on cores that share no cache, for seconds. Threads that hand work to each other take up to twice as long
//! meanwhile, and all others take as long as before.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// A probe of more cores would take longer than many a measurement.
const MOST_CORES: usize = 8;

/// Round trips that are timed together, and how often. The shortest counts, because other work stretches some of them.
const ROUND_TRIPS: u32 = 100;
const BATCHES: u32 = 20;

/// A thread whose core does something else waits no longer for its turn.
const LONGEST: Duration = Duration::from_millis(50);

/// The nanoseconds of a round trip between neighbours, the longest of all; none where there is one core, or no time for it.
pub fn nanoseconds() -> Option<u64> {
    let cores = cores();
    let each = cores.windows(2).map(|pair| round_trip_ns(pair[0], pair[1]));
    each.collect::<Option<Vec<u64>>>()?.into_iter().max()
}

/// The first cores that this process may use.
fn cores() -> Vec<usize> {
    let allowed = sched_getaffinity(None).unwrap_or_default();
    (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).take(MOST_CORES).collect()
}

/// One thread counts to odd numbers, the other to even ones.
fn round_trip_ns(one: usize, other: usize) -> Option<u64> {
    let (count, start) = (AtomicU32::new(0), Instant::now());
    let steps = |core: usize, first: u32| {
        let mut only = CpuSet::new();
        only.set(core);
        sched_setaffinity(None, &only).ok()?;
        let (mut number, mut least) = (first, Duration::MAX);
        for _ in 0..BATCHES {
            let begun = Instant::now();
            for _ in 0..ROUND_TRIPS {
                // Asking for the time at each look would make the way longer.
                while !(0..1_000).any(|_| count.load(Ordering::Acquire) == number) {
                    if start.elapsed() > LONGEST {
                        return None;
                    }
                }
                count.store(number + 1, Ordering::Release);
                number += 2;
            }
            least = least.min(begun.elapsed());
        }
        Some(least.as_nanos() as u64 / u64::from(ROUND_TRIPS))
    };
    std::thread::scope(|threads| {
        // If the system refuses one of them, the other one ends by itself.
        let timed = Builder::new().spawn_scoped(threads, || steps(one, 0)).ok()?;
        Builder::new().spawn_scoped(threads, || steps(other, 1)).ok()?;
        timed.join().ok()?
    })
}

/// Cores that are far apart come together again after so many looks, or the host leaves them where they are.
const MOST_LOOKS: usize = 40;

/// Looks again and again while the cores are farther apart than usual and there is time for it. Returns the latency between them.
pub fn settle(
    seen: &mut Vec<u64>,
    mut look: impl FnMut() -> Option<u64>,
    mut pause: impl FnMut() -> bool,
) -> Option<u64> {
    let mut latency = look()?;
    seen.push(latency);
    let usual = usual(seen.clone())?;
    for _ in 0..MOST_LOOKS {
        if latency <= TIMES * usual || !pause() {
            return Some(latency);
        }
        latency = look()?;
    }
    // The next turn does not wait in vain again.
    *seen = vec![latency];
    Some(latency)
}

/// The latency of most; the shorter one where two distances are equally frequent.
pub fn usual(mut latencies: Vec<u64>) -> Option<u64> {
    latencies.sort_unstable();
    latencies.get(latencies.len().saturating_sub(1) / 2).copied()
}

/// Latencies of one distance differ by a tenth. Two threads of one core, two cores that share a cache, and two that share none
/// differ by at least this factor.
const TIMES: u64 = 2;

/// True for a latency of another distance.
pub fn is_other(latency: u64, usual: u64) -> bool {
    latency > TIMES * usual || usual > TIMES * latency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_two_cores_has_a_latency() {
        let seen = nanoseconds();
        // Other tests may leave no time for it.
        assert!(seen.is_none() || cores().len() > 1);
        assert!(seen.is_none_or(|ns| (5..1_000_000).contains(&ns)), "{seen:?}");
    }

    /// A core that does not exist takes no thread; the other thread waits for its turn, and not for ever.
    #[test]
    fn a_thread_that_cannot_be_pinned_ends_the_probe() {
        let start = Instant::now();
        assert_eq!(round_trip_ns(cores()[0], CpuSet::MAX_CPU - 1), None);
        assert!(start.elapsed() >= LONGEST && start.elapsed() < 20 * LONGEST);
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
    fn more_than_twice_or_less_than_half_the_usual_latency_is_another_distance() {
        let other = [26, 30, 31, 62, 124, 125, 310].map(|ns| is_other(ns, 62));
        assert_eq!(other, [true, true, false, false, false, true, true]);
    }

    #[test]
    fn the_usual_latency_is_one_that_was_seen() {
        let of = |latencies: &[u64]| usual(latencies.to_vec());
        assert_eq!([of(&[]), of(&[300, 60]), of(&[60, 300, 26, 62])], [None, Some(60), Some(60)]);
        assert_eq!([of(&[300, 60, 300]), of(&[60, 60, 300, 300])], [Some(300), Some(60)]);
    }
}

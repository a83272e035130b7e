//! The counters of a session: handed to threads in runs, so that two threads do not share a cache line at each value.
//!
//! With a single counter, two threads on two cores sealed 1.15 times what one did; with runs, twice. The price is that a
//! session ends with counters that nobody used; its closing token names them.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Places that threads take their counters from, each its own; bounds what a closing token must name.
pub(super) const STRIPES: usize = 64;

/// The most counters of a run.
const MAX_RUN: u64 = 256;

/// Set in a stripe when the session ends in order, so that ending and claiming cannot overlap.
const CLOSED: u64 = 1 << 63;

/// The order in which the tokens of a session stand in its log.
///
/// [`SessionSettings`](crate::record::SessionSettings) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Order {
    /// Any order: several threads may seal.
    #[default]
    Unpromised,
    /// The order of their counters, which rise by one from 0. The writer promises to use the session from one thread at a
    /// time, and to write each token before it seals the next value.
    Kept,
}

/// Gives each counter once.
pub(super) struct Counters {
    stripes: Box<[Stripe]>,
    handed: OwnLine,
    /// Counters of a run, a power of two.
    run: u64,
    limit: u64,
}

/// 128 bytes, as processors fetch lines in pairs.
#[repr(align(128))]
struct Stripe {
    /// The next counter of the current run; a multiple of `run` where there is none left.
    next: AtomicU64,
    refill: Mutex<()>,
}

/// The end of the last run that was handed out.
#[repr(align(128))]
struct OwnLine(AtomicU64);

/// The counters that a session used until it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tally {
    /// One more than the last used counter.
    pub count: u64,
    /// The unused counters below `count`, ascending, never touching.
    pub unused: Vec<Range<u64>>,
}

impl Counters {
    /// Counters up to `limit`, or a little less where that is no multiple of a run. Where order is kept, one stripe for
    /// all threads gives them without a gap.
    pub fn new(limit: u64, order: Order) -> Self {
        let stripes = if order == Order::Kept { 1 } else { STRIPES };
        let run = 1 << (limit / (4 * STRIPES as u64)).clamp(1, MAX_RUN).ilog2();
        let stripe = || Stripe { next: AtomicU64::new(0), refill: Mutex::new(()) };
        Self {
            stripes: (0..stripes).map(|_| stripe()).collect(),
            handed: OwnLine(AtomicU64::new(0)),
            run,
            limit: limit - limit % run,
        }
    }

    /// A counter that nobody else gets; `None` where there is none left.
    #[inline]
    pub fn claim(&self) -> Option<u64> {
        self.claim_from(own_stripe() & (self.stripes.len() - 1))
    }

    #[inline]
    fn claim_from(&self, stripe: usize) -> Option<u64> {
        let stripe = &self.stripes[stripe];
        self.claim_from_run(stripe).or_else(|| self.refill(stripe))
    }

    #[inline]
    fn claim_from_run(&self, stripe: &Stripe) -> Option<u64> {
        let mut next = stripe.next.load(Ordering::Relaxed);
        while next & CLOSED == 0 && self.has_next(next) {
            match stripe.next.compare_exchange_weak(next, next + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(next),
                Err(now) => next = now,
            }
        }
        None
    }

    /// The first counter of a new run, or of one that another thread has fetched meanwhile.
    #[cold]
    fn refill(&self, stripe: &Stripe) -> Option<u64> {
        let _guard = stripe.lock();
        if let Some(counter) = self.claim_from_run(stripe) {
            return Some(counter);
        }
        if stripe.next.load(Ordering::Relaxed) & CLOSED != 0 {
            return None;
        }
        let more = |handed| (handed < self.limit).then(|| handed + self.run);
        let start = self.handed.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        // An empty run is changed under the lock only.
        stripe.next.store(start + 1, Ordering::Relaxed);
        Some(start)
    }

    /// How many counters were claimed.
    pub fn claimed(&self) -> u64 {
        let rests = self.stripes.iter().map(|stripe| self.rest(stripe.next.load(Ordering::Relaxed)));
        let unused: u64 = rests.map(|rest| rest.end - rest.start).sum();
        self.handed.0.load(Ordering::Relaxed).saturating_sub(unused)
    }

    /// Gives no more counters; `None` where it was closed before.
    pub fn close(&self) -> Option<Tally> {
        let mut unused = Vec::new();
        for stripe in &self.stripes {
            let _guard = stripe.lock();
            let next = stripe.next.fetch_or(CLOSED, Ordering::Relaxed);
            if next & CLOSED != 0 {
                return None;
            }
            unused.push(self.rest(next));
        }
        unused.retain(|rest| !rest.is_empty());
        unused.sort_by_key(|rest| rest.start);
        let mut count = self.handed.0.load(Ordering::Relaxed);
        while let Some(last) = unused.pop_if(|last| last.end == count) {
            count = last.start;
        }
        Some(Tally { count, unused })
    }

    /// The rest of the run that contains `next`. Never a whole run: the thread that fetches one uses its first counter.
    fn rest(&self, next: u64) -> Range<u64> {
        let next = next & !CLOSED;
        next..next.next_multiple_of(self.run)
    }

    #[inline]
    fn has_next(&self, next: u64) -> bool {
        next & (self.run - 1) != 0
    }
}

impl Stripe {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.refill.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Threads take stripes in turn, in the order of their first value.
#[inline]
fn own_stripe() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    match OWN.get() {
        usize::MAX => {
            let new = THREADS.fetch_add(1, Ordering::Relaxed) % STRIPES;
            OWN.set(new);
            new
        }
        own => own,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::thread;

    #[test]
    fn one_thread_uses_counters_in_order_and_none_beyond_the_limit() {
        for limit in [1, 2, 97, 255, 256, 257, 1000, 100_000] {
            let counters = Counters::new(limit, Order::Unpromised);
            let given = counters.limit;
            assert!(given <= limit && given > limit - MAX_RUN.min(limit), "{limit}: {given}");
            assert!((0..given).all(|counter| counters.claim() == Some(counter)), "{limit}");
            assert_eq!((counters.claim(), counters.claim(), counters.claimed()), (None, None, given));
            assert_eq!(counters.close(), Some(Tally { count: given, unused: Vec::new() }));
        }
    }

    #[test]
    fn a_session_of_one_thread_leaves_nothing_unused() {
        for used in [0, 1, 255, 256, 257] {
            let counters = Counters::new(1 << 32, Order::Unpromised);
            (0..used).for_each(|_| assert!(counters.claim().is_some()));
            assert_eq!(counters.claimed(), used);
            assert_eq!(counters.close(), Some(Tally { count: used, unused: Vec::new() }));
            assert_eq!((counters.claim(), counters.close(), counters.claimed()), (None, None, used));
        }
    }

    #[test]
    fn threads_get_different_counters_and_the_tally_names_the_rest() {
        for (threads, values) in [(3, 100), (200, 300)] {
            let counters = Counters::new(1 << 32, Order::Unpromised);
            let all = in_threads(threads, || (0..values).map(|_| counters.claim().unwrap()).collect());
            let used: BTreeSet<u64> = all.iter().copied().collect();
            assert_eq!((all.len(), used.len()), (threads * values, threads * values));
            let tally = counters.close().unwrap();
            assert!(tally.unused.len() <= STRIPES && tally.unused.is_sorted_by(|a, b| a.end < b.start));
            let unused: BTreeSet<u64> = tally.unused.into_iter().flatten().collect();
            assert_eq!(
                used.union(&unused).copied().collect::<Vec<_>>(),
                (0..tally.count).collect::<Vec<_>>()
            );
            assert!(used.is_disjoint(&unused) && used.contains(&(tally.count - 1)));
        }
    }

    #[test]
    fn threads_leave_no_gap_where_order_is_kept() {
        let counters = Counters::new(1000, Order::Kept);
        in_threads(3, || (0..101).map(|_| counters.claim().unwrap()).collect());
        assert_eq!(counters.close(), Some(Tally { count: 303, unused: Vec::new() }));
    }

    /// The counters that so many threads claim.
    fn in_threads(threads: usize, work: impl Fn() -> Vec<u64> + Sync) -> Vec<u64> {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    }

    /// One stripe for all and shorter runs, so that threads meet where a run is fetched.
    fn crowded(run: u64) -> Counters {
        let mut counters = Counters::new(1 << 32, Order::Unpromised);
        counters.stripes = counters.stripes.into_iter().take(1).collect();
        counters.run = run;
        counters
    }

    #[test]
    fn threads_that_share_runs_lose_and_double_none() {
        const VALUES: usize = 100_000;
        let counters = crowded(2);
        let mut all = in_threads(4, || (0..VALUES).map(|_| counters.claim_from(0).unwrap()).collect());
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..4 * VALUES as u64), "a counter was lost or given twice");
    }

    #[test]
    fn what_is_claimed_while_it_closes_is_counted() {
        const MOST: usize = 1 << 21;
        for _ in 0..10 {
            let counters = crowded(64);
            let (used, tally) = thread::scope(|scope| {
                let work = || std::iter::from_fn(|| counters.claim_from(0)).take(MOST).collect::<Vec<_>>();
                let threads = scope.spawn(move || in_threads(4, work));
                while counters.claimed() < 1000 {
                    thread::yield_now();
                }
                let tally = counters.close().unwrap();
                (threads.join().unwrap().len() as u64, tally)
            });
            let unused: u64 = tally.unused.iter().map(|rest| rest.end - rest.start).sum();
            assert_eq!(tally.count - unused, used);
        }
    }
}

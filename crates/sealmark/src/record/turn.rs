//! A lock that does not outlive a fork.

use super::fork::Birth;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Taken by one thread of a process at a time. A `Mutex` that another thread holds during a fork is locked in the child
/// for ever, and the child could never begin a session of its own; this one tells who took it.
#[derive(Debug, Default)]
pub(super) struct Turn(AtomicU64);

const FREE: u64 = 0;

/// How long a thread sleeps before it looks again: whoever has the turn writes a header.
const NAP: Duration = Duration::from_micros(50);

/// Gives the turn back when dropped.
pub(super) struct Taken<'a>(&'a Turn);

impl Turn {
    pub fn take(&self) -> Taken<'_> {
        let own = Birth::here().generation();
        let mut seen = FREE;
        loop {
            match self.0.compare_exchange(seen, own, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Taken(self),
                Err(holder) if holder == own => {
                    seen = FREE;
                    thread::sleep(NAP);
                }
                Err(holder) => seen = holder,
            }
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.0.store(FREE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let (turn, inside, most) = (Turn::default(), AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _taken = turn.take();
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
    }

    #[test]
    fn a_turn_that_an_ancestor_took_is_free() {
        let turn = Turn::default();
        turn.0.store(Birth::here().generation() + 1, Ordering::Relaxed);
        drop(turn.take());
        assert_eq!(turn.0.into_inner(), FREE);
    }
}

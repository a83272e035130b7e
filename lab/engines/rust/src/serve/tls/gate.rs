//! Where the threads of a span wait for each other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A barrier that can be given up: who waits at one of the standard library waits for ever where the system has no thread
/// for the last to come.
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
    /// How many pass it together.
    number: usize,
}

#[derive(Default)]
struct State {
    waiting: usize,
    /// How often all have passed.
    round: u64,
    is_abandoned: bool,
}

impl Gate {
    pub fn new(number: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), number }
    }

    /// Waits for all the others; the error says that somebody will not come.
    pub fn pass(&self) -> Result<(), String> {
        let mut state = self.lock();
        let round = state.round;
        state.waiting += 1;
        if state.waiting == self.number {
            state.waiting = 0;
            state.round += 1;
            self.changed.notify_all();
        }
        let is_waiting = |state: &mut State| state.round == round && !state.is_abandoned;
        let state = self.changed.wait_while(state, is_waiting).unwrap_or_else(PoisonError::into_inner);
        if state.round == round { Err("the span was given up before it began".into()) } else { Ok(()) }
    }

    /// Lets everybody go who waits here, now and later.
    pub fn abandon(&self) {
        self.lock().is_abandoned = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn nobody_passes_before_all_have_come() {
        let (gate, came) = (Gate::new(3), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=100 {
                        came.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(gate.pass(), Ok(()));
                        assert!(came.load(Ordering::SeqCst) >= 3 * round);
                    }
                });
            }
        });
        assert_eq!(came.into_inner(), 300);
    }

    #[test]
    fn an_abandoned_gate_holds_nobody() {
        let gate = Gate::new(3);
        std::thread::scope(|scope| {
            let waiting = [(); 2].map(|()| scope.spawn(|| gate.pass()));
            while gate.lock().waiting < 2 {
                std::thread::yield_now();
            }
            gate.abandon();
            for thread in waiting {
                assert!(thread.join().is_ok_and(|outcome| outcome.is_err()));
            }
        });
    }
}

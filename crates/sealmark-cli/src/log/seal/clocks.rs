//! Tells that this machine may be a copy that was made while it ran: then another copy seals with the same key and counters.

use rustix::time::{ClockId, clock_gettime};

/// The clocks as they were seen last.
pub struct Clocks(Apart);

/// How far clocks are apart, in seconds: the time of day, which a restored machine is given anew, from the time since the
/// start, and that from the time awake.
type Apart = [i64; 2];

/// Clocks are set right by less, little by little.
const JUMP: i64 = 1;

impl Clocks {
    pub fn now() -> Self {
        let [day, start, awake] = [ClockId::Realtime, ClockId::Boottime, ClockId::Monotonic].map(seconds);
        Self([day - start, start - awake])
    }

    /// True where one of them jumped since the last look.
    pub fn jumped(&mut self) -> bool {
        let now = Self::now();
        let before = std::mem::replace(self, now);
        is_jump(before.0, self.0)
    }
}

fn is_jump(before: Apart, now: Apart) -> bool {
    before.iter().zip(now).any(|(before, now)| (now - before).abs() > JUMP)
}

fn seconds(clock: ClockId) -> i64 {
    clock_gettime(clock).tv_sec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_is_a_jump() {
        assert!(!Clocks::now().jumped());
        for (now, jump) in [
            ([1000, 0], false),
            ([1001, 1], false),
            ([999, 0], false),
            ([1060, 0], true),
            ([900, 0], true),
            ([1000, 30], true),
        ] {
            assert_eq!(is_jump([1000, 0], now), jump, "{now:?}");
        }
        let mut slept = Clocks([Clocks::now().0[0] - 60, Clocks::now().0[1]]);
        assert!(slept.jumped() && !slept.jumped());
    }
}

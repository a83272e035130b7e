//! What a token may cost beside the least that sealing a value into text can cost, and what threads must gain.

use super::{Limit, cpu_time, judged};
use crate::protocol::{Operation, Shape};
use crate::stats::Spread;
use crate::summary::{Cell, Line};
use crate::units::{self, significant};

const OURS: &str = "sealmark";
const BARE: &str = "bare";

/// Up to this many bytes a token's name and head weigh more than its value.
const SHORT: u64 = 1_024;
const SHORT_AGAINST_BARE: f64 = 1.35;
const LONG_AGAINST_BARE: f64 = 1.2;

/// Two threads share nothing but the cores' clock and cache.
const TWO_AS_FAST: f64 = 1.8;

/// "No slower" is at most this, or as much as a line differs from itself.
const NO_SLOWER: f64 = 1.02;

/// Up to three lines for each size at which values were sealed.
pub fn verdicts(cells: &[Cell]) -> Vec<String> {
    let sealed =
        cells.iter().filter(|cell| (cell.job.as_str(), cell.operation) == ("record", Operation::Seal));
    sealed.flat_map(|cell| [against_bare(cell), two_threads(cell), crowd(cell)]).flatten().collect()
}

fn against_bare(cell: &Cell) -> Option<String> {
    let (ours, bare) = (line(cell, OURS, Shape::OneThread)?, line(cell, BARE, Shape::OneThread)?);
    let ratio = ours.ratio(bare)?;
    let most = if cell.size <= SHORT { SHORT_AGAINST_BARE } else { LONG_AGAINST_BARE };
    // On one thread CPU time is the same cost, and a busy machine bends it less.
    Some(verdict(cell, "one thread", ratio, Limit::Times(most), BARE) + &cpu_time(ours, bare))
}

fn two_threads(cell: &Cell) -> Option<String> {
    let gain = |engine| ratio(cell, (engine, Shape::TwoThreads), (engine, Shape::OneThread));
    let told = verdict(cell, "two threads", gain(OURS)?, Limit::Faster(TWO_AS_FAST), "one");
    let bare = gain(BARE).map(|bare| format!("; {BARE}: {}", significant(1.0 / bare.median)));
    Some(told + &bare.unwrap_or_default())
}

fn crowd(cell: &Cell) -> Option<String> {
    let ratio = ratio(cell, (OURS, Shape::ManyThreads), (OURS, Shape::TwoThreads))?;
    let most = NO_SLOWER.max(cell.noise_floor.unwrap_or(1.0));
    let limit = Limit::Times((most * 1_000.0).round() / 1_000.0);
    Some(verdict(cell, "256 threads", ratio, limit, "two"))
}

fn ratio(cell: &Cell, (engine, shape): (&str, Shape), (other, of): (&str, Shape)) -> Option<Spread> {
    line(cell, engine, shape)?.ratio(line(cell, other, of)?)
}

fn line<'a>(cell: &'a Cell, engine: &str, shape: Shape) -> Option<&'a Line> {
    cell.contestants_and_yardstick().find(|line| (line.engine(), line.line.shape) == (engine, shape))
}

fn verdict(cell: &Cell, threads: &str, ratio: Spread, limit: Limit, against: &str) -> String {
    let told = judged(ratio, limit, against);
    format!("{} {} into tokens on {threads}: {told}", cell.operation, units::size(cell.size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::made::Made;

    const TOKEN: &str = "token";
    const BASE64: &str = "AES-256-GCM-base64";

    /// Nanoseconds of bare on one thread, and of tokens on one, two and 256.
    fn told(size: u64, [bare, one, two, many]: [u64; 4]) -> Vec<String> {
        let mut made = Made::default();
        for (line, ns) in [
            ((BARE, BASE64, Shape::OneThread), bare),
            ((OURS, TOKEN, Shape::OneThread), one),
            ((OURS, TOKEN, Shape::TwoThreads), two),
            ((OURS, TOKEN, Shape::ManyThreads), many),
        ] {
            made.timed("record", size, line, Operation::Seal, ns);
            made.timed("record", size, line, Operation::Open, 10 * ns);
        }
        made.samples().for_each(|sample| sample.cpu_ns = None);
        verdicts(&made.cells())
    }

    #[test]
    fn tokens_are_held_against_bare_and_threads_against_fewer() {
        assert_eq!(
            told(49, [1_000, 1_340, 740, 750]),
            [
                "seal 49 bytes into tokens on one thread: 1.34 × the time of bare (goal at most 1.35): met",
                "seal 49 bytes into tokens on two threads: 1.81 × as fast as one (goal at least 1.8): met",
                "seal 49 bytes into tokens on 256 threads: 1.01 × the time of two (goal at most 1.02): met",
            ]
        );
    }

    #[test]
    fn cpu_time_is_told_where_it_is_known() {
        let mut made = Made::default();
        for (engine, ns) in [(BARE, 1_000), (OURS, 2_000)] {
            made.timed("record", 49, (engine, BASE64, Shape::OneThread), Operation::Seal, ns);
        }
        made.samples().for_each(|sample| sample.cpu_ns = Some(600 + sample.wall_ns / 2));
        let told = verdicts(&made.cells());
        assert!(told[0].ends_with("(goal at most 1.35): missed (1.45 × the CPU time)"), "{told:?}");
    }

    #[test]
    fn each_goal_can_be_missed_and_long_values_have_a_tighter_one() {
        let missed = |told: Vec<String>| told.iter().map(|line| line.ends_with("missed")).collect::<Vec<_>>();
        assert_eq!(missed(told(49, [1_000, 1_360, 740, 740])), [true, false, false]);
        assert_eq!(missed(told(49, [1_000, 1_300, 730, 740])), [false, true, false]);
        assert_eq!(missed(told(49, [1_000, 1_300, 700, 720])), [false, false, true]);
        assert_eq!(missed(told(8_404, [1_000, 1_210, 650, 650])), [true, false, false]);
        assert_eq!(missed(told(8_404, [1_000, 1_190, 650, 650])), [false, false, false]);
    }

    #[test]
    fn what_two_threads_gain_without_tokens_is_told_beside_it() {
        let mut made = Made::default();
        for (shape, ns) in [(Shape::OneThread, 1_000), (Shape::TwoThreads, 500)] {
            made.timed("record", 49, (BARE, BASE64, shape), Operation::Seal, ns);
            made.timed("record", 49, (OURS, TOKEN, shape), Operation::Seal, ns + 100);
        }
        let told = verdicts(&made.cells());
        assert!(told[1].ends_with("1.83 × as fast as one (goal at least 1.8): met; bare: 2.00"), "{told:?}");
    }
}

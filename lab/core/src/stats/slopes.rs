//! The growth of time between neighbouring sizes: local exponents, and a guess at the next size.

/// Sizes nearer than this tell noise, not growth: 1 % more time from 8,191 to 8,192 bytes would be an exponent of 80.
const APART: f64 = 1.25;
/// How much steeper than the last steps a guess may be, at most.
const MARGIN: f64 = 0.5;

/// The exponent of growth from one size to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    pub from: u64,
    pub to: u64,
    pub exponent: f64,
}

/// The local exponents between neighbours that are a quarter or more apart. Sizes ascend, with times above 0.
pub fn slopes(times: &[(u64, f64)]) -> Vec<Slope> {
    let neighbours = times.windows(2).filter(|pair| pair[1].0 as f64 >= APART * pair[0].0 as f64);
    neighbours
        .map(|pair| Slope { from: pair[0].0, to: pair[1].0, exponent: exponent(pair[0], pair[1]) })
        .collect()
}

/// A guess, in nanoseconds, at the time of a size not measured yet; none from fewer than two sizes, which do not tell a
/// fixed cost from one that grows.
///
/// Far ahead, and while the fixed cost outweighs the rest, each further byte is taken to cost what the last ones did.
/// Otherwise the guess is rather too long than too short: the last slope goes on, and rises once more as it rose last, by [`MARGIN`] at most;
/// it is never below proportional, and a first slope is taken to have risen from there.
pub fn predict(times: &[(u64, f64)], next: u64) -> Option<f64> {
    let (size, time) = *times.last()?;
    let slopes = slopes(times);
    let last = slopes.last()?;
    if last.exponent < MOSTLY_FIXED && next / size >= FAR {
        let start = times.iter().find(|(size, _)| *size == last.from)?.1;
        let byte = (time - start).max(0.0) / (size - last.from) as f64;
        return Some(time + byte * next.saturating_sub(size) as f64);
    }
    let before = slopes.len().checked_sub(2).map_or(1.0, |at| slopes[at].exponent);
    let exponent = last.exponent.max(before).max(1.0) + (last.exponent - before).clamp(0.0, MARGIN);
    Some(time * (next as f64 / size as f64).powf(exponent))
}

/// Below this slope, what grows with the size is the smaller part.
const MOSTLY_FIXED: f64 = 0.6;
/// From here on a fixed cost taken for a growing one makes minutes out of nothing.
const FAR: u64 = 16;

/// The power of the size by which something grows.
pub fn exponent(small: (u64, f64), large: (u64, f64)) -> f64 {
    (large.1 / small.1).ln() / (large.0 as f64 / small.0 as f64).ln()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn slopes_are_taken_between_sizes_apart() {
        let seen = slopes(&[(1000, 1.0), (2000, 2.0), (2001, 9.0), (4002, 36.0)]);
        assert_eq!(seen.len(), 2);
        assert_eq!((seen[0].from, seen[0].to), (1000, 2000));
        assert!((seen[0].exponent - 1.0).abs() < 1e-12 && (seen[1].exponent - 2.0).abs() < 1e-12, "{seen:?}");
    }

    #[test]
    fn guesses_have_known_answers() {
        let guess = |times: &[(u64, f64)], next| predict(times, next).unwrap();
        let close = |seen: f64, known: f64| assert!((seen / known - 1.0).abs() < 1e-9, "{seen} {known}");
        assert_eq!(predict(&[], 10), None);
        assert_eq!(predict(&[(10, 5.0)], 20), None);
        close(guess(&[(10, 5.0), (20, 5.0)], 40), 10.0);
        close(guess(&[(10, 5.0), (20, 5.0)], 400), 5.0);
        // 1 KiB and 1 MiB of something that costs 1 ms and a nanosecond a byte: 256 MiB are no riddle
        close(guess(&[(1 << 10, 1e6 + 1024.0), (1 << 20, 1e6 + 1048576.0)], 1 << 28), 1e6 + 268435456.0);
        close(guess(&[(10, 1.0), (20, 4.0), (40, 16.0)], 80), 64.0);
        close(guess(&[(10, 1.0), (40, 4.0_f64.powf(1.25))], 160), 4.0_f64.powf(1.25 + 1.5));
        // slopes 1 and 2: steeper by a margin next time
        close(guess(&[(10, 1.0), (20, 2.0), (40, 8.0)], 80), 8.0 * 2.0_f64.powf(2.5));
        // slopes 0 and 0.5: on the way from a fixed cost to who knows what
        close(guess(&[(10, 1.0), (40, 1.0), (160, 2.0)], 640), 2.0 * 4.0_f64.powf(1.5));
        // slopes 2 and 1: the steeper may come back
        close(guess(&[(10, 1.0), (20, 4.0), (40, 8.0)], 80), 32.0);
    }

    #[test]
    fn a_quadratic_behind_a_fixed_cost_is_guessed_within_a_factor_of_two() {
        for (fixed, step) in [(0.0, 2), (1e6, 2), (1e6, 4), (1e3, 4)] {
            let grown = |size: &u64| Some(size * step).filter(|next| *next < 1 << 26);
            let time = |size: u64| (size, fixed + 0.01 * (size as f64).powi(2));
            let times: Vec<(u64, f64)> = std::iter::successors(Some(256), grown).map(time).collect();
            assert!(times.len() >= 9);
            for known in 2..times.len() {
                let (next, truth) = times[known];
                let guess = predict(&times[..known], next).unwrap();
                assert!(guess >= 0.5 * truth, "{fixed}, × {step}: {guess} for {truth} at {next}");
            }
        }
    }
}

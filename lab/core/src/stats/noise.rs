//! What the lab sees where there is nothing to see.

use super::bootstrap::Interval;

/// The noise floor, a factor of at least 1, from the row that measures an engine against itself.
///
/// An interval that holds 1 says that the lab was fair: then the floor is how far its median lies from 1. One that
/// excludes 1 says that it was not (or that this was the one run in twenty): then the floor is its far end.
pub fn floor(against_itself: &Interval) -> f64 {
    let away = |ratio: f64| ratio.max(1.0 / ratio);
    let fair = against_itself.low <= 1.0 && against_itself.high >= 1.0;
    if fair { away(against_itself.median) } else { away(against_itself.low).max(away(against_itself.high)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_have_known_answers() {
        for (low, median, high, expected) in [
            (0.9, 1.0, 1.2, 1.0),
            (0.9, 1.02, 1.2, 1.02),
            (0.5, 0.8, 1.2, 1.25),
            (1.01, 1.02, 1.05, 1.05),
            (0.8, 0.9, 0.99, 1.25),
        ] {
            let seen = floor(&Interval { low, median, high });
            assert!((seen - expected).abs() < 1e-12, "{low} {median} {high}: {seen}");
        }
    }
}

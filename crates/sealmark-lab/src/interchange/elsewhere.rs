//! What another tool measured: means, intervals and samples as it tells them. Nothing of it was paired with anything.

use crate::report::words;
use crate::units::significant;

/// A file of another tool.
#[derive(Debug, Default, PartialEq)]
pub struct Elsewhere {
    /// "JMH 1.37", "hyperfine".
    pub tool: String,
    /// The file's name.
    pub from: String,
    pub benchmarks: Vec<Benchmark>,
}

/// One of its benchmarks.
#[derive(Debug, PartialEq)]
pub struct Benchmark {
    pub name: String,
    /// What else it says of it: "size = 49", "2 forks", "JDK 17.0.15".
    pub about: Vec<String>,
    pub unit: Unit,
    pub figures: Figures,
}

/// In the benchmark's unit.
#[derive(Debug, PartialEq)]
pub struct Figures {
    pub mean: f64,
    pub range: Range,
    /// Each value, and how often it was seen; none where the file keeps none.
    pub samples: Vec<(f64, u64)>,
}

/// What lies between two figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// JMH's own confidence interval of the mean, at 99.9 %.
    Interval { low: f64, high: f64 },
    /// The smallest and the largest value.
    Ends { low: f64, high: f64 },
    /// A single value has none.
    None,
}

impl Range {
    /// Its lower and upper end.
    pub fn between(self) -> Option<(f64, f64)> {
        match self {
            Self::Interval { low, high } | Self::Ends { low, high } => Some((low, high)),
            Self::None => None,
        }
    }

    /// Of the values themselves.
    pub fn ends(samples: &[(f64, u64)]) -> Self {
        let values = || samples.iter().map(|(value, _)| *value);
        let ends = values().min_by(f64::total_cmp).zip(values().max_by(f64::total_cmp));
        match ends {
            Some((low, high)) if low < high => Self::Ends { low, high },
            _ => Self::None,
        }
    }
}

/// In the unit that the page has for it. A figure beyond all numbers would be drawn as one that it is not.
pub fn scaled(benchmark: &str, figure: &str, value: f64, factor: f64) -> Result<f64, String> {
    let scaled = value * factor;
    let too_large = || format!("benchmark \"{benchmark}\": figure \"{figure}\" is too large: {value:e}");
    if scaled.is_finite() { Ok(scaled) } else { Err(too_large()) }
}

/// Means and what they are means of may differ in their last digits.
const ROUNDING: f64 = 1e-9;

/// A figure that is not between its ends is no figure of theirs, whoever wrote it.
pub fn between(benchmark: &str, figure: &str, value: f64, [low, high]: [f64; 2]) -> Result<(), String> {
    let slack = ROUNDING * low.abs().max(high.abs());
    if low <= high && (low - slack..=high + slack).contains(&value) {
        return Ok(());
    }
    Err(format!(
        "benchmark \"{benchmark}\": figure \"{figure}\" is not between its ends: {value:e}, {low:e} and {high:e}"
    ))
}

/// What figures count.
#[derive(Debug, Clone, PartialEq)]
pub enum Unit {
    /// Nanoseconds.
    Time,
    /// Anything else, by its name: "ops/s".
    Other(String),
}

impl Unit {
    /// A figure with its unit.
    pub fn words(&self, figure: f64) -> String {
        match self {
            Self::Time if figure < 0.0 => format!("-{}", words::time(-figure)),
            Self::Time => words::time(figure),
            Self::Other(name) => format!("{} {name}", plain(figure)),
        }
    }

    /// The same beside an axis, whose title has the unit.
    pub fn tick(&self, figure: f64) -> String {
        match self {
            Self::Time => words::time(figure),
            Self::Other(_) => plain(figure),
        }
    }
}

/// In as many digits as tell something; powers of ten where it is very large or small.
fn plain(figure: f64) -> String {
    let is_usual = figure == 0.0 || (1e-3..1e6).contains(&figure.abs());
    if is_usual { significant(figure) } else { format!("{figure:.2e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_expected() {
        let times = [12.34, 4.56e6, -4.56e3, 0.0].map(|ns| Unit::Time.words(ns));
        assert_eq!(times, ["12.3 ns", "4.56 ms", "-4.56 µs", "0.0000 ns"]);
        let rate = Unit::Other("ops/s".into());
        let rates = [12.34, 1.5e9, 7.39e-4, 0.0].map(|figure| rate.words(figure));
        assert_eq!(rates, ["12.3 ops/s", "1.50e9 ops/s", "7.39e-4 ops/s", "0.0000 ops/s"]);
    }
}

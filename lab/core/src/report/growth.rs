//! How time grows with size: exponents, steps between neighbouring sizes, and sizes not run.

use crate::jobs;
use crate::protocol::Operation;
use crate::rows;
use crate::stats::growth::{FEWEST_SIZES, Growth, NoGrowth};
use crate::stats::slopes::{self, Cliff, Slope};
use crate::summary::Cell;
use crate::summary::growths::Grown;
use crate::words;
use std::collections::BTreeSet;

/// A line at five sizes or more.
pub struct Growing {
    pub job: String,
    pub operation: Operation,
    pub line: rows::Line,
    shaped: bool,
    pub fit: Result<Growth, NoGrowth>,
    pub slopes: Vec<Slope>,
    pub cliffs: Vec<Cliff>,
}

/// An interval wider than this holds too much to be called proportion: on a busy machine it may reach from 1 to 2.
const WIDEST: f64 = 0.4;

/// Every line that has enough sizes, by job and operation.
pub fn all(grown: &[Grown], cells: &[Cell]) -> Vec<Growing> {
    // More connections at once are no more bytes.
    let enough =
        grown.iter().filter(|grown| jobs::of(&grown.job).is_in_bytes() && grown.sizes.len() >= FEWEST_SIZES);
    let shaped = cells.iter().filter(|cell| words::is_shaped(cell)).map(|cell| cell.job.as_str());
    let shaped: BTreeSet<&str> = shaped.collect();
    enough
        .map(|grown| Growing {
            job: grown.job.clone(),
            operation: grown.operation,
            line: grown.line.clone(),
            shaped: shaped.contains(grown.job.as_str()),
            fit: grown.fit.clone(),
            slopes: slopes::slopes(&grown.medians()),
            cliffs: slopes::cliffs(&grown.sizes),
        })
        .collect()
}

impl Growing {
    fn place(&self) -> String {
        format!("{}, {}", self.job, self.operation)
    }

    pub fn name(&self) -> String {
        words::full_name(&self.line, self.shaped)
    }

    pub fn verdict(&self) -> &'static str {
        match &self.fit {
            Ok(fit) if fit.faster_than_input() => "faster than its input",
            Ok(fit) if fit.high < 1.0 => "slower than its input",
            Ok(fit) if fit.high - fit.low > WIDEST => "undecided",
            Ok(fit) if fit.low <= 1.0 => "in proportion",
            Ok(_) => "at most a little faster",
            Err(NoGrowth::TooFewSizes) => "too few sizes",
            Err(NoGrowth::MostlyFixed) => "mostly fixed cost",
        }
    }

    pub fn is_faster_than_input(&self) -> bool {
        self.fit.as_ref().is_ok_and(Growth::faster_than_input)
    }

    pub fn exponent(&self) -> Option<String> {
        let fit = self.fit.as_ref().ok()?;
        Some(format!("{:.2} ({:.2}..{:.2})", fit.exponent, fit.low, fit.high))
    }
}

/// Its cliffs, in sentences.
pub fn steps(growing: &Growing) -> Vec<String> {
    let told = |cliff: &Cliff| {
        format!(
            "{}: {} takes {} × longer at {} than its time at {} lets one expect",
            growing.place(),
            growing.name(),
            words::factor(cliff.factor),
            words::size(cliff.to),
            words::size(cliff.from)
        )
    };
    growing.cliffs.iter().map(told).collect()
}

#[cfg(test)]
mod tests;

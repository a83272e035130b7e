//! How time grows with size: exponents, steps between neighbouring sizes, and sizes not run.

use super::grid::{Grid, list};
use super::size_key;
use super::words;
use crate::protocol::Operation;
use crate::rows::{self, FaultKind, Row};
use crate::stats::growth::{FEWEST_SIZES, Growth, NoGrowth};
use crate::stats::slopes::{self, Cliff, Slope};
use crate::summary::Cell;
use crate::summary::growths::Grown;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

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
        grown.iter().filter(|grown| size_key(&grown.job) == "bytes" && grown.sizes.len() >= FEWEST_SIZES);
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

    /// For machines.
    pub fn json(&self) -> Value {
        let fit = self.fit.as_ref().ok();
        json!({
            "job": self.job,
            "operation": self.operation,
            "line": self.line,
            "exponent": fit.map(|fit| json!({ "median": fit.exponent, "low": fit.low, "high": fit.high })),
            "fixed_ns": fit.map(|fit| fit.fixed_ns),
            "sizes": fit.map(|fit| &fit.used),
            "faster_than_input": fit.map(Growth::faster_than_input),
            "slopes": self.slopes.iter().map(|slope| {
                json!({ "from": slope.from, "to": slope.to, "exponent": slope.exponent })
            }).collect::<Vec<_>>(),
            "cliffs": self.cliffs.iter().map(|cliff| {
                json!({ "from": cliff.from, "to": cliff.to, "factor": cliff.factor })
            }).collect::<Vec<_>>(),
        })
    }
}

/// Those of a job that grow faster than their input, for the top of the page.
pub fn worst(job: &str, all: &[Growing]) -> Option<String> {
    let mut worst: Vec<(f64, String)> = all
        .iter()
        .filter(|growing| growing.job == job)
        .filter_map(|growing| {
            let fit = growing.fit.as_ref().ok().filter(|fit| fit.faster_than_input())?;
            let power = growing.exponent()?;
            Some((fit.exponent, format!("{} ({}) to the power {power}", growing.name(), growing.operation)))
        })
        .collect();
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<String> = worst.into_iter().map(|(_, name)| name).collect();
    if names.is_empty() {
        None
    } else {
        Some(format!("{job}: grows faster than its input: {}", words::few(&names, 3)))
    }
}

/// A table for each job and operation, then what stands out in them.
pub fn sections(rows: &[Row], all: &[Growing]) -> String {
    let mut text = String::new();
    for part in all.chunk_by(|a, b| a.place() == b.place()) {
        text.push_str(&section(part));
    }
    let mut sentences: Vec<String> = all.iter().flat_map(steps).collect();
    sentences.extend(not_run(rows));
    text + &list("Between sizes, and beyond", &sentences)
}

fn section(part: &[Growing]) -> String {
    let mut grid =
        Grid::new(3, ["engine", "algorithm", "shape", "exponent (95 %)", "from size to size", "verdict"]);
    let the_algorithm = words::one_algorithm(&part[0].job, part.iter().map(|growing| &growing.line));
    for growing in part {
        let mut row = words::columns(&growing.line, growing.shaped);
        if the_algorithm.is_some() {
            row[1].clear();
        }
        row.push(growing.exponent().unwrap_or_default());
        let decimals = if growing.slopes.len() > MOST_EXACT { 1 } else { 2 };
        let slopes = growing.slopes.iter().map(|slope| format!("{:.decimals$}", slope.exponent));
        row.push(slopes.collect::<Vec<_>>().join(" "));
        row.push(growing.verdict().to_owned());
        grid.push(row);
    }
    let sizes =
        part.iter().flat_map(|growing| growing.slopes.iter().flat_map(|slope| [slope.from, slope.to]));
    let sizes: Vec<u64> = sizes.collect();
    let end = |size: Option<&u64>| size.map(|size| words::size(*size)).unwrap_or_default();
    let (first, last) = (end(sizes.iter().min()), end(sizes.iter().max()));
    let algorithm = the_algorithm.map(|algorithm| format!(", {algorithm}")).unwrap_or_default();
    let place = part[0].place();
    format!("\n{place}{algorithm}: time as size to a power, {first} to {last}\n{}", grid.text())
}

/// More steps than these leave room for one decimal each.
const MOST_EXACT: usize = 6;

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

/// Sizes left out because of what the smaller ones took: one sentence a line.
fn not_run(rows: &[Row]) -> Vec<String> {
    const MOST_SIZES: usize = 24;
    let mut numbers: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    for row in rows {
        let Row::Fault(fault) = row else { continue };
        let (FaultKind::NotRun, Some(size)) = (fault.kind, fault.size) else { continue };
        let number = *numbers.entry((&fault.job, name_of(fault))).or_insert(lines.len());
        lines.resize_with(lines.len().max(number + 1), Vec::new);
        let told = format!("{}: {} in all", words::size(size), fault.why);
        if seen.insert((number, told.clone())) {
            lines[number].push(told);
        }
    }
    let mut named: Vec<((&str, String), usize)> = numbers.into_iter().collect();
    named.sort_by_key(|(_, number)| *number);
    let told = |((job, name), number): &((&str, String), usize)| {
        format!("{job}: {name} not run at {}", words::few_by(&lines[*number], MOST_SIZES, "; "))
    };
    named.iter().map(told).collect()
}

fn name_of(fault: &rows::Fault) -> String {
    let shape = fault.shape.map(|shape| format!("({shape})"));
    let parts = [Some(fault.engine.clone()), fault.algorithm.clone(), shape];
    parts.into_iter().flatten().filter(|part| part != "none").collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;

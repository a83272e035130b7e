//! Which library is the fastest, and which suite.

use super::{engines, fair, in_most_groups, in_most_shapes, of_engine, simplest};
use crate::protocol::Operation;
use crate::report::verdicts::{judged, quickest, takes, ties};
use crate::report::{cells, words};
use crate::summary::{Cell, Line};
use crate::tls::Way;
use crate::units;
use std::collections::{BTreeMap, BTreeSet};

/// So many others are named beside the fastest.
const NAMED: usize = 6;

/// Full and resumed connections in each group.
pub fn libraries_by_group(cells: &[&Cell]) -> Vec<String> {
    let told = [Operation::Full, Operation::Resumed].into_iter().filter_map(|it| simplest(cells, it));
    told.flat_map(|cell| heats(cell, in_most_groups(in_most_shapes(fair(cell).collect()))))
        .filter_map(|heat| heat.in_words())
        .collect()
}

/// Transfers: for each suite; of downloads only where another library is the fastest.
pub fn libraries_by_suite(cells: &[&Cell]) -> Vec<String> {
    let of = |operation| {
        let told = simplest(cells, operation).map(|cell| heats(cell, in_most_shapes(fair(cell).collect())));
        told.unwrap_or_default()
    };
    let (uploads, downloads) = (of(Operation::Upload), of(Operation::Download));
    let is_told = |heat: &Heat| {
        uploads.iter().any(|other| (other.algorithm(), other.winner()) == (heat.algorithm(), heat.winner()))
    };
    let new = downloads.iter().filter(|heat| !is_told(heat));
    uploads.iter().chain(new).filter_map(Heat::in_words).collect()
}

/// The lines of the heat that most libraries take part in; of equal ones the quickest. Without rivals one chooses among
/// the suites of one library.
pub fn widest(cell: &Cell) -> Vec<&Line> {
    let lines = in_most_shapes(fair(cell).collect());
    let lines = if words::is_connect(cell) { in_most_groups(lines) } else { lines };
    let least = |heat: &Heat| heat.lines.iter().map(|line| line.time()).fold(f64::INFINITY, f64::min);
    let widest = heats(cell, lines).into_iter().max_by(|a, b| {
        let engines =
            |heat: &Heat| heat.lines.iter().map(|line| line.engine()).collect::<BTreeSet<_>>().len();
        engines(a).cmp(&engines(b)).then(least(b).total_cmp(&least(a)))
    });
    let of_one = || {
        let engine = engines(cell).into_iter().max_by_key(|engine| of_engine(cell, engine).len());
        let lines = engine.map(|engine| of_engine(cell, engine)).unwrap_or_default().into_iter();
        lines
            .filter(|(_, way)| !BROKEN.iter().any(|name| way.suite.contains(name)))
            .map(|(line, _)| line)
            .collect()
    };
    widest.map(|heat| heat.lines).unwrap_or_else(of_one)
}

/// Nobody is advised to use a suite with one of these, however fast it is.
const BROKEN: [&str; 6] = ["NULL", "EXPORT", "anon", "RC4", "DES", "MD5"];

/// Lines of several libraries that do the same.
struct Heat<'a> {
    cell: &'a Cell,
    lines: Vec<&'a Line>,
}

/// By algorithm.
fn heats<'a>(cell: &'a Cell, lines: Vec<(&'a Line, Way)>) -> Vec<Heat<'a>> {
    let mut all: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for (line, _) in lines {
        all.entry(line.algorithm()).or_default().push(line);
    }
    all.into_values().map(|lines| Heat { cell, lines }).filter(Heat::has_rivals).collect()
}

impl Heat<'_> {
    /// One library alone, on whatever JDKs, is no contest.
    fn has_rivals(&self) -> bool {
        self.lines.iter().any(|line| line.family != self.lines[0].family)
    }

    fn algorithm(&self) -> &str {
        self.lines[0].algorithm()
    }

    fn best(&self) -> Option<&Line> {
        let is_mine = |line: &&Line| self.lines.iter().any(|mine| mine.line == line.line);
        quickest(judged(self.cell).filter(is_mine))
    }

    fn winner(&self) -> Option<&str> {
        self.best().map(Line::engine)
    }

    fn in_words(&self) -> Option<String> {
        let (cell, best) = (self.cell, self.best()?);
        let named = |_: &Cell, line: &Line| line.engine().to_owned();
        let mut others: Vec<&Line> =
            self.lines.iter().copied().filter(|line| line.line != best.line).collect();
        others.sort_by(|a, b| a.time().total_cmp(&b.time()));
        let told: Vec<String> = others.iter().filter_map(|line| takes(cell, line, best, named)).collect();
        Some(format!(
            "{}, {} ({}): fastest is {}, {}; {}",
            cells::name(cell),
            self.algorithm(),
            best.line.shape,
            best.engine(),
            rate(cell, best),
            words::few_by(&told, NAMED, "; ")
        ))
    }
}

/// "2345 connections/s" or "2.87 GB/s".
fn rate(cell: &Cell, line: &Line) -> String {
    if words::is_connect(cell) {
        format!("{} connections/s", super::per_second(line))
    } else {
        units::rate(cell.size as f64 * 1e9 / line.time())
    }
}

/// The fastest suite of each engine's transfers, and the slowest.
pub fn suites(cells: &[&Cell]) -> Vec<String> {
    let Some(cell) = simplest(cells, Operation::Upload) else { return Vec::new() };
    engines(cell).into_iter().filter_map(|engine| suites_of(cell, engine)).collect()
}

fn suites_of(cell: &Cell, engine: &str) -> Option<String> {
    let lines: Vec<&Line> = of_engine(cell, engine).into_iter().map(|(line, _)| line).collect();
    let is_mine = |line: &&Line| lines.iter().any(|mine| mine.line == line.line);
    let best = quickest(judged(cell).filter(is_mine))?;
    let last = judged(cell).filter(is_mine).max_by(|a, b| a.time().total_cmp(&b.time()))?;
    let named = |cell: &Cell, line: &Line| {
        words::ways(cell).map(|ways| ways.short(line.algorithm())).unwrap_or_default()
    };
    let slowest = takes(cell, last, best, named)?;
    Some(format!(
        "{}: with {engine} ({}) the fastest suite is {}, {}{}; the slowest, {slowest}",
        cells::name(cell),
        best.line.shape,
        named(cell, best),
        rate(cell, best),
        ties(cell, best, lines.iter().copied(), named),
    ))
}

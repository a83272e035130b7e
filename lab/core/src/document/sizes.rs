//! The times of lines at all their sizes, and how they grow.

use super::{Run, Section, id};
use crate::format;
use crate::jobs;
use crate::protocol::Operation;
use crate::rows::{Line, Role};
use crate::stats::growth::{self, Growth, NoGrowth};
use crate::summary::Cell;
use crate::summary::growths::{Grown, medians};
use crate::table::{Drawn, Figure, Series, Table, TableRow};
use std::collections::BTreeSet;

/// More sizes than any plan has.
const MOST_SIZES: usize = 40;

/// Between two sizes a straight line would say what nobody knows: a fixed cost makes it an elbow, wherever that is.
const FEWEST_SIZES: usize = 3;

const READING: &str = "\
Time divided by size, both scales logarithmic. A line that rises grows faster than its input; one that falls shares a fixed \
cost among more bytes; one that is level is in proportion. The pale band behind a line of five sizes or more is the curve \
fitted to it, a fixed cost and a power of the size, whose exponent the table has.";

/// A table for each operation of a job that has some sizes in bytes: more connections at once are no more bytes.
pub fn section(run: &Run, cells: &[Cell]) -> Option<Section> {
    let in_bytes = cells.iter().filter(|cell| cell.kind.is_in_bytes());
    let operations: BTreeSet<Operation> = in_bytes.map(|cell| cell.operation).collect();
    let tables: Vec<Table> = operations.into_iter().filter_map(|it| of_operation(run, cells, it)).collect();
    let section = Section::of_tables(&id("sizes", &cells[0].job), "Time per byte, by size", tables);
    Some(Section { reading: READING.into(), ..section }).filter(|section| !section.is_empty())
}

fn of_operation(run: &Run, cells: &[Cell], operation: Operation) -> Option<Table> {
    let job = &cells[0].job;
    let is_mine = |grown: &&Grown| (&grown.job, grown.operation) == (job, operation) && grown.sizes.len() > 1;
    let all = chosen(cells, run.grown.iter().filter(is_mine).collect());
    let series = |grown: &&Grown| {
        let fitted = grown.fit.as_ref().map(fitted).unwrap_or_default();
        Series { measured: medians(&grown.sizes), fitted }
    };
    let series: Vec<Series> = all.iter().map(series).collect();
    let points = series.iter().flat_map(|it| &it.measured);
    let sizes: BTreeSet<u64> = points.map(|(size, _)| *size).collect();
    if sizes.len() < FEWEST_SIZES {
        return None;
    }
    let tells_how = cells.iter().any(Cell::tells_how);
    let shown: Vec<u64> = sizes.iter().copied().take(MOST_SIZES).collect();
    let titles = ["line", "it grows", "exponent (95 %)"].map(str::to_owned);
    let titles = titles.into_iter().chain(shown.iter().map(|size| format::size(*size)));
    let title = [format!("{job}, {operation}: time of one operation")];
    let title = title.into_iter().chain(format::rest(sizes.len() - shown.len(), "more sizes"));
    let mut table = Table::titled(&title.collect::<Vec<_>>().join("; "), 2, titles);
    table.drawn = Drawn::Sizes;
    for (grown, series) in all.into_iter().zip(series) {
        let is_told = is_telling(grown);
        let verdict = is_told.then(|| Figure::word(verdict(grown)));
        let exponent = grown.fit.as_ref().ok().filter(|_| is_told).map(exponent);
        let name = Some(Figure::word(format::full_name(&grown.line, tells_how)));
        let mut figures = vec![name, verdict, exponent];
        let time = |size| {
            let (_, ns) = series.measured.iter().find(|(known, _)| known == size)?;
            Some(Figure::number(format::time(*ns), *ns))
        };
        figures.extend(shown.iter().map(time));
        let line = Some(grown.line.clone());
        table.push_row(TableRow { line, figures, series: Some(series), ..TableRow::default() });
    }
    Some(table)
}

fn exponent(fit: &Growth) -> Figure {
    let told = format::spread([fit.exponent, fit.low, fit.high].map(|it| format!("{it:.2}")), "", true);
    Figure::with_ends(told, fit.exponent, [fit.low, fit.high])
}

/// Five sizes or more, in bytes: more connections at once are no more bytes.
pub fn is_telling(grown: &Grown) -> bool {
    jobs::of(&grown.job).is_in_bytes() && grown.sizes.len() >= growth::FEWEST_SIZES
}

/// An interval wider than this holds too much to be called proportion: on a busy machine it may reach from 1 to 2.
const WIDEST: f64 = 0.4;

fn verdict(grown: &Grown) -> &'static str {
    match &grown.fit {
        Ok(fit) if fit.faster_than_input() => "faster than its input",
        Ok(fit) if fit.high < 1.0 => "slower than its input",
        Ok(fit) if fit.high - fit.low > WIDEST => "undecided",
        Ok(fit) if fit.low <= 1.0 => "in proportion",
        Ok(_) => "at most a little faster",
        Err(NoGrowth::TooFewSizes) => "too few sizes",
        Err(NoGrowth::MostlyFixed) => "mostly fixed cost",
    }
}

/// Points of the curve, from the smallest to the largest of the sizes that it was fitted to, each as many times the one
/// before.
fn fitted(fit: &Growth) -> Vec<(u64, f64)> {
    const PIECES: u32 = 12;
    let (Some(&first), Some(&last)) = (fit.used.first(), fit.used.last()) else { return Vec::new() };
    let size =
        |at| (first as f64 * (last as f64 / first as f64).powf(f64::from(at) / f64::from(PIECES))) as u64;
    (0..=PIECES).map(size).map(|size| (size, fit.at(size as f64))).collect()
}

/// Some of those that grow too fast, then some of ours and the yardstick, then the fastest: of the few lines that are
/// drawn none of these kinds should crowd out the others.
fn chosen<'a>(cells: &[Cell], mut all: Vec<&'a Grown>) -> Vec<&'a Grown> {
    const SOME: usize = 3;
    let at_its_largest = |it: &Grown| medians(&it.sizes).last().map_or(f64::NAN, |last| per_byte(*last));
    all.sort_by(|a, b| at_its_largest(a).total_cmp(&at_its_largest(b)));
    let of_interest = cells.iter().flat_map(|cell| &cell.lines).filter(|line| line.role != Role::Peer);
    let of_interest: BTreeSet<&Line> = of_interest.map(|line| &line.line).collect();
    let (mut steep, others): (Vec<&Grown>, Vec<&Grown>) = all.into_iter().partition(|grown| is_steep(grown));
    let exponent = |grown: &Grown| grown.fit.as_ref().map_or(f64::NAN, |fit| fit.exponent);
    steep.sort_by(|a, b| exponent(b).total_cmp(&exponent(a)));
    let is_of_interest = |grown: &&Grown| of_interest.contains(&grown.line);
    let (mut ours, peers): (Vec<&Grown>, Vec<&Grown>) = others.into_iter().partition(is_of_interest);
    let more_steep = steep.split_off(steep.len().min(SOME));
    let more_ours = ours.split_off(ours.len().min(SOME));
    [steep, ours, peers, more_steep, more_ours].concat()
}

pub fn is_steep(grown: &Grown) -> bool {
    grown.is_judged() && grown.fit.as_ref().is_ok_and(Growth::faster_than_input)
}

/// Nanoseconds.
pub fn per_byte((size, ns): (u64, f64)) -> f64 {
    ns / size.max(1) as f64
}

#[cfg(test)]
mod tests;

//! The table of a payload: what is long elsewhere is short here, for there are more columns.

use super::super::grid::{Grid, paragraph};
use super::super::warmth::Warmth;
use super::super::words;
use super::{by_time, judged, memory, remarks, title, to_reference};
use crate::protocol::Operation;
use crate::rows;
use crate::summary::{Cell, Line};
use crate::units::significant;

const NOT_STEADY: &str = "\
* its beginning was watched for a while and no steady state was seen: the time is that of the operations which came next, \
of a slow line the second of a process";

pub fn section(cell: &Cell, warmth: &[Warmth]) -> String {
    let mut grid = Grid::new(3, titles(cell));
    for line in by_time(cell) {
        grid.push(row(cell, line, is_unsteady(cell, line, warmth)));
    }
    let mut text = format!("\n{}\n{}{}", title(cell), grid.text(), remarks(cell));
    let is_marked = by_time(cell).into_iter().any(|line| is_unsteady(cell, line, warmth));
    let explained = is_marked.then(|| NOT_STEADY.to_owned());
    text.extend(explained.into_iter().chain(cold_only(cell)).map(|remark| paragraph(&remark)));
    text
}

fn titles(cell: &Cell) -> Vec<String> {
    let fixed = ["engine", "algorithm", "shape", "cold", "time"].map(str::to_owned);
    let spent = ["verdict", "cores", "GC", "alloc", "MB", "early"].map(str::to_owned);
    fixed.into_iter().chain([to_reference(cell)]).chain(spent).collect()
}

fn row(cell: &Cell, line: &Line, is_unsteady: bool) -> Vec<String> {
    let algorithm = if words::the_algorithm(cell).is_some() { "" } else { line.algorithm() };
    let again = if line.line.again { " again" } else { "" };
    let mark = if is_unsteady { "*" } else { "" };
    let share = |spent: Option<f64>| spent.map(|spent| spent / line.time());
    let mut row = vec![
        line.engine().to_owned(),
        algorithm.to_owned(),
        format!("{}{again}", line.line.shape),
        line.cold().map(|cold| words::time(cold.median)).unwrap_or_default(),
        format!("{}{mark}", words::time(line.time())),
    ];
    row.extend(judged(cell, line, cell.reference()));
    row.push(share(line.cpu()).map(significant).unwrap_or_default());
    row.push(share(line.gc_ns).map(percent).unwrap_or_default());
    row.extend(memory(line));
    row.push(if cell.operation == Operation::Open { words::released(cell, line) } else { String::new() });
    row
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// What runs a second time is as warm as the first.
fn is_unsteady(cell: &Cell, line: &Line, warmth: &[Warmth]) -> bool {
    let watched = rows::Line { again: false, ..line.line.clone() };
    warmth.iter().any(|warmth| {
        (warmth.size, warmth.operation, &warmth.line) == (cell.size, cell.operation, &watched)
            && warmth.job == cell.job
            && !warmth.is_steady
    })
}

/// Those that never got warm here.
fn cold_only(cell: &Cell) -> Option<String> {
    let told = cell.cold_only.iter().filter_map(|line| {
        let cold = line.cold()?;
        Some(format!("{} {}", words::name(cell, line), words::time(cold.median)))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("only cold, no steady time: {}", words::few(&told, 6)))
}

//! What the lab itself costs: the loop with nothing in it, against each engine's fastest operation.

use super::cells;
use super::grid::{Grid, list};
use super::words;
use crate::summary::{Cell, Line};

/// Below this share the loop is in nobody's way.
const ONE_PER_CENT: f64 = 0.01;

/// Nothing where the run had no job `empty`.
pub fn section(all: &[Cell]) -> String {
    let loops: Vec<&Line> =
        all.iter().filter(|cell| cell.job == "empty").flat_map(Cell::contestants_and_yardstick).collect();
    if loops.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(1, ["engine", "loop", "fastest", "share", "in"]);
    let mut above = Vec::new();
    for line in &loops {
        let mut row = vec![line.engine().to_owned(), words::time(line.time())];
        if let Some((cell, fastest)) = fastest(all, line) {
            let share = line.time() / fastest.time();
            row.extend([words::time(fastest.time()), percent(share), place(cell, fastest)]);
            above.extend(too_dear(all, line));
        }
        grid.push(row);
    }
    let verdict = match above.len() {
        0 => "the loop is below 1 % of every in-process operation of an engine whose loop was measured"
            .to_owned(),
        count => format!(
            "the loop is above 1 % of {count} in-process operation{}: {}",
            if count == 1 { "" } else { "s" },
            words::few(&above, 6)
        ),
    };
    let sentences = list("What the lab costs: an empty job", &[verdict]);
    format!("{sentences}{}", grid.text())
}

fn of_engine<'a>(all: &'a [Cell], empty: &'a Line) -> impl Iterator<Item = (&'a Cell, &'a Line)> {
    let in_memory = all.iter().filter(|cell| cell.job != "empty");
    in_memory
        .flat_map(|cell| cell.contestants_and_yardstick().map(move |line| (cell, line)))
        .filter(|(_, line)| line.in_process && line.engine() == empty.engine())
}

fn fastest<'a>(all: &'a [Cell], empty: &'a Line) -> Option<(&'a Cell, &'a Line)> {
    of_engine(all, empty).min_by(|a, b| a.1.time().total_cmp(&b.1.time()))
}

fn too_dear<'a>(all: &'a [Cell], empty: &'a Line) -> impl Iterator<Item = String> {
    of_engine(all, empty).filter_map(|(cell, line)| {
        let share = empty.time() / line.time();
        (share >= ONE_PER_CENT)
            .then(|| format!("{} ({}) {}", words::name(cell, line), cells::name(cell), percent(share)))
    })
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

fn place(cell: &Cell, line: &Line) -> String {
    format!("{}, {}", cells::name(cell), line.algorithm())
}

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
    let told: Vec<String> = [verdict].into_iter().chain(unknown(all, &loops)).collect();
    let sentences = list("What the lab costs: an empty job", &told);
    format!("{sentences}{}", grid.text())
}

/// Silence would be taken for nothing.
fn unknown(all: &[Cell], loops: &[&Line]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for line in all.iter().flat_map(Cell::contestants_and_yardstick).filter(|line| line.in_process) {
        let is_known = loops.iter().any(|known| known.engine() == line.engine());
        if !is_known && !names.contains(&line.engine()) {
            names.push(line.engine());
        }
    }
    (!names.is_empty())
        .then(|| format!("not measured, and not to be taken for nothing: the loop of {}", names.join(", ")))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Role;
    use crate::protocol::{Operation, Shape};
    use crate::rows::{self, Row};
    use crate::summary;
    use crate::summary::made::steady;

    fn measured(job: &str, engine: &str, in_process: bool, wall_ns: u64) -> [Row; 2] {
        let row = rows::Engine {
            engine: engine.into(),
            family: engine.into(),
            about: String::new(),
            role: Role::Peer,
            version: "1".into(),
            jdk: None,
            in_process,
        };
        let line =
            rows::Line { engine: engine.into(), algorithm: "none".into(), shape: Shape::Tuned, again: false };
        let sample = steady(job, 49, &line, Operation::Encode, 0, wall_ns);
        [Row::Engine(row), Row::Sample(sample)]
    }

    #[test]
    fn engines_whose_loop_was_not_measured_are_named() {
        let mut rows = [
            measured("codec", "known", true, 1000),
            measured("codec", "silent", true, 1000),
            measured("file", "silent", true, 1000),
            measured("file", "program", false, 1000),
            measured("pipe", "mute", true, 1000),
        ]
        .concat();
        assert_eq!(section(&summary::cells(&rows)), "");
        rows.extend(measured("empty", "known", true, 1));
        let text = section(&summary::cells(&rows));
        let said = "not measured, and not to be taken for nothing: the loop of silent, mute\n";
        assert!(text.contains(said), "{text}");
        rows.extend(
            measured("empty", "silent", true, 1).into_iter().chain(measured("empty", "mute", true, 1)),
        );
        let text = section(&summary::cells(&rows));
        assert!(text.contains("below 1 %") && !text.contains("not measured"), "{text}");
    }
}

//! What the lab itself costs: the loop with nothing in it, against each engine's fastest operation.

use super::by_job::ByJob;
use super::troubles;
use crate::summary::{Cell, Line};
use crate::words;
use std::collections::{BTreeMap, BTreeSet};

/// Below this share the loop is in nobody's way.
const ONE_PER_CENT: f64 = 0.01;

/// Whether the loop is in anybody's way, of whom that is not known, and what went wrong with it.
pub fn sentences(all: &[Cell], by_job: &ByJob) -> Vec<String> {
    let rows = by_job.own_cost();
    let failed = troubles::both(&rows.faults, &rows.overcome, &by_job.families);
    let failed = failed.into_iter().map(|trouble| trouble.sentence);
    let failed = words::at_most(failed.chain(troubles::notes(rows.notes.iter().copied())).collect(), MOST);
    let loops = loops(all);
    if loops.is_empty() {
        return failed;
    }
    let in_process = in_process(all);
    let above: Vec<String> = loops.iter().flat_map(|line| too_dear(&in_process, line)).collect();
    let verdict = match above.len() {
        0 => "the loop is below 1 % of every in-process operation of an engine whose loop was measured"
            .to_owned(),
        count => format!(
            "the loop is above 1 % of {count} in-process operation{}: {}",
            if count == 1 { "" } else { "s" },
            words::few(&above, 6)
        ),
    };
    [verdict].into_iter().chain(unknown(all, &loops)).chain(failed).collect()
}

/// Sentences of what went wrong.
const MOST: usize = 50;

fn loops(all: &[Cell]) -> Vec<&Line> {
    all.iter().filter(|cell| cell.kind.is_own_cost).flat_map(Cell::contestants_and_yardstick).collect()
}

/// More engines than any run has.
const MOST_UNKNOWN: usize = 50;

/// Silence would be taken for nothing.
fn unknown(all: &[Cell], loops: &[&Line]) -> Option<String> {
    let mut told: BTreeSet<&str> = loops.iter().map(|line| line.engine()).collect();
    let lines = all.iter().flat_map(Cell::contestants_and_yardstick).filter(|line| line.in_process);
    let names: Vec<String> =
        lines.map(Line::engine).filter(|name| told.insert(name)).map(str::to_owned).collect();
    let few = words::few(&names, MOST_UNKNOWN);
    (!names.is_empty()).then(|| format!("not measured, and not to be taken for nothing: the loop of {few}"))
}

/// What engines did in their own process, by their names.
type InProcess<'a> = BTreeMap<&'a str, Vec<(&'a Cell, &'a Line)>>;

fn in_process(all: &[Cell]) -> InProcess<'_> {
    let mut found = InProcess::new();
    for cell in all.iter().filter(|cell| !cell.kind.is_own_cost) {
        for line in cell.contestants_and_yardstick().filter(|line| line.in_process) {
            found.entry(line.engine()).or_default().push((cell, line));
        }
    }
    found
}

fn too_dear(all: &InProcess, empty: &Line) -> Vec<String> {
    let told = |(cell, line): &(&Cell, &Line)| {
        let share = empty.time() / line.time();
        (share >= ONE_PER_CENT).then(|| {
            format!(
                "{} ({}) {}",
                words::name(cell, line),
                words::place(&cell.job, cell.size, cell.operation),
                percent(share)
            )
        })
    };
    all.get(empty.engine()).into_iter().flatten().filter_map(told).collect()
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::rows::Role;
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
        let line = rows::Line::new(engine, "none", Shape::Tuned);
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
        assert!(sentences(&summary::cells(&rows), &ByJob::of(&rows)).is_empty());
        rows.extend(measured("empty", "known", true, 1));
        let text = sentences(&summary::cells(&rows), &ByJob::of(&rows)).join("\n");
        let said = "not measured, and not to be taken for nothing: the loop of silent, mute";
        assert!(text.contains(said), "{text}");
        rows.extend(
            measured("empty", "silent", true, 1).into_iter().chain(measured("empty", "mute", true, 1)),
        );
        let text = sentences(&summary::cells(&rows), &ByJob::of(&rows)).join("\n");
        assert!(text.contains("below 1 %") && !text.contains("not measured"), "{text}");
    }
}

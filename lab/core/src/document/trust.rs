//! The circumstances of a run, and those that disturbed its figures.

use super::{Answer, conditions};
use crate::jobs;
use crate::rows::{self, FaultKind, Row, Unmeasured};
use crate::stats;
use crate::summary::{self, Cell, Line};
use crate::units;
use crate::words;
use std::collections::BTreeSet;
use std::time::Duration;

/// The title of a run, and a line about it.
pub fn title(rows: &[Row]) -> (String, String) {
    let Some(header) = rows::header(rows) else { return ("Sealmark lab".into(), String::new()) };
    let seconds = ends(rows).last().map(|end| format!("{} s", end.seconds));
    let machine = format!("{}, {} cores", header.machine.cpu, header.machine.cores);
    let parts = [Some(machine), jdks(rows), Some(header.started.clone()), seconds];
    let about: Vec<String> = parts.into_iter().flatten().collect();
    (format!("Sealmark lab: {}", header.plan), about.join(" · "))
}

fn ends(rows: &[Row]) -> impl DoubleEndedIterator<Item = &rows::End> {
    rows.iter().filter_map(|row| if let Row::End(end) = row { Some(end) } else { None })
}

fn jdks(rows: &[Row]) -> Option<String> {
    let jdks = rows::engines(rows).filter_map(|engine| engine.jdk.as_deref());
    let jdks: BTreeSet<(Vec<u64>, u64)> =
        jdks.map(|jdk| (crate::jdks::numbers(jdk), crate::jdks::major(jdk))).collect();
    Some(format!("JDK {}", words::few(jdks.into_iter().map(|(_, major)| major.to_string()), 6, ", ")?))
}

/// A sentence or two, with what follows for the answers.
pub fn sentences(rows: &[Row], cells: &[Cell], answers: &[Answer]) -> Vec<String> {
    let unfit = conditions::unfit(("This run", rows)).into_iter();
    let stolen = ends(rows).next_back().and_then(|end| end.stolen_permille);
    let stolen = stolen.filter(|permille| *permille > summary::BUSY_HOST);
    let held = rows::header(rows).and_then(|header| header.held_mib);
    let more = [
        disturbed(rows),
        stolen.map(|share| format!("The host took {} of the CPU time for others.", percent(share))),
        held.map(|mib| match mib {
            0 => "The machine gives free memory back to its host, which slows whatever takes memory; there was none left \
                  to counter it."
                .into(),
            mib => format!("The machine gives free memory back to its host: the lab held {mib} MiB to prevent that."),
        }),
        words::list("Missing, because their engines failed", missing(rows), ", "),
        words::list("Still warming up when its time was over", cells.iter().flat_map(unsteady), "; "),
        left_out(cells),
        words::list("Not measured, because the budget is too small", beyond_the_budget(rows), "; "),
        Some(told(rows, answers)),
    ];
    unfit.map(|sentence| sentence + ".").chain(more.into_iter().flatten()).collect()
}

fn percent(permille: u64) -> String {
    format!("{}.{} %", permille / 10, permille % 10)
}

/// Lines that were left out before the run began.
fn beyond_the_budget(rows: &[Row]) -> impl Iterator<Item = String> {
    rows.iter().filter_map(|row| match row {
        Row::Note(note) if note.is_of(Unmeasured::Lines) => {
            let lines = note.note.split(':').next()?;
            Some(format!("{} {}: {lines}", note.job, jobs::of(&note.job).amount(note.size)))
        }
        _ => None,
    })
}

/// Engines that failed as a whole: nothing is told of their lines, or by them.
fn missing(rows: &[Row]) -> BTreeSet<String> {
    let is_it = |fault: &&rows::Fault| {
        let is_planned = matches!(fault.kind, FaultKind::NotRun | FaultKind::Absent | FaultKind::Unsupported);
        fault.parameters.algorithm().is_none() && fault.size.is_none() && !is_planned
    };
    let told = |fault: &rows::Fault| format!("{} ({})", fault.engine, fault.kind.words());
    rows::faults(rows).filter(is_it).map(told).collect()
}

/// Blocks of lines that have steadier ones.
fn left_out(cells: &[Cell]) -> Option<String> {
    let lines = cells.iter().flat_map(|cell| &cell.lines).filter(|line| line.is_steady);
    let blocks: usize = lines.map(|line| line.unsteady_blocks).sum();
    let told =
        || format!("Left out: {} of processes that did not become steady.", words::count(blocks, "block"));
    (blocks > 0).then(told)
}

/// Lines whose figures are those of processes that were still warming up.
fn unsteady(cell: &Cell) -> impl Iterator<Item = String> {
    let amount = cell.kind.amount(cell.size);
    let told = move |line: &Line| format!("{}, {amount}, {}", words::name(cell, line), cell.operation);
    cell.contestants().filter(|line| !line.is_steady).map(told)
}

/// Other work, by the whole run and by its blocks.
fn disturbed(rows: &[Row]) -> Option<String> {
    let blocks = rows.iter().filter_map(|row| if let Row::Block(block) = row { Some(block) } else { None });
    let busy: Vec<bool> = blocks.map(summary::is_contended).collect();
    let (all, busy) = (busy.len(), busy.iter().filter(|is_busy| **is_busy).count());
    let were = if busy == 1 { "was" } else { "were" };
    let blocks = format!("{busy} of {all} blocks {were} disturbed");
    match (ends(rows).next_back().and_then(|end| end.others_permille), busy) {
        (Some(permille), _) if permille > summary::BUSY_OTHERS => Some(format!(
            "Other work took {} % of the CPU time and {blocks}: repeat the run on an idle machine.",
            permille / 10
        )),
        (Some(permille), 0) => {
            Some(format!("Other work took {} of the CPU time; no block was disturbed.", percent(permille)))
        }
        (Some(permille), _) => {
            Some(format!("Other work took {} of the CPU time; {blocks}.", percent(permille)))
        }
        (None, busy) => (busy > 0).then(|| blocks + "."),
    }
}

/// The questions without an answer are named: nothing should be chosen by them.
fn told(rows: &[Row], answers: &[Answer]) -> String {
    let open = answers.iter().filter(|answer| !answer.is_told);
    let open: Vec<String> = open.map(|answer| answer.about.clone() + &more(rows, answer)).collect();
    match (answers.len(), open.len()) {
        (0, _) => "Nothing was measured that could be judged.".into(),
        (1, 0) => "The question has an answer.".into(),
        (all, 0) => format!("All {all} questions have an answer."),
        (all, many) => {
            let open = words::few(open, 6, "; ").unwrap_or_default();
            format!("{many} of {all} questions cannot be told from this run: {open}.")
        }
    }
}

/// " (about 2 min more)": what the blocks might take that its answer needs, if they are like those that were.
fn more(rows: &[Row], answer: &Answer) -> String {
    let about = (answer.job.as_str(), answer.size);
    let blocks = rows.iter().filter_map(|row| match row {
        Row::Block(block) if (block.job.as_str(), block.size) == about => Some(block.milliseconds as f64),
        _ => None,
    });
    let blocks: Vec<f64> = blocks.collect();
    let (Some(doubt), Some(block)) = (&answer.doubt, stats::median(&blocks)) else { return String::new() };
    match (doubt.blocks - blocks.len() as f64).max(1.0) * block / 1e3 {
        LONGEST_SECONDS.. => " (an hour more would not do)".into(),
        seconds => format!(" (about {} more)", units::duration(Duration::from_secs_f64(seconds.max(1.0)))),
    }
}

/// Nobody waits longer for one question.
const LONGEST_SECONDS: f64 = 3_600.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::summary::made;

    #[test]
    fn a_machine_with_other_work_is_warned_of() {
        let told = |others_permille| {
            let header = Row::Header(made::header(Machine::default()));
            let end = Row::End(rows::End { seconds: 9, stolen_permille: None, others_permille });
            sentences(&[header, end], &[], &[]).remove(0)
        };
        let warning = "Other work took 40 % of the CPU time and 0 of 0 blocks were disturbed: repeat the run on an idle \
                       machine.";
        assert_eq!(told(Some(407)), warning);
        assert_eq!(told(Some(50)), "Other work took 5.0 % of the CPU time; no block was disturbed.");
        assert_eq!(told(None), "Nothing was measured that could be judged.");
    }

    #[test]
    fn a_run_that_ended_early_or_was_not_optimised_says_so() {
        let header = made::header(Machine::default());
        let slow = Row::Header(rows::Header { build: "debug".into(), ..header });
        let told = sentences(&[slow], &[], &[]);
        assert_eq!(told[0], "This run was measured without optimisation: its figures mean nothing.");
        assert!(told[1].contains("interrupted: what it had measured until then is here"), "{told:?}");
    }
}

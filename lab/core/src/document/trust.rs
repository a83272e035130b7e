//! The circumstances of a run, those that disturbed its figures, and lines to keep away from.

use super::answers::capital;
use super::contest::alone;
use super::{Answer, Run, Sentence, conditions, id, id_of_cell, sizes};
use crate::jdks::major;
use crate::jobs;
use crate::rows::{self, FaultKind, Row, Unmeasured};
use crate::stats;
use crate::summary::growths::Grown;
use crate::summary::warmth::Cliff;
use crate::summary::{self, Cell, Here, Line};
use crate::units;
use crate::words;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::time::Duration;

/// The title of a run, and a line about it.
pub fn title(rows: &[Row]) -> (String, String) {
    let Some(header) = rows::header(rows) else { return ("Sealmark lab".into(), String::new()) };
    let seconds = end(rows).map(|end| format!("{} s", end.seconds));
    let machine = format!("{}, {} cores", header.machine.cpu, header.machine.cores);
    let jdks = rows::engines(rows).filter_map(|engine| Some(major(engine.jdk.as_deref()?)));
    let jdks = jdks.collect::<BTreeSet<_>>().into_iter().map(|jdk| jdk.to_string());
    let jdks = words::few(jdks, 6, ", ").map(|jdks| format!("JDK {jdks}"));
    let parts = [Some(machine), jdks, Some(header.started.clone()), seconds];
    let about: Vec<String> = parts.into_iter().flatten().collect();
    (format!("Sealmark lab: {}", header.plan), about.join(" · "))
}

fn end(rows: &[Row]) -> Option<&rows::End> {
    rows.iter().rev().find_map(|row| if let Row::End(end) = row { Some(end) } else { None })
}

/// A sentence or two, with what follows for the answers.
pub fn sentences(rows: &[Row], cells: &[Cell], answers: &[Answer]) -> Vec<String> {
    let unfit = conditions::unfit(("This run", rows)).into_iter();
    let stolen = end(rows).and_then(|end| end.stolen_permille).filter(|share| *share > summary::BUSY_HOST);
    let held = rows::header(rows).and_then(|header| header.held_mib);
    let is_unsteady = |(_, line): &Here| !line.is_steady;
    let lines = cells.iter().flat_map(|cell| cell.contestants().map(move |line| (cell, line)));
    let unsteady = lines.filter(is_unsteady).map(words::here);
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
        words::list("Still warming up when its time was over", unsteady, "; "),
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
    let notes = rows.iter().filter_map(|row| if let Row::Note(note) = row { Some(note) } else { None });
    notes.filter(|note| note.unmeasured == Some(Unmeasured::Lines)).map(|note| {
        let lines = note.note.split(':').next().unwrap_or_default();
        format!("{} {}: {lines}", note.job, jobs::of(&note.job).amount(note.size))
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
    let many = words::count(blocks, "block");
    (blocks > 0).then(|| format!("Left out: {many} of processes that did not become steady."))
}

/// Other work, by the whole run and by its blocks.
fn disturbed(rows: &[Row]) -> Option<String> {
    let blocks = rows.iter().filter_map(|row| if let Row::Block(block) = row { Some(block) } else { None });
    let busy: Vec<bool> = blocks.map(summary::is_contended).collect();
    let (all, busy) = (busy.len(), busy.iter().filter(|is_busy| **is_busy).count());
    let were = if busy == 1 { "was" } else { "were" };
    let blocks = format!("{busy} of {all} blocks {were} disturbed");
    let Some(share) = end(rows).and_then(|end| end.others_permille) else {
        return (busy > 0).then(|| blocks + ".");
    };
    Some(match busy {
        _ if share > summary::BUSY_OTHERS => {
            format!(
                "Other work took {} % of the CPU time and {blocks}: repeat the run on an idle machine.",
                share / 10
            )
        }
        0 => format!("Other work took {} of the CPU time; no block was disturbed.", percent(share)),
        _ => format!("Other work took {} of the CPU time; {blocks}.", percent(share)),
    })
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

/// Lines to keep away from, however fast they are: the gravest first.
pub fn warnings(run: &Run) -> Vec<Sentence> {
    let all = wrong(run.rows).into_iter().chain(releasing(&run.cells));
    all.chain(growing(&run.grown)).chain(slow_to_start(&run.cells)).collect()
}

/// Lines that were seen to err, by job.
fn wrong(rows: &[Row]) -> Vec<Sentence> {
    let mut jobs: IndexMap<&str, BTreeSet<String>> = IndexMap::new();
    let is_it = |kind| matches!(kind, FaultKind::WrongOutput | FaultKind::NotRefused | FaultKind::Refused);
    for fault in rows::faults(rows).filter(|fault| is_it(fault.kind)) {
        let algorithm = fault.parameters.algorithm().filter(|algorithm| *algorithm != "none");
        let parts = [Some(&*fault.engine), algorithm, Some(fault.kind.words())].into_iter().flatten();
        jobs.entry(&fault.job).or_default().insert(parts.collect::<Vec<_>>().join(" "));
    }
    let warning = |(job, told): (&str, BTreeSet<String>)| {
        let told = words::list(&format!("{}, not to be trusted", capital(job)), told, ", ")?;
        Some(Sentence::proved(told, id("job", job)))
    };
    jobs.into_iter().filter_map(warning).collect()
}

/// Lines that hand out what nobody has authenticated yet, at the largest size of each job.
fn releasing(cells: &[Cell]) -> Vec<Sentence> {
    let told = |cell: &Cell| {
        let early = |line: &&Line| line.released_bytes.is_some_and(|bytes| bytes > 0);
        let early = cell.contestants_or_cold().filter(early).map(|line| alone(&line.line));
        let told = words::list("Plaintext before its tag is checked", early.collect::<BTreeSet<_>>(), "; ")?;
        Some(Sentence::proved(told, id_of_cell(cell.place())))
    };
    cells.chunk_by(|a, b| a.job == b.job).filter_map(|job| job.iter().rev().find_map(told)).collect()
}

/// The lines of each job that grow faster than their input.
fn growing(all: &[Grown]) -> Vec<Sentence> {
    let told = |all: &[Grown]| {
        let steep = all.iter().filter(|it| sizes::is_telling(it) && sizes::is_steep(it));
        let names: BTreeSet<String> = steep.map(|it| alone(&it.line)).collect();
        let what = format!("{} that grows faster than its input", capital(&all[0].job));
        Some(Sentence::proved(words::list(&what, names, "; ")?, id("sizes", &all[0].job)))
    };
    all.chunk_by(|a, b| a.job == b.job).filter_map(told).collect()
}

/// Lines that a short-lived process should not use, the steepest first, in one sentence.
fn slow_to_start(cells: &[Cell]) -> Option<Sentence> {
    let told = |cell| move |line: &'_ Line| Some((cell, line.line.clone(), line.late_cliff()?));
    let of_cell = |cell| Cell::contestants(cell).filter_map(told(cell));
    // Nobody chooses by what the loop of a measurement itself takes.
    let of_jobs = cells.iter().filter(|cell| !cell.kind.is_own_cost);
    let mut cliffs: Vec<(&Cell, rows::Line, Cliff)> = of_jobs.flat_map(of_cell).collect();
    cliffs.sort_by(|a, b| b.2.factor().total_cmp(&a.2.factor()));
    let mut seen = BTreeSet::new();
    cliffs.retain(|(_, line, _)| seen.insert(line.clone()));
    let (first, ..) = cliffs.first()?;
    let told = |(_, line, cliff): &(&Cell, rows::Line, Cliff)| {
        let factor = words::factor(cliff.factor());
        format!("{}, {factor} × slower for {} operations", alone(line), cliff.after)
    };
    let told = words::list("In processes that end soon", cliffs.iter().map(told), "; ")?;
    Some(Sentence::proved(told, id_of_cell(first.place())))
}

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

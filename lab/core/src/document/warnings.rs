//! Lines to keep away from, however fast they are.

use super::answers::capital;
use super::contest::alone;
use super::{Run, Sentence, id, id_of_cell, sizes};
use crate::rows::{self, FaultKind, Row};
use crate::summary::growths::Grown;
use crate::summary::warmth::Cliff;
use crate::summary::{Cell, Line};
use crate::words;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The gravest first.
pub fn all(run: &Run) -> Vec<Sentence> {
    let all = wrong(run.rows).into_iter().chain(releasing(&run.cells));
    all.chain(growing(&run.grown)).chain(slow_to_start(&run.cells)).collect()
}

/// Lines that were seen to err, by job.
fn wrong(rows: &[Row]) -> Vec<Sentence> {
    let mut jobs: IndexMap<&str, BTreeSet<String>> = IndexMap::new();
    for fault in rows::faults(rows) {
        if matches!(fault.kind, FaultKind::WrongOutput | FaultKind::NotRefused | FaultKind::Refused) {
            let parts = [Some(fault.engine.as_str()), fault.parameters.algorithm(), Some(fault.kind.words())];
            let told =
                parts.into_iter().flatten().filter(|part| *part != "none").collect::<Vec<_>>().join(" ");
            jobs.entry(&fault.job).or_default().insert(told);
        }
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
    let mut cliffs: Vec<(&Cell, rows::Line, Cliff)> = cells.iter().flat_map(of_cell).collect();
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

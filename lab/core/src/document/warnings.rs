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
        let told = format!("{}, not to be trusted: {}.", capital(job), words::few(told, 3, ", ")?);
        Some(Sentence::proved(told, id("job", job)))
    };
    jobs.into_iter().filter_map(warning).collect()
}

/// Lines that hand out what nobody has authenticated yet, at the largest size of each job.
fn releasing(cells: &[Cell]) -> Vec<Sentence> {
    let told = |cell: &Cell| {
        let early = |line: &&Line| line.released_bytes.is_some_and(|bytes| bytes > 0);
        let early = cell.contestants_or_cold().filter(early).map(|line| alone(&line.line, true));
        let names = words::few(early.collect::<BTreeSet<_>>(), 3, "; ")?;
        let told = format!("Plaintext before its tag is checked: {names}.");
        Some(Sentence::proved(told, id_of_cell(&cell.job, cell.size, cell.operation)))
    };
    let jobs = cells.chunk_by(|a, b| a.job == b.job);
    jobs.filter_map(|job| job.iter().rev().find_map(told)).collect()
}

/// The lines of each job that grow faster than their input.
fn growing(all: &[Grown]) -> Vec<Sentence> {
    let jobs = all.chunk_by(|a, b| a.job == b.job).filter_map(|all| {
        let steep = all.iter().filter(|it| sizes::is_telling(it) && sizes::is_steep(it));
        let names = steep.map(|it| alone(&it.line, true)).collect::<BTreeSet<_>>();
        let (job, names) = (&all[0].job, words::few(names, 3, "; ")?);
        let told = format!("{} that grows faster than its input: {names}.", capital(job));
        Some(Sentence::proved(told, id("sizes", job)))
    });
    jobs.collect()
}

/// So many are told, the steepest first.
const MOST: usize = 3;

/// Lines that a short-lived process should not use, in one sentence.
fn slow_to_start(cells: &[Cell]) -> Option<Sentence> {
    let of_cell = |cell| {
        let told = |line: &'_ Line| Some((cell, line.line.clone(), line.late_cliff()?));
        Cell::contestants(cell).filter_map(told).collect::<Vec<_>>()
    };
    let mut cliffs: Vec<(&Cell, rows::Line, Cliff)> = cells.iter().flat_map(of_cell).collect();
    cliffs.sort_by(|a, b| b.2.factor().total_cmp(&a.2.factor()));
    let mut seen = BTreeSet::new();
    cliffs.retain(|(_, line, _)| seen.insert(line.clone()));
    let (first, ..) = cliffs.first()?;
    let told = |(_, line, cliff): &(&Cell, rows::Line, Cliff)| {
        let factor = words::factor(cliff.factor());
        format!("{}, {factor} × slower for {} operations", alone(line, true), cliff.after)
    };
    let told = format!("In processes that end soon: {}.", words::few(cliffs.iter().map(told), MOST, "; ")?);
    Some(Sentence::proved(told, id_of_cell(&first.job, first.size, first.operation)))
}

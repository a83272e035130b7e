//! Lines to keep away from, however fast they are.

use super::answers::capital;
use super::contest::alone;
use super::{Sentence, sizes};
use crate::report::Run;
use crate::report::said::Proof;
use crate::report::warmth::{Cliff, Warmth};
use crate::rows::{FaultKind, Row};
use crate::summary::Cell;
use crate::summary::growths::Grown;
use crate::words;
use std::collections::BTreeSet;

/// The gravest first.
pub fn all(run: &Run) -> Vec<Sentence> {
    let all = wrong(run.rows).into_iter().chain(releasing(&run.cells));
    all.chain(growing(&run.grown)).chain(slow_to_start(&run.warmth)).collect()
}

/// Lines that were seen to err, by job.
fn wrong(rows: &[Row]) -> Vec<Sentence> {
    let mut jobs: Vec<(&str, BTreeSet<String>)> = Vec::new();
    for row in rows {
        let Row::Fault(fault) = row else { continue };
        if !matches!(fault.kind, FaultKind::WrongOutput | FaultKind::NotRefused | FaultKind::Refused) {
            continue;
        }
        let parts = [Some(fault.engine.as_str()), fault.algorithm(), Some(fault.kind.words())];
        let told = parts.into_iter().flatten().filter(|part| *part != "none").collect::<Vec<_>>().join(" ");
        match jobs.iter_mut().find(|(job, _)| *job == fault.job) {
            Some((_, known)) => drop(known.insert(told)),
            None => jobs.push((&fault.job, BTreeSet::from([told]))),
        }
    }
    let warning = |(job, told): (&str, BTreeSet<String>)| {
        let told: Vec<String> = told.into_iter().collect();
        let told = format!("{}, not to be trusted: {}.", capital(job), words::few(&told, 3));
        Sentence::proved(told, job, Proof::Job)
    };
    jobs.into_iter().map(warning).collect()
}

/// Lines that hand out what nobody has authenticated yet, at the largest size of each job.
fn releasing(cells: &[Cell]) -> Vec<Sentence> {
    let told = |cell: &Cell| {
        let early =
            cell.contestants_or_cold().filter(|line| line.released_bytes.is_some_and(|bytes| bytes > 0));
        let names: BTreeSet<String> = early.map(|line| alone(&line.line, true)).collect();
        let names: Vec<String> = names.into_iter().collect();
        let told = format!("Plaintext before its tag is checked: {}.", words::few_by(&names, 3, "; "));
        let at = Proof::Cell(cell.size, cell.operation);
        (!names.is_empty()).then(|| Sentence::proved(told, &cell.job, at))
    };
    let jobs = cells.chunk_by(|a, b| a.job == b.job);
    jobs.filter_map(|job| job.iter().rev().find_map(told)).collect()
}

/// The lines of each job that grow faster than their input.
fn growing(all: &[Grown]) -> Vec<Sentence> {
    let jobs = all.chunk_by(|a, b| a.job == b.job).filter_map(|all| {
        let steep = all.iter().filter(|it| sizes::is_telling(it) && sizes::is_steep(it));
        let names: BTreeSet<String> = steep.map(|it| alone(&it.line, true)).collect();
        let names: Vec<String> = names.into_iter().collect();
        let (job, names_told) = (&all[0].job, words::few_by(&names, 3, "; "));
        let told = format!("{} that grows faster than its input: {names_told}.", capital(job));
        (!names.is_empty()).then(|| Sentence::proved(told, job, Proof::Growth))
    });
    jobs.collect()
}

/// So many are told, the steepest first.
const MOST: usize = 3;

/// Lines that a short-lived process should not use, in one sentence.
fn slow_to_start(all: &[Warmth]) -> Option<Sentence> {
    let mut cliffs: Vec<(&Warmth, Cliff)> =
        all.iter().filter_map(|warmth| Some((warmth, warmth.told_cliff()?))).collect();
    cliffs.sort_by(|a, b| b.1.factor().total_cmp(&a.1.factor()));
    let mut seen = BTreeSet::new();
    cliffs.retain(|(warmth, _)| seen.insert(&warmth.line));
    let (first, _) = cliffs.first()?;
    let told = |(warmth, cliff): &(&Warmth, Cliff)| {
        let factor = words::factor(cliff.factor());
        format!("{}, {factor} × slower for {} operations", alone(&warmth.line, true), cliff.after)
    };
    let told: Vec<String> = cliffs.iter().map(told).collect();
    let told = format!("In processes that end soon: {}.", words::few_by(&told, MOST, "; "));
    Some(Sentence::proved(told, &first.job, Proof::Warmth(first.size, first.operation)))
}

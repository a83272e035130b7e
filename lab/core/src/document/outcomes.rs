//! Lists what a job did not measure, or not as planned, and why; its tables have what it measured.

use super::{Section, id};
use crate::jobs;
use crate::rows::{self, Fault, FaultKind, Row};
use crate::words;
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeMap;

/// Faults by their causes, and notes.
type Told<'a> = (IndexMap<Cause, Vec<&'a Fault>>, IndexSet<String>);

/// A section for each job of which there is something to tell, in the order of the run. One library without six ciphers is one
/// fact: faults of one cause are one sentence.
pub fn sections(rows: &[Row]) -> IndexMap<&str, Section> {
    let families = rows::engines(rows).map(|engine| (&*engine.engine, &*engine.family));
    let families: BTreeMap<&str, &str> = families.collect();
    let mut jobs: IndexMap<&str, Told> = IndexMap::new();
    for row in rows {
        match row {
            Row::Fault(fault) => {
                let (causes, _) = jobs.entry(&fault.job).or_default();
                causes.entry(Cause::of(fault, &families)).or_default().push(fault);
            }
            Row::Note(note) => {
                let amount = jobs::of(&note.job).amount(note.size);
                let told = format!("{}, {amount}: {}", note.job, note.words());
                jobs.entry(&note.job).or_default().1.insert(told);
            }
            _ => {}
        }
    }
    jobs.into_iter().map(|(job, told)| (job, section(job, told))).collect()
}

fn section(job: &str, (causes, notes): Told) -> Section {
    let reasons = causes.iter().map(|(cause, faults)| cause.in_words(faults)).chain(notes);
    let title = format!("{}: what was not measured", if job.is_empty() { "without a name" } else { job });
    Section::list(id("outcomes", job), title, reasons)
}

/// Faults with the same one are one sentence.
#[derive(PartialEq, Eq, Hash)]
struct Cause {
    family: String,
    kind: &'static str,
    why: String,
}

impl Cause {
    fn of(fault: &Fault, families: &BTreeMap<&str, &str>) -> Self {
        let family = families.get(&*fault.engine).copied().unwrap_or(unversioned(&fault.engine));
        // "no cipher X" and "no cipher Y" are one cause: X and Y are named beside it.
        let named = fault.parameters.algorithm().filter(|name| *name != "none").unwrap_or_default();
        let mut why = fault.why.clone();
        if fault.kind == FaultKind::Unsupported && !named.is_empty() {
            why = why.replace(&format!("\"{named}\""), "these").replace(named, "these");
        }
        Self { family: family.to_owned(), kind: fault.kind.words(), why }
    }

    /// "SunJCE 17.0.15 and 25.0.3, DES, RC2, 49 bytes: unsupported: no cipher "DES" (the others likewise)".
    fn in_words(&self, faults: &[&Fault]) -> String {
        let job = jobs::of(&faults[0].job);
        let each = |of: &dyn Fn(&Fault) -> Option<String>| -> IndexSet<String> {
            let all = faults.iter().filter_map(|fault| of(fault));
            all.filter(|name| !name.is_empty() && name != "none").collect()
        };
        let few = |names| words::few(names, MOST_NAMED, ", ");
        let version =
            |it: &Fault| Some(it.engine.strip_prefix(&self.family).unwrap_or(&it.engine).trim().to_owned());
        let versions = words::few(each(&version), MOST_NAMED, " and ");
        let versions = versions.map(|versions| format!(" {versions}")).unwrap_or_default();
        let algorithms = each(&|it| it.parameters.algorithm().map(str::to_owned));
        let hows = each(&|it| it.parameters.how().map(str::to_owned));
        // The parts of a TLS connection have long names, and many of them.
        let most = if algorithms.first().is_some_and(|name| name.contains(' ')) { 2 } else { MOST_NAMED };
        let are_told = job.tells_how || hows.len() == 1;
        let parts = [
            Some(format!("{}{versions}", self.family)),
            words::few(algorithms, most, ", "),
            few(hows).filter(|_| are_told),
            few(each(&|it| it.size.map(|size| job.amount(size)))),
            few(each(&|it| it.operation.map(|operation| operation.to_string()))),
        ];
        let (parts, why) = (parts.into_iter().flatten().collect::<Vec<_>>().join(", "), &faults[0].why);
        // A reason without its name would be no sentence.
        let others = if faults.iter().any(|it| it.why != *why) { " (the others likewise)" } else { "" };
        format!("{parts}: {}: {why}{others}", self.kind)
    }
}

/// The number of names of each kind that a sentence tells; a sentence is for people, and the rows have all.
const MOST_NAMED: usize = 24;

/// An engine that never answered has no family but in its name: "sun.misc 25.0.3" is of "sun.misc".
fn unversioned(engine: &str) -> &str {
    match engine.rsplit_once(' ') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ => engine,
    }
}

#[cfg(test)]
mod tests;

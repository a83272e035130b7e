//! Lists what a job did not measure, or not as planned, and why; its tables have what it measured.

use super::evidence::Section;
use crate::report::Run;
use crate::report::said::Proof;
use crate::report::troubles;
use crate::words;

/// More reasons or notes than any plan has are those of a run in which everything failed: the rows have them all.
const MOST_REASONS: usize = 100;
const MOST_NOTES: usize = 50;

/// Nothing where all went well.
pub fn section(run: &Run, job: &str) -> Option<Section> {
    let rows = run.by_job.get(job);
    let mut remarks = words::at_most(troubles::sentences(&rows.faults, &run.by_job.families), MOST_REASONS);
    remarks.extend(words::at_most(troubles::notes(rows.notes.iter().copied()), MOST_NOTES));
    let job = if job.is_empty() { "without a name" } else { job };
    (!remarks.is_empty()).then(|| Section {
        at: Proof::Outcomes,
        title: format!("{job}: what was not measured"),
        reading: "",
        tables: Vec::new(),
        remarks,
    })
}

#[cfg(test)]
mod tests;

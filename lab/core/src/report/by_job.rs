//! The rows of a results file by the job they tell of, looked through once: a file may have many of both.

use super::troubles::{self, Families};
use crate::rows::{Fault, Note, Row};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct ByJob<'a> {
    jobs: BTreeMap<&'a str, OfJob<'a>>,
    /// Jobs that a fault or a note tells of, in the order of the run: there may be no figure of them.
    pub told: Vec<&'a str>,
    pub families: Families<'a>,
}

/// Faults and notes of one job, in the order of the run.
#[derive(Default)]
pub struct OfJob<'a> {
    pub faults: Vec<&'a Fault>,
    pub notes: Vec<&'a Note>,
}

/// Of a job that no row tells of.
static NOTHING: OfJob = OfJob { faults: Vec::new(), notes: Vec::new() };

impl<'a> ByJob<'a> {
    pub fn of(rows: &'a [Row]) -> Self {
        let mut all = Self { families: troubles::families(rows), ..Self::default() };
        for row in rows {
            match row {
                Row::Fault(row) => all.told(&row.job).faults.push(row),
                Row::Note(row) => all.told(&row.job).notes.push(row),
                _ => {}
            }
        }
        all
    }

    fn told(&mut self, name: &'a str) -> &mut OfJob<'a> {
        let job = self.jobs.entry(name).or_default();
        if job.faults.is_empty() && job.notes.is_empty() {
            self.told.push(name);
        }
        job
    }

    pub fn get(&self, name: &str) -> &OfJob<'a> {
        self.jobs.get(name).unwrap_or(&NOTHING)
    }
}

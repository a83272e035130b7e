//! Tells which faults of a run still hold: an engine that was absent when the run was interrupted may have been measured
//! since, and a size that was not begun may have been finished.

use crate::faults::About;
use crate::protocol::Operation;
use crate::rows::{Fault, Line, Note, Row, Unmeasured};
use std::collections::{BTreeMap, BTreeSet};

/// A fault or a note.
pub enum Told<'a> {
    Fault(&'a Fault),
    Note(&'a Note),
}

/// In the order of the run.
pub fn told(rows: &[Row]) -> Vec<Told<'_>> {
    let since = Since::of(rows);
    let (mut told, mut sitting) = (Vec::new(), 0);
    for row in rows {
        match row {
            Row::Resumed(_) => sitting += 1,
            Row::Fault(fault) if !since.has_measured(fault, sitting) => told.push(Told::Fault(fault)),
            Row::Note(note) if !since.has_finished(note) => told.push(Told::Note(note)),
            _ => {}
        }
    }
    told
}

/// What a run has done; nothing where it was never interrupted.
#[derive(Default)]
struct Since<'a> {
    /// In which sitting it was measured last.
    measured: BTreeMap<About<'a>, usize>,
    finished: BTreeSet<(&'a str, u64)>,
}

impl<'a> Since<'a> {
    fn of(rows: &'a [Row]) -> Self {
        if !rows.iter().any(|row| matches!(row, Row::Resumed(_))) {
            return Self::default();
        }
        let mut since = Self::default();
        for ((job, size, operation, line), sitting) in latest(rows) {
            for about in About::line(job, size, operation, line).broader() {
                let known = since.measured.entry(about).or_default();
                *known = sitting.max(*known);
            }
        }
        let finished =
            rows.iter().filter_map(|row| if let Row::Finished(row) = row { Some(row) } else { None });
        since.finished = finished.map(|row| (row.job.as_str(), row.size)).collect();
        since
    }

    fn has_measured(&self, fault: &Fault, sitting: usize) -> bool {
        self.measured.get(&About::fault(fault)).is_some_and(|latest| *latest > sitting)
    }

    fn has_finished(&self, note: &Note) -> bool {
        note.is_of(Unmeasured::Size) && self.finished.contains(&(note.job.as_str(), note.size))
    }
}

type Place<'a> = (&'a str, u64, Operation, &'a Line);

/// The sitting in which each line was measured last.
fn latest(rows: &[Row]) -> BTreeMap<Place<'_>, usize> {
    let (mut latest, mut sitting) = (BTreeMap::new(), 0);
    for row in rows {
        match row {
            Row::Resumed(_) => sitting += 1,
            Row::Sample(row) => {
                latest.insert((row.job.as_str(), row.size, row.operation, &row.line), sitting);
            }
            _ => {}
        }
    }
    latest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::protocol::Shape;
    use crate::rows::{FaultKind, Finished, Resumed};
    use crate::summary::made::Made;

    fn fault(engine: &str, size: Option<u64>, operation: Option<Operation>) -> Row {
        Row::Fault(Fault {
            job: "cipher".into(),
            size,
            engine: engine.into(),
            parameters: Default::default(),
            operation,
            kind: FaultKind::Absent,
            why: "no such program".into(),
        })
    }

    fn resumed() -> Row {
        let machine = Machine::default();
        Row::Resumed(Resumed { command: "measure --resume".into(), started: String::new(), machine })
    }

    fn note(note: &str, unmeasured: Option<Unmeasured>) -> Row {
        Row::Note(Note { unmeasured, ..Note::new("cipher", 64, note.into()) })
    }

    fn measured() -> Vec<Row> {
        let mut made = Made::default();
        made.timed("cipher", 64, ("copy", "none", Shape::Tuned), Operation::Seal, 1_000);
        made.rows
    }

    fn is_overcome(rows: &[Vec<Row>]) -> bool {
        let rows = rows.concat();
        assert!(rows.iter().any(|row| matches!(row, Row::Fault(_))));
        told(&rows).is_empty()
    }

    #[test]
    fn a_fault_is_overcome_by_what_was_measured_when_the_run_had_been_taken_up_again() {
        let (seal, open) = (Some(Operation::Seal), Some(Operation::Open));
        for (size, operation, expected) in
            [(None, None, true), (Some(64), seal, true), (Some(65), None, false), (None, open, false)]
        {
            let fault = vec![fault("copy", size, operation)];
            assert_eq!(is_overcome(&[fault.clone(), vec![resumed()], measured()]), expected);
            let again = [fault.clone(), vec![resumed()], measured(), vec![resumed()]];
            assert_eq!(is_overcome(&again), expected, "and the run was taken up once more");
            for holds in [[fault.clone(), measured(), vec![resumed()]], [vec![resumed()], fault, measured()]]
            {
                assert!(!is_overcome(&holds));
            }
        }
        assert!(!is_overcome(&[vec![fault("other", None, None), resumed()], measured()]));
    }

    #[test]
    fn what_was_not_begun_is_no_longer_told_when_it_is_finished() {
        let finished = Row::Finished(Finished { job: "cipher".into(), size: 64, blocks: 8 });
        let left_out = note("the budget was spent before", Some(Unmeasured::Size));
        let short = note("2 of 8 blocks", None);
        let told = |rows: &[Row]| told(rows).len();
        assert_eq!(told(&[left_out.clone(), resumed(), short.clone(), finished.clone()]), 1);
        assert_eq!(told(&[left_out.clone(), resumed(), short]), 2);
        let other = Row::Finished(Finished { job: "cipher".into(), size: 65, blocks: 8 });
        assert_eq!(told(&[left_out, resumed(), other]), 1);
    }
}

//! Two runs line by line: what a line's ratio was, what it is now, and whether that is a change.
//!
//! Runs are compared by ratios and never by times: a machine that was slower today was slower for both lines of a ratio.
//! So a line is compared with another that both runs have, and [`between_runs`] says how much that ratio changed.

use crate::rows;
use crate::stats::between_runs;
use crate::stats::verdict::{Terms, Verdict, verdict};
use crate::summary::{Cell, Here, Line, Place, Ratio};
use crate::words;
use std::collections::BTreeMap;

/// The line to compare with first; the other one if that is not the same line in both runs, or is the line itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    Reference,
    Yardstick,
}

/// A line that both runs have.
pub struct Change<'a> {
    /// In the new run.
    pub of: Here<'a>,
    /// The line whose time divides theirs, in both runs the same.
    pub against: &'a Line,
    pub base: Ratio,
    pub new: Ratio,
    /// The new ratio over that of the base.
    pub change: Ratio,
}

/// Why a line has no change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    OnlyInBase,
    OnlyInNew,
    /// Both runs have it, but the new one lacks the line that the base compares it with.
    Lost,
    /// Both runs have it, and even the base compares it with nothing: there is no reference and no yardstick, or it waited.
    Alone,
}

/// The cells of two runs compared.
#[derive(Default)]
pub struct Changes<'a> {
    /// In the order of the new run.
    pub of: Vec<Change<'a>>,
    pub lacks: Vec<(Lack, Here<'a>)>,
}

impl<'a> Changes<'a> {
    /// Changes of every line of two runs. Lines that run a second time show noise, and the empty job shows the lab's own cost:
    /// neither is anything that engines did.
    pub fn between(base: &'a [Cell], new: &'a [Cell], first: Against) -> Self {
        let mut changes = Self::default();
        let (before, after) = (by_place(base), by_place(new));
        for here in lines(new) {
            match find(&before, here) {
                None => changes.lacks.push((Lack::OnlyInNew, here)),
                Some(base) => changes.add(base, here, first),
            }
        }
        let gone = lines(base).filter(|here| find(&after, *here).is_none());
        changes.lacks.extend(gone.map(|here| (Lack::OnlyInBase, here)));
        changes
    }

    pub fn lacking(&self, lack: Lack) -> impl Iterator<Item = Here<'a>> {
        self.lacks.iter().filter(move |(known, _)| *known == lack).map(|(_, here)| *here)
    }

    fn add(&mut self, base: Here<'a>, of: Here<'a>, first: Against) {
        let candidates = opponents(base, first);
        let change = |against: &&'a Line| {
            let (base, new) = (compared(base, against)?, compared(of, against)?);
            Some(Change { of, against, base, new, change: change(&base, &new) })
        };
        match candidates.iter().find_map(change) {
            Some(change) => self.of.push(change),
            None if !candidates.is_empty() => self.lacks.push((Lack::Lost, of)),
            None if base.0.reference_of(base.1).is_none() => self.lacks.push((Lack::Alone, of)),
            // It is itself what the others are compared with.
            None => {}
        }
    }
}

fn lines(cells: &[Cell]) -> impl Iterator<Item = Here<'_>> {
    let cells = cells.iter().filter(|cell| !cell.kind.is_own_cost);
    cells.flat_map(|cell| cell.contestants_and_yardstick().map(move |line| (cell, line)))
}

/// Job, size and operation of each cell.
type ByPlace<'a> = BTreeMap<Place<'a>, &'a Cell>;

fn by_place(cells: &[Cell]) -> ByPlace<'_> {
    cells.iter().map(|cell| (cell.place(), cell)).collect()
}

/// A line in the other run.
fn find<'a>(cells: &ByPlace<'a>, (cell, line): Here) -> Option<Here<'a>> {
    let cell = *cells.get(&cell.place())?;
    Some((cell, cell.line(&line.line)?))
}

/// Reference and yardstick of a cell, as far as they are another line than this one.
fn opponents<'a>((cell, line): Here<'a>, first: Against) -> Vec<&'a Line> {
    let (reference, yardstick) = (cell.reference_of(line), cell.yardstick_of(line));
    let order = if first == Against::Reference { [reference, yardstick] } else { [yardstick, reference] };
    order.into_iter().flatten().filter(|other| other.line != line.line).collect()
}

/// A line over another in one run; none if the run lacks the other line, or a block with both. A gate judges every line, each
/// of which may be wrong by chance: what few blocks show is not enough.
fn compared((cell, line): Here, other: &Line) -> Option<Ratio> {
    cell.compare_many(line, cell.line(&other.line)?)
}

/// Without an interval in both runs there is only the range that both ranges leave.
fn change(base: &Ratio, new: &Ratio) -> Ratio {
    let interval = base.interval.zip(new.interval);
    let interval = interval.map(|(base, new)| between_runs::change(&base, &new));
    let floors = base.noise_floor.zip(new.noise_floor);
    let noise_floor = floors.map(|(base, new)| between_runs::noise_floor(base, new));
    let of_minima = new.of_minima / base.of_minima;
    let verdict = verdict(interval.as_ref(), of_minima, Terms { noise_floor, ..Terms::default() });
    Ratio {
        median: new.median / base.median,
        low: interval.map_or(new.low / base.high, |interval| interval.low),
        high: interval.map_or(new.high / base.low, |interval| interval.high),
        blocks: base.blocks.min(new.blocks),
        interval,
        of_minima,
        noise_floor,
        verdict,
        // Two runs are compared once.
        sure: verdict,
        sure_ends: None,
    }
}

impl Change<'_> {
    /// Faster than the other line in one run, and slower than it in the other.
    pub fn is_contradiction(&self) -> bool {
        let verdicts = [self.base.verdict, self.new.verdict];
        verdicts.contains(&Verdict::Faster) && verdicts.contains(&Verdict::Slower)
    }

    /// "copy": the line that it is compared with.
    pub fn other(&self) -> String {
        words::name(self.of.0, self.against)
    }
}

/// Why a run with these faults may have no figure for a line: the last one that says so. A fault holds for all that it does
/// not name.
pub fn why_missing(faults: &[&rows::Fault], (cell, line): Here) -> Option<String> {
    let is_it = |fault: &&&rows::Fault| {
        // An engine that did not answer at all is named with one job only.
        let is_of_job = fault.size.is_none() || fault.job == cell.job;
        is_of_job && fault.is_about(&line.line, cell.size)
    };
    let fault = faults.iter().rev().find(is_it)?;
    Some(format!("{}: {}", fault.kind.words(), fault.why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Operation;
    use crate::rows::Role;
    use crate::summary::made::{CONNECT, Made};

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    /// Sockets cost so many times what they did, for everybody.
    fn run(sockets: u64) -> Made {
        let mut made = Made::default();
        made.role("copy", Role::Yardstick);
        for (how, times) in [("memory", 1), ("nodelay", sockets), ("default-sockets", sockets)] {
            for (engine, way, ns) in [("openssl", WAY, 1_000), ("rustls", WAY, 800), ("copy", "none", 100)] {
                made.timed(CONNECT, 1, (engine, way, how), Operation::Full, ns * times);
            }
        }
        made.reference(CONNECT, 1, ("openssl", WAY, "memory"));
        made
    }

    #[test]
    fn dearer_sockets_are_no_change_of_a_library() {
        for first in [Against::Reference, Against::Yardstick] {
            let (base, new) = (run(2).cells(), run(3).cells());
            let changes = Changes::between(&base, &new, first);
            let words: Vec<_> = changes
                .of
                .iter()
                .map(|change| (crate::words::verdict(change.change.verdict).0, change.of.1.line.how()))
                .collect();
            let expected = ["memory", "nodelay"].map(|how| ("the same", how));
            assert_eq!(words, [expected; 3].concat(), "{first:?}");
            assert!(changes.of.iter().all(|change| change.against.line.how() == change.of.1.line.how()));
            let alone = changes.lacking(Lack::Alone).map(|(_, line)| line.line.how()).collect::<Vec<_>>();
            assert_eq!((alone, changes.lacking(Lack::Lost).count()), (vec!["default-sockets"; 3], 0));
        }
    }
}

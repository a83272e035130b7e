//! Two runs line by line: what a line's ratio was, what it is now, and whether that is a change.
//!
//! Runs are compared by ratios and never by times: a machine that was slower today was slower for both lines of a ratio.
//! So a line is held against one that both runs have, and how much that ratio changed is for
//! [`between_runs`] to say.

use crate::protocol::Operation;
use crate::rows::Role;
use crate::rows::{self, Row};
use crate::stats::between_runs;
use crate::stats::verdict::{Terms, Verdict, verdict};
use crate::summary::{self, Cell, Line, Ratio};
use crate::words;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// What a line is held against first; the other where that is not the same line in both runs, or is the line itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    Reference,
    Yardstick,
}

/// Where a figure stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub job: String,
    pub size: u64,
    pub operation: Operation,
    pub line: rows::Line,
    pub role: Role,
    /// Whether lines with a library used in several ways stand there.
    pub tells_how: bool,
}

/// A line that both runs have.
#[derive(Debug)]
pub struct Change {
    pub place: Place,
    /// The line whose time theirs is held against, in both runs the same.
    pub against: rows::Line,
    pub base: Ratio,
    pub new: Ratio,
    /// The new ratio over that of the base.
    pub change: Ratio,
}

/// Two runs.
#[derive(Debug, Default)]
pub struct Changes {
    /// In the order of the new run.
    pub of: Vec<Change>,
    pub only_in_base: Vec<Place>,
    pub only_in_new: Vec<Place>,
    /// In both, but the line it was held against in the base is not in the new run.
    pub lost: Vec<Place>,
    /// In both, and even in the base held against nothing: there is no reference and no yardstick, or the line waited.
    pub alone: Vec<Place>,
}

impl Changes {
    /// Of every line of two runs. Lines that run a second time show noise, and the empty job shows the lab's own cost:
    /// neither is anything that engines did.
    pub fn between(base: &[Row], new: &[Row], first: Against) -> Self {
        let (base, new) = (summary::cells(base), summary::cells(new));
        let (in_base, in_new) = (Standing::of(&base), Standing::of(&new));
        let mut changes = Self::default();
        for (cell, line) in lines(&new) {
            let place = Place::of(cell, line);
            match in_base.find(&place) {
                None => changes.only_in_new.push(place),
                Some(before) => changes.add(place, before, (cell, line), first),
            }
        }
        let is_gone = |place: &Place| in_new.find(place).is_none();
        changes.only_in_base =
            lines(&base).map(|(cell, line)| Place::of(cell, line)).filter(is_gone).collect();
        changes
    }

    fn add(&mut self, place: Place, base: (&Cell, &Line), new: (&Cell, &Line), first: Against) {
        let candidates = opponents(base, first);
        let change = candidates.iter().find_map(|other| {
            let (base, new) = (held(base, other)?, held(new, other)?);
            let (place, against) = (place.clone(), other.line.clone());
            Some(Change { place, against, base, new, change: change(&base, &new) })
        });
        match change {
            Some(change) => self.of.push(change),
            None if !candidates.is_empty() => self.lost.push(place),
            None if base.0.reference_of(base.1).is_none() => self.alone.push(place),
            // It is itself what the others are held against.
            None => {}
        }
    }
}

fn lines(cells: &[Cell]) -> impl Iterator<Item = (&Cell, &Line)> {
    let cells = cells.iter().filter(|cell| !cell.kind.is_own_cost);
    cells.flat_map(|cell| cell.contestants_and_yardstick().map(move |line| (cell, line)))
}

/// The cells of a run, by what they are of.
struct Standing<'a>(BTreeMap<(&'a str, u64, Operation), &'a Cell>);

impl<'a> Standing<'a> {
    fn of(cells: &'a [Cell]) -> Self {
        let cells = cells.iter().filter(|cell| !cell.kind.is_own_cost);
        Self(cells.map(|cell| ((cell.job.as_str(), cell.size, cell.operation), cell)).collect())
    }

    fn find(&self, place: &Place) -> Option<(&'a Cell, &'a Line)> {
        let cell = self.0.get(&(place.job.as_str(), place.size, place.operation))?;
        Some((cell, cell.line(&place.line)?))
    }
}

/// Reference and yardstick of a cell, as far as they are another line than this one.
fn opponents<'a>((cell, line): (&'a Cell, &Line), first: Against) -> Vec<&'a Line> {
    let (reference, yardstick) = (cell.reference_of(line), cell.yardstick_of(line));
    let order = if first == Against::Reference { [reference, yardstick] } else { [yardstick, reference] };
    order.into_iter().flatten().filter(|other| other.line != line.line).collect()
}

/// A line over what it is held against, in one run; none where this run has no such other line, or no block with both. A gate
/// judges every line, each of which may be wrong by chance: what few blocks show is not enough.
fn held((cell, line): (&Cell, &Line), other: &Line) -> Option<Ratio> {
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
    }
}

impl Change {
    /// Faster than the other line in one run, and slower than it in the other.
    pub fn is_contradiction(&self) -> bool {
        let verdicts = [self.base.verdict, self.new.verdict];
        verdicts.contains(&Verdict::Faster) && verdicts.contains(&Verdict::Slower)
    }

    /// "copy": the line it is held against.
    pub fn other(&self) -> String {
        words::full_name(&self.against, self.place.tells_how)
    }
}

impl Place {
    fn of(cell: &Cell, line: &Line) -> Self {
        Self {
            job: cell.job.clone(),
            size: cell.size,
            operation: cell.operation,
            line: line.line.clone(),
            role: line.role,
            tells_how: words::tells_how(cell),
        }
    }

    /// Whether both stand in one cell, whose size may read like that of another.
    pub fn is_beside(&self, other: &Self) -> bool {
        (&self.job, self.size, self.operation) == (&other.job, other.size, other.operation)
    }

    /// "codec, 49 bytes, encode".
    pub fn cell(&self) -> String {
        words::place(&self.job, self.size, self.operation)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cell(), words::full_name(&self.line, self.tells_how))
    }
}

/// Why a run with these faults may have no figure for a line: the last one that says so. What a fault does not name, it holds for.
pub fn why_missing(faults: &[&rows::Fault], place: &Place) -> Option<String> {
    let is_it = |fault: &&&rows::Fault| {
        // An engine that did not answer at all is named with one job only.
        let is_of_job = fault.size.is_none() || fault.job == place.job;
        is_of_job && fault.is_about(&place.line, place.size)
    };
    let fault = faults.iter().rev().find(is_it)?;
    Some(format!("{}: {}", fault.kind.words(), fault.why))
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let changes = Changes::between(&run(2).rows, &run(3).rows, first);
            let words: Vec<_> = changes
                .of
                .iter()
                .map(|change| (crate::words::verdict(change.change.verdict).0, change.place.line.how()))
                .collect();
            let expected = ["memory", "nodelay"].map(|how| ("the same", how));
            assert_eq!(words, [expected; 3].concat(), "{first:?}");
            assert!(changes.of.iter().all(|change| change.against.how() == change.place.line.how()));
            let alone = changes.alone.iter().map(|place| place.line.how()).collect::<Vec<_>>();
            assert_eq!((alone, changes.lost.len()), (vec!["default-sockets"; 3], 0));
        }
    }
}

//! Two runs line by line: what a line's ratio was, what it is now, and whether that is a change.
//!
//! Runs are compared by ratios and never by times: a machine that was slower today was slower for both lines of a ratio.
//! So a line is compared with another that both runs have, and [`between_runs`] says how much that ratio changed.

use crate::faults::About;
use crate::protocol::Operation;
use crate::rows::Role;
use crate::rows::{self, Row};
use crate::stats::between_runs;
use crate::stats::verdict::{Terms, Verdict, verdict};
use crate::summary::{self, Cell, Line, Ratio};
use crate::words;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// The line to compare with first; the other one if that is not the same line in both runs, or is the line itself.
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
    /// Whether lines of both shapes stand there.
    pub shaped: bool,
}

/// A line that both runs have.
#[derive(Debug)]
pub struct Change {
    pub place: Place,
    /// The line whose time divides theirs, in both runs the same.
    pub against: rows::Line,
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

/// Two runs.
#[derive(Debug, Default)]
pub struct Changes {
    /// In the order of the new run.
    pub of: Vec<Change>,
    pub lacks: Vec<(Lack, Place)>,
}

impl Changes {
    /// Of every line of two runs. Lines that run a second time show noise, and the empty job shows the lab's own cost:
    /// neither is anything that engines did.
    pub fn between(base: &[Row], new: &[Row], first: Against) -> Self {
        let (base, new) = (summary::cells(base), summary::cells(new));
        let mut changes = Self::default();
        let (before, after) = (by_place(&base), by_place(&new));
        for (cell, line) in lines(&new) {
            match find(&before, cell, line) {
                None => changes.lacks.push((Lack::OnlyInNew, Place::of(cell, line))),
                Some(base) => changes.add(base, (cell, line), first),
            }
        }
        let gone = lines(&base).filter(|(cell, line)| find(&after, cell, line).is_none());
        changes.lacks.extend(gone.map(|(cell, line)| (Lack::OnlyInBase, Place::of(cell, line))));
        changes
    }

    pub fn lacking(&self, lack: Lack) -> impl Iterator<Item = &Place> {
        self.lacks.iter().filter(move |(known, _)| *known == lack).map(|(_, place)| place)
    }

    fn add(&mut self, base: (&Cell, &Line), new: (&Cell, &Line), first: Against) {
        let candidates = opponents(base, first);
        let change = |other: &&Line| {
            let (base, new) = (compared(base, other)?, compared(new, other)?);
            Some((other.line.clone(), base, new, change(&base, &new)))
        };
        let place = Place::of(new.0, new.1);
        match candidates.iter().find_map(change) {
            Some((against, base, new, change)) => self.of.push(Change { place, against, base, new, change }),
            None if !candidates.is_empty() => self.lacks.push((Lack::Lost, place)),
            None if base.0.reference_of(base.1).is_none() => self.lacks.push((Lack::Alone, place)),
            // It is itself what the others are compared with.
            None => {}
        }
    }
}

fn lines(cells: &[Cell]) -> impl Iterator<Item = (&Cell, &Line)> {
    let cells = cells.iter().filter(|cell| !cell.kind.is_own_cost);
    cells.flat_map(|cell| cell.contestants_and_yardstick().map(move |line| (cell, line)))
}

/// Job, size and operation of each cell.
type ByPlace<'a> = BTreeMap<(&'a str, u64, Operation), &'a Cell>;

fn by_place(cells: &[Cell]) -> ByPlace<'_> {
    cells.iter().map(|cell| (cell.place(), cell)).collect()
}

/// The same line in another run.
fn find<'a>(cells: &ByPlace<'a>, cell: &Cell, line: &Line) -> Option<(&'a Cell, &'a Line)> {
    let cell = *cells.get(&cell.place())?;
    Some((cell, cell.line(&line.line)?))
}

/// Reference and yardstick of a cell, as far as they are another line than this one.
fn opponents<'a>((cell, line): (&'a Cell, &Line), first: Against) -> Vec<&'a Line> {
    let (reference, yardstick) = (cell.reference_of(line), cell.yardstick_of(line));
    let order = if first == Against::Reference { [reference, yardstick] } else { [yardstick, reference] };
    order.into_iter().flatten().filter(|other| other.line != line.line).collect()
}

/// A line over another in one run; none if the run lacks the other line, or a block with both. A gate judges every line, each
/// of which may be wrong by chance: what few blocks show is not enough.
fn compared((cell, line): (&Cell, &Line), other: &Line) -> Option<Ratio> {
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

    /// "copy": the line that it is compared with.
    pub fn other(&self) -> String {
        words::full_name(&self.against, self.place.shaped)
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
            shaped: words::is_shaped(cell),
        }
    }

    /// True if both stand in one cell, whose size may read like that of another.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.cell() == other.cell()
    }

    pub fn cell(&self) -> summary::Place<'_> {
        (&self.job, self.size, self.operation)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", words::place(self.cell()), words::full_name(&self.line, self.shaped))
    }
}

/// Why a run with these faults may have no figure for a line: the last one that says so. A fault holds for all that it does
/// not name.
pub fn why_missing(faults: &[&rows::Fault], place: &Place) -> Option<String> {
    let broader: Vec<About> =
        About::line(&place.job, place.size, place.operation, &place.line).broader().collect();
    let is_it = |fault: &&&rows::Fault| {
        // An engine that did not answer at all is named with one job only.
        let job = if fault.size.is_some() { &fault.job } else { &place.job };
        broader.contains(&About { job, operation: None, ..About::fault(fault) })
    };
    let fault = faults.iter().rev().find(is_it)?;
    Some(format!("{}: {}", fault.kind.words(), fault.why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Shape;
    use crate::summary::made::{CONNECT, Made};

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    /// Sockets cost so many times what they did, for everybody.
    fn run(sockets: u64) -> Made {
        let mut made = Made::default();
        made.role("copy", Role::Yardstick);
        for (shape, times) in
            [(Shape::Memory, 1), (Shape::Nodelay, sockets), (Shape::DefaultSockets, sockets)]
        {
            for (engine, way, ns) in [("openssl", WAY, 1_000), ("rustls", WAY, 800), ("copy", "none", 100)] {
                made.timed(CONNECT, 1, (engine, way, shape), Operation::Full, ns * times);
            }
        }
        made.reference(CONNECT, 1, ("openssl", WAY, Shape::Memory));
        made
    }

    #[test]
    fn dearer_sockets_are_no_change_of_a_library() {
        for first in [Against::Reference, Against::Yardstick] {
            let changes = Changes::between(&run(2).rows, &run(3).rows, first);
            let words: Vec<_> = changes
                .of
                .iter()
                .map(|change| (crate::words::verdict(change.change.verdict).0, change.place.line.shape()))
                .collect();
            let expected = [Shape::Memory, Shape::Nodelay].map(|shape| ("the same", shape));
            assert_eq!(words, [expected; 3].concat(), "{first:?}");
            assert!(changes.of.iter().all(|change| change.against.shape() == change.place.line.shape()));
            let alone = changes.lacking(Lack::Alone).map(|place| place.line.shape()).collect::<Vec<_>>();
            assert_eq!((alone, changes.lacking(Lack::Lost).count()), (vec![Shape::DefaultSockets; 3], 0));
        }
    }
}

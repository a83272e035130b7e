//! Which questions of a run are open yet, and how many blocks might tell them: what a run measures next.

use super::{answers, publication};
use crate::claims::{Part, Test};
use crate::format;
use crate::history::Published;
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::summary::growths;
use crate::summary::{self, Cell, Line, Ratio};
use std::collections::{BTreeMap, BTreeSet};

/// The blocks that a question might need to be told.
#[derive(Debug, Clone, Default)]
pub struct Doubt {
    /// So many blocks in all; infinite where none of the lines that are measured would tell it.
    pub blocks: f64,
    /// The lines that these blocks have to time; all lines where none is named.
    pub lines: BTreeSet<rows::Line>,
    /// The lines that tell a part of it and need no JVM, which takes seconds to warm up.
    pub native: BTreeSet<rows::Line>,
    /// Their operations, where each has processes of its own; all where none is named.
    pub operations: BTreeSet<Operation>,
    /// True where a question is open; else a figure of its answer is too wide to be of use.
    pub is_open: bool,
    /// So many questions of a size have it.
    pub questions: u32,
    /// Why there is no answer yet.
    pub because: &'static str,
}

/// A ratio that is open, and the lines that have to be timed for it.
type Open<'a> = (Vec<&'a Line>, Ratio);

impl Doubt {
    /// The doubt about ratios which are open, each with the blocks that it needs; nothing where there are none.
    pub fn of<'a>(open: impl Iterator<Item = Open<'a>>, needed: fn(&Ratio) -> f64) -> Option<Self> {
        let open: Vec<_> = open.collect();
        let needed = open.iter().map(|(_, ratio)| (needed(ratio), format::reason(ratio.sure)));
        let (blocks, because) = needed.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let lines = |is_meant: fn(&&Open) -> bool| {
            let open = open.iter().filter(is_meant);
            open.flat_map(|(lines, _)| lines).map(|line| line.line.clone()).collect()
        };
        let native = lines(|(lines, _)| lines.iter().all(|line| line.jdk.is_none()));
        Some(Self { blocks, lines: lines(|_| true), native, because, ..Self::of_all(0) })
    }

    /// The doubt about lines without an interval, after so many blocks.
    pub fn of_unseen<'a>(lines: impl Iterator<Item = &'a Line>, blocks: usize) -> Option<Self> {
        let lines: BTreeSet<rows::Line> = lines.map(|line| line.line.clone()).collect();
        (!lines.is_empty()).then(|| Self { lines, ..Self::of_all(blocks + 2) })
    }

    /// A doubt that holds no question.
    pub fn closed(self) -> Self {
        Self { is_open: false, ..self }
    }

    /// Nobody knows of which line.
    pub fn of_all(blocks: usize) -> Self {
        let because = "there is no interval yet";
        Self { blocks: blocks as f64, is_open: true, questions: 1, because, ..Self::default() }
    }

    /// Both; what is open comes first.
    pub fn and(self, other: Self) -> Self {
        if self.is_open != other.is_open {
            return if self.is_open { self } else { other };
        }
        let (lines, operations) =
            (both(&self.lines, &other.lines), both(&self.operations, &other.operations));
        let (native, questions) = (&self.native | &other.native, self.questions + other.questions);
        let longer = if other.blocks > self.blocks { other } else { self };
        Self { lines, native, operations, questions, ..longer }
    }
}

/// Where one of two names nothing it is about all.
fn both<T: Clone + Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> BTreeSet<T> {
    if one.is_empty() || other.is_empty() { BTreeSet::new() } else { one | other }
}

/// The sizes of jobs that questions are about; nothing where all of them are told.
pub type Doubts = BTreeMap<(String, u64), Vec<Doubt>>;

/// Judged by what has been measured so far.
pub fn doubts(rows: &[Row]) -> Doubts {
    let cells = summary::cells(rows);
    let mut doubts = Doubts::new();
    let undecided = undecided(rows, &cells);
    let answers = answers::all(&cells).into_iter();
    // A run that repeats a publication is asked for its conclusions; what to choose comes after them.
    let is_asked = rows::header(rows).is_none_or(|header| header.history.is_none());
    // However many lines of it are in doubt, an answer is one question.
    let answers = answers.map(|answer| {
        let one = |doubt: Doubt| Doubt { questions: 1, is_open: doubt.is_open && is_asked, ..doubt };
        ((answer.job, answer.size), answer.doubt.map(one))
    });
    answers.chain(undecided).for_each(|(about, doubt)| doubts.entry(about).or_default().extend(doubt));
    doubts
}

/// The cells that undecided conclusions of a publication are about, and what would decide them.
fn undecided(rows: &[Row], cells: &[Cell]) -> Vec<((String, u64), Option<Doubt>)> {
    let history = rows::header(rows).and_then(|header| header.history.as_deref());
    let Some(published) = history.and_then(Published::of) else { return Vec::new() };
    let grown = growths::growths(rows, cells);
    let conclusions = publication::conclusions(&published, cells, &grown);
    let mut doubts = Vec::new();
    for (claim, ends) in &conclusions {
        for (_, judged) in ends {
            for &(test, part) in &judged.open {
                let of_cell = |cell| of_part(&claim.tests[test], &judged.parts[part], cell);
                let of_cells = cells.iter().map(|cell| ((cell.job.clone(), cell.size), of_cell(cell)));
                doubts.extend(of_cells.filter(|(_, doubt)| doubt.is_some()));
            }
        }
    }
    doubts
}

/// The doubt whose blocks would decide a part of a test. It does not say how far it is from its end: as many blocks again.
fn of_part(test: &Test, part: &Part, cell: &Cell) -> Option<Doubt> {
    let is_of_job = test.job.as_deref().is_none_or(|job| job == cell.job);
    // A measured figure waits for no prediction.
    let is_grown = part.size == 0 || part.seen.is_some_and(|seen| seen.is_predicted);
    // A size that has an interval bends no curve any more.
    let is_few = cell.blocks() < FEWEST_BLOCKS;
    let is_smaller = is_of_job && is_grown && is_few && (part.size == 0 || cell.size <= part.size);
    let is_there = [0, cell.size].contains(&part.size) && test.concerns(&cell.job, cell.size) || is_smaller;
    let is_meant = |line: &&Line| part.lines.contains(&line.line);
    let lines = cell.contestants_and_yardstick().filter(is_meant).map(|line| line.line.clone()).collect();
    let blocks = (2 * cell.blocks()).max(FEWEST_BLOCKS);
    let doubt = Doubt { lines, operations: test.together(cell.operation), ..Doubt::of_all(blocks) };
    (is_there && test.is_of(cell.operation) && !doubt.lines.is_empty()).then_some(doubt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixtures::{self, Made};

    /// The sizes for which more blocks are wanted, where an old engine is held against 100 times a new one at the largest.
    fn wanted(old_at_largest: Option<u64>, blocks_of_others: u64) -> Vec<u64> {
        const SIZES: [u64; 6] = [1_024, 2_048, 4_096, 8_192, 16_384, 65_536];
        let mut made = Made::default();
        let header = fixtures::header(Default::default());
        made.rows.push(Row::Header(rows::Header { history: Some("simulated".into()), ..header }));
        for family in ["Old", "New"] {
            let engine = made.jvm(family, "17");
            for size in SIZES {
                let ns = match family {
                    "New" => Some(size * 1_000),
                    _ if size == SIZES[5] => old_at_largest,
                    _ => Some(size * size * 1_000 / 650),
                };
                for block in 0..if size == SIZES[5] { 3 } else { blocks_of_others } {
                    let Some(ns) = ns else { continue };
                    made.sample(
                        "cipher",
                        size,
                        (&engine, "AES-128-GCM", "tuned"),
                        Operation::Open,
                        block,
                        |it| {
                            it.wall_ns = ns;
                        },
                    );
                }
            }
        }
        let is_wanted = |doubts: &[Doubt]| doubts.iter().any(|doubt| doubt.is_open);
        let all = doubts(&made.rows).into_iter();
        all.filter(|(_, doubts)| is_wanted(doubts)).map(|((_, size), _)| size).collect()
    }

    /// Sealing and opening are one figure, of two lines only; the bare cipher tells nothing of it.
    #[test]
    fn what_makes_one_figure_is_timed_in_the_same_blocks() {
        let mut made = Made::default();
        let header = fixtures::header(Default::default());
        made.rows.push(Row::Header(rows::Header { history: Some("peppol-gcm".into()), ..header }));
        let engines = ["SunJCE", "BouncyCastle"].map(|family| made.jvm(family, "27"));
        for (operation, ns) in [(Operation::Seal, [100, 900]), (Operation::Open, [1_500, 700])] {
            for (engine, ns) in engines.iter().zip(ns).chain([(&"openssl".to_owned(), 50)]) {
                for block in 0..3 {
                    let line = (engine.as_str(), "AES-128-GCM", "wss4j");
                    made.sample("payload", 104_857_600, line, operation, block, |it| {
                        it.wall_ns = ns * 1_000_000
                    });
                }
            }
        }
        let doubts = doubts(&made.rows).remove(&("payload".into(), 104_857_600)).unwrap();
        let seen: Vec<_> = doubts.into_iter().filter(|doubt| doubt.is_open).collect();
        let of_both = seen.iter().find(|doubt| doubt.operations.len() == 2).unwrap();
        let lines: Vec<&str> = of_both.lines.iter().map(|line| line.engine.as_str()).collect();
        assert_eq!(lines, ["BouncyCastle 27", "SunJCE 27"]);
        assert!(seen.iter().all(|doubt| doubt.lines.len() <= 2));
    }

    /// Its smaller sizes predict it, until it is measured itself, or they have an interval.
    #[test]
    fn what_was_measured_waits_for_no_prediction() {
        assert_eq!(wanted(None, 3), [1_024, 2_048, 4_096, 8_192, 16_384, 65_536]);
        assert_eq!(wanted(None, 6), [65_536]);
        assert_eq!(wanted(Some(65_536 * 101_000), 3), [65_536]);
    }
}

//! Which questions of a run are open yet, and how many blocks might tell them: what a run measures next.

use super::answers;
use crate::claims::{self, Measured, Test};
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::summary::growths;
use crate::summary::{self, Cell, Line, Ratio};
use std::collections::{BTreeMap, BTreeSet};

/// The blocks that a question might need to be told.
#[derive(Debug, Clone, Default)]
pub struct Doubt {
    /// So many blocks in all.
    pub blocks: f64,
    /// The lines that these blocks have to time; all lines where none is named.
    pub lines: BTreeSet<rows::Line>,
    /// Their operations, where each has processes of its own; all where none is named.
    pub operations: BTreeSet<Operation>,
    /// True where a question is open; else a figure of its answer is too wide to be of use.
    pub is_open: bool,
    /// So many questions of a size have it.
    pub questions: u32,
}

impl Doubt {
    /// That of ratios which are open; nothing where there are none.
    pub fn of<'a>(open: impl Iterator<Item = (Vec<&'a Line>, Ratio)>) -> Option<Self> {
        Self::of_those(open, true)
    }

    /// That of figures which an answer tells besides.
    pub fn of_wide<'a>(ratios: impl Iterator<Item = (Vec<&'a Line>, Ratio)>) -> Option<Self> {
        Self::of_those(ratios.filter(|(_, ratio)| ratio.high / ratio.low > TOO_WIDE), false)
    }

    fn of_those<'a>(ratios: impl Iterator<Item = (Vec<&'a Line>, Ratio)>, is_open: bool) -> Option<Self> {
        let those: Vec<_> = ratios.collect();
        let blocks = those.iter().map(|(_, ratio)| ratio.blocks_needed()).max_by(f64::total_cmp)?;
        let lines = those.iter().flat_map(|(lines, _)| lines).map(|line| line.line.clone()).collect();
        Some(Self { blocks, lines, is_open, ..Self::of_all(0) })
    }

    /// That of lines without an interval, after so many blocks.
    pub fn of_unseen(lines: BTreeSet<rows::Line>, blocks: usize) -> Option<Self> {
        (!lines.is_empty()).then(|| Self { lines, ..Self::of_all(blocks + 2) })
    }

    /// That of lines which did not become steady: what others tell does not wait for them.
    pub fn of_late(lines: &[&Line], blocks: usize) -> Option<Self> {
        let lines = lines.iter().map(|line| line.line.clone()).collect();
        Self::of_unseen(lines, blocks).map(|doubt| Self { is_open: false, ..doubt })
    }

    /// Nobody knows of which line.
    pub fn of_all(blocks: usize) -> Self {
        Self { blocks: blocks as f64, is_open: true, questions: 1, ..Self::default() }
    }

    /// Both; what is open comes first.
    pub fn and(self, other: Self) -> Self {
        if self.is_open != other.is_open {
            return if self.is_open { self } else { other };
        }
        let (lines, operations) =
            (both(&self.lines, &other.lines), both(&self.operations, &other.operations));
        let questions = self.questions + other.questions;
        Self { blocks: self.blocks.max(other.blocks), lines, operations, is_open: self.is_open, questions }
    }
}

/// Where one of two names nothing it is about all.
fn both<T: Clone + Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> BTreeSet<T> {
    if one.is_empty() || other.is_empty() { BTreeSet::new() } else { one | other }
}

/// An interval from half of a figure to its double tells little.
const TOO_WIDE: f64 = 4.0;

/// The sizes of jobs that questions are about; nothing where all of them are told.
pub type Doubts = BTreeMap<(String, u64), Option<Doubt>>;

/// Judged by what has been measured so far.
pub fn doubts(rows: &[Row]) -> Doubts {
    let cells = summary::cells(rows);
    let mut doubts = Doubts::new();
    let undecided = undecided(rows, &cells).into_iter();
    let undecided = undecided.map(|(cell, doubt)| ((cell.job.clone(), cell.size), Some(doubt)));
    let answers = answers::all(&cells).into_iter();
    // However many lines of it are in doubt, an answer is one question.
    let answers = answers.map(|answer| {
        let doubt = answer.doubt.map(|doubt| Doubt { questions: 1, ..doubt });
        ((answer.job, answer.size), doubt)
    });
    for (about, doubt) in answers.chain(undecided) {
        let known = doubts.entry(about).or_default();
        *known = [known.take(), doubt].into_iter().flatten().reduce(Doubt::and);
    }
    doubts
}

/// The cells that undecided conclusions of a publication are about, and what would decide them.
fn undecided<'a>(rows: &[Row], cells: &'a [Cell]) -> Vec<(&'a Cell, Doubt)> {
    let Some(history) = rows::header(rows).and_then(|header| header.history) else { return Vec::new() };
    let grown = growths::growths(rows, cells);
    let lines = cells.iter().flat_map(|cell| &cell.lines);
    let jdks: BTreeSet<Option<&str>> = lines.map(|line| line.jdk.as_deref()).collect();
    let has_jdks = jdks.iter().any(Option::is_some);
    let mut doubts = Vec::new();
    for claim in claims::concluded(history) {
        let is_about =
            |jdk: &Option<&str>| jdk.map_or(!has_jdks, |jdk| claim.is_about(crate::jdks::major(jdk)));
        for jdk in jdks.iter().copied().filter(is_about) {
            let open = claim.judge(&Measured { cells, grown: &grown, jdk }).open;
            let tests = open.iter().map(|number| &claim.tests[*number]);
            let doubtful =
                |test| cells.iter().filter_map(move |cell| Some((cell, of_test(test, jdk, cell)?)));
            doubts.extend(tests.flat_map(doubtful));
        }
    }
    doubts
}

/// What would decide a test. It does not say how far it is from its end: as many blocks again.
fn of_test(test: &Test, jdk: Option<&str>, cell: &Cell) -> Option<Doubt> {
    let is_smaller = test.is_by_growth() && test.sizes.iter().all(|size| cell.size <= *size);
    let is_there = test.concerns(&cell.job, cell.size) || is_smaller;
    let is_meant = |line: &&Line| line.jdk.as_deref() == jdk && test.names(&line.line, &line.family);
    let lines = cell.contestants().filter(is_meant).map(|line| line.line.clone()).collect();
    let blocks = (2 * cell.blocks()).max(FEWEST_BLOCKS);
    let doubt = Doubt { lines, operations: [cell.operation].into(), ..Doubt::of_all(blocks) };
    (is_there && test.times(cell.operation) && !doubt.lines.is_empty()).then_some(doubt)
}

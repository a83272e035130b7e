//! Which questions of a run are open yet, and how many blocks might tell them: what a run measures next.

use super::{answers, publication};
use crate::claims::{Claim, Fate, Judged};
use crate::history::Published;
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
    /// True where a question is open; else a figure of its answer is too wide to be of use.
    pub is_open: bool,
    /// So many questions of a size have it.
    pub questions: u32,
}

impl Doubt {
    /// The doubt about ratios which are open; nothing where there are none.
    pub fn of<'a>(open: impl Iterator<Item = (Vec<&'a Line>, Ratio)>) -> Option<Self> {
        let open: Vec<_> = open.collect();
        let blocks = open.iter().map(|(_, ratio)| ratio.blocks_needed()).max_by(f64::total_cmp)?;
        let lines = open.iter().flat_map(|(lines, _)| lines).map(|line| line.line.clone()).collect();
        Some(Self { blocks, lines, is_open: true, questions: 1 })
    }

    /// The doubt about figures which an answer tells besides.
    pub fn of_wide<'a>(ratios: impl Iterator<Item = (Vec<&'a Line>, Ratio)>) -> Option<Self> {
        Self::of(ratios.filter(|(_, ratio)| ratio.high / ratio.low > TOO_WIDE)).map(Self::closed)
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
        Self { blocks: blocks as f64, lines: BTreeSet::new(), is_open: true, questions: 1 }
    }

    /// Both; what is open comes first.
    pub fn and(self, other: Self) -> Self {
        if self.is_open != other.is_open {
            return if self.is_open { self } else { other };
        }
        let is_of_all = self.lines.is_empty() || other.lines.is_empty();
        let lines = if is_of_all { BTreeSet::new() } else { &self.lines | &other.lines };
        let questions = self.questions + other.questions;
        Self { blocks: self.blocks.max(other.blocks), lines, is_open: self.is_open, questions }
    }
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
    // A conclusion does not say how far it is from its end: as many blocks again.
    let undecided = undecided.map(|cell| {
        let doubt = Doubt::of_all((2 * cell.blocks()).max(FEWEST_BLOCKS));
        ((cell.job.clone(), cell.size), Some(doubt))
    });
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

/// The cells that undecided conclusions of a publication are about.
fn undecided<'a>(rows: &[Row], cells: &'a [Cell]) -> Vec<&'a Cell> {
    let Some(history) = rows::header(rows).and_then(|header| header.history) else { return Vec::new() };
    let grown = growths::growths(rows, cells);
    let conclusions = publication::conclusions(history, &Published::of(history), cells, &grown);
    let is_open = |ends: &[(Option<String>, Judged)]| ends.iter().any(|(_, end)| end.fate == Fate::Undecided);
    let open: Vec<Claim> = conclusions.into_iter().filter(|it| is_open(&it.1)).map(|it| it.0).collect();
    let concerns = |cell: &&Cell| open.iter().any(|claim| claim.concerns(&cell.job, cell.size));
    cells.iter().filter(concerns).collect()
}

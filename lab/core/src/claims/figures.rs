//! The figures that a test is about, found in a run.

use super::{Finding, Metric, Same, Test};
use crate::format;
use crate::jobfile::Pattern;
use crate::jobs;
use crate::metrics::Unit;
use crate::protocol::Operation;
use crate::rows;
use crate::stats::verdict::DEFAULT_BAND;
use crate::stats::{ByBlock, bootstrap, paired_ratios};
use crate::summary::growths::{self, Ahead, Grown};
use crate::summary::{Cell, Here, Line, Place, Ratio, across};
use std::collections::BTreeSet;

/// The figures of a run, and the JDK on which the claim is judged.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    pub cells: &'a [Cell],
    pub grown: &'a [Grown],
    pub jdk: Option<&'a str>,
}

/// A figure that a test is about, or the lack of one.
#[derive(Default)]
pub struct Part {
    /// The lines that were compared, and where.
    pub what: String,
    pub lines: Vec<rows::Line>,
    /// 0 where it is of all sizes.
    pub size: u64,
    pub seen: Option<Seen>,
    pub finding: Finding,
    /// Why it decides nothing, whatever it is.
    pub spoilt: Option<String>,
}

/// A figure with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    pub unit: Unit,
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// Otherwise the ends are only the smallest and largest, and decide nothing.
    pub is_interval: bool,
    /// So many blocks made it.
    pub blocks: usize,
    /// This figure from the best times alone.
    pub of_minima: f64,
    /// A factor; None where no line was measured against itself.
    pub noise_floor: Option<f64>,
    /// Nobody waited for it: smaller sizes let one expect it.
    pub is_predicted: bool,
    /// The measurement in too few blocks to decide anything, where a prediction does: its median, and how many blocks.
    pub beside: Option<(f64, usize)>,
}

impl From<Ratio> for Seen {
    fn from(ratio: Ratio) -> Self {
        let Ratio { median, low, high, interval, of_minima, noise_floor, blocks, .. } = ratio;
        // One block may be the one that was disturbed.
        let is_interval = interval.is_some() && blocks > 1;
        Self { of_minima, noise_floor, blocks, ..Self::of(Unit::Ratio, [low, median, high], is_interval) }
    }
}

impl Seen {
    /// A figure whose only uncertainty is its own interval.
    fn of(unit: Unit, [low, median, high]: [f64; 3], is_interval: bool) -> Self {
        let (of_minima, noise_floor, blocks) = (median, Some(1.0), usize::MAX);
        let (is_predicted, beside) = (false, None);
        Self { unit, median, low, high, is_interval, blocks, of_minima, noise_floor, is_predicted, beside }
    }

    /// A figure of one line, which strays from block to block as the lines around it do.
    fn of_blocks(unit: Unit, blocks: &ByBlock, (cell, line): Here) -> Option<Self> {
        let values: Vec<f64> = blocks.values().copied().collect();
        let unrest = cell.unrest(line, line, values.len());
        Some(Self { unit, ..Self::from(Ratio::of_figures(&values, unrest)?) })
    }

    pub(super) fn predicted(ahead: Ahead) -> Self {
        let (low, high) = ahead.range.unwrap_or((ahead.ns, ahead.ns));
        let is_interval = ahead.is_judged && ahead.range.is_some();
        Self { is_predicted: true, ..Self::of(Unit::Nanoseconds, [low, ahead.ns, high], is_interval) }
    }

    /// Over a figure of other blocks, with which it shares no noise: between the ends that lie farthest apart.
    pub(super) fn over(self, other: Self) -> Self {
        let ends = [self.low / other.high, self.median / other.median, self.high / other.low];
        let blocks = self.blocks.min(other.blocks);
        let is_interval = self.is_interval && other.is_interval;
        Self { blocks, is_predicted: self.is_predicted, ..Self::of(Unit::Ratio, ends, is_interval) }
    }
}

impl<'a> Measured<'a> {
    fn cell(&self, place: Place) -> Option<&'a Cell> {
        self.cells.iter().find(|cell| cell.place() == place)
    }

    /// The lines of a pattern, also those that have only first operations.
    fn lines(&self, cell: Option<&'a Cell>, pattern: &Pattern) -> Vec<Here<'a>> {
        let is_meant = |line: &Line| {
            let is_here = self.jdk.is_none() || line.jdk.as_deref() == self.jdk;
            is_here && !line.line.again && pattern.matches(&line.line, &line.family)
        };
        let all = cell
            .into_iter()
            .flat_map(|cell| cell.lines.iter().chain(&cell.cold).map(move |line| (cell, line)));
        all.filter(|(_, line)| is_meant(line)).collect()
    }
}

impl Test {
    /// All its figures; where a line or a size is named and was not measured, the lack of it.
    pub fn parts(&self, run: &Measured) -> Vec<Part> {
        let mut parts: Vec<Part> =
            self.places(run).into_iter().flat_map(|place| self.at(run, place)).collect();
        let is_judged = |part: &Part| part.seen.is_some_and(|seen| seen.is_interval);
        if self.if_measured {
            let are_judged = parts.iter().any(is_judged);
            parts.retain(|part| if are_judged { is_judged(part) } else { part.seen.is_some() });
        }
        if self.of_machine {
            parts.iter_mut().for_each(|part| part.what += ", on this machine,");
        }
        parts
    }

    fn places<'a>(&'a self, run: &Measured<'a>) -> Vec<Place<'a>> {
        // An exponent is that of all sizes.
        let sizes = if self.metric == Metric::Exponent { &[0] } else { &*self.sizes };
        if let (Some(job), [_, ..]) = (&self.job, sizes) {
            let together = self.metric == Metric::TimeOfAll;
            let operations = &self.operations[..if together { 1 } else { self.operations.len() }];
            let of_size =
                |size: u64| operations.iter().map(move |operation| (job.as_str(), size, *operation));
            return sizes.iter().flat_map(|size| of_size(*size)).collect();
        }
        let is_meant = |cell: &&Cell| self.concerns(&cell.job, cell.size) && self.is_of(cell.operation);
        run.cells.iter().filter(is_meant).map(Cell::place).collect()
    }

    /// The figures of one cell, or of one operation.
    fn at(&self, run: &Measured, place: Place) -> Vec<Part> {
        let (job, size, operation) = place;
        let other = run.cell((job, size, self.right_operation.unwrap_or(operation)));
        let all = if self.metric == Metric::TimeOfAll { &*self.operations } else { &[operation] };
        let all = all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        let is_of_all_sizes = self.metric == Metric::Exponent;
        let at = if is_of_all_sizes { all } else { format!("{all}, {}", jobs::of(job).amount(size)) };
        let part = |it: String, sides: [Option<Here>; 2], seen| {
            let lines = sides.iter().flatten().map(|(_, line)| line.line.clone()).collect();
            let spoilt = self.warming(run, seen, sides);
            Part { what: format!("{at}: {it}"), lines, size, seen, spoilt, ..Part::default() }
        };
        // Found once: a results file may have a hundred thousand lines in a cell.
        let of_right = |pattern| (pattern, run.lines(other, pattern));
        let rights: Vec<(&Pattern, Vec<Here>)> = self.right.iter().map(of_right).collect();
        let mut parts = Vec::new();
        for pattern in &self.left {
            let lefts = self.lefts(run, place, pattern);
            let is_lacking = lefts.is_empty() && (is_of_all_sizes || !self.sizes.is_empty());
            let lack = is_lacking.then(|| (pattern.words(), None));
            let lefts = lefts.into_iter().map(|left| (format::name(left.0, left.1), Some(left)));
            for (name, left) in lefts.chain(lack) {
                if self.right.is_empty() {
                    let seen = left.and_then(|left| self.alone(run, size, left));
                    parts.push(part(self.of_one(&name), [left, None], seen));
                }
                for (pattern, all) in &rights {
                    let rights = left.map_or_else(Vec::new, |left| self.rights(all, left.1));
                    if rights.is_empty() && (left.is_none() || !pattern.is_of_any_engine()) {
                        parts.push(part(format!("{name} against {}", pattern.words()), [None; 2], None));
                    }
                    for right in rights {
                        let other = || format::name(right.0, right.1);
                        let against = self.right_operation.map_or_else(other, |it| it.to_string());
                        let seen = left.and_then(|left| self.pair(run, size, left, right));
                        let what = format!("{} against {against}", self.of_one(&name));
                        let mut part = part(what, [left, Some(right)], seen);
                        part.spoilt = part.spoilt.or_else(|| if self.floor { beaten(right) } else { None });
                        parts.push(part);
                    }
                }
            }
        }
        parts
    }

    /// Says that a line did not become steady, if the figure depends on that: a prediction does not depend on its own line.
    fn warming(&self, run: &Measured, seen: Option<Seen>, sides: [Option<Here>; 2]) -> Option<String> {
        let is_of_all = self.metric == Metric::TimeOfAll;
        let is_unsteady = |(cell, line): &Here| {
            let same = run.cells.iter().filter(|it| (&it.job, it.size) == (&cell.job, cell.size));
            let mut same = same.filter(|it| is_of_all || it.operation == cell.operation);
            same.any(|it| it.line(&line.line).is_some_and(|line| !line.is_steady))
        };
        let is_of_times = !matches!(self.metric, Metric::Cold | Metric::Peak | Metric::Exponent);
        let measured = &sides[usize::from(seen.is_none_or(|seen| seen.is_predicted))..];
        (is_of_times && measured.iter().flatten().any(is_unsteady)).then(|| format::WARMING.into())
    }

    /// The lines of a pattern; where there are none and other sizes may tell the figure, each line that has one of those.
    fn lefts<'a>(&self, run: &Measured<'a>, place: Place, pattern: &Pattern) -> Vec<Here<'a>> {
        let lines = run.lines(run.cell(place), pattern);
        let is_of_others = lines.is_empty() && self.is_by_growth();
        let is_it = |cell: &&Cell| is_of_others && (&*cell.job, cell.operation) == (place.0, place.2);
        let others = run.cells.iter().filter(is_it).flat_map(|cell| run.lines(Some(cell), pattern));
        let mut known = BTreeSet::new();
        lines.into_iter().chain(others).filter(|(_, line)| known.insert(&line.line)).collect()
    }

    /// The words for a figure of one line.
    fn of_one(&self, name: &str) -> String {
        match self.metric {
            Metric::Cold => format!("first of {name}"),
            Metric::Busy => format!("{name}: CPU against time"),
            Metric::Exponent => format!("exponent of {name}"),
            _ => name.to_owned(),
        }
    }

    /// The lines that one line is compared with.
    fn rights<'a>(&self, all: &[Here<'a>], left: &Line) -> Vec<Here<'a>> {
        let is_meant = |(_, line): &Here| {
            (self.right_operation.is_some() || line.line != left.line)
                && (left.jdk.is_none() || line.jdk.is_none() || line.jdk == left.jdk)
                && (!self.same.contains(&Same::Algorithm) || line.algorithm() == left.algorithm())
                && (!self.same.contains(&Same::Transport) || line.line.how() == left.line.how())
                && (!self.releases_early || line.released_bytes.is_some_and(|bytes| bytes > 0))
        };
        let mut all: Vec<Here> = all.iter().copied().filter(is_meant).collect();
        if self.same.contains(&Same::Key) {
            let is_other_mode = |line: &Line| line.mode().is_none() || line.mode() != left.mode();
            all.sort_by_key(|(_, line)| (line.algorithm() != left.algorithm(), is_other_mode(line)));
            all.truncate(1);
        }
        all
    }

    /// A figure of one line at a size, which may be another than that of its cell.
    fn alone(&self, run: &Measured, size: u64, (cell, line): Here) -> Option<Seen> {
        let rate = |times: &ByBlock| {
            let rates = times.iter().map(|(block, ns)| (*block, cell.size as f64 * 1e9 / ns)).collect();
            Seen::of_blocks(Unit::BytesPerSecond, &rates, (cell, line))
        };
        // Counts have no spread.
        let count = |bytes: Option<f64>| Some(Seen::of(Unit::Bytes, [bytes?; 3], true));
        match self.metric {
            // A disturbance lengthens a span's time, and hardly the time that it computes.
            Metric::Busy => {
                Ratio::of_figures(&paired_ratios(&line.cpu, &line.wall), Some(0.0)).map(Seen::from)
            }
            Metric::Cold => {
                let measured = Seen::of_blocks(Unit::Nanoseconds, &line.cold, (cell, line));
                let measured = measured.filter(|_| cell.size == size);
                // A prediction is about the steady time, which is at most as long.
                self.best_known(measured, || Some(Seen::predicted(grown(run, cell, line)?.ahead(size)?)))
            }
            Metric::Rate => rate(&line.wall),
            Metric::CoreRate => rate(&line.cpu),
            Metric::Peak => count(line.peak_bytes.max(line.cold_peak_bytes).map(|bytes| bytes as f64)),
            Metric::Allocated => count(line.allocated_bytes),
            Metric::Exponent => {
                let grown = grown(run, cell, line)?;
                let fit = grown.fit.as_ref().ok()?;
                Some(Seen::of(Unit::Exponent, [fit.low, fit.exponent, fit.high], grown.is_judged()))
            }
            Metric::Time | Metric::TimeOfAll | Metric::Cpu => None,
        }
    }

    /// A figure of two lines.
    fn pair(&self, run: &Measured, size: u64, left: Here, right: Here) -> Option<Seen> {
        let ((cell, left), (other, right)) = (left, right);
        let is_here = std::ptr::eq(cell, other);
        let is_elsewhere = cell.size != size;
        match self.metric {
            Metric::Time if is_here || is_elsewhere => {
                let measured = cell.compare(left, right).filter(|_| is_here);
                let steady = measured.filter(|ratio| !ratio.is_unsteady()).map(Seen::from);
                let known = self.best_known(steady, || {
                    let ahead = Seen::predicted(grown(run, cell, left)?.ahead(size)?);
                    Some(ahead.over(Seen::of_blocks(Unit::Nanoseconds, &right.wall, (other, right))?))
                });
                known.or(measured.map(Seen::from))
            }
            Metric::Cold if is_here => {
                let ratios = paired_ratios(&left.cold, &right.cold);
                Ratio::of_figures(&ratios, cell.unrest(left, right, ratios.len())).map(Seen::from)
            }
            Metric::Time => across((cell, left), (other, right)).map(Seen::from),
            Metric::TimeOfAll => {
                let of = |operation: &Operation| run.cell((&cell.job, cell.size, *operation));
                let cells: Vec<&Cell> = self.operations.iter().map(of).collect::<Option<_>>()?;
                let (one, two) = (together(&cells, left)?, together(&cells, right)?);
                let ratios = paired_ratios(&one, &two);
                let unrests = cells.iter().map(|cell| cell.unrest(left, right, ratios.len()));
                let unrests: Option<Vec<f64>> = unrests.collect();
                let most = unrests.and_then(|all| all.into_iter().reduce(f64::max));
                Ratio::of_figures(&ratios, most).map(Seen::from)
            }
            Metric::Cpu if is_here => cell.compare_cpu(left, right).map(Seen::from),
            _ => None,
        }
    }

    /// The measurement where it has six blocks, or a narrower interval; else the prediction with the measurement beside it.
    fn best_known(&self, measured: Option<Seen>, predict: impl Fn() -> Option<Seen>) -> Option<Seen> {
        let is_short = measured.is_none_or(|seen| seen.blocks < bootstrap::FEWEST_BLOCKS);
        let predicted = if self.or_predicted && is_short { predict() } else { None };
        let (Some(measured), Some(predicted)) = (measured, predicted) else { return measured.or(predicted) };
        let width = |seen: &Seen| if seen.is_interval { seen.high / seen.low } else { f64::INFINITY };
        let beside = Some((measured.median, measured.blocks));
        Some(if width(&predicted) < width(&measured) { Seen { beside, ..predicted } } else { measured })
    }
}

/// The times of a line in all of these cells together, block by block.
fn together(cells: &[&Cell], line: &Line) -> Option<ByBlock> {
    let walls = cells.iter().map(|cell| Some(&cell.line(&line.line)?.wall));
    let walls: Vec<&ByBlock> = walls.collect::<Option<_>>()?;
    let sum = |block: &u64| Some((*block, walls.iter().map(|wall| wall.get(block)).sum::<Option<f64>>()?));
    Some(walls.first()?.keys().filter_map(sum).collect())
}

fn grown<'a>(run: &Measured<'a>, cell: &Cell, line: &Line) -> Option<&'a Grown> {
    growths::find(run.grown, &cell.job, cell.operation, &line.line.first())
}

/// Names the line that took less time than the least that the job can be, by more than lines differ from themselves. The middle
/// of the blocks suffices: where they scatter, the floor was disturbed all the more.
fn beaten((cell, floor): Here) -> Option<String> {
    let is_rival = |line: &&Line| line.line.how() == floor.line.how() && line.line != floor.line;
    let times = |line: &Line| Some((line.engine().to_owned(), cell.compare(line, floor)?));
    let rivals = cell.contestants().filter(is_rival).filter_map(times);
    let noise = |ratio: &Ratio| ratio.noise_floor.unwrap_or(1.0).max(1.0 + DEFAULT_BAND);
    let beats = rivals.filter(|(_, ratio)| !ratio.is_unsteady() && ratio.median * noise(ratio) < 1.0);
    let (name, ratio) = beats.min_by(|one, other| one.1.median.total_cmp(&other.1.median))?;
    let (floor, times) = (format::name(cell, floor), format::factor(ratio.median));
    Some(format!(
        "{name} took {times} × the time of {floor}, the least possible: the measurement of {floor} was disturbed"
    ))
}

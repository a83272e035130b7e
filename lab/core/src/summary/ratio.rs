//! How lines compare.

use super::Line;
use crate::stats;
use crate::stats::bootstrap::{self, Interval};
use crate::stats::verdict::{self, DEFAULT_BAND, Reason, Terms, Verdict};

/// Time of one line over that of another, block by block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    pub median: f64,
    /// The ends of the 95 % interval; below six blocks the smallest and largest.
    pub low: f64,
    pub high: f64,
    pub blocks: usize,
    pub interval: Option<Interval>,
    /// The best time over the best time.
    pub of_minima: f64,
    pub noise_floor: Option<f64>,
    pub verdict: Verdict,
    /// That of questions, which are looked at again and again while they are measured ([`bootstrap::surer`]).
    pub sure: Verdict,
    /// The ends of the interval behind it.
    pub sure_ends: Option<[f64; 2]>,
}

impl Ratio {
    /// True where neither a difference is told, nor a cost so narrowly that it needs no more blocks.
    pub fn is_open(&self) -> bool {
        let is_within = |ends: [f64; 2]| ends[1] / self.median <= NARROW && self.median / ends[0] <= NARROW;
        matches!(self.sure, Verdict::Undecided(_))
            && !self.is_slower()
            && !(self.is_fair() && self.sure_ends.is_some_and(is_within))
    }

    /// True where lines differ from themselves by no more than such an answer tells, and best times do not contradict it.
    fn is_fair(&self) -> bool {
        self.noise_floor.is_some_and(|floor| floor <= NARROW)
            && self.sure != Verdict::Undecided(Reason::Unstable)
    }

    /// True where one of both was still warming up.
    pub fn is_unsteady(&self) -> bool {
        self.verdict == UNSTEADY
    }

    /// Tells nothing of lines one of which was still warming up.
    pub(super) fn of_steady(self, lines: [&Line; 2]) -> Self {
        let is_steady = lines.iter().all(|line| line.is_steady);
        let unsteady = Self { interval: None, verdict: UNSTEADY, sure: UNSTEADY, sure_ends: None, ..self };
        if is_steady { self } else { unsteady }
    }

    /// True where the line is not faster than the other by more than the band: who takes the other takes none that is
    /// worse. (Bechhofer, Annals of Mathematical Statistics 25, 1954, calls the band an indifference zone.)
    pub fn is_no_faster(&self) -> bool {
        let is_within_band = |[low, _]: [f64; 2]| low * (1.0 + DEFAULT_BAND) >= 1.0;
        self.sure == Verdict::Same
            || self.is_slower()
            || self.is_fair() && self.sure_ends.is_some_and(is_within_band)
    }

    /// True where the line is told slower than the other, or by a factor for which it does not matter how far lines differ from
    /// themselves.
    pub fn is_slower(&self) -> bool {
        let is_far = |[low, _]: [f64; 2]| low > FAR && self.sure == Verdict::Undecided(Reason::NoNoiseKnown);
        self.sure == Verdict::Slower || self.sure_ends.is_some_and(is_far)
    }

    /// So many blocks might tell what a line takes beside another.
    pub fn blocks_needed(&self) -> f64 {
        let away = self.median.ln().abs();
        self.blocks_within(away.max(NARROW.ln()))
    }

    /// So many blocks might tell that the line is no faster than the other one.
    pub fn blocks_to_choose(&self) -> f64 {
        self.blocks_within((self.median.ln() + DEFAULT_BAND.ln_1p()).max(LEAST_ROOM))
    }

    /// An interval narrows with the square root of the number of blocks, and that of a question is wider.
    fn blocks_within(&self, room: f64) -> f64 {
        let wider = bootstrap::wider(bootstrap::TAIL_OF_A_LOOK, MANY);
        let more = (wider * (self.high / self.low).ln() / 2.0 / room).powi(2);
        let least = (self.blocks + 2).max(bootstrap::FEWEST_BLOCKS) as f64;
        // The interval of few blocks is that of what is around them.
        if self.blocks < bootstrap::FEWEST_BLOCKS { least } else { (self.blocks as f64 * more).max(least) }
    }

    /// Figures of blocks, whatever their unit, whose only uncertainty is their own interval: the noise between two kinds of
    /// figures is unknown.
    pub fn of_figures(figures: &[f64], unrest: Option<f64>) -> Option<Self> {
        Self::of(figures, stats::median(figures)?, Terms { unrest, ..Terms::default() })
    }

    pub(super) fn of(ratios: &[f64], of_minima: f64, terms: Terms) -> Option<Self> {
        // Neither nothing nor more than all.
        if ratios.iter().any(|ratio| !ratio.is_finite() || *ratio <= 0.0) {
            return None;
        }
        let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let few = || bootstrap::of_few(&logs, terms.unrest?);
        let many = bootstrap::interval(&logs);
        let surer = bootstrap::surer(&logs).or_else(few);
        let interval = many.or_else(few);
        let [verdict, sure] = [&interval, &surer].map(|it| verdict::verdict(it.as_ref(), of_minima, terms));
        let end = |of: fn(&Interval) -> f64, share| {
            interval.as_ref().map(of).or_else(|| stats::quantile(ratios, share))
        };
        let [low, median, high] =
            [end(|it| it.low, 0.0)?, end(|it| it.median, 0.5)?, end(|it| it.high, 1.0)?];
        let (blocks, noise_floor) = (ratios.len(), terms.noise_floor);
        let sure_ends = surer.map(|interval| [interval.low, interval.high]);
        Some(Self { median, low, high, blocks, interval, of_minima, noise_floor, verdict, sure, sure_ends })
    }
}

const UNSTEADY: Verdict = Verdict::Undecided(Reason::Unsteady);

/// Student's distribution of so many blocks is the normal one.
const MANY: usize = 1_000;

/// A cost is told without a difference where its interval reaches no farther on either side than this.
const NARROW: f64 = 1.05;

/// No line differs from itself by this factor.
const FAR: f64 = 2.0;

/// Nearer to a bound than this no number of blocks tells.
const LEAST_ROOM: f64 = 0.002;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    /// Half of these blocks are 1 % above 1.05 and half below, or ten times as far: an answer's interval is 1.8 times as wide.
    #[test]
    fn a_question_needs_the_blocks_that_its_own_interval_needs() {
        let needed = |away: f64| {
            let ratios: Vec<f64> =
                (0..24).map(|block| 1.05 + if block % 2 == 0 { away } else { -away }).collect();
            let ratio = Ratio::of(&ratios, 1.05, Terms::default()).unwrap();
            (ratio.sure, ratio.blocks_needed(), ratio.blocks_to_choose())
        };
        let (sure, blocks, _) = needed(0.01);
        assert_eq!((sure, blocks), (Verdict::Slower, 26.0));
        let (sure, blocks, to_choose) = needed(0.1);
        assert_eq!(sure, Verdict::Undecided(Reason::TooWide));
        // Half of the interval, against what a cost may reach; its middle is nearer to 1.
        let (half, away) = ((1.15_f64 / 0.95).ln() / 2.0, (1.15_f64 * 0.95).ln() / 2.0);
        let is_needed =
            |blocks: f64, room: f64| (blocks / (24.0 * (1.776 * half / room).powi(2)) - 1.0).abs() < 0.01;
        assert!(away < NARROW.ln() && is_needed(blocks, NARROW.ln()), "{blocks}");
        // To choose the other line, this one must not be faster by more than the band.
        assert!(is_needed(to_choose, away + 1.02_f64.ln()), "{to_choose}");
    }
}

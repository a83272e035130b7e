//! Claims: goals, published conclusions and the lab's own frame tests, as data. TOML names the figures that are compared;
//! `figures` finds them in a run.
//!
//! A part is held to its bounds by the verdict that lines are called faster or slower by: the same interval, the same
//! noise, the same second witness. A claim of many parts would be refuted by chance if each of them were judged as if it
//! stood alone, so the intervals that can refute it are wider (Simes' test, by Student's distribution).

mod figures;
#[cfg(test)]
mod tests;

pub use figures::{Measured, Part};

use crate::jobfile::Pattern;
use crate::metrics::Unit;
use crate::protocol::Operation;
use crate::rows::Line;
use crate::stats::bootstrap::{self, Interval};
use crate::stats::verdict::{self, DEFAULT_BAND, Terms, Verdict};
use figures::Seen;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::iter::successors;

/// A sentence, and what has to be seen for it to be confirmed: all of its tests.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Claim {
    pub says: String,
    /// The tests in words, where the sentence alone does not say them.
    pub confirmed_if: String,
    /// Only of JDKs from this major version on.
    pub from_jdk: u64,
    /// Only of JDKs below this major version.
    pub below_jdk: Option<u64>,
    #[serde(rename = "test")]
    pub tests: Vec<Test>,
}

/// One figure for each size, operation and pair of lines that is named, and the bounds it must lie within.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Test {
    /// All jobs where none is named.
    pub job: Option<String>,
    /// Where sizes are named all of them have to be measured; else those count that are there.
    pub sizes: Vec<u64>,
    pub from_size: u64,
    pub to_size: Option<u64>,
    pub operations: Vec<Operation>,
    pub left: Vec<Pattern>,
    /// None where the figure is no ratio of two lines.
    pub right: Vec<Pattern>,
    /// The operation of the right line, if it is another.
    pub right_operation: Option<Operation>,
    /// Attributes that both lines share; they always share their JDK.
    pub same: Vec<Same>,
    pub metric: Metric,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    /// The bound as a speed: 2 is at most half of the time.
    pub times_as_fast: Option<f64>,
    /// One of its figures has to lie within the bounds, not all.
    pub any: bool,
    /// Sizes without an interval are left out, where others have one.
    pub if_measured: bool,
    /// Where it was not measured in enough blocks, smaller sizes predict it.
    pub or_predicted: bool,
    /// The right line does the least that the job can be: what is faster than it shows that it was disturbed.
    pub floor: bool,
    /// Only right lines that hand out plain bytes before the tag is checked.
    pub releases_early: bool,
    /// Another machine may say otherwise.
    pub of_machine: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Same {
    Algorithm,
    Transport,
    /// A line with the same key, else the same key mode, else whatever there is.
    Key,
}

/// The figure that is held to the bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Time of the left line over that of the right one.
    #[default]
    Time,
    /// This metric of all operations together.
    TimeOfAll,
    /// CPU time over CPU time.
    Cpu,
    /// CPU time of a line over its time.
    Busy,
    /// Nanoseconds of the first operation of a fresh process; beside a right line the ratio of both.
    Cold,
    /// The power of the size by which time grows.
    Exponent,
    /// Bytes in a second, by the clock.
    Rate,
    /// Bytes in a second of CPU time.
    CoreRate,
    /// The most memory of a process, in bytes.
    Peak,
    /// Bytes allocated by one operation.
    Allocated,
}

/// A file of claims.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "claim")]
    claims: Vec<Claim>,
}

/// From a file that comes with the program. Should it be broken there is nothing in it; a test says so.
pub fn read(file: &str) -> Vec<Claim> {
    toml::from_str(file).map(|file: File| file.claims).unwrap_or_default()
}

/// The promises of this project, and those about the lab itself.
pub fn goals() -> Vec<Claim> {
    read(include_str!("../../../goals.toml"))
}

impl Test {
    /// True where figures of this size of a job are put to it.
    pub fn concerns(&self, job: &str, size: u64) -> bool {
        self.job.as_deref().is_none_or(|known| known == job)
            && (self.sizes.is_empty() || self.sizes.contains(&size))
            && size >= self.from_size
            && self.to_size.is_none_or(|most| size <= most)
    }

    /// True where figures of left lines are put to it.
    pub fn is_of(&self, operation: Operation) -> bool {
        self.operations.is_empty() || self.operations.contains(&operation)
    }

    /// True where figures of an operation are put to it.
    pub fn times(&self, operation: Operation) -> bool {
        self.is_of(operation) || self.right_operation == Some(operation)
    }

    /// The operations which one figure is made of: they have to be timed in the same blocks.
    pub fn together(&self, operation: Operation) -> BTreeSet<Operation> {
        let all = if self.metric == Metric::TimeOfAll { &*self.operations } else { &[operation] };
        all.iter().copied().chain(self.right_operation).collect()
    }

    /// True where smaller sizes tell it, too.
    pub fn is_by_growth(&self) -> bool {
        self.metric == Metric::Exponent || self.or_predicted
    }

    /// The upper bound.
    fn most(&self) -> Option<f64> {
        self.at_most.or(self.times_as_fast.map(|times| 1.0 / times))
    }

    fn finding_of(&self, part: &Part, chances: usize, count: usize) -> Finding {
        // Where one figure suffices, each of them may confirm the test by chance.
        let (to_confirm, to_refute) = if self.any { (count, 1) } else { (1, chances) };
        let seen = part.seen.filter(|_| part.spoilt.is_none());
        seen.map_or(Finding::Undecided, |seen| self.finding(&seen, to_confirm, to_refute))
    }

    /// A prediction that the few blocks which were measured contradict decides nothing.
    fn finding(&self, seen: &Seen, to_confirm: usize, to_refute: usize) -> Finding {
        use Verdict::{Faster, Same, Slower};
        let (least, most) = (self.at_least, self.most());
        let is_within =
            |value: f64| least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most);
        // A count is what it is, and nothing at all has no ratio to a bound.
        if seen.unit == Unit::Bytes {
            return if is_within(seen.median) { Finding::Confirmed } else { Finding::Refuted };
        }
        let lies = |bound, sides: &[Verdict], chances| sides.contains(&beside(seen, bound, chances));
        let is_out = least.is_some_and(|least| lies(least, &[Faster, Same], to_refute))
            || most.is_some_and(|most| lies(most, &[Slower, Same], to_refute));
        let is_in = least.is_none_or(|least| lies(least, &[Slower], to_confirm))
            && most.is_none_or(|most| lies(most, &[Faster], to_confirm));
        match seen.beside {
            _ if is_in == is_out => Finding::Undecided,
            Some((median, _)) if is_within(median) != is_in => Finding::Undecided,
            _ if is_in => Finding::Confirmed,
            _ => Finding::Refuted,
        }
    }
}

impl Claim {
    /// True for JDKs of this major version.
    pub fn is_about(&self, jdk: u64) -> bool {
        jdk >= self.from_jdk && self.below_jdk.is_none_or(|below| jdk < below)
    }

    /// True where figures of this line are put to a test at this size.
    pub fn names(&self, job: &str, size: u64, line: &Line, family: &str) -> bool {
        let sides = |test: &Test| test.left.iter().chain(&test.right).any(|it| it.matches(line, family));
        self.tests.iter().any(|test| test.concerns(job, size) && sides(test))
    }

    /// Holds it against what a run has seen.
    pub fn judge(&self, run: &Measured) -> Judged {
        let of_tests = self.tests.iter().map(|test| (test, test.parts(run))).collect::<Vec<_>>();
        // So many figures that were measured may refute the claim, each by chance. (Simes, Biometrika 73, 1986: several of them
        // are seldom wrong at once, if each is wrong as seldom as their part of all allows.)
        let count = |is_it: &dyn Fn(&Test, &Part) -> bool| {
            let each = of_tests.iter().filter(|(test, _)| !test.any);
            each.map(|(test, parts)| parts.iter().filter(|part| is_it(test, part)).count()).sum::<usize>()
        };
        let all = count(&|_, part| part.spoilt.is_none() && part.seen.is_some_and(|seen| seen.is_interval));
        let refuted = |chances| count(&|test, part| test.finding_of(part, chances, 1) == Finding::Refuted);
        let mut steps = successors(Some(1), |chances| Some(2 * chances)).take_while(|chances| *chances < all);
        let chances = steps.find(|chances| refuted(*chances) >= all.div_ceil(*chances)).unwrap_or(all);
        let (mut findings, mut all, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (test, mut parts)) in of_tests.into_iter().enumerate() {
            if parts.is_empty() && test.sizes.is_empty() {
                continue;
            }
            let count = parts.len();
            parts.iter_mut().for_each(|part| part.finding = test.finding_of(part, chances, count));
            let each: Vec<Finding> = parts.iter().map(|part| part.finding).collect();
            let finding = Finding::joined(&each, test.any);
            let is_open = |part: &Part| [finding, part.finding] == [Finding::Undecided; 2];
            let at = all.len();
            open.extend((at..).zip(&parts).filter(|(_, part)| is_open(part)).map(|(at, _)| (number, at)));
            findings.push((test.of_machine, finding));
            all.extend(parts);
        }
        let finding = joined(&findings);
        let is_decidable = finding == Finding::Undecided && all.iter().all(|part: &Part| part.seen.is_some());
        open.retain(|_| is_decidable);
        Judged { finding, open, parts: all }
    }
}

/// The end of a claim, or of a part of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finding {
    Confirmed,
    Refuted,
    #[default]
    Undecided,
}

impl Finding {
    /// All of them have to hold, or any one.
    fn joined(findings: &[Self], any: bool) -> Self {
        let (one, all) =
            if any { (Self::Confirmed, Self::Refuted) } else { (Self::Refuted, Self::Confirmed) };
        match findings {
            _ if findings.contains(&one) => one,
            [_, ..] if findings.iter().all(|finding| *finding == all) => all,
            _ => Self::Undecided,
        }
    }
}

/// A claim that was put to the test.
pub struct Judged {
    pub finding: Finding,
    /// The places of tests that are undecided, and of the parts that would decide them; none where a figure is missing that
    /// one of them needs.
    pub open: Vec<(usize, usize)>,
    pub parts: Vec<Part>,
}

/// Times that a faster machine outruns refute a claim together with what does not depend on the machine, and neither of
/// the two does alone.
fn joined(findings: &[(bool, Finding)]) -> Finding {
    let of = |of_machine: bool| findings.iter().filter(move |(is_of, _)| *is_of == of_machine);
    let groups = [true, false].map(|of_machine| of(of_machine).map(|(_, end)| *end).collect::<Vec<_>>());
    let mut ends = groups.iter().filter(|group| !group.is_empty()).map(|group| Finding::joined(group, false));
    let first = ends.next().unwrap_or_default();
    if ends.all(|end| end == first) { first } else { Finding::Undecided }
}

/// A figure beside a bound, as the verdict on two lines, if that can be told among so many chances to be wrong.
fn beside(seen: &Seen, bound: f64, chances: usize) -> Verdict {
    let Seen { low, median, high, blocks, noise_floor, .. } = *seen;
    let interval = Interval { low, median, high }.widened(wider(chances, blocks)).map(|end| end / bound);
    // Tables call two lines the same within a band; any other bound is just itself.
    let band = if seen.unit == Unit::Ratio && bound == 1.0 { DEFAULT_BAND } else { 0.0 };
    let terms = Terms { band, noise_floor, ..Terms::default() };
    verdict::verdict(seen.is_interval.then_some(&interval), seen.of_minima / bound, terms)
}

/// How much wider an interval of 95 % has to be among so many chances. Runs look at claims again and again, as at questions.
/// An interval of few blocks, which comes from all lines around, is made for such looks; it widens like one of six.
fn wider(chances: usize, blocks: usize) -> f64 {
    let tail = match blocks {
        ..bootstrap::FEWEST_BLOCKS if chances < 2 => return 1.0,
        ..bootstrap::FEWEST_BLOCKS => 0.0125,
        _ => bootstrap::TAIL_OF_A_LOOK,
    };
    bootstrap::wider(tail / chances.max(1) as f64, blocks.max(bootstrap::FEWEST_BLOCKS))
}

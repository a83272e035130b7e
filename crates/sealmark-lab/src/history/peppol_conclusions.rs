//! The six conclusions of peppol-gcm, each with the rule that decides it today, on one JDK.

use super::conclusions::Conclusion;
use super::fate::{Beside, Claim, Fate, Measure, Part, Seen};
use super::peppol_gcm::{ALGORITHM, JOB, SHAPE, bytes, cell, conclusions, figures, line, major, sizes};
use crate::protocol::Operation::{self, Open, Seal};
use crate::rows;
use crate::stats::growth::PROPORTIONAL;
use crate::stats::{ByBlock, bootstrap};
use crate::summary::growths::{self, Ahead, Grown};
use crate::summary::{Cell, Line, Ratio};
use crate::units;

/// What has to be seen, conclusion by conclusion, for it to be confirmed. The bounds are those that the published tables
/// bear out; where they contradict what was said of them, it says so. lab/history/peppol-gcm.md has the same text.
pub const RULES: [&str; 6] = [
    "SunJCE takes less time than Bouncy Castle to seal each published size from 5 MB on that has six blocks, 100 MB in any \
     case (published: 0.15 to 0.40 ×; at 1 MB the tables say the opposite on all but Java 8)",
    "on JDKs below 21 SunJCE takes at least 2 × the time of Bouncy Castle to open 5 MB (published: 16 to 42), its exponent's \
     interval lies above 1.05, and 100 MB take at least 100 × (published: 381 to 1250), measured in six blocks or \
     predicted; that Java 12 is worst cannot be tested here, where it is then only",
    "on JDKs below 21 the first opening of a fresh process takes at most 3 s, on this machine, at each published size to 5 \
     MB that has six blocks (published: 2.0 to 2.4 s, but 4.4 s on Java 12: refuted by its own table)",
    "on JDKs below 21 opening takes at least 24 × the time of Bouncy Castle at 10 MB (published: 38 to 107) and 157 × at 100 \
     MB (published: 381 to 1250), as many times as 5 s and 5 minutes were where it was published, and on this machine the \
     first opening of 10 MB takes more than 5 s and 100 MB more than 5 minutes, measured in six blocks or predicted; where \
     only the ratios or only the times fail, the machine or Bouncy Castle may be the reason, and it is undecided",
    "from JDK 21 on the interval of the exponent of SunJCE's opening lies below 1.2, and 100 MB take at most 2 × the time of \
     Bouncy Castle (published: 1.21)",
    "from JDK 21 on SunJCE takes less time than Bouncy Castle to seal 100 MB (published: 0.18 ×), and less to seal and open \
     them (0.71 ×); in opening alone Bouncy Castle was the faster (1.21 ×)",
];

/// The first JDK in which opening was mended (JDK-8298249).
const MENDED: u64 = 21;

/// Bounds of the rules above.
const DEGRADED: f64 = 2.0;
const HOPELESS: f64 = 100.0;
const TOLERABLE_NS: f64 = 3e9;
const INTOLERABLE_NS: f64 = 5e9;
const MINUTES_NS: f64 = 300e9;
/// So many times what Bouncy Castle took were they at the most where they were published: 204 ms and 1.91 s on Java 17.
const INTOLERABLE: f64 = 24.0;
const MINUTES: f64 = 157.0;
const LINEAR: f64 = 1.2;
const NEAR: f64 = 2.0;

/// All six in the published order; none where the conclusion is about other JDKs.
pub fn on(cells: &[Cell], grown: &[Grown], jdk: &str) -> Vec<Option<Conclusion>> {
    let today = Today { cells, grown, jdk };
    let is_mended = major(jdk) >= MENDED;
    let parts = |at: usize| match at {
        0 => Some(today.sealing()),
        1 if !is_mended => Some(today.degrading()),
        2 if !is_mended => Some(today.tolerable()),
        3 if !is_mended => Some(today.minutes()),
        4 if is_mended => Some(today.solved()),
        5 if is_mended => Some(today.better()),
        _ => None,
    };
    let conclusion = |(at, sentence): (usize, String)| {
        let parts = parts(at)?;
        let fate = if at == 3 { Fate::of_all_anywhere(&parts) } else { Fate::of_all(&parts) };
        Some(Conclusion { sentence, rule: RULES[at], fate, parts })
    };
    conclusions().into_iter().enumerate().map(conclusion).collect()
}

struct Today<'a> {
    cells: &'a [Cell],
    grown: &'a [Grown],
    jdk: &'a str,
}

const SUN: &str = "SunJCE";
const BC: &str = "BC";

impl<'a> Today<'a> {
    fn line(&self, cell: Option<&'a Cell>, engine: &str) -> Option<&'a Line> {
        line(cell?, self.jdk, engine)
    }

    /// SunJCE's line against Bouncy Castle's, steady.
    fn against(&self, size: u64, operation: Operation, claim: Claim) -> Part {
        let cell = cell(self.cells, size, operation);
        let pair = self.line(cell, SUN).zip(self.line(cell, BC));
        claim.test(format!("{}: SunJCE against Bouncy Castle", at(operation, size)), cell, pair)
    }

    /// Published sizes that SunJCE was measured at in enough blocks to decide something; all of them where there are none.
    fn sizes(&self, operation: Operation, is_in: impl Fn(u64) -> bool) -> Vec<u64> {
        let published = sizes(&figures()).into_iter().map(|(size, _)| size);
        let blocks =
            |size| self.line(cell(self.cells, size, operation), SUN).map_or(0, |line| line.wall.len());
        let measured: Vec<u64> = published.filter(|size| is_in(*size) && blocks(*size) > 0).collect();
        let is_judged = |size: &u64| blocks(*size) >= bootstrap::FEWEST_BLOCKS;
        let judged: Vec<u64> = measured.iter().copied().filter(is_judged).collect();
        if judged.is_empty() { measured } else { judged }
    }

    fn sealing(&self) -> Vec<Part> {
        let mut sizes = self.sizes(Seal, |size| size >= bytes(5.0));
        // What it was published about: without it nothing is confirmed.
        let named = bytes(100.0);
        if !sizes.contains(&named) {
            sizes.push(named);
        }
        sizes.into_iter().map(|size| self.against(size, Seal, Claim::at_most(1.0))).collect()
    }

    fn degrading(&self) -> Vec<Part> {
        vec![
            self.against(bytes(5.0), Open, Claim::at_least(DEGRADED)),
            self.exponent(Claim::at_least(PROPORTIONAL)),
            self.against_or_predicted(bytes(100.0), Claim::at_least(HOPELESS)),
        ]
    }

    fn tolerable(&self) -> Vec<Part> {
        let sizes = self.sizes(Open, |size| size <= bytes(5.0));
        sizes.into_iter().map(|size| self.first(size, Claim::at_most(TOLERABLE_NS))).collect()
    }

    fn minutes(&self) -> Vec<Part> {
        let (ten, hundred) = (bytes(10.0), bytes(100.0));
        vec![
            self.against(ten, Open, Claim::at_least(INTOLERABLE)),
            self.against_or_predicted(hundred, Claim::at_least(MINUTES)),
            self.first(ten, Claim::at_least(INTOLERABLE_NS)),
            self.first_or_predicted(hundred, Claim::at_least(MINUTES_NS)),
        ]
    }

    fn solved(&self) -> Vec<Part> {
        let near = self.against_or_predicted(bytes(100.0), Claim::at_most(NEAR));
        vec![self.exponent(Claim::at_most(LINEAR)), near]
    }

    fn better(&self) -> Vec<Part> {
        let size = bytes(100.0);
        let less = Claim::at_most(1.0);
        let what = format!("seal and open, {}: SunJCE against Bouncy Castle", name(size));
        vec![self.against(size, Seal, less), less.judge(what, self.both_ways(size).map(Seen::from))]
    }

    /// Sealing and opening together, block by block.
    fn both_ways(&self, size: u64) -> Option<Ratio> {
        let together = |engine: &str| -> Option<ByBlock> {
            let wall = |operation| Some(&self.line(cell(self.cells, size, operation), engine)?.wall);
            let (seal, open) = (wall(Seal)?, wall(Open)?);
            Some(seal.iter().filter_map(|(block, ns)| Some((*block, ns + open.get(block)?))).collect())
        };
        Ratio::paired(&together(SUN)?, &together(BC)?)
    }

    /// The first operation of fresh processes.
    fn first(&self, size: u64, claim: Claim) -> Part {
        let cold = self.cold(size).map(|(seen, _)| seen);
        claim.judge(format!("{}: first of SunJCE", at(Open, size)), cold).on_this_machine()
    }

    fn cold(&self, size: u64) -> Option<(Seen, usize)> {
        let line = self.line(cell(self.cells, size, Open), SUN)?;
        Some((first_seen(&line.cold)?, line.cold.len()))
    }

    /// A prediction is about the steady time, which is at most as long.
    fn first_or_predicted(&self, size: u64, claim: Claim) -> Part {
        let predicted = self.ahead(size).map(|ahead| seen(Measure::Nanoseconds, &ahead));
        let seen = best_known(self.cold(size), predicted);
        let first = if seen.is_some_and(|seen| seen.is_predicted) { "" } else { "first of " };
        claim.judge(format!("{}: {first}SunJCE", at(Open, size)), seen).on_this_machine()
    }

    fn exponent(&self, claim: Claim) -> Part {
        let fit = self.grown().and_then(|grown| Some((grown.fit.as_ref().ok()?, grown.is_judged())));
        let seen = fit.map(|(fit, is_interval)| Seen {
            of: Measure::Exponent,
            median: fit.exponent,
            low: fit.low,
            high: fit.high,
            is_interval,
            is_predicted: false,
            beside: None,
        });
        claim.judge("open: exponent of SunJCE".into(), seen)
    }

    fn grown(&self) -> Option<&'a Grown> {
        let engine =
            self.cells.iter().find_map(|cell| Some(line(cell, self.jdk, SUN)?.line.engine.clone()))?;
        let line = rows::Line { engine, algorithm: ALGORITHM.into(), shape: SHAPE, again: false };
        growths::find(self.grown, JOB, Open, &line)
    }

    /// What SunJCE would take to open a size by those below it.
    fn ahead(&self, size: u64) -> Option<Ahead> {
        self.grown()?.ahead(size)
    }

    /// Where SunJCE was not run, or not often enough, its predicted time against the one that Bouncy Castle took.
    fn against_or_predicted(&self, size: u64, claim: Claim) -> Part {
        let cell = cell(self.cells, size, Open);
        let (sun, other) = (self.line(cell, SUN), self.line(cell, BC));
        let ratio = || cell?.compare(sun?, other?);
        let measured = ratio().map(|ratio| (Seen::from(ratio), ratio.blocks));
        let times = other.map(|other| other.wall.values().copied().collect::<Vec<_>>());
        let ahead = self.ahead(size).zip(times).and_then(|(ahead, times)| ahead.over(&times));
        let predicted = ahead.map(|ahead| seen(Measure::Ratio, &ahead));
        claim.judge(
            format!("{}: SunJCE against Bouncy Castle", at(Open, size)),
            best_known(measured, predicted),
        )
    }
}

/// What was measured, where it has an interval; else the prediction with what was measured beside it.
fn best_known(measured: Option<(Seen, usize)>, predicted: Option<Seen>) -> Option<Seen> {
    match (measured, predicted) {
        (Some((measured, blocks)), Some(predicted)) if !measured.is_interval && predicted.is_interval => {
            Some(Seen { beside: Some(Beside { median: measured.median, blocks }), ..predicted })
        }
        (Some((measured, _)), _) => Some(measured),
        (None, predicted) => predicted,
    }
}

fn at(operation: Operation, size: u64) -> String {
    format!("{operation}, {}", name(size))
}

/// As it was published.
fn name(size: u64) -> String {
    let known = sizes(&figures()).into_iter().find(|(bytes, _)| *bytes == size);
    known.map_or_else(|| units::size(size), |(_, name)| name)
}

fn seen(of: Measure, ahead: &Ahead) -> Seen {
    let range = ahead.range();
    let (low, high) = range.unwrap_or((ahead.ns, ahead.ns));
    let is_interval = ahead.is_judged && range.is_some();
    Seen { of, median: ahead.ns, low, high, is_interval, is_predicted: true, beside: None }
}

fn first_seen(cold: &ByBlock) -> Option<Seen> {
    let logs: Vec<f64> = cold.values().map(|ns| ns.ln()).collect();
    let interval = bootstrap::interval(&logs);
    let end = |share| crate::stats::quantile(&cold.values().copied().collect::<Vec<_>>(), share);
    Some(Seen {
        of: Measure::Nanoseconds,
        median: end(0.5)?,
        low: interval.map(|interval| interval.low).or_else(|| end(0.0))?,
        high: interval.map(|interval| interval.high).or_else(|| end(1.0))?,
        is_interval: interval.is_some(),
        is_predicted: false,
        beside: None,
    })
}

#[cfg(test)]
mod tests;

//! Which lines a budget pays for, judged before anything is measured.

use crate::claims::Claim;
use crate::measure::ramp::{COMPILED_BEFORE, PATIENCE};
use crate::measure::{Entry, Errand};
use crate::plan::FEWEST_BLOCKS;
use crate::rows::Line;
use std::time::Duration;

/// Lines of an errand that were taken out of it.
pub struct LeftOut {
    /// The place of the errand.
    pub at: usize,
    pub lines: Vec<Line>,
    /// So many it had.
    pub of: usize,
    /// How long they would take.
    pub time: Duration,
}

/// The part of a budget that first blocks may take: doubts need time, too.
const FIRST: f64 = 0.9;

/// Takes out of the errands what the budget does not pay for. Lines that a published conclusion names stay before
/// others, and those of the newest JDK before those of older ones.
pub fn leave_out(errands: &mut [Errand], budget: Duration, claims: &[Claim]) -> Vec<LeftOut> {
    let needs = |errand: &Errand| (seconds(errand).sum(), errand.size.budget_seconds.max(1) as f64);
    let needed: Vec<(f64, f64)> = errands.iter().map(needs).collect();
    let granted = granted(&needed, budget.as_secs_f64() * FIRST);
    let all = errands.iter_mut().zip(granted).enumerate();
    let left_out = all.filter_map(|(at, (errand, granted))| {
        let of = errand.entries.len();
        let lines = shorten(errand, granted, claims);
        let time = lines.iter().map(|(_, seconds)| seconds).sum();
        let lines: Vec<Line> = lines.into_iter().map(|(line, _)| line).collect();
        (!lines.is_empty()).then(|| LeftOut { at, lines, of, time: Duration::from_secs_f64(time) })
    });
    left_out.collect()
}

/// Seconds for each of those that need so many: its share by weight, and what others do not need of theirs.
fn granted(needed: &[(f64, f64)], mut left: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..needed.len()).collect();
    let for_its_weight = |at: &usize| needed[*at].0 / needed[*at].1;
    order.sort_by(|a, b| for_its_weight(a).total_cmp(&for_its_weight(b)));
    let mut weights: f64 = needed.iter().map(|(_, weight)| weight).sum();
    let mut granted = vec![0.0; needed.len()];
    for at in order {
        let (seconds, weight) = needed[at];
        granted[at] = seconds.min(left * weight / weights);
        left -= granted[at];
        weights -= weight;
    }
    granted
}

/// Takes out of an errand what the seconds do not suffice for, the least wanted first.
fn shorten(errand: &mut Errand, granted: f64, claims: &[Claim]) -> Vec<(Line, f64)> {
    let seconds: Vec<f64> = seconds(errand).collect();
    if seconds.iter().sum::<f64>() <= granted {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..seconds.len()).collect();
    order.sort_by_cached_key(|at| rank(errand, &errand.entries[*at], claims));
    let (mut spent, mut is_left_out) = (0.0, vec![false; seconds.len()]);
    for at in order {
        spent += seconds[at];
        is_left_out[at] = spent > granted && !is_needed(errand, &errand.entries[at]);
    }
    let mut lines = Vec::new();
    let mut judged = is_left_out.into_iter().zip(seconds);
    errand.entries.retain(|entry| match judged.next() {
        Some((true, seconds)) => {
            lines.push((entry.line.clone(), seconds));
            false
        }
        _ => true,
    });
    lines
}

/// True for a line that others are compared with.
fn is_needed(errand: &Errand, entry: &Entry) -> bool {
    entry.is_yardstick() || entry.line.again || errand.reference.as_ref() == Some(&entry.line)
}

/// The least is wanted most: needed, named by a conclusion, of the newest JDK.
fn rank(errand: &Errand, entry: &Entry, claims: &[Claim]) -> (bool, bool, usize) {
    let (job, size, engine) = (errand.job.job.name, errand.size.amount, entry.candidate.engine);
    let is_named = claims.iter().any(|claim| claim.names(job, size, &entry.line, &engine.family));
    let major =
        |entry: &Entry| entry.candidate.engine.jdk.as_ref().map(|jdk| crate::jdks::major(&jdk.version));
    let newer = errand.entries.iter().filter(|other| other.candidate.engine.family == engine.family);
    let newer =
        newer.filter(|other| other.line.algorithm() == entry.line.algorithm() && major(other) > major(entry));
    (!is_needed(errand, entry), !is_named, newer.count())
}

/// What each line takes for its check and the first blocks.
fn seconds(errand: &Errand) -> impl Iterator<Item = f64> {
    errand.entries.iter().map(|entry| line_seconds(errand, entry))
}

/// Seconds of starting a process and ending it, by what machines of two cores showed; within a third of the truth, mostly.
const START: f64 = 0.05;
const JVM_START: f64 = 0.4;

/// Seconds of warming up, at the least: of native code, of a compiler's, and of one whose process does one operation.
const WARM: f64 = 0.1;
const JVM_WARM: f64 = 0.4;
const JVM_WARM_ALONE: f64 = 1.4;

/// For so many times the ramp's length a compiler takes to settle; where a process does one operation it is the patience.
const SETTLING: f64 = 1.3;

/// Bytes a second.
const SPEED: f64 = 1.5e9;
const JVM_SPEED: f64 = 1e8;

fn line_seconds(errand: &Errand, entry: &Entry) -> f64 {
    let (job, size) = (errand.job.job, errand.size);
    let is_jvm = entry.candidate.engine.jdk.is_some();
    let (start, speed) = if is_jvm { (JVM_START, JVM_SPEED) } else { (START, SPEED) };
    let bytes = if job.is_in_bytes() { size.amount } else { 0 };
    let (operations, each) = (job.operations.len() as f64, bytes as f64 / speed);
    let span = size.sample_ms as f64 / 1e3;
    let starts = if job.is_alone { operations } else { 1.0 };
    let check = starts * start + 2.0 * each * operations;
    let block = if job.is_alone {
        operations * (start + warm(errand, is_jvm) + 2.0 * each + span)
    } else if job.on_files {
        operations * each
    } else {
        start + warm(errand, is_jvm) + operations * job.passes() as f64 * span
    };
    check + size.blocks.min(FEWEST_BLOCKS) as f64 * block
}

fn warm(errand: &Errand, is_jvm: bool) -> f64 {
    let (job, size) = (errand.job.job, errand.size);
    let ramp = size.ramp_ms as f64 / 1e3;
    let is_alone = job.is_alone;
    let (settling, least) = if is_alone { (PATIENCE as f64, JVM_WARM_ALONE) } else { (SETTLING, JVM_WARM) };
    match is_jvm {
        true if size.blocks > 1 => (settling * ramp).max(least),
        true => ramp,
        // A crowd of threads takes as long as a span.
        false if job.wakes_a_crowd => size.sample_ms as f64 / 1e3 + WARM,
        false => ramp / COMPILED_BEFORE as f64 + WARM,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::engine::{self, Engine};
    use crate::jobfile::{Plan, Planned};
    use crate::measure::Candidate;
    use proptest::prelude::*;

    const ENGINES: [&str; 4] = ["first", "second", "third", "fourth"];

    fn job() -> Planned {
        let plan = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"codec\"\n[[job.size]]\nbytes = 49\n\
                    blocks = 6\nbudget_seconds = 10\ntimeout_seconds = 5\nramp_ms = 100\n";
        Plan::parse(plan, "x").unwrap().jobs.remove(0)
    }

    /// The engines that are left, and those that were left out, for so many seconds.
    fn left(seconds: f64, claims: &[Claim]) -> (Vec<String>, Vec<String>) {
        let job = job();
        let stanzas: Vec<Engine> =
            ENGINES.iter().map(|name| engine::in_memory_for_tests(name, "codec", "base64")).collect();
        let candidates: Vec<Candidate> =
            stanzas.iter().map(|engine| Candidate { engine, command: Vec::new() }).collect();
        let line = |candidate: &Candidate, again| Line { again, ..candidate.engine.lines(&job).remove(0) };
        let mut entries: Vec<Entry> =
            candidates.iter().map(|candidate| Entry { candidate, line: line(candidate, false) }).collect();
        entries.push(Entry { candidate: &candidates[0], line: line(&candidates[0], true) });
        let reference = Some(line(&candidates[0], false));
        let mut errands = [Errand { job: &job, size: &job.sizes[0], entries, reference }];
        let left_out = leave_out(&mut errands, Duration::from_secs_f64(seconds), claims);
        let told = left_out.iter().flat_map(|left_out| &left_out.lines);
        let told: Vec<String> = told.map(|line| line.engine.clone()).collect();
        assert!(left_out.iter().all(|one| one.of == 5 && one.time > Duration::ZERO));
        (errands[0].entries.iter().map(|entry| entry.line.engine.clone()).collect(), told)
    }

    #[test]
    fn a_budget_leaves_out_what_it_does_not_pay_for_and_never_what_others_are_held_against() {
        let (all, none) = left(60.0, &[]);
        assert_eq!((all.len(), none.len()), (5, 0));
        let (least, most) = left(0.001, &[]);
        assert_eq!(
            (least, most),
            (vec!["first".into(), "first".into()], vec!["second".into(), "third".into(), "fourth".into()])
        );
        // Room for one more: the first of the plan, or the one that a conclusion names.
        let seconds = 3.5 * job_seconds() / FIRST;
        assert_eq!(left(seconds, &[]).1, ["third", "fourth"]);
        let claim = "says = \"x\"\n[[test]]\njob = \"codec\"\nleft = [\"fourth\"]\nright = [\"first\"]\n";
        let claims: Vec<Claim> = vec![toml::from_str(claim).unwrap()];
        assert_eq!(left(seconds, &claims).1, ["second", "third"]);
    }

    /// What one of the lines takes.
    fn job_seconds() -> f64 {
        let (job, engine) = (job(), engine::in_memory_for_tests("first", "codec", "base64"));
        let candidate = Candidate { engine: &engine, command: Vec::new() };
        let entries = vec![Entry { candidate: &candidate, line: engine.lines(&job).remove(0) }];
        seconds(&Errand { job: &job, size: &job.sizes[0], entries, reference: None }).sum()
    }

    proptest! {
        #[test]
        fn nobody_gets_more_than_needed_nor_all_together_more_than_there_is(
            needed in prop::collection::vec((0.1f64..1e4, 1.0f64..1e4), 1..12),
            budget in 1.0f64..1e4,
        ) {
            let granted = granted(&needed, budget);
            let (all, sum): (f64, f64) = (needed.iter().map(|(seconds, _)| seconds).sum(), granted.iter().sum());
            prop_assert!((sum - all.min(budget)).abs() < 1e-6 * all, "{sum} of {budget}, {all} needed");
            prop_assert!(granted.iter().zip(&needed).all(|(granted, (seconds, _))| granted <= seconds));
            // Whoever gets less than it needs gets its share at the least.
            let weights: f64 = needed.iter().map(|(_, weight)| weight).sum();
            for (granted, (seconds, weight)) in granted.iter().zip(&needed) {
                prop_assert!(*granted >= seconds.min(budget * weight / weights) - 1e-6 * budget);
            }
        }
    }
}

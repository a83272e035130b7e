//! Chooses the measurements that a budget pays for, judged over all sizes together before anything is measured.
//!
//! A publication's conclusions come first: all that one of them compares on a JDK, or nothing of it. Each is paid for on
//! the newest JDK that it is about before any of them on an older one, the cheapest first.

use crate::claims::{Claim, Metric, Test};
use crate::format;
use crate::history::Figure;
use crate::jdks;
use crate::jobfile::Pattern;
use crate::measure::ramp::{COMPILED_BEFORE, PATIENCE};
use crate::measure::{Entry, Trial};
use crate::plan::{self, FEWEST_BLOCKS};
use crate::protocol::Operation;
use crate::select;
use crate::stats::{growth, median, slopes};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Measurements that were taken out of a trial.
pub struct LeftOut {
    /// The place of the trial.
    pub at: usize,
    /// Lines, or operations of them.
    pub what: Vec<String>,
    /// So many it had.
    pub of: usize,
    /// How long they would take.
    pub time: Duration,
}

/// The part of a budget that may be promised before anything is known of the machine: guesses of runs that were looked at were
/// off by an eighth, and a size of one block tells nothing.
const FIRST: f64 = 0.8;

/// Takes out of the trials what the budget does not pay for. Returns also for each trial if a conclusion needs it; where
/// there are no conclusions all are needed.
pub fn leave_out(
    trials: &mut [Trial],
    budget: Duration,
    claims: &[Claim],
    figures: &[Figure],
) -> (Vec<LeftOut>, Vec<bool>) {
    let all_needed = vec![true; trials.len()];
    let budget = budget.mul_f64(FIRST);
    let parts = Parts::of(trials, figures);
    if parts.all.iter().map(Part::least).sum::<Duration>() <= budget {
        return (Vec::new(), all_needed);
    }
    let mut chosen = parts.for_claims(claims, budget);
    let needed = if claims.is_empty() { all_needed } else { parts.needed(&chosen) };
    parts.fill(&mut chosen, budget, claims);
    let (chosen, left): (Vec<_>, Vec<_>) =
        parts.all.into_iter().enumerate().partition(|(number, _)| chosen.contains_key(number));
    let shortened = |(at, trial): (usize, &mut Trial)| {
        let is_here = |(_, part): &&(usize, Part)| part.at == at;
        let left: Vec<&Part> = left.iter().filter(is_here).map(|(_, part)| part).collect();
        if left.is_empty() {
            return None;
        }
        let what = left.iter().map(|part| part.name(trial)).collect();
        let of = left.len() + chosen.iter().filter(is_here).count();
        let time = left.iter().map(|part| part.least()).sum();
        shorten(trial, &left);
        Some(LeftOut { at, what, of, time })
    };
    (trials.iter_mut().enumerate().filter_map(shortened).collect(), needed)
}

/// How long the checks and first blocks of each take.
pub fn needed(trials: &[Trial], figures: &[Figure]) -> Vec<Duration> {
    let mut needed = vec![Duration::ZERO; trials.len()];
    Parts::of(trials, figures).all.iter().for_each(|part| needed[part.at] += part.least());
    needed
}

/// Takes parts out of a trial. The lines that run twice are chosen anew, without the second times that were taken out
/// themselves.
fn shorten(trial: &mut Trial, left: &[&Part]) {
    let is_wanted = |entry: &Entry| entry.without.len() < trial.job.job.operations.len();
    let mut entries = std::mem::take(&mut trial.entries);
    for part in left {
        entries[part.entry].without.extend(part.operations);
    }
    let twins: Vec<Entry> = entries.extract_if(.., |entry| entry.line.again).collect();
    entries.retain(is_wanted);
    let mut shorter = select::among(trial.job, trial.size, entries);
    for entry in shorter.entries.iter_mut().filter(|entry| entry.line.again) {
        let paid = twins.iter().find(|twin| twin.line == entry.line).or(twins.first());
        entry.without.extend(paid.iter().flat_map(|twin| &twin.without));
    }
    shorter.entries.retain(is_wanted);
    *trial = shorter;
}

/// The least that is measured or left out: a line of a trial, or an operation of it where each has processes of its own.
struct Part {
    at: usize,
    entry: usize,
    operations: &'static [Operation],
    /// The time of its check, and of a block.
    check: Duration,
    block: Duration,
    most_blocks: usize,
    /// One operation would take longer than anybody waits.
    is_too_long: bool,
}

impl Part {
    fn time(&self, blocks: usize) -> Duration {
        self.check + self.block * blocks.min(self.most_blocks) as u32
    }

    fn least(&self) -> Duration {
        self.time(FEWEST_BLOCKS)
    }

    fn name(&self, trial: &Trial) -> String {
        let line = &trial.entries[self.entry].line;
        let operation = self.operations.first().filter(|_| trial.job.job.own_process);
        let operation = operation.map(|operation| format!(", {operation}")).unwrap_or_default();
        format::full_name(line, true) + &operation
    }
}

/// How many blocks of which parts.
type Chosen = BTreeMap<usize, usize>;

struct Parts<'a, 'b> {
    trials: &'b [Trial<'a>],
    all: Vec<Part>,
}

impl<'a, 'b> Parts<'a, 'b> {
    fn of(trials: &'b [Trial<'a>], figures: &[Figure]) -> Self {
        let mut all = Vec::new();
        for (at, trial) in trials.iter().enumerate() {
            for (number, entry) in trial.entries.iter().enumerate() {
                let is_in = |operations: &&[Operation]| !entry.without.contains(&operations[0]);
                let part = |operations: &'static [Operation]| {
                    let each = operations.iter().map(|it| operation_seconds(trial, entry, *it, figures));
                    part(trial, [at, number], operations, &each.collect::<Vec<_>>())
                };
                all.extend(trial.job.job.by_process().filter(is_in).map(part));
            }
        }
        Self { trials, all }
    }

    fn entry(&self, part: &Part) -> &'b Entry<'a> {
        &self.trials[part.at].entries[part.entry]
    }

    fn place(&self, part: &Part) -> (&'static str, u64) {
        let trial = &self.trials[part.at];
        (trial.job.job.name, trial.size.amount)
    }

    fn numbers(&self, is_meant: impl Fn(&Part) -> bool) -> Vec<usize> {
        (0..self.all.len()).filter(|number| is_meant(&self.all[*number])).collect()
    }

    /// The blocks that conclusions need, and the yardsticks of all sizes; nothing where there are no conclusions.
    fn for_claims(&self, claims: &[Claim], budget: Duration) -> Chosen {
        let mut open: Vec<(usize, Chosen)> = claims.iter().flat_map(|claim| self.on_jdks(claim)).collect();
        let yardsticks = self.numbers(|part| !claims.is_empty() && self.entry(part).is_yardstick());
        let mut chosen: Chosen = yardsticks.into_iter().map(|number| (number, FEWEST_BLOCKS)).collect();
        let mut left = budget.saturating_sub(self.more(&chosen, &Chosen::new()));
        let cost = |(newer, needs): &(usize, Chosen), chosen: &Chosen| (*newer, self.more(needs, chosen));
        while let Some(at) = (0..open.len()).min_by_key(|at| cost(&open[*at], &chosen)) {
            let (_, needs) = open.swap_remove(at);
            if let Some(rest) = left.checked_sub(self.more(&needs, &chosen)) {
                left = rest;
                merge(&mut chosen, needs);
            }
        }
        chosen
    }

    /// The trials of which something beside the yardsticks was chosen.
    fn needed(&self, chosen: &Chosen) -> Vec<bool> {
        let parts = chosen.keys().map(|number| &self.all[*number]);
        let needed: BTreeSet<usize> =
            parts.filter(|part| !self.entry(part).is_yardstick()).map(|part| part.at).collect();
        (0..self.trials.len()).map(|at| needed.contains(&at)).collect()
    }

    /// The time that these take beside what was chosen.
    fn more(&self, needs: &Chosen, chosen: &Chosen) -> Duration {
        let more = |(number, blocks): (&usize, &usize)| {
            let part = &self.all[*number];
            let known = chosen.get(number).map_or(Duration::ZERO, |known| part.time(*known));
            part.time(*blocks).saturating_sub(known)
        };
        needs.iter().map(more).sum()
    }

    /// The blocks that a claim needs on each JDK that it is about, and on how many newer ones it is judged.
    fn on_jdks(&self, claim: &Claim) -> Vec<(usize, Chosen)> {
        let entries = self.trials.iter().flat_map(|trial| &trial.entries);
        let jdks: BTreeMap<Vec<u64>, &str> =
            entries.filter_map(Entry::jdk).map(|jdk| (jdks::numbers(jdk), jdk)).collect();
        let about = jdks.values().rev().filter(|jdk| claim.is_about(jdks::major(jdk))).copied().map(Some);
        let about: Vec<Option<&str>> = if jdks.is_empty() { vec![None] } else { about.collect() };
        let needs = |jdk: Option<&str>| {
            let (mut all, mut tests) = (Chosen::new(), claim.tests.iter());
            tests.try_for_each(|test| self.needs(test, jdk).map(|needs| merge(&mut all, needs)))?;
            Some(all)
        };
        about.into_iter().filter_map(needs).enumerate().collect()
    }

    /// The blocks that a test needs; None where one of its lines is not here.
    fn needs(&self, test: &Test, jdk: Option<&str>) -> Option<Chosen> {
        let of = |pattern: &Pattern| self.numbers(|part| self.is_of(part, test, jdk, pattern));
        let lefts: Vec<Vec<usize>> = test.left.iter().map(of).collect();
        let rights: Vec<usize> = test.right.iter().flat_map(of).collect();
        if lefts.iter().any(Vec::is_empty) || rights.is_empty() != test.right.is_empty() {
            return None;
        }
        let mut all: BTreeSet<usize> = lefts.into_iter().flatten().chain(rights).collect();
        if test.if_measured {
            // One size suffices.
            let mut sizes: BTreeMap<usize, Duration> = BTreeMap::new();
            let parts = all.iter().map(|number| &self.all[*number]);
            parts.for_each(|part| *sizes.entry(part.at).or_default() += part.least());
            let least = sizes.into_iter().min_by_key(|(_, time)| *time);
            all.retain(|number| least.is_some_and(|(at, _)| self.all[*number].at == at));
        }
        let is_grown = |number: &usize| {
            test.metric == Metric::Exponent || test.or_predicted && self.all[*number].is_too_long
        };
        let (grown, here): (Vec<usize>, Vec<usize>) = all.into_iter().partition(is_grown);
        let mut needs: Chosen = here.iter().map(|number| (*number, self.telling_blocks(*number))).collect();
        if !test.right.is_empty() {
            here.iter().for_each(|number| merge(&mut needs, self.beside(*number, &here)));
        }
        grown.iter().for_each(|number| merge(&mut needs, self.growth(*number)));
        Some(needs)
    }

    fn is_of(&self, part: &Part, test: &Test, jdk: Option<&str>, pattern: &Pattern) -> bool {
        let ((job, size), entry) = (self.place(part), self.entry(part));
        test.concerns(job, size)
            && part.operations.iter().any(|operation| test.times(*operation))
            && !entry.line.again
            && (jdk.is_none() || entry.jdk() == jdk)
            && pattern.matches(&entry.line, &entry.candidate.engine.family)
    }

    /// The lines that tell the noise of a ratio: one of the lines once more, or else the reference.
    fn beside(&self, number: usize, here: &[usize]) -> Chosen {
        let part = &self.all[number];
        let trial = &self.trials[part.at];
        let is_beside = |other: &Part| other.at == part.at && other.operations == part.operations;
        let may_run_twice = |other: &Part| select::may_run_twice(trial, self.entry(other));
        let has_one = here.iter().map(|it| &self.all[*it]).any(|it| is_beside(it) && may_run_twice(it));
        let is_meant = |other: &Part| {
            let line = &self.entry(other).line;
            is_beside(other) && (line.again || !has_one && Some(line) == trial.reference.as_ref())
        };
        self.numbers(is_meant).into_iter().map(|number| (number, self.telling_blocks(number))).collect()
    }

    /// The blocks after which an effect far beyond all noise is told.
    fn telling_blocks(&self, number: usize) -> usize {
        self.trials[self.all[number].at].job.job.telling_blocks()
    }

    /// The cheapest sizes from which the growth of a line can be told.
    fn growth(&self, number: usize) -> Chosen {
        let part = &self.all[number];
        let is_same = |other: &Part| {
            self.place(other).0 == self.place(part).0
                && other.operations == part.operations
                && self.entry(other).line == self.entry(part).line
                && !other.is_too_long
        };
        let mut sizes = self.numbers(is_same);
        sizes.sort_by_key(|number| self.all[*number].block);
        let cheapest = sizes.into_iter().take(growth::FEWEST_SIZES);
        cheapest.map(|number| (number, self.telling_blocks(number))).collect()
    }

    /// Spends what is left on the other parts, of those that are wanted alike on the cheapest first.
    fn fill(&self, chosen: &mut Chosen, budget: Duration, claims: &[Claim]) {
        let mut left = budget.saturating_sub(self.more(chosen, &Chosen::new()));
        let mut others: Vec<usize> = (0..self.all.len()).filter(|it| !chosen.contains_key(it)).collect();
        others.sort_by_cached_key(|it| (self.rank(&self.all[*it], claims, chosen), self.all[*it].least()));
        for number in others {
            let part = &self.all[number];
            let rest = left.checked_sub(part.least());
            if rest.is_some() || claims.is_empty() && self.is_held_against(part) {
                left = rest.unwrap_or_default();
                chosen.insert(number, FEWEST_BLOCKS);
            }
        }
    }

    /// The least is wanted most: what others of its JDK are held against, then what a conclusion names.
    fn rank(&self, part: &Part, claims: &[Claim], chosen: &Chosen) -> (bool, bool) {
        let (entry, (job, size)) = (self.entry(part), self.place(part));
        let is_beside = |other: &Part| other.at == part.at && self.entry(other).jdk() == entry.jdk();
        let is_used = claims.is_empty() || chosen.keys().any(|number| is_beside(&self.all[*number]));
        let family = &entry.candidate.engine.family;
        let is_named = claims.iter().any(|claim| claim.names(job, size, &entry.line, family));
        (!(is_used && self.is_held_against(part)), !is_named)
    }

    /// True for what others are held against.
    fn is_held_against(&self, part: &Part) -> bool {
        let (entry, reference) = (self.entry(part), &self.trials[part.at].reference);
        entry.is_yardstick() || entry.line.again || reference.as_ref() == Some(&entry.line)
    }
}

fn merge(all: &mut Chosen, more: Chosen) {
    for (number, blocks) in more {
        let known = all.entry(number).or_default();
        *known = blocks.max(*known);
    }
}

/// Seconds of starting a process and ending it, by what machines of two cores showed; within a third of the truth, mostly.
const START: f64 = 0.05;
const JVM_START: f64 = 0.4;

/// Seconds of warming up, at the least: of native code, of a compiler's, and of one whose process does one operation, or connects,
/// with the digests of what it puts out.
const WARM: f64 = 0.1;
const JVM_WARM: f64 = 0.4;
const JVM_WARM_ALONE: f64 = 1.2;
const JVM_WARM_CONNECTING: f64 = 8.0;

/// For so many times the ramp's length a compiler takes to settle; where a process does one operation it is the patience.
const SETTLING: f64 = 1.3;

/// Bytes a second.
const SPEED: f64 = 1.5e9;
const JVM_SPEED: f64 = 1e8;

/// A part whose operations take so many seconds each.
fn part(trial: &Trial, [at, entry]: [usize; 2], operations: &'static [Operation], each: &[f64]) -> Part {
    let (job, size, is_jvm) = (trial.job.job, trial.size, trial.entries[entry].jdk().is_some());
    let start = if is_jvm { JVM_START } else { START };
    let span = |each: &f64| each.max(size.sample_ms as f64 / 1e3);
    let (once, spans): (f64, f64) = (each.iter().sum(), each.iter().map(span).sum());
    let block = if job.on_files && !job.own_process {
        once
    } else {
        start + warm(trial, is_jvm).max(2.0 * once) + job.passes() as f64 * spans
    };
    let is_too_long = each.iter().any(|each| *each > size.timeout_seconds as f64);
    let [check, block] = [start + 2.0 * once, block].map(|time| Duration::from_secs_f64(time.min(LONGEST)));
    Part { at, entry, operations, check, block, most_blocks: plan::most_blocks(size.blocks), is_too_long }
}

/// Seconds that nobody waits, of which many are still a duration.
const LONGEST: f64 = 1e9;

/// Seconds of an operation: by its bytes, or else as long as where it was published, made shorter by as much as most lines
/// of the job are today.
fn operation_seconds(trial: &Trial, entry: &Entry, operation: Operation, figures: &[Figure]) -> f64 {
    let (job, size) = (trial.job.job, trial.size.amount);
    if !job.is_in_bytes() {
        return 0.0;
    }
    let published = |figure: &Figure| Some(figure.ms? / 1e3 / figure.count as f64);
    let of_job = || figures.iter().filter(|figure| figure.job == job.name);
    let is_it = |figure: &&Figure| {
        let mut today = figure.today.iter();
        figure.operation == operation
            && today.any(|pattern| pattern.matches(&entry.line, &entry.candidate.engine.family))
    };
    let major = |jdk: Option<&str>| jdk.map_or(0, jdks::major);
    let far = |figure: &Figure| major(figure.jdk.as_deref()).abs_diff(major(entry.jdk()));
    let nearest = of_job().filter(is_it).map(far).min();
    let of_nearest = of_job().filter(is_it).filter(|figure| Some(far(figure)) == nearest);
    // A JDK further away that has this size may be one on which time grows otherwise.
    let times: BTreeMap<u64, f64> = of_nearest.filter_map(|it| Some((it.size, published(it)?))).collect();
    let smaller: Vec<(u64, f64)> = times.range(..size).map(|(size, time)| (*size, *time)).collect();
    let time = times.get(&size).copied().or_else(|| slopes::predict(&smaller, size));
    let over = |figure: &Figure| Some(published(figure)? / (figure.size as f64 / JVM_SPEED));
    let usual = || median(of_job().filter_map(over));
    let known = time.and_then(|time| Some(time / usual()?));
    known.unwrap_or(size as f64 / if entry.jdk().is_some() { JVM_SPEED } else { SPEED })
}

fn warm(trial: &Trial, is_jvm: bool) -> f64 {
    let (job, size) = (trial.job.job, trial.size);
    let ramp = size.ramp_ms as f64 / 1e3;
    let alone = if job.is_in_bytes() { JVM_WARM_ALONE } else { JVM_WARM_CONNECTING };
    let (settling, least) = if job.own_process { (PATIENCE as f64, alone) } else { (SETTLING, JVM_WARM) };
    match (is_jvm, size.blocks) {
        (true, 2..) => (settling * ramp).max(least),
        (true, _) => ramp,
        // A crowd of threads takes as long as a span.
        _ if job.wakes_a_crowd => size.sample_ms as f64 / 1e3 + WARM,
        _ => ramp / COMPILED_BEFORE as f64 + WARM,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::engine::{Engine, Engines};
    use crate::history::Published;
    use crate::jdks::Jdk;
    use crate::jobfile::{Plan, Planned};
    use crate::measure::Candidate;
    use crate::rows::Line;

    const ENGINES: [&str; 4] = ["first", "second", "third", "fourth"];

    fn job() -> Planned {
        job_of("codec")
    }

    fn job_of(name: &str) -> Planned {
        let plan = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"codec\"\nreference = \"first\"\n[[job.size]]\nbytes = 49\n\
                    blocks = 6\nbudget_seconds = 10\ntimeout_seconds = 5\nramp_ms = 100\n";
        Plan::parse(&plan.replace("codec", name), "x").unwrap().jobs.remove(0)
    }

    fn claim(test: &str) -> Vec<Claim> {
        vec![toml::from_str(&format!("says = \"x\"\n[[test]]\n{test}")).unwrap()]
    }

    /// The report tells nothing of two single operations from file to file: two blocks would be paid for in vain.
    #[test]
    fn a_conclusion_pays_for_as_many_blocks_as_its_job_needs() {
        for (name, algorithm, blocks) in [("codec", "base64", 2), ("file", "X25519", 4)] {
            let job = job_of(name);
            let stanzas =
                ["first", "second"].map(|engine| Engine::in_memory_for_tests(engine, name, algorithm));
            let candidates = stanzas.each_ref().map(|engine| Candidate { engine, command: Vec::new() });
            let entries = candidates.iter().map(|candidate| entry(candidate, &job)).collect();
            let trials = [select::among(&job, &job.sizes[0], entries)];
            let claims = claim(&format!("job = \"{name}\"\nleft = [\"second\"]\nright = [\"first\"]\n"));
            let chosen = Parts::of(&trials, &[]).for_claims(&claims, Duration::MAX);
            assert_eq!(chosen.into_values().collect::<Vec<_>>(), [blocks; 3], "{name}");
        }
    }

    #[test]
    fn a_second_time_that_was_left_out_does_not_come_back() {
        let claims = claim("job = \"codec\"\nleft = [\"first\"]\nmetric = \"peak\"\nat_most = 1\n");
        let seconds = 1.5 * job_seconds() / FIRST;
        assert_eq!(left(seconds, &claims).0, ["first"]);
    }

    /// The engines that are left, and those that were left out, for so many seconds.
    fn left(seconds: f64, claims: &[Claim]) -> (Vec<String>, Vec<String>) {
        let job = job();
        let stanzas: Vec<Engine> =
            ENGINES.iter().map(|name| Engine::in_memory_for_tests(name, "codec", "base64")).collect();
        let candidates: Vec<Candidate> =
            stanzas.iter().map(|engine| Candidate { engine, command: Vec::new() }).collect();
        let entries: Vec<Entry> = candidates.iter().map(|candidate| entry(candidate, &job)).collect();
        let mut trials = [select::among(&job, &job.sizes[0], entries)];
        let (left_out, _) = leave_out(&mut trials, Duration::from_secs_f64(seconds), claims, &[]);
        let told = left_out.iter().flat_map(|left_out| left_out.what.clone());
        assert!(left_out.iter().all(|one| one.of == 5 && one.time > Duration::ZERO));
        let left = trials[0].entries.iter().map(|entry| entry.line.engine.clone());
        (left.collect(), told.map(|what| what.split(' ').next().unwrap().into()).collect())
    }

    fn entry<'a>(candidate: &'a Candidate, job: &Planned) -> Entry<'a> {
        Entry { candidate, line: candidate.engine.lines(job).remove(0), without: Default::default() }
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
        let claims = claim("job = \"codec\"\nleft = [\"fourth\"]\nright = [\"first\"]\n");
        assert_eq!(left(seconds, &claims).1, ["second", "third"]);
    }

    #[test]
    fn a_size_that_no_conclusion_needs_is_told() {
        let mut job = job();
        let mut larger = job.sizes[0].clone();
        larger.amount = 8_404;
        job.sizes.push(larger);
        let stanzas =
            ["first", "second"].map(|engine| Engine::in_memory_for_tests(engine, "codec", "base64"));
        let candidates: Vec<Candidate> =
            stanzas.iter().map(|engine| Candidate { engine, command: Vec::new() }).collect();
        let told = |claims: &[Claim]| {
            let of_size = |size| {
                select::among(&job, size, candidates.iter().map(|candidate| entry(candidate, &job)).collect())
            };
            let mut trials: Vec<Trial> = job.sizes.iter().map(of_size).collect();
            let budget = needed(&trials, &[]).iter().sum::<Duration>();
            leave_out(&mut trials, budget, claims, &[]).1
        };
        let claims = claim("job = \"codec\"\nsizes = [8404]\nleft = [\"second\"]\nright = [\"first\"]\n");
        assert_eq!((told(&claims), told(&[])), (vec![false, true], vec![true, true]));
    }

    /// On six JDKs the conclusions take all of ten minutes; on a new one alone there is time left.
    #[test]
    fn a_line_that_no_conclusion_names_takes_no_measurement_from_one() {
        for (jdks, has_room) in [(&ALL_JDKS[..], false), (&["25"], true)] {
            let (all, without) = (peppol(jdks, true, 600), peppol(jdks, false, 600));
            let ours = |(_, line, _): &&Kept| line.engine.starts_with("sealmark-wss");
            assert_eq!(all.iter().any(|kept| ours(&kept)), has_room, "{jdks:?}");
            let others: BTreeSet<Kept> = all.iter().filter(|kept| !ours(kept)).cloned().collect();
            assert_eq!(others, without, "{jdks:?}");
        }
    }

    /// Nobody published 20 MiB on Java 17, and on the next newer JDK it took a fiftieth of what it takes there.
    #[test]
    fn a_jdk_on_which_time_grows_otherwise_predicts_nothing() {
        let kept = peppol(&ALL_JDKS, true, 600);
        let is_slow = |(size, line, without): &&Kept| {
            *size > 10_485_760 && line.engine == "SunJCE 17" && !without.contains(&Operation::Open)
        };
        assert_eq!(kept.iter().find(is_slow), None);
    }

    /// Conclusions about Java 17 are not paid for at these sizes.
    #[test]
    fn a_reference_is_paid_for_where_a_line_of_its_jdk_is_held_against_it() {
        for budget in [140, 160, 180] {
            let lone = |kept: &BTreeSet<Kept>, size: u64| {
                let mut lines = kept.iter().filter(|kept| kept.0 == size && kept.1.engine.ends_with(" 17"));
                lines.any(|kept| kept.1.engine.starts_with("BouncyCastle")) && lines.next().is_none()
            };
            let kept = peppol(&["17", "25"], true, budget);
            assert!(!kept.iter().any(|(size, ..)| lone(&kept, *size)), "{budget} s");
        }
    }

    const ALL_JDKS: [&str; 6] = ["1.8.0_1", "11", "17", "21", "25", "27"];

    /// A line at a size, and the operations that were left out.
    type Kept = (u64, Line, BTreeSet<Operation>);

    /// The lines that so many seconds pay for in the plan of a publication, with or without our lines that it does not name.
    fn peppol(jdks: &[&str], with_ours: bool, seconds: u64) -> BTreeSet<Kept> {
        let published = Published::of("peppol-gcm").unwrap();
        let mut plan = Plan::load("peppol-gcm").unwrap();
        plan.jobs[0].lines.retain(|line| with_ours || !line.to_string().starts_with("sealmark-wss"));
        let jdk = |version: &&str| Jdk { version: (*version).into(), home: "nowhere".into() };
        let engines = Engines::for_tests(jdks.iter().map(jdk).collect());
        let chosen = select::engines(&engines, &plan, &[]).unwrap();
        let candidates: Vec<Candidate> =
            chosen.into_iter().map(|engine| Candidate { engine, command: Vec::new() }).collect();
        let job = &plan.jobs[0];
        let of_size = |size| select::trial(job, size, &engines.jdks, &candidates, &[]);
        let mut trials: Vec<Trial> = job.sizes.iter().map(of_size).collect();
        leave_out(&mut trials, Duration::from_secs(seconds), &published.claims, &published.figures);
        let of_trial = |trial: &Trial| -> Vec<Kept> {
            let kept = |entry: &Entry| (trial.size.amount, entry.line.clone(), entry.without.clone());
            trial.entries.iter().map(kept).collect()
        };
        trials.iter().flat_map(of_trial).collect()
    }

    /// The seconds that one of the lines needs.
    fn job_seconds() -> f64 {
        let (job, engine) = (job(), Engine::in_memory_for_tests("first", "codec", "base64"));
        let candidate = Candidate { engine: &engine, command: Vec::new() };
        let entries = vec![entry(&candidate, &job)];
        let trial = Trial { job: &job, size: &job.sizes[0], entries, reference: None };
        needed(&[trial], &[])[0].as_secs_f64()
    }
}

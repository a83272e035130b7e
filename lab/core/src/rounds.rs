//! When what is measured: every size for two blocks (in a full run for those of its plan), then the open questions, the nearest
//! to its answer first.
//!
//! A question is closed as soon as it is told by intervals that hold however often one looks
//! ([`crate::stats::bootstrap::surer`]); what is open takes the rest of the budget.

use crate::afford::{self, LeftOut};
use crate::document::{self, Doubt, Doubts};
use crate::format;
use crate::history::{Figure, Published};
use crate::machine;
use crate::measure::{Begun, Session, Trial};
use crate::plan::{self, FEWEST_BLOCKS};
use crate::rows::{self, Note, Row, Unmeasured};
use crate::trouble::Result;
use crate::units;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A size that needs more room on the disk is finished before the next one is begun.
const MOST_KEPT: u64 = 2 << 30;

/// The part of the budget that the last block may take beyond it.
const OVERTIME: f64 = 0.05;

/// Measures all sizes. Where there is no budget for all of them each brings its own.
pub fn all(session: &mut Session, mut trials: Vec<Trial>, budget: Option<Duration>) -> Result<()> {
    let planned = || trials.iter().map(|trial| trial.size.budget_seconds).sum();
    let budget = budget.unwrap_or_else(|| Duration::from_secs(planned()));
    let history = rows::header(&session.results.rows).and_then(|header| header.history.as_deref());
    let published = history.and_then(Published::of);
    let (figures, claims) = published.map(|it| (it.figures, it.claims)).unwrap_or_default();
    if history.is_none() {
        // So few blocks answer nothing: on a busy machine they would leave no time for questions.
        trials.sort_by_key(|trial| trial.size.blocks <= FEWEST_BLOCKS);
    }
    let mut of_no_conclusion = Vec::new();
    if !session.full && !budget.is_zero() {
        let (left_out, needed) = afford::leave_out(&mut trials, budget, &claims, &figures);
        left_out.into_iter().try_for_each(|left_out| tell(session, &trials, left_out))?;
        let mut needed = needed.into_iter();
        of_no_conclusion = trials.extract_if(.., |_| needed.next() == Some(false)).collect();
        for trials in [&mut trials, &mut of_no_conclusion] {
            trials.retain(|trial| !trial.entries.is_empty());
        }
    }
    let start = Instant::now();
    // A run that leaves nothing out waits for the slowest.
    session.deadline = (!session.full).then(|| start + budget.mul_f64(1.0 + OVERTIME));
    let left = || budget.saturating_sub(start.elapsed());
    let mut open = Vec::new();
    // Guesses of how long a size takes are off by half: what no conclusion waits for takes what the others leave.
    for trials in [trials, of_no_conclusion] {
        open.extend(first_blocks(session, trials, &figures, &left)?);
        while let Some((at, doubt)) = next(session, &mut open, left())? {
            let begun = &mut open[at];
            for _ in 0..plan::blocks_of_a_round(begun.blocks).min(begun.left(Some(&doubt))) {
                if begun.time_of(Some(&doubt)) <= left() {
                    begun.block(session, Some(&doubt))?;
                }
            }
        }
    }
    open.into_iter().try_for_each(|begun| end(session, begun))
}

/// Measures each size for its first blocks, and returns those that may get more.
fn first_blocks<'a>(
    session: &mut Session,
    trials: Vec<Trial<'a>>,
    figures: &[Figure],
    left: &impl Fn() -> Duration,
) -> Result<Vec<Begun<'a>>> {
    let wanted: Vec<u64> = trials.iter().map(|trial| trial.size.budget_seconds).collect();
    let needed = afford::needed(&trials, figures);
    let mut open = Vec::new();
    for (at, trial) in trials.into_iter().enumerate() {
        if let Some(why) = cannot(&trial, left(), session) {
            let note = Note { unmeasured: Some(Unmeasured::Size), ..trial.note(why) };
            session.progress.say(&format!("{}: {}", trial.name(), note.words()));
            session.results.append(&Row::Note(note))?;
            continue;
        }
        let share = plan::share(left(), &wanted[at..]);
        let is_kept = space_needed(&trial) <= MOST_KEPT;
        // Its first blocks may take what those of the others do not need.
        let rest = needed[at + 1..].iter().sum();
        let first = if session.full { Duration::MAX } else { share.max(left().saturating_sub(rest)) };
        let mut begun = Begun::of(session, trial, first, false)?;
        // A gate judges every line, and not only those that a question is about.
        let all_lines = if session.full { begun.trial.size.blocks } else { FEWEST_BLOCKS };
        while begun.blocks < all_lines && can_go_on(&begun, first, None) {
            begun.block(session, None)?;
        }
        if is_kept {
            open.push(begun);
            continue;
        }
        while let Some(doubt) = candidates(&begun, &document::doubts(&session.results.rows))
            .into_iter()
            .filter(|doubt| can_go_on(&begun, share, Some(doubt)))
            .max_by_key(|doubt| (doubt.is_open, begun.time_of(Some(doubt))))
        {
            begun.block(session, Some(&doubt))?;
        }
        end(session, begun)?;
    }
    Ok(open)
}

/// Tells, before anything is measured, for what the budget is too small.
fn tell(session: &mut Session, trials: &[Trial], LeftOut { at, what, of, time }: LeftOut) -> Result<()> {
    let (trial, count) = (&trials[at], what.len());
    let told =
        |names: &str| format!("{count} of {of} measurements, about {} more: {names}", units::duration(time));
    let all = told(&what.join(", "));
    let few = told(&format::few(what, 3, ", ").unwrap_or_default());
    session.progress.say(&format!("{}: left out, because the budget is too small: {few}", trial.name()));
    session.results.append(&Row::Note(Note { unmeasured: Some(Unmeasured::Lines), ..trial.note(all) }))
}

/// True where another block fits into a size's share, judged by the latest one.
fn can_go_on(begun: &Begun, share: Duration, doubt: Option<&Doubt>) -> bool {
    begun.is_alive()
        && begun.left(doubt) > 0
        && (begun.blocks == 0 || begun.spent + begun.time_of(doubt) <= share)
}

/// The blocks that a size might need yet: those of each of its questions, of all of them together, and of native lines alone;
/// where no question is about it, those of the plan.
fn candidates(begun: &Begun, doubts: &Doubts) -> Vec<Doubt> {
    let planned = begun.trial.size.blocks;
    let mut all: Vec<Doubt> = match doubts.get(&(begun.trial.job.job.name.into(), begun.trial.size.amount)) {
        Some(doubts) => doubts.iter().cloned().chain(doubts.iter().cloned().reduce(Doubt::and)).collect(),
        // No question waits for them.
        None => (begun.blocks < planned).then(|| Doubt::of_all(planned).closed()).into_iter().collect(),
    };
    // Native lines are timed while a JVM would warm up: they are told first, by half of the blocks at most.
    let is_part = |doubt: &&Doubt| !doubt.native.is_empty() && 2 * begun.blocks < plan::most_blocks(planned);
    let part = |doubt: &Doubt| Doubt { lines: doubt.native.clone(), ..doubt.clone() };
    let parts: Vec<Doubt> = all.iter().filter(is_part).map(part).collect();
    all.extend(parts);
    all.retain(|doubt| begun.is_alive() && begun.left(Some(doubt)) > 0 && begun.can_tell(doubt));
    all
}

/// The open question, or questions of one size, with the least time for an answer, as far as one can tell; what is told is
/// closed. One that few lines answer does not wait for another, whose lines take long.
fn next(session: &mut Session, open: &mut Vec<Begun>, left: Duration) -> Result<Option<(usize, Doubt)>> {
    let doubts = document::doubts(&session.results.rows);
    let is_told = |begun: &mut Begun| candidates(begun, &doubts).is_empty();
    open.extract_if(.., is_told).try_for_each(|begun| begun.end(session))?;
    let needed = |(at, begun): (usize, &Begun), doubt: &Doubt| {
        let block = begun.time_of(Some(doubt));
        // After few blocks nobody knows how many more are needed: no more than as many again.
        let blocks = (doubt.blocks - begun.blocks as f64).clamp(1.0, begun.blocks.max(1) as f64);
        let needed = block.mul_f64(blocks / f64::from(doubt.questions));
        // One block tells nothing: what it took would be lost.
        let is_begun = begun.blocks >= FEWEST_BLOCKS;
        (block <= left).then_some(((!doubt.is_open, is_begun, needed), at, doubt.clone()))
    };
    let all = open.iter().enumerate().flat_map(|open| {
        candidates(open.1, &doubts).into_iter().filter_map(move |doubt| needed(open, &doubt))
    });
    let least = all.min_by_key(|(order, ..)| *order);
    Ok(least.map(|(.., at, doubt)| (at, doubt)))
}

/// No more blocks of a size, for which there was no time left.
fn end(session: &mut Session, begun: Begun) -> Result<()> {
    let (blocks, planned) = (begun.blocks, begun.trial.size.blocks);
    if blocks < planned && begun.is_alive() {
        let why = format!("{blocks} of {planned} blocks: the budget was spent");
        session.results.append(&Row::Note(begun.trial.note(why)))?;
    }
    begun.end(session)
}

/// Why a size is not begun: the budget is gone, or there is no room for it on the disk.
fn cannot(trial: &Trial, left: Duration, session: &Session) -> Option<String> {
    if left.is_zero() && !session.full {
        return Some("the budget was spent before".into());
    }
    let missing = plan::space_missing(space_needed(trial), machine::free_space(session.scratch))?;
    Some(format!("{} more of disk space needed", format::bytes(missing as f64)))
}

/// The most that a size takes of the disk.
fn space_needed(trial: &Trial) -> u64 {
    if !trial.job.job.on_files {
        return 0;
    }
    let algorithms: BTreeSet<&str> = trial.entries.iter().map(|entry| entry.line.algorithm()).collect();
    let kept = (trial.job.job.kept)(trial.entries.len(), algorithms.len());
    plan::space_needed(trial.size.amount, kept)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use crate::rows::Row;
    use crate::simulate::{self, Actor, Weather, World};
    use std::collections::BTreeSet;

    /// Two lines that differ by less than their processes do: no number of blocks tells which is faster.
    #[test]
    fn what_cannot_be_told_gets_the_most_blocks_and_none_beyond() {
        let weather = Weather { drift: 0.0, bursts: 0.0, burst: 1.0, span_noise: 0.1, process_noise: 0.2 };
        let alike = Actor { nanoseconds: |_, _| 1_000.0, second_mode: 0.0 };
        let world = World::new(weather, &[("one", alike), ("other", alike)], 1);
        let scratch = tempfile::tempdir().unwrap();
        let job = simulate::job_of("codec", &[49], 6, 0);
        let rows = simulate::run_by_rounds(&world, &["one", "other"], &job, scratch.path());
        let blocks = rows.iter().filter(|row| matches!(row, Row::Block(_))).count();
        assert_eq!(blocks, crate::plan::most_blocks(6));
    }

    /// The blocks in which an engine was timed.
    fn blocks_of(engine: &str, rows: &[Row]) -> BTreeSet<u64> {
        let of_it = rows.iter().filter_map(|row| match row {
            Row::Sample(sample) if sample.line.engine == engine => Some(sample.block),
            _ => None,
        });
        of_it.collect()
    }

    /// Three lines that nobody can tell apart, one of them in a JVM.
    #[test]
    fn native_lines_do_not_wait_for_a_jvm_and_leave_it_half_of_the_blocks() {
        let weather = Weather { drift: 0.0, bursts: 0.0, burst: 1.0, span_noise: 0.1, process_noise: 0.2 };
        let alike = Actor { nanoseconds: |_, _| 1_000.0, second_mode: 0.0 };
        let names = ["one", "other", "virtual 25"];
        let world = World::new(weather, &names.map(|name| (name, alike)), 1);
        let (scratch, job) = (tempfile::tempdir().unwrap(), simulate::job_of("codec", &[49], 6, 0));
        let rows = simulate::run_by_rounds(&world, &names, &job, scratch.path());
        let [native, jvm] = ["other", "virtual 25"].map(|engine| blocks_of(engine, &rows));
        let most = crate::plan::most_blocks(6) as u64;
        assert_eq!(native, (0..most).collect());
        assert!(jvm.contains(&1) && !jvm.contains(&2) && jvm.len() as u64 >= most / 2, "{jvm:?}");
    }

    /// Two blocks answer the question; a gate wants six of every line.
    #[test]
    fn a_full_run_takes_all_blocks_of_its_plan() {
        let weather =
            Weather { drift: 0.0, bursts: 0.0, burst: 1.0, span_noise: 0.001, process_noise: 0.001 };
        let actor = |nanoseconds| Actor { nanoseconds, second_mode: 0.0 };
        let actors = [("one", actor(|_, _| 1_000.0)), ("other", actor(|_, _| 9_000.0))];
        let (scratch, job) = (tempfile::tempdir().unwrap(), simulate::job_of("codec", &[49], 6, 0));
        let blocks = |rows: Vec<Row>| blocks_of("other", &rows).len();
        let world = || World::new(weather, &actors, 1);
        let names = ["one", "other"];
        assert_eq!(blocks(simulate::run_by_rounds(&world(), &names, &job, scratch.path())), 2);
        assert_eq!(blocks(simulate::run_in_full(&world(), &names, &job, scratch.path())), 6);
    }
}

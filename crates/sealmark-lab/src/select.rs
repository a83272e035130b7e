//! Which engines and lines a plan means, of those that are here.

use crate::engine::{Engine, Engines, Role};
use crate::jdks::{self, Jdk};
use crate::jobfile::{Job, Pattern, Plan, Size};
use crate::measure::{Entry, Errand};
use crate::plan;
use crate::rows::{Line, Row};
use crate::runner::Candidate;
use crate::trouble::{Result, Trouble};
use std::time::Duration;

/// The engines that have a line in the plan.
pub fn engines<'a>(engines: &'a Engines, plan: &Plan, only: &[Pattern]) -> Result<Vec<&'a Engine>> {
    let is_known =
        |pattern: &&Pattern| engines.all.iter().any(|engine| pattern.names(&engine.name, &engine.family));
    if let Some(unknown) = only.iter().find(|pattern| !is_known(pattern)) {
        let trouble = Trouble::new(format!("there is no engine \"{unknown}\""));
        return Err(trouble.hint("`sealmark-lab list` shows the engines"));
    }
    let has_lines =
        |engine: &&Engine| plan.jobs.iter().any(|job| !lines_of(engine, job, &engines.jdks, only).is_empty());
    Ok(engines.all.iter().filter(has_lines).collect())
}

/// What an engine has to do in a job. A filter never takes away what the others are held against.
fn lines_of(engine: &Engine, job: &Job, jdks: &[Jdk], only: &[Pattern]) -> Vec<Line> {
    if engine.jdk.as_ref().is_some_and(|jdk| !jdks::is_wanted(jdk, &job.jdks, jdks)) {
        return Vec::new();
    }
    let any = |patterns: &[Pattern], line: &Line| {
        patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(line, &engine.family))
    };
    let is_measure = |line: &Line| {
        engine.role == Role::Yardstick
            || job.reference.as_ref().is_some_and(|pattern| pattern.matches(line, &engine.family))
    };
    let lines = engine.lines(job.job).into_iter();
    lines.filter(|line| is_measure(line) || (any(&job.lines, line) && any(only, line))).collect()
}

/// What is to be done at a size.
pub fn errand<'a>(
    job: &'a Job,
    size: &'a Size,
    jdks: &[Jdk],
    candidates: &'a [Candidate<'a>],
    only: &[Pattern],
    before: &[Row],
    budget: Duration,
) -> Errand<'a> {
    let mut entries: Vec<Entry> = candidates
        .iter()
        .flat_map(|candidate| {
            let lines = lines_of(candidate.engine, job, jdks, only);
            lines.into_iter().map(move |line| Entry { candidate, line })
        })
        .collect();
    let reference = reference(job, &entries);
    let mut again = Vec::new();
    match (&job.again[..], &reference) {
        ([], Some(reference)) => again.push(reference.clone()),
        (patterns, _) => again.extend(patterns.iter().filter_map(|pattern| first(pattern, &entries))),
    }
    let twins: Vec<Entry> = entries
        .iter()
        .filter(|entry| again.contains(&entry.line))
        .map(|entry| Entry { candidate: entry.candidate, line: Line { again: true, ..entry.line.clone() } })
        .collect();
    entries.extend(twins);
    let first_block = plan::next_block(before, job.job.name(), size.bytes);
    Errand { job, size, entries, reference, first_block, budget }
}

/// The line that the job names, or else the yardstick.
fn reference(job: &Job, entries: &[Entry]) -> Option<Line> {
    let named = job.reference.as_ref().and_then(|pattern| first(pattern, entries));
    let yardstick = || entries.iter().find(|entry| entry.candidate.engine.role == Role::Yardstick);
    named.or_else(|| yardstick().map(|entry| entry.line.clone()))
}

fn first(pattern: &Pattern, entries: &[Entry]) -> Option<Line> {
    let is_it = |entry: &&Entry| pattern.matches(&entry.line, &entry.candidate.engine.family);
    entries.iter().find(is_it).map(|entry| entry.line.clone())
}

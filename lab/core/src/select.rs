//! Which engines and lines a plan means, of those that are here.

use crate::engine::{Engine, Engines};
use crate::jdks::{self, Jdk};
use crate::jobfile::{Pattern, Plan, Planned};
use crate::jobs::Beside;
use crate::measure::{Candidate, Entry, Trial};
use crate::plan::Size;
use crate::rows::{Line, Role};
use crate::trouble::{Result, Trouble};
use std::collections::BTreeSet;

/// The engines that have a line in the plan.
pub fn engines<'a>(engines: &'a Engines, plan: &Plan, only: &[Pattern]) -> Result<Vec<&'a Engine>> {
    let is_known =
        |pattern: &&Pattern| engines.all.iter().any(|engine| pattern.names(&engine.name, &engine.family));
    if let Some(unknown) = only.iter().find(|pattern| !is_known(pattern)) {
        let trouble = Trouble::new(format!("there is no engine \"{unknown}\""));
        return Err(trouble.hint("`sealmark-lab doctor` names the engines"));
    }
    let is_done = |pattern: &&Pattern| plan.jobs.iter().any(|job| is_matched(pattern, job, engines));
    if let Some(idle) = only.iter().find(|pattern| !is_done(pattern)) {
        return Err(Trouble::new(format!("plan \"{}\" has no line of \"{idle}\"", plan.name)));
    }
    let has_lines =
        |engine: &&Engine| plan.jobs.iter().any(|job| !lines_of(engine, job, &engines.jdks, only).is_empty());
    Ok(engines.all.iter().filter(has_lines).collect())
}

/// A plan of these of its jobs; of all of them where none is named.
pub fn only(mut plan: Plan, jobs: &[String]) -> Result<Plan> {
    let is_there = |name: &&String| plan.jobs.iter().any(|job| job.job.name == **name);
    if let Some(missing) = jobs.iter().find(|name| !is_there(name)) {
        let names: BTreeSet<&str> = plan.jobs.iter().map(|job| job.job.name).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let trouble = Trouble::new(format!("plan \"{}\" has no job \"{missing}\"", plan.name));
        return Err(trouble.hint(format!("pass --job with one of {}", names.join(", "))));
    }
    plan.jobs.retain(|job| jobs.is_empty() || jobs.iter().any(|name| name == job.job.name));
    Ok(plan)
}

/// Sizes that were asked for must be there.
pub fn must_have(plan: &Plan, sizes: &[u64], full: bool) -> Result<()> {
    let has = |bytes: &u64, full: bool| {
        plan.jobs.iter().flat_map(|job| &job.sizes).any(|size| size.amount == *bytes && (full || !size.full))
    };
    let Some(bytes) = sizes.iter().find(|bytes| !has(bytes, full)) else { return Ok(()) };
    let trouble = Trouble::new(format!("plan \"{}\" has no size of {bytes} bytes", plan.name));
    Err(trouble.hint(if has(bytes, true) { "add --full" } else { "leave out --size" }))
}

/// Names of a job that match nothing: a slip of the plan's, or a JDK that is not here. They are told, and are no failure.
pub fn unmatched(job: &Planned, engines: &Engines) -> Vec<String> {
    let is_known = |pattern: &Pattern| {
        let is_it = |engine: &Engine| engine.lines(job).iter().any(|it| pattern.matches(it, &engine.family));
        engines.all.iter().any(is_it)
    };
    let lines = job.lines.iter().map(|it| ("lines", it, is_known(it)));
    let reference = job.reference.iter().map(|it| ("reference", it, is_known(it)));
    let again = job.again.iter().map(|it| ("again", it, is_matched(it, job, engines)));
    let in_vain = lines.chain(reference).chain(again).filter(|(.., is_matched)| !is_matched);
    let in_vain = in_vain.map(|(key, pattern, _)| format!("{key} \"{pattern}\" matches no line"));
    let all = &engines.jdks;
    let is_here = |word: &String| all.iter().any(|jdk| jdks::is_wanted(jdk, std::slice::from_ref(word), all));
    let runtimes = job.jdks.iter().filter(|word| !is_here(word));
    in_vain.chain(runtimes.map(|word| format!("jdks \"{word}\": no such JDK was found"))).collect()
}

/// True if a job has such a line.
fn is_matched(pattern: &Pattern, job: &Planned, engines: &Engines) -> bool {
    engines.all.iter().any(|engine| {
        let lines = lines_of(engine, job, &engines.jdks, &[]);
        lines.iter().any(|line| pattern.matches(line, &engine.family))
    })
}

/// The lines of an engine in a job. A filter never takes away the lines that the others are compared with.
fn lines_of(engine: &Engine, job: &Planned, jdks: &[Jdk], only: &[Pattern]) -> Vec<Line> {
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
    let lines = engine.lines(job).into_iter();
    lines.filter(|line| is_measure(line) || (any(&job.lines, line) && any(only, line))).collect()
}

/// The lines to measure at a size.
pub fn trial<'a>(
    job: &'a Planned,
    size: &'a Size,
    jdks: &[Jdk],
    candidates: &'a [Candidate<'a>],
    only: &[Pattern],
) -> Trial<'a> {
    let mut entries = Vec::new();
    for candidate in candidates {
        let lines = lines_of(candidate.engine, job, jdks, only).into_iter();
        let lines = lines.filter(|line| job.job.is_possible(line, size.amount));
        entries.extend(lines.map(|line| Entry { candidate, line, without: BTreeSet::new() }));
    }
    // A transport that nobody uses needs no copy as a yardstick.
    if job.job.beside == Beside::SameTransport {
        let contestants = entries.iter().filter(|entry| !entry.is_yardstick());
        let used: BTreeSet<String> = contestants.map(|entry| entry.line.how().to_owned()).collect();
        entries.retain(|entry| used.is_empty() || used.contains(entry.line.how()));
    }
    among(job, size, entries)
}

/// The trial of a size with these lines: the reference is one of them, and what runs twice.
pub fn among<'a>(job: &'a Planned, size: &'a Size, mut entries: Vec<Entry<'a>>) -> Trial<'a> {
    let reference = reference(job, &entries);
    let mut again: Vec<Line> = Vec::new();
    for operation in job.job.operations {
        let doing = || entries.iter().filter(|entry| !entry.without.contains(operation));
        again.extend(job.again.iter().filter_map(|pattern| first(pattern, doing())));
    }
    if job.again.is_empty() {
        again.extend(reference.clone());
    }
    let twins = entries.iter().filter(|entry| again.contains(&entry.line)).cloned();
    let twins = twins.map(|entry| Entry { line: Line { again: true, ..entry.line }, ..entry });
    entries.extend(twins.collect::<Vec<_>>());
    Trial { job, size, entries, reference }
}

/// True where a line may be the one that runs twice.
pub fn may_run_twice(trial: &Trial, entry: &Entry) -> bool {
    let again = if trial.job.again.is_empty() { trial.job.reference.as_slice() } else { &trial.job.again };
    again.iter().any(|pattern| pattern.matches(&entry.line, &entry.candidate.engine.family))
}

/// The line that the job names, or else the yardstick.
fn reference(job: &Planned, entries: &[Entry]) -> Option<Line> {
    let named = job.reference.as_ref().and_then(|pattern| first(pattern, entries.iter()));
    let yardstick = || entries.iter().find(|entry| entry.is_yardstick());
    named.or_else(|| yardstick().map(|entry| entry.line.clone()))
}

fn first<'a>(pattern: &Pattern, mut entries: impl Iterator<Item = &'a Entry<'a>>) -> Option<Line> {
    let is_it = |entry: &&Entry| pattern.matches(&entry.line, &entry.candidate.engine.family);
    entries.find(is_it).map(|entry| entry.line.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobfile::BUILT_IN;

    fn with_jdks(versions: &[&str]) -> Engines {
        let jdk = |version: &&str| Jdk { version: (*version).into(), home: "nowhere".into() };
        Engines::for_tests(versions.iter().map(jdk).collect())
    }

    fn plan(job: &str) -> Plan {
        let size = "[[job.size]]\nbytes = 49\nblocks = 2\nbudget_seconds = 1\ntimeout_seconds = 1\n";
        let large = size.replace("49", "50") + "full = true\n";
        let head = "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"cipher\"\n";
        Plan::parse(&format!("{head}{job}{size}{large}"), "x").unwrap()
    }

    #[test]
    fn a_job_runs_on_the_jdks_it_names() {
        let (engines, plan) = (with_jdks(&["17.0.1", "21", "25"]), plan("jdks = [\"17\", \"newest\"]\n"));
        let chosen =
            super::engines(&engines, &plan, &[Pattern::try_from("SunJCE".to_owned()).unwrap()]).unwrap();
        let names: Vec<&str> = chosen.iter().filter(|e| e.family == "SunJCE").map(|e| &*e.name).collect();
        assert_eq!(names, ["SunJCE 17.0.1", "SunJCE 25"]);
    }

    #[test]
    fn what_matches_nothing_is_named() {
        let engines = with_jdks(&["17.0.1"]);
        let job = "lines = [\"SunJCE\", \"SunJCE/ROT13\"]\nreference = \"nobody\"\nagain = [\"ring\", \"SunJCE\"]\n\
                   jdks = [\"17\", \"8\"]\n";
        assert_eq!(
            unmatched(&plan(job).jobs[0], &engines),
            [
                "lines \"SunJCE/ROT13\" matches no line",
                "reference \"nobody\" matches no line",
                "again \"ring\" matches no line",
                "jdks \"8\": no such JDK was found"
            ]
        );
    }

    #[test]
    fn built_in_plans_name_nothing_that_is_not_built_in() {
        let engines = with_jdks(&["1.8.0_1", "11.0.1", "17.0.1", "21.0.1", "25"]);
        for (name, _) in BUILT_IN {
            for job in &Plan::load(name).unwrap().jobs {
                assert_eq!(unmatched(job, &engines), [""; 0], "{name}");
            }
        }
    }

    #[test]
    fn filters_that_leave_nothing_are_trouble() {
        let (engines, plan) = (with_jdks(&["25"]), plan("lines = [\"ring\"]\n"));
        let only = |text: &str| [Pattern::try_from(text.to_owned()).unwrap()];
        let trouble = |text: &str| super::engines(&engines, &plan, &only(text)).err();
        assert!(trouble("ring/AES-256-GCM").is_none());
        for idle in ["ring/ROT13", "openssl"] {
            let error = trouble(idle).unwrap().to_string();
            assert!(error.contains(&format!("plan \"x\" has no line of \"{idle}\"")), "{error}");
        }
        assert!(must_have(&plan, &[49], false).is_ok() && must_have(&plan, &[49, 50], true).is_ok());
        let error = must_have(&plan, &[49, 50], false).unwrap_err().to_string();
        assert!(error.contains("of 50 bytes") && error.contains("--full"), "{error}");
        assert!(must_have(&plan, &[49, 51], true).unwrap_err().to_string().contains("of 51 bytes"));
    }
}

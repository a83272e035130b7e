//! The verb `measure`: a plan and engines in, a results file out.

use crate::child::{Fault, Processes};
use crate::engine::{Engine, Engines, Missing};
use crate::foresight;
use crate::jobfile::{Job, Pattern, Plan, Size};
use crate::machine::{self, Ticks};
use crate::measure::{self, Errand, Session};
use crate::plan;
use crate::progress::Progress;
use crate::rows::{self, FaultKind, Results, Row};
use crate::runner::{self, Candidate};
use crate::select;
use crate::trouble::{Result, Trouble, because};
use crate::units;
use crate::usage;
use crate::workload::Kind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the command line asked for.
pub struct Options {
    pub plan: String,
    pub engines: Engines,
    /// Only these lines, and the yardsticks and references they are held against.
    pub only: Vec<Pattern>,
    /// Only these sizes.
    pub sizes: Vec<u64>,
    pub budget: Option<Duration>,
    pub full: bool,
    pub results: Destination,
    pub directory: PathBuf,
}

/// Where the rows go.
pub enum Destination {
    /// A new file in the directory.
    Default,
    New(PathBuf),
    /// That of an interrupted run, which goes on with the size that was not finished.
    Resume(PathBuf),
}

/// Runs a plan and says where the results are.
pub fn run(options: &Options) -> Result<PathBuf> {
    let plan = Plan::load(&options.plan)?;
    let chosen = select::engines(&options.engines, &plan, &options.only)?;
    select::must_have(&plan, &options.sizes, options.full)?;
    let scratch = Scratch::create(&options.directory)?;
    let (out, mut results, before) = open(options, &plan)?;
    let mut progress = Progress::new();
    let (start, ticks) = (Instant::now(), Ticks::now());
    results.append(&opening(options, &plan, &before, &scratch.0))?;
    if cfg!(debug_assertions) {
        progress.say("warning: this lab was built without optimisation: its figures mean nothing");
    }
    let mut launch = Processes::new(plan.seed ^ u64::from(std::process::id()));
    let mut session = Session {
        launch: &mut launch,
        results: &mut results,
        progress: &mut progress,
        scratch: &scratch.0,
        seed: plan.seed,
        full: options.full,
        seen: foresight::seen_in(&before),
    };
    let candidates = greet_all(&chosen, &options.engines, &plan, &before, &mut session)?;
    all_sizes(options, &plan, &candidates, &before, &mut session)?;
    let spent = Ticks::now().zip(ticks).map(|(now, then)| now.since(then));
    results.append(&Row::End(rows::End {
        seconds: start.elapsed().as_secs(),
        stolen_permille: spent.and_then(Ticks::stolen_permille),
        others_permille: spent
            .zip(usage::family_cpu_ns())
            .and_then(|(spent, own)| spent.others_permille(own)),
    }))?;
    Ok(out)
}

/// The results file, and the rows that are in it already.
fn open(options: &Options, plan: &Plan) -> Result<(PathBuf, Results, Vec<Row>)> {
    let out = match &options.results {
        Destination::Resume(path) => {
            let before = rows::of_whole_sizes(rows::read(path)?);
            must_be_of(plan, &filters(options), &before, path)?;
            return Ok((path.clone(), Results::reopen(path, &before)?, before));
        }
        Destination::New(path) => path.clone(),
        Destination::Default => {
            let time = machine::now().replace(['-', ':'], "");
            let (out, results) = create_in(&options.directory, &format!("{}-{time}", plan.name))?;
            return Ok((out, results, Vec::new()));
        }
    };
    let results = Results::create(&out)?;
    Ok((out, results, Vec::new()))
}

/// Another run may have begun in the same second.
fn create_in(directory: &Path, stem: &str) -> Result<(PathBuf, Results)> {
    let (mut out, mut number) = (directory.join(format!("{stem}.jsonl")), 1);
    loop {
        match Results::create(&out) {
            Err(_) if out.exists() => number += 1,
            results => return results.map(|results| (out, results)),
        }
        out = directory.join(format!("{stem}-{number}.jsonl"));
    }
}

/// What narrows or widens a plan, in words that are compared when a run goes on.
fn filters(options: &Options) -> Vec<String> {
    let engines = options.only.iter().map(|pattern| format!("--engine {pattern}"));
    let sizes = options.sizes.iter().map(|bytes| format!("--size {bytes}"));
    let flags = [(options.full, "--full"), (options.engines.legacy, "--legacy")];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned());
    engines.chain(sizes).chain(flags).collect()
}

fn must_be_of(plan: &Plan, filters: &[String], before: &[Row], path: &Path) -> Result<()> {
    let name = path.display();
    match before.first() {
        Some(Row::Header(header)) if (&header.plan, header.seed) == (&plan.name, plan.seed) => {
            must_be_the_same(header, plan, filters)
                .map_err(|why| because(format!("cannot go on with \"{name}\""), why))
        }
        Some(Row::Header(header)) => Err(Trouble::new(format!(
            "\"{name}\" holds a run of \"{}\" with seed {}, not of \"{}\" with seed {}",
            header.plan, header.seed, plan.name, plan.seed
        ))),
        _ => Err(Trouble::new(format!("\"{name}\" does not begin with a header row"))),
    }
}

fn must_be_the_same(
    header: &rows::Header,
    plan: &Plan,
    filters: &[String],
) -> std::result::Result<(), String> {
    if header.plan_sha256 != plan.sha256 {
        return Err(format!("plan \"{}\" has another text now", plan.name));
    }
    if header.filters != filters {
        let words = |filters: &[String]| match filters {
            [] => "no filter".to_owned(),
            some => some.join(" "),
        };
        return Err(format!("it was begun with {}, not with {}", words(&header.filters), words(filters)));
    }
    Ok(())
}

/// An engine that was replaced in between would be two under one name.
fn must_have_stayed(engine: &Engine, version: &str, before: &[Row]) -> Result<()> {
    let changed = before.iter().find_map(|row| match row {
        Row::Engine(then) if then.engine == engine.name && then.version != version => Some(&then.version),
        _ => None,
    });
    match changed {
        Some(then) => Err(because(
            format!("cannot go on: engine \"{}\" is another one now", engine.name),
            format!("\"{then}\" before, \"{version}\" now"),
        )),
        None => Ok(()),
    }
}

fn opening(options: &Options, plan: &Plan, before: &[Row], scratch: &Path) -> Row {
    let (command, started, machine) = (command_line(), machine::now(), machine::look(scratch));
    if !before.is_empty() {
        return Row::Resumed(rows::Resumed { command, started, machine });
    }
    Row::Header(rows::Header {
        schema: rows::SCHEMA,
        lab: env!("CARGO_PKG_VERSION").into(),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.into(),
        commit: machine::commit(),
        command,
        plan: plan.name.clone(),
        plan_sha256: plan.sha256.clone(),
        filters: filters(options),
        history: plan.history,
        seed: plan.seed,
        started,
        machine,
    })
}

fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("sealmark-lab".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// As a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=,+@%".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Asks every engine for its version once. What is missing or broken is said once, as one row.
pub fn greet_all<'a>(
    chosen: &[&'a Engine],
    engines: &Engines,
    plan: &Plan,
    before: &[Row],
    session: &mut Session,
) -> Result<Vec<Candidate<'a>>> {
    let mut candidates = Vec::new();
    for &engine in chosen {
        match greet(engine, engines, session) {
            Ok((command, version)) => {
                must_have_stayed(engine, &version, before)?;
                session.results.append(&Row::Engine(engine_row(engine, version)))?;
                candidates.push(Candidate { engine, command });
            }
            Err(fault) => {
                session.progress.say(&format!("{}: {}: {}", engine.name, fault.kind.words(), fault.why));
                let job = plan.jobs.iter().find(|job| !engine.lines(job).is_empty());
                session.results.append(&Row::Fault(rows::Fault {
                    job: job.map_or("", |job| job.job.name()).into(),
                    size: None,
                    engine: engine.name.clone(),
                    algorithm: None,
                    shape: None,
                    operation: fault.operation,
                    kind: fault.kind,
                    why: fault.why,
                }))?;
            }
        }
    }
    Ok(candidates)
}

fn greet(
    engine: &Engine,
    engines: &Engines,
    session: &mut Session,
) -> std::result::Result<(Vec<String>, String), Fault> {
    let command = engines.command(engine).map_err(|missing| absent(&missing))?;
    let (_talk, version) = runner::greet(session.launch, &command, &session.scratch.join("stderr"))?;
    Ok((command, version))
}

fn absent(Missing { why, hint }: &Missing) -> Fault {
    let hint = hint.as_ref().map(|line| format!("; hint: {line}")).unwrap_or_default();
    Fault::new(FaultKind::Absent, format!("{why}{hint}"))
}

fn engine_row(engine: &Engine, version: String) -> rows::Engine {
    rows::Engine {
        engine: engine.name.clone(),
        family: engine.family.clone(),
        about: engine.about.clone(),
        role: engine.role,
        version,
        jdk: engine.jdk.as_ref().map(|jdk| jdk.version.clone()),
        in_process: engine.in_process(),
    }
}

fn all_sizes(
    options: &Options,
    plan: &Plan,
    candidates: &[Candidate],
    before: &[Row],
    session: &mut Session,
) -> Result<()> {
    let wanted = |size: &&Size| {
        (options.full || !size.full) && (options.sizes.is_empty() || options.sizes.contains(&size.bytes))
    };
    let cells: Vec<(&Job, &Size)> = plan
        .jobs
        .iter()
        .flat_map(|job| job.sizes.iter().filter(wanted).map(move |size| (job, size)))
        .filter(|(job, size)| !is_finished(before, job, size))
        .collect();
    let budget = options.budget.or(plan.budget_seconds.map(Duration::from_secs));
    let start = Instant::now();
    for (at, &(job, size)) in cells.iter().enumerate() {
        let left = budget.map(|budget| budget.saturating_sub(start.elapsed()));
        let budget = plan::share(left, cells[at..].iter().map(|(_, size)| size.budget_seconds));
        let errand = select::errand(job, size, &options.engines.jdks, candidates, &options.only, budget);
        if errand.entries.is_empty() {
            continue;
        }
        let is_next_job = at == 0 || !std::ptr::eq(cells[at - 1].0, job);
        warn(session, job, size, &select::unmatched(job, &options.engines), is_next_job)?;
        match cannot(&errand, left, session.scratch) {
            Some(why) => refuse(session, job, size, &why)?,
            None => measure::size(session, &errand)?,
        }
    }
    Ok(())
}

/// What a plan names in vain stands beside the figures, and once a job on standard error.
fn warn(session: &mut Session, job: &Job, size: &Size, unmatched: &[String], aloud: bool) -> Result<()> {
    for why in unmatched {
        if aloud {
            session.progress.say(&format!("warning: job {}: {why}", job.job.name()));
        }
        let (job, note) = (job.job.name().into(), why.clone());
        session.results.append(&Row::Note(rows::Note { job, size: size.bytes, note }))?;
    }
    Ok(())
}

fn is_finished(before: &[Row], job: &Job, size: &Size) -> bool {
    before.iter().any(|row| {
        matches!(row, Row::Finished(done) if (done.job.as_str(), done.size) == (job.job.name(), size.bytes))
    })
}

/// Why a size is not begun: the budget is gone, or there is no room for it on the disk.
fn cannot(errand: &Errand, left: Option<Duration>, scratch: &Path) -> Option<String> {
    if left.is_some_and(|left| left.is_zero()) {
        return Some("the budget was spent before".into());
    }
    if errand.job.job.is_tls() && !cfg!(feature = "openssl") {
        return Some("this lab was built without OpenSSL, which makes the certificates".into());
    }
    if !errand.job.job.on_files() {
        return None;
    }
    let kept = match errand.job.job {
        job if job.is_filter() => errand.entries.len(),
        // What the lab sealed in each algorithm, its altered copy, and what a format of an engine's own made.
        Kind::Payload => errand.algorithms() + 2,
        _ => 0,
    };
    let needed = plan::space_needed(errand.size.bytes, kept);
    let missing = plan::space_missing(needed, machine::free_space(scratch))?;
    Some(format!("{} more of disk space needed", units::rate(missing as f64).trim_end_matches("/s")))
}

fn refuse(session: &mut Session, job: &Job, size: &Size, why: &str) -> Result<()> {
    let name = job.job.name();
    let note = rows::Note::of_nothing_begun(name, size.bytes, why);
    session.progress.say(&format!("{name} {}: {}", units::amount(name, size.bytes), note.note));
    session.results.append(&Row::Note(note))
}

/// Nobody else names a directory like this: what bears this name may be swept away.
const OWN: &str = "sealmark-lab-run-";

/// A directory of this run alone, gone when it ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn create(directory: &Path) -> Result<Self> {
        let failed = |error| because(format!("cannot use directory \"{}\"", directory.display()), error);
        std::fs::create_dir_all(directory).map_err(failed)?;
        // Children may have another working directory; and the wire carries text.
        let directory = std::path::absolute(directory).map_err(failed)?;
        if directory.to_str().is_none() {
            return Err(because(
                format!("cannot use directory \"{}\"", directory.display()),
                "its name is not UTF-8",
            ));
        }
        sweep(&directory);
        let own = directory.join(format!("{OWN}{}", std::process::id()));
        std::fs::create_dir_all(&own).map_err(failed)?;
        Ok(Self(own))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Removes what interrupted runs left behind: gigabytes, perhaps.
fn sweep(directory: &Path) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let owner = entry.file_name().to_str().and_then(|name| name.strip_prefix(OWN)?.parse::<u32>().ok());
        if owner.is_some_and(|process| !is_running(process)) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(unix)]
fn is_running(process: u32) -> bool {
    let process = rustix::process::Pid::from_raw(process as i32);
    process.is_some_and(|process| rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_running(_process: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_was() {
        for word in [
            "",
            "--engine=SunJCE",
            "SunJCE 17*",
            "it's here",
            "a;b&c",
            "$HOME",
            "`x`",
            "(1)",
            "\\",
            "\"",
            "ü",
            "~",
        ] {
            let script = format!("printf %s {}", quoted(word));
            let said = std::process::Command::new("sh").arg("-c").arg(&script).output().unwrap().stdout;
            assert_eq!(String::from_utf8(said).unwrap(), word, "{script}");
        }
        assert_eq!(quoted("--size=1024"), "--size=1024");
    }

    #[test]
    fn runs_of_the_same_second_have_files_of_their_own() {
        let directory = tempfile::tempdir().unwrap();
        let names: Vec<PathBuf> = (0..3).map(|_| create_in(directory.path(), "quick").unwrap().0).collect();
        assert_eq!(
            names,
            ["quick.jsonl", "quick-2.jsonl", "quick-3.jsonl"].map(|it| directory.path().join(it))
        );
        assert!(create_in(&directory.path().join("nowhere"), "quick").is_err());
    }
}

//! The verb `run`: job and engines in, a results file out.

use crate::child::Fault;
use crate::engine::{self, Engine, Role};
use crate::machine::{self, Ticks};
use crate::measure::{self, Candidate};
use crate::plan;
use crate::progress::Progress;
use crate::rows::{self, FaultKind, Results, Row};
use crate::trouble::{Result, Trouble, because};
use crate::units;
use crate::usage;
use crate::workload::{Job, Kind, Size};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the command line asked for.
pub struct Options {
    pub job: String,
    pub engines: Option<PathBuf>,
    pub only: Vec<String>,
    pub full: bool,
    pub quick: bool,
    pub out: Option<PathBuf>,
    pub directory: PathBuf,
}

/// Runs a job and says where the results are.
pub fn run(options: &Options) -> Result<PathBuf> {
    let job = Job::load(&options.job)?;
    let engines = engine::load(options.engines.as_deref())?;
    let chosen = choose(&engines, &options.only, job.job)?;
    let scratch = Scratch::create(&options.directory)?;
    let out = options.out.clone().unwrap_or_else(|| default_results(&options.directory, &job.name));
    let mut results = Results::create(&out)?;
    let mut progress = Progress::new();
    let (start, ticks) = (Instant::now(), Ticks::now());
    results.append(&Row::Header(header(&job, &scratch.0)))?;
    if cfg!(debug_assertions) {
        progress.say("warning: this lab was built without optimisation: its figures mean nothing");
    }
    let candidates =
        greet_all(&chosen, options.engines.as_deref(), &job, &scratch.0, &mut results, &mut progress)?;
    for size in sizes(&job, options) {
        if has_room(&job, &size, &candidates, &scratch.0, &mut results, &mut progress)? {
            measure::size(&job, &size, &candidates, &scratch.0, &mut results, &mut progress)?;
        }
    }
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

/// The engines that do this kind of job; `--only` never takes the yardstick away, or there would be no ratio.
fn choose<'a>(engines: &'a [Engine], only: &[String], job: Kind) -> Result<Vec<&'a Engine>> {
    if let Some(unknown) = only.iter().find(|name| !engines.iter().any(|engine| engine.name == **name)) {
        let trouble = Trouble::new(format!("there is no engine \"{unknown}\""));
        return Err(trouble.hint("`sealmark-lab list` shows the engines"));
    }
    let wanted =
        |engine: &&Engine| only.is_empty() || only.contains(&engine.name) || engine.role == Role::Yardstick;
    Ok(engines.iter().filter(|engine| !engine.keys(job).is_empty()).filter(wanted).collect())
}

fn sizes(job: &Job, options: &Options) -> Vec<Size> {
    let wanted = job.sizes.iter().filter(|size| options.full || !size.full);
    wanted
        .map(|size| match options.quick {
            true => Size { blocks: plan::quick(size.blocks), ..size.clone() },
            false => size.clone(),
        })
        .collect()
}

fn default_results(directory: &Path, job: &str) -> PathBuf {
    directory.join(format!("{job}-{}.jsonl", machine::now().replace(['-', ':'], "")))
}

fn header(job: &Job, scratch: &Path) -> rows::Header {
    rows::Header {
        schema: rows::SCHEMA,
        lab: env!("CARGO_PKG_VERSION").into(),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.into(),
        commit: machine::commit(),
        command: command_line(),
        job: job.name.clone(),
        seed: job.seed,
        started: machine::now(),
        machine: machine::look(scratch),
    }
}

fn command_line() -> String {
    let quoted = |word: String| if word.contains(' ') { format!("'{word}'") } else { word };
    std::iter::once("sealmark-lab".to_owned())
        .chain(std::env::args().skip(1).map(quoted))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Asks every engine for its version once. What is missing or broken is said once, as one row.
fn greet_all<'a>(
    chosen: &[&'a Engine],
    engines_file: Option<&Path>,
    job: &Job,
    scratch: &Path,
    results: &mut Results,
    progress: &mut Progress,
) -> Result<Vec<Candidate<'a>>> {
    let lab = std::env::current_exe().map_err(|error| because("cannot find this program again", error))?;
    let mut candidates = Vec::new();
    for &engine in chosen {
        match greet(engine, &lab, engines_file, scratch) {
            Ok((command, version)) => {
                results.append(&Row::Engine(engine_row(engine, version)))?;
                candidates.push(Candidate { engine, command });
            }
            Err(fault) => {
                progress.say(&format!("{}: {}: {}", engine.name, fault.kind.words(), fault.why));
                results.append(&Row::Fault(engine_fault(engine, job, fault)))?;
            }
        }
    }
    Ok(candidates)
}

fn greet(
    engine: &Engine,
    lab: &Path,
    engines_file: Option<&Path>,
    scratch: &Path,
) -> std::result::Result<(Vec<String>, String), Fault> {
    let command = engine.command(lab, engines_file).map_err(|program| absent(engine, &program))?;
    let (_child, version) = measure::greet(&command, &scratch.join("stderr"))?;
    Ok((command, version))
}

fn absent(engine: &Engine, program: &str) -> Fault {
    let hint = engine.install.as_ref().map(|line| format!("; hint: {line}")).unwrap_or_default();
    Fault::new(FaultKind::Absent, format!("no program \"{program}\" was found{hint}"))
}

fn engine_row(engine: &Engine, version: String) -> rows::Engine {
    rows::Engine { engine: engine.name.clone(), about: engine.about.clone(), role: engine.role, version }
}

fn engine_fault(engine: &Engine, job: &Job, fault: Fault) -> rows::Fault {
    rows::Fault {
        job: job.job.name().into(),
        size: None,
        engine: engine.name.clone(),
        key: None,
        operation: fault.operation,
        kind: fault.kind,
        why: fault.why,
    }
}

/// A size that does not fit on the disk is not begun; the row says how much is missing.
fn has_room(
    job: &Job,
    size: &Size,
    candidates: &[Candidate],
    scratch: &Path,
    results: &mut Results,
    progress: &mut Progress,
) -> Result<bool> {
    let kept = match job.job {
        Kind::Pipe => candidates.iter().map(|candidate| candidate.engine.keys(job.job).len()).sum(),
        _ => 0,
    };
    let needed = plan::space_needed(size.bytes, kept);
    let Some(missing) = plan::space_missing(needed, machine::free_space(scratch)) else { return Ok(true) };
    let note =
        format!("not run: {} more of disk space needed", units::rate(missing as f64).trim_end_matches("/s"));
    progress.say(&format!("{} {}: {note}", job.name, units::size(size.bytes)));
    results.append(&Row::Note(rows::Note { job: job.job.name().into(), size: size.bytes, note }))?;
    Ok(false)
}

/// Nobody else names a directory like this: what bears this name may be swept away.
const OWN: &str = "sealmark-lab-run-";

/// A directory of this run alone, gone when it ends.
struct Scratch(PathBuf);

impl Scratch {
    fn create(directory: &Path) -> Result<Self> {
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

//! The verb `measure`: a plan and engines in, a results file out.

use crate::checkerboard::Checkerboard;
use crate::child::{Fault, Processes};
use crate::engine::{Engine, Engines, Places};
use crate::jobfile::{Pattern, Plan, Planned};
use crate::jobs::runner::{self, Outcome};
use crate::machine::{self, Ticks};
use crate::measure::{Candidate, Session, Trial};
use crate::plan::Size;
use crate::progress::Progress;
use crate::rounds;
use crate::rows::{self, FaultKind, Line, Results, Row};
use crate::select;
use crate::trouble::{Result, Trouble, because};
use crate::units;
use crate::usage;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The options that choose parts of a plan.
#[derive(clap::Args)]
pub struct Selection {
    /// A plan that `list` shows, or a job file.
    #[arg(default_value = "quick")]
    plan: String,
    /// Only these engines, or these lines, written as engine/algorithm/how; `*` matches any characters. Yardsticks always
    /// run.
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', value_parser = |text: &str| Pattern::try_from(text.to_owned()))]
    engine: Vec<Pattern>,
    /// Only these jobs of the plan.
    #[arg(long, value_name = "JOB", value_delimiter = ',')]
    job: Vec<String>,
    /// Only these sizes, in bytes.
    #[arg(long, value_name = "BYTES", value_delimiter = ',', value_parser = units::parse_size)]
    pub size: Vec<u64>,
    /// Run deprecated algorithms and suites, too, in separate processes and on the loopback address only.
    #[arg(long)]
    legacy: bool,
    /// The directory for files to seal and for results: its disk is measured.
    #[arg(long, value_name = "DIR", default_value = "target/lab")]
    dir: PathBuf,
    #[command(flatten)]
    places: Places,
}

/// The options of `measure`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: Selection,
    /// The time for the whole run ("90s", "2m"). If it is too short for the plan, there are fewer blocks.
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    budget: Option<Duration>,
    /// Measure the sizes marked full, too, and the lines that are predicted to take too long; and every line in all blocks of the
    /// plan, as `gate` needs them.
    #[arg(long)]
    full: bool,
    /// The results file [default: a new one in DIR].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs a plan and says where the results are.
pub fn run(options: &Options) -> Result<PathBuf> {
    let chosen = options.selection.chosen(options.full)?;
    let time = machine::now().replace(['-', ':'], "");
    let fresh = || options.selection.dir.join(format!("{}-{time}.jsonl", chosen.plan.name));
    let out = options.out.clone().unwrap_or_else(fresh);
    let mut results = Results::create(&out)?;
    // The figures of a lab without optimisation mean nothing, so that it waits for nothing.
    let unwritten = || if cfg!(debug_assertions) { 0 } else { machine::unwritten() };
    machine::wait_for_the_disk(unwritten, Duration::from_millis(200));
    let (start, ticks, clock) = (Instant::now(), Ticks::now(), machine::megahertz());
    let board = Checkerboard::lay_out(chosen.largest_file());
    let held_mib = board.as_ref().map(|(_, mib)| *mib);
    let reported = machine::reported_mib();
    results.append(&opening(&chosen.plan, chosen.scratch.path(), held_mib))?;
    let budget = options.budget.or(chosen.plan.budget_seconds.map(Duration::from_secs));
    chosen.each(&mut results, options.full, |session, trials| rounds::all(session, trials, budget))?;
    let [stolen_permille, others_permille] = Ticks::permille_since(ticks, usage::family_cpu_ns());
    let seconds = start.elapsed().as_secs();
    let reported_mib = machine::reported_mib().zip(reported).map(|(now, then)| now.saturating_sub(then));
    let megahertz = clock.zip(machine::megahertz());
    let end = rows::End { seconds, stolen_permille, others_permille, reported_mib, megahertz };
    results.append(&Row::End(end))?;
    Ok(out)
}

/// A plan, its sizes that are wanted, and where it is measured.
pub struct Chosen<'a> {
    selection: &'a Selection,
    /// Sizes marked full, too.
    full: bool,
    engines: Engines,
    plan: Plan,
    scratch: TempDir,
}

impl Selection {
    /// The chosen part of a plan; an error if there is no such part.
    pub fn chosen(&self, full: bool) -> Result<Chosen<'_>> {
        let engines = self.places.load(self.legacy)?;
        let plan = select::only(Plan::load(&self.plan)?, &self.job)?;
        select::engines(&engines, &plan, &self.engine)?;
        select::must_have(&plan, &self.size, full)?;
        Ok(Chosen { selection: self, full, engines, plan, scratch: scratch(&self.dir)? })
    }
}

impl Chosen<'_> {
    fn sizes<'a>(&'a self, job: &'a Planned) -> impl Iterator<Item = &'a Size> {
        let wanted = &self.selection.size;
        let is_wanted = |size: &&Size| wanted.is_empty() || wanted.contains(&size.amount);
        job.sizes.iter().filter(|size| self.full || !size.full).filter(is_wanted)
    }

    fn largest_file(&self) -> u64 {
        let jobs = self.plan.jobs.iter().filter(|job| job.job.on_files);
        jobs.flat_map(|job| self.sizes(job)).map(|size| size.amount).max().unwrap_or(0)
    }

    /// Greets the engines, and does some work with what they are to do.
    pub fn each(
        &self,
        results: &mut Results,
        however_long: bool,
        work: impl FnOnce(&mut Session, Vec<Trial>) -> Result<()>,
    ) -> Result<()> {
        let mut progress = Progress::new();
        if cfg!(debug_assertions) {
            progress.say("warning: this lab was built without optimisation: its figures mean nothing");
        }
        let session = &mut Session {
            launch: &mut Processes::new(self.plan.seed ^ u64::from(std::process::id())),
            results,
            progress: &mut progress,
            scratch: self.scratch.path(),
            seed: self.plan.seed,
            full: however_long,
            deadline: None,
            core_ns: Vec::new(),
            waited: Duration::ZERO,
        };
        let candidates = self.greet_all(session)?;
        let mut trials = Vec::new();
        for job in &self.plan.jobs {
            let trial =
                |size| select::trial(job, size, &self.engines.jdks, &candidates, &self.selection.engine);
            let of_job = self.sizes(job).map(trial).filter(|trial| !trial.entries.is_empty());
            let of_job: Vec<Trial> = of_job.collect();
            // A pattern of the plan that matches nothing stands beside the figures, and once a job on standard error.
            let in_vain = if of_job.is_empty() { Vec::new() } else { select::unmatched(job, &self.engines) };
            for why in &in_vain {
                session.progress.say(&format!("warning: job {}: {why}", job.job.name));
            }
            let notes =
                of_job.iter().flat_map(|trial| in_vain.iter().map(move |why| trial.note(why.clone())));
            notes.map(Row::Note).try_for_each(|note| session.results.append(&note))?;
            trials.extend(of_job);
        }
        work(session, trials)
    }

    /// Asks every engine for its version once. An engine that is missing or broken has one row that says so.
    fn greet_all(&self, session: &mut Session) -> Result<Vec<Candidate<'_>>> {
        let mut candidates = Vec::new();
        for engine in select::engines(&self.engines, &self.plan, &self.selection.engine)? {
            match self.greet(engine, session) {
                Ok((command, version)) => {
                    session.results.append(&Row::Engine(rows::Engine {
                        engine: engine.name.clone(),
                        family: engine.family.clone(),
                        about: engine.about.clone(),
                        role: engine.role,
                        version,
                        jdk: engine.java().map(str::to_owned),
                        in_process: engine.in_process(),
                    }))?;
                    candidates.push(Candidate { engine, command });
                }
                Err(fault) => {
                    session.progress.say(&format!("{}: {}: {}", engine.name, fault.kind.words(), fault.why));
                    let job = self.plan.jobs.iter().find(|job| !engine.lines(job).is_empty());
                    let all = Line::of(&engine.name, Default::default());
                    session.results.append(&fault.row(job.map_or("", |job| job.job.name), None, &all))?;
                }
            }
        }
        Ok(candidates)
    }

    fn greet(&self, engine: &Engine, session: &mut Session) -> Outcome<(Vec<String>, String)> {
        let absent =
            |missing: Trouble| Fault::new(FaultKind::Absent, missing.to_string().replace('\n', "; "));
        let command = self.engines.command(engine).map_err(absent)?;
        let (_talk, version) = runner::greet(session.launch, &command, &session.scratch.join("stderr"))?;
        Ok((command, version))
    }
}

fn opening(plan: &Plan, scratch: &Path, held_mib: Option<u64>) -> Row {
    Row::Header(rows::Header {
        schema: rows::SCHEMA,
        lab: env!("CARGO_PKG_VERSION").into(),
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.into(),
        commit: machine::COMMIT.into(),
        command: command_line(),
        plan: plan.name.clone(),
        plan_sha256: plan.sha256.clone(),
        history: plan.history.clone(),
        seed: plan.seed,
        started: machine::now(),
        machine: machine::look(scratch),
        held_mib,
    })
}

fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("sealmark-lab".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=,+@%".contains(&byte);
    let needs_none = !word.is_empty() && word.bytes().all(is_plain);
    if needs_none { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Nobody else names a directory like this: what bears this name may be swept away.
const OWN: &str = "sealmark-lab-run-";

/// A directory of this run alone, gone when it ends.
pub fn scratch(directory: &Path) -> Result<TempDir> {
    let failed = |error| because(format!("cannot use directory \"{}\"", directory.display()), error);
    std::fs::create_dir_all(directory).map_err(failed)?;
    // Children may have another working directory; and the wire carries text.
    let directory = std::path::absolute(directory).map_err(failed)?;
    if directory.to_str().is_none() {
        return Err(failed(std::io::Error::other("its name is not UTF-8")));
    }
    sweep(&directory);
    let own = format!("{OWN}{}-", std::process::id());
    tempfile::Builder::new().prefix(&own).tempdir_in(directory).map_err(failed)
}

/// Removes what interrupted runs left behind: gigabytes, perhaps.
fn sweep(directory: &Path) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(OWN)?.split('-').next());
        let owner = number.and_then(|number| number.parse::<u32>().ok());
        if owner.is_some_and(|process| !is_running(process)) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_running(process: u32) -> bool {
    let process = rustix::process::Pid::from_raw(process as i32);
    process.is_some_and(|process| rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH))
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
}

//! Any program of engines.toml, timed as a whole. This process stays small and touches no data: the kernel counts the
//! peak of the process that starts a program into the program's own.

use crate::engine::{self, Engine as Known};
use crate::jobs::{Job, Ran};
use crate::programs;
use crate::protocol::{Answer, Operation, Ready, Span, Task};
use crate::serve::{Engine, failed, unsupported};
use crate::trouble::{Result, Trouble};
use crate::usage::{self, Used};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

/// The adapter of one stanza.
pub struct Adapter {
    engine: Known,
    prepared: Option<Prepared>,
}

struct Prepared {
    ran: Ran,
    /// Resolved to real programs, with this run's keys filled in.
    commands: BTreeMap<Operation, Vec<String>>,
    stderr: PathBuf,
}

impl Adapter {
    pub fn new(name: &str, engines: Option<&Path>) -> Result<Self> {
        let mut programs = engine::load(engines, &[])?.into_iter().filter(|engine| !engine.in_process());
        let unknown = || Trouble::new(format!("engines.toml describes no program \"{name}\""));
        Ok(Self { engine: programs.find(|engine| engine.name == name).ok_or_else(unknown)?, prepared: None })
    }

    fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(&self.engine.environment).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// A stanza's command with programs found and `{keys}` filled in; what is timed later searches no path.
    fn resolve(&self, words: &[String], keys: &Path) -> std::result::Result<Vec<String>, Answer> {
        let (program, arguments) =
            words.split_first().ok_or_else(|| failed("the command in engines.toml is empty"))?;
        let found =
            programs::find(program).ok_or_else(|| failed(format!("no program \"{program}\" was found")))?;
        let fill = |word: &String| programs::filled(word, &[("{keys}", keys)]);
        let filled = arguments.iter().map(fill).map(|word| match word.strip_prefix('<') {
            Some(file) => std::fs::read_to_string(file).map(|text| text.trim().to_owned()).map_err(failed),
            None => Ok(word),
        });
        std::iter::once(Ok(found.display().to_string())).chain(filled).collect()
    }

    fn set_up(&self, words: &[String], keys: &Path, stderr: &Path) -> std::result::Result<(), Answer> {
        let mut words = self.resolve(words, keys)?;
        let output = words.pop_if(|last| last.starts_with('>')).map(|last| last[1..].to_owned());
        let mut command = self.command(&words);
        if let Some(path) = output {
            command.stdout(File::create(path).map_err(failed)?);
        }
        let status = File::create(stderr).and_then(|file| command.stderr(file).status()).map_err(failed)?;
        if status.success() { Ok(()) } else { Err(failed(last_words(status, stderr))) }
    }

    /// `PROGRAM … INPUT … OUTPUT`, `PROGRAM < INPUT > OUTPUT`, or `cat INPUT | PROGRAM | cat > OUTPUT`.
    fn stages(
        &self,
        prepared: &Prepared,
        words: &[String],
        input: &Path,
        output: &Path,
    ) -> io::Result<Vec<Command>> {
        let fill = |word: &String| programs::filled(word, &[("{input}", input), ("{output}", output)]);
        let mut program = self.command(&words.iter().map(fill).collect::<Vec<_>>());
        program.stderr(File::create(&prepared.stderr)?);
        match prepared.ran {
            Ran::Whole => Ok(vec![program]),
            Ran::Filter => {
                program.stdin(File::open(input)?).stdout(File::create(output)?);
                Ok(vec![program])
            }
            Ran::Pipeline => {
                let (from_source, to_program) = io::pipe()?;
                let (from_program, to_sink) = io::pipe()?;
                let mut source = Command::new("cat");
                source.arg(input).stdin(Stdio::null()).stdout(to_program).stderr(Stdio::null());
                program.stdin(from_source).stdout(to_sink);
                let mut sink = Command::new("cat");
                sink.stdin(from_program).stdout(File::create(output)?).stderr(Stdio::null());
                Ok(vec![source, program, sink])
            }
        }
    }
}

impl Engine for Adapter {
    /// The program's own word for its version, or else the digest of its file: never nothing. Both of what the user built.
    fn hello(&self) -> std::result::Result<(String, String), Answer> {
        let words = Some(&self.engine.version).filter(|words| !words.is_empty());
        let told = words.map(|words| self.resolve(words, Path::new(""))).transpose()?.and_then(|words| {
            let output = self.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).output().ok()?;
            let first = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
            (!first.trim().is_empty()).then_some(first)
        });
        let program = self.engine.program.as_deref().unwrap_or_default();
        let version = match told {
            Some(version) if !program.starts_with('$') => version,
            told => told.into_iter().chain([digest(program)?]).collect::<Vec<_>>().join(", "),
        };
        Ok((self.engine.name.clone(), version))
    }

    fn prepare(&mut self, job: &'static Job, task: &Task) -> std::result::Result<Ready, Answer> {
        let directory = Path::new(&task.directory);
        let mode = self.engine.modes.iter().find(|mode| mode.algorithm == task.algorithm());
        let mode = mode.ok_or_else(|| unsupported(task.algorithm()))?;
        let stderr = directory.with_extension("program-stderr");
        mode.setup.iter().try_for_each(|words| self.set_up(words, directory, &stderr))?;
        let commands = job.operations.iter().filter_map(|operation| {
            let words = mode.command(job, *operation)?;
            Some(self.resolve(words, directory).map(|words| (*operation, words)))
        });
        let commands: BTreeMap<Operation, Vec<String>> = commands.collect::<std::result::Result<_, _>>()?;
        let seal = commands.get(&Operation::Seal).zip(job.program);
        let (seal, ran) = seal.ok_or_else(|| unsupported(format!("job {}", job.name)))?;
        let code = seal[0].clone();
        self.prepared = Some(Prepared { ran, commands, stderr });
        Ok(Ready { authenticated: self.engine.authenticated == Some(true), code })
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        let Some(prepared) = &self.prepared else { return failed("not prepared") };
        let Some(words) = prepared.commands.get(&operation) else {
            return unsupported(operation.to_string());
        };
        let (status, _) = match self.stages(prepared, words, input, output).and_then(timed) {
            Ok((status, span)) if status.success() => return Answer::Done(span),
            Ok(ended) => ended,
            Err(error) => return failed(error),
        };
        let why = last_words(status, &prepared.stderr);
        // A program tells no more than its exit code: an open that failed refused. A crash is not a refusal.
        match (operation, status.code()) {
            (Operation::Open, Some(_)) => Answer::Refused { why },
            _ => Answer::Failed { why },
        }
    }
}

fn digest(program: &str) -> std::result::Result<String, Answer> {
    let path = programs::find(program).ok_or_else(|| failed("the program is gone"))?;
    let seen = crate::workload::fingerprint(&path).map_err(failed)?;
    Ok(format!("sha256 {}", &seen.sha256[..16]))
}

/// Has them run, from the first start to the last end; the program is alone, or in the middle. CPU time of all; memory of the
/// program alone. The program's failure counts before that of a `cat` beside it, which only lost its partner.
fn timed(mut stages: Vec<Command>) -> io::Result<(ExitStatus, Span)> {
    let (start, middle) = (Instant::now(), stages.len() / 2);
    let mut children = stages.iter_mut().map(Command::spawn).collect::<io::Result<Vec<Child>>>()?;
    // Our copies of the pipes' ends go, or nobody would ever see an end.
    drop(stages);
    let ended = children.iter_mut().map(usage::wait).collect::<io::Result<Vec<(ExitStatus, Used)>>>()?;
    let wall_ns = start.elapsed().as_nanos() as u64;
    let (status, used) = ended[middle];
    let mut all = [status].into_iter().chain(ended.iter().map(|(status, _)| *status));
    let status = all.find(|status| !status.success()).unwrap_or(status);
    let cpu_ns = ended.iter().map(|(_, used)| used.cpu_ns).sum();
    Ok((status, Span { wall_ns, used: Used::of(cpu_ns, used.peak_bytes) }))
}

/// Programs say the important thing first.
fn last_words(status: ExitStatus, stderr: &Path) -> String {
    let text = std::fs::read(stderr).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.map_or_else(|| status.to_string(), |line| format!("{status}: {}", line.trim()))
}

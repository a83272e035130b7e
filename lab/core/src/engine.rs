//! Who can run: the stanzas of engines.toml, and where their programs are.

use crate::jdks::{self, Jdk};
use crate::jobfile::Planned;
use crate::jobs::{self, Ran};
use crate::parameters::NONE;
use crate::programs::{RUST, find};
use crate::protocol::{Operation, Shape};
use crate::rows::{Line, Role};
use crate::trouble::{Result, Trouble, because};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One engine: a program and what it can do.
#[derive(Debug)]
pub struct Engine {
    pub name: String,
    /// The stanza's name, which the engines of several JDKs share.
    pub family: String,
    pub about: String,
    pub role: Role,
    pub install: Option<String>,
    pub jdk: Option<Jdk>,
    /// It does what nobody should do any more, and is run only when that is asked for.
    pub legacy: bool,
    /// The last Java that has it.
    last_java: Option<u64>,
    pub kind: Kind,
}

/// Why an engine cannot be started here, and what to type about that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub why: String,
    pub hint: Option<String>,
}

/// How it is started.
#[derive(Debug)]
pub enum Kind {
    /// It speaks spec/engine.md.
    Serve(Serve),
    /// It does not: the lab's own adapter runs it.
    Program(Program),
    /// It would run on a JDK, and none is here.
    WithoutJdk(Serve),
}

/// A command that speaks spec/engine.md.
#[derive(Debug, Clone)]
pub struct Serve {
    pub command: Vec<String>,
    /// Files without which there is no point in starting it.
    needs: Vec<String>,
    jobs: Vec<&'static jobs::Job>,
    algorithms: Option<Vec<String>>,
    shapes: Vec<Shape>,
}

/// A program timed as a whole.
#[derive(Debug)]
pub struct Program {
    pub program: String,
    pub version: Vec<String>,
    pub authenticated: bool,
    pub environment: BTreeMap<String, String>,
    pub modes: Vec<Mode>,
}

/// A program's commands for one algorithm.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    pub algorithm: String,
    pub setup: Vec<Vec<String>>,
    seal: Option<Vec<String>>,
    open: Option<Vec<String>>,
    seal_pipe: Option<Vec<String>>,
    open_pipe: Option<Vec<String>>,
    /// Filters of logs, by the format of their lines.
    #[serde(default)]
    seal_log: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    open_log: BTreeMap<String, Vec<String>>,
}

impl Mode {
    /// The command of an operation, if this mode has one for that kind of job.
    pub fn command(&self, job: &jobs::Job, operation: Operation) -> Option<&[String]> {
        let [seal, open] = match job.program? {
            Ran::Whole => [&self.seal, &self.open].map(Option::as_ref),
            Ran::Pipeline => [&self.seal_pipe, &self.open_pipe].map(Option::as_ref),
            Ran::Filter(format) => [&self.seal_log, &self.open_log].map(|logs| logs.get(format)),
        };
        let command = if operation == Operation::Seal { seal } else { open };
        command.map(Vec::as_slice)
    }
}

impl Engine {
    /// Every way in which it may do a job; empty when it does not do that job.
    pub fn lines(&self, job: &Planned) -> Vec<Line> {
        let line = |algorithm: &str, shape| Line::of(&self.name, job.job.named(Some(algorithm), Some(shape)));
        match &self.kind {
            Kind::Serve(serve) | Kind::WithoutJdk(serve) => {
                let algorithms = serve.algorithms(job, self.legacy);
                let shapes = |name: &str| serve.shapes(job.job, name).into_iter();
                let lines =
                    algorithms.iter().flat_map(|name| shapes(name).map(move |shape| line(name, shape)));
                lines.collect()
            }
            Kind::Program(program) => {
                program.algorithms(job.job).into_iter().map(|name| line(name, Shape::Tuned)).collect()
            }
        }
    }

    /// Whether its operations run inside the process that answers.
    pub fn in_process(&self) -> bool {
        !matches!(self.kind, Kind::Program(_))
    }

    /// Why its JDK has nothing for it.
    fn too_young(&self) -> Option<String> {
        let (last, jdk) = (self.last_java?, self.jdk.as_ref()?);
        (jdks::major(&jdk.version) > last).then(|| format!("Java {last} was the last to have it"))
    }

    /// The command that starts its child process, or what is missing.
    fn command(&self, lab: &Path, engines_file: Option<&Path>) -> std::result::Result<Vec<String>, String> {
        match &self.kind {
            Kind::Serve(serve) => serve.resolve(lab, self.jdk.as_ref(), engines_file),
            Kind::WithoutJdk(_) => Err("no JDK was found".into()),
            Kind::Program(program) if find(&program.program).is_none() => {
                Err(format!("no program \"{}\" was found", program.program))
            }
            Kind::Program(_) => {
                let lab = lab.display().to_string();
                let mut command = vec![lab, "serve".into(), "program".into(), self.name.clone()];
                command.extend(engines_file.map(|file| format!("--engines={}", file.display())));
                Ok(command)
            }
        }
    }
}

impl Serve {
    /// Where a job has but one there is no choice.
    fn algorithms(&self, plan: &Planned, legacy: bool) -> Vec<String> {
        let job = plan.job;
        if !self.jobs.contains(&job) {
            return Vec::new();
        }
        let is_taken = |name: &&String| *name == NONE || job.mistake(name).is_none();
        match (&self.algorithms, job.by_plan) {
            _ if job.parameters.is_empty() => vec![NONE.to_owned()],
            (Some(named), _) => named.iter().filter(is_taken).cloned().collect(),
            (None, Some(is_legacy)) => {
                plan.algorithms.iter().filter(|text| is_legacy(text) == legacy).cloned().collect()
            }
            (None, None) => job.algorithms().iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Shapes that it has; an engine that only copies may have none.
    fn shapes(&self, job: &jobs::Job, algorithm: &str) -> Vec<Shape> {
        let all = job.shapes();
        let has: Vec<Shape> = all.iter().filter(|shape| self.shapes.contains(shape)).copied().collect();
        let is_one = all.is_empty() || has.is_empty() && algorithm == NONE;
        if is_one { vec![Shape::Tuned] } else { has }
    }

    fn resolve(
        &self,
        lab: &Path,
        jdk: Option<&Jdk>,
        engines_file: Option<&Path>,
    ) -> std::result::Result<Vec<String>, String> {
        let target = lab.parent().and_then(Path::parent).unwrap_or(Path::new("target"));
        let java = jdk.map(|jdk| jdk.java().display().to_string()).unwrap_or_default();
        let rust = lab.with_file_name(RUST);
        let fill = |part: &String| {
            part.replace("{lab}", &lab.display().to_string())
                .replace("{rust}", &rust.display().to_string())
                .replace("{target}", &target.display().to_string())
                .replace("{java}", &java)
        };
        let place = |word: String| beside(engines_file, &word).unwrap_or(word);
        let command: Vec<String> = self.command.iter().map(fill).map(place).collect();
        let script = command.get(1).filter(|word| is_script(word)).cloned();
        let rust = self.command.first().filter(|word| word.contains("{rust}")).map(fill);
        let needed = self.needs.iter().map(fill).map(place).chain(script).chain(rust);
        match needed.into_iter().find(|path| !Path::new(path).exists()) {
            Some(missing) => Err(format!("file \"{missing}\" is missing")),
            None => Ok(command),
        }
    }
}

/// A word that names a file beside the engines' own file, and none from where the lab was started.
fn beside(engines_file: Option<&Path>, word: &str) -> Option<String> {
    let found = std::path::absolute(engines_file?.parent()?.join(word)).ok()?;
    let is_it = !word.is_empty() && !Path::new(word).exists() && found.is_file();
    is_it.then(|| found.display().to_string())
}

/// What an interpreter is started with: "engines/mine.py".
fn is_script(word: &str) -> bool {
    !word.starts_with('-') && Path::new(word).extension().is_some()
}

impl Program {
    fn algorithms(&self, job: &jobs::Job) -> Vec<&str> {
        // What puts stars in the place of a value has no way back.
        let needed =
            if matches!(job.program, Some(Ran::Filter(_))) { &job.operations[..1] } else { job.operations };
        let does = |mode: &&Mode| needed.iter().all(|operation| mode.command(job, *operation).is_some());
        self.modes.iter().filter(does).map(|mode| mode.algorithm.as_str()).collect()
    }
}

/// Where engines are.
#[derive(clap::Args)]
pub struct Places {
    /// A file of engines to use instead of the built-in ones.
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// The home of another JDK (repeatable); those in JAVA_HOME, /usr/lib/jvm and target/jdks are found without it.
    #[arg(long, value_name = "DIR")]
    java_home: Vec<PathBuf>,
}

impl Places {
    pub fn load(&self, legacy: bool) -> Result<Engines> {
        let engines = Engines::load(self.engines.as_deref(), &self.java_home)?;
        Ok(Engines { legacy, ..engines })
    }
}

/// All engines, where they come from, and the JDKs that some of them run on.
pub struct Engines {
    pub all: Vec<Engine>,
    pub jdks: Vec<Jdk>,
    /// Whether those that do what nobody should do any more may run.
    pub legacy: bool,
    file: Option<PathBuf>,
    lab: PathBuf,
}

impl Engines {
    /// Those of a file, or the built-in ones; those that run on a JDK once for each that is here.
    pub fn load(file: Option<&Path>, java_homes: &[PathBuf]) -> Result<Self> {
        let lab = std::env::current_exe()
            .map_err(|error| because("cannot find the path of this program", error))?;
        let jdks = jdks::find(java_homes)?;
        Ok(Self { all: load(file, &jdks)?, jdks, legacy: false, file: file.map(Path::to_owned), lab })
    }

    /// The built-in ones with these JDKs.
    #[cfg(test)]
    pub fn for_tests(jdks: Vec<Jdk>) -> Self {
        Self { all: load(None, &jdks).expect("stanzas"), jdks, legacy: false, file: None, lab: "lab".into() }
    }

    /// The command that starts an engine's child process, or what is missing.
    pub fn command(&self, engine: &Engine) -> std::result::Result<Vec<String>, Missing> {
        if let Some(why) = engine.too_young() {
            return Err(Missing { why, hint: None });
        }
        let hint = engine.install.clone();
        let command = engine.command(&self.lab, self.file.as_deref()).map_err(|why| Missing { why, hint })?;
        if engine.legacy && !self.legacy {
            let why = "deprecated engines and algorithms run only on request".into();
            return Err(Missing { why, hint: Some("add --legacy to the command line".into()) });
        }
        Ok(command)
    }
}

/// The engines of a file, or the built-in ones.
pub fn load(file: Option<&Path>, jdks: &[Jdk]) -> Result<Vec<Engine>> {
    let Some(file) = file else {
        return parse(include_str!("../../engines.toml"), "lab/engines.toml", jdks);
    };
    let source = file.display().to_string();
    let text =
        std::fs::read_to_string(file).map_err(|error| because(format!("cannot read \"{source}\""), error))?;
    parse(&text, &source, jdks)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    engine: Vec<Stanza>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stanza {
    name: String,
    about: String,
    role: Role,
    install: Option<String>,
    each: Option<Each>,
    #[serde(default)]
    needs: Vec<String>,
    jobs: Option<Vec<&'static jobs::Job>>,
    serve: Option<Vec<String>>,
    algorithms: Option<Vec<String>>,
    shapes: Option<Vec<Shape>>,
    program: Option<String>,
    #[serde(default)]
    version: Vec<String>,
    authenticated: Option<bool>,
    #[serde(default)]
    legacy: bool,
    last_java: Option<u64>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    mode: Vec<Mode>,
}

/// What a stanza is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Each {
    Jdk,
}

fn parse(text: &str, source: &str, jdks: &[Jdk]) -> Result<Vec<Engine>> {
    let wrong = |why: String| because(format!("\"{source}\" is not well formed"), why);
    let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().into()))?;
    let resolved: Vec<Vec<Engine>> =
        file.engine.into_iter().map(|stanza| resolve(stanza, jdks).map_err(wrong)).collect::<Result<_>>()?;
    let engines: Vec<Engine> = resolved.into_iter().flatten().collect();
    match engines.iter().enumerate().find(|(at, engine)| engines[..*at].iter().any(|e| e.name == engine.name))
    {
        Some((_, twice)) => Err(Trouble::new(format!("\"{source}\" names engine \"{}\" twice", twice.name))),
        None => Ok(engines),
    }
}

fn resolve(stanza: Stanza, jdks: &[Jdk]) -> std::result::Result<Vec<Engine>, String> {
    if stanza.name.contains('/') {
        return Err(format!("engine \"{}\" has a slash in its name", stanza.name));
    }
    let each = stanza.each;
    let engine = |name: String, jdk: Option<Jdk>, kind: Kind| Engine {
        name,
        family: stanza.name.clone(),
        about: stanza.about.clone(),
        role: stanza.role,
        install: stanza.install.clone(),
        jdk,
        legacy: stanza.legacy,
        last_java: stanza.last_java,
        kind,
    };
    let name = stanza.name.clone();
    match (stanza.serve, stanza.program, stanza.jobs, stanza.authenticated) {
        (Some(command), None, Some(jobs), None) if !command.is_empty() && stanza.mode.is_empty() => {
            let shapes = stanza.shapes.unwrap_or_else(|| vec![Shape::AsWritten, Shape::Tuned]);
            let serve = Serve { command, needs: stanza.needs, jobs, algorithms: stanza.algorithms, shapes };
            Ok(match each {
                None => vec![engine(name, None, Kind::Serve(serve))],
                Some(Each::Jdk) if jdks.is_empty() => vec![engine(name, None, Kind::WithoutJdk(serve))],
                Some(Each::Jdk) => jdks
                    .iter()
                    .map(|jdk| {
                        let named = format!("{name} {}", jdk.version);
                        engine(named, Some(jdk.clone()), Kind::Serve(serve.clone()))
                    })
                    .collect(),
            })
        }
        (None, Some(program), None, Some(authenticated)) if !stanza.mode.is_empty() && each.is_none() => {
            let program = Program {
                program,
                version: stanza.version,
                authenticated,
                environment: stanza.environment,
                modes: stanza.mode,
            };
            Ok(vec![engine(name, None, Kind::Program(program))])
        }
        _ => {
            let needs = "needs either serve and jobs, or program, authenticated and modes";
            Err(format!("engine \"{name}\" {needs}"))
        }
    }
}

/// An engine that copies in memory, started by its name.
#[cfg(test)]
pub fn in_memory_for_tests(name: &str, job: &str, algorithm: &str) -> Engine {
    let text = format!(
        "[[engine]]\nname = \"{name}\"\nabout = \"\"\nrole = \"peer\"\nserve = [\"{name}\"]\njobs = [\"{job}\"]\n\
         algorithms = [\"{algorithm}\"]\nshapes = [\"tuned\"]\n"
    );
    parse(&text, "simulated", &[]).expect("a stanza").remove(0)
}

#[cfg(test)]
mod tests;

//! Engines: the stanzas of engines.toml, and where their programs are.

use crate::jdks::{self, Jdk};
use crate::jobfile::Planned;
use crate::jobs::{self, Ran};
use crate::parameters::NONE;
use crate::programs::{filled, find};
use crate::protocol::Operation;
use crate::rows::{Line, Role};
use crate::trouble::{Result, Trouble, because};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// One engine: a stanza, for one JDK where it is multiplied by them.
#[derive(Debug, Clone)]
pub struct Engine {
    pub name: String,
    pub jdk: Option<Jdk>,
    stanza: Rc<Stanza>,
}

impl Deref for Engine {
    type Target = Stanza;

    fn deref(&self) -> &Stanza {
        &self.stanza
    }
}

/// The form in which a file names its engines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stanza {
    /// Its name, which the engines of several JDKs share.
    #[serde(rename = "name")]
    pub family: String,
    pub about: String,
    pub role: Role,
    pub install: Option<String>,
    /// Files without which there is no point in starting it.
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    jobs: Vec<&'static jobs::Job>,
    /// A command that speaks spec/engine.md. Where it names `{java}`, the stanza becomes an engine for each JDK.
    #[serde(default)]
    serve: Vec<String>,
    algorithms: Option<Vec<String>>,
    /// How it uses its library, by the names of parameters; all that a job has if it does not say.
    #[serde(default)]
    parameters: BTreeMap<String, Vec<String>>,
    /// A program that does not: the lab's own adapter runs it, timed as a whole.
    pub program: Option<String>,
    #[serde(default)]
    pub version: Vec<String>,
    pub authenticated: Option<bool>,
    /// It does what nobody should do any more, and is run only when that is asked for.
    #[serde(default)]
    pub legacy: bool,
    /// The last Java that has it.
    last_java: Option<u64>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[serde(default, rename = "mode")]
    pub modes: Vec<Mode>,
}

/// A program's commands for one algorithm.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    pub algorithm: String,
    pub setup: Vec<Vec<String>>,
    /// By the names of jobs.
    seal: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    open: BTreeMap<String, Vec<String>>,
}

impl Mode {
    /// The command of an operation, if this mode has one for that job.
    pub fn command(&self, job: &jobs::Job, operation: Operation) -> Option<&[String]> {
        let commands = if operation == Operation::Seal { &self.seal } else { &self.open };
        commands.get(job.name).map(Vec::as_slice)
    }

    /// True where it can do the job: what puts stars in the place of a value has no way back.
    fn does(&self, job: &jobs::Job) -> bool {
        let needed = if job.program == Some(Ran::Filter) { &job.operations[..1] } else { job.operations };
        needed.iter().all(|operation| self.command(job, *operation).is_some())
    }
}

impl Engine {
    /// Every way in which it may do a job; empty when it does not do that job.
    pub fn lines(&self, plan: &Planned) -> Vec<Line> {
        let job = plan.job;
        let line = |algorithm: &str, how: &str| Line::of(&self.name, job.named(algorithm, how));
        if self.program.is_some() {
            let modes = self.modes.iter().filter(|mode| mode.does(job));
            return modes.map(|mode| line(&mode.algorithm, "")).collect();
        }
        let (algorithms, hows) = (self.algorithms(plan), self.hows(job));
        algorithms.iter().flat_map(|name| hows.iter().map(move |how| line(name, how))).collect()
    }

    /// The version of its JDK.
    pub fn java(&self) -> Option<&str> {
        self.jdk.as_ref().map(|jdk| jdk.version.as_str())
    }

    /// True if its operations run inside the process that answers.
    pub fn in_process(&self) -> bool {
        self.program.is_none()
    }

    /// Where a job has but one there is no choice.
    fn algorithms(&self, plan: &Planned) -> Vec<String> {
        let job = plan.job;
        if !self.jobs.contains(&job) {
            return Vec::new();
        }
        let is_taken = |name: &&String| *name == NONE || job.mistake(name).is_none();
        match (&self.algorithms, job.by_plan) {
            _ if job.parameters.is_empty() => vec![NONE.to_owned()],
            (Some(named), _) => named.iter().filter(is_taken).cloned().collect(),
            (None, Some(is_legacy)) => {
                let is_meant = |text: &&String| is_legacy(&job.named(text, "")) == self.legacy;
                plan.algorithms.iter().filter(is_meant).cloned().collect()
            }
            (None, None) => job.algorithms().iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Its ways to use its library in a job; one without a name if it has no choice, as what only copies.
    fn hows(&self, job: &jobs::Job) -> Vec<&'static str> {
        let Some(parameter) = job.how() else { return vec![""] };
        match self.parameters.get(parameter.name) {
            None => parameter.values.to_vec(),
            Some(none) if none.is_empty() => vec![""],
            Some(has) => {
                parameter.values.iter().copied().filter(|it| has.contains(&it.to_string())).collect()
            }
        }
    }
}

/// A word that names a file beside the engines' own file, and none from where the lab was started.
fn beside(engines_file: Option<&Path>, word: &str) -> Option<String> {
    let found = std::path::absolute(engines_file?.parent()?.join(word)).ok()?;
    let is_it = !word.is_empty() && !Path::new(word).exists() && found.is_file();
    is_it.then(|| found.display().to_string())
}

/// True for a file that an interpreter is started with: "engines/mine.py".
fn is_script(word: &str) -> bool {
    !word.starts_with('-') && Path::new(word).extension().is_some()
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
    /// The engines of a file, or the built-in ones; those that run on a JDK once for each that is here.
    pub fn load(&self, legacy: bool) -> Result<Engines> {
        let (jdks, file) = (jdks::find(&self.java_home)?, self.engines.clone());
        Ok(Engines { all: load(file.as_deref(), &jdks)?, jdks, legacy, file })
    }
}

/// All engines, where they come from, and the JDKs that some of them run on.
pub struct Engines {
    pub all: Vec<Engine>,
    pub jdks: Vec<Jdk>,
    /// True if engines and parameters that nobody should use any more may run.
    pub legacy: bool,
    file: Option<PathBuf>,
}

impl Engines {
    /// The command that starts an engine's child process, or what is missing.
    pub fn command(&self, engine: &Engine) -> Result<Vec<String>> {
        let java = engine.java().map(jdks::major);
        if let Some(last) = engine.last_java.filter(|last| java > Some(*last)) {
            return Err(Trouble::new(format!("Java {last} was the last to have it")));
        }
        let missing = |what| Trouble { what, hint: engine.install.clone() };
        let command = self.resolve(engine).map_err(missing)?;
        if engine.legacy && !self.legacy {
            let trouble = Trouble::new("deprecated engines and algorithms run only on request");
            return Err(trouble.hint("add --legacy to the command line"));
        }
        Ok(command)
    }

    fn resolve(&self, engine: &Engine) -> std::result::Result<Vec<String>, String> {
        let file = self.file.as_deref();
        if let Some(program) = &engine.program {
            find(program).ok_or_else(|| format!("no program \"{program}\" was found"))?;
            let file = file.map(|file| format!("--engines={}", file.display()));
            let serve = [filled("{lab}", &[]), "serve".into(), engine.name.clone()];
            return Ok(serve.into_iter().chain(file).collect());
        }
        if engine.is_of_each_jdk() && engine.jdk.is_none() {
            return Err("no JDK was found".into());
        }
        let java = engine.jdk.as_ref().map(Jdk::java).unwrap_or_default();
        let fill = |word: &String| filled(word, &[("{java}", &*java)]);
        let place = |word: String| beside(file, &word).unwrap_or(word);
        let command: Vec<String> = engine.serve.iter().map(fill).map(place).collect();
        let script = command.get(1).filter(|word| is_script(word)).cloned();
        let rust = engine.serve.first().filter(|word| word.contains("{rust}")).map(fill);
        let needed = engine.needs.iter().map(fill).map(place).chain(script).chain(rust);
        match needed.into_iter().find(|path| !Path::new(path).exists()) {
            Some(missing) => Err(format!("file \"{missing}\" is missing")),
            None => Ok(command),
        }
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

fn parse(text: &str, source: &str, jdks: &[Jdk]) -> Result<Vec<Engine>> {
    let wrong = |why: String| because(format!("\"{source}\" is not well formed"), why);
    let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().into()))?;
    let all = file.engine.into_iter().map(|stanza| resolve(stanza, jdks));
    let all = all.collect::<std::result::Result<Vec<_>, _>>().map_err(wrong)?.concat();
    let mut names = BTreeSet::new();
    match all.iter().find(|engine| !names.insert(&engine.name)) {
        Some(Engine { name, .. }) => Err(Trouble::new(format!("\"{source}\" names engine \"{name}\" twice"))),
        None => Ok(all),
    }
}

fn resolve(stanza: Stanza, jdks: &[Jdk]) -> std::result::Result<Vec<Engine>, String> {
    if let Some(wrong) = stanza.mistake() {
        return Err(format!("engine \"{}\" {wrong}", stanza.family));
    }
    let (name, stanza) = (stanza.family.clone(), Rc::new(stanza));
    let engine = |name, jdk| Engine { name, jdk, stanza: Rc::clone(&stanza) };
    if !stanza.is_of_each_jdk() || jdks.is_empty() {
        return Ok(vec![engine(name, None)]);
    }
    Ok(jdks.iter().map(|jdk| engine(format!("{name} {}", jdk.version), Some(jdk.clone()))).collect())
}

impl Stanza {
    fn is_of_each_jdk(&self) -> bool {
        self.serve.iter().any(|word| word.contains("{java}"))
    }

    fn mistake(&self) -> Option<String> {
        let is_served = !self.serve.is_empty() && !self.jobs.is_empty();
        let is_program = self.program.is_some() && self.authenticated.is_some() && !self.modes.is_empty();
        let is_bare = self.program.is_none() && self.authenticated.is_none() && self.modes.is_empty();
        let is_alone = self.serve.is_empty() && self.jobs.is_empty();
        let mut names = self.modes.iter().flat_map(|mode| mode.seal.keys().chain(mode.open.keys()));
        if self.family.contains('/') {
            Some("has a slash in its name".into())
        } else if !(is_served && is_bare || is_program && is_alone) {
            Some("needs either serve and jobs, or program, authenticated and modes".into())
        } else if let Some(name) = names.find(|name| jobs::named(name).is_none()) {
            Some(format!("has a command for an unknown job \"{name}\""))
        } else {
            self.parameters.iter().find_map(|(name, values)| {
                let known = jobs::ALL.iter().filter_map(|job| job.how()).find(|how| how.name == *name);
                let Some(known) = known else {
                    return Some(format!("has parameter \"{name}\", which no job has"));
                };
                let unknown = values.iter().find(|value| !known.values.contains(&value.as_str()))?;
                let all = known.values.join(", ");
                Some(format!("has {name} \"{unknown}\", which is not one of {all}"))
            })
        }
    }
}

#[cfg(test)]
mod tests;

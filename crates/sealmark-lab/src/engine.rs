//! Who can run: the stanzas of engines.toml, and where their programs are.

use crate::protocol::Operation;
use crate::trouble::{Result, Trouble, because};
use crate::workload;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an engine is to the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Ours,
    Yardstick,
    Peer,
}

/// One engine: a program and what it can do.
#[derive(Debug)]
pub struct Engine {
    pub name: String,
    pub about: String,
    pub role: Role,
    pub install: Option<String>,
    pub kind: Kind,
}

/// How it is started.
#[derive(Debug)]
pub enum Kind {
    /// It speaks spec/engine.md.
    Serve { command: Vec<String>, jobs: Vec<workload::Kind>, keys: Vec<String> },
    /// It does not: the lab's own adapter runs it.
    Program(Program),
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

/// A program's commands for one key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    pub key: String,
    pub setup: Vec<Vec<String>>,
    seal: Option<Vec<String>>,
    open: Option<Vec<String>>,
    seal_pipe: Option<Vec<String>>,
    open_pipe: Option<Vec<String>>,
}

impl Mode {
    /// The command of an operation, if this mode has one for that kind of job.
    pub fn command(&self, job: workload::Kind, operation: Operation) -> Option<&[String]> {
        match (job, operation) {
            (workload::Kind::File, Operation::Seal) => self.seal.as_deref(),
            (workload::Kind::File, Operation::Open) => self.open.as_deref(),
            (workload::Kind::Pipe, Operation::Seal) => self.seal_pipe.as_deref(),
            (workload::Kind::Pipe, Operation::Open) => self.open_pipe.as_deref(),
            _ => None,
        }
    }
}

impl Engine {
    /// The keys it runs a job with; empty when it does not do that job.
    pub fn keys(&self, job: workload::Kind) -> Vec<&str> {
        match &self.kind {
            Kind::Serve { jobs, keys, .. } if jobs.contains(&job) => {
                keys.iter().map(String::as_str).collect()
            }
            Kind::Serve { .. } => Vec::new(),
            Kind::Program(program) => program.keys(job),
        }
    }

    /// The command that starts its child process, or the name of the program that is missing.
    pub fn command(
        &self,
        lab: &Path,
        engines_file: Option<&Path>,
    ) -> std::result::Result<Vec<String>, String> {
        let lab = lab.display().to_string();
        match &self.kind {
            Kind::Serve { command, .. } => {
                Ok(command.iter().map(|part| part.replace("{lab}", &lab)).collect())
            }
            Kind::Program(program) if find(&program.program).is_none() => Err(program.program.clone()),
            Kind::Program(_) => {
                let mut command = vec![lab, "serve".into(), "program".into(), self.name.clone()];
                command.extend(engines_file.map(|file| format!("--engines={}", file.display())));
                Ok(command)
            }
        }
    }
}

impl Program {
    fn keys(&self, job: workload::Kind) -> Vec<&str> {
        let does =
            |mode: &&Mode| job.operations().iter().all(|operation| mode.command(job, *operation).is_some());
        self.modes.iter().filter(does).map(|mode| mode.key.as_str()).collect()
    }
}

/// Where a program is: beside the lab (our own build), among the installed peers, or on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = beside
        .map(Path::to_owned)
        .into_iter()
        .chain(beside.map(|directory| directory.join("../peers/bin")))
        .chain([PathBuf::from("target/peers/bin")])
        .chain(std::env::split_paths(&path));
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    places.map(|directory| directory.join(&name)).find(|candidate| candidate.is_file())
}

/// The engines of a file, or the built-in ones.
pub fn load(file: Option<&Path>) -> Result<Vec<Engine>> {
    let Some(file) = file else {
        return parse(include_str!("../../../lab/engines.toml"), "lab/engines.toml");
    };
    let source = file.display().to_string();
    let text =
        std::fs::read_to_string(file).map_err(|error| because(format!("cannot read \"{source}\""), error))?;
    parse(&text, &source)
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
    jobs: Option<Vec<workload::Kind>>,
    serve: Option<Vec<String>>,
    keys: Option<Vec<String>>,
    program: Option<String>,
    #[serde(default)]
    version: Vec<String>,
    authenticated: Option<bool>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    mode: Vec<Mode>,
}

fn parse(text: &str, source: &str) -> Result<Vec<Engine>> {
    let wrong = |why: String| because(format!("\"{source}\" is not well formed"), why);
    let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().into()))?;
    let engines: Vec<Engine> =
        file.engine.into_iter().map(|stanza| resolve(stanza).map_err(wrong)).collect::<Result<_>>()?;
    match engines.iter().enumerate().find(|(at, engine)| engines[..*at].iter().any(|e| e.name == engine.name))
    {
        Some((_, twice)) => Err(Trouble::new(format!("\"{source}\" names engine \"{}\" twice", twice.name))),
        None => Ok(engines),
    }
}

fn resolve(stanza: Stanza) -> std::result::Result<Engine, String> {
    let kind = match (stanza.serve, stanza.program, stanza.jobs, stanza.keys, stanza.authenticated) {
        (Some(command), None, Some(jobs), Some(keys), None)
            if !command.is_empty() && stanza.mode.is_empty() =>
        {
            Kind::Serve { command, jobs, keys }
        }
        (None, Some(program), None, None, Some(authenticated)) if !stanza.mode.is_empty() => {
            Kind::Program(Program {
                program,
                version: stanza.version,
                authenticated,
                environment: stanza.environment,
                modes: stanza.mode,
            })
        }
        _ => {
            let needs = "needs either serve, jobs and keys, or program, authenticated and modes";
            return Err(format!("engine \"{}\" {needs}", stanza.name));
        }
    };
    Ok(Engine { name: stanza.name, about: stanza.about, role: stanza.role, install: stanza.install, kind })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn the_built_in_engines_parse_and_each_job_has_one_yardstick() {
        let engines = load(None).unwrap();
        for job in [workload::Kind::File, workload::Kind::Pipe] {
            let able: Vec<_> = engines.iter().filter(|engine| !engine.keys(job).is_empty()).collect();
            assert_eq!(able.iter().filter(|engine| engine.role == Role::Yardstick).count(), 1, "{job:?}");
            assert!(able.iter().any(|engine| engine.role == Role::Ours), "{job:?}");
        }
        let ours = engines.iter().find(|engine| engine.name == "sealmark").unwrap();
        assert_eq!(ours.keys(workload::Kind::File), sealmark::Kem::ALL.map(sealmark::Kem::name));
    }

    #[test]
    fn every_placeholder_in_the_built_in_commands_is_known() {
        let engines = load(None).unwrap();
        let programs = engines.iter().filter_map(|engine| match &engine.kind {
            Kind::Program(program) => Some(program),
            Kind::Serve { .. } => None,
        });
        let mut seen = 0;
        for mode in programs.flat_map(|program| &program.modes) {
            for part in mode.setup.iter().flatten().chain(mode.seal.iter().chain(&mode.open).flatten()) {
                let rest = part.replace("{input}", "").replace("{output}", "").replace("{keys}", "");
                assert!(!rest.contains(['{', '}']), "{part}");
                seen += 1;
            }
        }
        assert!(seen > 50, "only {seen} parts seen");
    }

    #[test]
    fn stanzas_that_say_too_little_or_too_much_are_refused() {
        let serve = "name = \"x\"\nabout = \"\"\nrole = \"ours\"\nserve = [\"x\"]\njobs = [\"file\"]\nkeys = [\"none\"]\n";
        parse(&format!("[[engine]]\n{serve}"), "t").unwrap();
        for (text, part) in [
            (format!("[[engine]]\n{serve}colour = 1\n"), "colour"),
            (format!("[[engine]]\n{serve}program = \"y\"\n"), "needs either"),
            (format!("[[engine]]\n{}", serve.replace("keys = [\"none\"]\n", "")), "needs either"),
            (format!("[[engine]]\n{serve}[[engine]]\n{serve}"), "twice"),
        ] {
            let error = parse(&text, "t").unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

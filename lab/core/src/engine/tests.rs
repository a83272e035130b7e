#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::programs;

impl Engine {
    /// An engine that copies in memory, started by its name.
    pub fn in_memory_for_tests(name: &str, job: &str, algorithm: &str) -> Self {
        let text = format!(
            "[[engine]]\nname = \"{name}\"\nabout = \"\"\nrole = \"peer\"\nserve = [\"{name}\"]\njobs = [\"{job}\"]\n\
             algorithms = [\"{algorithm}\"]\nparameters.reuse = [\"tuned\"]\n"
        );
        parse(&text, "simulated", &[]).unwrap().remove(0)
    }
}

impl Engines {
    /// The engines of a text.
    fn of(text: &str, jdks: &[Jdk]) -> Self {
        Self { all: parse(text, "t", jdks).unwrap(), jdks: jdks.to_vec(), legacy: false, file: None }
    }

    /// The built-in ones with these JDKs.
    pub fn for_tests(jdks: Vec<Jdk>) -> Self {
        Self { all: load(None, &jdks).unwrap(), jdks, legacy: false, file: None }
    }
}

fn names(engine: &Engine, job: &'static jobs::Job) -> Vec<String> {
    engine.lines(&Planned::of_kind(job)).into_iter().map(|line| line.algorithm().to_owned()).collect()
}

#[test]
fn the_built_in_engines_parse_and_each_job_has_a_yardstick() {
    let engines = load(None, &[]).unwrap();
    for job in jobs::ALL.iter().copied().filter(|job| ![&jobs::EMPTY, &jobs::TOY].contains(job)) {
        let able: Vec<_> =
            engines.iter().filter(|engine| !engine.lines(&Planned::of_kind(job)).is_empty()).collect();
        assert_eq!(able.iter().filter(|engine| engine.role == Role::Yardstick).count(), 1, "{job:?}");
        assert!(able.len() > 2, "{job:?}");
    }
    let ours = engines.iter().find(|engine| engine.name == "sealmark").unwrap();
    let keys: Vec<_> = sealmark::Kem::ALL.iter().map(|kem| (kem.name(), kem.mode().to_string())).collect();
    assert_eq!(keys, jobs::KEYS.map(|(name, family)| (name, family.to_owned())));
    assert_eq!(names(ours, &jobs::FILE), jobs::KEYS.map(|(name, _)| name));
    assert!(names(ours, &jobs::CODEC).is_empty());
}

#[test]
fn every_placeholder_in_the_built_in_commands_is_known() {
    let engines = load(None, &[]).unwrap();
    let mut seen = 0;
    let known = ["{input}", "{output}", "{keys}", "{lab}", "{rust}", "{target}", "{java}"];
    let mut check = |part: &String| {
        let rest = known.iter().fold(part.clone(), |text, word| text.replace(word, ""));
        assert!(!rest.contains(['{', '}']), "{part}");
        seen += 1;
    };
    for engine in &engines {
        engine.modes.iter().for_each(|mode| {
            mode.setup.iter().flatten().for_each(&mut check);
            mode.seal.values().chain(mode.open.values()).flatten().for_each(&mut check);
        });
        engine.serve.iter().chain(&engine.needs).for_each(&mut check);
    }
    assert!(seen > 50, "only {seen} parts seen");
}

const SERVE: &str = "name = \"x\"\nabout = \"\"\nrole = \"ours\"\nserve = [\"run\", \"{lab}\"]\n\
                     jobs = [\"codec\", \"empty\"]\n";

/// A stanza of an engine that runs on a JDK.
fn on_jdks(more: &str) -> String {
    format!("[[engine]]\n{}{more}", SERVE.replace("run", "{java}"))
}

#[test]
fn stanzas_that_say_too_little_or_too_much_are_refused() {
    parse(&format!("[[engine]]\n{SERVE}"), "t", &[]).unwrap();
    for (text, part) in [
        (format!("[[engine]]\n{SERVE}colour = 1\n"), "colour"),
        (format!("[[engine]]\n{SERVE}program = \"y\"\n"), "needs either"),
        (format!("[[engine]]\n{}", SERVE.replace("jobs = [\"codec\", \"empty\"]\n", "")), "needs either"),
        (format!("[[engine]]\n{SERVE}[[engine]]\n{SERVE}"), "twice"),
        (
            "[[engine]]\nname = \"x\"\nabout = \"\"\nrole = \"ours\"\nprogram = \"cat\"\nauthenticated = true\n\
             [[engine.mode]]\nalgorithm = \"none\"\nsetup = []\nseal.pile = [\"cat\"]\n"
                .to_owned(),
            "unknown job \"pile\"",
        ),
        (format!("[[engine]]\n{}", SERVE.replace("\"x\"", "\"x/y\"")), "slash"),
        (
            format!("[[engine]]\n{SERVE}parameters.reuse = [\"tailored\"]\n"),
            "has reuse \"tailored\", which is not one of as-written, tuned",
        ),
        (format!("[[engine]]\n{SERVE}parameters.colour = []\n"), "has parameter \"colour\", which no job has"),
    ] {
        let error = parse(&text, "t", &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn a_stanza_for_each_jdk_becomes_an_engine_for_each() {
    let text = on_jdks("");
    let jdks = ["17.0.1", "25"].map(|version| Jdk { version: version.into(), home: version.into() });
    let all = Engines::of(&text, &jdks);
    let engines = &all.all;
    assert_eq!(engines.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["x 17.0.1", "x 25"]);
    assert!(engines.iter().all(|engine| engine.family == "x"));
    let command = all.command(&engines[0]).unwrap();
    assert_eq!(command, ["17.0.1/bin/java", &programs::own().display().to_string()]);
    assert_eq!(engines[0].lines(&Planned::of_kind(&jobs::CODEC)).len(), 6);
    assert_eq!(names(&engines[0], &jobs::EMPTY), ["none"]);
    let none = Engines::of(&text, &[]);
    assert_eq!(none.all.len(), 1);
    assert_eq!(none.command(&none.all[0]), Err(Trouble::new("no JDK was found")));
}

#[test]
fn what_is_needed_and_not_there_is_named() {
    let text = format!("[[engine]]\n{SERVE}needs = [\"{{target}}/gone\"]\n");
    let engines = Engines::of(&text, &[]);
    let missing = engines.command(&engines.all[0]).unwrap_err();
    assert_eq!(missing.what, format!("file \"{}\" is missing", programs::target().join("gone").display()));
}

/// An engine of a file in a directory, whose command names a script.
fn scripted(directory: &Path, script: &str) -> Result<Vec<String>> {
    let text =
        format!("[[engine]]\n{SERVE}").replace("\"run\", \"{lab}\"", &format!("\"python3\", \"{script}\""));
    let file = Some(directory.join("engines.toml"));
    let engines = Engines { file, ..Engines::of(&text, &[]) };
    engines.command(&engines.all[0])
}

#[test]
fn a_script_is_found_beside_the_file_that_names_it_or_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let missing = scripted(directory.path(), "mine.py").unwrap_err();
    assert_eq!(missing.what, "file \"mine.py\" is missing");
    std::fs::write(directory.path().join("mine.py"), "").unwrap();
    let command = scripted(directory.path(), "mine.py").unwrap();
    assert_eq!(command, ["python3", &directory.path().join("mine.py").display().to_string()]);
    // From where the lab was started, first.
    assert_eq!(scripted(directory.path(), "Cargo.toml").unwrap()[1], "Cargo.toml");
    assert_eq!(scripted(directory.path(), "-m").unwrap()[1], "-m");
}

#[test]
fn each_that_is_missing_says_what_to_type_and_only_that() {
    let jdks = ["1.8.0_292", "25"].map(|version| Jdk { version: version.into(), home: version.into() });
    let told = |more: &str, at: usize| {
        let engines = Engines::of(&on_jdks(&format!("install = \"make it\"\n{more}")), &jdks);
        engines.command(&engines.all[at]).map_err(|missing| missing.hint)
    };
    assert!(told("", 0).is_ok() && told("last_java = 8\n", 0).is_ok());
    assert_eq!(told("last_java = 8\n", 1), Err(None));
    assert_eq!(told("legacy = true\n", 1), Err(Some("add --legacy to the command line".into())));
    assert_eq!(told("legacy = true\nneeds = [\"gone\"]\n", 1), Err(Some("make it".into())));
}

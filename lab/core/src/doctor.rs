//! The verbs `doctor` and `check`: whether all would go well, without timing anything.

use crate::child::Processes;
use crate::engine::{Engine, Engines, Missing};
use crate::jdks::Jdk;
use crate::jobs::{self, runner};
use crate::machine;
use crate::measure;
use crate::progress::Progress;
use crate::rows::{self, FaultKind, Results, Row};
use crate::run::{Scratch, Selection};
use crate::trouble::Result;
use crate::words;
use std::path::PathBuf;

/// Every engine asked for its version; what is missing with the line that brings it.
pub fn doctor(engines: &Engines) -> Result<String> {
    let scratch = Scratch::create(&std::env::temp_dir())?;
    let machine = machine::look(&scratch.0);
    let mut launch = Processes::new(0);
    let mut progress = Progress::new();
    let mut text = format!("machine: {}, {} cores, flags {}\n", machine.cpu, machine.cores, machine.flags);
    if cfg!(debug_assertions) {
        text.push_str("this lab was built without optimisation\n  hint: cd lab && cargo build --release\n");
    }
    text.push_str(&runtimes(engines));
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    for engine in &engines.all {
        progress.now(&format!("asking {}", engine.name));
        match ask(engine, engines, &mut launch, &scratch) {
            // One engine on several JDKs says almost the same each time.
            Ok(version) => {
                let words = version.split(", Java ").next().unwrap_or_default().to_owned();
                join(&mut here, (engine.family.clone(), words), engine);
            }
            Err(Missing { why, hint }) => join(&mut missing, (why, hint), engine),
        }
    }
    text.push_str(&section("would run", &here, present));
    text.push_str(&section("would not run", &missing, |said, missing| absent(said, missing, &engines.all)));
    Ok(text)
}

fn runtimes(engines: &Engines) -> String {
    if engines.jdks.is_empty() {
        return "no JDK was found\n  hint: make jdks\n".into();
    }
    let left_out = |home: &PathBuf| format!("    left out, being of the same version: {}\n", home.display());
    let jdk = |jdk: &Jdk| {
        let others: String = jdk.left_out.iter().map(left_out).collect();
        format!("  {} in {}\n{others}", jdk.version, jdk.home.display())
    };
    format!("JDKs\n{}", engines.jdks.iter().map(jdk).collect::<String>())
}

fn ask(
    engine: &Engine,
    engines: &Engines,
    launch: &mut Processes,
    scratch: &Scratch,
) -> std::result::Result<String, Missing> {
    let command = engines.command(engine)?;
    runner::greet(launch, &command, &scratch.0.join("stderr")).map(|(_talk, version)| version).map_err(
        |fault| {
            let why = format!("{}: {}", fault.kind.words(), fault.why);
            Missing { why, hint: engine.install.clone() }
        },
    )
}

/// Engines that say the same, in the order of the stanzas.
type Groups<'a, T> = Vec<(T, Vec<&'a Engine>)>;

fn join<'a, T: PartialEq>(groups: &mut Groups<'a, T>, said: T, engine: &'a Engine) {
    match groups.iter_mut().find(|(other, _)| *other == said) {
        Some((_, engines)) => engines.push(engine),
        None => groups.push((said, vec![engine])),
    }
}

fn section<T>(title: &str, groups: &Groups<T>, words: impl Fn(&T, &[&Engine]) -> String) -> String {
    if groups.is_empty() {
        return String::new();
    }
    format!("{title}\n{}", groups.iter().map(|(said, engines)| words(said, engines)).collect::<String>())
}

fn present((family, version): &(String, String), engines: &[&Engine]) -> String {
    let jdks: Vec<&str> =
        engines.iter().filter_map(|e| e.jdk.as_ref()).map(|jdk| jdk.version.as_str()).collect();
    let on = if jdks.is_empty() { String::new() } else { format!(" on Java {}", jdks.join(", ")) };
    format!("  {family}: {version}{on}\n")
}

fn absent((why, hint): &(String, Option<String>), missing: &[&Engine], all: &[Engine]) -> String {
    let count = |family: &str, engines: &mut dyn Iterator<Item = &Engine>| {
        engines.filter(|engine| engine.family == family).count()
    };
    let name = |engine: &&Engine| {
        let family = engine.family.as_str();
        // On which JDKs is worth a word only where it would run on others.
        let on_all = count(family, &mut missing.iter().copied()) == count(family, &mut all.iter());
        if on_all { family } else { engine.name.as_str() }.to_owned()
    };
    let mut names: Vec<String> = missing.iter().map(name).collect();
    names.dedup();
    let hint = hint.as_ref().map(|line| format!("    hint: {line}\n")).unwrap_or_default();
    format!("  {}: {why}\n{hint}", names.join(", "))
}

/// Every line of a plan checked, and whether all that is here was right. What is absent or does not do a job is no
/// mistake. Sizes marked full are checked where they are named.
pub fn check(selection: &Selection) -> Result<(String, bool)> {
    let mut results = Results::default();
    selection.with(!selection.size.is_empty(), |chosen| {
        chosen.each(&mut results, true, |session, errands| {
            errands.iter().try_for_each(|errand| measure::check_only(session, errand))
        })
    })?;
    Ok(judged(&results.rows))
}

/// What is wrong comes last, where the eye is.
fn judged(rows: &[Row]) -> (String, bool) {
    let (mut right, mut left_out, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match row {
            Row::Checked(checked) if !checked.line.again => right.push(right_in_words(checked)),
            Row::Fault(fault) if is_harmless(fault.kind) => left_out.push(fault_in_words(fault)),
            Row::Fault(fault) => wrong.push(fault_in_words(fault)),
            _ => {}
        }
    }
    let count =
        format!("{} right, {} wrong, {} missing or unsupported\n", right.len(), wrong.len(), left_out.len());
    ([right.concat(), left_out.concat(), wrong.concat(), count].concat(), wrong.is_empty())
}

/// To be absent, or not to do a job, is no mistake.
fn is_harmless(kind: FaultKind) -> bool {
    [FaultKind::Absent, FaultKind::Unsupported, FaultKind::Limited].contains(&kind)
}

fn right_in_words(checked: &rows::Checked) -> String {
    let rows::Checked { job, size, line, authenticated, code, released_bytes, .. } = checked;
    let refuses = match released_bytes {
        _ if !authenticated => "",
        Some(released) if *released > 0 => ", refuses damaged data, but releases plaintext of it first",
        _ => ", refuses damaged data",
    };
    let (size, line) = (jobs::of(job).amount(*size), words::full_name(line, true));
    format!("right: {job} {size}: {line}{refuses} ({code})\n")
}

/// A fault without a size is that of an engine that did not even answer: no job is to blame.
fn fault_in_words(fault: &rows::Fault) -> String {
    let line = fault.size.map(|size| {
        let line = rows::Line::of(&fault.engine, fault.parameters.clone());
        format!("{} {}: {}", fault.job, jobs::of(&fault.job).amount(size), words::full_name(&line, true))
    });
    format!("{}: {}: {}\n", fault.kind.words(), line.unwrap_or_else(|| fault.engine.clone()), fault.why)
}

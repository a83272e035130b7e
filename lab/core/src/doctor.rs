//! The verbs `doctor` and `check`: whether all would go well, without timing anything.

use crate::child::Processes;
use crate::engine::{Engine, Engines};
use crate::format;
use crate::jdks::Jdk;
use crate::jobs::{self, runner};
use crate::machine;
use crate::measure;
use crate::progress::Progress;
use crate::rows::{self, FaultKind, Results, Row};
use crate::run::{self, Selection};
use crate::trouble::{Result, Trouble};
use indexmap::{IndexMap, IndexSet};
use std::path::Path;

/// Every engine asked for its version; what is missing with the line that brings it.
pub fn doctor(engines: &Engines) -> Result<String> {
    let scratch = run::scratch(&std::env::temp_dir())?;
    let machine = machine::look(scratch.path());
    let mut launch = Processes::new(0);
    let mut progress = Progress::new();
    let mut text = format!("machine: {}, {} cores, flags {}\n", machine.cpu, machine.cores, machine.flags);
    if cfg!(debug_assertions) {
        text.push_str("this lab was built without optimisation\n  hint: cd lab && cargo build --release\n");
    }
    text.push_str(&runtimes(engines));
    // Engines that say the same stand together, in the order of the stanzas.
    let mut here: IndexMap<(&str, String), Vec<&str>> = IndexMap::new();
    let mut missing: IndexMap<Trouble, IndexSet<&str>> = IndexMap::new();
    for engine in &engines.all {
        progress.now(&format!("asking {}", engine.name));
        match ask(engine, engines, &mut launch, scratch.path()) {
            // One engine on several JDKs says almost the same each time.
            Ok(version) => {
                let words = version.split(", Java ").next().unwrap_or_default().to_owned();
                here.entry((engine.family.as_str(), words)).or_default().extend(engine.java());
            }
            Err(trouble) => drop(missing.entry(trouble).or_default().insert(&engine.family)),
        }
    }
    let here = here.iter().map(|((family, version), jdks)| present(family, version, jdks));
    let missing = missing.iter().map(|(trouble, missing)| absent(trouble, missing));
    text.push_str(&section("would run", here.collect()));
    text.push_str(&section("would not run", missing.collect()));
    Ok(text)
}

fn runtimes(engines: &Engines) -> String {
    if engines.jdks.is_empty() {
        return "no JDK was found\n  hint: make jdks\n".into();
    }
    let jdk = |jdk: &Jdk| format!("  {} in {}\n", jdk.version, jdk.home.display());
    format!("JDKs\n{}", engines.jdks.iter().map(jdk).collect::<String>())
}

fn ask(engine: &Engine, engines: &Engines, launch: &mut Processes, scratch: &Path) -> Result<String> {
    let command = engines.command(engine)?;
    let greeted = runner::greet(launch, &command, &scratch.join("stderr"));
    greeted.map(|(_talk, version)| version).map_err(|fault| Trouble {
        what: format!("{}: {}", fault.kind.words(), fault.why),
        hint: engine.install.clone(),
    })
}

fn section(title: &str, told: String) -> String {
    if told.is_empty() { told } else { format!("{title}\n{told}") }
}

fn present(family: &str, version: &str, jdks: &[&str]) -> String {
    let on = if jdks.is_empty() { String::new() } else { format!(" on Java {}", jdks.join(", ")) };
    format!("  {family}: {version}{on}\n")
}

fn absent(Trouble { what, hint }: &Trouble, families: &IndexSet<&str>) -> String {
    let hint = hint.as_ref().map(|line| format!("    hint: {line}\n")).unwrap_or_default();
    format!("  {}: {what}\n{hint}", families.iter().copied().collect::<Vec<_>>().join(", "))
}

/// Checks every line of a plan, and tells whether all that is here was right. An engine that is absent or does not do a job is
/// no mistake. Sizes marked full are checked where they are named.
pub fn check(selection: &Selection) -> Result<(String, bool)> {
    let mut results = Results::default();
    let chosen = selection.chosen(!selection.size.is_empty())?;
    chosen.each(&mut results, true, |session, trials| {
        trials.into_iter().try_for_each(|trial| measure::check_only(session, trial))
    })?;
    Ok(judged(&results.rows))
}

/// The wrong lines come last, where the eye is.
fn judged(rows: &[Row]) -> (String, bool) {
    let (mut right, mut left_out, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match row {
            Row::Checked(checked) => right.push(right_in_words(checked)),
            // To be absent, or not to do a job, is no mistake.
            Row::Fault(fault) if HARMLESS.contains(&fault.kind) => left_out.push(fault_in_words(fault)),
            Row::Fault(fault) => wrong.push(fault_in_words(fault)),
            _ => {}
        }
    }
    let count =
        format!("{} right, {} wrong, {} missing or unsupported\n", right.len(), wrong.len(), left_out.len());
    ([right.concat(), left_out.concat(), wrong.concat(), count].concat(), wrong.is_empty())
}

const HARMLESS: [FaultKind; 3] = [FaultKind::Absent, FaultKind::Unsupported, FaultKind::Limited];

fn right_in_words(checked: &rows::Checked) -> String {
    let rows::Checked { job, size, line, authenticated, code, released_bytes, .. } = checked;
    let refuses = match released_bytes {
        _ if !authenticated => "",
        Some(released) if *released > 0 => ", refuses damaged data, but releases plaintext of it first",
        _ => ", refuses damaged data",
    };
    let (size, line) = (jobs::of(job).amount(*size), format::full_name(line, true));
    format!("right: {job} {size}: {line}{refuses} ({code})\n")
}

/// A fault without a size is that of an engine that did not even answer: no job is to blame.
fn fault_in_words(fault: &rows::Fault) -> String {
    let line = fault.size.map(|size| {
        let line = rows::Line::of(&fault.engine, fault.parameters.clone());
        format!("{} {}: {}", fault.job, jobs::of(&fault.job).amount(size), format::full_name(&line, true))
    });
    format!("{}: {}: {}\n", fault.kind.words(), line.unwrap_or_else(|| fault.engine.clone()), fault.why)
}

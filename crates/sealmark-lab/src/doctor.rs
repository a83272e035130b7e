//! The verbs `doctor` and `check`: whether all would go well, without timing anything.

use crate::child::Processes;
use crate::engine::Engines;
use crate::machine;
use crate::measure::{self, Seen, Session};
use crate::progress::Progress;
use crate::rows::{FaultKind, Results, Row};
use crate::run::{self, Scratch};
use crate::runner;
use crate::select;
use crate::trouble::Result;
use crate::units;
use crate::workload::{Pattern, Plan};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Every engine asked for its version; what is missing with the line that brings it.
pub fn doctor(engines: &Engines) -> Result<String> {
    let scratch = Scratch::create(&std::env::temp_dir().join("sealmark-lab"))?;
    let machine = machine::look(&scratch.0);
    let mut launch = Processes::new(0);
    let mut text = format!("machine: {}, {} cores, flags {}\n", machine.cpu, machine.cores, machine.flags);
    if cfg!(debug_assertions) {
        text.push_str("this lab was built without optimisation; hint: cargo build --release\n");
    }
    let (mut here, mut missing) = (BTreeMap::new(), BTreeMap::new());
    for engine in &engines.all {
        let answer = engines.command(engine).and_then(|command| {
            runner::greet(&mut launch, &command, &scratch.0.join("stderr")).map_err(|fault| fault.why)
        });
        let place = if answer.is_ok() { &mut here } else { &mut missing };
        let hint = engine.install.as_ref().map(|line| format!("; hint: {line}")).unwrap_or_default();
        let words = answer.map_or_else(|why| why + &hint, |(_talk, version)| version);
        let jdk = engine.jdk.as_ref().map(|jdk| jdk.version.clone());
        // One engine on several JDKs says almost the same each time.
        let words = words.split(", Java ").next().unwrap_or_default().to_owned();
        place.entry((engine.family.clone(), words)).or_insert_with(Vec::new).extend(jdk);
    }
    let jdks: Vec<String> =
        engines.jdks.iter().map(|jdk| format!("{} in {}", jdk.version, jdk.home.display())).collect();
    let jdks = if jdks.is_empty() { "none; hint: make jdks".into() } else { jdks.join(", ") };
    let _ = write!(text, "JDKs: {jdks}\nwould run\n{}", lines(&here));
    if !missing.is_empty() {
        let _ = write!(text, "would not run\n{}", lines(&missing));
    }
    Ok(text)
}

fn lines(answers: &BTreeMap<(String, String), Vec<String>>) -> String {
    let line = |((family, words), jdks): (&(String, String), &Vec<String>)| {
        let jdks = if jdks.is_empty() { String::new() } else { format!(" on Java {}", jdks.join(", ")) };
        format!("  {family}: {words}{jdks}\n")
    };
    answers.iter().map(line).collect()
}

/// Every line of a plan checked, and whether all that is here was right. What is absent or does not do a job is no
/// mistake.
pub fn check(
    plan: &str,
    engines: &Engines,
    only: &[Pattern],
    sizes: &[u64],
    directory: &Path,
) -> Result<(String, bool)> {
    let plan = Plan::load(plan)?;
    let chosen = select::engines(engines, &plan, only)?;
    let scratch = Scratch::create(directory)?;
    let mut results = Results::Memory(Vec::new());
    let mut session = Session {
        launch: &mut Processes::new(plan.seed),
        results: &mut results,
        progress: &mut Progress::new(),
        scratch: &scratch.0,
        seed: plan.seed,
        full: true,
        seen: Seen::new(),
    };
    let candidates = run::greet_all(&chosen, engines, &plan, &mut session)?;
    for job in &plan.jobs {
        for size in job.sizes.iter().filter(|size| !size.full || sizes.contains(&size.bytes)) {
            if sizes.is_empty() || sizes.contains(&size.bytes) {
                let errand = select::errand(job, size, &engines.jdks, &candidates, only, &[], Duration::MAX);
                measure::check_only(&mut session, &errand)?;
            }
        }
    }
    let Results::Memory(rows) = results else { return Ok((String::new(), true)) };
    Ok((rows.iter().filter_map(in_words).collect(), !rows.iter().any(is_wrong)))
}

fn is_wrong(row: &Row) -> bool {
    let harmless = [FaultKind::Absent, FaultKind::Unsupported, FaultKind::Limited];
    matches!(row, Row::Fault(fault) if !harmless.contains(&fault.kind))
}

fn in_words(row: &Row) -> Option<String> {
    match row {
        Row::Checked(checked) if !checked.line.again => {
            let line = &checked.line;
            let (job, size) = (&checked.job, units::size(checked.size));
            let refuses = if checked.authenticated { ", refuses damage" } else { "" };
            Some(format!(
                "right: {job} {size}: {} {} {}{refuses} ({})\n",
                line.engine, line.algorithm, line.shape, checked.code
            ))
        }
        Row::Fault(fault) => {
            let size = fault.size.map(units::size).unwrap_or_default();
            let shape = fault.shape.map(|shape| shape.to_string()).unwrap_or_default();
            let parts =
                [&fault.job, &size, &fault.engine, fault.algorithm.as_ref().unwrap_or(&shape), &shape];
            let words: Vec<&str> =
                parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            Some(format!("{}: {}: {}\n", fault.kind.words(), words.join(" "), fault.why))
        }
        _ => None,
    }
}

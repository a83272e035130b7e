//! On what a run was made, by whom and with which command.

use crate::jobs;
use crate::machine::Machine;
use crate::rows::{self, Header, Row};
use crate::table::Table;
use serde::Serialize;
use std::collections::BTreeMap;

/// The beginning of a run, or of its going on after an interruption.
#[derive(Debug, Serialize)]
pub struct Sitting {
    pub command: String,
    pub started: String,
    /// Names and values; what tells one machine from another comes first.
    pub facts: Vec<(&'static str, String)>,
}

/// In their order: the run's own beginning is the first.
pub fn sittings(rows: &[Row]) -> Vec<Sitting> {
    let sittings = rows.iter().filter_map(|row| match row {
        Row::Header(header) => {
            let Header { command, started, machine, .. } = header;
            let facts = facts(machine).into_iter().chain(of_all(header)).collect();
            Some(Sitting { command: command.clone(), started: started.clone(), facts })
        }
        Row::Resumed(rows::Resumed { command, started, machine }) => {
            Some(Sitting { command: command.clone(), started: started.clone(), facts: facts(machine) })
        }
        _ => None,
    });
    sittings.collect()
}

/// Without the load, these tell one machine from another.
fn facts(machine: &Machine) -> Vec<(&'static str, String)> {
    let memory = machine.memory_bytes.map(|bytes| format!("{:.1} GB", bytes as f64 / 1e9));
    let facts = [
        ("processor", Some(format!("{} ({})", machine.cpu, machine.flags))),
        ("cores", Some(machine.cores.to_string())),
        ("memory", memory),
        ("system", Some(machine.system.clone())),
        ("file system", Some(machine.filesystem.clone())),
        (LOAD, machine.load.clone()),
    ];
    facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
}

const LOAD: &str = "load before";

/// The facts that hold for all of a run.
fn of_all(header: &Header) -> Vec<(&'static str, String)> {
    let Header { lab, build, commit, plan, filters, seed, .. } = header;
    let unfit = if build == "release" { "" } else { ": NOT OPTIMISED, its figures mean nothing" };
    let facts = [
        ("lab", format!("{lab} ({build} build{unfit}), commit {commit}")),
        ("plan", plan.clone()),
        ("narrowed by", filters.join(" ")),
        ("seed", seed.to_string()),
    ];
    facts.into_iter().filter(|(_, fact)| !fact.is_empty()).collect()
}

/// Things that a run which was taken up again has two of: its figures are no longer of one machine, or of one version.
pub fn changes(rows: &[Row], sittings: &[Sitting]) -> Vec<String> {
    let names = ["processor", "cores", "memory", "system", "file system"].into_iter();
    let turns = names.filter_map(|name| {
        let of = |sitting: &'_ Sitting| {
            let fact = sitting.facts.iter().find(|(known, _)| *known == name);
            fact.map_or_else(|| "unknown".to_owned(), |(_, fact)| fact.clone())
        };
        let in_turn = in_turn(sittings.iter().map(of));
        (in_turn.len() > 1).then(|| format!("{name} {}", in_turn.join(", then ")))
    });
    let turns: Vec<String> = turns.collect();
    let machines = (!turns.is_empty()).then(|| {
        format!(
            "This run was taken up again on another machine, and has figures of each: {}.",
            turns.join("; ")
        )
    });
    let engines = answers(rows).into_iter().filter_map(|answers| {
        let versions = in_turn(answers.iter().map(|engine| engine.version.clone()));
        let name = &answers[0].engine;
        let versions = (versions.len() > 1).then(|| versions.join(", then "))?;
        Some(format!(
            "Engine {name} was replaced during this run, and has figures of each version: {versions}."
        ))
    });
    machines.into_iter().chain(engines).collect()
}

/// Values without those that are equal to the one before.
fn in_turn(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut values: Vec<String> = values.collect();
    values.dedup();
    values
}

/// Every engine that took part, with what it said of itself and of the code that ran.
pub fn engines(rows: &[Row]) -> Table {
    let codes = codes(rows);
    let titles = ["engine", "version", "JDK", "what it is", "what ran"];
    let mut table = Table::titled("Engines", titles.len(), titles);
    for answers in answers(rows) {
        let told = |of: fn(&rows::Engine) -> &str| {
            in_turn(answers.iter().map(|engine| of(engine).to_owned())).join(", then ")
        };
        let name = told(|engine| &engine.engine);
        let ran = codes.get(name.as_str()).map(|codes| codes.join("; ")).unwrap_or_default();
        let jdk = told(|engine| engine.jdk.as_deref().unwrap_or_default());
        table.push([name, told(|engine| &engine.version), jdk, told(|engine| &engine.about), ran]);
    }
    table
}

/// The answers of engines about themselves, those of one name together: a run that went on asked them again.
fn answers(rows: &[Row]) -> Vec<Vec<&rows::Engine>> {
    let (mut answers, mut places): (Vec<Vec<&rows::Engine>>, _) = (Vec::new(), BTreeMap::new());
    for row in rows {
        let Row::Engine(engine) = row else { continue };
        let at = *places.entry(engine.engine.as_str()).or_insert_with(|| {
            answers.push(Vec::new());
            answers.len() - 1
        });
        answers[at].push(engine);
    }
    answers
}

/// The code that really ran, as engines said, each once, by the name of the engine.
fn codes(rows: &[Row]) -> BTreeMap<&str, Vec<&str>> {
    let mut codes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows {
        let Row::Checked(checked) = row else { continue };
        let known = codes.entry(&checked.line.engine).or_default();
        // The job `empty` runs none of it.
        if !jobs::of(&checked.job).is_own_cost
            && !checked.code.is_empty()
            && !known.contains(&checked.code.as_str())
        {
            known.push(&checked.code);
        }
    }
    codes
}

/// The end of a run, and the machine's other work until then.
pub fn ending(rows: &[Row]) -> String {
    let end = rows.iter().rev().find_map(|row| if let Row::End(end) = row { Some(end) } else { None });
    let Some(end) = end else {
        return "This run was interrupted: what it had measured until then is above.".into();
    };
    let share = |permille: Option<u64>, of: &str| {
        permille.map(|n| format!(", {}.{} % of CPU time {of}", n / 10, n % 10)).unwrap_or_default()
    };
    let others = share(end.others_permille, "taken by other work");
    let stolen = share(end.stolen_permille, "stolen by the host");
    format!("{} s{others}{stolen}", end.seconds)
}

/// docs/method.md in short.
pub const BIAS: [&str; 8] = [
    "This project's library was written and tuned by the people who wrote the lab, on the kind of machine it runs on.",
    "Figures are true of this machine. Other processors, kernels and file systems have others: run it on yours.",
    "The same input is sealed again and again: it is in the nearest cache, and branches have been learnt. A service sees \
     other values each time.",
    "Engines are processes that wait while others run: on a machine with other work the scheduler is in every figure.",
    "Sizes are measured one after the other. Ratios within a size do not notice a machine that becomes slower meanwhile; \
     an exponent does.",
    "In-process rows of small sizes show a call in a running process, those of programs mostly the start of a process.",
    "The peak memory of a program counts that of the process that started it, about 5 MB.",
    "Nothing is said about networks, disks, energy, side channels, or the strength of what any engine does.",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Shape;
    use crate::rows::Role;
    use crate::summary::made::{self, line};

    #[test]
    fn a_debug_build_is_no_measurement_and_says_so() {
        let header = Header { build: "debug".into(), ..made::header(Machine::default()) };
        let facts = sittings(&[Row::Header(header)]).remove(0).facts;
        assert!(
            facts.iter().any(|(name, fact)| *name == "lab" && fact.contains("NOT OPTIMISED")),
            "{facts:?}"
        );
    }

    #[test]
    fn the_code_that_ran_is_told_once_and_not_that_of_the_empty_loop() {
        let engine = Row::Engine(rows::Engine {
            engine: "A".into(),
            family: "A".into(),
            about: "a test".into(),
            role: Role::Peer,
            version: "1".into(),
            jdk: None,
            in_process: true,
        });
        let checked = |job: &str, code: &str| {
            Row::Checked(rows::Checked {
                job: job.into(),
                size: 49,
                line: line(("A", "AES", Shape::Tuned)),
                authenticated: true,
                code: code.into(),
                output_bytes: 65,
                sha256: String::new(),
                released_bytes: None,
            })
        };
        let rows = [
            engine,
            checked("empty", "a loop"),
            checked("cipher", "one"),
            checked("cipher", "one"),
            checked("codec", "two"),
        ];
        let text = engines(&rows).text();
        assert!(text.lines().nth(1).is_some_and(|line| line.ends_with("one; two")), "{text}");
    }

    #[test]
    fn a_run_without_an_end_was_interrupted() {
        assert!(ending(&[]).starts_with("This run was interrupted"));
        let end = rows::End { seconds: 9, stolen_permille: None, others_permille: Some(123) };
        assert_eq!(ending(&[Row::End(end)]), "9 s, 12.3 % of CPU time taken by other work");
    }
}

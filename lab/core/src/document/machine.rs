//! On what a run was made, by whom and with which command.

use super::conditions::{self, TELLING, TOLD_BESIDES};
use super::evidence::{self, Section};
use crate::jobs;
use crate::report::Run;
use crate::report::said::Proof;
use crate::rows::{self, Row};
use crate::table::Table;
use std::collections::BTreeMap;

/// Each sitting of the run, its own beginning first; then engines, known bias and columns.
pub fn sections(run: &Run) -> Vec<Section> {
    let begun = run.rows.iter().filter(|row| conditions::machine(row).is_some());
    let mut sections: Vec<Section> = begun.zip(1..).map(|(row, number)| sitting(row, number)).collect();
    let list = |name, title, sentences| Section::list(name, title, sentences);
    sections.push(Section { tables: vec![engines(run.rows)], ..list("engines", "Engines", Vec::new()) });
    sections.push(list("bias", "Known bias", BIAS.map(str::to_owned).to_vec()));
    sections.push(list("columns", "Columns of the tables", evidence::meanings(&run.cells)));
    sections
}

/// Its command, and what tells one machine from another.
fn sitting(row: &Row, number: usize) -> Section {
    let facts = TELLING.iter().chain(&TOLD_BESIDES).filter(|(name, _)| *name != "command");
    let facts = facts.filter_map(|(name, fact)| Some(format!("{name}: {}", fact(row)?)));
    let command = conditions::command(row).unwrap_or_default();
    Section { at: Proof::Command(number), ..Section::list("", command, facts.collect()) }
}

/// Things that a run which was taken up again has two of: its figures are no longer of one machine, or of one version.
pub fn changes(rows: &[Row]) -> Vec<String> {
    let turns = TELLING.iter().filter_map(|(name, fact)| {
        let in_turn = in_turn(rows.iter().filter_map(fact));
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
fn engines(rows: &[Row]) -> Table {
    let codes = codes(rows);
    let titles = ["engine", "version", "JDK", "what it is", "what ran"];
    let mut table = Table::titled("", titles.len(), titles);
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

/// docs/method.md in short.
const BIAS: [&str; 8] = [
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
    use crate::summary::made::line;

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
}

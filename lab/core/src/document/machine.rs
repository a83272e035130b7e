//! On what a run was made, by whom and with which command.

use super::{Chapter, Run, Section, conditions, evidence};
use crate::jobs;
use crate::rows::{self, Row};
use crate::table::Table;
use std::collections::BTreeMap;

pub fn chapter(run: &Run) -> Chapter {
    let sections = vec![
        conditions::section(&[("this run", run.rows)]),
        Section::of_tables("engines", "Engines", vec![engines(run.rows)]),
        Section::list("bias", "Known bias", BIAS.map(str::to_owned)),
        Section::list("columns", "Columns of the tables", evidence::meanings(&run.cells)),
    ];
    Chapter { id: "machine".into(), title: "Machines and conditions".into(), sections }
}

/// Every engine that took part, with what it said of itself and of the code that ran.
fn engines(rows: &[Row]) -> Table {
    let codes = codes(rows);
    let titles = ["engine", "version", "JDK", "what it is", "what ran"];
    let mut table = Table::titled("", titles.len(), titles);
    for engine in rows::engines(rows) {
        let ran = codes.get(&*engine.engine).map(|codes| codes.join("; ")).unwrap_or_default();
        let jdk = engine.jdk.clone().unwrap_or_default();
        table.push([engine.engine.clone(), engine.version.clone(), jdk, engine.about.clone(), ran]);
    }
    table.without_silent_columns()
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
                line: line(("A", "AES", "tuned")),
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

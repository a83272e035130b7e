//! The conditions under which runs were made, side by side, and where two differ; and the engines that took part.

use super::{Chapter, Run, Section, evidence};
use crate::format;
use crate::jobs;
use crate::rows::{self, Row};
use crate::table::Table;
use indexmap::IndexSet;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A run and its name.
pub type Named<'a> = (&'a str, &'a [Row]);

/// Conditions of a run: the name, where rows tell it, and whether runs that differ in it have other figures for it.
const CONDITIONS: [(&str, &str, bool); 13] = [
    ("plan", "/plan", true),
    ("seed", "/seed", true),
    ("build", "/build", true),
    ("version of the lab", "/lab", true),
    ("CPU", "/machine/cpu", true),
    ("CPU flags", "/machine/flags", true),
    ("number of cores", "/machine/cores", true),
    ("size of memory", "/machine/memory_bytes", true),
    ("system", "/machine/system", true),
    ("file system", "/machine/filesystem", true),
    ("choice of JDKs", "/jdk", true),
    ("commit", "/commit", false),
    ("begun", "/started", false),
];

/// All that the rows tell of it.
fn told(rows: &[Row], pointer: &str) -> Option<String> {
    let telling = rows.iter().filter(|row| matches!(row, Row::Header(_) | Row::Engine(_)));
    let word = |value: &Value| match value {
        Value::Null => None,
        Value::String(word) => Some(word.clone()).filter(|word| !word.is_empty()),
        Value::Number(bytes) if pointer.ends_with("_bytes") => Some(format::bytes(bytes.as_f64()?)),
        other => Some(other.to_string()),
    };
    let all: BTreeSet<String> = telling.filter_map(|row| word(json!(row).pointer(pointer)?)).collect();
    (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>().join(" and "))
}

/// All that is known of each run.
pub fn section(runs: &[Named]) -> Section {
    let titles = ["condition"].into_iter().chain(runs.iter().map(|(name, _)| *name));
    let mut table = Table::titled("", runs.len() + 1, titles);
    for (name, pointer, _) in CONDITIONS {
        let of_runs = runs.iter().map(|(_, rows)| told(rows, pointer).unwrap_or_default());
        table.push([name.to_owned()].into_iter().chain(of_runs));
    }
    let commands =
        runs.iter().filter_map(|(name, rows)| Some(format!("{name}: {}", told(rows, "/command")?)));
    Section { tables: vec![table], ..Section::list("conditions", "Conditions", commands) }
}

/// Warnings that a reader of two runs needs before any figure.
pub fn warnings(base: &[Row], new: &[Row]) -> Vec<String> {
    let (base, new) = (("base", base), ("new", new));
    [differences(base, new), unfit(base), unfit(new)].concat()
}

/// Conditions that changed between two runs.
fn differences((first, base): Named, (second, new): Named) -> Vec<String> {
    // A plan of the same name may have another text; the digest tells no more than that.
    let digest = [("SHA-256 of the plan", "/plan_sha256", true)];
    let telling = CONDITIONS.into_iter().chain(digest).filter(|(.., is_telling)| *is_telling);
    let conditions =
        telling.map(|(name, pointer, _)| (name.to_owned(), told(base, pointer), told(new, pointer)));
    let earlier = versions(base);
    let versions = versions(new).into_iter().map(|(name, new)| {
        (format!("version of {name}"), earlier.get(name).map(|it| (*it).to_owned()), Some(new.to_owned()))
    });
    let differing = conditions.chain(versions).filter_map(|(name, base, new)| {
        let (base, new) = base.zip(new).filter(|(base, new)| base != new)?;
        Some(format!("another {name}: {first} {base}, {second} {new}"))
    });
    differing.collect()
}

/// The versions of engines.
fn versions(rows: &[Row]) -> BTreeMap<&str, &str> {
    rows::engines(rows).map(|engine| (&*engine.engine, &*engine.version)).collect()
}

/// Why a run says little by itself, whatever run it is compared with.
pub fn unfit((name, rows): Named) -> Vec<String> {
    let is_slow = rows::header(rows).is_some_and(|header| header.build != "release");
    let is_cut = !rows.iter().any(|row| matches!(row, Row::End(_)));
    let slow = is_slow.then(|| format!("{name} was measured without optimisation: its figures mean nothing"));
    let cut = is_cut.then(|| format!("{name} was interrupted: what it had measured until then is here"));
    slow.into_iter().chain(cut).collect()
}

pub(super) fn chapter(run: &Run) -> Chapter {
    let sections = vec![
        section(&[("this run", run.rows)]),
        Section::of_tables("engines", "Engines", vec![engines(run.rows)]),
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
        let ran = codes.get(&*engine.engine).into_iter().flatten().copied().collect::<Vec<_>>().join("; ");
        let jdk = engine.jdk.clone().unwrap_or_default();
        table.push([engine.engine.clone(), engine.version.clone(), jdk, engine.about.clone(), ran]);
    }
    table
}

/// The code that really ran, as engines said, each once, by the name of the engine. The job `empty` runs none of it.
fn codes(rows: &[Row]) -> BTreeMap<&str, IndexSet<&str>> {
    let mut codes: BTreeMap<&str, IndexSet<&str>> = BTreeMap::new();
    for row in rows {
        let Row::Checked(row) = row else { continue };
        if !jobs::of(&row.job).is_own_cost && !row.code.is_empty() {
            codes.entry(&row.line.engine).or_default().insert(&row.code);
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::rows::Role;
    use crate::summary::fixtures::{Made, header, line};

    fn run(cpu: &str, cores: u64) -> Vec<Row> {
        let mut made = Made::default();
        let machine = Machine { cpu: cpu.into(), cores, ..Machine::default() };
        made.rows.push(Row::Header(rows::Header { started: format!("begun on {cpu}"), ..header(machine) }));
        made.jvm("SunJCE", "25");
        made.rows
    }

    #[test]
    fn machines_and_commands_of_runs_are_told_side_by_side() {
        let [base, new] = [run("One", 2), run("Two", 4)];
        let Section { tables, sentences, .. } = section(&[("base", &base), ("new", &new)]);
        let titles: Vec<&str> = tables[0].columns.iter().map(|column| &*column.title).collect();
        assert_eq!(titles, ["condition", "base", "new"]);
        let told = |name: &str| {
            let row = tables[0].rows.iter().find(|row| row.told(0) == name);
            row.map(|row| [1, 2].map(|at| row.told(at).to_owned()))
        };
        assert_eq!(told("CPU"), Some(["One", "Two"].map(str::to_owned)));
        assert_eq!(told("begun"), Some(["begun on One", "begun on Two"].map(str::to_owned)));
        let commands: Vec<&str> = sentences.iter().map(|it| &*it.text).collect();
        assert_eq!(commands, ["base: sealmark-lab measure files", "new: sealmark-lab measure files"]);
    }

    #[test]
    fn another_machine_is_warned_of_and_another_time_is_not() {
        let differing = |base: &[Row], new: &[Row]| differences(("base", base), ("new", new));
        let mut another = run("One", 2);
        if let Some(Row::Header(header)) = another.first_mut() {
            header.started = "later".into();
        }
        assert_eq!(differing(&run("One", 2), &another), [""; 0]);
        let expected = ["another CPU: base One, new Two<b>", "another number of cores: base 2, new 4"];
        assert_eq!(differing(&run("One", 2), &run("Two<b>", 4)), expected);
    }

    #[test]
    fn another_text_of_the_plan_is_warned_of_where_both_are_known() {
        let of = |sha256: &str| {
            let mut rows = run("One", 2);
            if let Some(Row::Header(header)) = rows.first_mut() {
                header.plan_sha256 = sha256.into();
            }
            rows
        };
        let differing = |base: &str, new: &str| differences(("base", &of(base)), ("new", &of(new)));
        assert_eq!(differing("aa", "bb"), ["another SHA-256 of the plan: base aa, new bb"]);
        assert_eq!(differing("aa", "aa"), [""; 0]);
        assert_eq!(differing("", "bb"), [""; 0]);
    }

    #[test]
    fn engines_that_were_replaced_are_warned_of() {
        let mut new = run("One", 2);
        if let Some(Row::Engine(engine)) = new.last_mut() {
            engine.version = "2".into();
        }
        let said = differences(("base", &run("One", 2)), ("new", &new));
        assert_eq!(said, ["another version of SunJCE 25: base 1, new 2"]);
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

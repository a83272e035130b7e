//! Under which conditions a run was made: its parts, or two runs, side by side, and where they differ.

use super::Section;
use crate::rows::{self, Row};
use crate::table::Table;
use crate::words;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A part of a run, or a run, and its name.
pub type Part<'a> = (&'a str, &'a [Row]);

/// What is to be known of rows: a name, and where they tell it.
type Told = (&'static str, &'static str);

/// Whoever differs in one of these has other figures for it.
const TELLING: [Told; 11] = [
    ("plan", "/plan"),
    ("seed", "/seed"),
    ("build", "/build"),
    ("version of the lab", "/lab"),
    ("CPU", "/machine/cpu"),
    ("CPU flags", "/machine/flags"),
    ("number of cores", "/machine/cores"),
    ("size of memory", "/machine/memory_bytes"),
    ("system", "/machine/system"),
    ("file system", "/machine/filesystem"),
    ("choice of JDKs", "/jdk"),
];

/// What differs between any two runs.
const TOLD_BESIDES: [Told; 4] = [
    ("commit", "/commit"),
    ("narrowed by", "/filters"),
    ("begun", "/started"),
    ("load before", "/machine/load"),
];

/// All that the rows tell of it. A run that was taken up again may have had two machines.
fn told(rows: &[Row], pointer: &str) -> Option<String> {
    let telling = rows.iter().filter(|row| matches!(row, Row::Header(_) | Row::Resumed(_) | Row::Engine(_)));
    let word = |value: &Value| match value {
        Value::Null => None,
        Value::String(word) => Some(word.clone()),
        Value::Array(words) if words.is_empty() => Some("nothing".into()),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")),
        Value::Number(bytes) if pointer.ends_with("_bytes") => Some(words::bytes(bytes.as_f64()?)),
        other => Some(other.to_string()),
    };
    let all: BTreeSet<String> = telling.filter_map(|row| word(json!(row).pointer(pointer)?)).collect();
    (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>().join(" and "))
}

/// All that is known of each part.
pub fn section(parts: &[Part]) -> Section {
    let titles = ["condition"].into_iter().chain(parts.iter().map(|(name, _)| *name));
    let mut table = Table::titled("", parts.len() + 1, titles);
    for (name, pointer) in TELLING.into_iter().chain(TOLD_BESIDES) {
        let of_parts = parts.iter().map(|(_, rows)| told(rows, pointer).unwrap_or_default());
        table.push([name.to_owned()].into_iter().chain(of_parts));
    }
    let commands =
        parts.iter().filter_map(|(name, rows)| Some(format!("{name}: {}", told(rows, "/command")?)));
    Section { tables: vec![table], ..Section::list("conditions", "Conditions", commands) }
}

/// The sittings of a run: a row of its own begins each but the first.
pub fn sittings(rows: &[Row]) -> Vec<Part<'_>> {
    let sittings: Vec<&[Row]> = rows.chunk_by(|_, next| !matches!(next, Row::Resumed(_))).collect();
    let first = if sittings.len() > 1 { "at first" } else { "this run" };
    [first].into_iter().chain(std::iter::repeat("then")).zip(sittings).collect()
}

/// What else than time has passed between the sittings of a run: its figures are those of each.
pub fn changes(rows: &[Row]) -> Vec<String> {
    sittings(rows).windows(2).flat_map(|pair| differences(pair[0], pair[1])).collect()
}

/// What a reader of two runs must know before any figure.
pub fn warnings(base: &[Row], new: &[Row]) -> Vec<String> {
    let (base, new) = (("base", base), ("new", new));
    [differences(base, new), unfit(base), unfit(new)].concat()
}

/// What else than a line may have changed between them.
fn differences((first, base): Part, (second, new): Part) -> Vec<String> {
    let differing = TELLING.into_iter().filter_map(|(name, pointer)| {
        let (base, new) = told(base, pointer).zip(told(new, pointer)).filter(|(base, new)| base != new)?;
        Some(format!("another {name}: {first} {base}, {second} {new}"))
    });
    let base = versions(base);
    let another = |(name, new): (&str, &str)| {
        let base = base.get(name).filter(|base| **base != new)?;
        Some(format!("another version of {name}: {first} {base}, {second} {new}"))
    };
    differing.chain(versions(new).into_iter().filter_map(another)).collect()
}

/// The versions of engines.
fn versions(rows: &[Row]) -> BTreeMap<&str, &str> {
    rows::engines(rows).map(|engine| (&*engine.engine, &*engine.version)).collect()
}

/// Why a run says little by itself, whatever it is held against.
pub fn unfit((name, rows): Part) -> Vec<String> {
    let mut said = Vec::new();
    if rows::header(rows).is_some_and(|header| header.build != "release") {
        said.push(format!("{name} was measured without optimisation: its figures mean nothing"));
    }
    if !rows.iter().any(|row| matches!(row, Row::End(_))) {
        said.push(format!("{name} was interrupted: what it had measured until then is here"));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::summary::made::{Made, header};

    fn machine(cpu: &str, cores: u64) -> Machine {
        Machine { cpu: cpu.into(), cores, load: Some(format!("0.{cores} of {cpu}")), ..Machine::default() }
    }

    /// Begun on one machine, and taken up again on each of these.
    fn run(machines: &[Machine]) -> Vec<Row> {
        let mut made = Made::default();
        made.rows.push(Row::Header(header(machine("One", 2))));
        made.jvm("SunJCE", "25");
        for (at, machine) in machines.iter().enumerate() {
            made.rows.push(Row::Resumed(rows::Resumed {
                command: format!("sealmark-lab measure files --resume {at}.jsonl"),
                started: format!("2026-11-2{at}T10:00:00Z"),
                machine: machine.clone(),
            }));
            made.jvm("SunJCE", "25");
        }
        made.rows
    }

    #[test]
    fn every_machine_and_command_that_a_run_has_had_is_told() {
        let rows = run(&[machine("One", 2), machine("Two", 4)]);
        let Section { tables, sentences, .. } = section(&sittings(&rows));
        let titles: Vec<&str> = tables[0].columns.iter().map(|column| &*column.title).collect();
        assert_eq!(titles, ["condition", "at first", "then", "then"]);
        let told = |name: &str| {
            let row = tables[0].rows.iter().find(|row| row.told(0) == name);
            row.map(|row| [1, 2, 3].map(|at| row.told(at).to_owned()))
        };
        assert_eq!(told("CPU"), Some(["One", "One", "Two"].map(str::to_owned)));
        let loads = ["0.2 of One", "0.2 of One", "0.4 of Two"];
        assert_eq!(told("load before"), Some(loads.map(str::to_owned)));
        assert_eq!(told("seed"), Some(["1", "", ""].map(str::to_owned)));
        let commands: Vec<&str> = sentences.iter().map(|it| &*it.text).collect();
        let again = |at| format!("then: sealmark-lab measure files --resume {at}.jsonl");
        assert_eq!(commands, ["at first: sealmark-lab measure files", &again(0), &again(1)]);
    }

    #[test]
    fn another_machine_is_warned_of_and_another_load_is_not() {
        let other_load = Machine { load: None, ..machine("One", 2) };
        assert_eq!(changes(&run(&[other_load])), [""; 0]);
        let changed = changes(&run(&[machine("One", 4), machine("Two<b>", 4)]));
        let expected = ["another number of cores: at first 2, then 4", "another CPU: then One, then Two<b>"];
        assert_eq!(changed, expected);
    }

    #[test]
    fn engines_that_were_replaced_are_warned_of() {
        let mut rows = run(&[machine("One", 2)]);
        if let Some(Row::Engine(engine)) = rows.last_mut() {
            engine.version = "2".into();
        }
        assert_eq!(changes(&rows), ["another version of SunJCE 25: at first 1, then 2"]);
    }
}

//! What was run, on what, by whom, and how it ended.

use super::grid::{list, paragraph};
use crate::machine::Machine;
use crate::rows::{self, Header, Row};
use crate::summary;
use std::collections::BTreeMap;

/// The command and the machine; every time that the run was taken up again.
pub fn opening(rows: &[Row]) -> String {
    let lines = rows.iter().filter_map(|row| match row {
        Row::Header(header) => Some(begun(header)),
        Row::Resumed(resumed) => Some(resumed_in_words(resumed)),
        _ => None,
    });
    lines.collect()
}

fn begun(header: &Header) -> String {
    let Header { command, started, lab, build, commit, seed, .. } = header;
    let unfit = if build == "release" { "" } else { ": NOT OPTIMISED, its figures mean nothing" };
    format!(
        "{command}\n{started} · lab {lab} ({build} build{unfit}), commit {commit}, seed {seed}\n{}\n",
        machine(&header.machine)
    )
}

fn machine(machine: &Machine) -> String {
    let memory = machine.memory_bytes.map(|bytes| format!(", {:.1} GB of memory", bytes as f64 / 1e9));
    let load = machine.load.as_ref().map(|load| format!(", load {load}"));
    format!(
        "{} ({}), {} cores{}\n{}, {}{}",
        machine.cpu,
        machine.flags,
        machine.cores,
        memory.unwrap_or_default(),
        machine.system,
        machine.filesystem,
        load.unwrap_or_default(),
    )
}

fn resumed_in_words(resumed: &rows::Resumed) -> String {
    let load = resumed.machine.load.as_ref().map(|load| format!(", load {load}")).unwrap_or_default();
    format!("interrupted; taken up again {}{load}: {}\n", resumed.started, resumed.command)
}

/// Who took part: one line for each family of engines, versions in it.
pub fn engines(rows: &[Row]) -> String {
    let mut families: Vec<&str> = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&rows::Engine>> = BTreeMap::new();
    for row in rows {
        let Row::Engine(engine) = row else { continue };
        let known = versions.entry(&engine.family).or_insert_with(|| {
            families.push(&engine.family);
            Vec::new()
        });
        if !known.iter().any(|other| other.engine == engine.engine) {
            known.push(engine);
        }
    }
    let lines: Vec<String> =
        families.iter().map(|family| family_in_words(family, &versions[family])).collect();
    list("Engines", &lines)
}

fn family_in_words(family: &str, engines: &[&rows::Engine]) -> String {
    let first = engines[0];
    let same = engines.iter().all(|engine| engine.version == first.version);
    let jdks: Vec<&str> = engines.iter().filter_map(|engine| engine.jdk.as_deref()).collect();
    let versions = if same {
        let said = jdks.iter().all(|jdk| first.version.contains(jdk));
        let on = if said { String::new() } else { format!(" on JDK {}", jdks.join(", ")) };
        format!("{}{on}", first.version)
    } else {
        engines.iter().map(|engine| engine.version.as_str()).collect::<Vec<_>>().join("; ")
    };
    format!("{family}: {versions} ({})", first.about)
}

/// How it ended, and whether the machine had other work meanwhile.
pub fn ending(rows: &[Row]) -> String {
    let ends: Vec<&rows::End> =
        rows.iter().filter_map(|row| if let Row::End(end) = row { Some(end) } else { None }).collect();
    let Some(end) = ends.last() else {
        return "\nThis run was interrupted: what it had measured until then is above.\n".into();
    };
    let share = |permille: Option<u64>, of: &str| {
        permille.map(|n| format!(", {}.{} % of CPU time {of}", n / 10, n % 10)).unwrap_or_default()
    };
    let others = share(end.others_permille, "taken by other work");
    let stolen = share(end.stolen_permille, "stolen by the host");
    format!("\n{} s{others}{stolen}\n", end.seconds)
}

/// Company over the whole run, if there was any.
pub fn company(rows: &[Row]) -> String {
    let blocks: Vec<&rows::Block> =
        rows.iter().filter_map(|row| if let Row::Block(block) = row { Some(block) } else { None }).collect();
    let noisy = blocks.iter().filter(|block| summary::has_company(block)).count();
    if noisy == 0 {
        return String::new();
    }
    paragraph(&format!(
        "{noisy} of {} blocks had company: other work took more than 5 % of the machine, or its host more than 1 %.",
        blocks.len()
    ))
}

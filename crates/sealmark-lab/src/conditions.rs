//! Under which conditions two runs were made, and where those differ.

use crate::machine::Machine;
use crate::rows::{self, Row};
use std::collections::BTreeSet;

/// "quick, 2026-11-21T10:00:00Z, lab 0.1.0 (release build), commit abc1234, seed 7".
pub fn opening(rows: &[Row]) -> String {
    let header = rows.iter().find_map(|row| if let Row::Header(header) = row { Some(header) } else { None });
    header.map_or_else(String::new, |header| {
        let rows::Header { plan, started, lab, build, commit, seed, .. } = header;
        format!("{plan}, {started}, lab {lab} ({build} build), commit {commit}, seed {seed}")
    })
}

/// A name, and where to find it.
type Fact<T> = (&'static str, fn(&T) -> String);

/// What a reader of both must know before any figure. A run that was taken up again may have had two machines.
pub fn differences(base: &[Row], new: &[Row]) -> Vec<String> {
    let by_header: [Fact<rows::Header>; 3] = [
        ("plan", |header| header.plan.clone()),
        ("seed", |header| header.seed.to_string()),
        ("build", |header| header.build.clone()),
    ];
    let by_machine: [Fact<Machine>; 5] = [
        ("CPU", |machine| machine.cpu.clone()),
        ("CPU flags", |machine| machine.flags.clone()),
        ("number of cores", |machine| machine.cores.to_string()),
        ("system", |machine| machine.system.clone()),
        ("file system", |machine| machine.filesystem.clone()),
    ];
    let headers = by_header
        .into_iter()
        .filter_map(|(name, fact)| differing(name, base, new, |row| header(row).map(fact)));
    let machines = by_machine
        .into_iter()
        .filter_map(|(name, fact)| differing(name, base, new, |row| machine(row).map(fact)));
    headers.chain(machines).chain(versions(base, new)).chain(unfit(base, new)).collect()
}

fn header(row: &Row) -> Option<&rows::Header> {
    if let Row::Header(header) = row { Some(header) } else { None }
}

fn machine(row: &Row) -> Option<&Machine> {
    match row {
        Row::Header(header) => Some(&header.machine),
        Row::Resumed(resumed) => Some(&resumed.machine),
        _ => None,
    }
}

fn differing(name: &str, base: &[Row], new: &[Row], fact: impl Fn(&Row) -> Option<String>) -> Option<String> {
    let all = |rows: &[Row]| rows.iter().filter_map(&fact).collect::<BTreeSet<_>>();
    let (base, new) = (all(base), all(new));
    let said = |facts: BTreeSet<String>| facts.into_iter().collect::<Vec<_>>().join(" and ");
    (base != new).then(|| format!("another {name}: base {}, new {}", said(base), said(new)))
}

/// Of engines that both runs had.
fn versions(base: &[Row], new: &[Row]) -> Vec<String> {
    let engines = |rows: &[Row]| -> Vec<(String, String)> {
        let engine = |row: &Row| match row {
            Row::Engine(engine) => Some((engine.engine.clone(), engine.version.clone())),
            _ => None,
        };
        rows.iter().filter_map(engine).collect()
    };
    let base = engines(base);
    let before = |name: &str| base.iter().find(|(engine, _)| engine == name).map(|(_, version)| version);
    let mut said = Vec::new();
    for (name, version) in engines(new) {
        let sentence = match before(&name) {
            Some(before) if *before != version => {
                format!("another version of {name}: base {before}, new {version}")
            }
            _ => continue,
        };
        if !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    said
}

/// Runs whose figures mean little by themselves.
fn unfit(base: &[Row], new: &[Row]) -> Vec<String> {
    let mut said = Vec::new();
    for (name, rows) in [("base", base), ("new", new)] {
        if rows.iter().filter_map(header).any(|header| header.build != "release") {
            said.push(format!("{name} was measured without optimisation: its figures mean nothing"));
        }
        if !rows.iter().any(|row| matches!(row, Row::End(_))) {
            said.push(format!("{name} was interrupted"));
        }
    }
    said
}

//! Under which conditions two runs were made, and where those differ.

use crate::machine::Machine;
use crate::rows::{self, Row};
use crate::words;
use std::collections::{BTreeMap, BTreeSet};

/// "quick, 2026-11-21T10:00:00Z, lab 0.1.0 (release build), commit abc1234, seed 7".
pub fn opening(rows: &[Row]) -> String {
    let header = rows::header(rows);
    header.map_or_else(String::new, |header| {
        let rows::Header { plan, started, lab, build, commit, seed, .. } = header;
        format!("{plan}, {started}, lab {lab} ({build} build), commit {commit}, seed {seed}")
    })
}

/// What is to be known of a row: a name, and where to find it.
pub type Told = (&'static str, fn(&Row) -> Option<String>);

/// Whoever differs in one of these has other figures for it.
pub const TELLING: [Told; 10] = [
    ("plan", |row| header(row).map(|header| header.plan.clone())),
    ("seed", |row| header(row).map(|header| header.seed.to_string())),
    ("build", |row| header(row).map(|header| header.build.clone())),
    ("version of the lab", |row| header(row).map(|header| header.lab.clone())),
    ("CPU", |row| machine(row).map(|machine| machine.cpu.clone())),
    ("CPU flags", |row| machine(row).map(|machine| machine.flags.clone())),
    ("number of cores", |row| machine(row).map(|machine| machine.cores.to_string())),
    ("size of memory", |row| {
        machine(row).and_then(|machine| machine.memory_bytes).map(|bytes| words::bytes(bytes as f64))
    }),
    ("system", |row| machine(row).map(|machine| machine.system.clone())),
    ("file system", |row| machine(row).map(|machine| machine.filesystem.clone())),
];

/// What differs between any two runs, or is told by other warnings.
pub const TOLD_BESIDES: [Told; 6] = [
    ("commit", |row| header(row).map(|header| header.commit.clone())),
    ("JDKs", jdk),
    ("narrowed by", |row| header(row).map(narrowed)),
    ("begun", |row| header(row).map(|header| header.started.clone())),
    ("load before", |row| machine(row).and_then(|machine| machine.load.clone())),
    ("command", command),
];

pub fn command(row: &Row) -> Option<String> {
    header(row).map(|header| header.command.clone())
}

/// Something that both runs tell, side by side.
#[derive(Debug, PartialEq, Eq)]
pub struct Fact {
    pub name: &'static str,
    pub base: String,
    pub new: String,
}

impl Fact {
    fn of((name, fact): Told, base: &[Row], new: &[Row]) -> Self {
        let said = |rows: &[Row]| {
            let all: BTreeSet<String> = rows.iter().filter_map(fact).collect();
            if all.is_empty() {
                "none known".into()
            } else {
                all.into_iter().collect::<Vec<_>>().join(" and ")
            }
        };
        Self { name, base: said(base), new: said(new) }
    }

    pub fn differs(&self) -> bool {
        self.base != self.new
    }
}

/// Everything that may matter.
pub fn facts(base: &[Row], new: &[Row]) -> Vec<Fact> {
    TELLING.into_iter().chain(TOLD_BESIDES).map(|told| Fact::of(told, base, new)).collect()
}

/// What a reader of both must know before any figure.
pub fn warnings(base: &[Row], new: &[Row]) -> Vec<String> {
    [differences(base, new), unfit(base, new)].concat()
}

/// What else than a line may have changed between them.
pub fn differences(base: &[Row], new: &[Row]) -> Vec<String> {
    let facts = TELLING.into_iter().map(|told| Fact::of(told, base, new)).filter(Fact::differs);
    let facts = facts.map(|Fact { name, base, new }| format!("another {name}: base {base}, new {new}"));
    facts.chain(jdks(base, new)).chain(versions(base, new)).collect()
}

fn header(row: &Row) -> Option<&rows::Header> {
    if let Row::Header(header) = row { Some(header) } else { None }
}

pub fn machine(row: &Row) -> Option<&Machine> {
    header(row).map(|header| &header.machine)
}

fn narrowed(header: &rows::Header) -> String {
    if header.filters.is_empty() { "nothing".into() } else { header.filters.join(" ") }
}

fn jdk(row: &Row) -> Option<String> {
    if let Row::Engine(engine) = row { engine.jdk.clone() } else { None }
}

/// Engines of other JDKs are other lines, which the other run does not have.
fn jdks(base: &[Row], new: &[Row]) -> Option<String> {
    let Fact { base, new, .. } = Some(Fact::of(("JDKs", jdk), base, new)).filter(Fact::differs)?;
    Some(format!("other JDKs: base {base}, new {new}"))
}

/// Of engines that both runs had.
fn versions(base: &[Row], new: &[Row]) -> Vec<String> {
    let versions = |rows: &[Row]| -> BTreeMap<String, String> {
        let engine = |row: &Row| match row {
            Row::Engine(engine) => Some((engine.engine.clone(), engine.version.clone())),
            _ => None,
        };
        rows.iter().filter_map(engine).collect()
    };
    let base = versions(base);
    let another = |(name, new): (String, String)| {
        let base = base.get(&name).filter(|base| **base != new)?;
        Some(format!("another version of {name}: base {base}, new {new}"))
    };
    versions(new).into_iter().filter_map(another).collect()
}

/// Runs that say little by themselves, whatever they are held against.
pub fn unfit(base: &[Row], new: &[Row]) -> Vec<String> {
    let mut said = Vec::new();
    for (name, rows) in [("base", base), ("new", new)] {
        if rows.iter().filter_map(header).any(|header| header.build != "release") {
            said.push(format!("{name} was measured without optimisation: its figures mean nothing"));
        }
        if !rows.iter().any(|row| matches!(row, Row::End(_))) {
            said.push(format!("{name} was interrupted: what it had measured until then is compared"));
        }
    }
    said
}

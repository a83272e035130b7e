//! The lab's modules: who may use whom, and who may know a job by its name.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../../crates/sealmark/tests/common/modules.rs"]
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Modules by the number of their group in lib.rs: a comment begins each.
fn groups() -> BTreeMap<String, usize> {
    let lib = std::fs::read_to_string(source().join("lib.rs")).unwrap();
    let (mut groups, mut group) = (BTreeMap::new(), 0);
    for line in lib.lines() {
        group += usize::from(line.starts_with("// "));
        let name = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ");
        groups.extend(name.and_then(|name| Some((name.strip_suffix(';')?.to_owned(), group))));
    }
    assert!(groups.len() > 30 && groups.values().max() > groups.values().min(), "{groups:?}");
    groups
}

/// All files with their code, without modules of tests.
fn files() -> Vec<(String, String)> {
    let mut files = modules::files(
        &source(),
        &["tests.rs", "simulate.rs", "simulate/publication.rs", "summary/fixtures.rs", "jobs/toy.rs"],
    );
    files.retain(|(file, _)| !file.contains("/tests/"));
    files
}

/// The modules that each uses: those of the first level.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let module = |file: &str| file.split('/').next().unwrap().to_owned();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, used) in modules::uses(&files()) {
        let used = used.iter().map(|used| module(used)).filter(|used| *used != module(&file));
        uses.entry(module(&file)).or_default().extend(used.filter(|used| used != "lib"));
    }
    uses
}

#[test]
fn no_module_uses_one_of_a_later_group_and_no_ring_closes() {
    let (mut groups, uses) = (groups(), uses());
    // Without those that only tests have.
    groups.retain(|module, _| uses.contains_key(module));
    let mut upward = Vec::new();
    for (module, used) in uses.iter().filter(|(module, _)| groups.contains_key(*module)) {
        let later = used.iter().filter(|it| groups.get(*it).is_some_and(|group| *group > groups[module]));
        upward.extend(later.map(|it| format!("{module} uses {it}")));
    }
    assert_eq!(upward, [""; 0]);
    modules::assert_no_ring(&uses);
}

/// A file may use what its parent says for all of them; among each other they have an order, too.
#[test]
fn no_ring_closes_among_the_files_of_a_module() {
    let parent = |file: &str| file.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    let mut uses = modules::uses(&files());
    for (file, used) in &mut uses {
        let own = parent(file);
        used.retain(|it| own.is_some() && parent(it) == own);
    }
    assert!(uses["document/answers"].contains("document/tls"), "{uses:?}");
    modules::assert_no_ring(&uses);
}

#[test]
fn nothing_outside_of_its_room_names_a_job() {
    let rooms: Vec<(String, String)> =
        files().into_iter().filter(|(file, _)| file.starts_with("jobs/")).collect();
    let mut names: Vec<String> = Vec::new();
    for (_, code) in &rooms {
        let told = code.split("\n    name: \"").skip(1);
        names.extend(told.map(|rest| rest.split('"').next().unwrap().to_owned()));
    }
    names.retain(|name| !name.is_empty());
    assert!(names.len() > 12 && names.iter().any(|name| name == "codec"), "{names:?}");
    let statics = names.iter().map(|name| name.to_uppercase().replace('-', "_"));
    let words: Vec<String> = names
        .iter()
        .map(|name| format!("\"{name}\""))
        .chain(statics.map(|name| format!("jobs::{name}")))
        .collect();
    let elsewhere = files().into_iter().filter(|(file, _)| !file.starts_with("jobs/"));
    let mut found = Vec::new();
    for (file, code) in elsewhere {
        found.extend(words.iter().filter(|word| code.contains(*word)).map(|word| format!("{file}: {word}")));
    }
    assert_eq!(found, [""; 0]);
}

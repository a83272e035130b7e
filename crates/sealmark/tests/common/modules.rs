//! The modules of a crate by its sources: which ones each uses, and whether they form a ring.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// All files below `source` with their code, without comments and modules of tests; `tests` ends the names of files that only
/// tests have.
pub fn files(source: &Path, tests: &[&str]) -> Vec<(String, String)> {
    let (mut found, mut left) = (Vec::new(), vec![source.to_owned()]);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.strip_prefix(source).unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".rs") || tests.iter().any(|it| name.ends_with(it)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let code = code.split("#[cfg(all(test").next().unwrap();
        let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        found.push((name, code.join("\n")));
    }
    found
}

/// The modules that each uses.
pub fn uses(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<&str> = files.iter().map(|(file, _)| module(file)).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, code) in files {
        let used = named(code).into_iter();
        let used = used.filter(|name| modules.contains(name.as_str()) && name != module(file));
        uses.entry(module(file).to_owned()).or_default().extend(used);
    }
    uses
}

/// The module of a file: its first directory, or its name.
fn module(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap()
}

/// The first name of each path that follows `crate::`, alone or in a list: `crate::{aead, key::{Identity, Recipient}}`.
pub fn named(code: &str) -> Vec<String> {
    code.split("crate::").skip(1).flat_map(first_names).collect()
}

fn first_names(rest: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let (mut names, mut depth) = (vec![word(list)], 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(word(&list[at + 1..])),
            _ => {}
        }
    }
    names
}

pub fn assert_no_ring(uses: &BTreeMap<String, BTreeSet<String>>) {
    // Whoever uses nothing that is left is taken away; a ring stays.
    let mut left: BTreeSet<&String> = uses.keys().collect();
    while let Some(free) = left.iter().find(|it| !uses[**it].iter().any(|used| left.contains(used))) {
        let free = *free;
        left.remove(free);
    }
    let ring = left.iter().map(|it| (*it, uses[*it].iter().filter(|used| left.contains(used)).collect()));
    let ring: Vec<(&String, Vec<&String>)> = ring.collect();
    assert!(ring.is_empty(), "{ring:#?}");
}

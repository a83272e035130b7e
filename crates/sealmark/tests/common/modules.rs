//! Reads from a crate's sources which modules each file uses, and finds rings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// All files below `source` with their code, without comments and test modules. Files whose names end with one of
/// `tests` are left out.
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

/// The files that each file uses, as paths without `.rs`.
pub fn uses(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let known: BTreeSet<&str> = files.iter().map(|(file, _)| module(file)).collect();
    let mut uses = BTreeMap::new();
    for (file, code) in files {
        let file = module(file);
        let used = paths(file, code).into_iter().map(|path| {
            // The last names of a path are items.
            let longest = (1..=path.len()).rev().map(|length| path[..length].join("/"));
            longest.chain(["lib".to_owned()]).find(|it| known.contains(it.as_str())).unwrap_or_default()
        });
        // A file uses the modules that it declares.
        let is_own = |it: &str| it.rsplit_once('/').map_or("lib", |(parent, _)| parent) == file;
        let own = known.iter().filter(|it| is_own(it)).map(|it| (*it).to_owned());
        let used = used.chain(own).filter(|used| known.contains(used.as_str()) && used != file).collect();
        uses.insert(file.to_owned(), used);
    }
    uses
}

/// The module of a file: `record/token` for `record/token.rs`, `report` for `report/mod.rs`.
fn module(file: &str) -> &str {
    file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs")).unwrap()
}

/// All paths in a file that begin with `crate` or `super`, relative to the crate.
pub fn paths(file: &str, code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        expand(&code[at + 7..], &mut Vec::new(), &mut found);
    }
    for (at, _) in code.match_indices("super::").filter(|(at, _)| !code[..*at].ends_with("super::")) {
        let mut base: Vec<String> = file.split('/').map(str::to_owned).collect();
        let mut rest = &code[at..];
        while let Some(behind) = rest.strip_prefix("super::") {
            base.pop();
            rest = behind;
        }
        expand(rest, &mut base, &mut found);
    }
    found
}

/// Expands `a::{b, c::d}` after `base`.
fn expand(text: &str, base: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let text = text.trim_start();
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    if let Some(list) = text.strip_prefix('{') {
        let (mut depth, mut start) = (0, 0);
        for (at, letter) in list.char_indices() {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            if depth < 0 || letter == ',' && depth == 0 {
                expand(&list[start..at], base, found);
                start = at + 1;
            }
            if depth < 0 {
                return;
            }
        }
        return;
    }
    let end = text.find(|it| !is_name(it)).unwrap_or(text.len());
    if end == 0 {
        return;
    }
    base.push(text[..end].to_owned());
    match text[end..].strip_prefix("::") {
        Some(rest) => expand(rest, base, found),
        None => found.push(base.clone()),
    }
    base.pop();
}

pub fn assert_no_ring(uses: &BTreeMap<String, BTreeSet<String>>) {
    // Files that use none of the others left are removed, so only a ring stays.
    let mut left: BTreeSet<&String> = uses.keys().collect();
    while let Some(free) = left.iter().find(|it| !uses[**it].iter().any(|used| left.contains(used))) {
        let free = *free;
        left.remove(free);
    }
    let ring = left.iter().map(|it| (*it, uses[*it].iter().filter(|used| left.contains(used)).collect()));
    let ring: Vec<(&String, Vec<&String>)> = ring.collect();
    assert!(ring.is_empty(), "{ring:#?}");
}

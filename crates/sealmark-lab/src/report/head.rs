//! What was run, on what, by whom, and how it ended.

use super::grid::{list, paragraph};
use super::words;
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
    let codes = codes(rows);
    let lines: Vec<String> =
        families.iter().map(|family| family_in_words(family, &versions[family], &codes)).collect();
    list("Engines", &lines)
}

/// What engines said which code really ran, each once, by the name of the engine.
pub fn codes(rows: &[Row]) -> BTreeMap<&str, Vec<&str>> {
    let mut codes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows {
        let Row::Checked(checked) = row else { continue };
        let known = codes.entry(&checked.line.engine).or_default();
        // The job `empty` runs none of it.
        if checked.job != "empty" && !checked.code.is_empty() && !known.contains(&checked.code.as_str()) {
            known.push(&checked.code);
        }
    }
    codes.retain(|_, codes| !codes.is_empty());
    codes
}

/// More than this of one code, or more codes, are for the document.
const WIDEST_CODE: usize = 100;
const MOST_CODES: usize = 3;

fn ran(engines: &[&rows::Engine], codes: &BTreeMap<&str, Vec<&str>>) -> String {
    let mut told: Vec<String> = Vec::new();
    for code in engines.iter().filter_map(|engine| codes.get(engine.engine.as_str())).flatten() {
        let code = cut(code);
        if !told.contains(&code) {
            told.push(code);
        }
    }
    if told.is_empty() { String::new() } else { format!("; ran {}", words::few_by(&told, MOST_CODES, "; ")) }
}

fn cut(code: &str) -> String {
    if code.chars().count() <= WIDEST_CODE {
        return code.to_owned();
    }
    code.chars().take(WIDEST_CODE - 1).chain(['…']).collect()
}

fn family_in_words(family: &str, engines: &[&rows::Engine], codes: &BTreeMap<&str, Vec<&str>>) -> String {
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
    format!("{family}: {versions} ({}){}", first.about, ran(engines, codes))
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
    let which = if blocks.len() == 1 {
        "The one block".to_owned()
    } else {
        format!("{noisy} of {} blocks", blocks.len())
    };
    paragraph(&format!(
        "{which} had company: other work took more than 5 % of the machine, or its host more than 1 %."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Role;
    use crate::protocol::Shape;

    fn checked(job: &str, engine: &str, code: &str) -> Row {
        let line =
            rows::Line { engine: engine.into(), algorithm: "AES".into(), shape: Shape::Tuned, again: false };
        Row::Checked(rows::Checked {
            job: job.into(),
            size: 49,
            line,
            authenticated: true,
            code: code.into(),
            output_bytes: 65,
            sha256: String::new(),
            released_bytes: None,
        })
    }

    fn engine(name: &str, family: &str) -> Row {
        Row::Engine(rows::Engine {
            engine: name.into(),
            family: family.into(),
            about: "a test".into(),
            role: Role::Peer,
            version: "1".into(),
            jdk: None,
            in_process: true,
        })
    }

    #[test]
    fn the_code_that_ran_is_told_once_a_family_and_cut() {
        let long = format!("long {}", "x".repeat(200));
        let mut rows = vec![engine("A 17", "A"), engine("A 25", "A"), engine("B", "B"), engine("C", "C")];
        for (job, name, code) in [
            ("empty", "A 17", "a loop"),
            ("cipher", "A 17", "one"),
            ("cipher", "A 17", "one"),
            ("cipher", "A 25", "one"),
            ("cipher", "A 25", "two"),
            ("cipher", "B", &long),
            ("codec", "B", "b"),
            ("codec", "B", "c"),
            ("codec", "B", "d"),
        ] {
            rows.push(checked(job, name, code));
        }
        let text = engines(&rows).split_whitespace().collect::<Vec<_>>().join(" ");
        let cut = format!("long {}…", "x".repeat(94));
        let expected = format!(
            "Engines A: 1 (a test); ran one; two B: 1 (a test); ran {cut}; b; c and 1 more C: 1 (a test)"
        );
        assert_eq!(text, expected);
        assert_eq!(codes(&rows)["A 25"], ["one", "two"]);
    }
}

//! What was run, on what, by whom, and how it ended.

use super::words;
use crate::machine::Machine;
use crate::rows::{self, Header, Row};
use std::collections::BTreeMap;

/// The command and the machine; every time that the run was taken up again, with the machine if it was another.
pub fn opening(rows: &[Row]) -> String {
    let mut before = None;
    let lines = rows.iter().filter_map(|row| match row {
        Row::Header(header) => {
            before = Some(&header.machine);
            Some(begun(header))
        }
        Row::Resumed(resumed) => {
            let is_another =
                before.replace(&resumed.machine).is_some_and(|known| !known.is_same_as(&resumed.machine));
            Some(resumed_in_words(resumed, is_another))
        }
        _ => None,
    });
    lines.collect()
}

fn begun(header: &Header) -> String {
    let Header { command, started, lab, build, commit, seed, .. } = header;
    let unfit = if build == "release" { "" } else { ": NOT OPTIMISED, its figures mean nothing" };
    format!(
        "{command}\n{started} · lab {lab} ({build} build{unfit}), commit {commit}, seed {seed}\n{}\n",
        in_words(&header.machine)
    )
}

fn in_words(machine: &Machine) -> String {
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

fn resumed_in_words(resumed: &rows::Resumed, is_elsewhere: bool) -> String {
    let rows::Resumed { command, started, machine } = resumed;
    if is_elsewhere {
        let machine = in_words(machine);
        return format!("interrupted; taken up again {started} on another machine: {command}\n{machine}\n");
    }
    let load = machine.load.as_ref().map(|load| format!(", load {load}")).unwrap_or_default();
    format!("interrupted; taken up again {started}{load}: {command}\n")
}

/// Who took part: one line for each family of engines, versions in it.
pub fn engines(rows: &[Row]) -> Vec<String> {
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
    families.iter().map(|family| family_in_words(family, &versions[family], &codes)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Role;
    use crate::protocol::Shape;
    use crate::summary::made;

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
    fn another_machine_is_told_where_the_run_went_on_there() {
        let machine = |cpu: &str, load: &str| Machine {
            cpu: cpu.into(),
            load: Some(load.into()),
            ..Machine::default()
        };
        let resumed = |at: u64, machine| {
            Row::Resumed(rows::Resumed {
                command: format!("resume {at}"),
                started: format!("at {at}"),
                machine,
            })
        };
        let rows = [
            Row::Header(made::header(machine("One", "0.1"))),
            resumed(1, machine("One", "0.2")),
            resumed(2, machine("Two", "0.3")),
            resumed(3, machine("Two", "0.4")),
        ];
        let text = opening(&rows);
        let told: Vec<&str> = text.lines().skip(2).collect();
        assert!(told[0].starts_with("One (), 0 cores") && told[1].ends_with(", load 0.1"), "{text}");
        let [first, second, machine, load, third] = told[2..] else { panic!("{text}") };
        assert_eq!(first, "interrupted; taken up again at 1, load 0.2: resume 1");
        assert_eq!(second, "interrupted; taken up again at 2 on another machine: resume 2");
        assert!(machine.starts_with("Two (), 0 cores") && load.ends_with(", load 0.3"), "{text}");
        assert_eq!(third, "interrupted; taken up again at 3, load 0.4: resume 3");
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
        let text = engines(&rows).join(" ");
        let cut = format!("long {}…", "x".repeat(94));
        let expected =
            format!("A: 1 (a test); ran one; two B: 1 (a test); ran {cut}; b; c and 1 more C: 1 (a test)");
        assert_eq!(text, expected);
        assert_eq!(codes(&rows)["A 25"], ["one", "two"]);
    }
}

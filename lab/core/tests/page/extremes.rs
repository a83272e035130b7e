//! A run file may hold any number that its schema allows, and its page is of sense all the same.

use super::{page_of, report, rows_of, samples};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

const EXTREMES: [u64; 3] = [0, 1 << 63, u64::MAX];

/// Between them they have every member that is a number. A member of one run is not tried in the next, except for those that
/// only samples of TLS have, because some jobs have more of them in a cell.
const RUNS: [&str; 2] = ["page/every-section", "golden/tls-today"];

/// Which member of which rows: ["sample", "tls", "stalls", "seen"].
type Member = Vec<String>;

#[test]
fn no_number_makes_a_page_fail_or_tell_what_is_no_figure() {
    let cases = Mutex::new(cases());
    let count = cases.lock().unwrap().len();
    assert!(count > 120, "{count} cases");
    let troubles = || {
        // The lock is free again before the case is tried.
        let next = || cases.lock().unwrap().pop();
        std::iter::from_fn(next).filter_map(|case| case.trouble()).collect::<Vec<String>>()
    };
    let troubles: Vec<String> = std::thread::scope(|scope| {
        let both = [scope.spawn(troubles), scope.spawn(troubles)];
        both.into_iter().flat_map(|troubles| troubles.join().unwrap()).collect()
    });
    assert!(troubles.is_empty(), "{troubles:#?}");
}

struct Case {
    run: &'static str,
    member: Member,
    number: u64,
}

fn cases() -> Vec<Case> {
    let mut tried = BTreeSet::new();
    let mut cases = Vec::new();
    for run in RUNS {
        let found: BTreeSet<Member> = rows(run).iter().flat_map(members).collect();
        for member in found {
            let is_new = tried.insert(member.clone()) || member[1] == "tls";
            let numbers = EXTREMES.into_iter().filter(|_| is_new);
            cases.extend(numbers.map(|number| Case { run, member: member.clone(), number }));
        }
    }
    cases
}

fn rows(run: &str) -> Vec<Value> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    rows_of(&tests.join(run).with_extension("jsonl"))
}

/// The members of a row that are whole numbers, without the schema: a file of another schema is refused.
fn members(row: &Value) -> Vec<Member> {
    let kind = row["row"].as_str().unwrap().to_owned();
    let mut found = Vec::new();
    collect(row.as_object().unwrap(), &[kind], &mut found);
    found.retain(|member| member[1..] != ["schema"]);
    found
}

fn collect(object: &Map<String, Value>, place: &[String], found: &mut Vec<Member>) {
    for (name, value) in object {
        let place = [place, std::slice::from_ref(name)].concat();
        match value {
            Value::Object(inner) => collect(inner, &place, found),
            Value::Number(number) if number.is_u64() => found.push(place),
            _ => {}
        }
    }
}

impl Case {
    /// None of a page without a figure that is none, and of an error that says what is wrong.
    fn trouble(&self) -> Option<String> {
        let directory = tempfile::tempdir().unwrap();
        let results = directory.path().join("run.jsonl");
        std::fs::write(&results, self.lines()).unwrap();
        let output = report(&[&results]);
        let told = String::from_utf8_lossy(&output.stderr);
        let trouble = match output.status.code() {
            Some(0) => none_of_sense(&std::fs::read_to_string(results.with_extension("html")).unwrap()),
            Some(2) if told.starts_with("error: \"") => None,
            code => Some(format!("{code:?}: {told}")),
        };
        trouble.map(|why| format!("{} {} in {}: {why}", self.member.join("."), self.number, self.run))
    }

    fn lines(&self) -> String {
        let mut rows = rows(self.run);
        for row in rows.iter_mut().filter(|row| row["row"] == self.member[0].as_str()) {
            let pointer = format!("/{}", self.member[1..].join("/"));
            if let Some(number) = row.pointer_mut(&pointer).filter(|value| value.is_number()) {
                *number = self.number.into();
            }
        }
        rows.iter().map(|row| format!("{row}\n")).collect()
    }
}

/// The text around a figure without sense, in words or in a drawing.
fn none_of_sense(page: &str) -> Option<String> {
    let shown = page.split("</style>").last()?.split("<script");
    let shown = shown.map(|part| part.split_once("</script>").map_or(part, |(_, rest)| rest));
    let words: Vec<&str> =
        shown.flat_map(|part| part.split(|it: char| !it.is_ascii_alphanumeric())).collect();
    let at = words.iter().position(|word| ["NaN", "inf"].contains(word))?;
    Some(words[at.saturating_sub(20)..words.len().min(at + 5)].join(" "))
}

/// Looking through all lines for each of them would take a hundred times as long for ten times as many, and an hour in all. A
/// ratio holds on a busy machine, too.
#[test]
fn a_hundred_thousand_lines_of_a_cell_have_a_page_soon() {
    let page = |count: u64| {
        let mut rows = rows("page/every-section")[..1].to_vec();
        let lines = samples("codec", 49, &["encode"], count, 1, 1);
        let reference = |name: &str| lines[count as usize - 1_000][name].clone();
        let line = json!({
            "engine": reference("engine"), "parameters": reference("parameters"),
        });
        rows.push(json!({ "row": "size", "job": "codec", "size": 49, "reference": line }));
        rows.extend(lines);
        let began = std::time::Instant::now();
        (page_of(&rows), began.elapsed())
    };
    let ((_, few), (page, many)) = (page(10_000), page(100_000));
    assert!(many < 40 * few, "{many:?} beside {few:?}");
    assert!(page.contains("and 99500 more lines, all of which are in the results file"));
    assert!(page.matches("<tr").count() < 3_000, "{} rows", page.matches("<tr").count());
}

/// Far from the second or two it takes, and below the minute that looking through all rows for each line would take.
#[test]
fn many_lines_that_opened_a_payload_have_a_page_soon() {
    let mut lines = samples("payload", 1 << 20, &["open"], 1_400, 1, 1);
    for (at, line) in lines.iter_mut().enumerate() {
        let mode = ["update", "verify-then-release"][at % 2];
        line["parameters"] = json!({ "algorithm": "AES-256-GCM", "mode": mode });
    }
    let checked = |line: &Value| {
        json!({
            "row": "checked", "job": "payload", "size": 1 << 20, "engine": line["engine"],
            "parameters": line["parameters"], "authenticated": true, "code": "", "output_bytes": 1, "sha256": "",
            "released_bytes": u64::from(line["engine"] == "engine-699" && line["parameters"]["mode"] == "update"),
        })
    };
    let mut rows = rows("page/every-section")[..1].to_vec();
    rows.extend(lines.iter().map(checked));
    rows.extend(lines);
    let began = std::time::Instant::now();
    let page = page_of(&rows);
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    assert!(page.contains("engine-699"));
}

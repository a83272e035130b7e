//! The page of a run: golden, small, and deaf to what strangers write into a run file.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "page/extremes.rs"]
mod extremes;
mod seen;

use proptest::prelude::*;
use seen::{assert_golden, links_of, numbers_of, part_of, said, words_of};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn report(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sealmark-lab")).arg("report").args(arguments).output().unwrap()
}

/// The page of some rows.
fn page_of(rows: &[Value]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("run.jsonl");
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    std::fs::write(&results, lines).unwrap();
    let output = report(&[&results]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(directory.path().join("run.html")).unwrap()
}

fn every_section() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/every-section.jsonl")
}

fn rows_of(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_page_is_golden() {
    let golden = every_section().with_extension("html");
    let seen = said(&page_of(&rows_of(&every_section()))).replace("run.jsonl", "every-section.jsonl");
    assert_golden(&golden, &seen);
}

#[test]
fn ids_are_unique_and_what_is_referred_to_is_there() {
    let page = page_of(&rows_of(&every_section()));
    let (ids, links) = links_of(&page);
    assert!(ids > 20 && links > 20, "{ids} ids, {links} links");
}

/// Runs with a past, and one that has everything.
fn all_runs() -> Vec<PathBuf> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = std::fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "jsonl")).collect();
    assert!(runs.len() > 5, "{runs:?}");
    runs.push(every_section());
    runs
}

/// The tables that answers are linked to have what they say: each figure of the headline and of the line below it.
#[test]
fn every_figure_of_an_answer_stands_where_its_link_leads() {
    let (mut linked, mut missing) = (0, Vec::new());
    for run in all_runs() {
        let page = page_of(&rows_of(&run));
        for answer in answers(&page) {
            let (said, rest) =
                answer.split_once("<a class=\"evidence\" href=\"#").expect("every answer has a link");
            // Where it stands is no figure, nor are names of groups; bars are told in the line or in the tables.
            let (_, said) = said.split_once("</span>").unwrap();
            let (headline, figures) =
                (said.split_once("</h3>").unwrap().0, said.rsplit_once("<p class=\"line\">").unwrap().1);
            let said = words_of(&format!("{headline} {figures}")).replace("X25519MLKEM768", "");
            let said = without_price(&without_jdks(&said));
            let evidence = words_of(part_of(&page, rest.split('"').next().unwrap()));
            let lost: Vec<String> =
                numbers_of(&said).difference(&numbers_of(&evidence)).map(|it| (*it).to_owned()).collect();
            missing.extend((!lost.is_empty()).then(|| format!("{lost:?} of \"{said}\" in {run:?}")));
            linked += 1;
        }
    }
    assert!(missing.is_empty(), "not where their links lead: {missing:#?}");
    assert!(linked > 25, "{linked} answers have a link");
}

/// The words without the time that an answer would take, which nobody measured.
fn without_price(words: &str) -> String {
    let Some((before, rest)) = words.split_once("An answer would take about ") else {
        return words.to_owned();
    };
    format!("{before}{}", rest.split_once(" more,").unwrap().1)
}

/// "SunJCE on JDK 25" names a line, and "SunJCE on JDK 11, 17" two.
fn without_jdks(words: &str) -> String {
    let (first, rest) = words.split_once("JDK ").unwrap_or((words, ""));
    first.to_owned() + &rest.split("JDK ").map(without_versions).collect::<String>()
}

/// "11, 17 take" without its numbers.
fn without_versions(part: &str) -> &str {
    let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let more =
        rest.strip_prefix(", ").filter(|more| more.starts_with(|letter: char| letter.is_ascii_digit()));
    more.map_or(rest, without_versions)
}

/// The cards of a page, but for those of what to avoid and to trust.
fn answers(page: &str) -> impl Iterator<Item = &str> {
    let cards = part_of(page, "answers").split("<nav ").next().unwrap();
    let cards =
        cards.split("<section class=\"answer").skip(1).map(|card| card.split("</section>").next().unwrap());
    cards.filter(|card| [" avoid", " trust", " missing"].iter().all(|other| !card.starts_with(other)))
}

/// A picture and one line: no card is a wall of sentences.
#[test]
fn every_answer_is_a_headline_a_picture_and_a_line() {
    for run in all_runs() {
        let page = page_of(&rows_of(&run));
        for answer in answers(&page) {
            let of = |tag: &str| answer.matches(tag).count();
            assert_eq!([of("<h3>"), of("<table class=\"bars\">"), of("<p ")], [1, 1, 1], "{answer}");
            let words = words_of(answer.split("<table").next().unwrap()).split_whitespace().count();
            assert!(words <= 60, "{words} words: {answer}");
        }
    }
}

#[test]
fn every_row_of_every_page_has_a_name() {
    for run in all_runs() {
        let page = page_of(&rows_of(&run));
        assert!(page.contains("<th scope=\"row\">") && !page.contains("<th scope=\"row\"></th>"), "{run:?}");
    }
}

/// A policy is no better than what it hashes; and it forbids what these attributes do.
#[test]
fn nothing_on_the_page_needs_more_than_its_policy() {
    let page = page_of(&rows_of(&every_section()));
    assert!(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("unsafe-inline"));
    for forbidden in [" style=", " onclick=", " onload=", " src=", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(forbidden), "{forbidden} is on the page");
    }
}

#[test]
fn a_hundred_thousand_samples_take_few_bytes_each() {
    let mut rows = vec![rows_of(&every_section()).swap_remove(0)];
    for size in [64, 1_024, 16_384, 262_144, 4_194_304] {
        rows.extend(samples("cipher", size, &["seal", "open"], 100, 25, 4));
    }
    assert_eq!(rows.len(), 100_001);
    let page = page_of(&rows);
    assert!(page.len() < 6_000_000, "{} bytes", page.len());
}

fn fault(job: u64, engine: u64, algorithm: u64, size: u64) -> Value {
    json!({
        "row": "fault", "job": format!("job-{job}"), "size": size, "engine": format!("engine-{engine}"),
        "parameters": { "algorithm": format!("cipher-{algorithm}"), "reuse": "tuned" }, "operation": "seal", "kind": "failed",
        "why": format!("reason {engine} {algorithm}"),
    })
}

/// A hundred jobs of twenty lines and two thousand engines, of which everything that could fail did: in every job a
/// little, and in the last all the rest, each for a reason of its own and at a size of its own.
fn a_run_in_which_nearly_everything_failed() -> Vec<Value> {
    let mut rows = vec![rows_of(&every_section()).swap_remove(0)];
    let engine = |at: u64| {
        json!({
            "row": "engine", "engine": format!("engine-{at}"), "family": format!("engine-{at}"), "about": "made",
            "role": "peer", "version": "1", "in_process": true,
        })
    };
    rows.extend((0..2_000).map(engine));
    for job in 0..100 {
        rows.extend(samples(&format!("job-{job}"), 64, &["seal"], 20, 2, 1));
        rows.extend((0..100).map(|at| fault(job, at * 20, 0, 64)));
    }
    rows.extend((0..10_000).map(|at| fault(99, at % 2_000, at, 64 + at)));
    rows
}

/// Far from the second or two it takes, and farther from the minutes that looking through all rows for each would take.
#[test]
fn a_run_in_which_nearly_everything_failed_has_a_page_soon() {
    let rows = a_run_in_which_nearly_everything_failed();
    let bytes: usize = rows.iter().map(|row| row.to_string().len()).sum();
    let began = std::time::Instant::now();
    let page = page_of(&rows);
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    assert!(page.len() < 3 * bytes, "{} bytes of {bytes}", page.len());
    let more = "and 9999 more, all of which are in the results file";
    assert!(page.contains(more), "{more} is not on the page");
    links_of(&page);
}

fn line(at: u64) -> Value {
    let how = ["as-written", "tuned"][at as usize % 2];
    json!({ "engine": format!("engine-{}", at / 2), "parameters": { "algorithm": "AES-256-GCM", "reuse": how } })
}

fn samples(job: &str, size: u64, operations: &[&str], lines: u64, blocks: u64, passes: u64) -> Vec<Value> {
    let mut rows = Vec::new();
    for block in 0..blocks {
        for pass in 0..passes {
            for (place, operation) in
                (0..lines).flat_map(|at| operations.iter().map(move |operation| (at, operation)))
            {
                // No two times are alike, as in life.
                let wall_ns =
                    1_000_000 + 7_919 * place + (block * 1_003 + pass * 313 + size + place * 29) % 997;
                let mut sample = json!({
                    "row": "sample", "job": job, "size": size, "block": block, "pass": pass, "place": place,
                    "operation": operation, "phase": "steady", "count": 1_000 + place, "wall_ns": wall_ns,
                    "cpu_ns": wall_ns - wall_ns % 1_013, "peak_bytes": 12_000_000 + 4_096 * (place % 7),
                });
                sample.as_object_mut().unwrap().extend(line(place).as_object().unwrap().clone());
                rows.push(sample);
            }
        }
    }
    rows
}

/// The tags of a page with the names of their attributes: what stands in quotes and between tags is left out. With
/// hostile names they are those of the same page with harmless ones.
fn tags(page: &str) -> String {
    let (mut tags, mut in_tag, mut in_quotes) = (String::new(), false, false);
    for character in page.chars() {
        match character {
            '<' if !in_quotes => in_tag = true,
            '>' if in_tag && !in_quotes => {
                in_tag = false;
                tags.push('\n');
            }
            '"' if in_tag => in_quotes = !in_quotes,
            _ if in_tag && !in_quotes => tags.push(character),
            _ => {}
        }
    }
    assert!(tags.lines().count() > 100);
    tags
}

fn named(name: &str) -> Vec<Value> {
    let mut rows = vec![rows_of(&every_section()).swap_remove(0)];
    for member in ["command", "plan", "commit", "lab", "build", "started"] {
        rows[0][member] = name.into();
    }
    for member in ["cpu", "flags", "system", "filesystem"] {
        rows[0]["machine"][member] = name.into();
    }
    rows.push(json!({
        "row": "engine", "engine": name, "family": name, "about": name, "role": "ours", "version": name, "jdk": name,
        "in_process": true,
    }));
    let mut measured = samples("cipher", 64, &["seal"], 2, 6, 1);
    for row in &mut measured {
        row["job"] = name.into();
        row["engine"] = name.into();
        row["parameters"]["algorithm"] = name.into();
    }
    rows.extend(measured);
    for kind in ["failed", "unsupported"] {
        rows.push(json!({
            "row": "fault", "job": name, "size": 64, "engine": name, "parameters": { "algorithm": name, "reuse": "tuned" },
            "operation": "seal", "kind": kind, "why": name,
        }));
    }
    rows.push(json!({ "row": "note", "job": name, "size": 64, "note": name }));
    rows
}

#[test]
fn markup_in_names_stays_text() {
    let harmless = tags(&page_of(&named("name")));
    for hostile in [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "--><svg onload=alert(1)>",
        "\"><b autofocus onfocus=alert(1)>",
        "' onmouseover='alert(1)",
        "</style></title></pre></details><h1>",
        "<!--<script>",
        "\u{2028}\u{0}\u{202e}&lt;i&gt;",
    ] {
        let page = page_of(&named(hostile));
        assert_eq!(tags(&page), harmless, "{hostile}");
        assert!(hostile.starts_with('\'') || !page.contains(hostile), "{hostile} is on the page as it is");
    }
}

/// A terminal obeys control characters, and shows text in the order that some marks ask for.
#[test]
fn rows_of_others_give_a_terminal_no_orders() {
    let directory = tempfile::tempdir().unwrap();
    let hostile = "\u{1b}[2J\u{9b}1m\r\u{7}\u{202e}\nTrust: all is well\u{2067}";
    let lines: String = named(hostile).iter().map(|row| format!("{row}\n")).collect();
    std::fs::write(directory.path().join("run.jsonl"), &lines).unwrap();
    std::fs::write(
        directory.path().join("broken.jsonl"),
        lines.replace("\"kind\":\"failed\"", "\"kind\":\"\u{9b}1m\""),
    )
    .unwrap();
    for (arguments, code) in [
        (&["table", "run.jsonl"][..], 0),
        (&["table", "--long", "run.jsonl"], 0),
        (&["compare", "run.jsonl", "run.jsonl"], 0),
        (&["gate", "run.jsonl", "--baseline", "run.jsonl", "--max-slower", "5%"], 2),
        (&["table", "broken.jsonl"], 2),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab"));
        let output = command.args(arguments).current_dir(directory.path()).output().unwrap();
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let is_order =
            |letter: &char| letter.is_control() && *letter != '\n' || "\u{202e}\u{2067}".contains(*letter);
        assert_eq!(
            (output.status.code(), told.chars().find(is_order)),
            (Some(code), None),
            "{arguments:?}: {told:?}"
        );
        assert!(!told.lines().any(|line| line.starts_with("Trust: all")), "{arguments:?}: {told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_name_stays_text(name in "[<>&\"'/!a-z= \\-\\u{2028}\\\\]{1,40}") {
        let harmless = tags(&page_of(&named("name")));
        prop_assert_eq!(tags(&page_of(&named(&name))), harmless);
    }
}

#[test]
fn what_is_no_run_is_said_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("run.jsonl");
    let whole = std::fs::read_to_string(every_section()).unwrap();
    let (header, rest) = whole.split_once('\n').unwrap();
    for (text, error) in [
        (String::new(), "is not a results file: it has no whole line"),
        (header[..50].to_owned(), "is not a results file: it has no whole line"),
        (rest.to_owned(), "is not a results file: it does not begin with a header row"),
        (
            header.replace("\"schema\":3", "\"schema\":4") + "\n",
            "has rows of version 4: this lab reads version 3\nhint: ",
        ),
        (format!("{header}\n{{\"row\":\"sample\"\n{rest}"), "line 2: "),
        ("<html></html>\n".to_owned(), "line 1: "),
    ] {
        std::fs::write(&results, text).unwrap();
        let output = report(&[&results]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(2) && told.starts_with("error: \"") && told.contains(error),
            "{told}"
        );
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "{error}");
    }
}

#[test]
fn a_run_cut_anywhere_behind_its_header_has_a_page_that_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("run.jsonl");
    let whole = std::fs::read_to_string(every_section()).unwrap();
    let header = whole.find('\n').unwrap() + 1;
    for end in [header, header + 1, whole.len() / 3, whole.len() / 2, whole.len() - 10] {
        std::fs::write(&results, &whole.as_bytes()[..end]).unwrap();
        let output = report(&[&results]);
        assert!(output.status.success(), "{end}: {}", String::from_utf8_lossy(&output.stderr));
        let page = std::fs::read_to_string(results.with_extension("html")).unwrap();
        assert!(page.contains("interrupted: what it had measured until then is here"), "{end}");
    }
}

#[test]
fn without_a_name_only_a_page_of_ours_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let (results, page) = (directory.path().join("run.jsonl"), directory.path().join("run.html"));
    std::fs::copy(every_section(), &results).unwrap();
    for _ in 0..2 {
        assert!(report(&[&results]).status.success(), "a page of ours is made again");
    }
    let ours = std::fs::read_to_string(&page).unwrap();
    let (head, _) = ours.split_once("</head>").unwrap();
    for theirs in [
        "<!DOCTYPE html><!-- a page of somebody else --><html>dear</html>".to_owned(),
        format!("<!-- {head} -->"),
        format!("<!DOCTYPE html>{}{head}", " ".repeat(5_000)),
        String::new(),
    ] {
        std::fs::write(&page, &theirs).unwrap();
        let output = report(&[&results]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let hint = format!("hint: sealmark-lab report {} -o report.html\n", results.display());
        assert!(told.contains("run.html\" is there already, and is no page of this lab\n"), "{told}");
        assert!(output.status.code() == Some(2) && told.ends_with(&hint), "{told}");
        assert_eq!(std::fs::read_to_string(&page).unwrap(), theirs);
    }
    std::fs::remove_file(&page).unwrap();
    std::fs::create_dir(&page).unwrap();
    assert!(String::from_utf8_lossy(&report(&[&results]).stderr).contains("is there already"));
    std::fs::remove_dir(&page).unwrap();
    std::fs::write(&page, "theirs").unwrap();
    assert!(report(&[&results, Path::new("-o"), &page]).status.success(), "a name that was told is replaced");
    assert_eq!(std::fs::read_to_string(&page).unwrap(), ours);
}

#[test]
fn a_results_file_is_never_written_over() {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("run.html");
    std::fs::copy(every_section(), &results).unwrap();
    let before = std::fs::read(&results).unwrap();
    let roundabout = directory.path().join(".").join("run.html");
    for arguments in [&[&*results][..], &[&results, Path::new("-o"), &roundabout]] {
        let told = String::from_utf8_lossy(&report(arguments).stderr).into_owned();
        assert!(
            told.contains("is one of the results files\nhint: choose another name: -o report.html"),
            "{told}"
        );
    }
    assert_eq!(std::fs::read(&results).unwrap(), before);
    let nowhere = directory.path().join("no/such/page.html");
    let told = String::from_utf8_lossy(&report(&[&results, Path::new("-o"), &nowhere]).stderr).into_owned();
    assert!(told.starts_with("error: cannot write \"") && told.contains("page.html\": "), "{told}");
}

//! The page of `compare`: golden, whole, and deaf to what strangers write into a run file.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod seen;

use seen::{assert_golden, links_of, said, values};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/comparison").join(name)
}

fn compare(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sealmark-lab")).arg("compare").args(arguments).output().unwrap()
}

fn page_of(base: &Path, new: &Path) -> String {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("page.html");
    let output = compare(&[base, new, Path::new("-o"), &page]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("page: {}\n", page.display()));
    std::fs::read_to_string(page).unwrap()
}

fn page() -> String {
    page_of(&data("base.jsonl"), &data("new.jsonl"))
}

#[test]
fn a_comparison_is_golden() {
    assert_golden(&data("page.html"), &said(&page()));
}

#[test]
fn every_line_of_both_runs_has_its_place() {
    let page = page();
    assert_eq!(values(&page, "data-word").len(), 12);
    for (word, count) in [("slower", 2), ("faster", 1), ("the same", 3), ("undecided", 6)] {
        assert_eq!(values(&page, "data-word").iter().filter(|seen| *seen == word).count(), count, "{word}");
    }
    for part in [">Only in base</h3>", "SunJCE 17.0.15 base64 (absent: no JDK 17 is here)", "newcomer base64"]
    {
        assert!(page.contains(part), "{part}");
    }
    let (ids, links) = links_of(&page);
    assert!(ids > 12 && links > 3, "{ids} ids, {links} links");
}

#[test]
fn what_differs_is_warned_of_before_any_figure() {
    let page = page();
    let (before, _) = page.split_once("In short").unwrap();
    for part in [
        "another seed: base 7, new 8",
        "another CPU: base One, new Two",
        "another CPU flags: base aes, new aes vaes",
        "another number of cores: base 2, new 4",
        "another size of memory: base 16.8 GB, new 33.7 GB",
        "another system: base Linux 6.1 x86_64, new Linux 6.12 x86_64",
        "another choice of JDKs: base 17.0.15 and 25.0.3, new 25.0.3",
        "another version of other: base 1, new 2",
    ] {
        assert!(before.contains(part), "{part} is missing in {before}");
    }
    let (_, conditions) = page.split_once("id=\"conditions\"").unwrap();
    assert!(conditions.contains("data-label=\"base\">abc1234</td>"), "{conditions}");
    assert!(conditions.contains(">def5678</td>") && conditions.contains(">ext4</td>"), "{conditions}");
    let same = page_of(&data("base.jsonl"), &data("base.jsonl"));
    assert!(!same.contains("class=\"warning\""));
    assert!(same.contains("14 rows in both: "), "{same}");
}

#[test]
fn runs_that_differ_in_nothing_but_were_interrupted_are_said_to_be_that() {
    let directory = tempfile::tempdir().unwrap();
    let cut = directory.path().join("cut.jsonl");
    let whole = std::fs::read_to_string(data("base.jsonl")).unwrap();
    let (before, _) = whole.split_once("{\"row\":\"end\"").unwrap();
    std::fs::write(&cut, before).unwrap();
    let page = page_of(&cut, &cut);
    assert!(!page.contains("note\">another "), "{page}");
    for run in ["base", "new"] {
        let said = format!("note\">{run} was interrupted: what it had measured until then is here</p>");
        assert_eq!(page.matches(&said).count(), 1, "{said}: {page}");
    }
    let text = compare(&[&cut, &cut]).stdout;
    assert!(String::from_utf8_lossy(&text).contains("warning: base was interrupted: what "));
}

/// Rounded, they read alike.
#[test]
fn cells_of_near_sizes_have_tables_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let near = directory.path().join("near.jsonl");
    let rows = std::fs::read_to_string(data("base.jsonl")).unwrap();
    let sized = |size: u64| rows.replace("\"size\":49,", &format!("\"size\":{size},"));
    let another = sized(12_346);
    let (_, another) = another.split_once('\n').unwrap();
    std::fs::write(&near, sized(12_345) + another).unwrap();
    let page = page_of(&near, &near);
    let text = compare(&[&near, &near]).stdout;
    let tables = page.matches("-encode\">codec, 12.3 kB, encode</h3>").count();
    let told = String::from_utf8_lossy(&text).matches("\ncodec, 12.3 kB, encode\n").count();
    assert_eq!((tables, told), (2, 2), "{page}");
}

#[test]
fn strangers_write_no_markup_and_the_policy_stays() {
    let page = page();
    assert!(page.contains("&lt;i&gt;loud&lt;/i&gt;") && page.contains("Two &lt;b&gt;"));
    assert!(!page.contains("<i>") && !page.contains("<b>"));
    assert!(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("unsafe-inline"));
    for forbidden in [" style=", " onclick=", " onload=", " src=", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(forbidden), "{forbidden} is on the page");
    }
}

/// A run of one cell with so many lines, six blocks of each, every tenth of them in no other run.
fn many_lines(lines: u64, prefix: &str, slower: u64) -> String {
    let text = std::fs::read_to_string(data("base.jsonl")).unwrap();
    let header = text.lines().next().unwrap();
    let name = |at: u64| format!("{}engine-{at}", if at % 10 == 1 { prefix } else { "" });
    let samples = (0..6).flat_map(|block| (0..lines).map(move |at| (block, at))).map(|(block, at)| {
        let wall_ns = 1_000_000 + 100 * at + block + if at == 0 { 0 } else { slower };
        format!(
            r#"{{"row":"sample","job":"codec","size":49,"block":{block},"pass":0,"place":0,"operation":"encode","phase":"steady","count":1,"wall_ns":{wall_ns},"engine":"{}","parameters":{{"algorithm":"base64","reuse":"tuned"}}}}"#,
            name(at)
        )
    });
    let reference = r#"{"row":"size","job":"codec","size":49,"reference":{"engine":"engine-0","parameters":{"algorithm":"base64","reuse":"tuned"}}}"#;
    [header.to_owned(), reference.to_owned()].into_iter().chain(samples).map(|row| row + "\n").collect()
}

/// Seconds; searching all lines for each of them would take minutes.
#[test]
fn runs_of_many_lines_have_a_page_soon() {
    let directory = tempfile::tempdir().unwrap();
    let [base, new] = [("a-", 0), ("b-", 1_000_000)].map(|(prefix, slower)| {
        let path = directory.path().join(format!("{prefix}.jsonl"));
        std::fs::write(&path, many_lines(20_000, prefix, slower)).unwrap();
        path
    });
    let began = std::time::Instant::now();
    let page = page_of(&base, &new);
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    for more in [
        "more lines, all of which are in the results file",
        "and 1900 more, all of which are in the results file",
    ] {
        assert!(page.contains(more), "{more}");
    }
    links_of(&page);
}

#[test]
fn runs_with_nothing_in_common_have_a_page_that_says_so() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/nkcryptotool.jsonl");
    let page = page_of(&golden, &data("new.jsonl"));
    assert!(page.contains("0 rows in both") && page.contains(">Only in new</h3>"));
    assert!(page.contains("another plan: base "), "{page}");
}

#[test]
fn a_page_never_replaces_results_and_is_no_document() {
    let directory = tempfile::tempdir().unwrap();
    let [base, new] = ["base.jsonl", "new.jsonl"].map(|name| {
        let copy = directory.path().join(name);
        std::fs::copy(data(name), &copy).unwrap();
        copy
    });
    for out in [&base, &new] {
        let output = compare(&[&base, &new, Path::new("-o"), out]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            said.contains("is one of the results files\nhint: choose another name: -o comparison.html"),
            "{said}"
        );
    }
    assert_eq!(std::fs::read(&new).unwrap(), std::fs::read(data("new.jsonl")).unwrap());
    let output =
        compare(&[&base, &new, Path::new("--json"), Path::new("-o"), &directory.path().join("page.html")]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot be used with"));
}

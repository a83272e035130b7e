//! What goes out comes in again, what other tools wrote is understood, and what nobody wrote is refused.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::engine::Role;
use crate::protocol::{Operation, Shape};
use crate::summary::made::{CONNECT, Made};
use serde_json::Value;
use std::path::PathBuf;

/// Two lines of two cells and of the empty job, one of them also a second time.
pub fn run() -> Vec<Row> {
    let mut made = Made::default();
    made.role("copy", Role::Yardstick);
    for (size, ns) in [(49, 100), (8404, 2_000)] {
        made.timed("codec", size, ("SunJCE 25.0.3", "base64", Shape::Tuned), Operation::Encode, 3 * ns);
        made.timed("codec", size, ("copy", "none", Shape::Tuned), Operation::Encode, ns);
        made.reference("codec", size, ("copy", "none", Shape::Tuned));
    }
    made.timed("empty", 1, ("copy", "none", Shape::Tuned), Operation::Loop, 9);
    made.timed(CONNECT, 100, ("openssl", "TLSv1.3", Shape::SixteenThreads), Operation::Full, 70_000);
    made.rows
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/elsewhere").join(name)
}

fn read_elsewhere(path: &Path) -> Elsewhere {
    match read(path).unwrap() {
        Source::Elsewhere(elsewhere) => elsewhere,
        Source::Run(_) => panic!("taken for a run of ours"),
    }
}

#[test]
fn what_is_written_for_jmh_is_read_as_jmhs() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.json");
    std::fs::write(&path, export(&run(), To::Jmh).unwrap()).unwrap();
    let found = read_elsewhere(&path);
    assert_eq!((found.from.as_str(), found.benchmarks.len()), ("run.json", 5));
    let first = &found.benchmarks[0];
    assert_eq!(first.name, "sealmark.codec.encode.SunJCE_25_0_3");
    let about = ["algorithm = base64", "engine = SunJCE 25.0.3", "job = codec", "shape = tuned", "size = 49"];
    assert_eq!(first.about[..5], about);
    assert_eq!(first.unit, Unit::Time);
    let samples = run()
        .iter()
        .filter_map(|row| if let Row::Sample(s) = row { Some(s.clone()) } else { None })
        .filter(|sample| sample.line.engine == "SunJCE 25.0.3" && sample.size == 49 && !sample.line.again)
        .map(|sample| (sample.wall_ns as f64 / sample.count as f64, 1))
        .collect::<Vec<_>>();
    assert_eq!(first.figures.samples, samples);
    assert!(samples.len() > 5);
    let connections = found.benchmarks.last().unwrap();
    assert!(connections.about.contains(&"16 threads".to_owned()), "{connections:?}");
}

#[test]
fn benchers_names_are_unique_and_hold_times_and_ratios() {
    let document: Value = serde_json::from_str(&export(&run(), To::Bencher).unwrap()).unwrap();
    let names: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "codec, 49 bytes, encode: SunJCE 25.0.3 base64 (tuned)",
            "codec, 49 bytes, encode: copy (tuned)",
            "codec, 8404 bytes, encode: SunJCE 25.0.3 base64 (tuned)",
            "codec, 8404 bytes, encode: copy (tuned)",
            "tls-connect, 100 at once, full: openssl TLSv1.3 (16-threads)",
        ]
    );
    let sun = &document[names[0]];
    for (measure, value) in [("latency", 300.0), ("ratio-to-reference", 3.0)] {
        let [value_of, lower, upper] =
            ["value", "lower_value", "upper_value"].map(|name| sun[measure][name].as_f64().unwrap());
        assert!((value_of / value - 1.0).abs() < 0.1, "{sun:#}");
        assert!(lower <= value_of && value_of <= upper, "{sun:#}");
    }
    assert!(document[names[1]]["ratio-to-reference"].is_null(), "the reference itself has none");
}

/// Sizes that read alike when they are rounded, and lines whose parts read alike when they are joined.
#[test]
fn bencher_has_every_line_of_every_cell() {
    let mut made = Made::default();
    let sizes = [12_345, 12_346, 1 << 20, (1 << 20) + 1, 1_048_580, 6_719_094_784, 6_719_094_785];
    let lines = [("a b", "c"), ("a", "b c"), ("a", "none"), ("a", ""), ("a b c", "none")];
    for size in sizes {
        for (engine, algorithm) in lines {
            made.timed("codec", size, (engine, algorithm, Shape::Tuned), Operation::Encode, 1_000);
        }
    }
    let document: Value = serde_json::from_str(&export(&made.rows, To::Bencher).unwrap()).unwrap();
    let names: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(names.len(), sizes.len() * lines.len(), "{names:#?}");
    for name in
        ["codec, 12346 bytes, encode: a b c (tuned)", "codec, 1048577 bytes, encode: a b c (tuned) #3"]
    {
        assert!(names.iter().any(|seen| *seen == name), "{name}: {names:#?}");
    }
}

#[test]
fn a_file_of_jmh_is_understood() {
    let found = read_elsewhere(&data("jmh-1.37.json"));
    assert_eq!((found.tool.as_str(), found.from.as_str()), ("JMH 1.37", "jmh-1.37.json"));
    let modes = ["throughput", "average time", "sampled time", "single shot"];
    for mode in modes {
        assert!(found.benchmarks.iter().any(|one| one.about.contains(&mode.to_owned())), "{mode}");
    }
    for one in &found.benchmarks {
        assert_eq!(one.name, "example.Base64Encoding.encode");
        let Figures { mean, range, samples } = &one.figures;
        let count: u64 = samples.iter().map(|(_, count)| count).sum();
        let own = samples.iter().map(|(value, count)| value * *count as f64).sum::<f64>() / count as f64;
        assert!((own / mean - 1.0).abs() < 1e-9, "{own} and {mean}");
        match range {
            Range::Interval { low, high } => assert!(low < mean && mean < high),
            _ => assert_eq!((*range, count), (Range::None, 1), "NaN is no interval"),
        }
    }
    assert_eq!(found.benchmarks.iter().filter(|one| one.figures.range == Range::None).count(), 1);
    assert_eq!(found.benchmarks[0].unit, Unit::Other("ops/ns".into()));
}

#[test]
fn a_file_of_hyperfine_is_understood() {
    let found = read_elsewhere(&data("hyperfine-1.15.json"));
    let names: Vec<&str> = found.benchmarks.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["head -c 1000 /dev/zero", "head -c 100000 /dev/zero", "once"]);
    let first = &found.benchmarks[0];
    assert_eq!(first.about, ["size = 1000", "10 runs"]);
    assert_eq!(first.figures.samples.len(), 10);
    assert!((1e5..1e8).contains(&first.figures.mean), "{first:?}");
    assert_eq!(first.figures.range, Range::ends(&first.figures.samples));
    let once = &found.benchmarks[2];
    assert_eq!(once.about, ["1 run", "1 of 1 failed"]);
    assert_eq!(once.figures.range, Range::None);
}

/// Wherever a file ends too early.
#[test]
fn what_was_cut_short_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.json");
    for name in ["jmh-1.37.json", "hyperfine-1.15.json"] {
        let whole = std::fs::read_to_string(data(name)).unwrap();
        let whole = whole.trim_end();
        let mut tried = 0;
        for end in (0..whole.len()).step_by(whole.len() / 50) {
            std::fs::write(&path, &whole[..end]).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains("cut.json"), "{error}");
            tried += 1;
        }
        assert!(tried >= 50);
    }
}

#[test]
fn what_neither_tool_writes_is_refused_with_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.json");
    let jmh =
        |metric: &str| format!("[{{\"benchmark\":\"b\",\"mode\":\"avgt\",\"primaryMetric\":{metric}}}]");
    let hyperfine = |entry: &str| format!("{{\"results\":[{entry}]}}");
    for (text, part) in [
        ("[]".to_owned(), "it has no benchmarks"),
        ("[1, 2]".to_owned(), "no results of JMH"),
        (jmh("{\"score\":\"NaN\",\"scoreUnit\":\"ns/op\"}"), "benchmark \"b\" has no score"),
        (jmh("{\"score\":\"fast\",\"scoreUnit\":\"ns/op\"}"), "expected a number, \"NaN\" or \"Infinity\""),
        (jmh("{\"score\":1e999,\"scoreUnit\":\"ns/op\"}"), "number out of range"),
        (jmh("{\"score\":1}"), "missing field `scoreUnit`"),
        (jmh("{\"score\":1,\"scoreUnit\":\"s/op\",\"rawData\":[1]}"), "invalid type"),
        (jmh(&"[".repeat(1_000)), "no results of JMH"),
        (hyperfine(""), "it has no benchmarks"),
        (hyperfine("{\"command\":\"c\",\"mean\":\"x\",\"min\":1,\"max\":1}"), "invalid type"),
        (hyperfine("{\"command\":\"c\",\"min\":1,\"max\":1}"), "missing field `mean`"),
        // Finite as they stand, and beyond all numbers in nanoseconds.
        (
            jmh("{\"score\":1e300,\"scoreUnit\":\"s/op\"}"),
            "benchmark \"b\": figure \"score\" is too large: 1e300",
        ),
        (
            jmh("{\"score\":1,\"scoreUnit\":\"s/op\",\"scoreConfidence\":[-1e300,2]}"),
            "figure \"scoreConfidence\" is too large: -1e300",
        ),
        (
            jmh("{\"score\":1,\"scoreUnit\":\"s/op\",\"rawData\":[[1e300]]}"),
            "figure \"rawData\" is too large: 1e300",
        ),
        (
            jmh("{\"score\":1,\"scoreUnit\":\"s/op\",\"rawDataHistogram\":[[[[1e300,2]]]]}"),
            "figure \"rawData\" is too large: 1e300",
        ),
        (
            hyperfine("{\"command\":\"c\",\"mean\":1e300,\"min\":1,\"max\":1}"),
            "benchmark \"c\": figure \"mean\" is too large: 1e300",
        ),
        (
            hyperfine("{\"command\":\"c\",\"mean\":1,\"min\":-1,\"max\":1}"),
            "benchmark \"c\": figure \"min\" is below zero: -1e0",
        ),
        (hyperfine("{\"command\":\"c\",\"mean\":-1,\"min\":-2,\"max\":-1}"), "\"mean\" is below zero"),
        (
            hyperfine("{\"command\":\"c\",\"mean\":1,\"min\":1,\"max\":1,\"times\":[-1]}"),
            "\"times\" is below zero",
        ),
        (
            hyperfine("{\"command\":\"c\",\"mean\":1,\"min\":2,\"max\":3}"),
            "benchmark \"c\": figure \"mean\" is not between its ends: 1e9, 2e9 and 3e9",
        ),
        (hyperfine("{\"command\":\"c\",\"mean\":4,\"min\":2,\"max\":3}"), "is not between its ends"),
        (hyperfine("{\"command\":\"c\",\"mean\":2,\"min\":3,\"max\":1}"), "is not between its ends"),
        (
            jmh("{\"score\":5,\"scoreUnit\":\"ns/op\",\"scoreConfidence\":[9,1]}"),
            "benchmark \"b\": figure \"score\" is not between its ends: 5e0, 9e0 and 1e0",
        ),
        (jmh("{\"score\":5,\"scoreUnit\":\"ns/op\",\"scoreConfidence\":[6,7]}"), "is not between its ends"),
        (hyperfine("{\"command\":\"c\",\"mean\":1,\"min\":1,\"max\":1e300}"), "figure \"max\""),
        (
            hyperfine("{\"command\":\"c\",\"mean\":1,\"min\":1,\"max\":1,\"times\":[1e300]}"),
            "figure \"times\"",
        ),
        ("{\"results\":{}}".to_owned(), "no results of hyperfine"),
        ("{\"summary\":1}".to_owned(), "not a results file"),
        (String::new(), "not a results file"),
        ("once upon a time".to_owned(), "not a results file"),
    ] {
        std::fs::write(&path, &text).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("other.json"), "{text}: {error}");
    }
    std::fs::write(&path, [b"[\"".as_slice(), &[0xff], b"\"]"].concat()).unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("UTF-8"));
    assert!(read(directory.path()).is_err());
}

/// A sum of equal times over their count may be another number than each of them.
#[test]
fn a_mean_may_differ_from_its_ends_as_sums_are_rounded() {
    let entry = "{\"results\":[{\"command\":\"c\",\"mean\":0.0999999999999,\"min\":0.1,\"max\":0.1}]}";
    assert!(hyperfine::read(entry).is_ok());
    assert!(hyperfine::read(&entry.replace("0.0999999999999", "0.0999")).is_err());
}

/// Not even looked at, whatever it is.
#[test]
fn a_huge_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("huge.json");
    let mut file = File::create(&path).unwrap();
    std::io::Write::write_all(&mut file, b"[").unwrap();
    file.set_len(LARGEST + 1).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("is larger than 16 MiB"), "{error}");
}

/// Members that we do not know come with a tool's next version.
#[test]
fn unknown_members_are_passed_over() {
    let text = std::fs::read_to_string(data("hyperfine-1.15.json")).unwrap();
    let more = text.replace("\"command\":", "\"memory_usage_byte\": [1, 2], \"command\":");
    assert_ne!(text, more);
    assert_eq!(hyperfine::read(&more), hyperfine::read(&text));
    let text = std::fs::read_to_string(data("jmh-1.37.json")).unwrap();
    let more = text.replace("\"mode\" :", "\"podman\" : {\"deep\" : [null]}, \"mode\" :");
    assert_ne!(text, more);
    assert_eq!(jmh::read(&more), jmh::read(&text));
}

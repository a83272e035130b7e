//! Samples as comma-separated values (RFC 4180), a row each: no figure is computed, and none is left out.
//!
//! Spreadsheets take text that begins with `=`, `+`, `-` or `@` for a formula, some of them also behind a control
//! character, and a results file may come from a stranger. So such text has an apostrophe put before it, and so has text
//! that begins with an apostrophe: take one away to have it back. Figures are never negative, so none of them looks like
//! that.

use crate::jobs;
use crate::rows::Row;
use crate::trouble::{Result, because};
use csv::{Terminator, WriterBuilder};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// With a first row that names the columns.
pub fn csv(rows: &[Row]) -> Result<String> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let failed = |error| because("cannot write comma-separated values", error);
    writer.write_record(COLUMNS.map(|(name, _)| name)).map_err(failed)?;
    let mut engines = BTreeMap::new();
    for row in rows {
        // A run that went on names them again, and each is the later one from there on.
        if let Row::Engine(engine) = row {
            engines.insert(engine.engine.as_str(), engine);
        }
        let Row::Sample(sample) = row else { continue };
        let told = json!({
            "sample": sample,
            "engine": engines.get(sample.line.engine.as_str()),
            "size_unit": jobs::of(&sample.job).size_key(),
            "algorithm": sample.line.algorithm(),
            "shape": sample.line.shape(),
            "again": sample.line.again,
        });
        writer.write_record(COLUMNS.map(|(_, at)| figure(told.pointer(at)))).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| because("cannot write", error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Names say the unit; beside each stands where it is told of a sample and its engine.
const COLUMNS: [(&str, &str); 32] = [
    ("job", "/sample/job"),
    ("size", "/sample/size"),
    ("size_unit", "/size_unit"),
    ("engine", "/sample/engine"),
    ("version", "/engine/version"),
    ("jdk", "/engine/jdk"),
    ("role", "/engine/role"),
    ("algorithm", "/algorithm"),
    ("shape", "/shape"),
    ("again", "/again"),
    ("operation", "/sample/operation"),
    ("phase", "/sample/phase"),
    ("block", "/sample/block"),
    ("pass", "/sample/pass"),
    ("place", "/sample/place"),
    ("count", "/sample/count"),
    ("wall_ns", "/sample/wall_ns"),
    ("cpu_ns", "/sample/cpu_ns"),
    ("allocated_bytes", "/sample/allocated_bytes"),
    ("gc_ns", "/sample/gc_ns"),
    ("peak_bytes", "/sample/peak_bytes"),
    ("output_bytes", "/sample/output_bytes"),
    ("start_ns", "/sample/start_ns"),
    ("tls_client_cpu_ns", "/sample/tls/client_cpu_ns"),
    ("tls_server_cpu_ns", "/sample/tls/server_cpu_ns"),
    ("tls_wire_bytes", "/sample/tls/wire_bytes"),
    ("tls_connections_seen", "/sample/tls/stalls/seen"),
    ("tls_connections_stalled", "/sample/tls/stalls/stalled"),
    ("tls_stalled_usual_ns", "/sample/tls/stalls/usual_ns"),
    ("requests_median_ns", "/sample/requests/median_ns"),
    ("requests_p99_ns", "/sample/requests/p99_ns"),
    ("requests_client_cpu_ns", "/sample/requests/client_cpu_ns"),
];

/// An unknown value is empty.
fn figure(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(word)) => text(word),
        Some(number) => number.to_string(),
    }
}

/// What no spreadsheet computes.
fn text(value: &str) -> String {
    let is_formula = value.starts_with(['=', '+', '-', '@', '\'']) || value.starts_with(char::is_control);
    if is_formula { format!("'{value}") } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::rows::Sample;
    use crate::summary::made::{CONNECT, Made};

    /// Names and what a reader of comma-separated values gets.
    fn columns(made: &Made) -> Vec<BTreeMap<String, String>> {
        let text = csv(&made.rows).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().map(|record| record.unwrap()).collect()
    }

    #[test]
    fn every_sample_comes_back_with_its_figures() {
        let mut made = Made::default();
        made.role("openssl", crate::rows::Role::Peer);
        made.timed(CONNECT, 1, ("openssl", "a,\"b\"\nc", Shape::Memory), Operation::Full, 1_000);
        let told = columns(&made);
        let samples: Vec<&Sample> = made
            .rows
            .iter()
            .filter_map(|row| if let Row::Sample(sample) = row { Some(sample) } else { None })
            .collect();
        assert_eq!((told.len(), told[0].len()), (samples.len(), COLUMNS.len()));
        for (told, sample) in told.iter().zip(samples) {
            let names = ["size", "block", "pass", "count", "wall_ns"];
            let figures: [u64; 5] = names.map(|name| told[name].parse().unwrap());
            assert_eq!(figures, [sample.size, sample.block, sample.pass, sample.count, sample.wall_ns]);
            let words = ["size_unit", "engine", "algorithm", "shape", "operation", "phase", "role", "gc_ns"];
            let expected = ["at_once", "openssl", "a,\"b\"\nc", "memory", "full", "steady", "peer", ""];
            assert_eq!(words.map(|name| told[name].as_str()), expected);
        }
    }

    #[test]
    fn a_sample_has_the_version_that_its_engine_had_then() {
        let mut made = Made::default();
        for version in ["1", "2"] {
            made.role("openssl", crate::rows::Role::Peer);
            made.engines().last().unwrap().version = version.into();
            made.timed("codec", 49, ("openssl", "base64", Shape::Tuned), Operation::Encode, 1_000);
        }
        let mut versions: Vec<String> =
            columns(&made).into_iter().map(|mut told| told.remove("version").unwrap()).collect();
        versions.dedup();
        assert_eq!(versions, ["1", "2"]);
    }

    #[test]
    fn lines_end_as_the_standard_has_it_and_text_is_no_formula() {
        let mut made = Made::default();
        made.timed("codec", 49, ("=cmd|' /c calc'!A0", "'@-", Shape::Tuned), Operation::Encode, 1);
        let text = csv(&made.rows).unwrap();
        assert_eq!(text.matches("\r\n").count(), text.matches('\n').count());
        assert!(text.contains(",'=cmd|' /c calc'!A0,") && text.contains(",''@-,"), "{text}");
        assert_eq!(columns(&made)[0]["jdk"], "", "an engine that the run does not name");
        for formula in [
            "=1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "\0=1", "\u{b}=1", "\u{1b}1", "\u{7f}1",
            "\u{85}=1", "'1",
        ] {
            assert_eq!(super::text(formula), format!("'{formula}"));
        }
        assert_eq!(["a=1", "1-thread", ""].map(super::text), ["a=1", "1-thread", ""]);
    }
}

//! Samples as comma-separated values (RFC 4180), a row each: no figure is computed, and none is left out.
//!
//! Spreadsheets take text that begins with `=`, `+`, `-` or `@` for a formula, some of them also behind a control
//! character, and a results file may come from a stranger. So such text has an apostrophe put before it, and so has text
//! that begins with an apostrophe: take one away to have it back. Figures are never negative, so none of them looks like
//! that.

use crate::jobs;
use crate::rows::{Engine, Requests, Row, Sample, Stalls, Tls};
use crate::trouble::{Result, because};
use csv::{Terminator, WriterBuilder};
use serde::Serialize;
use std::collections::BTreeMap;

/// With a first row that names the columns.
pub fn write(rows: &[Row]) -> Result<String> {
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
        let engine = engines.get(sample.line.engine.as_str()).copied();
        let told = Told { sample, engine };
        writer.write_record(COLUMNS.map(|(_, of)| of(&told))).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| because("cannot write", error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A sample, and the engine whose it is.
struct Told<'a> {
    sample: &'a Sample,
    engine: Option<&'a Engine>,
}

type Column = (&'static str, fn(&Told) -> String);

/// Names say the unit. What is not known is empty.
const COLUMNS: [Column; 32] = [
    ("job", |told| text(&told.sample.job)),
    ("size", |told| told.sample.size.to_string()),
    ("size_unit", |told| jobs::of(&told.sample.job).size_key().into()),
    ("engine", |told| text(&told.sample.line.engine)),
    ("version", |told| told.engine.map_or_else(String::new, |engine| text(&engine.version))),
    ("jdk", |told| told.engine.and_then(|engine| engine.jdk.as_deref()).map_or_else(String::new, text)),
    ("role", |told| told.engine.map_or_else(String::new, |engine| word(engine.role))),
    ("algorithm", |told| text(told.sample.line.algorithm())),
    ("shape", |told| told.sample.line.shape().to_string()),
    ("again", |told| told.sample.line.again.to_string()),
    ("operation", |told| told.sample.operation.to_string()),
    ("phase", |told| word(told.sample.phase)),
    ("block", |told| told.sample.block.to_string()),
    ("pass", |told| told.sample.pass.to_string()),
    ("place", |told| told.sample.place.to_string()),
    ("count", |told| told.sample.count.to_string()),
    ("wall_ns", |told| told.sample.wall_ns.to_string()),
    ("cpu_ns", |told| known(told.sample.used.cpu_ns)),
    ("allocated_bytes", |told| known(told.sample.used.allocated_bytes)),
    ("gc_ns", |told| known(told.sample.used.gc_ns)),
    ("peak_bytes", |told| known(told.sample.used.peak_bytes)),
    ("output_bytes", |told| known(told.sample.output_bytes)),
    ("start_ns", |told| known(told.sample.start_ns)),
    ("tls_client_cpu_ns", |told| of_tls(told, |tls| tls.client_cpu_ns)),
    ("tls_server_cpu_ns", |told| of_tls(told, |tls| tls.server_cpu_ns)),
    ("tls_wire_bytes", |told| of_tls(told, |tls| tls.wire_bytes)),
    ("tls_connections_seen", |told| of_stalls(told, |stalls| stalls.seen)),
    ("tls_connections_stalled", |told| of_stalls(told, |stalls| stalls.stalled)),
    ("tls_stalled_usual_ns", |told| of_stalls(told, |stalls| stalls.usual_ns)),
    ("requests_median_ns", |told| of_requests(told, |requests| Some(requests.median_ns))),
    ("requests_p99_ns", |told| of_requests(told, |requests| Some(requests.p99_ns))),
    ("requests_client_cpu_ns", |told| of_requests(told, |requests| requests.client_cpu_ns)),
];

/// What no spreadsheet computes.
fn text(value: &str) -> String {
    let is_formula = value.starts_with(['=', '+', '-', '@', '\'']) || value.starts_with(char::is_control);
    if is_formula { format!("'{value}") } else { value.to_owned() }
}

fn known(figure: Option<u64>) -> String {
    figure.map_or_else(String::new, |figure| figure.to_string())
}

fn of_tls(told: &Told, figure: fn(&Tls) -> Option<u64>) -> String {
    known(told.sample.tls.as_ref().and_then(figure))
}

fn of_stalls(told: &Told, figure: fn(&Stalls) -> u64) -> String {
    known(told.sample.tls.and_then(|tls| tls.stalls).as_ref().map(figure))
}

fn of_requests(told: &Told, figure: fn(&Requests) -> Option<u64>) -> String {
    known(told.sample.requests.as_ref().and_then(figure))
}

/// As rows have it: "yardstick", "cold".
fn word(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::summary::made::{CONNECT, Made};

    /// Names and what a reader of comma-separated values gets.
    fn columns(made: &Made) -> Vec<BTreeMap<String, String>> {
        let text = write(&made.rows).unwrap();
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
        let text = write(&made.rows).unwrap();
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

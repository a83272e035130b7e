//! Samples as comma-separated values (RFC 4180), a row each: no figure is computed, and none is left out.
//!
//! Spreadsheets take text that begins with `=`, `+`, `-` or `@` for a formula, some of them also behind a control
//! character, and a results file may come from a stranger. So such text has an apostrophe put before it, and so has text
//! that begins with an apostrophe: take one away to have it back. Figures are never negative, so none of them looks like
//! that.

use crate::jobs;
use crate::rows::{Engine, Row, Sample};
use crate::trouble::{Result, because};
use csv::{Terminator, WriterBuilder};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// With a first row that names the columns: all members that any of the samples has.
pub fn csv(rows: &[Row]) -> Result<String> {
    let columns: BTreeSet<String> = told(rows).flat_map(BTreeMap::into_keys).collect();
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let failed = |error| because("cannot write comma-separated values", error);
    writer.write_record(&columns).map_err(failed)?;
    for figures in told(rows) {
        let record = columns.iter().map(|name| figures.get(name).map_or("", String::as_str));
        writer.write_record(record).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| because("cannot write", error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Each sample and what its engine said of itself, by the names of members.
fn told(rows: &[Row]) -> impl Iterator<Item = BTreeMap<String, String>> {
    let mut engines: BTreeMap<&str, &Engine> = BTreeMap::new();
    rows.iter().filter_map(move |row| {
        if let Row::Engine(engine) = row {
            engines.insert(&engine.engine, engine);
        }
        let Row::Sample(sample) = row else { return None };
        Some(of_sample(sample, engines.get(sample.line.engine.as_str()).copied()))
    })
}

fn of_sample(sample: &Sample, engine: Option<&Engine>) -> BTreeMap<String, String> {
    let beside = json!({
        "version": engine.map(|engine| &engine.version),
        "jdk": engine.and_then(|engine| engine.jdk.as_ref()),
        "role": engine.map(|engine| engine.role),
        "size_unit": jobs::of(&sample.job).size_key(),
    });
    let mut all = BTreeMap::new();
    [beside, json!(sample)].iter().for_each(|members| flatten("", members, &mut all));
    all
}

/// A member of a member has both names, but for parameters, which have names of their own. An unknown value is empty.
fn flatten(name: &str, value: &Value, all: &mut BTreeMap<String, String>) {
    let told = match value {
        Value::Object(members) => {
            let prefix = if ["", "parameters"].contains(&name) { String::new() } else { format!("{name}_") };
            return members.iter().for_each(|(name, value)| flatten(&format!("{prefix}{name}"), value, all));
        }
        Value::Null => String::new(),
        Value::String(word) => text(word),
        number => number.to_string(),
    };
    all.insert(name.to_owned(), told);
}

/// Text that no spreadsheet takes for a formula.
fn text(value: &str) -> String {
    let is_formula = value.starts_with(['=', '+', '-', '@', '\'']) || value.starts_with(char::is_control);
    if is_formula { format!("'{value}") } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::Operation;
    use crate::rows::Sample;
    use crate::summary::fixtures::{CONNECT, Made};

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
        made.timed(CONNECT, 1, ("openssl", "a,\"b\"\nc", "memory"), Operation::Full, 1_000);
        let told = columns(&made);
        let samples: Vec<&Sample> = made
            .rows
            .iter()
            .filter_map(|row| if let Row::Sample(sample) = row { Some(sample) } else { None })
            .collect();
        assert_eq!(told.len(), samples.len());
        for (told, sample) in told.iter().zip(samples) {
            let names = ["size", "block", "pass", "count", "wall_ns"];
            let figures: [u64; 5] = names.map(|name| told[name].parse().unwrap());
            assert_eq!(figures, [sample.size, sample.block, sample.pass, sample.count, sample.wall_ns]);
            let words =
                ["size_unit", "engine", "algorithm", "transport", "operation", "phase", "role", "gc_ns"];
            let expected = ["concurrency", "openssl", "a,\"b\"\nc", "memory", "full", "steady", "peer", ""];
            assert_eq!(words.map(|name| told[name].as_str()), expected);
        }
    }

    #[test]
    fn a_sample_has_the_version_that_its_engine_had_then() {
        let mut made = Made::default();
        for version in ["1", "2"] {
            made.role("openssl", crate::rows::Role::Peer);
            made.engines().last().unwrap().version = version.into();
            made.timed("codec", 49, ("openssl", "base64", "tuned"), Operation::Encode, 1_000);
        }
        let mut versions: Vec<String> =
            columns(&made).into_iter().map(|mut told| told.remove("version").unwrap()).collect();
        versions.dedup();
        assert_eq!(versions, ["1", "2"]);
    }

    #[test]
    fn lines_end_as_the_standard_has_it_and_text_is_no_formula() {
        let mut made = Made::default();
        made.timed("codec", 49, ("=cmd|' /c calc'!A0", "'@-", "tuned"), Operation::Encode, 1);
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

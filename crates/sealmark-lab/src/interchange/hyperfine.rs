//! A file that hyperfine wrote by `--export-json`, for the report. Facts from files of hyperfine 1.15.

use super::{Benchmark, Elsewhere, Figures, Range, Unit, elsewhere};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct File {
    results: Vec<Entry>,
}

/// Times are seconds.
#[derive(Deserialize)]
struct Entry {
    command: String,
    mean: f64,
    min: f64,
    max: f64,
    #[serde(default)]
    times: Option<Vec<f64>>,
    /// None where a signal ended the command.
    #[serde(default)]
    exit_codes: Option<Vec<Option<i64>>>,
    #[serde(default)]
    parameters: Option<BTreeMap<String, String>>,
}

const NS_PER_SECOND: f64 = 1e9;

/// Members that are not known are passed over; what is used must be as hyperfine writes it.
pub fn read(text: &str) -> Result<Elsewhere, String> {
    let File { results } =
        serde_json::from_str(text).map_err(|error| format!("no results of hyperfine: {error}"))?;
    if results.is_empty() {
        return Err("it has no benchmarks".into());
    }
    let benchmarks = results.into_iter().map(benchmark).collect::<Result<_, _>>()?;
    Ok(Elsewhere { tool: "hyperfine".into(), from: String::new(), benchmarks })
}

fn benchmark(entry: Entry) -> Result<Benchmark, String> {
    let about = about(&entry);
    let name = &entry.command;
    let in_ns = |figure: &str, seconds: f64| match seconds {
        0.0.. => elsewhere::scaled(name, figure, seconds, NS_PER_SECOND),
        _ => Err(format!("benchmark \"{name}\": figure \"{figure}\" is below zero: {seconds:e}")),
    };
    let (mean, low, high) = (in_ns("mean", entry.mean)?, in_ns("min", entry.min)?, in_ns("max", entry.max)?);
    elsewhere::between(name, "mean", mean, [low, high])?;
    let range = if low < high { Range::Ends { low, high } } else { Range::None };
    let times = entry.times.iter().flatten().map(|seconds| Ok((in_ns("times", *seconds)?, 1)));
    let figures = Figures { mean, range, samples: times.collect::<Result<_, String>>()? };
    Ok(Benchmark { name: entry.command, about, unit: Unit::Time, figures })
}

/// A command that failed was quick for another reason.
fn about(entry: &Entry) -> Vec<String> {
    let parameters = entry.parameters.iter().flatten().map(|(name, value)| format!("{name} = {value}"));
    let codes = || entry.exit_codes.iter().flatten();
    let failed = codes().filter(|code| **code != Some(0)).count();
    let runs = entry.times.as_ref().map(|times| match times.len() {
        1 => "1 run".to_owned(),
        many => format!("{many} runs"),
    });
    let failures = (failed > 0).then(|| format!("{failed} of {} failed", codes().count()));
    parameters.chain(runs).chain(failures).collect()
}

//! A file that JMH wrote, for the report.

use super::{Entry, Figure, Metric};
use crate::interchange::{Benchmark, Elsewhere, Figures, Range, Unit, elsewhere};

/// Members that are not known are passed over; what is used must be as JMH writes it.
pub fn read(text: &str) -> Result<Elsewhere, String> {
    let entries: Vec<Entry> =
        serde_json::from_str(text).map_err(|error| format!("no results of JMH: {error}"))?;
    let version = entries.first().map(|entry| entry.jmh_version.clone()).ok_or("it has no benchmarks")?;
    let benchmarks = entries.into_iter().map(benchmark).collect::<Result<_, _>>()?;
    Ok(Elsewhere { tool: format!("JMH {version}").trim_end().to_owned(), from: String::new(), benchmarks })
}

fn benchmark(entry: Entry) -> Result<Benchmark, String> {
    let (unit, factor) = unit(&entry.primary_metric.score_unit);
    let figures = figures(&entry, factor)?;
    let about = about(&entry);
    Ok(Benchmark { name: entry.benchmark, about, unit, figures })
}

/// Nanoseconds of one operation where it is a time; rates stay as they are.
fn unit(name: &str) -> (Unit, f64) {
    let units =
        [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("hr", 3600e9), ("day", 86_400e9)];
    let time = name.strip_suffix("/op").and_then(|time| units.iter().find(|(unit, _)| *unit == time));
    time.map_or_else(|| (Unit::Other(name.into()), 1.0), |(_, factor)| (Unit::Time, *factor))
}

fn figures(entry: &Entry, factor: f64) -> Result<Figures, String> {
    let (name, metric) = (&entry.benchmark, &entry.primary_metric);
    let scaled = |figure: &str, value: f64| elsewhere::scaled(name, figure, value, factor);
    let score = finite(metric.score).ok_or_else(|| format!("benchmark \"{name}\" has no score"))?;
    let [low, high] =
        metric.score_confidence.map(|end| finite(end).map(|end| scaled("scoreConfidence", end)).transpose());
    let samples = samples(metric).map(|(value, count)| Ok((scaled("rawData", value)?, count)));
    let samples = samples.collect::<Result<Vec<_>, String>>()?;
    let ends = low?.zip(high?);
    let score = scaled("score", score)?;
    ends.map_or(Ok(()), |(low, high)| elsewhere::between(name, "score", score, [low, high]))?;
    let interval = ends.map(|(low, high)| Range::Interval { low, high });
    let range = interval.unwrap_or_else(|| Range::ends(&samples));
    Ok(Figures { mean: score, range, samples })
}

fn finite(Figure(figure): Figure) -> Option<f64> {
    figure.is_finite().then_some(figure)
}

fn samples(metric: &Metric) -> impl Iterator<Item = (f64, u64)> {
    let raw = metric.raw_data.iter().flatten().flatten().map(|figure| (*figure, 1));
    let counted = metric.raw_data_histogram.iter().flatten().flatten().flatten().copied();
    raw.chain(counted).filter_map(|(figure, count)| Some((finite(figure)?, count)))
}

fn about(entry: &Entry) -> Vec<String> {
    let params = entry.params.iter().flatten().map(|(name, value)| format!("{name} = {value}"));
    let mode = match entry.mode.as_str() {
        "thrpt" => "throughput",
        "avgt" => "average time",
        "sample" => "sampled time",
        "ss" => "single shot",
        other => other,
    };
    let counted = |count: u64, what: &str| match count {
        0 => String::new(),
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    };
    let jdk = if entry.jdk_version.is_empty() { String::new() } else { format!("JDK {}", entry.jdk_version) };
    let more = [mode.to_owned(), counted(entry.threads, "thread"), counted(entry.forks, "fork"), jdk];
    params.chain(more).filter(|part| !part.is_empty()).collect()
}

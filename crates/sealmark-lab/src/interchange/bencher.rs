//! Bencher Metric Format: `{"benchmark": {"measure": {"value", "lower_value", "upper_value"}}}`
//! (<https://bencher.dev/docs/reference/bencher-metric-format/>).

use super::names;
use crate::rows::Row;
use crate::stats::Spread;
use crate::summary::{self, Cell, Line, Ratio};
use serde_json::{Map, Value, json};

/// Each line that ran steadily, with its time and, where there is a reference, its ratio to that: ratios are what may be
/// held against another day's, as both lines had the same day. Lines that run a second time are noise and stay out.
pub fn write(rows: &[Row]) -> String {
    let cells = summary::cells(rows);
    let mut benchmarks = Map::new();
    for (name, measures) in cells.iter().filter(|cell| cell.job != "empty").flat_map(of_cell) {
        benchmarks.insert(names::free(name, |name| benchmarks.contains_key(name)), measures);
    }
    format!("{:#}\n", Value::Object(benchmarks))
}

fn of_cell(cell: &Cell) -> impl Iterator<Item = (String, Value)> {
    cell.contestants_and_yardstick()
        .filter_map(move |line| Some((names::of(cell, line), measures(cell, line, &line.wall()?))))
}

/// `latency`, in nanoseconds, is one of Bencher's own measures.
fn measures(cell: &Cell, line: &Line, wall: &Spread) -> Value {
    let Spread { median, low, high } = *wall;
    let mut measures = json!({ "latency": metric(median, low, high) });
    let ratio = cell.reference_of(line).and_then(|reference| cell.compare(line, reference));
    if let Some(Ratio { median, low, high, .. }) = ratio {
        measures["ratio-to-reference"] = metric(median, low, high);
    }
    if let Some(bytes) = line.allocated_bytes {
        measures["allocated-bytes"] = json!({ "value": bytes });
    }
    measures
}

fn metric(value: f64, lower: f64, upper: f64) -> Value {
    json!({ "value": value, "lower_value": lower, "upper_value": upper })
}

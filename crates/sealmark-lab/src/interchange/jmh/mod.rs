//! JMH's JSON: what is read of it and what is written of it. Facts from files that JMH 1.37 wrote.

mod read;
mod write;

pub use read::read;
pub use write::write;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One benchmark of a file, by JMH's own names.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    jmh_version: String,
    benchmark: String,
    mode: String,
    #[serde(default)]
    threads: u64,
    #[serde(default)]
    forks: u64,
    #[serde(default)]
    jvm: String,
    #[serde(default)]
    jvm_args: Vec<String>,
    #[serde(default)]
    jdk_version: String,
    #[serde(default)]
    vm_name: String,
    #[serde(default)]
    vm_version: String,
    #[serde(default)]
    warmup_iterations: u64,
    #[serde(default)]
    warmup_time: String,
    #[serde(default)]
    warmup_batch_size: u64,
    #[serde(default)]
    measurement_iterations: u64,
    #[serde(default)]
    measurement_time: String,
    #[serde(default)]
    measurement_batch_size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    params: Option<BTreeMap<String, String>>,
    primary_metric: Metric,
    #[serde(default, skip_deserializing)]
    secondary_metrics: BTreeMap<String, Metric>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metric {
    score: Figure,
    #[serde(default)]
    score_error: Figure,
    #[serde(default)]
    score_confidence: [Figure; 2],
    #[serde(default, skip_deserializing)]
    score_percentiles: BTreeMap<String, f64>,
    score_unit: String,
    /// Of each fork, each iteration's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raw_data: Option<Vec<Vec<Figure>>>,
    /// Of each fork, each iteration's.
    #[serde(default, skip_serializing)]
    raw_data_histogram: Option<Vec<Vec<Counted>>>,
}

/// Values, each with how often it was seen.
type Counted = Vec<(Figure, u64)>;

/// A number, where JSON has no word for what it may be: `"NaN"`, `"Infinity"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
struct Figure(f64);

impl Default for Figure {
    fn default() -> Self {
        Self(f64::NAN)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "invalid figure, expected a number, \"NaN\" or \"Infinity\"")]
enum Written {
    Number(f64),
    Word(Word),
}

#[derive(Serialize, Deserialize)]
enum Word {
    NaN,
    Infinity,
    #[serde(rename = "-Infinity")]
    MinusInfinity,
}

impl From<Written> for Figure {
    fn from(written: Written) -> Self {
        Self(match written {
            Written::Number(number) => number,
            Written::Word(Word::NaN) => f64::NAN,
            Written::Word(Word::Infinity) => f64::INFINITY,
            Written::Word(Word::MinusInfinity) => f64::NEG_INFINITY,
        })
    }
}

impl From<Figure> for Written {
    fn from(Figure(figure): Figure) -> Self {
        match figure {
            figure if figure.is_nan() => Self::Word(Word::NaN),
            f64::INFINITY => Self::Word(Word::Infinity),
            f64::NEG_INFINITY => Self::Word(Word::MinusInfinity),
            figure => Self::Number(figure),
        }
    }
}

//! What a file of lab/history holds, whatever its figures are.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Figures of one kind, and where they are from.
#[derive(Deserialize)]
pub struct Published<F> {
    #[serde(flatten)]
    pub source: Source,
    #[serde(rename = "rows")]
    pub figures: Vec<F>,
}

/// What was published, when, and on which machine it had been measured.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Source {
    pub id: String,
    pub title: String,
    pub year: String,
    pub machine: String,
    /// How the figures were obtained.
    pub note: String,
}

impl<F: DeserializeOwned> Published<F> {
    /// From a file that comes with the program. Should it be broken there is nothing in it; a test of each publication says
    /// so.
    pub fn of(file: &str) -> Self {
        let nothing = Self { source: Source::default(), figures: Vec::new() };
        serde_json::from_str(file).unwrap_or(nothing)
    }
}

//! What a file of lab/history holds, whatever its figures are.

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Figures of one kind, and what was concluded from them.
#[derive(Deserialize)]
pub struct Published<F> {
    pub conclusions: Vec<String>,
    #[serde(rename = "rows")]
    pub figures: Vec<F>,
}

impl<F: DeserializeOwned> Published<F> {
    /// From a file that comes with the program. Should it be broken there are none of both; a test of each publication says
    /// so.
    pub fn of(file: &str) -> Self {
        serde_json::from_str(file).unwrap_or(Self { conclusions: Vec::new(), figures: Vec::new() })
    }
}

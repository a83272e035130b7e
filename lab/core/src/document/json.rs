//! A run as one JSON document for machines: its document, and the rows that are no figures.

use super::Document;
use crate::rows::Row;
use serde_json::json;

/// The version of the document.
const SUMMARY: u64 = 5;

/// With a line feed at its end.
pub fn json(rows: &[Row]) -> String {
    let rows_of = |wanted: fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).collect::<Vec<_>>();
    let document = json!({
        "summary": SUMMARY,
        "header": rows_of(|row| matches!(row, Row::Header(_))).first(),
        "finished": rows.iter().any(|row| matches!(row, Row::End(_))),
        "document": Document::of_rows(rows),
        "faults": rows_of(|row| matches!(row, Row::Fault(_))),
        "notes": rows_of(|row| matches!(row, Row::Note(_))),
    });
    format!("{document:#}\n")
}

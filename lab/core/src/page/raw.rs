//! The raw rows, in the page itself: what the figures were computed from travels with them, as a results file has them,
//! compressed. `script.js` gives them back.

use super::Run;
use crate::protocol::Operation;
use crate::rows::{Line, Row};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, html};
use std::io::Write;

/// The element with the rows.
pub const ID: &str = "rows";
/// The part that tells of it.
pub const ID_OF_TEXT: &str = "raw";

pub fn section(run: &Run) -> Markup {
    if run.rows.is_empty() {
        return html! {};
    }
    html! {
        section .raw {
            h2 id=(run.id(ID_OF_TEXT)) { "Raw rows" }
            p {
                @match run.rows.len() { 1 => "The one row of ", count => { "All " (count) " rows of " } }
                code { (run.name) } " are in this file (lab/spec/run.md), in the element "
                code { "#" (run.id(ID)) } ": base64 of gzip. " code { "sealmark-lab table" } " prints them as text."
            }
            // Inert: base64 has no character that could end the element.
            script type="application/gzip" id=(run.id(ID)) { (compressed(run.rows)) }
        }
    }
}

fn compressed(rows: &[Row]) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let written = rows.iter().try_for_each(|row| {
        serde_json::to_writer(&mut gzip, row)?;
        gzip.write_all(b"\n")
    });
    let bytes = written.and_then(|()| gzip.finish());
    BASE64_STANDARD.encode(bytes.expect("rows are JSON, and memory takes what is written to it"))
}

/// The text by which `script.js` finds the samples of a line: it makes the same from members of their rows.
pub fn key(job: &str, size: u64, operation: Operation, line: &Line) -> String {
    let Line { engine, parameters, again } = line;
    let parameters = serde_json::to_string(parameters).expect("a map of names is JSON");
    format!("{job}\t{size}\t{operation}\t{engine}\t{parameters}\t{again}")
}

//! The raw rows, in the page itself: what the figures were computed from travels with them, as a results file has them,
//! compressed. `script.js` gives them back.

use crate::rows::Row;
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

/// Nothing without rows.
pub fn section(name: &str, rows: &[Row]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section .raw {
                h2 id=(ID_OF_TEXT) { "Raw rows" }
                p {
                    "All " (rows.len()) " rows of " code { (name) } " are in this file (lab/spec/run.md), in the element "
                    code { "#" (ID) } ": base64 of gzip. " code { "sealmark-lab table" } " prints them as text."
                }
                // Inert: base64 has no character that could end the element.
                script type="application/gzip" id=(ID) { (compressed(rows)) }
            }
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

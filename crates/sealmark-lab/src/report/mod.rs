//! A results file as text for people: nothing here measures.

mod advice;
mod cells;
pub mod grid;
mod growth;
mod head;
mod json;
mod own_cost;
mod peppol;
mod resumption;
mod stalls;
mod then;
mod tls_2009;
mod troubles;
mod verdicts;
mod warmth;
mod ways;
pub mod words;

pub use json::{json, of_ratio, size_key};

use crate::goals;
use crate::history::Then;
use crate::jobfile::History;
use crate::rows::Row;
use crate::summary::{self, growths};
use advice::Evidence;
use grid::list;

/// Everything a run has to say, the verdicts first.
pub fn table(rows: &[Row]) -> String {
    let cells = summary::cells(rows);
    let warmth = warmth::all(rows, &cells);
    let grown = growths::growths(rows, &cells);
    let growing = growth::all(&grown, &cells);
    let then = shows_nkcryptotool(rows).then(Then::nkcryptotool);
    [
        head::opening(rows),
        list("Verdicts", &verdicts::sentences(&cells, &warmth, &growing)),
        list("Advice", &advice::sentences(Evidence { rows, cells: &cells, grown: &grown })),
        head::company(rows),
        list("Goals", &goals::verdicts(rows, &cells)),
        then::section(rows, &cells, &grown),
        cells::reading(&cells),
        cells::sections(&cells, then.as_ref(), &warmth),
        then::resumption(rows, &cells),
        warmth::sections(&warmth),
        growth::sections(rows, &growing),
        own_cost::section(&cells),
        list("Not measured, or not as planned", &troubles::sentences(rows)),
        head::engines(rows),
        head::ending(rows),
    ]
    .concat()
}

/// Files of any plan that can be held against the published ones are.
fn shows_nkcryptotool(rows: &[Row]) -> bool {
    rows.iter().any(|row| match row {
        Row::Header(header) => header.history == Some(History::Nkcryptotool) || header.plan == "files",
        _ => false,
    })
}

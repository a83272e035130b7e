//! A results file as text for people: nothing here measures.

pub mod advice;
pub mod by_job;
pub mod cells;
mod goals;
pub mod grid;
pub mod growth;
pub mod head;
mod json;
pub mod overcome;
pub mod own_cost;
mod peppol;
pub mod publication;
pub mod resumption;
mod run;
pub mod said;
pub mod stalls;
pub mod then;
mod tls_2009;
pub mod troubles;
pub mod untimed;
pub mod verdicts;
pub mod warmth;
pub mod ways;
pub mod words;

pub use goals::goals;
pub use json::{json, of_ratio, size_key};
pub use run::Run;

use crate::history::Then;
use crate::jobfile::History;
use crate::rows::Row;
use advice::Evidence;
use grid::list;

/// Everything a run has to say, the verdicts first.
pub fn table(rows: &[Row]) -> String {
    let Run { rows, cells, warmth, grown, growing } = &Run::of(rows);
    let then = shows_nkcryptotool(rows).then(Then::nkcryptotool);
    [
        head::opening(rows),
        list("Verdicts", &verdicts::sentences(cells, warmth, growing)),
        list("Advice", &advice::sentences(Evidence { rows, cells, grown })),
        head::company(rows),
        then::section(rows, cells, grown),
        cells::reading(cells),
        cells::sections(cells, then.as_ref(), warmth),
        then::resumption(rows, cells),
        warmth::sections(warmth),
        growth::sections(rows, growing),
        own_cost::section(cells),
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

//! The figures of a cell that the answers at the top tell: who follows an answer's link finds all of its figures there, by the names
//! that lines have in the tables.

use super::Run;
use crate::document::Comparison;
use crate::summary::Cell;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Answers name a few lines each; more figures than these are those of a run of thousands of lines.
const MOST: usize = 60;

/// Nothing where the cell proves no answer.
pub fn table(run: &Run, cell: &Cell) -> Markup {
    let all: BTreeSet<&Comparison> = run.proved_by(cell).flat_map(|answer| &answer.comparisons).collect();
    let row = |it: &Comparison| {
        html! {
            tr {
                th scope="row" { (it.line) }
                td { (it.of) }
                td { (it.told) }
                td data-label="against" { (it.against) }
            }
        }
    };
    let table = html! {
        table .plots .figures data-sort="" {
            caption { "Figures of the answers" }
            thead { tr { @for title in ["line", "of it", "figure", "held against"] { th scope="col" { (title) } } } }
            tbody { @for it in all.iter().take(MOST) { (row(it)) } }
        }
    };
    html! {
        @if !all.is_empty() { (table) }
        @if all.len() > MOST { p .remarks { "and " (all.len() - MOST) " more: the rows have them all" } }
    }
}

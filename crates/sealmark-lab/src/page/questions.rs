//! The top of the page: what most readers came for.

use super::{Run, markup};
use crate::goals;
use crate::report::advice::{self, Evidence};
use crate::report::verdicts;
use maud::{Markup, html};

/// The sentences of the report, and what this project set out to reach.
pub fn section(run: &Run) -> Markup {
    let evidence = Evidence { rows: run.rows, cells: &run.cells, grown: &run.grown };
    let verdicts = verdicts::sentences(&run.cells, &run.warmth, &run.growing);
    let goals = goals::verdicts(run.rows, &run.cells);
    html! {
        section .questions {
            h2 id=(run.id("verdicts")) { "Verdicts" }
            (markup::list("verdicts", &verdicts))
            (markup::list("verdicts", &advice::sentences(evidence)))
            @if !goals.is_empty() { (markup::folded("Goals of this project", &markup::list("goals", &goals))) }
        }
    }
}

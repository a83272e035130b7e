//! What the answers at the top tell of a cell and its forest does not show: lines held against others than the reference,
//! rates, CPU time, bytes. Whoever follows an answer's link finds its figures there.

use super::Run;
use crate::report::asked::{self, Figure};
use crate::report::words;
use crate::rows;
use crate::summary::{Cell, Line};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Answers name a few lines each; more figures than these are those of a run of thousands of lines.
const MOST: usize = 60;

/// Nothing where the forest has all.
pub fn table(run: &Run, cell: &Cell) -> Markup {
    let lines: BTreeMap<&rows::Line, &Line> =
        cell.lines.iter().chain(&cell.cold_only).map(|line| (&line.line, line)).collect();
    let figures = run.figures(cell).iter().filter(|figure| !is_in_the_forest(cell, figure, &lines));
    let figures: BTreeSet<&Figure> = figures.collect();
    // Advice is also of lines that never got as far as this size.
    let alone = |line: &rows::Line| words::full_name(line, words::is_shaped(cell));
    let name =
        |line: &rows::Line| lines.get(line).map_or_else(|| alone(line), |line| words::name(cell, line));
    let row = |figure: &Figure| {
        let against = figure.against.as_ref().map(name).unwrap_or_default();
        html! {
            tr data-samples=[run.samples(cell, &figure.line)] {
                th scope="row" { (name(&figure.line)) }
                td { (figure.of) }
                td { (figure.told) }
                td data-label="against" { (against) }
            }
        }
    };
    let table = html! {
        table .plots .figures data-sort="" {
            caption { "Other figures of the answers" }
            thead { tr { @for title in ["line", "of it", "figure", "held against"] { th scope="col" { (title) } } } }
            tbody { @for figure in figures.iter().take(MOST) { (row(figure)) } }
        }
    };
    html! {
        @if !figures.is_empty() { (table) }
        @if figures.len() > MOST { p .remarks { "and " (figures.len() - MOST) " more: the rows have them all" } }
    }
}

fn is_in_the_forest(cell: &Cell, figure: &Figure, lines: &BTreeMap<&rows::Line, &Line>) -> bool {
    let reference = lines.get(&figure.line).and_then(|line| cell.reference_of(line));
    figure.of == asked::TIME
        && reference.is_some_and(|reference| Some(&reference.line) == figure.against.as_ref())
}

#[cfg(test)]
mod tests {
    use super::super::forest;
    use super::super::tests::drawn;
    use crate::engine::Role;
    use crate::protocol::{Operation, Shape};
    use crate::summary::made::Made;

    /// A program that gets through a log, beside two others; one of them is the yardstick and so the reference.
    fn filtered() -> Made {
        let mut made = Made::default();
        for (engine, role) in [("sealmark-cli", Role::Ours), ("cat", Role::Yardstick), ("sed", Role::Peer)] {
            made.role(engine, role);
        }
        for (engine, ns) in [("sealmark-cli", 1_000_000), ("cat", 100_000), ("sed", 2_000_000)] {
            made.timed("log-json", 1_000_000, (engine, "any", Shape::Tuned), Operation::Seal, ns);
        }
        made
    }

    #[test]
    fn what_an_answer_says_and_the_forest_does_not_has_a_row() {
        let page = drawn(&filtered().rows, forest::section);
        let row = |line: &str, of: &str, told: &str, against: &str| {
            format!(
                "<th scope=\"row\">{line}</th><td>{of}</td><td>{told}</td><td data-label=\"against\">{against}</td>"
            )
        };
        for expected in [
            row("sealmark-cli any", "rate", "1.00 GB/s", ""),
            row("sealmark-cli any", "rate on a core", "1.00 GB/s", ""),
            row("sed any", "time", "2.00 (2.00 to 2.00): slower", "sealmark-cli any"),
        ] {
            assert!(page.contains(&expected), "{expected} is not in {page}");
        }
        assert!(
            page.contains("<table class=\"plots figures\" data-sort=\"\">") && page.contains("data-samples")
        );
    }

    #[test]
    fn without_answers_there_is_no_table() {
        let mut made = Made::default();
        made.timed("codec", 49, ("one", "base64", Shape::Tuned), Operation::Encode, 1_000);
        assert!(!drawn(&made.rows, forest::section).contains("figures"));
    }
}

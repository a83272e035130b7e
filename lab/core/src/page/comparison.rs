//! Two runs as a page: what became slower or faster, line by line, and under which conditions that was found.

use super::{markup, tables};
use crate::changes::{Against, Change, Changes, Place};
use crate::compare::{self, Tally};
use crate::conditions;
use crate::rows::Row;
use crate::stats::verdict::Verdict;
use crate::table::Table;
use crate::words;
use maud::{Markup, html};

/// A run, and the name of its results file.
type Named<'a> = (&'a str, &'a [Row]);

/// Nobody reads more of them in a table, and a browser must draw them at once.
const MOST_LINES: usize = 500;

/// Sentences of a kind.
const MOST_SAID: usize = 100;

/// Of an earlier run and a later one.
pub fn html([base, new]: [Named; 2]) -> String {
    let changes = Changes::between(base.1, new.1, Against::Reference);
    let body = html! {
        (opening(base, new))
        (verdicts(&changes))
        (jobs(&changes))
        (elsewhere(&changes, base, new))
        (facts(base, new))
    };
    markup::page(&title(base, new), &body).into_string()
}

fn title((base, _): Named, (new, _): Named) -> String {
    format!("Sealmark lab: {base} and {new} compared")
}

fn opening(base: Named, new: Named) -> Markup {
    let differences = conditions::differences(base.1, new.1);
    html! {
        header {
            h1 { (title(base, new)) }
            p .when { "base: " (base.0) ", " (conditions::opening(base.1)) }
            p .when { "new: " (new.0) ", " (conditions::opening(new.1)) }
            @for words in conditions::unfit(base.1, new.1) { p .warning role="note" { (words) } }
            @if !differences.is_empty() {
                div .warning role="note" {
                    p { "The two were not made under the same conditions: what differs may be one of these." }
                    (markup::list("conditions", &differences))
                }
            }
        }
    }
}

fn verdicts(changes: &Changes) -> Markup {
    let Tally { slower, faster, same, undecided } = Tally::of(changes);
    html! {
        section .answers {
            h2 #verdicts { "In short" }
            p {
                "Of " (changes.of.len()) " lines in both: "
                strong .slower { (slower) " slower" } ", " strong .faster { (faster) " faster" } ", "
                strong .same { (same) " the same" } ", " strong .undecided { (undecided) " undecided" } "."
            }
            (called(changes, Verdict::Slower, "Slower"))
            (called(changes, Verdict::Faster, "Faster"))
            h3 { "Whether the runs agree" }
            ul {
                li { (compare::overlaps(changes)) }
                @for said in words::at_most(compare::contradictions(changes), MOST_SAID) { li { (said) } }
            }
        }
    }
}

/// Sentences that a click leads from to their line.
fn called(changes: &Changes, verdict: Verdict, heading: &str) -> Markup {
    let called = || changes.of.iter().enumerate().filter(|(_, change)| change.change.verdict == verdict);
    html! {
        @if called().next().is_some() {
            h3 { (heading) }
            ul {
                @for (at, change) in called().take(MOST_SAID) {
                    li {
                        (compare::sentence(change)) " "
                        a .evidence href={ "#" (id(at)) } aria-label={ "evidence " (at + 1) ": " (change.place) } { "evidence" }
                    }
                }
                @if called().count() > MOST_SAID { li { "and " (called().count() - MOST_SAID) " more" } }
            }
        }
    }
}

/// Of a line, by its number among the changes: names are a stranger's.
fn id(at: usize) -> String {
    format!("change-{at}")
}

/// As many lines of a cell as a table shows: those that are told of first, so that what a link leads to is there.
fn shown<'a>(cell: &[(usize, &'a Change)]) -> Vec<(usize, &'a Change)> {
    let is_called = |change: &Change| matches!(change.change.verdict, Verdict::Slower | Verdict::Faster);
    let called =
        |verdict| cell.iter().filter(move |(_, change)| change.change.verdict == verdict).take(MOST_SAID);
    let first = [Verdict::Slower, Verdict::Faster].into_iter().flat_map(called);
    let others = cell.iter().filter(|(_, change)| !is_called(change));
    let mut shown: Vec<_> = if cell.len() > MOST_LINES {
        first.chain(others).take(MOST_LINES).copied().collect()
    } else {
        cell.to_vec()
    };
    shown.sort_by_key(|(at, _)| *at);
    shown
}

/// A chapter for each job, a table for each of its cells.
fn jobs(changes: &Changes) -> Markup {
    let numbered: Vec<(usize, &Change)> = changes.of.iter().enumerate().collect();
    html! {
        @for job in numbered.chunk_by(|a, b| a.1.place.job == b.1.place.job) {
            section .job {
                h2 { "Job " (job[0].1.place.job) }
                @for cell in job.chunk_by(|a, b| a.1.place.is_beside(&b.1.place)) { (table(cell)) }
            }
        }
    }
}

fn table(cell: &[(usize, &Change)]) -> Markup {
    let shown = shown(cell);
    let table = compare::table(&shown);
    let more = cell.len() - shown.len();
    html! {
        section .cell {
            h3 { (cell[0].1.place.cell()) }
            (tables::changes(&table, &format!("Time {}: new over base, 95 % intervals", table.title)))
            @if more > 0 { p .remarks { "and " (more) " more lines: the rows have them all" } }
        }
    }
}

/// Lines that cannot be held against anything.
fn elsewhere(changes: &Changes, base: Named, new: Named) -> Markup {
    let missing =
        |places: &[Place], rows: &[Row]| words::at_most(compare::with_reasons(places, rows), MOST_LINES);
    let names = |places: &[Place]| words::at_most(places.iter().map(Place::to_string).collect(), MOST_LINES);
    let lists = [
        (format!("Only in base ({})", base.0), missing(&changes.only_in_base, new.1)),
        (format!("Only in new ({})", new.0), missing(&changes.only_in_new, base.1)),
        ("In both, but what base held them against is not in new".into(), names(&changes.lost)),
        ("In both, and held against nothing".into(), names(&changes.alone)),
    ];
    html! {
        @if lists.iter().any(|(_, lines)| !lines.is_empty()) {
            section .missing {
                h2 #missing { "Not compared" }
                @for (heading, lines) in lists.iter().filter(|(_, lines)| !lines.is_empty()) {
                    h3 { (heading) }
                    (markup::list("lines", lines))
                }
            }
        }
    }
}

fn facts((base_name, base): Named, (new_name, new): Named) -> Markup {
    let titles =
        ["condition".into(), format!("base ({base_name})"), format!("new ({new_name})"), "differs".into()];
    let mut table = Table::titled("Conditions of both runs", titles.len(), titles);
    for fact in conditions::facts(base, new) {
        let differs = if fact.differs() { "differs" } else { "same" };
        table.push([fact.name.to_owned(), fact.base, fact.new, differs.to_owned()]);
    }
    html! {
        section .card {
            h2 #conditions { "Conditions" }
            p { (compare::READING) }
            (tables::of_words(&table, "conditions of both runs"))
        }
    }
}

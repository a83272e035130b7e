//! The top of the page: what most readers came for, question by question, each answer linked to what proves it.

use super::{Ids, Run, markup};
use crate::goals;
use crate::protocol::Operation;
use crate::report::advice;
use crate::report::said::{Evidence, Question, Said};
use crate::report::{cells, verdicts, words};
use crate::summary::Cell;
use maud::{Markup, html};

/// Answers that stand open; the others are a click away.
const OPEN: usize = 2;

/// Every question that the run answers. Only what has one of these ids is linked.
pub fn section(run: &Run, ids: &Ids) -> Markup {
    let mut said = verdicts::said(&run.cells, &run.warmth, &run.growing);
    said.extend(advised(run));
    said.extend(releasing(run));
    // Ratios before rates; else the order stays that of the run.
    said.sort_by_key(|said| (said.question, !said.text.contains('×')));
    let goals = goals::verdicts(run.rows, &run.cells);
    html! {
        section .questions {
            h2 id=(run.id("verdicts")) { "In short" }
            @if said.is_empty() { p { "Nothing was measured that could be judged." } }
            @for answers in said.chunk_by(|a, b| a.question == b.question) { (question(run, answers, ids)) }
            @if !goals.is_empty() {
                (markup::folded("Goals of this project", &markup::list("goals", &goals)))
            }
        }
    }
}

fn question(run: &Run, answers: &[Said], ids: &Ids) -> Markup {
    let question = answers[0].question;
    let (open, folded) = answers.split_at(answers.len().min(OPEN));
    let item = |said: &Said| html! { li { (sentence(&said.text)) " " (link(run, said, ids)) } };
    html! {
        section .question .avoid[question == Question::Avoid] {
            h3 { (question.words()) }
            ul { @for said in open { (item(said)) } }
            @if !folded.is_empty() {
                (markup::folded(&format!("{} more", folded.len()), &html! { ul { @for said in folded { (item(said)) } } }))
            }
        }
    }
}

/// Where it holds stands apart from what holds there.
fn sentence(text: &str) -> Markup {
    match text.split_once(": ") {
        Some((place, rest)) => html! { span .place { (place) ":" } " " (rest) },
        None => html! { (text) },
    }
}

fn link(run: &Run, said: &Said, ids: &Ids) -> Markup {
    let Some(id) = places(run, said).into_iter().find(|id| ids.contains(id.as_str())) else {
        return html! {};
    };
    html! { a .evidence href={ "#" (id) } aria-label={ "evidence: " (shortened(&said.text)) } { "evidence" } }
}

/// Twenty links of one name are of no use to who hears them.
fn shortened(text: &str) -> &str {
    text.split_once(':').map_or(text, |(place, _)| place)
}

/// The best proof first.
fn places(run: &Run, said: &Said) -> Vec<String> {
    let of_cell = |thing: &str, size: u64, operation: Operation| {
        let is_it = |cell: &&Cell| (cell.job == said.job) && (cell.size, cell.operation) == (size, operation);
        run.cells.iter().find(is_it).map(|cell| run.id_in(thing, cell))
    };
    let best = match said.evidence {
        _ if said.question == Question::Resumption => Some(run.id(&format!("resumption {}", said.job))),
        Evidence::Cell(size, operation) => of_cell("forest", size, operation),
        Evidence::Warmth(size, operation) => of_cell("ramp", size, operation),
        Evidence::Growth => Some(run.id(&format!("sizes {}", said.job))),
        Evidence::Job => None,
    };
    best.into_iter().chain([run.id(&format!("job {}", said.job))]).collect()
}

fn advised(run: &Run) -> Vec<Said> {
    let evidence = advice::Evidence { rows: run.rows, cells: &run.cells, grown: &run.grown };
    let advice = advice::sentences(evidence).into_iter();
    advice.map(|text| Said::of_job(Question::Payload, "payload", text)).collect()
}

/// Lines that hand out what nobody has authenticated yet, at the largest size of each job.
fn releasing(run: &Run) -> Vec<Said> {
    let told = |cell: &&Cell| {
        let early =
            cell.contestants_or_cold().filter(|line| line.released_bytes.is_some_and(|bytes| bytes > 0));
        let names: Vec<String> = early.map(|line| words::name(cell, line)).collect();
        let text = format!(
            "{}: releases plain bytes before it authenticates: {}",
            cells::name(cell),
            words::few(&names, 3)
        );
        (!names.is_empty()).then(|| Said::of_cell(Question::Avoid, cell, text))
    };
    run.jobs().iter().filter_map(|job| job.cells.iter().rev().find_map(told)).collect()
}

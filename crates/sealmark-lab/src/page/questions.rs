//! The top of the page: what most readers came for, question by question, each answer linked to what proves it.

use super::{Ids, Run, markup};
use crate::goals;
use crate::protocol::Operation;
use crate::report::growth::Growing;
use crate::report::said::{Evidence, Question, Said, Weight};
use crate::report::verdicts::{self, Answers};
use crate::report::warmth::Warmth;
use crate::report::{self, advice};
use crate::report::{cells, untimed, words};
use crate::rows::Row;
use crate::summary::Cell;
use crate::summary::growths::Grown;
use maud::{Markup, html};

/// Answers that stand open beside the choices; the others are a click away.
const OPEN: usize = 2;

/// Choices that stand open: one for each JDK that anybody has.
const MOST_CHOICES: usize = 12;

/// What is answered of a run, question by question.
pub fn answers(
    rows: &[Row],
    (cells, grown): (&[Cell], &[Grown]),
    (warmth, growing): (&[Warmth], &[Growing]),
) -> Answers {
    let evidence = advice::Evidence { rows, cells, grown };
    let mut answers = verdicts::answers(cells, warmth, growing);
    answers.said.extend(advice::said(evidence));
    answers.said.extend(releasing(cells));
    let untimed = untimed::sentences(rows).into_iter();
    answers.said.extend(untimed.map(|(job, text)| Said::of_job(Question::Unanswered, job, text)));
    for (cell, figure) in advice::figures(evidence) {
        let of = (cell.job.clone(), cell.size, cell.operation);
        answers.figures.entry(of).or_default().push(figure);
    }
    // What to choose first, ratios before rates; else the order stays that of the run.
    answers.said.sort_by_key(|said| (said.question, said.weight, !said.text.contains('×')));
    answers
}

/// Every question that the run answers. Only what has one of these ids is linked.
pub fn section(run: &Run, ids: &Ids) -> Markup {
    let said = &run.answers.said;
    let goals = goals::said(run.rows, &run.cells);
    html! {
        section .questions {
            h2 id=(run.id("verdicts")) { "In short" }
            @if said.is_empty() { p { "Nothing was measured that could be judged." } }
            @for answers in said.chunk_by(|a, b| a.question == b.question) { (question(run, answers, ids)) }
            @if let Some(open) = unanswered(said) { p .remarks { (open) } }
            @if !goals.is_empty() {
                (markup::folded(Question::Goal.words(), &html! { ul .goals { @for said in &goals { (item(run, said, ids)) } } }))
            }
        }
    }
}

/// In one line, where anything was answered: who looks for one of them need not look on.
fn unanswered(said: &[Said]) -> Option<String> {
    let is_open = |question: &Question| said.iter().all(|said| said.question != *question);
    let open: Vec<&str> = Question::OF_READERS.into_iter().filter(is_open).map(Question::words).collect();
    let is_told = !said.is_empty() && !open.is_empty();
    is_told.then(|| format!("Not answered by this run: {}", open.join(" ")))
}

fn question(run: &Run, answers: &[Said], ids: &Ids) -> Markup {
    let question = answers[0].question;
    let choices = answers.iter().take_while(|said| said.weight == Weight::Choice).count();
    let (open, folded) = answers.split_at(answers.len().min(choices.min(MOST_CHOICES) + OPEN));
    let item = |said: &Said| item(run, said, ids);
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

fn item(run: &Run, said: &Said, ids: &Ids) -> Markup {
    let text = if said.question == Question::Goal {
        html! { (said.text) }
    } else {
        sentence(&said.text)
    };
    html! { li { (text) " " (link(run, said, ids)) } }
}

/// Where it holds stands apart from what holds there.
fn sentence(text: &str) -> Markup {
    match text.split_once(": ") {
        Some((place, rest)) => html! { span .place { (place) ":" } " " (rest) },
        None => html! { (text) },
    }
}

fn link(run: &Run, said: &Said, ids: &Ids) -> Markup {
    let Some(place) = places(run, said).into_iter().find(|place| ids.contains(place.id.as_str())) else {
        return html! {};
    };
    let name = format!("{}: {}", run.label("evidence"), place.name);
    html! { a .evidence href={ "#" (place.id) } aria-label=(name) { "evidence" } }
}

/// Where a proof stands, and what a link to it is called: links that sound alike lead to the same place.
struct Place {
    id: String,
    name: String,
}

/// The best proof first. Sizes are told to the byte: rounded ones of two cells may be alike.
fn places(run: &Run, said: &Said) -> Vec<Place> {
    let of_cell = |thing: &str, what: &str, size: u64, operation: Operation| {
        let is_it = |cell: &&Cell| (cell.job == said.job) && (cell.size, cell.operation) == (size, operation);
        let cell = run.cells.iter().find(is_it)?;
        let unit = report::size_key(&cell.job).replace('_', " ");
        let name = format!("{what} of {}, {size} {unit}, {operation}", cell.job);
        Some(Place { id: run.id_in(thing, cell), name })
    };
    let of_job = |thing: &str, what: &str| Place {
        id: run.id(&format!("{thing} {}", said.job)),
        name: format!("{what} of {}", said.job),
    };
    let best = match said.evidence {
        _ if said.question == Question::Resumption => Some(of_job("resumption", "resuming")),
        Evidence::Cell(size, operation) => of_cell("forest", "ratios", size, operation),
        Evidence::Warmth(size, operation) => of_cell("ramp", "ramps", size, operation),
        Evidence::Memory(size, operation) => of_cell("memory", "memory", size, operation),
        Evidence::Growth => Some(of_job("sizes", "growth")),
        Evidence::Job => None,
    };
    best.into_iter().chain([of_job("job", "all")]).collect()
}

/// Lines that hand out what nobody has authenticated yet, at the largest size of each job.
fn releasing(cells: &[Cell]) -> Vec<Said> {
    let told = |cell: &Cell| {
        let early =
            cell.contestants_or_cold().filter(|line| line.released_bytes.is_some_and(|bytes| bytes > 0));
        let names: Vec<String> = early.map(|line| words::name(cell, line)).collect();
        let text = format!(
            "{}: releases plain bytes before it authenticates: {}",
            cells::name(cell),
            words::few(&names, 3)
        );
        let evidence = Evidence::Memory(cell.size, cell.operation);
        (!names.is_empty()).then(|| Said { evidence, ..Said::of_cell(Question::Avoid, cell, text) })
    };
    let jobs = cells.chunk_by(|a, b| a.job == b.job);
    jobs.filter_map(|job| job.iter().rev().find_map(told)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::opened;
    use super::*;
    use crate::protocol::Shape;
    use crate::rows::{Checked, Row};
    use crate::summary::made::{Made, Named, line};

    fn checked(made: &mut Made, job: &str, size: u64, named: Named) {
        made.rows.push(Row::Checked(Checked {
            job: job.into(),
            size,
            line: line(named),
            authenticated: true,
            code: "by hand".into(),
            output_bytes: size,
            sha256: String::new(),
            released_bytes: Some(0),
        }));
    }

    /// Outside of all JVMs the fastest has nothing beside it, and no ratio.
    #[test]
    fn what_does_not_authenticate_comes_last() {
        let mut made = Made::default();
        for size in [49, 8_404] {
            for (algorithm, ns) in [("AES-128-GCM", 1_000), ("AES-128-CTR", 800)] {
                made.timed("cipher", size, ("one", algorithm, Shape::Tuned), Operation::Seal, ns);
            }
            checked(&mut made, "cipher", size, ("one", "AES-128-GCM", Shape::Tuned));
        }
        let told = |part: &str, sentence: &str| part.matches(sentence).count();
        let (open, folded) = opened(&made.rows, "Which cipher?");
        assert_eq!((told(&open, "fastest authenticated is"), told(&open, "without")), (2, 0), "{open}");
        assert_eq!(told(&folded, "fastest without authentication"), 2, "{folded}");
    }

    #[test]
    fn what_to_choose_is_no_click_away_on_any_jdk() {
        let mut made = Made::default();
        let engines = ["8", "11", "17", "21", "25"].map(|jdk| made.jvm("SunJCE", jdk));
        for (size, engine) in
            [1 << 20, 2 << 20].into_iter().flat_map(|size| engines.iter().map(move |it| (size, it)))
        {
            let named = (engine.as_str(), "AES-128-GCM", Shape::OneShot);
            made.timed("payload", size, named, Operation::Open, size);
            checked(&mut made, "payload", size, named);
        }
        let (open, _) = opened(&made.rows, "Which library for large payloads?");
        let advice = |jdk| open.matches(&format!("JDK {jdk}, to open 2 MiB:")).count();
        assert_eq!(["8", "11", "17", "21", "25"].map(advice), [1; 5], "{open}");
    }

    #[test]
    fn questions_without_an_answer_are_named_in_a_line() {
        let of = |questions: &[Question]| {
            let said = questions.iter().map(|question| Said::of_job(*question, "cipher", String::new()));
            unanswered(&said.collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&Question::OF_READERS), None);
        let all_but_two = of(&Question::OF_READERS[2..]);
        let expected = "Not answered by this run: Which cipher? Which provider on which JDK?";
        assert_eq!(all_but_two.as_deref(), Some(expected));
    }
}
